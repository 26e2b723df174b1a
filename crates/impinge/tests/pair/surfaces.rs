//! Convex shapes against surfaces, compared with queries of the shape and each face alone.

use std::sync::Arc;

use impinge::convex::{Ball, Capsule, Cuboid, Polyhedron, Segment, Triangle};
use impinge::math::Rng;
use impinge::pair::{
    DistanceQuery, HeightField, IntersectionQuery, MeshShape, PairConfig, Particles, Shape,
};
use impinge::query::{FacePair, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh, generate};

use crate::shapes::solids;

/// All convex kinds, and some of extreme proportions.
fn convex_shapes() -> Vec<(&'static str, Shape)> {
    let mut rng = Rng::new(11);
    let mut hull = |count: usize| {
        let points: Vec<DVec3> = (0..count).map(|_| rng.direction()).collect();
        Shape::from(Polyhedron::new(&points).unwrap())
    };
    let mut shapes = vec![("hull of 32", hull(32)), ("hull of 200", hull(200))];
    shapes.extend(solids().into_iter().map(|solid| (solid.name, solid.shape)));
    let origin = DVec3::ZERO;
    shapes.push(("point", Segment::new(origin, origin).unwrap().into()));
    shapes.push(("plate", Cuboid::new([1.0, 1.0, 1e-9]).unwrap().into()));
    let (from, to) = (DVec3::new(-3.0, 0.0, 0.0), DVec3::new(3.0, 0.0, 0.0));
    shapes.push(("needle", Capsule::new(from, to, 1e-3).unwrap().into()));
    shapes
}

fn surfaces() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("icosphere", generate::icosphere(1.0, 3).unwrap()),
        (
            "cuboid",
            generate::cuboid([2.0, 2.0, 2.0].into(), [2; 3]).unwrap(),
        ),
        ("torus", generate::torus(1.0, 0.5, 10, 6).unwrap()),
        ("soup", generate::soup(60, 0.5, 4).unwrap()),
    ]
}

/// Placements on a grid, where things touch exactly, and anywhere.
fn placements(rng: &mut Rng) -> Vec<Pose> {
    let mut poses = Vec::new();
    for k in 0..12 {
        let step = |rng: &mut Rng| (rng.below(13) as f64 - 6.0) * 0.25;
        let way = DVec3::new(step(rng), step(rng), step(rng));
        poses.push(if k % 2 == 0 {
            Pose::from_translation(way).unwrap()
        } else {
            Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), way).unwrap()
        });
    }
    for far in [3.0, 40.0, 1e5] {
        let way = rng.direction() * far;
        poses.push(Pose::from_axis_angle(rng.direction(), 1.0, way).unwrap());
    }
    poses
}

/// What each face alone answers: those that meet, and the least distance.
fn one_by_one(mesh: &TriMesh, shape: &Shape, pose: &Pose, is_mesh_a: bool) -> (Vec<u32>, f64) {
    let (mut met, mut least) = (Vec::new(), f64::INFINITY);
    for (number, corners) in mesh.triangles().enumerate() {
        let face = Shape::from(Triangle::new(corners).unwrap());
        let [a, b] = if is_mesh_a {
            [&face, shape]
        } else {
            [shape, &face]
        };
        let config = PairConfig::default();
        if IntersectionQuery::new(a, b, &config).unwrap().any(pose) {
            met.push(number as u32);
        }
        let mut query = DistanceQuery::new(a, b, &config).unwrap();
        let found = query.at(pose, Limits::default()).value.unwrap();
        least = least.min(found.distance);
    }
    (met, least)
}

fn compare(what: &str, mesh: &TriMesh, surface: &Shape, shape: &Shape, pose: &Pose) {
    for is_mesh_a in [true, false] {
        let (met, least) = one_by_one(mesh, shape, pose, is_mesh_a);
        let [a, b] = if is_mesh_a {
            [surface, shape]
        } else {
            [shape, surface]
        };
        let config = PairConfig::default();
        let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
        assert_eq!(meet.any(pose), !met.is_empty(), "{what} {pose:?}");
        let mut listed: Vec<FacePair> = Vec::new();
        let outcome = meet.all(pose, Limits::default(), &mut listed);
        assert_eq!(outcome, Outcome::Complete);
        let own = |pair: &FacePair| if is_mesh_a { pair.a } else { pair.b };
        let mut listed: Vec<u32> = listed.iter().map(|pair| own(pair).raw()).collect();
        listed.sort_unstable();
        assert_eq!(listed, met, "{what} {pose:?}");

        let mut gap = DistanceQuery::new(a, b, &config).unwrap();
        let found = gap.at(pose, Limits::default());
        let value = found.value.unwrap();
        let size = 10.0 + pose.translation().length();
        let off = 1e-13 * size;
        assert!((value.distance - least).abs() <= off, "{what} {pose:?}");
        assert_eq!(value.distance == 0.0, least == 0.0, "{what} {pose:?}");
        assert!(found.lower <= least + off && least - off <= found.upper);
        let between = value.point_a.distance(value.point_b);
        assert!((between - value.distance).abs() <= off, "{what} {pose:?}");
        // A limit that leaves it out, and one that does not.
        let mut within = |max_distance: f64| {
            let limits = Limits {
                max_distance: Some(max_distance),
                ..Limits::default()
            };
            gap.at(pose, limits).value.map(|s| s.distance)
        };
        if least > 2.0 * off {
            assert_eq!(within(least - 2.0 * off), None);
        }
        assert_eq!(within(least + 2.0 * off), Some(value.distance));
    }
}

