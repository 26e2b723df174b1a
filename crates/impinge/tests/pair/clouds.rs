//! Clouds behind the questions about pairs: every answer against a look at every point.
#![expect(
    clippy::unwrap_used,
    reason = "the input of a test is valid, and a panic is a failure"
)]

use std::sync::Arc;

use crate::inner_balls;
use crate::shapes::{self, angle, dust, hills, point, quarter_pose, random_pose, shape_of, solids};
use impinge::cloud::{CloudShape, KdTree, PointCloud};
use impinge::convex::{Ball, Cuboid, HalfSpace};
use impinge::math::{Motion, Rng};
use impinge::mesh::inside::{InsideTest, Location};
use impinge::pair::{
    ContactPoint, ContactQuery, DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery,
    PairConfig, Reason, Shape,
};
use impinge::query::{FacePair, Limits, Outcome};
use impinge::scan::{Link, LinkCache, LinkSet, PointTree, ScanFrame};
use impinge::spheres::{SolidBall, SphereTree, TreeOptions};
use impinge::world::{Body, PairFilter, What, Wish, World};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::hull_distance;

fn shape(points: &[DVec3]) -> Shape {
    CloudShape::new(
        PointCloud::from_points(points.iter().copied())
            .unwrap()
            .into(),
    )
    .into()
}

/// Points in a cube, on a small grid, on a sphere, in a plane, on a line or in one place.
fn points(kind: usize, count: usize, rng: &mut Rng) -> Vec<DVec3> {
    (0..count)
        .map(|_| match kind % 6 {
            0 => point(rng, 2.0),
            1 => DVec3::from_array([0; 3].map(|_| rng.grid(-4, 4) / 2.0)),
            2 => rng.direction() * 1.5,
            3 => DVec3::new(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0), 0.5),
            4 => DVec3::new(0.25, rng.range(-3.0, 3.0), -0.5),
            _ => DVec3::new(0.5, 0.25, -0.75),
        })
        .collect()
}

fn pose(k: usize, rng: &mut Rng) -> Pose {
    if k.is_multiple_of(2) {
        random_pose(rng, 3.0)
    } else {
        quarter_pose(rng)
    }
}

/// What is asked of a shape and a cloud, and the distance of a place from the shape.
struct Case {
    name: &'static str,
    shape: Shape,
    distance: Box<dyn Fn(DVec3) -> f64>,
}

fn surface(mesh: &TriMesh) -> impl Fn(DVec3) -> f64 + use<> {
    let faces: Vec<[DVec3; 3]> = mesh.triangles().collect();
    move |p| {
        let each = faces.iter().map(|corners| hull_distance(&[p], corners));
        each.fold(f64::INFINITY, f64::min)
    }
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = solids()
        .into_iter()
        .map(|solid| Case {
            name: solid.name,
            shape: solid.shape,
            distance: solid.distance,
        })
        .collect();
    let mut add = |name, shape, distance| {
        cases.push(Case {
            name,
            shape,
            distance,
        });
    };
    let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0, 0.0, -0.25]).unwrap();
    add(
        "half-space",
        ground.into(),
        Box::new(|p: DVec3| (p.z + 0.25).max(0.0)),
    );
    let field = hills();
    let of_field = surface(field.mesh().mesh());
    add("height field", field.into(), Box::new(of_field));
    let balls = dust();
    let (centers, radius) = (balls.points().to_vec(), balls.radius());
    let of_balls = move |p: DVec3| {
        let each = centers.iter().map(|c| (c.distance(p) - radius).max(0.0));
        each.fold(f64::INFINITY, f64::min)
    };
    add("particles", balls.into(), Box::new(of_balls));
    let (inner, of_inner) = inner_balls::shape_and_distance();
    add("inner balls", inner, of_inner);
    add("mesh", shape_of(angle()), Box::new(surface(&angle())));
    let round = generate::icosphere(1.0, 2).unwrap();
    let of_round = surface(&round);
    add("convex mesh", shape_of(round), Box::new(of_round));
    cases
}

