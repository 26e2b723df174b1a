//! The intersection curve of two surfaces as polylines.
//!
//! **Idea.** Every crossing that the search reports is a seed. From it the curve is traced both
//! ways: a step along the cross product of the normals, and Newton's method back to both surfaces
//! (predictor and corrector). A trace ends where it comes round to its seed, where a surface ends,
//! where the surfaces touch without crossing, or where the curve was traced before.
//! **Limits.** A part of the curve without a seed is missed, with the chance that the search
//! states; where points are so sparse that a surface ends there, a curve is torn; strands nearer
//! to each other than half a step count as one.

use std::collections::BTreeMap;

use glam::DVec3;

use super::answer::{CrossingResult, SurfaceCrossing};
use super::crossing_refinement::{BothSurfaces, IntersectionBall, RefinedCrossing};
use super::crossing_search::{ACCEPTED, ASKED, find_crossings};
use super::options::InterpolationSearchOptions;
use super::scratch::InterpolationSearchScratch;
use super::second_surface::{EvaluationBudget, SecondSurface};
use crate::cloud::kd_tree::distance_sq;
use crate::cloud::{CloudSurface, EvaluationScratch, PointId};
use crate::math::Pose;
use crate::query::{Limits, Outcome};

/// Parts of a step that are tried one after the other: shorter ones where the curve bends, then longer ones over a place where points are
/// so sparse that a surface seems to end.
const STRIDES: [f64; 9] = [1.0, 0.5, 0.25, 0.125, 1.5, 2.0, 2.5, 3.25, 4.0];
/// The longest segment, in the sum of the widest spacings of both clouds.
const WIDEST: f64 = 0.8;
/// The sine between both surfaces below which they count as touching.
const TANGENT: f64 = 0.05;
/// Corrected points are sought this much nearer to both surfaces than a crossing has to be.
const CLOSER: f64 = 0.2;
/// A corrected step keeps its direction by this cosine.
const ONWARD: f64 = 0.5;
/// Vertices nearer than this part of a step, in about the same direction, are the same curve.
const SAME: f64 = 0.4;
/// The cosine of that.
const SAME_WAY: f64 = 0.7;
/// The seed ends a closed curve when it is ahead by at most this many steps.
const AHEAD: f64 = 1.5;
/// Vertices of one trace that are this near by number are never compared: steps that were halved leave some close together.
const RECENT: i64 = 16;

/// How intersection curves are traced.
///
/// ```
/// use impinge::cloud::CurveOptions;
/// assert_eq!(CurveOptions::default().step, 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveOptions {
    /// How seeds are found.
    pub search: InterpolationSearchOptions,
    /// The length of a step, in point spacings of the denser cloud; 1 where it is not positive and finite.
    pub step: f64,
    /// Vertices of all curves together at most.
    pub max_points: usize,
}

impl Default for CurveOptions {
    fn default() -> Self {
        Self {
            search: InterpolationSearchOptions::default(),
            step: 1.0,
            max_points: 100_000,
        }
    }
}

/// A connected part of an intersection curve.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IntersectionCurve {
    /// Its vertices in order, in the frame of `a`; every one of them is near both surfaces.
    pub points: Vec<DVec3>,
    /// Whether the last vertex is connected to the first.
    pub is_closed: bool,
}

impl IntersectionCurve {
    /// The length of the polyline.
    #[must_use]
    pub fn length(&self) -> f64 {
        let segments = self.points.windows(2).map(|p| p[0].distance(p[1]));
        let open: f64 = segments.sum();
        match (self.points.first(), self.points.last()) {
            (Some(first), Some(last)) if self.is_closed => open + last.distance(*first),
            _ => open,
        }
    }
}

/// All parts of the intersection curve that were found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IntersectionCurves {
    /// The parts, in the order in which they were found.
    pub curves: Vec<IntersectionCurve>,
    /// What the search for seeds says.
    pub search: CrossingResult,
    /// Crossings at which the surfaces touch without a direction to follow.
    pub touching: usize,
    /// Evaluations of the trace, without those of the search.
    pub evaluations: u64,
    /// [`Outcome::OutOfBudget`] if a limit or [`CurveOptions::max_points`] cut the curve short.
    pub outcome: Outcome,
}

impl IntersectionCurves {
    /// The sum of the lengths.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.curves.iter().map(IntersectionCurve::length).sum()
    }
}

