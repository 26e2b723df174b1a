//! `impinge run`: a moving scene, step by step.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use impinge::broad::{ObjectId, ObjectPair};
use impinge::pair::{ContactPoint, Shape};
use impinge::world::{Body, Event, EventKind, EventMask, StepClock, World, WorldConfig};
use impinge::{DVec3, Pose};
use impinge_study::engines::mesh_engine;
use serde::Serialize;

use crate::ExitAnswer;
use crate::args::RunArgs;
use crate::atomic_file::AtomicFile;
use crate::did_you_mean::did_you_mean;
use crate::number::{count, count_of, measure, point};
use crate::output::Output;
use crate::progress::Progress;
use crate::pyramid_run;
use crate::random_scene::{RunMethodArgs, random_scene};
use crate::scene_file::{self, Cage, SceneFile, detector_with, turned};
use crate::step_timings::{StepTimings, TimingRecord};

/// Pairs that are listed without `--json`.
const LISTED: usize = 20;

/// An object and how it moves.
struct Mover {
    id: ObjectId,
    name: String,
    velocity: DVec3,
    spin: DVec3,
    is_static: bool,
}

/// One event, for programs.
#[derive(Serialize)]
struct EventRecord<'r> {
    step: u64,
    event: &'static str,
    a: &'r str,
    b: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<PointRecord>>,
}

/// A point where two objects touch, for programs; in world coordinates.
#[derive(Clone, Copy, Debug, Serialize)]
struct PointRecord {
    point_a: [f64; 3],
    point_b: [f64; 3],
    /// From a to b.
    normal: [f64; 3],
    depth: f64,
    id: u64,
}

/// When two objects first touched, and where they did deepest, when that was requested.
#[derive(Debug)]
struct FirstContact {
    step: u64,
    deepest: Option<PointRecord>,
}

/// What happened, for programs.
#[derive(Debug, Default, Serialize)]
struct Summary {
    steps: u64,
    objects: usize,
    broad_phase: String,
    pairs_tested: u64,
    unsupported: u64,
    events: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// In milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<TimingRecord>,
}

/// Runs the scene and reports what happens.
pub(crate) fn run(args: &RunArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    if let Some(rows) = args.pyramid.pyramid {
        return pyramid_run::run(&args.pyramid, rows, out);
    }
    let (scene, shapes, source) = match (&args.scene, args.population.random) {
        (Some(path), _) => {
            let scene = scene_file::read(path)?;
            let folder = path.parent().unwrap_or_else(|| Path::new("."));
            let source = format!("scene {}", path.display());
            let shapes = scene.make_shapes(folder).with_context(|| source.clone())?;
            (scene, shapes, source)
        }
        (None, Some(count)) => {
            let (scene, shapes) = random_scene(&args.population, count)?;
            (scene, shapes, "the random scene".to_owned())
        }
        (None, None) => bail!("give a scene, --random N or --pyramid ROWS"),
    };
    let detector_name = args.broad_phase.as_ref().unwrap_or(&scene.broad_phase);
    let has_contacts = args.contacts || scene.contacts;
    let method = &args.method;
    if let Some(threads) = method.threads.filter(|&threads| threads > 1) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize);
        pool.build_global()?;
    }
    let (mut world, mut movers) =
        build(&scene, &shapes, detector_name, has_contacts, method).with_context(|| source)?;
    let is_timed = method.timings || args.population.random.is_some();
    let start = Instant::now();
    if is_timed {
        let clock = StepClock::new(move || start.elapsed().as_secs_f64());
        world.set_step_clock(Some(clock));
    }
    let mut timings = StepTimings::default();
    let cannot_write = |path: &Path| format!("cannot write the trace {}", path.display());
    let mut trace = None;
    if let Some(path) = &args.trace {
        world.start_recording()?;
        let file = AtomicFile::create(path).with_context(|| cannot_write(path))?;
        trace = Some((file, path));
    }
    let steps = args.steps.unwrap_or(scene.steps);
    let progress = Progress::counted("stepping", steps, out.is_quiet());
    let mut summary = Summary {
        steps: steps as u64,
        objects: movers.len(),
        broad_phase: world.broad_phase().name().to_owned(),
        seed: args.population.random.map(|_| args.population.seed),
        ..Summary::default()
    };
    let mut first_contact: BTreeMap<ObjectPair, FirstContact> = BTreeMap::new();
    for step in 0..steps {
        progress.done(step);
        let before = start.elapsed();
        if step > 0 {
            advance(&mut world, &mut movers, &scene)?;
        }
        let motion = start.elapsed() - before;
        world.step();
        // The first step makes every index, which is no step of a motion.
        if let Some(times) = world.step_times().filter(|_| step > 0) {
            timings.add(motion.as_secs_f64(), &times);
        }
        tell(&world, &movers, &mut summary, out)?;
        for event in world.frame().named("contact-begin") {
            first_contact
                .entry(event.pair)
                .or_insert_with(|| FirstContact {
                    step: step as u64 + 1,
                    deepest: deepest(&world, event.pair),
                });
            if scene.bounce {
                for id in [event.pair.a, event.pair.b] {
                    let mover = &mut movers[id.slot() as usize];
                    mover.velocity = -mover.velocity;
                    mover.spin = -mover.spin;
                }
            }
        }
        // Written as it comes: a long run has a trace larger than its memory.
        if let Some((file, path)) = &mut trace {
            let recorded = world.take_recording();
            file.add(recorded.as_bytes())
                .with_context(|| cannot_write(path))?;
        }
    }
    drop(progress);
    if let Some((mut file, path)) = trace {
        let rest = world.take_recording();
        file.add(rest.as_bytes())
            .and_then(|()| file.finish())
            .with_context(|| cannot_write(path))?;
    }
    summary.timings = timings.record();
    conclude(&summary, &first_contact, &movers, out)?;
    out.wrote(&args.trace)?;
    Ok(if first_contact.is_empty() {
        ExitAnswer::No
    } else {
        ExitAnswer::Yes
    })
}

