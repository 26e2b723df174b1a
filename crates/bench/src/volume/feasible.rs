//! Real meshes filled with many balls: feasibility, order, fill.

use std::ops::ControlFlow;
use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::spheres::{MeshSolid, PackOptions, pack_with};

use super::{Args, bar, model, processor_time};
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
const MARKS: [usize; 3] = [1_000, 10_000, 100_000];

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let count = args.balls();
    println!("## {count} balls in real meshes");
    println!(
        "| model | faces | balls | fill at 10^3 / 10^4 / end | escapes | overlaps | late | wall s | processor s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut meshes, mut faults, mut unordered) = (0, 0, 0);
    for name in MODELS {
        if !args.wants_model(name) || (args.quick && meshes >= 3) {
            continue;
        }
        let Some(tree) = model(name, 0)? else {
            continue;
        };
        let solid = match MeshSolid::new(&tree) {
            Ok(solid) => solid,
            Err(error) => {
                println!(
                    "| {name} | {} | left out: {error} | | | | | | |",
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
            if MARKS
                .get(fills.len())
                .is_some_and(|&mark| now.count >= mark)
            {
                fills.push(format!("{:.4}", now.fill));
            }
            ControlFlow::Continue(())
        })?;
        let (wall, after) = (start.elapsed().as_secs_f64(), processor_time());
        let spent = match (before, after) {
            (Some(before), Some(after)) => format!("{:.1}", (after - before).as_secs_f64()),
            _ => "?".to_owned(),
        };
        let check = packing.check(&solid);
        meshes += 1;
        faults += check.escapes + check.overlaps;
        unordered += packing
            .balls
            .windows(2)
            .filter(|w| w[1].radius > w[0].radius * 1.001)
            .count();
        fills.truncate(2);
        println!(
            "| {name} | {} | {} | {} / {:.4} | {} | {} | {} | {wall:.1} | {spent} |",
            tree.mesh().face_count(),
            packing.balls.len(),
            fills.join(" / "),
            packing.fill(),
            check.escapes,
            check.overlaps,
            packing.work.late,
        );
    }
    if meshes == 0 {
        println!("no model is there: nothing measured");
        return Ok(Bar::Met);
    }
    let met = [
        bar(
            &format!("no escape and no overlap on {meshes} real meshes"),
            faults == 0,
        ),
        bar(
            "radii of the packings non-increasing within 1e-3",
            unordered == 0,
        ),
    ];
    Ok(if met.contains(&Bar::Missed) {
        Bar::Missed
    } else {
        Bar::Met
    })
}
