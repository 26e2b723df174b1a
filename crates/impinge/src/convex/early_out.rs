//! Early out: decides intersection by bounding balls, a cached proof or a short search.

use glam::DVec3;

use super::boolean_gjk::{GjkProof, InnerBall, boolean_gjk};
use super::cache::GjkCache;
use super::minkowski::MinkowskiDifference;
use super::pair_setup::PairSetup;
use super::simplex::surely_hold_origin;
use super::support_map::SupportMap;
use crate::math::Pose;

/// Whether balls inside the placed shapes share a point: then the shapes do.
pub(crate) fn bounding_balls_meet<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
) -> bool {
    PairSetup::new(a, b, a_from_b).by_balls() == Some(true)
}

/// Whether the placed shapes share a point, if spheres, a cached proof or a short search decide.
pub(crate) fn early_out_balls<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Option<bool> {
    let setting = PairSetup::new(a, b, a_from_b);
    let differences = MinkowskiDifference::new(a, b, a_from_b, &setting);
    let is_warm = cache.is_near(setting.between, a_from_b, setting.size);
    setting
        .by_balls()
        .or_else(|| early_out(&differences, &setting, is_warm, cache))
}

/// Whether the shapes meet, where it is proven soon; the proof is remembered.
#[inline]
pub(super) fn early_out<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    differences: &MinkowskiDifference<'_, A, B>,
    setting: &PairSetup,
    is_warm: bool,
    cache: &mut GjkCache,
) -> Option<bool> {
    let inner = InnerBall {
        center: setting.between * setting.scale,
        radius: setting.inner,
        swept: setting.radii,
    };
    let mut toward = -inner.center;
    if is_warm {
        if cache.is_meeting && cached_simplex_holds(differences, &inner, cache) {
            return Some(true);
        }
        if let Some(direction) = cache.direction {
            toward = -direction;
        }
    }
    match boolean_gjk(&inner, toward, setting.slack, setting.near, |toward| {
        differences.along(toward, cache)
    })? {
        GjkProof::Apart(v) => {
            cache.direction = Some(v);
            cache.pair_count = 0;
            cache.is_meeting = false;
            let is_certain = differences.a.is_certain() && differences.b.is_certain();
            (is_certain || is_separated_by_cached_axis(differences, setting, v)).then_some(false)
        }
        GjkProof::Meeting(corners, count) => {
            cache.pair_count = count;
            cache.is_meeting = true;
            for (slot, corner) in cache.pairs.iter_mut().zip(&corners[..count]) {
                *slot = corner.vertices;
            }
            Some(true)
        }
    }
}

/// Whether all differences lie beyond a direction, compared with every vertex.
#[cold]
fn is_separated_by_cached_axis<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    differences: &MinkowskiDifference<'_, A, B>,
    setting: &PairSetup,
    v: DVec3,
) -> bool {
    let plane = v.dot(differences.against_certain(v).y);
    let room = setting.slack + setting.near + setting.radii;
    plane > 0.0 && plane * plane > room * room * v.length_squared()
}

/// Whether the vertices that proved it last time prove it again.
fn cached_simplex_holds<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    differences: &MinkowskiDifference<'_, A, B>,
    inner: &InnerBall,
    cache: &GjkCache,
) -> bool {
    if differences.a.vertex_count().is_none() || differences.b.vertex_count().is_none() {
        return false;
    }
    let count = cache.pair_count.min(4);
    // The centre of the ball takes the place of a fourth.
    let mut y = [inner.center; 4];
    for (y, &vertices) in y.iter_mut().zip(&cache.pairs[..count]) {
        *y = differences.of_vertices(vertices).y;
    }
    let has_ball = inner.radius > 0.0;
    match count {
        4 => surely_hold_origin(&y),
        3 => has_ball && surely_hold_origin(&y),
        2 => has_ball && inner.holds_with_two(y[0], y[1]),
        1 => has_ball && inner.holds_with_one(y[0]),
        _ => false,
    }
}
