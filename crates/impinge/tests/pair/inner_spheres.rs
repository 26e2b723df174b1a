//! Solids by their inner balls behind the questions about pairs: against a look at every ball, and their own tree.
#![expect(
    clippy::unwrap_used,
    reason = "the input of a test is valid, and a panic is a failure"
)]

use crate::shapes::{point, random_pose};
use impinge::cloud::{CloudShape, PointCloud};
use impinge::math::Rng;
use impinge::pair::{DistanceQuery, IntersectionQuery, PairConfig, Particles, Shape};
use impinge::query::Limits;
use impinge::scan::{Link, LinkCache, LinkSet, PointTree, ScanFrame};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::{DVec3, Pose};

/// Balls of many sizes, as of a packing.
fn inner_balls() -> Vec<SolidBall> {
    let mut rng = Rng::new(77);
    let one = |k: u32| SolidBall {
        center: point(&mut rng, 1.5),
        radius: 0.6 / f64::from(1 + k % 9),
    };
    (0..60).map(one).collect()
}

/// The balls as a shape, and how far a place is from the nearest.
pub(crate) fn shape_and_distance() -> (Shape, Box<dyn Fn(DVec3) -> f64>) {
    let tree = InnerSphereTree::new(&inner_balls(), &InnerSphereTreeOptions::default()).unwrap();
    let balls = inner_balls();
    let distance = move |p: DVec3| {
        let each = balls.iter();
        let each = each.map(|b| (b.center.distance(p) - b.radius).max(0.0));
        each.fold(f64::INFINITY, f64::min)
    };
    let shape = Particles::of_balls(tree.balls()).unwrap();
    (shape.into(), Box::new(distance))
}

#[test]
fn inner_balls_are_asked_by_pairs_as_by_their_own_tree() {
    let mut rng = Rng::new(78);
    let tree = InnerSphereTree::new(&inner_balls(), &InnerSphereTreeOptions::default()).unwrap();
    let inner = Shape::from(Particles::of_balls(tree.balls()).unwrap());
    let links = LinkSet::new(vec![Link::spheres(&tree).unwrap()]);
    for _ in 0..24 {
        let cloud_points = (0..300)
            .map(|_| point(&mut rng, 2.0))
            .collect::<Vec<DVec3>>();
        let cloud = PointCloud::from_points(cloud_points.iter().copied()).unwrap();
        let cloud = Shape::from(CloudShape::new(cloud.into()));
        let pose: Pose = random_pose(&mut rng, 3.0);
        let mut frame = PointTree::default();
        frame.rebuild(&ScanFrame::new(&cloud_points).unwrap());
        let (mut cache, mut nearest) = (LinkCache::default(), Vec::new());
        let link_pose = [pose.inverse()];
        links
            .nearest(&frame, &link_pose, &mut cache, &mut nearest)
            .unwrap();
        let link = nearest[0].unwrap().distance.max(0.0);
        let mut query = DistanceQuery::new(&inner, &cloud, &PairConfig::default()).unwrap();
        let found = query.at(&pose, Limits::default()).value.unwrap();
        assert!((found.distance - link).abs() < 1e-9, "{found:?} {link}");
        // And against another solid of balls.
        let own = inner_balls();
        let gap =
            |p: &SolidBall, q: &SolidBall| p.center.distance(pose * q.center) - p.radius - q.radius;
        let pairs = own.iter().flat_map(|p| own.iter().map(move |q| (p, q)));
        let truth = pairs
            .map(|(p, q)| gap(p, q))
            .fold(f64::INFINITY, f64::min)
            .max(0.0);
        let mut query = DistanceQuery::new(&inner, &inner, &PairConfig::default()).unwrap();
        let found = query.at(&pose, Limits::default()).value.unwrap();
        assert!((found.distance - truth).abs() < 1e-9, "{found:?} {truth}");
    }
    let bad = SolidBall {
        center: DVec3::ZERO,
        radius: -1.0,
    };
    assert!(Particles::of_balls(&[inner_balls()[0], bad]).is_err());
    assert!(Particles::of_balls(&[]).unwrap().bounds().is_empty());
}

#[test]
fn particles_with_a_tree_answer_as_those_without() {
    let tree = InnerSphereTree::new(&inner_balls(), &InnerSphereTreeOptions::default()).unwrap();
    let plain = Shape::from(Particles::of_balls(tree.balls()).unwrap());
    let with_tree = Shape::from(Particles::of_tree(tree).unwrap());
    let config = PairConfig::default();
    let mut distances =
        [&plain, &with_tree].map(|shape| DistanceQuery::new(shape, shape, &config).unwrap());
    let mut meetings =
        [&plain, &with_tree].map(|shape| IntersectionQuery::new(shape, shape, &config).unwrap());
    let mut rng = Rng::new(79);
    let mut apart = 0;
    for case in 0..200 {
        let reach = 1.0 + 0.04 * f64::from(case);
        let pose: Pose = random_pose(&mut rng, reach);
        let meet = meetings.each_mut().map(|query| query.any(&pose));
        assert_eq!(meet[0], meet[1], "{case}");
        for max_distance in [None, Some(0.5)] {
            let limits = Limits {
                max_distance,
                ..Limits::default()
            };
            let [own, by_tree] = distances.each_mut().map(|query| query.at(&pose, limits));
            assert_eq!(own.value.is_some(), by_tree.value.is_some(), "{case}");
            if let (Some(p), Some(q)) = (own.value, by_tree.value) {
                assert_eq!(p.distance == 0.0, meet[0]);
                assert_eq!(q.distance == 0.0, meet[0]);
                if !meet[0] {
                    assert!(
                        (p.distance - q.distance).abs() < 1e-9,
                        "{case}: {p:?} {q:?}"
                    );
                    let between = q.point_a.distance(q.point_b);
                    assert!((between - q.distance).abs() < 1e-9);
                    assert!(by_tree.lower <= p.distance && p.distance <= by_tree.upper + 1e-12);
                    apart += 1;
                }
            }
        }
    }
    assert!((50..350).contains(&apart), "{apart}");
}
