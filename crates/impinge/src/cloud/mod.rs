//! Point clouds: neighbours, proximity graphs and implicit surfaces.
//!
//! From a validated [`PointCloud`] over a [`ProximityGraph`] to a [`CloudSurface`] that can be
//! evaluated; [`CloudCollision`] and [`find_crossings`] query two of them, and a [`CloudShape`]
//! goes into any query of [`pair`](crate::pair). `docs/guide/clouds.md`.
//!
//! ```
//! use impinge::{DVec3, cloud::*, math::Rng};
//! let mut rng = Rng::new(1);
//! let ball = PointCloud::from_points((0..2000).map(|_| rng.direction()))?;
//! let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
//! let bandwidth = BandwidthCalibration::of(&graph, 1e-3).bandwidth();
//! let surface = CloudSurface::new(graph.into(), SurfaceOptions { bandwidth, ..SurfaceOptions::default() })?;
//! let mut scratch = EvaluationScratch::default();
//! let inside = surface.evaluate(DVec3::Z * 0.9, &mut scratch).value().unwrap();
//! let outside = surface.evaluate(DVec3::Z * 1.1, &mut scratch).value().unwrap();
//! assert!((inside - 0.1).abs() < 0.01 && (outside + 0.1).abs() < 0.01);
//! # Ok::<(), CloudError>(())
//! ```

#[cfg(feature = "clouds")]
mod adjacency_lists;
#[cfg(feature = "clouds")]
mod bandwidth_calibration;
mod closest_points;
mod cloud_shape;
#[cfg(feature = "clouds")]
mod delaunay_graph;
#[cfg(feature = "clouds")]
mod delaunay_tetrahedra;
#[cfg(feature = "clouds")]
mod dijkstra;
#[cfg(feature = "clouds")]
mod edge_pruning;
#[cfg(feature = "clouds")]
mod ellipsoids_of_influence;
#[cfg(feature = "clouds")]
mod evaluation;
#[cfg(all(feature = "clouds", feature = "formats"))]
mod files;
#[cfg(feature = "clouds")]
mod findings;
#[cfg(feature = "clouds")]
mod gauss_quadrature;
#[cfg(feature = "clouds")]
mod geodesic_paths;
#[cfg(feature = "clouds")]
mod graph_build;
#[cfg(feature = "clouds")]
mod graph_edit;
#[cfg(feature = "clouds")]
mod graph_motion;
#[cfg(feature = "clouds")]
mod hierarchy;
#[cfg(feature = "clouds")]
mod implicit_surface;
#[cfg(feature = "clouds")]
mod influence_complex;
#[cfg(feature = "clouds")]
mod interpolation_search;
#[cfg_attr(
    not(feature = "clouds"),
    expect(dead_code, reason = "graphs and surfaces use the rest")
)]
mod kd_search;
mod kd_traversal;
#[cfg_attr(
    not(feature = "clouds"),
    expect(dead_code, reason = "graphs and surfaces use the rest")
)]
mod kd_tree;
#[cfg(feature = "clouds")]
mod kernel;
#[cfg(feature = "clouds")]
mod orient_normals;
#[cfg_attr(
    not(feature = "clouds"),
    expect(dead_code, reason = "graphs and surfaces use the rest")
)]
mod parallel;
mod point_cloud;
#[cfg(feature = "clouds")]
mod preview;
#[cfg(feature = "clouds")]
mod proximity_graph;
#[cfg(feature = "clouds")]
mod sample_surface;
#[cfg(feature = "clouds")]
mod sampling_radius;
#[cfg(feature = "clouds")]
mod smallest_eigenvector;
#[cfg(feature = "clouds")]
mod spline_length;
#[cfg(feature = "clouds")]
mod surface_edit;
#[cfg(feature = "clouds")]
mod surface_evaluate;
#[cfg(feature = "clouds")]
mod surface_options;

#[cfg(feature = "clouds")]
pub use bandwidth_calibration::BandwidthCalibration;
pub use closest_points::ClosestPoints;
pub(crate) use closest_points::ClosestPointsScratch;
pub use cloud_shape::CloudShape;
#[cfg(feature = "clouds")]
pub use edge_pruning::EdgePruning;
#[cfg(feature = "clouds")]
pub use ellipsoids_of_influence::EllipsoidOptions;
#[cfg(feature = "clouds")]
pub use evaluation::{Evaluation, EvaluationScratch, ImplicitSurface, SurfaceSample, Undefined};
#[cfg(all(feature = "clouds", feature = "formats"))]
pub use files::{
    CloudFile, CloudFormat, CloudReadError, CloudReadFault, CloudReadOptions, CloudWriteError,
    CloudWriteOptions, read_cloud, read_cloud_bytes, write_cloud, write_cloud_bytes,
};
#[cfg(feature = "clouds")]
pub use findings::{CloudFinding, CloudFindingKind, cloud_findings};
#[cfg(feature = "clouds")]
pub use geodesic_paths::{PathEnd, PathHorizon, PathLength, PathMap};
#[cfg(feature = "clouds")]
pub use graph_edit::GraphChange;
#[cfg(feature = "clouds")]
pub use hierarchy::{
    BudgetController, BudgetOptions, CloudAnswer, CloudBudget, CloudCollision,
    CloudCollisionOptions, CloudDistance, CloudNode, CloudTree, CloudTreeOptions, CloudTreeRefit,
    CoverDraw, LeafTest, NodeSampling, PairPriority, SampleSize,
};
#[cfg(feature = "clouds")]
pub use implicit_surface::CloudSurface;
#[cfg(feature = "clouds")]
pub use interpolation_search::{
    BracketCompletion, ClosestApproach, CrossingResult, CurveOptions, InterpolationSearchOptions,
    InterpolationSearchScratch, IntersectionCurve, IntersectionCurves, RootSearchRule,
    SurfaceCrossing, SurfelModel, candidates_for, closest_approach, find_crossings,
    intersection_curves, surface_path,
};
pub use kd_search::Neighbour;
pub use kd_tree::KdTree;
#[cfg(feature = "clouds")]
pub use kernel::Kernel;
pub use point_cloud::{CloudError, PointCloud, PointId, ScreenedCloud};
#[cfg(feature = "clouds")]
pub use proximity_graph::{GraphOptions, Influence, ProximityGraph};
#[cfg(feature = "clouds")]
pub use sample_surface::{SampleSurface, sample_bandwidth};
#[cfg(feature = "clouds")]
pub use sampling_radius::SamplingRadius;
#[cfg(feature = "clouds")]
pub use smallest_eigenvector::{SmallestEigenvector, smallest_eigenvector};
#[cfg(feature = "clouds")]
pub use surface_options::{Bandwidth, CovarianceCentre, SurfaceOptions, WeightDistance};
