//! Times of impact: nothing before the bracket, contact at its end, thin and fast bodies caught.

use impinge::cloud::{CloudShape, PointCloud};
use impinge::convex::{Ball, Capsule, Cuboid, Cylinder, HalfSpace, Segment};
use impinge::geom::closest_point_on_triangle;
use impinge::math::{Motion, Rng};
use impinge::pair::{
    Compound, DistanceQuery, HeightField, ImpactQuery, IntersectionQuery, PairConfig, Particles,
    Shape,
};
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh, generate};

use super::shapes::{all, random_pose, shape_of};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

#[test]
fn a_thin_rod_spun_through_a_thin_wall_is_caught_at_any_speed() {
    // The rod lies along x and turns about z. The wall stands at y from 0.05 on; the rod reaches it at the angle with that sine.
    let thin = 1e-4;
    let tilt =
        Pose::from_axis_angle([0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_2, [0.0; 3]).unwrap();
    let lying = Compound::new([(tilt, Shape::from(Cylinder::new(1.0, thin).unwrap()))]).unwrap();
    let rods: [(&str, Shape, f64); 5] = [
        (
            "capsule",
            Capsule::new([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], thin)
                .unwrap()
                .into(),
            thin,
        ),
        ("box", Cuboid::new([1.0, thin, thin]).unwrap().into(), thin),
        (
            "segment",
            Segment::new([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
                .unwrap()
                .into(),
            0.0,
        ),
        (
            "mesh",
            shape_of(generate::cuboid(DVec3::new(2.0, 2.0 * thin, 2.0 * thin), [4, 1, 1]).unwrap()),
            thin,
        ),
        ("cylinder in a compound", lying.into(), thin),
    ];
    let size = DVec3::new(0.5, thin, 0.5);
    let walls: [(&str, Shape); 4] = [
        ("box", Cuboid::new(size).unwrap().into()),
        (
            "mesh",
            shape_of(generate::cuboid(size * 2.0, [2; 3]).unwrap()),
        ),
        ("height field", {
            let field = HeightField::new(3, 3, [0.5, 0.5], vec![0.0; 9]).unwrap();
            let up = Pose::from_axis_angle(
                [1.0, 0.0, 0.0],
                std::f64::consts::FRAC_PI_2,
                [-0.5, 0.0, -0.5],
            )
            .unwrap();
            Compound::new([(up, Shape::from(field))]).unwrap().into()
        }),
        (
            "compound",
            Compound::new([(Pose::IDENTITY, Shape::from(Cuboid::new(size).unwrap()))])
                .unwrap()
                .into(),
        ),
    ];
    for (wall_name, wall) in &walls {
        let thickness = if *wall_name == "height field" {
            0.0
        } else {
            thin
        };
        for (name, rod, radius) in &rods {
            let mut query = ImpactQuery::new(wall, rod, &PairConfig::default()).unwrap();
            for turns in [0.01, 0.1, 0.5, 1.0, 3.3, 10.0, 50.0] {
                let angle = turns * std::f64::consts::TAU;
                let height = 0.05;
                let still = Motion::still(&at(0.9, height + thickness, 0.0));
                let spin =
                    Motion::from_velocity(&Pose::IDENTITY, [0.0; 3], [0.0, 0.0, angle], [0.0; 3])
                        .unwrap();
                let found = query.during(&still, &spin, Limits::default());
                // A tip with square corners reaches a little farther than one that is a point.
                let contact = ((height - radius).max(0.0)).asin() / angle;
                let room = 3e-3 / angle;
                if contact + room < 1.0 {
                    let hit = found.value.unwrap_or_else(|| {
                        panic!("{name} through {wall_name}, {turns} turns: {found:?}")
                    });
                    assert!(
                        (hit.time - contact).abs() < room,
                        "{name} through {wall_name}, {turns} turns: {} for {contact}",
                        hit.time
                    );
                    assert!(found.lower <= contact + room && found.lower <= hit.time);
                }
                assert!(found.lower <= contact + room, "{name} through {wall_name}");
            }
        }
    }
}

#[test]
fn nothing_touches_before_the_bracket_and_something_does_at_its_end() {
    let mut rng = Rng::new(17);
    let shapes = all();
    let config = PairConfig::default();
    let (mut hits, mut misses) = (0, 0);
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let Ok(mut query) = ImpactQuery::new(a, b, &config) else {
                assert_eq!((*name_a, *name_b), ("half-space", "half-space"));
                continue;
            };
            let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
            for _ in 0..2 {
                let side = rng.direction() * 4.0;
                let from = Pose::new(*random_pose(&mut rng, 1.0).rotation(), side).unwrap();
                let linear = -side * rng.range(0.5, 2.0) + rng.direction() * 0.5;
                let spin = rng.direction() * rng.range(0.0, 8.0);
                let moving = Motion::from_velocity(&from, linear, spin, [0.0; 3]).unwrap();
                let other = Motion::between(&Pose::IDENTITY, &random_pose(&mut rng, 0.5));
                let found = query.during(&other, &moving, Limits::default());
                let pose = |t: f64| other.at(t).inverse() * moving.at(t);
                let before = if found.lower > 0.0 { 100 } else { 0 };
                for k in 0..before {
                    let t = found.lower.min(1.0) * f64::from(k) / 100.0;
                    assert!(
                        !meet.any(&pose(t)),
                        "{name_a} and {name_b} meet at {t}: {found:?}"
                    );
                }
                match found.value {
                    Some(hit) => {
                        hits += 1;
                        let thin = ["segment", "triangle", "height field"];
                        if found.upper.is_infinite()
                            && (thin.contains(name_a) || thin.contains(name_b))
                        {
                            // What has no inside may touch at an instant that no number names.
                            assert_eq!(hit.time, found.lower, "{name_a} and {name_b}: {found:?}");
                            continue;
                        }
                        assert!(
                            hit.time >= found.lower && hit.time <= found.upper,
                            "{name_a} and {name_b}: {found:?}"
                        );
                        assert!(
                            found.upper - found.lower < 1e-5,
                            "{name_a} and {name_b}: {found:?}"
                        );
                        assert!(
                            (hit.normal.length() - 1.0).abs() < 1e-6,
                            "{name_a} and {name_b}: {found:?}"
                        );
                        // Round shapes touch up to rounding, which differs with what the question remembers.
                        let gap = DistanceQuery::new(a, b, &config)
                            .unwrap()
                            .at(&pose(found.upper), Limits::default());
                        assert!(
                            gap.value.unwrap().distance < 1e-6,
                            "{name_a} and {name_b}: {found:?} {gap:?}"
                        );
                    }
                    None => {
                        misses += 1;
                        assert_eq!(found.lower, 1.0, "{name_a} and {name_b}: {found:?}");
                        for k in 0..=200 {
                            assert!(
                                !meet.any(&pose(f64::from(k) / 200.0)),
                                "{name_a} and {name_b}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(hits > 80 && misses > 5, "{hits} hits and {misses} misses");
}

#[test]
fn a_point_that_goes_through_a_face_has_done_so_by_the_upper_end() {
    let points = [DVec3::new(0.1, 0.2, 0.0), DVec3::new(0.3, -0.1, 0.7)];
    let cloud = CloudShape::new(PointCloud::from_points(points).unwrap().into());
    let cloud = Shape::from(cloud);
    let sheet = HeightField::new(3, 3, [2.0, 2.0], vec![0.0; 9]).unwrap();
    let sheets = [
        shape_of(sheet.mesh().mesh().as_ref().clone()),
        Shape::from(sheet),
    ];
    let still = Motion::still(&at(-1.5, -0.6, 0.0));
    for sheet in &sheets {
        for speed in [-3.0, -1.1, -0.7] {
            let falling = Motion::from_velocity(
                &at(0.0, 0.0, 1.0 / 3.0),
                [0.0, 0.0, speed],
                [0.0; 3],
                [0.0; 3],
            )
            .unwrap();
            let truth = 1.0 / 3.0 / -speed;
            let mut query = ImpactQuery::new(sheet, &cloud, &PairConfig::default()).unwrap();
            let mut swapped = ImpactQuery::new(&cloud, sheet, &PairConfig::default()).unwrap();
            for found in [
                query.during(&still, &falling, Limits::default()),
                swapped.during(&falling, &still, Limits::default()),
            ] {
                assert!(found.lower <= truth, "{found:?} for {truth}");
                assert!(truth <= found.upper + 1e-14, "{found:?} for {truth}");
                assert!(found.upper - found.lower < 1e-6, "{found:?} for {truth}");
                assert_eq!(found.outcome, Outcome::Complete);
            }
        }
    }
}

#[test]
fn a_falling_ball_lands_on_every_ground_at_the_same_time() {
    let ball = Shape::from(Ball::new(0.5).unwrap());
    let flat = HeightField::new(3, 3, [2.0, 2.0], vec![0.0; 9]).unwrap();
    let sheet = flat.mesh().mesh().as_ref().clone();
    let grounds: [(&str, Shape); 5] = [
        (
            "half-space",
            HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap().into(),
        ),
        ("height field", flat.into()),
        ("mesh", shape_of(sheet)),
        ("box", Cuboid::new([9.0, 9.0, 1.0]).unwrap().into()),
        (
            "compound",
            Compound::new([(
                at(0.0, 0.0, -1.0),
                Shape::from(Cuboid::new([9.0, 9.0, 1.0]).unwrap()),
            )])
            .unwrap()
            .into(),
        ),
    ];
    for (name, ground) in &grounds {
        let top = if *name == "box" { 1.0 } else { 0.0 };
        for spin in [0.0, 40.0] {
            let falling = Motion::from_velocity(
                &at(1.9, 1.9, top + 2.5),
                [0.0, 0.0, -4.0],
                [0.0, spin, 0.0],
                [0.0; 3],
            )
            .unwrap();
            let still = Motion::still(&Pose::IDENTITY);
            let mut query = ImpactQuery::new(ground, &ball, &PairConfig::default()).unwrap();
            let hit = query
                .during(&still, &falling, Limits::default())
                .value
                .unwrap();
            assert!((hit.time - 0.5).abs() < 1e-6, "{name}: {hit:?}");
            assert!((hit.normal - DVec3::Z).length() < 1e-3, "{name}: {hit:?}");
            let mut swapped = ImpactQuery::new(&ball, ground, &PairConfig::default()).unwrap();
            let hit = swapped
                .during(&falling, &still, Limits::default())
                .value
                .unwrap();
            assert!(
                (hit.time - 0.5).abs() < 1e-6 && (hit.normal + DVec3::Z).length() < 1e-3,
                "{name}: {hit:?}"
            );
        }
    }
}

#[test]
fn shapes_that_meet_at_the_start_or_lie_inside_touch_at_once() {
    let solid = PairConfig {
        solid: true,
        ..PairConfig::default()
    };
    let ball = shape_of(generate::icosphere(2.0, 4).unwrap());
    let still = Motion::still(&Pose::IDENTITY);
    for (name, other) in super::shapes::solids()
        .into_iter()
        .map(|s| (s.name, s.shape))
    {
        let found = ImpactQuery::new(&ball, &other, &solid).unwrap().during(
            &still,
            &still,
            Limits::default(),
        );
        assert_eq!(
            (found.value.map(|hit| hit.time), found.lower),
            (Some(0.0), 0.0),
            "{name}"
        );
        let found = ImpactQuery::new(&other, &other, &solid).unwrap().during(
            &still,
            &still,
            Limits::default(),
        );
        assert_eq!(found.value.map(|hit| hit.time), Some(0.0), "{name}");
    }
}

#[test]
fn a_budget_ends_the_search_with_a_true_bracket() {
    let (ball, mesh) = (
        Shape::from(Ball::new(0.5).unwrap()),
        shape_of(generate::icosphere(1.0, 4).unwrap()),
    );
    let moving = Motion::between(&at(5.0, 0.0, 0.0), &at(-5.0, 0.0, 0.0));
    let still = Motion::still(&Pose::IDENTITY);
    let mut query = ImpactQuery::new(&mesh, &ball, &PairConfig::default()).unwrap();
    let truth = query
        .during(&still, &moving, Limits::default())
        .value
        .unwrap()
        .time;
    for max_tests in [0, 1, 10, 100, 1000] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let found = query.during(&still, &moving, limits);
        assert!(found.lower <= truth && found.upper >= truth);
    }
}

/// A ball at rest in the middle of a flat mesh touches it with the normal of the plane, wherever
/// both are in the world.
#[test]
fn a_ball_that_starts_in_a_flat_mesh_has_the_normal_and_a_face_of_it() {
    let field = HeightField::new(21, 21, [1.0, 1.0], vec![0.0; 441]).unwrap();
    let up = field.mesh().mesh().as_ref().clone();
    let turned = up.faces().iter().map(|&[p, q, r]| [p, r, q]).collect();
    let down = TriMesh::new(up.positions().to_vec(), turned).unwrap();
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let somewhere = Pose::from_axis_angle([0.3, 1.0, 0.2], 0.7, [40.0, -3.0, 8.0]).unwrap();
    for mesh in [up, down] {
        let sheet = shape_of(mesh.clone());
        for center in [
            DVec3::new(10.0, 0.5, 0.9),
            DVec3::new(10.3, 9.6, -0.9),
            DVec3::new(3.7, 12.1, 0.001),
        ] {
            let placed = somewhere * Pose::from_translation(center).unwrap();
            let [of_sheet, of_ball] = [somewhere, placed].map(|pose| Motion::still(&pose));
            let side = somewhere.transform_vector(DVec3::Z * center.z.signum());
            let limits = Limits::default();
            let config = PairConfig::default();
            let hit = ImpactQuery::new(&sheet, &ball, &config)
                .unwrap()
                .during(&of_sheet, &of_ball, limits);
            let swapped = ImpactQuery::new(&ball, &sheet, &config)
                .unwrap()
                .during(&of_ball, &of_sheet, limits);
            assert_eq!((hit.lower, hit.upper), (0.0, 0.0));
            let (hit, swapped) = (hit.value.unwrap(), swapped.value.unwrap());
            for (found, normal, face, other) in [
                (hit, side, hit.faces.a, hit.faces.b),
                (swapped, -side, swapped.faces.b, swapped.faces.a),
            ] {
                assert_eq!((found.time, other.raw()), (0.0, 0));
                assert!((found.normal - normal).length() < 1e-12, "{found:?}");
                // The face is one that the ball reaches, and the point one of both.
                let nearest = closest_point_on_triangle(center, &mesh.face(face).unwrap());
                assert!(nearest.distance <= 1.0, "{found:?}");
                let point = somewhere.inverse() * found.point;
                assert!(point.z.abs() < 1e-9, "{point}");
                assert!(point.distance(center) <= 1.0 + 1e-9);
            }
        }
    }
}

#[test]
fn shapes_that_start_in_contact_tell_the_way_apart() {
    let config = PairConfig {
        solid: true,
        ..PairConfig::default()
    };
    let ask = |a: &Shape, b: &Shape, pose: &Pose| {
        let still = Motion::still(&Pose::IDENTITY);
        let mut query = ImpactQuery::new(a, b, &config).unwrap();
        let hit = query.during(&still, &Motion::still(pose), Limits::default());
        hit.value.unwrap()
    };
    let is = |found: DVec3, expected: DVec3| (found - expected).length() < 1e-9;
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap());
    let brick = Shape::from(Cuboid::new([5.0, 5.0, 1.0]).unwrap());
    let box_mesh = generate::cuboid(DVec3::new(10.0, 10.0, 2.0), [4, 4, 2]).unwrap();
    let mesh = shape_of(box_mesh.clone());
    // Origins are far to the side of where they touch.
    let aside = at(3.9, -3.6, 1.9);
    assert!(is(ask(&ground, &ball, &at(9.0, 0.0, 0.9)).normal, DVec3::Z));
    assert!(is(
        ask(&ball, &ground, &at(9.0, 0.0, -0.9)).normal,
        -DVec3::Z
    ));
    assert!(is(ask(&brick, &ball, &aside).normal, DVec3::Z));
    // A ball that is more than half in the mesh is still told to leave it.
    for z in [1.9, 0.4] {
        let pose = at(3.9, -3.6, z);
        let hit = ask(&mesh, &ball, &pose);
        let [p, q, r] = box_mesh.face(hit.faces.a).unwrap();
        let face = (q - p).cross(r - p).normalize();
        assert!(is(hit.normal, face), "{hit:?}");
        let swapped = ask(&ball, &mesh, &pose.inverse());
        let [p, q, r] = box_mesh.face(swapped.faces.b).unwrap();
        let face = (q - p).cross(r - p).normalize();
        assert!(is(swapped.normal, -face), "{swapped:?}");
        if z > 1.0 {
            assert!(is(hit.normal, DVec3::Z), "{hit:?}");
        }
    }
    // Wholly inside, its surface is not met: the shortest way out is up.
    let small = Shape::from(Ball::new(0.1).unwrap());
    let hit = ask(&mesh, &small, &at(1.3, 0.2, 0.5));
    assert!(hit.normal.z > 0.99, "{hit:?}");
    assert!(
        box_mesh
            .face(hit.faces.a)
            .unwrap()
            .iter()
            .all(|p| p.z == 1.0)
    );
    assert!(hit.point.distance(DVec3::new(1.3, 0.2, 0.5)) <= 0.1 + 1e-9);
    // Of particles and compounds the one that touches is named.
    let balls = Particles::new(vec![DVec3::ZERO, DVec3::X * 5.0, DVec3::Y * 7.0], 0.5).unwrap();
    let hit = ask(&ground, &balls.clone().into(), &at(0.0, 0.0, 0.4));
    assert_eq!(hit.faces.a.raw(), 0);
    let hit = ask(&brick, &balls.into(), &at(-9.0, 4.0, 1.3));
    assert_eq!(hit.faces.b.raw(), 1);
    assert!(is(hit.normal, DVec3::Z), "{hit:?}");
}
