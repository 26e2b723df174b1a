//! Shapes from a shared library: the interface in C, its loader, and what a plug-in in Rust is written with.
//!
//! A plug-in exports one function, [`ENTRY`], which gives a [`PluginTable`]: the version of the interface and a
//! [`KindTable`] of function pointers for each kind of shape. Loading checks everything that can be checked and refuses
//! the rest with a `LoadError`. What cannot be checked a plug-in must promise; the list is at `Library::open`.
//!
//! This crate is the place of all unsafe code around plug-ins. What it hands out is safe: numbers that a plug-in gives are replaced
//! where they are not finite or lie outside the shape's own bounds.
//!
//! A plug-in:
//!
//! ```
//! use impinge_plugin::{ConvexKind, Kind, KindTable, PluginTable};
//! struct Ball(f64);
//! impl Kind for Ball {
//!     const NAME: &'static str = "ball of the plug-in";
//!     fn create(parameters: &[f64]) -> Option<Self> {
//!         match *parameters {
//!             [radius] if radius > 0.0 => Some(Self(radius)),
//!             _ => None,
//!         }
//!     }
//!     fn bounds(&self) -> [[f64; 3]; 2] { [[-self.0; 3], [self.0; 3]] }
//! }
//! impl ConvexKind for Ball {
//!     fn support(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
//!         let length = (x * x + y * y + z * z).sqrt();
//!         if length > 0.0 { [x, y, z].map(|x| x / length * self.0) } else { [self.0, 0.0, 0.0] }
//!     }
//! }
//! static KINDS: [KindTable; 1] = [KindTable::convex::<Ball>()];
//! static TABLE: PluginTable = PluginTable::new(&KINDS);
//! // In the plug-in: #[unsafe(no_mangle)]
//! extern "C" fn impinge_plugin() -> *const PluginTable { &raw const TABLE }
//! # assert!(!impinge_plugin().is_null());
//! ```

mod abi;
mod author;
#[cfg(feature = "load")]
mod error;
#[cfg(feature = "load")]
mod library;
#[cfg(feature = "load")]
mod shape;

pub use abi::{ABI_VERSION, ENTRY, KindTable, MAX_KINDS, PluginTable};
pub use author::{ConvexKind, DistanceKind, Kind};
#[cfg(feature = "load")]
pub use error::{CreateError, LoadError};
#[cfg(feature = "load")]
pub use library::Library;
#[cfg(feature = "load")]
pub use shape::{KindHandle, Shape};
