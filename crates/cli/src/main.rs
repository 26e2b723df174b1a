//! The `impinge` command.

mod render;

fn main() {}
