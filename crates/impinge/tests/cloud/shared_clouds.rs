//! Real scans from a folder beside the workspace load and collide. Without the folder there is nothing to check; `IMPINGE_SHARED` names another place of it.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use impinge::cloud::{
    BandwidthCalibration, CloudCollision, CloudCollisionOptions, CloudFormat, CloudReadOptions,
    CloudShape, CloudSurface, CloudTree, CloudTreeOptions, GraphOptions,
    InterpolationSearchOptions, InterpolationSearchScratch, KdTree, PointCloud, ProximityGraph,
    SurfaceOptions, closest_approach, read_cloud,
};
use impinge::convex::Ball;
use impinge::geom::closest_point_on_triangle;
use impinge::pair::{DistanceQuery, IntersectionQuery, MeshShape, PairConfig, Shape};
use impinge::query::Limits;
use impinge::{DVec3, Pose, generate};

use crate::interpolation_search::all;

fn folder() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    // Beside the workspace, or one level up when the workspace is a worktree in a folder of such.
    let beside = workspace.ancestors().skip(1).take(2);
    std::env::var_os("IMPINGE_SHARED")
        .map(PathBuf::from)
        .into_iter()
        .chain(beside.map(|f| f.join("shared")))
        .map(|shared| shared.join("data"))
        .find(|f| f.is_dir())
}

fn scan(path: &Path) -> Option<Arc<CloudShape>> {
    let options = CloudReadOptions { drop_invalid: true };
    let file = path
        .is_file()
        .then(|| read_cloud(path, &options).unwrap())?;
    Some(Arc::new(CloudShape::new(Arc::new(file.cloud))))
}

/// The smallest distance by asking for the nearest of every point.
fn one_by_one(a: &CloudShape, b: &CloudShape, a_from_b: &Pose) -> f64 {
    let tree = KdTree::new(a.cloud().points());
    let each = b.cloud().points().iter();
    each.filter_map(|&q| tree.nearest(*a_from_b * q))
        .map(|near| near.distance())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn every_scan_is_read_and_touches_a_ball_around_each_of_its_points() {
    let Some(folder) = folder() else { return };
    let mut seen = 0;
    for name in ["pcl-point-clouds", "debian-cgal-data/points_3"] {
        let Ok(entries) = std::fs::read_dir(folder.join(name)) else {
            continue;
        };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if CloudFormat::from_path(&path).is_none() {
                continue;
            }
            let cloud = scan(&path).unwrap();
            let points = cloud.cloud().points();
            assert!(!points.is_empty(), "{}", path.display());
            let size = cloud.bounds().diagonal().length();
            let ball = Shape::from(Ball::new(1e-6 * size).unwrap());
            let shape = Shape::from(Arc::clone(&cloud));
            let mut query = IntersectionQuery::new(&ball, &shape, &PairConfig::default()).unwrap();
            for &p in points.iter().step_by(points.len() / 20 + 1) {
                assert!(query.any(&Pose::from_translation(-p).unwrap()));
            }
            assert!(
                !query.any(&Pose::from_translation(DVec3::X * 3.0 * size - points[0]).unwrap())
            );
            seen += 1;
        }
    }
    assert!(seen > 0 || !folder.join("pcl-point-clouds").is_dir());
}

#[test]
fn two_frames_of_a_camera_are_as_far_apart_as_their_nearest_points() {
    let Some(folder) = folder() else { return };
    let folder = folder.join("pcl-point-clouds");
    for [a, b] in [
        ["room_scan1.pcd", "room_scan2.pcd"],
        ["capture0001.pcd", "capture0002.pcd"],
        ["bun0.pcd", "bun4.pcd"],
    ] {
        let (Some(a), Some(b)) = (scan(&folder.join(a)), scan(&folder.join(b))) else {
            continue;
        };
        let apart = 1.5 * (a.bounds().diagonal() + b.bounds().diagonal());
        let poses = [
            Pose::IDENTITY,
            Pose::from_translation(apart).unwrap(),
            Pose::from_axis_angle([0.0, 0.0, 1.0], 0.1, [0.05, 0.0, 0.01]).unwrap(),
        ];
        let shapes = [Shape::from(Arc::clone(&a)), Shape::from(Arc::clone(&b))];
        let mut query = DistanceQuery::new(&shapes[0], &shapes[1], &PairConfig::default()).unwrap();
        for (k, pose) in poses.into_iter().enumerate() {
            let found = query.at(&pose, Limits::default()).value.unwrap();
            // Far from a large cloud every search for a nearest point takes long.
            if k == 1 && a.cloud().len() > 10_000 {
                assert!(found.distance > 0.0);
                continue;
            }
            assert_eq!(found.distance, one_by_one(&a, &b, &pose));
        }
    }
}

