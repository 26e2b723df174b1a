//! How a step of a world scales with threads, and what the race costs beside each engine alone.
//!
//! The scenes are those of Zachmann 1994, section 6.6: ten mixed objects, and a hundred tetrahedra, moving in a cage. Every scene runs on
//! one thread and on two, some steps in turn, so that both see the same machine. Run it with `--release`; arguments are the numbers of threads.

use std::sync::Arc;
use std::time::Instant;

use impinge::broad::{DynamicAabbTree, DynamicAabbTreeConfig, ObjectId};
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::convex::{Ball, Capsule, Cuboid, GjkCache, Polyhedron, distance};
use impinge::math::Rng;
use impinge::pair::{IntersectionQuery, MeshShape, PairConfig, Shape};
use impinge::query::{First, Limits};
use impinge::world::{Body, EventMask, World, WorldConfig, WorldError};
use impinge::{DVec3, Pose, TriMesh, generate};
use rayon::{ThreadPool, ThreadPoolBuilder};

type AnyError = Box<dyn std::error::Error>;

const STEPS: usize = 800;
/// Steps of one contender before the other has its turn.
const IN_A_ROW: usize = 40;

/// Bodies that tumble in a cage.
struct Cage {
    name: &'static str,
    shapes: Vec<Shape>,
    /// Half the side of the cage.
    half: f64,
    events: EventMask,
}

fn mesh(name: &str, faces: usize) -> Result<TriMesh, AnyError> {
    let model = generate::model(name).ok_or("a built-in model")?;
    let (points, triangles) = model.make(Some(faces), 1)?.into_parts();
    let whole = impinge::bound::Aabb::enclosing(points.iter().copied());
    let scale = 1.0 / whole.diagonal().max_element();
    let points = points.into_iter().map(|p| (p - whole.center()) * scale);
    Ok(TriMesh::new(points.collect(), triangles)?)
}

fn shape(mesh: TriMesh) -> Shape {
    Shape::from(MeshShape::new(Arc::new(mesh)))
}

fn scenes() -> Result<Vec<Cage>, AnyError> {
    let mixed = || -> Result<Vec<Shape>, AnyError> {
        let mut rng = Rng::new(5);
        let hull: Vec<DVec3> = (0..60).map(|_| rng.direction() * 0.5).collect();
        Ok(vec![
            shape(mesh("torus-knot", 2000)?),
            shape(mesh("blob", 1000)?),
            shape(mesh("gear", 1000)?),
            shape(mesh("torus", 500)?),
            shape(generate::icosphere(0.5, 6)?),
            Polyhedron::new(&hull)?.into(),
            Cuboid::new([0.5, 0.4, 0.3])?.into(),
            Capsule::new([0.0, 0.0, -0.3], [0.0, 0.0, 0.3], 0.2)?.into(),
            Ball::new(0.5)?.into(),
            shape(mesh("mushroom", 1500)?),
        ])
    };
    let contact = EventMask::CONTACT | EventMask::TOUCHING;
    let near = EventMask::closer_than(0.5)?;
    let tetrahedra = vec![shape(generate::tetrahedron(0.7)?); 100];
    Ok(vec![
        Cage {
            name: "10 mixed objects, contact",
            shapes: mixed()?,
            half: 0.8,
            events: contact,
        },
        Cage {
            name: "10 mixed objects, distance",
            shapes: mixed()?,
            half: 0.8,
            events: contact | near,
        },
        Cage {
            name: "10 mixed objects, manifolds",
            shapes: mixed()?,
            half: 0.8,
            events: contact | EventMask::CONTACTS,
        },
        Cage {
            name: "100 tetrahedra, contact",
            shapes: tetrahedra.clone(),
            half: 1.5,
            events: contact,
        },
        Cage {
            name: "100 tetrahedra, distance",
            shapes: tetrahedra,
            half: 1.5,
            events: contact | near,
        },
    ])
}

/// A world of a cage, and where its bodies are at every step.
struct Run {
    world: World,
    ids: Vec<ObjectId>,
    pool: ThreadPool,
    times: Vec<f64>,
}

