//! Times of convex pairs, compared with libccd, parry and Coal on the same pairs.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use impinge::convex::{Ball, Capsule, Cuboid, Polyhedron};
use impinge::math::Rng;
use impinge::pair::{DistanceQuery, IntersectionQuery, MeshShape, PairConfig, Shape};
use impinge::query::Limits;
use impinge::{DVec3, Pose, TriMesh};

use crate::line_process::{LineProcess, program};
use crate::sample_statistics::median;
use crate::{Bar, Bars};

/// The queries of ours: yes or no beside libccd, distance beside parry and Coal.
const FASTER_BOOLEAN: f64 = 2.0;
const FASTER_DISTANCE: f64 = 1.5;
/// Programs of runners and their engines.
const ENGINES: [(&str, &str); 5] = [
    ("convex-ccd", "gjk"),
    ("convex-ccd", "mpr"),
    ("convex-coal", "coal"),
    ("convex-rs", "parry"),
    ("convex-rs", "parry-f64"),
];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Questions about each group of shapes
    #[arg(long, default_value_t = 20_000)]
    questions: usize,
    /// Rounds, each engine once in each
    #[arg(long, default_value_t = 9)]
    rounds: usize,
}

/// A shape as it is given to every engine.
#[derive(Clone, Debug)]
pub(crate) enum GivenShape {
    Hull(Box<Polyhedron>),
    Cuboid(DVec3),
    /// Half its length along z, and its radius.
    Capsule(f64, f64),
    Ball(f64),
    Mesh(Arc<TriMesh>),
}

impl GivenShape {
    pub(crate) fn shape(&self) -> anyhow::Result<Shape> {
        Ok(match self {
            Self::Hull(hull) => Polyhedron::clone(hull).into(),
            Self::Cuboid(half) => Cuboid::new(*half)?.into(),
            Self::Capsule(half, radius) => {
                Capsule::new(DVec3::Z * -*half, DVec3::Z * *half, *radius)?.into()
            }
            Self::Ball(radius) => Ball::new(*radius)?.into(),
            Self::Mesh(mesh) => MeshShape::new(mesh.clone()).into(),
        })
    }

    fn write(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        let (kind, numbers) = match self {
            Self::Hull(hull) => {
                for face in 0..hull.face_count() as u32 {
                    if let [first, rest @ ..] = hull.face(face) {
                        triangles.extend(rest.windows(2).map(|w| [*first, w[0], w[1]]));
                    }
                }
                let points = hull.vertices().iter();
                (0, points.flat_map(|p| p.to_array()).collect())
            }
            Self::Cuboid(half) => (1, half.to_array().to_vec()),
            Self::Capsule(half, radius) => (2, vec![*half, *radius]),
            Self::Ball(radius) => (3, vec![*radius]),
            Self::Mesh(mesh) => {
                triangles.extend(mesh.faces());
                let points = mesh.positions().iter();
                (4, points.flat_map(|p| p.to_array()).collect())
            }
        };
        let has_vertices = matches!(self, Self::Hull(_) | Self::Mesh(_));
        let vertices = if has_vertices { numbers.len() / 3 } else { 0 };
        for count in [kind, vertices, triangles.len()] {
            out.write_all(&(count as u64).to_le_bytes())?;
        }
        // Vertices come before triangles, sizes after nothing.
        for x in &numbers {
            out.write_all(&x.to_le_bytes())?;
        }
        for v in triangles.as_flattened() {
            out.write_all(&v.to_le_bytes())?;
        }
        Ok(())
    }
}

/// Shapes, pairs of them, and where the second of a pair stands.
pub(crate) struct ConvexScene {
    pub(crate) shapes: Vec<GivenShape>,
    pub(crate) pairs: Vec<[usize; 2]>,
    pub(crate) questions: Vec<(usize, Pose)>,
}

/// How many different shapes a group has.
const SHAPES: usize = 32;

