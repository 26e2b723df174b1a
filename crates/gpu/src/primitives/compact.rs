//! Compaction: the indices of set bits, in order.

use crate::kernel::{Dispatch, GROUP, Kernel};
use crate::{Backend, Buffer, GpuError};

/// Writes the numbers of set bits.
pub static COMPACT: Kernel = Kernel {
    name: "compact",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/compact.wgsl")
    ),
    twin: compact_twin,
    buffers: 3,
    items: GROUP,
    bytes: 12,
    ops: 10,
    shared: 0,
};

fn compact_twin(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [words, capacity, ..] = dispatch.parameters;
    let [bits, sums, kept] = buffers else { return };
    for (w, &word) in bits[..words as usize].iter().enumerate() {
        if sums[2 * w + 1] != 0 {
            continue;
        }
        let mut rest = word;
        let mut place = sums[2 * w];
        while rest != 0 {
            if place < capacity {
                kept[place as usize] = 32 * w as u32 + rest.trailing_zeros();
            }
            rest &= rest - 1;
            place += 1;
        }
    }
}

/// Writes the numbers of the set bits of this many words to `kept`, as far as `capacity` goes. `sums` is
/// the [`scan`](super::scan) of the words by [`ScanOf::Bits`](super::ScanOf::Bits); its total says how
/// many there are.
///
/// ```
/// use impinge_gpu::{primitives::{compact, scan, ScanOf}, Backend};
/// let mut backend = Backend::twin();
/// let bits = backend.upload(&[0b1010, 1])?;
/// let (sums, kept) = (backend.alloc(6)?, backend.alloc(3)?);
/// scan(&mut backend, ScanOf::Bits, bits, sums, 2)?;
/// compact(&mut backend, bits, sums, kept, 2, 3)?;
/// assert_eq!(backend.read(kept, 0..3)?, [1, 3, 32]);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
///
/// # Errors
/// The error of the backend.
pub fn compact(
    backend: &mut Backend,
    bits: Buffer,
    sums: Buffer,
    kept: Buffer,
    words: u32,
    capacity: u32,
) -> Result<(), GpuError> {
    let dispatch = Dispatch::new(COMPACT.groups(words), &[words, capacity]);
    backend.run(&COMPACT, &dispatch, &[bits, sums, kept])
}
