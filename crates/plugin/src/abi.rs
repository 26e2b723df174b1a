//! The tables that cross the border, laid out as in C. `include/impinge_plugin.h` says the same for C.
#![expect(
    unsafe_code,
    reason = "tables hold pointers to constants and are shared between threads"
)]

use std::ffi::c_void;

/// The version of the interface. It changes with every change of a table or of a promise; nothing else is accepted.
pub const ABI_VERSION: u32 = 1;

/// The name of the function that a plug-in exports: no arguments, a pointer to its [`PluginTable`].
pub const ENTRY: &str = "impinge_plugin";

/// The most kinds that a plug-in may have.
pub const MAX_KINDS: u32 = 1024;

/// The table that a plug-in exports. The first two numbers keep their place in every version.
#[derive(Debug)]
#[repr(C)]
pub struct PluginTable {
    /// [`ABI_VERSION`] of the interface that the plug-in was written for.
    pub abi_version: u32,
    /// The size of this table in bytes.
    pub table_bytes: u32,
    /// The size of a [`KindTable`] in bytes.
    pub kind_bytes: u32,
    /// How many kinds there are.
    pub kind_count: u32,
    /// The first of them.
    pub kinds: *const KindTable,
}

/// A kind of shape: its name and its functions.
///
/// Output arrays have room for the stated number of numbers; directions and points are three
/// numbers. All functions but `create` and `destroy` may be called by several threads at once.
#[derive(Debug)]
#[repr(C)]
pub struct KindTable {
    /// Its name in UTF-8, without an end mark.
    pub name: *const u8,
    /// The length of the name in bytes.
    pub name_bytes: usize,
    /// A shape from parameters; null refuses them.
    pub create: Option<unsafe extern "C" fn(parameters: *const f64, count: usize) -> *mut c_void>,
    /// Destroys a shape that `create` made.
    pub destroy: Option<unsafe extern "C" fn(shape: *mut c_void)>,
    /// Writes the least and then the largest coordinates of the shape: six numbers.
    pub bounds: Option<unsafe extern "C" fn(shape: *const c_void, out: *mut f64)>,
    /// Writes a point of the shape farthest in a direction. Null unless the shape is convex.
    pub support:
        Option<unsafe extern "C" fn(shape: *const c_void, direction: *const f64, out: *mut f64)>,
    /// The distance of a point from the surface, negative inside. Null when the plug-in does not know it.
    pub signed_distance:
        Option<unsafe extern "C" fn(shape: *const c_void, point: *const f64) -> f64>,
}

// SAFETY: a table is never written after it was made, and what it points to are constants.
unsafe impl Sync for PluginTable {}
// SAFETY: as above.
unsafe impl Sync for KindTable {}

impl PluginTable {
    /// The table of these kinds.
    #[must_use]
    pub const fn new(kinds: &'static [KindTable]) -> Self {
        Self {
            abi_version: ABI_VERSION,
            table_bytes: size_of::<Self>() as u32,
            kind_bytes: size_of::<KindTable>() as u32,
            kind_count: kinds.len() as u32,
            kinds: kinds.as_ptr(),
        }
    }
}
