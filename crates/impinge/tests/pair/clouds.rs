//! Where the points of a cloud are: distances and what is inside, against a look at every point.
#![expect(
    clippy::unwrap_used,
    reason = "the input of a test is valid, and a panic is a failure"
)]

use std::sync::Arc;

use crate::inner_spheres;
use crate::shapes::{angle, dust, hills, point, quarter_pose, random_pose, shape_of, solids};
use impinge::cloud::{CloudShape, KdTree, PointCloud};
use impinge::convex::{Ball, Cuboid, HalfSpace};
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use impinge::pair::{DistanceQuery, IntersectionQuery, PairConfig, Shape};
use impinge::query::{FacePair, Limits, Outcome};
use impinge::scan::{Link, LinkCache, LinkSet, PointTree, ScanFrame};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::world::{Body, EventKind, EventMask, PairFilter, World};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::hull_distance;

pub(crate) fn shape(points: &[DVec3]) -> Shape {
    CloudShape::new(
        PointCloud::from_points(points.iter().copied())
            .unwrap()
            .into(),
    )
    .into()
}

/// Points in a cube, on a small grid, on a sphere, in a plane, on a line or in one place.
pub(crate) fn points(kind: usize, count: usize, rng: &mut Rng) -> Vec<DVec3> {
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

pub(crate) fn pose(k: usize, rng: &mut Rng) -> Pose {
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
    let (inner, of_inner) = inner_spheres::shape_and_distance();
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
    let hand = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap();
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
    world.listen(PairFilter::any(), EventMask::CONTACT, move |event, _| {
        if matches!(event.what, EventKind::ContactBegin { .. }) {
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
