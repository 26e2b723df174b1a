//! Why a voxmap or a pointshell could not be built.

use thiserror::Error;

use crate::mesh::{MassError, TriMesh, mass};
use crate::query::VertexId;

/// Why a voxmap or a pointshell could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxmapError {
    /// There is no face.
    #[error("the mesh is empty")]
    Empty,
    /// An edge is not used equally often in both directions.
    #[error(
        "the mesh does not close, or neighbouring faces disagree: the edge between {a} and {b} is not used equally often in both directions; welding, reorienting or filling holes may help"
    )]
    NotClosed {
        /// One end of the first such edge.
        a: VertexId,
        /// The other end.
        b: VertexId,
    },
    /// The faces look inwards.
    #[error("the mesh is inside out: its volume is {volume:e}; reorienting it helps")]
    InsideOut {
        /// The signed volume.
        volume: f64,
    },
    /// There is no inside.
    #[error("the mesh encloses no volume: it is flat, or its parts cancel")]
    NoVolume,
    /// A resolution without voxels, or with a side that is too small for the coordinates.
    #[error(
        "a resolution of {resolution} voxels makes no sense for a mesh of extent {extent:e} this far from the origin"
    )]
    BadResolution {
        /// What was given.
        resolution: u32,
        /// The longest side of the box around the mesh.
        extent: f64,
    },
    /// More memory than allowed.
    #[error("{voxels:e} voxels need about {bytes:e} bytes, more than the {most} allowed")]
    TooLarge {
        /// Voxels of the whole grid; for a shell, voxels that the surface meets, counted until they were too many.
        voxels: f64,
        /// What they would take while the map or the shell is built.
        bytes: f64,
        /// What is allowed.
        most: usize,
    },
}

/// Whether a mesh bounds a solid and looks outwards.
pub(super) fn check(mesh: &TriMesh) -> Result<(), VoxmapError> {
    match mass(mesh) {
        Ok(mass) if mass.volume < 0.0 => Err(VoxmapError::InsideOut {
            volume: mass.volume,
        }),
        Ok(_) => Ok(()),
        Err(MassError::Empty) => Err(VoxmapError::Empty),
        Err(MassError::NotClosed { a, b }) => Err(VoxmapError::NotClosed { a, b }),
        Err(_) => Err(VoxmapError::NoVolume),
    }
}
