//! Distance and intersection of two convex shapes by GJK.
//!
//! **Question.** How far apart are they, and which points are nearest?
//! **Idea.** Find the point of the Minkowski difference `{p − q}` nearest to the origin. A simplex of differences gives a point
//! `v` of that set, so the distance is at most `|v|`; the support point `w` in direction `-v` gives a separating plane,
//! so the distance is at least `v·w/|v|`. Each step adds `w` and keeps the sub-simplex nearest to the origin. It ends
//! when the two bounds agree, or when rounding allows no more progress. Balls and capsules are a point and a segment
//! with a radius, which is subtracted at the end.
//! **Source.** Gilbert, Johnson and Keerthi 1988, doi:10.1109/56.2083; the gap as criterion after van den Bergen
//! 1999, doi:10.1080/10867651.1999.10487502; the exact finish is ours.
//! **Cost.** A few support points; none where inner or outer balls of the shapes decide; fewer when a [`GjkCache`] holds the
//! answer for a similar pose.
//! **Promise.** `lower ≤ distance ≤ upper` in every answer. For polytopes (polyhedra, boxes, segments, triangles) at the placed
//! coordinates, [`intersects`] is exact, and so is whether the distance is 0: what the bounds leave open is decided in
//! integers. For other shapes `false` is proven; `true` may be wrong by rounding, a few parts in 10^14 of the size: what the bounds leave open
//! there is decided by the sides of a growing polytope (`round_fallback.rs`). The distance is 0 exactly where [`intersects`] says that they meet, whatever
//! the caches remember: a gap that is not proven wider than a part in 10^9 of the size is measured again from a cold start, and both queries
//! look at that number.
//! **Limits.** At most [`MAX_STEPS`] steps; after that the bounds reached so far are returned, with the outcome `OutOfBudget`.

use glam::DVec3;

use super::cache::{GjkCache, ScratchSlot};
use super::early_out::early_out;
use super::exact_gjk::ExactGoal;
use super::minkowski::MinkowskiDifference;
use super::pair_setup::{PairSetup, ROUNDING};
use super::simplex::{OriginRegion, Simplex, SimplexVertex, WeighedOrigin};
use super::support_map::{SupportMap, compiled_once};
use crate::math::Pose;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch_without_avx512};
use crate::query::{Bounded, Outcome, Separation};

/// Maximum number of support points of a search.
pub const MAX_STEPS: u32 = 256;

/// The bounds agree when they differ by less than this fraction of the distance or of the size of the shapes.
const AGREEMENT: f64 = 1e-14;

/// A change of the squared length of the shortest difference, in units of itself, that may be all rounding.
const STANDSTILL: f64 = 8.0 * f64::EPSILON;

/// Steps of that kind that a search for round shapes may take.
const MAX_STANDSTILLS: u32 = 32;

/// Whether the placed shapes share a point; touching counts.
///
/// ```
/// use impinge::{Pose, convex::{Cuboid, GjkCache, intersects}};
/// let cube = Cuboid::new([1.0, 1.0, 1.0])?;
/// let touching = Pose::from_translation([2.0, 2.0, 2.0])?;
/// assert!(intersects(&cube, &cube, &touching, &mut GjkCache::new()));
/// let apart = Pose::from_translation([2.0, 2.0, 2.0_f64.next_up()])?;
/// assert!(!intersects(&cube, &cube, &apart, &mut GjkCache::new()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "Minkowski difference")]
#[doc(alias = "GJK")]
#[doc(alias = "boolean GJK")]
#[doc(alias = "narrow phase")]
#[doc(alias = "Minkowski")]
#[doc(alias = "MPR")]
#[doc(alias = "Minkowski sum")]
pub fn intersects<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> bool {
    compiled_once!(a, b);
    meet(a, b, a_from_b, cache)
}

