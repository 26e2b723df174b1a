//! **Question.** Which faces meet at an edge, and what comes next around a vertex?
//!
//! **Idea.** A corner table: half-edge `3·face + corner` runs from that corner to the next, so
//! `next`, `face` and `origin` need no storage. Stored are the twin of each half-edge and, for
//! surfaces that have none, every edge with all half-edges on it.
//!
//! **Source.** Doubly connected edge lists (Muller and Preparata, 1978) in the corner-table layout
//! (Rossignac, 2001); built by counting instead of by neighbour lists.
//!
//! **Cost.** Time and memory linear in faces and vertices, worst case included; about 20 bytes per half-edge.
//!
//! **Promise.** Total: any [`TriMesh`] has one. Twins always come in pairs of opposite direction,
//! so no walk over them can loop for ever. Edges are listed in order of their vertices.
//!
//! **Limits.** A face that names a vertex twice has no inside to walk around; it keeps its three
//! half-edges, but they lie on no edge. An id that the mesh does not have, such as one of a larger
//! mesh, is no error: it has no twin, no edge and nothing around it, and where an id must come back
//! it is one that no mesh has.

use std::fmt;

use crate::query::{FaceId, HalfEdgeId, VertexId};

/// Marks an absent half-edge or edge.
pub(super) const NONE: u32 = u32::MAX;

/// The neighbourhoods of a mesh: twins, edges with all their faces, one outgoing half-edge per vertex.
///
/// ```
/// use impinge::{TriMesh, mesh::HalfEdges, query::FaceId};
/// let square = TriMesh::from_points(
///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
///     [[0, 1, 2], [0, 2, 3]],
/// )?;
/// let half_edges = HalfEdges::new(&square);
/// assert_eq!((half_edges.edge_count(), half_edges.boundary_loops().len()), (5, 1));
/// let diagonal = half_edges.of_face(FaceId::new(0))[2];
/// assert_eq!(half_edges.twin(diagonal).map(|h| half_edges.face(h)), Some(FaceId::new(1)));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[doc(alias = "DCEL")]
#[doc(alias = "doubly connected edge list")]
pub struct HalfEdges {
    /// The vertices of each face, as in the mesh.
    pub(super) faces: Vec<[u32; 3]>,
    /// The twin and edge of each half-edge.
    pub(super) links: Vec<HalfEdgeLink>,
    /// Where the half-edges of each edge begin in `members`; one more entry than edges.
    pub(super) edge_starts: Vec<u32>,
    /// Half-edges grouped by edge, ascending within each.
    pub(super) members: Vec<HalfEdgeId>,
    /// For each vertex an outgoing half-edge, one without a twin if there is one, or `NONE`.
    pub(super) outgoing: Vec<u32>,
}

/// The twin and the edge of a half-edge, side by side because they are written together.
///
/// Both are kept as complements, so that zeroed memory means "none of either" and a large table
/// costs nothing to clear.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HalfEdgeLink {
    twin: u32,
    edge: u32,
}

impl HalfEdgeLink {
    pub(super) fn new(twin: Option<HalfEdgeId>, edge: u32) -> Self {
        Self {
            twin: !twin.map_or(NONE, HalfEdgeId::raw),
            edge: !edge,
        }
    }

    #[inline]
    pub(super) fn twin(self) -> Option<HalfEdgeId> {
        some_half_edge(!self.twin)
    }

    #[inline]
    pub(super) fn edge(self) -> Option<usize> {
        (self.edge != 0).then_some(!self.edge as usize)
    }
}

/// How many faces use an edge, and in which directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EdgeKind {
    /// One face.
    Boundary,
    /// Two faces, one in each direction.
    Manifold,
    /// Two faces in the same direction: one of them is flipped.
    Inconsistent,
    /// Three faces or more.
    NonManifold,
}

/// An undirected edge and every half-edge on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<'a> {
    /// Its two vertices, the smaller number first.
    pub ends: [VertexId; 2],
    /// The half-edges along it in either direction, ascending; never empty.
    pub half_edges: &'a [HalfEdgeId],
    /// How many faces use it, and how.
    pub kind: EdgeKind,
}

impl Edge<'_> {
    /// The faces that use the edge, ascending.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// let diagonal = square.edges().find(|edge| edge.half_edges.len() == 2);
    /// assert_eq!(diagonal.map(|edge| edge.faces().len()), Some(2));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn faces(&self) -> impl ExactSizeIterator<Item = FaceId> + '_ {
        self.half_edges.iter().map(|&h| face_of(h))
    }
}

