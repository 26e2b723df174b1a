//! A closed convex mesh as the polyhedron that contacts are computed with.
//!
//! **Question.** Which contacts has a box that is given as a mesh?
//! **Idea.** Those of the box. Face by face, a mesh has no whole sides, and its triangles have more
//! edges than the solid. The hull merges the triangles of a side; its features are then named as
//! features of the mesh.
//! **Limits.** Sides are merged where their triangles lie exactly in one plane. A mesh whose sides
//! are bent by rounding keeps its triangles.

use std::sync::Arc;

use super::mesh_shape::MeshShape;
use crate::convex::{Feature, Polyhedron};
use crate::query::{FaceId, HalfEdgeId};

/// A mesh with more faces is not tried: whether it is convex takes longer to find out than its contacts.
const MAX_MESH_FACES: usize = 20_000;

/// Beyond this many sides the search for the side that faces a direction costs more than a descent over triangles.
const MAX_SIDES: usize = 256;

/// Cosine above which two neighbouring sides are one side bent by a rounding.
const SAME_SIDE: f64 = 1.0 - 1e-9;

/// The hull of a convex mesh, and the names of its features in the mesh.
#[derive(Clone, Debug)]
pub(super) struct ContactHull {
    polyhedron: Arc<Polyhedron>,
    vertices: Vec<u32>,
    /// By one of the half-edges along each edge.
    edges: Vec<u32>,
    /// By the first face of each side.
    faces: Vec<u32>,
}

impl ContactHull {
    /// None unless the mesh is closed and convex and has few sides.
    pub(super) fn new(shape: &MeshShape) -> Option<Self> {
        if shape.mesh().face_count() > MAX_MESH_FACES {
            return None;
        }
        let polyhedron = shape.hull()?.clone();
        let normals = polyhedron.normals();
        let is_bent = polyhedron
            .edges()
            .iter()
            .filter_map(|edge| edge.faces)
            .any(|[p, q]| normals[p as usize].dot(normals[q as usize]) > SAME_SIDE);
        if polyhedron.dimension() < 3 || normals.len() > MAX_SIDES || is_bent {
            return None;
        }
        let mesh = shape.mesh();
        let corner = |source: u32| mesh.faces()[source as usize / 3][source as usize % 3];
        let vertices: Vec<u32> = polyhedron.sources().iter().map(|&s| corner(s)).collect();
        let mut faces = vec![u32::MAX; normals.len()];
        let mut edges = vec![u32::MAX; polyhedron.edges().len()];
        for face in mesh.face_ids() {
            let corners = mesh.triangle(face);
            let [a, b, c] = corners;
            let own = (b - a).cross(c - a);
            let mut best = (0, f64::NEG_INFINITY);
            for (side, normal) in normals.iter().enumerate() {
                let along = normal.dot(own);
                if along > best.1 {
                    best = (side, along);
                }
            }
            faces[best.0] = faces[best.0].min(face.raw());
            name_edges(&polyhedron, shape, face, &mut edges);
        }
        Some(Self {
            polyhedron,
            vertices,
            edges,
            faces,
        })
    }

    pub(super) fn polyhedron(&self) -> &Arc<Polyhedron> {
        &self.polyhedron
    }

    /// The feature of the mesh that a feature of the polyhedron lies on.
    pub(super) fn named(&self, feature: Feature) -> Feature {
        let known = |names: &[u32], number: u32| {
            let name = names.get(number as usize).copied();
            name.filter(|&name| name != u32::MAX).unwrap_or(number)
        };
        match feature {
            Feature::Vertex(v) => Feature::Vertex(known(&self.vertices, v)),
            Feature::Edge(e) => Feature::Edge(known(&self.edges, e)),
            Feature::Face(f) => Feature::Face(known(&self.faces, f)),
        }
    }
}

/// Gives the edges that begin or end at a corner of the face, and run along one of its sides, the half-edge there as a name.
fn name_edges(polyhedron: &Polyhedron, shape: &MeshShape, face: FaceId, names: &mut [u32]) {
    let corners = shape.mesh().triangle(face);
    for side in 0..3 {
        let (from, to) = (corners[side], corners[(side + 1) % 3]);
        let Some(vertex) = polyhedron.vertices().iter().position(|&v| v == from) else {
            continue;
        };
        let along = to - from;
        for &edge in polyhedron.edges_at(vertex as u32) {
            let [p, q] = polyhedron.edges()[edge as usize].vertices;
            let other = if p as usize == vertex { q } else { p };
            let whole = polyhedron.vertices()[other as usize] - from;
            let is_along = whole.dot(along) > 0.0
                && whole.cross(along).length() <= 1e-12 * whole.length() * along.length();
            if is_along {
                let own = HalfEdgeId::new(3 * face.raw() + side as u32);
                let twin = shape.half_edges().twin(own).unwrap_or(own);
                let name = &mut names[edge as usize];
                *name = (*name).min(own.raw().min(twin.raw()));
            }
        }
    }
}
