//! The tree of 1994: one plane cuts a box in two.
//!
//! **Question.** Which faces of two placed meshes share a point?
//!
//! **Idea.** A node is an axis and a plane; no box is stored. The children tile their parent, so a
//! face across the plane is in both. Two trees are traversed simultaneously, with boxes that are
//! updated by the cuts (see [`ClippedPair`](super::ClippedPair)), and the faces of two overlapping
//! leaves are decided exactly.
//!
//! **Source.** Zachmann, *Exact and fast collision detection*, 1994. Our changes: leaves grow by the thickness of
//! the planes in the descent, so that none of what the thick planes keep on one side is missed; every
//! pair is tested once; duplication is capped.
//!
//! **Cost.** A face occurs 2 to 3 times in trees of smooth surfaces with small leaves; soups of large faces are
//! cut until [`CutTreeConfig::max_duplication`] is reached.
//!
//! **Promise.** Exact: the same pairs as all pairs tested one by one.

use std::sync::Arc;

use super::clipped_pair::{BoxTest, PlaneCut};
use super::counts::{BoxTreeCounts, TreeShape};
use super::cut_build;
use super::leaf_test::{EdgeTable, LeafPairTest, LeafSearch, box_tree_index};
use super::relative_frames::BoxFrames;
use super::scratch::BoxTreeCache;
use super::split_plane::CutStrategy;
use super::traverse::{
    BoxHierarchy, PairDescent, PairStacks, PairVisitor, leaf_boxes, look, traverse_pair,
};
use impinge::bound::Aabb;
use impinge::bvh::wide::LeafBox;
use impinge::bvh::{MeshIndex, Violation};
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{FacePair, Limits, Outcome, Sink, Work};
use std::ops::ControlFlow;

/// What is decided for two overlapping leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeafRule {
    /// Each face of one against each face of the other.
    #[default]
    Faces,
    /// Each edge of one against each face of the other, both ways: two faces meet exactly when an
    /// edge of one meets the other.
    Edges,
}

/// How a [`CutTree`] is built and descended. Values out of range are moved into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutTreeConfig {
    /// How planes are found.
    pub strategy: CutStrategy,
    /// The penalty of a face across the plane, relative to an imbalance of one face.
    pub gamma: f64,
    /// Half the thickness of a plane as a part of the mesh's largest extent; at most 1e-3.
    pub thickness: f64,
    /// Cuts above a leaf, at most 48.
    pub max_depth: u32,
    /// Nodes with this many faces or fewer are leaves.
    pub min_faces: u32,
    /// A cut that leaves a child more than this fraction of the faces makes a leaf instead; from 0.5 to 1.
    pub lambda: f64,
    /// Of cuts whose penalties differ by less than this fraction of the faces, the one across the
    /// longest edge is taken: boxes that stay compact are disjoint more often.
    pub similar: f64,
    /// Steps of a bisection.
    pub max_iterations: u32,
    /// Whether cuts that leave one side empty come first.
    pub empty_leaves: bool,
    /// Face entries per face beyond which nothing is cut any more.
    pub max_duplication: u32,
    /// How boxes are tested.
    pub test: BoxTest,
    /// What leaves hold and decide.
    pub leaf: LeafRule,
    /// Whether faces outside the other mesh's box are left out before leaves are paired.
    pub collect: bool,
}

impl Default for CutTreeConfig {
    fn default() -> Self {
        Self {
            strategy: CutStrategy::default(),
            gamma: 1.5,
            thickness: 1e-9,
            max_depth: 32,
            min_faces: 8,
            lambda: 0.9,
            similar: 0.5,
            max_iterations: 10,
            empty_leaves: true,
            max_duplication: 4,
            test: BoxTest::default(),
            leaf: LeafRule::default(),
            collect: true,
        }
    }
}

impl CutTreeConfig {
    /// The maximum depth of a tree.
    pub const MAX_DEPTH: u32 = 48;

    /// The choices of 1994 where they are known: weighted bisection, depth 10, 10 faces per leaf,
    /// edges against faces.
    ///
    /// ```
    /// use impinge_study::box_tree::{CutStrategy, CutTreeConfig};
    /// assert_eq!(CutTreeConfig::published().strategy, CutStrategy::Weighted);
    /// ```
    #[must_use]
    pub fn published() -> Self {
        Self {
            strategy: CutStrategy::Weighted,
            max_depth: 10,
            min_faces: 10,
            similar: 0.0,
            empty_leaves: false,
            leaf: LeafRule::Edges,
            test: BoxTest::Clipping,
            ..Self::default()
        }
    }

    pub(super) fn gamma(&self) -> f64 {
        if self.gamma >= 0.0 {
            self.gamma.min(1e6)
        } else {
            0.0
        }
    }

    pub(super) fn lambda(&self) -> f64 {
        if self.lambda >= 0.5 {
            self.lambda.min(1.0)
        } else {
            0.5
        }
    }

