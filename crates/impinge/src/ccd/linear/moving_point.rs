//! A point that moves linearly from a start to an end position.

use glam::DVec3;

use super::LinearError;
use crate::math::is_valid_point;

/// A point that moves on a straight line at constant speed: at `start` for `t = 0`, at `end` for `t = 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingPoint {
    start: DVec3,
    end: DVec3,
}

impl MovingPoint {
    /// The motion between two places.
    ///
    /// # Errors
    ///
    /// A coordinate is not finite or above [`MAX_COORDINATE`](crate::math::MAX_COORDINATE).
    ///
    /// ```
    /// use impinge::ccd::linear::MovingPoint;
    /// assert!(MovingPoint::new([0.0; 3], [1.0, 0.0, 0.0]).is_ok());
    /// assert!(MovingPoint::new([f64::NAN; 3], [1.0, 0.0, 0.0]).is_err());
    /// ```
    pub fn new(start: impl Into<DVec3>, end: impl Into<DVec3>) -> Result<Self, LinearError> {
        let (start, end) = (start.into(), end.into());
        if is_valid_point(start) && is_valid_point(end) {
            return Ok(Self { start, end });
        }
        let (moment, place) = if is_valid_point(start) {
            ("end", end)
        } else {
            ("start", start)
        };
        let (axis, value) = ['x', 'y', 'z']
            .into_iter()
            .zip(place.to_array())
            .find(|&(_, x)| !is_valid_point(DVec3::splat(x)))
            .unwrap_or(('x', place.x));
        Err(LinearError::Coordinate {
            axis,
            moment,
            value,
        })
    }

    /// The same place at all times.
    ///
    /// # Errors
    ///
    /// As for [`MovingPoint::new`].
    ///
    /// ```
    /// use impinge::ccd::linear::MovingPoint;
    /// let point = MovingPoint::still([1.0, 2.0, 3.0])?;
    /// assert_eq!(point.start(), point.end());
    /// # Ok::<(), impinge::ccd::linear::LinearError>(())
    /// ```
    pub fn still(place: impl Into<DVec3>) -> Result<Self, LinearError> {
        let place = place.into();
        Self::new(place, place)
    }

    /// Where it is at `t = 0`.
    ///
    /// ```
    /// use impinge::ccd::linear::MovingPoint;
    /// assert_eq!(MovingPoint::new([1.0; 3], [2.0; 3])?.start().x, 1.0);
    /// # Ok::<(), impinge::ccd::linear::LinearError>(())
    /// ```
    #[must_use]
    pub fn start(&self) -> DVec3 {
        self.start
    }

    /// Where it is at `t = 1`.
    ///
    /// ```
    /// use impinge::ccd::linear::MovingPoint;
    /// assert_eq!(MovingPoint::new([1.0; 3], [2.0; 3])?.end().x, 2.0);
    /// # Ok::<(), impinge::ccd::linear::LinearError>(())
    /// ```
    #[must_use]
    pub fn end(&self) -> DVec3 {
        self.end
    }

    /// The same way backwards.
    ///
    /// ```
    /// use impinge::ccd::linear::MovingPoint;
    /// let point = MovingPoint::new([1.0; 3], [2.0; 3])?;
    /// assert_eq!(point.reversed().start(), point.end());
    /// # Ok::<(), impinge::ccd::linear::LinearError>(())
    /// ```
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            start: self.end,
            end: self.start,
        }
    }
}

/// Four points at `t = 0`, then the same four at `t = 1`.
///
/// Of a vertex and a face, the vertex comes first; of two edges, the ends of the first.
pub(super) type FourMovingPoints = [[f64; 3]; 8];

pub(super) fn places(points: [MovingPoint; 4]) -> FourMovingPoints {
    let [a, b, c, d] = points;
    [
        a.start.to_array(),
        b.start.to_array(),
        c.start.to_array(),
        d.start.to_array(),
        a.end.to_array(),
        b.end.to_array(),
        c.end.to_array(),
        d.end.to_array(),
    ]
}
