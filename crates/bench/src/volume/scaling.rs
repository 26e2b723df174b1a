//! Inner sphere trees of up to 800 000 spheres beside Voxmap-PointShell: times along paths of approach.
//!
//! **Question.** How does the time of a query grow with the number of spheres, and how does it compare with looking up points?
//! **Source.** Weller 2012, section 6.2.7: sub-linear in the spheres, under a millisecond at small overlaps with 100 000, faster
//! than Voxmap-PointShell, whose longest query takes up to twice its mean.
//! **Idea.** One path per line of approach, in even steps from first touch to a tenth of the volume, the same for all engines;
//! and one at growing distances. Each place counts with the median of its calls.
//! **Limits.** About 60 minutes on one core, nearly all of it for packing; `--resume` keeps what `volume-scaling.csv` has.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use impinge::Pose;
use impinge::bvh::MeshIndex as _;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::InnerSphereTreeCache;
use impinge::volume::OverlapCache;
use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};

use super::model_split::{judging, load};
use super::scene::{ApproachLine, PackedModel};
use super::{Args, all, open, sized};
use crate::Bar;
use crate::own_runners::ball_tree;
use crate::sample_statistics::{median, slope};

/// Faces of generated models; fetched ones are as they are.
const FACES: usize = 100_000;
const BALLS: [usize; 4] = [6_000, 25_000, 100_000, 800_000];
const QUICK_BALLS: [usize; 3] = [1_000, 4_000, 16_000];
/// Voxels along the longest side of map and shell; the second has about as many points as the published shells.
const VOXELS: [u32; 4] = [25, 50, 100, 200];
const QUICK_VOXELS: [u32; 2] = [25, 50];
/// The resolution that is compared with spheres.
const PUBLISHED_POINTS: f64 = 13_500.0;
const LINES: usize = 6;
const STEPS: usize = 24;
/// The deepest share of a path, and up to which an overlap is small.
const DEEPEST: f64 = 0.1;
const SMALL: f64 = 0.01;
/// The gaps of a path at distances, as parts of the diagonal.
const GAPS: [f64; 4] = [0.01, 0.02, 0.05, 0.1];
const CALLS: usize = 5;
const FILE: &str = "volume-scaling.csv";
const HEADER: &str = "model,engine,size,overlap_us,small_us,max_us,distance_us,build_s";

/// The bars, in the published words.
const SUBLINEAR: f64 = 0.95;
const SMALL_US: f64 = 1_000.0;
const MOST_OVER_MEAN: f64 = 2.0;

/// The times of one engine on one model, in microseconds.
#[derive(Clone, Debug, PartialEq)]
struct EngineTimes {
    model: String,
    engine: String,
    /// Spheres, or points of the shell.
    size: usize,
    overlap: f64,
    small: f64,
    longest: f64,
    distance: f64,
    build_s: f64,
}

impl EngineTimes {
    fn line(&self) -> String {
        format!(
            "{},{},{},{},{},{},{},{}",
            self.model,
            self.engine,
            self.size,
            self.overlap,
            self.small,
            self.longest,
            self.distance,
            self.build_s
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let [
            model,
            engine,
            size,
            overlap,
            small,
            longest,
            distance,
            build_s,
        ] = words[..]
        else {
            anyhow::bail!("eight words are expected");
        };
        Ok(Self {
            model: model.to_owned(),
            engine: engine.to_owned(),
            size: size.parse()?,
            overlap: overlap.parse()?,
            small: small.parse()?,
            longest: longest.parse()?,
            distance: distance.parse()?,
            build_s: build_s.parse()?,
        })
    }

    fn is_spheres(&self) -> bool {
        self.engine.starts_with("balls-")
    }
}

/// Where engines are asked.
struct Paths {
    /// From first touch to the deepest share, and whether the share is small.
    overlapping: Vec<(Pose, bool)>,
    apart: Vec<Pose>,
}

impl Paths {
    fn new(packed: &PackedModel, lines: usize) -> anyhow::Result<Self> {
        let mut rng = Rng::new(11);
        let mut cache = OverlapCache::default();
        let (mut overlapping, mut apart) = (Vec::new(), Vec::new());
        for _ in 0..lines {
            let line = ApproachLine::new(packed, &mut rng)?;
            let volume = packed.exact.volume();
            let along = |pose: &Pose| pose.translation().length();
            let deep = along(&line.sharing(packed, DEEPEST * volume, &mut cache)?);
            for step in 0..STEPS {
                let part = (step as f64 + 0.5) / STEPS as f64;
                let pose = line.at(line.touch + (deep - line.touch) * part)?;
                let share = packed.shared(&pose, &mut cache)? / volume;
                overlapping.push((pose, share <= SMALL));
            }
            for gap in GAPS {
                apart.push(line.at(line.touch + gap * packed.diagonal())?);
            }
        }
        Ok(Self { overlapping, apart })
    }

