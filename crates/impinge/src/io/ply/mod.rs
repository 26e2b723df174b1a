//! PLY: a header that declares elements and properties, then text or bytes that follow it.
//!
//! Read: vertices with `x`, `y`, `z` of any number type, faces with `vertex_indices` or
//! `vertex_index`, triangle strips (`tristrips`, where −1 starts a new strip); all other elements and
//! properties are skipped. In text, numbers are read as `f64` whatever type is declared, and each
//! element stands on a line of its own.

mod body;
mod header;
mod write;

pub(super) use body::read;
pub(super) use write::{write_binary, write_text};
