//! The wide tree's distance is the smallest over all pairs of faces, whatever the path to it.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{DistanceError, WideCache, WideTree};
use impinge::geom::triangle_distance;
use impinge::math::Rng;
use impinge::math::simd::Level;
use impinge::query::{Limits, Outcome, Separation};
use impinge::{DMat3, DVec3, Pose, TriMesh};
use impinge_testkit::generate::{grid, meshes, poses};

/// The smallest distance over all pairs.
fn brute_force(a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Option<f64> {
    let placed = b.placed(a_from_b).unwrap();
    let mut least: Option<f64> = None;
    for fa in a.face_ids() {
        for fb in placed.face_ids() {
            let d = triangle_distance(&a.face(fa).unwrap(), &placed.face(fb).unwrap()).distance;
            least = Some(least.map_or(d, |l| l.min(d)));
        }
    }
    least
}

fn ask(a: &WideTree, b: &WideTree, pose: &Pose, cache: &mut WideCache) -> Option<Separation> {
    let answer = a.distance(b, pose, Limits::default(), cache);
    assert_eq!(answer.outcome, Outcome::Complete);
    if let Some(s) = answer.value {
        assert!(answer.lower <= s.distance && s.distance <= answer.upper);
        // The witness is at that distance, as well as its own coordinates can tell.
        let size = s.point_a.abs().max(s.point_b.abs()).max_element();
        let gap = (s.point_a - s.point_b).length();
        assert!((gap - s.distance).abs() <= 1e-14 * (size + gap), "{s:?}");
    }
    answer.value
}

/// Zero exactly when the truth is, and otherwise off by a few units of rounding of the size at most.
fn same_but_for_rounding(found: Option<f64>, expected: Option<f64>, size: f64) -> bool {
    match (found, expected) {
        (Some(x), Some(y)) => {
            (x == 0.0) == (y == 0.0) && (x - y).abs() <= 8.0 * f64::EPSILON * size
        }
        _ => found == expected,
    }
}

/// Asks in every way there is; all answers must be the same bytes and equal the brute force but
/// for rounding: of pairs of faces that are equally far, another one may be measured.
fn check(a: &TriMesh, b: &TriMesh, pose: &Pose, warm: &mut WideCache) {
    let (tree_a, tree_b) = (
        WideTree::new(Arc::new(a.clone())),
        WideTree::new(Arc::new(b.clone())),
    );
    let expected = brute_force(a, b, pose);
    let size = a.bounds().diagonal().length()
        + b.bounds().diagonal().length()
        + expected.unwrap_or_default();
    let mut answers = Vec::new();
    for level in Level::available() {
        let mut cache = WideCache::with_level(level);
        answers.push(ask(&tree_a, &tree_b, pose, &mut cache));
        answers.push(ask(&tree_a, &tree_b, pose, &mut cache));
    }
    answers.push(ask(&tree_a, &tree_b, pose, warm));
    for answer in &answers {
        let found = answer.map(|s| s.distance);
        assert!(
            same_but_for_rounding(found, expected, size),
            "{found:?} {expected:?}, {} {} faces, {pose:?}",
            a.face_count(),
            b.face_count()
        );
    }
    if expected != Some(0.0) {
        for answer in &answers {
            assert_eq!(*answer, answers[0], "the witness depends on the path");
        }
    }
    // From here on the answer is held to itself: the distance is within what it says.
    let Some(truth) = answers[0].map(|s| s.distance) else {
        return;
    };
    let mut cache = WideCache::default();
    for (d, within) in [
        (truth, true),
        (truth * 1.5, true),
        (truth * 0.999, truth == 0.0),
    ] {
        assert_eq!(
            tree_a.is_within(&tree_b, pose, d, &mut cache),
            within,
            "{truth} {d}"
        );
    }
    let error = DistanceError {
        absolute: 0.0,
        relative: 0.25,
    };
    let rough = tree_a.distance_within(&tree_b, pose, error, Limits::default(), &mut cache);
    let found = rough.value.unwrap().distance;
    assert!(truth <= found + 8.0 * f64::EPSILON * size && found * 0.75 <= truth * (1.0 + 1e-6));
    assert!(rough.lower <= truth && truth <= rough.upper);
    for max_tests in [0, 1, 30, 100, 1000] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let mut cache = WideCache::default();
        let cut = tree_a.distance(&tree_b, pose, limits, &mut cache);
        assert!(cut.lower <= truth && truth <= cut.upper, "{cut:?} {truth}");
    }
}

