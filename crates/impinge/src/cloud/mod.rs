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
//! | [`Calibration`] | how wide to average, from noise and curvature |
//! | [`CloudCollision`] | whether the surfaces of two clouds meet, and how far apart they are, by their [`CloudTree`]s; [`BudgetController`] asks within a budget |
//! | [`find_crossings`] | whether and where two surfaces cross; [`nearest_approach`] how near they come |
//!
//! ```
//! use impinge::{DVec3, cloud::*, math::Rng};
//! let mut rng = Rng::new(1);
//! let ball = PointCloud::from_points((0..2000).map(|_| rng.direction()))?;
//! let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
//! let bandwidth = Calibration::of(&graph, 1e-3).bandwidth();
//! let surface = CloudSurface::new(graph.into(), SurfaceOptions { bandwidth, ..SurfaceOptions::default() })?;
//! let mut scratch = Scratch::default();
//! let inside = surface.evaluate(DVec3::Z * 0.9, &mut scratch).value().unwrap();
//! let outside = surface.evaluate(DVec3::Z * 1.1, &mut scratch).value().unwrap();
//! assert!((inside - 0.1).abs() < 0.01 && (outside + 0.1).abs() < 0.01);
//! # Ok::<(), CloudError>(())
//! ```

mod brackets;
mod calibrate;
mod closest;
mod delaunay;
mod edit;
mod ellipsoids;
mod evaluation;
#[cfg(feature = "formats")]
mod files;
mod findings;
mod gaussian;
mod graph;
mod hierarchy;
mod kd_nodes;
mod kd_tree;
mod kernel;
mod lists;
mod local_build;
mod nearest;
mod orient;
mod paths;
mod points;
mod preview;
mod prune;
mod sample_surface;
mod sampling;
mod search;
mod shared;
mod smallest_axis;
mod spline;
mod spread;
mod surface;
mod surface_edit;
mod surface_evaluate;
mod surface_options;
mod tetrahedra;
mod triangles;

pub use brackets::{
    Approach, BracketOptions, BracketScratch, Completion, Crossing, CrossingSearch, Surfels, Walk,
    candidates_for, find_crossings, nearest_approach, surface_path,
};
pub use calibrate::Calibration;
pub use closest::ClosestPoints;
pub use edit::Change;
pub use ellipsoids::EllipsoidOptions;
pub use evaluation::{Evaluation, ImplicitSurface, Sample, Scratch, Undefined};
#[cfg(feature = "formats")]
pub use files::{
    CloudFile, CloudFormat, CloudReadError, CloudReadFault, CloudReadOptions, CloudWriteError,
    CloudWriteOptions, read_cloud, read_cloud_bytes, write_cloud, write_cloud_bytes,
};
pub use findings::{CloudFinding, CloudFindingKind, cloud_findings};
pub use graph::{GraphOptions, Influence, ProximityGraph};
pub use hierarchy::{
    Budget, BudgetController, BudgetOptions, CloudAnswer, CloudCollision, CloudCollisionOptions,
    CloudDistance, CloudNode, CloudTree, CloudTreeOptions, LeafTest, SampleSize,
};
pub use kd_tree::KdTree;
pub use kernel::Kernel;
pub use nearest::Near;
pub use paths::{Horizon, PathLength, PathMap, Reached};
pub use points::{CloudError, PointCloud, PointId, Screened};
pub use prune::Prune;
pub use sample_surface::{SampleSurface, sample_bandwidth};
pub use sampling::SamplingRadius;
pub use shared::CloudShape;
pub use smallest_axis::{SmallestAxis, smallest_axis};
pub use surface::CloudSurface;
pub use surface_options::{Bandwidth, Centre, Distance, SurfaceOptions};
