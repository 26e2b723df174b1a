//! Indexes that answer questions about two meshes.
