//! Whatever has been asked before is asked again without allocating.

#[cfg(feature = "scene")]
mod broad;
#[cfg(feature = "clouds")]
mod cloud;
mod engines;
#[cfg(feature = "scene")]
mod front;
#[cfg(feature = "clouds")]
mod interpolation_search;
#[cfg(feature = "spheres")]
mod queries;
#[cfg(feature = "clouds")]
mod scan;
#[cfg(feature = "spheres")]
mod volumes;

use impinge::bvh::engines::MeshEngine;
use impinge_testkit::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is tested of every engine is tested of these here; `impinge-study` includes the same files for its own.
const ENGINES: &[MeshEngine] = &MeshEngine::ALL;
