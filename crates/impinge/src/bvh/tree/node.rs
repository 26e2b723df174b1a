//! The BVH and its nodes.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::config::BvhConfig;
use crate::bound::BoundingVolume;
use crate::bvh::wide::LeafBox;
use crate::mesh::TriMesh;
use crate::query::FaceId;

/// In [`BvhNode::links`]: the node is a leaf and the rest counts faces.
const LEAF: u32 = 1 << 31;

/// A volume and what is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BvhNode<V> {
    pub(super) volume: V,
    /// The first child, or the first place in the order of faces.
    first: u32,
    /// How many children, or how many faces and [`LEAF`].
    links: u32,
}

impl<V> BvhNode<V> {
    pub(super) fn leaf(volume: V, first: u32, faces: u32) -> Self {
        Self {
            volume,
            first,
            links: faces | LEAF,
        }
    }

    pub(super) fn inner(volume: V, first: u32, children: u32) -> Self {
        Self {
            volume,
            first,
            links: children,
        }
    }

    #[inline(always)]
    pub(super) fn is_leaf(&self) -> bool {
        self.links & LEAF != 0
    }

    /// The children of an inner node, or the places of a leaf's faces in the order.
    #[inline(always)]
    pub(super) fn range(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + (self.links & !LEAF) as usize
    }
}

/// A tree of bounding volumes over the faces of a mesh.
///
/// Nodes are in one list, children side by side; leaves refer to an order of the faces, the mesh itself is never reordered.
///
/// ```
/// use impinge::bound::Obb;
/// use impinge::bvh::{MeshIndex, tree::Bvh};
/// use impinge::TriMesh;
/// use std::sync::Arc;
/// let face = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let tree = Bvh::<Obb>::build(Arc::new(face), &Default::default());
/// assert_eq!(tree.quality().leaves, 1);
/// assert!(tree.validate().is_ok());
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "bounding volume hierarchy")]
#[doc(alias = "BVH")]
#[doc(alias = "AABB tree")]
#[doc(alias = "OBB tree")]
#[doc(alias = "sphere tree")]
pub struct Bvh<V> {
    pub(super) mesh: Arc<TriMesh>,
    pub(super) config: BvhConfig,
    /// The root first, children after their parents. Empty for an empty mesh.
    pub(super) nodes: Vec<BvhNode<V>>,
    /// The faces in the order of the leaves.
    pub(super) order: Vec<FaceId>,
    /// Whether a face may be in several leaves, a part of it in each.
    pub(super) has_parts: bool,
}

impl<V: BoundingVolume> Bvh<V> {
    /// Bytes that the tree takes, the mesh not counted.
    ///
    /// ```
    /// use impinge::{bound::Ball, bvh::{MeshIndex, tree::Bvh}, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let tree = Bvh::<Ball>::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// assert!(tree.bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.order.as_slice())
    }

    /// How the tree was built and is searched.
    ///
    /// ```
    /// use impinge::{bound::Ball, bvh::{MeshIndex, tree::Bvh}, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let tree = Bvh::<Ball>::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// assert_eq!(*tree.config(), Default::default());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn config(&self) -> &BvhConfig {
        &self.config
    }

    /// The volume of the whole mesh; none for an empty mesh.
    ///
    /// ```
    /// use impinge::{bound::Ball, bvh::{MeshIndex, tree::Bvh}, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let tree = Bvh::<Ball>::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// assert!(tree.root().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn root(&self) -> Option<&V> {
        self.nodes.first().map(|node| &node.volume)
    }

    /// The leaves as they can be examined, when volumes are boxes with these corners.
    #[cfg_attr(
        not(feature = "engines"),
        expect(dead_code, reason = "only engines by name show their leaves")
    )]
    pub(in crate::bvh) fn leaf_boxes(&self, corners: fn(&V) -> [DVec3; 8]) -> Vec<LeafBox> {
        let leaves = self.nodes.iter().filter(|node| node.is_leaf());
        leaves
            .map(|leaf| LeafBox {
                corners: corners(&leaf.volume),
                faces: self.faces(leaf).to_vec(),
            })
            .collect()
    }

    /// The faces of a leaf.
    #[inline]
    pub(super) fn faces(&self, leaf: &BvhNode<V>) -> &[FaceId] {
        &self.order[leaf.range()]
    }
}
