//! Simultaneous traversal of two trees over faces, and of one tree with itself.
//!
//! A volume is handed down from parent to child, because a box of a
//! [`KineticBoxTree`](super::KineticBoxTree) is that of its parent with one side exchanged. Other
//! trees look it up.

use super::Keyframes;
use super::kinetic_structure::Clock;
use super::topology::{NodeContent, TreeTopology};
use crate::bound::Aabb;
use crate::query::FaceId;

/// A tree with a volume for each node.
pub(super) trait VolumeTree {
    type Volume: Volume;

    fn nodes(&self) -> &TreeTopology;

    /// The volume of the root, which exists.
    fn root(&self) -> Self::Volume;

    /// The volume of a child of a node that has this one.
    fn child(&self, node: u32, child: u32, volume: &Self::Volume) -> Self::Volume;

    /// The volume of a leaf as tight as its three vertices make it.
    fn tight(&self, leaf: u32, face: u32, volume: &Self::Volume) -> Self::Volume {
        let _ = (leaf, face);
        *volume
    }
}

pub(super) trait Volume: Copy {
    fn meets(&self, other: &Self) -> bool;
}

impl Volume for Aabb {
    #[inline]
    fn meets(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
}

/// A tree whose sides are vertices of a plan, at its time.
pub(super) struct TreeView<'t, T> {
    pub(super) tree: &'t T,
    pub(super) flight: &'t Keyframes,
    /// By how much each side is widened, so that no pair is missed because of rounding, or because the motion deviates from
    /// the plan.
    pub(super) margin: f64,
}

impl Clock {
    /// Both trees, if they are at the same time of this plan.
    pub(super) fn views<'t, T>(
        &self,
        other: &Self,
        flight: &'t Keyframes,
        a: &'t T,
        b: &'t T,
    ) -> Option<[TreeView<'t, T>; 2]> {
        self.check(flight, other.now).ok()?;
        other.check(flight, self.now).ok()?;
        // Twice, because the sum of side and margin is rounded, too.
        let margin = 2.0 * flight.rounding() + flight.deviation();
        Some([a, b].map(|tree| TreeView {
            tree,
            flight,
            margin,
        }))
    }
}

impl<T> TreeView<'_, T> {
    /// The box of a face at a time, widened.
    pub(super) fn box_of(&self, corners: [u32; 3], clock: &Clock) -> Aabb {
        let [a, b, c] = corners.map(|v| self.flight.place(v, clock.segment, clock.now));
        Aabb {
            min: a.min(b).min(c) - self.margin,
            max: a.max(b).max(c) + self.margin,
        }
    }
}

/// The documentation and the code of `meeting` and `meeting_itself` of a tree with a clock.
macro_rules! meets_at_its_time {
    () => {
        /// All pairs of faces whose volumes overlap now, one of each tree: the candidates for an exact test. Returns the number
        /// of compared volumes. Volumes are widened by rounding, so that no pair is missed. Both trees must be at the same
        /// time; otherwise there is no answer.
        ///
        /// ```
        /// use impinge::DVec3;
        /// use impinge::kinetic::{Keyframes, KineticAabbTree};
        /// let places = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        /// let flight = Keyframes::linear(&places, &[DVec3::ZERO; 4], 0.0, 1.0)?;
        /// let a = KineticAabbTree::new(&flight, &[[0, 1, 2]])?;
        /// let b = KineticAabbTree::new(&flight, &[[1, 2, 3]])?;
        /// let mut met = 0;
        /// assert_eq!(a.meeting(&b, &flight, |_, _| met += 1), Some(1));
        /// assert_eq!(met, 1);
        /// # Ok::<(), impinge::kinetic::KineticError>(())
        /// ```
        pub fn meeting(
            &self,
            other: &Self,
            flight: &Keyframes,
            pair: impl FnMut(FaceId, FaceId),
        ) -> Option<u64> {
            let [a, b] = self.clock.views(&other.clock, flight, self, other)?;
            Some($crate::kinetic::tree_traversal::meeting(&a, &b, pair))
        }

        /// All pairs of faces of this tree whose volumes overlap now, each once and none with itself, neighbours included; as
        /// `meeting`.
        pub fn meeting_itself(
            &self,
            flight: &Keyframes,
            pair: impl FnMut(FaceId, FaceId),
        ) -> Option<u64> {
            let [view, _] = self.clock.views(&self.clock, flight, self, self)?;
            Some($crate::kinetic::tree_traversal::meeting_itself(&view, pair))
        }
    };
}
pub(super) use meets_at_its_time;

