//! Contact points: manifolds, names that last, and no ghosts at internal edges.

use std::collections::BTreeSet;

use impinge::convex::{Ball, Capsule, Cuboid, Cylinder, HalfSpace, Polyhedron};
use impinge::math::Rng;
use impinge::pair::{ContactPoint, ContactQuery, HeightField, PairConfig, Shape};
use impinge::{DVec3, Pose, TriMesh};

use super::shapes::shape_of;

fn contacts(a: &Shape, b: &Shape, pose: &Pose, margin: f64) -> Vec<ContactPoint> {
    let mut points = Vec::new();
    ContactQuery::new(a, b, &PairConfig::default())
        .unwrap()
        .at(pose, margin, &mut points);
    points
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

fn cube() -> Shape {
    Cuboid::new([0.5, 0.5, 0.5]).unwrap().into()
}

/// A flat floor of many faces at height 0; when `is_soup`, no two faces share a vertex.
fn floor(is_soup: bool) -> Shape {
    let count = 12;
    let mut points = Vec::new();
    let mut faces = Vec::new();
    if is_soup {
        for i in 0..count {
            for j in 0..count {
                let p = |di: u32, dj: u32| {
                    DVec3::new(f64::from(i + di) - 6.0, f64::from(j + dj) - 6.0, 0.0)
                };
                let first = points.len() as u32;
                points.extend([p(0, 0), p(1, 0), p(1, 1), p(0, 0), p(1, 1), p(0, 1)]);
                faces.extend([
                    [first, first + 1, first + 2],
                    [first + 3, first + 4, first + 5],
                ]);
            }
        }
    } else {
        let row = count + 1;
        for j in 0..row {
            for i in 0..row {
                points.push(DVec3::new(f64::from(i) - 6.0, f64::from(j) - 6.0, 0.0));
            }
        }
        for j in 0..count {
            for i in 0..count {
                let v = j * row + i;
                faces.extend([[v, v + 1, v + row + 1], [v, v + row + 1, v + row]]);
            }
        }
    }
    shape_of(TriMesh::new(points, faces).unwrap())
}

fn field_floor() -> Shape {
    HeightField::new(13, 13, [1.0, 1.0], vec![0.0; 169])
        .unwrap()
        .into()
}

#[test]
fn a_body_that_slides_over_a_flat_floor_of_faces_sees_only_face_normals() {
    let bodies: [(&str, Shape, f64); 5] = [
        ("ball", Ball::new(0.5).unwrap().into(), 0.5),
        ("box", cube(), 0.5),
        (
            "capsule",
            Capsule::new([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 0.25)
                .unwrap()
                .into(),
            0.25,
        ),
        ("cylinder", Cylinder::new(0.5, 0.5).unwrap().into(), 0.5),
        (
            "polyhedron",
            Polyhedron::new(
                &(0..8)
                    .map(|i| {
                        DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())
                            - DVec3::splat(0.5)
                    })
                    .collect::<Vec<_>>(),
            )
            .unwrap()
            .into(),
            0.5,
        ),
    ];
    let floors = [
        ("mesh", floor(false), 0.0),
        ("soup", floor(true), 0.0),
        ("height field", field_floor(), 6.0),
    ];
    for (floor_name, floor, shift) in &floors {
        for (name, body, height) in &bodies {
            let mut query = ContactQuery::new(floor, body, &PairConfig::default()).unwrap();
            let mut flipped = ContactQuery::new(body, floor, &PairConfig::default()).unwrap();
            for sunk in [-0.005, 0.0, 0.01, 0.1] {
                for step in 0..60 {
                    let x = f64::from(step) * 0.0713 - 2.0;
                    let turn = f64::from(step) * 0.1;
                    let pose = Pose::from_axis_angle(
                        [0.0, 0.0, 1.0],
                        turn,
                        [x + shift, 0.5 * x + shift, height - sunk],
                    )
                    .unwrap();
                    let mut points: Vec<ContactPoint> = Vec::new();
                    query.at(&pose, 0.01, &mut points);
                    assert!(
                        !points.is_empty(),
                        "{name} on {floor_name} at {x} sunk {sunk}"
                    );
                    for point in &points {
                        let off = (point.normal - DVec3::Z).length();
                        assert!(
                            off < 1e-6,
                            "{name} on {floor_name} at {x} sunk {sunk}: {point:?}"
                        );
                        assert!(
                            (point.depth - sunk).abs() < 1e-6,
                            "{name} on {floor_name}: {point:?} sunk {sunk}"
                        );
                    }
                    let mut other: Vec<ContactPoint> = Vec::new();
                    flipped.at(&pose.inverse(), 0.01, &mut other);
                    assert!(!other.is_empty(), "{name} on {floor_name}");
                    for point in &other {
                        assert!(
                            (pose.transform_vector(point.normal) + DVec3::Z).length() < 1e-6,
                            "{name}: {point:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn an_edge_that_sticks_out_is_touched_with_its_own_normal() {
    // A ridge along y: two faces that fall off at 45 degrees.
    let points = [
        [-1.0, -5.0, -1.0],
        [0.0, -5.0, 0.0],
        [1.0, -5.0, -1.0],
        [-1.0, 5.0, -1.0],
        [0.0, 5.0, 0.0],
        [1.0, 5.0, -1.0],
    ];
    let faces = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
    let ridge = shape_of(TriMesh::from_points(points, faces).unwrap());
    let ball = Shape::from(Ball::new(0.5).unwrap());
    let found = contacts(&ridge, &ball, &at(0.0, 0.3, 0.5), 1e-3);
    assert!(
        found.iter().any(|p| (p.normal - DVec3::Z).length() < 1e-9),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .all(|p| (p.point_a - DVec3::new(0.0, 0.3, 0.0)).length() < 1e-6)
    );
}

#[test]
fn a_box_in_a_corner_touches_both_faces_of_the_valley() {
    // A floor and a wall that meet in a notch at the origin.
    let points = [
        [0.0, -5.0, 0.0],
        [5.0, -5.0, 0.0],
        [5.0, 5.0, 0.0],
        [0.0, 5.0, 0.0],
        [0.0, -5.0, 5.0],
        [0.0, 5.0, 5.0],
    ];
    let faces = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]];
    let valley = shape_of(TriMesh::from_points(points, faces).unwrap());
    let found = contacts(&valley, &cube(), &at(0.499, 0.2, 0.498), 1e-3);
    for normal in [DVec3::X, DVec3::Z] {
        assert!(
            found.iter().any(|p| (p.normal - normal).length() < 1e-6),
            "{normal}: {found:?}"
        );
    }
    for point in &found {
        let is_face = [DVec3::X, DVec3::Z]
            .iter()
            .any(|n| (point.normal - *n).length() < 1e-6);
        assert!(is_face, "{point:?}");
    }
}

#[test]
fn flat_faces_touch_in_four_points_at_the_corners_of_their_overlap() {
    let config = PairConfig::default();
    let shapes: [(&str, Shape); 3] = [
        ("box", cube()),
        (
            "half-space",
            HalfSpace::new([0.0, 0.0, 1.0], [0.0, 0.0, 0.5])
                .unwrap()
                .into(),
        ),
        (
            "mesh",
            shape_of(impinge::generate::cuboid(DVec3::ONE, [3; 3]).unwrap()),
        ),
    ];
    for (name, ground) in &shapes {
        let mut query = ContactQuery::new(ground, &cube(), &config).unwrap();
        let mut found: Vec<ContactPoint> = Vec::new();
        query.at(&at(0.25, 0.0, 0.99), 0.0, &mut found);
        let up: Vec<_> = found
            .iter()
            .filter(|p| (p.normal - DVec3::Z).length() < 1e-9)
            .collect();
        assert_eq!(up.len(), 4, "{name}: {found:?}");
        assert!(up.iter().all(|p| (p.depth - 0.01).abs() < 1e-9), "{name}");
        let corners: BTreeSet<_> = up
            .iter()
            .map(|p| {
                (
                    (p.point_b.x * 4.0).round() as i64,
                    (p.point_b.y * 4.0).round() as i64,
                )
            })
            .collect();
        let expected = match *name {
            "half-space" => BTreeSet::from([(-1, -2), (-1, 2), (3, -2), (3, 2)]),
            _ => BTreeSet::from([(-1, -2), (-1, 2), (2, -2), (2, 2)]),
        };
        assert_eq!(corners, expected, "{name}");
    }
}

#[test]
fn parallel_capsules_touch_along_their_common_length() {
    let capsule = Shape::from(Capsule::new([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.25).unwrap());
    let found = contacts(&capsule, &capsule, &at(0.5, 0.0, 0.49), 0.0);
    assert_eq!(found.len(), 2, "{found:?}");
    let mut ends: Vec<f64> = found.iter().map(|p| p.point_a.x).collect();
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] + 0.5).abs() < 1e-9 && (ends[1] - 1.0).abs() < 1e-9);
    let cylinder = Shape::from(Cylinder::new(0.5, 0.5).unwrap());
    assert_eq!(
        contacts(&cylinder, &cylinder, &at(0.1, 0.0, 0.99), 0.0).len(),
        4
    );
}

#[test]
fn names_last_while_a_body_moves_a_little() {
    let mut rng = Rng::new(4);
    let grounds: [(&str, Shape, f64); 3] = [
        ("box", Cuboid::new([2.0, 2.0, 0.5]).unwrap().into(), 0.5),
        ("mesh", floor(false), 0.0),
        (
            "half-space",
            HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap().into(),
            0.0,
        ),
    ];
    for (name, ground, top) in &grounds {
        let mut query = ContactQuery::new(ground, &cube(), &PairConfig::default()).unwrap();
        for _ in 0..20 {
            // Away from the borders of faces, so that a small move crosses none.
            let (x, y, turn) = (
                rng.range(0.2, 0.22),
                rng.range(0.1, 0.12),
                rng.range(0.3, 0.31),
            );
            let mut ids = |dx: f64| {
                let pose = Pose::from_axis_angle(
                    [0.0, 0.0, 1.0],
                    turn + dx,
                    [x + dx, y - dx, top + 0.499],
                )
                .unwrap();
                let mut found: Vec<ContactPoint> = Vec::new();
                query.at(&pose, 0.01, &mut found);
                found.iter().map(|p| p.id).collect::<BTreeSet<u64>>()
            };
            let (first, second) = (ids(0.0), ids(1e-6));
            assert!(!first.is_empty());
            assert_eq!(first, second, "{name}");
        }
    }
}

#[test]
fn the_most_contacts_are_as_asked() {
    let tile = Shape::from(Cylinder::new(0.5, 0.5).unwrap());
    for max_contacts in [0, 1, 2, 3, 4, 8] {
        let config = PairConfig {
            max_contacts,
            ..PairConfig::default()
        };
        let mut found: Vec<ContactPoint> = Vec::new();
        ContactQuery::new(&cube(), &tile, &config).unwrap().at(
            &at(0.0, 0.0, 0.99),
            0.0,
            &mut found,
        );
        assert!(found.len() <= max_contacts && (max_contacts == 0 || !found.is_empty()));
    }
    let mut first = impinge::query::First::default();
    ContactQuery::new(&cube(), &tile, &PairConfig::default())
        .unwrap()
        .at(&at(0.0, 0.0, 0.99), 0.0, &mut first);
    assert!(first.0.is_some());
}
