//! Borders of open surfaces, as closed loops of edges.

use super::half_edge::{EdgeKind, HalfEdges};
use crate::query::{HalfEdgeId, VertexId};

/// A chain of boundary edges, each sharing a vertex and a fan of faces with the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryLoop {
    /// The vertices in walking order: as many as edges, or one more if the chain is not closed.
    pub vertices: Vec<VertexId>,
    /// The half-edges walked. In an oriented surface each runs in walking direction, with the
    /// surface to its left.
    pub half_edges: Vec<HalfEdgeId>,
    /// Whether the chain returns to its start; false where it ends at an edge of three or more faces.
    pub is_closed: bool,
}

impl BoundaryLoop {
    /// Whether the chain is closed and visits no vertex twice.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert!(square.boundary_loops()[0].is_simple());
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn is_simple(&self) -> bool {
        let mut sorted = self.vertices.clone();
        sorted.sort_unstable();
        self.is_closed && sorted.windows(2).all(|pair| pair[0] != pair[1])
    }
}

impl HalfEdges {
    /// The borders of the surface, each edge with a single face in exactly one of them, ordered by
    /// their first half-edge.
    ///
    /// Works on surfaces whose faces disagree about direction: what continues a border is the
    /// other border edge of the same fan of faces.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges};
    /// let bow_tie = TriMesh::from_points(
    ///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [-1.0, -1.0, 0.0]],
    ///     [[0, 1, 2], [0, 3, 4]],
    /// )?;
    /// let loops = HalfEdges::new(&bow_tie).boundary_loops();
    /// assert_eq!(loops.iter().map(|l| l.half_edges.len()).collect::<Vec<_>>(), [3, 3]);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn boundary_loops(&self) -> Vec<BoundaryLoop> {
        let mut seen = vec![false; self.half_edge_count()];
        let mut loops = Vec::new();
        for h in (0..self.half_edge_count() as u32).map(HalfEdgeId::new) {
            if !seen[h.index()] && self.is_boundary(h) {
                loops.push(self.boundary_through(h, &mut seen));
            }
        }
        loops
    }

    /// Whether the half-edge's edge has no other face.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert!(square.is_boundary(HalfEdgeId::new(0)) && !square.is_boundary(HalfEdgeId::new(2)));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn is_boundary(&self, h: HalfEdgeId) -> bool {
        self.edge(h)
            .is_some_and(|edge| edge.kind == EdgeKind::Boundary)
    }

    fn boundary_through(&self, start: HalfEdgeId, seen: &mut [bool]) -> BoundaryLoop {
        seen[start.index()] = true;
        let mut vertices = vec![self.origin(start)];
        let mut half_edges = vec![start];
        let mut end = self.target(start);
        let mut at = start;
        let mut is_closed = false;
        // Each pass takes a boundary edge not taken before, or ends.
        while let Some(next) = self.next_on_boundary(at, end) {
            if seen[next.index()] {
                is_closed = true;
                break;
            }
            seen[next.index()] = true;
            vertices.push(end);
            half_edges.push(next);
            end = self.other_end(next, end);
            at = next;
        }
        if !is_closed {
            vertices.push(end);
            // The chain was entered somewhere in its middle: find what lies before.
            let (mut before, mut edges_before) = (Vec::new(), Vec::new());
            let (mut at, mut begin) = (start, self.origin(start));
            while let Some(previous) = self.next_on_boundary(at, begin) {
                if seen[previous.index()] {
                    break;
                }
                seen[previous.index()] = true;
                begin = self.other_end(previous, begin);
                before.push(begin);
                edges_before.push(previous);
                at = previous;
            }
            before.reverse();
            edges_before.reverse();
            before.append(&mut vertices);
            edges_before.append(&mut half_edges);
            (vertices, half_edges) = (before, edges_before);
        }
        BoundaryLoop {
            vertices,
            half_edges,
            is_closed,
        }
    }

    /// The boundary edge at the far side of the fan at `v` that begins with the boundary edge `from`.
    fn next_on_boundary(&self, from: HalfEdgeId, v: VertexId) -> Option<HalfEdgeId> {
        let mut at = from;
        // The walk crosses each corner of the fan once; the bound is never met.
        for _ in 0..self.half_edge_count() {
            let across = if self.origin(at) == v {
                self.previous(at)
            } else {
                self.next(at)
            };
            at = match self.edge(across)?.half_edges {
                [_] => return Some(across),
                &[g, h] => {
                    if g == across {
                        h
                    } else {
                        g
                    }
                }
                _ => return None,
            };
        }
        None
    }

    fn other_end(&self, h: HalfEdgeId, v: VertexId) -> VertexId {
        let origin = self.origin(h);
        if origin == v { self.target(h) } else { origin }
    }
}
