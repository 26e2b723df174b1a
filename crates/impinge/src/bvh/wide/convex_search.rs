//! Traversal of a tree by a convex shape: the faces that come near it, nearest first.
//!
//! **Question.** Which faces of a mesh are near a convex shape: a ball, a capsule, a box, a hull?
//! **Idea.** A descent of one tree. [`PlacedCore`] bounds boxes and faces in SIMD lanes; remaining
//! faces are passed to a visitor, which decides or measures exactly and returns how near others
//! must be. The direction of the nearest face so far gives one more bound: everything beyond the
//! plane across it is skipped.
//! **Promise.** Every face whose distance from the shape, exact or in `f64`, is at most the
//! visitor's bound is passed to it. The order depends on the instruction set.
//! **Limits.** Shapes that are a thousand times larger than the mesh, or 64 times their sizes away,
//! are searched in `f64`.

use std::ops::ControlFlow;

use glam::DVec3;

use super::convex_core::{ConvexCore, PlacedCore, Witness};
use super::layout::{LEAF, WIDTH};
use super::node_view::{NodeBox, NodeView};
use super::single_tree::{SearchEnd, SingleTreeCache, Subtree, WorkMeter, push_children};
use super::tree::WideTree;
use crate::bound::Aabb;
use crate::math::Pose;
use crate::math::simd::lanes::{Kernel, Lanes, Mask, dispatch};
use crate::math::sort::sort_few;
use crate::query::{FaceId, Limits, Outcome};

/// Decides or measures faces.
pub(crate) trait ConvexVisitor {
    /// Faces farther away are of no interest any more, in units of the mesh; below 0 when none is.
    fn bound(&self) -> f64;
    /// Whether the nearest faces come first; else they come in the order of the tree's lanes, the same for every instruction set.
    fn is_nearest_first(&self) -> bool {
        true
    }
    /// Examines a face; `is_met` when it is already certain that the shape meets it.
    fn visit(&mut self, face: FaceId, is_met: bool) -> ControlFlow<()>;
    /// Takes a distance that no face of a leaf is nearer than, instead of the faces; whether it did.
    fn takes_bound(&mut self, least: f64) -> bool {
        let _ = least;
        false
    }
    /// The direction from the shape to the nearest face so far, in the mesh's frame and of unit length, and how far the shape
    /// reaches along it from the centre of its core; none when nothing changed since the last call.
    fn witness(&mut self) -> Option<(DVec3, f64)> {
        None
    }
}

/// A convex shape as a query of a tree, in that tree's units.
#[derive(Clone, Debug)]
pub(crate) struct ConvexProbe {
    core: ConvexCore,
    points: Vec<[f32; 3]>,
}

impl ConvexProbe {
    pub(crate) fn new(tree: &WideTree, core: ConvexCore) -> Self {
        Self {
            points: core.local_points(tree.frame.exponent),
            core,
        }
    }

    /// The centre of the core, in the frame of the shape.
    pub(crate) fn center(&self) -> DVec3 {
        self.core.center
    }
}

impl WideTree {
    /// The corners of a face of the tree's mesh.
    pub(crate) fn triangle(&self, face: FaceId) -> [DVec3; 3] {
        self.mesh.triangle(face)
    }

    /// Shows the visitor all faces that may be as near to the placed shape as its bound. `rounding` is what distances in `f64` may be off by.
    pub(crate) fn near_convex<V: ConvexVisitor>(
        &self,
        probe: &ConvexProbe,
        mesh_from_shape: &Pose,
        rounding: f64,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
        visitor: &mut V,
    ) -> SearchEnd {
        let level = cache.level();
        match PlacedCore::new(&self.frame, &probe.core, &probe.points, mesh_from_shape) {
            Some(core) => dispatch(
                level,
                ConvexTraversal {
                    tree: self,
                    core,
                    meter: WorkMeter::new(limits),
                    stack: &mut cache.stack,
                    witness: None,
                    visitor,
                },
            ),
            None => self.near_convex_f64(&probe.core, mesh_from_shape, rounding, limits, visitor),
        }
    }

