//! The builder that searches a list, kept to measure what counting gains.
//!
//! For every half-edge it looks through all edges found so far, as the first edition of the
//! method did; time grows with the square of the edges.

use super::TriMesh;
use super::half_edge::HalfEdges;
use super::half_edge_build::directed_edges;
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
        for (_, half_edges) in edges {
            edge_starts.push(members.len() as u32);
            members.extend(half_edges);
        }
        edge_starts.push(members.len() as u32);
        Self::from_edges(mesh, edge_starts, members)
    }
}
