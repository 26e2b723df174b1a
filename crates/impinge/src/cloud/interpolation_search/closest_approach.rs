//! Closest approach of two surfaces.
//!
//! **Question.** How far apart are two surfaces, and where?
//! **Idea.** The starts are the nearest points of the two clouds, if the surfaces do not cross, and
//! points reached by marching from some candidates. From each start, a point of either surface
//! slides in its tangent plane towards the other point, and back onto its surface, in turn.
//! **Cost.** One search in both trees, some dozen evaluations per start.
//! **Promise.** The points lie on the surfaces up to the tolerance. It is likely, not proven, that
//! no others are nearer, so the result is an estimate without bounds.

use glam::DVec3;

use super::candidates::usual_spacing;
use super::crossing_search::{CrossingFinder, find_crossings};
use super::options::InterpolationSearchOptions;
use super::scratch::InterpolationSearchScratch;
use super::second_surface::{EvaluationBudget, SecondSurface, evaluate_near};
use super::surface_march::{DESCENTS, take_nearest};
use crate::bound::Aabb;
use crate::cloud::kd_tree::{KdNode, distance_sq};
use crate::cloud::{CloudSurface, PointId};
use crate::math::Pose;
use crate::query::{First, Limits, Outcome, Separation, Verdict};

/// Turns at most.
const TURNS: usize = 60;
/// Turns end when both points together move less than this fraction of the spacing.
const STILL: f64 = 1e-4;
/// Pairs of nodes between two checks of the limits.
const ASK_EVERY: u64 = 256;

/// How near two surfaces come, as an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosestApproach {
    /// The nearest points that were found, in the frame of `a`; none when a cloud is empty or has no surface there, nothing is within the distance of interest, or a limit ended the search for crossings. When a limit came later, as the outcome says, others may be much nearer.
    pub separation: Option<Separation>,
    /// Whether the surfaces cross, as [`CrossingResult::verdict`](super::CrossingResult::verdict).
    pub verdict: Verdict,
    /// Evaluations of f_a and f_b.
    pub evaluations: u64,
    /// Whether everything was examined.
    pub outcome: Outcome,
}

/// How near two surfaces come: 0 where they cross, otherwise the smallest distance that was found.
///
/// ```
/// use impinge::{Pose, cloud::*, math::Rng, query::Limits};
/// let mut rng = Rng::new(1);
/// let ball = PointCloud::from_points((0..3000).map(|_| rng.direction()))?;
/// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
/// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
/// let pose = Pose::from_translation([2.5, 0.0, 0.0]).unwrap();
/// let mut scratch = InterpolationSearchScratch::default();
/// let found = closest_approach(&surface, &surface, &pose, &InterpolationSearchOptions::default(), Limits::default(), &mut scratch);
/// assert!((found.separation.unwrap().distance - 0.5).abs() < 0.02);
/// assert!(!found.verdict.answer);
/// # Ok::<(), CloudError>(())
/// ```
pub fn closest_approach(
    a: &CloudSurface,
    b: &CloudSurface,
    a_from_b: &Pose,
    options: &InterpolationSearchOptions,
    limits: Limits<'_>,
    scratch: &mut InterpolationSearchScratch,
) -> ClosestApproach {
    let before = scratch.surface.evaluations;
    let mut first = First::default();
    let search = find_crossings(a, b, a_from_b, None, options, limits, scratch, &mut first);
    let mut approach = ClosestApproach {
        separation: first.0.map(|crossing| Separation::touching(crossing.point)),
        verdict: search.verdict,
        evaluations: 0,
        outcome: match search.outcome {
            Outcome::OutOfBudget => Outcome::OutOfBudget,
            _ => Outcome::Complete,
        },
    };
    if approach.separation.is_none() && approach.outcome == Outcome::Complete {
        let mut finder = CrossingFinder {
            a,
            other: SecondSurface::new(b, a_from_b),
            options,
            scratch: &mut *scratch,
            cost: EvaluationBudget::default(),
            reach: 0.0,
            brackets: 0,
            certainty: None,
        };
        (approach.separation, approach.outcome) = finder.approach(limits);
    }
    approach.evaluations = scratch.surface.evaluations - before;
    approach
}

impl CrossingFinder<'_, '_> {
    fn approach(&mut self, limits: Limits<'_>) -> (Option<Separation>, Outcome) {
        let (nearest, outcome) = self.nearest_points(limits);
        let Some(start) = nearest else {
            return (None, outcome);
        };
        let mut best: Option<Separation> = None;
        let mut offer = |found: Option<Separation>| {
            if let Some(found) = found
                && best.is_none_or(|b| found.distance < b.distance)
            {
                best = Some(found);
            }
        };
        offer(self.slide(start));
        // Points that saw the second surface from elsewhere.
        if let Some(mut batch) = self.begin(None) {
            self.draw_rest(&mut batch);
            let drawn = std::mem::take(&mut self.scratch.draw.drawn);
            for &point in &drawn {
                if let Some(candidate) = self.meet(point) {
                    self.scratch.seen.push(candidate);
                }
            }
            self.scratch.draw.drawn = drawn;
            for _ in 0..DESCENTS {
                let Some(start) = take_nearest(&mut self.scratch.seen, self.reach) else {
                    break;
                };
                let (_, end) = self.stride(start);
                offer(self.slide([end.point, end.look.nearest]));
            }
        }
        let best = best.filter(|found| found.distance <= limits.within());
        (best, outcome)
    }

