//! Sampling radius: how densely a cloud samples its surface.
//!
//! **Question.** How large must spheres around the points be to cover the surface?
//! **Idea.** In the plane that fits a point's neighbours, the Voronoi cell of the point is clipped;
//! its farthest corner is the radius needed there. An unbounded cell belongs to a border and is
//! left out.
//! **Source.** The sampling radius is Klein's (Definition 8), who does not say how to find it.
//! **Limits.** An estimate: the surface is taken as flat among two dozen neighbours.

use glam::{DMat3, DVec2, DVec3};

use super::kd_search::Neighbour;
use super::kd_tree::KdTree;
use super::parallel::map_shares;
use super::point_cloud::{PointCloud, PointId};
use super::proximity_graph::ProximityGraph;
use crate::math::eigen::symmetric_eigen;

/// Neighbours that bound a cell.
const NEIGHBOURS: usize = 24;

/// The covering radii of a cloud's points.
///
/// ```
/// use impinge::cloud::{PointCloud, SamplingRadius};
/// let grid = PointCloud::from_points((0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]))?;
/// let radius = SamplingRadius::of(&grid);
/// assert!((radius.covering().unwrap() - 0.5_f64.sqrt()).abs() < 1e-9);
/// assert_eq!(radius.at_border(), 76);
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingRadius {
    /// Ascending.
    radii: Vec<f64>,
    at_border: usize,
}

impl SamplingRadius {
    /// The covering radii of a cloud.
    ///
    /// ```
    /// use impinge::cloud::{PointCloud, SamplingRadius};
    /// assert_eq!(SamplingRadius::of(&PointCloud::default()).covering(), None);
    /// ```
    #[must_use]
    pub fn of(cloud: &PointCloud) -> Self {
        let tree = KdTree::new(cloud.points());
        Self::find(&tree, cloud.points(), &tree.order())
    }

    /// The covering radii of a graph's points.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph, SamplingRadius};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert_eq!(SamplingRadius::of_graph(&graph).at_border(), 0);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn of_graph(graph: &ProximityGraph) -> Self {
        Self::find(&graph.tree, &graph.points, &graph.tree.order())
    }

    fn find(tree: &KdTree, points: &[DVec3], order: &[u32]) -> Self {
        let found = map_shares(order, |ids| {
            let mut near = Vec::new();
            let one = |&id: &u32| {
                let place = points[id as usize];
                tree.k_nearest(place, NEIGHBOURS + 1, &mut near);
                near.retain(|n| n.point != PointId::new(id));
                cell_radius(place, points, &near)
            };
            ids.iter().map(one).collect::<Vec<Option<f64>>>()
        });
        let mut radii: Vec<f64> = found.into_iter().flatten().flatten().collect();
        radii.sort_unstable_by(f64::total_cmp);
        Self {
            at_border: order.len() - radii.len(),
            radii,
        }
    }

    /// The radius r(P) that covers all bounded cells; none when there are none.
    ///
    /// ```
    /// use impinge::cloud::{PointCloud, SamplingRadius};
    /// assert_eq!(SamplingRadius::of(&PointCloud::from_points([[0.0; 3]])?).covering(), None);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn covering(&self) -> Option<f64> {
        self.radii.last().copied()
    }

    /// The radius that covers this fraction of the cells, from 0 to 1, which is robust against
    /// outliers.
    ///
    /// ```
    /// use impinge::cloud::{PointCloud, SamplingRadius};
    /// let grid = PointCloud::from_points((0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]))?;
    /// assert!((SamplingRadius::of(&grid).quantile(0.5).unwrap() - 0.7071).abs() < 1e-4);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let last = self.radii.len().checked_sub(1)?;
        let at = (part.clamp(0.0, 1.0) * last as f64).round() as usize;
        self.radii.get(at).copied()
    }

    /// The number of points with an unbounded cell.
    ///
    /// ```
    /// use impinge::cloud::{PointCloud, SamplingRadius};
    /// assert_eq!(SamplingRadius::of(&PointCloud::from_points([[0.0; 3]])?).at_border(), 1);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn at_border(&self) -> usize {
        self.at_border
    }
}

/// The distance of the farthest corner of a point's cell; none when it is not closed.
fn cell_radius(place: DVec3, points: &[DVec3], near: &[Neighbour]) -> Option<f64> {
    let scale = near.last()?.distance();
    if near.len() < 3 || scale <= 0.0 {
        return None;
    }
    let offset = |n: &Neighbour| (points[n.point.index()] - place) / scale;
    let mean = near.iter().map(offset).sum::<DVec3>() / near.len() as f64;
    let mut sums = DMat3::ZERO;
    for d in near.iter().map(offset).map(|d| d - mean) {
        sums += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let frame = symmetric_eigen(&sums).vectors;
    // A corner that the neighbours leave is farther away than any of them.
    const FRAME: f64 = 4.0;
    let mut cell: Vec<DVec2> = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| DVec2::new(x, y) * FRAME)
        .to_vec();
    let mut clipped = Vec::new();
    for d in near.iter().map(offset) {
        let d = DVec2::new(d.dot(frame.x_axis), d.dot(frame.y_axis));
        let half = 0.5 * d.length_squared();
        if half <= 0.0 {
            continue;
        }
        clipped.clear();
        for (i, &p) in cell.iter().enumerate() {
            let q = cell[(i + 1) % cell.len()];
            let (at_p, at_q) = (p.dot(d) - half, q.dot(d) - half);
            if at_p <= 0.0 {
                clipped.push(p);
            }
            if (at_p < 0.0 && at_q > 0.0) || (at_p > 0.0 && at_q < 0.0) {
                clipped.push(p + (q - p) * (at_p / (at_p - at_q)));
            }
        }
        std::mem::swap(&mut cell, &mut clipped);
    }
    let farthest = cell.iter().fold(0.0_f64, |m, p| m.max(p.length()));
    (farthest > 0.0 && farthest <= 1.0).then_some(farthest * scale)
}
