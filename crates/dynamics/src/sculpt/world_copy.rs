//! The clay in world coordinates.

use impinge::bound::Aabb;
use impinge::{DVec3, Pose};

use super::clay::{Changes, Clay};

/// Vertices, normals and boxes of the clay in world coordinates.
///
/// While the pot is still, only what changed is transformed again; when it has moved, everything.
/// Detection needs none of it, because trees are queried with relative poses.
#[derive(Clone, Debug)]
pub struct WorldCopy {
    world_from_clay: Pose,
    positions: Vec<DVec3>,
    face_normals: Vec<DVec3>,
    vertex_normals: Vec<DVec3>,
    face_boxes: Vec<Aabb>,
}

impl WorldCopy {
    /// The whole clay, placed.
    ///
    /// ```
    /// use impinge::Pose;
    /// use impinge_dynamics::sculpt::{Clay, Pot, WorldCopy};
    /// let mut clay = Clay::new(&Pot::Ball.mesh(80)?)?;
    /// let pose = Pose::from_translation([5.0, 0.0, 0.0])?;
    /// let mut copy = WorldCopy::new(&clay, &pose);
    /// clay.take_changes();
    /// clay.place(&[(0, clay.positions()[0] * 0.9)]);
    /// // Five faces and six vertices of a pot that is still; all when it moves.
    /// assert_eq!(copy.update(&clay, &clay.clone().take_changes(), &pose), 11);
    /// assert_eq!(copy.positions(), WorldCopy::new(&clay, &pose).positions());
    /// let moved = Pose::from_translation([6.0, 0.0, 0.0])?;
    /// assert_eq!(copy.update(&clay, &Default::default(), &moved), 80 + 42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(clay: &Clay, world_from_clay: &Pose) -> Self {
        let mut copy = Self {
            world_from_clay: *world_from_clay,
            positions: Vec::new(),
            face_normals: Vec::new(),
            vertex_normals: Vec::new(),
            face_boxes: Vec::new(),
        };
        copy.update_all(clay);
        copy
    }

    /// Takes over changes of the clay and a new pose; returns how many vertices and faces were
    /// transformed.
    pub fn update(&mut self, clay: &Clay, changes: &Changes, world_from_clay: &Pose) -> usize {
        let has_moved = self.world_from_clay != *world_from_clay;
        self.world_from_clay = *world_from_clay;
        let sizes = (self.positions.len(), self.face_boxes.len());
        if has_moved || sizes != (clay.positions().len(), clay.faces().len()) {
            return self.update_all(clay);
        }
        changes
            .vertices
            .iter()
            .for_each(|&v| self.vertex(clay, v as usize));
        changes
            .faces
            .iter()
            .for_each(|&f| self.face(clay, f as usize));
        changes.vertices.len() + changes.faces.len()
    }

    fn update_all(&mut self, clay: &Clay) -> usize {
        let (vertices, faces) = (clay.positions().len(), clay.faces().len());
        self.positions.resize(vertices, DVec3::ZERO);
        self.vertex_normals.resize(vertices, DVec3::ZERO);
        self.face_normals.resize(faces, DVec3::ZERO);
        self.face_boxes.resize(faces, Aabb::EMPTY);
        (0..vertices).for_each(|v| self.vertex(clay, v));
        (0..faces).for_each(|f| self.face(clay, f));
        vertices + faces
    }

    fn vertex(&mut self, clay: &Clay, v: usize) {
        if let (Some(&p), Some(&n)) = (clay.positions().get(v), clay.vertex_normals().get(v)) {
            self.positions[v] = self.world_from_clay.transform_point(p);
            self.vertex_normals[v] = self.world_from_clay.transform_vector(n);
        }
    }

    fn face(&mut self, clay: &Clay, f: usize) {
        if let (Some(corners), Some(&n)) = (clay.faces().get(f), clay.face_normals().get(f)) {
            self.face_normals[f] = self.world_from_clay.transform_vector(n);
            let placed = corners.map(|v| {
                self.world_from_clay
                    .transform_point(clay.positions()[v as usize])
            });
            self.face_boxes[f] = Aabb::enclosing(placed);
        }
    }

    /// Where the vertices are.
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The unit normals of the faces.
    #[must_use]
    pub fn face_normals(&self) -> &[DVec3] {
        &self.face_normals
    }

    /// The unit normals of the vertices.
    #[must_use]
    pub fn vertex_normals(&self) -> &[DVec3] {
        &self.vertex_normals
    }

    /// The boxes of the faces.
    #[must_use]
    pub fn face_boxes(&self) -> &[Aabb] {
        &self.face_boxes
    }
}
