//! No number, index, id or byte makes the library panic.
//!
//! The rule that these files test, one file for each storey of the library:
//!
//! - A constructor answers `Err` (or `None`) when a coordinate is NaN, infinite or beyond `MAX_COORDINATE`, when an
//!   index is out of range (numbers around 2^32 included), or when a count is too small or too large to be made.
//! - Nothing panics, whatever it is given: not in release, and not by the overflow checks of this profile.
//! - What comes back for valid points is never NaN. A bound that cannot be told is 0 from below and infinite from
//!   above, also when the question itself is NaN. Functions that are plain arithmetic on a bare point (`Pose * p`,
//!   `Ray::at`, distances in `geom`) may give NaN back to those who put NaN in, but to nobody else.
//! - An id of another mesh gives `None`, nothing at all, or an id that no mesh has.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod bodies;
mod bounds;
mod engines;
mod files;
mod indexes;
mod meshes;
mod models;
mod numbers;
mod odd;
mod polygons;
mod primitives;

use impinge::bvh::engines::MeshEngine;

/// What is tested of every engine is tested of these here; `impinge-study` includes the same files for its own.
const ENGINES: &[MeshEngine] = &MeshEngine::ALL;
