//! `impinge-bench run broad-phase`: many boxes, frame by frame, compared with the broad phases of
//! other libraries.

mod boxes;
mod cage;
mod indexes_1994;
mod published;
mod runner;
mod scene;

use crate::{Bar, Bars};
use scene::BoxScene;

/// Many boxes: first build, then frames in which all move, beside other broad phases; published ratios
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Ten thousand boxes and few frames: a look, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only this part
    #[arg(long, value_enum)]
    only: Option<BroadPhasePart>,
}

/// A part of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum BroadPhasePart {
    /// Boxes that all move, beside other broad phases
    Boxes,
    /// Ratios that theses published
    Published,
    /// From a hundred boxes to a million
    Growth,
    /// A thousand tumbling meshes, beside rapier
    Cage,
}

/// Boxes that have to be finished with.
const MANY: usize = 1_000_000;

/// What became of a bar, and what it is.
type TargetVerdict = (Bar, String);

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    let folder = std::env::temp_dir();
    let wants = |part| args.only.is_none_or(|only| only == part);
    if wants(BroadPhasePart::Boxes) {
        // The bars of speed are those of one size; the others show how engines grow.
        let sizes: &[(usize, usize, usize)] = if args.quick {
            &[(100, 2, 10), (1000, 2, 10), (10_000, 2, 10)]
        } else {
            &[
                (100, 5, 25),
                (1000, 5, 25),
                (10_000, 5, 25),
                (boxes::JUDGED, 5, 25),
                (MANY, 1, 4),
            ]
        };
        for &(count, rounds, frames) in sizes {
            for scene in [BoxScene::fifth(count), BoxScene::dense(count)] {
                for (bar, text) in boxes::run(&scene, &folder, rounds, frames)? {
                    bars.say(bar, text);
                }
            }
        }
        if args.quick {
            for text in [
                format!("the speed of {} boxes beside other engines", boxes::JUDGED),
                format!("{MANY} boxes, with as many pairs as a plain sweep"),
            ] {
                bars.say(Bar::Open, format_args!("{text}: not in the quick run"));
            }
        }
    }
    if wants(BroadPhasePart::Published) {
        for (bar, text) in published::ratios(args.quick)? {
            bars.say(bar, text);
        }
    }
    if wants(BroadPhasePart::Cage) {
        for (bar, text) in cage::run(args.quick, &folder)? {
            bars.say(bar, text);
        }
    }
    if wants(BroadPhasePart::Growth) {
        let sizes: &[usize] = if args.quick {
            &[100, 1000, 10_000]
        } else {
            &[100, 1000, 10_000, 100_000, MANY]
        };
        let most = sizes.iter().copied().max().unwrap_or_default();
        let bar = published::growth(sizes)?;
        let bar = if most < MANY { bar.and(Bar::Open) } else { bar };
        bars.say(
            bar,
            format_args!(
                "up to {most} boxes finish, with as many pairs as a plain sweep, asked {MANY}"
            ),
        );
    }
    Ok(bars.end())
}
