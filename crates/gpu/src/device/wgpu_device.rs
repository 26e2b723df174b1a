//! Adapters and devices of the system's drivers, through wgpu.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::DeviceInfo;
use crate::GpuError;
use crate::backend::{Buffer, UNKNOWN};
use crate::kernel::{Dispatch, Kernel, MAX_GROUPS, PARAMETER_WORDS};

/// Bytes between the parameters of two dispatches: the largest alignment WebGPU requires.
const PARAMETER_STRIDE: usize = 256;
/// Dispatches recorded before they are submitted.
const MAX_RECORDED: usize = 256;

/// All adapters of the system, sorted by name.
///
/// ```
/// use impinge_gpu::{Devices, GpuError};
/// match Devices::all() {
///     Ok(devices) => assert!(!devices.infos().is_empty()),
///     Err(error) => assert_eq!(error, GpuError::NoAdapter),
/// }
/// ```
#[derive(Debug)]
pub struct Devices {
    adapters: Vec<wgpu::Adapter>,
    infos: Vec<DeviceInfo>,
}

impl Devices {
    /// All adapters.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`]. In a browser always, as nothing may wait there: see
    /// [`Devices::find`].
    pub fn all() -> Result<Self, GpuError> {
        ready(Self::find()).unwrap_or(Err(GpuError::NoAdapter))
    }

    /// As [`Devices::all`], asynchronous.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`].
    pub async fn find() -> Result<Self, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN
            | wgpu::Backends::METAL
            | wgpu::Backends::DX12
            | wgpu::Backends::BROWSER_WEBGPU;
        let instance = wgpu::Instance::new(descriptor);
        let found = instance.enumerate_adapters(wgpu::Backends::all()).await;
        let mut known: Vec<(DeviceInfo, wgpu::Adapter)> = found
            .into_iter()
            .map(|adapter| {
                let info = adapter.get_info();
                let info = DeviceInfo {
                    name: info.name,
                    driver: format!("{} {}", info.driver, info.driver_info),
                    is_software: info.device_type == wgpu::DeviceType::Cpu,
                };
                (info, adapter)
            })
            .collect();
        // Stable, so that equal adapters keep the order of the driver.
        known.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        if known.is_empty() {
            return Err(GpuError::NoAdapter);
        }
        let (infos, adapters) = known.into_iter().unzip();
        Ok(Self { adapters, infos })
    }

    /// Information about each adapter.
    #[must_use]
    pub fn infos(&self) -> &[DeviceInfo] {
        &self.infos
    }

    /// Opens a device of an adapter; may be called more than once.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] when there are fewer, [`GpuError::NoDevice`].
    pub fn open(&mut self, adapter: usize) -> Result<Device, GpuError> {
        let known = (self.adapters.get(adapter)).zip(self.infos.get(adapter));
        let (adapter, info) = known.ok_or(GpuError::NoAdapter)?;
        let offered = adapter.limits();
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
            max_buffer_size: offered.max_buffer_size,
            ..wgpu::Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("impinge"),
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let refused = |reason: String| GpuError::NoDevice {
            adapter: info.name.clone(),
            reason,
        };
        let (device, queue) = ready(adapter.request_device(&descriptor))
            .ok_or_else(|| refused("it must be waited for".into()))?
            .map_err(|error| refused(error.to_string()))?;
        let trouble = Trouble::default();
        let told = trouble.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            told.tell(error.to_string())
        }));
        let told = trouble.clone();
        device.set_device_lost_callback(move |reason, message| {
            told.tell(format!("{reason:?} {message}"));
        });
        let parameters = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("parameters"),
            size: (MAX_RECORDED * PARAMETER_STRIDE) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Ok(Device {
            name: info.name.clone(),
            max_words: (limits.max_buffer_size).min(limits.max_storage_buffer_binding_size) / 4,
            device,
            queue,
            buffers: BTreeMap::new(),
            given: 0,
            pipelines: BTreeMap::new(),
            parameters,
            recorded: Vec::new(),
            trouble,
            pool: BTreeMap::new(),
            pooled: 0,
            staging: None,
        })
    }
}

/// The first error of the driver.
#[derive(Clone, Debug, Default)]
struct Trouble(Arc<Mutex<Option<String>>>);

impl Trouble {
    fn tell(&self, what: String) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(what);
    }

    fn check(&self) -> Result<(), GpuError> {
        let first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*first {
            Some(what) => Err(GpuError::DeviceLost(what.clone())),
            None => Ok(()),
        }
    }
}

