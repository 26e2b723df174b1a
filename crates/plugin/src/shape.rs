//! Kinds that passed the checks, and shapes of them.
#![expect(unsafe_code, reason = "a plug-in's functions are called here")]

use std::any::Any;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::abi::{ABI_VERSION, KindTable, MAX_KINDS, PluginTable};
use crate::error::{CreateError, LoadError};

/// The longest name of a kind, in bytes.
const MAX_NAME: usize = 256;

type CreateFn = unsafe extern "C" fn(*const f64, usize) -> *mut c_void;
type DestroyFn = unsafe extern "C" fn(*mut c_void);
type BoundsFn = unsafe extern "C" fn(*const c_void, *mut f64);
type SupportFn = unsafe extern "C" fn(*const c_void, *const f64, *mut f64);
type DistanceFn = unsafe extern "C" fn(*const c_void, *const f64) -> f64;

/// A kind of shape of a loaded plug-in. It keeps the library loaded.
#[derive(Clone)]
pub struct KindHandle {
    inner: Arc<Checked>,
}

struct Checked {
    name: String,
    create: CreateFn,
    destroy: DestroyFn,
    bounds: BoundsFn,
    support: Option<SupportFn>,
    signed_distance: Option<DistanceFn>,
    /// What keeps the code of the functions in memory.
    _library: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for KindHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KindHandle")
            .field("name", &self.inner.name)
            .field("is_convex", &self.is_convex())
            .finish_non_exhaustive()
    }
}

/// Checks a plug-in's table.
///
/// # Safety
/// `table` is null or points to two readable `u32`; when they are this version and its size, to a whole table whose pointers
/// are null or as the interface promises.
pub(crate) unsafe fn kinds_of(
    table: *const PluginTable,
    library: &Arc<dyn Any + Send + Sync>,
) -> Result<Vec<KindHandle>, LoadError> {
    if table.is_null() {
        return Err(LoadError::NullTable);
    }
    if !table.is_aligned() {
        return Err(LoadError::Misaligned { what: "table" });
    }
    // SAFETY: not null and aligned; the first two numbers may be read in every version.
    let (version, bytes) = unsafe { ((*table).abi_version, (*table).table_bytes) };
    if version != ABI_VERSION {
        return Err(LoadError::Version {
            found: version,
            expected: ABI_VERSION,
        });
    }
    size("table", bytes, size_of::<PluginTable>())?;
    // SAFETY: the version and the size are ours, so that the whole table may be read.
    let table = unsafe { &*table };
    size("table of a kind", table.kind_bytes, size_of::<KindTable>())?;
    let count = table.kind_count;
    if count == 0 || count > MAX_KINDS {
        return Err(LoadError::KindCount { found: count });
    }
    if table.kinds.is_null() {
        return Err(LoadError::Missing {
            kind: 0,
            what: "its table",
        });
    }
    if !table.kinds.is_aligned() {
        return Err(LoadError::Misaligned {
            what: "list of kinds",
        });
    }
    // SAFETY: not null, aligned, and as many tables of our size as promised.
    let tables = unsafe { std::slice::from_raw_parts(table.kinds, count as usize) };
    let mut names = BTreeSet::new();
    let mut kinds = Vec::new();
    for (number, table) in (0..count).zip(tables) {
        // SAFETY: the name is promised to be as long as told.
        let kind = unsafe { checked(number, table, library)? };
        if !names.insert(kind.name().to_owned()) {
            let name = kind.name().to_owned();
            return Err(LoadError::SameName { name });
        }
        kinds.push(kind);
    }
    Ok(kinds)
}

fn size(what: &'static str, found: u32, expected: usize) -> Result<(), LoadError> {
    let expected = expected as u32;
    if found == expected {
        Ok(())
    } else {
        Err(LoadError::Size {
            what,
            found,
            expected,
        })
    }
}

/// # Safety
/// The name is null or has as many bytes as stated, if that is a length that a name may have.
unsafe fn checked(
    number: u32,
    table: &KindTable,
    library: &Arc<dyn Any + Send + Sync>,
) -> Result<KindHandle, LoadError> {
    let missing = |what| LoadError::Missing { kind: number, what };
    let bad_name = LoadError::BadName { kind: number };
    if table.name.is_null() || table.name_bytes == 0 || table.name_bytes > MAX_NAME {
        return Err(bad_name);
    }
    // SAFETY: not null, and as long as promised.
    let name = unsafe { std::slice::from_raw_parts(table.name, table.name_bytes) };
    let name = std::str::from_utf8(name).map_err(|_| bad_name)?.to_owned();
    if table.support.is_none() && table.signed_distance.is_none() {
        return Err(missing("both `support` and `signed_distance`"));
    }
    Ok(KindHandle {
        inner: Arc::new(Checked {
            name,
            create: table.create.ok_or(missing("`create`"))?,
            destroy: table.destroy.ok_or(missing("`destroy`"))?,
            bounds: table.bounds.ok_or(missing("`bounds`"))?,
            support: table.support,
            signed_distance: table.signed_distance,
            _library: library.clone(),
        }),
    })
}

