//! Collision of two clouds by their trees: closed forms, the structure of the tree, limits, awkward clouds.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::cell::Cell;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose};

fn tree_of(points: &[DVec3], options: &CloudTreeOptions) -> Arc<CloudTree> {
    let cloud = PointCloud::new(points.to_vec(), None).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let surface = CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap();
    Arc::new(CloudTree::new(surface.into(), options).unwrap())
}

fn tree(points: &[DVec3]) -> Arc<CloudTree> {
    tree_of(points, &CloudTreeOptions::default())
}

fn question(a: &Arc<CloudTree>, b: &Arc<CloudTree>) -> CloudCollision {
    CloudCollision::new(a.clone(), b.clone(), CloudCollisionOptions::default())
}

/// Evenly spread points of the unit sphere, by the golden angle.
fn even_ball(count: usize) -> Vec<DVec3> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    (0..count)
        .map(|i| {
            let z = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
            let r = (1.0 - z * z).sqrt();
            let angle = golden * i as f64;
            DVec3::new(r * angle.cos(), r * angle.sin(), z)
        })
        .collect()
}

fn random_ball(count: usize, seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| rng.direction()).collect()
}

/// A torus about the z axis with a tube of radius 0.2 about the unit circle, evenly spread.
fn torus(count: usize) -> Vec<DVec3> {
    let minor = 0.2;
    let around = ((count as f64 * minor).sqrt()).round() as usize;
    let along = count / around;
    let mut points = Vec::new();
    for i in 0..along {
        for j in 0..around {
            let a = TAU * (i as f64 + 0.5 * (j % 2) as f64) / along as f64;
            let b = TAU * j as f64 / around as f64;
            let r = 1.0 + minor * b.cos();
            points.push(DVec3::new(r * a.cos(), r * a.sin(), minor * b.sin()));
        }
    }
    points
}

/// A jittered square grid in the plane z = 0 with spacing 0.05, from −1 to 1.
fn plane(seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    let mut points = Vec::new();
    for i in -20..=20 {
        for j in -20..=20 {
            let jitter = rng.cube() * 0.01;
            points.push(DVec3::new(
                f64::from(i) * 0.05 + jitter.x,
                f64::from(j) * 0.05 + jitter.y,
                0.0,
            ));
        }
    }
    points
}

fn moved(by: impl Into<DVec3>) -> Pose {
    Pose::from_translation(by).unwrap()
}

fn random_turn(rng: &mut Rng) -> Pose {
    Pose::from_axis_angle(rng.direction(), rng.range(0.0, TAU), DVec3::ZERO).unwrap()
}

/// The width of the kernel where the spacing is that of the tree.
fn bandwidth(tree: &CloudTree) -> f64 {
    let surface = tree.surface();
    let mut scratch = Scratch::default();
    let x = surface.graph().place(PointId::new(0)).unwrap();
    let here = surface.evaluate(x, &mut scratch);
    here.sample().unwrap().bandwidth
}

#[test]
fn balls_meet_when_their_effective_radii_reach() {
    let ball = tree(&even_ball(6000));
    let h = bandwidth(&ball);
    let effective = 1.0 - 0.5 * h * h;
    let mut question = question(&ball, &ball);
    let accept = question.accept();
    let mut rng = Rng::new(3);
    for _ in 0..60 {
        let direction = rng.direction();
        let turn = random_turn(&mut rng);
        // Beside the step of f from one anchor to the next, a few thousandths, only `accept` is between yes and no.
        for (distance, expected) in [
            (2.0 * effective - 0.01, true),
            (2.0 * effective - 0.3, true),
            (0.7, true),
            (2.0 * effective + accept + 0.006, false),
            (2.0 * effective + 0.05, false),
            (3.0, false),
        ] {
            let pose = moved(direction * distance) * turn;
            let answer = question.at(&pose, Limits::default());
            assert_eq!(answer.verdict.answer, expected, "{distance} {answer:?}");
            assert_eq!(answer.outcome, Outcome::Complete);
            if expected {
                // The point is on the circle in the middle plane.
                let point = answer.point.unwrap();
                assert!(answer.distance <= accept);
                let height = point.dot(direction) - 0.5 * distance;
                let across = (point - direction * point.dot(direction)).length();
                let circle = (effective * effective - 0.25 * distance * distance).sqrt();
                let sine = (circle / effective).max(0.05);
                assert!(
                    height.abs() < 2.0 * accept / sine + 0.002,
                    "{height} at {distance}"
                );
                assert!(
                    (across - circle).abs() < 2.0 * accept / sine + 0.03,
                    "{across} {circle}"
                );
            }
        }
    }
    let far = question.at(&moved([3.0, 0.0, 0.0]), Limits::default());
    assert!(far.verdict.certain && far.evaluations == 0);
}

