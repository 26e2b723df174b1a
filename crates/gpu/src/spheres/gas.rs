//! Batch neural gas on the card: all nodes of a level at once.
//!
//! **Question.** To which of a few children of its node does each sphere of a packing belong?
//! **Idea.** As [`NeuralGasOptions`] of the library: prototypes move to the means of the spheres,
//! weighted by volume and by rank. The spheres of a node are a segment; a long one is summed in
//! chunks of 2048. Each segment has its own frame, with 15 bits for a coordinate and 16 bits for
//! the volume relative to the largest of the segment, so that all sums are of integers.
//! **Source.** Weller and Zachmann; Mainzer's thesis 4.6, which takes differences of prefix sums: sums over segments lose nothing.
//! **Promise.** Integers only: every device and the twin make the same tree. Balls around nodes are found by the library, in `f64`.
//! **Limits.** Coordinates are rounded to 2^-15 of a node, so that the tree differs from that of the library in balls between two prototypes.

use std::ops::Range;

use glam::DVec3;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeError, NeuralGasOptions, SolidBall};

use crate::kernel::{Dispatch, GROUP, Kernel};
use crate::{Backend, Buffer, GpuError};

/// Balls of a chunk.
const CHUNK: usize = 2048;
/// The largest coordinate.
const MOST: f64 = 32_767.0;
/// Most parts of a node.
const PARTS: usize = 8;
/// Words of the sums of a chunk.
const CHUNK_SUMS: usize = 64;

/// Weighted sums of the spheres for the prototypes, chunk by chunk.
pub static GAS_PULL: Kernel = Kernel {
    name: "gas_pull",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/gas_pull.wgsl"),
        include_str!("../shaders/gas.wgsl")
    ),
    twin: gas_pull,
    buffers: 5,
    items: 1,
    bytes: 8 * CHUNK as u32,
    ops: 160 * CHUNK as u32,
    shared: 2048,
};

/// New prototypes from the sums.
pub static GAS_MOVE: Kernel = Kernel {
    name: "gas_move",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/gas_move.wgsl")
    ),
    twin: gas_move,
    buffers: 4,
    items: GROUP,
    bytes: 384,
    ops: 1500,
    shared: 0,
};

/// The prototype that each ball belongs to.
pub static GAS_SHARE: Kernel = Kernel {
    name: "gas_share",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/gas_share.wgsl"),
        include_str!("../shaders/gas.wgsl")
    ),
    twin: gas_share,
    buffers: 4,
    items: 1,
    bytes: 12 * CHUNK as u32,
    ops: 60 * CHUNK as u32,
    shared: 0,
};

fn point(points: &[u32], i: usize) -> [u32; 3] {
    [
        points[2 * i] & 0xffff,
        points[2 * i] >> 16,
        points[2 * i + 1] & 0xffff,
    ]
}

fn prototype(prototypes: &[u32], segment: usize, k: usize) -> [u32; 3] {
    std::array::from_fn(|axis| prototypes[32 * segment + 4 * k + axis])
}

fn distance_sq(a: [u32; 3], b: [u32; 3]) -> u32 {
    let along = |k: usize| a[k].abs_diff(b[k]).pow(2);
    along(0) + along(1) + along(2)
}

fn gas_pull(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [chunk_count, parts, ..] = dispatch.parameters.map(|word| word as usize);
    let heats = &dispatch.parameters[4..12];
    let [points, chunks, states, prototypes, sums] = buffers else {
        return;
    };
    for chunk in 0..chunk_count {
        let segment = chunks[4 * chunk] as usize;
        if states[2 * segment] != 0 {
            continue;
        }
        let mut own = [0_u64; 32];
        for i in chunks[4 * chunk + 1] as usize..chunks[4 * chunk + 2] as usize {
            let q = point(points, i);
            let volume = points[2 * i + 1] >> 16;
            let mut far = [0; PARTS];
            for (k, far) in far.iter_mut().enumerate().take(parts) {
                *far = distance_sq(q, prototype(prototypes, segment, k));
            }
            let far = &far[..parts];
            for k in 0..parts {
                let rank = far.iter().filter(|&&other| other < far[k]).count();
                let weight = u64::from((heats[rank] * volume) >> 8);
                own[4 * k] += weight;
                for (axis, &x) in q.iter().enumerate() {
                    own[4 * k + 1 + axis] += weight * u64::from(x);
                }
            }
        }
        for (k, sum) in own.into_iter().enumerate().take(4 * parts) {
            sums[CHUNK_SUMS * chunk + 2 * k] = sum as u32;
            sums[CHUNK_SUMS * chunk + 2 * k + 1] = (sum >> 32) as u32;
        }
    }
}

