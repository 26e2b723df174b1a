//! Overlap volumes by spheres, compared with the exact ones: the plain lens sum, and with gaps
//! counted.

use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::InnerSphereTreeCache;
use impinge::volume::OverlapCache;

use super::plot::{LogCurve, plot};
use super::scene::{ApproachLine, PackedModel};
use super::{Args, all, held, model, open, sized};
use crate::Bar;
use crate::pair_measurement::quantile;
use crate::report::significant;

const MODELS: [&str; 3] = ["armadillo", "bunny", "knot-1"];
const BALLS: usize = 240_000;
/// Cells along the longest side in which gaps are measured.
const RESOLUTION: u32 = 64;
const LINES: usize = 12;
/// Overlaps as parts of the solid: shallow contacts, as a simulation or a hand has them, and deep
/// ones.
const DEPTHS: [f64; 7] = [1e-5, 3e-4, 2e-3, 0.01, 0.02, 0.05, 0.1];
/// From here on an overlap is deep.
const DEEP: f64 = 0.01;
const MEAN_ERROR: f64 = 0.05;

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let count = args.balls(BALLS);
    println!("## Shared volume of {count} balls beside the exact one");
    println!(
        "| model | overlap | lens sum, mean error | with gaps, mean error | worst | upper, mean |"
    );
    println!("|---|---|---|---|---|---|");
    let mut places = 0;
    let mut table = String::from("model,overlap,exact,lower,value,upper\n");
    let (mut raw, mut counted, mut shallow_ones) = (Vec::new(), Vec::new(), Vec::new());
    let (mut curves, mut outside, mut skipped, mut models) = (Vec::new(), 0, 0, 0);
    for name in MODELS {
        if !args.wants_model(name) || args.is_over() {
            continue;
        }
        let Some(index) = model(name)? else {
            continue;
        };
        let resolution = if args.quick { 32 } else { RESOLUTION };
        let packed = PackedModel::new(index, count, resolution)?;
        models += usize::from(packed.spheres.balls().len() == BALLS);
        let mut rng = Rng::new(5);
        let mut cache = InnerSphereTreeCache::default();
        let mut exact = OverlapCache::default();
        let lines = (0..if args.quick { 3 } else { LINES })
            .map(|_| ApproachLine::new(&packed, &mut rng))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let (mut bare, mut full) = (Vec::new(), Vec::new());
        for depth in DEPTHS {
            let wanted = depth * packed.exact.volume();
            let (mut errors, mut own, mut uppers) = (Vec::new(), Vec::new(), Vec::new());
            for line in &lines {
                let pose = line.sharing(&packed, wanted, &mut exact)?;
                let truth = packed.shared(&pose, &mut exact)?;
                let tree = &packed.spheres;
                let found = tree.overlap(tree, &pose, Limits::default(), &mut cache);
                places += 1;
                outside += usize::from(
                    found.lower > truth * (1.0 + 1e-9) || found.upper < truth * (1.0 - 1e-9),
                );
                if (truth / wanted - 1.0).abs() > 0.05 {
                    // The volume jumps over this depth: no place along the line has it.
                    skipped += 1;
                    continue;
                }
                errors.push((found.lower / truth - 1.0).abs());
                own.push((found.value / truth - 1.0).abs());
                uppers.push(found.upper / truth);
                table += &format!(
                    "{name},{depth},{truth},{},{},{}\n",
                    found.lower, found.value, found.upper
                );
            }
            let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len().max(1) as f64;
            println!(
                "| {name} | {} % | {:.1} % | {:.1} % | {:.1} % | {:.2} |",
                significant(100.0 * depth, 2),
                100.0 * mean(&errors),
                100.0 * mean(&own),
                100.0 * quantile(&own, 1.0).unwrap_or(0.0),
                mean(&uppers)
            );
            bare.push((depth, mean(&errors)));
            full.push((depth, mean(&own)));
            if depth < DEEP {
                shallow_ones.extend(own);
            } else {
                raw.extend(errors);
                counted.extend(own);
            }
        }
        for (what, points) in [("lens sum", bare), ("gaps counted", full)] {
            curves.push(LogCurve {
                name: format!("{name}, {what}"),
                points,
            });
        }
    }
    if counted.is_empty() {
        return Ok(open("accuracy: no model is there, or the time is up"));
    }
    args.save("volume-error.csv", &table)?;
    let title = "Mean error of the shared volume, against the part of the solid that is shared";
    args.save(
        "volume-error.svg",
        &plot(title, "shared part", "mean error", &curves),
    )?;
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    println!(
        "mean error: lens sum {:.3}, gaps counted {:.3}",
        mean(&raw),
        mean(&counted)
    );
    println!(
        "these are where at least {DEEP} of the solid is shared; mean error of shallower contacts: gaps counted {:.3}",
        mean(&shallow_ones)
    );
    println!(
        "{places} places; errors of {} of them, for {skipped} do not share within 5 % of the part that was looked for",
        counted.len() + shallow_ones.len()
    );
    let is_full = args.is_full(BALLS)
        && models == MODELS.len()
        && places == MODELS.len() * DEPTHS.len() * LINES
        && 2 * skipped < places;
    Ok(all(&[
        sized(
            "volume with gaps counted within 5 % on average, where 1 to 10 % of the solid is shared",
            Bar::at_most(mean(&counted), MEAN_ERROR),
            is_full,
        ),
        sized(
            "volume with gaps counted within 5 % on average, where 0.001 to 0.2 % of the solid is shared",
            Bar::at_most(mean(&shallow_ones), MEAN_ERROR),
            is_full,
        ),
        held(
            &format!("the bracket holds the truth at all {places} places"),
            Bar::none_wrong(outside as u64, places as u64),
            is_full,
        ),
    ]))
}