fn meet<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> bool {
    let setting = PairSetup::new(a, b, a_from_b);
    match setting.by_balls() {
        Some(false) => {
            cache.direction = Some(setting.between);
            return false;
        }
        Some(true) => return true,
        None => (),
    }
    let differences = MinkowskiDifference::new(a, b, a_from_b, &setting);
    let is_warm = cache.is_near(setting.between, a_from_b, setting.size);
    match early_out(&differences, &setting, is_warm, cache) {
        Some(answer) => answer,
        None => searched(differences, &setting, is_warm, cache),
    }
}

/// Whether the shapes meet, by the search for the nearest difference.
fn searched<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    differences: MinkowskiDifference<'_, A, B>,
    setting: &PairSetup,
    is_warm: bool,
    cache: &mut GjkCache,
) -> bool {
    let mut search = Gjk::new(differences, setting, is_warm, cache, ExactGoal::Proof);
    let end = search.run();
    let answer = match end {
        GjkEnd::Apart => false,
        GjkEnd::Meeting => true,
        GjkEnd::Open => search.intersects_exactly(),
    };
    search.remember(end);
    answer
}

/// The distance of the placed shapes and two points that have it; 0 and a common point when they meet.
///
/// ```
/// use impinge::{Pose, convex::{Ball, Cuboid, GjkCache, distance}};
/// let (cube, ball) = (Cuboid::new([1.0, 1.0, 1.0])?, Ball::new(0.5)?);
/// let found = distance(&cube, &ball, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut GjkCache::new());
/// assert!((found.value.distance - 1.5).abs() < 1e-15);
/// assert!(found.lower <= 1.5 && 1.5 <= found.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "GJK")]
#[doc(alias = "closest points")]
#[doc(alias = "Minkowski")]
pub fn distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Bounded<Separation> {
    compiled_once!(a, b);
    let found = measured(a, b, a_from_b, cache);
    if found.is_settled {
        found.answer
    } else {
        cold(a, b, a_from_b, &mut cache.scratch)
    }
}

/// The distance of two placed shapes that may touch, measured from the same start whatever was queried before: they meet unless proven apart.
#[cold]
pub(super) fn cold<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    scratch: &mut ScratchSlot,
) -> Bounded<Separation> {
    let mut cache = GjkCache::new();
    std::mem::swap(&mut cache.scratch, scratch);
    let mut found = measured(a, b, a_from_b, &mut cache).answer;
    std::mem::swap(&mut cache.scratch, scratch);
    if found.lower <= 0.0 && found.value.distance > 0.0 {
        found.value.distance = 0.0;
        found.value.point_b = found.value.point_a;
    }
    found
}

/// The distance as a search finds it.
#[inline(never)]
fn measured<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> MeasuredDistance {
    let question = DistanceKernel {
        a,
        b,
        a_from_b,
        cache,
    };
    dispatch_without_avx512(Level::detect(), question)
}

/// The query for the distance, which runs as a whole with the best instructions of the processor: a scan of vertices is no call then. No
/// instruction is used that rounds differently.
struct DistanceKernel<'s, A: ?Sized, B: ?Sized> {
    a: &'s A,
    b: &'s B,
    a_from_b: &'s Pose,
    cache: &'s mut GjkCache,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Kernel for DistanceKernel<'_, A, B> {
    type Output = MeasuredDistance;

    #[inline(always)]
    fn run<T: Lanes>(self) -> MeasuredDistance {
        let mut search = Gjk::of(self.a, self.b, self.a_from_b, self.cache);
        let end = search.run();
        let answer = search.answer(end);
        search.remember(end);
        let is_settled = answer.lower * search.scale > search.near
            || search.near <= 0.0
            || search.is_meeting_for_certain(end);
        MeasuredDistance { answer, is_settled }
    }
}

/// A distance, and whether a search from another start can tell no other answer to whether it is 0.
struct MeasuredDistance {
    answer: Bounded<Separation>,
    is_settled: bool,
}