impl Run {
    fn new(cage: &Cage, threads: usize, race: bool) -> Result<Self, AnyError> {
        let config = WorldConfig {
            serial: threads == 1,
            pair: PairConfig {
                race,
                ..PairConfig::default()
            },
            ..WorldConfig::default()
        };
        let parallel = threads > 1;
        let broad = DynamicAabbTree::new(DynamicAabbTreeConfig { parallel });
        let mut world = World::new(broad, config);
        let events = cage.events;
        world.interest_mut().set_reach(events);
        world.interest_mut().set_general(move |_, _| events);
        let bodies = cage.shapes.iter().map(|shape| Body::new(shape.clone()));
        let ids = bodies
            .map(|body| world.insert(body))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            world,
            ids,
            pool: ThreadPoolBuilder::new().num_threads(threads).build()?,
            times: Vec::new(),
        })
    }

    /// Moves everything and steps, several times in a row; the time of each is kept. In a row, because threads that wait for long fall asleep.
    fn steps(&mut self, poses: &[Vec<Pose>]) -> Result<(), WorldError> {
        let Self {
            world,
            ids,
            pool,
            times,
        } = self;
        pool.install(|| {
            for placed in poses {
                let start = Instant::now();
                for (id, pose) in ids.iter().zip(placed) {
                    world.set_pose(*id, *pose)?;
                }
                world.step();
                times.push(start.elapsed().as_secs_f64() * 1e6);
            }
            Ok(())
        })
    }
}

