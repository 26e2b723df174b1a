//! `impinge workspace`: simulated users among bodies that push each other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::{DVec3, Pose, generate};
use impinge_dynamics::device::{
    DeviceSpecification, HapticDevice, Keyframe, Script, ScriptedDevice,
};
use impinge_dynamics::workspace::{Workspace, WorkspaceBody, WorkspaceConfig, run_threads};
use serde::{Deserialize, Serialize};

use crate::ExitAnswer;
use crate::number::count;
use crate::output::Output;
use crate::progress::{self, Progress};

/// What `impinge workspace --help` ends with.
pub(crate) const WORKSPACE_HELP: &str = "\
SCENE is a JSON file, or 'table' (2 users with 2 hands, 6 bodies), 'crowd' (8 users, 12 bodies) or 'assembly' (a user holds
one body with both hands and leads it among three):
  {\"users\": 2, \"hands\": 2, \"bodies\": 6, \"balls\": 300, \"seconds\": 5, \"seed\": 1, \"together\": false}
Every hand holds a body, or with together both hands of a user the same one, and leads it about the table among the others.
With --threads each hand has a thread of its own, in real time.
Exit codes: 0 done, 2 error.";

/// `impinge workspace`
#[derive(Debug, Args)]
pub(crate) struct WorkspaceArgs {
    /// A scene file, 'table', 'crowd' or 'assembly'
    pub(crate) scene: PathBuf,

    /// How long [default: as the scene says]
    #[arg(long, value_name = "N")]
    pub(crate) seconds: Option<f64>,

    /// A thread for each hand, in real time
    #[arg(long)]
    pub(crate) threads: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WorkspaceScene {
    users: usize,
    hands: usize,
    bodies: usize,
    balls: usize,
    seconds: f64,
    seed: u64,
    together: bool,
}

impl Default for WorkspaceScene {
    fn default() -> Self {
        Self {
            users: 2,
            hands: 2,
            bodies: 6,
            balls: 300,
            seconds: 5.0,
            seed: 1,
            together: false,
        }
    }
}

impl WorkspaceScene {
    /// The body that a hand holds.
    fn held(&self, hand: usize) -> usize {
        if self.together {
            hand / self.hands
        } else {
            hand
        }
    }
}

#[derive(Debug, Serialize)]
struct HandRecord {
    user: usize,
    hand: usize,
    largest_force: f64,
    largest_step: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_p999_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<u64>,
    list_age_ms: f64,
}

fn read(path: &Path) -> anyhow::Result<WorkspaceScene> {
    let usual = WorkspaceScene::default();
    match path.to_string_lossy().as_ref() {
        "table" => return Ok(usual),
        "assembly" => {
            return Ok(WorkspaceScene {
                users: 1,
                bodies: 3,
                together: true,
                ..usual
            });
        }
        "crowd" => {
            return Ok(WorkspaceScene {
                users: 8,
                hands: 1,
                bodies: 12,
                ..usual
            });
        }
        _ => {}
    }
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the scene {}", path.display()))?;
    let scene: WorkspaceScene =
        serde_json::from_str(&text).with_context(|| format!("scene {}", path.display()))?;
    let line = |field: &str| {
        let quoted = format!("\"{field}\"");
        let line = text.lines().position(|line| line.contains(&quoted));
        line.map_or(1, |line| line + 1)
    };
    for (field, value, most) in [
        ("users", scene.users, 64),
        ("hands", scene.hands, 2),
        ("bodies", scene.bodies, 256),
        ("balls", scene.balls, 100_000),
    ] {
        if !(1..=most).contains(&value) {
            bail!(
                "scene {}: line {}: {field} must lie between 1 and {most}, found {value}",
                path.display(),
                line(field)
            );
        }
    }
    let held = scene.held(scene.users * scene.hands - 1) + 1;
    if held > scene.bodies {
        bail!(
            "scene {}: line {}: bodies must be at least as many as are held ({}), found {}",
            path.display(),
            line("bodies"),
            held,
            scene.bodies
        );
    }
    Ok(scene)
}

pub(crate) fn run(args: &WorkspaceArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let scene = read(&args.scene)?;
    let seconds = args.seconds.unwrap_or(scene.seconds);
    if !(seconds > 0.0 && seconds < 1e6) {
        bail!("seconds must lie between 0 and a million, found {seconds}");
    }
    let ticks = (seconds * 1e3).round().max(1.0) as u64;
    let hands = scene.users * scene.hands;
    let (mut workspace, starts) = progress::during("filling bodies", || made(&scene))?;
    let mut ways = scripts(&starts, hands, seconds, scene.seed)?;
    if scene.together {
        // Both hands lead the body the same way.
        ways = (0..hands)
            .map(|hand| ways[scene.held(hand)].clone())
            .collect();
    }
    for hand in 0..hands {
        let body = scene.held(hand);
        workspace.grab(hand, body, &starts[body])?;
    }
    if args.threads && scene.together {
        bail!("--threads gives each hand a body of its own; together is for simulated time");
    }
    let records = if args.threads {
        threaded(workspace, ways, ticks, &scene)?
    } else {
        simulated(&mut workspace, &ways, ticks, &scene, out)?
    };
    out.line(format_args!(
        "{} users, {} hands, {} bodies, {} ticks",
        scene.users,
        hands,
        scene.bodies,
        count(ticks as usize)
    ))?;
    for record in &records {
        out.record(record)?;
        let cost = record.cost_p999_us;
        let cost = cost.map_or_else(String::new, |us| format!(", tick p99.9 {us:.0} µs"));
        let missed = record.missed;
        let missed = missed.map_or_else(String::new, |n| format!(", {n} missed"));
        out.line(format_args!(
            "  user {} hand {}: force up to {:.2} N, steps up to {:.3} N, lists up to {:.1} ms old{cost}{missed}",
            record.user + 1,
            record.hand + 1,
            record.largest_force,
            record.largest_step,
            record.list_age_ms
        ))?;
    }
    Ok(ExitAnswer::No)
}

/// Bodies on a grid over the table, each filled with balls.
fn made(scene: &WorkspaceScene) -> anyhow::Result<(Workspace, Vec<Pose>)> {
    let mut trees: Vec<Arc<InnerSphereTree>> = Vec::new();
    for (index, name) in ["blob", "torus-knot", "gear"].into_iter().enumerate() {
        let kind = generate::model(name).ok_or_else(|| anyhow!("no model {name}"))?;
        let mesh = kind.make(Some(2000), index as u64)?;
        let bounds = mesh.bounds();
        let scale = 0.08 / (2.0 * bounds.half_extent().max_element());
        let points = mesh
            .positions()
            .iter()
            .map(|&p| (p - bounds.center()) * scale);
        let mesh = impinge::TriMesh::new(points.collect(), mesh.faces().to_vec())?;
        let tree = WideTree::new(Arc::new(mesh));
        let solid = MeshSolid::new(&tree)?;
        let options = PackOptions {
            count: Some(scene.balls),
            ..PackOptions::default()
        };
        let packing = pack(&solid, &options)?;
        let spheres = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?;
        trees.push(Arc::new(spheres.with_surface(&solid)));
    }
    let columns = (scene.bodies as f64).sqrt().ceil() as usize;
    let mut bodies = Vec::new();
    let mut starts = Vec::new();
    for index in 0..scene.bodies {
        let (x, y) = ((index % columns) as f64, (index / columns) as f64);
        let pose = Pose::from_translation(DVec3::new(x, y, 0.5) * 0.1)?;
        starts.push(pose);
        bodies.push(WorkspaceBody {
            tree: Arc::clone(&trees[index % trees.len()]),
            mass: 0.2,
            inertia: 2e-4,
            world_from_body: pose,
        });
    }
    let config = WorkspaceConfig {
        floor: Some((0.0, 2000.0)),
        ..WorkspaceConfig::table()?
    };
    let workspace = Workspace::new(bodies, scene.users * scene.hands, config)?;
    Ok((workspace, starts))
}

/// Ways of the hands over the table, at up to 0.3 m/s.
fn scripts(starts: &[Pose], hands: usize, seconds: f64, seed: u64) -> anyhow::Result<Vec<Script>> {
    let mut rng = Rng::new(seed);
    let high = starts
        .iter()
        .fold(DVec3::ZERO, |m, p| m.max(p.translation()));
    let mut scripts = Vec::new();
    for start in starts.iter().take(hands) {
        let mut frames = vec![Keyframe {
            time_ns: 0,
            pose: *start,
        }];
        let (mut place, mut time) = (start.translation(), 0.0);
        while time < seconds {
            let goal = DVec3::new(rng.range(0.0, high.x), rng.range(0.0, high.y), 0.05);
            time += (goal - place).length() / rng.range(0.1, 0.3) + 0.05;
            let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], rng.range(-0.5, 0.5), goal)?;
            frames.push(Keyframe {
                time_ns: (time * 1e9) as u64,
                pose,
            });
            place = goal;
        }
        scripts.push(Script::new(frames)?);
    }
    Ok(scripts)
}

