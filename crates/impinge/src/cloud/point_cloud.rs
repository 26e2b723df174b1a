//! The validated point cloud.

use glam::DVec3;
use thiserror::Error;

use crate::bound::Aabb;
use crate::math::{MAX_COORDINATE, Pose, is_valid_point};
use crate::query::typed_id;

/// How far the length of a unit normal may be from 1; 32-bit files need some room.
const UNIT_TOLERANCE: f64 = 1e-4;

typed_id!(
    /// A point of a cloud, counted from 0 in input order.
    PointId,
    "point"
);

/// Points, and a unit normal for each if there are any: as given, nothing is deleted, merged or reordered.
///
/// ```
/// use impinge::{DVec3, cloud::PointCloud};
/// let cloud = PointCloud::new(vec![DVec3::ZERO, DVec3::X], None)?;
/// assert_eq!(cloud.len(), 2);
/// assert!(PointCloud::new(vec![DVec3::NAN], None).is_err());
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointCloud {
    points: Vec<DVec3>,
    normals: Option<Vec<DVec3>>,
}

/// Why a cloud, a graph over it or a surface was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CloudError {
    /// A coordinate is NaN or infinite.
    #[error("point {point} has a coordinate that is not finite: {value}")]
    NotFinite {
        /// The point, counted from 0.
        point: usize,
        /// The offending coordinate.
        value: f64,
    },
    /// A coordinate exceeds [`MAX_COORDINATE`].
    #[error(
        "point {point} has coordinate {value:e}, beyond the largest allowed magnitude {MAX_COORDINATE:e}"
    )]
    TooFar {
        /// The point, counted from 0.
        point: usize,
        /// The offending coordinate.
        value: f64,
    },
    /// More points than are allowed.
    #[error("{count} points are more than the {limit} that are allowed")]
    TooMany {
        /// How many were given.
        count: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// Another number of normals than of points.
    #[error("there are {normals} normals for {points} points")]
    NormalCount {
        /// How many points were given.
        points: usize,
        /// How many normals.
        normals: usize,
    },
    /// A normal is not a unit vector.
    #[error("the normal of point {point} has length {length}, not 1")]
    NotUnit {
        /// The point, counted from 0.
        point: usize,
        /// Its normal's length.
        length: f64,
    },
    /// Too many points in one place for a graph of neighbours.
    #[error(
        "point {point} coincides with {others} others; merge them with PointCloud::distinct first"
    )]
    Coincident {
        /// The point, counted from 0.
        point: usize,
        /// How many others are in its place.
        others: usize,
    },
    /// There is no such point, or it was removed.
    #[error("there is no point {point}")]
    NoPoint {
        /// The number.
        point: usize,
    },
    /// A number that a setting cannot have.
    #[error("{what} cannot be {value}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// What it was set to.
        value: f64,
    },
}

/// A cloud and the points that were left out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenedCloud {
    /// The cloud of valid points.
    pub cloud: PointCloud,
    /// For each point of the cloud, its number in the input.
    pub kept: Vec<usize>,
    /// The numbers, in the input, of the dropped points.
    pub dropped: Vec<usize>,
}

impl PointCloud {
    /// Maximum number of points of a cloud: positions in the buckets of a tree have 32-bit numbers
    /// too.
    pub const MAX_POINTS: usize = 1 << 30;

    /// The cloud of these points, or the first thing that is wrong with them.
    ///
    /// # Errors
    /// [`CloudError`] naming the point.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{CloudError, PointCloud}};
    /// let points = vec![DVec3::ZERO, DVec3::X];
    /// assert!(PointCloud::new(points.clone(), Some(vec![DVec3::Z; 2])).is_ok());
    /// let error = PointCloud::new(points, Some(vec![DVec3::Z, DVec3::ZERO])).unwrap_err();
    /// assert_eq!(error, CloudError::NotUnit { point: 1, length: 0.0 });
    /// ```
    pub fn new(points: Vec<DVec3>, normals: Option<Vec<DVec3>>) -> Result<Self, CloudError> {
        Self::check_counts(&points, normals.as_deref())?;
        for (point, &p) in points.iter().enumerate() {
            check_point(point, p)?;
        }
        for (point, n) in normals.iter().flatten().enumerate() {
            check_normal(point, *n)?;
        }
        Ok(Self { points, normals })
    }

    /// The cloud of any points that convert to [`DVec3`], without normals.
    ///
    /// # Errors
    /// As [`PointCloud::new`].
    ///
    /// ```
    /// use impinge::cloud::PointCloud;
    /// assert_eq!(PointCloud::from_points([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])?.len(), 2);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn from_points<P: Into<DVec3>>(
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, CloudError> {
        Self::new(points.into_iter().map(Into::into).collect(), None)
    }