/// The intersection curve of two surfaces, `b` placed at `a_from_b`, as connected polylines.
///
/// `limits` count evaluations and lookups together; distance is not limited.
///
/// ```
/// use impinge::{Pose, cloud::*, generate, query::Limits};
/// let ball = PointCloud::new(generate::icosphere(1.0, 14).unwrap().positions().to_vec(), None)?;
/// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
/// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
/// let pose = Pose::from_translation([1.0, 0.0, 0.0]).unwrap();
/// let mut scratch = InterpolationSearchScratch::default();
/// let found = intersection_curves(&surface, &surface, &pose, &CurveOptions::default(), Limits::default(), &mut scratch);
/// // A circle of radius √(1 − ¼), a little less since the surface is a little smaller than the ball.
/// assert!(found.curves.len() == 1 && found.curves[0].is_closed);
/// assert!((found.length() - 5.44).abs() < 0.1);
/// # Ok::<(), CloudError>(())
/// ```
#[must_use]
#[doc(alias = "intersection polyline")]
pub fn intersection_curves(
    a: &CloudSurface,
    b: &CloudSurface,
    a_from_b: &Pose,
    options: &CurveOptions,
    limits: Limits<'_>,
    scratch: &mut InterpolationSearchScratch,
) -> IntersectionCurves {
    let mut seeds: Vec<SurfaceCrossing> = Vec::new();
    let search = find_crossings(
        a,
        b,
        a_from_b,
        None,
        &options.search,
        limits,
        scratch,
        &mut seeds,
    );
    let spent = search.evaluations + search.lookups;
    let left = Limits {
        max_tests: limits.max_tests.map(|most| most.saturating_sub(spent)),
        ..limits
    };
    let before = scratch.surface.evaluations;
    let other = SecondSurface::new(b, a_from_b);
    let step = Some(options.step).filter(|step| *step > 0.0 && step.is_finite());
    let step = step.unwrap_or(1.0);
    let mut tracer = CurveTracer {
        both: BothSurfaces { a, other: &other },
        b_from_a: a_from_b.inverse(),
        step,
        widest: WIDEST * (a.widest + b.widest),
        asked: options.search.tolerance,
        cost: EvaluationBudget::within(left, &scratch.surface),
        scratch: &mut scratch.surface,
        traced: TracedVertices::with_cells(step * a.widest.min(b.widest)),
        left: options.max_points,
        is_cut: false,
    };
    let mut curves: Vec<IntersectionCurve> = Vec::new();
    let mut touching = 0;
    for seed in &seeds {
        let number = curves.len() as u32;
        match tracer.trace(seed, number) {
            SeedEnd::Curve(curve) => curves.push(curve),
            SeedEnd::Touching => touching += 1,
            SeedEnd::Known => {}
        }
        if tracer.is_cut {
            break;
        }
    }
    let is_cut = tracer.is_cut || search.outcome == Outcome::OutOfBudget;
    IntersectionCurves {
        curves,
        touching,
        evaluations: scratch.surface.evaluations - before,
        outcome: if is_cut {
            Outcome::OutOfBudget
        } else {
            search.outcome
        },
        search,
    }
}

/// What a seed led to.
enum SeedEnd {
    Curve(IntersectionCurve),
    /// The curve through it is traced already.
    Known,
    /// The surfaces touch there, or the place could not be corrected.
    Touching,
}

/// A vertex of a trace.
#[derive(Clone, Copy)]
struct CurveVertex {
    at: RefinedCrossing,
    /// The unit tangent, forward along the curve.
    along: DVec3,
}

/// Where a walk ends.
#[derive(Clone, Copy)]
enum TraceEnd {
    Open,
    /// At a vertex of its own curve: 0 is the seed, positive numbers are ahead of it, negative ones behind.
    Own(i64),
}

/// A curve while it is traced from its seed.
struct TracedCurve {
    seed: DVec3,
    forth: Vec<DVec3>,
    back: Vec<DVec3>,
    is_closed: bool,
}

impl TracedCurve {
    fn from_seed(seed: DVec3) -> Self {
        Self {
            seed,
            forth: Vec::new(),
            back: Vec::new(),
            is_closed: false,
        }
    }

