//! Collision detection of deforming scenes on graphics cards, with the answers of the CPU.
//!
//! **Question.** Which faces of a deforming scene intersect, computed on a graphics card of any
//! vendor?
//! **Idea.** Every shader is a [`Kernel`] with a CPU function that does the same on the same buffers: the
//! twin. [`Backend::twin`] runs the CPU functions where there is no driver; [`Devices::all`] lists what there is.
//! Positions are integers on the card, so that culling gives the same candidates on every device; triangle
//! pairs that `f32` cannot decide go back to the exact test of the library.
//! **Promise.** The pairs of [`GpuScene`] are those of every other
//! [`SceneEngine`](impinge::deform::SceneEngine), whatever the device. Without an adapter there is an
//! error, never a silent answer of the CPU.

mod backend;
mod device;
mod error;
mod fixed;
mod kernel;
pub mod primitives;
pub mod scene;
pub mod spheres;

pub use backend::{Backend, Buffer, Traffic};
pub use device::{Device, DeviceInfo, Devices};
pub use error::GpuError;
pub use fixed::{Grid, POSITION_BITS};
pub use kernel::{Dispatch, GROUP, Kernel, MAX_GROUPS, PARAMETER_WORDS, Twin};
pub use scene::{GpuFleet, GpuScene};