fn path(cage: &Cage, steps: usize) -> Result<Vec<Vec<Pose>>, AnyError> {
    let mut rng = Rng::new(1994);
    let mut bodies: Vec<[DVec3; 3]> = Vec::new();
    for _ in &cage.shapes {
        bodies.push([
            rng.cube() * cage.half,
            rng.direction() * 0.01 * cage.half,
            rng.direction(),
        ]);
    }
    let mut poses = Vec::new();
    for step in 0..steps {
        let mut placed = Vec::new();
        for [at, speed, axis] in &mut bodies {
            *at += *speed;
            for k in 0..3 {
                if at[k].abs() > cage.half {
                    speed[k] = -speed[k].abs() * at[k].signum();
                }
            }
            placed.push(Pose::from_axis_angle(*axis, 0.02 * step as f64, *at)?);
        }
        poses.push(placed);
    }
    Ok(poses)
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn coarse_grain(threads: &[usize]) -> Result<(), AnyError> {
    println!("a step of a world, median of {STEPS}, in µs");
    println!(
        "{:<30} {:>7} {:>7} {:>9} {:>9} {:>9} {:>9}",
        "", "near", "threads", "alone", "shared", "speed-up", "per core"
    );
    for cage in scenes()? {
        let poses = path(&cage, STEPS)?;
        for &count in threads {
            let mut alone = Run::new(&cage, 1, false)?;
            let mut shared = Run::new(&cage, count, false)?;
            let mut near = 0;
            for some in poses.chunks(IN_A_ROW) {
                alone.steps(some)?;
                shared.steps(some)?;
                near += alone.world.frame().stats.near;
                if alone.world.frame() != shared.world.frame() {
                    return Err(format!("{}: threads change the answer", cage.name).into());
                }
            }
            let (one, many) = (median(&alone.times), median(&shared.times));
            let speedup = one / many;
            println!(
                "{:<30} {:>7.1} {count:>7} {one:>9.1} {many:>9.1} {speedup:>9.2} {:>9.2}",
                cage.name,
                near as f64 / poses.chunks(IN_A_ROW).len() as f64,
                speedup / count as f64
            );
        }
    }
    Ok(())
}

fn raced_worlds() -> Result<(), AnyError> {
    println!("\nthe race as an option of worlds, one thread, median of {STEPS} steps, in µs");
    println!("{:<30} {:>9} {:>9} {:>9}", "", "exact", "race", "ratio");
    for cage in scenes()? {
        let poses = path(&cage, STEPS)?;
        let mut exact = Run::new(&cage, 1, false)?;
        let mut raced = Run::new(&cage, 1, true)?;
        for some in poses.chunks(IN_A_ROW) {
            exact.steps(some)?;
            raced.steps(some)?;
            if exact.world.frame().stats != raced.world.frame().stats {
                return Err(format!("{}: the race changes the answer", cage.name).into());
            }
        }
        let (one, other) = (median(&exact.times), median(&raced.times));
        let ratio = other / one;
        println!("{:<30} {one:>9.1} {other:>9.1} {ratio:>9.2}", cage.name);
    }
    Ok(())
}

/// Two meshes and where they are.
struct Duel {
    name: &'static str,
    a: TriMesh,
    b: TriMesh,
    poses: Vec<Pose>,
}

fn duels() -> Result<Vec<Duel>, AnyError> {
    let mut rng = Rng::new(3);
    let mut around = |from: f64, to: f64, turn: f64| -> Result<Vec<Pose>, AnyError> {
        let axis = rng.direction();
        let poses = (0..64).map(|k| {
            let t = f64::from(k) / 63.0;
            Pose::from_axis_angle(axis, turn * t, [from + (to - from) * t, 0.05 * t, 0.0])
        });
        Ok(poses.collect::<Result<_, _>>()?)
    };
    let shrunk = |mesh: &TriMesh, by: f64| {
        let points = mesh.positions().iter().map(|p| *p * by).collect();
        TriMesh::new(points, mesh.faces().to_vec())
    };
    let (blob, knot) = (mesh("blob", 20_000)?, mesh("torus-knot", 20_000)?);
    let ball = generate::icosphere(0.5, 40)?;
    let small = generate::icosphere(0.5, 3)?;
    let mut random = Rng::new(8);
    let mut scattered = Vec::new();
    for k in 0..64 {
        let at = random.cube() * 1.2;
        scattered.push(Pose::from_axis_angle(random.direction(), f64::from(k), at)?);
    }
    let duel = |name, both: &TriMesh, poses| Duel {
        name,
        a: both.clone(),
        b: both.clone(),
        poses,
    };
    Ok(vec![
        duel("blobs apart", &blob, around(1.3, 1.35, 0.1)?),
        duel("blobs in contact", &blob, around(0.5, 0.55, 0.1)?),
        duel("blobs through each other", &blob, around(-1.3, 1.3, 0.5)?),
        duel("blobs at random", &blob, scattered.clone()),
        duel("knots, hulls near", &knot, around(1.0, 1.03, 0.05)?),
        duel("knots at random", &knot, scattered.clone()),
        Duel {
            name: "ball in a ball, apart",
            b: shrunk(&ball, 0.99)?,
            a: ball,
            poses: around(0.0, 0.0005, 0.01)?,
        },
        duel(
            "small balls through each other",
            &small,
            around(-1.3, 1.3, 0.5)?,
        ),
        duel("small balls at random", &small, scattered),
    ])
}

fn races() -> Result<(), AnyError> {
    println!(
        "\nthe race as an option of pairs, median time of a question, in µs; – where planes do not decide"
    );
    println!(
        "{:<32} {:>9} {:>9} {:>9} {:>7}",
        "", "exact", "planes", "race", "ratio"
    );
    for Duel { name, a, b, poses } in duels()? {
        let hull =
            |mesh: &TriMesh| Polyhedron::new(&mesh.triangles().flatten().collect::<Vec<_>>());
        let hulls = [hull(&a)?, hull(&b)?];
        let [a, b] = [a, b].map(|mesh| Arc::new(MeshShape::new(Arc::new(mesh))));
        let trees: [Arc<WideTree>; 2] = [Arc::clone(a.wide()), Arc::clone(b.wide())];
        let config = PairConfig {
            race: true,
            ..PairConfig::default()
        };
        let mut raced = IntersectionQuery::new(&Shape::Mesh(a), &Shape::Mesh(b), &config)?;
        let (mut cache, mut gjk) = (WideCache::default(), GjkCache::new());
        let mut times = [const { Vec::new() }; 3];
        let mut do_planes_decide = true;
        for round in 0..41 {
            let mut answers = [0, 0];
            // To and fro, so that nobody always comes after the same one's memory.
            let order = if round % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
            for contender in order {
                let start = Instant::now();
                for pose in &poses {
                    match contender {
                        0 => {
                            let mut first = First::default();
                            let limits = Limits::default();
                            let [a, b] = &trees;
                            let _ = a.intersections(b, pose, limits, &mut cache, &mut first);
                            answers[0] += u32::from(first.0.is_some());
                        }
                        1 => {
                            let found = distance(&hulls[0], &hulls[1], pose, &mut gjk);
                            do_planes_decide &= found.lower > 0.0;
                        }
                        _ => answers[1] += u32::from(raced.any(pose)),
                    }
                }
                if round > 0 {
                    let spent = start.elapsed().as_secs_f64() * 1e6;
                    times[contender].push(spent / poses.len() as f64);
                }
            }
            if answers[0] != answers[1] {
                return Err(format!("{name}: the race changes the answer").into());
            }
        }
        let [exact, planes, race] = times.map(|times| median(&times));
        let better = if do_planes_decide {
            planes.min(exact)
        } else {
            exact
        };
        let told = if do_planes_decide {
            format!("{planes:.2}")
        } else {
            "–".to_owned()
        };
        let ratio = race / better;
        println!("{name:<32} {exact:>9.2} {told:>9} {race:>9.2} {ratio:>7.2}");
    }
    Ok(())
}

fn main() -> Result<(), AnyError> {
    let mut threads = Vec::new();
    for argument in std::env::args().skip(1) {
        threads.push(argument.parse::<usize>()?.max(1));
    }
    if threads.is_empty() {
        threads.push(2);
    }
    coarse_grain(&threads)?;
    raced_worlds()?;
    races()
}
