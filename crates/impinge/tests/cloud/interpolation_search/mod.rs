//! Crossings of two surfaces against closed forms: balls, planes, tori; holes, edits, awkward clouds.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod answers;
mod curves;
mod modes;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose};

fn surface_of(points: Vec<DVec3>) -> CloudSurface {
    let cloud = PointCloud::new(points, None).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap()
}

/// Random points of a square patch about the origin.
fn patch(n: usize, u: DVec3, v: DVec3, rng: &mut Rng) -> Vec<DVec3> {
    (0..n)
        .map(|_| u * rng.range(-1.0, 1.0) + v * rng.range(-1.0, 1.0))
        .collect()
}

fn at(translation: impl Into<DVec3>) -> Pose {
    Pose::from_translation(translation).unwrap()
}

fn turned(axis: DVec3, angle: f64, translation: DVec3) -> Pose {
    Pose::from_axis_angle(axis, angle, translation).unwrap()
}

/// All crossings, with what the search says.
pub(crate) fn all(
    a: &CloudSurface,
    b: &CloudSurface,
    pose: &Pose,
    options: &InterpolationSearchOptions,
) -> (Vec<SurfaceCrossing>, CrossingResult) {
    let mut found = Vec::new();
    let mut scratch = InterpolationSearchScratch::default();
    let limits = Limits::default();
    let search = find_crossings(a, b, pose, None, options, limits, &mut scratch, &mut found);
    assert_eq!(search.verdict.answer, !found.is_empty());
    assert_eq!(search.outcome, Outcome::Complete);
    (found, search)
}

/// What the surface is smaller than its ball by.
fn shrinkage(surface: &CloudSurface) -> f64 {
    let here = surface.evaluate(DVec3::Z, &mut EvaluationScratch::default());
    let h = here.sample().unwrap().bandwidth;
    0.5 * h * h
}
