//! Shapes that meet when a motion starts get the normal of the faces in which they meet.

use impinge::convex::{Ball, Cuboid};
use impinge::math::{Motion, Rng};
use impinge::pair::Shape;
use impinge::prelude::Pair;
use impinge::{DVec3, Pose, TriMesh, generate};

fn cube(side: f64) -> TriMesh {
    let mesh = generate::cuboid(DVec3::splat(side), [1; 3]).unwrap();
    let center = mesh.bounds().center();
    mesh.placed(&Pose::from_translation(-center).unwrap())
        .unwrap()
}

/// Time, normal and whether the named face of `a` really touches `b`.
fn normal_at_start(a: &Shape, b: &Shape, a_from_b: Pose, way: DVec3) -> (f64, DVec3) {
    let end = Pose::from_translation(way).unwrap() * a_from_b;
    let mut pair = Pair::new(a.clone(), b.clone()).unwrap();
    let hit = pair.impact(&Motion::between(&a_from_b, &end)).unwrap();
    let hit = hit.value.unwrap();
    (hit.time, hit.normal)
}

#[test]
fn the_normal_is_that_of_the_face_and_not_of_the_motion() {
    let solids = [
        Shape::from(cube(2.0)),
        Shape::from(Cuboid::new([1.0; 3]).unwrap()),
    ];
    // Smaller, so that they touch one face and no edge.
    let guests = [
        Shape::from(cube(1.0)),
        Shape::from(Cuboid::new([0.5; 3]).unwrap()),
        Shape::from(Ball::new(0.5).unwrap()),
    ];
    let mut rng = Rng::new(41);
    for a in &solids {
        for b in &guests {
            for (axis, towards) in [DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .flat_map(|n| [(n, n), (n, -n)])
            {
                // b stands exactly on the face, off its middle, and goes anywhere.
                let beside = (DVec3::ONE - axis) * rng.cube() * 0.4;
                let on_face = Pose::from_translation(towards * 1.5 + beside).unwrap();
                let way = rng.cube() - towards * 0.3;
                let (time, normal) = normal_at_start(a, b, on_face, way);
                assert_eq!(time, 0.0);
                assert!(
                    (normal - towards).length() < 1e-6,
                    "{normal} for {towards}: {:?} {:?}",
                    a.kind(),
                    b.kind()
                );
            }
        }
    }
}
