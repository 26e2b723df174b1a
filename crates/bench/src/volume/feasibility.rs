//! Real meshes filled with many balls: feasibility, order, fill.

use std::ops::ControlFlow;
use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::spheres::{MeshSolid, PackOptions, pack_with};
use impinge_testkit::oracle::{Ball, ball_faults};

use super::plot::{LogCurve, plot};
use super::{Args, all, held, model, open};
use crate::Bar;
use crate::thread_cpu_time::process_time;

/// Closed ones among the fetched models; those that are not are named and left out.
const MODELS: [&str; 14] = [
    "armadillo",
    "bunny",
    "dragon-100k",
    "elephant",
    "camel",
    "cow",
    "spot",
    "fandisk",
    "knot-1",
    "pinion",
    "rotor",
    "femur",
    "anchor",
    "joint",
];
/// Balls in each mesh, and meshes.
const BALLS: usize = 100_000;
const MESHES: usize = 10;
/// Fill is noted whenever the count has grown by this factor.
const MARK: f64 = 1.25;
/// Fills at these counts are printed and compared.
const SHOWN: [f64; 2] = [1e3, 1e4];
/// Curves coincide if at equal counts the largest unfilled part is at most this many times the smallest.
const COINCIDE: f64 = 1.1;

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let count = args.balls(BALLS);
    println!("## {count} balls in real meshes");
    println!(
        "| model | faces | balls | fill at 10^3 / 10^4 / end | escapes | overlaps | decided in integers | found out of order | by 4 % | wall s | processor s | exact check s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut meshes, mut full, mut faults, mut unordered, mut late, mut balls) = (0, 0, 0, 0, 0, 0);
    let mut curves: Vec<LogCurve> = Vec::new();
    let mut table = String::from("model,balls,fill\n");
    for name in MODELS {
        if !args.wants_model(name) || (args.quick && meshes >= 3) {
            continue;
        }
        if args.is_over() {
            println!("| {name} | not measured, the time is up | | | | | | | | | | |");
            continue;
        }
        let Some(tree) = model(name)? else {
            continue;
        };
        let solid = match MeshSolid::new(&tree) {
            Ok(solid) => solid,
            Err(error) => {
                println!(
                    "| {name} | {} | left out: {error} | | | | | | | | | |",
                    tree.mesh().face_count()
                );
                continue;
            }
        };
        let options = PackOptions {
            count: Some(count),
            ..PackOptions::default()
        };
        let mut fills = Vec::new();
        let (start, before) = (Instant::now(), process_time());
        let packing = pack_with(&solid, &options, &mut |now| {
            let last = fills.last().map_or(0.0, |entry: &(f64, f64)| entry.0);
            if now.count as f64 >= MARK * last {
                fills.push((now.count as f64, now.fill));
            }
            ControlFlow::Continue(())
        })?;
        let (wall, after) = (start.elapsed().as_secs_f64(), process_time());
        let spent = match (before, after) {
            (Some(before), Some(after)) => format!("{:.1}", (after - before).as_secs_f64()),
            _ => "?".to_owned(),
        };
        let start = Instant::now();
        let all_balls: Vec<Ball> = packing
            .balls
            .iter()
            .map(|ball| (ball.center, ball.radius))
            .collect();
        let check = ball_faults(tree.mesh(), &all_balls);
        let checked = start.elapsed().as_secs_f64();
        meshes += 1;
        full += usize::from(packing.balls.len() >= BALLS);
        faults += check.escapes + check.overlaps;
        unordered += packing.work.unordered;
        late += packing.work.late;
        balls += packing.balls.len();
        fills.push((packing.balls.len() as f64, packing.fill()));
        let shown: Vec<String> = SHOWN
            .iter()
            .filter_map(|&mark| fills.iter().find(|entry| entry.0 >= mark))
            .map(|entry| format!("{:.4}", entry.1))
            .collect();
        for (count, fill) in &fills {
            table += &format!("{name},{count},{fill}\n");
        }
        curves.push(LogCurve {
            name: name.to_owned(),
            points: fills.iter().map(|&(n, fill)| (n, 1.0 - fill)).collect(),
        });
        println!(
            "| {name} | {} | {} | {} / {:.4} | {} | {} | {} | {} | {} | {wall:.1} | {spent} | {checked:.1} |",
            tree.mesh().face_count(),
            packing.balls.len(),
            shown.join(" / "),
            packing.fill(),
            check.escapes,
            check.overlaps,
            check.in_integers,
            packing.work.unordered,
            packing.work.late,
        );
    }
    if meshes == 0 {
        return Ok(open("feasible: no model is there"));
    }
    args.save("volume-fill.csv", &table)?;
    let title = "Volume left unfilled, against the number of balls";
    args.save(
        "volume-fill.svg",
        &plot(title, "balls", "unfilled part", &curves),
    )?;
    spread(&curves, full >= MESHES);
    println!(
        "a packing is sorted; in the order of insertion {unordered} of {balls} balls come after one smaller by more than 0.1 %, {late} by more than 4 %"
    );
    let is_full = full >= MESHES;
    Ok(all(&[
        held(
            &format!(
                "no escape and no overlap, without rounding, on ten real meshes of 10^5 balls ({meshes} were measured, {full} of them with so many)"
            ),
            Bar::none_wrong(faults as u64, balls as u64),
            is_full,
        ),
        held(
            &format!(
                "radii non-increasing within 1e-3 in the order of insertion ({unordered} of {balls} violate it)"
            ),
            Bar::none_wrong(unordered as u64, balls as u64),
            is_full,
        ),
    ]))
}

