//! Meshes, height fields and particles against everything, by independent minimisation of point distances.

use impinge::math::Rng;
use impinge::pair::{DistanceQuery, IntersectionQuery, MeshShape, PairConfig, Shape};
use impinge::query::{FaceId, FacePair, Limits};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::{Place, locate, triangle_distance};

use super::shapes::{
    angle, dust, faces_of, hills, minimum_over, pair_of_solids, random_pose, shape_of, solids,
};

/// What minimisation can tell.
const TOLERANCE: f64 = 1e-7;

fn distance(a: &Shape, b: &Shape, pose: &Pose) -> f64 {
    let mut query = DistanceQuery::new(a, b, &PairConfig::default()).unwrap();
    let found = query.at(pose, Limits::default());
    let value = found.value.unwrap();
    assert!(found.lower <= value.distance + 1e-12 && value.distance <= found.upper + 1e-12);
    let between = value.point_a.distance(value.point_b);
    assert!(
        (between - value.distance).abs() < 1e-7,
        "witnesses {between} for {value:?}"
    );
    value.distance
}

fn check(name: &str, a: &Shape, b: &Shape, pose: &Pose, expected: f64) {
    let found = distance(a, b, pose);
    assert!(
        (found - expected).abs() < TOLERANCE,
        "{name}: {found} for {expected}"
    );
    let swapped = distance(b, a, &pose.inverse());
    assert!(
        (swapped - expected).abs() < TOLERANCE,
        "{name} swapped: {swapped} for {expected}"
    );
    if expected > TOLERANCE || expected == 0.0 {
        let any = |a: &Shape, b: &Shape, pose: &Pose| {
            IntersectionQuery::new(a, b, &PairConfig::default())
                .unwrap()
                .any(pose)
        };
        assert_eq!(any(a, b, pose), expected == 0.0, "{name}");
        assert_eq!(
            any(b, a, &pose.inverse()),
            expected == 0.0,
            "{name} swapped"
        );
    }
}

/// Poses of `b`, from deep overlap to far apart.
fn poses(seed: u64, count: usize) -> Vec<Pose> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|i| random_pose(&mut rng, 0.5 + (i % 4) as f64))
        .collect()
}

#[test]
fn a_mesh_is_as_far_from_every_convex_kind_as_its_nearest_face() {
    for mesh in [angle(), generate::icosphere(1.0, 3).unwrap()] {
        let (faces, shape) = (faces_of(&mesh), shape_of(mesh));
        for solid in solids() {
            for pose in poses(1, 10) {
                let back = pose.inverse();
                let expected = minimum_over(&faces, &|p| (solid.distance)(back * p));
                // Grazing is 0 up to the reach of minimisation.
                let expected = if expected < 1e-9 { 0.0 } else { expected };
                check(solid.name, &shape, &solid.shape, &pose, expected);
            }
        }
    }
}

#[test]
fn a_height_field_is_as_far_from_every_convex_kind_as_its_nearest_face() {
    let field = hills();
    let faces: Vec<_> = (0..field.face_count())
        .filter_map(|f| field.face(FaceId::new(f)))
        .collect();
    let shape = Shape::from(field);
    for solid in solids() {
        for pose in poses(2, 10) {
            let back = pose.inverse();
            let expected = minimum_over(&faces, &|p| (solid.distance)(back * p));
            let expected = if expected < 1e-9 { 0.0 } else { expected };
            check(solid.name, &shape, &solid.shape, &pose, expected);
        }
    }
}

#[test]
fn particles_are_as_far_from_every_convex_kind_as_the_nearest_ball() {
    let dust = dust();
    let (points, radius) = (dust.points().to_vec(), dust.radius());
    let shape = Shape::from(dust);
    for solid in solids() {
        for pose in poses(3, 16) {
            let back = pose.inverse();
            let nearest = points
                .iter()
                .map(|&p| (solid.distance)(back * p))
                .fold(f64::INFINITY, f64::min);
            check(
                solid.name,
                &shape,
                &solid.shape,
                &pose,
                (nearest - radius).max(0.0),
            );
        }
    }
}

#[test]
fn a_ball_is_as_far_from_every_convex_kind_as_its_centre_less_the_radius() {
    let ball = &solids()[0].shape;
    for solid in solids() {
        for pose in poses(4, 64) {
            let center = pose.inverse() * DVec3::ZERO;
            let expected = ((solid.distance)(center) - 0.75).max(0.0);
            check(solid.name, ball, &solid.shape, &pose, expected);
        }
    }
}

