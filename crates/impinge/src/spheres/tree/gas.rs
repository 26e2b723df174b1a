//! Batch neural gas: prototypes that share out weighted points.
//!
//! **Idea.** Each point pulls all prototypes, the nearest most, the second less, and so on; the less the longer it runs. All prototypes
//! move at once to the weighted means of what pulls them. Points count by the volume of their balls, so that large balls come high in a tree.
//!
//! **Source.** Cottrell, Hammer, Hasenfuss and Villmann's batch neural gas (2006), with the magnification control and the parallel
//! scheme of Weller and Zachmann: all nodes of a level at once, their balls side by side in segments.
//!
//! **Promise.** Sums run over chunks of fixed length in fixed order, so that one thread and many give the same bits.

use glam::DVec3;

use crate::spheres::ball::SolidBall;
use crate::spheres::pack::map_indexed;

/// Balls summed by one piece of work.
const CHUNK: usize = 2048;
/// Most prototypes of a node.
pub(super) const MOST_PROTOTYPES: usize = 8;

/// How long prototypes move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GasOptions {
    /// Steps at most.
    pub steps: u32,
    /// Ends when no prototype of the node moved by more than this part of the node's size.
    pub tolerance: f64,
}

impl Default for GasOptions {
    fn default() -> Self {
        Self {
            steps: 40,
            tolerance: 1e-4,
        }
    }
}

/// The sums of consecutive segments, given the place where each begins and an end.
///
/// ```
/// use impinge::spheres::segment_sums;
/// let values = [1.3, 5.2, 8.1, 4.2, 3.0, 9.5, 3.6];
/// let sums = segment_sums(&values, &[0, 4, 7]);
/// assert!((sums[0] - 18.8).abs() < 1e-12 && (sums[1] - 16.1).abs() < 1e-12);
/// ```
#[must_use]
pub fn segment_sums(values: &[f64], borders: &[usize]) -> Vec<f64> {
    borders
        .windows(2)
        .map(|w| values.get(w[0]..w[1]).unwrap_or(&[]).iter().sum())
        .collect()
}

/// A node whose balls are to be shared out.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Its balls: a part of the order.
    pub(super) first: usize,
    pub(super) last: usize,
    /// How many parts are wanted.
    pub(super) parts: usize,
}

/// What pulls the prototypes of a segment.
#[derive(Clone, Copy)]
struct Pull {
    weight: [f64; MOST_PROTOTYPES],
    moment: [DVec3; MOST_PROTOTYPES],
}

impl Pull {
    const NONE: Self = Self {
        weight: [0.0; MOST_PROTOTYPES],
        moment: [DVec3::ZERO; MOST_PROTOTYPES],
    };

    fn add(&mut self, other: &Self) {
        for k in 0..MOST_PROTOTYPES {
            self.weight[k] += other.weight[k];
            self.moment[k] += other.moment[k];
        }
    }
}

type Prototypes = [DVec3; MOST_PROTOTYPES];

/// For each ball of the order, which part of its segment it belongs to. `side_by_side` shares all segments among threads.
pub(super) fn share_out(
    balls: &[SolidBall],
    order: &[u32],
    segments: &[Segment],
    options: &GasOptions,
    side_by_side: bool,
) -> Vec<u8> {
    let mut prototypes: Vec<Prototypes> = segments
        .iter()
        .map(|segment| start(balls, order, segment))
        .collect();
    let sizes: Vec<f64> = segments
        .iter()
        .map(|segment| extent(balls, order, segment))
        .collect();
    let mut is_moving = vec![true; segments.len()];
    for t in 0..options.steps {
        // Chunks of all segments that still move, in order.
        let mut tasks: Vec<(u32, usize, usize)> = Vec::new();
        for (s, segment) in segments.iter().enumerate() {
            if is_moving[s] {
                let mut at = segment.first;
                while at < segment.last {
                    let end = (at + CHUNK).min(segment.last);
                    tasks.push((s as u32, at, end));
                    at = end;
                }
            }
        }
        if tasks.is_empty() {
            break;
        }
        let pull = |i: usize| {
            let (s, from, to) = tasks[i];
            let parts = segments[s as usize].parts;
            pull_of(
                balls,
                &order[from..to],
                &prototypes[s as usize],
                parts,
                &heats(parts, t, options.steps),
            )
        };
        let pulls: Vec<Pull> = if side_by_side {
            map_indexed(tasks.len(), 4, |(): &mut (), i| pull(i))
        } else {
            (0..tasks.len()).map(pull).collect()
        };
        let mut at = 0;
        while at < tasks.len() {
            let s = tasks[at].0 as usize;
            let mut sum = Pull::NONE;
            while at < tasks.len() && tasks[at].0 as usize == s {
                sum.add(&pulls[at]);
                at += 1;
            }
            let mut moved = 0.0_f64;
            let own = prototypes[s].iter_mut().take(segments[s].parts);
            for (k, prototype) in own.enumerate() {
                if sum.weight[k] > 0.0 {
                    let next = sum.moment[k] / sum.weight[k];
                    moved = moved.max((next - *prototype).length());
                    *prototype = next;
                }
            }
            // While many still pull together, standing still is no sign of the end.
            let is_cold = heat(segments[s].parts, t, options.steps) < 0.35;
            is_moving[s] = !(is_cold && moved <= options.tolerance * sizes[s]);
        }
    }
    let assign = |s: usize| {
        let segment = &segments[s];
        order[segment.first..segment.last]
            .iter()
            .map(|&ball| {
                let p = balls[ball as usize].center;
                let mut best = (f64::INFINITY, 0);
                for (k, w) in prototypes[s][..segment.parts].iter().enumerate() {
                    let distance_sq = (p - *w).length_squared();
                    if distance_sq < best.0 {
                        best = (distance_sq, k as u8);
                    }
                }
                best.1
            })
            .collect::<Vec<u8>>()
    };
    let parts: Vec<Vec<u8>> = if side_by_side {
        map_indexed(segments.len(), 4, |(): &mut (), s| assign(s))
    } else {
        (0..segments.len()).map(assign).collect()
    };
    parts.concat()
}