#[test]
fn soups_on_the_grid_have_the_brute_force_distance() {
    let mut rng = Rng::new(1);
    let mut warm = WideCache::default();
    for i in 0..150 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let n = rng.below(40) as usize;
        let a = meshes::grid_soup(&mut rng, n, range);
        let m = rng.below(40) as usize;
        let b = meshes::grid_soup(&mut rng, m, range);
        let far = (i % 5) as i64 * 4;
        check(&a, &b, &poses::exact(&mut rng, far), &mut warm);
    }
}

#[test]
fn random_soups_have_the_brute_force_distance_at_every_gap() {
    let mut rng = Rng::new(2);
    let mut warm = WideCache::default();
    for i in 0..60 {
        let size = rng.range(0.01, 0.5);
        let a = meshes::random_soup(&mut rng, 90, size);
        let b = meshes::random_soup(&mut rng, 70, size);
        let reach = [0.1, 2.0, 3.0, 10.0, 300.0, 1e5][i % 6];
        check(&a, &b, &poses::random(&mut rng, reach), &mut warm);
    }
}

#[test]
fn scale_and_place_do_not_matter() {
    let mut rng = Rng::new(3);
    let mut warm = WideCache::default();
    for i in 0..48 {
        let scale = [1e-6, 1.0, 1e6, 1e-30, 1e30, 1e-3][i % 6];
        let offset = [0.0, 1e6][i / 6 % 2] * scale;
        let move_by = |mesh: TriMesh, k: f64| {
            let (points, faces) = mesh.into_parts();
            let points = points
                .iter()
                .map(|p| *p * (scale * k) + DVec3::splat(offset));
            TriMesh::new(points.collect(), faces).unwrap()
        };
        let ratio = [1.0, 1e-4, 1e4, 1e-12][i / 12];
        let a = move_by(meshes::random_soup(&mut rng, 60, 0.2), 1.0);
        let b = move_by(meshes::random_soup(&mut rng, 50, 0.2), ratio);
        let turn = poses::random(&mut rng, 2.0);
        // Brings b's centre beside a's, whatever the rotation made of the offset.
        let center = DVec3::splat(offset);
        let aside = turn.translation() * scale;
        let pose = Pose::new(
            *turn.rotation(),
            center - turn.transform_vector(center) + aside,
        );
        check(&a, &b, &pose.unwrap(), &mut warm);
    }
}

#[test]
fn slivers_and_points_have_the_brute_force_distance() {
    let mut rng = Rng::new(4);
    let mut warm = WideCache::default();
    for i in 0..60 {
        let mut sliver = |n: usize| {
            let mut points = Vec::new();
            for _ in 0..n {
                let (p, along) = (rng.cube(), rng.direction());
                let thin = rng.direction() * [1e-3, 1e-6, 1e-9, 0.0][i % 4];
                points.extend([p, p + along, p + along * rng.unit() + thin]);
            }
            let faces = (0..n as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
            TriMesh::new(points, faces.collect()).unwrap()
        };
        let (a, b) = (sliver(40), sliver(40));
        check(&a, &b, &poses::random(&mut rng, 1.5), &mut warm);
    }
}

#[test]
fn a_coherent_path_gives_the_answers_of_cold_questions() {
    let mut rng = Rng::new(5);
    let a = WideTree::new(Arc::new(meshes::ball(4, 1.0)));
    let b = WideTree::new(Arc::new(meshes::ball(3, 0.8)));
    let mut warm = WideCache::default();
    let mut at = DVec3::new(1.8, 0.3, -0.2);
    for step in 0..400 {
        at += rng.cube() * 0.04 - at * 0.002;
        let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.01 * f64::from(step), at).unwrap();
        let cold = a.distance(&b, &pose, Limits::default(), &mut WideCache::default());
        let coherent = a.distance(&b, &pose, Limits::default(), &mut warm);
        let values = [cold, coherent].map(|x| x.value.map(|s| s.distance));
        assert_eq!(values[0], values[1], "step {step}");
    }
}

