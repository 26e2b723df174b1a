//! Why a voxmap or a pointshell could not be built.

use thiserror::Error;

use crate::mesh::SolidError;

/// Why a voxmap or a pointshell could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxmapError {
    /// The mesh is no solid.
    #[error(transparent)]
    Mesh(#[from] SolidError),
    /// A resolution of zero, or voxels too small for the precision of the coordinates.
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