#[derive(Debug)]
enum Recorded {
    /// Sets words of a buffer to 0.
    Clear { buffer: wgpu::Buffer, words: u64 },
    Run {
        pipeline: wgpu::ComputePipeline,
        bindings: wgpu::BindGroup,
        groups: [u32; 2],
        parameters: [u32; PARAMETER_WORDS],
    },
}

/// An open device.
#[derive(Debug)]
pub struct Device {
    name: String,
    max_words: u64,
    device: wgpu::Device,
    queue: wgpu::Queue,
    buffers: BTreeMap<u64, Held>,
    given: u64,
    /// By name: the names of kernels are unique.
    pipelines: BTreeMap<&'static str, wgpu::ComputePipeline>,
    parameters: wgpu::Buffer,
    recorded: Vec<Recorded>,
    trouble: Trouble,
    /// Buffers that were freed, by their size in words.
    pool: BTreeMap<u64, Vec<wgpu::Buffer>>,
    /// Words in the pool.
    pooled: u64,
    staging: Option<wgpu::Buffer>,
}

/// A buffer, of which only the first words are in use.
#[derive(Debug)]
struct Held {
    buffer: wgpu::Buffer,
    words: u64,
}

/// Words that the pool may hold: 1 GiB.
const MOST_POOLED: u64 = 1 << 28;

