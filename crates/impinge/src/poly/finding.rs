//! What may be wrong with a polygon face.

use std::fmt;

use super::plane::FacePlane;
use super::polymesh::{PolyFace, PolyMesh};
use super::shape::is_simple;
use crate::query::{FaceId, VertexId};

/// Something about a face that it should not have; algorithms still work on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolyFinding {
    /// The face.
    pub face: FaceId,
    /// What was found.
    pub kind: PolyFindingKind,
}

/// What was found about a face.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PolyFindingKind {
    /// A corner is away from the face's best-fit plane; the farthest one is named.
    NotFlat {
        /// The farthest corner.
        vertex: VertexId,
        /// Its distance to the plane.
        distance: f64,
    },
    /// The outline encloses no area.
    NoArea,
    /// A vertex number comes twice in a row; triangulation skips one.
    RepeatedVertex {
        /// The vertex.
        vertex: VertexId,
    },
    /// The loops cross or touch themselves or each other.
    NotSimple,
    /// A hole is not inside the outline, or cannot be joined to it; triangulation ignores it.
    HoleIgnored {
        /// The hole, counted from 0.
        hole: u32,
    },
}

impl fmt::Display for PolyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.face)?;
        match self.kind {
            PolyFindingKind::NotFlat { vertex, distance } => {
                write!(f, "{vertex} is {distance} away from the plane")
            }
            PolyFindingKind::NoArea => write!(f, "the outline encloses no area"),
            PolyFindingKind::RepeatedVertex { vertex } => {
                write!(f, "{vertex} comes twice in a row")
            }
            PolyFindingKind::NotSimple => {
                write!(f, "the loops cross or touch themselves or each other")
            }
            PolyFindingKind::HoleIgnored { hole } => {
                write!(f, "hole {hole} cannot be joined to the outline")
            }
        }
    }
}

/// Everything wrong with the faces, in face order; `flat_within` is the distance to the plane that still counts as flat.
///
/// ```
/// use impinge::{DVec3, poly::{PolyFindingKind, PolyMesh, findings}};
/// let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.5), DVec3::Y];
/// let bent = PolyMesh::from_outlines(positions, [[0, 1, 2, 3]])?;
/// assert!(matches!(findings(&bent, 1e-9)[0].kind, PolyFindingKind::NotFlat { .. }));
/// assert!(findings(&bent, 1.0).is_empty());
/// # Ok::<(), impinge::poly::PolyError>(())
/// ```
#[must_use]
pub fn findings(mesh: &PolyMesh, flat_within: f64) -> Vec<PolyFinding> {
    let mut found = Vec::new();
    for face in mesh.faces() {
        let mut report = |kind| {
            found.push(PolyFinding {
                face: face.id(),
                kind,
            });
        };
        for vertex in repeated_vertices(&face) {
            report(PolyFindingKind::RepeatedVertex { vertex });
        }
        let Some(plane) = FacePlane::new(&face) else {
            report(PolyFindingKind::NoArea);
            continue;
        };
        if plane.deviation > flat_within {
            let farthest = face.loops().flatten().max_by(|&&v, &&w| {
                let distance = |v: u32| {
                    let p = mesh.positions()[v as usize];
                    plane.signed_distance(p).abs()
                };
                distance(v).total_cmp(&distance(w))
            });
            report(PolyFindingKind::NotFlat {
                vertex: VertexId::new(farthest.copied().unwrap_or_default()),
                distance: plane.deviation,
            });
        }
        let rings: Vec<_> = face.rings(plane.projection).collect();
        if !is_simple(&rings) {
            report(PolyFindingKind::NotSimple);
        }
    }
    found
}

/// The vertices that follow themselves in a loop.
pub(super) fn repeated_vertices<'a>(face: &PolyFace<'a>) -> impl Iterator<Item = VertexId> + 'a {
    face.loops().flat_map(|corners| {
        let shifted = corners.iter().skip(1).chain(corners.first());
        corners
            .iter()
            .zip(shifted)
            .filter(|(v, w)| v == w)
            .map(|(&v, _)| VertexId::new(v))
    })
}