    /// The cloud of the valid points, and the numbers of the others.
    ///
    /// A point is dropped when a coordinate is not finite or too large, or its normal has no
    /// direction; normals are scaled to unit length. Depth cameras mark missing pixels in this way.
    ///
    /// # Errors
    /// [`CloudError`] when the counts are wrong.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::PointCloud};
    /// let screened = PointCloud::screened(vec![DVec3::NAN, DVec3::X], None)?;
    /// assert_eq!(screened.dropped, [0]);
    /// assert_eq!(screened.cloud.points(), [DVec3::X]);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn screened(
        points: Vec<DVec3>,
        normals: Option<Vec<DVec3>>,
    ) -> Result<ScreenedCloud, CloudError> {
        Self::check_counts(&points, normals.as_deref())?;
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        let mut unit = normals.as_ref().map(|_| Vec::new());
        for (number, &p) in points.iter().enumerate() {
            let normal = match &normals {
                Some(normals) => normals[number].try_normalize(),
                None => Some(DVec3::Z),
            };
            match normal.filter(|n| n.is_finite() && is_valid_point(p)) {
                Some(normal) => {
                    kept.push(number);
                    if let Some(unit) = &mut unit {
                        unit.push(normal);
                    }
                }
                None => dropped.push(number),
            }
        }
        let points = kept.iter().map(|&number| points[number]).collect();
        Ok(ScreenedCloud {
            cloud: Self {
                points,
                normals: unit,
            },
            kept,
            dropped,
        })
    }

    fn check_counts(points: &[DVec3], normals: Option<&[DVec3]>) -> Result<(), CloudError> {
        if points.len() > Self::MAX_POINTS {
            return Err(CloudError::TooMany {
                count: points.len(),
                limit: Self::MAX_POINTS,
            });
        }
        match normals {
            Some(normals) if normals.len() != points.len() => Err(CloudError::NormalCount {
                points: points.len(),
                normals: normals.len(),
            }),
            _ => Ok(()),
        }
    }

    /// The cloud with one point of each place: the first; `kept` says which.
    ///
    /// ```
    /// use impinge::cloud::PointCloud;
    /// let cloud = PointCloud::from_points([[0.0; 3], [1.0; 3], [0.0; 3]])?;
    /// let distinct = cloud.distinct();
    /// assert_eq!((distinct.kept, distinct.dropped), (vec![0, 1], vec![2]));
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn distinct(&self) -> ScreenedCloud {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order
            .sort_unstable_by(|&i, &j| place_order(self.points[i], self.points[j]).then(i.cmp(&j)));
        let mut is_first = vec![true; self.points.len()];
        for pair in order.windows(2) {
            is_first[pair[1]] = self.points[pair[0]] != self.points[pair[1]];
        }
        let (kept, dropped): (Vec<usize>, Vec<usize>) =
            (0..self.points.len()).partition(|&i| is_first[i]);
        let select = |from: &[DVec3]| kept.iter().map(|&i| from[i]).collect::<Vec<_>>();
        ScreenedCloud {
            cloud: Self {
                points: select(&self.points),
                normals: self.normals.as_deref().map(select),
            },
            kept,
            dropped,
        }
    }

    /// The points, in input order.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::PointCloud};
    /// assert_eq!(PointCloud::from_points([[1.0, 0.0, 0.0]])?.points(), [DVec3::X]);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The unit normals, in the order of the points.
    ///
    /// ```
    /// use impinge::cloud::PointCloud;
    /// assert!(PointCloud::from_points([[1.0, 0.0, 0.0]])?.normals().is_none());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn normals(&self) -> Option<&[DVec3]> {
        self.normals.as_deref()
    }

    /// How many points there are.
    ///
    /// ```
    /// use impinge::cloud::PointCloud;
    /// assert_eq!(PointCloud::default().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    ///
    /// ```
    /// use impinge::cloud::PointCloud;
    /// assert!(PointCloud::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The smallest box around the points.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::PointCloud};
    /// assert_eq!(PointCloud::from_points([[0.0; 3], [1.0; 3]])?.bounds().max, DVec3::ONE);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::enclosing(self.points.iter().copied())
    }

    /// The cloud in another place: points moved, normals turned.
    ///
    /// # Errors
    /// [`CloudError::TooFar`] when a point leaves the allowed range.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, cloud::PointCloud};
    /// let pose = Pose::from_translation(DVec3::X).unwrap();
    /// let cloud = PointCloud::from_points([[0.0; 3]])?;
    /// assert_eq!(cloud.placed(&pose)?.points(), [DVec3::X]);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn placed(&self, pose: &Pose) -> Result<Self, CloudError> {
        let points: Vec<DVec3> = self.points.iter().map(|&p| *pose * p).collect();
        for (point, &p) in points.iter().enumerate() {
            check_point(point, p)?;
        }
        let turned = |normals: &[DVec3]| normals.iter().map(|&n| *pose.rotation() * n).collect();
        Ok(Self {
            points,
            normals: self.normals.as_deref().map(turned),
        })
    }
}

/// Refuses a point that may not be in a cloud.
pub(super) fn check_point(point: usize, p: DVec3) -> Result<(), CloudError> {
    if is_valid_point(p) {
        return Ok(());
    }
    let bad = |x: &f64| x.is_nan() || x.abs() > MAX_COORDINATE;
    let value = p.to_array().into_iter().find(bad).unwrap_or(f64::NAN);
    Err(if value.is_finite() {
        CloudError::TooFar { point, value }
    } else {
        CloudError::NotFinite { point, value }
    })
}

/// Refuses a normal that is no unit vector.
pub(super) fn check_normal(point: usize, normal: DVec3) -> Result<(), CloudError> {
    let length = normal.length();
    if length.is_nan() || (length - 1.0).abs() > UNIT_TOLERANCE {
        return Err(CloudError::NotUnit { point, length });
    }
    Ok(())
}

/// Places by x, then y, then z; both zeros are the same place.
pub(super) fn place_order(p: DVec3, q: DVec3) -> std::cmp::Ordering {
    let of = |a: f64, b: f64| (a + 0.0).total_cmp(&(b + 0.0));
    of(p.x, q.x)
        .then_with(|| of(p.y, q.y))
        .then_with(|| of(p.z, q.z))
}
