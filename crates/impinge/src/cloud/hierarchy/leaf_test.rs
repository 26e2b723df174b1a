//! Leaf test: how near do the surfaces of two leaves come?
//!
//! At a place x the distance of the surfaces is estimated by |f_a(x)| + |f_b(x)|. Random places
//! find its minimum by chance, a lattice by being dense enough. Newton's method solves for it: near
//! the surface f is the distance from a plane, so a step to both planes leads to a common zero in
//! two or three steps if there is one, and stays between the surfaces if there is none.

use glam::DVec3;

use super::super::evaluation::{EvaluationScratch, SurfaceSample};
use super::super::kernel::Kernel;
use super::crossings::CrossingMemory;
use super::node::{CloudTree, HierarchyNode};
use super::options::LeafTest;
use super::relative_pose::RelativePose;
use crate::math::Rng;
use crate::query::Limits;

/// How much planes that are almost parallel are kept from sending a step far away.
const DAMPING: f64 = 1e-3;
/// How far steps may lead from where they began, in the radii of both coverings.
const TETHER: f64 = 1.5;
/// Places of a lattice that are examined for two leaves at most.
const MAX_LATTICE: u64 = 1 << 18;
/// Cells of a lattice between two checks of the limits where none of them is near both surfaces.
const CELLS_PER_LOOK: u64 = 256;
/// Cells along a covering radius where the precision is no length.
const DEFAULT_CELLS: f64 = 10.0;

/// At the rim of a plane the mean of the points that count lags that many bandwidths behind; farther out there is no surface.
pub(super) fn rim_share(kernel: Kernel) -> f64 {
    match kernel {
        // Exactly 1/√π for weights by straight distances; paths are a little longer.
        Kernel::Gaussian => 0.6,
        _ => 0.3,
    }
}

/// What was found between two leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LeafDistance {
    /// The smallest |f_a| + |f_b|; infinite when both are nowhere defined.
    pub(super) distance: f64,
    /// Where, in a's frame.
    pub(super) place: DVec3,
    /// Whether the surfaces meet there.
    pub(super) is_met: bool,
    /// Whether a limit was met first.
    pub(super) is_cut_short: bool,
}

impl LeafDistance {
    pub(super) const NOTHING: Self = Self {
        distance: f64::INFINITY,
        place: DVec3::ZERO,
        is_met: false,
        is_cut_short: false,
    };
}

/// Memory for testing leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct LeafMemory {
    pub(super) scratch: EvaluationScratch,
    /// Places of the points of both, in a's frame.
    points_a: Vec<DVec3>,
    points_b: Vec<DVec3>,
    crossings: CrossingMemory,
}

/// Two leaves and what their test may cost.
pub(super) struct LeafPair<'q> {
    pub(super) a: &'q CloudTree,
    pub(super) b: &'q CloudTree,
    pub(super) nodes: (&'q HierarchyNode, &'q HierarchyNode),
    pub(super) placement: &'q RelativePose,
    /// Nearer surfaces meet.
    pub(super) accept: f64,
    pub(super) limits: &'q Limits<'q>,
    /// Tests before this one.
    pub(super) spent: u64,
    pub(super) seed: u64,
}

