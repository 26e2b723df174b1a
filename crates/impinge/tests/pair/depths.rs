//! Depths against closed forms and directions tried one by one.

use impinge::convex::{Ball, Cuboid, HalfSpace};
use impinge::math::Rng;
use impinge::pair::{
    Compound, DepthQuery, IntersectionQuery, PairConfig, Particles, Shape, UnsupportedReason,
};
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::{Place, locate};

use super::shapes::{all, angle, faces_of, minimum_over, random_pose, shape_of, solids};

#[test]
fn a_half_space_is_entered_as_deep_as_the_lowest_point() {
    let mut rng = Rng::new(1);
    let normal = DVec3::new(0.25, -0.5, 1.0).normalize();
    let ground = Shape::from(HalfSpace::new(normal, [0.0; 3]).unwrap());
    let mesh = angle();
    let shape = shape_of(mesh.clone());
    let open =
        shape_of(TriMesh::new(mesh.positions().to_vec(), mesh.faces()[2..].to_vec()).unwrap());
    for _ in 0..40 {
        let pose = random_pose(&mut rng, 2.0);
        let lowest = mesh
            .positions()
            .iter()
            .map(|&p| (pose * p).dot(normal))
            .fold(f64::INFINITY, f64::min);
        for (a, b, flip) in [(&ground, &shape, false), (&shape, &ground, true)] {
            let place = if flip { pose.inverse() } else { pose };
            let mut query = DepthQuery::new(a, b, &PairConfig::default()).unwrap();
            let found = query.at(&place, Limits::default());
            match found.value {
                None => assert!(lowest > 0.0),
                Some(deep) => {
                    assert!(
                        (deep.depth + lowest).abs() < 1e-12
                            && found.lower <= -lowest
                            && -lowest <= found.upper
                    );
                    let out = if flip {
                        -pose.transform_vector(deep.normal)
                    } else {
                        deep.normal
                    };
                    assert!((out - normal).length() < 1e-12);
                    let way = deep.point_a - deep.point_b;
                    assert!((way - deep.normal * deep.depth).length() < 1e-9);
                }
            }
        }
        let mut query = DepthQuery::new(&ground, &open, &PairConfig::default()).unwrap();
        assert_eq!(
            query.at(&pose, Limits::default()).value.is_some(),
            lowest_of(&open, &pose, normal) <= 0.0
        );
    }
}

fn lowest_of(shape: &Shape, pose: &Pose, normal: DVec3) -> f64 {
    let Shape::Mesh(mesh) = shape else {
        return f64::INFINITY;
    };
    let corners = mesh.mesh().triangles().flatten();
    corners
        .map(|p| (*pose * p).dot(normal))
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn moving_by_the_depth_parts_every_two_kinds() {
    let mut rng = Rng::new(2);
    let shapes = all();
    let config = PairConfig::default();
    let solid = PairConfig {
        solid: true,
        ..PairConfig::default()
    };
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let mut query = match DepthQuery::new(a, b, &config) {
                Ok(query) => query,
                Err(refused) => {
                    assert!(
                        matches!(
                            refused.reason,
                            UnsupportedReason::Surface
                                | UnsupportedReason::Points
                                | UnsupportedReason::Unbounded
                        ),
                        "{refused}"
                    );
                    continue;
                }
            };
            let mut meet = IntersectionQuery::new(a, b, &solid).unwrap();
            for _ in 0..2 {
                let pose = random_pose(&mut rng, 0.75);
                let found = query.at(&pose, Limits::default());
                let Some(deep) = found.value else {
                    assert!(!meet.any(&pose), "{name_a} and {name_b}");
                    continue;
                };
                assert!(meet.any(&pose), "{name_a} and {name_b}");
                assert!(
                    found.lower <= deep.depth + 1e-9 && deep.depth <= found.upper + 1e-9,
                    "{name_a} and {name_b}: {found:?}"
                );
                let out = pose.translation() + deep.normal * (deep.depth * (1.0 + 1e-6) + 1e-6);
                let moved = Pose::new(*pose.rotation(), out).unwrap();
                assert!(!meet.any(&moved), "{name_a} and {name_b}: {found:?}");
            }
        }
    }
}

