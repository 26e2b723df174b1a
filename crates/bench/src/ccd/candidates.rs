//! All pairs of a scene whose boxes meet, not only those that were recorded.

use std::time::Instant;

use impinge::ccd::linear::{LinearTests, MovingPoint, StageCounts};
use impinge_testkit::recorded::Frames;

use super::measure_set::{Decided, Measured, ask};
use crate::sample_statistics::median;

/// Pairs whose swept boxes overlap and that share no vertex, by a sweep along `x`.
fn candidates(frames: &Frames, is_edges: bool) -> Vec<[u32; 4]> {
    let swept = |ids: &[usize]| {
        let mut places = frames
            .places
            .iter()
            .flat_map(|all| ids.iter().map(move |&i| all[i]));
        let first = places.next().unwrap_or_default();
        places.fold((first, first), |(low, high), p| (low.min(p), high.max(p)))
    };
    let firsts: Vec<Vec<usize>> = if is_edges {
        frames.edges.iter().map(|e| e.to_vec()).collect()
    } else {
        (0..frames.places[0].len()).map(|v| vec![v]).collect()
    };
    let seconds: Vec<Vec<usize>> = if is_edges {
        firsts.clone()
    } else {
        frames.faces.iter().map(|f| f.to_vec()).collect()
    };
    let boxes_a: Vec<_> = firsts.iter().map(|ids| swept(ids)).collect();
    let boxes_b: Vec<_> = seconds.iter().map(|ids| swept(ids)).collect();
    let mut order: Vec<usize> = (0..seconds.len()).collect();
    order.sort_by(|&i, &j| boxes_b[i].0.x.total_cmp(&boxes_b[j].0.x));
    let widest = boxes_b.iter().map(|b| b.1.x - b.0.x).fold(0.0, f64::max);
    let mut found = Vec::new();
    for (i, a) in boxes_a.iter().enumerate() {
        let from = order.partition_point(|&j| boxes_b[j].0.x < a.0.x - widest);
        for &j in &order[from..] {
            let b = &boxes_b[j];
            if b.0.x > a.1.x {
                break;
            }
            let is_near = a.0.cmple(b.1).all() && b.0.cmple(a.1).all();
            if (is_edges && j <= i) || !is_near || firsts[i].iter().any(|v| seconds[j].contains(v))
            {
                continue;
            }
            let mut ids = firsts[i].iter().chain(&seconds[j]).map(|&v| v as u32);
            found.push(std::array::from_fn(|_| ids.next().unwrap_or(0)));
        }
    }
    found
}

pub(super) fn measure_candidates(
    frames: &Frames,
    is_edges: bool,
    rounds: usize,
) -> anyhow::Result<(usize, Measured)> {
    let found = candidates(frames, is_edges);
    let moving: Vec<MovingPoint> = frames.places[0]
        .iter()
        .zip(&frames.places[1])
        .map(|(&start, &end)| MovingPoint::new(start, end))
        .collect::<Result<_, _>>()?;
    let mut tests = LinearTests::default();
    let mut hits = 0;
    let mut times = Vec::new();
    let mut tally = StageCounts::default();
    for round in 0..rounds.max(1) {
        let start = Instant::now();
        hits = 0;
        for ids in &found {
            let p = ids.map(|id| moving[id as usize]);
            hits += usize::from(ask(&mut tests, p, is_edges).is_some());
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / found.len().max(1) as f64);
        if round == 0 {
            tally = tests.tally();
        }
    }
    let measured = Measured {
        decided: Decided {
            hits,
            ..Decided::default()
        },
        nanoseconds: median(times),
        tally,
        ..Measured::default()
    };
    Ok((found.len(), measured))
}
