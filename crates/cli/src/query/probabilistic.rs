//! What the engine that may be wrong says: a verdict, whether it is certain, and how sure it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use impinge::Pose;
use impinge::average_case::{AverageAnswer, AverageOptions, ContactRegion, OpeningOrder};
use impinge::bound::Aabb;
use impinge::pair::{MeshShape, ProbabilisticQuery, Shape};
use impinge::query::{Limits, Outcome};
use serde::Serialize;

use super::args::QueryArgs;
use super::batch::conclude;
use super::engine::AVERAGE;
use super::indexes::milliseconds_since;
use super::query_kind::QueryKind;
use super::record::{Milliseconds, Operand, WorkRecord};
use super::settings::Settings;
use crate::ExitAnswer;
use crate::model_source::{Loaded, ModelSource};
use crate::number::{count, count_of, duration, measure};
use crate::output::Output;
use crate::pose_file::ReadPose;

/// Which pair of boxes is opened next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OpenOrder {
    /// The one that most probably holds a collision
    Probable,
    /// The one with the largest common volume
    LargestVolume,
    /// The last found
    DepthFirst,
    /// The least deep
    BreadthFirst,
    /// The one below which boxes shrink fastest
    Shrinking,
}

impl OpenOrder {
    fn order(self) -> OpeningOrder {
        match self {
            Self::Probable => OpeningOrder::Probable,
            Self::LargestVolume => OpeningOrder::LargestVolume,
            Self::DepthFirst => OpeningOrder::DepthFirst,
            Self::BreadthFirst => OpeningOrder::BreadthFirst,
            Self::Shrinking => OpeningOrder::Shrinking,
        }
    }

    fn name(order: OpeningOrder) -> &'static str {
        match order {
            OpeningOrder::Probable => "probable",
            OpeningOrder::LargestVolume => "largest-volume",
            OpeningOrder::DepthFirst => "depth-first",
            OpeningOrder::BreadthFirst => "breadth-first",
            OpeningOrder::Shrinking => "shrinking",
            OpeningOrder::Random(_) => "random",
        }
    }
}

/// Regions that can be requested: more would be a list of all boxes.
const MOST_REGIONS: u32 = 100_000;

/// Where surfaces probably meet.
#[derive(Serialize)]
struct RegionRecord {
    /// The box of the first mesh, in its frame.
    a: BoxRecord,
    /// The box of the second, in its own.
    b: BoxRecord,
    probability: f64,
}

#[derive(Serialize)]
struct BoxRecord {
    min: [f64; 3],
    max: [f64; 3],
}

impl RegionRecord {
    fn new(region: &ContactRegion) -> Self {
        let record = |bounds: &Aabb| BoxRecord {
            min: bounds.min.to_array(),
            max: bounds.max.to_array(),
        };
        Self {
            a: record(&region.a),
            b: record(&region.b),
            probability: region.probability,
        }
    }

    fn line(&self) -> String {
        let words = |b: &BoxRecord| {
            let point = |p: [f64; 3]| p.map(measure).join(" ");
            format!("{} to {}", point(b.min), point(b.max))
        };
        format!(
            "  A {}; B {}; probability {}",
            words(&self.a),
            words(&self.b),
            measure(self.probability)
        )
    }
}

/// A verdict that is no surer than this is none.
const COIN: f64 = 0.5;

/// The query, and what it is about.
pub(super) struct QueryInput<'g> {
    pub(super) args: &'g QueryArgs,
    pub(super) settings: &'g Settings,
    pub(super) loaded: [&'g Loaded; 2],
    pub(super) pose: Option<ReadPose>,
    pub(super) poses: Option<&'g [ReadPose]>,
    pub(super) load_ms: f64,
}

/// What came back about one placement.
#[derive(Serialize)]
struct ProbabilisticRecord {
    /// The number of the placement in a list of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pose: Option<usize>,
    /// The likelier answer.
    intersects: bool,
    /// Whether it is proven: only a no can be.
    certain: bool,
    /// How often answers like this one are right, from 0.5 to 1.
    confidence: f64,
    /// Whether the search ended by itself, and not by a limit.
    complete: bool,
    /// Pairs of boxes that hold a collision with a probability of at least `p_min`.
    likely_pairs: u32,
    /// The probability of the best pair.
    best: f64,
    /// Expected places at which surfaces meet.
    meetings: f64,
    p_min: f64,
    k_min: u32,
    /// Which pair of boxes was opened next.
    order: &'static str,
    /// Where surfaces probably meet; not there unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<Vec<RegionRecord>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<Operand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<Operand>,
    a_from_b: [f64; 16],
    pose_repaired: bool,
    engine: &'static str,
    exact: bool,
    work: WorkRecord,
    milliseconds: Milliseconds,
}

