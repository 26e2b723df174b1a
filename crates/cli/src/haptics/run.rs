//! The runs of `impinge haptics`.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use impinge_dynamics::device::bridge::BridgeDevice;
use impinge_dynamics::device::{
    DeviceState, Hand, HandDevice, HapticDevice, Script, ScriptedDevice,
};
use impinge_dynamics::rate::{DurationHistogram, MonotonicClock, ServoLoop};
use impinge_dynamics::record::{
    Entry, RecordedTick, Recorder, Recording, Session as _, WorldEdit, replay,
};
use impinge_dynamics::session::{HapticSession, SessionConfig, SessionError, SessionTick};
use serde::Serialize;

use super::plots::{self, Sample};
use super::renderer::{Indexes, renderer};
use super::scene::{HapticScene, Law, SCENES};
use super::{FeelArgs, HapticsAction, HapticsArgs};
use crate::ExitAnswer;
use crate::atomic_file;
use crate::number::{count, duration};
use crate::output::Output;
use crate::progress::Progress;

const PERIOD_NS: u64 = 1_000_000;
/// What a client must say in its hello; packets of this machine only reach the bridge.
const TOKEN: u64 = 0x1357;
/// What a recording with its scene begins with.
const MAGIC: &[u8; 8] = b"IMPHRUN1";
/// Samples that plots show.
const PLOTTED: u64 = 4000;

/// What a run found, for programs.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) scene: String,
    pub(super) law: &'static str,
    pub(super) faces: usize,
    pub(super) ticks: u64,
    pub(super) ticks_in_contact: u64,
    pub(super) crossings: u64,
    pub(super) largest_force: f64,
    pub(super) largest_torque: f64,
    pub(super) largest_step: f64,
    pub(super) energy: f64,
    pub(super) lowest_energy: f64,
    pub(super) tick_median_us: f64,
    pub(super) tick_p99_us: f64,
    pub(super) tick_p999_us: f64,
    pub(super) tick_largest_us: f64,
    pub(super) missed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fault: Option<String>,
}

pub(crate) fn run(args: &HapticsArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    match &args.action {
        Some(HapticsAction::List) => {
            for (name, about, _) in SCENES {
                out.line(format_args!("  {name:<12}  {about}"))?;
                out.record(&serde_json::json!({ "scene": name, "about": about }))?;
            }
            Ok(ExitAnswer::No)
        }
        Some(HapticsAction::Explore { mesh, options }) => {
            feel(HapticScene::of_mesh(mesh)?, options, out)
        }
        Some(HapticsAction::Replay { file }) => replayed(file, out),
        None => {
            let Some(scene) = &args.run.scene else {
                bail!("which scene? `impinge haptics list` tells the built-in ones");
            };
            feel(HapticScene::open(scene)?, &args.run.options, out)
        }
    }
}

/// The requested device; none for one that is run in real time.
enum FeltDevice {
    Scripted(ScriptedDevice),
    Hand(HandDevice),
    Bridge(BridgeDevice),
}

fn device(scene: &HapticScene, requested: Option<&str>) -> anyhow::Result<FeltDevice> {
    let script = || Script::new(scene.script.clone()).context("the scene's script");
    let specification = scene.device.clone();
    match requested.map(|name| name.split_once(':').unwrap_or((name, ""))) {
        None => Ok(FeltDevice::Scripted(ScriptedDevice::new(
            specification,
            script()?,
        ))),
        Some(("hand", "")) => {
            let [mass, damping, stiffness] = scene.hand;
            let hand = Hand::new(mass, damping, stiffness).context("hand")?;
            Ok(FeltDevice::Hand(HandDevice::new(
                specification,
                hand,
                script()?,
            )))
        }
        Some(("script", file)) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the script {file}"))?;
            // Read as the script of a scene, so that errors name line and field.
            let list: serde_json::Value =
                serde_json::from_str(&text).with_context(|| format!("script {file}"))?;
            let document = serde_json::json!({
                "bodies": [{"box": [1, 1, 1]}], "script": list,
            });
            let text = serde_json::to_string_pretty(&document)?;
            let read = HapticScene::parse(file, &text, Path::new("."))
                .with_context(|| format!("script {file}"))?;
            let script = Script::new(read.script)?;
            Ok(FeltDevice::Scripted(ScriptedDevice::new(
                specification,
                script,
            )))
        }
        Some(("udp", port)) => {
            let port: u16 = port
                .parse()
                .map_err(|_| anyhow!("udp:PORT wants a port number, not '{port}'"))?;
            let bridge = BridgeDevice::on_loopback(specification, port, TOKEN)?;
            Ok(FeltDevice::Bridge(bridge))
        }
        Some((other, _)) => {
            bail!("there is no device '{other}'; there are script:FILE, hand and udp:PORT")
        }
    }
}