impl LeafPair<'_> {
    pub(super) fn test(&self, how: LeafTest, memory: &mut LeafMemory) -> LeafDistance {
        memory.points_a.clear();
        memory.points_b.clear();
        let of_a = self.a.samples(self.nodes.0).iter();
        memory.points_a.extend(of_a.map(|&id| self.a.place(id)));
        let of_b = self.b.samples(self.nodes.1).iter();
        let placed = of_b.map(|&id| self.placement.a_from_b * self.b.place(id));
        memory.points_b.extend(placed);
        let mut found = match how {
            LeafTest::Newton { steps } => self.newton(steps, memory),
            LeafTest::Random { tests } => self.random(tests, memory),
            LeafTest::Precise { precision } => self.lattice(precision, memory),
            LeafTest::Crossings(options) => {
                let before = memory.scratch.evaluations;
                let (found, evaluations) = self.crossings(&options, before, &mut memory.crossings);
                memory.scratch.evaluations += evaluations;
                found
            }
        };
        found.is_met |= found.distance <= self.accept;
        found
    }

    fn radii(&self) -> (f64, f64) {
        (
            f64::from(self.nodes.0.radius) * self.a.unit,
            f64::from(self.nodes.1.radius) * self.b.unit,
        )
    }

    /// Whether another evaluation may be spent.
    fn may_go_on(&self, scratch: &EvaluationScratch) -> bool {
        self.limits.allows(self.spent + scratch.evaluations) && !self.limits.is_stopped()
    }

    fn sample_a(&self, x: DVec3, scratch: &mut EvaluationScratch) -> Option<SurfaceSample> {
        let found = self.a.evaluate_near(self.nodes.0, x, scratch);
        found.sample().copied()
    }

    /// The function of b at a place in a's frame; the normal is turned into that frame.
    fn sample_b(&self, x: DVec3, scratch: &mut EvaluationScratch) -> Option<SurfaceSample> {
        let place = self.placement.b_from_a * x;
        let found = self.b.evaluate_near(self.nodes.1, place, scratch);
        let mut sample = found.sample().copied()?;
        sample.normal = self.placement.a_from_b.transform_vector(sample.normal);
        Some(sample)
    }

    fn newton(&self, steps: u32, memory: &mut LeafMemory) -> LeafDistance {
        let mut best = LeafDistance::NOTHING;
        let Some((p, q)) = nearest_pair(&memory.points_a, &memory.points_b) else {
            return best;
        };
        let start = (p + q) * 0.5;
        best.place = start;
        let (radius_a, radius_b) = self.radii();
        let tether = TETHER * (radius_a + radius_b);
        let kernels = (self.a.surface.options.kernel, self.b.surface.options.kernel);
        let mut x = start;
        for _ in 0..steps.max(1) {
            if !self.may_go_on(&memory.scratch) {
                best.is_cut_short = true;
                break;
            }
            let Some(at_a) = self.sample_a(x, &mut memory.scratch) else {
                break;
            };
            let Some(at_b) = self.sample_b(x, &mut memory.scratch) else {
                break;
            };
            let distance = distance(&at_a, kernels.0) + distance(&at_b, kernels.1);
            if distance < best.distance {
                best.distance = distance;
                best.place = x;
            }
            if distance <= self.accept {
                break;
            }
            let step = common_step(&at_a, &at_b);
            x += step;
            let is_stuck = step.length_squared() < 0.01 * self.accept * self.accept;
            if is_stuck || (x - start).length_squared() > tether * tether {
                break;
            }
        }
        best
    }

    /// Evaluates both functions at a place, the second only if the first leaves room for something better.
    fn look(&self, x: DVec3, best: &mut LeafDistance, scratch: &mut EvaluationScratch) {
        let kernels = (self.a.surface.options.kernel, self.b.surface.options.kernel);
        let Some(at_a) = self.sample_a(x, scratch) else {
            return;
        };
        let from_a = distance(&at_a, kernels.0);
        if from_a >= best.distance {
            return;
        }
        let Some(at_b) = self.sample_b(x, scratch) else {
            return;
        };
        let distance = from_a + distance(&at_b, kernels.1);
        if distance < best.distance {
            best.distance = distance;
            best.place = x;
        }
    }

    /// Keeps the points within reach of the other leaf. Returns the first of them as the initial result, or `None` if there are
    /// none.
    fn reaching(&self, memory: &mut LeafMemory) -> Option<LeafDistance> {
        let (radius_a, radius_b) = self.radii();
        keep_reaching(memory, radius_a + radius_b);
        Some(LeafDistance {
            place: *memory.points_a.first()?,
            ..LeafDistance::NOTHING
        })
    }

    fn random(&self, tests: u32, memory: &mut LeafMemory) -> LeafDistance {
        let (radius_a, _) = self.radii();
        let Some(mut best) = self.reaching(memory) else {
            return LeafDistance::NOTHING;
        };
        let mut rng = Rng::new(self.seed);
        for _ in 0..tests {
            if !self.may_go_on(&memory.scratch) {
                best.is_cut_short = true;
                break;
            }
            let centre = memory.points_a[rng.below(memory.points_a.len() as u64) as usize];
            // The root makes the radius uniform in volume.
            let away = radius_a * libm::cbrt(rng.unit());
            let x = centre + rng.direction() * away;
            self.look(x, &mut best, &mut memory.scratch);
            if best.distance <= self.accept {
                break;
            }
        }
        best
    }

    fn lattice(&self, precision: f64, memory: &mut LeafMemory) -> LeafDistance {
        let (radius_a, radius_b) = self.radii();
        let Some(mut best) = self.reaching(memory) else {
            return LeafDistance::NOTHING;
        };
        let precision = if precision > 0.0 && precision.is_finite() {
            precision
        } else {
            (radius_a.max(radius_b) / DEFAULT_CELLS).max(f64::MIN_POSITIVE)
        };
        // The corners of a cell are `precision` from its middle.
        let edge = 2.0 * precision / 3.0_f64.sqrt();
        let box_of = |points: &[DVec3], radius: f64| {
            let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            (low - radius, high + radius)
        };
        let (low_a, high_a) = box_of(&memory.points_a, radius_a);
        let (low_b, high_b) = box_of(&memory.points_b, radius_b);
        let (low, high) = (low_a.max(low_b), high_a.min(high_b));
        let counts = ((high - low) / edge).ceil().max(DVec3::ZERO);
        let total = counts.x * counts.y * counts.z;
        if total.is_nan() || total <= 0.0 {
            return best;
        }
        let covers = |points: &[DVec3], radius: f64, x: DVec3| {
            let reach = (radius + precision) * (radius + precision);
            points.iter().any(|p| (x - *p).length_squared() <= reach)
        };
        let (columns, rows) = (counts.x as u64, counts.y as u64);
        let cells = (total.min(MAX_LATTICE as f64)) as u64;
        best.is_cut_short = total > MAX_LATTICE as f64;
        for cell in 0..cells {
            let (i, j, k) = (
                cell % columns,
                (cell / columns) % rows,
                cell / columns / rows,
            );
            let x = low + (DVec3::new(i as f64, j as f64, k as f64) + 0.5) * edge;
            let is_between =
                covers(&memory.points_a, radius_a, x) && covers(&memory.points_b, radius_b, x);
            if !is_between && !cell.is_multiple_of(CELLS_PER_LOOK) {
                continue;
            }
            if !self.may_go_on(&memory.scratch) {
                best.is_cut_short = true;
                break;
            }
            if !is_between {
                continue;
            }
            self.look(x, &mut best, &mut memory.scratch);
            if best.distance <= self.accept {
                best.is_cut_short = false;
                break;
            }
        }
        best
    }
}