    /// The times of an engine at all places, each the median of some calls.
    fn measure(
        &self,
        (model, engine, size, build_s): (&str, String, usize, f64),
        mut overlap: impl FnMut(&Pose),
        mut distance: impl FnMut(&Pose),
    ) -> EngineTimes {
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
        let (mut times, mut small) = (Vec::new(), Vec::new());
        for (pose, is_small) in &self.overlapping {
            let us = microseconds(|| overlap(pose));
            times.push(us);
            if *is_small {
                small.push(us);
            }
        }
        let gaps = self.apart.iter();
        let gaps: Vec<f64> = gaps.map(|pose| microseconds(|| distance(pose))).collect();
        EngineTimes {
            model: model.to_owned(),
            engine,
            size,
            overlap: mean(&times),
            small: mean(&small),
            longest: times.iter().copied().fold(0.0, f64::max),
            distance: mean(&gaps),
            build_s,
        }
    }
}

/// The median of some calls.
fn microseconds(mut call: impl FnMut()) -> f64 {
    let mut times = [0.0; CALLS];
    for time in &mut times {
        let start = Instant::now();
        call();
        *time = 1e6 * start.elapsed().as_secs_f64();
    }
    median(&mut times[..])
}

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let file = args.file(FILE)?;
    let mut kept = if args.resume && file.is_file() {
        crate::csv_rows::read(&file, HEADER, EngineTimes::parse)?
    } else {
        std::fs::write(&file, format!("{HEADER}\n"))?;
        Vec::new()
    };
    println!("## Inner sphere trees of many spheres beside Voxmap-PointShell");
    println!(
        "| model | engine | spheres or points | overlap, us | small overlap, us | longest, us | distance, us | built in s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut models = Vec::new();
    for name in judging().filter(|name| args.wants_model(name)) {
        if args.is_over() {
            println!("{name} is left out: the time is up; go on with --resume");
            continue;
        }
        if measure_model(args, name, &file, &mut kept)? {
            models.push(name);
        }
    }
    kept.retain(|times| models.contains(&times.model.as_str()));
    for times in &kept {
        println!(
            "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            times.model,
            times.engine,
            times.size,
            times.overlap,
            times.small,
            times.longest,
            times.distance,
            times.build_s
        );
    }
    if kept.is_empty() {
        return Ok(open("scaling: no model is there, or the time is up"));
    }
    Ok(judged(&kept, &models, !args.quick && args.model.is_none()))
}

/// Measures what is not kept of a model; whether the model is there and all of it was measured.
fn measure_model(
    args: &Args,
    name: &'static str,
    file: &Path,
    kept: &mut Vec<EngineTimes>,
) -> anyhow::Result<bool> {
    let balls: &[usize] = if args.quick { &QUICK_BALLS } else { &BALLS };
    let voxels: &[u32] = if args.quick { &QUICK_VOXELS } else { &VOXELS };
    let engines = balls.iter().map(|count| format!("balls-{count}"));
    let engines = engines.chain(voxels.iter().map(|along| format!("voxmap-{along}")));
    let is_kept = |kept: &[EngineTimes], engine: &str| {
        kept.iter()
            .any(|one| one.model == name && one.engine == engine)
    };
    let missing: Vec<String> = engines.filter(|engine| !is_kept(kept, engine)).collect();
    if missing.is_empty() {
        return Ok(true);
    }
    let faces = if args.quick { FACES / 20 } else { FACES };
    let Some(index) = load(name, faces)? else {
        return Ok(false);
    };
    let mesh = std::sync::Arc::clone(index.mesh());
    // Its spheres only place the copies.
    let packed = PackedModel::new(index, 2_000, 0)?;
    let paths = Paths::new(&packed, if args.quick { 2 } else { LINES })?;
    let mut keep = |times: EngineTimes| -> anyhow::Result<()> {
        let mut out = OpenOptions::new().append(true).open(file)?;
        writeln!(out, "{}", times.line())?;
        eprintln!(
            "{name}: {} took {:.1} s to build",
            times.engine, times.build_s
        );
        kept.push(times);
        Ok(())
    };
    for engine in missing {
        if args.is_over() {
            println!("{name}, {engine} is left out: the time is up; go on with --resume");
            return Ok(false);
        }
        let start = Instant::now();
        let seconds = || start.elapsed().as_secs_f64();
        let size = |prefix: &str| {
            engine
                .strip_prefix(prefix)
                .and_then(|n| n.parse::<u32>().ok())
        };
        if let Some(count) = size("balls-") {
            let tree = ball_tree(&mesh, count as usize)?;
            let built = seconds();
            let [mut first, mut second] = [(); 2].map(|()| InnerSphereTreeCache::default());
            keep(paths.measure(
                (name, engine, tree.balls().len(), built),
                |pose| {
                    let _ = tree.overlap(&tree, pose, Limits::default(), &mut first);
                },
                |pose| {
                    let _ = tree.distance(&tree, pose, Limits::default(), &mut second);
                },
            ))?;
        } else if let Some(along) = size("voxmap-") {
            let (map, shell) = (Voxmap::new(&mesh, along)?, Pointshell::new(&mesh, along)?);
            let built = seconds();
            let query = VoxmapQuery::new(&map, &shell);
            let pressing = Limits {
                max_distance: Some(0.0),
                ..Limits::default()
            };
            keep(paths.measure(
                (name, engine, shell.points().len(), built),
                |pose| {
                    let _ = query.at(pose, pressing);
                },
                |pose| {
                    let _ = query.at(pose, Limits::default());
                },
            ))?;
        }
    }
    Ok(true)
}

/// The bars over all models.
fn judged(times: &[EngineTimes], models: &[&str], is_full: bool) -> Bar {
    let worst = |figure: &dyn Fn(&str) -> Option<f64>| -> Option<f64> {
        let all: Option<Vec<f64>> = models.iter().map(|model| figure(model)).collect();
        all?.into_iter().reduce(f64::max)
    };
    let of = |model: &str, engine: &str| {
        times
            .iter()
            .find(|one| one.model == model && one.engine == engine)
    };
    // The shell of about the published number of points.
    let shell = |model: &str| {
        let off = |one: &EngineTimes| (one.size as f64 / PUBLISHED_POINTS).ln().abs();
        let shells = times
            .iter()
            .filter(|one| one.model == model && !one.is_spheres());
        shells.min_by(|x, y| off(x).total_cmp(&off(y)))
    };
    let exponent = |model: &str| {
        let spheres = times
            .iter()
            .filter(|one| one.model == model && one.is_spheres());
        slope(
            &spheres
                .map(|one| (one.size, one.overlap))
                .collect::<Vec<_>>(),
        )
    };
    let middle = format!("balls-{}", 100_000);
    let largest = format!("balls-{}", 800_000);
    let figures: [(&str, Option<f64>, f64); 5] = [
        (
            "overlap is sub-linear in the spheres: exponent at most 0.95",
            worst(&exponent),
            SUBLINEAR,
        ),
        (
            "small overlaps of 100 000 spheres within 1000 us on average",
            worst(&|model| Some(of(model, &middle)?.small)),
            SMALL_US,
        ),
        (
            "overlap of 100 000 spheres no slower than Voxmap-PointShell: ratio at most 1",
            worst(&|model| Some(of(model, &middle)?.overlap / shell(model)?.overlap)),
            1.0,
        ),
        (
            "the longest query of Voxmap-PointShell at most 2 times its mean",
            worst(&|model| shell(model).map(|one| one.longest / one.overlap)),
            MOST_OVER_MEAN,
        ),
        (
            "distance of 800 000 spheres no slower than Voxmap-PointShell: ratio at most 1",
            worst(&|model| Some(of(model, &largest)?.distance / shell(model)?.distance)),
            1.0,
        ),
    ];
    let bars: Vec<Bar> = figures
        .into_iter()
        .map(|(what, figure, asked)| {
            let told = figure.map_or("not measured".to_owned(), |figure| format!("{figure:.2}"));
            let text = format!("{what}, on each of {} models (worst {told})", models.len());
            sized(&text, Bar::at_most(figure, asked), is_full)
        })
        .collect();
    all(&bars)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(engine: &str, size: usize, overlap: f64) -> EngineTimes {
        EngineTimes {
            model: "gear".to_owned(),
            engine: engine.to_owned(),
            size,
            overlap,
            small: 0.5 * overlap,
            longest: 1.5 * overlap,
            distance: 10.0,
            build_s: 1.0,
        }
    }

    #[test]
    fn a_record_reads_back() -> anyhow::Result<()> {
        let one = times("balls-100", 99, 2.5);
        assert_eq!(EngineTimes::parse(&one.line())?, one);
        assert!(EngineTimes::parse("gear,balls-1").is_err());
        Ok(())
    }

    #[test]
    fn growth_and_ratios_decide() {
        let shell = times("voxmap-50", 13_000, 900.0);
        let good = [
            times("balls-25000", 25_000, 100.0),
            times("balls-100000", 100_000, 200.0),
            times("balls-800000", 800_000, 500.0),
            shell.clone(),
        ];
        assert_eq!(judged(&good, &["gear"], true), Bar::Met);
        assert_eq!(judged(&good, &["gear"], false), Bar::Open);
        let slow = [
            times("balls-25000", 25_000, 100.0),
            times("balls-100000", 100_000, 500.0),
            times("balls-800000", 800_000, 5000.0),
            shell,
        ];
        assert_eq!(judged(&slow, &["gear"], true), Bar::Missed);
    }
}