#[test]
fn concentric_balls_do_not_meet_and_are_their_difference_apart() {
    let large = tree(&even_ball(5000));
    let small: Vec<DVec3> = even_ball(3000).iter().map(|&p| p * 0.7).collect();
    let small = tree(&small);
    let mut question = question(&large, &small);
    let mut rng = Rng::new(5);
    for _ in 0..10 {
        let turn = random_turn(&mut rng);
        let answer = question.at(&turn, Limits::default());
        assert!(!answer.verdict.answer && !answer.verdict.certain);
        let apart = question.distance(&turn, Limits::default());
        assert!((apart.distance - 0.3).abs() < 0.01, "{apart:?}");
    }
}

#[test]
fn crossing_planes_meet_on_the_line() {
    let (a, b) = (tree(&plane(1)), tree(&plane(2)));
    let mut question = question(&a, &b);
    for angle in [0.1, 0.5, 1.0, FRAC_PI_2] {
        let shift = DVec3::new(0.3, 0.0, 0.0);
        let pose = Pose::from_axis_angle(DVec3::Y, angle, shift).unwrap();
        let answer = question.at(&pose, Limits::default());
        assert!(answer.verdict.answer, "{angle}");
        let point = answer.point.unwrap();
        assert!(point.z.abs() <= question.accept());
        let off = (point.x - 0.3) * angle.sin() + point.z * angle.cos();
        assert!(off.abs() <= question.accept() + 1e-9, "{off}");
    }
}

#[test]
fn parallel_planes_meet_only_when_nearer_than_accepted() {
    let (a, b) = (tree(&plane(1)), tree(&plane(2)));
    let mut question = question(&a, &b);
    let accept = question.accept();
    for gap in [1.1 * accept, 2.0 * accept, 0.05, 0.2, 1.0] {
        let pose = moved([0.01, 0.02, gap]);
        let answer = question.at(&pose, Limits::default());
        assert!(!answer.verdict.answer, "{gap} {answer:?}");
        let apart = question.distance(&pose, Limits::default());
        assert!(
            (apart.distance - gap).abs() < 0.02 * gap + 1e-3,
            "{gap} {apart:?}"
        );
    }
    for gap in [0.0, 0.5 * accept] {
        let answer = question.at(&moved([0.01, 0.02, gap]), Limits::default());
        assert!(answer.verdict.answer, "{gap}");
    }
}

#[test]
fn open_halves_meet_only_when_they_face_each_other() {
    let ball = even_ball(8000);
    let half = |up: f64| {
        tree(
            &ball
                .iter()
                .copied()
                .filter(|p| p.z * up >= 0.0)
                .collect::<Vec<_>>(),
        )
    };
    let (upper, lower) = (half(1.0), half(-1.0));
    let pose = moved([0.0, 0.0, 1.5]);
    // b is above: the lower half of b and the upper half of a face each other.
    assert!(
        question(&upper, &lower)
            .at(&pose, Limits::default())
            .verdict
            .answer
    );
    assert!(
        !question(&lower, &upper)
            .at(&pose, Limits::default())
            .verdict
            .answer
    );
    // Rims side by side: discs that end before they reach each other.
    let disc: Vec<DVec3> = plane(3).into_iter().filter(|p| p.length() < 0.8).collect();
    let disc = tree(&disc);
    let mut question = question(&disc, &disc);
    assert!(
        !question
            .at(&moved([1.72, 0.0, 0.0]), Limits::default())
            .verdict
            .answer
    );
    let upright = Pose::from_axis_angle(DVec3::Y, FRAC_PI_2, [0.9, 0.0, 0.0]).unwrap();
    assert!(!question.at(&upright, Limits::default()).verdict.answer);
    let upright = Pose::from_axis_angle(DVec3::Y, FRAC_PI_2, [0.7, 0.0, 0.0]).unwrap();
    assert!(question.at(&upright, Limits::default()).verdict.answer);
}

