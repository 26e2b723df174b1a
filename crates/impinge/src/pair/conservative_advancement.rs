//! Conservative advancement of two sets of parts.
//!
//! **Question.** When do two moving shapes, at least one of them round, first touch?
//! **Idea.** At a time when two parts are `d` apart along `n`, nothing closes that gap before `d` over the largest closing speed along `n`.
//! The smallest such step over all parts is found by traversing both hierarchies of boxes. Advance by it and repeat.
//! **Source.** Mirtich 1996, *Impulse-based dynamic simulation of rigid body systems*.
//! **Promise.** The shapes are apart before `lower`, rotation included: speeds are bounds for the whole step. So a contact is never
//! jumped over, however thin the parts and however often they turn. `upper` is a time at which the intersection test says that they meet, or
//! by which a point has gone through a face.
//! **Limits.** At [`MAX_ADVANCES`] the time reached is a lower bound and the outcome `OutOfBudget`. Gaps below the
//! tolerance count as contact: one that never closes is reported at the time when it got that small, with no upper bound.

use glam::DVec3;

use super::best_pair::{best_pair, box_gap};
use super::composite::Composite;
use super::convex_piece::{ConvexPiece, PieceCache, gap, radii, rounding};
use super::half_space::HalfSpaceAbove;
use super::item_bvh::{DescentEnd, WorkMeter};
use super::placed_box::reach;
use super::tunnelling::TunnellingTest;
use crate::ccd::relative_pose;
use crate::convex::{HalfSpace, SupportMap};
use crate::math::{Motion, Pose};
use crate::query::{Bounded, FaceId, FacePair, Impact, Outcome};

/// Steps that one query may take.
pub(super) const MAX_ADVANCES: u32 = 20_000;

/// Steps are shortened by this part, for the rounding of normals and poses.
const SHORTER: f64 = 1.0 - 1e-9;

/// Doublings of the last step while looking for a time of overlap.
const PROBES: u32 = 48;

/// Two moving shapes.
#[derive(Debug)]
pub(super) enum MovingShapes {
    Parts(Box<(Composite, Composite, PieceCache)>),
    /// The plane is `a`.
    Plane(HalfSpace, Box<Composite>),
}

/// What holds at one time.
#[derive(Clone, Copy, Debug)]
struct AdvancementState {
    /// Nothing touches for so long.
    step: f64,
    /// The smallest gap of the parts that limit the step.
    gap: f64,
    normal: DVec3,
    point: DVec3,
    faces: FacePair,
    is_whole: bool,
}

impl MovingShapes {
    /// The first contact; `meet` returns whether the shapes meet at a time.
    pub(super) fn impact(
        &mut self,
        motions: [&Motion; 2],
        tolerance: f64,
        meter: &mut WorkMeter<'_>,
        meet: &mut dyn FnMut(f64) -> bool,
    ) -> Bounded<Option<Impact>> {
        let size = self.size();
        let near = tolerance.max(1e-13) * size;
        let mut time = 0.0_f64;
        let unfinished = |lower: f64| Bounded::at_least(lower, Outcome::OutOfBudget);
        for _ in 0..MAX_ADVANCES {
            let Some(now) = self.look(motions, time, near, meter) else {
                return free();
            };
            if !now.is_whole {
                return unfinished(time);
            }
            if now.gap <= near {
                let passing = self.passing(&now, motions);
                return touching(time, &now, near, motions, passing.as_ref(), meet);
            }
            time += now.step;
            if time > 1.0 || time.is_nan() {
                return free();
            }
        }
        unfinished(time)
    }

