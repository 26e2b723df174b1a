//! **Question.** Which faces are connected, and how is a mesh taken apart into such pieces?
//!
//! **Idea.** Join faces that share a vertex, an edge, or an edge with exactly these two faces.
//!
//! **Cost.** Practically linear.
//!
//! **Promise.** Components are numbered by their smallest face; every face is in exactly one.

use super::TriMesh;
use super::half_edge::{EdgeKind, HalfEdges, NONE};
use super::union_find::UnionFind;
use crate::query::{FaceId, VertexId};

/// A partition of the faces of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    of_face: Vec<u32>,
    sizes: Vec<u32>,
    first: Vec<FaceId>,
}

impl Components {
    /// The faces that are connected by vertices.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::{HalfEdges, components::Components}};
    /// let bow_tie = TriMesh::from_points(
    ///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [-1.0, -1.0, 0.0]],
    ///     [[0, 1, 2], [0, 3, 4]],
    /// )?;
    /// assert_eq!(Components::by_vertex(&bow_tie).count(), 1);
    /// assert_eq!(Components::by_edge(&HalfEdges::new(&bow_tie)).count(), 2);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn by_vertex(mesh: &TriMesh) -> Self {
        let mut sets = UnionFind::new(mesh.face_count());
        let mut user = vec![NONE; mesh.vertex_count()];
        for (face, corners) in mesh.faces().iter().enumerate() {
            for &v in corners {
                let user = &mut user[v as usize];
                if *user == NONE {
                    *user = face as u32;
                } else {
                    sets.join(*user, face as u32);
                }
            }
        }
        Self::from_sets(sets, mesh.face_count())
    }

    /// The faces that are connected by edges, however many faces an edge has.
    ///
    /// ```
    /// use impinge::{generate, mesh::components::Components};
    /// let cubes = generate::cube_array([2, 1, 1], 0.5)?;
    /// assert_eq!(Components::by_edge(&cubes.half_edges()).count(), 2);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn by_edge(half_edges: &HalfEdges) -> Self {
        Self::across(half_edges, |_| true)
    }

    /// The faces that are connected by edges of exactly two faces: the pieces of surface between
    /// borders and edges of three or more faces.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::{HalfEdges, components::Components}};
    /// let fin = TriMesh::from_points(
    ///     [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]],
    ///     [[0, 1, 2], [0, 1, 3], [0, 1, 4]],
    /// )?;
    /// let half_edges = HalfEdges::new(&fin);
    /// assert_eq!(Components::by_edge(&half_edges).count(), 1);
    /// assert_eq!(Components::by_surface(&half_edges).count(), 3);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn by_surface(half_edges: &HalfEdges) -> Self {
        Self::across(half_edges, |kind| kind != EdgeKind::NonManifold)
    }

    fn across(half_edges: &HalfEdges, joins: impl Fn(EdgeKind) -> bool) -> Self {
        let n = half_edges.face_count();
        let mut sets = UnionFind::new(n);
        for edge in half_edges.edges().filter(|edge| joins(edge.kind)) {
            let first = half_edges.face(edge.half_edges[0]);
            for face in edge.faces().skip(1) {
                sets.join(first.raw(), face.raw());
            }
        }
        // A face that names a vertex twice lies on an edge without being counted there.
        for face in (0..n as u32).map(FaceId::new) {
            if !half_edges.is_in_surface(face) {
                for h in half_edges.of_face(face) {
                    let (a, b) = (half_edges.origin(h), half_edges.target(h));
                    if let Some(edge) = half_edges.edge_between(a, b) {
                        sets.join(face.raw(), half_edges.face(edge.half_edges[0]).raw());
                        break;
                    }
                }
            }
        }
        Self::from_sets(sets, n)
    }

    fn from_sets(mut sets: UnionFind, n: usize) -> Self {
        let mut of_face = vec![0; n];
        let mut sizes: Vec<u32> = Vec::new();
        let mut first = Vec::new();
        for face in 0..n as u32 {
            let root = sets.find(face);
            let component = if root == face {
                sizes.push(0);
                first.push(FaceId::new(face));
                sizes.len() as u32 - 1
            } else {
                of_face[root as usize]
            };
            of_face[face as usize] = component;
            sizes[component as usize] += 1;
        }
        Self {
            of_face,
            sizes,
            first,
        }
    }

    /// How many components there are.
    ///
    /// ```
    /// use impinge::{generate, mesh::components::Components};
    /// let cubes = generate::cube_array([2, 1, 1], 0.5)?;
    /// assert_eq!(Components::by_vertex(&cubes).count(), 2);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The component of a face, counted from 0; `usize::MAX`, which no component has, for a face
    /// that is not in the mesh.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::components::Components, query::FaceId};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let moved = points.map(|[x, y, z]| [x + 5.0, y, z]);
    /// let two = TriMesh::from_points([points, moved].concat(), [[0, 1, 2], [3, 4, 5]])?;
    /// let components = Components::by_vertex(&two);
    /// assert_eq!([0, 1, 2].map(|f| components.of(FaceId::new(f))), [0, 1, usize::MAX]);
    /// assert_eq!([0, 1, 2].map(|c| components.size(c)), [1, 1, 0]);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn of(&self, face: FaceId) -> usize {
        self.of_face
            .get(face.index())
            .map_or(usize::MAX, |&component| component as usize)
    }

    /// How many faces a component has; 0 if there is no such component.
    ///
    /// ```
    /// use impinge::{generate, mesh::components::Components};
    /// let cubes = generate::cube_array([2, 1, 1], 0.5)?;
    /// assert_eq!(Components::by_vertex(&cubes).size(1), 12);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn size(&self, component: usize) -> usize {
        self.sizes.get(component).map_or(0, |&size| size as usize)
    }

    /// The smallest face of a component; a face that no mesh has if there is no such component.
    ///
    /// ```
    /// use impinge::{generate, mesh::components::Components, query::FaceId};
    /// let cubes = generate::cube_array([2, 1, 1], 0.5)?;
    /// assert_eq!(Components::by_vertex(&cubes).first(1), FaceId::new(12));
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn first(&self, component: usize) -> FaceId {
        let first = self.first.get(component).copied();
        first.unwrap_or(FaceId::new(NONE))
    }

    /// The faces of every component, ascending.
    ///
    /// ```
    /// use impinge::{generate, mesh::components::Components};
    /// let cubes = generate::cube_array([2, 1, 1], 0.5)?;
    /// assert_eq!(Components::by_vertex(&cubes).faces()[1].len(), 12);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn faces(&self) -> Vec<Vec<FaceId>> {
        let mut faces: Vec<Vec<FaceId>> = self
            .sizes
            .iter()
            .map(|&n| Vec::with_capacity(n as usize))
            .collect();
        for (face, &component) in self.of_face.iter().enumerate() {
            faces[component as usize].push(FaceId::new(face as u32));
        }
        faces
    }
}

