//! Backend: kernels run on a device or as CPU functions.

use std::collections::BTreeMap;

use crate::GpuError;
use crate::device::Device;
use crate::kernel::{Dispatch, Kernel};

/// A buffer of 32-bit words of one [`Backend`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// Unique: ids of freed buffers are not reused.
    pub(crate) id: u64,
}

/// Counters of launches and transfers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Kernels launched.
    pub kernels: u64,
    /// Readbacks, each of which waits for the device.
    pub readbacks: u64,
    /// Bytes written to buffers by the host.
    pub bytes_up: u64,
    /// Bytes read from buffers by the host.
    pub bytes_down: u64,
    /// Bytes of device memory the kernels move, by [`Kernel::bytes`].
    pub modelled_bytes: u64,
    /// Operations of the kernels, by [`Kernel::ops`].
    pub modelled_ops: u64,
    /// Buffers that were newly allocated, not reused.
    pub new_buffers: u64,
}

impl Traffic {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            kernels: self.kernels + other.kernels,
            readbacks: self.readbacks + other.readbacks,
            bytes_up: self.bytes_up + other.bytes_up,
            bytes_down: self.bytes_down + other.bytes_down,
            modelled_bytes: self.modelled_bytes + other.modelled_bytes,
            modelled_ops: self.modelled_ops + other.modelled_ops,
            new_buffers: self.new_buffers + other.new_buffers,
        }
    }

    /// The difference to an earlier state.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            kernels: self.kernels - earlier.kernels,
            readbacks: self.readbacks - earlier.readbacks,
            bytes_up: self.bytes_up - earlier.bytes_up,
            bytes_down: self.bytes_down - earlier.bytes_down,
            modelled_bytes: self.modelled_bytes - earlier.modelled_bytes,
            modelled_ops: self.modelled_ops - earlier.modelled_ops,
            new_buffers: self.new_buffers - earlier.new_buffers,
        }
    }
}

/// The CPU's buffers.
#[derive(Debug, Default)]
struct TwinMemory {
    buffers: BTreeMap<u64, Vec<u32>>,
    given: u64,
    /// Freed buffers for reuse.
    pool: Vec<Vec<u32>>,
}

/// Injected faults, for tests.
#[derive(Debug, Default)]
struct Faults {
    /// Kernels until the device is lost.
    kernels_left: Option<u64>,
    is_lost: bool,
    /// Words that may be held.
    memory: Option<u64>,
}

#[derive(Debug)]
enum Place {
    Twin(TwinMemory),
    Device(Box<Device>),
}

/// Runs kernels: on a device, or as CPU functions (twins) without any driver.
///
/// ```
/// use impinge_gpu::{primitives, Backend};
/// let mut backend = Backend::twin();
/// let items = backend.upload(&[3, 1, 4])?;
/// let sums = backend.alloc(2 * 4)?;
/// primitives::scan(&mut backend, primitives::ScanOf::Items, items, sums, 3)?;
/// // Two words a sum, the total at the end.
/// assert_eq!(backend.read(sums, 0..8)?, [0, 0, 3, 0, 4, 0, 8, 0]);
/// # Ok::<(), impinge_gpu::GpuError>(())
/// ```
#[derive(Debug)]
pub struct Backend {
    place: Place,
    traffic: Traffic,
    /// Words of each buffer that is held.
    held: BTreeMap<u64, u64>,
    faults: Faults,
}

impl Backend {
    /// The twins, on the CPU.
    ///
    /// ```
    /// assert_eq!(impinge_gpu::Backend::twin().name(), "twin");
    /// ```
    #[must_use]
    pub fn twin() -> Self {
        Self {
            place: Place::Twin(TwinMemory::default()),
            traffic: Traffic::default(),
            held: BTreeMap::new(),
            faults: Faults::default(),
        }
    }

    /// A device.
    ///
    /// ```
    /// use impinge_gpu::{Backend, Devices};
    /// if let Ok(mut devices) = Devices::all() {
    ///     let backend = Backend::on(devices.open(0)?);
    ///     assert!(backend.is_device());
    /// }
    /// # Ok::<(), impinge_gpu::GpuError>(())
    /// ```
    #[must_use]
    pub fn on(device: Device) -> Self {
        Self {
            place: Place::Device(Box::new(device)),
            traffic: Traffic::default(),
            held: BTreeMap::new(),
            faults: Faults::default(),
        }
    }