    /// The point and the face that are about to touch, when they are such.
    fn passing<'m>(
        &self,
        now: &AdvancementState,
        motions: [&'m Motion; 2],
    ) -> Option<TunnellingTest<'m>> {
        let Self::Parts(pair) = self else {
            return None;
        };
        let (a, b) = (
            pair.0.part(now.faces.a.raw()),
            pair.1.part(now.faces.b.raw()),
        );
        TunnellingTest::new([&a, &b], motions)
    }

    fn size(&self) -> f64 {
        let diagonal = |parts: &Composite| parts.whole().diagonal().length();
        let size = match self {
            Self::Parts(pair) => diagonal(&pair.0) + diagonal(&pair.1),
            Self::Plane(_, other) => diagonal(other),
        };
        size.max(f64::MIN_POSITIVE)
    }

    /// How long nothing touches from a time on; none when it never does.
    fn look(
        &mut self,
        motions: [&Motion; 2],
        time: f64,
        near: f64,
        meter: &mut WorkMeter<'_>,
    ) -> Option<AdvancementState> {
        let world_from_a = motions[0].at(time);
        let a_from_b = relative_pose(motions[0], motions[1], time);
        match self {
            Self::Parts(pair) => {
                let (a, b, cache) = &mut **pair;
                let centers = motions.map(Motion::center);
                let fastest = motions[0].max_speed(reach(&a.whole(), centers[0]))
                    + motions[1].max_speed(reach(&b.whole(), centers[1]));
                let fastest = fastest.max(f64::MIN_POSITIVE);
                let mut best: Option<AdvancementState> = None;
                let bound = |p: &crate::bound::Aabb, q: &crate::bound::Aabb| {
                    ((box_gap(p, q) - near).max(0.0)) * SHORTER / fastest
                };
                // Beyond the end of the motion nothing is of interest.
                let horizon = (1.0 - time).max(0.0).next_up();
                let searched = best_pair(a, b, &a_from_b, horizon, meter, &bound, &mut |i, j| {
                    let (part_a, part_b) = (a.part(i), b.part(j));
                    let found = gap(&part_a, &part_b, &a_from_b, cache);
                    let between = found.value.point_b - found.value.point_a;
                    let normal = world_from_a.transform_vector(between.normalize_or_zero());
                    let radius_a = reach(&part_a.bounds(), centers[0]);
                    let radius_b = reach(&part_b.bounds(), centers[1]);
                    // The distance closes no faster than any two points can; the gap between the planes across `normal`
                    // no faster than along it.
                    let any_way = motions[0].max_speed(radius_a) + motions[1].max_speed(radius_b);
                    let closing = motions[0].max_speed_along(normal, radius_a)
                        + motions[1].max_speed_along(-normal, radius_b);
                    let planes = plane_gap(&part_a, &part_b, &a_from_b, between);
                    let step = if found.lower <= near {
                        0.0
                    } else if planes > 0.0 && closing <= 0.0 {
                        f64::INFINITY
                    } else {
                        let straight = found.lower / any_way;
                        straight.max(planes / closing) * SHORTER
                    };
                    let best_step = best.map_or(horizon, |best| best.step);
                    let is_nearer =
                        best.is_some_and(|best| step == best.step && found.lower < best.gap);
                    if step < best_step || is_nearer {
                        best = Some(AdvancementState {
                            step,
                            gap: found.lower,
                            normal,
                            point: world_from_a * found.value.point_a,
                            faces: FacePair {
                                a: FaceId::new(i),
                                b: FaceId::new(j),
                            },
                            is_whole: true,
                        });
                    }
                    best.map_or(horizon, |best| best.step)
                });
                if searched.ended != DescentEnd::Complete {
                    return Some(AdvancementState {
                        step: 0.0,
                        gap: f64::INFINITY,
                        normal: DVec3::ZERO,
                        point: DVec3::ZERO,
                        faces: FacePair {
                            a: FaceId::new(0),
                            b: FaceId::new(0),
                        },
                        is_whole: false,
                    });
                }
                best
            }
            Self::Plane(plane, other) => {
                let above = HalfSpaceAbove::new(plane, &a_from_b);
                let (lowest, searched) = above.lowest(other, f64::INFINITY, meter);
                let (part, height) = lowest?;
                let whole = other.whole();
                let radius = reach(&whole, motions[1].center());
                let normal = world_from_a.transform_vector(plane.normal());
                let closing = if motions[0].angle() == 0.0 {
                    motions[0].max_speed_along(normal, 0.0)
                        + motions[1].max_speed_along(-normal, radius)
                } else {
                    // The plane turns: its points where the other shape is may move this fast.
                    let far = motions[0].farthest(motions[0].center().length())
                        + motions[1].farthest(reach(&whole, DVec3::ZERO));
                    motions[0].max_speed(far) + motions[1].max_speed(radius)
                };
                let low = height.height - above.rounding(&whole);
                let step = if low <= near {
                    0.0
                } else if closing <= 0.0 {
                    return None;
                } else {
                    low * SHORTER / closing
                };
                Some(AdvancementState {
                    step,
                    gap: low,
                    normal,
                    point: world_from_a * height.foot,
                    faces: FacePair {
                        a: FaceId::new(0),
                        b: FaceId::new(part),
                    },
                    is_whole: searched.ended == DescentEnd::Complete,
                })
            }
        }
    }
}