/// How a search in `f64` ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GjkEnd {
    /// A separating plane is proven.
    Apart,
    /// A common point is proven, or for round shapes computed.
    Meeting,
    /// The bounds are as good as rounding allows.
    Open,
}

/// The nearest points of two cores and their difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct WitnessPoints {
    pub(super) points: [DVec3; 2],
    pub(super) v: DVec3,
    pub(super) complete: bool,
}

/// What penetration depth begins with.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack for one question; a box would allocate"
)]
pub(super) enum GjkStart {
    /// Proven apart.
    Apart,
    /// The cores are this far apart, less than their radii together.
    Shallow {
        cores: WitnessPoints,
        lower: f64,
        upper: f64,
    },
    /// The cores meet, or may.
    Deep {
        simplex: Simplex,
        scale: f64,
        slack: f64,
    },
}

/// Where the cores of two shapes stand before their depth is requested.
pub(super) fn start<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> GjkStart {
    compiled_once!(a, b);
    started(a, b, a_from_b, cache)
}

fn started<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> GjkStart {
    let mut search = Gjk::of(a, b, a_from_b, cache);
    let end = search.run();
    let cores = search.exact_fallback(end);
    search.remember(end);
    let (scale, slack) = (search.scale, search.slack);
    let (lower, upper) = (search.lower - slack, search.upper + slack);
    if lower > search.radii {
        GjkStart::Apart
    } else if lower > 0.0 && search.upper > 4.0 * slack {
        GjkStart::Shallow {
            cores,
            lower: lower / scale,
            upper: upper / scale,
        }
    } else {
        GjkStart::Deep {
            simplex: search.simplex,
            scale,
            slack,
        }
    }
}

/// A search for the nearest difference of two cores.
pub(super) struct Gjk<'s, A: ?Sized, B: ?Sized> {
    pub(super) differences: MinkowskiDifference<'s, A, B>,
    pub(super) cache: &'s mut GjkCache,
    pub(super) goal: ExactGoal,
    /// A power of two that brings the pair to unit size, and its reciprocal.
    pub(super) scale: f64,
    pub(super) unscale: f64,
    /// Rounding of differences, scaled.
    pub(super) slack: f64,
    /// Both radii, scaled.
    pub(super) radii: f64,
    /// Gaps below this are measured in one way for all queries, scaled.
    near: f64,
    pub(super) is_polytopes: bool,
    /// Whether support points need not be compared again.
    pub(super) is_certain: bool,
    /// Whether the shapes stand about as they did.
    pub(super) is_warm: bool,
    /// Whether it stays open that the cores meet.
    pub(super) is_open: bool,
    /// Steps that turned the direction and came no nearer.
    pub(super) standstills: u32,
    pub(super) simplex: Simplex,
    pub(super) v: DVec3,
    pub(super) upper: f64,
    pub(super) lower: f64,
}

impl<'s, A: SupportMap + ?Sized, B: SupportMap + ?Sized> Gjk<'s, A, B> {
    /// The search for the distance.
    #[inline(always)]
    fn of(a: &'s A, b: &'s B, a_from_b: &'s Pose, cache: &'s mut GjkCache) -> Self {
        let setting = PairSetup::new(a, b, a_from_b);
        let differences = MinkowskiDifference::new(a, b, a_from_b, &setting);
        let is_warm = cache.is_near(setting.between, a_from_b, setting.size);
        Self::new(differences, &setting, is_warm, cache, ExactGoal::Gap)
    }

