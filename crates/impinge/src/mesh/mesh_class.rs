//! Classification of a mesh (closed, manifold, oriented, convex), which decides what algorithms may use it.

use super::TriMesh;
use super::components::Components;
use super::convexity::is_convex;
use super::dihedral::reflex_edges;
use super::exact_sign::is_flat;
use super::half_edge::{EdgeKind, HalfEdges};
use super::orientation::Orientation;
use super::shells::{NESTING_BUDGET, shells};
use crate::query::{HalfEdgeId, VertexId};

/// The properties of a mesh that algorithms require.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshClass {
    /// Vertices that faces use.
    pub vertices: usize,
    /// Undirected edges.
    pub edges: usize,
    /// Faces.
    pub faces: usize,
    /// Whether no edge has more than two faces.
    pub manifold_edges: bool,
    /// Whether the faces around every vertex are connected by edges.
    pub manifold_vertices: bool,
    /// Whether there are faces and every edge has at least two.
    pub closed: bool,
    /// Whether every edge is used at most once in each direction.
    pub oriented: bool,
    /// Whether flipping some faces would make all neighbours consistent.
    pub orientable: bool,
    /// Whether every component is closed and none is inside out; a cavity that faces its inside is
    /// right.
    pub outward: bool,
    /// Whether the mesh bounds a convex body, exactly.
    pub convex: bool,
    /// Whether some face names a vertex twice or has no area.
    pub degenerate: bool,
    /// Pieces that are connected by edges.
    pub components: usize,
    /// Vertices minus edges plus faces.
    pub euler: i64,
    /// For each component, its number of handles, if it is closed, manifold and orientable.
    pub genera: Vec<Option<u32>>,
    /// Borders.
    pub boundary_loops: usize,
    /// Edges with one face.
    pub boundary_edges: usize,
    /// Edges with more than 180° inside, exactly.
    pub reflex_edges: usize,
}

impl MeshClass {
    /// Whether every point of the surface has a neighbourhood like a disc or a half disc.
    ///
    /// ```
    /// use impinge::{generate, mesh::classify};
    /// let class = classify(&generate::torus(2.0, 0.5, 8, 6)?);
    /// assert!(class.is_manifold());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn is_manifold(&self) -> bool {
        self.manifold_edges && self.manifold_vertices
    }

    /// Whether the surface is manifold and without border.
    ///
    /// ```
    /// use impinge::{generate, mesh::classify};
    /// let class = classify(&generate::torus(2.0, 0.5, 8, 6)?);
    /// assert!(class.is_closed_manifold());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn is_closed_manifold(&self) -> bool {
        self.is_manifold() && self.closed
    }

    /// Whether the mesh bounds solid matter: a closed manifold that is oriented and faces outwards.
    ///
    /// ```
    /// use impinge::{generate, mesh::classify};
    /// let class = classify(&generate::torus(2.0, 0.5, 8, 6)?);
    /// assert!(class.is_solid());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn is_solid(&self) -> bool {
        self.is_closed_manifold() && self.oriented && self.outward
    }

    /// The handles of all components together, if all are closed, manifold and orientable.
    ///
    /// ```
    /// use impinge::{generate, mesh::classify};
    /// let class = classify(&generate::torus(2.0, 0.5, 8, 6)?);
    /// assert_eq!(class.genus(), Some(1));
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn genus(&self) -> Option<u32> {
        self.genera.iter().copied().sum()
    }
}

/// The class of a mesh.
///
/// ```
/// use impinge::{TriMesh, mesh::classify};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let class = classify(&tetrahedron);
/// assert!(class.is_solid() && class.convex);
/// assert_eq!((class.euler, class.genus()), (2, Some(0)));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn classify(mesh: &TriMesh) -> MeshClass {
    let half_edges = HalfEdges::new(mesh);
    let orientation = Orientation::new(&half_edges);
    let shells = shells(mesh, &half_edges, &orientation.pieces, NESTING_BUDGET);
    let fans = half_edges.fans();
    let vertices: Vec<VertexId> = (0..mesh.vertex_count() as u32)
        .map(VertexId::new)
        .filter(|&v| half_edges.outgoing(v).is_some())
        .collect();
    let count = |kind| half_edges.count(kind);
    MeshClass {
        vertices: vertices.len(),
        edges: half_edges.edge_count(),
        faces: mesh.face_count(),
        manifold_edges: count(EdgeKind::NonManifold) == 0,
        manifold_vertices: vertices.iter().all(|&v| fans.at(v) == 1),
        closed: !vertices.is_empty() && count(EdgeKind::Boundary) == 0,
        oriented: half_edges
            .edges()
            .all(|edge| is_oriented(&half_edges, edge.half_edges)),
        orientable: orientation.is_orientable.iter().all(|&is| is),
        outward: !shells.list.is_empty()
            && shells
                .list
                .iter()
                .all(|s| s.is_closed && s.facing != 0 && !s.is_inside_out()),
        convex: is_convex(mesh, &half_edges),
        degenerate: mesh
            .face_ids()
            .any(|face| !half_edges.is_in_surface(face) || is_flat(&mesh.triangle(face))),
        components: Components::by_edge(&half_edges).count(),
        euler: half_edges.euler_characteristic(),
        genera: genera(&half_edges, &orientation),
        boundary_loops: half_edges.boundary_loops().len(),
        boundary_edges: count(EdgeKind::Boundary),
        reflex_edges: reflex_edges(mesh, &half_edges).len(),
    }
}

/// Whether at most one of the half-edges runs in each direction.
fn is_oriented(half_edges: &HalfEdges, on_edge: &[HalfEdgeId]) -> bool {
    match *on_edge {
        [_] => true,
        [a, b] => half_edges.origin(a) != half_edges.origin(b),
        _ => false,
    }
}

/// The handles of each component joined by edges.
fn genera(half_edges: &HalfEdges, orientation: &Orientation) -> Vec<Option<u32>> {
    let components = Components::by_edge(half_edges);
    let mut euler = vec![0_i64; components.count()];
    let mut has_genus = vec![true; components.count()];
    let fans = half_edges.fans();
    for h in (0..half_edges.half_edge_count() as u32).map(HalfEdgeId::new) {
        // Each fan is one vertex of the surface, however many fans share its point.
        if fans.of(h) == Some(h) {
            euler[components.of(half_edges.face(h))] += 1;
        }
    }
    for edge in half_edges.edges() {
        let component = components.of(half_edges.face(edge.half_edges[0]));
        euler[component] -= 1;
        has_genus[component] &= edge.half_edges.len() == 2;
    }
    for piece in 0..orientation.pieces.count() {
        let first = orientation.pieces.first(piece);
        has_genus[components.of(first)] &=
            orientation.is_orientable[piece] && half_edges.is_in_surface(first);
    }
    for face in (0..half_edges.face_count() as u32).map(crate::query::FaceId::new) {
        euler[components.of(face)] += i64::from(half_edges.is_in_surface(face));
    }
    euler
        .into_iter()
        .zip(has_genus)
        .map(|(euler, has_genus)| {
            has_genus
                .then(|| u32::try_from((2 - euler) / 2).ok())
                .flatten()
        })
        .collect()
}
