//! Exclusive prefix sums in two words, and reductions.

use crate::kernel::{Dispatch, GROUP, Kernel};
use crate::{Backend, Buffer, GpuError};

/// Items of one block of the scan.
const BLOCK: u32 = 2048;
/// Up to this many items, one workgroup scans alone: fewer launches than three kernels.
const SMALL: u32 = 1 << 16;

/// Which number an item stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanOf {
    /// Itself.
    Items,
    /// How many of its bits are set.
    Bits,
    /// 1 unless it is 0.
    NonZero,
}

impl ScanOf {
    fn code(self) -> u32 {
        match self {
            Self::Items => 0,
            Self::Bits => 1,
            Self::NonZero => 2,
        }
    }
}

fn value_of(item: u32, what: u32) -> u64 {
    u64::from(match what {
        1 => item.count_ones(),
        2 => u32::from(item != 0),
        _ => item,
    })
}

fn get2(words: &[u32], i: usize) -> u64 {
    u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32
}

fn set2(words: &mut [u32], i: usize, value: u64) {
    words[2 * i] = value as u32;
    words[2 * i + 1] = (value >> 32) as u32;
}

/// The sum of each block.
pub static SCAN_REDUCE: Kernel = Kernel {
    name: "scan_reduce",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/scan_value.wgsl"),
        include_str!("../shaders/scan_shared.wgsl"),
        include_str!("../shaders/scan_reduce.wgsl")
    ),
    twin: scan_reduce,
    buffers: 2,
    items: BLOCK,
    bytes: 4,
    ops: 4,
    shared: 2048,
};

fn scan_reduce(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, what, blocks, ..] = dispatch.parameters;
    let [items, sums] = buffers else { return };
    let items = &items[..n as usize];
    for (block, part) in items
        .chunks(BLOCK as usize)
        .take(blocks as usize)
        .enumerate()
    {
        let sum = part
            .iter()
            .fold(0, |sum: u64, &x| sum.wrapping_add(value_of(x, what)));
        set2(sums, block, sum);
    }
}

/// Sums of blocks before each.
pub static SCAN_BLOCKS: Kernel = Kernel {
    name: "scan_blocks",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/scan_shared.wgsl"),
        include_str!("../shaders/scan_blocks.wgsl")
    ),
    twin: scan_blocks,
    buffers: 1,
    items: GROUP,
    bytes: 16,
    ops: 20,
    shared: 2048,
};

fn scan_blocks(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, ..] = dispatch.parameters;
    let [blocks] = buffers else { return };
    let mut sum = 0_u64;
    for i in 0..n as usize {
        let own = get2(blocks, i);
        set2(blocks, i, sum);
        sum = sum.wrapping_add(own);
    }
    set2(blocks, n as usize, sum);
}

/// Sums before each item, from those of the blocks.
pub static SCAN_APPLY: Kernel = Kernel {
    name: "scan_apply",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/scan_value.wgsl"),
        include_str!("../shaders/scan_shared.wgsl"),
        include_str!("../shaders/scan_apply.wgsl")
    ),
    twin: scan_apply,
    buffers: 3,
    items: BLOCK,
    bytes: 16,
    ops: 8,
    shared: 2048,
};

fn scan_apply(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, what, ..] = dispatch.parameters;
    let [items, blocks, sums] = buffers else {
        return;
    };
    let items = &items[..n as usize];
    for (block, part) in items.chunks(BLOCK as usize).enumerate() {
        let mut sum = get2(blocks, block);
        for (k, &item) in part.iter().enumerate() {
            let i = block * BLOCK as usize + k;
            set2(sums, i, sum);
            sum = sum.wrapping_add(value_of(item, what));
            set2(sums, i + 1, sum);
        }
    }
}

/// Sums before each item, by one workgroup.
pub static SCAN_SMALL: Kernel = Kernel {
    name: "scan_small",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/scan_value.wgsl"),
        include_str!("../shaders/scan_shared.wgsl"),
        include_str!("../shaders/scan_small.wgsl")
    ),
    twin: scan_small,
    buffers: 2,
    items: BLOCK,
    bytes: 16,
    ops: 12,
    shared: 2048,
};