#[test]
fn a_scan_and_a_mesh_are_as_far_apart_as_the_nearest_point_and_face() {
    let Some(folder) = folder() else { return };
    let Some(cloud) = scan(&folder.join("pcl-point-clouds/bun0.pcd")) else {
        return;
    };
    let size = cloud.bounds().diagonal().length();
    let knot = Arc::new(generate::torus(size, 0.25 * size, 40, 20).unwrap());
    let (mesh, shape) = (
        Shape::from(MeshShape::new(Arc::clone(&knot))),
        Shape::from(Arc::clone(&cloud)),
    );
    let mut query = DistanceQuery::new(&mesh, &shape, &PairConfig::default()).unwrap();
    for k in 0..8 {
        let turn = f64::from(k);
        let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], turn, DVec3::X * size * turn * 0.3);
        let pose = pose.unwrap();
        let mut truth = f64::INFINITY;
        for &p in cloud.cloud().points() {
            for corners in knot.triangles() {
                truth = truth.min(closest_point_on_triangle(pose * p, &corners).distance);
            }
        }
        let found = query.at(&pose, Limits::default()).value.unwrap();
        assert!(
            (found.distance - truth).abs() <= 1e-12 * size,
            "{found:?} {truth}"
        );
    }
}

/// The surface behind a scan; of large ones every n-th point, so that the test is quick.
fn surface(cloud: &PointCloud) -> Arc<CloudSurface> {
    let distinct = cloud.distinct().cloud;
    let step = distinct.len().div_ceil(20_000).max(1);
    let points = distinct.points().iter().copied().step_by(step);
    let cloud = PointCloud::from_points(points).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let options = SurfaceOptions::default();
    let bandwidth = BandwidthCalibration::of(&graph, options.negligible).bandwidth();
    let options = SurfaceOptions {
        bandwidth,
        ..options
    };
    Arc::new(CloudSurface::new(graph.into(), options).unwrap())
}

#[test]
fn surfaces_behind_scans_cross_where_they_are_turned_and_not_where_they_are_far() {
    let Some(folder) = folder() else { return };
    let mut seen = 0;
    for name in [
        "pcl-point-clouds/bun0.pcd",
        "pcl-point-clouds/milk.pcd",
        "pcl-point-clouds/ism_train_horse.pcd",
        "happy-buddha-100k/buddha.obj",
    ] {
        let Some(scan) = scan(&folder.join(name)) else {
            continue;
        };
        seen += 1;
        let surface = surface(scan.cloud());
        let tree = Arc::new(CloudTree::new(surface.clone(), &CloudTreeOptions::default()).unwrap());
        let mut question =
            CloudCollision::new(tree.clone(), tree, CloudCollisionOptions::default());
        let (size, middle) = (scan.bounds().diagonal().length(), scan.bounds().center());
        let mut scratch = InterpolationSearchScratch::default();
        // Turned by a right angle about its middle a scan crosses itself; beside itself it does not.
        let turn = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 1.57, DVec3::ZERO).unwrap();
        let to = |v: DVec3| Pose::from_translation(v).unwrap();
        let turned = to(middle) * turn * to(-middle);
        let far = to(DVec3::X * 2.0 * (size + surface.overhang()));
        for (pose, crosses) in [(turned, true), (far, false)] {
            let (options, limits) = (InterpolationSearchOptions::default(), Limits::default());
            let (found, search) = all(&surface, &surface, &pose, &options);
            assert_eq!(search.verdict.answer, crosses, "{name}: {search:?}");
            let tree = question.at(&pose, limits).verdict;
            assert_eq!(tree.answer, crosses, "{name}: {tree:?}");
            assert_eq!((search.verdict.certain, tree.certain), (!crosses, !crosses));
            let near = closest_approach(&surface, &surface, &pose, &options, limits, &mut scratch);
            let distance = near.separation.map(|s| s.distance);
            assert_eq!(distance == Some(0.0), crosses, "{name}: {near:?}");
            // Every crossing is near points of both.
            let points = KdTree::new(scan.cloud().points());
            for crossing in &found {
                for place in [crossing.point, pose.inverse() * crossing.point] {
                    let off = points.nearest(place).unwrap().distance();
                    assert!(off <= 0.1 * size, "{name}: {off}");
                }
            }
        }
    }
    assert!(seen > 0 || !folder.join("pcl-point-clouds/bun0.pcd").is_file());
}