#[test]
fn a_coherent_path_gives_cold_answers_at_every_scale_and_place() {
    for (scale, offset) in [
        (1e-6, 0.0),
        (1e6, 0.0),
        (1e-6, 1.0),
        (1.0, 1e6),
        (1e6, 1e12),
    ] {
        let mut rng = Rng::new(8);
        let placed = |mesh: TriMesh| {
            let (points, faces) = mesh.into_parts();
            let points = points.iter().map(|p| *p * scale + DVec3::splat(offset));
            WideTree::new(Arc::new(TriMesh::new(points.collect(), faces).unwrap()))
        };
        let a = placed(meshes::ball(4, 1.0));
        let b = placed(meshes::random_soup(&mut rng, 400, 0.2));
        let center = DVec3::splat(offset);
        let axis = rng.direction();
        let mut warm = WideCache::default();
        for step in 0..40 {
            let turn = DMat3::from_axis_angle(axis, 0.01 * f64::from(step));
            let aside = DVec3::new(2.6 - 0.02 * f64::from(step), 0.3, 0.1) * scale;
            let pose = Pose::nearest(turn, center - turn * center + aside).unwrap();
            let cold = ask(&a, &b, &pose, &mut WideCache::default());
            let found = ask(&a, &b, &pose, &mut warm);
            if cold.is_some_and(|s| s.distance > 0.0) {
                assert_eq!(found, cold, "step {step}, scale {scale}, offset {offset}");
            } else {
                assert_eq!(found.map(|s| s.distance), cold.map(|s| s.distance));
            }
        }
    }
}

#[test]
fn tiny_steps_and_other_trees_in_between_change_no_answer() {
    let mut rng = Rng::new(6);
    let ball = WideTree::new(Arc::new(meshes::ball(4, 1.0)));
    let small = WideTree::new(Arc::new(meshes::ball(3, 0.5)));
    let scaled = WideTree::new(Arc::new(meshes::ball(3, 37.0)));
    for level in Level::available() {
        let mut warm = WideCache::with_level(level);
        let mut at = DVec3::new(1.6, 0.3, -0.2);
        let mut angle = 0.0;
        for step in 0..600 {
            // Runs of tiny steps, with a jump now and then, into contact and out of it again.
            let size = if step % 50 == 0 { 0.4 } else { 0.003 };
            at += rng.cube() * size;
            if step % 200 == 100 {
                at *= 0.8;
            }
            angle += 0.002;
            let other = if step % 9 == 8 { &scaled } else { &small };
            let shift = if step % 9 == 8 { at * 24.0 } else { at };
            let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], angle, shift).unwrap();
            let limits = Limits::default();
            let mut fresh = WideCache::with_level(level);
            let cold = ball.distance(other, &pose, limits, &mut fresh);
            let coherent = ball.distance(other, &pose, limits, &mut warm);
            assert_eq!(
                cold.value.map(|s| s.distance),
                coherent.value.map(|s| s.distance),
                "step {step}"
            );
            if cold.value.is_some_and(|s| s.distance > 0.0) {
                assert_eq!(cold.value, coherent.value, "step {step}");
            }
        }
    }
}
