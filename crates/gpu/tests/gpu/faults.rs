//! What goes wrong: the right answer or a named error, and the state before is kept.

use impinge::DVec3;
use impinge::deform::{BruteForce, SceneEngine, SceneRequest};
use impinge_gpu::scene::GpuOptions;
use impinge_gpu::{GpuError, GpuScene};

use crate::backends::backends;
use crate::engine::{check, engines, soup};

#[test]
fn a_device_lost_at_any_kernel_of_a_frame_is_replaced_by_the_cpu() {
    let scene = soup(4, 200, 400, None);
    let request = SceneRequest::default();
    let truth = BruteForce::default().pairs(&scene, &request).pairs;
    for clusters in [1, 4] {
        for kernels in [1, 2, 7, 20, 35] {
            for backend in backends() {
                let options = GpuOptions {
                    clusters,
                    ..GpuOptions::default()
                };
                let mut engine = GpuScene::on(backend, options).unwrap();
                engine.lose_device_after(kernels);
                for _ in 0..2 {
                    assert_eq!(engine.pairs(&scene, &request).pairs, truth, "{kernels}");
                }
                let reason = engine.reason().unwrap();
                assert!(reason.contains("the device failed"), "{reason}");
            }
        }
    }
}

#[test]
fn a_device_without_memory_is_replaced_for_that_frame_alone() {
    let (small, large) = (soup(1, 60, 120, None), soup(2, 900, 1800, None));
    let request = SceneRequest::default();
    for backend in backends() {
        let name = backend.name().to_owned();
        let mut engine = GpuScene::on(backend, GpuOptions::default()).unwrap();
        check(std::slice::from_mut(&mut engine), &small, "before");
        let held = engine.backend().words_held();
        engine.limit_memory(Some(4000));
        let truth = BruteForce::default().pairs(&large, &request).pairs;
        assert_eq!(engine.pairs(&large, &request).pairs, truth, "{name}");
        let reason = engine.reason().unwrap();
        assert!(
            reason.contains("no memory") && reason.contains("CPU"),
            "{reason}"
        );
        engine.limit_memory(None);
        check(std::slice::from_mut(&mut engine), &small, "after");
        assert!(
            engine.backend().words_held() <= held + 64,
            "nothing is left behind"
        );
        check(std::slice::from_mut(&mut engine), &large, "with memory");
    }
}

#[test]
fn a_frame_that_is_no_number_is_refused_and_changes_nothing() {
    let mut scene = soup(3, 150, 300, None);
    let before = scene.clone();
    let mut engines = engines(GpuOptions::default());
    check(&mut engines, &scene, "before");
    for bad in [f64::NAN, f64::INFINITY] {
        let mut frame = scene.positions().to_vec();
        frame[7] = DVec3::new(0.0, bad, 0.0);
        assert!(scene.advance(&frame).is_err());
        assert_eq!(scene.positions(), before.positions());
        check(&mut engines, &scene, "kept");
    }
}

#[test]
fn frames_that_follow_each_other_make_no_new_buffers() {
    for clusters in [1, 8] {
        for backend in backends() {
            let options = GpuOptions {
                clusters,
                ..GpuOptions::default()
            };
            let mut engine = GpuScene::on(backend, options).unwrap();
            let scene = soup(6, 400, 800, None);
            for _ in 0..4 {
                let _ = engine.pairs(&scene, &SceneRequest::default());
            }
            let _ = engine.pairs(&scene, &SceneRequest::default());
            assert_eq!(engine.last_frame().traffic.new_buffers, 0);
        }
    }
}

#[test]
fn a_freed_buffer_is_empty_when_it_is_given_again() {
    for mut backend in backends() {
        let first = backend.upload(&[7; 100]).unwrap();
        backend.free(first);
        let again = backend.alloc(100).unwrap();
        assert_eq!(backend.read(again, 0..100).unwrap(), [0; 100]);
        assert!(matches!(
            backend.read(first, 0..1),
            Err(GpuError::OutOfRange { .. })
        ));
        // A smaller one from the same pool does not show what lies behind it.
        backend.free(again);
        let less = backend.alloc(90).unwrap();
        assert!(backend.read(less, 0..91).is_err());
        assert!(backend.write(less, &[0; 91]).is_err());
    }
}
