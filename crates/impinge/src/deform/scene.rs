//! Deforming scene: faces whose vertices move.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use thiserror::Error;

use super::PairKind;
use super::vertex_stars::VertexStars;
use crate::math::is_valid_point;
use crate::mesh::TriMesh;
use crate::query::{FaceId, VertexId};

/// Why a scene was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A coordinate is not finite or too large.
    #[error(
        "vertex {vertex} has coordinate {axis} = {value}, which is not a number of magnitude at most 2^150"
    )]
    Coordinate {
        /// The vertex, counted from 0.
        vertex: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// What was given.
        value: f64,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} uses vertex {index}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// The face, counted from 0.
        face: usize,
        /// The index it holds.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// Not every face has an object.
    #[error("there are {faces} faces, but the object of {labels}")]
    LabelCount {
        /// How many faces there are.
        faces: usize,
        /// How many labels were given.
        labels: usize,
    },
    /// Ids have 32 bits, and one is kept for none.
    #[error("{count} {what} are too many: at most 2^32 - 2")]
    TooMany {
        /// `vertices` or `faces`.
        what: &'static str,
        /// How many were given.
        count: usize,
    },
}

/// Why a frame was refused. The scene is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The frame has more or fewer vertices than the scene.
    #[error("the frame has {found} vertices, the scene {expected}")]
    VertexCount {
        /// How many the scene has.
        expected: usize,
        /// How many the frame has.
        found: usize,
    },
    /// A coordinate is not finite or too large.
    #[error(
        "vertex {vertex} of the frame has coordinate {axis} = {value}, which is not a number of magnitude at most 2^150"
    )]
    Coordinate {
        /// The vertex, counted from 0.
        vertex: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// What was given.
        value: f64,
    },
    /// A distance to be kept that is none.
    #[error("{value} is no distance to be kept: it must be finite and not negative")]
    Separation {
        /// What was given.
        value: f64,
    },
}

/// What does not change when vertices move.
#[derive(Debug)]
pub(super) struct Topology {
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) object_of_face: Vec<u32>,
    vertices: usize,
    stars: OnceLock<VertexStars>,
}

impl Topology {
    /// The faces around each vertex, found when first needed.
    pub(super) fn stars(&self) -> &VertexStars {
        self.stars
            .get_or_init(|| VertexStars::new(&self.faces, self.vertices))
    }
}

/// The objects of a scene: all their vertices and faces, and the object of each face.
///
/// Vertices move from frame to frame by [`Scene::advance`]. Engines keep structures as long as the
/// faces stay the same.
///
/// ```
/// use impinge::{deform::Scene, query::FaceId, DVec3, TriMesh};
/// let sheet = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let mut scene = Scene::new(&[sheet.clone(), sheet])?;
/// assert_eq!((scene.faces(), scene.object_of(FaceId::new(1))), (&[[0, 1, 2], [3, 4, 5]][..], Some(1)));
/// let lifted: Vec<DVec3> = scene.positions().iter().map(|&p| p + DVec3::Z).collect();
/// scene.advance(&lifted)?;
/// assert!(scene.advance(&lifted[1..]).is_err());
/// assert_eq!(scene.positions(), lifted);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "deformable")]
pub struct Scene {
    positions: Vec<DVec3>,
    topology: Arc<Topology>,
    revision: u64,
}

impl Scene {
    /// The scene of these objects, numbered as given: vertices and faces one object after the other.
    ///
    /// # Errors
    /// [`SceneError::TooMany`].
    ///
    /// ```
    /// use impinge::deform::Scene;
    /// assert!(Scene::new(&[])?.faces().is_empty());
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    pub fn new(objects: &[TriMesh]) -> Result<Self, SceneError> {
        let mut positions = Vec::new();
        let mut faces = Vec::new();
        let mut object_of_face = Vec::new();
        check_count("vertices", objects.iter().map(TriMesh::vertex_count).sum())?;
        for (object, mesh) in objects.iter().enumerate() {
            let first = positions.len() as u32;
            positions.extend_from_slice(mesh.positions());
            faces.extend(mesh.faces().iter().map(|face| face.map(|v| v + first)));
            object_of_face.resize(faces.len(), object as u32);
        }
        Self::from_parts(positions, faces, object_of_face)
    }

