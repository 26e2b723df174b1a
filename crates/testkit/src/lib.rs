//! Independent oracles, generators, laws, the corpus reader, golden files and file mutation for testing impinge.
//!
//! | module | what it holds |
//! |---|---|
//! | [`oracle`] | slow, plainly right answers that import none of the kernels they judge |
//! | [`generate`] | seeded triangles, meshes and poses, random and on small integer grids |
//! | [`laws`] | what must not change an answer: order, exact motion, scale, splitting |
//! | [`conformance`] | one suite for every mesh index |
//! | [`corpus`] | scenarios with known answers, read from `corpus/scenarios` |
//! | [`damaged`] | small meshes, each damaged in one known way |
//! | [`figures`] | the figures of the algorithm pages |
//! | [`file_seeds`] | small valid files of every format, to damage |
//! | [`forces`] | forces of overlapping balls, and by how much they may change |
//! | [`golden`] | pinned bytes, renewed with `UPDATE_GOLDEN=1` |
//! | [`recorded`] | recorded continuous-collision queries with known answers |
//! | [`mutate`] | seeded damage to the bytes of a file |
//! | [`for_every_volume`] | one check for every bounding volume |
//! | [`wraps`] | what a wrap promises, checked face by face |
//! | [`allocations`] | an allocator that counts, per thread |

pub mod allocations;
pub mod conformance;
pub mod corpus;
pub mod damaged;
pub mod figures;
pub mod file_seeds;
pub mod forces;
pub mod generate;
pub mod golden;
#[cfg(doctest)]
mod guide;
pub mod laws;
pub mod mutate;
pub mod oracle;
pub mod recorded;
mod volumes;
pub mod wraps;
