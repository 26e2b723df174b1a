//! How long packing takes, and how that grows with the number of balls.

use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::spheres::{MeshSolid, PackOptions, pack};

use super::{Args, LARGE, LARGE_FACES, QUICK, joined, open, sized, told};
use crate::thread_cpu_time::process_time;
use crate::{Bar, Bars};

/// Numbers of balls from which growth is measured.
const COUNTS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Seconds on two cores.
const BARS: [(usize, f64); 2] = [(10_000, 1.5), (100_000, 10.0)];

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let name = if args.quick { QUICK } else { LARGE };
    if !args.wants_model(name) {
        return Ok(open("growth: its model is not wanted"));
    }
    let Some(tree) = joined(name)? else {
        return Ok(open("growth: its model is not there"));
    };
    let solid = MeshSolid::new(&tree)?;
    let is_full = !args.quick && tree.mesh().face_count() == LARGE_FACES;
    println!("## Time, {name} with {} faces", tree.mesh().face_count());
    println!("| balls | wall s | processor s | half of it | fill | processor µs per ball |");
    println!("|---|---|---|---|---|---|");
    let counts = if args.quick { &COUNTS[..2] } else { &COUNTS };
    let mut all = Bars::default();
    let mut spent: Vec<(f64, f64)> = Vec::new();
    for &count in counts {
        if args.is_over() {
            all.count(open(&format!("{count} balls: the time is up")));
            break;
        }
        let options = PackOptions {
            count: Some(count),
            ..PackOptions::default()
        };
        let (start, before) = (Instant::now(), process_time());
        let packing = pack(&solid, &options)?;
        let wall = start.elapsed().as_secs_f64();
        let processor = match (before, process_time()) {
            (Some(before), Some(after)) => (after - before).as_secs_f64(),
            _ => wall,
        };
        println!(
            "| {count} | {wall:.2} | {processor:.2} | {:.2} | {:.4} | {:.1} |",
            0.5 * processor,
            packing.fill(),
            1e6 * processor / count as f64
        );
        if packing.balls.len() != count {
            let found = packing.balls.len();
            all.count(open(&format!("{count} balls: only {found} were found")));
            break;
        }
        spent.push((count as f64, processor));
        if let Some(&(_, most)) = BARS.iter().find(|entry| entry.0 == count) {
            all.count(sized(
                &format!("{name}: {count} balls in {most} s of wall time, took {wall:.2}"),
                Bar::at_most(wall, most),
                is_full,
            ));
        }
    }
    for &(count, most) in BARS.iter().filter(|entry| !counts.contains(&entry.0)) {
        all.count(told(
            &format!("{name}: {count} balls in {most} s of wall time"),
            Bar::Open,
        ));
    }
    // From a thousand on, no step may cost more than n log n lets it, with a quarter of room for noise.
    let grows = Bar::every(spent.windows(2).map(|w| {
        let ((n, t), (m, u)) = (w[0], w[1]);
        u / t <= 1.25 * (m * m.ln()) / (n * n.ln())
    }));
    all.count(sized(
        "time not worse than n log n from 10^3 to 10^6 balls",
        grows,
        is_full && spent.len() == COUNTS.len(),
    ));
    Ok(all.end())
}