/// |f|, or how far the mean lags behind where the foot would be beyond the rim.
fn distance(sample: &SurfaceSample, kernel: Kernel) -> f64 {
    let value = sample.value.abs();
    let across_sq = sample.lag * sample.lag - value * value;
    let rim = rim_share(kernel) * sample.bandwidth;
    if across_sq > rim * rim {
        sample.lag
    } else {
        value
    }
}

/// The smallest step that leads to both tangent planes, damped where they are almost parallel.
fn common_step(a: &SurfaceSample, b: &SurfaceSample) -> DVec3 {
    let cosine = a.normal.dot(b.normal);
    let diagonal = 1.0 + DAMPING;
    let determinant = diagonal * diagonal - cosine * cosine;
    let u = (diagonal * a.value - cosine * b.value) / determinant;
    let v = (diagonal * b.value - cosine * a.value) / determinant;
    a.normal * u + b.normal * v
}

/// The two points, one of each, that are nearest to each other.
fn nearest_pair(a: &[DVec3], b: &[DVec3]) -> Option<(DVec3, DVec3)> {
    let mut best = (f64::INFINITY, None);
    for &p in a {
        for &q in b {
            let distance_sq = (p - q).length_squared();
            if distance_sq < best.0 {
                best = (distance_sq, Some((p, q)));
            }
        }
    }
    best.1
}

/// Keeps the points of a whose balls meet balls of b.
fn keep_reaching(memory: &mut LeafMemory, reach: f64) {
    let points_b = &memory.points_b;
    let reach_sq = reach * reach;
    memory.points_a.retain(|&p| {
        points_b
            .iter()
            .any(|&q| (p - q).length_squared() <= reach_sq)
    });
}
