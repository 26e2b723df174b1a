//! Segmented sums.

use crate::kernel::{Dispatch, Kernel};
use crate::{Backend, Buffer, GpuError};

/// One workgroup sums one segment.
pub static SEGMENT_SUMS: Kernel = Kernel {
    name: "segment_sums",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/scan_shared.wgsl"),
        include_str!("../shaders/segment_sums.wgsl")
    ),
    twin: segment_sums_twin,
    buffers: 3,
    items: 1,
    bytes: 16,
    ops: 20,
    shared: 2048,
};

fn segment_sums_twin(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [segments, ..] = dispatch.parameters;
    let [items, starts, sums] = buffers else {
        return;
    };
    for segment in 0..segments as usize {
        let (from, to) = (starts[segment] as usize, starts[segment + 1] as usize);
        let sum = items[from..to.max(from)]
            .iter()
            .fold(0_u64, |sum, &item| sum.wrapping_add(u64::from(item)));
        sums[2 * segment] = sum as u32;
        sums[2 * segment + 1] = (sum >> 32) as u32;
    }
}

/// Writes the sum of `items[starts[s]..starts[s + 1]]` to `sums`, two words each, low first.
///
/// ```
/// use impinge_gpu::{primitives::segment_sums, Backend};
/// let mut backend = Backend::twin();
/// let items = backend.upload(&[1, 2, u32::MAX, 1])?;
/// let starts = backend.upload(&[0, 2, 2, 4])?;
/// let sums = backend.alloc(6)?;
/// segment_sums(&mut backend, items, starts, sums, 3)?;
/// assert_eq!(backend.read(sums, 0..6)?, [3, 0, 0, 0, 0, 1]);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
///
/// # Errors
/// The error of the backend.
pub fn segment_sums(
    backend: &mut Backend,
    items: Buffer,
    starts: Buffer,
    sums: Buffer,
    segments: u32,
) -> Result<(), GpuError> {
    let dispatch = Dispatch::new(segments, &[segments]);
    backend.run(&SEGMENT_SUMS, &dispatch, &[items, starts, sums])
}
