//! Point clouds: which points are neighbours, and where is the surface behind them?
//!
//! Scanners and depth cameras give points, not meshes. Three steps lead from points to a surface that can be asked about.
//!
//! | | answers |
//! |---|---|
//! | [`PointCloud`] | validated points and normals; [`cloud_findings`] says what is imperfect, [`SamplingRadius`] how dense they are |
//! | [`KdTree`] | the nearest points, the k nearest, all within a distance |
//! | [`ProximityGraph`] | which points are neighbours on the surface; with [`PathMap`] how far apart along it. Points can be inserted, removed and moved |
//! | [`CloudSurface`] | f(x): how far from the surface, and on which side; or that there is none, and why |
//! | [`CloudShape`] | a cloud for the questions of [`pair`](crate::pair), its points as they are |
//! | [`BandwidthCalibration`] | how wide to average, from noise and curvature |
//! | [`CloudCollision`] | whether the surfaces of two clouds meet, and how far apart they are, by their [`CloudTree`]s; [`BudgetController`] asks within a budget |
//! | [`find_crossings`] | whether and where two surfaces cross; [`closest_approach`] how near they come |
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

mod adjacency_lists;
mod bandwidth_calibration;
mod closest_points;
mod cloud_shape;
mod delaunay_graph;
mod delaunay_tetrahedra;
mod dijkstra;
mod edge_pruning;
mod ellipsoids_of_influence;
mod evaluation;
#[cfg(feature = "formats")]
mod files;
mod findings;
mod gauss_quadrature;
mod geodesic_paths;
mod graph_build;
mod graph_edit;
mod hierarchy;
mod influence_complex;
mod interpolation_search;
mod kd_search;
mod kd_traversal;
mod kd_tree;
mod kernel;
mod orient_normals;
mod parallel;
mod point_cloud;
mod preview;
mod proximity_graph;
mod sample_surface;
mod sampling_radius;
mod smallest_eigenvector;
mod spline_length;
mod surface;
mod surface_edit;
mod surface_evaluate;
mod surface_options;

pub use bandwidth_calibration::BandwidthCalibration;
pub use closest_points::ClosestPoints;
pub(crate) use closest_points::ClosestPointsScratch;
pub use cloud_shape::CloudShape;
pub use edge_pruning::EdgePruning;
pub use ellipsoids_of_influence::EllipsoidOptions;
pub use evaluation::{Evaluation, EvaluationScratch, ImplicitSurface, SurfaceSample, Undefined};
#[cfg(feature = "formats")]
pub use files::{
    CloudFile, CloudFormat, CloudReadError, CloudReadFault, CloudReadOptions, CloudWriteError,
    CloudWriteOptions, read_cloud, read_cloud_bytes, write_cloud, write_cloud_bytes,
};
pub use findings::{CloudFinding, CloudFindingKind, cloud_findings};
pub use geodesic_paths::{PathEnd, PathHorizon, PathLength, PathMap};
pub use graph_edit::GraphChange;
pub use hierarchy::{
    BudgetController, BudgetOptions, CloudAnswer, CloudBudget, CloudCollision,
    CloudCollisionOptions, CloudDistance, CloudNode, CloudTree, CloudTreeOptions, LeafTest,
    SampleSize,
};
pub use interpolation_search::{
    BracketCompletion, ClosestApproach, CrossingResult, InterpolationSearchOptions,
    InterpolationSearchScratch, RootSearchRule, SurfaceCrossing, SurfelModel, candidates_for,
    closest_approach, find_crossings, surface_path,
};
pub use kd_search::Neighbour;
pub use kd_tree::KdTree;
pub use kernel::Kernel;
pub use point_cloud::{CloudError, PointCloud, PointId, ScreenedCloud};
pub use proximity_graph::{GraphOptions, Influence, ProximityGraph};
pub use sample_surface::{SampleSurface, sample_bandwidth};
pub use sampling_radius::SamplingRadius;
pub use smallest_eigenvector::{SmallestEigenvector, smallest_eigenvector};
pub use surface::CloudSurface;
pub use surface_options::{Bandwidth, CovarianceCentre, SurfaceOptions, WeightDistance};
