//! `impinge-bench run gpu`: the engine on graphics cards against the library, counted work, and what cards would take by their data sheets.

mod cards;
mod filter_pairs;
mod solids;

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::Context;
use impinge::deform::clustering::{ClusterCount, Clustering, ClusteringOptions, SweepAxis};
use impinge::deform::{RefitBvhEngine, Scene, SceneEngine, SceneRequest};
use impinge_gpu::scene::{ClusterWork, GpuOptions, makespan, shared_out};
use impinge_gpu::{Backend, Devices, GpuFleet, GpuScene, Kernel, primitives, scene, spheres};

use crate::arguments::SceneSelection;
use crate::folders::create;
use crate::rigid::{date, processor};
use crate::scenes::{SceneName, Sequence, load};
use crate::{Bar, Bars};
use cards::{CARDS, FrameWork};

/// Parts of a run.
const PARTS: [&str; 8] = [
    "equality",
    "counters",
    "model",
    "scaling",
    "curve",
    "filter",
    "spheres",
    "occupancy",
];
/// Every so manyth frame for all numbers of clusters and devices.
const STRIDE: usize = 10;
/// Numbers of clusters, and of devices.
const CLUSTERS: [u32; 4] = [1, 2, 8, 64];
const DEVICES: [usize; 3] = [1, 2, 3];
/// What is said of all times.
const NOT_MEASURED: &str = "Not measured: the time of any graphics card, what compilers of their makers do, and Metal. Times are modelled by data sheets.";

/// Deforming scenes on graphics cards: equality, counters, modelled times, scaling
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    selection: SceneSelection,
    /// Pairs of faces for the filter, in millions [default: 10, with --quick 0.1]
    #[arg(long, value_name = "M")]
    millions: Option<f64>,
    /// Measure the time of a frame too, beside the model: on a real card, to be sent in
    #[arg(long)]
    clock: bool,
    /// Run the twins on the processor even where there is a driver
    #[arg(long)]
    twin: bool,
}