impl HalfEdges {
    /// How many half-edges there are: three per face.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.half_edge_count(), 6);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn half_edge_count(&self) -> usize {
        self.links.len()
    }

    /// How many undirected edges there are.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.edge_count(), 5);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edge_starts.len() - 1
    }

    /// How many faces the mesh has.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.face_count(), 2);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// How many vertices the mesh has, used or not.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.vertex_count(), 4);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.outgoing.len()
    }

    /// The half-edges of a face, each leaving the corner of the same number.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges, query::{FaceId, HalfEdgeId}};
    /// let half_edges = HalfEdges::new(&TriMesh::default());
    /// assert_eq!(half_edges.of_face(FaceId::new(1)), [3, 4, 5].map(HalfEdgeId::new));
    /// ```
    #[inline]
    #[must_use]
    pub fn of_face(&self, face: FaceId) -> [HalfEdgeId; 3] {
        // Saturated, the ids are such as no mesh has.
        let first = face.raw().saturating_mul(3);
        [first, first.saturating_add(1), first.saturating_add(2)].map(HalfEdgeId::new)
    }

    /// The face a half-edge belongs to.
    ///
    /// ```
    /// use impinge::{TriMesh, query::{FaceId, HalfEdgeId}};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.face(HalfEdgeId::new(4)), FaceId::new(1));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn face(&self, h: HalfEdgeId) -> FaceId {
        face_of(h)
    }

    /// The half-edge that follows in the same face.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.next(HalfEdgeId::new(2)), HalfEdgeId::new(0));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn next(&self, h: HalfEdgeId) -> HalfEdgeId {
        let raw = h.raw();
        HalfEdgeId::new(if raw % 3 == 2 {
            raw - 2
        } else {
            raw.saturating_add(1)
        })
    }

    /// The half-edge before, in the same face.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.previous(HalfEdgeId::new(0)), HalfEdgeId::new(2));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn previous(&self, h: HalfEdgeId) -> HalfEdgeId {
        let raw = h.raw();
        HalfEdgeId::new(if raw.is_multiple_of(3) {
            raw.saturating_add(2)
        } else {
            raw - 1
        })
    }

    /// The vertex a half-edge leaves; for an id that the mesh does not have, a vertex that no mesh has.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges, query::{HalfEdgeId, VertexId}};
    /// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[2, 0, 1]])?;
    /// let half_edges = triangle.half_edges();
    /// assert_eq!(half_edges.origin(HalfEdgeId::new(0)), VertexId::new(2));
    /// assert_eq!(triangle.vertex(half_edges.origin(HalfEdgeId::new(3))), None);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn origin(&self, h: HalfEdgeId) -> VertexId {
        let corners = self.faces.get(h.index() / 3);
        VertexId::new(corners.map_or(NONE, |corners| corners[h.index() % 3]))
    }

    /// The vertex a half-edge arrives at.
    ///
    /// ```
    /// use impinge::{TriMesh, query::{HalfEdgeId, VertexId}};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.target(HalfEdgeId::new(0)), VertexId::new(1));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn target(&self, h: HalfEdgeId) -> VertexId {
        self.origin(self.next(h))
    }

    /// The half-edge that runs back along the same edge; none at borders, where directions
    /// disagree, and where three faces or more meet.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.twin(HalfEdgeId::new(2)), Some(HalfEdgeId::new(3)));
    /// assert_eq!(square.twin(HalfEdgeId::new(0)), None);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn twin(&self, h: HalfEdgeId) -> Option<HalfEdgeId> {
        self.links.get(h.index())?.twin()
    }

    /// A half-edge that leaves the vertex: the start of an open fan if there is one, so that
    /// [`HalfEdges::fan`] sees all of it. None when no face with three distinct vertices uses the vertex.
    ///
    /// ```
    /// use impinge::{TriMesh, query::{HalfEdgeId, VertexId}};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.outgoing(VertexId::new(1)), Some(HalfEdgeId::new(1)));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn outgoing(&self, v: VertexId) -> Option<HalfEdgeId> {
        some_half_edge(*self.outgoing.get(v.index())?)
    }

    /// The edge a half-edge lies on; none in a face that names a vertex twice.
    ///
    /// ```
    /// use impinge::{TriMesh, query::HalfEdgeId};
    /// use impinge::mesh::EdgeKind;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.edge(HalfEdgeId::new(2)).map(|edge| edge.kind), Some(EdgeKind::Manifold));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn edge(&self, h: HalfEdgeId) -> Option<Edge<'_>> {
        let edge = self.links.get(h.index())?.edge()?;
        Some(self.edge_at(edge))
    }

    /// All edges, ordered by their vertices.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// use impinge::mesh::EdgeKind;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.edges().filter(|edge| edge.kind == EdgeKind::Boundary).count(), 4);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn edges(&self) -> impl ExactSizeIterator<Item = Edge<'_>> + '_ {
        (0..self.edge_count()).map(|edge| self.edge_at(edge))
    }

    /// The edge between two vertices, in O(log edges).
    ///
    /// ```
    /// use impinge::{TriMesh, query::VertexId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert!(square.edge_between(VertexId::new(2), VertexId::new(0)).is_some());
    /// assert!(square.edge_between(VertexId::new(1), VertexId::new(3)).is_none());
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn edge_between(&self, a: VertexId, b: VertexId) -> Option<Edge<'_>> {
        let wanted = [a.min(b), a.max(b)];
        let (mut low, mut high) = (0, self.edge_count());
        while low < high {
            let middle = low + (high - low) / 2;
            let edge = self.edge_at(middle);
            match edge.ends.cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(edge),
            }
        }
        None
    }

    /// How many edges are of this kind.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// use impinge::mesh::EdgeKind;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert_eq!(square.count(EdgeKind::Boundary), 4);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn count(&self, kind: EdgeKind) -> usize {
        self.edges().filter(|edge| edge.kind == kind).count()
    }

    /// Whether a face names three distinct vertices and so takes part in the surface.
    ///
    /// ```
    /// use impinge::{TriMesh, query::FaceId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]])?.half_edges();
    /// assert!(square.is_in_surface(FaceId::new(1)) && !square.is_in_surface(FaceId::new(2)));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn is_in_surface(&self, face: FaceId) -> bool {
        self.links
            .get(face.index().saturating_mul(3))
            .is_some_and(|link| link.edge().is_some())
    }

    /// The first edge, in order, with an odd number of faces: where the surface is open.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges};
    /// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert!(HalfEdges::new(&triangle).first_open_edge().is_some());
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn first_open_edge(&self) -> Option<Edge<'_>> {
        self.edges().find(|edge| edge.half_edges.len() % 2 == 1)
    }

    /// The first edge, in order, not used equally often in both directions: where a surface
    /// integral would not close.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let two_sided = TriMesh::from_points(points, [[0, 1, 2], [2, 1, 0]])?;
    /// assert!(HalfEdges::new(&two_sided).first_unbalanced_edge().is_none());
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn first_unbalanced_edge(&self) -> Option<Edge<'_>> {
        self.edges().find(|edge| {
            let along = edge
                .half_edges
                .iter()
                .filter(|&&h| self.origin(h) == edge.ends[0])
                .count();
            2 * along != edge.half_edges.len()
        })
    }

    pub(super) fn edge_at(&self, edge: usize) -> Edge<'_> {
        let half_edges =
            &self.members[self.edge_starts[edge] as usize..self.edge_starts[edge + 1] as usize];
        let first = half_edges[0];
        let (a, b) = (self.origin(first), self.target(first));
        let kind = match half_edges {
            [_] => EdgeKind::Boundary,
            [h, _] if self.links[h.index()].twin().is_some() => EdgeKind::Manifold,
            [_, _] => EdgeKind::Inconsistent,
            _ => EdgeKind::NonManifold,
        };
        Edge {
            ends: [a.min(b), a.max(b)],
            half_edges,
            kind,
        }
    }
}

impl fmt::Debug for HalfEdges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HalfEdges")
            .field("vertices", &self.vertex_count())
            .field("edges", &self.edge_count())
            .field("faces", &self.face_count())
            .finish()
    }
}

fn face_of(h: HalfEdgeId) -> FaceId {
    FaceId::new(h.raw() / 3)
}

fn some_half_edge(raw: u32) -> Option<HalfEdgeId> {
    (raw != NONE).then(|| HalfEdgeId::new(raw))
}
