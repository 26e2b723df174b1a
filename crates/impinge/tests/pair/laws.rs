//! Laws that hold for every two kinds: swapping, turning, and the answers with each other.

use impinge::convex::{Capsule, Cuboid};
use impinge::math::Rng;
use impinge::pair::{
    Compound, ContactPoint, ContactQuery, DepthQuery, DistanceQuery, IntersectionQuery, PairConfig,
    Shape,
};
use impinge::query::Limits;
use impinge::{DMat3, DVec3, Pose};

use super::shapes::{all, quarter_pose, random_pose};

fn each_pair(mut check: impl FnMut(&str, &Shape, &Shape, &[Pose])) {
    let shapes = all();
    let mut rng = Rng::new(21);
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let poses: Vec<Pose> = (0..6)
                .map(|k| {
                    if k % 2 == 0 {
                        random_pose(&mut rng, 1.0 + k as f64)
                    } else {
                        quarter_pose(&mut rng)
                    }
                })
                .collect();
            check(&format!("{name_a} and {name_b}"), a, b, &poses);
        }
    }
}

#[test]
fn distance_is_zero_exactly_where_shapes_meet() {
    each_pair(|name, a, b, poses| {
        let config = PairConfig::default();
        let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
        let mut gap = DistanceQuery::new(a, b, &config).unwrap();
        for pose in poses {
            let found = gap.at(pose, Limits::default());
            let distance = found.value.unwrap().distance;
            assert_eq!(meet.any(pose), distance == 0.0, "{name} {found:?} {pose:?}");
            assert!(found.lower <= found.upper, "{name}");
        }
    });
}

#[test]
fn both_questions_agree_where_shapes_are_moved_until_they_touch() {
    each_pair(|name, a, b, poses| {
        let config = PairConfig::default();
        let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
        let mut gap = DistanceQuery::new(a, b, &config).unwrap();
        let are_convex = a.convex().is_some() && b.convex().is_some();
        let mut depth = DepthQuery::new(a, b, &config).ok().filter(|_| are_convex);
        let mut contact = ContactQuery::new(a, b, &config).ok();
        for pose in poses {
            let apart = gap.at(pose, Limits::default()).value.unwrap();
            if apart.distance < 1e-3 || !apart.distance.is_finite() {
                continue;
            }
            // As far as they are apart, and some roundings or a little more or less.
            let roundings = (-8..=8).map(|k| f64::from(k) * 4e-15);
            let steps =
                (-12_i32..=12).map(|k| f64::from(k).signum() * 1e-15 * 10_f64.powi(k.abs() / 2));
            for more in roundings.chain(steps) {
                let way = (apart.point_a - apart.point_b) * (1.0 + more);
                let Ok(near) = Pose::new(*pose.rotation(), pose.translation() + way) else {
                    continue;
                };
                let found = gap.at(&near, Limits::default());
                let distance = found.value.unwrap().distance;
                assert!(distance < 1e-7, "{name} {found:?} {near:?}");
                assert_eq!(
                    meet.any(&near),
                    distance == 0.0,
                    "{name} {found:?} {near:?}"
                );
                let mut cold = DistanceQuery::new(a, b, &config).unwrap();
                let cold = cold.at(&near, Limits::default()).value.unwrap();
                assert_eq!(cold.distance == 0.0, distance == 0.0, "{name} {near:?}");
                if let Some(depth) = &mut depth {
                    let found = depth.at(&near, Limits::default());
                    assert_eq!(found.value.is_some(), distance == 0.0, "{name} {near:?}");
                }
                if let Some(contact) = &mut contact {
                    let mut points: Vec<ContactPoint> = Vec::new();
                    contact.at(&near, 0.0, &mut points);
                    assert_eq!(points.is_empty(), distance > 0.0, "{name} {near:?}");
                }
            }
        }
    });
}

