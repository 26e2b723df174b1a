//! Conversion to `f32` that never cuts anything off.