fn simulated(
    workspace: &mut Workspace,
    scripts: &[Script],
    ticks: u64,
    scene: &WorkspaceScene,
    out: &Output,
) -> anyhow::Result<Vec<HandRecord>> {
    let mut records: Vec<HandRecord> = (0..scripts.len())
        .map(|index| HandRecord {
            user: index / scene.hands,
            hand: index % scene.hands,
            largest_force: 0.0,
            largest_step: 0.0,
            cost_p999_us: None,
            missed: None,
            list_age_ms: 0.0,
        })
        .collect();
    let mut before = vec![DVec3::ZERO; scripts.len()];
    let progress = Progress::counted("playing", ticks as usize, out.is_quiet());
    for tick in 0..ticks {
        if tick % 64 == 0 {
            progress.done(tick as usize);
        }
        let poses: Vec<Pose> = scripts
            .iter()
            .map(|script| script.state(tick * 1_000_000).pose)
            .collect();
        let steps = workspace.tick(&poses);
        for ((record, step), before) in records.iter_mut().zip(steps).zip(&mut before) {
            let force = step.wrench.force;
            record.largest_force = record.largest_force.max(force.length());
            record.largest_step = record.largest_step.max((force - *before).length());
            record.list_age_ms = record.list_age_ms.max(f64::from(step.list_age));
            *before = force;
        }
    }
    Ok(records)
}

fn threaded(
    workspace: Workspace,
    scripts: Vec<Script>,
    ticks: u64,
    scene: &WorkspaceScene,
) -> anyhow::Result<Vec<HandRecord>> {
    let devices = scripts.into_iter().map(|script| {
        let device = ScriptedDevice::new(DeviceSpecification::virtuose(), script);
        Box::new(device) as Box<dyn HapticDevice + Send>
    });
    let devices = devices.collect();
    let report = progress::during("playing", || {
        run_threads(workspace, devices, 1_000_000, ticks, wall_ns)
    })?;
    let records = report
        .hands
        .iter()
        .enumerate()
        .map(|(index, hand)| HandRecord {
            user: index / scene.hands,
            hand: index % scene.hands,
            largest_force: hand.largest_force,
            largest_step: hand.largest_step,
            cost_p999_us: Some(hand.cost.p999_ns as f64 * 1e-3),
            missed: Some(hand.servo.missed),
            list_age_ms: hand.list_age.p999_ns as f64 * 1e-6,
        });
    Ok(records.collect())
}

/// Nanoseconds of the machine's clock.
fn wall_ns() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