/// Asks about one placement or many, and prints.
pub(super) fn run(given: &QueryInput<'_>, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    refuse(given)?;
    let args = given.args;
    let usual = AverageOptions::default();
    let options = AverageOptions {
        p_min: args.p_min.unwrap_or(usual.p_min),
        k_min: args.k_min.unwrap_or(usual.k_min),
        order: args.order.map_or(usual.order, OpenOrder::order),
        max_regions: args.regions.unwrap_or(0) as usize,
        ..usual
    };
    let started = Instant::now();
    let [a, b] = given.loaded;
    let first = Shape::from(MeshShape::new(Arc::clone(&a.mesh)));
    let second = if Arc::ptr_eq(&a.mesh, &b.mesh) {
        first.clone()
    } else {
        Shape::from(MeshShape::new(Arc::clone(&b.mesh)))
    };
    let mut asked = LimitedQuery {
        query: ProbabilisticQuery::new(&first, &second, options.clone())?,
        options,
        shows_regions: args.regions.is_some(),
        limit_tests: given.settings.limit_tests,
        budget: budget(args.budget)?,
    };
    let index_ms = milliseconds_since(started);
    if let Some(poses) = given.poses {
        return many(&mut asked, poses, out);
    }
    let pose = given.pose.as_ref();
    let a_from_b = pose.map_or(Pose::IDENTITY, |pose| pose.a_from_b);
    let (found, mut record) = asked.ask(&a_from_b);
    let operand = |source: &ModelSource, loaded: &Loaded| Operand {
        source: source.to_string(),
        vertices: loaded.mesh.vertex_count(),
        faces: loaded.mesh.face_count(),
        intersecting_faces: None,
    };
    record.a = Some(operand(&args.a, a));
    record.b = Some(operand(&args.b, b));
    record.pose_repaired = pose.is_some_and(|pose| pose.repaired);
    record.milliseconds.load = Some(given.load_ms);
    record.milliseconds.index = Some(index_ms);
    out.record(&record)?;
    out.line(sentence(&found))?;
    let mut facts = vec![
        ("certain", yes_or_no(found.verdict.certain).to_owned()),
        ("confidence", measure(found.verdict.confidence)),
        (
            "likely",
            format!(
                "{} with a probability of at least {}; {} are enough",
                count_of(
                    found.likely_pairs as usize,
                    "pair of boxes",
                    "pairs of boxes"
                ),
                asked.options.p_min,
                count(asked.options.k_min as usize)
            ),
        ),
        (
            "work",
            format!(
                "{} box tests in {}",
                count(found.work.volume_tests as usize),
                duration(index_ms + record.milliseconds.search)
            ),
        ),
    ];
    if args.explain {
        let trees = [&first, &second].map(|shape| match shape {
            Shape::Mesh(mesh) => mesh.average().len(),
            _ => 0,
        });
        facts.push((
            "explained",
            format!(
                "{AVERAGE}: asked for by name; trees of {} and {} boxes, built in {}",
                count(trees[0]),
                count(trees[1]),
                duration(index_ms)
            ),
        ));
    }
    out.facts(&facts)?;
    if let Some(regions) = &record.regions {
        out.line(count_of(
            regions.len(),
            "region in which surfaces probably meet, each box in the frame of its mesh",
            "regions in which surfaces probably meet, each box in the frame of its mesh",
        ))?;
        for region in regions {
            out.line(region.line())?;
        }
    }
    Ok(exit(&found))
}

/// Nothing that was given is silently left aside.
fn refuse(given: &QueryInput<'_>) -> anyhow::Result<()> {
    let (args, settings) = (given.args, given.settings);
    let other = settings.asked.iter().find(|q| **q != QueryKind::Intersects);
    if let Some(question) = other.filter(|_| !settings.is_default) {
        bail!(
            "the engine {AVERAGE} tells whether surfaces probably meet and nothing else: leave {} out of --ask, or choose another --engine",
            question.name()
        );
    }
    if let Some(regions) = args.regions.filter(|n| *n > MOST_REGIONS) {
        bail!("--regions is {regions}, at most {MOST_REGIONS} can be shown");
    }
    let flags = [
        ("--solid", args.solid.is_some()),
        ("--pairs", args.pairs.is_some()),
        ("--png", args.png.is_some()),
        ("--glb", args.glb.is_some()),
        ("--max-distance", args.max_distance.is_some()),
        ("--abs-error", args.abs_error.is_some()),
        ("--rel-error", args.rel_error.is_some()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, is_given)| *is_given) {
        bail!(
            "{flag} needs faces that meet, and the engine {AVERAGE} knows none: choose another --engine"
        );
    }
    Ok(())
}

