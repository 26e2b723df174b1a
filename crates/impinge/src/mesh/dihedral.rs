//! Dihedral angle of an edge, and whether it is convex or concave.

use std::f64::consts::PI;

use super::TriMesh;
use super::exact_sign::{is_flat, normal_signs, side_of_plane};
use super::half_edge::HalfEdges;
use super::normals::{unit, unit_normal};
use crate::query::HalfEdgeId;

/// Which way a surface bends at an edge, decided exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EdgeBend {
    /// Less than 180° inside: a ridge.
    Convex,
    /// Exactly 180°: the faces lie in one plane, side by side.
    Flat,
    /// More than 180° inside: a notch.
    Reflex,
    /// The faces lie in one plane on the same side of the edge, one upon the other.
    Folded,
}

/// Which way the surface bends at the edge of `h`, exactly; none without a twin or beside a face of zero area.
///
/// ```
/// use impinge::{TriMesh, mesh::{EdgeBend, HalfEdges, bend}, query::HalfEdgeId};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert_eq!(bend(&tetrahedron, &HalfEdges::new(&tetrahedron), HalfEdgeId::new(0)), Some(EdgeBend::Convex));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn bend(mesh: &TriMesh, half_edges: &HalfEdges, h: HalfEdgeId) -> Option<EdgeBend> {
    let twin = half_edges.twin(h)?;
    let face = mesh.face(half_edges.face(h))?;
    let across = mesh.face(half_edges.face(twin))?;
    if is_flat(&face) || is_flat(&across) {
        return None;
    }
    let apex = mesh.vertex(half_edges.origin(half_edges.previous(twin)))?;
    let [a, b, c] = face;
    Some(match side_of_plane(a, b, c, apex) {
        1 => EdgeBend::Convex,
        -1 => EdgeBend::Reflex,
        // In one plane: side by side the normals agree, folded they oppose.
        _ if normal_signs(&face) == normal_signs(&across) => EdgeBend::Flat,
        _ => EdgeBend::Folded,
    })
}

/// The angle between the faces at the edge of `h`, measured inside, in 0..2π; none without a twin
/// or beside a face too thin to have a normal.
///
/// Agrees with [`bend`]: below π, π, or above it. A folded edge has angle 0.
///
/// ```
/// use impinge::{TriMesh, mesh::{HalfEdges, dihedral_angle}, query::HalfEdgeId};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let corner = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3]])?;
/// let angle = dihedral_angle(&corner, &HalfEdges::new(&corner), HalfEdgeId::new(2));
/// assert!((angle.unwrap() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn dihedral_angle(mesh: &TriMesh, half_edges: &HalfEdges, h: HalfEdgeId) -> Option<f64> {
    let bend = bend(mesh, half_edges, h)?;
    let twin = half_edges.twin(h)?;
    let left = unit_normal(&mesh.face(half_edges.face(h))?)?;
    let right = unit_normal(&mesh.face(half_edges.face(twin))?)?;
    let [from, to] = [half_edges.origin(h), half_edges.target(h)].map(|v| mesh.vertex(v));
    let along = unit(to? - from?)?;
    let angle = PI - libm::atan2(along.dot(left.cross(right)), left.dot(right));
    // Rounding must not contradict the exact sign.
    Some(match bend {
        EdgeBend::Convex => angle.clamp(0.0, PI.next_down()),
        EdgeBend::Flat => PI,
        EdgeBend::Reflex => angle.clamp(PI.next_up(), 2.0 * PI),
        EdgeBend::Folded => 0.0,
    })
}

/// The edges at which the surface has a notch (more than 180° inside), exactly, each by its smaller half-edge, ascending.
///
/// ```
/// use impinge::{TriMesh, mesh::{HalfEdges, reflex_edges}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let inside_out = TriMesh::from_points(points, [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])?;
/// assert_eq!(reflex_edges(&inside_out, &HalfEdges::new(&inside_out)).len(), 6);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn reflex_edges(mesh: &TriMesh, half_edges: &HalfEdges) -> Vec<HalfEdgeId> {
    (0..half_edges.half_edge_count() as u32)
        .map(HalfEdgeId::new)
        .filter(|&h| half_edges.twin(h).is_some_and(|twin| h < twin))
        .filter(|&h| bend(mesh, half_edges, h) == Some(EdgeBend::Reflex))
        .collect()
}
