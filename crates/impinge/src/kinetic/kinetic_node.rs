//! Identifier of a node.

use super::topology::{NodeContent, TreeTopology};
use crate::query::FaceId;

/// A node of a tree over faces.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, KineticNode, RefitTree};
/// let flight = Keyframes::linear(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[DVec3::Z; 3], 0.0, 1.0)?;
/// let tree = RefitTree::new(&flight, &[[0, 1, 2]])?;
/// assert!(tree.children(KineticNode::ROOT).is_none() && tree.face(KineticNode::ROOT).is_some());
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KineticNode(pub(super) u32);

impl KineticNode {
    /// The node above all others.
    pub const ROOT: Self = Self(0);

    pub(super) fn children_in(self, topology: &TreeTopology) -> Option<[Self; 2]> {
        if !topology.has(self.0) {
            return None;
        }
        match topology.below(self.0) {
            NodeContent::Children(child) => Some([Self(child), Self(child + 1)]),
            NodeContent::Face(_) => None,
        }
    }

    pub(super) fn face_in(self, topology: &TreeTopology) -> Option<FaceId> {
        if !topology.has(self.0) {
            return None;
        }
        match topology.below(self.0) {
            NodeContent::Face(face) => Some(FaceId::new(face)),
            NodeContent::Children(_) => None,
        }
    }
}

/// The nodes of a type with a `topology`.
macro_rules! nodes_of_topology {
    () => {
        /// The two children of a node; none of a leaf.
        #[must_use]
        pub fn children(&self, node: KineticNode) -> Option<[KineticNode; 2]> {
            node.children_in(&self.topology)
        }

        /// The face of a leaf; none of an inner node.
        #[must_use]
        pub fn face(&self, node: KineticNode) -> Option<$crate::query::FaceId> {
            node.face_in(&self.topology)
        }
    };
}
pub(super) use nodes_of_topology;