    /// A distance that no face is nearer to the placed shape than; infinite when none is within a distance.
    pub(crate) fn convex_at_least(
        &self,
        probe: &ConvexProbe,
        mesh_from_shape: &Pose,
        within: f64,
        rounding: f64,
        cache: &mut SingleTreeCache,
    ) -> f64 {
        let mut bound = LeastBound {
            within,
            least: None,
        };
        let limits = Limits::default();
        let _ = self.near_convex(probe, mesh_from_shape, rounding, limits, cache, &mut bound);
        bound.least.unwrap_or(f64::INFINITY)
    }

    /// [`near_convex`](Self::near_convex) without lanes.
    #[cold]
    fn near_convex_f64<V: ConvexVisitor>(
        &self,
        core: &ConvexCore,
        mesh_from_shape: &Pose,
        rounding: f64,
        limits: Limits<'_>,
        visitor: &mut V,
    ) -> SearchEnd {
        let mut meter = WorkMeter::new(limits);
        let shape_from_mesh = mesh_from_shape.inverse();
        let around = Aabb {
            min: -core.half,
            max: core.half,
        };
        let core_from_shape = core.axes.transpose();
        // Boxes hold their vertices with room to spare, but their axes are rounded.
        let at_least = |bounds: &NodeBox| {
            let corners = bounds.corners();
            let local = corners.map(|p| core_from_shape * (shape_from_mesh * p - core.center));
            let gap = Aabb::enclosing(local).distance_sq_to(&around).sqrt();
            gap - 1e-6 * bounds.outer_radius() - core.radius - rounding
        };
        let mut open: Vec<(f64, NodeView)> = Vec::new();
        open.extend(self.whole().map(|whole| (f64::NEG_INFINITY, whole)));
        let mut outcome = Outcome::Complete;
        'search: while let Some((least, node)) = open.pop() {
            if least > visitor.bound() {
                continue;
            }
            if meter.look().is_break()
                || meter.spend_volumes(1).is_break()
                || meter
                    .spend_faces(self.faces_of(&node).len() as u32)
                    .is_break()
            {
                open.push((least, node));
                outcome = Outcome::OutOfBudget;
                break;
            }
            if node.is_leaf() && visitor.takes_bound(least) {
                continue;
            }
            for &face in self.faces_of(&node) {
                if visitor.visit(FaceId::new(face), false).is_break() {
                    open.push((least, node));
                    outcome = Outcome::StoppedBySink;
                    break 'search;
                }
            }
            let bottom = open.len();
            open.extend(self.parts(&node).map(|part| (at_least(&part.bounds), part)));
            sort_few(&mut open[bottom..], |p, q| q.0.total_cmp(&p.0));
        }
        let unexplored = match outcome {
            Outcome::Complete => f64::INFINITY,
            _ => open
                .iter()
                .fold(f64::INFINITY, |m, (least, _)| m.min(*least)),
        };
        SearchEnd {
            outcome,
            unexplored,
        }
    }
}

/// The least bound of all leaves.
struct LeastBound {
    within: f64,
    least: Option<f64>,
}

impl ConvexVisitor for LeastBound {
    fn bound(&self) -> f64 {
        self.least.unwrap_or(self.within)
    }

    fn visit(&mut self, _: FaceId, _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn takes_bound(&mut self, least: f64) -> bool {
        let best = self.least.map_or(least, |best| best.min(least));
        self.least = Some(best);
        true
    }
}

struct ConvexTraversal<'s, V> {
    tree: &'s WideTree,
    core: PlacedCore<'s>,
    meter: WorkMeter<'s>,
    stack: &'s mut Vec<Subtree>,
    witness: Option<Witness>,
    visitor: &'s mut V,
}