/// The unfilled part where a curve has so many balls, between two places along a straight line of logarithms; none where it ends before.
fn unfilled_at(curve: &LogCurve, count: f64) -> Option<f64> {
    let after = curve.points.iter().position(|p| p.0 >= count)?;
    let (n, high) = curve.points[after];
    let Some(&(m, low)) = after.checked_sub(1).and_then(|i| curve.points.get(i)) else {
        return (n == count).then_some(high);
    };
    let part = (count / m).ln() / (n / m).ln();
    Some(if n > m {
        low * (high / low).powf(part)
    } else {
        high
    })
}

/// Whether the curves of all shapes coincide, as the source says: how far apart they lie at equal counts, and their slopes.
fn spread(curves: &[LogCurve], is_full: bool) {
    let ends = |x: &[f64]| {
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        (low, x.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let mut widest = 1.0_f64;
    for count in SHOWN.into_iter().chain([BALLS as f64]) {
        let parts: Vec<f64> = curves
            .iter()
            .filter_map(|c| unfilled_at(c, count))
            .collect();
        if parts.len() < 2 {
            continue;
        }
        let (low, high) = ends(&parts);
        widest = widest.max(high / low);
        println!(
            "unfilled at {count} balls, {} shapes: {low:.4} to {high:.4}, a factor {:.2}",
            parts.len(),
            high / low
        );
    }
    let slope = |curve: &LogCurve| {
        let (last, early) = (curve.points.last()?, unfilled_at(curve, SHOWN[0])?);
        (last.0 > 2.0 * SHOWN[0]).then(|| (last.1 / early).ln() / (last.0 / SHOWN[0]).ln())
    };
    let slopes: Vec<f64> = curves.iter().filter_map(slope).collect();
    let (steep, flat) = ends(&slopes);
    println!("slopes from {} balls on: {steep:.3} to {flat:.3}", SHOWN[0]);
    let verdict = match (is_full, widest <= COINCIDE) {
        (false, _) => "open: too few shapes were measured with so many balls",
        (true, true) => "confirmed",
        (true, false) => "refuted",
    };
    println!(
        "the claim that the curves of different shapes coincide (within a factor {COINCIDE}) is {verdict}: they lie a factor {widest:.2} apart"
    );
}
