//! Queries of compounds: child pairs that are near, each with its own query.
//!
//! **Idea.** A compound is the union of its children, so a query of compounds runs on the pairs of
//! children whose boxes are near. The query of two children is built when first needed and kept
//! with its cache.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::best_pair::{SearchEnd, best_pair};
use super::compound::Compound;
use super::config::PairConfig;
use super::item_bvh::{ChildNodes, DescentEnd, ItemHierarchy, ItemNode, WorkMeter, each_near_pair};
use super::pair_registry::KindName;
use super::placed_box::ROUNDING;
use super::shape::Shape;
use super::unsupported::Unsupported;
use crate::bound::Aabb;
use crate::math::Pose;
use crate::query::FaceId;

/// Questions of children that are kept.
const MAX_KEPT: usize = 1 << 16;

/// A query that is made from two shapes.
pub(super) trait MakeQuery: Sized {
    fn make(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported>;
}

/// One side of a pair: a compound, or one shape.
#[derive(Clone, Debug)]
pub(super) enum PairSide {
    Whole { shape: Shape, bounds: Option<Aabb> },
    Children(Arc<Compound>),
}

impl PairSide {
    fn new(shape: &Shape) -> Self {
        match shape {
            Shape::Compound(compound) => Self::Children(compound.clone()),
            shape => Self::Whole {
                shape: shape.clone(),
                bounds: shape.bounds(&Pose::IDENTITY),
            },
        }
    }

    /// Where a child stands, and its shape.
    pub(super) fn child(&self, child: u32) -> Option<(Pose, &Shape)> {
        match self {
            Self::Whole { shape, .. } => Some((Pose::IDENTITY, shape)),
            Self::Children(compound) => compound
                .children()
                .get(child as usize)
                .map(|own| (own.compound_from_child, &own.shape)),
        }
    }

    /// The child that an item of the hierarchy is.
    fn numbered(&self, item: u32) -> u32 {
        match self {
            Self::Whole { .. } => 0,
            Self::Children(compound) => compound.bounded(item),
        }
    }

    fn unbounded(&self) -> &[u32] {
        match self {
            Self::Whole { bounds: None, .. } => &[0],
            Self::Whole { .. } => &[],
            Self::Children(compound) => compound.unbounded(),
        }
    }

    fn bounded(&self) -> &[u32] {
        match self {
            Self::Whole { bounds: None, .. } => &[],
            Self::Whole { .. } => &[0],
            Self::Children(compound) => compound.bounded_children(),
        }
    }

    /// The number in the compound of a child's face.
    pub(super) fn face(&self, child: u32, face: FaceId) -> FaceId {
        match self {
            Self::Whole { .. } => face,
            Self::Children(compound) => compound.face_of(child, face),
        }
    }

    /// Shapes of different sorts among the children, one of each.
    fn sorts(&self) -> Vec<&Shape> {
        match self {
            Self::Whole { shape, .. } => vec![shape],
            Self::Children(compound) => {
                let mut seen: Vec<(KindName, bool)> = Vec::new();
                let mut sorts = Vec::new();
                for child in compound.children() {
                    let is_closed = match &child.shape {
                        Shape::Mesh(mesh) => mesh.is_closed(),
                        _ => true,
                    };
                    let sort = (KindName::from(&child.shape), is_closed);
                    if !seen.contains(&sort) {
                        seen.push(sort);
                        sorts.push(&child.shape);
                    }
                }
                sorts
            }
        }
    }
}

impl ItemHierarchy for PairSide {
    fn root(&self) -> Option<ItemNode> {
        match self {
            Self::Whole { bounds, .. } => bounds.map(|_| ItemNode::Part(0)),
            Self::Children(compound) => compound.root(),
        }
    }
    fn bounds(&self, node: ItemNode) -> Aabb {
        match self {
            Self::Whole { bounds, .. } => bounds.unwrap_or(Aabb::EMPTY),
            Self::Children(compound) => ItemHierarchy::bounds(compound.as_ref(), node),
        }
    }
    fn below(&self, node: ItemNode) -> ChildNodes {
        match self {
            Self::Whole { .. } => ChildNodes::none(),
            Self::Children(compound) => compound.below(node),
        }
    }
    fn below_near(&self, node: ItemNode, with: &Aabb) -> ChildNodes {
        match self {
            Self::Whole { .. } => ChildNodes::none(),
            Self::Children(compound) => compound.below_near(node, with),
        }
    }
}

/// Two shapes of which at least one is a compound.
#[derive(Debug)]
pub(super) struct CompoundPair<Q> {
    pub(super) a: PairSide,
    pub(super) b: PairSide,
    config: PairConfig,
    kept: HashMap<[u32; 2], Q>,
}

/// Two children and the pose of the one in the frame of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildPair {
    pub(super) children: [u32; 2],
    pub(super) a_from_child: Pose,
    pub(super) pose: Pose,
}

impl ChildPair {
    pub(super) fn point(&self, p: DVec3) -> DVec3 {
        self.a_from_child * p
    }
    pub(super) fn vector(&self, v: DVec3) -> DVec3 {
        self.a_from_child.transform_vector(v)
    }
}

