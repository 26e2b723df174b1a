//! Several devices, logical ones of one adapter included.

use impinge::deform::{BruteForce, SceneEngine, SceneRequest};
use impinge_gpu::scene::GpuOptions;
use impinge_gpu::{Backend, Devices, GpuError, GpuFleet};

use crate::backends::devices;
use crate::engine::{moment, soup};

/// So many devices of the first adapter, or twins where there is none.
fn several(count: usize) -> Vec<Backend> {
    match Devices::all() {
        Ok(mut all) => (0..count)
            .map(|_| Backend::on(all.open(0).unwrap()))
            .collect(),
        Err(_) => (0..count).map(|_| Backend::twin()).collect(),
    }
}

#[test]
fn one_two_and_three_devices_and_twins_answer_alike() {
    // So few pairs at once that every device has several ranges.
    let short = GpuOptions {
        range: 1,
        candidate_capacity: 1,
        ..GpuOptions::default()
    };
    let mut fleets = Vec::new();
    for options in [short, GpuOptions::default()] {
        for count in 1..=3 {
            fleets.push(GpuFleet::on(several(count), options).unwrap());
        }
        let twins = (0..3).map(|_| Backend::twin()).collect();
        fleets.push(GpuFleet::on(twins, options).unwrap());
        let mut mixed = devices();
        mixed.push(Backend::twin());
        fleets.push(GpuFleet::on(mixed, options).unwrap());
    }
    let request = SceneRequest::default();
    for frame in 0..3 {
        let scenes = [
            soup(frame, 400, 800, None),
            soup(frame, 150, 50, Some(4)),
            moment("curtain", 600, 0.45 * frame as f64),
            soup(frame, 2, 6, None),
        ];
        for scene in scenes {
            let truth = BruteForce::default().pairs(&scene, &request);
            let mut first = None;
            for fleet in &mut fleets {
                let answer = fleet.pairs(&scene, &request);
                assert_eq!(fleet.reason(), None);
                assert!(
                    answer.pairs == truth.pairs,
                    "{} devices",
                    fleet.engines().len()
                );
                assert_eq!(
                    answer.counters.hits,
                    truth.pairs.len() as u64,
                    "each pair once"
                );
                let counts = (answer.counters.axis_pairs, answer.counters.candidates);
                assert_eq!(*first.get_or_insert(counts), counts);
            }
        }
    }
}

#[test]
fn no_device_and_several_clusters_are_refused() {
    let none = GpuFleet::on(Vec::new(), GpuOptions::default());
    assert_eq!(none.err(), Some(GpuError::NoAdapter));
    let options = GpuOptions {
        clusters: 2,
        ..GpuOptions::default()
    };
    let refused = GpuFleet::on(vec![Backend::twin()], options).err();
    assert!(matches!(
        refused,
        Some(GpuError::Option {
            name: "clusters",
            ..
        })
    ));
}

#[test]
fn when_one_of_the_devices_is_lost_the_cpu_answers_and_says_so() {
    let mut backends = devices();
    if backends.is_empty() {
        return;
    }
    backends.push(Backend::twin());
    let mut fleet = GpuFleet::on(backends, GpuOptions::default()).unwrap();
    let scene = soup(4, 200, 400, None);
    let truth = BruteForce::default().pairs(&scene, &SceneRequest::default());
    fleet.lose_device(0);
    let answer = fleet.pairs(&scene, &SceneRequest::default());
    assert_eq!(answer.pairs, truth.pairs);
    assert!(fleet.reason().unwrap().contains("CPU"));
}
