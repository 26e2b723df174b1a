//! Batch neural gas: clusters weighted points around prototypes.
//!
//! **Idea.** Each point attracts all prototypes, the nearest most strongly, the second less, and so
//! on, more selectively as iterations proceed. All prototypes move at once to the weighted means of
//! the points. Points are weighted by the volume of their spheres, so that large spheres end up
//! high in the tree.
//!
//! **Source.** Cottrell, Hammer, Hasenfuss and Villmann's batch neural gas (2006), with the magnification control and the parallel
//! scheme of Weller and Zachmann: all nodes of a level at once, their balls side by side in segments.
//!
//! **Promise.** Sums run over chunks of fixed length in fixed order, so that one thread and many give the same bits.

use glam::DVec3;

use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// Balls summed by one piece of work.
const CHUNK: usize = 2048;
/// Pieces into which the segments of a level are shared out at most.
pub(super) const MOST_PIECES: usize = 64;
/// Most prototypes of a node.
pub(super) const MOST_PROTOTYPES: usize = 8;

/// Options of batch neural gas.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "batch neural gas")]
pub struct NeuralGasOptions {
    /// Steps at most.
    pub steps: u32,
    /// Ends when no prototype of the node moved by more than this fraction of the node's size.
    pub tolerance: f64,
}

impl NeuralGasOptions {
    /// Initial positions of prototypes, in half sides of the box of the centres: corners of a cube,
    /// opposite ones first. No two are mirror images, so that symmetric sets are divided too.
    ///
    /// ```
    /// use impinge::spheres::NeuralGasOptions;
    /// assert!(NeuralGasOptions::STARTS.iter().flatten().all(|x| (0.39..0.54).contains(&x.abs())));
    /// ```
    pub const STARTS: [[f64; 3]; MOST_PROTOTYPES] = [
        [-0.51, -0.47, -0.49],
        [0.53, 0.49, -0.43],
        [0.47, -0.53, 0.51],
        [-0.49, 0.51, 0.53],
        [0.43, 0.45, 0.47],
        [-0.45, -0.43, 0.41],
        [-0.41, 0.39, -0.45],
        [0.39, -0.41, -0.39],
    ];
}

impl Default for NeuralGasOptions {
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
pub(super) struct GasSegment {
    /// Its balls: a part of the order.
    pub(super) first: usize,
    pub(super) last: usize,
    /// How many parts are wanted.
    pub(super) parts: usize,
}

/// A ball as prototypes see it.
#[derive(Clone, Copy, Debug)]
struct GasPoint {
    center: DVec3,
    /// Up to a factor.
    volume: f64,
}

/// What pulls the prototypes of a segment.
#[derive(Clone, Copy)]
struct PrototypePull {
    weight: [f64; MOST_PROTOTYPES],
    moment: [DVec3; MOST_PROTOTYPES],
}

impl PrototypePull {
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

/// How much prototypes are pulled in a step.
struct CoolingFactors {
    /// The nearest, the second nearest, …
    heats: [f64; MOST_PROTOTYPES],
    /// While many still pull together, standing still is no sign of the end.
    is_cold: bool,
}

/// How balls of segments are shared out.
struct GasAssignment {
    /// Steps by the number of parts.
    steps: [Vec<CoolingFactors>; MOST_PROTOTYPES + 1],
    tolerance: f64,
    side_by_side: bool,
}

/// For each ball of the order, which part of its segment it belongs to. `side_by_side` shares all segments, and chunks of large ones, among threads.
pub(super) fn share_out(
    balls: &[SolidBall],
    order: &[u32],
    segments: &[GasSegment],
    options: &NeuralGasOptions,
    side_by_side: bool,
) -> Vec<u8> {
    let mut sharing = GasAssignment {
        steps: [const { Vec::new() }; MOST_PROTOTYPES + 1],
        tolerance: options.tolerance,
        side_by_side,
    };
    for segment in segments {
        let steps = &mut sharing.steps[segment.parts.min(MOST_PROTOTYPES)];
        if steps.is_empty() {
            steps.extend((0..options.steps).map(|t| cooled(segment.parts, t, options.steps)));
        }
    }
    let assign = |points: &mut Vec<GasPoint>, s: usize| {
        let segment = &segments[s];
        let own = &order[segment.first..segment.last];
        let point = |&ball: &u32| {
            let SolidBall { center, radius } = balls[ball as usize];
            GasPoint {
                center,
                volume: radius * radius * radius,
            }
        };
        points.clear();
        points.extend(own.iter().map(point));
        sharing.parts_of(points, segment.parts)
    };
    let few = 1 + segments.len() / MOST_PIECES;
    sharing.map(segments.len(), few, assign).concat()
}

impl GasAssignment {
    fn map<S: Default, T: Send>(
        &self,
        count: usize,
        few: usize,
        work: impl Fn(&mut S, usize) -> T + Sync,
    ) -> Vec<T> {
        if self.side_by_side {
            return map_indexed(count, few, work);
        }
        let mut scratch = S::default();
        (0..count).map(|i| work(&mut scratch, i)).collect()
    }

