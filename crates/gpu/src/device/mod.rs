//! Adapters and devices: through wgpu, or none when the feature `wgpu` is off.

#[cfg(not(feature = "wgpu"))]
mod no_device;
#[cfg(feature = "wgpu")]
mod wgpu_device;

#[cfg(not(feature = "wgpu"))]
pub use no_device::{Device, Devices};
#[cfg(feature = "wgpu")]
pub use wgpu_device::{Device, Devices};

/// Information about an adapter before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The adapter's name.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// Whether it is a software adapter that runs on the CPU.
    pub is_software: bool,
}
