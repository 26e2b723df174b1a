//! Overlap volume query of two meshes.

use glam::DVec3;
use thiserror::Error;

use super::face_crossing::{FaceCrossing, cross};
use super::volume_index::VolumeIndex;
use super::winding_classification::{ClassifyScratch, Contradiction, CrossingSegment, PlacedSolid};
use crate::bvh::wide::{WantedPairs, WideCache};
use crate::math::Pose;
use crate::query::{Bounded, FacePair, Limits, Outcome, PoseGradient};

/// What rounding may do to a volume, in areas times diameters.
const ROUNDING: f64 = 1e-14;
/// How far from closed the boundary of the overlap may seem, in areas and in areas times diameters.
const CLOSURE: f64 = 1e-9;

/// The overlap of two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "intersection volume")]
#[doc(alias = "CSG")]
#[doc(alias = "boolean")]
pub struct OverlapVolume {
    /// The overlap volume.
    pub volume: f64,
    /// Its centroid in the frame of `a`; none where the volume is within rounding of zero.
    pub centroid: Option<DVec3>,
    /// The derivative of the volume by the pose of `b`; rotations are about the origin of `a`'s
    /// frame. The force on `b` that separates the solids is opposite to it.
    pub gradient: PoseGradient,
    /// How many pairs of faces cross.
    pub crossings: usize,
}

impl OverlapVolume {
    const NONE: Self = Self {
        volume: 0.0,
        centroid: None,
        gradient: PoseGradient {
            translation: DVec3::ZERO,
            rotation: DVec3::ZERO,
        },
        crossings: 0,
    };
}

/// Exact signs contradicted each other, or the boundary of the overlap did not close. Only a bug makes one; no number is given then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the boundary of the overlap is inconsistent; please report the two meshes and their placement"
)]
pub struct OverlapError;

impl From<Contradiction> for OverlapError {
    fn from(_: Contradiction) -> Self {
        Self
    }
}

/// Scratch memory, kept between queries so that they do not allocate.
#[derive(Clone, Debug, Default)]
pub struct OverlapCache {
    wide: WideCache,
    pairs: Vec<FacePair>,
    segments: Vec<CrossingSegment>,
    scratch: ClassifyScratch,
}

impl VolumeIndex {
    /// The overlap volume of two solids, with its centroid and its derivative; `self` is `a`.
    ///
    /// When a limit is met first, only the trivial bounds are returned: zero, and the smaller of
    /// the two volumes, each times the largest possible winding number of the other mesh, with
    /// cavities counted as filled. They hold for shells that intersect neither themselves nor each
    /// other.
    ///
    /// # Errors
    /// [`OverlapError`], which only a bug makes.
    ///
    /// ```
    /// use impinge::volume::{OverlapCache, VolumeIndex};
    /// use impinge::{DVec3, Pose, generate, query::Limits};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::splat(2.0), [1; 3])?))?;
    /// let a_from_b = Pose::from_translation([1.5, 0.0, 0.0])?;
    /// let shared = cube.overlap(&cube, &a_from_b, Limits::default(), &mut OverlapCache::default())?;
    /// assert_eq!(shared.value.volume, 2.0);
    /// assert_eq!(shared.value.gradient.translation.x, -4.0);
    /// assert!(shared.lower <= 2.0 && 2.0 <= shared.upper);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut OverlapCache,
    ) -> Result<Bounded<OverlapVolume>, OverlapError> {
        let (a, b) = (
            PlacedSolid {
                index: self,
                pose: None,
            },
            PlacedSolid {
                index: other,
                pose: Some(self_from_other),
            },
        );
        cache.pairs.clear();
        // Each pair is decided below, with ties broken.
        let outcome = self.tree().face_pairs(
            other.tree(),
            self_from_other,
            WantedPairs::Candidates,
            limits,
            &mut cache.wide,
            &mut cache.pairs,
        );
        if outcome != Outcome::Complete {
            return Ok(Bounded {
                value: OverlapVolume::NONE,
                lower: 0.0,
                upper: self.most_shared(other),
                outcome,
            });
        }
        cache.segments.clear();
        for pair in &cache.pairs {
            let places = [self.place[pair.a.index()], other.place[pair.b.index()]];
            match cross(&a.corners(places[0]), &b.corners(places[1])) {
                FaceCrossing::None => {}
                FaceCrossing::Segment { start, end } => {
                    cache.segments.push(CrossingSegment { places, start, end })
                }
                FaceCrossing::Contradiction => return Err(OverlapError),
            }
        }
        let origin = cache
            .segments
            .first()
            .map_or(self.center, |s| s.start.point);
        let on_a = cache.scratch.inside(a, b, &cache.segments, origin)?;
        let on_b = cache.scratch.inside(b, a, &cache.segments, origin)?;
        let mut total = on_a;
        total.add(1.0, &on_b);
        let area = self.area() + other.area();
        let diameter = self.diameter() + other.diameter();
        let is_closed = total.area.length() <= CLOSURE * area
            && total.torque().length() <= CLOSURE * area * diameter;
        if !is_closed {
            return Err(OverlapError);
        }
        let error = ROUNDING * area * diameter;
        let mut volume = total.volume();
        if volume < 0.0 && volume >= -error {
            volume = 0.0;
        }
        let centroid = (volume > error).then(|| total.second / volume + origin);
        let gradient = PoseGradient {
            translation: on_b.area,
            rotation: on_b.torque() + origin.cross(on_b.area),
        };
        Ok(Bounded {
            value: OverlapVolume {
                volume,
                centroid,
                gradient,
                crossings: cache.segments.len(),
            },
            lower: (volume - error).max(0.0_f64.min(volume)),
            upper: volume + error,
            outcome,
        })
    }
}
