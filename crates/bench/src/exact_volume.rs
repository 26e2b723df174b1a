//! The exact overlap volume, compared with a boolean library: the same solids, the same poses, in
//! one run.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::volume::{OverlapCache, OverlapVolume, VolumeIndex};
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};

use crate::folders::{create, installed, target};
use crate::own_runners;
use crate::pair_measurement::quantile;
use crate::thread_cpu_time::{MOST_STEP_MS, clock_step, spent};
use crate::{Bar, Bars};

/// The peer's name in `target/peers`.
const PEER: &str = "manifold";
/// Error of a volume, in areas times diameters of one of the two equal solids.
const ERROR: f64 = 1e-14;
/// What decides: fewer rounds, or a shorter path, leave bars on times open.
const ROUNDS: usize = 7;
const STEPS: usize = 60_000;
/// Relative error of force and torque beside central differences.
const DERIVATIVE_ERROR: f64 = 1e-6;
/// Published haptic bar: milliseconds of a shallow contact.
const SHALLOW_MS: f64 = 0.4;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds in which ours and the peer have their turn
    #[arg(long, default_value_t = ROUNDS)]
    rounds: usize,
    /// Steps of the path in shallow contact; 60 000 are 60 s at 1 kHz
    #[arg(long, default_value_t = STEPS)]
    path: usize,
    /// Leave out the solids of more than a million faces: their bars stay open
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Two placed solids, and how many times faster than the peer ours must be.
struct PlacedSolids {
    name: &'static str,
    mesh: TriMesh,
    pose: Pose,
    bar: f64,
}

#[derive(Clone, Debug, serde::Serialize)]
struct VolumeRow {
    scene: &'static str,
    faces: usize,
    crossings: usize,
    volume: f64,
    ours_ms: f64,
    peer_ms: Option<f64>,
    times_faster: Option<f64>,
    bar: f64,
    /// Whether there were as many rounds as the bar on time requires.
    is_full: bool,
    /// Difference to the peer's volume, in areas times diameters of one of the solids.
    difference: Option<f64>,
    /// Of force and torque to central differences, relative.
    derivative_error: Option<f64>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut rows = Vec::new();
    let mut bars = Bars::default();
    for scene in scenes(args.quick)? {
        eprintln!("{} ({} faces)", scene.name, scene.mesh.face_count());
        let row = measure(&scene, args.rounds.max(1))?;
        if !args.json {
            print_row(&row);
        }
        for (bar, _) in row.verdicts() {
            bars.count(bar);
        }
        rows.push(row);
    }
    let left_out: &[&str] = if args.quick { &LARGE } else { &[] };
    for name in left_out {
        bars.count(Bar::Open);
        if !args.json {
            println!(
                "bar: {name}, left out, nothing measured: {}",
                Bar::Open.word()
            );
        }
    }
    let path = walk(args.path.max(1))?;
    let step = clock_step();
    let is_told = args.path >= STEPS && step.is_some_and(|step| step <= MOST_STEP_MS);
    let quick = if is_told {
        Bar::at_most(path.processor[1], SHALLOW_MS)
    } else {
        Bar::Open
    };
    bars.count(quick);
    if args.json {
        let bar = bars.end().word();
        let json = serde_json::json!({ "scenes": rows, "shallow_path_ms": {
            "processor": path.processor, "wall": path.wall, "empty_loop": path.empty, "steps": args.path,
            "quantiles": QUANTILES, "bar": SHALLOW_MS }, "left_out": left_out, "bar": bar });
        println!("{}", serde_json::to_string_pretty(&json)?);
    } else {
        let show = |what: &str, [median, most, largest]: [f64; 3]| {
            println!(
                "  {what:<44} median {median:.3}, 99.9th percentile {most:.3}, largest {largest:.3} ms"
            );
        };
        println!(
            "80 k faces in shallow contact, {} steps, volume with force and torque",
            args.path
        );
        show("processor time of the thread", path.processor);
        show("wall time", path.wall);
        show("wall time of a loop of fixed length", path.empty);
        println!(
            "bar: 99.9 % of the {} steps within {SHALLOW_MS} ms of the thread's processor time ({:.3} ms): {}",
            args.path,
            path.processor[1],
            quick.word()
        );
    }
    Ok(bars.end())
}

