//! The tree and its nodes.

use std::sync::Arc;

use glam::DVec3;

use super::super::evaluation::{Evaluation, EvaluationScratch, ImplicitSurface};
use super::super::implicit_surface::CloudSurface;
use super::super::kd_tree::distance_sq;
use super::super::point_cloud::{CloudError, PointId};
use super::build;
use super::options::CloudTreeOptions;
use crate::bound::Aabb;

/// In place of a child: there is none.
pub(super) const NO_CHILD: u32 = u32::MAX;
/// In place of a count: the border has too many points to be listed.
pub(super) const NOT_LISTED: u16 = u16::MAX;

/// How wide the border of a leaf is, in covering radii: enough for most places near the surface, and still few points.
const BORDER: f64 = 0.7;

/// A node; lengths are in the units of its tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HierarchyNode {
    /// The box of its points, rounded outward.
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
    /// Balls of this radius about the samples cover the surface.
    pub(super) radius: f32,
    /// The plane that the points are nearest to: normal·x = offset. Zero when there is none.
    pub(super) normal: [f32; 3],
    pub(super) offset: f32,
    /// How far the surface is from the plane at most; infinite when there is none.
    pub(super) thickness: f32,
    /// The first child, the other is the next.
    pub(super) low: u32,
    /// Its first sample in the list of ids; those of the border follow.
    pub(super) first: u32,
    pub(super) samples: u16,
    pub(super) border: u16,
}

impl HierarchyNode {
    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.low == NO_CHILD
    }

    #[inline]
    pub(super) fn centre(&self) -> DVec3 {
        (vector(self.min) + vector(self.max)) * 0.5
    }

    #[inline]
    pub(super) fn half(&self) -> DVec3 {
        (vector(self.max) - vector(self.min)) * 0.5
    }

    #[inline]
    pub(super) fn plane(&self) -> DVec3 {
        vector(self.normal)
    }

    /// How wide the border is.
    #[inline]
    pub(super) fn border_width(&self) -> f64 {
        if self.is_leaf() && self.border != NOT_LISTED {
            BORDER * f64::from(self.radius)
        } else {
            0.0
        }
    }
}

#[inline]
pub(super) fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}

/// The hierarchy of a cloud's points, for queries about two clouds.
///
/// ```
/// use std::sync::Arc;
/// use impinge::{cloud::*, math::Rng};
/// let mut rng = Rng::new(1);
/// let ball = PointCloud::from_points((0..2000).map(|_| rng.direction()))?;
/// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
/// let surface = Arc::new(CloudSurface::new(graph.into(), SurfaceOptions::default())?);
/// let tree = CloudTree::new(surface, &CloudTreeOptions::default())?;
/// assert!(tree.nodes() > 300 && tree.bytes() < 150 * tree.nodes() && tree.validate().is_ok());
/// let root = tree.node(0).ok_or("no root")?;
/// assert!(root.samples().count() == 11 && root.children().is_some());
/// assert!(tree.surface().graph().len() == 2000 && tree.options().leaf == 11 && tree.sampling_radius() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CloudTree {
    pub(super) surface: Arc<CloudSurface>,
    pub(super) options: CloudTreeOptions,
    /// The first is the root; children come after their parents.
    pub(super) nodes: Vec<HierarchyNode>,
    /// Samples and border points of all nodes.
    pub(super) ids: Vec<u32>,
    /// Where the units start.
    pub(super) centre: DVec3,
    /// How long a unit is: a power of two, so that changing units is exact.
    pub(super) unit: f64,
    /// One by that, which is exact.
    pub(super) per_unit: f64,
    /// The median covering radius of the leaves.
    pub(super) sampling_radius: f64,
    /// No surface is farther than this from the box of the points.
    pub(super) overhang: f64,
}

impl CloudTree {
    /// The tree of a surface's points.
    ///
    /// # Errors
    /// [`CloudError::Setting`] when a number in the options is out of range.
    ///
    /// ```
    /// use impinge::cloud::*;
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// let options = CloudTreeOptions { leaf: 0, ..CloudTreeOptions::default() };
    /// assert!(CloudTree::new(surface.into(), &options).is_err());
    /// # Ok::<(), CloudError>(())
    /// ```
    pub fn new(surface: Arc<CloudSurface>, options: &CloudTreeOptions) -> Result<Self, CloudError> {
        options.check()?;
        Ok(build::build(surface, options))
    }

    /// The surface that the tree is of.
    #[must_use]
    pub fn surface(&self) -> &Arc<CloudSurface> {
        &self.surface
    }

    /// How the tree was made.
    #[must_use]
    pub fn options(&self) -> &CloudTreeOptions {
        &self.options
    }

