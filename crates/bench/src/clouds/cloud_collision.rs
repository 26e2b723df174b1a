//! `impinge-bench run clouds`: do two clouds meet, and how far apart are they? Tumbling pairs against exact meshes and closed forms, budgets, confidence, distances, density, brackets.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::wide::WideCache;
use impinge::cloud::{
    BandwidthCalibration, CloudAnswer, CloudCollision, CloudCollisionOptions, CloudSurface,
    CloudTree, CloudTreeOptions, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions,
};
use impinge::query::Limits;

use super::confidence_check::StatedConfidence;
use super::deforming::deforming;
use super::density::density;
use super::distances::Distances;
use super::interpolation_search::{Args as BracketArgs, protocol as bracket_protocol};
use super::leaf_tests::{budgets, leaf_tests, sample_sizes};
use super::resolutions::resolutions;
use super::timing::{at_full_size, claim, own_seconds, right_at_full_size};
use super::tumble::{Tumbler, placements, tumblers};
use super::versus_average_tree::versus_average_tree;
use super::versus_mesh::MeshedCloud;
use crate::Bar;
use crate::engines::target;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};
use crate::rigid::default_folder;
use crate::sample_statistics::quantile;

/// Distances between the middles of the copies; answers are judged from the third on. At 2 bodies of revolution just touch for whole turns, and the facets of the mesh decide.
pub(super) const DISTANCES: [f64; 11] = [0.0, 0.3, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 1.9, 1.98];
pub(super) const JUDGED_FROM: f64 = 0.6;
/// Milliseconds a question may take on the mean.
const MAX_MEAN: f64 = 0.1;
const MAX_BYTES: f64 = 150.0;
/// Placements for each distance that the bars ask for.
const FULL_STEPS: usize = 5000;
/// Models that are queried within budgets.
const UNDER_BUDGETS: [&str; 4] = ["blob", "spheres", "half-torus", "buddha"];

