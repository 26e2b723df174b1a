//! Average-case trees (ADB-trees): boxes with the number of their cells that hold much surface.

use std::fmt::Debug;
use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::build::{DraftNode, TreePlan, plan};
use super::config::AverageConfig;
use super::count_cells::count;
use super::face_pieces::UnitFrame;
use super::gaps::gaps;
use super::node::{AverageNode, QuantizedSlab};
use crate::bound::{Aabb, BoundingVolume, Kdop, Slabs};
use crate::bvh::tree::NodeMeasure;
use crate::math::Pose;
use crate::math::checksum::absorb;
use crate::mesh::TriMesh;

/// Volumes that an [`AverageTree`] can be made of: boxes, and k-DOPs inside of the boxes.
///
/// ```
/// use impinge::average_case::{AverageTree, AverageVolume};
/// use impinge::{DVec3, bound::{Aabb, Kdop}, generate::icosphere};
/// // A k-DOP around a ball does not hold the corners of the box, and costs memory.
/// let ball = icosphere(1.0, 8)?;
/// let kept = <Kdop<18> as AverageVolume>::kept(ball.positions());
/// assert_eq!(<Kdop<18> as AverageVolume>::holds(&kept, DVec3::splat(0.95)), Some(false));
/// assert_eq!(<Aabb as AverageVolume>::holds(&(), DVec3::splat(0.95)), None);
/// let bytes = |tree: f64| tree as usize;
/// let boxes = AverageTree::<Aabb>::new(&ball, &Default::default());
/// let tighter = AverageTree::<Kdop<18>>::new(&ball, &Default::default());
/// assert_eq!(bytes(tighter.bytes_per_node()), bytes(boxes.bytes_per_node()) + size_of::<Kdop<18>>());
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub trait AverageVolume: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Data stored with each node in addition to its box.
    type Kept: Copy + Debug + PartialEq + Send + Sync;
    /// A pose, preprocessed for tests with the stored data.
    type Digest: Debug;

    /// Preprocesses a pose.
    fn digest(a_from_b: &Pose) -> Self::Digest;

    /// The data to store with a node around these points, the corners of its faces one after the other.
    fn kept(points: &[DVec3]) -> Self::Kept;

    /// Whether the volume may contain the point; `None` when the volume is the box itself.
    fn holds(kept: &Self::Kept, p: DVec3) -> Option<bool>;

    /// `false` when the volumes are apart.
    fn meets(a: &Self::Kept, b: &Self::Kept, digest: &Self::Digest) -> bool;

    /// How many times as many meetings are expected of two overlapping nodes as if the cells of each were spread over all of its box.
    #[inline(always)]
    fn crowding(_a: &Self::Kept, _b: &Self::Kept, _digest: &Self::Digest) -> f32 {
        1.0
    }
}

impl AverageVolume for Aabb {
    type Kept = ();
    type Digest = ();

    fn digest(_: &Pose) {}

    fn kept(_: &[DVec3]) {}

    fn holds((): &(), _: DVec3) -> Option<bool> {
        None
    }

    #[inline(always)]
    fn meets((): &(), (): &(), (): &()) -> bool {
        true
    }
}

impl<const K: usize> AverageVolume for Kdop<K>
where
    Self: Slabs,
{
    type Kept = Self;
    type Digest = <Self as BoundingVolume>::Relative;

    fn digest(a_from_b: &Pose) -> Self::Digest {
        Self::relative(a_from_b)
    }

    fn kept(points: &[DVec3]) -> Self {
        Self::enclosing(points)
    }

    fn holds(kept: &Self, p: DVec3) -> Option<bool> {
        Some(kept.contains(p))
    }

    #[inline]
    fn meets(a: &Self, b: &Self, digest: &Self::Digest) -> bool {
        a.overlaps(b, digest)
    }
}

