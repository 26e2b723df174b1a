//! A frame of validated points.

use glam::DVec3;
use thiserror::Error;

use super::threads::join;
use crate::bound::Aabb;
use crate::math::{MAX_COORDINATE, Pose, is_valid_point};

/// Points that a frame may have.
pub const MAX_POINTS: usize = 1 << 28;

/// Points that one thread takes at a time.
const SHARE: usize = 1 << 15;

/// Why a frame was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ScanFrameError {
    /// Some points are not finite or too far away.
    #[error(
        "{count} of {total} points are not finite or exceed {MAX_COORDINATE:e}; the first is point {first}: {value}; drop_invalid takes them out"
    )]
    Invalid {
        /// How many.
        count: usize,
        /// Of how many.
        total: usize,
        /// The first of them.
        first: usize,
        /// Its coordinates.
        value: DVec3,
    },
    /// More points than can be numbered.
    #[error("{count} points are more than {MAX_POINTS}")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// The points of one frame, all valid. Answers name points by their place in the list.
///
/// ```
/// use impinge::{DVec3, scan::{ScanFrameError, ScanFrame}};
/// let points = [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY];
/// assert!(matches!(ScanFrame::new(&points), Err(ScanFrameError::Invalid { count: 2, first: 1, .. })));
/// let frame = ScanFrame::new(&points[..1])?;
/// assert_eq!((frame.points().len(), frame.bounds().max), (1, DVec3::ZERO));
/// # Ok::<(), ScanFrameError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ScanFrame<'p> {
    points: &'p [DVec3],
    bounds: Aabb,
}

impl<'p> ScanFrame<'p> {
    /// The frame of these points.
    ///
    /// # Errors
    /// [`ScanFrameError`] naming the number of points that are not finite or out of range, and the first of them.
    pub fn new(points: &'p [DVec3]) -> Result<Self, ScanFrameError> {
        if points.len() > MAX_POINTS {
            let count = points.len();
            return Err(ScanFrameError::TooMany { count });
        }
        let bounds = survey(points, &|p| p).bounds(points.len())?;
        Ok(Self { points, bounds })
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &'p [DVec3] {
        self.points
    }

    /// The box around them; empty without points.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }
}

/// Statistics of points.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointSurvey {
    bounds: Aabb,
    invalid: usize,
    /// The first that is not valid.
    first: Option<(usize, DVec3)>,
}

impl PointSurvey {
    pub(super) const NOTHING: Self = Self {
        bounds: Aabb::EMPTY,
        invalid: 0,
        first: None,
    };

    /// Of these points, and of others after this many.
    pub(super) fn and(self, before: usize, other: Self) -> Self {
        let later = other.first.map(|(first, p)| (first + before, p));
        Self {
            bounds: self.bounds.union(&other.bounds),
            invalid: self.invalid + other.invalid,
            first: self.first.or(later),
        }
    }

    /// The box around all points.
    pub(super) fn bounds(self, total: usize) -> Result<Aabb, ScanFrameError> {
        match self.first {
            Some((first, value)) => Err(ScanFrameError::Invalid {
                count: self.invalid,
                total,
                first,
                value,
            }),
            None => Ok(self.bounds),
        }
    }
}

/// Looks at points after placing them. The halves are cut by number, not by thread, so that the answer has the same bits on any number of them.
pub(super) fn survey(points: &[DVec3], place: &(impl Fn(DVec3) -> DVec3 + Sync)) -> PointSurvey {
    if points.len() > SHARE {
        let middle = points.len() / 2;
        let (left, right) = points.split_at(middle);
        let (a, b) = join(|| survey(left, place), || survey(right, place));
        return a.and(middle, b);
    }
    let mut bounds = Aabb::EMPTY;
    let mut is_plain = true;
    for &p in points {
        let p = place(p);
        // NaN and infinity stay in a sum; a valid point with such a sum is only looked at again.
        is_plain &= p.x.abs() + p.y.abs() + p.z.abs() <= MAX_COORDINATE;
        widen(&mut bounds, p);
    }
    let mut invalid = 0;
    let mut first = None;
    if !is_plain {
        let placed = points.iter().map(|&p| place(p)).enumerate();
        let mut bad = placed.filter(|(_, p)| !is_valid_point(*p));
        first = bad.next();
        invalid = usize::from(first.is_some()) + bad.count();
    }
    PointSurvey {
        bounds,
        invalid,
        first,
    }
}

/// Makes a box hold a point. Plain comparisons, because those of [`DVec3`] also sort out NaN.
#[inline(always)]
pub(super) fn widen(bounds: &mut Aabb, p: DVec3) {
    let less = |a: f64, b: f64| if a < b { a } else { b };
    let more = |a: f64, b: f64| if a > b { a } else { b };
    let Aabb { min, max } = bounds;
    *min = DVec3::new(less(p.x, min.x), less(p.y, min.y), less(p.z, min.z));
    *max = DVec3::new(more(p.x, max.x), more(p.y, max.y), more(p.z, max.z));
}

/// Removes the points that are not finite or out of range, and returns their number; the others
/// keep their order.
///
/// ```
/// use impinge::{DVec3, scan::drop_invalid};
/// let mut points = vec![DVec3::X, DVec3::NAN, DVec3::Y];
/// assert_eq!(drop_invalid(&mut points), 1);
/// assert_eq!(points, [DVec3::X, DVec3::Y]);
/// ```
pub fn drop_invalid(points: &mut Vec<DVec3>) -> usize {
    let before = points.len();
    points.retain(|&p| is_valid_point(p));
    before - points.len()
}

/// Writes the points of several cameras, each placed by its pose, one camera after the other, to `out`. Nothing is left out: points that are not finite
/// stay so.
///
/// ```
/// use impinge::{DVec3, Pose, scan::merge};
/// let beside = Pose::from_translation([1.0, 0.0, 0.0])?;
/// let mut all = Vec::new();
/// merge(&[(Pose::IDENTITY, &[DVec3::Z]), (beside, &[DVec3::ZERO, DVec3::X])], &mut all);
/// assert_eq!(all, [DVec3::Z, DVec3::X, 2.0 * DVec3::X]);
/// # Ok::<(), impinge::PoseError>(())
/// ```
pub fn merge(frames: &[(Pose, &[DVec3])], out: &mut Vec<DVec3>) {
    let total = frames.iter().map(|(_, points)| points.len()).sum();
    // All are written, so that those of the last frame need not be taken away.
    out.resize(total, DVec3::ZERO);
    let mut rest = &mut out[..];
    for (world_from_camera, points) in frames {
        let (own, after) = rest.split_at_mut(points.len());
        place(world_from_camera, points, own);
        rest = after;
    }
}

fn place(pose: &Pose, points: &[DVec3], out: &mut [DVec3]) {
    if points.len() > SHARE {
        let middle = points.len() / 2;
        let (from, to) = (points.split_at(middle), out.split_at_mut(middle));
        join(|| place(pose, from.0, to.0), || place(pose, from.1, to.1));
        return;
    }
    for (out, &p) in out.iter_mut().zip(points) {
        *out = pose.transform_point(p);
    }
}
