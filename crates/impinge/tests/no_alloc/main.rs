//! Whatever has been asked before is asked again without allocating.

mod broad;
mod cloud;
mod engines;
mod front;
mod interpolation_search;
mod queries;
mod scan;
mod volumes;

use impinge::bvh::engines::MeshEngine;
use impinge_testkit::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is tested of every engine is tested of these here; `impinge-study` includes the same files for its own.
const ENGINES: &[MeshEngine] = &MeshEngine::ALL;