#[test]
fn linked_tori_do_not_meet_and_touching_ones_do() {
    let ring = tree(&torus(9000));
    let mut question = question(&ring, &ring);
    let turn = Pose::from_axis_angle(DVec3::X, FRAC_PI_2, DVec3::ZERO).unwrap();
    // The circle of one passes through the middle of the other.
    let linked = moved([1.0, 0.0, 0.0]) * turn;
    let answer = question.at(&linked, Limits::default());
    assert!(!answer.verdict.answer, "{answer:?}");
    let apart = question.distance(&linked, Limits::default());
    assert!((apart.distance - 0.6).abs() < 0.02, "{apart:?}");
    // The circles are as far apart as the middles, the tubes 0.4 less.
    let touching = moved([0.38, 0.0, 0.0]) * turn;
    assert!(question.at(&touching, Limits::default()).verdict.answer);
    let close = moved([0.43, 0.0, 0.0]) * turn;
    assert!(!question.at(&close, Limits::default()).verdict.answer);
    // Side by side in one plane.
    assert!(
        question
            .at(&moved([2.39, 0.0, 0.0]), Limits::default())
            .verdict
            .answer
    );
    assert!(
        !question
            .at(&moved([2.43, 0.0, 0.0]), Limits::default())
            .verdict
            .answer
    );
}

#[test]
fn every_way_to_test_leaves_gives_the_clear_answers() {
    let ball = tree(&random_ball(2500, 4));
    let r = ball.sampling_radius();
    let ways = [
        LeafTest::Newton { steps: 4 },
        LeafTest::Random { tests: 400 },
        LeafTest::Precise {
            precision: 0.05 * r,
        },
        LeafTest::Crossings(BracketOptions::default()),
    ];
    for leaf in ways {
        let options = CloudCollisionOptions {
            leaf,
            accept: Some(0.15 * r),
            ..CloudCollisionOptions::default()
        };
        let mut question = CloudCollision::new(ball.clone(), ball.clone(), options);
        let mut rng = Rng::new(9);
        for _ in 0..8 {
            let (direction, turn) = (rng.direction(), random_turn(&mut rng));
            let yes = question.at(&(moved(direction * 1.7) * turn), Limits::default());
            assert!(yes.verdict.answer, "{leaf:?}");
            let no = question.at(&(moved(direction * 2.1) * turn), Limits::default());
            assert!(!no.verdict.answer, "{leaf:?}");
        }
    }
}

#[test]
fn swapping_the_clouds_changes_no_clear_answer() {
    let (ball, ring) = (tree(&even_ball(3000)), tree(&torus(4000)));
    let mut there = question(&ball, &ring);
    let mut back = question(&ring, &ball);
    let mut rng = Rng::new(11);
    let mut yes = 0;
    for _ in 0..100 {
        let pose = moved(rng.direction() * rng.range(0.0, 2.4)) * random_turn(&mut rng);
        let one = there.at(&pose, Limits::default());
        let other = back.at(&pose.inverse(), Limits::default());
        if one.verdict.confidence > 0.97 && other.verdict.confidence > 0.97 {
            assert_eq!(
                one.verdict.answer, other.verdict.answer,
                "{one:?} {other:?}"
            );
        }
        yes += u32::from(one.verdict.answer);
    }
    assert!((20..90).contains(&yes), "{yes}");
}

#[test]
fn size_and_place_of_the_frame_change_nothing() {
    let points = even_ball(2000);
    let plain = tree(&points);
    for (scale, offset) in [(1024.0, 0.0), (2.0_f64.powi(-40), 0.0), (1.0, 1.0e6)] {
        let offset = DVec3::new(offset, -offset, 0.5 * offset);
        let other: Vec<DVec3> = points.iter().map(|&p| p * scale + offset).collect();
        let other = tree(&other);
        let (mut here, mut there) = (question(&plain, &plain), question(&other, &other));
        let mut rng = Rng::new(2);
        for distance in [0.5, 1.5, 1.95, 2.03, 2.2, 4.0] {
            let (direction, turn) = (rng.direction(), random_turn(&mut rng));
            let one = here.at(&(moved(direction * distance) * turn), Limits::default());
            // The same turn about the middle of the cloud.
            let pose = moved(offset + direction * distance * scale) * turn * moved(-offset);
            let two = there.at(&pose, Limits::default());
            assert_eq!(one.verdict.answer, two.verdict.answer, "{scale} {distance}");
        }
    }
}

