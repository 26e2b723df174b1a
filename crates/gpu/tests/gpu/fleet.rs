//! Several devices, logical ones of one adapter included.

use impinge::deform::{BruteForce, SceneEngine, SceneRequest};
use impinge_gpu::scene::{ClusterWork, GpuOptions, makespan, shared_out};
use impinge_gpu::{Backend, Devices, GpuError, GpuFleet};

use crate::backends::{Random, devices};
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
fn no_device_is_refused() {
    let none = GpuFleet::on(Vec::new(), GpuOptions::default());
    assert_eq!(none.err(), Some(GpuError::NoAdapter));
}

#[test]
fn clusters_shared_among_devices_give_the_same_pairs_and_counts() {
    let request = SceneRequest::default();
    for clusters in [2, 8, 64] {
        let options = GpuOptions {
            clusters,
            ..GpuOptions::default()
        };
        let mut fleets: Vec<GpuFleet> = (1..=3)
            .map(|count| GpuFleet::on(several(count), options).unwrap())
            .collect();
        let mut mixed = devices();
        mixed.push(Backend::twin());
        fleets.push(GpuFleet::on(mixed, options).unwrap());
        for frame in 0..3 {
            let scene = moment("curtain", 700, 0.45 * f64::from(frame));
            let truth = BruteForce::default().pairs(&scene, &request);
            for fleet in &mut fleets {
                let answer = fleet.pairs(&scene, &request);
                let count = fleet.engines().len();
                assert_eq!(fleet.reason(), None);
                assert!(answer.pairs == truth.pairs, "{clusters} on {count}");
                assert_eq!(answer.counters.hits, truth.pairs.len() as u64, "once");
                let mut all: Vec<usize> = fleet.shares().concat();
                all.sort_unstable();
                assert!(all.iter().copied().eq(0..clusters as usize), "{all:?}");
                let swept: u64 = fleet.cluster_work().iter().map(|work| work.pairs).sum();
                assert_eq!(swept, answer.counters.axis_pairs);
            }
        }
    }
}

#[test]
fn two_devices_count_at_most_six_tenths_of_the_work_of_one() {
    let options = GpuOptions {
        clusters: 8,
        ..GpuOptions::default()
    };
    let backends = vec![Backend::twin(), Backend::twin()];
    let mut fleet = GpuFleet::on(backends, options).unwrap();
    let scene = moment("curtain", 6000, 0.9);
    // The first frame counts the work, the second shares it out.
    for _ in 0..2 {
        let _ = fleet.pairs(&scene, &SceneRequest::default());
    }
    let work: Vec<f64> = fleet
        .cluster_work()
        .iter()
        .map(ClusterWork::amount)
        .collect();
    let all: f64 = work.iter().sum();
    let span = makespan(&work, &[1.0, 1.0], fleet.shares());
    assert!(span <= 0.6 * all, "{span} of {all}");
}

/// The least makespan on equal devices, by trying everything.
fn optimum(work: &[f64], devices: usize) -> f64 {
    let ways = (devices as u32).pow(work.len() as u32);
    (0..ways)
        .map(|way| {
            let mut loads = vec![0.0; devices];
            let mut rest = way;
            for amount in work {
                loads[rest as usize % devices] += amount;
                rest /= devices as u32;
            }
            loads.into_iter().fold(0.0, f64::max)
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn sharing_out_keeps_the_bound_of_graham() {
    let mut random = Random(3);
    for round in 0..200 {
        let devices = 1 + round % 3;
        let work: Vec<f64> = (0..1 + random.below(7))
            .map(|_| f64::from(1 + random.below(20)))
            .collect();
        let speeds = vec![1.0; devices];
        let own = shared_out(&work, &speeds);
        let mut all = own.concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..work.len()), "each cluster once");
        let bound = 4.0 / 3.0 - 1.0 / (3.0 * devices as f64);
        let (span, least) = (makespan(&work, &speeds, &own), optimum(&work, devices));
        assert!(span <= bound * least + 1e-9, "{span} of {least}: {work:?}");
    }
    // A device of three times the speed gets about three times the work.
    let own = shared_out(&[1.0; 40], &[3.0, 1.0]);
    assert_eq!((own[0].len(), own[1].len()), (30, 10));
}

#[test]
fn a_device_that_is_lost_in_the_middle_of_a_frame_is_left_out() {
    let request = SceneRequest::default();
    let scene = soup(4, 300, 600, None);
    let truth = BruteForce::default().pairs(&scene, &request).pairs;
    for clusters in [1, 4] {
        for kernels in [1, 9, 25] {
            let options = GpuOptions {
                clusters,
                ..GpuOptions::default()
            };
            let mut fleet = GpuFleet::on(several(3), options).unwrap();
            fleet.lose_device_after(1, kernels);
            assert_eq!(fleet.pairs(&scene, &request).pairs, truth);
            assert_eq!((fleet.engines().len(), fleet.lost().len()), (2, 1));
            assert!(
                fleet
                    .reason()
                    .unwrap()
                    .contains("the other devices answered")
            );
            fleet.lose_device_after(0, kernels);
            assert_eq!(fleet.pairs(&scene, &request).pairs, truth);
            fleet.lose_device_after(0, kernels);
            assert_eq!(fleet.pairs(&scene, &request).pairs, truth);
            assert!(fleet.reason().unwrap().contains("the CPU answered"));
            assert_eq!(fleet.pairs(&scene, &request).pairs, truth);
        }
    }
}
