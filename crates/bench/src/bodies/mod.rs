//! `impinge-bench run bodies`: many boxes, frame by frame, beside the broad phases of others.

mod boxes;
mod cage;
mod published;
mod runner;
mod scene;

use crate::Bar;
use scene::Scene;

/// Many boxes: first build, then frames in which all move, beside other broad phases; published ratios
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Ten thousand boxes and few frames: a look, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only this part
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Boxes that all move, beside other broad phases
    Boxes,
    /// Ratios that theses published
    Published,
    /// From a hundred boxes to a million
    Growth,
    /// A thousand tumbling meshes, beside rapier
    Cage,
}

/// Whether it is met, if it could be measured, and what it is.
type Verdict = (Option<bool>, String);

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut all = true;
    let mut bar = |(met, text): Verdict| {
        let state = match met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "open, not measured",
        };
        println!("bar: {text}: {state}");
        all &= met == Some(true);
    };
    let folder = std::env::temp_dir();
    let wants = |part| args.only.is_none_or(|only| only == part);
    if wants(Part::Boxes) {
        // The bars are those of the last size; the others show how engines grow.
        let sizes: &[usize] = if args.quick {
            &[1000, 10_000]
        } else {
            &[1000, 10_000, 100_000]
        };
        let (rounds, frames) = if args.quick { (2, 10) } else { (5, 25) };
        for (i, &count) in sizes.iter().enumerate() {
            for scene in [Scene::fifth(count), Scene::dense(count)] {
                let is_last = i + 1 == sizes.len();
                for verdict in boxes::run(&scene, &folder, rounds, frames, is_last)? {
                    bar(verdict);
                }
            }
        }
    }
    if wants(Part::Published) {
        published::ratios(args.quick)?
            .into_iter()
            .for_each(&mut bar);
    }
    if wants(Part::Cage) {
        cage::run(args.quick, &folder)?
            .into_iter()
            .for_each(&mut bar);
    }
    let sizes: &[usize] = if args.quick {
        &[100, 1000, 10_000]
    } else {
        &[100, 1000, 10_000, 100_000, 1_000_000]
    };
    if wants(Part::Growth)
        && let Some(most) = sizes.last()
    {
        published::growth(sizes)?;
        // Growth fails when two methods differ.
        bar((
            Some(true),
            format!("{most} boxes finish, with equal numbers of pairs"),
        ));
    }
    Ok(if all { Bar::Met } else { Bar::Missed })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