#[test]
fn trees_keep_their_promises_and_are_small() {
    for (points, options) in [
        (random_ball(5000, 1), CloudTreeOptions::default()),
        (
            even_ball(3000),
            CloudTreeOptions {
                seed: 9,
                ..CloudTreeOptions::default()
            },
        ),
        (
            torus(20_000),
            CloudTreeOptions {
                samples: SampleSize::Growth(25.0),
                ..CloudTreeOptions::default()
            },
        ),
        (
            plane(1),
            CloudTreeOptions {
                leaf: 3,
                samples: SampleSize::Constant(30),
                ..CloudTreeOptions::default()
            },
        ),
    ] {
        let tree = tree_of(&points, &options);
        tree.validate().unwrap();
        if options.leaf == 11 {
            let each = tree.bytes() as f64 / tree.nodes() as f64;
            assert!(each <= 150.0, "{each} bytes per node");
        }
    }
}

#[test]
fn borders_are_what_a_look_at_all_points_finds() {
    let points = random_ball(1500, 8);
    let tree = tree(&points);
    let (mut leaves, mut listed) = (0, 0);
    for node in (0..tree.nodes()).map(|number| tree.node(number).unwrap()) {
        if node.children().is_some() {
            assert_eq!(node.border().len(), 0);
            continue;
        }
        let own: Vec<PointId> = node.samples().collect();
        let (bounds, width) = (node.bounds(), node.border_width());
        assert!(width > 0.0);
        let mut expected = Vec::new();
        for (&p, id) in points.iter().zip(0..) {
            let id = PointId::new(id);
            let low = (p - (bounds.min - width)).min_element();
            let high = ((bounds.max + width) - p).min_element();
            let inside = low.min(high);
            // What is on the edge may fall either way by rounding.
            if !own.contains(&id) && inside > 1e-9 {
                expected.push(id);
            }
        }
        let found: Vec<PointId> = node.border().collect();
        assert_eq!(found, expected);
        leaves += 1;
        listed += found.len();
    }
    assert!(leaves > 100 && listed > 5 * leaves);
}

#[test]
fn what_a_leaf_lists_gives_the_same_function() {
    let points = torus(4000);
    let tree = tree(&points);
    let mut rng = Rng::new(6);
    let (mut one, mut two) = (Scratch::default(), Scratch::default());
    for node in (0..tree.nodes())
        .step_by(3)
        .map(|number| tree.node(number).unwrap())
    {
        for _ in 0..6 {
            let bounds = node
                .bounds()
                .inflated(2.0 * tree.sampling_radius() * rng.unit());
            let share = (rng.cube() + 1.0) * 0.5;
            let x = bounds.min + bounds.diagonal() * share;
            let here = node.evaluate(x, &mut one);
            assert_eq!(here, tree.surface().evaluate(x, &mut two));
        }
    }
    assert_eq!(one.evaluations, two.evaluations);
}

#[test]
fn coverings_hold_for_dense_places_of_the_surface() {
    let points = random_ball(2000, 13);
    let tree = tree(&points);
    // The leaf of every point, and the nodes above.
    let mut parents = vec![None; tree.nodes()];
    let mut leaf_of = vec![0; points.len()];
    for number in 0..tree.nodes() {
        let node = tree.node(number).unwrap();
        match node.children() {
            Some(children) => children
                .into_iter()
                .for_each(|child| parents[child] = Some(number)),
            None => node.samples().for_each(|id| leaf_of[id.index()] = number),
        }
    }
    let mut rng = Rng::new(14);
    let (mut seen, mut covered, mut boxed) = (0, 0, 0);
    for _ in 0..40_000 {
        let x = rng.direction();
        let nearest = tree.surface().graph().tree().nearest(x).unwrap();
        let mut number = Some(leaf_of[nearest.point.index()]);
        while let Some(at) = number {
            let node = tree.node(at).unwrap();
            let place = |id| tree.surface().graph().place(id).unwrap();
            let nearest = node
                .samples()
                .map(|id| place(id).distance(x))
                .fold(9.0, f64::min);
            seen += 1;
            covered += u32::from(nearest <= node.radius());
            // The chords of the cells are a little inside the sphere.
            boxed += u32::from(node.bounds().inflated(0.005).contains(x));
            number = parents[at];
        }
    }
    assert!(
        f64::from(covered) > 0.99 * f64::from(seen),
        "{covered} of {seen}"
    );
    assert!(
        f64::from(boxed) > 0.99 * f64::from(seen),
        "{boxed} of {seen}"
    );
}

