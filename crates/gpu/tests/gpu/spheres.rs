//! Packings and trees of balls.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, NeuralGasOptions,
    PackOptions, SolidBall, SphereSplit, pack,
};
use impinge::{DVec3, TriMesh, generate};
use impinge_gpu::primitives::segment_sums;
use impinge_gpu::spheres::{GpuGas, GpuPacker, KERNELS};
use impinge_gpu::{Backend, GpuError};

use crate::backends::{Random, backends};

fn tree_of(mesh: TriMesh) -> WideTree {
    WideTree::new(Arc::new(mesh))
}

fn options(count: usize) -> PackOptions {
    PackOptions {
        count: Some(count),
        ..PackOptions::default()
    }
}

fn balls(seed: u64, count: usize) -> Vec<SolidBall> {
    let mut random = Random(seed);
    (0..count)
        .map(|_| SolidBall {
            center: DVec3::from([0; 3].map(|_| random.unit())),
            radius: 0.002 + 0.03 * random.unit().abs().powi(4),
        })
        .collect()
}

#[test]
fn a_cube_holds_one_large_ball_and_eight_in_its_corners() {
    let tree = tree_of(generate::cuboid(DVec3::ONE, [1; 3]).unwrap());
    let solid = MeshSolid::new(&tree).unwrap();
    for backend in backends() {
        let packing = GpuPacker::new(backend).pack(&solid, &options(9)).unwrap();
        let radii: Vec<f64> = packing.balls.iter().map(|ball| ball.radius).collect();
        assert!((radii[0] - 0.5).abs() < 1e-4, "{radii:?}");
        assert!(
            radii[1..].iter().all(|r| (r - 0.133975).abs() < 1e-4),
            "{radii:?}"
        );
        assert!(packing.check(&solid).is_feasible());
    }
}

#[test]
fn packings_are_feasible_and_fill_as_much_as_those_of_the_library() {
    let meshes = [
        generate::icosphere(1.0, 3).unwrap(),
        generate::cuboid(DVec3::new(1.0, 0.6, 0.3), [1; 3]).unwrap(),
        generate::tetrahedron(1.0).unwrap(),
    ];
    for mesh in meshes {
        let tree = tree_of(mesh);
        let solid = MeshSolid::new(&tree).unwrap();
        let wanted = pack(&solid, &options(40)).unwrap();
        for backend in backends() {
            let packing = GpuPacker::new(backend).pack(&solid, &options(40)).unwrap();
            assert_eq!(packing.balls.len(), 40);
            assert!(packing.check(&solid).is_feasible());
            assert!(
                packing.fill() >= 0.99 * wanted.fill(),
                "{} of {}",
                packing.fill(),
                wanted.fill()
            );
        }
    }
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let tree = tree_of(generate::tetrahedron(1.0).unwrap());
    let solid = MeshSolid::new(&tree).unwrap();
    let mut packer = GpuPacker::new(Backend::twin());
    for (options, word) in [
        (
            PackOptions {
                count: None,
                ..PackOptions::default()
            },
            "no end",
        ),
        (
            PackOptions {
                fill: Some(1.5),
                ..PackOptions::default()
            },
            "1.5",
        ),
        (
            PackOptions {
                min_radius: Some(-1.0),
                ..PackOptions::default()
            },
            "-1",
        ),
    ] {
        let error = packer.pack(&solid, &options).unwrap_err();
        assert!(matches!(error, GpuError::Refused(_)));
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn every_device_makes_the_tree_of_the_twin() {
    for (seed, count, width) in [(1, 1, 4), (2, 5, 4), (3, 300, 4), (4, 2500, 4), (5, 400, 8)] {
        let balls = balls(seed, count);
        let mut first = None;
        for backend in backends() {
            let mut gas = GpuGas::new(backend);
            let tree = gas.tree(&balls, width).unwrap();
            let order = first.get_or_insert_with(|| tree.order().to_vec());
            assert!(order == tree.order(), "{}", gas.backend().name());
            let mut all = tree.order().to_vec();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count as u32), "each ball once");
        }
    }
}

#[test]
fn equal_balls_and_bad_balls_are_no_trouble() {
    let one = SolidBall {
        center: DVec3::ONE,
        radius: 0.5,
    };
    for backend in backends() {
        let mut gas = GpuGas::new(backend);
        assert_eq!(gas.tree(&[one; 50], 4).unwrap().order().len(), 50);
        assert!(gas.tree(&[], 4).unwrap().order().is_empty());
        let bad = SolidBall {
            center: DVec3::NAN,
            ..one
        };
        assert!(matches!(
            gas.tree(&[one, bad], 4),
            Err(GpuError::Refused(_))
        ));
    }
}

#[test]
fn queries_of_the_tree_cost_what_those_of_the_library_cost() {
    let balls = balls(9, 3000);
    let library = InnerSphereTreeOptions {
        split: SphereSplit::NeuralGas(NeuralGasOptions::default()),
        width: 4,
    };
    let theirs = InnerSphereTree::new(&balls, &library).unwrap();
    let ours = GpuGas::new(Backend::twin()).tree(&balls, 4).unwrap();
    let mut costs = [0; 2];
    let mut random = Random(5);
    for _ in 0..100 {
        let shift = DVec3::from([0; 3].map(|_| 1.2 * random.unit()));
        let pose = impinge::Pose::from_translation(shift).unwrap();
        let mut shared = [0.0; 2];
        for (k, tree) in [&theirs, &ours].into_iter().enumerate() {
            let mut cache = InnerSphereTreeCache::default();
            shared[k] = tree
                .overlap(tree, &pose, Limits::default(), &mut cache)
                .lower;
            costs[k] += cache.tests();
        }
        assert!((shared[0] - shared[1]).abs() <= 1e-9 * shared[0].max(1e-9));
    }
    let ratio = costs[1] as f64 / costs[0] as f64;
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
}

#[test]
fn segment_sums_are_those_of_the_thesis() {
    // Figures 4.5 and 4.7, in tenths.
    let parts = [1, 4, 3, 3, 4, 2, 1, 4, 3, 3, 2, 4, 4, 2, 1, 1];
    let mut order: Vec<usize> = (0..16).collect();
    order.sort_by_key(|&i| parts[i]);
    assert_eq!(
        order,
        [0, 6, 14, 15, 5, 10, 13, 2, 3, 8, 9, 1, 4, 7, 11, 12]
    );
    let values = [
        13, 52, 81, 42, 30, 95, 36, 10, 17, 34, 23, 28, 48, 36, 24, 13,
    ];
    for mut backend in backends() {
        let items = backend.upload(&values).unwrap();
        let starts = backend.upload(&[0, 4, 7, 11, 16]).unwrap();
        let sums = backend.alloc(8).unwrap();
        segment_sums(&mut backend, items, starts, sums, 4).unwrap();
        let found = backend.read(sums, 0..8).unwrap();
        assert_eq!(found, [188, 0, 161, 0, 84, 0, 149, 0]);
    }
}

#[test]
fn kernels_stay_within_the_default_limits() {
    for kernel in KERNELS {
        assert!(kernel.buffers <= 8 && kernel.shared <= 16_384);
        assert_eq!(kernel.wgsl.matches("var<storage").count(), kernel.buffers);
        assert!(kernel.wgsl.contains("@workgroup_size(256)"));
    }
}
