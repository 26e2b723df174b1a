//! The tree of restricted boxes.
//!
//! **Question.** Which faces of two placed meshes share a point?
//!
//! **Idea.** A child's box is its parent's with some sides moved in to where its faces are: only
//! sides that move far enough are worth storing and cutting at. One side per child is the smallest
//! tree; six sides make every box as tight as a stored box would be.
//!
//! **Source.** Zachmann, *Minimal hierarchical collision detection*, 2002, doi:10.1145/585740.585761: one side.
//! Our changes: any number of sides, chosen by how far they move.
//!
//! **Cost.** 16 bytes per node and 8 per side moved.
//!
//! **Promise.** Exact: the same pairs as all pairs tested one by one.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::clipped_pair::{BoxTest, PlaneCut};
use super::counts::{BoxTreeCounts, TreeShape};
use super::leaf_test::{LeafPairTest, LeafSearch, box_tree_index};
use super::partition::{FaceGroup, bounds_of, boxed_faces};
use super::relative_frames::BoxFrames;
use super::scratch::BoxTreeCache;
use super::traverse::{BoxHierarchy, PairDescent, PairVisitor, check_leaves, leaf_boxes, shape_of};
use impinge::bound::Aabb;
use impinge::bvh::wide::LeafBox;
use impinge::bvh::{MeshIndex, Violation};
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{FacePair, Limits, Outcome, Sink, Work};

/// How a [`RestrictedTree`] is built and descended. Every value is valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestrictedTreeConfig {
    /// Nodes with this many faces or fewer are leaves.
    pub max_leaf_faces: u32,
    /// The most sides that a child moves.
    pub max_sides: u32,
    /// A side that moves by a smaller part of the parent's extent stays where it is.
    pub min_gain: f64,
    /// How boxes are tested.
    pub test: BoxTest,
    /// Whether faces outside the other mesh's box are left out before leaves are paired.
    pub collect: bool,
}

impl Default for RestrictedTreeConfig {
    fn default() -> Self {
        Self {
            max_leaf_faces: 8,
            max_sides: 3,
            min_gain: 0.0625,
            test: BoxTest::default(),
            collect: true,
        }
    }
}

/// A mesh and its tree of restricted boxes.
///
/// ```
/// use impinge::bvh::MeshIndex;
/// use impinge_study::box_tree::RestrictedTree;
/// use std::sync::Arc;
/// let tree = RestrictedTree::build(Arc::default(), &Default::default());
/// assert_eq!(tree.shape().leaves, 0);
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "box tree")]
#[doc(alias = "restricted box tree")]
pub struct RestrictedTree {
    mesh: Arc<TriMesh>,
    config: RestrictedTreeConfig,
    bounds: Aabb,
    nodes: Vec<RestrictedNode>,
    /// Where sides were moved to, node after node.
    planes: Vec<f64>,
    /// The faces of all leaves, leaf after leaf.
    faces: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct RestrictedNode {
    /// The first child, or where a leaf's faces begin.
    from: u32,
    /// Where a leaf's faces end; [`INNER`] for an inner node.
    to: u32,
    /// Where the node's planes begin.
    first_plane: u32,
    /// Bit `k` for the lower side of axis `k`, bit `3 + k` for the upper.
    sides: u8,
}

const INNER: u32 = u32::MAX;

impl RestrictedTree {
    /// The size and shape of the tree.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::RestrictedTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = RestrictedTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// assert_eq!(tree.shape().face_entries, 320);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> TreeShape {
        let bytes = size_of_val(self.nodes.as_slice())
            + size_of_val(self.planes.as_slice())
            + size_of_val(self.faces.as_slice());
        shape_of(self, self.nodes.len(), self.faces.len(), bytes)
    }

    /// How many planes the tree stores.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::RestrictedTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = RestrictedTree::build(Arc::new(icosphere(1.0, 4)?), &Default::default());
    /// assert!(tree.plane_count() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn plane_count(&self) -> usize {
        self.planes.len()
    }

    /// The leaves, for inspection.
    pub(crate) fn leaf_boxes(&self) -> Vec<LeafBox> {
        leaf_boxes(self)
    }

    fn check(&self) -> Result<(), String> {
        let moved = self.nodes.iter().map(|node| node.sides.count_ones());
        if let Some(most) = moved.max().filter(|&most| most > self.config.max_sides) {
            return Err(format!("a node moves {most} sides"));
        }
        check_leaves(self, &self.mesh)
    }

    fn search(&self, other: &Self, a_from_b: &Pose, search: LeafSearch<'_>) -> Outcome {
        let (decider, counts, stacks) = search;
        let limits = decider.limits;
        if let ControlFlow::Break(outcome) = decider.look(&self.bounds, &other.bounds, counts) {
            return outcome;
        }
        let mut visitor = RestrictedLeafVisitor {
            a: self,
            b: other,
            decider,
        };
        let descent = PairDescent {
            a: self,
            b: other,
            frames: &BoxFrames::new(a_from_b, &self.bounds, &other.bounds, 0.0),
            limits,
        };
        descent.run_with(self.config.test, &mut visitor, counts, stacks)
    }
}

