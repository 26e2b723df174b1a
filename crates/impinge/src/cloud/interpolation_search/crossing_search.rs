//! The search for crossings.

use glam::DVec3;

use super::answer::{CrossingResult, SurfaceCrossing};
use super::candidates::{SharedBox, usual_spacing};
use super::crossing_refinement::{BothSurfaces, IntersectionBall};
use super::options::{BracketCompletion, InterpolationSearchOptions, RootSearchRule};
use super::root_search::{ProbeRule, SignChange, narrow, smallest};
use super::scratch::{CrossingCandidate, InterpolationSearchScratch};
use super::second_surface::{EvaluationBudget, SecondSurface};
use super::surfels::{SurfelSizes, chance_of_all};
use crate::cloud::kd_tree::distance_sq;
use crate::cloud::{CloudSurface, PointId};
use crate::math::{Pose, Rng};
use crate::query::{Limits, Outcome, Sink, Verdict};

/// A path along the surface is at most about this much longer than straight.
const STRETCH: f64 = 1.5;
/// The second surface is at most this many spacings from its nearest point.
const SLACK: f64 = 4.0;
/// The required |f_a| + |f_b|, and what is accepted, in the sum of both spacings.
pub(super) const ASKED: f64 = 0.01;
pub(super) const ACCEPTED: f64 = 0.05;
/// No method that samples is surer than this.
const SUREST: f64 = 0.99;

/// Reports places where two surfaces cross, and whether they do at all.
///
/// Points of `a` in the common region are drawn at random, or of `among` if that is given. Where two of them that are close along the surface lie on different sides of `b`, the root between them is narrowed
/// down on a path along the surface of `a` and refined on both surfaces. Each candidate has one bracket or two, so a whole search gives a sampled curve of crossings; a sink that breaks ends at the first.
///
/// `limits` count evaluations and lookups together; distance is not limited.
///
/// ```
/// use impinge::{DVec3, Pose, cloud::*, math::Rng, query::{First, Limits}};
/// let mut rng = Rng::new(1);
/// let ball = PointCloud::from_points((0..2000).map(|_| rng.direction()))?;
/// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
/// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
/// let mut scratch = InterpolationSearchScratch::default();
/// let mut meet = |x: f64| {
///     let pose = Pose::from_translation([x, 0.0, 0.0]).unwrap();
///     let mut first = First::default();
///     let options = InterpolationSearchOptions::default();
///     let found = find_crossings(&surface, &surface, &pose, None, &options, Limits::default(), &mut scratch, &mut first);
///     (found.verdict.answer, first.0)
/// };
/// let (crosses, first) = meet(1.0);
/// assert!(crosses && (first.unwrap().point.x - 0.5).abs() < 0.02);
/// assert!(!meet(2.1).0);
/// # Ok::<(), CloudError>(())
/// ```
#[expect(
    clippy::too_many_arguments,
    reason = "two surfaces, where they are, what to look at, how, how long, with what memory, and where results go"
)]
#[doc(alias = "interpolation search")]
pub fn find_crossings(
    a: &CloudSurface,
    b: &CloudSurface,
    a_from_b: &Pose,
    among: Option<&[PointId]>,
    options: &InterpolationSearchOptions,
    limits: Limits<'_>,
    scratch: &mut InterpolationSearchScratch,
    sink: &mut dyn Sink<SurfaceCrossing>,
) -> CrossingResult {
    let (evaluations, steps) = (scratch.surface.evaluations, scratch.route.steps);
    let mut finder = CrossingFinder {
        a,
        other: SecondSurface::new(b, a_from_b),
        options,
        cost: EvaluationBudget::within(limits, &scratch.surface),
        scratch: &mut *scratch,
        reach: 0.0,
        brackets: 0,
        certainty: None,
    };
    let (verdict, outcome) = finder.run(among, sink);
    let (lookups, brackets) = (finder.cost.lookups, finder.brackets);
    CrossingResult {
        verdict,
        evaluations: scratch.surface.evaluations - evaluations,
        lookups,
        path_steps: scratch.route.steps - steps,
        brackets,
        outcome,
    }
}

