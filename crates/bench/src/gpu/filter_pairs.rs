//! The filter on pairs of faces that nearly touch, by the million.

#[path = "../../../gpu/tests/gpu/adversarial.rs"]
mod adversarial;

use adversarial::{Pairs, adversarial};
use impinge::DVec3;
use impinge::math::Rng;
use impinge_gpu::scene::{APART, FILTER_PAIRS, MEET};
use impinge_gpu::{Backend, Dispatch, GpuError, Grid};

/// Pairs of one round.
const ROUND: usize = 20_000;

/// What the filter said about so many pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) pairs: u64,
    pub(super) wrong: u64,
    pub(super) unsure: u64,
}

/// Judges at least so many pairs.
pub(super) fn judge(backend: &mut Backend, pairs: u64) -> Result<Tally, GpuError> {
    let mut rng = Rng::new(2024);
    let mut tally = Tally::default();
    while tally.pairs < pairs {
        let mut round = adversarial(&mut rng, ROUND);
        // The grid is as coarse as the scene is large: the farther this point, the fewer bits are left.
        let far = f64::from(1_u32 << rng.below(12));
        round.points.extend([DVec3::splat(far), DVec3::splat(-far)]);
        for (&pair, verdict) in round.pairs.iter().zip(verdicts(backend, &round)?) {
            tally.pairs += 1;
            let truth = round.meet(pair);
            match verdict {
                APART => tally.wrong += u64::from(truth != Some(false)),
                MEET => tally.wrong += u64::from(truth != Some(true)),
                _ => tally.unsure += 1,
            }
        }
    }
    Ok(tally)
}

fn verdicts(backend: &mut Backend, pairs: &Pairs) -> Result<Vec<u32>, GpuError> {
    let grid = Grid::around(&pairs.points);
    let corners = pairs.faces.iter().flat_map(|&[a, b, c]| [a, b, c, 0]);
    let count = pairs.pairs.len() as u32;
    let words = [
        grid.words(&pairs.points),
        corners.collect(),
        pairs.pairs.concat(),
        vec![count, 0],
        vec![0; count as usize],
    ];
    let mut bound = Vec::new();
    for words in &words {
        bound.push(backend.upload(words)?);
    }
    let dispatch = Dispatch::new(FILTER_PAIRS.groups(count), &[count, 0]);
    backend.run(&FILTER_PAIRS, &dispatch, &bound)?;
    let found = match bound.last() {
        Some(&out) => backend.read(out, 0..count as usize)?,
        None => Vec::new(),
    };
    for buffer in bound {
        backend.free(buffer);
    }
    Ok(found)
}
