//! Shared volumes by the door to all methods, and the shape of what is shared.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::mesh::mass;
use impinge::penetration::{
    PenetrationBody, PenetrationMethod, PenetrationQuery, overlap_boundary,
};
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose, generate};

fn pose(rng: &mut Rng, distance: f64) -> Pose {
    let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), DVec3::ZERO).unwrap();
    Pose::from_translation(rng.direction() * distance).unwrap() * turn
}

#[test]
fn every_method_brackets_the_same_truth() {
    let mesh = Arc::new(generate::blob(5).unwrap());
    let tree = WideTree::new(Arc::clone(&mesh));
    let solid = MeshSolid::new(&tree).unwrap();
    let options = PackOptions {
        count: Some(1500),
        ..PackOptions::default()
    };
    let balls = pack(&solid, &options).unwrap().balls;
    let spheres = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid)
        .with_gaps(&solid, 20);
    let body = PenetrationBody::exact(Arc::clone(&mesh))
        .unwrap()
        .with_spheres(spheres);
    let mut rng = Rng::new(3);
    for case in 0..4 {
        let a_from_b = pose(&mut rng, 0.5 + 0.3 * f64::from(case));
        let mut exact = PenetrationQuery::new(&body, &body).unwrap();
        assert_eq!(exact.method(), PenetrationMethod::Exact);
        let truth = exact.ask(&a_from_b, Limits::default()).unwrap();
        let method = PenetrationMethod::Spheres;
        let mut query = PenetrationQuery::by(method, &body, &body).unwrap();
        let found = query.ask(&a_from_b, Limits::default()).unwrap();
        assert_eq!(found.value.method, method);
        assert!(found.lower <= truth.upper && truth.lower <= found.upper);
    }
}

#[test]
fn the_boundary_of_an_overlap_encloses_its_volume() {
    let a = WideTree::new(Arc::new(generate::blob(6).unwrap()));
    let b = WideTree::new(Arc::new(generate::torus(1.0, 0.4, 24, 12).unwrap()));
    let index = |tree: &WideTree| VolumeIndex::from_tree(tree.clone()).unwrap();
    let (exact_a, exact_b) = (index(&a), index(&b));
    let mut rng = Rng::new(14);
    for case in 0..8 {
        let a_from_b = pose(&mut rng, 0.2 * f64::from(case));
        let shape = overlap_boundary(&a, &b, &a_from_b).unwrap();
        let cache = &mut OverlapCache::default();
        let truth = exact_a
            .overlap(&exact_b, &a_from_b, Limits::default(), cache)
            .unwrap();
        // Pieces close up to rounding, so that the divergence theorem holds for them all together.
        let volume: f64 = shape
            .of_a
            .triangles()
            .chain(shape.of_b.triangles())
            .map(|[p, q, r]| p.dot(q.cross(r)) / 6.0)
            .sum();
        assert!(
            (volume - truth.value.volume).abs() < 1e-9,
            "case {case}: {volume}"
        );
    }
    let cube = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3]).unwrap()));
    let same = overlap_boundary(&cube, &cube, &Pose::IDENTITY).unwrap();
    let area = impinge::mesh::area(&same.of_a) + impinge::mesh::area(&same.of_b);
    assert!((area - 6.0).abs() < 1e-12);
    assert!(
        (mass(&generate::cuboid(DVec3::ONE, [1; 3]).unwrap())
            .unwrap()
            .volume
            - 1.0)
            .abs()
            < 1e-12
    );
}