    /// The same for each chunk of these points.
    fn map_chunks<T: Send>(
        &self,
        points: &[GasPoint],
        work: impl Fn(&[GasPoint]) -> T + Sync,
    ) -> Vec<T> {
        self.map(points.len().div_ceil(CHUNK), 1, |(): &mut (), i| {
            work(&points[i * CHUNK..points.len().min((i + 1) * CHUNK)])
        })
    }

    /// Which part each point belongs to.
    fn parts_of(&self, points: &[GasPoint], parts: usize) -> Vec<u8> {
        let corners = self.map_chunks(points, corners_of);
        let (low, high) = corners.into_iter().fold(
            (DVec3::INFINITY, DVec3::NEG_INFINITY),
            |(low, high), chunk| (low.min(chunk.0), high.max(chunk.1)),
        );
        let mut prototypes = start(low, high);
        let size = (high - low).length();
        for step in &self.steps[parts.min(MOST_PROTOTYPES)] {
            let mut sum = PrototypePull::NONE;
            if points.len() <= CHUNK {
                sum.add(&pull_of(points, &prototypes, parts, &step.heats));
            } else {
                let pulls = self.map_chunks(points, |chunk| {
                    pull_of(chunk, &prototypes, parts, &step.heats)
                });
                for pull in &pulls {
                    sum.add(pull);
                }
            }
            let mut moved = 0.0_f64;
            for (k, prototype) in prototypes.iter_mut().take(parts).enumerate() {
                if sum.weight[k] > 0.0 {
                    let next = sum.moment[k] / sum.weight[k];
                    moved = moved.max((next - *prototype).length());
                    *prototype = next;
                }
            }
            if step.is_cold && moved <= self.tolerance * size {
                break;
            }
        }
        let nearest = |chunk: &[GasPoint]| -> Vec<u8> {
            let own = chunk.iter();
            own.map(|point| nearest_of(point.center, &prototypes[..parts]))
                .collect()
        };
        if points.len() <= CHUNK {
            return nearest(points);
        }
        self.map_chunks(points, nearest).concat()
    }
}

fn nearest_of(p: DVec3, prototypes: &[DVec3]) -> u8 {
    let mut best = (f64::INFINITY, 0);
    for (k, w) in prototypes.iter().enumerate() {
        let distance_sq = (p - *w).length_squared();
        if distance_sq < best.0 {
            best = (distance_sq, k as u8);
        }
    }
    best.1
}

fn cooled(parts: usize, t: u32, steps: u32) -> CoolingFactors {
    let first = 0.5 * parts as f64;
    let lambda = first * libm::pow(0.01 / first, f64::from(t) / f64::from(steps.max(1)));
    let mut heats = [0.0; MOST_PROTOTYPES];
    for (rank, heat) in heats.iter_mut().enumerate() {
        *heat = libm::exp(-(rank as f64) / lambda);
    }
    CoolingFactors {
        heats,
        is_cold: lambda < 0.35,
    }
}

/// What pulls so many prototypes.
fn pull_of(
    points: &[GasPoint],
    prototypes: &Prototypes,
    parts: usize,
    heats: &[f64; MOST_PROTOTYPES],
) -> PrototypePull {
    // With the number known beforehand, ranks cost no branch.
    match parts {
        1 => pull_of_exactly::<1>(points, prototypes, heats),
        2 => pull_of_exactly::<2>(points, prototypes, heats),
        3 => pull_of_exactly::<3>(points, prototypes, heats),
        4 => pull_of_exactly::<4>(points, prototypes, heats),
        5 => pull_of_exactly::<5>(points, prototypes, heats),
        6 => pull_of_exactly::<6>(points, prototypes, heats),
        7 => pull_of_exactly::<7>(points, prototypes, heats),
        _ => pull_of_exactly::<MOST_PROTOTYPES>(points, prototypes, heats),
    }
}

fn pull_of_exactly<const N: usize>(
    points: &[GasPoint],
    prototypes: &Prototypes,
    heats: &[f64; MOST_PROTOTYPES],
) -> PrototypePull {
    let mut weights = [0.0; N];
    let mut moments = [DVec3::ZERO; N];
    for &GasPoint { center, volume } in points {
        let mut distance_sq = [0.0; N];
        for k in 0..N {
            distance_sq[k] = (center - prototypes[k]).length_squared();
        }
        for k in 0..N {
            let mut rank = 0;
            for other in 0..N {
                rank += usize::from(distance_sq[other] < distance_sq[k]);
            }
            let weight = heats[rank % MOST_PROTOTYPES] * volume;
            weights[k] += weight;
            moments[k] += center * weight;
        }
    }
    let mut pull = PrototypePull::NONE;
    pull.weight[..N].copy_from_slice(&weights);
    pull.moment[..N].copy_from_slice(&moments);
    pull
}

fn corners_of(points: &[GasPoint]) -> (DVec3, DVec3) {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for point in points {
        low = low.min(point.center);
        high = high.max(point.center);
    }
    (low, high)
}

/// Prototypes spread over the box of the centres: which places they begin at hardly matters, but they must differ.
fn start(low: DVec3, high: DVec3) -> Prototypes {
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let mut prototypes = [middle; MOST_PROTOTYPES];
    for (prototype, sign) in prototypes.iter_mut().zip(NeuralGasOptions::STARTS) {
        *prototype += half * DVec3::from_array(sign);
    }
    prototypes
}