/// The sides of `outer` that are worth moving to `tight`, the furthest first chosen, and the box they make.
fn restrict(outer: &Aabb, tight: &Aabb, config: &RestrictedTreeConfig) -> (u8, Aabb) {
    let length = outer.diagonal();
    let mut gains: [(f64, usize); 6] = std::array::from_fn(|side| {
        let k = side % 3;
        let moved = if side < 3 {
            tight.min[k] - outer.min[k]
        } else {
            outer.max[k] - tight.max[k]
        };
        let gain = if length[k] > 0.0 {
            moved / length[k]
        } else {
            0.0
        };
        (gain, side)
    });
    gains.sort_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
    let (mut sides, mut made) = (0_u8, *outer);
    for (gain, side) in gains.into_iter().take(config.max_sides as usize) {
        if gain <= 0.0 || gain < config.min_gain {
            break;
        }
        sides |= 1 << side;
        if side < 3 {
            made.min[side] = tight.min[side];
        } else {
            made.max[side - 3] = tight.max[side - 3];
        }
    }
    (sides, made)
}

impl BoxHierarchy for RestrictedTree {
    const TILES: bool = false;

    fn bounds(&self) -> Aabb {
        self.bounds
    }

    #[inline]
    fn children(&self, node: u32) -> Option<u32> {
        let node = &self.nodes[node as usize];
        (node.to == INNER).then_some(node.from)
    }

    #[inline]
    fn cuts(&self, node: u32, which: u32, mut cut: impl FnMut(PlaneCut)) {
        let child = &self.nodes[(self.nodes[node as usize].from + which) as usize];
        let mut sides = child.sides;
        let mut plane = child.first_plane as usize;
        while sides != 0 {
            let side = sides.trailing_zeros() as usize;
            sides &= sides - 1;
            cut(PlaneCut {
                axis: side % 3,
                keeps_low: side >= 3,
                at: self.planes[plane],
            });
            plane += 1;
        }
    }

    #[inline]
    fn is_empty(&self, _: u32) -> bool {
        false
    }

    #[inline]
    fn leaf_faces(&self, node: u32) -> &[u32] {
        let node = &self.nodes[node as usize];
        if node.to == INNER {
            &[]
        } else {
            &self.faces[node.from as usize..node.to as usize]
        }
    }
}

impl MeshIndex for RestrictedTree {
    box_tree_index!(RestrictedTreeConfig, "restricted-tree");

    fn build(mesh: Arc<TriMesh>, config: &RestrictedTreeConfig) -> Self {
        let (boxes, mut faces, bounds) = boxed_faces(&mesh);
        let mut nodes = Vec::new();
        let mut planes = Vec::new();
        let mut open = Vec::new();
        let leaf = |from: usize, to: usize, first_plane: usize, sides: u8| RestrictedNode {
            from: from as u32,
            to: to as u32,
            first_plane: first_plane as u32,
            sides,
        };
        if !faces.is_empty() {
            nodes.push(leaf(0, faces.len(), 0, 0));
            open.push((0_usize, 0_usize, faces.len(), bounds));
        }
        while let Some((id, from, to, outer)) = open.pop() {
            if to - from <= config.max_leaf_faces.max(1) as usize {
                continue;
            }
            let mut group = FaceGroup {
                ids: &mut faces[from..to],
                boxes: &boxes,
            };
            let division = group.divide(|tight, _, _| restrict(&outer, tight, config).1);
            let middle = from + division.middle;
            let children = nodes.len();
            nodes[id].from = children as u32;
            nodes[id].to = INNER;
            for (from, to) in [(from, middle), (middle, to)] {
                let tight = bounds_of(&faces[from..to], &boxes);
                let (sides, made) = restrict(&outer, &tight, config);
                open.push((nodes.len(), from, to, made));
                nodes.push(leaf(from, to, planes.len(), sides));
                for side in (0..6).filter(|side| sides >> side & 1 != 0) {
                    planes.push(if side < 3 {
                        made.min[side]
                    } else {
                        made.max[side - 3]
                    });
                }
            }
        }
        Self {
            mesh,
            config: *config,
            bounds,
            nodes,
            planes,
            faces,
        }
    }
}

/// Decides the faces of two leaves.
struct RestrictedLeafVisitor<'v, 'd> {
    a: &'v RestrictedTree,
    b: &'v RestrictedTree,
    decider: LeafPairTest<'d>,
}

impl PairVisitor for RestrictedLeafVisitor<'_, '_> {
    fn leaves(&mut self, a: u32, b: u32, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome> {
        let (faces_a, faces_b) = (self.a.leaf_faces(a), self.b.leaf_faces(b));
        self.decider
            .faces(faces_a, b, faces_b, |_, _| false, counts)
    }
}
