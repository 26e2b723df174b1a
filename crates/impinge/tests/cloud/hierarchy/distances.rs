//! Distances against closed forms: what is proven holds, and estimates are as near the truth as often as they say, finished or cut off.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::clouds::{
    even_sphere, even_torus, jittered_square, random_sphere, random_torus,
};

use super::{moved, question, random_turn, tree};

/// Tests that questions are cut off after; none for a whole one.
const BUDGETS: [Option<u64>; 6] = [None, Some(3), Some(20), Some(80), Some(250), Some(800)];
/// The tube of the ring.
const TUBE: f64 = 0.2;

/// A placement of the second cloud, and how far apart the surfaces then are.
struct Placed {
    pose: Pose,
    truth: f64,
}

/// Two clouds and placements of the second.
struct Scene {
    name: &'static str,
    a: Arc<CloudTree>,
    b: Arc<CloudTree>,
    placed: Vec<Placed>,
}

fn scaled(points: &[DVec3], by: f64) -> Arc<CloudTree> {
    tree(&points.iter().map(|&p| p * by).collect::<Vec<_>>())
}

/// Balls of radii 1 and 0.6 beside, in and across each other.
fn balls(name: &'static str, one: &[DVec3], other: &[DVec3], rng: &mut Rng) -> Scene {
    let (large, small) = (1.0, 0.6);
    let centres = [
        large + small + 0.01,
        large + small + 0.05,
        large + small + rng.range(0.02, 0.3),
        large + small + rng.range(0.3, 1.5),
        rng.range(0.0, 0.3),
        large - small - 0.03,
        rng.range(0.5, 1.5),
    ];
    let placed = centres.map(|centre| Placed {
        pose: moved(rng.direction() * centre) * random_turn(rng),
        truth: (centre - large - small)
            .max(large - small - centre)
            .max(0.0),
    });
    Scene {
        name,
        a: tree(one),
        b: scaled(other, small),
        placed: placed.into(),
    }
}

/// A ball of radius 0.3 above the middle part of a square, and across it.
fn ball_over_square(seed: u64, rng: &mut Rng) -> Scene {
    let radius = 0.3;
    let gaps = [
        0.0,
        0.01,
        0.04,
        0.2,
        rng.range(0.0, 0.6),
        rng.range(-0.5, 0.0),
    ];
    let placed = gaps.map(|gap| {
        let middle = rng.cube() * 0.5;
        let height = radius + gap;
        Placed {
            pose: moved([middle.x, middle.y, height]) * random_turn(rng),
            truth: gap.max(0.0),
        }
    });
    Scene {
        name: "ball over a square",
        a: tree(&jittered_square(seed)),
        b: scaled(&random_sphere(700, seed), radius),
        placed: placed.into(),
    }
}

/// A ball of radius 0.3 anywhere about a ring.
fn ball_about_ring(name: &'static str, ring: &[DVec3], seed: u64, rng: &mut Rng) -> Scene {
    let radius = 0.3;
    let mut placed = Vec::new();
    // In the hole, and where chance puts it.
    let mut places = vec![DVec3::ZERO, DVec3::X * 0.4];
    places.extend((0..6).map(|_| rng.cube() * 2.0));
    for place in places {
        let across = place.truncate().length() - 1.0;
        let from_tube = across.hypot(place.z) - TUBE;
        placed.push(Placed {
            pose: moved(place) * random_turn(rng),
            // A ball this large does not fit into the tube.
            truth: (from_tube - radius).max(0.0),
        });
    }
    Scene {
        name,
        a: tree(ring),
        b: scaled(&random_sphere(700, seed + 50), radius),
        placed,
    }
}

/// A ball of radius 0.3 anywhere about a cube of edge 1.6, or in it: edges and corners.
fn ball_about_cube(seed: u64, rng: &mut Rng) -> Scene {
    let (radius, half) = (0.3, 0.8);
    let cube: Vec<DVec3> = (0..3000)
        .map(|k| {
            let mut p = rng.cube() * half;
            p[k % 3] = if k % 2 == 0 { half } else { -half };
            p
        })
        .collect();
    let mut places = vec![DVec3::ZERO, DVec3::splat(0.8 + 0.2), DVec3::X * 1.15];
    places.extend((0..5).map(|_| rng.cube() * 1.8));
    let placed: Vec<Placed> = places
        .into_iter()
        .map(|place| {
            let out = place.abs() - half;
            let outside = out.max(DVec3::ZERO).length();
            Placed {
                pose: moved(place) * random_turn(rng),
                truth: (outside.max(-out.max_element()) - radius).max(0.0),
            }
        })
        .collect();
    Scene {
        name: "ball about a cube",
        placed,
        a: tree(&cube),
        b: scaled(&random_sphere(700, seed + 70), radius),
    }
}