impl ConvexScene {
    /// Random shapes of a group, at distances from touching that are such parts of their size, turned at random.
    fn new(
        group: ShapeGroup,
        questions: usize,
        apart: std::ops::Range<f64>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let mut rng = Rng::new(seed);
        let mut shapes = Vec::new();
        for i in 0..SHAPES {
            shapes.push(group.shape(i, &mut rng)?);
        }
        let pairs: Vec<[usize; 2]> = (0..4 * SHAPES)
            .map(|_| {
                [
                    rng.below(SHAPES as u64) as usize,
                    rng.below(SHAPES as u64) as usize,
                ]
            })
            .collect();
        let mut asked = Vec::new();
        for k in 0..questions {
            let way = rng.direction() * 2.0 * rng.range(apart.start, apart.end);
            let (axis, angle) = (rng.direction(), rng.range(-3.0, 3.0));
            asked.push((k % pairs.len(), Pose::from_axis_angle(axis, angle, way)?));
        }
        Ok(Self {
            shapes,
            pairs,
            questions: asked,
        })
    }

    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let file = std::fs::File::create(path).with_context(|| format!("cannot write {path:?}"))?;
        let mut out = std::io::BufWriter::new(file);
        out.write_all(&(self.shapes.len() as u64).to_le_bytes())?;
        for shape in &self.shapes {
            shape.write(&mut out)?;
        }
        out.write_all(&(self.pairs.len() as u64).to_le_bytes())?;
        for &index in self.pairs.as_flattened() {
            out.write_all(&(index as u64).to_le_bytes())?;
        }
        out.write_all(&(self.questions.len() as u64).to_le_bytes())?;
        for (pair, pose) in &self.questions {
            out.write_all(&(*pair as u64).to_le_bytes())?;
            for x in &pose.to_row_major()[..12] {
                out.write_all(&x.to_le_bytes())?;
            }
        }
        out.flush().context("cannot finish the scene")
    }
}

/// The kind of shapes of a query.
#[derive(Clone, Copy, Debug)]
enum ShapeGroup {
    Hulls(usize),
    Boxes,
    Capsules,
    Mixed,
}

const GROUPS: [ShapeGroup; 7] = [
    ShapeGroup::Hulls(8),
    ShapeGroup::Hulls(16),
    ShapeGroup::Hulls(32),
    ShapeGroup::Hulls(64),
    ShapeGroup::Boxes,
    ShapeGroup::Capsules,
    ShapeGroup::Mixed,
];

impl ShapeGroup {
    fn name(self) -> String {
        match self {
            Self::Hulls(count) => format!("hulls of {count}"),
            Self::Boxes => "boxes".to_owned(),
            Self::Capsules => "capsules".to_owned(),
            Self::Mixed => "mixed".to_owned(),
        }
    }