/// Clouds against clouds: differences to exact meshes, times, leaf tests, sample sizes, budgets, confidence, distances, density, brackets
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A tenth of the placements and a fifth of the points: a look, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only models whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Placements for each distance [default: 5000, with --quick 500]
    #[arg(long)]
    steps: Option<usize>,
    /// Part of the published numbers of points [default: 1, with --quick 0.2]
    #[arg(long)]
    share: Option<f64>,
    /// Print the wrong answers by distance
    #[arg(long)]
    wrong: bool,
    /// Write every judged answer to this file
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Folder for clouds.sheet.json [default: records/DATE-MACHINE, with --quick or --only target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let steps = args
        .steps
        .unwrap_or(if args.quick { 500 } else { FULL_STEPS })
        .max(1);
    let share = args.share.unwrap_or(if args.quick { 0.2 } else { 1.0 });
    let mut sheet = ResultSheet::new(
        "clouds",
        "Two point clouds",
        "Do the surfaces of two clouds meet, how often is the answer right, and how long does it take?",
        "impinge-bench run clouds",
    );
    sheet.preset = if args.quick { "quick" } else { "full" }.to_owned();
    sheet.notes.push(
        "Points are spread evenly over generated models, or are the vertices of a scanned mesh; answers are compared with exact intersections of the meshes they were taken from, or with closed forms. The surface of a cloud rounds edges off, so a difference to a mesh is not all error. The mesh of the cloud is the library's own preview of the surface, with cubes of two spacings, asked by the tree that also decides the truth.".to_owned(),
    );
    let is_full = steps >= FULL_STEPS && share >= 1.0;
    let (models, missing) = tumblers(args.only.as_deref(), share)?;
    anyhow::ensure!(
        !models.is_empty() || !missing.is_empty(),
        "no model is called like that"
    );
    for name in missing {
        sheet.leave_open(&format!(
            "{name}: time, difference and memory; it is not in the folder of recorded data"
        ));
    }
    // Answers of all models, and of those that no constant was fitted on.
    let (mut stated, mut held_out) = (StatedConfidence::default(), StatedConfidence::default());
    let mut tumbling = Tumbling {
        steps,
        is_full,
        prints_wrong: args.wrong,
        ..Tumbling::default()
    };
    let mut built = Vec::new();
    for model in &models {
        let one = BuiltTree::new(model, &CloudTreeOptions::default())?;
        let also = model.is_held_out.then_some(&mut held_out);
        tumbling.measure(model, &one, &mut stated, also, &mut sheet)?;
        built.push(one);
    }
    let mut tumbling_answers = tumbling.finish(&mut sheet);
    stated.report("finished questions", 0.01, is_full, &mut sheet);
    held_out.report(
        "finished questions about models that nothing was fitted on",
        0.01,
        is_full,
        &mut sheet,
    );
    if let (Some(model), Some(one)) = (
        models.iter().find(|m| m.name == "blob"),
        find(&models, &built, "blob"),
    ) {
        leaf_tests(model, one, steps / 10, &mut sheet)?;
        sample_sizes(model, one, steps / 10, &mut sheet)?;
    }
    versus_average_tree(&models, &built, steps.div_ceil(10), is_full, &mut sheet)?;
    resolutions(args.only.as_deref(), share, steps / 10, &mut sheet)?;
    let (mut stated, mut held_out) = (StatedConfidence::default(), StatedConfidence::default());
    for (model, one) in models.iter().zip(&built) {
        if UNDER_BUDGETS.contains(&model.name) {
            let to = if model.is_held_out {
                &mut held_out
            } else {
                &mut stated
            };
            let size = (steps / 4, is_full);
            budgets(model, one, size, &mut tumbling_answers, to, &mut sheet)?;
        }
    }
    stated.report("questions within budgets", 0.05, is_full, &mut sheet);
    held_out.report(
        "questions within budgets about models that nothing was fitted on",
        0.05,
        is_full,
        &mut sheet,
    );
    let mut distances = Distances::default();
    for (model, one) in models.iter().zip(&built) {
        distances.measure(model, one, steps / 20)?;
    }
    distances.finish(is_full, &mut sheet);
    if args.only.is_some() {
        sheet.leave_open(
            "clouds that deform, density and brackets, which are not measured for some models alone",
        );
    } else {
        deforming(is_full, &mut sheet)?;
        density(is_full, &mut sheet)?;
        let size = if is_full {
            BracketArgs::default()
        } else {
            BracketArgs::quick()
        };
        bracket_protocol(&size, &mut sheet)?;
        println!("What moving points cost: impinge-bench cloud-interpolation-search");
    }
    if let Some(file) = &args.answers {
        std::fs::write(file, &tumbling_answers)?;
    }
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if args.quick || args.only.is_some() => target().join("records"),
        None => default_folder(),
    };
    println!("Records are in {}.", sheet.write(&folder)?.display());
    Ok(sheet.bar())
}

fn find<'b>(models: &[Tumbler], built: &'b [BuiltTree], name: &str) -> Option<&'b BuiltTree> {
    let at = models.iter().position(|m| m.name == name)?;
    built.get(at)
}

/// A tree, and what it took.
pub(super) struct BuiltTree {
    pub(super) tree: Arc<CloudTree>,
    pub(super) surface: Arc<CloudSurface>,
    /// What the tree took to build.
    pub(super) seconds: f64,
}

impl BuiltTree {
    pub(super) fn new(model: &Tumbler, options: &CloudTreeOptions) -> anyhow::Result<Self> {
        let cloud = PointCloud::new(model.points.clone(), None)?;
        let graph = ProximityGraph::new(&cloud, &GraphOptions::default())?;
        let bandwidth =
            BandwidthCalibration::of(&graph, SurfaceOptions::default().negligible).bandwidth();
        let options_of_surface = SurfaceOptions {
            bandwidth,
            ..SurfaceOptions::default()
        };
        let surface = Arc::new(CloudSurface::new(graph.into(), options_of_surface)?);
        let clock = Instant::now();
        let tree = CloudTree::new(surface.clone(), options)?;
        Ok(Self {
            seconds: clock.elapsed().as_secs_f64(),
            tree: Arc::new(tree),
            surface,
        })
    }

    pub(super) fn question(&self, options: CloudCollisionOptions) -> CloudCollision {
        CloudCollision::new(self.tree.clone(), self.tree.clone(), options)
    }
}

