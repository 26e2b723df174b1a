//! The point nearest to a sphere tree, by one range search in any point index.
//!
//! Let `U` be the gap between the spheres and the point nearest to the centre of the bounding
//! sphere. A point with a gap of at most `U` lies within `U` plus the radius of the bounding sphere
//! from its centre. So exactly the points in that range are examined. The source searches only as
//! far as that point's distance from the centre plus the radius, which misses nearer points: see
//! the errata.

use std::ops::ControlFlow;

use super::dual_tree::{BallPoint, BestBallPoint};
use super::link::{Link, NearestPoint};
use super::point_index::{PointHit, PointIndex};
use super::sphere_tree::PlacedSphereTree;
use crate::math::Pose;
use crate::query::Sink;

/// The point nearest to a link that is a sphere tree, by one range search around its middle; none
/// without points, without spheres, and for links of other kinds.
///
/// The answer is that of [`LinkSet::nearest`](super::LinkSet::nearest), which is faster; this one
/// works with any index.
///
/// ```
/// use impinge::scan::{Link, PointGrid, ScanFrame, nearest_by_range};
/// use impinge::spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions};
/// use impinge::{DVec3, Pose};
/// // The range of the source would miss the second point.
/// let points = [DVec3::new(0.0, 0.5, 0.0), DVec3::new(2.0, 0.0, 0.0)];
/// let ball = |x| SolidBall { center: DVec3::X * x, radius: 0.0 };
/// let link = Link::spheres(&InnerSphereTree::new(&[ball(-1.0), ball(1.0)], &InnerSphereTreeOptions::default())?)?;
/// let mut grid = PointGrid::default();
/// grid.rebuild(&ScanFrame::new(&points)?, 0.08)?;
/// let nearest = nearest_by_range(&grid, &link, &Pose::IDENTITY);
/// assert_eq!(nearest.map(|n| (n.point, n.distance)), Some((1, 1.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn nearest_by_range(
    index: &dyn PointIndex,
    link: &Link<'_>,
    world_from_link: &Pose,
) -> Option<NearestPoint> {
    let tree = link.balls()?;
    if tree.is_empty() {
        return None;
    }
    let placed = PlacedSphereTree::new(tree, world_from_link);
    let root = placed.part(0);
    let first = index.nearest(root.center)?;
    let mut waiting = Vec::new();
    let (gap, ball) = placed.nearest(first.position, f64::INFINITY, &mut waiting)?;
    let mut best = BestBallPoint::within(f64::INFINITY);
    let point = first.point;
    best.offer(BallPoint { gap, point, ball }, first.position);
    let mut look = |hit: PointHit| {
        if root.gap_at_least(hit.distance) <= best.pair.gap
            && let Some((gap, ball)) = placed.nearest(hit.position, best.pair.gap, &mut waiting)
        {
            let point = hit.point;
            best.offer(BallPoint { gap, point, ball }, hit.position);
        }
        ControlFlow::Continue(())
    };
    // What gaps and distances round to is far below this.
    let range = (gap + root.radius).max(0.0) * (1.0 + 1e-12) + 1e-12 * root.radius;
    let _ = index.within(root.center, range, &mut look as &mut dyn Sink<PointHit>);
    Some(NearestPoint::of_balls(0, &placed, &best))
}
