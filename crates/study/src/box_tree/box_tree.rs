//! The tree with two planes per node.
//!
//! **Question.** Which faces of two placed meshes share a point?
//!
//! **Idea.** Each face goes to one child. Across one axis the lower child is cut where its faces
//! end and the upper child where its faces begin, so the children may overlap or leave a gap; all
//! other sides are the parent's. Two numbers per node instead of six per child, and a box test that
//! is updated by the cuts.
//!
//! **Source.** Zachmann, *Minimal hierarchical collision detection*, 2002, doi:10.1145/585740.585761. Inner
//! boxes: Klein and Zachmann's two-boundary volumes, 2003; see [`InnerConfig`].
//!
//! **Cost.** 32 bytes per node, no duplication.
//!
//! **Promise.** Exact: the same pairs as all pairs tested one by one.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::clipped_pair::{BoxTest, PairTest, PlaneCut};
use super::counts::{BoxTreeCounts, TreeShape};
use super::inner_boxes::{InnerBox, InnerBoxes, InnerConfig};
use super::leaf_test::{LeafPairTest, LeafSearch, box_tree_index};
use super::partition::{FaceGroup, bounds_of, boxed_faces};
use super::relative_frames::BoxFrames;
use super::scratch::BoxTreeCache;
use super::traverse::{
    BoxHierarchy, PairDescent, PairStacks, PairVisitor, PendingPair, check_leaves, leaf_boxes,
    shape_of, traverse_pair,
};
use impinge::bound::Aabb;
use impinge::bvh::wide::LeafBox;
use impinge::bvh::{MeshIndex, Violation};
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{FacePair, Limits, Outcome, Sink, Work};

/// How a [`BoxTree`] is built and descended. Every value is valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxTreeConfig {
    /// Nodes with this many faces or fewer are leaves.
    pub max_leaf_faces: u32,
    /// How boxes are tested.
    pub test: BoxTest,
    /// Whether faces outside the other mesh's box are left out before leaves are paired.
    pub collect: bool,
    /// Whether nodes get an inner box too, and how.
    pub inner: Option<InnerConfig>,
}

impl Default for BoxTreeConfig {
    fn default() -> Self {
        Self {
            max_leaf_faces: 8,
            test: BoxTest::default(),
            collect: true,
            inner: None,
        }
    }
}

/// A mesh and its tree of boxes, two planes per node.
///
/// ```
/// use impinge::bvh::MeshIndex;
/// use impinge_study::box_tree::BoxTree;
/// use impinge::{Pose, TriMesh, query::{First, Limits}};
/// use std::sync::Arc;
/// let face = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let tree = BoxTree::build(Arc::new(face), &Default::default());
/// let mut first = First::default();
/// let _ = tree.intersections(&tree, &Pose::IDENTITY, Limits::default(), &mut Default::default(), &mut first);
/// assert!(first.0.is_some());
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "box tree")]
#[doc(alias = "BIH")]
#[doc(alias = "bounding interval hierarchy")]
pub struct BoxTree {
    pub(super) mesh: Arc<TriMesh>,
    pub(super) config: BoxTreeConfig,
    pub(super) bounds: Aabb,
    nodes: Vec<BoxTreeNode>,
    /// The faces of all leaves, leaf after leaf.
    faces: Vec<u32>,
    pub(super) inner: InnerBoxes,
}

/// A node; the children of an inner one are neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BoxTreeNode {
    Inner {
        axis: u8,
        children: u32,
        /// Where the low child ends.
        low_max: f64,
        /// Where the high child begins.
        high_min: f64,
    },
    Leaf {
        from: u32,
        to: u32,
    },
}

impl BoxTree {
    /// The size and shape of the tree.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::BoxTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = BoxTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// assert_eq!(tree.shape().face_entries, 320);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> TreeShape {
        let bytes = size_of_val(self.nodes.as_slice())
            + size_of_val(self.faces.as_slice())
            + self.inner.bytes();
        shape_of(self, self.nodes.len(), self.faces.len(), bytes)
    }

    /// The inner boxes that were found, each with its node's outer box.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::BoxTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = BoxTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// assert!(tree.inner_boxes().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn inner_boxes(&self) -> Vec<(Aabb, InnerBox)> {
        let mut found = Vec::new();
        traverse_pair(self, |id, bounds, _| {
            if let Some(inner) = self.inner.of(id) {
                found.push((*bounds, *inner));
            }
        });
        found
    }

    pub(super) fn frames(&self, other: &Self, self_from_other: &Pose) -> BoxFrames {
        BoxFrames::new(self_from_other, &self.bounds, &other.bounds, 0.0)
    }

    pub(super) fn descend(
        &self,
        other: &Self,
        frames: &BoxFrames,
        limits: &Limits<'_>,
        visitor: &mut impl PairVisitor,
        counts: &mut BoxTreeCounts,
        stacks: &mut PairStacks,
    ) -> Outcome {
        let descent = PairDescent {
            a: self,
            b: other,
            frames,
            limits,
        };
        descent.run_with(self.config.test, visitor, counts, stacks)
    }

    /// The leaves, for inspection.
    pub(crate) fn leaf_boxes(&self) -> Vec<LeafBox> {
        leaf_boxes(self)
    }

    fn check(&self) -> Result<(), String> {
        check_leaves(self, &self.mesh)?;
        self.inner.check(&self.mesh)
    }

    fn search(&self, other: &Self, a_from_b: &Pose, search: LeafSearch<'_>) -> Outcome {
        let (decider, counts, stacks) = search;
        let limits = decider.limits;
        if let ControlFlow::Break(outcome) = decider.look(&self.bounds, &other.bounds, counts) {
            return outcome;
        }
        let frames = self.frames(other, a_from_b);
        let mut visitor = LeafVisitor {
            a: self,
            b: other,
            frames: &frames,
            decider,
        };
        self.descend(other, &frames, limits, &mut visitor, counts, stacks)
    }
}