/// Lower bound on the gap between two convex pieces along a direction; negative when their projections overlap.
fn plane_gap(a: &ConvexPiece, b: &ConvexPiece, a_from_b: &Pose, direction: DVec3) -> f64 {
    let Some(n) = direction.try_normalize() else {
        return 0.0;
    };
    let p = a.support_certain(n).point;
    let q = *a_from_b
        * b.support_certain(a_from_b.rotation().transpose() * -n)
            .point;
    n.dot(q - p) - radii(a, b) - rounding(a, b, a_from_b)
}

/// The answer for a motion without contact.
pub(super) fn free() -> Bounded<Option<Impact>> {
    Bounded::at_least(1.0, Outcome::Complete)
}

/// The answer for shapes that are as good as touching: looks for a time shortly after at which they meet, or by which they have.
fn touching(
    time: f64,
    now: &AdvancementState,
    near: f64,
    motions: [&Motion; 2],
    passing: Option<&TunnellingTest<'_>>,
    meet: &mut dyn FnMut(f64) -> bool,
) -> Bounded<Option<Impact>> {
    let mut has_met =
        |from: f64, to: f64| meet(to) || passing.is_some_and(|passing| passing.happens(from, to));
    let impact = |at: f64| Impact {
        time: at,
        point: now.point,
        normal: now.normal,
        faces: now.faces,
    };
    let answer = |at: f64, upper: f64, outcome| Bounded {
        value: Some(impact(at)),
        lower: time,
        upper,
        outcome,
    };
    if has_met(time, time) {
        return answer(time, time, Outcome::Complete);
    }
    // At full speed the gap closes within about this time.
    let speed = motions[0].max_speed_along(now.normal, 0.0).abs()
        + motions[1].max_speed_along(-now.normal, 0.0).abs()
        + motions[0].angle()
        + motions[1].angle();
    let mut step = (near / speed.max(f64::MIN_POSITIVE)).clamp(1e-15, 1e-3);
    let (mut before, mut after) = (time, None);
    for _ in 0..PROBES {
        let probe = (time + step).min(1.0);
        if has_met(time, probe) {
            after = Some(probe);
            break;
        }
        before = probe;
        if probe >= 1.0 {
            break;
        }
        step *= 2.0;
        if step > 1e-2 {
            break;
        }
    }
    let Some(mut after) = after else {
        return answer(time, f64::INFINITY, Outcome::OutOfBudget);
    };
    for _ in 0..PROBES {
        let middle = 0.5 * (before + after);
        if middle <= before || middle >= after {
            break;
        }
        if has_met(time, middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    let outcome = if after - time <= 1e-6 {
        Outcome::Complete
    } else {
        Outcome::OutOfBudget
    };
    answer(after, after, outcome)
}
