//! Sphere packings and sphere trees on the GPU.
//!
//! **Question.** Which spheres fill a solid, and how are they divided among the nodes of an inner
//! sphere tree?
//! **Promise.** Packings pass the checks of the library: the card proposes, the host certifies.
//! Trees are the same on every device.

mod ascend;
mod cell;
mod gas;
mod pack;

pub use ascend::PACK_ASCEND;
pub use gas::{GAS_MOVE, GAS_PULL, GAS_SHARE, GpuGas};
pub use pack::GpuPacker;

use crate::Kernel;

/// All kernels of this module.
pub static KERNELS: &[&Kernel] = &[&GAS_PULL, &GAS_MOVE, &GAS_SHARE, &PACK_ASCEND];
