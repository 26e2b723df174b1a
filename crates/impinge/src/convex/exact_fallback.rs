//! Decides what GJK leaves open: in integers for polytopes, by the faces of an expanding polytope for round shapes.

use glam::DVec3;

use super::epa::{Epa, EpaPlace};
use super::exact_gjk::{ExactDecision, ExactGoal, decide};
use super::gjk::{Gjk, GjkEnd, WitnessPoints, cold};
use super::pair_setup::ROUNDING;
use super::round_fallback::OriginPosition;
use super::simplex::Simplex;
use super::support_map::SupportMap;

/// A gap between the bounds below which an answer counts as complete.
const COMPLETE: f64 = 1e-9;

/// A gap between the bounds beyond which round shapes are finished by sides, so that the answer is far within what is promised.
const ROUND_AGREEMENT: f64 = 1e-11;

/// A gap between the bounds beyond which two polytopes are finished in integers.
const POLYTOPE_AGREEMENT: f64 = 1e-13;

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Gjk<'_, A, B> {
    /// Whether the shapes meet, where the search leaves it open.
    #[cold]
    pub(super) fn intersects_exactly(&mut self) -> bool {
        if self.is_polytopes && self.radii <= 0.0 {
            return self.decide(ExactGoal::Proof).meets();
        }
        // The number that the distance is told from.
        let differences = &self.differences;
        let scratch = &mut self.cache.scratch;
        cold(differences.a, differences.b, differences.pose, scratch).lower <= 0.0
    }

    /// Finishes two polytopes in integers.
    #[cold]
    fn decide(&mut self, goal: ExactGoal) -> ExactDecision {
        self.cache.exact_decisions += 1;
        let differences = &self.differences;
        let [vertices_a, vertices_b] = &mut self.cache.scratch.get().vertices;
        let count = differences.a.vertex_count().unwrap_or(0);
        vertices_a.clear();
        vertices_a.extend((0..count).map(|i| differences.a.vertex(i)));
        let count = differences.b.vertex_count().unwrap_or(0);
        vertices_b.clear();
        vertices_b.extend((0..count).map(|j| *differences.pose * differences.b.vertex(j)));
        let mut start = [[0; 2]; 4];
        for (slot, corner) in start.iter_mut().zip(self.simplex.corners()) {
            *slot = corner.vertices;
        }
        let decision = decide(vertices_a, vertices_b, &start[..self.simplex.len()], goal);
        self.simplex = Simplex::default();
        for ([i, j], _) in decision.pairs() {
            let corner = self.differences.of_vertices([i, j]);
            self.simplex.push(corner);
        }
        decision
    }

    /// The nearest points of the cores, with what the bounds left open decided.
    #[inline(always)]
    pub(super) fn exact_fallback(&mut self, end: GjkEnd) -> WitnessPoints {
        if end == GjkEnd::Open && self.is_polytopes && self.needs_integers() {
            return self.finish_exactly();
        }
        if end == GjkEnd::Open && !self.is_polytopes && (self.is_gap_open() || self.is_loose()) {
            return self.finish_by_sides();
        }
        WitnessPoints {
            points: self.simplex.points(),
            v: self.v * self.unscale,
            // Where the radii overlap the distance is 0, wherever the cores are.
            complete: self.upper + self.slack < self.radii
                || self.upper - self.lower <= COMPLETE * self.upper.max(1.0),
        }
    }

    /// Whether the bounds leave open that the shapes meet, and are not yet as near to each other as rounding allows.
    fn is_gap_open(&self) -> bool {
        let is_closed = self.upper > 0.0 && self.upper - self.lower <= self.slack;
        !is_closed && self.lower - self.slack <= self.radii && self.upper + self.slack >= self.radii
    }

    /// Whether the bounds are farther apart than a distance is to be known, where there is one.
    fn is_loose(&self) -> bool {
        self.upper + self.slack >= self.radii
            && self.upper - self.lower > self.slack.max(ROUND_AGREEMENT * self.upper.max(1.0))
    }

    /// Where the origin stands to the body of differences, by the sides of a polytope.
    fn standing(&mut self) -> OriginPosition {
        let differences = &self.differences;
        let place = EpaPlace {
            pose: differences.pose,
            scale: self.scale,
            slack: self.slack,
        };
        let scratch = &mut self.cache.scratch.get().epa;
        let epa = Epa::new(differences.a, differences.b, place, &self.simplex, scratch);
        epa.standing(self.radii.max(self.upper - self.slack))
    }

    #[cold]
    fn finish_by_sides(&mut self) -> WitnessPoints {
        let standing = self.standing();
        let mut points = self.simplex.points();
        // What is proven apart stays so, however near to the border the origin seems.
        let is_apart = self.lower - self.slack > 0.0;
        if !is_apart && (standing.is_inside || standing.is_on_border) {
            (self.v, self.upper, self.lower) = (DVec3::ZERO, 0.0, 0.0);
        } else if let Some((nearest, own)) = standing.nearest {
            // The simplex ended inside by mistake, or farther away.
            if self.upper <= 0.0 || nearest.length() < self.upper {
                (self.v, self.upper, points) = (nearest, nearest.length(), own);
            }
            self.lower = self.lower.max(standing.gap).min(self.upper);
        }
        self.is_open = is_apart || !standing.is_inside;
        WitnessPoints {
            points,
            v: self.v / self.scale,
            complete: self.upper - self.lower <= COMPLETE * self.upper.max(1.0),
        }
    }

    /// Whether the bounds of two polytopes, with a certain support point, leave anything open.
    #[inline(always)]
    fn needs_integers(&mut self) -> bool {
        if self.upper <= f64::EPSILON {
            return true;
        }
        if !self.is_certain {
            let corner = self.corner_certain(self.v);
            self.lower = self.v.dot(corner.y) / self.upper;
        }
        let plane = self.lower;
        plane <= self.slack || self.upper - plane > POLYTOPE_AGREEMENT * self.upper.max(1.0)
    }

    #[cold]
    fn finish_exactly(&mut self) -> WitnessPoints {
        let decision = self.decide(ExactGoal::Gap);
        let mut points = [DVec3::ZERO; 2];
        for ([i, j], weight) in decision.pairs() {
            points[0] += self.differences.a.vertex(i) * weight;
            points[1] += *self.differences.pose * self.differences.b.vertex(j) * weight;
        }
        let v = decision.gap.unwrap_or(DVec3::ZERO);
        self.v = v * self.scale;
        self.upper = self.v.length();
        self.lower = self.upper;
        if decision.meets() {
            // The two points are one, rounded twice.
            points[1] = points[0];
            self.slack = 0.0;
        } else {
            // Accurate in itself, not only in terms of the coordinates.
            self.slack = self.upper * ROUNDING;
        }
        WitnessPoints {
            points,
            v,
            complete: true,
        }
    }
}
