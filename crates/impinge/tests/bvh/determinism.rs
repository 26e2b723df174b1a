//! The same input gives the same bytes: run after run, on every thread, on every machine.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::fmt::Write;
use std::thread;

use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::math::Rng;
use impinge::{Pose, TriMesh};
use impinge_testkit::conformance::pairs_of;
use impinge_testkit::corpus::fingerprint;
use impinge_testkit::generate::{meshes, poses};
use impinge_testkit::golden;

/// Two soups and two balls, under exact and random poses.
fn questions() -> Vec<(&'static str, TriMesh, TriMesh, Pose)> {
    let mut rng = Rng::new(2024);
    let grid = || meshes::grid_soup(&mut Rng::new(7), 300, (-4, 4));
    let soup = |seed| meshes::random_soup(&mut Rng::new(seed), 2000, 0.1);
    let ball = meshes::ball(5, 1.0);
    vec![
        ("grid soup on itself", grid(), grid(), Pose::IDENTITY),
        (
            "grid soup turned",
            grid(),
            grid(),
            poses::exact(&mut rng, 2),
        ),
        (
            "random soups",
            soup(1),
            soup(2),
            poses::random(&mut rng, 0.2),
        ),
        ("balls", ball.clone(), ball, poses::random(&mut rng, 0.9)),
    ]
}

/// One line for each question: pairs, fingerprint, work.
fn answers() -> String {
    let mut text = String::new();
    for (name, a, b, a_from_b) in questions() {
        let mut cache = Default::default();
        let pairs =
            pairs_of::<FaceSweep>(&a, &b, &a_from_b, &Default::default(), &mut cache).unwrap();
        let work = FaceSweep::work(&cache);
        writeln!(
            text,
            "{name}: {} pairs {}, {} volume tests, {} face tests",
            pairs.len(),
            fingerprint(&pairs),
            work.volume_tests,
            work.face_tests
        )
        .unwrap();
    }
    text
}

#[test]
fn answers_and_work_are_the_pinned_ones() {
    golden::check("face_sweep", &answers()).unwrap();
}

#[test]
fn answers_are_the_same_on_every_thread() {
    let expected = answers();
    let others: Vec<_> = (0..3).map(|_| thread::spawn(answers)).collect();
    for other in others {
        assert_eq!(other.join().unwrap(), expected);
    }
}

#[test]
fn placed_points_and_random_numbers_are_the_pinned_ones() {
    let mut rng = Rng::new(99);
    let mut text = String::new();
    for _ in 0..8 {
        let pose = poses::random(&mut rng, 10.0);
        let p = pose * rng.cube();
        let [x, y, z] = p.to_array().map(f64::to_bits);
        writeln!(text, "{x:016x} {y:016x} {z:016x}").unwrap();
    }
    golden::check("placed_points", &text).unwrap();
}