/// What is found, on the way to tables and bars.
struct Run<'a> {
    args: &'a Args,
    bars: Bars,
    said: Vec<(String, &'static str)>,
    rows: Vec<(String, String, &'static str, f64)>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let selection = &args.selection;
    let chosen = selection.scenes(&PARTS)?;
    let mut run = Run {
        args,
        bars: Bars::default(),
        said: Vec::new(),
        rows: Vec::new(),
    };
    let names: Vec<String> = run
        .devices(1)?
        .iter()
        .map(|b| b.name().to_owned())
        .collect();
    println!("on {}\n{NOT_MEASURED}", names.join(", "));
    let wants = |part: &str| selection.wants(part);
    if wants("occupancy") {
        run.occupancy();
    }
    if wants("filter") {
        run.filter()?;
    }
    if wants("spheres") {
        run.spheres()?;
    }
    let by_scene = ["equality", "counters", "model", "scaling", "curve"];
    if by_scene.into_iter().any(wants) {
        for name in &chosen {
            let sequence = load(name, selection.quick)?;
            run.scene(name, &sequence, &wants)?;
        }
    }
    let folder = selection.folder();
    run.write(&folder, &names)?;
    println!("\nRecords are in {}.", folder.display());
    Ok(run.bars.end())
}

/// The most kernels and readbacks of a frame with one cluster, the first frame and those that choose the sweep axis anew included.
const MOST_KERNELS: u64 = 40;
const MOST_READBACKS: u64 = 2;
/// The most of the candidates that may go to the exact test, on cloth.
const MOST_UNSURE: f64 = 0.02;

/// What 64 clusters may have of the pairs of one.
const FEWER_PAIRS: f64 = 0.25;
/// Spheres of a packing, and of a tree that is queried; few with `--quick`.
const PACKED: [usize; 2] = [1000, 60];
const IN_TREE: [usize; 2] = [10_000, 300];
/// How much less of a solid a packing of the card may fill, and how much more its trees may cost.
const SAME_AS_LIBRARY: f64 = 0.01;
/// Scenes on which sweeping along a principal curve was expected to pay.
const CURVED: [&str; 3] = ["half-torus", "vase", "funnel"];
/// What two devices may count of the work of one.
const TWO_DEVICES: f64 = 0.6;

impl Run<'_> {
    /// So many devices: of all adapters in turn, or twins.
    fn devices(&self, count: usize) -> anyhow::Result<Vec<Backend>> {
        let all = if self.args.twin {
            None
        } else {
            Devices::all().ok()
        };
        let Some(mut all) = all else {
            return Ok((0..count).map(|_| Backend::twin()).collect());
        };
        let adapters = all.infos().len().max(1);
        let open =
            |k: usize| -> anyhow::Result<Backend> { Ok(Backend::on(all.open(k % adapters)?)) };
        (0..count).map(open).collect()
    }

    fn say(&mut self, bar: Bar, what: String) {
        // On small scenes a wrong answer is wrong; all else stays open.
        let bar = if self.args.selection.quick && bar == Bar::Met {
            Bar::Open
        } else {
            bar
        };
        self.bars.say(bar, &what);
        self.said.push((what, bar.word()));
    }

    fn row(&mut self, scene: &str, engine: &str, what: &'static str, value: f64) {
        self.rows
            .push((scene.to_owned(), engine.to_owned(), what, value));
    }

    fn occupancy(&mut self) {
        println!(
            "\n== occupancy\n{:<16} {:>8} {:>12} {:>8}",
            "kernel", "buffers", "invocations", "shared"
        );
        let lists = [primitives::KERNELS, scene::KERNELS, spheres::KERNELS];
        let all: Vec<&Kernel> = lists.into_iter().flatten().copied().collect();
        for kernel in &all {
            println!(
                "{:<16} {:>8} {:>12} {:>8}",
                kernel.name,
                kernel.buffers,
                impinge_gpu::GROUP,
                kernel.shared
            );
            self.row("all", kernel.name, "shared_bytes", f64::from(kernel.shared));
        }
        let fits = all
            .iter()
            .all(|kernel| kernel.shared <= 16_384 && kernel.buffers <= 8);
        let what = format!("{} kernels within the default limits of WebGPU", all.len());
        self.say(Bar::of(fits), what);
    }

    fn filter(&mut self) -> anyhow::Result<()> {
        println!("\n== filter");
        let millions =
            (self.args.millions).unwrap_or(if self.args.selection.quick { 0.1 } else { 10.0 });
        for mut backend in self.devices(1)? {
            let tally = filter_pairs::judge(&mut backend, (1e6 * millions) as u64)?;
            let share = tally.unsure as f64 / tally.pairs.max(1) as f64;
            println!(
                "{} pairs that nearly touch: {} wrong, {:.1} % unsure",
                tally.pairs,
                tally.wrong,
                100.0 * share
            );
            self.row("adversarial", "filter", "unsure_share", share);
            let bar = match Bar::none_wrong(tally.wrong, tally.pairs) {
                Bar::Met if tally.pairs < 10_000_000 => Bar::Open,
                bar => bar,
            };
            let what = format!(
                "the filter is wrong about {} of {} adversarial pairs, asked 0 of 10000000",
                tally.wrong, tally.pairs
            );
            self.say(bar, what);
        }
        Ok(())
    }

    /// Packings and trees of spheres beside those of the library.
    fn spheres(&mut self) -> anyhow::Result<()> {
        let size = |[full, quick]: [usize; 2]| {
            if self.args.selection.quick {
                quick
            } else {
                full
            }
        };
        let (packed, in_tree) = (size(PACKED), size(IN_TREE));
        println!("\n== spheres: packings of {packed}, trees of {in_tree}");
        let found = solids::packings(packed, || Ok(self.devices(1)?.remove(0)))?;
        for one in found {
            let ratio = one.fill / one.library_fill;
            self.row(one.name, "gpu packing", "fill", one.fill);
            self.row(one.name, "library packing", "fill", one.library_fill);
            let bar = Bar::of(one.is_feasible).and(Bar::at_least(ratio, 1.0 - SAME_AS_LIBRARY));
            let what = format!(
                "{}: {packed} spheres fill {:.4}, {ratio:.4} of what those of the library fill, asked 0.99; {}",
                one.name,
                one.fill,
                if one.is_feasible {
                    "feasible"
                } else {
                    "NOT feasible"
                }
            );
            self.say(bar, what);
        }
        let found = solids::queries(in_tree, || Ok(self.devices(1)?.remove(0)))?;
        for one in found {
            self.row(one.name, "gpu gas", "cost_ratio", one.cost);
            let bar = Bar::at_most(one.cost, 1.0 + SAME_AS_LIBRARY)
                .and(Bar::at_most(one.difference, 1e-9));
            let what = format!(
                "{}: queries of a tree of {in_tree} spheres take {:.3} of the tests of the library's tree, asked 1.01; sums equal to {:.1e}",
                one.name, one.cost, one.difference
            );
            self.say(bar, what);
        }
        Ok(())
    }

    /// Pairs along the axis with segments of a principal curve, beside principal axes of one cluster and of as many clusters.
    fn curve(&mut self, text: &str, sequence: &Sequence) -> anyhow::Result<()> {
        let request = SceneRequest::default();
        let on_card = |clusters, curve| GpuOptions {
            clusters,
            curve,
            ..GpuOptions::default()
        };
        let principal = |clusters| {
            Clustering::new(ClusteringOptions {
                clusters: ClusterCount::Fixed(clusters),
                axis: SweepAxis::Principal,
                ..ClusteringOptions::default()
            })
        };
        let mut curve = GpuScene::on(self.devices(1)?.remove(0), on_card(64, true))?;
        let mut clusters = GpuScene::on(self.devices(1)?.remove(0), on_card(64, false))?;
        let mut axis = principal(1);
        let mut sums = [0.0; 3];
        for frame in (0..sequence.frames.len()).step_by(STRIDE) {
            let scene = scene_at(sequence, frame)?;
            let engines: [&mut dyn SceneEngine; 3] = [&mut curve, &mut clusters, &mut axis];
            for (sum, engine) in sums.iter_mut().zip(engines) {
                *sum += engine.pairs(&scene, &request).counters.axis_pairs as f64;
            }
        }
        let [curve, clusters, axis] = sums;
        for (what, value) in [
            ("curve c=64", curve),
            ("clusters c=64", clusters),
            ("axis c=1", axis),
        ] {
            self.row(text, what, "axis_pairs_of_every_tenth_frame", value);
        }
        let ratio = curve / f64::max(axis, 1.0);
        println!(
            "64 clusters by fuzzy c-means have {:.2} of the pairs of 64 segments of the curve",
            clusters / f64::max(curve, 1.0)
        );
        let what = format!(
            "{text}: along 64 segments of a principal curve there are {ratio:.3} of the pairs along one principal axis, asked below 1"
        );
        self.say(Bar::of(ratio < 1.0), what);
        Ok(())
    }

    fn scene(
        &mut self,
        name: &SceneName,
        sequence: &Sequence,
        wants: &dyn Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        let text = name.text();
        println!("\n== {text}: {} frames", sequence.frames.len());
        if wants("curve") && CURVED.contains(&name.name) {
            self.curve(&text, sequence)?;
        }
        if !["equality", "counters", "model", "scaling"]
            .into_iter()
            .any(wants)
        {
            return Ok(());
        }
        let mut engine = GpuScene::on(self.devices(1)?.remove(0), GpuOptions::default())?;
        let whole = self.play(sequence, &mut engine, 1)?;
        if wants("equality") {
            let what = format!(
                "{text}: {} of {} frames differ, all frames with the default number of clusters, asked 0",
                whole.wrong, whole.frames
            );
            self.say(Bar::none_wrong(whole.wrong, whole.frames), what);
            self.equality(&text, sequence)?;
        }
        if wants("counters") {
            self.counters(name, &whole);
        }
        if wants("model") {
            self.model(&text, &whole);
        }
        if wants("scaling") {
            self.scaling(&text, sequence, &whole)?;
        }
        Ok(())
    }

    fn equality(&mut self, text: &str, sequence: &Sequence) -> anyhow::Result<()> {
        let (mut wrong, mut frames) = (0, 0);
        for clusters in CLUSTERS {
            for count in DEVICES {
                let options = GpuOptions {
                    clusters,
                    ..GpuOptions::default()
                };
                let mut fleet = GpuFleet::on(self.devices(count)?, options)?;
                let played = self.play_any(sequence, &mut fleet, STRIDE)?;
                wrong += played.0;
                frames += played.1;
            }
        }
        let what = format!(
            "{text}: {wrong} of {frames} answers differ, every tenth frame for 1, 2, 8, 64 clusters on 1, 2, 3 devices, asked 0"
        );
        self.say(Bar::none_wrong(wrong, frames), what);
        Ok(())
    }

    /// Goes through frames with any engine; wrong answers, and answers.
    fn play_any(
        &self,
        sequence: &Sequence,
        engine: &mut dyn SceneEngine,
        stride: usize,
    ) -> anyhow::Result<(u64, u64)> {
        let request = SceneRequest::default();
        let mut judge = RefitBvhEngine::default();
        let (mut wrong, mut frames) = (0, 0);
        for frame in (0..sequence.frames.len()).step_by(stride) {
            let scene = scene_at(sequence, frame)?;
            let found = engine.pairs(&scene, &request).pairs;
            let is_on_card = engine.reason().is_none();
            wrong += u64::from(!is_on_card || found != judge.pairs(&scene, &request).pairs);
            frames += 1;
        }
        Ok((wrong, frames))
    }

    fn play(
        &self,
        sequence: &Sequence,
        engine: &mut GpuScene,
        stride: usize,
    ) -> anyhow::Result<Played> {
        let request = SceneRequest::default();
        let mut judge = RefitBvhEngine::default();
        let mut played = Played::default();
        for frame in (0..sequence.frames.len()).step_by(stride) {
            let scene = scene_at(sequence, frame)?;
            let start = Instant::now();
            let answer = engine.pairs(&scene, &request);
            played.milliseconds += start.elapsed().as_secs_f64() * 1e3;
            let is_wrong =
                engine.reason().is_some() || answer.pairs != judge.pairs(&scene, &request).pairs;
            played.wrong += u64::from(is_wrong);
            played.frames += 1;
            let report = engine.last_frame();
            let traffic = &report.traffic;
            played.most_kernels = played.most_kernels.max(traffic.kernels);
            played.most_readbacks = played.most_readbacks.max(traffic.readbacks);
            if traffic.kernels > MOST_KERNELS || traffic.readbacks > MOST_READBACKS {
                played.busy += 1;
                // A list was too short and the frame was asked again, or its pairs were too many for one range.
                let repeats = report.growths > 0 || report.ranges > 1;
                played.busy_by_repeats += u64::from(repeats);
            }
            played.unsure += report.unsure;
            let work = &mut played.work;
            work.faces += scene.faces().len() as f64;
            work.axis_pairs += answer.counters.axis_pairs as f64;
            work.candidates += answer.counters.candidates as f64;
            work.kernels += report.traffic.kernels as f64;
            work.bytes_up += report.traffic.bytes_up as f64;
            work.bytes_down += report.traffic.bytes_down as f64;
        }
        Ok(played)
    }

    fn counters(&mut self, name: &SceneName, played: &Played) {
        let text = name.text();
        let share = played.unsure as f64 / played.work.candidates.max(1.0);
        let mean = played.mean();
        println!(
            "a frame: {:.0} faces, {:.0} pairs along the axis, {:.0} candidates, {:.2} % unsure, {:.1} kernels, {:.0} bytes up, {:.0} down",
            mean.faces,
            mean.axis_pairs,
            mean.candidates,
            100.0 * share,
            mean.kernels,
            mean.bytes_up,
            mean.bytes_down
        );
        for (what, value) in [
            ("axis_pairs", mean.axis_pairs),
            ("candidates", mean.candidates),
            ("kernels", mean.kernels),
            ("bytes_up", mean.bytes_up),
            ("bytes_down", mean.bytes_down),
            ("unsure_share", share),
        ] {
            self.row(&text, "gpu c=1", what, value);
        }
        let what = format!(
            "{text}: {} of {} frames take more than {MOST_KERNELS} kernels or {MOST_READBACKS} readbacks ({} of them grow a list or come in ranges; at most {} and {}), asked 0",
            played.busy,
            played.frames,
            played.busy_by_repeats,
            played.most_kernels,
            played.most_readbacks
        );
        let few = played.busy == 0;
        self.say(Bar::of(few), what);
        if name.is_free.is_some() {
            let what = format!(
                "{text}: {:.2} % of the candidates unsure, asked {:.0} % at most",
                100.0 * share,
                100.0 * MOST_UNSURE
            );
            self.say(Bar::at_most(share, MOST_UNSURE), what);
        }
    }

    fn model(&mut self, text: &str, played: &Played) {
        let mean = played.mean();
        for card in &CARDS {
            let ms = mean.modelled(card);
            println!("modelled: {:<22} {ms:>8.2} ms a frame", card.name);
            self.row(text, card.name, "modelled_ms", ms);
        }
        let published = match text {
            _ if text.starts_with("cloth-on-ball") => {
                "20.24 ms on a GTX 480 with two clusters; others 18.6, 36.6, 23.2, 32.5 ms"
            }
            _ if text.starts_with("funnel") => {
                "6.53 ms on a GTX 480 with two clusters; others 4.4 and 6.7 ms"
            }
            _ => return self.clock(text, played),
        };
        println!("published: {published}");
        self.clock(text, played);
    }

    /// What the clock says, where it was requested.
    fn clock(&mut self, text: &str, played: &Played) {
        if !self.args.clock {
            return;
        }
        let ms = played.milliseconds / played.frames.max(1) as f64;
        println!("measured here: {ms:.2} ms a frame, with the exact tests of the host");
        self.row(text, "this device", "measured_ms", ms);
    }

    /// Counted work of clusters on one to eight devices, and pairs of 64 clusters beside those of one.
    fn scaling(&mut self, text: &str, sequence: &Sequence, played: &Played) -> anyhow::Result<()> {
        let options = GpuOptions {
            clusters: 64,
            ..GpuOptions::default()
        };
        let mut fleet = GpuFleet::on(self.devices(1)?, options)?;
        let request = SceneRequest::default();
        let mut work: Vec<ClusterWork> = Vec::new();
        let (mut many, mut one, mut frames) = (0.0, 0.0, 0_u32);
        let mut single = GpuScene::on(self.devices(1)?.remove(0), GpuOptions::default())?;
        for frame in (0..sequence.frames.len()).step_by(STRIDE) {
            let scene = scene_at(sequence, frame)?;
            many += fleet.pairs(&scene, &request).counters.axis_pairs as f64;
            one += single.pairs(&scene, &request).counters.axis_pairs as f64;
            work.resize(
                work.len().max(fleet.cluster_work().len()),
                ClusterWork::default(),
            );
            for (sum, own) in work.iter_mut().zip(fleet.cluster_work()) {
                sum.faces += own.faces;
                sum.pairs += own.pairs;
            }
            frames += 1;
        }
        let ratio = many / f64::max(one, 1.0);
        self.row(
            text,
            "gpu c=64",
            "axis_pairs",
            many / f64::from(frames.max(1)),
        );
        let what = format!(
            "{text}: 64 clusters have {ratio:.2} of the {:.0} pairs along the axis of one, asked {FEWER_PAIRS}",
            one / f64::from(frames.max(1))
        );
        self.say(Bar::at_most(ratio, FEWER_PAIRS), what);
        let amounts: Vec<f64> = work.iter().map(ClusterWork::amount).collect();
        let whole: f64 = amounts.iter().sum();
        let mean = played.mean();
        for count in 1..=8_usize {
            let speeds = vec![1.0; count];
            let span = makespan(&amounts, &speeds, &shared_out(&amounts, &speeds));
            let counted = whole / span.max(1.0);
            let alone = mean.modelled(&CARDS[0]);
            let modelled = alone / mean.modelled_on(&CARDS[0], span / whole.max(1.0));
            println!(
                "{count} devices: {counted:.2} times by counted work of clusters, modelled {modelled:.2} times on the card of the thesis"
            );
            self.row(
                text,
                &format!("{count} devices"),
                "counted_speedup",
                counted,
            );
            self.row(
                text,
                &format!("{count} devices"),
                "modelled_speedup",
                modelled,
            );
            if count == 2 {
                let part = span / whole.max(1.0);
                let what = format!(
                    "{text}: two devices count {part:.2} of the work of one, asked {TWO_DEVICES}"
                );
                self.say(Bar::at_most(part, TWO_DEVICES), what);
            }
        }
        println!(
            "published: P-Cloth up to 8.23 times on eight cards; the thesis measured one card"
        );
        Ok(())
    }

    fn write(&self, folder: &std::path::Path, devices: &[String]) -> anyhow::Result<()> {
        create(folder)?;
        let mut text = "scene,engine,what,value\n".to_owned();
        for (scene, engine, what, value) in &self.rows {
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{scene},{engine},{what},{value}");
        }
        std::fs::write(folder.join("gpu.csv"), text).context("gpu.csv")?;
        let rows: Vec<_> = (self.rows.iter())
            .map(|(scene, engine, what, value)| serde_json::json!({"scene": scene, "engine": engine, "what": what, "value": value}))
            .collect();
        let bars: Vec<_> = (self.said.iter())
            .map(|(what, bar)| serde_json::json!({"what": what, "bar": bar}))
            .collect();
        let json = serde_json::json!({
            "date": date(), "processor": processor(), "devices": devices, "is_small": self.args.selection.quick,
            "not_measured": NOT_MEASURED, "rows": rows, "bars": bars,
        });
        std::fs::write(folder.join("gpu.json"), serde_json::to_vec_pretty(&json)?)
            .context("gpu.json")
    }
}

/// Sums over the frames of a scene.
#[derive(Clone, Copy, Debug, Default)]
struct Played {
    frames: u64,
    wrong: u64,
    unsure: u64,
    most_kernels: u64,
    /// Frames with more kernels or readbacks than allowed.
    busy: u64,
    /// Those of them in which a list grew, or whose pairs came in ranges.
    busy_by_repeats: u64,
    most_readbacks: u64,
    milliseconds: f64,
    work: FrameWork,
}

impl Played {
    fn mean(&self) -> FrameWork {
        let n = self.frames.max(1) as f64;
        let work = self.work;
        FrameWork {
            faces: work.faces / n,
            axis_pairs: work.axis_pairs / n,
            candidates: work.candidates / n,
            kernels: work.kernels / n,
            bytes_up: work.bytes_up / n,
            bytes_down: work.bytes_down / n,
        }
    }
}

/// The scene of a frame.
fn scene_at(sequence: &Sequence, frame: usize) -> anyhow::Result<Scene> {
    let topology = sequence.topology(frame);
    let positions = sequence.frames.get(frame).cloned().unwrap_or_default();
    let (faces, objects) = (topology.faces.clone(), topology.object_of_face.clone());
    Ok(Scene::from_parts(positions, faces, objects)?)
}