/// A tree of boxes over a mesh, each with the number of its cells in which a collision is possible. It keeps no faces.
///
/// ```
/// use impinge::average_case::{AverageConfig, AverageTree};
/// use impinge::{bound::{Aabb, Kdop}, generate::icosphere};
/// let ball = icosphere(1.0, 8)?;
/// let tree = AverageTree::<Aabb>::new(&ball, &AverageConfig::default());
/// assert_eq!((tree.bytes_per_node(), tree.cells_per_side()), (20.0, 8));
/// assert!(tree.cells(0).is_some_and(|cells| cells > 64));
/// assert!(tree.len() > 100 && tree.depth() < 20 && !tree.is_empty());
/// let tighter = AverageTree::<Kdop<18>>::new(&ball, &AverageConfig::default());
/// assert_eq!(tighter.len(), tree.len());
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "ADB-tree")]
#[doc(alias = "probabilistic collision detection")]
pub struct AverageTree<V: AverageVolume = Aabb> {
    pub(super) frame: UnitFrame,
    pub(super) nodes: Vec<AverageNode>,
    pub(super) kept: Vec<V::Kept>,
    pub(super) max_depth: u32,
    /// Cells along each side of a node.
    pub(super) side: u32,
    /// The mean shrinking factor below each node; empty unless they are kept.
    pub(super) factors: Arc<[f32]>,
    pub(super) bounds: Aabb,
}

impl<V: AverageVolume> AverageTree<V> {
    /// The tree of a mesh.
    #[must_use]
    pub fn new(mesh: &TriMesh, config: &AverageConfig) -> Self {
        let plan = plan(mesh, config);
        let mut points = Vec::new();
        let mut kept = Vec::with_capacity(plan.nodes.len());
        for node in &plan.nodes {
            points.clear();
            if size_of::<V::Kept>() > 0 {
                points.extend(plan.faces(node).flatten().copied());
            }
            kept.push(V::kept(&points));
        }
        let holds = |at: usize, p: DVec3| kept.get(at).and_then(|k| V::holds(k, p)) != Some(false);
        let is_box = kept
            .first()
            .is_none_or(|k| V::holds(k, plan.frame.center).is_none());
        let cells = count(
            &plan,
            config,
            (!is_box).then_some(&holds as &(dyn Fn(usize, DVec3) -> bool + Sync)),
        );
        let nodes = plan.nodes.iter().zip(cells).zip(gaps(&plan));
        let nodes: Vec<AverageNode> = nodes
            .map(|((draft, cells), has_gaps)| node(&plan, draft, cells, has_gaps))
            .collect();
        Self {
            frame: plan.frame,
            kept,
            max_depth: plan.max_depth,
            side: plan.side as u32,
            factors: if config.keep_factors {
                factors(&nodes)
            } else {
                Arc::default()
            },
            nodes,
            bounds: mesh.bounds(),
        }
    }

    /// A number that changes with the nodes and their place.
    pub(super) fn fingerprint(&self) -> u64 {
        let place = [
            self.frame.center.x,
            self.frame.center.y,
            self.frame.center.z,
        ];
        let place = place.into_iter().chain([self.frame.scale]);
        let state = place.fold(0, |state, number| absorb(state, number.to_bits()));
        let words = self.nodes.iter().flat_map(AverageNode::words);
        words.fold(state, absorb)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing in the tree.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of the deepest level; the root's is 0.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.max_depth
    }

    /// Memory of all nodes in bytes, divided by the number of nodes.
    #[must_use]
    pub fn bytes_per_node(&self) -> f64 {
        let bytes = size_of_val(self.nodes.as_slice())
            + size_of_val(self.kept.as_slice())
            + size_of_val(&*self.factors);
        bytes as f64 / self.nodes.len().max(1) as f64
    }

    /// The mean shrinking factor below each node: the one that is kept, or worked out now.
    pub(super) fn factors(&self) -> Arc<[f32]> {
        if self.factors.len() == self.nodes.len() {
            self.factors.clone()
        } else {
            factors(&self.nodes)
        }
    }

    /// The cells along each side of a node: see [`AverageConfig::cells_per_side`].
    #[must_use]
    pub fn cells_per_side(&self) -> u32 {
        self.side
    }

    /// The possible collision cells of a node, of 512 by default; the root is node 0.
    #[must_use]
    pub fn cells(&self, node: usize) -> Option<u32> {
        self.nodes.get(node).map(AverageNode::cells)
    }

    /// The box of a node in the mesh's frame, with its least thickness.
    ///
    /// ```
    /// use impinge::average_case::AverageTree;
    /// use impinge::{bound::Aabb, generate::tetrahedron};
    /// let tree = AverageTree::<Aabb>::new(&tetrahedron(1.0)?, &Default::default());
    /// assert!(tree.node_bounds(0).is_some_and(|b| b.volume() > 0.0));
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn node_bounds(&self, node: usize) -> Option<Aabb> {
        self.nodes.get(node).map(|node| self.world(node))
    }

    pub(super) fn world(&self, node: &AverageNode) -> Aabb {
        let [center, half] = [node.center(), node.half()].map(Vec3::as_dvec3);
        Aabb {
            min: self.frame.center + (center - half) / self.frame.scale,
            max: self.frame.center + (center + half) / self.frame.scale,
        }
    }

