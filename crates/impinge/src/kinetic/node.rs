//! The name of a node.

use super::topology::{Below, Topology};
use crate::query::FaceId;

/// A node of a tree over faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub(super) u32);

impl Node {
    /// The node above all others.
    pub const ROOT: Self = Self(0);

    pub(super) fn children_in(self, topology: &Topology) -> Option<[Self; 2]> {
        if !topology.has(self.0) {
            return None;
        }
        match topology.below(self.0) {
            Below::Children(child) => Some([Self(child), Self(child + 1)]),
            Below::Face(_) => None,
        }
    }

    pub(super) fn face_in(self, topology: &Topology) -> Option<FaceId> {
        if !topology.has(self.0) {
            return None;
        }
        match topology.below(self.0) {
            Below::Face(face) => Some(FaceId::new(face)),
            Below::Children(_) => None,
        }
    }
}
