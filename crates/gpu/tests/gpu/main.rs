//! Kernels against their twins, and the engine against those of the library.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests say what they expect by panicking"
)]

mod adversarial;
mod axes;
mod backends;
mod clusters;
mod engine;
mod faults;
mod filter;
mod fixed;
mod fleet;
mod pieces;
mod primitives;
mod spheres;
mod step;
mod sweep;

use impinge_gpu::Kernel;

/// What every device offers is enough for the kernels.
fn check_limits(kernels: &[&Kernel]) {
    for kernel in kernels {
        // Eight storage buffers a stage, 16 KiB of workgroup memory, 256 invocations.
        assert!(
            kernel.buffers <= 8 && kernel.shared <= 16_384,
            "{}",
            kernel.name
        );
        assert_eq!(
            kernel.wgsl.matches("var<storage").count(),
            kernel.buffers,
            "{}",
            kernel.name
        );
        assert!(
            kernel.wgsl.contains("@workgroup_size(256)"),
            "{}",
            kernel.name
        );
        assert!(
            kernel.wgsl.contains(&format!("fn {}(", kernel.name)),
            "{}",
            kernel.name
        );
    }
}