impl BoxHierarchy for BoxTree {
    const TILES: bool = false;

    fn bounds(&self) -> Aabb {
        self.bounds
    }

    #[inline]
    fn children(&self, node: u32) -> Option<u32> {
        match self.nodes[node as usize] {
            BoxTreeNode::Inner { children, .. } => Some(children),
            BoxTreeNode::Leaf { .. } => None,
        }
    }

    #[inline]
    fn cuts(&self, node: u32, which: u32, mut cut: impl FnMut(PlaneCut)) {
        if let BoxTreeNode::Inner {
            axis,
            low_max,
            high_min,
            ..
        } = self.nodes[node as usize]
        {
            let keeps_low = which == 0;
            cut(PlaneCut {
                axis: usize::from(axis),
                keeps_low,
                at: if keeps_low { low_max } else { high_min },
            });
        }
    }

    #[inline]
    fn is_empty(&self, _: u32) -> bool {
        false
    }

    #[inline]
    fn leaf_faces(&self, node: u32) -> &[u32] {
        match self.nodes[node as usize] {
            BoxTreeNode::Leaf { from, to } => &self.faces[from as usize..to as usize],
            BoxTreeNode::Inner { .. } => &[],
        }
    }
}

impl MeshIndex for BoxTree {
    box_tree_index!(BoxTreeConfig, "box-tree");

    fn build(mesh: Arc<TriMesh>, config: &BoxTreeConfig) -> Self {
        let (boxes, mut faces, bounds) = boxed_faces(&mesh);
        let mut nodes = Vec::new();
        // Which faces each node has, for the inner boxes.
        let mut open = Vec::new();
        let mut spans = Vec::new();
        if !faces.is_empty() {
            nodes.push(BoxTreeNode::Leaf { from: 0, to: 0 });
            spans.push((0, 0, bounds));
            open.push((0_usize, 0_usize, faces.len(), bounds));
        }
        while let Some((id, from, to, outer)) = open.pop() {
            spans[id] = (from, to, outer);
            if to - from <= config.max_leaf_faces.max(1) as usize {
                nodes[id] = BoxTreeNode::Leaf {
                    from: from as u32,
                    to: to as u32,
                };
                continue;
            }
            let mut group = FaceGroup {
                ids: &mut faces[from..to],
                boxes: &boxes,
            };
            let division = group.divide(|tight, axis, is_low| {
                let mut child = outer;
                if is_low {
                    child.max[axis] = tight.max[axis];
                } else {
                    child.min[axis] = tight.min[axis];
                }
                child
            });
            let (axis, middle) = (division.axis, from + division.middle);
            let low_max = bounds_of(&faces[from..middle], &boxes).max[axis];
            let high_min = bounds_of(&faces[middle..to], &boxes).min[axis];
            let children = nodes.len();
            nodes[id] = BoxTreeNode::Inner {
                axis: axis as u8,
                children: children as u32,
                low_max,
                high_min,
            };
            let (mut low, mut high) = (outer, outer);
            low.max[axis] = low_max;
            high.min[axis] = high_min;
            for _ in 0..2 {
                nodes.push(BoxTreeNode::Leaf { from: 0, to: 0 });
                spans.push((0, 0, outer));
            }
            open.push((children + 1, middle, to, high));
            open.push((children, from, middle, low));
        }
        let inner = match &config.inner {
            Some(inner) => InnerBoxes::find(&mesh, &boxes, &faces, &spans, inner),
            None => InnerBoxes::default(),
        };
        Self {
            mesh,
            config: *config,
            bounds,
            nodes,
            faces,
            inner,
        }
    }
}

/// Decides the faces of two leaves, and leaves out nodes in each other's hollows.
pub(super) struct LeafVisitor<'v, 'd> {
    pub(super) a: &'v BoxTree,
    pub(super) b: &'v BoxTree,
    pub(super) frames: &'v BoxFrames,
    pub(super) decider: LeafPairTest<'d>,
}

impl PairVisitor for LeafVisitor<'_, '_> {
    fn excludes<T: PairTest>(
        &mut self,
        nodes: &PendingPair<T>,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome, bool> {
        let hollow_a = self.a.inner.hollow(nodes.a);
        let hollow_b = self.b.inner.hollow(nodes.b);
        if hollow_a.is_none() && hollow_b.is_none() {
            return ControlFlow::Continue(false);
        }
        let [outer_a, outer_b] = nodes.pair.boxes();
        // The box around the placed box holds the placed vertices themselves.
        let b_in_hollow = hollow_a
            .is_some_and(|hollow| hollow.contains_box(&outer_b.transformed(&self.frames.a_from_b)));
        // The way back is rounded, and so are the placed vertices: each by less than a margin.
        let a_in_hollow = hollow_b.is_some_and(|hollow| {
            let carried = self.frames.a_box_in_b(&outer_a);
            hollow.contains_box(&carried.inflated(2.0 * self.frames.margin()))
        });
        let is_excluded = b_in_hollow || a_in_hollow;
        counts.exclusions += u64::from(is_excluded);
        ControlFlow::Continue(is_excluded)
    }

    fn leaves(&mut self, a: u32, b: u32, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome> {
        let (faces_a, faces_b) = (self.a.leaf_faces(a), self.b.leaf_faces(b));
        self.decider
            .faces(faces_a, b, faces_b, |_, _| false, counts)
    }
}