    /// The nearest two points of the clouds, unless they are beyond the distance of interest.
    fn nearest_points(&mut self, limits: Limits<'_>) -> (Option<[PointId; 2]>, Outcome) {
        let (tree_a, tree_b) = (&self.a.graph.tree, &self.other.surface.graph.tree);
        let mut best: Option<[PointId; 2]> = None;
        // Surfaces are off their points by up to some spacings.
        let slack = usual_spacing(&self.a.graph) + usual_spacing(&self.other.surface.graph);
        let within = limits.within() + 4.0 * slack;
        let mut best_sq = within * within;
        if tree_a.is_empty() || tree_b.is_empty() {
            return (None, Outcome::Complete);
        }
        let (pose, mut visited) = (&self.other.a_from_b, 0);
        let pairs = &mut self.scratch.pairs;
        pairs.clear();
        pairs.push((0, 0, 0.0));
        while let Some((i, j, bound)) = pairs.pop() {
            if bound >= best_sq {
                continue;
            }
            visited += 1;
            if visited % ASK_EVERY == 0 && (!limits.allows(visited) || limits.is_stopped()) {
                return (best, Outcome::OutOfBudget);
            }
            let (node_a, node_b) = (&tree_a.nodes[i as usize], &tree_b.nodes[j as usize]);
            if node_a.is_leaf() && node_b.is_leaf() {
                for slot_b in tree_b.bucket(node_b) {
                    let place = *pose * slot_b.place;
                    for slot_a in tree_a.bucket(node_a) {
                        let found = distance_sq(place, slot_a.place);
                        if found < best_sq {
                            best_sq = found;
                            best = Some([PointId::new(slot_a.id), PointId::new(slot_b.id)]);
                        }
                    }
                }
                continue;
            }
            let mut next = KdNode::divided([node_a, node_b], [i, j]);
            for pair in &mut next {
                let box_a = box_of(&tree_a.nodes[pair.0 as usize]);
                let box_b = box_of(&tree_b.nodes[pair.1 as usize]);
                // Rounding of the box must not hide a pair.
                pair.2 = box_a.distance_sq_to(&box_b.transformed(pose)) * (1.0 - 1e-12);
            }
            // The nearer one is on top.
            if next[0].2 < next[1].2 {
                next.swap(0, 1);
            }
            pairs.extend_from_slice(&next);
        }
        (best, Outcome::Complete)
    }

    /// Two points that slide towards each other on their surfaces; none where a surface is undefined or ends before they rest.
    fn slide(&mut self, start: [PointId; 2]) -> Option<Separation> {
        let (graph_a, graph_b) = (&*self.a.graph, &*self.other.surface.graph);
        let spacing = [graph_a.spacing(start[0]), graph_b.spacing(start[1])];
        let scratch = &mut self.scratch.surface;
        let mut near = start;
        let mut x = graph_a.points[start[0].index()];
        let mut y = self.other.a_from_b * graph_b.points[start[1].index()];
        let mut best: Option<Separation> = None;
        for _ in 0..TURNS {
            let (old_x, old_y) = (x, y);
            let (at, found) = evaluate_near(self.a, x, near[0], scratch)?;
            near[0] = found;
            x = slid(x, y, at.normal, at.value, spacing[0]);
            let (on_x, found) = evaluate_near(self.a, x, near[0], scratch)?;
            near[0] = found;
            x += on_x.normal * on_x.value;
            let (at, found) = self.other.evaluate(y, near[1], scratch)?;
            near[1] = found;
            y = slid(y, x, at.normal, at.value, spacing[1]);
            let (on_y, found) = self.other.evaluate(y, near[1], scratch)?;
            near[1] = found;
            y += on_y.normal * on_y.value;
            if on_x.is_beyond_border || on_y.is_beyond_border {
                // The surface ends here: what was best before it did is the answer.
                break;
            }
            let distance = (x - y).length();
            let is_better = best.is_none_or(|b| distance < b.distance);
            if is_better {
                best = Some(Separation {
                    distance,
                    point_a: x,
                    point_b: y,
                });
            }
            let moved = (x - old_x).length() + (y - old_y).length();
            if moved <= STILL * (spacing[0] + spacing[1]) {
                break;
            }
        }
        best
    }
}

/// A point of a surface moved onto it and, in its tangent plane, towards a goal, by two spacings at most.
fn slid(x: DVec3, goal: DVec3, normal: DVec3, value: f64, spacing: f64) -> DVec3 {
    let towards = goal - x;
    let along = towards - normal * towards.dot(normal);
    x + normal * value + along.clamp_length_max(2.0 * spacing)
}

fn box_of(node: &KdNode) -> Aabb {
    Aabb {
        min: node.min,
        max: node.max,
    }
}