impl Device {
    /// The name of the adapter.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn max_words(&self) -> u64 {
        self.max_words
    }

    /// A buffer of this many words, all 0, and whether it was newly allocated.
    pub(crate) fn alloc(&mut self, words: usize) -> Result<(Buffer, bool), GpuError> {
        self.trouble.check()?;
        let words = words as u64;
        let size = pooled_size(words).min(self.max_words.max(words));
        let old = self.pool.get_mut(&size).and_then(Vec::pop);
        let is_new = old.is_none();
        let buffer = match old {
            Some(buffer) => {
                self.pooled -= size;
                self.record(Recorded::Clear {
                    buffer: buffer.clone(),
                    words,
                })?;
                buffer
            }
            None => self.create(size, words)?,
        };
        self.given += 1;
        self.buffers.insert(self.given, Held { buffer, words });
        Ok((Buffer { id: self.given }, is_new))
    }

    /// Memory of a new buffer is 0, as WebGPU demands.
    fn create(&mut self, size: u64, words: u64) -> Result<wgpu::Buffer, GpuError> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * size,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_DST
                | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        // A full device is no lost one: what was freed is given up, and smaller buffers may fit.
        if let Some(Some(error)) = ready(scope.pop()) {
            self.pool.clear();
            self.pooled = 0;
            return Err(GpuError::OutOfMemory {
                words,
                reason: error.to_string(),
            });
        }
        self.trouble.check()?;
        Ok(buffer)
    }

    pub(crate) fn free(&mut self, buffer: Buffer) {
        let Some(held) = self.buffers.remove(&buffer.id) else {
            return;
        };
        let size = held.buffer.size() / 4;
        if self.pooled + size <= MOST_POOLED {
            self.pooled += size;
            self.pool.entry(size).or_default().push(held.buffer);
        }
    }

    fn held(&self, buffer: Buffer) -> Result<&Held, GpuError> {
        self.buffers.get(&buffer.id).ok_or(UNKNOWN)
    }

    pub(crate) fn write(&mut self, buffer: Buffer, words: &[u32]) -> Result<(), GpuError> {
        // Kernels recorded earlier must not see what is written now.
        self.submit()?;
        let target = self.held(buffer)?;
        if words.len() as u64 > target.words {
            return Err(GpuError::OutOfRange {
                from: 0,
                to: words.len() as u64,
                words: target.words,
            });
        }
        self.queue.write_buffer(&target.buffer, 0, &bytes_of(words));
        self.trouble.check()
    }

    fn pipeline(&mut self, kernel: &'static Kernel) -> wgpu::ComputePipeline {
        let device = &self.device;
        let made = self.pipelines.entry(kernel.name).or_insert_with(|| {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(kernel.name),
                source: wgpu::ShaderSource::Wgsl(kernel.wgsl.into()),
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(kernel.name),
                layout: None,
                module: &module,
                entry_point: Some(kernel.name),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        });
        made.clone()
    }

    pub(crate) fn run(
        &mut self,
        kernel: &'static Kernel,
        dispatch: &Dispatch,
        buffers: &[Buffer],
    ) -> Result<(), GpuError> {
        if self.recorded.len() >= MAX_RECORDED {
            self.submit()?;
        }
        let pipeline = self.pipeline(kernel);
        self.trouble.check()?;
        let offset = (self.recorded.len() * PARAMETER_STRIDE) as u64;
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.parameters,
                offset,
                size: std::num::NonZeroU64::new(4 * PARAMETER_WORDS as u64),
            }),
        }];
        for (i, &buffer) in buffers.iter().enumerate() {
            let held = self.held(buffer)?;
            entries.push(wgpu::BindGroupEntry {
                binding: i as u32 + 1,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &held.buffer,
                    offset: 0,
                    size: std::num::NonZeroU64::new(4 * held.words),
                }),
            });
        }
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(kernel.name),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        // Beyond the limit of one dimension there are rows; the last may be too long, and kernels
        // stop at their number of items.
        let rows = dispatch.groups.div_ceil(MAX_GROUPS);
        let groups = [dispatch.groups.div_ceil(rows.max(1)), rows];
        self.record(Recorded::Run {
            pipeline,
            bindings,
            groups,
            parameters: dispatch.parameters,
        })
    }

    fn record(&mut self, what: Recorded) -> Result<(), GpuError> {
        if self.recorded.len() >= MAX_RECORDED {
            self.submit()?;
        }
        self.recorded.push(what);
        Ok(())
    }

    fn encode(&mut self) -> wgpu::CommandEncoder {
        let mut words = vec![0; self.recorded.len() * PARAMETER_STRIDE / 4];
        for (slot, recorded) in words.chunks_mut(PARAMETER_STRIDE / 4).zip(&self.recorded) {
            let Recorded::Run { parameters, .. } = recorded else {
                continue;
            };
            for (word, &given) in slot.iter_mut().zip(parameters) {
                *word = given;
            }
        }
        if !words.is_empty() {
            self.queue
                .write_buffer(&self.parameters, 0, &bytes_of(&words));
        }
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut left = self.recorded.drain(..).peekable();
        while let Some(recorded) = left.next() {
            let mut run = match recorded {
                Recorded::Clear { buffer, words } => {
                    encoder.clear_buffer(&buffer, 0, Some(4 * words));
                    continue;
                }
                run @ Recorded::Run { .. } => Some(run),
            };
            // Kernels in a row are one pass.
            let mut pass = encoder.begin_compute_pass(&Default::default());
            while let Some(Recorded::Run {
                pipeline,
                bindings,
                groups: [x, y],
                ..
            }) = run
            {
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &bindings, &[]);
                pass.dispatch_workgroups(x, y, 1);
                run = left.next_if(|next| matches!(next, Recorded::Run { .. }));
            }
        }
        drop(left);
        encoder
    }

    fn submit(&mut self) -> Result<(), GpuError> {
        if !self.recorded.is_empty() {
            let encoder = self.encode();
            self.queue.submit([encoder.finish()]);
        }
        self.trouble.check()
    }

    pub(crate) fn read(
        &mut self,
        buffer: Buffer,
        range: std::ops::Range<usize>,
    ) -> Result<Vec<u32>, GpuError> {
        let words = self.held(buffer)?.words;
        if range.start > range.end || range.end as u64 > words {
            return Err(GpuError::OutOfRange {
                from: range.start as u64,
                to: range.end as u64,
                words,
            });
        }
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = 4 * range.len() as u64;
        let staging = match self.staging.take() {
            Some(staging) if staging.size() >= bytes => staging,
            _ => self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("staging"),
                size: 4 * pooled_size(bytes / 4),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        };
        let mut encoder = self.encode();
        let source = &self.held(buffer)?.buffer;
        encoder.copy_buffer_to_buffer(source, 4 * range.start as u64, &staging, 0, bytes);
        self.queue.submit([encoder.finish()]);
        self.trouble.check()?;
        let trouble = self.trouble.clone();
        staging.map_async(wgpu::MapMode::Read, ..bytes, move |done| {
            if let Err(error) = done {
                trouble.tell(error.to_string());
            }
        });
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.trouble.check()?;
        waited.map_err(|error| GpuError::DeviceLost(error.to_string()))?;
        let view = staging
            .get_mapped_range(..bytes)
            .map_err(|error| GpuError::DeviceLost(error.to_string()))?;
        let words = view.chunks_exact(4).map(|word| match *word {
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        });
        let words = words.collect();
        drop(view);
        staging.unmap();
        self.staging = Some(staging);
        Ok(words)
    }

    pub(crate) fn lose(&mut self) {
        self.device.destroy();
        self.trouble.tell("destroyed on request".into());
    }
}

/// Words rounded up to one of eight sizes between powers of two, so that freed buffers fit again.
fn pooled_size(words: u64) -> u64 {
    let step = (words.next_power_of_two() / 16).max(64);
    words.div_ceil(step) * step
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The value of a future that is ready at once, as all of wgpu's are outside of a browser.
fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
