//! Hulls of any points, and constructors that refuse what is no shape.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, SupportMap,
    Triangle,
};
use impinge::math::{Rng, orient3d};
use impinge::{DVec3, Pose};
use impinge_testkit::oracle;

/// What a hull must be, whatever the points.
fn check(points: &[DVec3]) -> Polyhedron {
    let hull = Polyhedron::new(points).unwrap();
    let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.face_count());
    for (&source, &vertex) in hull.sources().iter().zip(hull.vertices()) {
        assert_eq!(points[source as usize], vertex);
    }
    assert!(points.iter().all(|&p| hull.contains(p)), "{points:?}");
    match hull.dimension() {
        3 => assert_eq!(v + f, e + 2, "Euler: {points:?}"),
        2 => assert_eq!((v, f), (e, 2)),
        1 => assert_eq!((v, e, f), (2, 1, 0)),
        _ => assert_eq!((v, e, f), (1, 0, 0)),
    }
    for face in 0..f as u32 {
        let corners = hull.face(face);
        assert!(corners.len() >= 3);
        let at = |i: usize| hull.vertices()[corners[i % corners.len()] as usize];
        for vertex in hull.vertices() {
            let side = orient3d(at(0), at(1), at(2), *vertex);
            assert!(!side.is_negative() || hull.dimension() < 3, "{points:?}");
            let is_corner = corners
                .iter()
                .any(|&c| hull.vertices()[c as usize] == *vertex);
            assert!(!is_corner || side.is_zero());
        }
        let n = hull.normals()[face as usize];
        assert!((n.length() - 1.0).abs() < 1e-12);
    }
    // Every vertex is extreme: outside the hull of the others.
    if v > 1 && v <= 12 {
        for i in 0..v {
            let mut others = hull.vertices().to_vec();
            let own = others.remove(i);
            assert!(!oracle::hulls_meet(&[own], &others), "{points:?}");
        }
    }
    for i in 0..v as u32 {
        for &j in hull.neighbours(i) {
            assert!(hull.neighbours(j).contains(&i));
        }
    }
    hull
}

#[test]
fn hulls_of_grid_points_are_closed_convex_and_minimal() {
    let mut rng = Rng::new(31);
    let mut dimensions = [0; 4];
    for i in 0..1500 {
        let count = 1 + rng.below([3, 6, 12, 40][i % 4]);
        let size = [1, 2, 3][i % 3];
        let flat = rng.below(4);
        let points: Vec<DVec3> = (0..count)
            .map(|_| {
                let mut p = DVec3::new(
                    rng.grid(-size, size),
                    rng.grid(-size, size),
                    rng.grid(-size, size),
                );
                if flat == 0 {
                    p.z = p.x + p.y;
                }
                if flat == 1 && i % 2 == 0 {
                    p = DVec3::new(1.0, 2.0, -1.0) * p.x;
                }
                p
            })
            .collect();
        dimensions[usize::from(check(&points).dimension())] += 1;
    }
    assert!(dimensions.iter().all(|&n| n > 20), "{dimensions:?}");
}

#[test]
fn hulls_of_awkward_points_are_built() {
    let mut rng = Rng::new(32);
    // Nearly coplanar, nearly collinear, nearly equal, huge, tiny, and many on a sphere.
    for i in 0..200 {
        let thin = [1e-16, 1e-9, 1e-300, 0.0][i % 4];
        let shape = [
            DVec3::new(1.0, 1.0, thin),
            DVec3::new(1.0, thin, thin),
            DVec3::splat(thin),
        ][i % 3];
        let scale = [1.0, 1e40, 1e-200][i % 3];
        let points: Vec<DVec3> = (0..20)
            .map(|_| {
                (rng.cube() * shape + DVec3::splat(if i % 2 == 0 { 0.0 } else { 1.0 })) * scale
            })
            .collect();
        let hull = Polyhedron::new(&points).unwrap();
        assert!(points.iter().all(|&p| hull.contains(p)));
    }
    let sphere: Vec<DVec3> = (0..2000).map(|_| rng.direction()).collect();
    let hull = Polyhedron::new(&sphere).unwrap();
    assert_eq!(
        hull.vertices().len() + hull.face_count(),
        hull.edges().len() + 2
    );
    for _ in 0..200 {
        let d = rng.direction();
        let (climbed, scanned) = (hull.support(d, 7).point, hull.support_certain(d).point);
        assert_eq!(climbed.dot(d), scanned.dot(d));
    }
}

#[test]
fn what_is_no_shape_is_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(Ball::new(bad).is_err());
        assert!(Cuboid::new([1.0, bad, 1.0]).is_err());
        assert!(Capsule::new([0.0; 3], [1.0; 3], bad).is_err());
        assert!(Cylinder::new(bad, 1.0).is_err() && Cylinder::new(1.0, bad).is_err());
        assert!(Cone::new(bad, 1.0).is_err() && Cone::new(1.0, bad).is_err());
        assert!(Ellipsoid::new([1.0, 1.0, bad]).is_err());
    }
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        assert!(Segment::new([bad, 0.0, 0.0], [0.0; 3]).is_err());
        assert!(Triangle::new([DVec3::X, DVec3::Y, DVec3::splat(bad)]).is_err());
        assert!(Polyhedron::new(&[DVec3::X, DVec3::splat(bad)]).is_err());
        assert!(HalfSpace::new([0.0, 0.0, 1.0], [bad; 3]).is_err());
        assert!(Capsule::new([bad; 3], [1.0; 3], 1.0).is_err());
    }
    for bad in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
        assert!(HalfSpace::new(bad, [0.0; 3]).is_err());
    }
    assert!(Polyhedron::new(&[]).is_err());
}

#[test]
fn support_points_are_farthest_and_inside_the_bounds() {
    let mut rng = Rng::new(33);
    let shapes: [&dyn SupportMap; 7] = [
        &Ball::new(0.7).unwrap(),
        &Cuboid::new([0.3, 0.6, 0.9]).unwrap(),
        &Capsule::new([0.1, 0.2, 0.3], [1.0, -1.0, 0.5], 0.25).unwrap(),
        &Cylinder::new(0.7, 0.4).unwrap(),
        &Cone::new(0.7, 0.4).unwrap(),
        &Ellipsoid::new([0.2, 0.5, 1.0]).unwrap(),
        &Triangle::new([DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
    ];
    for shape in shapes {
        let bounds = shape.bounds().inflated(1e-12);
        for _ in 0..200 {
            let (d, other) = (rng.direction(), rng.direction());
            let p = shape.support(d, 0).point;
            assert!(p.dot(d) >= shape.support(other, 0).point.dot(d) - 1e-15);
            assert!(bounds.contains(p + d * shape.radius()));
        }
        let still = shape.support(DVec3::ZERO, 0).point;
        assert!(still.is_finite() && bounds.contains(still));
    }
    let ground = HalfSpace::new([0.0, 3.0, 4.0], [0.0; 3]).unwrap();
    let cube = Cuboid::new([1.0; 3]).unwrap();
    let found = ground.height_of(&cube, &Pose::from_translation([0.0, 5.0, 5.0]).unwrap());
    assert!((found.height - (7.0 - 1.4)).abs() < 1e-14);
    assert!((found.point - found.foot).length() - found.height < 1e-14);
}