/// A ball of radius 0.3 anywhere about a square: rims.
fn ball_about_square(seed: u64, rng: &mut Rng) -> Scene {
    let radius = 0.3;
    let flat = DVec3::new(1.0, 1.0, 0.0);
    let square: Vec<DVec3> = (0..1500).map(|_| rng.cube() * flat).collect();
    let mut places = vec![DVec3::X * 1.35, DVec3::new(1.25, 1.25, 0.1)];
    places.extend((0..5).map(|_| rng.cube() * 1.8));
    let placed: Vec<Placed> = places
        .into_iter()
        .map(|place| {
            let from = (place.abs() - flat).max(DVec3::ZERO).length();
            Placed {
                pose: moved(place) * random_turn(rng),
                truth: (from - radius).max(0.0),
            }
        })
        .collect();
    Scene {
        name: "ball about a square",
        placed,
        a: tree(&square),
        b: scaled(&random_sphere(700, seed + 90), radius),
    }
}

/// Rings side by side on one axis, and linked.
fn rings(rng: &mut Rng) -> Scene {
    let ring = tree(&random_torus(2500, TUBE, rng));
    let quarter = Pose::from_axis_angle(DVec3::X, FRAC_PI_2, DVec3::ZERO).unwrap();
    let mut placed = Vec::new();
    for gap in [0.02, 0.1, rng.range(0.0, 0.5), 0.8] {
        let about = Pose::from_axis_angle(DVec3::Z, rng.range(0.0, 6.0), DVec3::ZERO).unwrap();
        let up = DVec3::Z * (2.0 * TUBE + gap);
        placed.push(Placed {
            pose: moved(up) * about,
            truth: gap,
        });
    }
    placed.push(Placed {
        pose: moved([1.0, 0.0, 0.0]) * quarter,
        truth: 1.0 - 2.0 * TUBE,
    });
    Scene {
        name: "two rings",
        a: ring.clone(),
        b: ring,
        placed,
    }
}

fn scenes(seed: u64) -> Vec<Scene> {
    let mut rng = Rng::new(100 + seed);
    let ring = random_torus(2500, TUBE, &mut rng);
    vec![
        balls(
            "even balls",
            &even_sphere(3000),
            &even_sphere(900),
            &mut rng,
        ),
        balls(
            "random balls",
            &random_sphere(2500, seed),
            &random_sphere(1200, seed + 20),
            &mut rng,
        ),
        ball_over_square(seed, &mut rng),
        ball_about_ring("ball about a random ring", &ring, seed, &mut rng),
        ball_about_ring("ball about an even ring", &even_torus(2500), seed, &mut rng),
        ball_about_cube(seed, &mut rng),
        ball_about_square(seed, &mut rng),
        rings(&mut rng),
    ]
}

/// What was stated and how often that was right.
#[derive(Debug, Default)]
struct Tally {
    asked: u32,
    stated: f64,
    variance: f64,
    right: u32,
}

impl Tally {
    fn count(&mut self, confidence: f64, is_right: bool) {
        self.asked += 1;
        self.stated += confidence;
        self.variance += confidence * (1.0 - confidence);
        self.right += u32::from(is_right);
    }

    /// Right as often as stated, but for three deviations of a fair count.
    fn holds(&self) -> bool {
        f64::from(self.right) >= self.stated - 3.0 * self.variance.sqrt() - 1e-9
    }
}

#[test]
fn proven_bounds_hold_and_estimates_are_right_as_often_as_stated() {
    let (mut finished, mut cut) = (Tally::default(), Tally::default());
    let (mut verdicts, mut cut_verdicts) = (Tally::default(), Tally::default());
    let mut by_scene: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut told = 0;
    for seed in 20..30 {
        for scene in scenes(seed) {
            let Scene { name, a, b, placed } = scene;
            let radius = 0.5 * (a.sampling_radius() + b.sampling_radius());
            let mut question = question(&a, &b);
            for Placed { pose, truth } in placed {
                for max_tests in BUDGETS {
                    let limits = Limits {
                        max_tests,
                        ..Limits::default()
                    };
                    let found = question.distance(&pose, limits);
                    let what = format!("{name} {seed}, {max_tests:?}: {truth} in {found:?}");
                    assert!(found.lower <= truth && truth <= found.upper, "{what}");
                    assert!(found.lower <= found.distance, "{what}");
                    assert!(found.distance <= found.upper, "{what}");
                    assert!((0.5..1.0).contains(&found.confidence), "{what}");
                    let is_right = (found.distance - truth).abs() <= found.error;
                    let says_right = found.verdict.answer == (truth <= 0.0);
                    assert!(says_right || !found.verdict.certain, "{what}");
                    told += u32::from(found.lower > 0.0);
                    let is_cut = found.outcome == Outcome::OutOfBudget;
                    if is_cut {
                        assert!(max_tests.is_some(), "{what}");
                        cut.count(found.confidence, is_right);
                        cut_verdicts.count(found.verdict.confidence, says_right);
                    } else {
                        // An error that is always large enough would say nothing.
                        assert!(found.error <= 4.0 * radius, "{what}");
                        finished.count(found.confidence, is_right);
                        let scene = by_scene.entry(name).or_default();
                        scene.count(found.confidence, is_right);
                        // Whether they meet is asked of what does not just touch.
                        if truth == 0.0 || truth > 0.2 * radius {
                            verdicts.count(found.verdict.confidence, says_right);
                        }
                    }
                }
            }
        }
    }
    for (what, tally) in [
        ("finished", &finished),
        ("cut off", &cut),
        ("whether they meet", &verdicts),
        ("whether they meet, cut off", &cut_verdicts),
    ] {
        assert!(tally.asked > 300, "{what}: {tally:?}");
        assert!(tally.holds(), "{what}: {tally:?}");
    }
    for (name, tally) in &by_scene {
        assert!(tally.asked > 50 && tally.holds(), "{name}: {tally:?}");
    }
    assert!(by_scene.len() == 8 && told > 300, "{told}");
}

