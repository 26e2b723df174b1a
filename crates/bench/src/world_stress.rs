//! Worlds: a host under stress, compared frame by frame with a serial world, and races compared
//! with each engine alone.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use impinge::broad::ObjectId;
use impinge::bvh::engines::MeshEngine;
use impinge::convex::{Ball, Capsule, Cuboid, GjkCache, Polyhedron, distance};
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::query::{First, Limits};
use impinge::world::{Body, EventMask, HostConfig, MeshRace, Ticket, World, WorldFrame, WorldHost};
use impinge::{DVec3, Pose, TriMesh, generate};

use crate::sample_statistics::median;
use crate::{Bar, Bars};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Frames of the host under stress
    #[arg(long, default_value_t = FRAMES)]
    frames: u64,
    /// Objects of the host
    #[arg(long, default_value_t = OBJECTS)]
    objects: usize,
    /// Rounds in which each contender of a race is measured
    #[arg(long, default_value_t = 31)]
    rounds: usize,
}

/// Frames and objects that the host is judged with; fewer leave its bar open.
const FRAMES: u64 = 100_000;
const OBJECTS: usize = 200;
/// Threads that edit.
const PRODUCERS: usize = 4;
/// How long nothing may happen before that counts as a deadlock. A frame takes less than a thousandth of it.
const STALL: Duration = Duration::from_secs(60);
/// From this time of the better engine on, a race may take [`RACE`] times as long, below it [`SHORT_RACE`] times.
const LONG_MICROSECONDS: f64 = 200.0;
const RACE: f64 = 1.1;
const SHORT_RACE: f64 = 1.3;
/// Half the side of the cube that objects are in.
const SIZE: f64 = 8.0;

/// What a producer did, with its ticket.
enum ProducerAction {
    Insert(Body, ObjectId),
    Remove(ObjectId),
    SetPose(ObjectId, Pose),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    stress(args, &mut bars)?;
    races(args, &mut bars)?;
    Ok(bars.end())
}

fn world() -> World {
    let mut world = World::default();
    let all = EventMask::OVERLAP | EventMask::CONTACT | EventMask::TOUCHING;
    world.interest_mut().set_general(move |_, _| all);
    world
}

fn shapes() -> anyhow::Result<[Shape; 3]> {
    Ok([
        Shape::from(Ball::new(0.75)?),
        Shape::from(Cuboid::new([0.5, 1.0, 0.25])?),
        Shape::from(Capsule::new([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 0.5)?),
    ])
}

fn pose(rng: &mut Rng) -> anyhow::Result<Pose> {
    let angle = rng.range(-3.0, 3.0);
    Ok(Pose::from_axis_angle(
        rng.direction(),
        angle,
        rng.cube() * SIZE,
    )?)
}

/// How far the run under stress is, for a watch that touches nothing else: whoever waits for a lock of the host's would wait with it.
#[derive(Debug, Default)]
struct StressProgress {
    /// The newest frame that a producer saw.
    seen: AtomicU64,
    judged: AtomicU64,
    is_over: AtomicBool,
}

impl StressProgress {
    fn so_far(&self) -> (u64, u64) {
        let seen = self.seen.load(Ordering::Relaxed);
        (seen, self.judged.load(Ordering::Relaxed))
    }
}

/// Ends the program with a missed bar when nothing happens for so long: threads that wait for one another cannot be ended in another way.
fn watch(advance: Arc<StressProgress>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let (mut last, mut since) = (advance.so_far(), Instant::now());
        while !advance.is_over.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_secs(1));
            let now = advance.so_far();
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() >= STALL {
                let (seen, judged) = now;
                let told = format!(
                    "no deadlock: nothing happened for {} s after {seen} frames, {judged} of them judged",
                    STALL.as_secs()
                );
                Bars::default().say(Bar::Missed, told);
                std::process::exit(i32::from(Bar::Missed.exit_code()));
            }
        }
    })
}