    #[inline(always)]
    fn new(
        differences: MinkowskiDifference<'s, A, B>,
        setting: &PairSetup,
        is_warm: bool,
        cache: &'s mut GjkCache,
        goal: ExactGoal,
    ) -> Self {
        let (a, b) = (differences.a, differences.b);
        let is_polytopes = a.vertex_count().is_some() && b.vertex_count().is_some();
        Self {
            differences,
            goal,
            scale: setting.scale,
            unscale: setting.unscale,
            slack: setting.slack,
            radii: setting.radii,
            near: setting.near,
            is_polytopes,
            is_certain: a.is_certain() && b.is_certain(),
            is_warm,
            is_open: false,
            standstills: 0,
            simplex: Simplex::default(),
            v: cache
                .direction
                .filter(|_| is_warm || !is_polytopes)
                .unwrap_or(setting.between * setting.scale),
            upper: f64::INFINITY,
            lower: f64::NEG_INFINITY,
            cache,
        }
    }

    /// The difference farthest against a direction.
    #[inline(always)]
    fn corner(&mut self, direction: DVec3) -> SimplexVertex {
        self.differences.against(direction, self.cache)
    }

    /// The difference farthest against a direction, compared with every vertex.
    pub(super) fn corner_certain(&self, direction: DVec3) -> SimplexVertex {
        self.differences.against_certain(direction)
    }

    /// Puts the remembered corners, or a first one, into the simplex.
    #[inline(always)]
    fn begin(&mut self) -> OriginRegion {
        if self.is_warm
            && let (Some(count_a), Some(count_b)) = (
                self.differences.a.vertex_count(),
                self.differences.b.vertex_count(),
            )
        {
            for &[i, j] in &self.cache.pairs[..self.cache.pair_count.min(4)] {
                if i < count_a && j < count_b {
                    let corner = self.differences.of_vertices([i, j]);
                    if !self.simplex.holds(&corner) {
                        self.simplex.push(corner);
                    }
                }
            }
        }
        if self.simplex.len() == 0 {
            let corner = self.corner(self.v);
            let weighed = self.simplex.weighed_with(&corner);
            self.simplex.accept(Some(corner), &weighed);
            return weighed.origin;
        }
        let weighed = self.simplex.weighed();
        self.simplex.accept(None, &weighed);
        weighed.origin
    }

    #[inline(always)]
    fn run(&mut self) -> GjkEnd {
        let mut origin = self.begin();
        for _ in 0..MAX_STEPS {
            let v = match origin {
                OriginRegion::Outside(v) => v,
                OriginRegion::Inside => return self.inside(),
            };
            let length = v.length();
            (self.v, self.upper) = (v, length);
            if self.goal == ExactGoal::Proof && length + self.slack < self.radii {
                return GjkEnd::Meeting;
            }
            if length <= f64::EPSILON {
                return GjkEnd::Open;
            }
            let mut corner = self.corner(v);
            let mut plane = v.dot(corner.y) / length;
            if self.goal == ExactGoal::Proof && plane - self.slack - self.near > self.radii {
                if !self.is_certain {
                    corner = self.corner_certain(v);
                    plane = v.dot(corner.y) / length;
                }
                if plane - self.slack - self.near > self.radii {
                    return GjkEnd::Apart;
                }
            }
            self.lower = self.lower.max(plane);
            if length - self.lower <= AGREEMENT * length.max(1.0) || self.simplex.holds(&corner) {
                return GjkEnd::Open;
            }
            let weighed = self.weighed_with(&corner, v);
            origin = weighed.origin;
            let is_refuted = match origin {
                OriginRegion::Outside(next) => !self.goes_on(next, v),
                // A flat tetrahedron may seem to hold the origin although a plane was proven to separate.
                OriginRegion::Inside => self.lower > self.slack && !weighed.is_sure(),
            };
            if is_refuted {
                return GjkEnd::Open;
            }
            self.simplex.accept(Some(corner), &weighed);
        }
        GjkEnd::Open
    }

    /// Whether the search goes on from `v` to the nearest point of the simplex with a corner more. A corner at the far end of an edge or side turns the
    /// direction without coming nearer by as much as a rounding; the next one comes nearer.
    #[inline(always)]
    fn goes_on(&mut self, next: DVec3, v: DVec3) -> bool {
        let (new, old) = (next.length_squared(), v.length_squared());
        if new < old * (1.0 - STANDSTILL) {
            return true;
        }
        if self.is_polytopes {
            return new < old;
        }
        self.standstills += 1;
        self.standstills <= MAX_STANDSTILLS && new <= old * (1.0 + STANDSTILL) && next != v
    }

