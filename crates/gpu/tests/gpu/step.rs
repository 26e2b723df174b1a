//! Steps between two frames, against those of the library.

use impinge::DVec3;
use impinge::ccd::linear::MinSeparationOptions;
use impinge::deform::step::{MinSeparation, StepOptions, step};
use impinge_gpu::scene::GpuStep;

use crate::backends::{Random, backends};
use crate::engine::{moment, soup};

fn moved(points: &[DVec3], seed: u64, by: f64) -> Vec<DVec3> {
    let mut random = Random(seed);
    let shift = |p: &DVec3| *p + by * DVec3::from([0; 3].map(|_| random.unit()));
    points.iter().map(shift).collect()
}

#[test]
fn impacts_are_those_of_the_library() {
    for backend in backends() {
        let mut stepper = GpuStep::on(backend).unwrap();
        let mut impacts = 0;
        for seed in 0..4 {
            for by in [0.0, 0.02, 0.5] {
                let scene = soup(seed, 120, 240, None);
                let end = moved(scene.positions(), seed + 10, by);
                for within in [true, false] {
                    let options = StepOptions {
                        within,
                        ..StepOptions::default()
                    };
                    let expected = step(&scene, &end, &options).unwrap();
                    let found = stepper.step(&scene, &end, &options).unwrap();
                    assert_eq!(stepper.reason(), None);
                    assert!(found.impacts == expected.impacts, "{seed} {by} {within}");
                    assert_eq!(found.first, expected.first);
                    impacts += found.impacts.len();
                }
            }
        }
        assert!(impacts > 100);
        let scene = moment("curtain", 500, 0.4);
        let end = moment("curtain", 500, 0.6).positions().to_vec();
        let expected = step(&scene, &end, &StepOptions::default()).unwrap();
        let found = stepper.step(&scene, &end, &StepOptions::default()).unwrap();
        assert!(found.impacts == expected.impacts);
    }
}

#[test]
fn distances_to_be_kept_are_kept() {
    for backend in backends() {
        let mut stepper = GpuStep::on(backend).unwrap();
        for distance in [1e-6, 0.01, 0.2] {
            let options = StepOptions {
                separation: Some(MinSeparation {
                    distance,
                    options: MinSeparationOptions::default(),
                }),
                ..StepOptions::default()
            };
            let scene = soup(7, 40, 120, None);
            let end = moved(scene.positions(), 3, 0.1);
            let expected = step(&scene, &end, &options).unwrap();
            let found = stepper.step(&scene, &end, &options).unwrap();
            assert_eq!(stepper.reason(), None);
            assert!(found.impacts == expected.impacts, "{distance}");
        }
    }
}

#[test]
fn nothing_tunnels_and_bad_ends_are_refused() {
    let points = [
        DVec3::ZERO,
        DVec3::X,
        DVec3::Y,
        DVec3::new(0.2, 0.2, 1.0),
        DVec3::new(0.3, 0.2, 1.0),
        DVec3::new(0.2, 0.3, 1.0),
    ];
    let scene =
        impinge::deform::Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 1])
            .unwrap();
    for backend in backends() {
        let mut stepper = GpuStep::on(backend).unwrap();
        for speed in [2.0, 1e6] {
            let mut end = points.to_vec();
            end.iter_mut().skip(3).for_each(|p| p.z -= speed);
            let answer = stepper.step(&scene, &end, &StepOptions::default()).unwrap();
            assert!(answer.first.is_some(), "speed {speed}");
        }
        assert!(
            stepper
                .step(&scene, &points[1..], &StepOptions::default())
                .is_err()
        );
        let mut bad = points.to_vec();
        bad[2].y = f64::NAN;
        assert!(stepper.step(&scene, &bad, &StepOptions::default()).is_err());
    }
}

#[test]
fn a_device_lost_in_a_step_is_replaced() {
    let scene = soup(1, 100, 200, None);
    let end = moved(scene.positions(), 2, 0.1);
    let expected = step(&scene, &end, &StepOptions::default()).unwrap();
    for backend in backends() {
        let mut stepper = GpuStep::on(backend).unwrap();
        stepper.lose_device_after(12);
        let found = stepper.step(&scene, &end, &StepOptions::default()).unwrap();
        assert!(found.impacts == expected.impacts);
        assert!(stepper.reason().unwrap().contains("CPU"));
    }
}
