//! Split rules: how the balls of a node are divided among its children.

use glam::DVec3;

use super::neural_gas::{GasSegment, MOST_PROTOTYPES, NeuralGasOptions, share_out};
use crate::math::sort::{sort_few, sort_many};
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// How spheres are divided among children.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SphereSplit {
    /// By batch neural gas, level by level, on all threads.
    NeuralGas(NeuralGasOptions),
    /// The same, one node after the other on one thread; the same tree.
    NeuralGasSequential(NeuralGasOptions),
    /// To the nearest of the largest balls: the greedy rule, for comparison.
    Largest,
    /// To the nearest of the outermost balls along the longest sides: for comparison.
    Extreme,
    /// By halves along the longest side.
    Median,
}

impl Default for SphereSplit {
    fn default() -> Self {
        Self::NeuralGas(NeuralGasOptions::default())
    }
}

impl SphereSplit {
    /// Whether one thread is to do everything.
    pub(super) fn is_sequential(&self) -> bool {
        matches!(self, Self::NeuralGasSequential(_))
    }
}

/// For each ball of each segment, one after the other, the number of its part.
pub(super) fn split(
    rule: &SphereSplit,
    balls: &[SolidBall],
    order: &[u32],
    segments: &[GasSegment],
) -> Vec<u8> {
    let each = |divide: &(dyn Fn(&[u32], usize) -> Vec<u8> + Sync)| {
        map_indexed(segments.len(), 4, |(): &mut (), s| {
            divide(
                &order[segments[s].first..segments[s].last],
                segments[s].parts,
            )
        })
        .concat()
    };
    match rule {
        SphereSplit::NeuralGas(options) => share_out(balls, order, segments, options, true),
        SphereSplit::NeuralGasSequential(options) => {
            share_out(balls, order, segments, options, false)
        }
        SphereSplit::Largest => each(&|part, parts| {
            let mut by_radius = part.to_vec();
            sort_many(&mut by_radius, |&x, &y| {
                let radius = |i: u32| balls[i as usize].radius;
                radius(y).total_cmp(&radius(x)).then(x.cmp(&y))
            });
            by_radius.truncate(parts);
            nearest_of(balls, part, &by_radius)
        }),
        SphereSplit::Extreme => {
            each(&|part, parts| nearest_of(balls, part, &extremes(balls, part, parts)))
        }
        SphereSplit::Median => each(&|part, parts| halves(balls, part, parts)),
    }
}

fn nearest_of(balls: &[SolidBall], part: &[u32], seeds: &[u32]) -> Vec<u8> {
    part.iter()
        .map(|&ball| {
            let center = balls[ball as usize].center;
            let mut best = (f64::INFINITY, 0);
            for (k, &seed) in seeds.iter().enumerate().take(MOST_PROTOTYPES) {
                let distance_sq = (balls[seed as usize].center - center).length_squared();
                if distance_sq < best.0 {
                    best = (distance_sq, k as u8);
                }
            }
            best.1
        })
        .collect()
}

/// Axes by extent of the centres, longest first.
fn axes(balls: &[SolidBall], part: &[u32]) -> [usize; 3] {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &ball in part {
        low = low.min(balls[ball as usize].center);
        high = high.max(balls[ball as usize].center);
    }
    let size = high - low;
    let mut axes = [0, 1, 2];
    sort_few(&mut axes, |&i, &j| {
        size[j].total_cmp(&size[i]).then(i.cmp(&j))
    });
    axes
}

fn extremes(balls: &[SolidBall], part: &[u32], parts: usize) -> Vec<u32> {
    let mut seeds: Vec<u32> = Vec::new();
    for axis in axes(balls, part) {
        let at = |i: &&u32| balls[**i as usize].center[axis];
        let low = part.iter().min_by(|x, y| at(x).total_cmp(&at(y)));
        let high = part.iter().max_by(|x, y| at(x).total_cmp(&at(y)));
        for seed in [low, high].into_iter().flatten() {
            if seeds.len() < parts && !seeds.contains(seed) {
                seeds.push(*seed);
            }
        }
    }
    seeds
}

/// Cuts the largest part in two until there are enough.
fn halves(balls: &[SolidBall], part: &[u32], parts: usize) -> Vec<u8> {
    let mut places: Vec<u32> = (0..part.len() as u32).collect();
    let mut ranges: Vec<_> = std::iter::once(0..part.len()).collect();
    while ranges.len() < parts {
        let longest = (0..ranges.len()).max_by_key(|&k| (ranges[k].len(), usize::MAX - k));
        let Some(k) = longest.filter(|&k| ranges[k].len() > 1) else {
            break;
        };
        let range = ranges[k].clone();
        let ids: Vec<u32> = places[range.clone()]
            .iter()
            .map(|&p| part[p as usize])
            .collect();
        let axis = axes(balls, &ids)[0];
        let at = |place: &u32| balls[part[*place as usize] as usize].center[axis];
        let middle = range.len() / 2;
        places[range.clone()]
            .select_nth_unstable_by(middle, |x, y| at(x).total_cmp(&at(y)).then(x.cmp(y)));
        ranges[k] = range.start..range.start + middle;
        ranges.push(range.start + middle..range.end);
    }
    let mut answer = vec![0; part.len()];
    for (k, range) in ranges.into_iter().enumerate() {
        for &place in &places[range] {
            answer[place as usize] = k as u8;
        }
    }
    answer
}