fn build(
    scene: &SceneFile,
    shapes: &BTreeMap<String, Shape>,
    detector_name: &str,
    has_contacts: bool,
    method: &RunMethodArgs,
) -> anyhow::Result<(World, Vec<Mover>)> {
    let mut config = WorldConfig {
        oriented_boxes: scene.oriented_boxes,
        serial: method.threads == Some(1),
        ..WorldConfig::default()
    };
    config.pair.solid = scene.solid;
    config.pair.engine = method.engine.as_deref().and_then(mesh_engine);
    let mut world = World::new(impinge::broad::DynamicAabbTree::default(), config);
    world.set_broad_phase(detector_with(detector_name, method.resolution)?)?;
    let mut mask = EventMask::OVERLAP | EventMask::CONTACT;
    if has_contacts {
        mask = mask | EventMask::CONTACTS;
    }
    if let Some(distance) = scene.closer_than {
        mask = mask | EventMask::closer_than(distance).context("closer_than")?;
    }
    let reach = scene.closer_than.unwrap_or(0.0);
    let interest = world.interest_mut();
    interest.set_general_within(reach, move |_, _| mask)?;
    let mut movers = Vec::new();
    let mut ids = BTreeMap::new();
    for (number, spec) in scene.objects.iter().enumerate() {
        let name = spec.name.clone();
        let name = name.unwrap_or_else(|| format!("{}#{number}", spec.shape));
        let known = shapes.get(spec.shape.as_str()).cloned();
        let shape = known.ok_or_else(|| {
            let near = did_you_mean(&spec.shape, shapes.keys().map(String::as_str));
            let near = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            anyhow!("object '{name}': there is no shape '{}'{near}", spec.shape)
        })?;
        let pose = turned(spec.turn, spec.position).with_context(|| format!("object '{name}'"))?;
        let body = Body::new(shape).at(pose).named(&name);
        let body = if spec.is_static { body.fixed() } else { body };
        let id = world.insert(body)?;
        if ids.insert(name.clone(), id).is_some() {
            bail!("two objects are called '{name}'");
        }
        movers.push(Mover {
            id,
            name,
            velocity: spec.velocity.into(),
            spin: spec.spin.into(),
            is_static: spec.is_static,
        });
    }
    for names in &scene.ignore {
        let [a, b] = names;
        let id = |name: &String| {
            let id = ids.get(name).copied();
            id.ok_or_else(|| anyhow!("ignore: there is no object '{name}'"))
        };
        world
            .interest_mut()
            .set_pair(ObjectPair::new(id(a)?, id(b)?), EventMask::NOTHING);
    }
    Ok((world, movers))
}

/// Moves everything by a step of time.
fn advance(world: &mut World, movers: &mut [Mover], scene: &SceneFile) -> anyhow::Result<()> {
    for mover in movers.iter_mut().filter(|mover| !mover.is_static) {
        if mover.velocity == DVec3::ZERO && mover.spin == DVec3::ZERO {
            continue;
        }
        let Some(body) = world.body(mover.id) else {
            continue;
        };
        let before = body.world_from_body;
        let after = before.translation() + mover.velocity * scene.dt;
        if let Some(cage) = &scene.cage {
            mirror(&mut mover.velocity, after, cage);
        }
        let turn = turned((mover.spin * scene.dt).to_array(), [0.0; 3])
            .with_context(|| format!("object '{}'", mover.name))?;
        let at_origin = Pose::new(*before.rotation(), DVec3::ZERO)?;
        let there = Pose::from_translation(after);
        let there = there.with_context(|| format!("object '{}' left the world", mover.name))?;
        world.set_pose(mover.id, there * (turn * at_origin))?;
    }
    Ok(())
}

