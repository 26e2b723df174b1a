//! Every convex kind against faces and meshes, with hulls of many points as the truth.

use impinge::convex::Triangle;
use impinge::math::Rng;
use impinge::pair::{
    ContactPoint, ContactQuery, DepthQuery, IntersectionQuery, MeshShape, PairConfig, Shape,
};
use impinge::query::Limits;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::hull_distance;

use super::shapes::{Solid, angle, faces_of, point, random_pose, solids};

/// Points whose hull is the shape, up to about a thousandth.
fn hull_points(solid: &Solid) -> Vec<DVec3> {
    let half = solid.shape.bounds(&Pose::IDENTITY).unwrap().half_extent();
    let on_ball: Vec<DVec3> = (0..3000)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 3000.0;
            let turn = f64::from(i) * 2.399_963_229_728_653;
            let around = (1.0 - z * z).sqrt();
            DVec3::new(around * turn.cos(), around * turn.sin(), z)
        })
        .collect();
    let rim = |z: f64| {
        (0..256).map(move |k| {
            let turn = f64::from(k) * std::f64::consts::TAU / 256.0;
            DVec3::new(half.x * turn.cos(), half.x * turn.sin(), z)
        })
    };
    let ends = [DVec3::new(0.0, -0.5, 0.0), DVec3::new(0.25, 0.75, 0.5)];
    match solid.name {
        "ball" | "ellipsoid" => on_ball.iter().map(|&p| p * half).collect(),
        "box" => (0..8)
            .map(|i| {
                let sign = |bit: i32| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
                half * DVec3::new(sign(0), sign(1), sign(2))
            })
            .collect(),
        "capsule" => ends
            .into_iter()
            .flat_map(|end| on_ball.iter().map(move |&p| end + p * 0.25))
            .collect(),
        "cylinder" => rim(-half.z).chain(rim(half.z)).collect(),
        "cone" => rim(-half.z).chain([DVec3::Z * half.z]).collect(),
        "segment" => ends.to_vec(),
        "triangle" => vec![
            DVec3::ZERO,
            DVec3::new(1.5, 0.25, 0.0),
            DVec3::new(0.0, 1.0, 0.5),
        ],
        _ => DVec3::AXES.into_iter().flat_map(|p| [p, -p]).collect(),
    }
}

/// How far two hulls overlap along a unit direction.
fn overlap(a: &[DVec3], b: &[DVec3], out: DVec3) -> f64 {
    let most = |points: &[DVec3], out: DVec3| {
        let along = points.iter().map(|p| p.dot(out));
        along.fold(f64::NEG_INFINITY, f64::max)
    };
    most(a, out) + most(b, -out)
}

#[test]
fn the_depth_of_a_face_is_the_least_overlap_and_its_points_are_that_far_apart() {
    let mut rng = Rng::new(61);
    let config = PairConfig::default();
    for solid in solids() {
        let hull = hull_points(&solid);
        for round in 0..24 {
            let corners = if round % 2 == 0 {
                [0; 3].map(|_| point(&mut rng, 1.5))
            } else {
                [0; 3].map(|_| DVec3::from_array([0; 3].map(|_| rng.grid(-6, 6) / 4.0)))
            };
            let Ok(face) = Triangle::new(corners) else {
                continue;
            };
            let face = Shape::from(face);
            let pose = random_pose(&mut rng, 0.25);
            for swapped in [false, true] {
                let (a, b) = if swapped {
                    (&face, &solid.shape)
                } else {
                    (&solid.shape, &face)
                };
                let place = if swapped { pose.inverse() } else { pose };
                let mut query = DepthQuery::new(a, b, &config).unwrap();
                let found = query.at(&place, Limits::default());
                let Some(deep) = found.value else {
                    let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
                    assert!(!meet.any(&place), "{}", solid.name);
                    continue;
                };
                let way = deep.point_a - deep.point_b;
                let off = (way.dot(deep.normal) - deep.depth).abs();
                assert!(
                    off < 1e-9,
                    "{}: {off} {found:?} {corners:?} {place:?}",
                    solid.name
                );
                // In the frame of the shape.
                let out = if swapped {
                    pose.transform_vector(-deep.normal)
                } else {
                    deep.normal
                };
                let placed = corners.map(|p| pose * p);
                let own = overlap(&hull, &placed, out);
                assert!(
                    (own - deep.depth).abs() < 2e-3,
                    "{}: {own} {found:?}",
                    solid.name
                );
                let mut least = own;
                for _ in 0..150 {
                    least = least.min(overlap(&hull, &placed, rng.direction()));
                }
                assert!(
                    found.lower <= least + 2e-3 && deep.depth <= least + 2e-3,
                    "{}: {least} {found:?} {corners:?} {place:?}",
                    solid.name
                );
            }
        }
    }
}

fn on_mesh(faces: &[[DVec3; 3]], p: DVec3) -> f64 {
    let each = faces.iter().map(|face| hull_distance(&[p], face));
    each.fold(f64::INFINITY, f64::min)
}

#[test]
fn contacts_with_a_mesh_lie_on_both_and_are_as_deep_as_they_are_apart() {
    let mut rng = Rng::new(62);
    let meshes: [(&str, TriMesh); 2] = [
        ("angle", angle()),
        ("ball", generate::icosphere(1.0, 2).unwrap()),
    ];
    for (mesh_name, mesh) in meshes {
        let faces = faces_of(&mesh);
        let shape = Shape::from(MeshShape::new(mesh.into()));
        for solid in solids() {
            let name = format!("{} and {mesh_name}", solid.name);
            let config = PairConfig::default();
            let mut contact = ContactQuery::new(&solid.shape, &shape, &config).unwrap();
            let mut meet = IntersectionQuery::new(&solid.shape, &shape, &config).unwrap();
            for round in 0..40 {
                let pose = random_pose(&mut rng, if round % 2 == 0 { 0.5 } else { 1.5 });
                let mut points: Vec<ContactPoint> = Vec::new();
                contact.at(&pose, 0.0, &mut points);
                assert_eq!(points.is_empty(), !meet.any(&pose), "{name} {pose:?}");
                let back = pose.inverse();
                for p in &points {
                    let along = (p.point_a - p.point_b).dot(p.normal);
                    assert!(
                        (along - p.depth).abs() < 1e-9,
                        "{name}: {along} {p:?} {pose:?}"
                    );
                    // Points of a patch share its normal, which is not quite that of each face.
                    let room = 1e-5 + 1e-3 * p.depth;
                    // A shallow contact that was turned to a shorter way out may lie off the solid by a part of its depth.
                    let turned = if p.depth < 0.2 { 0.25 * p.depth } else { 0.0 };
                    let off = (solid.distance)(p.point_a);
                    assert!(off < room + turned, "{name}: {off} {p:?} {pose:?}");
                    let off = on_mesh(&faces, back * p.point_b);
                    assert!(off < room, "{name}: {off} {p:?} {pose:?}");
                }
            }
        }
    }
}