    /// All nodes as [`quality`](crate::bvh::tree::tree_quality) and [`ShrinkFactors`](super::ShrinkFactors) read them. Leaves are said to have one face.
    ///
    /// ```
    /// use impinge::average_case::AverageTree;
    /// use impinge::{bound::Aabb, bvh::tree::tree_quality, generate::icosphere};
    /// let tree = AverageTree::<Aabb>::new(&icosphere(1.0, 4)?, &Default::default());
    /// assert_eq!(tree_quality(&tree.measures()).nodes, tree.len());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn measures(&self) -> Vec<NodeMeasure> {
        let mut measures: Vec<NodeMeasure> = self
            .nodes
            .iter()
            .map(|node| {
                let bounds = self.world(node);
                NodeMeasure {
                    area: bounds.surface_area(),
                    volume: bounds.volume(),
                    bounds,
                    parent: None,
                    faces: node.is_leaf().then_some(1),
                }
            })
            .collect();
        for (i, node) in self.nodes.iter().enumerate() {
            if !node.is_leaf() {
                let (first, count) = node.children();
                for child in &mut measures[first as usize..(first + count) as usize] {
                    child.parent = Some(i);
                }
            }
        }
        measures
    }

    /// Whether the boxes of both meshes overlap at this pose; if not, no search is needed.
    ///
    /// ```
    /// use impinge::average_case::AverageTree;
    /// use impinge::{Pose, bound::Aabb, generate::tetrahedron};
    /// let tree = AverageTree::<Aabb>::new(&tetrahedron(1.0)?, &Default::default());
    /// assert!(tree.roots_overlap(&tree, &Pose::IDENTITY));
    /// assert!(!tree.roots_overlap(&tree, &Pose::from_translation([9.0, 0.0, 0.0])?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn roots_overlap(&self, other: &Self, self_from_other: &Pose) -> bool {
        let relative = Aabb::relative(self_from_other);
        !self.is_empty()
            && !other.is_empty()
            && BoundingVolume::overlaps(&self.bounds, &other.bounds, &relative)
    }
}

fn node(plan: &TreePlan, draft: &DraftNode, cells: u32, has_gaps: bool) -> AverageNode {
    let node = AverageNode::around(draft.center(), draft.half());
    let node = if draft.is_leaf() {
        let local = |p: &DVec3| plan.frame.local(*p).as_vec3();
        let points = plan.faces(draft).flatten().map(local);
        let (center, half) = (node.center(), node.half());
        let slab = QuantizedSlab::around(points, normal(plan, draft), center, half);
        node.with_slab(slab)
    } else {
        node.with_children(draft.first, draft.children)
    };
    node.with_facts(cells, draft.depth, has_gaps)
}

/// The mean normal of a leaf's faces, each turned to the side of the largest: which way faces look does not matter.
fn normal(plan: &TreePlan, leaf: &DraftNode) -> Vec3 {
    let of = |face: &[DVec3; 3]| {
        let [p, q, r] = face.map(|p| plan.frame.local(p));
        (q - p).cross(r - p)
    };
    let mut largest = DVec3::ZERO;
    for face in plan.faces(leaf) {
        let n = of(face);
        if n.length_squared() > largest.length_squared() {
            largest = n;
        }
    }
    let mut sum = DVec3::ZERO;
    for face in plan.faces(leaf) {
        let n = of(face);
        sum += if n.dot(largest) >= 0.0 { n } else { -n };
    }
    sum.normalize_or(DVec3::Z).as_vec3()
}

/// The mean of child over parent extents in each subtree; 0.5 for leaves, below which nothing is left.
pub(super) fn factors(nodes: &[AverageNode]) -> Arc<[f32]> {
    let mut sums = vec![(0.0_f64, 0.0_f64); nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        if node.is_leaf() {
            continue;
        }
        let (first, children) = node.children();
        for child in first as usize..(first + children) as usize {
            let (below, count) = sums[child];
            let ratio = (nodes[child].half() / node.half()).as_dvec3();
            let mean = libm::cbrt(ratio.x * ratio.y * ratio.z);
            sums[i] = (sums[i].0 + below + mean, sums[i].1 + count + 1.0);
        }
    }
    let mean = |(sum, count): (f64, f64)| {
        if count > 0.0 {
            (sum / count) as f32
        } else {
            0.5
        }
    };
    sums.into_iter().map(mean).collect()
}
