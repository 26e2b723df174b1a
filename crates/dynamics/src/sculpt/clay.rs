//! Clay: a closed mesh whose normals and boxes are kept up to date where it changes.

use std::collections::VecDeque;

use impinge::bound::Aabb;
use impinge::{DVec3, TriMesh};

use super::SculptError;
use super::patch::Patches;
use super::volume::signed_volume;

/// A change that can be taken back.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// A vertex was moved from this place.
    Moved(u32, DVec3),
    /// The newest vertex was put on an edge; its two faces had these corners, and the newest two faces
    /// are their other halves.
    Split([(u32, [u32; 3]); 2]),
}

/// Changed vertices and faces.
///
/// ```
/// use impinge_dynamics::sculpt::{Clay, Pot};
/// let mut clay = Clay::new(&Pot::Ball.mesh(80)?)?;
/// clay.take_changes();
/// let up = clay.positions()[0] * 1.1;
/// clay.place(&[(0, up)]);
/// // A corner of the icosahedron: five faces around it, six vertices whose normals differ now.
/// let changed = clay.take_changes();
/// assert_eq!((changed.faces.len(), changed.vertices.len()), (5, 6));
/// # Ok::<(), impinge_dynamics::sculpt::SculptError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Faces whose normal and box were computed again, ascending.
    pub faces: Vec<u32>,
    /// Vertices whose normal was computed again, ascending; those that moved are among them.
    pub vertices: Vec<u32>,
    /// Whether the number of vertices or faces changed.
    pub is_new_topology: bool,
}

/// A closed mesh that is sculpted.
///
/// ```
/// use impinge_dynamics::sculpt::{Clay, Pot};
/// let mut clay = Clay::new(&Pot::Torus.mesh(500)?)?;
/// let before = clay.mesh();
/// assert_eq!(clay.euler_number(), 0);
/// clay.begin_stroke();
/// clay.place(&[(7, clay.positions()[7] * 0.9)]);
/// assert!(clay.undo());
/// assert_eq!(clay.mesh(), before);
/// # Ok::<(), impinge_dynamics::sculpt::SculptError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "virtual clay")]
pub struct Clay {
    pub(super) positions: Vec<DVec3>,
    pub(super) faces: Vec<[u32; 3]>,
    /// The faces around each vertex, ascending.
    around: Vec<Vec<u32>>,
    face_normals: Vec<DVec3>,
    vertex_normals: Vec<DVec3>,
    face_boxes: Vec<Aabb>,
    pub(super) patches: Patches,
    journal: VecDeque<Change>,
    /// Where strokes begin in the journal, counted from its first change ever.
    strokes: VecDeque<u64>,
    /// Changes that were forgotten.
    forgotten: u64,
    max_strokes: usize,
    changed_faces: Marks,
    changed_vertices: Marks,
    is_new_topology: bool,
}

/// A set of small numbers that is emptied often.
#[derive(Clone, Debug, Default)]
struct Marks {
    is_in: Vec<bool>,
    list: Vec<u32>,
}

impl Marks {
    fn add(&mut self, item: u32) {
        let index = item as usize;
        if index >= self.is_in.len() {
            self.is_in.resize(index + 1, false);
        }
        if !self.is_in[index] {
            self.is_in[index] = true;
            self.list.push(item);
        }
    }

    fn take(&mut self, below: usize) -> Vec<u32> {
        let mut list = std::mem::take(&mut self.list);
        for &item in &list {
            self.is_in[item as usize] = false;
        }
        list.retain(|&item| (item as usize) < below);
        list.sort_unstable();
        list
    }
}

/// Strokes that can be undone unless another number is requested.
const UNDO_STROKES: usize = 100;

