//! Real meshes filled with many balls: feasibility, order, fill.

use std::ops::ControlFlow;
use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::spheres::{MeshSolid, PackOptions, pack_with};
use impinge_testkit::oracle::{Ball, ball_faults};

use super::plot::{Curve, plot};
use super::{Args, all, bar, model, open, processor_time};
use crate::Bar;

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
/// Fill is noted whenever the count has grown by this factor.
const MARK: f64 = 1.25;
/// Fills at these counts are printed.
const SHOWN: [f64; 2] = [1e3, 1e4];

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let count = args.balls(100_000);
    println!("## {count} balls in real meshes");
    println!(
        "| model | faces | balls | fill at 10^3 / 10^4 / end | escapes | overlaps | decided in integers | found out of order | by 4 % | wall s | processor s | exact check s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut meshes, mut faults, mut unordered, mut late, mut balls) = (0, 0, 0, 0, 0);
    let mut curves: Vec<Curve> = Vec::new();
    let mut table = String::from("model,balls,fill\n");
    for name in MODELS {
        if !args.wants_model(name) || (args.quick && meshes >= 3) {
            continue;
        }
        if args.is_over() {
            println!("| {name} | not measured, the time is up | | | | | | | | | | |");
            continue;
        }
        let Some(tree) = model(name, 0)? else {
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
        let (start, before) = (Instant::now(), processor_time());
        let packing = pack_with(&solid, &options, &mut |now| {
            let last = fills.last().map_or(0.0, |entry: &(f64, f64)| entry.0);
            if now.count as f64 >= MARK * last {
                fills.push((now.count as f64, now.fill));
            }
            ControlFlow::Continue(())
        })?;
        let (wall, after) = (start.elapsed().as_secs_f64(), processor_time());
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
        curves.push(Curve {
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
    spread(&curves);
    println!(
        "a packing is sorted; in the order of insertion {unordered} of {balls} balls come after one smaller by more than 0.1 %, {late} by more than 4 %"
    );
    Ok(all(&[
        bar(
            &format!(
                "no escape and no overlap, without rounding, on ten real meshes ({meshes} were measured)"
            ),
            faults == 0 && meshes >= 10,
        ),
        bar(
            &format!(
                "radii non-increasing within 1e-3 in the order of insertion ({unordered} of {balls} violate it)"
            ),
            balls > 0 && unordered == 0,
        ),
    ]))
}

/// Whether the curves of all shapes coincide, as the source says: their slopes and how far apart they lie.
fn spread(curves: &[Curve]) {
    let (mut voids, mut slopes) = (Vec::new(), Vec::new());
    for curve in curves {
        let (Some(last), Some(early)) = (
            curve.points.last(),
            curve.points.iter().find(|p| p.0 >= 1e3),
        ) else {
            continue;
        };
        voids.push(last.1);
        if last.0 > 2.0 * early.0 {
            slopes.push((last.1 / early.1).ln() / (last.0 / early.0).ln());
        }
    }
    let ends = |x: &[f64]| {
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        (low, x.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let (low, high) = ends(&voids);
    let (flat, steep) = (ends(&slopes).1, ends(&slopes).0);
    println!(
        "the source says that the curves coincide: unfilled at the end {low:.4} to {high:.4}, a factor {:.2}; slopes {steep:.3} to {flat:.3}",
        high / low
    );
}
