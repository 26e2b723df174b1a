//! Asks about the surfaces behind the points of two clouds.

use std::sync::Arc;

use anyhow::Context;
use impinge::Pose;
use impinge::cloud::{
    BracketOptions, BracketScratch, Calibration, CloudShape, CloudSurface, Crossing,
    CrossingSearch, GraphOptions, ProximityGraph, SurfaceOptions, find_crossings,
};
use impinge::query::Limits;

use crate::progress;

/// The weight at which kernels end, as in the library's default.
const NEGLIGIBLE: f64 = 1e-3;

/// Whether the surfaces cross, and where that was seen.
#[derive(Debug)]
pub(crate) struct Crossed {
    pub(crate) search: CrossingSearch,
    pub(crate) places: Vec<Crossing>,
}

/// The surface behind a cloud, as wide as its noise and curvature ask for.
pub(crate) fn surface_of(name: &str, cloud: &CloudShape) -> anyhow::Result<Arc<CloudSurface>> {
    progress::during("finding the surface", || {
        // Thousands of points in one place make no graph; the others do.
        let distinct = cloud.cloud().distinct().cloud;
        let graph = ProximityGraph::new(&distinct, &GraphOptions::default())?;
        let options = SurfaceOptions {
            bandwidth: Calibration::of(&graph, NEGLIGIBLE).bandwidth(),
            ..SurfaceOptions::default()
        };
        CloudSurface::new(Arc::new(graph), options)
    })
    .map(Arc::new)
    .with_context(|| format!("no surface behind {name}"))
}

/// Looks for places where two surfaces cross.
pub(crate) fn cross([a, b]: [&CloudSurface; 2], a_from_b: &Pose, limits: Limits<'_>) -> Crossed {
    let mut places: Vec<Crossing> = Vec::new();
    let search = find_crossings(
        a,
        b,
        a_from_b,
        None,
        &BracketOptions::default(),
        limits,
        &mut BracketScratch::default(),
        &mut places,
    );
    Crossed { search, places }
}