fn scan_small(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, what, ..] = dispatch.parameters;
    let [items, sums] = buffers else { return };
    let mut sum = 0_u64;
    for (i, &item) in items[..n as usize].iter().enumerate() {
        set2(sums, i, sum);
        sum = sum.wrapping_add(value_of(item, what));
    }
    set2(sums, n as usize, sum);
}

/// Writes the sum before each item to `sums`, two words each, low first, and the total behind: `2 (n +
/// 1)` words.
///
/// # Errors
/// The error of the backend.
pub fn scan(
    backend: &mut Backend,
    what: ScanOf,
    items: Buffer,
    sums: Buffer,
    n: u32,
) -> Result<(), GpuError> {
    let code = what.code();
    if n <= SMALL {
        return backend.run(&SCAN_SMALL, &Dispatch::new(1, &[n, code]), &[items, sums]);
    }
    let blocks = block_sums(backend, what, items, n)?;
    let count = SCAN_REDUCE.groups(n);
    let dispatch = Dispatch::new(count, &[n, code, count]);
    backend.run(&SCAN_APPLY, &dispatch, &[items, blocks, sums])?;
    backend.free(blocks);
    Ok(())
}

/// The sums before each block and the total.
fn block_sums(
    backend: &mut Backend,
    what: ScanOf,
    items: Buffer,
    n: u32,
) -> Result<Buffer, GpuError> {
    let count = SCAN_REDUCE.groups(n);
    let blocks = backend.alloc(2 * (count as usize + 1))?;
    let dispatch = Dispatch::new(count, &[n, what.code(), count]);
    backend.run(&SCAN_REDUCE, &dispatch, &[items, blocks])?;
    backend.run(&SCAN_BLOCKS, &Dispatch::new(1, &[count]), &[blocks])?;
    Ok(blocks)
}

/// The sum of all items.
///
/// ```
/// use impinge_gpu::{primitives::{reduce_sum, ScanOf}, Backend};
/// let mut backend = Backend::twin();
/// let items = backend.upload(&[u32::MAX, 1, 5])?;
/// assert_eq!(reduce_sum(&mut backend, ScanOf::Items, items, 3)?, (1 << 32) + 5);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
///
/// # Errors
/// The error of the backend.
pub fn reduce_sum(
    backend: &mut Backend,
    what: ScanOf,
    items: Buffer,
    n: u32,
) -> Result<u64, GpuError> {
    let blocks = block_sums(backend, what, items, n)?;
    let last = 2 * SCAN_REDUCE.groups(n) as usize;
    let total = backend.read(blocks, last..last + 2)?;
    backend.free(blocks);
    Ok(get2(&total, 0))
}

/// The largest item of each block.
pub static REDUCE_MAX: Kernel = Kernel {
    name: "reduce_max",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/reduce_max.wgsl")
    ),
    twin: reduce_max_twin,
    buffers: 2,
    items: BLOCK,
    bytes: 4,
    ops: 2,
    shared: 1024,
};

fn reduce_max_twin(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, ..] = dispatch.parameters;
    let [items, largest] = buffers else { return };
    let items = &items[..n as usize];
    for (part, out) in items.chunks(BLOCK as usize).zip(largest) {
        *out = part.iter().copied().max().unwrap_or(0);
    }
}

/// The largest item; 0 when there is none.
///
/// ```
/// use impinge_gpu::{primitives::reduce_max, Backend};
/// let mut backend = Backend::twin();
/// let items = backend.upload(&[4, 9, 5])?;
/// assert_eq!(reduce_max(&mut backend, items, 3)?, 9);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
///
/// # Errors
/// The error of the backend.
pub fn reduce_max(backend: &mut Backend, items: Buffer, n: u32) -> Result<u32, GpuError> {
    let mut held = items;
    let mut count = n;
    // Each round divides by the size of a block: at most three.
    while count > 1 || held == items {
        let blocks = REDUCE_MAX.groups(count);
        let next = backend.alloc(blocks as usize)?;
        backend.run(&REDUCE_MAX, &Dispatch::new(blocks, &[count]), &[held, next])?;
        if held != items {
            backend.free(held);
        }
        (held, count) = (next, blocks);
    }
    let largest = backend.read(held, 0..1)?;
    backend.free(held);
    Ok(largest.first().copied().unwrap_or(0))
}