/// The same of a tree that is refitted, which is where its vertices were last.
macro_rules! meets_as_refitted {
    () => {
        /// All pairs of faces whose boxes overlap, one of each tree: the candidates for an exact test. Returns the number of
        /// compared boxes.
        pub fn meeting(
            &self,
            other: &Self,
            pair: impl FnMut($crate::query::FaceId, $crate::query::FaceId),
        ) -> u64 {
            $crate::kinetic::tree_traversal::meeting(self, other, pair)
        }

        /// All pairs of faces of this tree whose boxes overlap, each once and none with itself, neighbours included. Returns the
        /// number of compared boxes.
        pub fn meeting_itself(
            &self,
            pair: impl FnMut($crate::query::FaceId, $crate::query::FaceId),
        ) -> u64 {
            $crate::kinetic::tree_traversal::meeting_itself(self, pair)
        }
    };
}
pub(super) use meets_as_refitted;

/// A node with its volume.
type Placed<V> = (u32, V);
/// Two nodes that are to be compared.
type PlacedPair<V> = (Placed<V>, Placed<V>);

/// Reports all pairs of faces whose volumes overlap, one of each tree. Returns the number of
/// compared volumes.
pub(super) fn meeting<T: VolumeTree>(a: &T, b: &T, mut pair: impl FnMut(FaceId, FaceId)) -> u64 {
    if a.nodes().is_empty() || b.nodes().is_empty() {
        return 0;
    }
    let mut open = vec![((0, a.root()), (0, b.root()))];
    descend(a, b, &mut open, &mut pair)
}

/// Reports all pairs of different faces of a tree whose volumes overlap, each once.
pub(super) fn meeting_itself<T: VolumeTree>(tree: &T, mut pair: impl FnMut(FaceId, FaceId)) -> u64 {
    if tree.nodes().is_empty() {
        return 0;
    }
    let mut open = Vec::new();
    let mut alone: Vec<Placed<T::Volume>> = vec![(0, tree.root())];
    let mut tests = 0;
    while let Some((node, volume)) = alone.pop() {
        if let NodeContent::Children(child) = tree.nodes().below(node) {
            let [left, right] =
                [child, child + 1].map(|child| (child, tree.child(node, child, &volume)));
            alone.extend([right, left]);
            open.push((left, right));
            tests += descend(tree, tree, &mut open, &mut pair);
        }
    }
    tests
}

fn descend<T: VolumeTree>(
    a: &T,
    b: &T,
    open: &mut Vec<PlacedPair<T::Volume>>,
    pair: &mut impl FnMut(FaceId, FaceId),
) -> u64 {
    let mut tests = 0;
    while let Some(((node_a, volume_a), (node_b, volume_b))) = open.pop() {
        tests += 1;
        if !volume_a.meets(&volume_b) {
            continue;
        }
        let below = |tree: &T, node: u32, volume: &T::Volume, child: u32| {
            [child, child + 1].map(|child| (child, tree.child(node, child, volume)))
        };
        match (a.nodes().below(node_a), b.nodes().below(node_b)) {
            (NodeContent::Face(f), NodeContent::Face(g)) => {
                let tight = a.tight(node_a, f, &volume_a);
                if tight.meets(&b.tight(node_b, g, &volume_b)) {
                    pair(FaceId::new(f), FaceId::new(g));
                }
            }
            (NodeContent::Children(c), NodeContent::Face(_)) => {
                let [l, r] = below(a, node_a, &volume_a, c);
                open.extend([(r, (node_b, volume_b)), (l, (node_b, volume_b))]);
            }
            (NodeContent::Face(_), NodeContent::Children(d)) => {
                let [l, r] = below(b, node_b, &volume_b, d);
                open.extend([((node_a, volume_a), r), ((node_a, volume_a), l)]);
            }
            (NodeContent::Children(c), NodeContent::Children(d)) => {
                let [la, ra] = below(a, node_a, &volume_a, c);
                let [lb, rb] = below(b, node_b, &volume_b, d);
                open.extend([(ra, rb), (ra, lb), (la, rb), (la, lb)]);
            }
        }
    }
    tests
}