fn budget(milliseconds: Option<f64>) -> anyhow::Result<Option<Duration>> {
    let Some(milliseconds) = milliseconds else {
        return Ok(None);
    };
    match Duration::try_from_secs_f64(milliseconds / 1e3) {
        Ok(budget) => Ok(Some(budget)),
        Err(_) => bail!("--budget is a time in milliseconds, not {milliseconds}"),
    }
}

/// The question with its limits.
struct LimitedQuery {
    query: ProbabilisticQuery,
    options: AverageOptions,
    shows_regions: bool,
    limit_tests: Option<u64>,
    budget: Option<Duration>,
}

impl LimitedQuery {
    fn ask(&mut self, a_from_b: &Pose) -> (AverageAnswer, ProbabilisticRecord) {
        let started = Instant::now();
        let budget = self.budget;
        let stop = || budget.is_some_and(|budget| started.elapsed() >= budget);
        let limits = Limits {
            max_tests: self.limit_tests,
            stop: Some(&stop),
            ..Limits::default()
        };
        let found = self.query.at(a_from_b, limits);
        let record = ProbabilisticRecord {
            pose: None,
            intersects: found.verdict.answer,
            certain: found.verdict.certain,
            confidence: found.verdict.confidence,
            complete: found.outcome != Outcome::OutOfBudget,
            likely_pairs: found.likely_pairs,
            best: found.best,
            meetings: found.meetings,
            p_min: self.options.p_min,
            k_min: self.options.k_min,
            order: OpenOrder::name(self.options.order),
            regions: self.shows_regions.then(|| {
                let regions = self.query.regions().iter();
                regions.map(RegionRecord::new).collect()
            }),
            a: None,
            b: None,
            a_from_b: a_from_b.to_row_major(),
            pose_repaired: false,
            engine: AVERAGE,
            exact: false,
            work: WorkRecord::new(found.work),
            milliseconds: Milliseconds {
                load: None,
                index: None,
                search: milliseconds_since(started),
            },
        };
        (found, record)
    }
}

/// Answers for each placement, in their order.
fn many(
    asked: &mut LimitedQuery,
    poses: &[ReadPose],
    out: &mut Output,
) -> anyhow::Result<ExitAnswer> {
    out.line(format!(
        "{:>6}  {:>12}  {:>8}  {:>12}",
        "pose", "intersects", "certain", "confidence"
    ))?;
    let (mut hits, mut open) = (0, 0);
    for (number, pose) in poses.iter().enumerate() {
        let (found, mut record) = asked.ask(&pose.a_from_b);
        record.pose = Some(number);
        record.pose_repaired = pose.repaired;
        out.record(&record)?;
        let answer = match exit(&found) {
            ExitAnswer::Yes => {
                hits += 1;
                "yes"
            }
            ExitAnswer::No => "no",
            ExitAnswer::Failed => {
                open += 1;
                "?"
            }
        };
        out.line(format!(
            "{number:>6}  {answer:>12}  {:>8}  {:>12}",
            yes_or_no(found.verdict.certain),
            measure(found.verdict.confidence)
        ))?;
    }
    let summary = format!(
        "{} of {} poses: probably yes to intersects",
        count(hits),
        count(poses.len())
    );
    conclude(summary, hits, open, out)
}

/// The answer for the exit code: a verdict with confidence 0.5 counts as no answer.
fn exit(found: &AverageAnswer) -> ExitAnswer {
    let verdict = found.verdict;
    match verdict.answer {
        _ if !verdict.certain && verdict.confidence <= COIN => ExitAnswer::Failed,
        true => ExitAnswer::Yes,
        false => ExitAnswer::No,
    }
}

fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

fn sentence(found: &AverageAnswer) -> String {
    let verdict = found.verdict;
    let cut = if found.outcome == Outcome::OutOfBudget {
        " (--budget or --limit-tests was reached)"
    } else {
        ""
    };
    match (verdict.answer, verdict.certain) {
        _ if !verdict.certain && verdict.confidence <= COIN => {
            format!("undecided: the answer is no better than a coin's{cut}")
        }
        (false, true) => "no: the surfaces share no point, which is certain".to_owned(),
        (true, true) => "yes: the surfaces meet, which is certain".to_owned(),
        (true, false) => format!("probably yes: the surfaces are likely to meet{cut}"),
        (false, false) => format!("probably no: the surfaces are likely to be apart{cut}"),
    }
}
