//! Collision of two clouds by their trees: closed forms, the structure of the tree, limits, awkward clouds.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod answers;
mod distances;
mod limits;
mod motion;
mod published;
mod structure;

use std::f64::consts::TAU;
use std::sync::Arc;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::{DVec3, Pose};

fn tree_of(points: &[DVec3], options: &CloudTreeOptions) -> Arc<CloudTree> {
    let cloud = PointCloud::new(points.to_vec(), None).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let surface = CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap();
    Arc::new(CloudTree::new(surface.into(), options).unwrap())
}

fn tree(points: &[DVec3]) -> Arc<CloudTree> {
    tree_of(points, &CloudTreeOptions::default())
}

fn question(a: &Arc<CloudTree>, b: &Arc<CloudTree>) -> CloudCollision {
    CloudCollision::new(a.clone(), b.clone(), CloudCollisionOptions::default())
}

fn moved(by: impl Into<DVec3>) -> Pose {
    Pose::from_translation(by).unwrap()
}

fn random_turn(rng: &mut Rng) -> Pose {
    Pose::from_axis_angle(rng.direction(), rng.range(0.0, TAU), DVec3::ZERO).unwrap()
}
