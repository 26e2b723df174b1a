//! The content of a file: named parts with their numbering in the file.

use glam::DVec3;

use super::Unit;
use crate::math::is_valid_point;
use crate::mesh::TriMesh;
use crate::poly::PolyFinding;

/// The content of a mesh file: its parts, in the order in which their first faces appear.
///
/// ```
/// use impinge::{io::Model, TriMesh};
/// let mesh = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let model = Model::from(mesh.clone());
/// assert_eq!(model.merged(), (mesh, vec![0]));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The parts.
    pub parts: Vec<Part>,
    /// Vertices that no face uses, with their numbers in the file: only when there are several
    /// parts (a single part keeps all vertices itself).
    pub loose_vertices: Vec<(u32, DVec3)>,
    /// The unit that the file declares its coordinates to be in, if it does.
    pub unit: Option<Unit>,
    /// What was skipped or guessed while reading, one sentence each.
    pub notes: Vec<String>,
    /// What is imperfect about polygons with more than three corners. Their faces are polygon numbers as in
    /// [`Part::polygons`], their vertices those of [`Model::merged`].
    pub polygon_findings: Vec<PolyFinding>,
}

/// A named mesh within a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The name in the file; empty when it gives none.
    pub name: String,
    /// The faces and the vertices they use, both in file order. The only part of a file also
    /// keeps the vertices that no face uses.
    pub mesh: TriMesh,
    /// For each face, the polygon of the file that it was cut from, counted from 0 over the whole
    /// file; `None` when all polygons of the file are triangles.
    pub polygons: Option<Vec<u32>>,
    /// The numbers of the faces and vertices in the file; `None` when they continue those of the previous part.
    pub numbers: Option<FileNumbers>,
}

/// The numbers that a part's faces and vertices have in the whole file, counted from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileNumbers {
    /// For each face of the part, its number among the triangles of the file.
    pub faces: Vec<u32>,
    /// For each vertex of the part, its number in the file. Parts may share vertices.
    pub vertices: Vec<u32>,
}

impl Part {
    /// The part with this name and mesh, placed after the parts before it.
    ///
    /// ```
    /// use impinge::{TriMesh, io::Part};
    /// assert_eq!(Part::new("arm", TriMesh::default()).name, "arm");
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, mesh: TriMesh) -> Self {
        Self {
            name: name.into(),
            mesh,
            ..Self::default()
        }
    }
}

impl From<TriMesh> for Model {
    fn from(mesh: TriMesh) -> Self {
        Self::from(vec![Part::new("", mesh)])
    }
}

impl From<Vec<Part>> for Model {
    fn from(parts: Vec<Part>) -> Self {
        Self {
            parts,
            ..Self::default()
        }
    }
}

impl Model {
    /// How many faces all parts have together.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, io::Model};
    /// assert_eq!(Model::from(tetrahedron(1.0)?).face_count(), 4);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.parts.iter().map(|p| p.mesh.face_count()).sum()
    }

    /// The whole model as one mesh, and the part that each of its faces belongs to.
    ///
    /// Vertices and faces are in the order of the file, so a face's id is its number in the file
    /// (counting triangles; polygons are cut where they stand), and vertices that parts shared in
    /// the file are shared again. When the parts' [`FileNumbers`] are missing or no longer fit (a part
    /// was moved, added or removed), the parts simply follow one another. Parts that together have
    /// more vertices or faces than one mesh can number (no file that is read has) give an empty mesh.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, io::{Model, Part}};
    /// let parts = vec![Part::new("a", tetrahedron(1.0)?), Part::new("b", tetrahedron(2.0)?)];
    /// assert_eq!(Model::from(parts).merged().1, [0, 0, 0, 0, 1, 1, 1, 1]);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn merged(&self) -> (TriMesh, Vec<u32>) {
        if let [only] = self.parts.as_slice() {
            return (only.mesh.clone(), vec![0; only.mesh.face_count()]);
        }
        self.merged_by_number()
            .unwrap_or_else(|| self.concatenated())
    }

    fn merged_by_number(&self) -> Option<(TriMesh, Vec<u32>)> {
        let face_count = self.face_count();
        let vertex_limit = self.loose_vertices.len()
            + self
                .parts
                .iter()
                .map(|p| p.mesh.vertex_count())
                .sum::<usize>();
        let mut positions: Vec<Option<DVec3>> = Vec::new();
        let mut place = |number: u32, p: DVec3| -> Option<()> {
            let number = number as usize;
            if number >= vertex_limit {
                return None;
            }
            if number >= positions.len() {
                positions.resize(number + 1, None);
            }
            let slot = positions.get_mut(number)?;
            let same =
                |old: DVec3| old.to_array().map(f64::to_bits) == p.to_array().map(f64::to_bits);
            if slot.is_some_and(|old| !same(old)) {
                return None;
            }
            *slot = Some(p);
            Some(())
        };
        for &(number, p) in &self.loose_vertices {
            place(number, p)?;
        }
        const UNSEEN: u32 = u32::MAX;
        let mut faces = vec![[0; 3]; face_count];
        let mut part_of_face = vec![UNSEEN; face_count];
        for (part, p) in (0..).zip(&self.parts) {
            let numbers = p.numbers.as_ref()?;
            if numbers.faces.len() != p.mesh.face_count()
                || numbers.vertices.len() != p.mesh.vertex_count()
            {
                return None;
            }
            for (&number, &position) in numbers.vertices.iter().zip(p.mesh.positions()) {
                place(number, position)?;
            }
            for (&number, face) in numbers.faces.iter().zip(p.mesh.faces()) {
                let owner = part_of_face.get_mut(number as usize)?;
                if *owner != UNSEEN {
                    return None;
                }
                *owner = part;
                faces[number as usize] = face.map(|v| numbers.vertices[v as usize]);
            }
        }
        let positions: Vec<DVec3> = positions.into_iter().collect::<Option<_>>()?;
        let mesh = TriMesh::new(positions, faces).ok()?;
        Some((mesh, part_of_face))
    }

    fn concatenated(&self) -> (TriMesh, Vec<u32>) {
        let mut positions = Vec::new();
        let mut faces = Vec::with_capacity(self.face_count());
        let mut part_of_face = Vec::with_capacity(self.face_count());
        for (part, p) in (0..).zip(&self.parts) {
            let base = positions.len() as u32;
            positions.extend_from_slice(p.mesh.positions());
            faces.extend(
                p.mesh
                    .faces()
                    .iter()
                    .map(|f| f.map(|v| base.wrapping_add(v))),
            );
            part_of_face.resize(faces.len(), part);
        }
        let loose = self.loose_vertices.iter().map(|&(_, p)| p);
        positions.extend(loose.filter(|&p| is_valid_point(p)));
        // Only a sum of more than 2^32 vertices can fail here; no file the reader accepts has that.
        match TriMesh::new(positions, faces) {
            Ok(mesh) => (mesh, part_of_face),
            Err(_) => (TriMesh::default(), Vec::new()),
        }
    }
}
