//! The wide BVH.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use super::build::build;
use super::layout::{WideLeaf, WideNode};
use super::queries::BoxKind;
use super::ray_nodes::RayNodes;
use crate::mesh::TriMesh;

/// Where a tree's coordinates live: `y = (x − center) · 2^-exponent`.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeFrame {
    pub(super) center: DVec3,
    pub(super) exponent: i32,
    /// Every box lies within this distance of the origin.
    pub(super) radius: f64,
    /// What rounding in double precision may have moved a vertex by.
    pub(super) slack: f64,
}

/// Identifies a tree, so that cached data of one is not used for another. Clones share
/// it, being equal.
///
/// It is the address of something that all its holders keep alive: as long as a cache remembers a
/// tree no other tree can have the same.
#[derive(Clone)]
pub(super) struct TreeId(Arc<()>);

impl PartialEq for TreeId {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for TreeId {
    /// Without the address: trees of the same content print alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TreeId")
    }
}

impl TreeId {
    /// One that no other tree has.
    pub(super) fn fresh() -> Self {
        Self(Arc::new(()))
    }
}

/// An eight-wide tree of oriented boxes with exact leaves: the default index of a mesh.
#[derive(Clone, Debug)]
#[doc(alias = "wide BVH")]
#[doc(alias = "BVH")]
#[doc(alias = "BVH8")]
#[doc(alias = "OBB tree")]
#[doc(alias = "AABB tree")]
#[doc(alias = "PQP")]
pub struct WideTree {
    pub(super) id: TreeId,
    pub(super) mesh: Arc<TriMesh>,
    /// The box around everything, in lane 0.
    pub(super) root: WideNode,
    pub(super) nodes: Vec<WideNode>,
    pub(super) leaves: Vec<WideLeaf>,
    pub(super) frame: TreeFrame,
    pub(super) ray_nodes: RayNodes,
}

impl WideTree {
    /// The tree of a mesh; an empty mesh has an empty tree.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert_eq!(tree.mesh().face_count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(mesh: Arc<TriMesh>) -> Self {
        Self::with_boxes(mesh, BoxKind::default())
    }

    pub(super) fn with_boxes(mesh: Arc<TriMesh>, boxes: BoxKind) -> Self {
        let built = build(&mesh, boxes);
        Self {
            id: TreeId::fresh(),
            mesh,
            root: built.root,
            nodes: built.nodes,
            leaves: built.leaves,
            frame: built.frame,
            ray_nodes: RayNodes::default(),
        }
    }

    /// Bytes that the tree takes, the mesh not counted. Casting many rays may add to them.
    ///
    /// ```
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(tree.bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.leaves.as_slice())
            + self.ray_nodes.bytes()
    }
}
