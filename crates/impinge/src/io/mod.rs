//! Mesh files: reading and writing.