#[test]
fn a_capsule_that_touches_a_box_with_its_cap_meets_it() {
    // The axis stays a radius away from the box; only the ball around its end reaches an edge.
    let capsule = Capsule::new([0.0, -0.5, 0.0], [0.25, 0.75, 0.5], 0.25).unwrap();
    let cuboid = Shape::from(Cuboid::new([0.5, 0.5, 0.25]).unwrap());
    let turn = DMat3::from_cols(DVec3::NEG_Z, DVec3::NEG_X, DVec3::Y);
    let pose = Pose::new(turn, DVec3::new(1.0, 0.75, 1.0)).unwrap();
    let config = PairConfig::default();
    let capsule = Shape::from(capsule);
    let compound = Shape::from(Compound::new([(Pose::IDENTITY, cuboid.clone())]).unwrap());
    for other in [&cuboid, &compound] {
        let mut gap = DistanceQuery::new(&capsule, other, &config).unwrap();
        let distance = gap.at(&pose, Limits::default()).value.unwrap().distance;
        assert_eq!(distance, 0.0);
        assert!(
            IntersectionQuery::new(&capsule, other, &config)
                .unwrap()
                .any(&pose)
        );
    }
}

#[test]
fn swapping_the_shapes_swaps_the_answer() {
    each_pair(|name, a, b, poses| {
        let config = PairConfig::default();
        let mut meet = [
            IntersectionQuery::new(a, b, &config).unwrap(),
            IntersectionQuery::new(b, a, &config).unwrap(),
        ];
        let mut gap = [
            DistanceQuery::new(a, b, &config).unwrap(),
            DistanceQuery::new(b, a, &config).unwrap(),
        ];
        for pose in poses {
            let back = pose.inverse();
            let there = gap[0].at(pose, Limits::default()).value.unwrap();
            let again = gap[1].at(&back, Limits::default()).value.unwrap();
            assert!(
                (there.distance - again.distance).abs() < 1e-9,
                "{name}: {there:?} {again:?}"
            );
            if there.distance.min(again.distance) > 1e-12
                || there.distance.max(again.distance) == 0.0
            {
                assert_eq!(meet[0].any(pose), meet[1].any(&back), "{name}");
            }
        }
    });
}

#[test]
fn a_cache_that_saw_other_poses_changes_no_answer() {
    each_pair(|name, a, b, poses| {
        let config = PairConfig::default();
        let mut warm = IntersectionQuery::new(a, b, &config).unwrap();
        let mut far = DistanceQuery::new(a, b, &config).unwrap();
        for pose in poses {
            let cold = IntersectionQuery::new(a, b, &config).unwrap().any(pose);
            assert_eq!(warm.any(pose), cold, "{name}");
            let cold = DistanceQuery::new(a, b, &config)
                .unwrap()
                .at(pose, Limits::default());
            let found = far.at(pose, Limits::default());
            let off = (found.value.unwrap().distance - cold.value.unwrap().distance).abs();
            assert!(off < 1e-9, "{name}: {off}");
        }
    });
}

#[test]
fn a_turn_of_both_by_quarters_changes_no_answer() {
    let mut rng = Rng::new(5);
    each_pair(|name, a, b, poses| {
        let config = PairConfig::default();
        let turn = quarter_pose(&mut rng);
        let turned = |shape: &Shape| {
            Shape::from(impinge::pair::Compound::new([(turn, shape.clone())]).unwrap())
        };
        let (turned_a, turned_b) = (turned(a), turned(b));
        let mut gap = DistanceQuery::new(a, b, &config).unwrap();
        let mut both = DistanceQuery::new(&turned_a, &turned_b, &config).unwrap();
        for pose in poses {
            let around = turn * *pose * turn.inverse();
            let here = gap.at(pose, Limits::default()).value.unwrap().distance;
            let there = both.at(&around, Limits::default()).value.unwrap().distance;
            assert!((here - there).abs() < 1e-9, "{name}: {here} {there}");
        }
    });
}

