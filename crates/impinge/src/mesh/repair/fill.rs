//! Closing holes.

use std::collections::BTreeSet;

use glam::DVec3;

use super::super::TriMesh;
use super::super::boundary::BoundaryLoop;
use super::super::half_edge::HalfEdges;
use super::repaired::{RepairCounts, Repaired, all_vertices};
use super::triangulate::{BEST_UP_TO, by_ears, least_area};
use crate::query::VertexId;

/// Which holes are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillOptions {
    /// Holes with more edges than this stay open.
    pub max_edges: usize,
}

impl Default for FillOptions {
    fn default() -> Self {
        Self { max_edges: 64 }
    }
}

/// The mesh with its holes closed, new faces appended and oriented like their neighbours.
///
/// A hole of up to 64 edges gets the triangles of least total area; larger ones are filled by ear
/// clipping, and what remains gets a vertex in its middle. New faces never use an edge that has two
/// faces already. Borders that pass a vertex twice or end at an edge of three faces, or that bound
/// a single triangle, are left alone and counted, as are holes with more than
/// [`FillOptions::max_edges`].
///
/// ```
/// use impinge::{TriMesh, mesh::{is_closed_manifold, repair::{FillOptions, fill_holes}}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let open = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
/// let repaired = fill_holes(&open, &FillOptions::default());
/// assert!(is_closed_manifold(&repaired.mesh));
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn fill_holes(mesh: &TriMesh, options: &FillOptions) -> Repaired {
    let half_edges = HalfEdges::new(mesh);
    let mut positions = mesh.positions().to_vec();
    let mut faces = mesh.faces().to_vec();
    let mut new_edges = BTreeSet::new();
    let mut changes = RepairCounts::default();
    for border in half_edges.boundary_loops() {
        let n = border.half_edges.len();
        let is_fillable = border.is_simple()
            && n <= options.max_edges
            && !is_lone_triangle(&half_edges, &border)
            && faces.len() + n <= TriMesh::MAX_FACES
            && positions.len() < TriMesh::MAX_VERTICES;
        if !is_fillable {
            changes.left_alone += 1;
            continue;
        }
        // New faces run against the half-edges of their neighbours; where those disagree, the majority counts.
        let along = (0..n)
            .filter(|&i| half_edges.origin(border.half_edges[i]) == border.vertices[i])
            .count();
        let mut ring = border.vertices;
        if 2 * along >= n {
            ring.reverse();
        }
        let points: Vec<DVec3> = ring.iter().map(|&v| mesh.position(v)).collect();
        let is_allowed = |i: usize, j: usize| {
            let ends = [ring[i].min(ring[j]), ring[i].max(ring[j])];
            half_edges.edge_between(ends[0], ends[1]).is_none() && !new_edges.contains(&ends)
        };
        let triangles = if n <= BEST_UP_TO {
            least_area(&points, is_allowed)
        } else {
            by_ears(&points, is_allowed)
        };
        let before = faces.len();
        match triangles {
            Some(triangles) => {
                faces.extend(triangles.into_iter().map(|t| t.map(|i| ring[i].raw())));
            }
            None => {
                let middle = positions.len() as u32;
                positions.push(mean(&points));
                changes.vertices_added += 1;
                faces.extend((0..n).map(|i| [ring[i].raw(), ring[(i + 1) % n].raw(), middle]));
            }
        }
        for &[a, b, c] in &faces[before..] {
            for (u, v) in [(a, b), (b, c), (c, a)] {
                new_edges.insert([VertexId::new(u.min(v)), VertexId::new(u.max(v))]);
            }
        }
        changes.faces_added += faces.len() - before;
        changes.holes_filled += 1;
    }
    Repaired {
        mesh: TriMesh::from_valid(positions, faces),
        face_map: mesh.face_ids().map(Some).collect(),
        vertex_map: all_vertices(mesh.vertex_count()),
        changes,
    }
}

/// Whether the border is that of a single triangle, which a fill would only cover from behind.
fn is_lone_triangle(half_edges: &HalfEdges, border: &BoundaryLoop) -> bool {
    let face = half_edges.face(border.half_edges[0]);
    border.half_edges.len() == 3
        && border
            .half_edges
            .iter()
            .all(|&h| half_edges.face(h) == face)
}

/// The mean of points, measured from the first, so that a far origin costs no digits.
fn mean(points: &[DVec3]) -> DVec3 {
    let origin = points[0];
    let sum: DVec3 = points.iter().map(|&p| p - origin).sum();
    origin + sum / points.len() as f64
}