    /// How many nodes there are; none for an empty cloud.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes that nodes and lists take, without the cloud and its surface.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<HierarchyNode>() + self.ids.capacity() * size_of::<u32>()
    }

    /// The median over the leaves of the radius with which their points cover the surface; 0 for an empty cloud.
    #[must_use]
    pub fn sampling_radius(&self) -> f64 {
        self.sampling_radius
    }

    /// A node by number, from 0 for the root to [`nodes`](Self::nodes); children have larger numbers than their parents.
    #[must_use]
    pub fn node(&self, number: usize) -> Option<CloudNode<'_>> {
        (number < self.nodes.len()).then_some(CloudNode { tree: self, number })
    }

    /// Ids of the samples of a node: of a leaf all its points.
    #[inline]
    pub(super) fn samples(&self, node: &HierarchyNode) -> &[u32] {
        let first = node.first as usize;
        &self.ids[first..first + usize::from(node.samples)]
    }

    /// Ids of the points in the border of a leaf.
    #[inline]
    pub(super) fn border(&self, node: &HierarchyNode) -> &[u32] {
        let first = node.first as usize + usize::from(node.samples);
        match node.border {
            NOT_LISTED => &[],
            count => &self.ids[first..first + usize::from(count)],
        }
    }

    #[inline]
    pub(super) fn place(&self, id: u32) -> DVec3 {
        self.surface.graph.points[id as usize]
    }

    /// A place in the units of the tree.
    #[inline]
    pub(super) fn to_units(&self, p: DVec3) -> DVec3 {
        (p - self.centre) * self.per_unit
    }

    /// The box of a node, widened, in the units of the cloud.
    pub(super) fn widened_box(&self, node: &HierarchyNode, width: f64) -> Aabb {
        let width = DVec3::splat(width);
        Aabb {
            min: self.centre + (vector(node.min) - width) * self.unit,
            max: self.centre + (vector(node.max) + width) * self.unit,
        }
    }

    /// The function at a place near a node: the nearest point is taken from the lists of the node where that is sure to be right.
    pub(super) fn evaluate_near(
        &self,
        node: &HierarchyNode,
        x: DVec3,
        scratch: &mut EvaluationScratch,
    ) -> Evaluation {
        if node.is_leaf() && node.border != NOT_LISTED {
            let (mut best, mut nearest) = (f64::INFINITY, u32::MAX);
            let listed = usize::from(node.samples) + usize::from(node.border);
            let first = node.first as usize;
            for &id in &self.ids[first..first + listed] {
                let d = distance_sq(self.place(id), x);
                if d < best || (d == best && id < nearest) {
                    (best, nearest) = (d, id);
                }
            }
            // All points of the widened box are listed: if the ball to the nearest is inside, no other point is nearer.
            let reach = best.sqrt() * (1.0 + 1e-12);
            let known = self.widened_box(node, node.border_width());
            let inside = (x - known.min).min(known.max - x).min_element();
            let slack = 1e-12 * (self.unit + self.centre.abs().max_element());
            if inside - slack > reach {
                scratch.evaluations += 1;
                return self
                    .surface
                    .evaluate_from(x, PointId::new(nearest), scratch);
            }
        }
        self.surface.evaluate(x, scratch)
    }
}

/// A node of a [`CloudTree`], for inspection.
#[derive(Clone, Copy, Debug)]
pub struct CloudNode<'t> {
    tree: &'t CloudTree,
    number: usize,
}

impl<'t> CloudNode<'t> {
    fn stored(&self) -> &'t HierarchyNode {
        &self.tree.nodes[self.number]
    }

    /// A box around its points.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use impinge::{cloud::*, math::Rng};
    /// let mut rng = Rng::new(1);
    /// let ball = PointCloud::from_points((0..500).map(|_| rng.direction()))?;
    /// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
    /// let surface = Arc::new(CloudSurface::new(graph.into(), SurfaceOptions::default())?);
    /// let tree = CloudTree::new(surface.clone(), &CloudTreeOptions::default())?;
    /// let leaf = (0..tree.nodes()).filter_map(|n| tree.node(n)).find(|n| n.children().is_none()).ok_or("no leaf")?;
    /// let first = leaf.samples().next().ok_or("no point")?;
    /// let x = surface.graph().place(first).ok_or("no such point")?;
    /// assert!(leaf.bounds().contains(x) && leaf.radius() > 0.0);
    /// assert!(leaf.border().all(|id| leaf.bounds().inflated(leaf.border_width()).contains(surface.graph().place(id).unwrap())));
    /// let mut scratch = EvaluationScratch::default();
    /// assert_eq!(leaf.evaluate(x, &mut scratch), surface.evaluate(x, &mut scratch));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.widened_box(self.stored(), 0.0)
    }

    /// The radius with which balls about its samples cover its part of the surface.
    #[must_use]
    pub fn radius(&self) -> f64 {
        f64::from(self.stored().radius) * self.tree.unit
    }

    /// The numbers of its children; none for a leaf.
    #[must_use]
    pub fn children(&self) -> Option<[usize; 2]> {
        let low = self.stored().low;
        (low != NO_CHILD).then_some([low as usize, low as usize + 1])
    }

    /// Its samples; of a leaf, all its points.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = PointId> + use<'t> {
        let ids = self.tree.samples(self.stored()).iter();
        ids.map(|&id| PointId::new(id))
    }

    /// Of a leaf, the points outside it that are at most [`border_width`](Self::border_width) from its box along each axis, ascending.
    pub fn border(&self) -> impl ExactSizeIterator<Item = PointId> + use<'t> {
        let ids = self.tree.border(self.stored()).iter();
        ids.map(|&id| PointId::new(id))
    }

    /// How wide the border is: seven tenths of the covering radius; 0 for an inner node, and for a leaf that would have more than a hundred points in its border.
    #[must_use]
    pub fn border_width(&self) -> f64 {
        self.stored().border_width() * self.tree.unit
    }

    /// The function at a place, from the points that the node lists where they suffice: the same as [`CloudSurface`] says.
    pub fn evaluate(&self, x: DVec3, scratch: &mut EvaluationScratch) -> Evaluation {
        self.tree.evaluate_near(self.stored(), x, scratch)
    }
}