impl Clay {
    /// The clay of a closed mesh.
    ///
    /// # Errors
    /// [`SculptError`] when the mesh is no closed manifold, or faces inwards.
    pub fn new(mesh: &TriMesh) -> Result<Self, SculptError> {
        if mesh.is_empty() || !mesh.is_closed_manifold() {
            return Err(SculptError::NotSolid);
        }
        let positions = mesh.positions().to_vec();
        let faces = mesh.faces().to_vec();
        let volume = signed_volume(&positions, &faces);
        if volume <= 0.0 {
            return Err(SculptError::InsideOut { volume });
        }
        let mut around = vec![Vec::new(); positions.len()];
        for (face, corners) in faces.iter().enumerate() {
            for &v in corners {
                around[v as usize].push(face as u32);
            }
        }
        let patches = Patches::new(&positions, &faces);
        let mut clay = Self {
            face_normals: vec![DVec3::ZERO; faces.len()],
            face_boxes: vec![Aabb::EMPTY; faces.len()],
            vertex_normals: vec![DVec3::ZERO; positions.len()],
            positions,
            faces,
            around,
            patches,
            journal: VecDeque::new(),
            strokes: VecDeque::new(),
            forgotten: 0,
            max_strokes: UNDO_STROKES,
            changed_faces: Marks::default(),
            changed_vertices: Marks::default(),
            is_new_topology: true,
        };
        (0..clay.faces.len() as u32).for_each(|face| clay.update_face(face));
        (0..clay.positions.len() as u32).for_each(|vertex| clay.update_vertex(vertex));
        Ok(clay)
    }

    /// Where the vertices are.
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The corners of the faces.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The unit normals of the faces, zero for a face without area.
    #[must_use]
    pub fn face_normals(&self) -> &[DVec3] {
        &self.face_normals
    }

    /// The unit normals of the vertices: of the faces around them, by area.
    #[must_use]
    pub fn vertex_normals(&self) -> &[DVec3] {
        &self.vertex_normals
    }

    /// The boxes of the faces.
    #[must_use]
    pub fn face_boxes(&self) -> &[Aabb] {
        &self.face_boxes
    }

    /// The faces around a vertex, ascending; none for a vertex that does not exist.
    #[must_use]
    pub fn faces_around(&self, vertex: u32) -> &[u32] {
        self.around.get(vertex as usize).map_or(&[], Vec::as_slice)
    }

    /// The clay as a mesh.
    #[must_use]
    pub fn mesh(&self) -> TriMesh {
        // Coordinates and indices were checked when they came in.
        TriMesh::new(self.positions.clone(), self.faces.clone()).unwrap_or_default()
    }

    /// The volume of the clay.
    #[must_use]
    pub fn volume(&self) -> f64 {
        signed_volume(&self.positions, &self.faces)
    }

    /// Vertices less edges plus faces: 2 for a ball, 0 for a ring. Sculpting keeps it.
    #[must_use]
    pub fn euler_number(&self) -> i64 {
        let mut edges: Vec<(u32, u32)> = self
            .faces
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        self.positions.len() as i64 - edges.len() as i64 + self.faces.len() as i64
    }

    /// The other face at the edge from corner `k` of a face to the next corner.
    pub(super) fn neighbour(&self, face: u32, k: usize) -> Option<u32> {
        let corners = self.faces[face as usize];
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let of_b = &self.around[b as usize];
        let of_a = self.around[a as usize].iter();
        of_a.copied()
            .find(|other| *other != face && of_b.contains(other))
    }

    /// Moves vertices and computes again what depends on them: normals and boxes of the faces around
    /// them, normals of the vertices of those faces. Vertices that do not exist and places that are no
    /// valid points are left out.
    pub fn place(&mut self, moves: &[(u32, DVec3)]) {
        let mut moved = Vec::with_capacity(moves.len());
        for &(vertex, place) in moves {
            let Some(position) = self.positions.get_mut(vertex as usize) else {
                continue;
            };
            if *position != place && impinge::math::is_valid_point(place) {
                self.journal.push_back(Change::Moved(vertex, *position));
                *position = place;
                moved.push(vertex);
            }
        }
        self.update_around(&moved);
    }

