//! Time of impact for many motions.

use super::time_of_impact::{ImpactCache, ImpactOptions, impact};
use crate::bvh::wide::WideTree;
use crate::bvh::wide::batch::{BatchOptions, in_runs};
use crate::math::Motion;
use crate::query::{Bounded, Impact};

/// The first contact for each pair of motions, of `a` and of `b`, as [`impact`] returns it.
///
/// As [`bvh::wide::batch`](crate::bvh::wide::batch): answer `i` belongs to pair `i`, and bytes are the same for any number of threads.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::ccd::impact_all;
/// use impinge::{Pose, generate::icosphere, math::Motion};
/// use std::sync::Arc;
/// let ball = WideTree::new(Arc::new(icosphere(1.0, 4)?));
/// let still = Motion::still(&Pose::IDENTITY);
/// let (far, past) = (Pose::from_translation([4.0, 0.0, 0.0])?, Pose::from_translation([4.0, 9.0, 0.0])?);
/// let motions = [[still, Motion::between(&far, &Pose::IDENTITY)], [still, Motion::between(&far, &past)]];
/// let found = impact_all(&ball, &ball, &motions, &Default::default(), &Default::default());
/// assert!(found[0].value.is_some() && found[1].value.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn impact_all(
    a: &WideTree,
    b: &WideTree,
    motions: &[[Motion; 2]],
    impacts: &ImpactOptions,
    options: &BatchOptions<'_>,
) -> Vec<Bounded<Option<Impact>>> {
    in_runs(
        motions,
        options,
        || ImpactCache::with(options.wide_cache()),
        ImpactCache::forget,
        |[motion_a, motion_b], limits, cache| {
            impact(a, b, motion_a, motion_b, impacts, limits, cache)
        },
    )
}