impl VolumeRow {
    /// Its bars. Those beside the peer are open where the peer is absent, and the derivative has none where it is not continuous.
    fn verdicts(&self) -> Vec<(Bar, String)> {
        let mut all = vec![
            (
                if self.is_full {
                    Bar::at_least(self.times_faster, self.bar)
                } else {
                    Bar::Open
                },
                format!(
                    "{} at least {} times faster than Manifold",
                    self.scene, self.bar
                ),
            ),
            (
                Bar::at_most(self.difference, ERROR),
                format!(
                    "{} volume within {ERROR:e} of one solid's area times its diameter of Manifold's",
                    self.scene
                ),
            ),
        ];
        if self.derivative_error.is_some() {
            all.push((
                Bar::at_most(self.derivative_error, DERIVATIVE_ERROR),
                format!(
                    "{} force and torque within {DERIVATIVE_ERROR:e} of central differences",
                    self.scene
                ),
            ));
        }
        all
    }
}

fn print_row(row: &VolumeRow) {
    let number =
        |x: Option<f64>, digits: usize| x.map_or("-".to_owned(), |x| format!("{x:.digits$}"));
    let tiny = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1e}"));
    println!(
        "{:<24} {:>8} faces {:>6} crossings  ours {:>9.3} ms  manifold {:>9} ms  {:>7}x (bar {}x)  volume off by {}, derivative by {}",
        row.scene,
        row.faces,
        row.crossings,
        row.ours_ms,
        number(row.peer_ms, 2),
        number(row.times_faster, 1),
        row.bar,
        tiny(row.difference),
        tiny(row.derivative_error),
    );
    for (bar, text) in row.verdicts() {
        println!("bar: {text}: {}", bar.word());
    }
}

/// A turn about no axis of the models.
fn turn() -> DMat3 {
    DMat3::from_axis_angle(DVec3::new(0.2, 0.4, 0.6).normalize(), 0.7)
}

/// Scenes of solids that a quick run leaves out.
const LARGE: [&str; 2] = ["1.3 M deep", "1.3 M shallow"];

fn scenes(quick: bool) -> anyhow::Result<Vec<PlacedSolids>> {
    let mut scenes = Vec::new();
    let mut blobs = vec![
        ("20 k deep", "20 k shallow", 32, 10.0, 25.0),
        ("80 k deep", "80 k shallow", 64, 15.0, 25.0),
    ];
    if !quick {
        blobs.push((LARGE[0], LARGE[1], 256, 50.0, 50.0));
    }
    for (deep, shallow, frequency, deep_bar, shallow_bar) in blobs {
        let mesh = generate::blob(frequency)?;
        let direction = DVec3::new(0.9, 0.3, 0.2).normalize();
        let reach = touching(&mesh, direction)?;
        let at = |distance: f64| Pose::nearest(turn(), direction * distance);
        scenes.push(PlacedSolids {
            name: deep,
            pose: at(0.5 * reach)?,
            mesh: mesh.clone(),
            bar: deep_bar,
        });
        scenes.push(PlacedSolids {
            name: shallow,
            pose: at(0.985 * reach)?,
            mesh,
            bar: shallow_bar,
        });
    }
    scenes.push(PlacedSolids {
        name: "20 k on itself",
        mesh: generate::blob(32)?,
        pose: Pose::IDENTITY,
        bar: 1.0,
    });
    scenes.push(PlacedSolids {
        name: "coplanar fans",
        mesh: generate::cylinder(1.0, 1.0, 400, 1)?,
        pose: Pose::nearest(DMat3::from_rotation_z(0.01), DVec3::ZERO)?,
        bar: 1.0,
    });
    Ok(scenes)
}