    /// A shape of the group, of about unit size, around the origin.
    fn shape(self, number: usize, rng: &mut Rng) -> anyhow::Result<GivenShape> {
        Ok(match self {
            Self::Hulls(count) => {
                let points: Vec<DVec3> = (0..count).map(|_| rng.direction()).collect();
                GivenShape::Hull(Box::new(Polyhedron::new(&points)?))
            }
            Self::Boxes => GivenShape::Cuboid(DVec3::splat(0.6) + rng.cube() * 0.3),
            Self::Capsules => GivenShape::Capsule(rng.range(0.2, 0.6), rng.range(0.2, 0.5)),
            Self::Mixed => [
                Self::Hulls(12),
                Self::Boxes,
                Self::Capsules,
                Self::Hulls(40),
            ][number % 4]
                .shape(0, rng)?,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConvexQuery {
    Intersects,
    Distance,
}

impl ConvexQuery {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intersects => "intersects",
            Self::Distance => "distance",
        }
    }
}

/// Nanoseconds for all questions, and the number of pairs that meet or the sum of distances.
type TimedAnswer = (f64, f64);

/// Our own questions, made beforehand as everybody's shapes are.
struct OwnQueries {
    meet: Vec<IntersectionQuery>,
    gap: Vec<DistanceQuery>,
}

impl OwnQueries {
    fn new(scene: &ConvexScene) -> anyhow::Result<Self> {
        let shapes = scene.shapes.iter().map(GivenShape::shape);
        let shapes = shapes.collect::<anyhow::Result<Vec<Shape>>>()?;
        let config = PairConfig::default();
        let (mut meet, mut gap) = (Vec::new(), Vec::new());
        for &[a, b] in &scene.pairs {
            meet.push(IntersectionQuery::new(&shapes[a], &shapes[b], &config)?);
            gap.push(DistanceQuery::new(&shapes[a], &shapes[b], &config)?);
        }
        Ok(Self { meet, gap })
    }

    fn ask(&mut self, question: ConvexQuery, scene: &ConvexScene) -> TimedAnswer {
        let start = Instant::now();
        let mut value = 0.0;
        for (pair, pose) in &scene.questions {
            value += match question {
                ConvexQuery::Intersects => f64::from(u8::from(self.meet[*pair].any(pose))),
                ConvexQuery::Distance => {
                    let found = self.gap[*pair].at(pose, Limits::default());
                    found.value.map_or(0.0, |s| s.distance)
                }
            };
        }
        (start.elapsed().as_nanos() as f64, value)
    }
}

/// A started runner.
struct ConvexRunner(LineProcess);

impl ConvexRunner {
    fn start(program: &Path, engine: &str, scene: &Path) -> anyhow::Result<Self> {
        LineProcess::start(program, [engine.as_ref(), scene.as_os_str()]).map(Self)
    }

    /// None when the engine does not answer such questions.
    fn ask(&mut self, question: ConvexQuery) -> anyhow::Result<Option<TimedAnswer>> {
        let line = self.0.ask(&format!("ask {}", question.name()))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["answer", ns, value] => Ok(Some((ns.parse()?, value.parse()?))),
            ["unsupported"] => Ok(None),
            _ => bail!("{}: {line}", question.name()),
        }
    }
}

/// One engine's median time for a question and its answer.
pub(crate) struct EngineTime {
    pub(crate) engine: &'static str,
    pub(crate) nanoseconds: f64,
    pub(crate) value: f64,
}

/// Times our own queries and those of the engines on a scene, each engine once a round.
pub(crate) fn measure(
    scene: &ConvexScene,
    question: ConvexQuery,
    engines: &[(&str, &'static str)],
    rounds: usize,
) -> anyhow::Result<Vec<EngineTime>> {
    let path = std::env::temp_dir().join(format!("impinge-convex-{}.bin", std::process::id()));
    scene.write(&path)?;
    let mut runners = Vec::new();
    for &(name, engine) in engines {
        if let Some(program) = program(name) {
            runners.push((engine, ConvexRunner::start(&program, engine, &path)?));
        }
    }
    let mut ours = OwnQueries::new(scene)?;
    let mut times = vec![Vec::new(); runners.len() + 1];
    let mut values = vec![f64::NAN; runners.len() + 1];
    // Every engine in turn, so that a busy machine is busy for all.
    for _ in 0..rounds.max(1) {
        let (ns, value) = ours.ask(question, scene);
        times[0].push(ns);
        values[0] = value;
        for (i, (_, runner)) in runners.iter_mut().enumerate() {
            if let Some((ns, value)) = runner.ask(question)? {
                times[i + 1].push(ns);
                values[i + 1] = value;
            }
        }
    }
    let names = std::iter::once("impinge").chain(runners.iter().map(|(engine, _)| *engine));
    let rows = names
        .zip(&mut times)
        .zip(values)
        .filter(|((_, times), _)| !times.is_empty())
        .map(|((engine, times), value)| EngineTime {
            engine,
            nanoseconds: median(times) / scene.questions.len() as f64,
            value,
        })
        .collect();
    drop(runners);
    std::fs::remove_file(&path).with_context(|| format!("cannot remove {path:?}"))?;
    Ok(rows)
}

/// Engines that compute in double precision, as ours does.
const DOUBLE: [&str; 4] = ["gjk", "mpr", "coal", "parry-f64"];

/// Whether two sums of answers are one, to a part in a hundred thousand. Also false for what is no number.
pub(crate) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-5 * other.abs()
}

/// Whether an engine in double precision has the answer of the first, ours; none where no such engine answers.
fn agreement(rows: &[EngineTime]) -> Option<bool> {
    let (ours, others) = rows.split_first()?;
    let mut peers = others
        .iter()
        .filter(|row| DOUBLE.contains(&row.engine))
        .peekable();
    peers.peek()?;
    Some(peers.any(|row| is_same(row.value, ours.value)))
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    for (name, _) in ENGINES {
        if program(name).is_none() {
            println!("absent: {name}; `cargo xtask peers {name}` builds it");
        }
    }
    for (question, apart) in [
        // Half of them meet, more or less.
        (ConvexQuery::Intersects, 0.5..1.1),
        (ConvexQuery::Distance, 1.05..2.5),
    ] {
        println!("\n{}: nanoseconds a question", question.name());
        let mut products: Vec<(&str, f64, u32)> = Vec::new();
        // Per group whether an engine of the same precision has our answer; none where there is no such engine.
        let mut agreements: Vec<Option<bool>> = Vec::new();
        for group in GROUPS {
            let scene = ConvexScene::new(group, args.questions, apart.clone(), 7)?;
            let rows = measure(&scene, question, &ENGINES, args.rounds)?;
            print!("{:<12}", group.name());
            let ours = rows.first().map_or(f64::NAN, |row| row.nanoseconds);
            let value = rows.first().map_or(f64::NAN, |row| row.value);
            agreements.push(agreement(&rows));
            for row in &rows {
                let ratio = row.nanoseconds / ours;
                let mark = if is_same(row.value, value) { "" } else { "*" };
                print!(" {} {:.0}{mark}", row.engine, row.nanoseconds);
                if row.engine != "impinge" {
                    print!(" ({ratio:.2}x)");
                    match products.iter_mut().find(|(name, ..)| *name == row.engine) {
                        Some((_, sum, count)) => {
                            *sum += ratio.ln();
                            *count += 1;
                        }
                        None => products.push((row.engine, ratio.ln(), 1)),
                    }
                }
            }
            println!();
        }
        println!("*: another answer, by more than one part in a hundred thousand of all");
        // A wrong answer has no time.
        let agreed = Bar::together(
            agreements
                .iter()
                .map(|agreed| agreed.map_or(Bar::Open, Bar::of)),
        );
        bars.say(
            agreed,
            format_args!(
                "{}: our answers are those of another engine in double precision, in {} of {} groups",
                question.name(),
                agreements.iter().filter(|agreed| **agreed == Some(true)).count(),
                agreements.len()
            ),
        );
        // Peers without a figure are gone through too: a bar that nobody was there for is open.
        for (_, engine) in ENGINES {
            let found = products.iter().find(|(name, ..)| *name == engine);
            let ratio = found.map(|(_, sum, count)| (sum / f64::from(*count)).exp());
            let asked = match (question, engine) {
                (ConvexQuery::Intersects, "gjk" | "mpr") => Some(FASTER_BOOLEAN),
                (ConvexQuery::Distance, "parry" | "parry-f64" | "coal") => Some(FASTER_DISTANCE),
                _ => None,
            };
            let reached = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
            let name = match engine {
                "gjk" => "libccd (GJK)",
                "mpr" => "libccd (MPR)",
                other => other,
            };
            match asked {
                Some(asked) => bars.say(
                    Bar::at_least(ratio, asked).and(agreed),
                    format_args!(
                        "{} {reached}x {name}, geometric mean, asked {asked}x",
                        question.name()
                    ),
                ),
                None if found.is_some() => {
                    println!("{} {reached}x {name}, geometric mean", question.name());
                }
                None => {}
            }
        }
    }
    Ok(bars.end())
}

#[cfg(test)]
mod tests {
    use super::{EngineTime, agreement};

    fn row(engine: &'static str, value: f64) -> EngineTime {
        EngineTime {
            engine,
            nanoseconds: 1.0,
            value,
        }
    }

    #[test]
    fn an_answer_that_no_peer_of_the_same_precision_has_is_none() {
        let ours = || row("impinge", 100.0);
        assert_eq!(agreement(&[]), None);
        assert_eq!(agreement(&[ours(), row("parry", 100.0)]), None);
        let one_of_two = [ours(), row("gjk", 90.0), row("coal", 100.0001)];
        assert_eq!(agreement(&one_of_two), Some(true));
        assert_eq!(agreement(&[ours(), row("gjk", 90.0)]), Some(false));
        assert_eq!(agreement(&[ours(), row("gjk", f64::NAN)]), Some(false));
    }
}