#[test]
fn more_tests_leave_smaller_errors() {
    let (ball, ring) = (tree(&even_sphere(5000)), tree(&even_torus(4000)));
    let mut rng = Rng::new(41);
    let mut mean = [0.0; BUDGETS.len()];
    for (a, b) in [(&ball, &ball), (&ball, &ring)] {
        let mut question = question(a, b);
        for _ in 0..20 {
            let pose = moved(rng.direction() * rng.range(2.25, 2.6)) * random_turn(&mut rng);
            for (mean, max_tests) in mean.iter_mut().zip(BUDGETS) {
                let limits = Limits {
                    max_tests,
                    ..Limits::default()
                };
                *mean += question.distance(&pose, limits).error;
            }
        }
    }
    // The whole question first, then growing budgets.
    let [whole, few @ ..] = mean;
    assert!(few.is_sorted_by(|less, more| less >= more), "{mean:?}");
    assert!(few[0] > 3.0 * whole && few[4] >= whole, "{mean:?}");
}

#[test]
fn a_search_that_is_stopped_at_once_still_proves_something() {
    let ball = tree(&even_sphere(3000));
    let mut question = question(&ball, &ball);
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        true
    };
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let way = DVec3::new(1.0, 2.0, -1.5).normalize();
    let cut = question.distance(&moved(way * 3.0), limits);
    assert_eq!(cut.outcome, Outcome::OutOfBudget);
    assert!(asked.get() > 0 && cut.evaluations == 0 && cut.point.is_none());
    // Along the line between the middles the points show almost all of it.
    assert!(cut.lower > 0.6 && cut.lower <= 1.0, "{cut:?}");
    assert!(cut.upper >= 1.0 && cut.upper < 2.0, "{cut:?}");
    assert!(cut.verdict.certain && !cut.verdict.answer);
    // Near each other nothing is told in no time, and nothing is claimed.
    let cut = question.distance(&moved(way * 2.02), limits);
    assert_eq!(cut.verdict.confidence, 0.5);
    assert!(cut.lower == 0.0 && cut.error >= cut.distance, "{cut:?}");
}

#[test]
fn overlapping_and_empty_clouds_and_a_distance_of_interest() {
    let (ball, none) = (tree(&even_sphere(3000)), tree(&[]));
    let found = question(&ball, &ball).distance(&moved([1.0, 0.2, 0.3]), Limits::default());
    assert!(found.verdict.answer && !found.verdict.certain && found.point.is_some());
    assert_eq!((found.lower, found.distance), (0.0, 0.0));
    assert_eq!(found.outcome, Outcome::Complete);
    assert!(found.error < 4.0 * ball.sampling_radius());
    for (a, b) in [(&ball, &none), (&none, &ball), (&none, &none)] {
        let found = question(a, b).distance(&Pose::IDENTITY, Limits::default());
        assert!(found.verdict.certain && !found.verdict.answer);
        assert_eq!(
            [found.lower, found.distance, found.upper],
            [f64::INFINITY; 3]
        );
    }
    let limits = Limits {
        max_distance: Some(0.1),
        ..Limits::default()
    };
    let far = question(&ball, &ball).distance(&moved([3.0, 0.0, 0.0]), limits);
    assert_eq!((far.distance, far.upper), (f64::INFINITY, f64::INFINITY));
    assert!(far.error == f64::INFINITY && far.lower <= 1.0 && far.lower > 0.5);
    assert!(far.verdict.certain && far.outcome == Outcome::Complete);
}

#[test]
fn other_ways_to_test_leaves_leave_what_coverings_leave() {
    let ball = tree(&random_sphere(2000, 6));
    let radius = ball.sampling_radius();
    let mut rng = Rng::new(43);
    for leaf in [
        LeafTest::Random { tests: 20 },
        LeafTest::Precise {
            precision: 0.2 * radius,
        },
        LeafTest::Crossings(InterpolationSearchOptions::default()),
    ] {
        let options = CloudCollisionOptions {
            leaf,
            ..CloudCollisionOptions::default()
        };
        let mut question = CloudCollision::new(ball.clone(), ball.clone(), options);
        for gap in [0.3 * radius, radius, 0.2, 0.7] {
            let pose = moved(rng.direction() * (2.0 + gap)) * random_turn(&mut rng);
            let found = question.distance(&pose, Limits::default());
            assert!(
                (found.distance - gap).abs() <= found.error,
                "{leaf:?} {gap}: {found:?}"
            );
            assert!(
                found.lower <= gap && gap <= found.upper,
                "{leaf:?} {gap}: {found:?}"
            );
        }
    }
}
