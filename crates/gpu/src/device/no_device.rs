//! The same names without wgpu, so that a build without drivers reports what is missing; the CPU
//! functions still run.

use std::ops::Range;

use super::DeviceInfo;
use crate::GpuError;
use crate::backend::Buffer;
use crate::kernel::{Dispatch, Kernel};

/// All adapters of the system: none can be listed in this build.
#[derive(Debug)]
pub struct Devices(Device);

impl Devices {
    /// All adapters.
    ///
    /// # Errors
    /// [`GpuError::NotBuilt`], always.
    pub fn all() -> Result<Self, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// As [`Devices::all`], asynchronous.
    ///
    /// # Errors
    /// [`GpuError::NotBuilt`], always.
    #[expect(clippy::unused_async, reason = "the signature of the build with wgpu")]
    pub async fn find() -> Result<Self, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// Information about each adapter.
    #[must_use]
    pub fn infos(&self) -> &[DeviceInfo] {
        match self.0 {}
    }

    /// Opens a device of an adapter.
    ///
    /// # Errors
    /// None: there is no adapter to open.
    pub fn open(&mut self, _adapter: usize) -> Result<Device, GpuError> {
        match self.0 {}
    }
}

/// An opened device: there is none in this build.
#[derive(Debug)]
pub enum Device {}

impl Device {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match *self {}
    }

    pub(crate) fn max_words(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn alloc(&mut self, _words: usize) -> Result<(Buffer, bool), GpuError> {
        match *self {}
    }

    pub(crate) fn free(&mut self, _buffer: Buffer) {
        match *self {}
    }

    pub(crate) fn write(&mut self, _buffer: Buffer, _words: &[u32]) -> Result<(), GpuError> {
        match *self {}
    }

    pub(crate) fn run(
        &mut self,
        _kernel: &'static Kernel,
        _dispatch: &Dispatch,
        _buffers: &[Buffer],
    ) -> Result<(), GpuError> {
        match *self {}
    }

    pub(crate) fn read(
        &mut self,
        _buffer: Buffer,
        _range: Range<usize>,
    ) -> Result<Vec<u32>, GpuError> {
        match *self {}
    }

    pub(crate) fn lose(&mut self) {
        match *self {}
    }
}
