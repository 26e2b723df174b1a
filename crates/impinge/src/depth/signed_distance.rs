//! Signed distance of two solids: positive when apart, negative when they overlap.

use glam::DVec3;

use super::deepest_point::{DepthOptions, deepest_point};
use crate::bvh::wide::WideCache;
use crate::bvh::{Relation, Solid};
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome, PoseGradient};

/// A distance, negative for overlapping solids, and its two witness points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "SDF")]
pub struct SignedDistance {
    /// The distance of disjoint solids, or minus the deepest-point depth of overlapping ones.
    pub distance: f64,
    /// The point on the surface of `a`.
    pub point_a: DVec3,
    /// The point on the surface of `b`, in the frame of `a`.
    pub point_b: DVec3,
}

impl SignedDistance {
    /// The unit direction in which `b` moves away from `a`; none at distance 0.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::depth::{Solid, signed_distance};
    /// use impinge::{DVec3, Pose, generate::cuboid, query::Limits};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
    /// let (cube, pose) = (Solid::closed(&tree)?, Pose::from_translation([3.0, 0.25, 0.5])?);
    /// let found = signed_distance(&cube, &cube, &pose, &Default::default(), Limits::default(), &mut WideCache::default());
    /// let found = found.value.ok_or("empty")?;
    /// assert!((found.normal().ok_or("touching")? - DVec3::X).length() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn normal(&self) -> Option<DVec3> {
        let between = self.point_b - self.point_a;
        let outward = if self.distance < 0.0 {
            -between
        } else {
            between
        };
        outward.try_normalize()
    }

    /// The derivative of the signed distance with respect to the pose of `b`, rotations taken about `center` (in the
    /// frame of `a`); none at distance 0. Where several pairs of points have the same distance it is that
    /// of the given pair.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::depth::{Solid, signed_distance};
    /// use impinge::{DVec3, Pose, generate::cuboid, query::Limits};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
    /// let (cube, pose) = (Solid::closed(&tree)?, Pose::from_translation([3.0, 0.25, 0.5])?);
    /// let found = signed_distance(&cube, &cube, &pose, &Default::default(), Limits::default(), &mut WideCache::default());
    /// let found = found.value.ok_or("empty")?;
    /// let gradient = found.gradient(DVec3::ZERO).ok_or("touching")?;
    /// assert!((gradient.translation - DVec3::X).length() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn gradient(&self, center: DVec3) -> Option<PoseGradient> {
        Some(PoseGradient::of_point(self.point_b, self.normal()?, center))
    }
}

/// The distance between disjoint solids, or minus the depth of the deepest point of either surface in the other
/// solid; none when a mesh is empty or nothing lies within [`Limits::max_distance`].
///
/// The depth is that of [`deepest_point`]: it is continuous through contact, and never larger than the
/// translation that separates the solids.
///
/// ```
/// use impinge::bvh::wide::{WideCache, WideTree};
/// use impinge::depth::{signed_distance, Solid};
/// use impinge::generate::cuboid;
/// use impinge::query::Limits;
/// use impinge::{DVec3, Pose};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
/// let cube = Solid::closed(&tree)?;
/// let (options, mut cache) = (Default::default(), WideCache::default());
/// for (x, expected) in [(3.0, 1.0), (1.5, -0.5)] {
///     let aside = Pose::from_translation([x, 0.0, 0.0])?;
///     let found = signed_distance(&cube, &cube, &aside, &options, Limits::default(), &mut cache);
///     assert!(found.lower <= expected && expected <= found.upper && found.upper - found.lower < 1e-3);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "SDF")]
#[doc(alias = "signed distance")]
pub fn signed_distance(
    a: &Solid<'_>,
    b: &Solid<'_>,
    a_from_b: &Pose,
    options: &DepthOptions,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<SignedDistance>> {
    let Some(relation) = a.bounded_relation(b, a_from_b, limits, cache) else {
        return Bounded::at_least(f64::NEG_INFINITY, Outcome::OutOfBudget);
    };
    if relation != Relation::Disjoint {
        let deep = deepest_point(a, b, a_from_b, options, limits, cache);
        if let Some(deepest) = deep.value {
            return Bounded {
                value: Some(SignedDistance {
                    distance: -deepest.depth,
                    point_a: deepest.point_a,
                    point_b: deepest.point_b,
                }),
                lower: -deep.upper,
                upper: -deep.lower,
                outcome: deep.outcome,
            };
        }
        // Surfaces that touch and no more, or overlap by less than rounding.
        let touching = a.tree().distance(b.tree(), a_from_b, limits, cache);
        return Bounded {
            value: touching.value.map(|s| SignedDistance {
                distance: 0.0,
                point_a: s.point_a,
                point_b: s.point_b,
            }),
            lower: -deep.upper,
            upper: 0.0,
            outcome: deep.outcome,
        };
    }
    let apart = a.tree().distance(b.tree(), a_from_b, limits, cache);
    Bounded {
        value: apart.value.map(|s| SignedDistance {
            distance: s.distance,
            point_a: s.point_a,
            point_b: s.point_b,
        }),
        lower: apart.lower,
        upper: apart.upper,
        outcome: apart.outcome,
    }
}
