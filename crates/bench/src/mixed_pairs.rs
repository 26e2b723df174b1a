//! How fast convex shapes are decided and measured against meshes, beside parry and Coal on the same placements; every judged answer
//! is compared with one that looks at each face.

use std::sync::Arc;

use anyhow::Context;
use impinge::convex::{Polyhedron, Triangle};
use impinge::generate;
use impinge::math::Rng;
use impinge::pair::{DistanceQuery, IntersectionQuery, PairConfig, Shape};
use impinge::query::{FaceId, Limits};
use impinge::{DVec3, Pose, TriMesh};

use crate::convex_speed::{ConvexQuery, ConvexScene, GivenShape, is_same, measure};
use crate::counting_alloc::allocations_of;
use crate::line_process::program;
use crate::{Bar, Bars};

/// The bar of ours, as a geometric mean.
const FASTER_THAN_PARRY: f64 = 3.0;
const FASTER_THAN_COAL: f64 = 2.0;

/// Programs of runners and their engines.
const ENGINES: [(&str, &str); 3] = [
    ("convex-coal", "coal"),
    ("convex-rs", "parry"),
    ("convex-rs", "parry-f64"),
];

/// Distances differ by no more than this part of the size of the mesh.
const AGREEMENT: f64 = 1e-12;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Questions about each shape and mesh
    #[arg(long, default_value_t = 2000)]
    questions: usize,
    /// Questions of each that are judged by looking at every face
    #[arg(long, default_value_t = 200)]
    judged: usize,
    /// Rounds, each engine once in each
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// A ball with waves on it.
fn wavy(frequency: u32) -> anyhow::Result<TriMesh> {
    let ball = generate::icosphere(1.0, frequency)?;
    let waved = ball.positions().iter().map(|&p| {
        let coarse = (7.0 * p.x).sin() * (5.0 * p.y).cos() + 0.7 * (9.0 * p.z + 1.0).sin();
        let fine = 0.2 * (31.0 * p.x).sin() * (29.0 * p.z).cos();
        p * (1.0 + 0.12 * (coarse + fine))
    });
    TriMesh::new(waved.collect(), ball.faces().to_vec()).context("the waves are too high")
}

/// Names of the shapes and the shapes, of about a fifth of the meshes' size.
fn shapes() -> anyhow::Result<Vec<(&'static str, GivenShape)>> {
    let mut rng = Rng::new(5);
    let points: Vec<DVec3> = (0..32).map(|_| rng.direction() * 0.2).collect();
    Ok(vec![
        ("ball", GivenShape::Ball(0.2)),
        ("capsule", GivenShape::Capsule(0.15, 0.08)),
        ("box", GivenShape::Cuboid(DVec3::new(0.2, 0.12, 0.1))),
        (
            "hull of 32",
            GivenShape::Hull(Box::new(Polyhedron::new(&points)?)),
        ),
    ])
}

/// Random places around a mesh of about unit size.
fn placements(query: ConvexQuery, count: usize) -> anyhow::Result<Vec<(usize, Pose)>> {
    let mut rng = Rng::new(77);
    // Half of the first meet, more or less; none of the second do.
    let away = match query {
        ConvexQuery::Intersects => 0.85..1.35,
        ConvexQuery::Distance => 1.5..2.5,
    };
    (0..count)
        .map(|_| {
            let way = rng.direction() * rng.range(away.start, away.end);
            let (axis, angle) = (rng.direction(), rng.range(-3.0, 3.0));
            Ok((0, Pose::from_axis_angle(axis, angle, way)?))
        })
        .collect()
}

/// Looks at every face that a ball around the shape does not rule out.
struct FaceByFace<'m> {
    mesh: &'m TriMesh,
    shape: Shape,
    /// Middles of faces, and how far they reach from there.
    around: Vec<(DVec3, f64)>,
    radius: f64,
}

impl<'m> FaceByFace<'m> {
    fn new(mesh: &'m TriMesh, shape: Shape) -> anyhow::Result<Self> {
        let bounds = shape.bounds(&Pose::IDENTITY).context("no bounds")?;
        let around = mesh.triangles().map(|corners| {
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let reach = corners.map(|p| p.distance(middle));
            (middle, reach[0].max(reach[1]).max(reach[2]))
        });
        Ok(Self {
            mesh,
            shape,
            around: around.collect(),
            radius: bounds.min.abs().max(bounds.max.abs()).length(),
        })
    }

    /// Faces that may be nearer than a bound, the most promising first.
    fn candidates(&self, place: DVec3, bound: f64) -> Vec<(f64, FaceId)> {
        let least = |&(middle, reach): &(DVec3, f64)| {
            middle.distance(place) * (1.0 - 1e-12) - reach - self.radius - 1e-12
        };
        let mut left: Vec<(f64, FaceId)> = self
            .around
            .iter()
            .enumerate()
            .map(|(face, around)| (least(around), FaceId::new(face as u32)))
            .filter(|(least, _)| *least <= bound)
            .collect();
        left.sort_by(|a, b| a.0.total_cmp(&b.0));
        left
    }

    fn face(&self, face: FaceId) -> anyhow::Result<Shape> {
        let corners = self.mesh.face(face).context("no such face")?;
        Ok(Triangle::new(corners)?.into())
    }

