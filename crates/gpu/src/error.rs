//! Errors of graphics devices.

use thiserror::Error;

/// Why a graphics device could not be used.
///
/// ```
/// use impinge_gpu::GpuError;
/// assert_eq!(GpuError::NoAdapter.to_string(), "no graphics adapter was found");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No driver offers an adapter.
    #[error("no graphics adapter was found")]
    NoAdapter,
    /// The feature `wgpu` is off.
    #[error("this build has no graphics backend: build it with the feature `wgpu`")]
    NotBuilt,
    /// The adapter refused to open a device.
    #[error("adapter {adapter} gave no device: {reason}")]
    NoDevice {
        /// Its name.
        adapter: String,
        /// The message of the driver.
        reason: String,
    },
    /// The device was lost, or the driver reported an error.
    #[error("the device failed: {0}")]
    DeviceLost(String),
    /// The device has no memory left for a buffer; smaller ones may still fit.
    #[error("the device has no memory for {words} more words: {reason}")]
    OutOfMemory {
        /// Words of 32 bits that were requested.
        words: u64,
        /// The message of the driver.
        reason: String,
    },
    /// A mesh, a packing or a tree was refused by the library.
    #[error("{0}")]
    Refused(String),
    /// A buffer would be larger than the device binds.
    #[error("a buffer of {words} words is too large: the device binds {limit}")]
    TooLarge {
        /// Words of 32 bits that are needed.
        words: u64,
        /// The most the device binds.
        limit: u64,
    },
    /// A kernel was given buffers it cannot run on.
    #[error("kernel {kernel}: {reason}")]
    Binding {
        /// The kernel.
        kernel: &'static str,
        /// The reason.
        reason: String,
    },
    /// A read lies outside of a buffer.
    #[error("words {from}..{to} lie outside of a buffer of {words}")]
    OutOfRange {
        /// First word.
        from: u64,
        /// One past the last.
        to: u64,
        /// Words of the buffer.
        words: u64,
    },
    /// An option is out of range.
    #[error("{name} = {value} is out of range: {range}")]
    Option {
        /// The option.
        name: &'static str,
        /// The value that was passed.
        value: u64,
        /// The allowed range.
        range: &'static str,
    },
}