impl KindHandle {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Whether its shapes are convex and give support points.
    #[must_use]
    pub fn is_convex(&self) -> bool {
        self.inner.support.is_some()
    }

    /// Whether its shapes have a signed distance function.
    #[must_use]
    pub fn has_distance(&self) -> bool {
        self.inner.signed_distance.is_some()
    }

    /// The shape of this kind with these parameters.
    ///
    /// # Errors
    /// [`CreateError`] when a parameter is not finite, the plug-in refuses them, or what it makes has no bounds.
    pub fn create(&self, parameters: &[f64]) -> Result<Shape, CreateError> {
        let kind = || self.name().to_owned();
        if let Some(index) = parameters.iter().position(|x| !x.is_finite()) {
            return Err(CreateError::BadParameter {
                kind: kind(),
                index,
                value: parameters[index],
            });
        }
        // SAFETY: the numbers are as many as told.
        let made = unsafe { (self.inner.create)(parameters.as_ptr(), parameters.len()) };
        let made = NonNull::new(made).ok_or_else(|| CreateError::Refused {
            kind: kind(),
            parameters: parameters.to_vec(),
        })?;
        // From here on it is ended when it is dropped.
        let mut shape = Shape {
            kind: self.clone(),
            made,
            bounds: [[0.0; 3]; 2],
        };
        let mut flat = [f64::NAN; 6];
        // SAFETY: a shape of this kind, and room for six numbers.
        unsafe { (self.inner.bounds)(made.as_ptr(), flat.as_mut_ptr()) };
        let [x, y, z, u, v, w] = flat;
        let is_box = x <= u && y <= v && z <= w && flat.iter().all(|x| x.is_finite());
        if !is_box {
            return Err(CreateError::BadBounds {
                kind: kind(),
                bounds: flat,
            });
        }
        shape.bounds = [[x, y, z], [u, v, w]];
        Ok(shape)
    }
}

/// A shape that a plug-in made. It keeps the library loaded.
pub struct Shape {
    kind: KindHandle,
    made: NonNull<c_void>,
    bounds: [[f64; 3]; 2],
}

// SAFETY: a plug-in promises that its functions may be called by several threads at once, and `destroy` by any one.
unsafe impl Send for Shape {}
// SAFETY: as above.
unsafe impl Sync for Shape {}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("kind", &self.kind.name())
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}

impl Drop for Shape {
    fn drop(&mut self) {
        // SAFETY: made by `create` of the same kind, and dropped once.
        unsafe { (self.kind.inner.destroy)(self.made.as_ptr()) };
    }
}

impl Shape {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &KindHandle {
        &self.kind
    }

    /// The smallest and the largest coordinates, as the plug-in stated when the shape was made.
    #[must_use]
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        self.bounds
    }

    /// A point of the shape farthest in a direction; none unless the kind is convex. A NaN is
    /// replaced by the middle of the bounds, and a value outside them by their end.
    #[must_use]
    pub fn support(&self, direction: [f64; 3]) -> Option<[f64; 3]> {
        let support = self.kind.inner.support?;
        let mut out = [f64::NAN; 3];
        // SAFETY: a shape of this kind, three numbers, and room for three.
        unsafe { support(self.made.as_ptr(), direction.as_ptr(), out.as_mut_ptr()) };
        let [min, max] = self.bounds;
        for k in 0..3 {
            out[k] = if out[k].is_nan() {
                0.5 * min[k] + 0.5 * max[k]
            } else {
                out[k].clamp(min[k], max[k])
            };
        }
        Some(out)
    }

    /// The distance of a point from the surface, negative inside; none when the kind does not
    /// compute it. NaN is replaced by 0, which is touching.
    #[must_use]
    pub fn signed_distance(&self, point: [f64; 3]) -> Option<f64> {
        let signed_distance = self.kind.inner.signed_distance?;
        // SAFETY: a shape of this kind, and three numbers.
        let found = unsafe { signed_distance(self.made.as_ptr(), point.as_ptr()) };
        Some(if found.is_nan() {
            0.0
        } else {
            found.clamp(-f64::MAX, f64::MAX)
        })
    }
}
