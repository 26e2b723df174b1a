//! The tests of the library's engines, held to those of this crate.

#![allow(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

#[path = "../../impinge/tests/deform/engines/mod.rs"]
mod engines;

use impinge::deform::SceneEngine;
use impinge_gpu::scene::GpuOptions;
use impinge_gpu::{Backend, Devices, GpuFleet, GpuScene};

/// A device of the first adapter, or the twin where there is none.
fn backend() -> Backend {
    Devices::all()
        .and_then(|mut all| all.open(0))
        .map_or_else(|_| Backend::twin(), Backend::on)
}

fn every_engine() -> Vec<Box<dyn SceneEngine>> {
    let options = |clusters: u32| GpuOptions {
        clusters,
        ..GpuOptions::default()
    };
    let pieces = GpuOptions {
        subdivide_above: Some(2),
        ..options(4)
    };
    let curve = GpuOptions {
        curve: true,
        ..options(8)
    };
    let both = || vec![backend(), Backend::twin()];
    vec![
        Box::new(GpuScene::on(Backend::twin(), options(1)).unwrap()),
        Box::new(GpuScene::on(backend(), options(1)).unwrap()),
        Box::new(GpuScene::on(backend(), options(8)).unwrap()),
        Box::new(GpuScene::on(Backend::twin(), pieces).unwrap()),
        Box::new(GpuScene::on(backend(), curve).unwrap()),
        Box::new(GpuFleet::on(both(), options(1)).unwrap()),
        Box::new(GpuFleet::on(both(), options(5)).unwrap()),
    ]
}