fn gas_move(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [segments, parts, is_cold, ..] = dispatch.parameters.map(|word| word as usize);
    let [sums, starts, states, prototypes] = buffers else {
        return;
    };
    for segment in 0..segments {
        if states[2 * segment] != 0 {
            continue;
        }
        let total = |k: usize| {
            let chunks = starts[segment] as usize..starts[segment + 1] as usize;
            chunks.fold(0_u64, |sum, chunk| {
                let at = CHUNK_SUMS * chunk + 2 * k;
                sum + (u64::from(sums[at]) | u64::from(sums[at + 1]) << 32)
            })
        };
        let mut moved = 0;
        for k in 0..parts {
            let weight = total(4 * k);
            if weight == 0 {
                continue;
            }
            let mut far = 0;
            for axis in 0..3 {
                let place = &mut prototypes[32 * segment + 4 * k + axis];
                let next = ((total(4 * k + 1 + axis) + weight / 2) / weight) as u32;
                far += place.abs_diff(next).pow(2);
                *place = next;
            }
            moved = moved.max(far);
        }
        if is_cold != 0 && moved <= states[2 * segment + 1] {
            states[2 * segment] = 1;
        }
    }
}

fn gas_share(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [chunk_count, parts, ..] = dispatch.parameters.map(|word| word as usize);
    let [points, chunks, prototypes, shares] = buffers else {
        return;
    };
    for chunk in 0..chunk_count {
        let segment = chunks[4 * chunk] as usize;
        let own = chunks[4 * chunk + 1] as usize..chunks[4 * chunk + 2] as usize;
        for (i, share) in own.clone().zip(&mut shares[own]) {
            let q = point(points, i);
            let (mut best, mut least) = (0, u32::MAX);
            for k in 0..parts {
                let far = distance_sq(q, prototype(prototypes, segment, k));
                if far < least {
                    (best, least) = (k as u32, far);
                }
            }
            *share = best;
        }
    }
}

/// Makes inner sphere trees on a card.
///
/// ```
/// use impinge::{DVec3, spheres::SolidBall};
/// use impinge_gpu::{spheres::GpuGas, Backend};
/// let balls: Vec<SolidBall> = (0..30).map(|i| SolidBall { center: DVec3::X * f64::from(i), radius: 0.5 }).collect();
/// let tree = GpuGas::new(Backend::twin()).tree(&balls, 4)?;
/// assert_eq!(tree.order().len(), 30);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
#[derive(Debug)]
pub struct GpuGas {
    backend: Backend,
    options: NeuralGasOptions,
}

impl GpuGas {
    /// On this backend, with the steps of the library.
    #[must_use]
    pub fn new(backend: Backend) -> Self {
        Self {
            backend,
            options: NeuralGasOptions::default(),
        }
    }

    /// Where it runs.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// The tree of these balls, with at most `width` children a node: 2 to 8.
    ///
    /// # Errors
    /// [`GpuError::Refused`] for balls that the library refuses, and what the device says.
    pub fn tree(&mut self, balls: &[SolidBall], width: usize) -> Result<InnerSphereTree, GpuError> {
        let width = width.clamp(2, PARTS);
        InnerSphereTree::shared_out(balls, width, |order, ranges| {
            self.share_out(balls, order, ranges, width)
        })
    }

    /// Which part of its range each ball belongs to.
    fn share_out(
        &mut self,
        balls: &[SolidBall],
        order: &[u32],
        ranges: &[Range<usize>],
        parts: usize,
    ) -> Result<Vec<u8>, GpuError> {
        let level = Level::new(balls, order, ranges, self.options.tolerance);
        let mut held = Vec::new();
        let shares = self.run(&level, parts as u32, &mut held);
        for buffer in held {
            self.backend.free(buffer);
        }
        Ok(shares?.into_iter().map(|part| part as u8).collect())
    }

