//! The overlap of two bodies by one of the methods that they are prepared for.

use super::penetration_body::{PenetrationBody, PenetrationMethod};
use super::penetration_volume::{PenetrationError, PenetrationVolume};
use super::predicted_cost::{ContactSurface, contact_cost, most_for_boundary};
use super::solid_voxels::SolidVoxels;
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome};
use crate::spheres::{BallOverlap, InnerSphereTree, InnerSphereTreeCache, Wrench};
use crate::volume::{OverlapCache, OverlapVolume, VolumeIndex};
use crate::voxmap::VoxmapQuery;

/// Scratch memory of all methods, kept between queries so that they do not allocate.
#[derive(Debug, Default)]
pub struct PenetrationCache {
    overlaps: OverlapCache,
    trees: InnerSphereTreeCache,
}

impl PenetrationBody {
    /// What this body, `a`, shares with `b` placed by the pose. [`PenetrationQuery`](super::PenetrationQuery) asks the same,
    /// keeps the memory, and checks once that both are prepared.
    ///
    /// # Errors
    /// [`PenetrationError::NotPrepared`], and [`PenetrationError::Contradiction`], which only a bug makes.
    ///
    /// ```
    /// use impinge::{Pose, generate, penetration::*, query::Limits};
    /// let cube = std::sync::Arc::new(generate::cuboid([1.0; 3].into(), [1; 3])?);
    /// let body = PenetrationBody::exact(cube)?;
    /// let (pose, mut cache) = (Pose::from_translation([0.25, 0.0, 0.0])?, PenetrationCache::default());
    /// let found = body.overlap_by(PenetrationMethod::Exact, &body, &pose, Limits::default(), &mut cache)?;
    /// assert_eq!(found.value.volume, 0.75);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_by(
        &self,
        method: PenetrationMethod,
        b: &Self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        cache: &mut PenetrationCache,
    ) -> Result<Bounded<PenetrationVolume>, PenetrationError> {
        let missing = |body| PenetrationError::NotPrepared { body, method };
        match method {
            PenetrationMethod::Exact => {
                let a = self.index.as_deref().ok_or(missing('a'))?;
                let b = b.index.as_deref().ok_or(missing('b'))?;
                let found = a.overlap(b, a_from_b, limits, &mut cache.overlaps)?;
                Ok(by_boundary(&found))
            }
            PenetrationMethod::Spheres => {
                let a = self.spheres.as_deref().ok_or(missing('a'))?;
                let b = b.spheres.as_deref().ok_or(missing('b'))?;
                let found = a.overlap(b, a_from_b, limits, &mut cache.trees);
                Ok(by_spheres(&found))
            }
            PenetrationMethod::ByCost => {
                let a = self.index.as_deref().zip(self.spheres.as_deref());
                let b = b.index.as_deref().zip(b.spheres.as_deref());
                let solids = [a.ok_or(missing('a'))?, b.ok_or(missing('b'))?];
                by_cost(solids, a_from_b, limits, cache)
            }
            PenetrationMethod::Voxmap => {
                let a = self.voxels.as_deref().ok_or(missing('a'))?;
                let b = b.voxels.as_deref().ok_or(missing('b'))?;
                Ok(by_voxels(a, b, a_from_b, limits))
            }
            // No body is prepared for one.
            PenetrationMethod::External(_) => Err(missing('a')),
        }
    }
}

/// By spheres, and by the boundary integral where that is predicted to be cheap.
fn by_cost(
    [(index_a, tree_a), (index_b, tree_b)]: [(&VolumeIndex, &InnerSphereTree); 2],
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut PenetrationCache,
) -> Result<Bounded<PenetrationVolume>, PenetrationError> {
    let spheres = tree_a.overlap_of_spheres(tree_b, a_from_b, limits, &mut cache.trees);
    let contact = [index_a, index_b].map(ContactSurface::of);
    if contact_cost(&spheres, &contact) <= most_for_boundary([tree_a, tree_b], &cache.trees, limits)
    {
        let limits = after(limits, cache.trees.tests());
        let exact = index_a.overlap(index_b, a_from_b, limits, &mut cache.overlaps)?;
        if exact.outcome == Outcome::Complete {
            let mut answer = by_boundary(&exact);
            answer.value.cones = Some(spheres.cones);
            return Ok(answer);
        }
    }
    let spheres = tree_a.narrowed(tree_b, a_from_b, limits, &mut cache.trees, spheres);
    Ok(by_spheres(&spheres))
}

/// What is left of the limits after so many tests.
fn after(limits: Limits<'_>, tests: u64) -> Limits<'_> {
    Limits {
        max_tests: limits.max_tests.map(|most| most.saturating_sub(tests)),
        ..limits
    }
}

/// The volume by voxels in voxels, the force by the points of `b` in the voxels of `a`.
fn by_voxels(
    a: &SolidVoxels,
    b: &SolidVoxels,
    a_from_b: &Pose,
    limits: Limits<'_>,
) -> Bounded<PenetrationVolume> {
    let found = a.map().overlap(b.map(), a_from_b, limits);
    let limits = Limits {
        // Only points that press are looked for.
        max_distance: Some(0.0),
        ..after(limits, found.tests)
    };
    let pressed = VoxmapQuery::new(a.map(), b.shell()).at(a_from_b, limits);
    let is_complete = [found.volume.outcome, pressed.outcome] == [Outcome::Complete; 2];
    Bounded {
        value: PenetrationVolume {
            centroid: found.centroid,
            penalty: Some(Wrench {
                force: -pressed.force_on_a,
                torque: -pressed.torque_on_a,
            }),
            ..PenetrationVolume::of_method(PenetrationMethod::Voxmap, found.volume.value)
        },
        lower: found.volume.lower,
        upper: found.volume.upper,
        outcome: if is_complete {
            Outcome::Complete
        } else {
            Outcome::OutOfBudget
        },
    }
}

/// The answer of the boundary integral.
fn by_boundary(found: &Bounded<OverlapVolume>) -> Bounded<PenetrationVolume> {
    let is_known = found.outcome == Outcome::Complete;
    Bounded {
        value: PenetrationVolume {
            centroid: found.value.centroid,
            gradient: is_known.then_some(found.value.gradient),
            ..PenetrationVolume::of_method(PenetrationMethod::Exact, found.value.volume)
        },
        lower: found.lower,
        upper: found.upper,
        outcome: found.outcome,
    }
}

/// The answer of inner spheres.
fn by_spheres(found: &BallOverlap) -> Bounded<PenetrationVolume> {
    Bounded {
        value: PenetrationVolume {
            centroid: (found.pairs > 0).then_some(found.centroid),
            gradient: Some(found.value_gradient),
            cones: Some(found.cones),
            ..PenetrationVolume::of_method(PenetrationMethod::Spheres, found.value)
        },
        lower: found.lower,
        upper: found.upper,
        outcome: found.outcome,
    }
}