#[test]
fn convex_shapes_meet_the_faces_that_each_face_alone_meets() {
    let mut rng = Rng::new(5);
    for (name, mesh) in surfaces() {
        let surface = Shape::from(MeshShape::new(Arc::new(mesh.clone())));
        for (kind, shape) in convex_shapes() {
            for pose in placements(&mut rng) {
                compare(
                    &format!("{kind} against {name}"),
                    &mesh,
                    &surface,
                    &shape,
                    &pose,
                );
            }
        }
    }
}

#[test]
fn height_fields_answer_as_their_faces_do() {
    let mut rng = Rng::new(6);
    let heights = (0..49).map(|_| rng.below(5) as f64 * 0.25).collect();
    let field = HeightField::new(7, 7, [0.5, 0.5], heights).unwrap();
    let mesh = TriMesh::clone(field.mesh().mesh());
    let surface = Shape::from(field);
    for (kind, shape) in convex_shapes() {
        for pose in placements(&mut rng).into_iter().take(4) {
            compare(kind, &mesh, &surface, &shape, &pose);
        }
    }
}

#[test]
fn shapes_of_another_size_than_the_mesh_are_measured() {
    let mut rng = Rng::new(7);
    for scale in [1e-9, 1e-4, 1e4, 1e9] {
        let shapes: [Shape; 3] = [
            Ball::new(scale).unwrap().into(),
            Cuboid::new(DVec3::splat(scale)).unwrap().into(),
            Capsule::new(DVec3::ZERO, DVec3::X * scale, scale)
                .unwrap()
                .into(),
        ];
        let mesh = generate::icosphere(1.0, 2).unwrap();
        let surface = Shape::from(MeshShape::new(Arc::new(mesh.clone())));
        for shape in shapes {
            let way = rng.direction() * (1.0 + 2.5 * scale);
            let pose = Pose::from_translation(way).unwrap();
            for is_mesh_a in [true, false] {
                let (met, least) = one_by_one(&mesh, &shape, &pose, is_mesh_a);
                let [a, b] = if is_mesh_a {
                    [&surface, &shape]
                } else {
                    [&shape, &surface]
                };
                let config = PairConfig::default();
                let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
                assert_eq!(meet.any(&pose), !met.is_empty());
                let mut gap = DistanceQuery::new(a, b, &config).unwrap();
                let found = gap.at(&pose, Limits::default()).value.unwrap();
                assert!((found.distance - least).abs() <= 1e-13 * (10.0 + 4.0 * scale));
            }
        }
    }
}

#[test]
fn a_budget_cuts_the_search_and_leaves_bounds_that_hold() {
    let mesh = generate::icosphere(1.0, 12).unwrap();
    let surface = Shape::from(MeshShape::new(Arc::new(mesh)));
    let shape = Shape::from(Cuboid::new([0.3, 0.2, 0.1]).unwrap());
    let mut gap = DistanceQuery::new(&surface, &shape, &PairConfig::default()).unwrap();
    let pose = Pose::from_axis_angle(DVec3::Y, 0.4, DVec3::new(0.3, 1.2, 1.1)).unwrap();
    let whole = gap.at(&pose, Limits::default()).value.unwrap().distance;
    let mut cut = 0;
    for max_tests in 0..200 {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let found = gap.at(&pose, limits);
        assert!(found.lower <= whole && whole <= found.upper + 1e-13);
        cut += u32::from(found.outcome == Outcome::OutOfBudget);
    }
    assert!(cut > 8, "{cut}");
}

#[test]
fn particles_meet_the_faces_that_each_particle_alone_meets() {
    let mut rng = Rng::new(8);
    let mesh = generate::torus(1.0, 0.4, 16, 8).unwrap();
    let surface = Shape::from(MeshShape::new(Arc::new(mesh)));
    let points: Vec<DVec3> = (0..300).map(|_| rng.cube() * 2.0).collect();
    let particles = Shape::from(Particles::new(points.clone(), 0.05).unwrap());
    let ball = Shape::from(Ball::new(0.05).unwrap());
    let config = PairConfig::default();
    for pose in placements(&mut rng).into_iter().take(6) {
        let mut alone = Vec::new();
        let mut least = f64::INFINITY;
        for (number, point) in points.iter().enumerate() {
            let placed = pose * Pose::from_translation(*point).unwrap();
            let mut meet = IntersectionQuery::new(&surface, &ball, &config).unwrap();
            let mut faces: Vec<FacePair> = Vec::new();
            let _ = meet.all(&placed, Limits::default(), &mut faces);
            alone.extend(faces.iter().map(|pair| (pair.a.raw(), number as u32)));
            let mut gap = DistanceQuery::new(&surface, &ball, &config).unwrap();
            let found = gap.at(&placed, Limits::default()).value.unwrap();
            least = least.min(found.distance);
        }
        alone.sort_unstable();
        let mut together: Vec<FacePair> = Vec::new();
        let mut meet = IntersectionQuery::new(&surface, &particles, &config).unwrap();
        let _ = meet.all(&pose, Limits::default(), &mut together);
        let mut together: Vec<(u32, u32)> = together
            .iter()
            .map(|pair| (pair.a.raw(), pair.b.raw()))
            .collect();
        together.sort_unstable();
        assert_eq!(together, alone);
        let mut gap = DistanceQuery::new(&surface, &particles, &config).unwrap();
        let found = gap.at(&pose, Limits::default()).value.unwrap();
        assert!((found.distance - least).abs() <= 1e-12);
    }
}