    fn run(
        &mut self,
        level: &Level,
        parts: u32,
        held: &mut Vec<Buffer>,
    ) -> Result<Vec<u32>, GpuError> {
        let count = level.points.len() / 2;
        let chunks = (level.chunks.len() / 4) as u32;
        let segments = (level.states.len() / 2) as u32;
        let backend = &mut self.backend;
        let mut keep = |buffer: Buffer| {
            held.push(buffer);
            buffer
        };
        let points = keep(backend.upload(&level.points)?);
        let chunk_words = keep(backend.upload(&level.chunks)?);
        let starts = keep(backend.upload(&level.starts)?);
        let states = keep(backend.upload(&level.states)?);
        let prototypes = keep(backend.upload(&level.prototypes)?);
        let sums = keep(backend.alloc(CHUNK_SUMS * chunks as usize)?);
        let shares = keep(backend.alloc(count)?);
        for step in 0..self.options.steps {
            let (heats, is_cold) = cooled(parts, step, self.options.steps);
            let mut asked = vec![chunks, parts, 0, 0];
            asked.extend(heats);
            let dispatch = Dispatch::new(chunks, &asked);
            let bound = [points, chunk_words, states, prototypes, sums];
            backend.run(&GAS_PULL, &dispatch, &bound)?;
            let asked = [segments, parts, u32::from(is_cold)];
            let dispatch = Dispatch::new(GAS_MOVE.groups(segments), &asked);
            backend.run(&GAS_MOVE, &dispatch, &[sums, starts, states, prototypes])?;
        }
        let dispatch = Dispatch::new(chunks, &[chunks, parts]);
        backend.run(
            &GAS_SHARE,
            &dispatch,
            &[points, chunk_words, prototypes, shares],
        )?;
        backend.read(shares, 0..count)
    }
}

impl From<InnerSphereTreeError> for GpuError {
    fn from(error: InnerSphereTreeError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// Weights of a step by rank, in 16 bits, and whether the iteration ends when nothing moves; as in the library.
fn cooled(parts: u32, step: u32, steps: u32) -> ([u32; PARTS], bool) {
    let first = 0.5 * f64::from(parts);
    let lambda = first * libm::pow(0.01 / first, f64::from(step) / f64::from(steps.max(1)));
    let heats =
        std::array::from_fn(|rank| (65_535.0 * libm::exp(-(rank as f64) / lambda)).round() as u32);
    (heats, lambda < 0.35)
}

/// The segments of a level as words.
#[derive(Debug, Default)]
struct Level {
    points: Vec<u32>,
    chunks: Vec<u32>,
    starts: Vec<u32>,
    states: Vec<u32>,
    prototypes: Vec<u32>,
}

impl Level {
    fn new(balls: &[SolidBall], order: &[u32], ranges: &[Range<usize>], tolerance: f64) -> Self {
        let mut level = Self::default();
        for (segment, range) in ranges.iter().enumerate() {
            let own = order.get(range.clone()).unwrap_or_default();
            let own = own.iter().filter_map(|&ball| balls.get(ball as usize));
            level.push(segment as u32, &own.copied().collect::<Vec<_>>(), tolerance);
        }
        level.starts.push((level.chunks.len() / 4) as u32);
        level
    }

    fn push(&mut self, segment: u32, own: &[SolidBall], tolerance: f64) {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut largest = 0.0_f64;
        for ball in own {
            low = low.min(ball.center);
            high = high.max(ball.center);
            largest = largest.max(ball.radius);
        }
        let size = high - low;
        let scale = MOST / size.max_element().max(f64::MIN_POSITIVE);
        let begin = self.points.len() / 2;
        for ball in own {
            let [x, y, z] = ((ball.center - low) * scale)
                .to_array()
                .map(|x| x.round().clamp(0.0, MOST) as u32);
            let part = ball.radius / largest.max(f64::MIN_POSITIVE);
            let volume = (65_535.0 * part * part * part).round().clamp(1.0, 65_535.0) as u32;
            self.points.extend([x | y << 16, z | volume << 16]);
        }
        self.starts.push((self.chunks.len() / 4) as u32);
        for from in (0..own.len()).step_by(CHUNK) {
            let to = (from + CHUNK).min(own.len());
            self.chunks
                .extend([segment, (begin + from) as u32, (begin + to) as u32, 0]);
        }
        let still = tolerance * (size * scale).length();
        self.states
            .extend([0, (still * still).clamp(1.0, 1e6) as u32]);
        for sign in NeuralGasOptions::STARTS {
            let place = size * scale * (DVec3::splat(0.5) + 0.5 * DVec3::from_array(sign));
            let words = place.to_array().map(|x| x.round().clamp(0.0, MOST) as u32);
            self.prototypes.extend(words);
            self.prototypes.push(0);
        }
    }
}