/// The tables of the tumbling pairs.
#[derive(Default)]
struct Tumbling {
    steps: usize,
    is_full: bool,
    prints_wrong: bool,
    rows: Vec<Vec<Cell>>,
    series: Vec<Series>,
    /// Certain answers about all models, and those of them that are wrong.
    certain: u64,
    certainly_wrong: u64,
    /// Every judged answer as a line.
    answers: String,
}

/// An answer as a line for programs.
pub(super) fn line(
    answers: &mut String,
    name: &str,
    distance: f64,
    answer: &CloudAnswer,
    truth: bool,
) {
    let _ = writeln!(
        answers,
        "{name},{distance},{},{},{truth},{},{},{:?},{}",
        answer.verdict.answer,
        answer.verdict.confidence,
        answer.evaluations,
        answer.node_pairs,
        answer.outcome,
        answer.distance,
    );
}

impl Tumbling {
    fn measure(
        &mut self,
        model: &Tumbler,
        built: &BuiltTree,
        stated: &mut StatedConfidence,
        mut held_out: Option<&mut StatedConfidence>,
        sheet: &mut ResultSheet,
    ) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            println!(
                "{:<11} {:>7} {:>6} {:>6} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>7}",
                "model",
                "points",
                "nodes",
                "bytes",
                "build s",
                "mean µs",
                "p95 µs",
                "mesh µs",
                "meshed µs",
                "meshed %",
                "evals",
                "pairs",
                "wrong %",
                "false +",
                "false −",
                "certain",
                "& wrong"
            );
        }
        let steps = self.steps;
        let mut question = built.question(CloudCollisionOptions::default());
        let mut cache = WideCache::default();
        let mut meshed = MeshedCloud::of(&built.surface)?;
        let mut times = Vec::new();
        let mut series = Series {
            name: model.name.to_owned(),
            ..Series::default()
        };
        let (mut counted, mut evaluations, mut pairs) = (0_u64, 0_u64, 0_u64);
        let (mut own_time, mut mesh_time) = (0.0, 0.0);
        let mut wrong = [0_u64; 2];
        let (mut certain, mut certainly_wrong) = (0_u64, 0_u64);
        for distance in DISTANCES {
            let poses = placements(distance, steps)?;
            let mut answers = Vec::with_capacity(steps);
            let own = own_seconds(|| {
                for pose in &poses {
                    let clock = Instant::now();
                    answers.push(question.at(pose, Limits::default()));
                    times.push(clock.elapsed().as_secs_f64());
                }
            });
            let mut truths = Vec::with_capacity(steps);
            mesh_time += own_seconds(|| {
                for pose in &poses {
                    truths.push(model.meets(pose, &mut cache));
                }
            });
            own_time += own;
            if let Some(meshed) = &mut meshed {
                meshed.ask(&poses);
            }
            let mut here = [0_u64; 3];
            for (k, (answer, &truth)) in answers.iter().zip(&truths).enumerate() {
                evaluations += answer.evaluations;
                pairs += answer.node_pairs;
                here[2] += u64::from(truth);
                // What is certain must be right wherever the copies are.
                certain += u64::from(answer.verdict.certain);
                certainly_wrong +=
                    u64::from(answer.verdict.certain && answer.verdict.answer != truth);
                // Placements whose boxes are apart are no achievement.
                if distance < JUDGED_FROM || answer.verdict.certain {
                    continue;
                }
                counted += 1;
                if let Some(meshed) = &mut meshed {
                    meshed.judge(k, truth);
                }
                if answer.verdict.answer != truth {
                    wrong[usize::from(truth)] += 1;
                    here[usize::from(truth)] += 1;
                }
                let is_right = answer.verdict.answer == truth;
                stated.push(answer.verdict.confidence, is_right);
                if let Some(held_out) = &mut held_out {
                    held_out.push(answer.verdict.confidence, is_right);
                }
                line(&mut self.answers, model.name, distance, answer, truth);
            }
            let mean = own / steps as f64 * 1e6;
            if self.prints_wrong {
                println!(
                    "    at {distance}: mean {mean:.1} µs, {} meet, false + {}, false − {}",
                    here[2], here[0], here[1]
                );
            }
            series.points.push([distance, mean]);
        }
        let queries = times.len() as f64;
        let mean = own_time / queries;
        // Not a number when nothing was counted.
        let part = |count: u64| count as f64 / counted as f64;
        let (meshed_time, meshed_wrong) = match &meshed {
            Some(meshed) => (meshed.seconds / queries, part(meshed.wrong)),
            None => (f64::NAN, f64::NAN),
        };
        let difference = part(wrong[0] + wrong[1]);
        let each = built.tree.bytes() as f64 / built.tree.nodes().max(1) as f64;
        let p95 = quantile(&mut times, 0.95);
        println!(
            "{:<11} {:>7} {:>6} {each:>6.1} {:>7.2} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.2} {:>7.1} {:>7.1} {:>7.2} {:>7.2} {:>7.2} {certain:>8} {certainly_wrong:>7}",
            model.name,
            model.points.len(),
            built.tree.nodes(),
            built.seconds,
            mean * 1e6,
            p95 * 1e6,
            mesh_time / queries * 1e6,
            meshed_time * 1e6,
            meshed_wrong * 100.0,
            evaluations as f64 / queries,
            pairs as f64 / queries,
            difference * 100.0,
            part(wrong[0]) * 100.0,
            part(wrong[1]) * 100.0,
        );
        self.rows.push(vec![
            Cell::Text(model.name.to_owned()),
            Cell::Number(model.points.len() as f64),
            Cell::Number(built.tree.nodes() as f64),
            Cell::Number(each),
            Cell::Number(built.seconds),
            Cell::Number(mean * 1e6),
            Cell::Number(p95 * 1e6),
            Cell::Number(mesh_time / queries * 1e6),
            Cell::Number(meshed_time * 1e6),
            Cell::Number(meshed_wrong * 100.0),
            Cell::Number(evaluations as f64 / queries),
            Cell::Number(pairs as f64 / queries),
            Cell::Number(difference * 100.0),
            Cell::Number(part(wrong[0]) * 100.0),
            Cell::Number(part(wrong[1]) * 100.0),
            Cell::Number(certain as f64),
            Cell::Number(certainly_wrong as f64),
        ]);
        self.series.push(series);
        let is_full = self.is_full;
        claim(
            sheet,
            at_full_size(is_full, Bar::at_most(mean * 1e3, MAX_MEAN)),
            &format!(
                "{}: a question takes at most {MAX_MEAN} ms on the mean",
                model.name
            ),
            &format!("{:.4} ms", mean * 1e3),
        );
        claim(
            sheet,
            at_full_size(is_full, Bar::at_most(difference, model.allowed)),
            &format!(
                "{}: answers differ from the truth in at most {:.2} %",
                model.name,
                model.allowed * 100.0
            ),
            &format!("{:.2} %", difference * 100.0),
        );
        self.certain += certain;
        self.certainly_wrong += certainly_wrong;
        claim(
            sheet,
            at_full_size(is_full, Bar::at_most(each, MAX_BYTES)),
            &format!("{}: at most {MAX_BYTES} bytes per node", model.name),
            &format!("{each:.1}"),
        );
        Ok(())
    }

    /// Adds table and plot, and gives the answers back.
    fn finish(self, sheet: &mut ResultSheet) -> String {
        // Over all models: copies of some are at none of the distances so far apart that an answer can be certain.
        let (certain, wrong) = (self.certain, self.certainly_wrong);
        claim(
            sheet,
            right_at_full_size(self.is_full, Bar::none_wrong(wrong, certain)),
            "no certain answer is wrong",
            &format!("{wrong} of {certain}"),
        );
        sheet.tables.push(Table {
            title: "Tumbling pairs".to_owned(),
            columns: [
                "model",
                "points",
                "nodes",
                "bytes per node",
                "build in s",
                "mean in µs",
                "95th percentile in µs",
                "exact mesh in µs",
                "mesh of the cloud in µs",
                "mesh of the cloud differs in %",
                "evaluations",
                "node pairs",
                "wrong in %",
                "falsely yes in %",
                "falsely no in %",
                "certain",
                "certain and wrong",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: self.rows,
        });
        sheet.plots.push(Plot {
            title: "Mean time of a question".to_owned(),
            x: Axis {
                label: "distance of the copies, in half edges".to_owned(),
                ..Axis::default()
            },
            y: Axis {
                label: "time".to_owned(),
                unit: "µs".to_owned(),
                is_logarithmic: true,
            },
            series: self.series,
        });
        self.answers
    }
}
