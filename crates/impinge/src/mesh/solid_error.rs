//! Validates meshes used as solids: closed and facing outwards.

use thiserror::Error;

#[cfg(feature = "spheres")]
use super::{MassError, TriMesh, mass};
use crate::query::{FaceId, VertexId};

/// Why a mesh is not a solid.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SolidError {
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
    Inverted {
        /// The signed volume.
        volume: f64,
    },
    /// There is no inside.
    #[error("the mesh encloses no volume: it is flat, or its parts cancel")]
    NoVolume,
    /// A shell overlaps another, faces the wrong way, or lies within another and faces outwards.
    #[error(
        "behind face {face} the mesh winds {winding} times instead of once: a shell is inside out, overlaps another, or lies in another without facing its hollow"
    )]
    Nested {
        /// A face of the shell.
        face: FaceId,
        /// How often the mesh winds around a point just behind it.
        winding: i64,
    },
}

/// The volume of a mesh that closes and faces outwards.
#[cfg(feature = "spheres")]
pub(crate) fn outward_volume(mesh: &TriMesh) -> Result<f64, SolidError> {
    match mass(mesh) {
        Ok(mass) if mass.volume < 0.0 => Err(SolidError::Inverted {
            volume: mass.volume,
        }),
        Ok(mass) => Ok(mass.volume),
        Err(MassError::Empty) => Err(SolidError::Empty),
        Err(MassError::NotClosed { a, b }) => Err(SolidError::NotClosed { a, b }),
        Err(_) => Err(SolidError::NoVolume),
    }
}