#[test]
fn the_distance_is_that_of_the_nearest_point_and_0_where_one_is_inside() {
    let mut rng = Rng::new(1);
    for case in cases() {
        let config = PairConfig::default();
        for k in 0..12 {
            let count = [1, 2, 5, 13, 40, 150][k % 6];
            let cloud_points = points(k, count, &mut rng);
            let cloud = shape(&cloud_points);
            let case_from_cloud = pose(k, &mut rng);
            let truth = cloud_points
                .iter()
                .map(|&p| (case.distance)(case_from_cloud * p))
                .fold(f64::INFINITY, f64::min);
            for (a, b, a_from_b) in [
                (&case.shape, &cloud, case_from_cloud),
                (&cloud, &case.shape, case_from_cloud.inverse()),
            ] {
                let context = format!("{} {k}: {truth}", case.name);
                let found = DistanceQuery::new(a, b, &config)
                    .unwrap()
                    .at(&a_from_b, Limits::default());
                let nearest = found.value.unwrap();
                assert!(
                    (nearest.distance - truth).abs() < 1e-9,
                    "{context} {found:?}"
                );
                assert!(found.lower <= truth + 1e-9 && truth <= found.upper + 1e-9);
                assert_eq!(found.outcome, Outcome::Complete);
                let apart = nearest.point_a.distance(nearest.point_b);
                assert!((apart - nearest.distance).abs() < 1e-9, "{context}");
                let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
                let mut pairs: Vec<FacePair> = Vec::new();
                let _ = meet.all(&a_from_b, Limits::default(), &mut pairs);
                if truth == 0.0 || truth > 1e-9 {
                    // Inside of a surface nothing is met.
                    assert_eq!(meet.any(&a_from_b), truth == 0.0, "{context}");
                    assert_eq!(!pairs.is_empty(), truth == 0.0, "{context}");
                }
            }
        }
    }
}

#[test]
fn pairs_name_exactly_the_points_inside() {
    let mut rng = Rng::new(2);
    let half = DVec3::new(1.0, 0.5, 1.5);
    let cube = Shape::from(Cuboid::new(half).unwrap());
    for k in 0..40 {
        let all = points(1, 60, &mut rng);
        let cloud = shape(&all);
        let pose = quarter_pose(&mut rng);
        let truth: Vec<u32> = (0..60)
            .filter(|&i| (pose * all[i as usize]).abs().cmple(half).all())
            .collect();
        let mut query = IntersectionQuery::new(&cube, &cloud, &PairConfig::default()).unwrap();
        let mut pairs: Vec<FacePair> = Vec::new();
        let _ = query.all(&pose, Limits::default(), &mut pairs);
        let mut named: Vec<u32> = pairs.iter().map(|pair| pair.b.raw()).collect();
        named.sort_unstable();
        assert_eq!(named, truth, "{k}");
        assert_eq!(query.any(&pose), !truth.is_empty());
    }
}

#[test]
fn two_clouds_are_as_far_apart_as_their_nearest_points_to_the_last_bit() {
    let mut rng = Rng::new(3);
    for k in 0..120 {
        let (count_a, count_b) = ([1, 3, 12, 13, 70, 300][k % 6], [1, 40, 9, 200][k % 4]);
        let a = points(k, count_a, &mut rng);
        let b = points(k / 6, count_b, &mut rng);
        let pose = pose(k, &mut rng);
        // The first of equally near pairs, by number.
        let mut truth = (f64::INFINITY, 0, 0);
        for (i, p) in a.iter().enumerate() {
            for (j, q) in b.iter().enumerate() {
                let d = *p - pose * *q;
                let distance_sq = d.x * d.x + d.y * d.y + d.z * d.z;
                if distance_sq < truth.0 {
                    truth = (distance_sq, i, j);
                }
            }
        }
        let (trees, limits) = ([KdTree::new(&a), KdTree::new(&b)], Limits::default());
        let found = trees[0].closest_points(&trees[1], &pose, limits);
        let nearest = found.value.unwrap();
        let named = (
            nearest.separation.distance,
            nearest.a.index(),
            nearest.b.index(),
        );
        assert_eq!(named, (truth.0.sqrt(), truth.1, truth.2), "{k}");
        let config = PairConfig::default();
        let (a, b) = (shape(&a), shape(&b));
        let asked = DistanceQuery::new(&a, &b, &config)
            .unwrap()
            .at(&pose, limits);
        assert_eq!(asked.value, Some(nearest.separation));
        let mut meet = IntersectionQuery::new(&a, &b, &config).unwrap();
        assert_eq!(meet.any(&pose), truth.0 == 0.0, "{k}");
        // Beyond what is of interest there is nothing.
        let half = Limits {
            max_distance: Some(0.5 * nearest.separation.distance),
            ..limits
        };
        let none = trees[0].closest_points(&trees[1], &pose, half);
        assert_eq!(none.value.is_none(), truth.0 > 0.0);
    }
}