fn stress(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    let shapes = shapes()?;
    let (mut hosted, serial) = (world(), &mut world());
    let mut rng = Rng::new(1);
    let mut owned = vec![Vec::new(); PRODUCERS];
    for k in 0..args.objects {
        let body = Body::new(shapes[k % 3].clone()).at(pose(&mut rng)?);
        let id = hosted.insert(body.clone())?;
        ensure!(
            serial.insert(body)? == id,
            "ids follow the order of insertion"
        );
        owned[k % PRODUCERS].push(id);
    }
    let host = WorldHost::spawn(
        hosted,
        HostConfig {
            max_log: usize::MAX,
        },
    )?;
    let started = Instant::now();
    let advance = Arc::new(StressProgress::default());
    let watched = watch(Arc::clone(&advance));
    let (send, deeds) = mpsc::channel();
    let judged = std::thread::scope(|scope| {
        for (seed, own) in owned.into_iter().enumerate() {
            let (host, shapes, send, seen) = (&host, &shapes, send.clone(), &advance.seen);
            scope.spawn(move || {
                let until = (args.frames, seen);
                produce(host, shapes, seed as u64, own, until, &send);
            });
        }
        drop(send);
        judge(&host, serial, &deeds, &advance.judged)
    })?;
    let seconds = started.elapsed().as_secs_f64();
    host.stop()?;
    advance.is_over.store(true, Ordering::Relaxed);
    watched.thread().unpark();
    let _ = watched.join();
    println!(
        "host: {} objects, {PRODUCERS} threads that edit, {} frames, {} edits in {seconds:.1} s",
        args.objects, judged.frames, judged.edits
    );
    let is_right = judged.wrong == 0 && judged.frames >= args.frames;
    let is_full = args.frames >= FRAMES && args.objects >= OBJECTS;
    let bar = Bar::of(is_right).and(if is_full { Bar::Met } else { Bar::Open });
    bars.say(
        bar,
        format_args!(
            "no deadlock, every frame is the serial answer for its tag: {} wrong of {} frames of {} objects, asked none of {FRAMES} of {OBJECTS}",
            judged.wrong, judged.frames, args.objects
        ),
    );
    Ok(())
}

/// Edits at random until the host has made enough frames.
fn produce(
    host: &WorldHost,
    shapes: &[Shape; 3],
    seed: u64,
    mut own: Vec<ObjectId>,
    (frames, seen): (u64, &AtomicU64),
    send: &mpsc::Sender<(u64, ProducerAction)>,
) {
    let mut rng = Rng::new(100 + seed);
    loop {
        let newest = host.latest().number;
        seen.fetch_max(newest, Ordering::Relaxed);
        if newest >= frames {
            return;
        }
        let Ok(placed) = pose(&mut rng) else {
            return;
        };
        let any = rng.below(own.len() as u64) as usize;
        let (ticket, deed) = match rng.below(40) {
            0 => {
                let body = Body::new(shapes[any % 3].clone()).at(placed);
                let Some((ticket, id)) = host.insert(body.clone()) else {
                    return;
                };
                own.push(id);
                (ticket, ProducerAction::Insert(body, id))
            }
            1 if own.len() > 20 => {
                let id = own.swap_remove(any);
                (host.remove(id), ProducerAction::Remove(id))
            }
            _ => (
                host.set_pose(own[any], placed),
                ProducerAction::SetPose(own[any], placed),
            ),
        };
        if send.send((ticket.0, deed)).is_err() {
            return;
        }
        // Now and then it waits for its answer, as an application does.
        if rng.below(3) == 0 {
            let _ = host.wait_for(Ticket(ticket.0));
        }
    }
}

#[derive(Default)]
struct JudgedFrames {
    frames: u64,
    edits: u64,
    wrong: u64,
}