    /// Closes the curve if the last walk came round to it; what the walk has passed twice is left out once.
    fn close(&mut self, end: TraceEnd) -> bool {
        let TraceEnd::Own(number) = end else {
            return false;
        };
        let count = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
        let is_backward = !self.back.is_empty();
        match (is_backward, number.signum()) {
            // Backward to a vertex ahead: what lies beyond that one leads nowhere.
            (true, 1) => self.forth.truncate(count),
            // A walk that met its own beginning: the seed and what follows it lie on its last part, too.
            (false, 1) => {
                let rest = self.forth.split_off(count.min(self.forth.len()));
                let mut kept = std::mem::take(&mut self.forth).into_iter();
                self.seed = kept.next_back().unwrap_or(self.seed);
                self.forth = rest;
            }
            (true, -1) => {
                let rest = self.back.split_off(count.min(self.back.len()));
                self.seed = self.back.last().copied().unwrap_or(self.seed);
                self.back = rest;
                self.forth.clear();
            }
            _ => {}
        }
        self.is_closed = true;
        true
    }

    fn into_curve(self) -> IntersectionCurve {
        let mut points = self.back;
        points.reverse();
        points.push(self.seed);
        points.extend(self.forth);
        IntersectionCurve {
            points,
            is_closed: self.is_closed,
        }
    }
}

struct CurveTracer<'x> {
    both: BothSurfaces<'x, 'x>,
    b_from_a: Pose,
    step: f64,
    /// No segment is longer.
    widest: f64,
    asked: f64,
    cost: EvaluationBudget<'x>,
    scratch: &'x mut EvaluationScratch,
    traced: TracedVertices,
    left: usize,
    is_cut: bool,
}

impl CurveTracer<'_> {
    fn trace(&mut self, seed: &SurfaceCrossing, number: u32) -> SeedEnd {
        let graph_b = &*self.both.other.surface.graph;
        let Some(near) = graph_b.tree.nearest(self.b_from_a * seed.point) else {
            return SeedEnd::Touching;
        };
        let near = [seed.between[0], near.point];
        let spacings = self.spacings(near);
        let step = self.step * spacings[0].min(spacings[1]);
        if self.traced.near(seed.point, step) {
            return SeedEnd::Known;
        }
        let start = match self.correct(seed.point, step, near) {
            Some(at) => at,
            None => {
                self.note_budget();
                return SeedEnd::Touching;
            }
        };
        let Some(along) = tangent(&start) else {
            return SeedEnd::Touching;
        };
        if self.traced.near(start.point, step) {
            return SeedEnd::Known;
        }
        let first = CurveVertex { at: start, along };
        self.traced.add(start.point, along, number, 0);
        self.left = self.left.saturating_sub(1);
        let mut curve = TracedCurve::from_seed(start.point);
        let end = self.walk(first, 1, number, &mut curve.forth);
        if !curve.close(end) {
            let end = self.walk(first, -1, number, &mut curve.back);
            curve.close(end);
        }
        if curve.back.len() + curve.forth.len() == 0 {
            return SeedEnd::Touching;
        }
        SeedEnd::Curve(curve.into_curve())
    }

    /// Appends the vertices from a seed, forward or backward, without the seed, and says where they end.
    fn walk(
        &mut self,
        seed: CurveVertex,
        way: i64,
        curve: u32,
        points: &mut Vec<DVec3>,
    ) -> TraceEnd {
        let sign = way as f64;
        let mut here = seed;
        let mut number = 0;
        loop {
            let spacings = self.spacings(here.at.nearest);
            let step = self.step * spacings[0].min(spacings[1]);
            let back = seed.at.point - here.at.point;
            let is_round = number > 2
                && back.length() <= AHEAD * step
                && back.dot(here.along * sign) >= ONWARD * back.length()
                && here.along.dot(seed.along) >= ONWARD;
            if is_round {
                return TraceEnd::Own(0);
            }
            if self.left == 0 {
                self.is_cut = true;
                return TraceEnd::Open;
            }
            let Some(next) = self.onward(here, sign, step) else {
                self.note_budget();
                return TraceEnd::Open;
            };
            number += 1;
            let (place, key) = (next.at.point, way * number);
            let known = self.traced.same(place, next.along, SAME * step, curve, key);
            if let Some(known) = known {
                if known.curve == curve {
                    return TraceEnd::Own(known.number);
                }
                // The other trace goes on from there.
                points.push(known.place);
                return TraceEnd::Open;
            }
            self.traced.add(place, next.along, curve, key);
            self.left -= 1;
            points.push(place);
            here = next;
        }
    }

    /// The next vertex, about a step ahead.
    fn onward(&mut self, here: CurveVertex, sign: f64, full: f64) -> Option<CurveVertex> {
        for stride in STRIDES {
            let step = stride * full;
            let ahead = here.along * sign;
            if let Some(at) = self.correct(
                here.at.point + ahead * step,
                step.min(full),
                here.at.nearest,
            ) && let Some(along) = tangent(&at)
            {
                let along = if along.dot(here.along) < 0.0 {
                    -along
                } else {
                    along
                };
                let made = at.point - here.at.point;
                let is_onward = made.dot(ahead) >= ONWARD * made.length()
                    && (0.25 * step..=self.widest).contains(&made.length())
                    && along.dot(here.along) >= ONWARD;
                if is_onward {
                    return Some(CurveVertex { at, along });
                }
            }
            if self.cost.is_spent {
                return None;
            }
        }
        None
    }

    /// The point on both surfaces near a place, if they are there and near enough.
    fn correct(&mut self, place: DVec3, reach: f64, near: [PointId; 2]) -> Option<RefinedCrossing> {
        let spacings = self.spacings(near);
        let sum = spacings[0] + spacings[1];
        let ball = IntersectionBall {
            centre: place,
            radius: reach,
        };
        let tolerance = (CLOSER * ASKED * sum).max(self.asked);
        let (scratch, cost) = (&mut *self.scratch, &mut self.cost);
        let found = self
            .both
            .descend(&ball, reach, tolerance, near, scratch, cost)?;
        let accepted = self.asked.max(ACCEPTED * sum);
        found.is_within(accepted).then_some(found)
    }

    fn spacings(&self, near: [PointId; 2]) -> [f64; 2] {
        let graphs = [&self.both.a.graph, &self.both.other.surface.graph];
        [graphs[0].spacing(near[0]), graphs[1].spacing(near[1])]
    }

    fn note_budget(&mut self) {
        self.is_cut = self.is_cut || self.cost.is_spent;
    }
}

