//! Balls inside and apart, by an oracle and by our own check; the same bytes for any number of threads.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::spheres::{MeshSolid, PackOptions, pack};
use impinge::{DVec3, Pose, generate};

use super::{count, cube, judge, packed};

#[test]
fn balls_are_inside_and_disjoint_by_rational_arithmetic() {
    let turned =
        Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::new(5.0, -3.0, 100.0));
    let models = [
        cube(),
        generate::torus(1.0, 0.3, 24, 12).unwrap(),
        generate::tetrahedron(1e-3).unwrap(),
        generate::blob(6).unwrap(),
        cube().placed(&turned.unwrap()).unwrap(),
    ];
    for mesh in models {
        let packing = packed(mesh.clone(), &count(150));
        assert_eq!(packing.balls.len(), 150);
        judge(&mesh, &packing);
    }
}

#[test]
fn our_own_check_finds_no_fault_either_and_radii_do_not_increase() {
    let mesh = generate::torus(1.0, 0.3, 48, 24).unwrap();
    let tree = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&tree).unwrap();
    let packing = pack(&solid, &count(3000)).unwrap();
    assert!(packing.check(&solid).is_feasible());
    assert!(packing.balls.windows(2).all(|w| w[1].radius <= w[0].radius));
    assert!(packing.fill() > 0.8, "{}", packing.fill());
    let mut broken = packing.clone();
    broken.balls[7].radius *= 1.01;
    assert!(!broken.check(&solid).is_feasible());
}

#[test]
fn threads_do_not_change_a_bit_and_seeds_do() {
    let mesh = Arc::new(generate::blob(8).unwrap());
    let tree = WideTree::new(Arc::clone(&mesh));
    let solid = MeshSolid::new(&tree).unwrap();
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| pack(&solid, &PackOptions { seed, ..count(300) }).unwrap())
    };
    let one = with(1, 5);
    for threads in [2, 3, 7] {
        assert_eq!(with(threads, 5), one);
    }
    assert_ne!(with(1, 6).balls, one.balls);
}
