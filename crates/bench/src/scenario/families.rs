//! Models in growing sizes: the time of one collision check at 1 % distance, by number of vertices.
//!
//! **Question.** How does the time of a tree grow with the size of one and the same model?
//! **Source.** Weller 2012, section 6.2.6: lustre, grid, castle and chair in several sizes. The models are lost; these are
//! made of the same kinds of parts.
//! **Limits.** A family keeps its outline while its parts get finer, but for the grid, whose number of cells grows, as its
//! name says. Growth is the exponent of a power that fits the mean times.

use std::f64::consts::TAU;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use impinge::bvh::engines::MeshEngine;
use impinge::bvh::wide::WideTree;
use impinge::generate::{self, NamedPart};
use impinge::query::{First, Limits};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::engines::MESH_ENGINES;

use super::SEED;
use crate::folders::{create, from_here};
use crate::own_runners::DEFAULT;
use crate::pose_sampling::SphereMethod;
use crate::sample_statistics::{median, slope};
use crate::{Bar, Bars};

/// The gap, as a part of the diagonal.
const GAP: f64 = 0.01;
/// Vertices of the sizes of a family.
const SIZES: [usize; 6] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000];
const QUICK_SIZES: usize = 3;
const ENGINES: [&str; 4] = ["aabb", "obb", "24-dop", DEFAULT];
const ROUNDS: usize = 5;
const FILE: &str = "scenario-families.csv";
const HEADER: &str = "family,asked,vertices,engine,poses,mean_ns,max_ns";

type Family = (&'static str, fn(usize) -> anyhow::Result<TriMesh>);
const FAMILIES: [Family; 4] = [
    ("lustre", lustre),
    ("grid", grid),
    ("castle", |vertices| registered("castle", vertices)),
    ("chair", chair),
];

/// What was published about a family: an engine, and between which exponents its growth lies. `n log n` over these sizes is a
/// power of about 1.1; a constant is none beyond 0.25.
const PUBLISHED: [(&str, &str, &str, [f64; 2]); 5] = [
    ("lustre", "aabb", "linear", [0.7, 1.3]),
    ("lustre", "obb", "nearly constant", [-0.35, 0.35]),
    ("grid", "aabb", "n log n", [0.8, 1.4]),
    ("castle", "aabb", "constant", [-0.25, 0.25]),
    ("chair", "aabb", "falling", [f64::NEG_INFINITY, 0.0]),
];

fn registered(name: &str, vertices: usize) -> anyhow::Result<TriMesh> {
    let model = generate::model(name).with_context(|| format!("no model {name}"))?;
    Ok(model.make(Some(2 * vertices), SEED)?)
}

fn part(name: &str, mesh: &TriMesh, pose: Pose) -> anyhow::Result<NamedPart> {
    Ok(NamedPart {
        name: name.to_owned(),
        mesh: mesh.placed(&pose)?,
    })
}

/// Curved arms with candles around a spindle: twelve arms, whatever the size.
fn lustre(vertices: usize) -> anyhow::Result<TriMesh> {
    const ARMS: u32 = 12;
    let each = vertices as f64 / f64::from(ARMS + 1);
    // An arm of s by 2 s, a candle of s by s / 2 and a ball together have some 3 s² vertices.
    let s = ((each / 3.0).sqrt().round() as u32).max(3);
    let arm = generate::half_torus(1.0, 0.05, 2 * s, s)?;
    let candle = generate::cylinder(0.04, 0.4, s, (s / 2).max(1))?;
    let flame = generate::icosphere(0.06, (s / 4).max(1))?;
    let spindle = generate::hyperboloid(0.15, 0.35, 3.0, 2 * s, s)?;
    let mut parts = vec![part("spindle", &spindle, Pose::IDENTITY)?];
    for k in 0..ARMS {
        let angle = TAU * f64::from(k) / f64::from(ARMS);
        let turn = Pose::from_axis_angle(DVec3::Z, angle, DVec3::ZERO)?;
        let upright = Pose::from_axis_angle(DVec3::X, -0.5 * std::f64::consts::PI, DVec3::ZERO)?;
        let out = |height: f64, far: f64| Pose::from_translation([far, 0.0, height]);
        parts.push(part("arm", &arm, turn * out(-0.5, 1.3)? * upright)?);
        parts.push(part("candle", &candle, turn * out(-0.3, 2.3)?)?);
        parts.push(part("flame", &flame, turn * out(0.0, 2.3)?)?);
    }
    Ok(generate::merged(&parts)?)
}

/// A frame of beams along the edges of cubic cells; the number of cells grows.
fn grid(vertices: usize) -> anyhow::Result<TriMesh> {
    registered("lattice", vertices)
}

/// Four legs, a seat and a back of five slats, whose faces get finer.
fn chair(vertices: usize) -> anyhow::Result<TriMesh> {
    const PARTS: usize = 11;
    // A box of n by n cells a side has 6 n² vertices.
    let n = (((vertices / PARTS) as f64 / 6.0).sqrt().round() as u32).max(1);
    let place = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]);
    let mut parts = Vec::new();
    let mut add = |name: &str, size: [f64; 3], pose: Pose| -> anyhow::Result<()> {
        let mesh = generate::cuboid(size.into(), [n; 3])?;
        parts.push(part(name, &mesh, pose)?);
        Ok(())
    };
    add("seat", [1.0, 1.0, 0.08], place(0.0, 0.0, 1.0)?)?;
    for (x, y) in [(-0.45, -0.45), (0.45, -0.45), (-0.45, 0.45), (0.45, 0.45)] {
        add("leg", [0.08, 0.08, 0.95], place(x, y, 0.48)?)?;
    }
    for k in 0..5 {
        let x = -0.4 + 0.2 * f64::from(k);
        add("slat", [0.06, 0.04, 0.9], place(x, 0.45, 1.52)?)?;
    }
    add("rail", [1.0, 0.06, 0.1], place(0.0, 0.45, 2.05)?)?;
    Ok(generate::merged(&parts)?)
}

