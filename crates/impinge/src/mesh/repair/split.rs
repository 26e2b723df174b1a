//! Splits vertices at which two surfaces touch in one point only.

use super::super::TriMesh;
use super::super::half_edge::HalfEdges;
use super::repaired::{RepairCounts, Repaired, all_vertices};
use crate::query::HalfEdgeId;

/// The mesh in which every vertex has one fan of faces: further fans get a vertex of their own in
/// the same place, appended. The parted vertices are then found as lying in the same place, and
/// [`weld`](super::weld) would join them again.
///
/// ```
/// use impinge::{TriMesh, mesh::repair::split_pinched};
/// let bow_tie = TriMesh::from_points(
///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [-1.0, -1.0, 0.0]],
///     [[0, 1, 2], [0, 3, 4]],
/// )?;
/// assert_eq!(split_pinched(&bow_tie).mesh.faces(), [[0, 1, 2], [5, 3, 4]]);
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn split_pinched(mesh: &TriMesh) -> Repaired {
    let half_edges = HalfEdges::new(mesh);
    let fans = half_edges.fans();
    let mut positions = mesh.positions().to_vec();
    let mut faces = mesh.faces().to_vec();
    let mut has_fan = vec![false; mesh.vertex_count()];
    let mut vertex_of_fan = vec![0_u32; half_edges.half_edge_count()];
    for h in (0..half_edges.half_edge_count() as u32).map(HalfEdgeId::new) {
        let Some(fan) = fans.of(h) else {
            continue;
        };
        let v = half_edges.origin(h);
        if fan == h {
            vertex_of_fan[h.index()] =
                if has_fan[v.index()] && positions.len() < TriMesh::MAX_VERTICES {
                    positions.push(mesh.position(v));
                    positions.len() as u32 - 1
                } else {
                    v.raw()
                };
            has_fan[v.index()] = true;
        }
        faces[h.index() / 3][h.index() % 3] = vertex_of_fan[fan.index()];
    }
    Repaired {
        changes: RepairCounts {
            vertices_added: positions.len() - mesh.vertex_count(),
            ..RepairCounts::default()
        },
        mesh: TriMesh::from_valid(positions, faces),
        face_map: mesh.face_ids().map(Some).collect(),
        vertex_map: all_vertices(mesh.vertex_count()),
    }
}