/// What a run gathers.
struct Gathered {
    samples: Vec<Sample>,
    every: u64,
    costs: DurationHistogram,
    ticks: u64,
    touched: u64,
    crossings: u64,
    largest: [f64; 3],
    lowest: f64,
    last: Option<SessionTick>,
    strongest: Option<Sample>,
}

impl Gathered {
    fn new(ticks: u64) -> Self {
        Self {
            samples: Vec::new(),
            every: (ticks / PLOTTED).max(1),
            costs: DurationHistogram::new(),
            ticks: 0,
            touched: 0,
            crossings: 0,
            largest: [0.0; 3],
            lowest: 0.0,
            last: None,
            strongest: None,
        }
    }

    fn add(&mut self, seconds: f64, state: &DeviceState, tick: SessionTick, cost_ns: u64) {
        self.costs.add(cost_ns);
        self.ticks += 1;
        self.touched += u64::from(tick.contacts > 0);
        self.crossings += u64::from(tick.crossed);
        let force = tick.wrench.force.length();
        let step = self
            .last
            .map_or(0.0, |last| (tick.wrench.force - last.wrench.force).length());
        let [most, torque, jump] = &mut self.largest;
        let sample = Sample {
            seconds,
            device: state.pose.translation(),
            proxy: tick.proxy.translation(),
            force: tick.wrench.force,
            energy: tick.energy,
            cost_us: cost_ns as f64 * 1e-3,
        };
        if force > *most || self.strongest.is_none() {
            self.strongest = Some(sample);
        }
        *most = most.max(force);
        *torque = torque.max(tick.wrench.torque.length());
        *jump = jump.max(step);
        self.lowest = self.lowest.min(tick.energy);
        self.last = Some(tick);
        if (self.ticks - 1).is_multiple_of(self.every) {
            self.samples.push(sample);
        }
    }
}

fn feel(scene: HapticScene, options: &FeelArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let law = options.law.unwrap_or(scene.law);
    let seconds = options.seconds.unwrap_or(scene.seconds);
    if !(seconds > 0.0 && seconds < 1e6) {
        bail!("--seconds must lie between 0 and a million, found {seconds}");
    }
    let indexes = Indexes::new(&scene);
    let mut session = session_of(&scene, law, &indexes, options.allow_active)?;
    let ticks = (seconds * 1e3).round().max(1.0) as u64;
    let edits = scene.bodies.iter().filter(|body| body.is_moving()).count() as u64;
    let mut recorder = options
        .record
        .as_ref()
        .map(|_| Recorder::with_capacity((ticks * (2 + edits)) as usize));
    let mut gathered = Gathered::new(ticks);
    let mut missed = 0;
    match device(&scene, options.device.as_deref())? {
        FeltDevice::Scripted(mut device) => {
            let run = Run {
                scene: &scene,
                ticks,
            };
            run.simulated(&mut device, &mut session, &mut recorder, &mut gathered, out)?;
        }
        FeltDevice::Hand(mut device) => {
            let run = Run {
                scene: &scene,
                ticks,
            };
            run.simulated(&mut device, &mut session, &mut recorder, &mut gathered, out)?;
        }
        FeltDevice::Bridge(mut device) => {
            out.remark(format_args!(
                "waiting for a device at {}, token {TOKEN:#x}",
                device.address()?
            ));
            let run = Run {
                scene: &scene,
                ticks,
            };
            missed = run.live(&mut device, &mut session, &mut recorder, &mut gathered, out)?;
        }
    }
    if let (Some(path), Some(recorder)) = (&options.record, recorder) {
        write_recording(path, &scene, law, options.allow_active, &recorder.finish())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let summary = summary(&scene, law, &gathered, missed);
    tell(&summary, out)?;
    let strongest = gathered.strongest;
    plots::write(&scene, &summary, &gathered.samples, strongest, options)?;
    out.wrote(&options.record)?;
    out.wrote(&options.png)?;
    out.wrote(&options.svg)?;
    out.wrote(&options.html)?;
    Ok(if gathered.touched > 0 {
        ExitAnswer::Yes
    } else {
        ExitAnswer::No
    })
}

#[derive(Clone, Copy)]
struct Run<'s> {
    scene: &'s HapticScene,
    ticks: u64,
}