/// The time of one engine on one size of a family.
#[derive(Clone, Debug, PartialEq)]
struct FamilyTime {
    family: String,
    /// The vertices that were asked for, and those that came out.
    asked: usize,
    vertices: usize,
    engine: String,
    poses: usize,
    mean_ns: f64,
    max_ns: f64,
}

impl FamilyTime {
    fn line(&self) -> String {
        format!(
            "{},{},{},{},{},{},{}",
            self.family,
            self.asked,
            self.vertices,
            self.engine,
            self.poses,
            self.mean_ns,
            self.max_ns
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let [family, asked, vertices, engine, poses, mean_ns, max_ns] = words[..] else {
            anyhow::bail!("seven words are expected");
        };
        Ok(Self {
            family: family.to_owned(),
            asked: asked.parse()?,
            vertices: vertices.parse()?,
            engine: engine.to_owned(),
            poses: poses.parse()?,
            mean_ns: mean_ns.parse()?,
            max_ns: max_ns.parse()?,
        })
    }
}

/// Every family in every size; with `resume`, without those that the file in the folder has.
pub(super) fn run(
    folder: &Path,
    is_quick: bool,
    lines: usize,
    resume: bool,
    minutes: Option<f64>,
) -> anyhow::Result<Bar> {
    create(folder)?;
    let file = folder.join(FILE);
    let mut times = if resume && file.is_file() {
        crate::csv_rows::read(&file, HEADER, FamilyTime::parse)?
    } else {
        std::fs::write(&file, format!("{HEADER}\n"))?;
        Vec::new()
    };
    let start = Instant::now();
    let end = minutes
        .map(|minutes| Duration::try_from_secs_f64(60.0 * minutes))
        .transpose()
        .context("--minutes must be a time")?;
    let sizes = if is_quick {
        &SIZES[..QUICK_SIZES]
    } else {
        &SIZES[..]
    };
    let mut left_out = 0;
    for (family, make) in FAMILIES {
        for &asked in sizes {
            let is_kept = |time: &FamilyTime| time.family == family && time.asked == asked;
            if times.iter().filter(|time| is_kept(time)).count() >= ENGINES.len() {
                continue;
            }
            if end.is_some_and(|end| start.elapsed() > end) {
                left_out += 1;
                continue;
            }
            times.retain(|time| !is_kept(time));
            let mesh = Arc::new(make(asked)?);
            eprintln!(
                "[{:.0} s] {family} of {} vertices",
                start.elapsed().as_secs_f64(),
                mesh.positions().len()
            );
            let mut found = measured(family, asked, &mesh, lines)?;
            append(&file, &found)?;
            times.append(&mut found);
        }
    }
    if left_out > 0 {
        println!("{left_out} sizes were left out: go on with --resume");
    }
    let is_whole = left_out == 0 && !is_quick;
    Ok(judged(&times, is_whole, &file))
}

fn append(file: &PathBuf, times: &[FamilyTime]) -> anyhow::Result<()> {
    let mut file = OpenOptions::new().append(true).open(file)?;
    for time in times {
        writeln!(file, "{}", time.line())?;
    }
    Ok(())
}

/// One size of a family by all engines, which take turns at each pose.
fn measured(
    family: &str,
    asked: usize,
    mesh: &Arc<TriMesh>,
    lines: usize,
) -> anyhow::Result<Vec<FamilyTime>> {
    let tree = WideTree::new(Arc::clone(mesh));
    let poses = SphereMethod::new(&tree, &tree).poses(&[GAP], lines, SEED)?;
    let engine = |name: &&str| MESH_ENGINES.iter().find(|engine| engine.name() == *name);
    let engines: Vec<&MeshEngine> = ENGINES.iter().filter_map(engine).collect();
    anyhow::ensure!(engines.len() == ENGINES.len(), "an engine is not there");
    let mut pairs: Vec<_> = engines
        .iter()
        .map(|engine| engine.prepare(Arc::clone(mesh), Arc::clone(mesh)))
        .collect();
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); pairs.len()];
    for pose in &poses {
        for (pair, times) in pairs.iter_mut().zip(&mut all) {
            let mut one = Vec::with_capacity(ROUNDS);
            for _ in 0..ROUNDS {
                pair.forget();
                let mut first = First::default();
                let start = Instant::now();
                let _ = pair.intersections(&pose.pose, Limits::default(), &mut first);
                one.push(start.elapsed().as_nanos() as f64);
                anyhow::ensure!(first.0.is_none(), "copies at a gap do not meet");
            }
            times.push(median(&mut one[..]));
        }
    }
    let results = engines.iter().zip(all);
    Ok(results
        .map(|(engine, times)| FamilyTime {
            family: family.to_owned(),
            asked,
            vertices: mesh.positions().len(),
            engine: engine.name().to_owned(),
            poses: times.len(),
            mean_ns: times.iter().sum::<f64>() / times.len().max(1) as f64,
            max_ns: times.iter().copied().fold(0.0, f64::max),
        })
        .collect())
}

