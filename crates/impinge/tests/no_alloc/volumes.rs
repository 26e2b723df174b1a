//! Shared volumes, forces and distances of balls are asked again without allocating.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::penetration::{PenetrationBody, PenetrationMethod, PenetrationQuery, SolidVoxels};
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, PackOptions, pack,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::allocations::count;

fn poses() -> Vec<Pose> {
    let mut rng = Rng::new(12);
    (0..40)
        .map(|k| {
            let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), DVec3::ZERO);
            let way = rng.direction() * (0.06 * f64::from(k));
            Pose::from_translation(way).unwrap() * turn.unwrap()
        })
        .collect()
}

fn spheres(mesh: TriMesh) -> InnerSphereTree {
    let index = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&index).unwrap();
    let options = PackOptions {
        count: Some(400),
        ..PackOptions::default()
    };
    let balls = pack(&solid, &options).unwrap().balls;
    InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid)
        .with_gaps(&solid, 16)
}

/// Allocations of the second of two equal rounds.
fn of_second(mut round: impl FnMut()) -> u64 {
    round();
    let before = count();
    round();
    count() - before
}

#[test]
fn exact_volumes_allocate_nothing_once_the_cache_has_grown() {
    let index = |mesh: TriMesh| VolumeIndex::new(Arc::new(mesh)).unwrap();
    let a = index(generate::blob(8).unwrap());
    let b = index(generate::torus(1.0, 0.3, 24, 12).unwrap());
    let poses = poses();
    let mut cache = OverlapCache::default();
    let mut shared = 0.0;
    let allocations = of_second(|| {
        for pose in &poses {
            let found = a.overlap(&b, pose, Limits::default(), &mut cache).unwrap();
            shared += found.value.volume;
        }
    });
    assert_eq!(allocations, 0);
    assert!(shared > 0.0);
}

#[test]
fn balls_are_asked_without_allocating_once_the_cache_has_grown() {
    let a = spheres(generate::blob(8).unwrap());
    let b = spheres(generate::torus(1.0, 0.3, 24, 12).unwrap());
    let poses = poses();
    let mut cache = InnerSphereTreeCache::default();
    for max_tests in [None, Some(3000)] {
        let limits = Limits {
            max_tests,
            ..Limits::default()
        };
        let (mut pairs, mut refined) = (0, 0);
        let allocations = of_second(|| {
            for pose in &poses {
                pairs += a.overlap(&b, pose, limits, &mut cache).pairs;
                a.distance(&b, pose, limits, &mut cache).unwrap();
                let found = a.refined_distance(&b, pose, limits, &mut cache).unwrap();
                refined += usize::from(found.nearest.is_some());
                a.proximity(&b, pose, limits, &mut cache).unwrap();
                a.contact(&b, pose, limits, &mut cache);
            }
        });
        assert_eq!(allocations, 0, "{max_tests:?}");
        assert!(pairs > 0 && refined > 0);
    }
}

#[test]
fn the_door_to_both_methods_allocates_nothing_either() {
    let body = |mesh: TriMesh| {
        let exact = PenetrationBody::exact(Arc::new(mesh.clone())).unwrap();
        let voxels = SolidVoxels::new(&mesh, 30).unwrap();
        exact.with_voxels(voxels).with_spheres(spheres(mesh))
    };
    let a = body(generate::blob(8).unwrap());
    let b = body(generate::torus(1.0, 0.3, 24, 12).unwrap());
    let poses = poses();
    for method in [
        PenetrationMethod::Exact,
        PenetrationMethod::Spheres,
        PenetrationMethod::ByCost,
        PenetrationMethod::Voxmap,
    ] {
        let mut query = PenetrationQuery::by(method, &a, &b).unwrap();
        let mut forces = 0;
        let allocations = of_second(|| {
            for pose in &poses {
                let found = query.ask(pose, Limits::default()).unwrap();
                forces += usize::from(found.value.force_on_b().is_some());
            }
        });
        assert_eq!(allocations, 0, "{method}");
        assert_eq!(forces, 2 * poses.len());
    }
}