#[test]
fn equal_seeds_give_equal_answers_whatever_was_asked_before() {
    let points = random_ball(1500, 21);
    let (one, two) = (tree(&points), tree(&points));
    let mut rng = Rng::new(22);
    let poses: Vec<Pose> = (0..30)
        .map(|_| moved(rng.direction() * rng.range(1.8, 2.1)) * random_turn(&mut rng))
        .collect();
    for leaf in [LeafTest::default(), LeafTest::Random { tests: 30 }] {
        let options = CloudCollisionOptions {
            leaf,
            seed: 5,
            ..CloudCollisionOptions::default()
        };
        let mut first = CloudCollision::new(one.clone(), one.clone(), options);
        let mut second = CloudCollision::new(two.clone(), two.clone(), options);
        let forwards: Vec<CloudAnswer> = poses
            .iter()
            .map(|p| first.at(p, Limits::default()))
            .collect();
        let mut backwards: Vec<CloudAnswer> = poses
            .iter()
            .rev()
            .map(|p| second.at(p, Limits::default()))
            .collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }
}

#[test]
fn limits_end_the_search_and_leave_a_guess() {
    let ball = tree(&even_ball(5000));
    let mut question = question(&ball, &ball);
    let pose = moved(DVec3::ONE.normalize() * 1.99);
    let whole = question.at(&pose, Limits::default());
    assert_eq!(whole.outcome, Outcome::Complete);
    for max_tests in [1, 5, 20] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let cut = question.at(&pose, limits);
        assert_eq!(cut.outcome, Outcome::OutOfBudget);
        assert!(cut.node_pairs + cut.evaluations <= max_tests + 2);
        assert!(!cut.verdict.certain && cut.verdict.confidence < 1.0);
    }
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 4
    };
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    assert_eq!(question.at(&pose, limits).outcome, Outcome::OutOfBudget);
    let limits = Limits {
        max_distance: Some(0.1),
        ..Limits::default()
    };
    let apart = question.distance(&moved([2.05, 0.0, 0.0]), limits);
    assert!((apart.distance - 0.05).abs() < 0.01);
}

#[test]
fn a_coarser_resolution_costs_less() {
    let ball = tree(&even_ball(8000));
    let ask = |resolution| {
        let options = CloudCollisionOptions {
            resolution,
            ..CloudCollisionOptions::default()
        };
        let mut question = CloudCollision::new(ball.clone(), ball.clone(), options);
        question.at(&moved(DVec3::ONE.normalize() * 2.04), Limits::default())
    };
    let (fine, coarse) = (ask(None), ask(Some(3)));
    assert!(coarse.node_pairs < fine.node_pairs);
    assert_eq!(ask(Some(40)), fine);
    // Nothing but the roots.
    assert_eq!(ask(Some(0)).node_pairs, 1);
}

#[test]
fn a_budget_is_held_and_the_effort_follows() {
    let ball = tree(&even_ball(4000));
    let question = question(&ball, &ball);
    let close = moved(DVec3::ONE.normalize() * 2.03);
    let easy = moved([5.0, 0.0, 0.0]);
    let mut controller = BudgetController::new(
        question.clone(),
        Budget::Tests(30),
        BudgetOptions::default(),
    )
    .unwrap();
    let clock = || 0.0;
    for _ in 0..30 {
        let answer = controller.at(&close, &clock);
        assert!(answer.evaluations + answer.node_pairs <= 32);
    }
    assert_eq!(controller.effort(), 0.25);
    assert!(controller.question().accept() > question.accept());
    for _ in 0..60 {
        let _ = controller.at(&easy, &clock);
    }
    assert_eq!(controller.effort(), 2.0);
    // A clock that goes on by one with every look.
    let ticks = Cell::new(0.0);
    let clock = || {
        ticks.set(ticks.get() + 1.0);
        ticks.get()
    };
    let budget = Budget::Time(50.0);
    let mut controller =
        BudgetController::new(question.clone(), budget, BudgetOptions::default()).unwrap();
    for _ in 0..20 {
        let before = ticks.get();
        let _ = controller.at(&close, &clock);
        assert!(ticks.get() - before <= 50.0);
    }
    for (budget, options) in [
        (Budget::Time(0.0), BudgetOptions::default()),
        (Budget::Time(f64::NAN), BudgetOptions::default()),
        (Budget::Tests(0), BudgetOptions::default()),
        (
            Budget::Tests(9),
            BudgetOptions {
                step: 1.0,
                ..BudgetOptions::default()
            },
        ),
        (
            Budget::Tests(9),
            BudgetOptions {
                least: 2.0,
                ..BudgetOptions::default()
            },
        ),
        (
            Budget::Tests(9),
            BudgetOptions {
                most: 0.5,
                ..BudgetOptions::default()
            },
        ),
        (
            Budget::Tests(9),
            BudgetOptions {
                stop_at: 0.0,
                ..BudgetOptions::default()
            },
        ),
    ] {
        assert!(BudgetController::new(question.clone(), budget, options).is_err());
    }
}

