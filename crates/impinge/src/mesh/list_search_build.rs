//! The builder that searches a list, kept to measure the gain of the counting sort.
//!
//! For every half-edge it searches all edges found so far, as the first version of the method did;
//! time grows with the square of the edges.

use super::TriMesh;
use super::half_edge::HalfEdges;
use super::half_edge_build::{HalfEdgeLinks, is_proper};
use crate::query::HalfEdgeId;

impl HalfEdges {
    /// What [`HalfEdges::new`] returns, in quadratic time.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges};
    /// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert_eq!(HalfEdges::by_list_search(&triangle), HalfEdges::new(&triangle));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn by_list_search(mesh: &TriMesh) -> Self {
        let mut edges: Vec<([u32; 2], Vec<HalfEdgeId>)> = Vec::new();
        for (lower, upper, h) in directed_edges(mesh.faces()) {
            let ends = [lower, upper];
            let h = HalfEdgeId::new(h);
            match edges.iter_mut().find(|(known, _)| *known == ends) {
                Some((_, half_edges)) => half_edges.push(h),
                None => edges.push((ends, vec![h])),
            }
        }
        edges.sort_unstable_by_key(|(ends, _)| *ends);
        let mut edge_starts = Vec::with_capacity(edges.len() + 1);
        let mut members = Vec::new();
        let mut links = HalfEdgeLinks::new(mesh);
        for (face, corners) in mesh.faces().iter().enumerate() {
            if is_proper(corners) {
                links.offer_outgoing(face as u32, corners);
            }
        }
        for (_, half_edges) in edges {
            links.add(edge_starts.len() as u32, &half_edges);
            edge_starts.push(members.len() as u32);
            members.extend(half_edges);
        }
        edge_starts.push(members.len() as u32);
        links.finish(edge_starts, members)
    }
}

/// `(smaller vertex, larger vertex, half-edge)` of every half-edge in a face of three distinct vertices.
fn directed_edges(faces: &[[u32; 3]]) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
    faces
        .iter()
        .enumerate()
        .filter(|(_, face)| is_proper(face))
        .flat_map(|(f, &[a, b, c])| {
            let first = f as u32 * 3;
            [
                (a.min(b), a.max(b), first),
                (b.min(c), b.max(c), first + 1),
                (c.min(a), c.max(a), first + 2),
            ]
        })
}