impl<V: ConvexVisitor> Kernel for ConvexTraversal<'_, V> {
    type Output = SearchEnd;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> SearchEnd {
        self.stack.clear();
        if !self.tree.nodes.is_empty() {
            self.stack.push(Subtree::ROOT);
        }
        let outcome = self.descend::<T>();
        SearchEnd::new(outcome, self.stack, self.core.unit)
    }
}

impl<V: ConvexVisitor> ConvexTraversal<'_, V> {
    #[inline(always)]
    fn descend<T: Lanes>(&mut self) -> Outcome {
        while let Some(next) = self.stack.pop() {
            let bound = self.core.bound(self.visitor.bound());
            if next.at_least <= bound
                && let ControlFlow::Break(outcome) = self.step::<T>(next, bound)
            {
                // What was not examined goes back, so that it counts as unexplored.
                self.stack.push(next);
                return outcome;
            }
        }
        Outcome::Complete
    }

    #[inline(always)]
    fn step<T: Lanes>(&mut self, next: Subtree, bound: f32) -> ControlFlow<Outcome> {
        self.meter.look()?;
        if next.child & LEAF != 0 {
            return self.leaf::<T>((next.child & !LEAF) as usize, bound);
        }
        self.meter.spend_volumes(WIDTH as u32)?;
        let node = &self.tree.nodes[next.child as usize];
        let (least, between) = self.core.boxes_at_least::<T>(node, self.witness.as_ref());
        let mask = least.le(T::splat(bound)).bits();
        // Boxes that overlap the shape are all equally near; then those in the middle of it come first.
        let order = if self.visitor.is_nearest_first() {
            least.max(T::splat(0.0)) + between * T::splat(1e-6)
        } else {
            T::splat(0.0)
        };
        push_children(
            self.stack,
            &node.child,
            mask,
            &least.store(),
            &order.store(),
        );
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn leaf<T: Lanes>(&mut self, number: usize, bound: f32) -> ControlFlow<Outcome> {
        let leaf = &self.tree.leaves[number];
        self.meter.spend_faces(leaf.count)?;
        let faces = self.core.faces::<T>(leaf);
        let mut left = leaf.lanes();
        let mut least = T::splat(f32::MIN);
        if let Some(witness) = &self.witness {
            least = self.core.faces_beyond(&faces, witness);
            left &= least.le(T::splat(bound)).bits();
            if left == 0 {
                return ControlFlow::Continue(());
            }
        }
        let (by_shape, met) = self.core.faces_at_least(&faces, T::splat(bound));
        // The right operand is taken where the left is no number, and that only in lanes without a face.
        least = least.max(by_shape);
        left &= least.le(T::splat(bound)).bits();
        let mut nearest = least.store();
        if left != 0 {
            let least = f64::from(nearest[first(&nearest, left)]) / self.core.unit;
            if self.visitor.takes_bound(least) {
                return ControlFlow::Continue(());
            }
        }
        while left != 0 {
            let k = if self.visitor.is_nearest_first() {
                first(&nearest, left)
            } else {
                left.trailing_zeros() as usize % WIDTH
            };
            left &= !(1 << k);
            let is_met = met >> k & 1 != 0;
            if self
                .visitor
                .visit(FaceId::new(leaf.face[k]), is_met)
                .is_break()
            {
                return ControlFlow::Break(Outcome::StoppedBySink);
            }
            if let Some((towards, reach)) = self.visitor.witness() {
                let witness = self.core.witness(towards, reach);
                least = least.max(self.core.faces_beyond(&faces, &witness));
                nearest = least.store();
                self.witness = Some(witness);
            }
            let bound = self.core.bound(self.visitor.bound());
            left &= least.le(T::splat(bound)).bits();
        }
        ControlFlow::Continue(())
    }
}

/// The lane with the least number among those that `left` names.
#[inline(always)]
fn first(least: &[f32; WIDTH], mut left: u32) -> usize {
    let mut best = left.trailing_zeros() as usize % WIDTH;
    left &= left - 1;
    while left != 0 {
        let k = left.trailing_zeros() as usize;
        left &= left - 1;
        if least[k] < least[best] {
            best = k;
        }
    }
    best
}