    pub(super) fn similar(&self) -> f64 {
        if self.similar > 0.0 {
            self.similar
        } else {
            0.0
        }
    }

    pub(super) fn max_depth(&self) -> u32 {
        self.max_depth.min(Self::MAX_DEPTH)
    }

    /// Half the thickness of planes in a box.
    pub(super) fn thickness_in(&self, bounds: &Aabb) -> f64 {
        if self.thickness > 0.0 {
            self.thickness.min(1e-3) * bounds.diagonal().max_element()
        } else {
            0.0
        }
    }
}

/// A mesh and its tree of cuts.
///
/// ```
/// use impinge::bvh::MeshIndex;
/// use impinge_study::box_tree::CutTree;
/// use std::sync::Arc;
/// let tree = CutTree::build(Arc::default(), &Default::default());
/// assert_eq!(tree.shape().nodes, 0);
/// assert!(tree.validate().is_ok());
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "box tree")]
#[doc(alias = "k-d tree")]
pub struct CutTree {
    pub(super) mesh: Arc<TriMesh>,
    pub(super) config: CutTreeConfig,
    pub(super) bounds: Aabb,
    pub(super) thickness: f64,
    pub(super) nodes: Vec<CutTreeNode>,
    /// The faces of all leaves, leaf after leaf.
    pub(super) faces: Vec<u32>,
    /// The edges of all leaves, leaf after leaf; none unless leaves decide edges.
    pub(super) edges: Vec<u32>,
    pub(super) edge_table: EdgeTable,
    /// Whether each face is in several leaves.
    pub(super) is_repeated: Vec<bool>,
}

/// A node; the children of an inner one are neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CutTreeNode {
    Inner {
        axis: u8,
        children: u32,
        at: f64,
    },
    Leaf {
        /// From where to where in `faces`.
        faces: [u32; 2],
        /// From where to where in `edges`.
        edges: [u32; 2],
    },
}

/// Two leaves whose boxes are not disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeafPair {
    /// The leaf of the first tree: a number into [`CutTree::leaves`].
    pub a: u32,
    /// The leaf of the second tree.
    pub b: u32,
}

/// A leaf of a [`CutTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutLeaf<'t> {
    /// The number that [`LeafPair`] uses.
    pub id: u32,
    /// The leaf's box. Its faces may stick out where planes cut them, and by the planes' thickness elsewhere.
    pub bounds: Aabb,
    /// The faces in the leaf.
    pub faces: &'t [u32],
    /// The edges in the leaf; none unless leaves decide edges.
    pub edges: &'t [u32],
    /// Cuts above the leaf.
    pub depth: u32,
}

impl CutTree {
    /// The size and shape of the tree.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::CutTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = CutTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// assert!(tree.shape().duplication >= 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> TreeShape {
        let leaves = self.leaves();
        TreeShape {
            nodes: self.nodes.len(),
            leaves: leaves.len(),
            empty_leaves: leaves.iter().filter(|leaf| leaf.faces.is_empty()).count(),
            depth: leaves.iter().map(|leaf| leaf.depth).max().unwrap_or(0),
            face_entries: self.faces.len(),
            edge_entries: self.edges.len(),
            duplication: if self.mesh.is_empty() {
                1.0
            } else {
                self.faces.len() as f64 / self.mesh.face_count() as f64
            },
            bytes: size_of_val(self.nodes.as_slice())
                + size_of_val(self.faces.as_slice())
                + size_of_val(self.edges.as_slice())
                + size_of_val(self.is_repeated.as_slice())
                + self.edge_table.bytes(),
        }
    }

    /// Half the thickness of the planes.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::CutTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = CutTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// assert!(tree.thickness() >= 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// All leaves with their boxes.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::CutTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = CutTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// assert_eq!(tree.leaves().len(), tree.shape().leaves);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn leaves(&self) -> Vec<CutLeaf<'_>> {
        let mut found = Vec::new();
        traverse_pair(self, |id, bounds, depth| {
            if self.children(id).is_none() {
                found.push(CutLeaf {
                    id,
                    bounds: *bounds,
                    faces: self.leaf_faces(id),
                    edges: self.leaf_edges(id),
                    depth,
                });
            }
        });
        found
    }

    /// The leaves, for inspection.
    pub(crate) fn leaf_boxes(&self) -> Vec<LeafBox> {
        leaf_boxes(self)
    }

    /// Reports the pairs of leaves that are tested at a pose, for the caller's own leaf test.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::CutTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = CutTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// use impinge::{Pose, query::Limits};
    /// let (mut cache, mut pairs) = (Default::default(), Vec::new());
    /// let _ = tree.leaf_pairs(&tree, &Pose::IDENTITY, Limits::default(), &mut cache, &mut pairs);
    /// assert!(pairs.len() >= tree.shape().leaves / 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leaf_pairs(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut BoxTreeCache,
        sink: &mut dyn Sink<LeafPair>,
    ) -> Outcome {
        cache.begin(0);
        let mut visitor = LeafPairs { sink };
        self.descend(
            other,
            self_from_other,
            &limits,
            &mut visitor,
            &mut cache.counts,
            &mut cache.stacks,
        )
    }

    pub(super) fn leaf_edges(&self, node: u32) -> &[u32] {
        match self.nodes[node as usize] {
            CutTreeNode::Leaf {
                edges: [from, to], ..
            } => &self.edges[from as usize..to as usize],
            CutTreeNode::Inner { .. } => &[],
        }
    }

    fn descend(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: &Limits<'_>,
        visitor: &mut impl PairVisitor,
        counts: &mut BoxTreeCounts,
        stacks: &mut PairStacks,
    ) -> Outcome {
        if let ControlFlow::Break(outcome) =
            look(&self.bounds, &other.bounds, self_from_other, limits, counts)
        {
            return outcome;
        }
        let frames = BoxFrames::new(
            self_from_other,
            &self.bounds,
            &other.bounds,
            self.thickness + other.thickness,
        );
        let descent = PairDescent {
            a: self,
            b: other,
            frames: &frames,
            limits,
        };
        descent.run_with(self.config.test, visitor, counts, stacks)
    }

    fn search(&self, other: &Self, a_from_b: &Pose, search: LeafSearch<'_>) -> Outcome {
        let (decider, counts, stacks) = search;
        let limits = decider.limits;
        // Trees of different configurations can be asked together: edges are there only if both have them.
        let by_edges = self.config.leaf == LeafRule::Edges && other.config.leaf == LeafRule::Edges;
        let mut visitor = CutLeaves {
            a: self,
            b: other,
            by_edges,
            decider,
        };
        self.descend(other, a_from_b, limits, &mut visitor, counts, stacks)
    }

    fn check(&self) -> Result<(), String> {
        cut_build::validate(self)
    }
}

