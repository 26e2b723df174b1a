//! Moving balls against every kind of shape: distances by oracles, closed forms.

use impinge::geom::closest_point_on_triangle;
use impinge::math::Rng;
use impinge::prelude::*;
use impinge_testkit::generate::meshes;

use crate::ray_casts::{aimed, trace};
use crate::shapes::{angle, dust, hills, pair_of_solids, solids};

const RADIUS: f64 = 0.2;
/// Length of the way.
const WAY: f64 = 8.0;

fn check(name: &str, shape: &Shape, distance: &dyn Fn(DVec3) -> f64, rng: &mut Rng) {
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..40 {
        let ray = aimed(rng);
        let Ok(expected) = trace(&ray, &|p| (distance(p) - RADIUS).max(0.0)) else {
            continue;
        };
        let expected = expected.map(|t| t / WAY).filter(|t| *t < 1.0);
        let found = shape.cast_ball(RADIUS, ray.origin(), ray.at(WAY)).unwrap();
        let Some(expected) = expected else {
            misses += 1;
            assert!(found.value.is_none(), "{name}: {found:?} where nothing is");
            continue;
        };
        assert!(found.value.is_some(), "{name}: {expected} is missed");
        let hit = found.value.unwrap();
        let cosine = (-hit.normal.dot(ray.direction())).max(1e-3);
        assert!(
            (hit.t - expected).abs() < 1e-6 / cosine,
            "{name}: {hit:?} for {expected}"
        );
        // Certainly apart before the lower bound, met at the upper.
        assert!(
            distance(ray.at(WAY * found.lower)) >= RADIUS - 1e-9,
            "{name}"
        );
        if found.upper.is_finite() {
            assert!(
                distance(ray.at(WAY * found.upper)) <= RADIUS + 1e-9,
                "{name}"
            );
        }
        assert!((hit.center - ray.at(WAY * hit.t)).length() < 1e-9);
        assert!(
            (hit.point.distance(hit.center) - RADIUS).abs() < 1e-5,
            "{name}: {hit:?}"
        );
        assert!(
            (hit.center - hit.point - hit.normal * RADIUS).length() < 1e-4,
            "{name}: {hit:?}"
        );
        hits += 1;
    }
    assert!(hits > 5, "{name}: {hits} hits, {misses} misses");
}

#[test]
fn balls_at_convex_shapes_stop_at_their_distance() {
    let mut rng = Rng::new(51);
    for solid in solids() {
        check(solid.name, &solid.shape, &solid.distance, &mut rng);
    }
}

#[test]
fn balls_at_surfaces_particles_and_compounds_stop_at_their_distance() {
    let mut rng = Rng::new(52);
    let field = hills();
    let faces: Vec<[DVec3; 3]> = (0..field.face_count())
        .map(|face| field.face(impinge::query::FaceId::new(face)).unwrap())
        .collect();
    let to_faces = |faces: Vec<[DVec3; 3]>| {
        move |p: DVec3| {
            let points = faces
                .iter()
                .map(|face| closest_point_on_triangle(p, face).point);
            points.map(|q| q.distance(p)).fold(f64::INFINITY, f64::min)
        }
    };
    check("height field", &field.into(), &to_faces(faces), &mut rng);
    for mesh in [meshes::ball(2, 1.0), angle()] {
        let faces = mesh.triangles().collect();
        check("mesh", &mesh.into(), &to_faces(faces), &mut rng);
    }
    let particles = dust();
    let balls: Vec<(DVec3, f64)> = particles.balls().collect();
    let distance = move |p: DVec3| {
        let gaps = balls
            .iter()
            .map(|(center, radius)| center.distance(p) - radius);
        gaps.fold(f64::INFINITY, f64::min)
    };
    check("particles", &particles.into(), &distance, &mut rng);
    let compound = pair_of_solids();
    let children = compound.children().to_vec();
    let distance = move |p: DVec3| {
        let gaps = children.iter().map(|child| {
            let own = child.compound_from_child.inverse() * p;
            child
                .shape
                .closest_point(own)
                .unwrap()
                .value
                .unwrap()
                .distance
        });
        gaps.fold(f64::INFINITY, f64::min)
    };
    check("compound", &compound.into(), &distance, &mut rng);
}

#[test]
fn a_ball_that_touches_at_the_start_hits_at_once() {
    let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap());
    let found = ground
        .cast_ball(1.0, [0.0, 0.0, 0.5], [0.0, 0.0, 9.0])
        .unwrap();
    assert_eq!(found.value.map(|hit| hit.t), Some(0.0));
    let above = ground
        .cast_ball(1.0, [0.0, 0.0, 2.0], [5.0, 0.0, 2.0])
        .unwrap();
    assert!(above.value.is_none() && above.lower >= 1.0);
}
