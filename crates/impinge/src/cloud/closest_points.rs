//! The two nearest points of two clouds.
//!
//! **Question.** How far apart are two clouds, and which points are nearest?
//! **Idea.** Simultaneous traversal of both trees, the larger box first and the nearer children
//! before the farther; boxes that are farther apart than the best two points found are pruned.
//! **Cost.** A few thousand boxes for clouds that are apart; for clouds that lie in one another,
//! about as many as there are points near the other cloud.
//! **Promise.** The distance equals that of comparing every point with every placed point, to the
//! last bit. Of equally near pairs the first is returned: the smallest number in the first cloud,
//! then in the second.

use glam::DVec3;

use super::kd_tree::{KdTree, distance_sq};
use super::point_cloud::PointId;
use crate::bound::Aabb;
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome, Separation};

/// Pairs of boxes between two checks of [`Limits::stop`].
const VISITS_PER_LOOK: u64 = 64;

/// Squared distances below this have lost digits, and are measured again.
const TINY_SQ: f64 = 1e-290;

/// A point of each of two clouds, and how far apart they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// The point of the first cloud.
    pub a: PointId,
    /// The point of the second.
    pub b: PointId,
    /// Their distance and places, in the frame of the first.
    pub separation: Separation,
}

/// Two nodes that are still to be visited.
#[derive(Clone, Copy, Debug)]
struct OpenPair {
    at_least_sq: f64,
    a: u32,
    b: u32,
    /// Around the placed points of `b`.
    placed: Aabb,
}

/// The nearest pair so far.
#[derive(Clone, Copy, Debug)]
struct BestPair {
    distance_sq: f64,
    ids: [u32; 2],
    points: [DVec3; 2],
}

/// Memory of a search, kept between searches so that they do not allocate.
#[derive(Debug, Default)]
pub(crate) struct ClosestPointsScratch {
    open: Vec<OpenPair>,
    moved: Vec<(u32, DVec3)>,
}