impl Run<'_> {
    /// Places what moves.
    fn edit(&self, seconds: f64, session: &mut HapticSession<'_>, recorder: &mut Option<Recorder>) {
        for (body, felt) in (0..).zip(&self.scene.bodies) {
            if !felt.is_moving() {
                continue;
            }
            let edit = WorldEdit {
                body,
                world_from_body: felt.at(seconds),
            };
            session.edit(&edit);
            if let Some(recorder) = recorder {
                recorder.edit(&edit);
            }
        }
    }

    fn simulated(
        &self,
        device: &mut impl HapticDevice,
        session: &mut HapticSession<'_>,
        recorder: &mut Option<Recorder>,
        gathered: &mut Gathered,
        out: &Output,
    ) -> anyhow::Result<()> {
        let progress = Progress::counted("feeling", self.ticks as usize, out.is_quiet());
        for tick in 0..self.ticks {
            if tick % 256 == 0 {
                progress.done(tick as usize);
            }
            let now_ns = tick * PERIOD_NS;
            let seconds = now_ns as f64 * 1e-9;
            self.edit(seconds, session, recorder);
            let state = device.read(now_ns)?;
            let began = Instant::now();
            let done = session.tick(&state, now_ns, now_ns);
            let tick = RecordedTick {
                now_ns,
                due_ns: now_ns,
                state: Some(state),
            };
            keep(began, &tick, done, recorder, gathered);
            // A device that was stopped takes no wrench; the session goes on without force.
            let _ = device.write(done.wrench);
        }
        Ok(())
    }

    /// In real time, with a device at the bridge. The ticks that were missed come back.
    fn live(
        &self,
        device: &mut BridgeDevice,
        session: &mut HapticSession<'_>,
        recorder: &mut Option<Recorder>,
        gathered: &mut Gathered,
        out: &Output,
    ) -> anyhow::Result<u64> {
        let clock = MonotonicClock::new();
        let progress = Progress::counted("feeling", self.ticks as usize, out.is_quiet());
        let mut servo = ServoLoop::new(PERIOD_NS)?;
        servo.run(&clock, |tick| {
            if tick.index % 256 == 0 {
                progress.done(tick.index as usize);
            }
            let seconds = tick.now_ns as f64 * 1e-9;
            self.edit(seconds, session, recorder);
            let state = device.read(tick.now_ns).ok();
            let began = Instant::now();
            let done = match &state {
                Some(state) => session.tick(state, tick.now_ns, tick.due_ns),
                None => session.tick_without_state(tick.now_ns, tick.due_ns),
            };
            let tick_of = RecordedTick {
                now_ns: tick.now_ns,
                due_ns: tick.due_ns,
                state,
            };
            keep(began, &tick_of, done, recorder, gathered);
            let _ = device.write(done.wrench);
            if tick.index + 1 >= self.ticks {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        device.stop();
        Ok(servo.report().missed)
    }
}

fn summary(scene: &HapticScene, law: Law, gathered: &Gathered, missed: u64) -> Summary {
    let [force, torque, step] = gathered.largest;
    let us = |share: f64| gathered.costs.quantile_ns(share) as f64 * 1e-3;
    let last = gathered.last;
    Summary {
        scene: scene.name.clone(),
        law: law.name(),
        faces: scene.bodies.iter().map(|body| body.mesh.face_count()).sum(),
        ticks: gathered.ticks,
        ticks_in_contact: gathered.touched,
        crossings: gathered.crossings,
        largest_force: force,
        largest_torque: torque,
        largest_step: step,
        energy: last.map_or(0.0, |tick| tick.energy),
        lowest_energy: gathered.lowest,
        tick_median_us: us(0.5),
        tick_p99_us: us(0.99),
        tick_p999_us: us(0.999),
        tick_largest_us: gathered.costs.summary().largest_ns as f64 * 1e-3,
        missed,
        fault: last
            .and_then(|tick| tick.fault)
            .map(|fault| format!("{:?}", fault.cause)),
    }
}

fn tell(summary: &Summary, out: &mut Output) -> anyhow::Result<()> {
    out.record(summary)?;
    out.line(format_args!("{} by {}", summary.scene, summary.law))?;
    let newtons = |x: f64| format!("{x:.3} N");
    let mut facts = vec![
        ("faces", count(summary.faces)),
        (
            "ticks",
            format!(
                "{}, {} in contact",
                count(summary.ticks as usize),
                count(summary.ticks_in_contact as usize)
            ),
        ),
        ("faces passed", count(summary.crossings as usize)),
        ("largest force", newtons(summary.largest_force)),
        (
            "largest torque",
            format!("{:.4} Nm", summary.largest_torque),
        ),
        ("largest step of force", newtons(summary.largest_step)),
        (
            "energy put in",
            format!(
                "{:.3} mJ, at least {:.3} mJ",
                summary.energy * 1e3,
                summary.lowest_energy * 1e3
            ),
        ),
        (
            "time of a tick",
            format!(
                "median {}, p99 {}, p99.9 {}, largest {}",
                duration(summary.tick_median_us * 1e-3),
                duration(summary.tick_p99_us * 1e-3),
                duration(summary.tick_p999_us * 1e-3),
                duration(summary.tick_largest_us * 1e-3)
            ),
        ),
    ];
    if summary.missed > 0 {
        facts.push(("missed ticks", count(summary.missed as usize)));
    }
    if let Some(fault) = &summary.fault {
        facts.push(("force ended by", fault.clone()));
    }
    out.facts(&facts)?;
    Ok(())
}

/// Scene and recording in one file: magic, length and text of a JSON header, recording.
fn write_recording(
    path: &Path,
    scene: &HapticScene,
    law: Law,
    allow_active: bool,
    recording: &Recording,
) -> anyhow::Result<()> {
    let header = serde_json::json!({
        "name": scene.name, "law": law.name(), "scene": scene.text, "allow_active": allow_active,
    });
    let header = serde_json::to_vec(&header)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(u32::try_from(header.len())?.to_le_bytes());
    bytes.extend(header);
    bytes.extend(recording.to_bytes());
    atomic_file::write(path, &bytes)?;
    Ok(())
}

fn replayed(file: &Path, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let (scene, law, allow_active, recording) =
        read_recording(&bytes, file).with_context(|| format!("recording {}", file.display()))?;
    let indexes = Indexes::new(&scene);
    let mut session = session_of(&scene, law, &indexes, allow_active)?;
    let again = replay(&recording, &mut session);
    let entries = recording.entries();
    let wrenches = entries
        .iter()
        .filter(|e| matches!(e, Entry::Wrench(_)))
        .count();
    let difference = recording.first_difference(&again);
    out.record(&serde_json::json!({
        "scene": scene.name, "law": law.name(), "wrenches": wrenches, "first_difference": difference,
    }))?;
    match difference {
        None => {
            out.line(format_args!(
                "{} wrenches, all as recorded, bit by bit",
                count(wrenches)
            ))?;
            Ok(ExitAnswer::No)
        }
        Some(entry) => {
            out.line(format_args!("entry {entry} of {} differs", entries.len()))?;
            Ok(ExitAnswer::Yes)
        }
    }
}

/// A recording's scene and law, whether it may be active, and what happened.
type Recorded = (HapticScene, Law, bool, Recording);

fn read_recording(bytes: &[u8], file: &Path) -> anyhow::Result<Recorded> {
    let not_ours = || anyhow!("not a recording of `impinge haptics`");
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(not_ours)?;
    let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(not_ours)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (header, rest) = rest.split_at_checked(length).ok_or_else(not_ours)?;
    let header: serde_json::Value = serde_json::from_slice(header)?;
    let word = |field: &str| header.get(field).and_then(serde_json::Value::as_str);
    let (Some(name), Some(law), Some(text)) = (word("name"), word("law"), word("scene")) else {
        return Err(not_ours());
    };
    let folder = Path::new(name).parent().or_else(|| file.parent());
    let scene = HapticScene::parse(name, text, folder.unwrap_or_else(|| Path::new(".")))?;
    let law = <Law as clap::ValueEnum>::from_str(law, false).map_err(|error| anyhow!(error))?;
    // Recordings without the word were made when nothing was refused.
    let allow_active = header.get("allow_active") != Some(&serde_json::Value::Bool(false));
    Ok((scene, law, allow_active, Recording::from_bytes(rest)?))
}

/// The session of a scene.
fn session_of<'i>(
    scene: &HapticScene,
    law: Law,
    indexes: &'i Indexes,
    allow_active: bool,
) -> anyhow::Result<HapticSession<'i>> {
    let mut config = SessionConfig::new(scene.device.clone())?;
    config.controller = scene.controller;
    config.allow_active = allow_active;
    match HapticSession::new(renderer(scene, law, indexes)?, &config) {
        Err(error @ (SessionError::NotPassive(_) | SessionError::UnknownStiffness)) => {
            bail!("{error}; or run it all the same with --allow-active")
        }
        made => Ok(made?),
    }
}

/// Adds a tick that ended just now to what is gathered and, where one is made, to the recording.
fn keep(
    began: Instant,
    tick: &RecordedTick,
    done: SessionTick,
    recorder: &mut Option<Recorder>,
    gathered: &mut Gathered,
) {
    let cost_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    if let Some(recorder) = recorder {
        recorder.tick(tick);
        recorder.wrench(done.wrench);
    }
    // Before a device has answered there is nothing to show.
    if let Some(state) = &tick.state {
        gathered.add(tick.now_ns as f64 * 1e-9, state, done, cost_ns);
    }
}
