//! The trait of all point indexes.

use glam::DVec3;

use crate::bound::Aabb;
use crate::query::{Outcome, Sink};

/// A point of a frame and how far it is away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointHit {
    /// The number of the point in the frame.
    pub point: u32,
    /// Its position.
    pub position: DVec3,
    /// Its distance from the query object.
    pub distance: f64,
}

/// An index of the points of a frame. All of them give the same answers.
///
/// ```
/// use impinge::{DVec3, scan::{PointGrid, PointIndex, PointTree, ScanFrame}};
/// let points = [DVec3::X, DVec3::Y, DVec3::Z];
/// let frame = ScanFrame::new(&points)?;
/// let (mut tree, mut grid) = (PointTree::default(), PointGrid::default());
/// tree.rebuild(&frame);
/// grid.rebuild(&frame, 0.5)?;
/// let indexes: [&dyn PointIndex; 2] = [&tree, &grid];
/// for index in indexes {
///     assert_eq!(index.nearest(2.0 * DVec3::Y).map(|hit| (hit.point, hit.distance)), Some((1, 1.0)));
///     let mut near = Vec::new();
///     let _ = index.within(DVec3::ZERO, 1.0, &mut near);
///     assert_eq!((near.len(), index.count()), (3, 3));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PointIndex {
    /// How many points it holds.
    fn count(&self) -> usize;

    /// The box around them.
    fn around(&self) -> Aabb;

    /// The point nearest to `p`, of several the first; none when there is no point or `p` is not finite or out of range.
    fn nearest(&self, p: DVec3) -> Option<PointHit>;

    /// Reports all points at most `radius` away from `center`, each once, in an order of the index's own.
    fn within(&self, center: DVec3, radius: f64, sink: &mut dyn Sink<PointHit>) -> Outcome;
}