/// Does everything again serially and compares each frame.
fn judge(
    host: &WorldHost,
    serial: &mut World,
    deeds: &mpsc::Receiver<(u64, ProducerAction)>,
    done: &AtomicU64,
) -> anyhow::Result<JudgedFrames> {
    let mut judged = JudgedFrames::default();
    let mut waiting = std::collections::BTreeMap::new();
    let mut applied = 0;
    let mut is_last = false;
    while !is_last {
        // When every producer is gone, what the host has made by then is all there is.
        let deed = deeds.recv();
        is_last = deed.is_err();
        waiting.extend(deed);
        waiting.extend(deeds.try_iter());
        if is_last {
            let newest = waiting
                .last_key_value()
                .map_or(applied, |(ticket, _)| *ticket);
            let _ = host.wait_for(Ticket(newest));
        } else if waiting.len() < 256 {
            continue;
        }
        for frame in host.take_frames().0 {
            while applied < frame.tag {
                let next = match waiting.remove(&(applied + 1)) {
                    Some(deed) => deed,
                    None => {
                        // Its producer has the ticket but did not tell yet.
                        waiting.extend([deeds.recv().context("a deed is missing")?]);
                        continue;
                    }
                };
                apply(serial, next)?;
                applied += 1;
            }
            judged.wrong += u64::from(!is_right(serial, &frame));
            judged.frames += 1;
            done.store(judged.frames, Ordering::Relaxed);
        }
    }
    judged.edits = applied;
    Ok(judged)
}

fn apply(serial: &mut World, deed: ProducerAction) -> anyhow::Result<()> {
    match deed {
        ProducerAction::Insert(body, id) => ensure!(serial.insert(body)? == id, "ids differ"),
        ProducerAction::Remove(id) => serial.remove(id)?,
        ProducerAction::SetPose(id, placed) => serial.set_pose(id, placed)?,
    }
    Ok(())
}

fn is_right(serial: &mut World, frame: &WorldFrame) -> bool {
    let number = serial.step().number;
    let expected = serial.frame();
    let poses = serial.bodies().map(|(id, body)| (id, body.world_from_body));
    number == frame.number
        && expected.events == frame.events
        && poses.eq(frame.poses.iter().copied())
}

/// A pair of meshes and where they are.
struct RacedPair {
    name: &'static str,
    a: Arc<TriMesh>,
    b: Arc<TriMesh>,
    poses: Vec<Pose>,
}

fn races(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    println!(
        "race: median time of a question, in µs; better is the faster of exact and planes that answers"
    );
    println!(
        "{:<34} {:>9} {:>9} {:>9} {:>7} {:>7}",
        "", "exact", "planes", "race", "ratio", "asked"
    );
    // Whether each duel of a class is met: where the better engine is quick, and where it is not.
    let mut classes = [Vec::new(), Vec::new()];
    for duel in duels()? {
        let RaceTimes {
            exact,
            planes,
            race,
        } = measured(&duel, args.rounds.max(1))?;
        let better = planes.map_or(exact, |planes| planes.min(exact));
        let is_long = better >= LONG_MICROSECONDS;
        let allowed = if is_long { RACE } else { SHORT_RACE };
        let ratio = race / better;
        classes[usize::from(is_long)].push(ratio <= allowed);
        let planes = planes.map_or_else(|| "–".to_owned(), |planes| format!("{planes:.2}"));
        println!(
            "{:<34} {exact:>9.2} {planes:>9} {race:>9.2} {ratio:>7.2} {allowed:>7.1}",
            duel.name
        );
    }
    let [short, long] = classes;
    for (met, allowed, side) in [(long, RACE, "at least"), (short, SHORT_RACE, "less than")] {
        let (all, kept) = (met.len(), met.iter().filter(|met| **met).count());
        // Without a duel of the class the bar is open.
        bars.say(
            Bar::every(met),
            format_args!(
                "race at most {allowed}x the better engine where that needs {side} {LONG_MICROSECONDS} µs: {kept} of {all} duels"
            ),
        );
    }
    Ok(())
}