#[test]
fn points_that_are_closer_than_squares_can_tell_are_apart() {
    let a = shape(&[DVec3::ZERO]);
    let b = shape(&[DVec3::X * 1e-200, DVec3::ONE]);
    let config = PairConfig::default();
    let found = DistanceQuery::new(&a, &b, &config)
        .unwrap()
        .at(&Pose::IDENTITY, Limits::default());
    assert_eq!(found.value.map(|s| s.distance), Some(1e-200));
    let mut meet = IntersectionQuery::new(&a, &b, &config).unwrap();
    assert!(!meet.any(&Pose::IDENTITY));
    let mut same = IntersectionQuery::new(&a, &a, &config).unwrap();
    assert!(same.any(&Pose::IDENTITY));
}

#[test]
fn a_closed_mesh_asked_as_a_solid_holds_the_points_inside() {
    let mut rng = Rng::new(4);
    let meshes = [
        angle(),
        generate::torus(1.0, 0.375, 12, 8).unwrap(),
        generate::cuboid(DVec3::splat(2.0), [2; 3]).unwrap(),
    ];
    let config = PairConfig {
        solid: true,
        ..PairConfig::default()
    };
    for mesh in meshes {
        let inside = InsideTest::new(&mesh).unwrap();
        let solid = shape_of(mesh.clone());
        for k in 0..60 {
            let count = [1, 4, 30, 200][k % 4];
            let mut all = points(k, count, &mut rng);
            if k % 3 == 0 {
                // Few are inside.
                all.iter_mut().for_each(|p| *p *= 2.5);
            }
            let pose = if k % 2 == 0 {
                random_pose(&mut rng, 1.0)
            } else {
                quarter_pose(&mut rng)
            };
            let cloud = shape(&all);
            let truth = all
                .iter()
                .any(|&p| inside.locate(pose * p).unwrap() != Location::Outside);
            let mut query = IntersectionQuery::new(&solid, &cloud, &config).unwrap();
            assert_eq!(query.any(&pose), truth, "{k}");
            let mut gap = DistanceQuery::new(&solid, &cloud, &config).unwrap();
            let found = gap.at(&pose, Limits::default()).value.unwrap();
            assert_eq!(found.distance == 0.0, truth, "{k} {found:?}");
            if k % 2 == 1 {
                // Quarter turns are undone exactly.
                let mut swapped = IntersectionQuery::new(&cloud, &solid, &config).unwrap();
                assert_eq!(swapped.any(&pose.inverse()), truth, "{k}");
            }
        }
    }
}

#[test]
fn depth_is_that_of_the_deepest_point_where_one_way_out_frees_all() {
    let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap());
    let mut rng = Rng::new(5);
    let config = PairConfig::default();
    for k in 0..30 {
        let all = points(k, 50, &mut rng);
        let pose = pose(k, &mut rng);
        let lowest = all
            .iter()
            .map(|&p| (pose * p).z)
            .fold(f64::INFINITY, f64::min);
        let mut query = DepthQuery::new(&ground, &shape(&all), &config).unwrap();
        let found = query.at(&pose, Limits::default());
        match found.value {
            Some(deep) => assert!((deep.depth + lowest).abs() < 1e-9, "{found:?} {lowest}"),
            None => assert!(lowest > 0.0, "{lowest}"),
        }
    }
    // One point in a box leaves by the nearest side.
    let cube = Shape::from(Cuboid::new([1.0, 2.0, 3.0]).unwrap());
    let mut query = DepthQuery::new(&cube, &shape(&[DVec3::ZERO]), &config).unwrap();
    let found = query.at(
        &Pose::from_translation([0.75, 0.5, 0.25]).unwrap(),
        Limits::default(),
    );
    let deep = found.value.unwrap();
    assert!(
        (deep.depth - 0.25).abs() < 1e-6 && deep.normal.x > 0.999,
        "{found:?}"
    );
    let refused = DepthQuery::new(&shape(&[DVec3::ZERO]), &shape(&[DVec3::ZERO]), &config);
    assert_eq!(refused.unwrap_err().reason, Reason::Points);
}

