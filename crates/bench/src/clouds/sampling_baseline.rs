//! What interpolation search is judged by: the true curve of crossings, and random sampling.

use impinge::bound::Aabb;
use impinge::cloud::{
    CloudSurface, EvaluationScratch, ImplicitSurface, InterpolationSearchOptions,
    InterpolationSearchScratch,
};
use impinge::math::Rng;
use impinge::{DVec3, Pose};

use super::crossings::crossings;
use super::interpolation_search::Subject;

/// Test points of a sampled query at most.
const MOST_SAMPLES: usize = 500;

/// Balls about random points through which the true curve goes, and those in which a crossing was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recall {
    pub(super) balls: usize,
    found: usize,
}

impl Recall {
    pub(super) fn add(&mut self, other: Self) {
        self.balls += other.balls;
        self.found += other.found;
    }

    /// Not a number when there was no ball.
    pub(super) fn missed(&self) -> f64 {
        1.0 - self.found as f64 / self.balls as f64
    }
}

/// Points of the first cloud in both boxes.
fn common(surface: &CloudSurface, pose: &Pose) -> Vec<DVec3> {
    let graph = surface.graph();
    let places: Vec<DVec3> = graph.ids().filter_map(|id| graph.place(id)).collect();
    let bounds = Aabb::enclosing(places.iter().copied());
    let back = pose.inverse();
    let is_common = |p: &DVec3| bounds.contains(back * *p);
    places.into_iter().filter(is_common).collect()
}

/// The collision balls of one pose. The true curve is where a dense sample of the model is next to the placed model.
pub(super) fn recall(subject: &Subject, pose: &Pose, candidates: usize, seed: u64) -> Recall {
    let (surface, model) = (&subject.surface, subject.model);
    let back = pose.inverse();
    let common = common(surface, pose);
    let all = surface.graph().len();
    let area = model.area * common.len() as f64 / all as f64;
    // The balls of 30 surfels.
    let radius = (area / (2.6 * 30.0)).sqrt();
    let spacing = model.spacing(all);
    let mut rng = Rng::new(seed);
    let curve: Vec<DVec3> = (0..40_000)
        .map(|_| (model.draw)(&mut rng))
        .filter(|&p| (model.distance)(back * p) < 0.5 * spacing)
        .collect();
    let mut scratch = InterpolationSearchScratch::default();
    let mut found = Vec::new();
    let options = InterpolationSearchOptions {
        candidates,
        seed,
        ..InterpolationSearchOptions::default()
    };
    crossings([surface; 2], pose, &options, &mut scratch, &mut found);
    let mut result = Recall::default();
    if common.is_empty() {
        return result;
    }
    for _ in 0..200 {
        let centre = common[rng.below(common.len() as u64) as usize];
        let is_in = |p: DVec3, reach: f64| (p - centre).length_squared() <= reach * reach;
        if curve.iter().any(|&p| is_in(p, radius)) {
            result.balls += 1;
            result.found += usize::from(found.iter().any(|c| is_in(c.point, radius + spacing)));
        }
    }
    result
}

/// The randomised sampling test: random places about the points of the first cloud in the common box.
pub(super) struct Sampling {
    scratch: EvaluationScratch,
    rng: Rng,
    bounds: Aabb,
    spacing: f64,
    /// Evaluations of the first round of queries.
    counted: u64,
}

impl Sampling {
    pub(super) fn new(subject: &Subject) -> Self {
        let graph = subject.surface.graph();
        Self {
            scratch: EvaluationScratch::default(),
            rng: Rng::new(21),
            bounds: Aabb::enclosing(graph.ids().filter_map(|id| graph.place(id))),
            spacing: subject.model.spacing(graph.len()),
            counted: 0,
        }
    }

    pub(super) fn evaluations(&self) -> u64 {
        self.counted
    }

    pub(super) fn crosses(&mut self, subject: &Subject, pose: &Pose) -> bool {
        let surface = &subject.surface;
        let graph = surface.graph();
        let back = pose.inverse();
        let before = self.scratch.evaluations;
        let mut is_found = false;
        let (mut samples, mut tries) = (0, 0);
        while samples < MOST_SAMPLES && tries < 100 * MOST_SAMPLES && !is_found {
            tries += 1;
            let id = impinge::cloud::PointId::new(self.rng.below(graph.len() as u64) as u32);
            let Some(place) = graph.place(id) else {
                continue;
            };
            if !self.bounds.contains(back * place) {
                continue;
            }
            samples += 1;
            let x = place + self.rng.cube() * self.spacing;
            let f_a = surface.evaluate(x, &mut self.scratch).value();
            let f_b = surface.evaluate(back * x, &mut self.scratch).value();
            if let (Some(f_a), Some(f_b)) = (f_a, f_b) {
                // Closer than half a spacing to both surfaces together it is a crossing.
                is_found = f_a.abs() + f_b.abs() < 0.5 * self.spacing;
            }
        }
        self.counted += self.scratch.evaluations - before;
        is_found
    }
}