#[test]
fn particles_and_surfaces_agree_with_all_pairs() {
    let (dust, field, mesh) = (dust(), hills(), angle());
    let of_field: Vec<_> = (0..field.face_count())
        .filter_map(|f| field.face(FaceId::new(f)))
        .collect();
    for (surface, faces) in [
        (Shape::from(field), of_field),
        (shape_of(mesh.clone()), faces_of(&mesh)),
    ] {
        for pose in poses(5, 12) {
            let mut nearest = f64::INFINITY;
            for &p in dust.points() {
                let p = pose * p;
                nearest = nearest.min(minimum_over(&faces, &|q| q.distance(p)));
            }
            let expected = (nearest - dust.radius()).max(0.0);
            check(
                "particles",
                &surface,
                &Shape::from(dust.clone()),
                &pose,
                expected,
            );
        }
    }
    for pose in poses(6, 12) {
        let mut nearest = f64::INFINITY;
        for &p in dust.points() {
            for &q in dust.points() {
                nearest = nearest.min(p.distance(pose * q));
            }
        }
        let shape = Shape::from(dust.clone());
        check(
            "particles",
            &shape,
            &shape,
            &pose,
            (nearest - 2.0 * dust.radius()).max(0.0),
        );
    }
}

#[test]
fn two_surfaces_agree_with_all_pairs_of_faces() {
    let field = hills();
    let mesh = angle();
    let of_field = field.mesh().mesh().as_ref().clone();
    let mut apart = 0;
    for pose in poses(7, 16) {
        // Decided in rational numbers, the mesh placed as the library places it.
        let placed = |face: [DVec3; 3]| face.map(|p| pose.transform_point(p));
        let faces: Vec<_> = mesh.triangles().map(placed).collect();
        let mut least = f64::INFINITY;
        let mut truth = [0.0; 2];
        for t in of_field.triangles() {
            for s in &faces {
                let between = triangle_distance(&t, s);
                if between.lower < least {
                    (least, truth) = (between.lower, [between.lower, between.upper]);
                }
            }
        }
        apart += usize::from(least > 0.0);
        let (shape_a, shape_b) = (Shape::from(field.clone()), shape_of(mesh.clone()));
        for found in [
            distance(&shape_a, &shape_b, &pose),
            distance(&shape_b, &shape_a, &pose.inverse()),
        ] {
            assert!(
                found >= truth[0] - 1e-12 && found <= truth[1] + 1e-12,
                "{found} for {truth:?}"
            );
        }
        let mut pairs: Vec<FacePair> = Vec::new();
        let mut query = IntersectionQuery::new(
            &Shape::from(field.clone()),
            &shape_of(mesh.clone()),
            &PairConfig::default(),
        )
        .unwrap();
        let _ = query.all(&pose, Limits::default(), &mut pairs);
        pairs.sort_unstable();
        assert_eq!(
            pairs,
            impinge_testkit::oracle::face_pairs(&of_field, &mesh, &pose)
        );
        assert_eq!(query.any(&pose), !pairs.is_empty());
    }
    assert!((4..16).contains(&apart), "{apart} of 16 apart");
}

#[test]
fn every_face_that_meets_a_polytope_is_reported_and_no_other() {
    let mesh = generate::icosphere(1.0, 4).unwrap();
    let cube = generate::cuboid(DVec3::new(1.0, 1.5, 2.0), [1; 3]).unwrap();
    let shape = shape_of(mesh.clone());
    let solid = &solids()[1].shape;
    for pose in poses(8, 24) {
        let mut query = IntersectionQuery::new(&shape, solid, &PairConfig::default()).unwrap();
        let mut pairs: Vec<FacePair> = Vec::new();
        let _ = query.all(&pose, Limits::default(), &mut pairs);
        let mut found: Vec<u32> = pairs.iter().map(|p| p.a.raw()).collect();
        found.sort_unstable();
        // A face meets the solid box when it meets its surface or a corner of it lies inside.
        let half = DVec3::new(0.5, 0.75, 1.0);
        let mut expected: Vec<u32> = impinge_testkit::oracle::face_pairs(&mesh, &cube, &pose)
            .iter()
            .map(|p| p.a.raw())
            .collect();
        for face in mesh.face_ids() {
            let corner = pose.inverse() * mesh.face(face).unwrap()[0];
            if corner.abs().cmple(half).all() {
                expected.push(face.raw());
            }
        }
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(found, expected);
    }
}

#[test]
fn containment_is_a_collision_when_asked_for() {
    let mesh = generate::icosphere(3.0, 4).unwrap();
    let shape = shape_of(mesh.clone());
    let solid = PairConfig {
        solid: true,
        ..PairConfig::default()
    };
    let mut inner: Vec<(&str, Shape)> = solids().into_iter().map(|s| (s.name, s.shape)).collect();
    inner.push(("particles", dust().into()));
    inner.push((
        "height field",
        impinge::pair::HeightField::new(2, 2, [0.5, 0.5], vec![0.0; 4])
            .unwrap()
            .into(),
    ));
    inner.push(("mesh", shape_of(angle())));
    inner.push(("compound", pair_of_solids().into()));
    let inside = Pose::from_translation([0.1, 0.0, 0.0]).unwrap();
    let outside = Pose::from_translation([9.0, 0.0, 0.0]).unwrap();
    for (name, other) in inner {
        for (a, b, flip) in [(&shape, &other, false), (&other, &shape, true)] {
            let place = |pose: &Pose| if flip { pose.inverse() } else { *pose };
            let any = |config: &PairConfig, pose: &Pose| {
                IntersectionQuery::new(a, b, config)
                    .unwrap()
                    .any(&place(pose))
            };
            assert!(
                !any(&PairConfig::default(), &inside),
                "{name}: surfaces do not meet"
            );
            assert!(any(&solid, &inside), "{name}: contained");
            assert!(!any(&solid, &outside), "{name}: apart");
            let mut query = DistanceQuery::new(a, b, &solid).unwrap();
            let found = query.at(&place(&inside), Limits::default()).value.unwrap();
            assert_eq!(found.distance, 0.0, "{name}");
            let p = if flip {
                inside * found.point_a
            } else {
                found.point_a
            };
            assert_ne!(
                locate(&mesh, p),
                Some(Place::Outside),
                "{name}: the common point lies in the mesh"
            );
            assert!(
                query
                    .at(&place(&outside), Limits::default())
                    .value
                    .unwrap()
                    .distance
                    > 1.0
            );
        }
    }
}

