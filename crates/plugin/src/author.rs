//! What a plug-in in Rust is written with: traits, and tables made of them.
#![expect(
    unsafe_code,
    reason = "the functions that C calls read and write through pointers"
)]

use std::ffi::c_void;

use crate::abi::KindTable;

/// A kind of shape. A panic in any of its functions ends the program.
pub trait Kind: Sized + Send + Sync + 'static {
    /// Its name: what shapes of it are called in reports and in registries.
    const NAME: &'static str;

    /// The shape with these parameters; none refuses them.
    fn create(parameters: &[f64]) -> Option<Self>;

    /// The least and the largest coordinates. No point of the shape may lie outside.
    fn bounds(&self) -> [[f64; 3]; 2];
}

/// A convex kind.
pub trait ConvexKind: Kind {
    /// A point of the shape farthest in a direction, which may have any length, 0 included.
    fn support(&self, direction: [f64; 3]) -> [f64; 3];
}

/// A kind with a signed distance function.
pub trait DistanceKind: Kind {
    /// The distance from the surface, negative inside. It must not change faster than the point moves.
    fn signed_distance(&self, point: [f64; 3]) -> f64;
}

impl KindTable {
    const fn bare<T: Kind>() -> Self {
        Self {
            name: T::NAME.as_ptr(),
            name_bytes: T::NAME.len(),
            create: Some(create::<T>),
            destroy: Some(destroy::<T>),
            bounds: Some(bounds::<T>),
            support: None,
            signed_distance: None,
        }
    }

    /// The table of a convex kind.
    #[must_use]
    pub const fn convex<T: ConvexKind>() -> Self {
        Self {
            support: Some(support::<T>),
            ..Self::bare::<T>()
        }
    }

    /// The table of a kind with a signed distance function.
    #[must_use]
    pub const fn field<T: DistanceKind>() -> Self {
        Self {
            signed_distance: Some(signed_distance::<T>),
            ..Self::bare::<T>()
        }
    }
}

unsafe extern "C" fn create<T: Kind>(parameters: *const f64, count: usize) -> *mut c_void {
    let parameters = if count == 0 || parameters.is_null() {
        &[]
    } else {
        // SAFETY: the caller gives as many numbers as it says.
        unsafe { std::slice::from_raw_parts(parameters, count) }
    };
    match T::create(parameters) {
        Some(shape) => Box::into_raw(Box::new(shape)).cast(),
        None => std::ptr::null_mut(),
    }
}

unsafe extern "C" fn destroy<T: Kind>(shape: *mut c_void) {
    if !shape.is_null() {
        // SAFETY: the caller gives what `create` of this kind made, once.
        drop(unsafe { Box::from_raw(shape.cast::<T>()) });
    }
}

unsafe extern "C" fn bounds<T: Kind>(shape: *const c_void, out: *mut f64) {
    // SAFETY: the caller gives what `create` of this kind made and room for six numbers.
    unsafe {
        let found = (*shape.cast::<T>()).bounds();
        out.cast::<[[f64; 3]; 2]>().write_unaligned(found);
    }
}

unsafe extern "C" fn support<T: ConvexKind>(
    shape: *const c_void,
    direction: *const f64,
    out: *mut f64,
) {
    // SAFETY: the caller gives what `create` of this kind made, three numbers, and room for three.
    unsafe {
        let direction = direction.cast::<[f64; 3]>().read_unaligned();
        let found = (*shape.cast::<T>()).support(direction);
        out.cast::<[f64; 3]>().write_unaligned(found);
    }
}

unsafe extern "C" fn signed_distance<T: DistanceKind>(
    shape: *const c_void,
    point: *const f64,
) -> f64 {
    // SAFETY: the caller gives what `create` of this kind made, and three numbers.
    unsafe {
        let point = point.cast::<[f64; 3]>().read_unaligned();
        (*shape.cast::<T>()).signed_distance(point)
    }
}
