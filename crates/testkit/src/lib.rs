//! Independent oracles, generators, laws, the corpus reader, golden files and file mutation for testing impinge.

pub mod damaged;
pub mod mutate;