#[test]
fn a_mesh_inside_a_convex_shape_always_collides() {
    let small = shape_of(generate::icosphere(0.05, 2).unwrap());
    for solid in solids()
        .iter()
        .filter(|s| s.name != "segment" && s.name != "triangle")
    {
        let query = IntersectionQuery::new(&solid.shape, &small, &PairConfig::default());
        let at = if solid.name == "capsule" {
            DVec3::new(0.1, 0.0, 0.2)
        } else {
            DVec3::ZERO
        };
        assert!(
            query.unwrap().any(&Pose::from_translation(at).unwrap()),
            "{}",
            solid.name
        );
    }
}

#[test]
fn a_compound_answers_as_the_nearest_of_its_children() {
    let compound = pair_of_solids();
    let (faces, mesh) = (faces_of(&angle()), shape_of(angle()));
    for pose in poses(9, 12) {
        let mut expected = f64::INFINITY;
        for (k, child) in compound.children().iter().enumerate() {
            let back = (pose * child.compound_from_child).inverse();
            let own = |p: DVec3| {
                let p = back * p;
                if k == 0 {
                    (p.abs() - DVec3::new(0.5, 0.5, 0.25))
                        .max(DVec3::ZERO)
                        .length()
                } else {
                    impinge_testkit::oracle::point_to_cylinder(p, 0.75, 0.25)
                }
            };
            expected = expected.min(minimum_over(&faces, &own));
        }
        let expected = if expected < 1e-9 { 0.0 } else { expected };
        check(
            "compound",
            &mesh,
            &Shape::from(compound.clone()),
            &pose,
            expected,
        );
    }
}

#[test]
fn a_compound_of_many_children_names_the_faces_that_meet() {
    let mut rng = Rng::new(11);
    let cube = Shape::from(impinge::convex::Cuboid::new([0.2, 0.2, 0.2]).unwrap());
    let mesh = shape_of(generate::icosphere(0.3, 2).unwrap());
    let children: Vec<(Pose, Shape)> = (0..60)
        .map(|i| {
            let shape = if i % 3 == 0 {
                mesh.clone()
            } else {
                cube.clone()
            };
            (random_pose(&mut rng, 3.0), shape)
        })
        .collect();
    let compound = impinge::pair::Compound::new(children.clone()).unwrap();
    let pose = Pose::from_axis_angle([1.0, 1.0, 0.0], 0.7, [0.4, 0.1, 0.0]).unwrap();
    let shape = Shape::from(compound.clone());
    let mut query = IntersectionQuery::new(&shape, &shape, &PairConfig::default()).unwrap();
    let mut pairs: Vec<FacePair> = Vec::new();
    let _ = query.all(&pose, Limits::default(), &mut pairs);
    let mut found: Vec<(usize, usize)> = pairs
        .iter()
        .map(|p| {
            (
                compound.child_of(p.a).unwrap().0,
                compound.child_of(p.b).unwrap().0,
            )
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    let mut expected = Vec::new();
    for (i, (pose_a, a)) in children.iter().enumerate() {
        for (j, (pose_b, b)) in children.iter().enumerate() {
            let own = pose_a.inverse() * (pose * *pose_b);
            if IntersectionQuery::new(a, b, &PairConfig::default())
                .unwrap()
                .any(&own)
            {
                expected.push((i, j));
            }
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn an_empty_shape_meets_nothing_and_is_nowhere() {
    let empty = [
        Shape::from(MeshShape::new(std::sync::Arc::new(TriMesh::default()))),
        Shape::from(impinge::pair::Particles::new(vec![], 1.0).unwrap()),
        Shape::from(impinge::pair::Compound::new([]).unwrap()),
    ];
    for nothing in &empty {
        for (name, other) in super::shapes::all() {
            let config = PairConfig::default();
            assert!(
                !IntersectionQuery::new(nothing, &other, &config)
                    .unwrap()
                    .any(&Pose::IDENTITY),
                "{name}"
            );
            let mut query = DistanceQuery::new(&other, nothing, &config).unwrap();
            assert!(
                query.at(&Pose::IDENTITY, Limits::default()).value.is_none(),
                "{name}"
            );
        }
    }
}
