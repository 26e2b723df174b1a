//! Clouds that press into something: the deepest point, the way out, contacts and landings.

use crate::clouds::{points, pose, shape};
use crate::shapes::{point, random_pose, shape_of};
use impinge::convex::{Ball, Cuboid, HalfSpace};
use impinge::math::{Motion, Rng};
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use impinge::pair::{
    ContactPoint, ContactQuery, DepthQuery, ImpactQuery, PairConfig, Shape, UnsupportedReason,
};
use impinge::query::Limits;
use impinge::{DVec3, Pose, generate};

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
    assert_eq!(refused.unwrap_err().reason, UnsupportedReason::Points);
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