/// Turns a velocity that leads out of the cage.
fn mirror(velocity: &mut DVec3, position: DVec3, cage: &Cage) {
    for axis in 0..3 {
        let leaves_below = position[axis] < cage.min[axis] && velocity[axis] < 0.0;
        let leaves_above = position[axis] > cage.max[axis] && velocity[axis] > 0.0;
        if leaves_below || leaves_above {
            velocity[axis] = -velocity[axis];
        }
    }
}

/// Tells the events of a step.
fn tell(
    world: &World,
    movers: &[Mover],
    summary: &mut Summary,
    out: &mut Output,
) -> anyhow::Result<()> {
    let frame = world.frame();
    summary.pairs_tested += frame.stats.tested;
    summary.unsupported = summary.unsupported.max(frame.stats.unsupported);
    for event in &frame.events {
        *summary.events.entry(event.what.name()).or_default() += 1;
        // Ids are given in the order of the file and nothing is removed.
        out.record(&EventRecord {
            step: frame.number,
            event: event.what.name(),
            a: &movers[event.pair.a.slot() as usize].name,
            b: &movers[event.pair.b.slot() as usize].name,
            distance: match &event.what {
                EventKind::Closer(found) => Some(found.distance),
                _ => None,
            },
            points: match &event.what {
                EventKind::Contacts(_) => Some(points(world, event)),
                _ => None,
            },
        })?;
    }
    Ok(())
}

/// Where two objects touch, in the world.
fn points(world: &World, event: &Event) -> Vec<PointRecord> {
    let body = world.body(event.pair.a);
    let world_from_a = body.map_or(Pose::IDENTITY, |body| body.world_from_body);
    let in_world = |contact: &ContactPoint| PointRecord {
        point_a: (world_from_a * contact.point_a).to_array(),
        point_b: (world_from_a * contact.point_b).to_array(),
        normal: world_from_a.transform_vector(contact.normal).to_array(),
        depth: contact.depth,
        id: contact.id,
    };
    let points = world.frame().points(event);
    points.iter().map(in_world).collect()
}

/// The deepest point of two objects at the last step; none when they do not touch or that was not queried.
fn deepest(world: &World, pair: ObjectPair) -> Option<PointRecord> {
    let mut contacts = world.frame().named("contacts");
    let event = contacts.find(|event| event.pair == pair)?;
    let points = points(world, event).into_iter();
    points.max_by(|p, q| p.depth.total_cmp(&q.depth))
}

fn conclude(
    summary: &Summary,
    first_contact: &BTreeMap<ObjectPair, FirstContact>,
    movers: &[Mover],
    out: &mut Output,
) -> anyhow::Result<()> {
    out.record(summary)?;
    let mut contacts: Vec<(&ObjectPair, &FirstContact)> = first_contact.iter().collect();
    contacts.sort_by_key(|(pair, first)| (first.step, **pair));
    for (pair, first) in contacts.iter().take(LISTED) {
        let name = |id: ObjectId| &movers[id.slot() as usize].name;
        let place = first.deepest.map_or_else(String::new, |deepest| {
            let at = point(deepest.point_a.into());
            format!(", {} deep at {at}", measure(deepest.depth))
        });
        out.line(format_args!(
            "step {}: {} touches {}{place}",
            first.step,
            name(pair.a),
            name(pair.b)
        ))?;
    }
    if contacts.len() > LISTED {
        out.line(format_args!("… and {} more pairs", contacts.len() - LISTED))?;
    }
    let mut events: Vec<String> = Vec::new();
    for (name, number) in &summary.events {
        events.push(format!("{} {name}", count(*number as usize)));
    }
    let events = if events.is_empty() {
        "none".to_owned()
    } else {
        events.join(", ")
    };
    let steps = count_of(summary.steps as usize, "step", "steps");
    let objects = count_of(summary.objects, "object", "objects");
    let mut facts = vec![
        (
            "scene",
            format!("{objects}, {steps}, {}", summary.broad_phase),
        ),
        (
            "tests",
            count_of(summary.pairs_tested as usize, "pair", "pairs"),
        ),
        ("events", events),
        ("contacts", count_of(contacts.len(), "pair", "pairs")),
    ];
    if let Some(timings) = &summary.timings {
        let [step, stages] = timings.lines();
        facts.push(("step", step));
        facts.push(("stages", stages));
    }
    out.facts(&facts)?;
    if summary.unsupported > 0 {
        out.remark(format_args!(
            "{} could not be answered for their kinds of shapes",
            count_of(summary.unsupported as usize, "pair", "pairs")
        ));
    }
    Ok(())
}
