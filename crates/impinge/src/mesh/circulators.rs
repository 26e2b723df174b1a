//! Circulators: walks around vertices and faces, each step in constant time.

use super::half_edge::HalfEdges;
use crate::query::{FaceId, HalfEdgeId, VertexId};

/// Outgoing half-edges around one vertex, counter-clockwise seen from outside.
///
/// Ends after the fan is complete or its border is met. Twins pair half-edges one to one, so the
/// walk can only return to its start, never fall into another cycle.
#[derive(Clone, Debug)]
pub struct AroundVertex<'a> {
    half_edges: &'a HalfEdges,
    start: Option<HalfEdgeId>,
    at: Option<HalfEdgeId>,
}

impl Iterator for AroundVertex<'_> {
    type Item = HalfEdgeId;

    fn next(&mut self) -> Option<HalfEdgeId> {
        let here = self.at?;
        self.at = self
            .half_edges
            .counter_clockwise(here)
            .filter(|&h| Some(h) != self.start);
        Some(here)
    }
}

impl HalfEdges {
    /// The next outgoing half-edge counter-clockwise around the origin; none at a border.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.counter_clockwise(HalfEdgeId::new(0)), Some(HalfEdgeId::new(3)));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn counter_clockwise(&self, h: HalfEdgeId) -> Option<HalfEdgeId> {
        self.twin(self.previous(h))
    }

    /// The next outgoing half-edge clockwise around the origin; none at a border.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.clockwise(HalfEdgeId::new(3)), Some(HalfEdgeId::new(0)));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn clockwise(&self, h: HalfEdgeId) -> Option<HalfEdgeId> {
        self.twin(h).map(|twin| self.next(twin))
    }

    /// The outgoing half-edges from `h` on, counter-clockwise, until the start or a border.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges, query::VertexId};
    /// let square = TriMesh::from_points(
    ///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
    ///     [[0, 1, 2], [0, 2, 3]],
    /// )?;
    /// let half_edges = HalfEdges::new(&square);
    /// let start = half_edges.outgoing(VertexId::new(0)).unwrap();
    /// let seen: Vec<u32> = half_edges.around_vertex(start).map(|h| half_edges.target(h).raw()).collect();
    /// assert_eq!(seen, [1, 2]);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn around_vertex(&self, h: HalfEdgeId) -> AroundVertex<'_> {
        let start = (h.index() < self.half_edge_count()).then_some(h);
        AroundVertex {
            half_edges: self,
            start,
            at: start,
        }
    }

    /// The whole fan that contains an outgoing half-edge: on a border it starts at the clockwise
    /// end, so both directions are covered.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.fan_of(HalfEdgeId::new(3)).next(), Some(HalfEdgeId::new(0)));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn fan_of(&self, h: HalfEdgeId) -> AroundVertex<'_> {
        let mut first = h;
        while let Some(before) = self.clockwise(first) {
            if before == h {
                break;
            }
            first = before;
        }
        // A closed fan came back to `h`; starting there keeps the order predictable.
        let first = if self.clockwise(first).is_some() {
            h
        } else {
            first
        };
        self.around_vertex(first)
    }

    /// The outgoing half-edges of the fan at [`HalfEdges::outgoing`]; all of them where the
    /// surface is an oriented manifold.
    ///
    /// ```
    /// use impinge::{TriMesh, query::VertexId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.fan(VertexId::new(0)).count(), 2);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn fan(&self, v: VertexId) -> AroundVertex<'_> {
        let start = self.outgoing(v);
        AroundVertex {
            half_edges: self,
            start,
            at: start,
        }
    }

    /// The vertices joined to `v` by the fan at [`HalfEdges::outgoing`], counter-clockwise, the
    /// one across the closing border edge included.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges, query::VertexId};
    /// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let half_edges = HalfEdges::new(&triangle);
    /// assert_eq!(half_edges.neighbours(VertexId::new(0)).count(), 2);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn neighbours(&self, v: VertexId) -> impl Iterator<Item = VertexId> + '_ {
        self.fan(v).flat_map(|h| {
            let before = self.previous(h);
            let closing = self.twin(before).is_none().then(|| self.origin(before));
            std::iter::once(self.target(h)).chain(closing)
        })
    }

    /// The faces across the three edges of a face, where the surface goes on.
    ///
    /// ```
    /// use impinge::{TriMesh, query::FaceId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.adjacent_faces(FaceId::new(0)).collect::<Vec<_>>(), [FaceId::new(1)]);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn adjacent_faces(&self, face: FaceId) -> impl Iterator<Item = FaceId> + '_ {
        self.of_face(face)
            .into_iter()
            .filter_map(|h| self.twin(h))
            .map(|h| self.face(h))
    }

    /// The half-edges of the face of `h`, starting there.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.around_face(HalfEdgeId::new(4)), [4, 5, 3].map(HalfEdgeId::new));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn around_face(&self, h: HalfEdgeId) -> [HalfEdgeId; 3] {
        [h, self.next(h), self.previous(h)]
    }
}
