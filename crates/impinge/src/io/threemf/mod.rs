//! 3MF: a zip archive with an XML model of objects, components and build items.
//!
//! Read: every build item with its transform, components within components, objects in other model
//! files of the archive (production extension), the unit. One part per mesh that an item places.
//! Materials, slices and triangle sets are skipped; extensions that change the shape (beam
//! lattices, booleans, volumes, encryption) are refused by name when the file requires them.

mod build;
mod package;
mod xml;

pub(super) use build::{read, read_assembly};