impl<Q: MakeQuery> CompoundPair<Q> {
    /// The pair, if every two sorts of children answer the query.
    pub(super) fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        let pair = Self {
            a: PairSide::new(a),
            b: PairSide::new(b),
            config: config.clone(),
            kept: HashMap::new(),
        };
        for p in pair.a.sorts() {
            for q in pair.b.sorts() {
                Q::make(p, q, config)?;
            }
        }
        Ok(pair)
    }

    /// How much boxes must be widened so that no children that touch up to rounding are skipped.
    pub(super) fn rounding(&self, a_from_b: &Pose) -> f64 {
        let far = |side: &PairSide| {
            let bounds = side.root().map_or(Aabb::EMPTY, |root| side.bounds(root));
            if bounds.is_empty() {
                return 0.0;
            }
            bounds.min.abs().max(bounds.max.abs()).max_element()
        };
        let moved = a_from_b.translation().abs().max_element();
        // Twice: children are placed by the product of two poses.
        4.0 * ROUNDING * (far(&self.a) + 2.0 * far(&self.b) + moved)
    }

    /// Calls `visit` for the queries of all children whose boxes come within `margin`.
    pub(super) fn each(
        &mut self,
        a_from_b: &Pose,
        margin: f64,
        meter: &mut WorkMeter<'_>,
        visit: &mut dyn FnMut(&ChildPair, &mut Q) -> ControlFlow<()>,
    ) -> DescentEnd {
        let Self { a, b, config, kept } = self;
        let mut ask = |i: u32, j: u32| match children(a, b, a_from_b, [i, j]) {
            Some(pair) => match question(a, b, config, kept, [i, j]) {
                Some(query) => visit(&pair, query),
                None => ControlFlow::Continue(()),
            },
            None => ControlFlow::Continue(()),
        };
        let ended = each_near_pair(a, b, a_from_b, margin, meter, &mut |i, j| {
            ask(a.numbered(i), b.numbered(j))
        });
        if ended != DescentEnd::Complete {
            return ended;
        }
        let unbounded = a.unbounded().iter().flat_map(|&i| {
            let others = b.bounded().iter().chain(b.unbounded());
            others.map(move |&j| (i, j))
        });
        let rest = a
            .bounded()
            .iter()
            .flat_map(|&i| b.unbounded().iter().map(move |&j| (i, j)));
        for (i, j) in unbounded.chain(rest) {
            if !meter.volume() {
                return DescentEnd::OutOfBudget;
            }
            if ask(i, j).is_break() {
                return DescentEnd::Stopped;
            }
        }
        DescentEnd::Complete
    }

    /// Calls `visit` for the queries of children, until no others can be below what it returned last.
    pub(super) fn best(
        &mut self,
        a_from_b: &Pose,
        best: f64,
        meter: &mut WorkMeter<'_>,
        bound: &dyn Fn(&Aabb, &Aabb) -> f64,
        visit: &mut dyn FnMut(&ChildPair, &mut Q) -> f64,
    ) -> SearchEnd {
        let Self { a, b, config, kept } = self;
        let least = Cell::new(best);
        let mut ask = |i: u32, j: u32| {
            if let Some(pair) = children(a, b, a_from_b, [i, j])
                && let Some(query) = question(a, b, config, kept, [i, j])
            {
                least.set(least.get().min(visit(&pair, query)));
            }
            least.get()
        };
        // Unbounded children have no boxes that could leave them aside.
        for &i in a.unbounded() {
            for &j in b.bounded().iter().chain(b.unbounded()) {
                ask(i, j);
            }
        }
        for &i in a.bounded() {
            for &j in b.unbounded() {
                ask(i, j);
            }
        }
        best_pair(a, b, a_from_b, least.get(), meter, bound, &mut |i, j| {
            ask(a.numbered(i), b.numbered(j))
        })
    }
}

fn children(a: &PairSide, b: &PairSide, a_from_b: &Pose, numbers: [u32; 2]) -> Option<ChildPair> {
    let (a_from_child, _) = a.child(numbers[0])?;
    let (b_from_child, _) = b.child(numbers[1])?;
    let pose = match (a, b) {
        (PairSide::Whole { .. }, _) => *a_from_b * b_from_child,
        (_, PairSide::Whole { .. }) => a_from_child.inverse() * *a_from_b,
        _ => a_from_child.inverse() * (*a_from_b * b_from_child),
    };
    Some(ChildPair {
        children: numbers,
        a_from_child,
        pose,
    })
}

fn question<'k, Q: MakeQuery>(
    a: &PairSide,
    b: &PairSide,
    config: &PairConfig,
    kept: &'k mut HashMap<[u32; 2], Q>,
    numbers: [u32; 2],
) -> Option<&'k mut Q> {
    if !kept.contains_key(&numbers) {
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        let (_, shape_a) = a.child(numbers[0])?;
        let (_, shape_b) = b.child(numbers[1])?;
        // Sorts of children were tried when the pair was made, so that this does not fail.
        let query = Q::make(shape_a, shape_b, config).ok()?;
        kept.insert(numbers, query);
    }
    kept.get_mut(&numbers)
}
