//! Fans: faces around a vertex that are connected by edges.

use super::half_edge::{HalfEdges, NONE};
use super::union_find::UnionFind;
use crate::query::{HalfEdgeId, VertexId};

/// Which fan each corner of each face belongs to. A vertex of a manifold has exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fans {
    of_corner: Vec<u32>,
    per_vertex: Vec<u32>,
}

impl Fans {
    /// The fan of the corner that a half-edge leaves, named by its smallest half-edge; none in a
    /// face that names a vertex twice.
    ///
    /// ```
    /// use impinge::{generate, query::HalfEdgeId};
    /// let fans = generate::tetrahedron(1.0)?.half_edges().fans();
    /// assert!(fans.of(HalfEdgeId::new(0)).is_some() && fans.of(HalfEdgeId::new(12)).is_none());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn of(&self, h: HalfEdgeId) -> Option<HalfEdgeId> {
        let fan = *self.of_corner.get(h.index())?;
        (fan != NONE).then(|| HalfEdgeId::new(fan))
    }

    /// How many fans meet at a vertex; 0 when no face uses it.
    ///
    /// ```
    /// use impinge::{generate, query::VertexId};
    /// let fans = generate::tetrahedron(1.0)?.half_edges().fans();
    /// assert_eq!(fans.at(VertexId::new(3)), 1);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn at(&self, v: VertexId) -> usize {
        self.per_vertex.get(v.index()).map_or(0, |&n| n as usize)
    }

    /// The number of fans: the number of vertices of the surface after separating those joined only
    /// at a point.
    ///
    /// ```
    /// use impinge::generate;
    /// let fans = generate::tetrahedron(1.0)?.half_edges().fans();
    /// assert_eq!(fans.count(), 4);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn count(&self) -> usize {
        self.per_vertex.iter().map(|&n| n as usize).sum()
    }
}

impl HalfEdges {
    /// The fans of all vertices. Every edge joins the corners beside it, whatever the direction
    /// and number of its faces, so a vertex has several fans only where surfaces meet in that point alone.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges, query::VertexId};
    /// let bow_tie = TriMesh::from_points(
    ///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [-1.0, -1.0, 0.0]],
    ///     [[0, 1, 2], [0, 3, 4]],
    /// )?;
    /// assert_eq!(HalfEdges::new(&bow_tie).fans().at(VertexId::new(0)), 2);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn fans(&self) -> Fans {
        let mut sets = UnionFind::new(self.half_edge_count());
        for edge in self.edges() {
            let corner_at_lower = |h: HalfEdgeId| {
                if self.origin(h) == edge.ends[0] {
                    (h, self.next(h))
                } else {
                    (self.next(h), h)
                }
            };
            let (lower, upper) = corner_at_lower(edge.half_edges[0]);
            for &h in &edge.half_edges[1..] {
                let (l, u) = corner_at_lower(h);
                sets.join(lower.raw(), l.raw());
                sets.join(upper.raw(), u.raw());
            }
        }
        let mut per_vertex = vec![0; self.vertex_count()];
        let of_corner = (0..self.half_edge_count() as u32)
            .map(|h| {
                if self.links[h as usize].edge().is_none() {
                    return NONE;
                }
                let fan = sets.find(h);
                if fan == h {
                    per_vertex[self.origin(HalfEdgeId::new(h)).index()] += 1;
                }
                fan
            })
            .collect();
        Fans {
            of_corner,
            per_vertex,
        }
    }

    /// Vertices minus edges plus faces, of what takes part in the surface.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges};
    /// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert_eq!(HalfEdges::new(&triangle).euler_characteristic(), 1);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        let vertices = self.outgoing.iter().filter(|&&h| h != NONE).count();
        let faces = self.members.len() / 3;
        vertices as i64 - self.edge_count() as i64 + faces as i64
    }
}