/// One component as a mesh of its own, and where its elements came from.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentMesh {
    /// The component's faces and the vertices they use, in their old order.
    pub mesh: TriMesh,
    /// For each face of the piece, the face of the whole mesh.
    pub faces: Vec<FaceId>,
    /// For each vertex of the piece, the vertex of the whole mesh.
    pub vertices: Vec<VertexId>,
}

/// The components as meshes, in order. A vertex used by several components appears in each; faces
/// that the mesh does not have are left out.
///
/// ```
/// use impinge::{TriMesh, mesh::components::{Components, split}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let moved = points.map(|[x, y, z]| [x + 5.0, y, z]);
/// let two = TriMesh::from_points([points, moved].concat(), [[0, 1, 2], [3, 4, 5]])?;
/// let pieces = split(&two, &Components::by_vertex(&two));
/// assert_eq!((pieces.len(), pieces[1].mesh.vertex_count()), (2, 3));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn split(mesh: &TriMesh, components: &Components) -> Vec<ComponentMesh> {
    // Stamped with the piece that last used a vertex, so the table is cleared only once.
    let mut stamp = vec![(NONE, 0_u32); mesh.vertex_count()];
    components
        .faces()
        .into_iter()
        .enumerate()
        .map(|(component, mut faces)| {
            faces.retain(|face| face.index() < mesh.face_count());
            let mut vertices: Vec<u32> = Vec::new();
            for face in &faces {
                for &v in &mesh.faces()[face.index()] {
                    if stamp[v as usize].0 != component as u32 {
                        stamp[v as usize].0 = component as u32;
                        vertices.push(v);
                    }
                }
            }
            vertices.sort_unstable();
            for (new, &old) in vertices.iter().enumerate() {
                stamp[old as usize].1 = new as u32;
            }
            let positions = vertices
                .iter()
                .map(|&v| mesh.positions()[v as usize])
                .collect();
            let renumbered = faces
                .iter()
                .map(|face| mesh.faces()[face.index()].map(|v| stamp[v as usize].1))
                .collect();
            ComponentMesh {
                mesh: TriMesh::from_valid(positions, renumbered),
                faces,
                vertices: vertices.into_iter().map(VertexId::new).collect(),
            }
        })
        .collect()
}