    /// Updates everything that depends on these vertices.
    fn update_around(&mut self, moved: &[u32]) {
        let mut faces: Vec<u32> = moved
            .iter()
            .flat_map(|&v| self.around[v as usize].iter().copied())
            .collect();
        faces.sort_unstable();
        faces.dedup();
        let mut vertices: Vec<u32> = faces.iter().flat_map(|&f| self.faces[f as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        for &face in &faces {
            self.update_face(face);
            self.changed_faces.add(face);
            self.patches.touch(face);
        }
        for &vertex in &vertices {
            self.update_vertex(vertex);
            self.changed_vertices.add(vertex);
        }
    }

    fn update_face(&mut self, face: u32) {
        let corners = self.faces[face as usize].map(|v| self.positions[v as usize]);
        self.face_normals[face as usize] = area_vector(&corners).normalize_or_zero();
        self.face_boxes[face as usize] = Aabb::enclosing(corners);
    }

    fn update_vertex(&mut self, vertex: u32) {
        let mut sum = DVec3::ZERO;
        for &face in &self.around[vertex as usize] {
            sum += area_vector(&self.faces[face as usize].map(|v| self.positions[v as usize]));
        }
        self.vertex_normals[vertex as usize] = sum.normalize_or_zero();
    }

    /// What changed since the last call.
    pub fn take_changes(&mut self) -> Changes {
        Changes {
            faces: self.changed_faces.take(self.faces.len()),
            vertices: self.changed_vertices.take(self.positions.len()),
            is_new_topology: std::mem::take(&mut self.is_new_topology),
        }
    }

    /// How many of the latest strokes can be undone; 0 for none.
    pub fn keep_strokes(&mut self, strokes: usize) {
        self.max_strokes = strokes;
        self.forget();
    }

    /// Begins a stroke: [`Clay::undo`] returns to this state.
    pub fn begin_stroke(&mut self) {
        self.strokes.push_back(self.mark());
        self.forget();
    }

    pub(super) fn forget(&mut self) {
        while self.strokes.len() > self.max_strokes {
            self.strokes.pop_front();
        }
        let first = self.strokes.front().copied().unwrap_or_else(|| self.mark());
        let count = first
            .saturating_sub(self.forgotten)
            .min(self.journal.len() as u64);
        self.journal.drain(..count as usize);
        self.forgotten += count;
    }

    /// Undoes everything since the beginning of the latest stroke, byte for byte. Returns whether
    /// there was a stroke.
    pub fn undo(&mut self) -> bool {
        let Some(mark) = self.strokes.pop_back() else {
            return false;
        };
        self.roll_back(mark);
        true
    }

    /// How many strokes can be undone.
    #[must_use]
    pub fn strokes(&self) -> usize {
        self.strokes.len()
    }

    /// The present end of the journal.
    pub(super) fn mark(&self) -> u64 {
        self.forgotten + self.journal.len() as u64
    }

    /// The vertices that were moved since a mark, ascending.
    pub(super) fn moved_since(&self, mark: u64) -> Vec<u32> {
        let from = mark.saturating_sub(self.forgotten) as usize;
        let mut moved: Vec<u32> = self
            .journal
            .iter()
            .skip(from)
            .filter_map(|change| match change {
                Change::Moved(vertex, _) => Some(*vertex),
                Change::Split(_) => None,
            })
            .collect();
        moved.sort_unstable();
        moved.dedup();
        moved
    }

    /// The faces around vertices, ascending.
    pub(super) fn faces_around_all(&self, vertices: &[u32]) -> Vec<u32> {
        let each = vertices
            .iter()
            .flat_map(|&v| self.around[v as usize].iter().copied());
        let mut faces: Vec<u32> = each.collect();
        faces.sort_unstable();
        faces.dedup();
        faces
    }

    /// Takes back everything since a mark.
    pub(super) fn roll_back(&mut self, mark: u64) {
        let mut moved = Vec::new();
        while self.mark() > mark
            && let Some(change) = self.journal.pop_back()
        {
            match change {
                Change::Moved(vertex, place) => {
                    self.positions[vertex as usize] = place;
                    moved.push(vertex);
                }
                Change::Split(halves) => {
                    moved.extend(self.join(halves));
                }
            }
        }
        let vertices = self.positions.len();
        moved.retain(|&v| (v as usize) < vertices);
        moved.sort_unstable();
        moved.dedup();
        self.update_around(&moved);
    }

    /// Puts a vertex in the middle of the edge from corner `k` of a face to the next corner, which cuts
    /// the two faces at it in half. The surface stays the same.
    pub(super) fn split_edge(&mut self, face: u32, k: usize) -> Option<u32> {
        let other = self.neighbour(face, k)?;
        let corners = self.faces[face as usize];
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let others = self.faces[other as usize];
        let j = others.iter().position(|&v| v == b)?;
        let middle = self.positions.len() as u32;
        let first = self.faces.len() as u32;
        let place = (self.positions[a as usize] + self.positions[b as usize]) * 0.5;
        self.journal
            .push_back(Change::Split([(face, corners), (other, others)]));
        self.positions.push(place);
        self.vertex_normals.push(DVec3::ZERO);
        // Each half keeps the order of corners: a stays with the face, b goes to its new half.
        let (mut old, mut new) = (corners, corners);
        old[(k + 1) % 3] = middle;
        new[k] = middle;
        let (mut other_old, mut other_new) = (others, others);
        other_old[j] = middle;
        other_new[(j + 1) % 3] = middle;
        self.faces[face as usize] = old;
        self.faces[other as usize] = other_old;
        self.faces.push(new);
        self.faces.push(other_new);
        for _ in 0..2 {
            self.face_normals.push(DVec3::ZERO);
            self.face_boxes.push(Aabb::EMPTY);
        }
        let (far, other_far) = (corners[(k + 2) % 3], others[(j + 2) % 3]);
        // `b` leaves the face, `a` stays at the other one, whose first corner of the edge was `b`.
        self.replace_around(b, &[face, other], &[first, first + 1]);
        self.replace_around(far, &[], &[first]);
        self.replace_around(other_far, &[], &[first + 1]);
        self.around
            .push(vec![face.min(other), face.max(other), first, first + 1]);
        self.patches.add(face, other);
        self.is_new_topology = true;
        self.update_around(&[middle]);
        Some(middle)
    }

    fn replace_around(&mut self, vertex: u32, old: &[u32], new: &[u32]) {
        let around = &mut self.around[vertex as usize];
        around.retain(|face| !old.contains(face));
        around.extend_from_slice(new);
        around.sort_unstable();
    }

    /// Takes back a split; returns the vertices around it.
    fn join(&mut self, halves: [(u32, [u32; 3]); 2]) -> Vec<u32> {
        let first = self.faces.len().saturating_sub(2) as u32;
        let touched: Vec<u32> = halves.iter().flat_map(|(_, corners)| *corners).collect();
        for &vertex in &touched {
            self.around[vertex as usize].retain(|&face| face < first);
        }
        for (face, corners) in halves {
            self.faces[face as usize] = corners;
            for v in corners {
                let around = &mut self.around[v as usize];
                if !around.contains(&face) {
                    around.push(face);
                    around.sort_unstable();
                }
            }
        }
        self.positions.pop();
        self.vertex_normals.pop();
        self.around.pop();
        self.faces.truncate(first as usize);
        self.face_normals.truncate(first as usize);
        self.face_boxes.truncate(first as usize);
        self.patches.remove_newest(halves.map(|(face, _)| face));
        self.is_new_topology = true;
        touched
    }
}

/// Twice the area of a triangle, along its normal.
pub(super) fn area_vector(&[a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}