#[test]
fn options_out_of_range_are_refused() {
    let surface = tree(&even_ball(50)).surface().clone();
    let fine = CloudTreeOptions::default();
    for options in [
        CloudTreeOptions { leaf: 0, ..fine },
        CloudTreeOptions { leaf: 65, ..fine },
        CloudTreeOptions { covered: 0, ..fine },
        CloudTreeOptions {
            samples: SampleSize::Constant(0),
            ..fine
        },
        CloudTreeOptions {
            samples: SampleSize::Growth(f64::NAN),
            ..fine
        },
    ] {
        assert!(CloudTree::new(surface.clone(), &options).is_err());
    }
}

#[test]
fn awkward_clouds_have_defined_answers() {
    let mut rng = Rng::new(31);
    let mut clouds: Vec<Vec<DVec3>> = Vec::new();
    for count in 0..=10 {
        clouds.push((0..count).map(|_| rng.cube()).collect());
        clouds.push(vec![DVec3::splat(0.25); count]);
        clouds.push((0..count).map(|i| DVec3::X * i as f64 * 0.1).collect());
        clouds.push(
            (0..count)
                .map(|i| DVec3::new(i as f64 % 3.0, (i / 3) as f64, 0.0))
                .collect(),
        );
    }
    clouds.push(vec![DVec3::ONE; 300]);
    clouds.push((0..200).map(|i| DVec3::Y * f64::from(i) * 0.01).collect());
    clouds.push(
        (0..200)
            .map(|_| DVec3::new(rng.grid(0, 2), rng.grid(0, 2), rng.grid(0, 2)))
            .collect(),
    );
    clouds.push(
        (0..60)
            .map(|i| DVec3::new(2.0_f64.powi(i * 2), 1.0, 0.0))
            .collect(),
    );
    clouds.push((0..60).map(|_| rng.cube() * 2.0_f64.powi(149)).collect());
    clouds.push((0..60).map(|_| rng.cube() * 1e-300).collect());
    let trees: Vec<Arc<CloudTree>> = clouds.iter().map(|points| tree(points)).collect();
    for (tree, points) in trees.iter().zip(&clouds) {
        tree.validate().unwrap();
        assert_eq!(tree.nodes() == 0, points.is_empty());
    }
    let ball = tree(&even_ball(300));
    for other in &trees {
        for pose in [
            Pose::IDENTITY,
            moved([0.9, 0.0, 0.0]),
            moved([1e40, 0.0, 0.0]),
        ] {
            for leaf in [
                LeafTest::default(),
                LeafTest::Random { tests: 3 },
                LeafTest::Precise { precision: 0.0 },
            ] {
                let options = CloudCollisionOptions {
                    leaf,
                    ..CloudCollisionOptions::default()
                };
                let limits = Limits {
                    max_tests: Some(2000),
                    ..Limits::default()
                };
                for (a, b) in [(&ball, other), (other, &ball), (other, other)] {
                    let mut question = CloudCollision::new(a.clone(), b.clone(), options);
                    let answer = question.at(&pose, limits);
                    assert!(answer.distance >= 0.0);
                    assert!((0.5..=1.0).contains(&answer.verdict.confidence));
                    if a.nodes() == 0 || b.nodes() == 0 {
                        assert!(!answer.verdict.answer && answer.verdict.certain);
                    }
                    assert!(question.distance(&pose, limits).distance >= 0.0);
                }
            }
        }
    }
}