#[test]
fn contacts_exist_where_shapes_are_within_the_margin_and_nowhere_else() {
    each_pair(|name, a, b, poses| {
        let config = PairConfig::default();
        let Ok(mut contact) = ContactQuery::new(a, b, &config) else {
            assert_eq!(name, "half-space and half-space");
            return;
        };
        let mut gap = DistanceQuery::new(a, b, &config).unwrap();
        for pose in poses {
            let distance = gap.at(pose, Limits::default()).value.unwrap().distance;
            for margin in [0.0, 0.25, 1.0] {
                let mut points: Vec<ContactPoint> = Vec::new();
                contact.at(pose, margin, &mut points);
                if (distance - margin).abs() > 1e-9 && distance > 1e-9 {
                    assert_eq!(
                        points.is_empty(),
                        distance > margin,
                        "{name} at {distance} within {margin}"
                    );
                }
                assert!(distance > 0.0 || !points.is_empty(), "{name} {pose:?}");
                if distance > 1e-9 && !points.is_empty() {
                    // Two nearest points are among them.
                    let depths = points.iter().map(|point| point.depth);
                    let nearest = -depths.fold(f64::NEG_INFINITY, f64::max);
                    assert!(
                        (nearest - distance).abs() < 1e-6,
                        "{name} at {distance}, the nearest contact at {nearest}"
                    );
                }
                for point in &points {
                    assert!(
                        (point.normal.length() - 1.0).abs() < 1e-9,
                        "{name}: {point:?}"
                    );
                    assert!(-point.depth <= margin + 1e-9, "{name}: {point:?}");
                    let along = (point.point_a - point.point_b).dot(point.normal);
                    assert!(
                        (along - point.depth).abs() < 1e-6,
                        "{name}: {along} {point:?}"
                    );
                }
                let ids: std::collections::BTreeSet<u64> = points.iter().map(|p| p.id).collect();
                assert_eq!(ids.len(), points.len(), "{name}: ids are different");
            }
        }
    });
}

#[test]
fn a_wider_margin_never_loses_all_contacts() {
    each_pair(|name, a, b, poses| {
        let Ok(mut contact) = ContactQuery::new(a, b, &PairConfig::default()) else {
            return;
        };
        for pose in poses {
            let mut had = false;
            for margin in [0.0, 0.125, 0.5, 2.0] {
                let mut points: Vec<ContactPoint> = Vec::new();
                contact.at(pose, margin, &mut points);
                assert!(!had || !points.is_empty(), "{name} at {margin}");
                had |= !points.is_empty();
            }
        }
    });
}

#[test]
fn the_deepest_contact_of_convex_shapes_is_as_deep_as_their_depth() {
    let mut rng = Rng::new(8);
    let shapes = super::shapes::solids();
    for a in &shapes {
        for b in &shapes {
            let config = PairConfig::default();
            let mut contact = ContactQuery::new(&a.shape, &b.shape, &config).unwrap();
            let mut depth = DepthQuery::new(&a.shape, &b.shape, &config).unwrap();
            for _ in 0..8 {
                let pose = random_pose(&mut rng, 0.75);
                let Some(deep) = depth.at(&pose, Limits::default()).value else {
                    continue;
                };
                let mut points: Vec<ContactPoint> = Vec::new();
                contact.at(&pose, 0.0, &mut points);
                let deepest = points
                    .iter()
                    .map(|p| p.depth)
                    .fold(f64::NEG_INFINITY, f64::max);
                let off = (deepest - deep.depth).abs();
                assert!(
                    off < 1e-6,
                    "{} {}: {deepest} for {}",
                    a.name,
                    b.name,
                    deep.depth
                );
            }
        }
    }
}

#[test]
fn a_budget_bounds_the_work_and_the_answer_stays_true() {
    each_pair(|name, a, b, poses| {
        let mut gap = DistanceQuery::new(a, b, &PairConfig::default()).unwrap();
        for pose in poses {
            let truth = gap.at(pose, Limits::default()).value.unwrap().distance;
            for max_tests in [0, 1, 5, 20, 100] {
                let limits = Limits {
                    max_tests: Some(max_tests),
                    ..Limits::default()
                };
                let found = gap.at(pose, limits);
                assert!(found.lower <= truth + 1e-9, "{name}: {found:?} for {truth}");
                assert!(found.upper >= truth - 1e-9, "{name}: {found:?} for {truth}");
            }
            let near = Limits {
                max_distance: Some(truth * 0.5),
                ..Limits::default()
            };
            let found = gap.at(pose, near);
            if truth == 0.0 || truth > 1e-9 {
                assert_eq!(found.value.is_none(), truth > 0.0, "{name}");
            }
            assert!(found.lower <= truth + 1e-9, "{name}");
        }
    });
}