    /// `twin`, or the name of the adapter.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.place {
            Place::Twin(_) => "twin",
            Place::Device(device) => device.name(),
        }
    }

    /// Whether kernels run on a device.
    #[must_use]
    pub fn is_device(&self) -> bool {
        matches!(self.place, Place::Device(_))
    }

    /// Counters of launches and transfers so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Most words of one buffer.
    #[must_use]
    pub fn max_words(&self) -> u64 {
        match &self.place {
            // As the default limit of WebGPU, so that the twin refuses what a device may refuse.
            Place::Twin(_) => (128 << 20) / 4,
            Place::Device(device) => device.max_words(),
        }
    }

    /// A buffer of this many words, all 0; at least one word.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], and what the device says.
    pub fn alloc(&mut self, words: usize) -> Result<Buffer, GpuError> {
        let words = words.max(1);
        let limit = self.max_words();
        if words as u64 > limit {
            return Err(GpuError::TooLarge {
                words: words as u64,
                limit,
            });
        }
        self.check()?;
        if let Some(memory) = self.faults.memory
            && self.held.values().sum::<u64>() + words as u64 > memory
        {
            return Err(GpuError::OutOfMemory {
                words: words as u64,
                reason: "as was asked for".into(),
            });
        }
        let (buffer, is_new) = match &mut self.place {
            Place::Twin(memory) => {
                memory.given += 1;
                let fitting = |old: &Vec<u32>| old.capacity() >= words;
                let old = memory.pool.iter().position(fitting);
                let mut own = old.map_or_else(Vec::new, |at| memory.pool.swap_remove(at));
                own.clear();
                own.resize(words, 0);
                memory.buffers.insert(memory.given, own);
                (Buffer { id: memory.given }, old.is_none())
            }
            Place::Device(device) => device.alloc(words)?,
        };
        self.traffic.new_buffers += u64::from(is_new);
        self.held.insert(buffer.id, words as u64);
        Ok(buffer)
    }

    /// Words of all buffers that are held.
    #[must_use]
    pub fn words_held(&self) -> u64 {
        self.held.values().sum()
    }

    fn check(&self) -> Result<(), GpuError> {
        if self.faults.is_lost {
            return Err(GpuError::DeviceLost("lost on request".into()));
        }
        Ok(())
    }

    /// Frees a buffer for reuse. Using it afterwards is an error; freeing it again does nothing.
    pub fn free(&mut self, buffer: Buffer) {
        self.held.remove(&buffer.id);
        match &mut self.place {
            Place::Twin(memory) => {
                let own = memory.buffers.remove(&buffer.id);
                memory
                    .pool
                    .extend(own.filter(|_| memory.pool.len() < MOST_POOLED));
            }
            Place::Device(device) => device.free(buffer),
        }
    }

    /// A buffer with these words.
    ///
    /// # Errors
    /// As [`Backend::alloc`].
    pub fn upload(&mut self, words: &[u32]) -> Result<Buffer, GpuError> {
        let buffer = self.alloc(words.len())?;
        self.write(buffer, words)?;
        Ok(buffer)
    }

    /// Writes words to the beginning of a buffer.
    ///
    /// # Errors
    /// [`GpuError::OutOfRange`].
    pub fn write(&mut self, buffer: Buffer, words: &[u32]) -> Result<(), GpuError> {
        self.check()?;
        self.traffic.bytes_up += 4 * words.len() as u64;
        match &mut self.place {
            Place::Twin(memory) => {
                let held = memory.buffers.get_mut(&buffer.id).ok_or(UNKNOWN)?;
                let all = held.len() as u64;
                let place = held.get_mut(..words.len()).ok_or(GpuError::OutOfRange {
                    from: 0,
                    to: words.len() as u64,
                    words: all,
                })?;
                place.copy_from_slice(words);
                Ok(())
            }
            Place::Device(device) => device.write(buffer, words),
        }
    }

    /// Runs a kernel after all that were run before it.
    ///
    /// # Errors
    /// [`GpuError::Binding`] when the number of buffers is wrong or one is bound twice.
    pub fn run(
        &mut self,
        kernel: &'static Kernel,
        dispatch: &Dispatch,
        buffers: &[Buffer],
    ) -> Result<(), GpuError> {
        let refuse = |reason: String| GpuError::Binding {
            kernel: kernel.name,
            reason,
        };
        if buffers.len() != kernel.buffers {
            let reason = format!("{} buffers, but it binds {}", buffers.len(), kernel.buffers);
            return Err(refuse(reason));
        }
        for (i, buffer) in buffers.iter().enumerate() {
            if buffers.iter().take(i).any(|other| other == buffer) {
                return Err(refuse(format!("buffer {i} is bound twice")));
            }
        }
        if dispatch.groups == 0 {
            return Ok(());
        }
        if let Some(left) = &mut self.faults.kernels_left {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.lose();
            }
        }
        self.check()?;
        self.traffic.kernels += 1;
        let items = u64::from(dispatch.groups) * u64::from(kernel.items);
        self.traffic.modelled_bytes += items * u64::from(kernel.bytes);
        self.traffic.modelled_ops += items * u64::from(kernel.ops);
        match &mut self.place {
            Place::Twin(memory) => {
                let mut bound = Vec::with_capacity(buffers.len());
                for buffer in buffers {
                    let held = memory.buffers.get_mut(&buffer.id).ok_or(UNKNOWN)?;
                    bound.push(std::mem::take(held));
                }
                (kernel.twin)(dispatch, &mut bound);
                for (buffer, words) in buffers.iter().zip(bound) {
                    if let Some(held) = memory.buffers.get_mut(&buffer.id) {
                        *held = words;
                    }
                }
                Ok(())
            }
            Place::Device(device) => device.run(kernel, dispatch, buffers),
        }
    }

    /// Waits for all kernels and reads words of a buffer.
    ///
    /// # Errors
    /// [`GpuError::OutOfRange`]; [`GpuError::DeviceLost`] when any kernel since the last read failed.
    pub fn read(
        &mut self,
        buffer: Buffer,
        range: std::ops::Range<usize>,
    ) -> Result<Vec<u32>, GpuError> {
        self.check()?;
        self.traffic.readbacks += 1;
        self.traffic.bytes_down += 4 * range.len() as u64;
        match &mut self.place {
            Place::Twin(memory) => {
                let held = memory.buffers.get(&buffer.id).ok_or(UNKNOWN)?;
                let words = held.get(range.clone()).ok_or(GpuError::OutOfRange {
                    from: range.start as u64,
                    to: range.end as u64,
                    words: held.len() as u64,
                })?;
                Ok(words.to_vec())
            }
            Place::Device(device) => device.read(buffer, range),
        }
    }

    /// Makes the device unusable, as a driver may at any time. For tests of the fallback.
    pub fn lose(&mut self) {
        self.faults.is_lost = true;
        if let Place::Device(device) = &mut self.place {
            device.lose();
        }
    }

    /// The same after this many kernels more: in the middle of a frame.
    ///
    /// ```
    /// use impinge_gpu::{primitives::iota, Backend};
    /// let mut backend = Backend::twin();
    /// backend.lose_after(2);
    /// let numbers = backend.alloc(4)?;
    /// assert!(iota(&mut backend, numbers, 4).is_ok() && iota(&mut backend, numbers, 4).is_err());
    /// # Ok::<(), impinge_gpu::GpuError>(())
    /// ```
    pub fn lose_after(&mut self, kernels: u64) {
        self.faults.kernels_left = Some(kernels);
    }

    /// Refuses to hold more than this many words, as a device whose memory is full; none for no limit.
    ///
    /// ```
    /// use impinge_gpu::{Backend, GpuError};
    /// let mut backend = Backend::twin();
    /// backend.limit_memory(Some(10));
    /// assert!(backend.alloc(10).is_ok());
    /// assert!(matches!(backend.alloc(1), Err(GpuError::OutOfMemory { words: 1, .. })));
    /// ```
    pub fn limit_memory(&mut self, words: Option<u64>) {
        self.faults.memory = words;
    }
}

/// Freed buffers that the CPU backend keeps for reuse.
const MOST_POOLED: usize = 64;

/// A buffer of another backend.
pub(crate) const UNKNOWN: GpuError = GpuError::OutOfRange {
    from: 0,
    to: 0,
    words: 0,
};