#[test]
fn a_ball_in_a_mesh_that_is_not_convex_is_bracketed() {
    let mesh = angle();
    let faces = faces_of(&mesh);
    let (shape, radius) = (shape_of(mesh.clone()), 0.4);
    let ball = Shape::from(Ball::new(radius).unwrap());
    let mut query = DepthQuery::new(&shape, &ball, &PairConfig::default()).unwrap();
    let mut rng = Rng::new(3);
    let mut complete = 0;
    for _ in 0..20 {
        let center = DVec3::new(
            rng.range(-1.2, 1.2),
            rng.range(-1.2, 1.2),
            rng.range(-0.7, 0.7),
        );
        // Apart when the centre is outside and farther than the radius from the surface.
        let is_free = |c: DVec3| {
            locate(&mesh, c) == Some(Place::Outside)
                && minimum_over(&faces, &|p| p.distance(c)) >= radius - 1e-9
        };
        let found = query.at(&Pose::from_translation(center).unwrap(), Limits::default());
        if is_free(center) {
            assert!(found.value.is_none_or(|d| d.depth < 1e-6));
            continue;
        }
        let deep = found.value.unwrap();
        assert!(
            is_free(center + deep.normal * (deep.depth + 1e-7)),
            "{found:?}"
        );
        for _ in 0..40 {
            let direction = rng.direction();
            assert!(
                !is_free(center + direction * found.lower * 0.999),
                "{found:?} along {direction}"
            );
        }
        complete += u32::from(found.outcome == Outcome::Complete);
    }
    // Away from the notch the way out is free.
    assert!(complete >= 8, "{complete} brackets closed");
}

#[test]
fn a_union_needs_as_much_as_its_deepest_part() {
    let points = vec![DVec3::ZERO, DVec3::new(0.0, 0.0, 0.3)];
    let dust = Shape::from(Particles::new(points, 0.5).unwrap());
    let slab = Shape::from(Cuboid::new([5.0, 5.0, 1.0]).unwrap());
    let two = Compound::new([
        (Pose::IDENTITY, dust.clone()),
        (
            Pose::from_translation([2.0, 0.0, 0.1]).unwrap(),
            dust.clone(),
        ),
    ])
    .unwrap();
    let pose = Pose::from_translation([0.0, 0.0, 1.25]).unwrap();
    for (union, is_complete) in [(dust, false), (Shape::from(two), true)] {
        let mut query = DepthQuery::new(&slab, &union, &PairConfig::default()).unwrap();
        let found = query.at(&pose, Limits::default());
        let depth = found.value.unwrap().depth;
        assert!((depth - 0.25).abs() < 1e-6, "{found:?}");
        assert!(!is_complete || found.outcome == Outcome::Complete);
    }
}

#[test]
fn a_convex_mesh_is_as_deep_as_its_hull() {
    let mesh = generate::icosphere(1.0, 2).unwrap();
    let hull = Shape::from(impinge::convex::Polyhedron::new(mesh.positions()).unwrap());
    let mesh = shape_of(mesh);
    let mut rng = Rng::new(6);
    for solid in solids() {
        let mut by_mesh = DepthQuery::new(&solid.shape, &mesh, &PairConfig::default()).unwrap();
        let mut by_hull = DepthQuery::new(&solid.shape, &hull, &PairConfig::default()).unwrap();
        for _ in 0..6 {
            let pose = random_pose(&mut rng, 0.75);
            let [p, q] =
                [&mut by_mesh, &mut by_hull].map(|query| query.at(&pose, Limits::default()).value);
            assert_eq!(p.is_some(), q.is_some());
            if let (Some(p), Some(q)) = (p, q) {
                assert!((p.depth - q.depth).abs() < 1e-9, "{}", solid.name);
            }
        }
    }
}