/// The direction of the curve; none where the surfaces touch.
fn tangent(at: &RefinedCrossing) -> Option<DVec3> {
    let across = at.normals[0].cross(at.normals[1]);
    let sine = across.length();
    (sine >= TANGENT).then(|| across / sine)
}

/// All vertices so far, by the cell of a grid that they are in.
struct TracedVertices {
    cell: f64,
    cells: BTreeMap<[i64; 3], Vec<TracedVertex>>,
}

#[derive(Clone, Copy)]
struct TracedVertex {
    place: DVec3,
    along: DVec3,
    curve: u32,
    number: i64,
}

impl TracedVertices {
    /// No search may reach farther than a cell.
    fn with_cells(cell: f64) -> Self {
        Self {
            cell: if cell > 0.0 { cell } else { 1.0 },
            cells: BTreeMap::new(),
        }
    }

    fn key(&self, place: DVec3) -> [i64; 3] {
        (place / self.cell).floor().to_array().map(|x| x as i64)
    }

    fn add(&mut self, place: DVec3, along: DVec3, curve: u32, number: i64) {
        let vertex = TracedVertex {
            place,
            along,
            curve,
            number,
        };
        self.cells.entry(self.key(place)).or_default().push(vertex);
    }

    fn around(&self, place: DVec3) -> impl Iterator<Item = &TracedVertex> {
        let [x, y, z] = self.key(place);
        (0..27_i64)
            .filter_map(move |k| {
                let at = [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1];
                self.cells.get(&at)
            })
            .flatten()
    }

    /// Whether a vertex is within a distance, at most a cell.
    fn near(&self, place: DVec3, reach: f64) -> bool {
        self.around(place)
            .any(|v| distance_sq(v.place, place) <= reach * reach)
    }

    /// A vertex of another trace, or of an earlier part of this one, that stands for the same part of the curve.
    fn same(
        &self,
        place: DVec3,
        along: DVec3,
        reach: f64,
        curve: u32,
        number: i64,
    ) -> Option<TracedVertex> {
        let is_same = |v: &&TracedVertex| {
            let cosine = v.along.dot(along);
            let is_along = if v.curve == curve {
                (v.number - number).abs() > RECENT && cosine > SAME_WAY
            } else {
                cosine.abs() > SAME_WAY
            };
            is_along && distance_sq(v.place, place) <= reach * reach
        };
        let nearest = |p: &&TracedVertex, q: &&TracedVertex| {
            distance_sq(p.place, place).total_cmp(&distance_sq(q.place, place))
        };
        self.around(place).filter(is_same).min_by(nearest).copied()
    }
}