/// The distance along a direction at which a turned copy of the mesh begins to touch it, by bisection.
fn touching(mesh: &TriMesh, direction: DVec3) -> anyhow::Result<f64> {
    let index = VolumeIndex::new(Arc::new(mesh.clone()))?;
    let mut cache = OverlapCache::default();
    let (mut inside, mut outside) = (0.0, 2.0 * mesh.bounds().diagonal().length());
    for _ in 0..40 {
        let middle = 0.5 * (inside + outside);
        let pose = Pose::nearest(turn(), direction * middle)?;
        let shared = index.overlap(&index, &pose, Limits::default(), &mut cache)?;
        if shared.value.volume > 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    Ok(inside)
}

fn measure(scene: &PlacedSolids, rounds: usize) -> anyhow::Result<VolumeRow> {
    let index = VolumeIndex::new(Arc::new(scene.mesh.clone()))?;
    let mut cache = OverlapCache::default();
    let mut ask = |pose: &Pose| -> anyhow::Result<OverlapVolume> {
        Ok(index
            .overlap(&index, pose, Limits::default(), &mut cache)?
            .value)
    };
    let found = ask(&scene.pose)?;
    let mut peer = BooleanPeer::start(&scene.mesh)?;
    let (mut own, mut others, mut volume) = (Vec::new(), Vec::new(), None);
    for _ in 0..rounds {
        // A warm-up, then as many as fit into a moment.
        let start = Instant::now();
        ask(&scene.pose)?;
        let repeats = (20e-3 / start.elapsed().as_secs_f64().max(1e-6)).clamp(1.0, 50.0) as usize;
        for _ in 0..repeats {
            let start = Instant::now();
            ask(&scene.pose)?;
            own.push(start.elapsed().as_secs_f64() * 1e3);
        }
        if let Some(peer) = &mut peer {
            let (value, times) = peer.ask(&scene.pose, 3)?;
            volume = Some(value);
            others.extend(times.iter().skip(1).map(|ns| ns * 1e-6));
        }
    }
    let ours_ms = quantile(&own, 0.5).unwrap_or(f64::NAN);
    let peer_ms = quantile(&others, 0.5);
    let scale = index.area() * index.diameter();
    // Where the surfaces coincide the volume has a kink, and no derivative from both sides.
    let is_smooth = scene.bar > 1.0;
    Ok(VolumeRow {
        scene: scene.name,
        faces: scene.mesh.face_count(),
        crossings: found.crossings,
        volume: found.volume,
        ours_ms,
        peer_ms,
        times_faster: peer_ms.map(|ms| ms / ours_ms),
        bar: scene.bar,
        is_full: rounds >= ROUNDS,
        difference: volume.map(|volume| (volume - found.volume).abs() / scale),
        derivative_error: is_smooth
            .then(|| derivative_error(&scene.pose, &found, &mut ask))
            .transpose()?,
    })
}

/// Force and torque beside central differences of the volume, relative to their length.
fn derivative_error(
    pose: &Pose,
    found: &OverlapVolume,
    ask: &mut impl FnMut(&Pose) -> anyhow::Result<OverlapVolume>,
) -> anyhow::Result<f64> {
    const STEP: f64 = 1e-5;
    let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
    for (axis, unit) in DVec3::AXES.into_iter().enumerate() {
        let mut shifted = |sign: f64| -> anyhow::Result<f64> {
            let shift = pose.translation() + unit * (sign * STEP);
            Ok(ask(&Pose::nearest(*pose.rotation(), shift)?)?.volume)
        };
        force[axis] = (shifted(1.0)? - shifted(-1.0)?) / (2.0 * STEP);
        let mut turned = |sign: f64| -> anyhow::Result<f64> {
            let turn = DMat3::from_axis_angle(unit, sign * STEP);
            let turned = Pose::nearest(turn * *pose.rotation(), turn * pose.translation())?;
            Ok(ask(&turned)?.volume)
        };
        torque[axis] = (turned(1.0)? - turned(-1.0)?) / (2.0 * STEP);
    }
    let of = |difference: DVec3, given: DVec3| (difference - given).length() / given.length();
    Ok(of(force, found.gradient.translation).max(of(torque, found.gradient.rotation)))
}

/// What is printed of the times along a path.
const QUANTILES: [f64; 3] = [0.5, 0.999, 1.0];

/// Milliseconds per step along a path, by [`QUANTILES`]. Each step is queried once.
struct PathTimes {
    processor: [f64; 3],
    wall: [f64; 3],
    /// A loop that takes the same time whenever the machine leaves it alone.
    empty: [f64; 3],
}

/// Times along a path in shallow contact.
fn walk(steps: usize) -> anyhow::Result<PathTimes> {
    let mesh = generate::blob(64)?;
    let direction = DVec3::new(0.9, 0.3, 0.2).normalize();
    let reach = touching(&mesh, direction)?;
    let index = VolumeIndex::new(Arc::new(mesh))?;
    let mut cache = OverlapCache::default();
    let mut rng = Rng::new(1);
    let phase = rng.range(0.0, 1.0);
    let mut walls = Vec::with_capacity(steps);
    let mut processor = Vec::with_capacity(steps);
    let mut deepest: f64 = 0.0;
    for step in 0..steps {
        // Slowly in and out, and turning a little.
        let t = step as f64 / 1000.0 + phase;
        let depth = 0.985 + 0.01 * (2.0 * t).sin();
        let turned = DMat3::from_axis_angle(direction, 0.05 * t.sin()) * turn();
        let pose = Pose::nearest(turned, direction * (depth * reach))?;
        let (found, time) = spent(|| index.overlap(&index, &pose, Limits::default(), &mut cache));
        deepest = deepest.max(found?.value.volume);
        walls.push(time.wall);
        processor.push(time.processor);
    }
    if deepest == 0.0 {
        bail!("the path never touches");
    }
    let of = |times: &[f64]| QUANTILES.map(|q| quantile(times, q).unwrap_or(f64::NAN));
    let wall = of(&walls);
    Ok(PathTimes {
        processor: of(&processor),
        wall,
        empty: of(&empty_loop(steps, wall[0])),
    })
}

/// Milliseconds of loops of arithmetic that take about as long as given.
pub(crate) fn empty_loop(steps: usize, about: f64) -> Vec<f64> {
    let spin = |turns: u64| {
        let start = Instant::now();
        let mut x = 1_u64;
        for _ in 0..turns {
            x = std::hint::black_box(x.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
        start.elapsed().as_secs_f64() * 1e3
    };
    let turns = (1e6 * about / spin(1_000_000).max(1e-6)) as u64;
    (0..steps).map(|_| spin(turns)).collect()
}

/// A running peer.
struct BooleanPeer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl BooleanPeer {
    /// None when it is not installed.
    fn start(mesh: &TriMesh) -> anyhow::Result<Option<Self>> {
        let program = installed().join("peers").join(PEER);
        if !program.is_file() {
            eprintln!("absent: {PEER} (`cargo xtask peers --only {PEER}` installs it)");
            return Ok(None);
        }
        create(&target())?;
        let path = target().join("exact-volume.mesh");
        own_runners::write(&path, mesh)?;
        Self::spawn(&program, &path).map(Some)
    }

    fn spawn(program: &Path, mesh: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .arg(mesh)
            .arg(mesh)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("no pipes to {PEER}");
        };
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    /// The volume, and the time of each repeat in nanoseconds.
    fn ask(&mut self, pose: &Pose, repeats: usize) -> anyhow::Result<(f64, Vec<f64>)> {
        let (r, t) = (pose.rotation().transpose(), pose.translation());
        let mut line = String::from("volume");
        for (row, shift) in [(r.x_axis, t.x), (r.y_axis, t.y), (r.z_axis, t.z)] {
            line.push_str(&format!(" {:?} {:?} {:?} {shift:?}", row.x, row.y, row.z));
        }
        writeln!(self.input, "{line} {repeats}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        let numbers: Option<Vec<f64>> = answer.strip_prefix("volume ").map(|rest| {
            rest.split_whitespace()
                .map_while(|word| word.parse().ok())
                .collect()
        });
        match numbers.as_deref() {
            Some([value, times @ ..]) if !times.is_empty() => Ok((*value, times.to_vec())),
            _ => bail!("{PEER} answered `{}`", answer.trim()),
        }
    }
}

impl Drop for BooleanPeer {
    fn drop(&mut self) {
        // It ends by itself when its input does; killing it only hastens that.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
