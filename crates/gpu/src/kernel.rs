//! A compute shader and the CPU function that does the same.

/// Words of the parameters that every kernel gets, as four vectors of a uniform buffer.
pub const PARAMETER_WORDS: usize = 16;

/// Invocations of a workgroup, the same for every kernel.
pub const GROUP: u32 = 256;

/// Most workgroups along one dimension; more go to the second.
pub const MAX_GROUPS: u32 = 65_535;

/// The parameters of one dispatch.
///
/// ```
/// use impinge_gpu::Dispatch;
/// let dispatch = Dispatch::new(3, &[7, 8]);
/// assert_eq!((dispatch.groups, dispatch.parameters[1], dispatch.parameters[2]), (3, 8, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Workgroups.
    pub groups: u32,
    /// The uniform words.
    pub parameters: [u32; PARAMETER_WORDS],
}

impl Dispatch {
    /// This many workgroups with these parameters; the rest are 0, more than
    /// [`PARAMETER_WORDS`] are cut off.
    #[must_use]
    pub fn new(groups: u32, parameters: &[u32]) -> Self {
        let mut words = [0; PARAMETER_WORDS];
        for (word, &given) in words.iter_mut().zip(parameters) {
            *word = given;
        }
        Self {
            groups,
            parameters: words,
        }
    }
}

/// The CPU function of a kernel: it gets the buffers in the order of their bindings.
pub type Twin = fn(&Dispatch, &mut [Vec<u32>]);

/// A shader, its CPU twin, and what one workgroup costs.
///
/// The twin has the name of the shader and works on the same buffers. Integer kernels agree bit for
/// bit; the triangle filter, which uses `f32`, may differ between devices but never contradicts.
///
/// ```
/// use impinge_gpu::primitives::KERNELS;
/// assert!(KERNELS.iter().all(|kernel| kernel.wgsl.contains("@compute") && kernel.items > 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Name of the shader's entry point and of the twin.
    pub name: &'static str,
    /// The shader.
    pub wgsl: &'static str,
    /// The CPU function.
    pub twin: Twin,
    /// Buffers it binds.
    pub buffers: usize,
    /// Items that one workgroup handles.
    pub items: u32,
    /// Bytes of device memory moved per item.
    pub bytes: u32,
    /// Operations per item.
    pub ops: u32,
    /// Bytes of workgroup memory.
    pub shared: u32,
}

impl Kernel {
    /// Workgroups for this many items.
    ///
    /// ```
    /// use impinge_gpu::primitives::SCAN_REDUCE;
    /// assert_eq!((SCAN_REDUCE.groups(0), SCAN_REDUCE.groups(2049)), (0, 2));
    /// ```
    #[must_use]
    pub fn groups(&self, items: u32) -> u32 {
        items.div_ceil(self.items.max(1))
    }
}