/// What candidates are drawn from, and what they stand for.
pub(super) struct CandidateBatch<'x> {
    among: Option<&'x [PointId]>,
    overlap: SharedBox,
    rng: Rng,
    sizes: SurfelSizes,
    is_all: bool,
}

pub(super) struct CrossingFinder<'a, 's> {
    pub(super) a: &'a CloudSurface,
    pub(super) other: SecondSurface<'a>,
    pub(super) options: &'s InterpolationSearchOptions,
    pub(super) scratch: &'s mut InterpolationSearchScratch,
    pub(super) cost: EvaluationBudget<'s>,
    /// How far apart the ends of a bracket may be.
    pub(super) reach: f64,
    pub(super) brackets: u64,
    /// How sure the surest crossing is.
    pub(super) certainty: Option<f64>,
}

impl CrossingFinder<'_, '_> {
    fn run(
        &mut self,
        among: Option<&[PointId]>,
        sink: &mut dyn Sink<SurfaceCrossing>,
    ) -> (Verdict, Outcome) {
        let Some(mut batch) = self.prepare(among) else {
            return (Verdict::proven(false), Outcome::Complete);
        };
        let apart = (Verdict::likely(false, SUREST), Outcome::Complete);
        // A part of the points says nothing about all; and for a part the way down the trees would be made each time.
        let mut is_asked = among.is_some();
        // Boxes that share little: the surfaces are likely apart, and drawing from what is shared is dear.
        if !is_asked && batch.overlap.part() < 0.25 {
            is_asked = true;
            if self.are_apart() {
                return apart;
            }
        }
        self.draw_first(&mut batch);
        let mut rng = Rng::new(self.options.seed ^ 0x5EED);
        let mut outcome = Outcome::Complete;
        let mut at = 0;
        'all: loop {
            while let Some(&point) = self.scratch.draw.drawn.get(at) {
                if !self.cost.may_go_on(&self.scratch.surface) {
                    outcome = Outcome::OutOfBudget;
                    break 'all;
                }
                at += 1;
                if let Some(candidate) = self.meet(point)
                    && let Some(crossing) = self.complete(candidate, &mut rng)
                    && sink.accept(crossing).is_break()
                {
                    outcome = Outcome::StoppedBySink;
                    break 'all;
                }
            }
            if !is_asked && self.certainty.is_none() {
                is_asked = true;
                if self.are_apart() {
                    return apart;
                }
            }
            if !self.draw_rest(&mut batch) {
                break;
            }
        }
        if outcome == Outcome::Complete {
            outcome = if self.certainty.is_some() {
                self.complete_again(sink)
            } else {
                self.approach_from_best(sink)
            };
            if self.cost.is_spent && outcome == Outcome::Complete {
                outcome = Outcome::OutOfBudget;
            }
        }
        let verdict = match self.certainty {
            Some(certainty) => Verdict::likely(true, certainty.min(SUREST)),
            None => Verdict::likely(false, self.chance_of_no(&batch, at).min(SUREST)),
        };
        (verdict, outcome)
    }

    /// Draws the first candidates; none when the surfaces are proven to be apart.
    pub(super) fn begin<'x>(&mut self, among: Option<&'x [PointId]>) -> Option<CandidateBatch<'x>> {
        let mut batch = self.prepare(among)?;
        self.draw_first(&mut batch);
        Some(batch)
    }

    /// What to draw from; none when the surfaces are proven to be apart.
    fn prepare<'x>(&mut self, among: Option<&'x [PointId]>) -> Option<CandidateBatch<'x>> {
        let (a, b) = (self.a, self.other.surface);
        // Boxes are widened, so that a flat one has neighbours in it.
        let margin = 3.0 * (usual_spacing(&a.graph) + usual_spacing(&b.graph));
        self.scratch.seen.clear();
        self.scratch.found.clear();
        self.scratch.draw.begin();
        Some(CandidateBatch {
            among,
            overlap: SharedBox::of(a, b, &self.other.a_from_b, margin)?,
            rng: Rng::new(self.options.seed),
            sizes: SurfelSizes::default(),
            is_all: false,
        })
    }

    /// Draws the first candidates and estimates the surfel sizes from them.
    fn draw_first(&mut self, batch: &mut CandidateBatch<'_>) {
        // A first crossing seldom needs more.
        let first = self.options.candidates.min(32);
        self.draw(batch, first);
    }

    /// How likely *no* is after this many candidates.
    fn chance_of_no(&self, batch: &CandidateBatch<'_>, looked_at: usize) -> f64 {
        if !batch.is_all {
            return chance_of_all(batch.sizes.count, looked_at);
        }
        // No surfel is left out once all points were looked at.
        match self.scratch.draw.drawn.len() {
            0 => 1.0,
            drawn => looked_at as f64 / drawn as f64,
        }
    }

    /// Draws the other candidates, if there are any.
    pub(super) fn draw_rest(&mut self, batch: &mut CandidateBatch<'_>) -> bool {
        let (drawn, wanted) = (self.scratch.draw.drawn.len(), batch.sizes.candidates);
        if batch.is_all || drawn >= wanted {
            return false;
        }
        self.draw(batch, wanted);
        self.scratch.draw.drawn.len() > drawn
    }

    fn draw(&mut self, batch: &mut CandidateBatch<'_>, wanted: usize) {
        let (graph, options) = (&*self.a.graph, self.options);
        let draw = &mut self.scratch.draw;
        let population = draw.draw(graph, &batch.overlap, batch.among, wanted, &mut batch.rng);
        let mean_sq = mean_spacing_sq(graph, &draw.drawn);
        batch.is_all = population.is_all;
        batch.sizes = SurfelSizes::of(
            options.surfels,
            population.points,
            mean_sq,
            options.candidates,
        );
        // An edge has up to four spacings.
        self.reach = (2.0 * batch.sizes.radius).max(5.0 * mean_sq.sqrt());
        // They were measured by another reach.
        self.scratch.far.clear();
    }

    /// What a point sees of the second surface; none when that is too far to matter, or undefined.
    pub(super) fn meet(&mut self, point: PointId) -> Option<CrossingCandidate> {
        let place = self.a.graph.points[point.index()];
        let scratch = &mut *self.scratch;
        let is_in = |(centre, radius_sq): &(DVec3, f64)| distance_sq(*centre, place) < *radius_sq;
        if scratch.far.iter().any(is_in) {
            return None;
        }
        let look = self
            .other
            .look(place, None, &mut scratch.surface, &mut self.cost)?;
        let matters = STRETCH * self.reach + SLACK * look.spacing;
        if look.distance > matters {
            // Distances change no faster than places. A few dozen balls are remembered.
            if scratch.far.len() < 48 {
                let radius = look.distance - matters;
                scratch.far.push((place, radius * radius));
            }
            return None;
        }
        Some(CrossingCandidate::new(point, place, look))
    }

    /// Completes a candidate to a bracket, if one is near, and searches that.
    fn complete(&mut self, candidate: CrossingCandidate, rng: &mut Rng) -> Option<SurfaceCrossing> {
        let partner = match (self.options.completion, self.a.paths()) {
            (BracketCompletion::Annulus, Some(_)) => self.in_annulus(&candidate, rng),
            _ => self.among_seen(&candidate),
        };
        let partner = match partner {
            None if candidate.look.value == 0.0 => Some(candidate),
            partner => partner,
        };
        self.scratch.seen.push(CrossingCandidate {
            partner: partner.map(|p| p.point),
            ..candidate
        });
        self.search(candidate, partner?)
    }

    /// Completes candidates again that saw no crossing near them, now that all candidates are known; or strides towards one.
    fn complete_again(&mut self, sink: &mut dyn Sink<SurfaceCrossing>) -> Outcome {
        if self.options.completion == BracketCompletion::Annulus && self.a.paths().is_some() {
            return Outcome::Complete;
        }
        for at in 0..self.scratch.seen.len() {
            let candidate = self.scratch.seen[at];
            if candidate.look.distance > self.reach || self.is_found_near(&candidate) {
                continue;
            }
            if !self.cost.may_go_on(&self.scratch.surface) {
                return Outcome::OutOfBudget;
            }
            let partner = self.among_seen(&candidate).filter(|partner| {
                candidate.partner != Some(partner.point)
                    && partner.partner != Some(candidate.point)
                    && partner.point != candidate.point
            });
            let found = match partner {
                Some(partner) => self.search(candidate, partner),
                None => match self.stride(candidate) {
                    (from, to) if from.point != to.point => self.search(from, to),
                    _ => None,
                },
            };
            if let Some(crossing) = found
                && sink.accept(crossing).is_break()
            {
                return Outcome::StoppedBySink;
            }
        }
        Outcome::Complete
    }

    /// Whether a crossing is known within half a surfel radius; for candidates that are farther than a surfel radius from the second surface, beyond that distance.
    fn is_found_near(&self, candidate: &CrossingCandidate) -> bool {
        let own = candidate.look.distance;
        let near = if own <= 0.5 * self.reach {
            0.25 * self.reach
        } else {
            own + 0.25 * self.reach
        };
        let near_sq = near * near;
        let mut found = self.scratch.found.iter();
        found.any(|&p| distance_sq(p, candidate.place) < near_sq)
    }

    /// The nearest candidate so far on the other side.
    fn among_seen(&self, candidate: &CrossingCandidate) -> Option<CrossingCandidate> {
        let mut best: Option<&CrossingCandidate> = None;
        let mut best_sq = self.reach * self.reach;
        for other in &self.scratch.seen {
            let apart_sq = distance_sq(other.place, candidate.place);
            if apart_sq < best_sq && self.is_bracket(candidate, other, apart_sq) {
                (best, best_sq) = (Some(other), apart_sq);
            }
        }
        best.copied()
    }

    /// A random point at the rim of a candidate's surroundings that is on the other side.
    fn in_annulus(
        &mut self,
        candidate: &CrossingCandidate,
        rng: &mut Rng,
    ) -> Option<CrossingCandidate> {
        let reached = self.a.paths()?.from(candidate.point);
        let outer = reached.last()?.length.min(self.reach);
        let start = reached.partition_point(|r| r.length < outer * 0.75);
        let end = reached.partition_point(|r| r.length <= outer);
        let reach_sq = self.reach * self.reach;
        let around = self.scratch.seen.iter();
        let around = around.filter(|s| distance_sq(s.place, candidate.place) < reach_sq);
        let b = around.count().max(1) as f64;
        let draws = ((b * libm::log(b)) as usize).clamp(4, 16);
        for _ in 0..draws {
            let at = start + rng.below((end.saturating_sub(start)) as u64) as usize;
            let point = reached.get(at)?.point;
            let place = self.a.graph.points[point.index()];
            let hint = Some(candidate.look.nearest);
            let scratch = &mut self.scratch.surface;
            if let Some(look) = self.other.look(place, hint, scratch, &mut self.cost) {
                let other = CrossingCandidate::new(point, place, look);
                if self.is_bracket(candidate, &other, distance_sq(place, candidate.place)) {
                    return Some(other);
                }
            }
        }
        None
    }

    /// Whether two points lie on different sides and the second surface can be between them.
    pub(super) fn is_bracket(
        &self,
        p: &CrossingCandidate,
        q: &CrossingCandidate,
        apart_sq: f64,
    ) -> bool {
        let turned = if self.other.is_oriented() || p.look.normal.dot(q.look.normal) >= 0.0 {
            1.0
        } else {
            -1.0
        };
        if p.look.value * q.look.value * turned > 0.0 {
            return false;
        }
        // From a crossing, both are no farther than the path; otherwise the sides changed where the nearest part of the surface did.
        let slack = SLACK * (p.look.spacing + q.look.spacing);
        let path = STRETCH * apart_sq.sqrt();
        p.look.distance + q.look.distance <= path + slack
    }

    /// Searches a bracket, shortened if it is long and that leads anywhere.
    pub(super) fn search(
        &mut self,
        from: CrossingCandidate,
        to: CrossingCandidate,
    ) -> Option<SurfaceCrossing> {
        self.brackets += 1;
        if self.other.is_oriented() {
            let [first, last] = self.shorten(from, to);
            let is_shorter = (first.point, last.point) != (from.point, to.point);
            if is_shorter && let Some(crossing) = self.search_path(first, last) {
                return Some(crossing);
            }
        }
        self.search_path(from, to)
    }

    /// Searches the path between two points.
    fn search_path(
        &mut self,
        from: CrossingCandidate,
        to: CrossingCandidate,
    ) -> Option<SurfaceCrossing> {
        let (a, options) = (self.a, self.options);
        let Self {
            other,
            scratch,
            cost,
            certainty,
            ..
        } = self;
        let other = &*other;
        let InterpolationSearchScratch {
            surface,
            route,
            found,
            ..
        } = &mut **scratch;
        if !route.find(a, from.point, to.point, options.virtual_edges) {
            return None;
        }
        let graph = &*a.graph;
        let points = &route.points;
        let place = |at: usize| graph.points[points[at].index()];
        let mut hint = from.look.nearest;
        let spacing = graph.spacing(from.point) + from.look.spacing;
        let tolerance = options.tolerance.max(ASKED * spacing);
        let value = |at: usize| {
            let look = other.look(place(at), Some(hint), surface, cost)?;
            hint = look.nearest;
            Some(look.value)
        };
        let rule = match options.walk {
            RootSearchRule::Index => ProbeRule::Index,
            RootSearchRule::Distance => ProbeRule::Distance(&route.lengths),
        };
        let straddle = if points.len() == 1 {
            SignChange {
                low: 0,
                high: 0,
                values: [from.look.value; 2],
            }
        } else if other.is_oriented() {
            let ends = [from.look.value, to.look.value];
            narrow(points.len(), ends, tolerance, rule, value)?
        } else {
            // Signs mean nothing from point to point; sizes do.
            let (low, size) = smallest(points.len(), value)?;
            SignChange {
                low,
                high: low,
                values: [size; 2],
            }
        };
        let straddle = straddle.adjacent(points.len());
        let ends = [straddle.low, straddle.high];
        let (ids, places) = (ends.map(|at| points[at]), ends.map(place));
        let spacing = graph.spacing(ids[0]) + other.surface.graph.spacing(hint);
        let edge = (places[0] - places[1]).length();
        // Where values differ by more, the function has jumped.
        if straddle.values[0].abs() + straddle.values[1].abs() > 2.0 * edge + SLACK * spacing {
            return None;
        }
        let mut ball = IntersectionBall::between(places, straddle.values);
        if edge == 0.0 {
            ball.radius = spacing;
        }
        let way = 2.0 * (ball.radius + spacing);
        let near = [ids[0], hint];
        let accepted = options.tolerance.max(ACCEPTED * spacing);
        let tolerance = options.tolerance.max(ASKED * spacing);
        let both = BothSurfaces { a, other };
        let mut refined = both.descend(&ball, way, tolerance, near, surface, cost)?;
        // Only a small residual makes the grid worth a try.
        if !refined.is_within(accepted) && refined.residual < 0.5 * spacing {
            refined = both.search_grid(&ball, tolerance, near, surface, cost)?;
        }
        if !refined.is_within(accepted) {
            return None;
        }
        let sure = 1.0 - 0.5 * refined.residual / accepted;
        *certainty = Some(certainty.map_or(sure, |best| best.max(sure)));
        found.push(refined.point);
        Some(SurfaceCrossing {
            point: refined.point,
            radius: ball.radius,
            residual: refined.residual,
            between: ids,
            bracket: [from.point, to.point],
        })
    }
}

/// The mean of the squared spacings of points that have one.
fn mean_spacing_sq(
    graph: &crate::cloud::proximity_graph::ProximityGraph,
    points: &[PointId],
) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for &point in points {
        let spacing = graph.spacing(point);
        if spacing > 0.0 {
            sum += spacing * spacing;
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}
