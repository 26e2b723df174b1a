//! Marches over the first cloud towards the second surface.

use super::answer::SurfaceCrossing;
use super::crossing_search::CrossingFinder;
use super::scratch::CrossingCandidate;
use crate::cloud::kd_tree::distance_sq;
use crate::cloud::{Neighbour, PointId};
use crate::query::{Outcome, Sink};

/// Candidates from which the nearest approach is followed when no bracket was found.
pub(super) const DESCENTS: usize = 3;
/// Strides of each at most.
const STRIDES: usize = 48;
/// Brackets longer than this many spacings are shortened before a path is found.
const CHORD: f64 = 24.0;
/// Steps of that at most.
const CHORDS: usize = 24;
/// A step leaves at most this fraction of the squared length, or it was none.
const SHORTER: f64 = 0.95;

impl CrossingFinder<'_, '_> {
    /// Follows the nearest approach from the best candidates, until the side changes.
    pub(super) fn approach_from_best(&mut self, sink: &mut dyn Sink<SurfaceCrossing>) -> Outcome {
        for _ in 0..DESCENTS {
            if self.cost.is_spent {
                return Outcome::OutOfBudget;
            }
            let Some(best) = take_nearest(&mut self.scratch.seen, self.reach) else {
                break;
            };
            let (from, to) = self.stride(best);
            if let Some(crossing) = self.search(from, to) {
                return if sink.accept(crossing).is_break() {
                    Outcome::StoppedBySink
                } else {
                    Outcome::Complete
                };
            }
        }
        Outcome::Complete
    }

    /// Strides over the first cloud towards the second surface; the last stride, both ends equal where it ended on the same side.
    pub(super) fn stride(
        &mut self,
        start: CrossingCandidate,
    ) -> (CrossingCandidate, CrossingCandidate) {
        let mut at = start;
        let mut is_long = true;
        for _ in 0..STRIDES {
            let Some(next) = self.onwards(&at, is_long) else {
                break;
            };
            let place = self.a.graph.points[next.index()];
            let hint = Some(at.look.nearest);
            let scratch = &mut self.scratch.surface;
            let Some(look) = self.other.look(place, hint, scratch, &mut self.cost) else {
                break;
            };
            let there = CrossingCandidate::new(next, place, look);
            let apart_sq = distance_sq(place, at.place);
            if self.other.is_oriented() && self.is_bracket(&at, &there, apart_sq) {
                return (at, there);
            }
            if look.distance < at.look.distance {
                at = there;
            } else if is_long {
                is_long = false;
            } else {
                break;
            }
        }
        (at, at)
    }

    /// A shorter bracket within a long one: the point of the first cloud nearest to where the chord should cross takes the place of an end.
    ///
    /// The path between ends that are far apart grows with the root of the number of points; chords with its logarithm.
    pub(super) fn shorten(
        &mut self,
        mut from: CrossingCandidate,
        mut to: CrossingCandidate,
    ) -> [CrossingCandidate; 2] {
        let graph = &*self.a.graph;
        let limit = CHORD * graph.spacing(from.point).max(graph.spacing(to.point));
        for _ in 0..CHORDS {
            let apart_sq = distance_sq(from.place, to.place);
            let values = from.look.value.abs() + to.look.value.abs();
            if apart_sq <= limit * limit || values <= 0.0 {
                break;
            }
            let part = (from.look.value.abs() / values).clamp(0.1, 0.9);
            let goal = from.place + (to.place - from.place) * part;
            let known = Neighbour {
                point: from.point,
                distance_sq: distance_sq(from.place, goal),
            };
            let point = graph.tree.nearest_from(goal, known).point;
            let place = graph.points[point.index()];
            let [before, after] = [from, to].map(|end| distance_sq(place, end.place));
            if before.max(after) > SHORTER * apart_sq {
                break;
            }
            self.scratch.route.steps += 1;
            let hint = Some(from.look.nearest);
            let scratch = &mut self.scratch.surface;
            let Some(look) = self.other.look(place, hint, scratch, &mut self.cost) else {
                break;
            };
            let middle = CrossingCandidate::new(point, place, look);
            if self.is_bracket(&from, &middle, before) {
                to = middle;
            } else if self.is_bracket(&middle, &to, after) {
                from = middle;
            } else {
                break;
            }
        }
        [from, to]
    }

    /// The point within a stride, or a neighbour, that lies farthest towards the second surface.
    fn onwards(&self, at: &CrossingCandidate, is_long: bool) -> Option<PointId> {
        let towards = at.look.normal * at.look.value.signum();
        let graph = &*self.a.graph;
        let mut best = (0.0, None);
        let mut offer = |q: PointId| {
            let gain = (graph.points[q.index()] - at.place).dot(towards);
            if gain > best.0 {
                best = (gain, Some(q));
            }
        };
        match self.a.paths().filter(|_| is_long) {
            Some(paths) => paths.from(at.point).iter().for_each(|r| offer(r.point)),
            None => graph.neighbours(at.point).iter().for_each(|&q| offer(q)),
        }
        best.1
    }
}

/// Takes the candidate nearest to the second surface out, with all within this distance of it.
pub(super) fn take_nearest(
    seen: &mut Vec<CrossingCandidate>,
    apart: f64,
) -> Option<CrossingCandidate> {
    let order = |p: &&CrossingCandidate, q: &&CrossingCandidate| {
        let by_distance = p.look.distance.total_cmp(&q.look.distance);
        by_distance.then(p.point.cmp(&q.point))
    };
    let best = *seen.iter().min_by(order)?;
    seen.retain(|s| distance_sq(s.place, best.place) > apart * apart);
    Some(best)
}