#[test]
fn the_way_out_frees_every_point_and_the_bracket_holds_the_deepest() {
    let mut rng = Rng::new(6);
    let config = PairConfig::default();
    let ball = (Shape::from(Ball::new(1.0).unwrap()), 1.0);
    let torus = generate::torus(1.0, 0.375, 16, 10).unwrap();
    for k in 0..8 {
        let all: Vec<DVec3> = (0..30).map(|_| point(&mut rng, 0.75) + DVec3::X).collect();
        let cloud = shape(&all);
        let pose = random_pose(&mut rng, 0.25);
        let deepest = |pose: &Pose, of: &dyn Fn(DVec3) -> f64| {
            let each = all.iter().map(|&p| of(*pose * p));
            each.fold(f64::NEG_INFINITY, f64::max)
        };
        let in_ball = |p: DVec3| ball.1 - p.length();
        let found = DepthQuery::new(&ball.0, &cloud, &config)
            .unwrap()
            .at(&pose, Limits::default());
        let truth = deepest(&pose, &in_ball);
        let Some(deep) = found.value else {
            assert!(truth < 1e-9, "{k}: {truth}");
            continue;
        };
        assert!(
            found.lower >= truth - 1e-6 && deep.depth >= truth - 1e-9,
            "{k}: {found:?} {truth}"
        );
        let out = pose.translation() + deep.normal * (deep.depth + 1e-6);
        let free = Pose::new(*pose.rotation(), out).unwrap();
        assert!(deepest(&free, &in_ball) <= 0.0, "{k}: {found:?}");
        // The same of a solid that is not convex.
        let inside = InsideTest::new(&torus).unwrap();
        let solid = shape_of(torus.clone());
        let found = DepthQuery::new(&solid, &cloud, &config)
            .unwrap()
            .at(&pose, Limits::default());
        if let Some(deep) = found.value {
            let out = pose.translation() + deep.normal * (deep.depth + 1e-6);
            let free = Pose::new(*pose.rotation(), out).unwrap();
            let is_free = all
                .iter()
                .all(|&p| inside.locate(free * p).unwrap() == Location::Outside);
            assert!(is_free && found.lower <= deep.depth, "{k}: {found:?}");
        }
    }
}

#[test]
fn contacts_are_the_points_within_the_margin() {
    let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap());
    let mut rng = Rng::new(7);
    let config = PairConfig {
        max_contacts: usize::MAX,
        ..PairConfig::default()
    };
    let all = points(0, 200, &mut rng);
    let mut found: Vec<ContactPoint> = Vec::new();
    let mut query = ContactQuery::new(&ground, &shape(&all), &config).unwrap();
    query.at(&Pose::IDENTITY, 0.5, &mut found);
    let wanted = all.iter().filter(|p| p.z <= 0.5).count();
    assert_eq!(found.len(), wanted);
    for contact in &found {
        assert_eq!(contact.normal, DVec3::Z);
        assert!((contact.depth + contact.point_b.z).abs() < 1e-12);
    }
    let ball = Shape::from(Ball::new(1.0).unwrap());
    found.clear();
    let mut query = ContactQuery::new(&ball, &shape(&all), &config).unwrap();
    query.at(&Pose::IDENTITY, 0.25, &mut found);
    let wanted = all.iter().filter(|p| p.length() <= 1.25).count();
    assert_eq!(found.len(), wanted);
    for contact in &found {
        assert!(
            (contact.depth - (1.0 - contact.point_b.length())).abs() < 1e-9,
            "{contact:?}"
        );
    }
}