    /// The scene of these vertices and faces, with the object of each face.
    ///
    /// # Errors
    /// What is wrong, and where.
    ///
    /// ```
    /// use impinge::{deform::{Scene, SceneError}, DVec3};
    /// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    /// assert!(Scene::from_parts(points.clone(), vec![[0, 1, 2]], vec![7]).is_ok());
    /// let wrong = Scene::from_parts(points, vec![[0, 1, 3]], vec![7]);
    /// assert_eq!(wrong.unwrap_err(), SceneError::IndexOutOfRange { face: 0, index: 3, vertices: 3 });
    /// ```
    pub fn from_parts(
        positions: Vec<DVec3>,
        faces: Vec<[u32; 3]>,
        object_of_face: Vec<u32>,
    ) -> Result<Self, SceneError> {
        check_count("vertices", positions.len())?;
        if let Some((vertex, axis, value)) = first_invalid(&positions) {
            return Err(SceneError::Coordinate {
                vertex,
                axis,
                value,
            });
        }
        let topology = Arc::new(checked(positions.len(), faces, object_of_face)?);
        Ok(Self {
            positions,
            topology,
            revision: 0,
        })
    }

    /// Where the vertices are now.
    ///
    /// ```
    /// # use impinge::{deform::Scene, DVec3};
    /// let scene = Scene::from_parts(vec![DVec3::X], vec![], vec![])?;
    /// assert_eq!(scene.positions(), [DVec3::X]);
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The three vertices of each face.
    ///
    /// ```
    /// # use impinge::{deform::Scene, DVec3};
    /// let scene = Scene::from_parts(vec![DVec3::X; 3], vec![[2, 1, 0]], vec![0])?;
    /// assert_eq!(scene.faces(), [[2, 1, 0]]);
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.topology.faces
    }

    /// The object of each face.
    ///
    /// ```
    /// # use impinge::{deform::Scene, DVec3};
    /// let scene = Scene::from_parts(vec![DVec3::X; 3], vec![[2, 1, 0]], vec![4])?;
    /// assert_eq!(scene.objects_of_faces(), [4]);
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn objects_of_faces(&self) -> &[u32] {
        &self.topology.object_of_face
    }

    /// The object of a face; none for a face that does not exist.
    ///
    /// ```
    /// # use impinge::{deform::Scene, query::FaceId, DVec3};
    /// let scene = Scene::from_parts(vec![DVec3::X; 3], vec![[2, 1, 0]], vec![4])?;
    /// assert_eq!((scene.object_of(FaceId::new(0)), scene.object_of(FaceId::new(1))), (Some(4), None));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn object_of(&self, face: FaceId) -> Option<u32> {
        self.topology.object_of_face.get(face.index()).copied()
    }

    /// The corners of a face; none for a face that does not exist.
    ///
    /// ```
    /// # use impinge::{deform::Scene, query::FaceId, DVec3};
    /// let scene = Scene::from_parts(vec![DVec3::X, DVec3::Y, DVec3::Z], vec![[2, 1, 0]], vec![4])?;
    /// assert_eq!(scene.triangle(FaceId::new(0)), Some([DVec3::Z, DVec3::Y, DVec3::X]));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn triangle(&self, face: FaceId) -> Option<[DVec3; 3]> {
        let corners = self.topology.faces.get(face.index())?;
        Some(corners.map(|v| self.positions[v as usize]))
    }

    /// How often the faces were replaced. Engines detect this themselves.
    ///
    /// ```
    /// # use impinge::{deform::Scene, DVec3};
    /// let mut scene = Scene::from_parts(vec![DVec3::X; 3], vec![[2, 1, 0]], vec![0])?;
    /// scene.replace_faces(vec![DVec3::X; 2], vec![], vec![])?;
    /// assert_eq!((scene.revision(), scene.faces().len()), (1, 0));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Moves every vertex to its place in the next frame.
    ///
    /// # Errors
    /// The frame has another number of vertices, or a coordinate that is not finite or too large. Then nothing has moved.
    ///
    /// ```
    /// # use impinge::{deform::{FrameError, Scene}, DVec3};
    /// let mut scene = Scene::from_parts(vec![DVec3::X], vec![], vec![])?;
    /// let bad = scene.advance(&[DVec3::new(0.0, f64::INFINITY, 0.0)]);
    /// assert_eq!(bad, Err(FrameError::Coordinate { vertex: 0, axis: 'y', value: f64::INFINITY }));
    /// assert_eq!(scene.positions(), [DVec3::X]);
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    pub fn advance(&mut self, positions: &[DVec3]) -> Result<(), FrameError> {
        check_frame(self.positions.len(), positions)?;
        self.positions.copy_from_slice(positions);
        Ok(())
    }

    /// Replaces all vertices and faces, as when a solid breaks.
    ///
    /// # Errors
    /// What is wrong, and where. Then nothing has changed.
    ///
    /// ```
    /// # use impinge::{deform::Scene, DVec3};
    /// let mut scene = Scene::from_parts(vec![DVec3::X; 3], vec![[2, 1, 0]], vec![0])?;
    /// assert!(scene.replace_faces(vec![], vec![[0, 1, 2]], vec![0]).is_err());
    /// assert_eq!((scene.revision(), scene.faces().len()), (0, 1));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    pub fn replace_faces(
        &mut self,
        positions: Vec<DVec3>,
        faces: Vec<[u32; 3]>,
        object_of_face: Vec<u32>,
    ) -> Result<(), SceneError> {
        let next = Self::from_parts(positions, faces, object_of_face)?;
        *self = Self {
            revision: self.revision + 1,
            ..next
        };
        Ok(())
    }

    /// The scene with coincident vertices merged, and the maps between old and new.
    ///
    /// In a soup neighbours only touch; after welding they share vertices. Faces keep their
    /// numbers.
    ///
    /// ```
    /// # use impinge::{deform::Scene, DVec3};
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Y, DVec3::X, DVec3::ONE];
    /// let soup = Scene::from_parts(corners.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 0])?;
    /// let welded = soup.welded();
    /// assert_eq!(welded.scene.faces(), [[0, 1, 2], [2, 1, 3]]);
    /// assert_eq!(welded.frame(soup.positions()), Some(welded.scene.positions().to_vec()));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn welded(&self) -> Welded {
        let mut order: Vec<u32> = (0..self.positions.len() as u32).collect();
        // Adding zero makes -0 a 0, which lies at the same place.
        let key = |v: u32| {
            (self.positions[v as usize] + DVec3::ZERO)
                .to_array()
                .map(f64::to_bits)
        };
        order.sort_unstable_by_key(|&v| (key(v), v));
        let mut first = vec![0_u32; order.len()];
        for (i, &v) in order.iter().enumerate() {
            let before = i.checked_sub(1).map(|j| order[j]);
            first[v as usize] = match before {
                Some(before) if key(before) == key(v) => first[before as usize],
                _ => v,
            };
        }
        let mut new_of_old = vec![VertexId::new(0); first.len()];
        let mut old_of_new = Vec::new();
        for (v, &first) in first.iter().enumerate() {
            new_of_old[v] = if first as usize == v {
                old_of_new.push(VertexId::new(first));
                VertexId::new(old_of_new.len() as u32 - 1)
            } else {
                new_of_old[first as usize]
            };
        }
        let faces = self.faces().iter();
        let topology = Topology {
            faces: faces
                .map(|face| face.map(|v| new_of_old[v as usize].raw()))
                .collect(),
            object_of_face: self.topology.object_of_face.clone(),
            vertices: old_of_new.len(),
            stars: OnceLock::new(),
        };
        Welded {
            scene: Self {
                positions: old_of_new
                    .iter()
                    .map(|v| self.positions[v.index()])
                    .collect(),
                topology: Arc::new(topology),
                revision: 0,
            },
            new_of_old,
            old_of_new,
        }
    }

    /// Whether two faces belong to one object.
    pub(super) fn kind(&self, a: u32, b: u32) -> PairKind {
        let objects = &self.topology.object_of_face;
        if objects[a as usize] == objects[b as usize] {
            PairKind::Within
        } else {
            PairKind::Between
        }
    }

    /// The corners of a face that exists.
    #[inline]
    pub(super) fn corners(&self, face: u32) -> [DVec3; 3] {
        self.topology.faces[face as usize].map(|v| self.positions[v as usize])
    }

    pub(super) fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// Whether the topology is the one that was seen last; it is now.
    pub(super) fn has_same_topology(&self, last: &mut Option<Arc<Topology>>) -> bool {
        let is_same = last
            .as_ref()
            .is_some_and(|last| Arc::ptr_eq(last, &self.topology));
        if !is_same {
            *last = Some(Arc::clone(&self.topology));
        }
        is_same
    }
}

