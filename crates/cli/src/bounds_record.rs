//! Numbers with bounds, as the records of `query` and `cloud` spell them for programs.

use impinge::DVec3;
use serde::Serialize;

/// A number, and between what the truth lies.
#[derive(Serialize)]
pub(crate) struct BoundsRecord {
    /// Null when nothing was found: no distance within --max-distance, no overlap, no impact.
    value: Option<f64>,
    lower: f64,
    /// Null when there is no bound: JSON has no infinity.
    upper: Option<f64>,
}

impl BoundsRecord {
    pub(crate) fn new(value: Option<f64>, lower: f64, upper: f64) -> Self {
        Self {
            value,
            lower,
            upper: upper.is_finite().then_some(upper),
        }
    }
}

/// The same, and the point of A and the point of B that have it, in A's frame.
#[derive(Serialize)]
pub(crate) struct BoundPointsRecord {
    #[serde(flatten)]
    bounds: BoundsRecord,
    point_a: Option<[f64; 3]>,
    point_b: Option<[f64; 3]>,
}

impl BoundPointsRecord {
    pub(crate) fn new(bounds: BoundsRecord, points: Option<[DVec3; 2]>) -> Self {
        Self {
            bounds,
            point_a: points.map(|[a, _]| a.into()),
            point_b: points.map(|[_, b]| b.into()),
        }
    }
}

/// Whether solids overlap, and the way out.
#[derive(Serialize)]
pub(crate) struct WayOutRecord {
    pub(crate) overlaps: bool,
    #[serde(flatten)]
    pub(crate) length: BoundsRecord,
    /// The unit vector along which B moves out.
    pub(crate) direction: Option<[f64; 3]>,
}

/// The first contact of a motion: its time in [0, 1], before which there is none.
#[derive(Serialize)]
pub(crate) struct HitRecord {
    /// Null when the search was cut off before that was known.
    hit: Option<bool>,
    #[serde(flatten)]
    time: BoundsRecord,
    point: Option<[f64; 3]>,
    /// From A towards B.
    normal: Option<[f64; 3]>,
}

impl HitRecord {
    pub(crate) fn new(
        hit: Option<bool>,
        time: BoundsRecord,
        point_and_normal: Option<[DVec3; 2]>,
    ) -> Self {
        Self {
            hit,
            time,
            point: point_and_normal.map(|[point, _]| point.into()),
            normal: point_and_normal.map(|[_, normal]| normal.into()),
        }
    }
}