#[test]
fn a_falling_cloud_lands_when_its_lowest_point_does() {
    let all = [
        DVec3::new(0.3, 0.0, 1.0),
        DVec3::new(-0.2, 0.5, 0.25),
        DVec3::ZERO,
    ];
    let cloud = shape(&all);
    let at = |z: f64| Pose::from_translation([0.0, 0.0, z]).unwrap();
    let (above, below) = (at(3.0), at(-1.0));
    let plate = generate::cuboid(DVec3::new(4.0, 4.0, 0.5), [2; 3]).unwrap();
    let floors = [
        (
            Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap()),
            0.0,
        ),
        (Shape::from(Cuboid::new([2.0, 2.0, 0.25]).unwrap()), 0.25),
        (shape_of(plate), 0.25),
    ];
    for (floor, top) in floors {
        let mut query = ImpactQuery::new(&floor, &cloud, &PairConfig::default()).unwrap();
        let still = Motion::still(&Pose::IDENTITY);
        let falling = Motion::between(&above, &below);
        let hit = query.during(&still, &falling, Limits::default());
        let truth = (3.0 - top) / 4.0;
        assert!(hit.lower <= truth + 1e-9, "{hit:?}");
        assert!(
            hit.value.is_some_and(|hit| (hit.time - truth).abs() < 1e-6),
            "{hit:?} {truth}"
        );
    }
}

#[test]
fn clouds_of_no_few_equal_collinear_and_planar_points_are_asked_like_all_others() {
    let mut rng = Rng::new(8);
    let mut clouds: Vec<Vec<DVec3>> = (0..=10).map(|n| points(0, n, &mut rng)).collect();
    clouds.push(points(5, 1000, &mut rng));
    clouds.push(points(4, 60, &mut rng));
    clouds.push(points(3, 60, &mut rng));
    clouds.push(vec![DVec3::splat(1e44), DVec3::splat(-1e44)]);
    let mut others = shapes::all();
    let many = clouds.clone();
    others.extend(many.iter().take(3).map(|points| ("cloud", shape(points))));
    for all in &clouds {
        let cloud = shape(all);
        for (name, other) in &others {
            let config = PairConfig {
                solid: true,
                ..PairConfig::default()
            };
            for (a, b) in [(&cloud, other), (other, &cloud)] {
                let pose = random_pose(&mut rng, 2.0);
                let is_empty = [a, b].iter().any(|s| {
                    s.bounds(&Pose::IDENTITY)
                        .is_some_and(|bounds| bounds.is_empty())
                });
                let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
                let mut gap = DistanceQuery::new(a, b, &config).unwrap();
                let found = gap.at(&pose, Limits::default());
                assert_eq!(found.value.is_none(), is_empty, "{name} {}", all.len());
                assert!(!(is_empty && meet.any(&pose)), "{name}");
                if let Some(s) = found.value
                    && s.distance > 1e-9
                {
                    assert!(!meet.any(&pose), "{name} {found:?}");
                }
                let mut contacts: Vec<ContactPoint> = Vec::new();
                if all.len() < 100 {
                    ContactQuery::new(a, b, &config)
                        .unwrap()
                        .at(&pose, 0.1, &mut contacts);
                }
                if let Ok(mut depth) = DepthQuery::new(a, b, &config)
                    && all.len() < 20
                {
                    let few = Limits {
                        max_tests: Some(200),
                        ..Limits::default()
                    };
                    let deep = depth.at(&pose, few);
                    assert!(deep.lower <= deep.upper, "{name} {deep:?}");
                }
            }
        }
    }
}

#[test]
fn a_budget_ends_the_search_with_a_true_bracket() {
    let mut rng = Rng::new(9);
    let (mine, theirs) = (points(2, 2000, &mut rng), points(0, 2000, &mut rng));
    let cloud = shape(&mine);
    let others = [
        shape(&theirs),
        shape_of(generate::torus(1.0, 0.25, 24, 16).unwrap()),
        Shape::from(Ball::new(0.5).unwrap()),
    ];
    let config = PairConfig::default();
    for other in others {
        let pose = Pose::from_translation([0.25, 0.5, 1.0]).unwrap();
        let mut query = DistanceQuery::new(&cloud, &other, &config).unwrap();
        let truth = query.at(&pose, Limits::default()).value.unwrap().distance;
        for max_tests in [0, 1, 5, 20, 100, 1000] {
            let limits = Limits {
                max_tests: Some(max_tests),
                ..Limits::default()
            };
            let found = query.at(&pose, limits);
            assert!(
                found.lower <= truth && truth <= found.upper,
                "{max_tests}: {found:?} {truth}"
            );
        }
    }
}