/// Tables and bars.
fn judged(times: &[FamilyTime], is_whole: bool, file: &Path) -> Bar {
    println!("## Time by number of vertices, copies {GAP} of the diagonal apart");
    println!("| family | engine | vertices: microseconds | exponent |");
    println!("|---|---|---|---|");
    let mut growth = Vec::new();
    for (family, _) in FAMILIES {
        for engine in ENGINES {
            let of = |time: &&FamilyTime| time.family == family && time.engine == engine;
            let mut rows: Vec<&FamilyTime> = times.iter().filter(of).collect();
            rows.sort_by_key(|time| time.vertices);
            let points: Vec<(usize, f64)> = rows
                .iter()
                .map(|time| (time.vertices, time.mean_ns))
                .collect();
            let exponent = slope(&points);
            let cells: Vec<String> = points
                .iter()
                .map(|(vertices, ns)| format!("{vertices}: {:.1}", 1e-3 * ns))
                .collect();
            let told = exponent.map_or("-".to_owned(), |exponent| format!("{exponent:.2}"));
            println!("| {family} | {engine} | {} | {told} |", cells.join(", "));
            growth.push((family, engine, exponent));
        }
    }
    println!("Records are in {}.", from_here(file).display());
    let mut bars = Bars::default();
    let exponent = |family: &str, engine: &str| {
        let found = growth.iter().find(|one| one.0 == family && one.1 == engine);
        found.and_then(|one| one.2).filter(|_| is_whole)
    };
    for (family, engine, word, [low, high]) in PUBLISHED {
        let found = exponent(family, engine);
        let bar = Bar::at_least(found, low).and(Bar::at_most(found, high));
        let told = found.map_or("not measured whole".to_owned(), |e| format!("n^{e:.2}"));
        bars.say(
            bar,
            format!("{family}, {engine}: {word} as published ({told})"),
        );
    }
    for (family, _) in FAMILIES {
        let found = exponent(family, DEFAULT);
        let told = found.map_or("not measured whole".to_owned(), |e| format!("n^{e:.2}"));
        let bar = Bar::at_most(found, 1.0);
        bars.say(
            bar,
            format!("{family}: the default engine grows at most linearly ({told})"),
        );
    }
    bars.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_have_about_the_vertices_asked_for_and_grow() -> anyhow::Result<()> {
        for (family, make) in FAMILIES {
            let counts =
                [1_000, 10_000].map(|asked| make(asked).map(|mesh| mesh.positions().len()));
            for (asked, count) in [1_000, 10_000].into_iter().zip(counts) {
                let part = count? as f64 / f64::from(asked);
                assert!((0.5..2.0).contains(&part), "{family}: {part} of {asked}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_record_reads_back() -> anyhow::Result<()> {
        let time = FamilyTime {
            family: "chair".to_owned(),
            asked: 1_000,
            vertices: 994,
            engine: "obb".to_owned(),
            poses: 8,
            mean_ns: 1234.5,
            max_ns: 2e4,
        };
        assert_eq!(FamilyTime::parse(&time.line())?, time);
        assert!(FamilyTime::parse("chair,1").is_err());
        Ok(())
    }
}
