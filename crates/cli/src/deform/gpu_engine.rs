//! The engine on graphics cards, with a count of what it took.

use std::sync::{Arc, Mutex, PoisonError};

use impinge::deform::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use impinge_gpu::scene::GpuOptions;
use impinge_gpu::{GpuFleet, Traffic};

use super::args::DeformArgs;
use crate::devices;
use crate::number::count;

/// What all frames took, for `--explain`.
#[derive(Clone, Debug, Default)]
pub(super) struct GpuTotals {
    devices: Vec<String>,
    frames: u64,
    on_cards: u64,
    traffic: Traffic,
    growths: u64,
    unsure: u64,
    candidates: u64,
    axis_pairs: u64,
    pieces: u64,
}

/// Totals that the engine goes on counting.
#[derive(Clone, Debug, Default)]
pub(super) struct GpuCount(Arc<Mutex<GpuTotals>>);

impl GpuCount {
    /// What is reported about the run.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let frames = totals.on_cards.max(1);
        let mean = |number: u64| count((number / frames) as usize);
        let share = 100.0 * totals.unsure as f64 / totals.candidates.max(1) as f64;
        let traffic = &totals.traffic;
        let mut facts = vec![
            ("devices", totals.devices.join(", ")),
            (
                "stages",
                "upload, centroids, clusters, axes, boxes, sort, count, cull, filter, exact test on the host".to_owned(),
            ),
            ("frames on cards", format!("{} of {}", totals.on_cards, totals.frames)),
            ("kernels a frame", mean(traffic.kernels)),
            ("readbacks a frame", mean(traffic.readbacks)),
            ("bytes up a frame", mean(traffic.bytes_up)),
            ("bytes down a frame", mean(traffic.bytes_down)),
            ("axis pairs a frame", mean(totals.axis_pairs)),
            ("candidates a frame", mean(totals.candidates)),
            ("unsure", format!("{} of the candidates, {share:.2} %", count(totals.unsure as usize))),
            ("lists that grew", count(totals.growths as usize)),
        ];
        if totals.pieces > 0 {
            facts.push(("pieces a frame", mean(totals.pieces)));
        }
        facts
    }
}

/// All chosen devices, and what they do.
struct CountedFleet {
    fleet: GpuFleet,
    count: GpuCount,
}

/// The engine that the flags mean.
pub(super) fn make(args: &DeformArgs) -> anyhow::Result<(Box<dyn SceneEngine>, GpuCount)> {
    let backends = devices::chosen(&args.devices)?;
    let names = backends.iter().map(|backend| backend.name().to_owned());
    let count = GpuCount(Arc::new(Mutex::new(GpuTotals {
        devices: names.collect(),
        ..GpuTotals::default()
    })));
    let options = GpuOptions {
        clusters: args.clusters,
        ..GpuOptions::default()
    };
    let engine = CountedFleet {
        fleet: GpuFleet::on(backends, options)?,
        count: count.clone(),
    };
    Ok((Box::new(engine), count))
}

impl SceneEngine for CountedFleet {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        let answer = self.fleet.pairs(scene, request);
        let mut totals = (self.count.0)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        totals.frames += 1;
        let engines = self.fleet.engines();
        let is_on_cards = engines
            .iter()
            .any(|engine| engine.last_frame().traffic.kernels > 0);
        totals.on_cards += u64::from(is_on_cards);
        for engine in engines {
            let report = engine.last_frame();
            totals.traffic = totals.traffic.plus(&report.traffic);
            totals.growths += u64::from(report.growths);
            totals.unsure += report.unsure;
            totals.pieces += report.pieces;
        }
        totals.candidates += answer.counters.candidates;
        totals.axis_pairs += answer.counters.axis_pairs;
        drop(totals);
        answer
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        self.fleet.any(scene, request)
    }

    fn reason(&self) -> Option<String> {
        self.fleet.reason()
    }
}