    fn meets(&self, pose: &Pose) -> anyhow::Result<bool> {
        for (_, face) in self.candidates(pose.translation(), 0.0) {
            let face = self.face(face)?;
            if IntersectionQuery::new(&face, &self.shape, &PairConfig::default())?.any(pose) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn distance(&self, pose: &Pose) -> anyhow::Result<f64> {
        let mut best = f64::INFINITY;
        for (least, face) in self.candidates(pose.translation(), f64::INFINITY) {
            if least > best {
                break;
            }
            let face = self.face(face)?;
            let mut query = DistanceQuery::new(&face, &self.shape, &PairConfig::default())?;
            let found = query.at(pose, Limits::default()).value;
            best = found.map_or(best, |found| best.min(found.distance));
        }
        Ok(best)
    }
}

/// Wrong answers, and allocations of warm queries.
#[derive(Default)]
struct Judgement {
    judged: u64,
    wrong: u64,
    allocated: u64,
}

impl Judgement {
    fn add(
        &mut self,
        mesh: &Arc<TriMesh>,
        given: &GivenShape,
        query: ConvexQuery,
        questions: &[(usize, Pose)],
        judged: usize,
    ) -> anyhow::Result<()> {
        let (config, shape) = (PairConfig::default(), given.shape()?);
        let surface = GivenShape::Mesh(mesh.clone()).shape()?;
        let every = FaceByFace::new(mesh, shape.clone())?;
        let mut meet = IntersectionQuery::new(&surface, &shape, &config)?;
        let mut gap = DistanceQuery::new(&surface, &shape, &config)?;
        let mut ask = |pose: &Pose| match query {
            ConvexQuery::Intersects => f64::from(u8::from(meet.any(pose))),
            ConvexQuery::Distance => gap
                .at(pose, Limits::default())
                .value
                .map_or(f64::NAN, |found| found.distance),
        };
        let first: Vec<f64> = questions.iter().map(|(_, pose)| ask(pose)).collect();
        // The same placements again must give the same numbers.
        let mut changed = 0;
        let [allocated, _] = allocations_of(|| {
            for ((_, pose), first) in questions.iter().zip(&first) {
                changed += u64::from(ask(pose).total_cmp(first).is_ne());
            }
        });
        self.wrong += changed;
        self.allocated += allocated;
        for ((_, pose), answer) in questions.iter().zip(first).take(judged) {
            let is_right = match query {
                ConvexQuery::Intersects => (answer > 0.5) == every.meets(pose)?,
                ConvexQuery::Distance => (every.distance(pose)? - answer).abs() <= AGREEMENT,
            };
            self.judged += 1;
            self.wrong += u64::from(!is_right);
        }
        Ok(())
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    for (name, _) in ENGINES {
        if program(name).is_none() {
            println!("absent: {name}; `cargo xtask peers {name}` builds it");
        }
    }
    let mut judgement = Judgement::default();
    // Logarithms of ratios, per engine.
    let mut ratios: [Vec<f64>; ENGINES.len()] = Default::default();
    for query in [ConvexQuery::Intersects, ConvexQuery::Distance] {
        println!("\n{}: nanoseconds a question", query.name());
        for frequency in [32, 122] {
            let mesh = Arc::new(wavy(frequency)?);
            for (name, given) in shapes()? {
                let questions = placements(query, args.questions)?;
                judgement.add(&mesh, &given, query, &questions, args.judged)?;
                let scene = ConvexScene {
                    shapes: vec![GivenShape::Mesh(mesh.clone()), given],
                    pairs: vec![[0, 1]],
                    questions,
                };
                let rows = measure(&scene, query, &ENGINES, args.rounds)?;
                let Some((ours, others)) = rows.split_first() else {
                    continue;
                };
                let faces = mesh.face_count();
                print!(
                    "{name} against {faces} faces: impinge {:.0}",
                    ours.nanoseconds
                );
                for row in others {
                    let ratio = row.nanoseconds / ours.nanoseconds;
                    let mark = if is_same(row.value, ours.value) {
                        ""
                    } else {
                        "*"
                    };
                    print!(" {} {:.0}{mark} ({ratio:.2}x)", row.engine, row.nanoseconds);
                    let place = ENGINES.iter().position(|(_, engine)| *engine == row.engine);
                    if let Some(ratios) = place.and_then(|place| ratios.get_mut(place)) {
                        ratios.push(ratio.ln());
                    }
                }
                println!();
            }
        }
    }
    println!("*: another answer, by more than one part in a hundred thousand of all");
    bars.say(
        Bar::none_wrong(judgement.wrong, judgement.judged),
        format_args!(
            "{} wrong of {} answers judged face by face",
            judgement.wrong, judgement.judged
        ),
    );
    bars.say(
        Bar::of(judgement.allocated == 0),
        format_args!("{} allocations of warm queries", judgement.allocated),
    );
    for ((_, engine), ratios) in ENGINES.iter().zip(&ratios) {
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let ratio = (!ratios.is_empty()).then(|| mean.exp());
        let asked = if *engine == "coal" {
            FASTER_THAN_COAL
        } else {
            FASTER_THAN_PARRY
        };
        let reached = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        bars.say(
            Bar::at_least(ratio, asked),
            format_args!("{reached}x {engine}, geometric mean, asked {asked}x"),
        );
    }
    Ok(bars.end())
}