impl KdTree {
    /// The nearest two points of this cloud and another, placed one; none when nothing is within [`Limits::max_distance`], when a cloud has no points,
    /// or when a limit was met before two points were seen.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, cloud::KdTree, query::Limits};
    /// let (a, b) = (KdTree::new(&[DVec3::ZERO, DVec3::X]), KdTree::new(&[DVec3::Y, DVec3::ZERO]));
    /// let found = a.closest_points(&b, &Pose::from_translation([4.0, 0.0, 0.0])?, Limits::default());
    /// let nearest = found.value.ok_or("no points")?;
    /// assert_eq!((nearest.a.raw(), nearest.b.raw(), nearest.separation.distance), (1, 1, 3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn closest_points(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
    ) -> Bounded<Option<ClosestPoints>> {
        let mut scratch = ClosestPointsScratch::default();
        self.closest_points_with(other, self_from_other, limits, &mut scratch)
    }

    /// The same with memory of an earlier search.
    pub(crate) fn closest_points_with(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        scratch: &mut ClosestPointsScratch,
    ) -> Bounded<Option<ClosestPoints>> {
        let within = limits.within();
        let (Some(top_a), Some(top_b)) = (self.top(), other.top()) else {
            return none_within(within, Outcome::Complete);
        };
        if within < 0.0 {
            return none_within(0.0, Outcome::Complete);
        }
        let mut best = BestPair {
            // Rounding of the square must not hide what the root would show.
            distance_sq: within * within * (1.0 + 1e-15) + f64::MIN_POSITIVE,
            ids: [u32::MAX; 2],
            points: [DVec3::ZERO; 2],
        };
        let placed = other.node_bounds(top_b).transformed(self_from_other);
        let ClosestPointsScratch { open, moved } = scratch;
        open.clear();
        open.push(OpenPair {
            at_least_sq: self.node_bounds(top_a).distance_sq_to(&placed),
            a: top_a,
            b: top_b,
            placed,
        });
        let mut spent = 0_u64;
        let mut visits = 0_u64;
        while let Some(next) = open.pop() {
            if !self.matters(other, &next, &best) {
                continue;
            }
            visits += 1;
            let is_stopped = visits.is_multiple_of(VISITS_PER_LOOK) && limits.is_stopped();
            if !limits.allows(spent) || is_stopped {
                let unseen = open
                    .iter()
                    .fold(next.at_least_sq, |m, o| m.min(o.at_least_sq));
                let answer = best.answer(within, Outcome::OutOfBudget);
                return Bounded {
                    lower: answer.lower.min(unseen.sqrt() * BELOW),
                    ..answer
                };
            }
            spent += 1;
            let own = self.node_bounds(next.a);
            let halves_b = other.halves(next.b);
            let opens_a = match (self.halves(next.a), halves_b) {
                (None, None) => {
                    moved.clear();
                    moved.extend(
                        other
                            .points_of(next.b)
                            .map(|(id, q)| (id, *self_from_other * q)),
                    );
                    for (id, p) in self.points_of(next.a) {
                        spent += moved.len() as u64;
                        for &(other_id, q) in moved.iter() {
                            best.offer([id, other_id], [p, q]);
                        }
                    }
                    continue;
                }
                (Some(halves), None) => Some(halves),
                (Some(halves), Some(_)) => {
                    let is_larger = own.surface_area() >= next.placed.surface_area();
                    is_larger.then_some(halves)
                }
                (None, Some(_)) => None,
            };
            let pair = match (opens_a, halves_b) {
                (Some(halves), _) => halves.map(|a| OpenPair {
                    at_least_sq: self.node_bounds(a).distance_sq_to(&next.placed),
                    a,
                    ..next
                }),
                (None, Some(halves)) => halves.map(|b| {
                    let placed = other.node_bounds(b).transformed(self_from_other);
                    OpenPair {
                        at_least_sq: own.distance_sq_to(&placed),
                        b,
                        placed,
                        ..next
                    }
                }),
                (None, None) => continue,
            };
            let key =
                |open: &OpenPair| (open.at_least_sq, self.lowest(open.a), other.lowest(open.b));
            let [near, far] = if key(&pair[1]) < key(&pair[0]) {
                [pair[1], pair[0]]
            } else {
                pair
            };
            open.extend([far, near]);
        }
        best.answer(within, Outcome::Complete)
    }

    fn lowest(&self, node: u32) -> u32 {
        self.nodes[node as usize].lowest
    }

    /// Whether two nodes may hold a pair that comes before the best.
    fn matters(&self, other: &Self, open: &OpenPair, best: &BestPair) -> bool {
        open.at_least_sq < best.distance_sq
            || (open.at_least_sq == best.distance_sq
                && [self.lowest(open.a), other.lowest(open.b)] < best.ids)
    }
}

/// A distance is multiplied by this, for its rounding.
const BELOW: f64 = 1.0 - 8.0 * f64::EPSILON;
const ABOVE: f64 = 1.0 + 8.0 * f64::EPSILON;

impl BestPair {
    fn offer(&mut self, ids: [u32; 2], points: [DVec3; 2]) {
        let [p, q] = points;
        let mut apart_sq = distance_sq(p, q);
        if apart_sq == 0.0 && p != q {
            // The square is too small to be told from 0, the points are not the same.
            apart_sq = f64::from_bits(1);
        }
        if apart_sq < self.distance_sq || (apart_sq == self.distance_sq && ids < self.ids) {
            *self = Self {
                distance_sq: apart_sq,
                ids,
                points,
            };
        }
    }

    fn answer(&self, within: f64, outcome: Outcome) -> Bounded<Option<ClosestPoints>> {
        let [a, b] = self.ids;
        let [point_a, point_b] = self.points;
        let distance = if self.distance_sq < TINY_SQ {
            let off = point_b - point_a;
            let largest = off.abs().max_element();
            if largest > 0.0 {
                largest * (off / largest).length()
            } else {
                0.0
            }
        } else {
            self.distance_sq.sqrt()
        };
        if a == u32::MAX || distance > within {
            return none_within(within, outcome);
        }
        Bounded {
            value: Some(ClosestPoints {
                a: PointId::new(a),
                b: PointId::new(b),
                separation: Separation {
                    distance,
                    point_a,
                    point_b,
                },
            }),
            lower: distance * BELOW,
            upper: distance * ABOVE,
            outcome,
        }
    }
}

/// The answer when nothing was seen within a distance.
fn none_within(within: f64, outcome: Outcome) -> Bounded<Option<ClosestPoints>> {
    Bounded::at_least(within.max(0.0), outcome)
}
