//! A stable radix sort, eight bits a pass.

use super::scan::{ScanOf, scan};
use crate::kernel::{Dispatch, GROUP, Kernel};
use crate::{Backend, Buffer, GpuError};

/// Keys of one block of a pass.
const BLOCK: u32 = 4096;
const DIGITS: u32 = 256;

/// How often each digit occurs in each block.
pub static RADIX_COUNT: Kernel = Kernel {
    name: "radix_count",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/radix_count.wgsl")
    ),
    twin: radix_count,
    buffers: 2,
    items: BLOCK,
    bytes: 5,
    ops: 4,
    shared: 1024,
};

fn radix_count(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, shift, blocks, ..] = dispatch.parameters;
    let [keys, counts] = buffers else { return };
    let counted = (DIGITS * blocks) as usize;
    counts[..counted].fill(0);
    for (block, part) in keys[..n as usize].chunks(BLOCK as usize).enumerate() {
        for key in part {
            counts[(key >> shift & 255) as usize * blocks as usize + block] += 1;
        }
    }
}

/// Moves keys and values to their places.
pub static RADIX_SCATTER: Kernel = Kernel {
    name: "radix_scatter",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/radix_scatter.wgsl")
    ),
    twin: radix_scatter,
    buffers: 5,
    items: BLOCK,
    bytes: 17,
    ops: 40,
    shared: 9216,
};

fn radix_scatter(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, shift, blocks, ..] = dispatch.parameters;
    let [keys, values, sums, keys_out, values_out] = buffers else {
        return;
    };
    let items = keys[..n as usize]
        .chunks(BLOCK as usize)
        .zip(values.chunks(BLOCK as usize));
    for (block, (keys, values)) in items.enumerate() {
        let mut places: Vec<u32> = (0..DIGITS as usize)
            .map(|digit| sums[2 * (digit * blocks as usize + block)])
            .collect();
        for (&key, &value) in keys.iter().zip(values) {
            let place = &mut places[(key >> shift & 255) as usize];
            keys_out[*place as usize] = key;
            values_out[*place as usize] = value;
            *place += 1;
        }
    }
}

/// The numbers from 0.
pub static IOTA: Kernel = Kernel {
    name: "iota",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/iota.wgsl")
    ),
    twin: iota_twin,
    buffers: 1,
    items: GROUP,
    bytes: 4,
    ops: 1,
    shared: 0,
};

fn iota_twin(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, ..] = dispatch.parameters;
    let [numbers] = buffers else { return };
    for (i, number) in numbers.iter_mut().take(n as usize).enumerate() {
        *number = i as u32;
    }
}

/// Gathers items in a given order.
pub static GATHER: Kernel = Kernel {
    name: "gather",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/gather.wgsl")
    ),
    twin: gather_twin,
    buffers: 3,
    items: GROUP,
    bytes: 12,
    ops: 1,
    shared: 0,
};

fn gather_twin(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, ..] = dispatch.parameters;
    let [items, order, gathered] = buffers else {
        return;
    };
    for (out, &i) in gathered.iter_mut().zip(&order[..n as usize]) {
        *out = items[i as usize];
    }
}

/// Writes 0, 1, 2 and so on.
///
/// # Errors
/// The error of the backend.
pub fn iota(backend: &mut Backend, numbers: Buffer, n: u32) -> Result<(), GpuError> {
    backend.run(&IOTA, &Dispatch::new(IOTA.groups(n), &[n]), &[numbers])
}

/// Writes `items[order[i]]` to `gathered[i]`.
///
/// # Errors
/// The error of the backend.
pub fn gather(
    backend: &mut Backend,
    items: Buffer,
    order: Buffer,
    gathered: Buffer,
    n: u32,
) -> Result<(), GpuError> {
    let dispatch = Dispatch::new(GATHER.groups(n), &[n]);
    backend.run(&GATHER, &dispatch, &[items, order, gathered])
}

