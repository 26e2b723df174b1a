//! Exact overlap volume of two solids.
//!
//! **Question.** The volume that two closed meshes share, its centroid, and how it changes when one of them moves.
//!
//! **Idea.** Volume is an integral over the boundary of the overlap, and that boundary consists of pieces of the two surfaces. Integrals over
//! whole patches are stored in a tree; only faces that cross the other surface are cut, and even they are not cut
//! into polygons: signed triangles from one pivot to the intersection segments and to the weighted edges give the same integral.
//! Nothing of the overlap's shape is built.
//!
//! **Source.** The covariance of boundary integrals under rigid motion is classical (Mirtich 1996); symbolic perturbation:
//! Edelsbrunner and Mücke, 1990, doi:10.1145/77635.77639. The hierarchy of integrals with crossings in any order is our own.
//!
//! **Cost.** That of finding the pairs of faces that meet, plus O(log n) per pair; 0.2 KiB per face.
//!
//! **Promise.** Which faces cross, and where in the mesh, is decided exactly, with every tie broken as if `b` were moved by an infinitesimal
//! translation. The sums are therefore over a closed surface, whatever the rounding of points; the volume's error is within
//! the bounds that come back. Checks of consistency run on every call.
//!
//! **Limits.** Every edge must have as many faces one way as the other. Where a mesh overlaps itself, its volume counts as often as it winds around a
//! point; hollow parts count zero times. At coplanar contact the volume has a kink, and the force is the derivative on one side.
//!
//! `TetMesh` of `impinge-study` answers the same query by clipping tetrahedra, slowly and by other means: for judging.

mod face_crossing;
mod moments;
mod overlap_volume;
mod symbolic_perturbation;
mod volume_index;
mod winding_classification;

pub use overlap_volume::{OverlapCache, OverlapError, OverlapVolume};
pub use volume_index::{VolumeError, VolumeIndex};
