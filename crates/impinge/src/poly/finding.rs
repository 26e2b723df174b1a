//! What may be wrong with a polygon face.

use std::fmt;

use super::convexity::{is_convex, is_simple, is_strictly_convex};
use super::face_plane::FacePlane;
use super::polymesh::{PolyFace, PolyMesh};
use crate::mesh::Severity;
use crate::query::{FaceId, VertexId};

/// A defect of a face; algorithms still work on it.
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
    /// The outline has a notch: as good as any, but fast tests of convex faces do not apply.
    NotConvex,
    /// A hole is not inside the outline, or cannot be joined to it; triangulation ignores it.
    HoleIgnored {
        /// The hole, counted from 0.
        hole: u32,
    },
}

impl PolyFindingKind {
    /// The kind as a word, for files and tables.
    ///
    /// ```
    /// use impinge::poly::PolyFindingKind;
    /// assert_eq!(PolyFindingKind::NoArea.name(), "polygon-without-area");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFlat { .. } => "polygon-not-flat",
            Self::NoArea => "polygon-without-area",
            Self::RepeatedVertex { .. } => "polygon-with-repeated-vertex",
            Self::NotSimple => "polygon-not-simple",
            Self::NotConvex => "polygon-not-convex",
            Self::HoleIgnored { .. } => "polygon-hole-ignored",
        }
    }

    /// How severe it is: notes for common and harmless defects, warnings where triangles may not be
    /// what was meant.
    ///
    /// ```
    /// use impinge::{mesh::Severity, poly::PolyFindingKind};
    /// assert_eq!(PolyFindingKind::NotConvex.severity(), Severity::Note);
    /// assert_eq!(PolyFindingKind::NotSimple.severity(), Severity::Warning);
    /// ```
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::NotFlat { .. } | Self::NotConvex => Severity::Note,
            Self::NoArea
            | Self::RepeatedVertex { .. }
            | Self::NotSimple
            | Self::HoleIgnored { .. } => Severity::Warning,
        }
    }
}

impl fmt::Display for PolyFindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFlat { vertex, distance } => {
                write!(f, "{vertex} is {distance} away from the plane")
            }
            Self::NoArea => write!(f, "the outline encloses no area"),
            Self::RepeatedVertex { vertex } => write!(f, "{vertex} comes twice in a row"),
            Self::NotSimple => write!(f, "the loops cross or touch themselves or each other"),
            Self::NotConvex => write!(f, "the outline is not convex"),
            Self::HoleIgnored { hole } => {
                write!(f, "hole {hole} cannot be joined to the outline")
            }
        }
    }
}

impl fmt::Display for PolyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.face, self.kind)
    }
}

/// Everything imperfect about the faces, in face order; `flat_within` is the distance to the plane that still counts as flat.
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
        let has_holes = face.holes().len() > 0;
        let mut rings = face.rings(plane.projection);
        // Nearly all faces end here: strictly convex ones are simple.
        if !has_holes && rings.all(|ring| is_strictly_convex(&ring)) {
            continue;
        }
        let rings: Vec<_> = face.rings(plane.projection).collect();
        if !is_simple(&rings) {
            report(PolyFindingKind::NotSimple);
        } else if !has_holes && !rings.iter().all(is_convex) {
            report(PolyFindingKind::NotConvex);
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