/// Where a sort left its result. The caller frees both.
#[derive(Clone, Copy, Debug)]
pub struct SortedKeys {
    /// The keys, or their high words.
    pub keys: Buffer,
    /// The values, in the order of the keys.
    pub values: Buffer,
}

impl SortedKeys {
    /// The same values with other keys.
    pub(crate) fn with_keys(self, keys: Buffer) -> Self {
        Self { keys, ..self }
    }
}

/// Sorts keys by their lowest `bits` bits, equal keys in the order they had; `values` move along. Both
/// are consumed: the result may lie in them or in others.
///
/// ```
/// use impinge_gpu::{primitives::sort_u32, Backend};
/// let mut backend = Backend::twin();
/// let (keys, values) = (backend.upload(&[7, 3, 7, 1])?, backend.upload(&[0, 1, 2, 3])?);
/// let sorted = sort_u32(&mut backend, keys, values, 4, 32)?;
/// assert_eq!(backend.read(sorted.values, 0..4)?, [3, 1, 0, 2]);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
///
/// # Errors
/// The error of the backend.
pub fn sort_u32(
    backend: &mut Backend,
    keys: Buffer,
    values: Buffer,
    n: u32,
    bits: u32,
) -> Result<SortedKeys, GpuError> {
    let blocks = RADIX_COUNT.groups(n);
    let places = DIGITS * blocks;
    let counts = backend.alloc(places as usize)?;
    let sums = backend.alloc(2 * (places as usize + 1))?;
    let mut from = SortedKeys { keys, values };
    let mut to = SortedKeys {
        keys: backend.alloc(n as usize)?,
        values: backend.alloc(n as usize)?,
    };
    for pass in 0..bits.min(32).div_ceil(8) {
        let dispatch = Dispatch::new(blocks, &[n, 8 * pass, blocks]);
        backend.run(&RADIX_COUNT, &dispatch, &[from.keys, counts])?;
        scan(backend, ScanOf::Items, counts, sums, places)?;
        let bound = [from.keys, from.values, sums, to.keys, to.values];
        backend.run(&RADIX_SCATTER, &dispatch, &bound)?;
        std::mem::swap(&mut from, &mut to);
    }
    for buffer in [counts, sums, to.keys, to.values] {
        backend.free(buffer);
    }
    Ok(from)
}

/// Sorts by keys of two words: by `high`, of which `high_bits` count, then by `low`. All are consumed; the
/// sorted high words come back, and the low ones by [`gather`] from a copy.
///
/// ```
/// use impinge_gpu::{primitives::sort_u64, Backend};
/// let mut backend = Backend::twin();
/// let low = backend.upload(&[5, 1, 0])?;
/// let high = backend.upload(&[0, 1, 1])?;
/// let values = backend.upload(&[0, 1, 2])?;
/// let sorted = sort_u64(&mut backend, low, high, values, 3, 32)?;
/// assert_eq!(backend.read(sorted.values, 0..3)?, [0, 2, 1]);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
///
/// # Errors
/// The error of the backend.
pub fn sort_u64(
    backend: &mut Backend,
    low: Buffer,
    high: Buffer,
    values: Buffer,
    n: u32,
    high_bits: u32,
) -> Result<SortedKeys, GpuError> {
    // The order by low words, then stably by high words; the values follow the final order.
    let numbers = backend.alloc(n as usize)?;
    iota(backend, numbers, n)?;
    let by_low = sort_u32(backend, low, numbers, n, 32)?;
    let moved = backend.alloc(n as usize)?;
    gather(backend, high, by_low.values, moved, n)?;
    let by_high = sort_u32(backend, moved, by_low.values, n, high_bits)?;
    let sorted = backend.alloc(n as usize)?;
    gather(backend, values, by_high.values, sorted, n)?;
    for buffer in [by_low.keys, high, values, by_high.values] {
        backend.free(buffer);
    }
    Ok(SortedKeys {
        keys: by_high.keys,
        values: sorted,
    })
}