fn duels() -> anyhow::Result<Vec<RacedPair>> {
    let model = |name: &str, faces| -> anyhow::Result<Arc<TriMesh>> {
        let kind = generate::model(name).with_context(|| format!("model {name}"))?;
        Ok(Arc::new(kind.make(Some(faces), 1)?))
    };
    let mut rng = Rng::new(3);
    let mut around = |distance: f64, spread: f64| -> anyhow::Result<Vec<Pose>> {
        let turn = rng.direction();
        (0..32)
            .map(|k| {
                let at = DVec3::new(distance + spread * rng.unit(), 0.0, 0.0);
                Ok(Pose::from_axis_angle(turn, 0.002 * f64::from(k), at)?)
            })
            .collect()
    };
    let blob = model("blob", 20_000)?;
    let knot = model("torus-knot", 60_000)?;
    let size = |mesh: &TriMesh| mesh.bounds().diagonal().x;
    let (width, knot_width) = (size(&blob), size(&knot));
    // A copy shrunk a little lies inside without touching: hulls overlap, surfaces do not.
    let shrunk = |mesh: &TriMesh, by: f64| -> anyhow::Result<Arc<TriMesh>> {
        let positions = mesh.positions().iter().map(|p| *p * by).collect();
        Ok(Arc::new(TriMesh::new(positions, mesh.faces().to_vec())?))
    };
    let ball = Arc::new(generate::icosphere(1.0, 80)?);
    let pair = |name, a: &Arc<TriMesh>, b: &Arc<TriMesh>, poses| RacedPair {
        name,
        a: Arc::clone(a),
        b: Arc::clone(b),
        poses,
    };
    let apart = around(1.3 * width, 0.05 * width)?;
    let contact = around(0.5 * width, 0.05 * width)?;
    let near = around(1.02 * knot_width, 0.01 * knot_width)?;
    let (smaller, hardly_smaller) = (shrunk(&ball, 0.99)?, shrunk(&ball, 0.998)?);
    let inside = around(0.0, 0.001)?;
    let hardly_inside = around(0.0, 0.0002)?;
    Ok(vec![
        pair("blobs apart", &blob, &blob, apart),
        pair("blobs in contact", &blob, &blob, contact),
        pair("knots apart, hulls near", &knot, &knot, near),
        pair("ball in a ball, apart", &ball, &smaller, inside),
        pair(
            "ball in a ball, hardly apart",
            &ball,
            &hardly_smaller,
            hardly_inside,
        ),
    ])
}

/// What was measured of a pair, in µs per question.
struct RaceTimes {
    exact: f64,
    /// None when some question has no plane for an answer.
    planes: Option<f64>,
    race: f64,
}

/// Medians over interleaved rounds; every contender sees the poses in order, so what it keeps helps it.
fn measured(duel: &RacedPair, rounds: usize) -> anyhow::Result<RaceTimes> {
    let mut exact = MeshEngine::WideTree.prepare(Arc::clone(&duel.a), Arc::clone(&duel.b));
    let mut race = MeshRace::new(&duel.a, &duel.b);
    let hull = |mesh: &TriMesh| Polyhedron::new(&mesh.triangles().flatten().collect::<Vec<_>>());
    let (hull_a, hull_b) = (hull(&duel.a)?, hull(&duel.b)?);
    let mut gjk = GjkCache::new();
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let mut are_planes_enough = true;
    for round in 0..=rounds {
        let mut answers = [Vec::new(), Vec::new()];
        // To and fro, so that nobody always comes after the same one's memory.
        let order = if round % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
        for contender in order {
            let started = Instant::now();
            for pose in &duel.poses {
                match contender {
                    0 => {
                        let mut first = First::default();
                        let _ = exact.intersections(pose, Limits::default(), &mut first);
                        answers[0].push(first.0.is_some());
                    }
                    1 => {
                        let apart = distance(&hull_a, &hull_b, pose, &mut gjk).lower > 0.0;
                        are_planes_enough &= black_box(apart);
                    }
                    _ => answers[1].push(race.intersects(pose)),
                }
            }
            let spent = started.elapsed();
            // The first round warms up.
            if round > 0 {
                times[contender].push(spent.as_secs_f64() * 1e6 / duel.poses.len() as f64);
            }
        }
        ensure!(
            answers[0] == answers[1],
            "{}: the race answers otherwise",
            duel.name
        );
    }
    let [exact, planes, race] = times.map(median);
    Ok(RaceTimes {
        exact,
        planes: are_planes_enough.then_some(planes),
        race,
    })
}