/// A scene whose vertices at equal places were joined.
#[derive(Clone, Debug)]
pub struct Welded {
    /// The scene, with the faces numbered as before.
    pub scene: Scene,
    /// The new vertex of each old one.
    pub new_of_old: Vec<VertexId>,
    /// The old vertex whose place each new one takes: the first of those joined.
    pub old_of_new: Vec<VertexId>,
}

impl Welded {
    /// A frame of the old vertices as one of the new; none when it has another number of vertices.
    ///
    /// ```
    /// # use impinge::{deform::Scene, DVec3};
    /// let soup = Scene::from_parts(vec![DVec3::X, DVec3::X, DVec3::Y], vec![], vec![])?;
    /// let frame = soup.welded().frame(&[DVec3::Z, DVec3::Z, DVec3::X]);
    /// assert_eq!(frame, Some(vec![DVec3::Z, DVec3::X]));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn frame(&self, positions: &[DVec3]) -> Option<Vec<DVec3>> {
        if positions.len() != self.new_of_old.len() {
            return None;
        }
        Some(
            self.old_of_new
                .iter()
                .map(|v| positions[v.index()])
                .collect(),
        )
    }
}

/// Refuses a frame that does not fit a scene of this many vertices.
pub(super) fn check_frame(expected: usize, positions: &[DVec3]) -> Result<(), FrameError> {
    if positions.len() != expected {
        return Err(FrameError::VertexCount {
            expected,
            found: positions.len(),
        });
    }
    match first_invalid(positions) {
        Some((vertex, axis, value)) => Err(FrameError::Coordinate {
            vertex,
            axis,
            value,
        }),
        None => Ok(()),
    }
}

fn first_invalid(positions: &[DVec3]) -> Option<(usize, char, f64)> {
    let vertex = positions.iter().position(|&p| !is_valid_point(p))?;
    let place = positions[vertex].to_array();
    let (axis, value) = ['x', 'y', 'z']
        .into_iter()
        .zip(place)
        .find(|&(_, x)| !is_valid_point(DVec3::splat(x)))?;
    Some((vertex, axis, value))
}

fn check_count(what: &'static str, count: usize) -> Result<(), SceneError> {
    if count >= u32::MAX as usize {
        return Err(SceneError::TooMany { what, count });
    }
    Ok(())
}

fn checked(
    vertices: usize,
    faces: Vec<[u32; 3]>,
    object_of_face: Vec<u32>,
) -> Result<Topology, SceneError> {
    check_count("faces", faces.len())?;
    if object_of_face.len() != faces.len() {
        return Err(SceneError::LabelCount {
            faces: faces.len(),
            labels: object_of_face.len(),
        });
    }
    for (face, corners) in faces.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(SceneError::IndexOutOfRange {
                face,
                index,
                vertices,
            });
        }
    }
    Ok(Topology {
        faces,
        object_of_face,
        vertices,
        stars: OnceLock::new(),
    })
}