    /// Where the origin stands to the simplex with a corner more. Corners of round shapes crowd together until all parts count, and so they do
    /// where those of the new corner come no nearer than `v`.
    #[inline(always)]
    fn weighed_with(&self, corner: &SimplexVertex, v: DVec3) -> WeighedOrigin {
        if self.is_polytopes {
            let weighed = self.simplex.weighed_with(corner);
            match weighed.origin {
                OriginRegion::Outside(next) if next.length_squared() >= v.length_squared() => (),
                _ => return weighed,
            }
        }
        self.simplex.weighed_wholly_with(corner)
    }

    /// The origin seems to lie in the tetrahedron.
    fn inside(&mut self) -> GjkEnd {
        (self.v, self.upper, self.lower) = (DVec3::ZERO, 0.0, 0.0);
        if !self.simplex.surely_holds_origin() && self.radii <= self.slack {
            GjkEnd::Open
        } else {
            GjkEnd::Meeting
        }
    }

    /// Whether a common point is proven, once the search is finished.
    #[inline(always)]
    fn is_meeting_for_certain(&self, end: GjkEnd) -> bool {
        self.upper + self.slack < self.radii
            || (end == GjkEnd::Meeting && self.upper <= 0.0)
            || (end == GjkEnd::Open && !self.is_polytopes && self.upper <= 0.0 && !self.is_open)
    }

    #[inline(always)]
    fn answer(&mut self, end: GjkEnd) -> Bounded<Separation> {
        let cores = self.exact_fallback(end);
        self.answer_from(cores)
    }

    /// The answer for cores with these nearest points and this shortest difference.
    #[inline(always)]
    fn answer_from(&self, cores: WitnessPoints) -> Bounded<Separation> {
        let WitnessPoints {
            points: [core_a, core_b],
            v,
            complete,
        } = cores;
        let (radius_a, radius_b) = (self.differences.a.radius(), self.differences.b.radius());
        let radii = radius_a + radius_b;
        let core = self.upper * self.unscale;
        let toward_b = if radii > 0.0 {
            -v.try_normalize().unwrap_or(DVec3::ZERO)
        } else {
            DVec3::ZERO
        };
        let distance = core - radii;
        let value = if distance > 0.0 {
            Separation {
                distance,
                point_a: core_a + toward_b * radius_a,
                point_b: core_b - toward_b * radius_b,
            }
        } else {
            // A point of both: the cores' gap divided in the ratio of the radii.
            let share = if radii > 0.0 { radius_a / radii } else { 0.0 };
            let point = core_a + toward_b * (core * share);
            Separation {
                distance: 0.0,
                point_a: point,
                point_b: point,
            }
        };
        let rounding = self.slack * self.unscale + radii * ROUNDING;
        Bounded {
            value,
            lower: (self.lower.max(0.0) * self.unscale - radii - rounding).max(0.0),
            upper: if self.upper > 0.0 || radii > 0.0 || self.is_open {
                (distance + rounding).max(0.0)
            } else {
                0.0
            },
            outcome: if complete {
                Outcome::Complete
            } else {
                Outcome::OutOfBudget
            },
        }
    }

    #[inline(always)]
    fn remember(&mut self, end: GjkEnd) {
        if self.v != DVec3::ZERO {
            self.cache.direction = Some(self.v);
        }
        self.cache.is_meeting = end == GjkEnd::Meeting && self.radii <= 0.0;
        self.cache.pair_count = self.simplex.len();
        for (slot, corner) in self.cache.pairs.iter_mut().zip(self.simplex.corners()) {
            *slot = corner.vertices;
        }
    }
}