impl BoxHierarchy for CutTree {
    const TILES: bool = true;

    fn bounds(&self) -> Aabb {
        self.bounds
    }

    #[inline]
    fn children(&self, node: u32) -> Option<u32> {
        match self.nodes[node as usize] {
            CutTreeNode::Inner { children, .. } => Some(children),
            CutTreeNode::Leaf { .. } => None,
        }
    }

    #[inline]
    fn cuts(&self, node: u32, which: u32, mut cut: impl FnMut(PlaneCut)) {
        if let CutTreeNode::Inner { axis, at, .. } = self.nodes[node as usize] {
            cut(PlaneCut {
                axis: usize::from(axis),
                keeps_low: which == 0,
                at,
            });
        }
    }

    #[inline]
    fn is_empty(&self, node: u32) -> bool {
        match self.nodes[node as usize] {
            CutTreeNode::Inner { .. } => false,
            CutTreeNode::Leaf { faces, edges } => faces[0] == faces[1] && edges[0] == edges[1],
        }
    }

    #[inline]
    fn leaf_faces(&self, node: u32) -> &[u32] {
        match self.nodes[node as usize] {
            CutTreeNode::Leaf {
                faces: [from, to], ..
            } => &self.faces[from as usize..to as usize],
            CutTreeNode::Inner { .. } => &[],
        }
    }
}

impl MeshIndex for CutTree {
    box_tree_index!(CutTreeConfig, "cut-tree");

    fn build(mesh: Arc<TriMesh>, config: &CutTreeConfig) -> Self {
        cut_build::build(mesh, config)
    }
}

/// Decides what two leaves hold.
struct CutLeaves<'v, 'd> {
    a: &'v CutTree,
    b: &'v CutTree,
    by_edges: bool,
    decider: LeafPairTest<'d>,
}

impl PairVisitor for CutLeaves<'_, '_> {
    fn leaves(&mut self, a: u32, b: u32, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome> {
        let (faces_a, faces_b) = (self.a.leaf_faces(a), self.b.leaf_faces(b));
        if self.by_edges {
            self.decider.edges(
                [self.a.leaf_edges(a), faces_a],
                b,
                [self.b.leaf_edges(b), faces_b],
                [&self.a.edge_table, &self.b.edge_table],
                counts,
            )
        } else {
            let (in_a, in_b) = (&self.a.is_repeated, &self.b.is_repeated);
            let may_repeat = |a: u32, b: u32| in_a[a as usize] || in_b[b as usize];
            self.decider.faces(faces_a, b, faces_b, may_repeat, counts)
        }
    }
}

/// Reports leaves.
struct LeafPairs<'v> {
    sink: &'v mut dyn Sink<LeafPair>,
}

impl PairVisitor for LeafPairs<'_> {
    fn leaves(&mut self, a: u32, b: u32, _: &mut BoxTreeCounts) -> ControlFlow<Outcome> {
        match self.sink.accept(LeafPair { a, b }) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(Outcome::StoppedBySink),
        }
    }
}
