//! Penetration depth of two solids at many relative poses.
//!
//! As [`bvh::wide::batch`](crate::bvh::wide::batch): answer `i` belongs to pose `i`, and bytes are the same for any number of threads.

use super::deepest_point::{DepthOptions, deepest_point};
use super::penetration_depth::{MinTranslation, penetration_depth};
use super::signed_distance::{SignedDistance, signed_distance};
use crate::bvh::Solid;
use crate::bvh::wide::batch::{BatchOptions, run};
use crate::math::Pose;
use crate::query::{Bounded, Penetration};

/// The smallest translation that makes the solids disjoint, for each pose, as [`penetration_depth`] returns it.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::depth::{Solid, penetration_depth_all};
/// use impinge::{DVec3, Pose, generate::cuboid};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
/// let cube = Solid::closed(&tree)?;
/// let poses = [Pose::from_translation([1.5, 0.0, 0.0])?, Pose::from_translation([0.5, 0.0, 0.0])?];
/// let found = penetration_depth_all(&cube, &cube, &poses, &Default::default(), &Default::default());
/// assert!(found[0].lower <= 0.5 && 1.5 <= found[1].upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn penetration_depth_all(
    a: &Solid<'_>,
    b: &Solid<'_>,
    poses: &[Pose],
    depth: &DepthOptions,
    options: &BatchOptions<'_>,
) -> Vec<Bounded<Option<MinTranslation>>> {
    run(poses, options, |pose, limits, cache| {
        penetration_depth(a, b, pose, depth, limits, cache)
    })
}

/// The deepest point of either surface, for each pose, as [`deepest_point`] returns it.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::depth::{Solid, deepest_point_all};
/// use impinge::{DVec3, Pose, generate::cuboid};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
/// let cube = Solid::closed(&tree)?;
/// let poses = [Pose::from_translation([1.5, 0.0, 0.0])?, Pose::from_translation([3.0, 0.0, 0.0])?];
/// let found = deepest_point_all(&cube, &cube, &poses, &Default::default(), &Default::default());
/// assert!(found[0].value.is_some() && found[1].value.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn deepest_point_all(
    a: &Solid<'_>,
    b: &Solid<'_>,
    poses: &[Pose],
    depth: &DepthOptions,
    options: &BatchOptions<'_>,
) -> Vec<Bounded<Option<Penetration>>> {
    run(poses, options, |pose, limits, cache| {
        deepest_point(a, b, pose, depth, limits, cache)
    })
}

/// The signed distance, for each pose, as [`signed_distance`] returns it.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::depth::{Solid, signed_distance_all};
/// use impinge::{DVec3, Pose, generate::cuboid};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
/// let cube = Solid::closed(&tree)?;
/// let poses = [Pose::from_translation([1.5, 0.0, 0.0])?, Pose::from_translation([3.0, 0.0, 0.0])?];
/// let found = signed_distance_all(&cube, &cube, &poses, &Default::default(), &Default::default());
/// assert!(found[0].upper < 0.0 && found[1].lower > 0.99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn signed_distance_all(
    a: &Solid<'_>,
    b: &Solid<'_>,
    poses: &[Pose],
    depth: &DepthOptions,
    options: &BatchOptions<'_>,
) -> Vec<Bounded<Option<SignedDistance>>> {
    run(poses, options, |pose, limits, cache| {
        cache.forget();
        signed_distance(a, b, pose, depth, limits, cache)
    })
}