#[test]
fn large_clouds_and_meshes_that_are_apart_cost_few_tests() {
    let mut rng = Rng::new(10);
    let many: Vec<DVec3> = (0..100_000).map(|_| rng.direction()).collect();
    let cloud = shape(&many);
    let mesh = shape_of(generate::icosphere(1.0, 70).unwrap());
    let limits = Limits {
        max_tests: Some(200_000),
        ..Limits::default()
    };
    let pose = Pose::from_translation([2.5, 0.5, 0.0]).unwrap();
    for other in [&mesh, &cloud] {
        let mut query = DistanceQuery::new(other, &cloud, &PairConfig::default()).unwrap();
        let found = query.at(&pose, limits);
        assert_eq!(found.outcome, Outcome::Complete);
        let apart = DVec3::new(2.5, 0.5, 0.0).length() - 2.0;
        assert!(
            found
                .value
                .is_some_and(|s| (s.distance - apart).abs() < 0.02),
            "{found:?}"
        );
    }
}

#[test]
fn the_links_of_a_robot_see_the_same_nearest_points() {
    let mut rng = Rng::new(11);
    let all: Vec<DVec3> = (0..500).map(|_| point(&mut rng, 3.0)).collect();
    let frame = PointCloud::from_points(all.iter().copied()).unwrap();
    let balls: Vec<SolidBall> = (0..40)
        .map(|_| SolidBall {
            center: point(&mut rng, 0.5),
            radius: rng.range(0.01, 0.1),
        })
        .collect();
    let hand = SphereTree::new(&balls, &TreeOptions::default()).unwrap();
    let mut tree = PointTree::default();
    tree.rebuild(&ScanFrame::new(frame.points()).unwrap());
    let links = LinkSet::new(vec![Link::spheres(&hand).unwrap()]);
    let pose = random_pose(&mut rng, 3.0);
    let mut nearest = Vec::new();
    links
        .nearest(&tree, &[pose], &mut LinkCache::default(), &mut nearest)
        .unwrap();
    let near = nearest[0].unwrap();
    // The balls one by one, as shapes.
    let cloud = Shape::from(CloudShape::new(Arc::new(frame)));
    let config = PairConfig::default();
    let truth = balls
        .iter()
        .map(|ball| {
            let round = Shape::from(Ball::new(ball.radius).unwrap());
            let mut query = DistanceQuery::new(&round, &cloud, &config).unwrap();
            let placed = Pose::from_translation(pose * ball.center).unwrap();
            let found = query.at(&placed.inverse(), Limits::default());
            found.value.unwrap().distance
        })
        .fold(f64::INFINITY, f64::min);
    assert!(
        (near.distance.max(0.0) - truth).abs() < 1e-9,
        "{near:?} {truth}"
    );
}

#[test]
fn a_world_tells_when_something_touches_a_cloud() {
    let mut world = World::default();
    let scan = world
        .insert(Body::new(shape(&[DVec3::X * 2.0, DVec3::Y * 5.0])))
        .unwrap();
    let ball = world
        .insert(Body::new(Shape::from(Ball::new(0.5).unwrap())))
        .unwrap();
    let began = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = Arc::clone(&began);
    world.listen(PairFilter::any(), Wish::CONTACT, move |event, _| {
        if matches!(event.what, What::Began { .. }) {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let seen = || began.load(std::sync::atomic::Ordering::Relaxed);
    world.step();
    assert_eq!(seen(), 0);
    world
        .set_pose(ball, Pose::from_translation([1.5, 0.0, 0.0]).unwrap())
        .unwrap();
    world.step();
    assert_eq!(seen(), 1);
    world
        .set_pose(scan, Pose::from_translation([9.0, 0.0, 0.0]).unwrap())
        .unwrap();
    world.step();
    assert_eq!(seen(), 1);
}