/// λ of a step.
fn heat(parts: usize, t: u32, steps: u32) -> f64 {
    let first = 0.5 * parts as f64;
    first * libm::pow(0.01 / first, f64::from(t) / f64::from(steps.max(1)))
}

/// How much the nearest, the second nearest, … prototype is pulled.
fn heats(parts: usize, t: u32, steps: u32) -> [f64; MOST_PROTOTYPES] {
    let lambda = heat(parts, t, steps);
    let mut heats = [0.0; MOST_PROTOTYPES];
    for (rank, heat) in heats.iter_mut().enumerate() {
        *heat = libm::exp(-(rank as f64) / lambda);
    }
    heats
}

fn pull_of(
    balls: &[SolidBall],
    part: &[u32],
    prototypes: &Prototypes,
    parts: usize,
    heats: &[f64; MOST_PROTOTYPES],
) -> Pull {
    let mut pull = Pull::NONE;
    for &ball in part {
        let SolidBall { center, radius } = balls[ball as usize];
        let mut distance_sq = [f64::INFINITY; MOST_PROTOTYPES];
        for k in 0..parts {
            distance_sq[k] = (center - prototypes[k]).length_squared();
        }
        let volume = radius * radius * radius;
        for k in 0..parts {
            let mut rank = 0;
            for other in 0..parts {
                rank += usize::from(distance_sq[other] < distance_sq[k]);
            }
            let weight = heats[rank] * volume;
            pull.weight[k] += weight;
            pull.moment[k] += center * weight;
        }
    }
    pull
}

fn extent(balls: &[SolidBall], order: &[u32], segment: &Segment) -> f64 {
    let (low, high) = corners(balls, order, segment);
    (high - low).length()
}

fn corners(balls: &[SolidBall], order: &[u32], segment: &Segment) -> (DVec3, DVec3) {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &ball in &order[segment.first..segment.last] {
        low = low.min(balls[ball as usize].center);
        high = high.max(balls[ball as usize].center);
    }
    (low, high)
}

/// Prototypes spread over the box of the centres: which places they begin at hardly matters, but they must differ.
fn start(balls: &[SolidBall], order: &[u32], segment: &Segment) -> Prototypes {
    let (low, high) = corners(balls, order, segment);
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let mut prototypes = [middle; MOST_PROTOTYPES];
    // Corners of a cube, opposite ones first; no two are mirror images, so that symmetric sets are divided too.
    let signs: [[f64; 3]; MOST_PROTOTYPES] = [
        [-0.51, -0.47, -0.49],
        [0.53, 0.49, -0.43],
        [0.47, -0.53, 0.51],
        [-0.49, 0.51, 0.53],
        [0.43, 0.45, 0.47],
        [-0.45, -0.43, 0.41],
        [-0.41, 0.39, -0.45],
        [0.39, -0.41, -0.39],
    ];
    for (prototype, sign) in prototypes.iter_mut().zip(signs) {
        *prototype += half * DVec3::from_array(sign);
    }
    prototypes
}
