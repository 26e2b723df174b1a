//! Queries of the implicit surfaces of two clouds.

use std::sync::Arc;

use anyhow::Context;
use impinge::Pose;
use impinge::cloud::{
    Bandwidth, BandwidthCalibration, CloudError, CloudShape, CloudSurface, CrossingResult,
    GraphOptions, InterpolationSearchOptions, InterpolationSearchScratch, PointCloud,
    ProximityGraph, SurfaceCrossing, SurfaceOptions, closest_approach, find_crossings,
};
use impinge::query::{Limits, Outcome, Separation};

use crate::progress;

/// The weight at which kernels end, as in the library's default.
const NEGLIGIBLE: f64 = 1e-3;

/// Whether the surfaces cross, and where that was seen.
#[derive(Debug)]
pub(crate) struct Crossed {
    pub(crate) search: CrossingResult,
    pub(crate) places: Vec<SurfaceCrossing>,
    /// How near the surfaces come, and where: an estimate, 0 where they cross. None when nothing was found within the distance of interest.
    pub(crate) nearest: Option<Separation>,
    /// Whether nothing nearer was left to look for.
    pub(crate) is_nearest_complete: bool,
}

/// The surface behind a cloud, as wide as its noise and curvature ask for.
pub(crate) fn surface_of(name: &str, cloud: &CloudShape) -> anyhow::Result<Arc<CloudSurface>> {
    progress::during("finding the surface", || {
        // Thousands of points in one place make no graph; the others do.
        let distinct = cloud.cloud().distinct().cloud;
        let graph = ProximityGraph::new(&distinct, &GraphOptions::default())?;
        let bandwidth = BandwidthCalibration::of(&graph, NEGLIGIBLE).bandwidth();
        oriented(&distinct, graph, bandwidth)
    })
    .map(Arc::new)
    .with_context(|| format!("no surface behind {name}"))
}

/// The surface of a cloud's graph; normals that the cloud has say which side is which.
pub(crate) fn oriented(
    cloud: &PointCloud,
    graph: ProximityGraph,
    bandwidth: Bandwidth,
) -> Result<CloudSurface, CloudError> {
    let options = SurfaceOptions {
        bandwidth,
        ..SurfaceOptions::default()
    };
    match cloud.normals() {
        Some(normals) => CloudSurface::with_normals(Arc::new(graph), options, normals.to_vec()),
        None => CloudSurface::new(Arc::new(graph), options),
    }
}

/// Looks for places where two surfaces cross, and where they come nearest if they do not.
pub(crate) fn cross([a, b]: [&CloudSurface; 2], a_from_b: &Pose, limits: Limits<'_>) -> Crossed {
    let options = InterpolationSearchOptions::default();
    let mut scratch = InterpolationSearchScratch::default();
    let mut places: Vec<SurfaceCrossing> = Vec::new();
    let search = find_crossings(
        a,
        b,
        a_from_b,
        None,
        &options,
        limits,
        &mut scratch,
        &mut places,
    );
    let (nearest, outcome) = match places.first() {
        Some(place) => {
            let touching = Separation {
                distance: 0.0,
                point_a: place.point,
                point_b: place.point,
            };
            (Some(touching), Outcome::Complete)
        }
        None => {
            let found = closest_approach(a, b, a_from_b, &options, limits, &mut scratch);
            (found.separation, found.outcome)
        }
    };
    Crossed {
        search,
        places,
        nearest,
        is_nearest_complete: outcome == Outcome::Complete,
    }
}
