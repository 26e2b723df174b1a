//! The first time of nearness against closed forms and dense sampling.

use impinge::convex::{Ball, Cuboid, GjkCache, conservative_advancement, intersects};
use impinge::math::{Motion, Rng};
use impinge::query::Outcome;
use impinge::{DVec3, Pose};

#[test]
fn balls_meet_when_their_centres_are_near_enough() {
    let mut rng = Rng::new(41);
    for _ in 0..300 {
        let (r, s) = (rng.range(0.1, 1.0), rng.range(0.1, 1.0));
        let (a, b) = (Ball::new(r).unwrap(), Ball::new(s).unwrap());
        let (from, to) = (rng.direction() * 4.0, rng.cube() * 4.0);
        let motion = Motion::between(
            &Pose::from_translation(from).unwrap(),
            &Pose::from_translation(to).unwrap(),
        );
        let still = Motion::still(&Pose::IDENTITY);
        let found = conservative_advancement(&a, &b, &still, &motion, 1e-9, &mut GjkCache::new());
        // |from + t·d| = r + s.
        let d = to - from;
        let (half, constant) = (from.dot(d), from.length_squared() - (r + s).powi(2));
        let root = half * half - d.length_squared() * constant;
        let truth = (root >= 0.0)
            .then(|| (-half - root.sqrt()) / d.length_squared())
            .filter(|t| (0.0..=1.0).contains(t));
        match (truth, found.value) {
            (Some(truth), Some(found)) => {
                assert!(
                    found.time <= truth + 1e-12 && found.time > truth - 1e-3,
                    "{found:?} {truth}"
                );
                assert!(found.distance <= 1e-9);
            }
            (None, None) => {}
            // Passing within the tolerance or the last digits of the root.
            _ => assert!(
                root.abs() < 1e-6
                    || found.outcome == Outcome::OutOfBudget
                    || truth.is_some_and(|t| t > 1.0 - 1e-6)
            ),
        }
    }
}

#[test]
fn nothing_touches_before_the_reported_time() {
    let mut rng = Rng::new(42);
    let rod = Cuboid::new([2.0, 0.02, 0.02]).unwrap();
    let wall = Cuboid::new([0.02, 2.0, 2.0]).unwrap();
    let mut hits = 0;
    for turns in [0.01, 0.1, 1.0, 7.0, 50.0] {
        for _ in 0..12 {
            let pose =
                Pose::from_translation([1.0 + rng.unit(), 2.5, rng.range(-1.0, 1.0)]).unwrap();
            let spin = rng.direction() * (turns * std::f64::consts::TAU);
            let motion =
                Motion::from_velocity(&pose, [-2.0, -1.5, 0.0], spin, DVec3::ZERO).unwrap();
            let still = Motion::still(&Pose::IDENTITY);
            let found =
                conservative_advancement(&wall, &rod, &still, &motion, 1e-6, &mut GjkCache::new());
            hits += u32::from(found.value.is_some());
            for i in 0..2000 {
                let t = f64::from(i) / 2000.0;
                if t < found.lower {
                    let pose = motion.at(t);
                    assert!(
                        !intersects(&wall, &rod, &pose, &mut GjkCache::new()),
                        "{turns} {t} {found:?}"
                    );
                }
            }
        }
    }
    assert!(hits > 20, "{hits}");
}
