//! Shallow contacts: the lens sum of inner spheres, their value with gaps counted, and the method by cost, beside the exact volume.
//!
//! Some four minutes on one core. Models that tuned the method by cost are measured when asked for by `--model`, and enter no bar.

use std::sync::Arc;

use impinge::bvh::MeshIndex as _;
use impinge::math::Rng;
use impinge::penetration::{PenetrationBody, PenetrationMethod, PenetrationQuery};
use impinge::query::Limits;
use impinge::volume::OverlapCache;

use super::model_split::{TUNING, judging, load};
use super::scene::{ApproachLine, PackedModel};
use super::{Args, all, held, open, sized};
use crate::Bar;
use crate::pair_measurement::quantile;
use crate::report::significant;

const FACES: usize = 20_000;
const BALLS: usize = 40_000;
const RESOLUTION: u32 = 34;
const LINES: usize = 8;
const SHARES: [f64; 4] = [5e-3, 2e-3, 5e-4, 1e-4];
const MOST_OFF: f64 = 0.05;
/// Models that have to judge.
const LEAST_MODELS: usize = 3;
/// What the bars are about, in the order of the errors.
const METHODS: [&str; 3] = [
    "lens sum of inner spheres",
    "inner spheres with gaps counted",
    "volume by cost",
];

/// What is printed of one share: relative errors, of the lens sum alone, with gaps counted, and by cost.
#[derive(Default)]
struct ShareErrors {
    plain: Vec<f64>,
    spheres: Vec<f64>,
    by_cost: Vec<f64>,
    uppers: Vec<f64>,
    exact: usize,
    times: [f64; 3],
}

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let count = args.balls(BALLS);
    println!("## Shallow contacts of {count} balls");
    println!(
        "| models | model | overlap | lens sum, mean error | gaps counted, mean error | by cost, mean error | worst | answered by the integral | upper / truth, gaps counted | ms: spheres | ms: by cost | ms: exact |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut judged, mut outside, mut places) = (Vec::new(), 0, 0);
    let tuning = TUNING.into_iter().filter(|_| args.model.is_some());
    let tuning = tuning.map(|name| ("tuning", name));
    let listed = tuning.chain(judging().map(|name| ("judging", name)));
    let mut models = 0;
    for (set, name) in listed.filter(|(_, name)| args.wants_model(name)) {
        if args.is_over() {
            println!("{name} is left out: the time is up");
            continue;
        }
        let Some(index) = load(name, FACES)? else {
            continue;
        };
        models += usize::from(set == "judging");
        let packed = PackedModel::new(index, count, RESOLUTION)?;
        let body = PenetrationBody::exact(Arc::clone(packed.index.mesh()))?
            .with_spheres(packed.spheres.clone());
        let mut queries = [
            PenetrationMethod::Spheres,
            PenetrationMethod::ByCost,
            PenetrationMethod::Exact,
        ]
        .into_iter()
        .map(|method| PenetrationQuery::by(method, &body, &body))
        .collect::<Result<Vec<_>, _>>()?;
        let mut rng = Rng::new(5);
        let lines = (0..if args.quick { 3 } else { LINES })
            .map(|_| ApproachLine::new(&packed, &mut rng))
            .collect::<anyhow::Result<Vec<_>>>()?;
        for share in SHARES {
            let wanted = share * packed.exact.volume();
            let mut found = ShareErrors::default();
            for line in &lines {
                let pose = line.sharing(&packed, wanted, &mut OverlapCache::default())?;
                let truth = packed.shared(&pose, &mut OverlapCache::default())?;
                if (truth / wanted - 1.0).abs() > 0.05 {
                    // The volume jumps over this share.
                    continue;
                }
                places += 1;
                let mut volumes = [0.0; 3];
                for (k, query) in queries.iter_mut().enumerate() {
                    // Once to warm the memory.
                    query.ask(&pose, Limits::default())?;
                    let start = std::time::Instant::now();
                    let answer = query.ask(&pose, Limits::default())?;
                    found.times[k] += 1e3 * start.elapsed().as_secs_f64();
                    let room = 1e-9 * truth;
                    outside +=
                        usize::from(answer.lower > truth + room || answer.upper < truth - room);
                    volumes[k] = answer.value.volume;
                    if k == 0 {
                        // The balls' own overlap is what is proven.
                        found.plain.push((answer.lower / truth - 1.0).abs());
                        found.uppers.push(answer.upper / truth);
                    }
                    if k == 1 {
                        found.exact += usize::from(answer.value.method == PenetrationMethod::Exact);
                    }
                }
                found.spheres.push((volumes[0] / truth - 1.0).abs());
                found.by_cost.push((volumes[1] / truth - 1.0).abs());
            }
            let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len().max(1) as f64;
            let number = found.by_cost.len();
            let [spheres, by_cost, exact] = found.times.map(|t| t / number.max(1) as f64);
            println!(
                "| {set} | {name} | {} % | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {} of {number} | {:.2} | {spheres:.3} | {by_cost:.3} | {exact:.3} |",
                significant(100.0 * share, 2),
                100.0 * mean(&found.plain),
                100.0 * mean(&found.spheres),
                100.0 * mean(&found.by_cost),
                100.0 * quantile(&found.by_cost, 1.0).unwrap_or(0.0),
                found.exact,
                mean(&found.uppers),
            );
            if set == "judging" {
                judged.push((share, [found.plain, found.spheres, found.by_cost]));
            }
        }
    }
    if places == 0 {
        return Ok(open("shallow: no place was found, or the time is up"));
    }
    let is_full = args.is_full(BALLS) && models >= LEAST_MODELS;
    let mut bars = Vec::new();
    for share in SHARES {
        for (k, method) in METHODS.into_iter().enumerate() {
            let errors = judged.iter().filter(|(of, _)| *of == share);
            let errors: Vec<f64> = errors.flat_map(|(_, all)| &all[k]).copied().collect();
            let worst = quantile(&errors, 1.0);
            let told = worst.map_or("nothing".to_owned(), |worst| {
                format!("{:.2} %", 100.0 * worst)
            });
            bars.push(sized(
                &format!(
                    "{method} within 5 % at each of {} places that share {} %, {models} models not used for tuning (worst {told})",
                    errors.len(),
                    significant(100.0 * share, 2)
                ),
                Bar::at_most(worst, MOST_OFF),
                is_full,
            ));
        }
    }
    bars.push(held(
        &format!("brackets of all three methods hold the truth at all {places} places"),
        Bar::none_wrong(outside as u64, 3 * places as u64),
        is_full,
    ));
    Ok(all(&bars))
}
