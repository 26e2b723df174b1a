//! Result of a repair.

use std::fmt;
use std::ops::AddAssign;

use super::super::TriMesh;
use crate::query::{FaceId, VertexId};

/// A repaired mesh and what became of the old one.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Repaired {
    /// The new mesh.
    pub mesh: TriMesh,
    /// For each old face its new number; none if it was removed.
    pub face_map: Vec<Option<FaceId>>,
    /// For each old vertex its new number; none if it was removed.
    pub vertex_map: Vec<Option<VertexId>>,
    /// How much was done.
    pub changes: RepairCounts,
}

/// How much a repair did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RepairCounts {
    /// Vertices joined to another one.
    pub vertices_merged: usize,
    /// Vertices removed.
    pub vertices_dropped: usize,
    /// Vertices added.
    pub vertices_added: usize,
    /// Faces removed.
    pub faces_dropped: usize,
    /// Faces turned over.
    pub faces_turned: usize,
    /// Faces whose diagonal was exchanged with a neighbour's.
    pub faces_flipped: usize,
    /// Faces added.
    pub faces_added: usize,
    /// Holes closed.
    pub holes_filled: usize,
    /// Places that could not be repaired: one-sided components, holes too large or too irregular.
    pub left_alone: usize,
}

impl Repaired {
    /// The mesh as it is, every face and vertex kept.
    pub(super) fn unchanged(mesh: TriMesh) -> Self {
        Self {
            face_map: mesh.face_ids().map(Some).collect(),
            vertex_map: all_vertices(mesh.vertex_count()),
            mesh,
            changes: RepairCounts::default(),
        }
    }

    /// The mesh without some faces, all vertices kept.
    pub(super) fn keeping_faces(mesh: &TriMesh, keep: impl Fn(FaceId) -> bool) -> Self {
        let mut faces = Vec::new();
        let mut dropped = 0;
        let face_map = mesh
            .face_ids()
            .map(|face| {
                if keep(face) {
                    faces.push(mesh.faces()[face.index()]);
                    Some(FaceId::new(faces.len() as u32 - 1))
                } else {
                    dropped += 1;
                    None
                }
            })
            .collect();
        Self {
            mesh: TriMesh::from_valid(mesh.positions().to_vec(), faces),
            face_map,
            vertex_map: all_vertices(mesh.vertex_count()),
            changes: RepairCounts {
                faces_dropped: dropped,
                ..RepairCounts::default()
            },
        }
    }

    /// This repair followed by another one, as one.
    pub(super) fn then(self, step: impl FnOnce(&TriMesh) -> Self) -> Self {
        let next = step(&self.mesh);
        let mut changes = self.changes;
        changes += next.changes;
        Self {
            face_map: self
                .face_map
                .into_iter()
                .map(|face| next.face_map[face?.index()])
                .collect(),
            vertex_map: self
                .vertex_map
                .into_iter()
                .map(|vertex| next.vertex_map[vertex?.index()])
                .collect(),
            mesh: next.mesh,
            changes,
        }
    }
}

pub(super) fn all_vertices(count: usize) -> Vec<Option<VertexId>> {
    (0..count as u32).map(VertexId::new).map(Some).collect()
}

impl RepairCounts {
    /// Whether nothing was changed.
    ///
    /// ```
    /// use impinge::{generate, mesh::repair::drop_degenerate};
    /// assert!(drop_degenerate(&generate::tetrahedron(1.0)?).changes.is_none());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn is_none(&self) -> bool {
        Self {
            left_alone: 0,
            ..*self
        } == Self::default()
    }
}

impl AddAssign for RepairCounts {
    fn add_assign(&mut self, other: Self) {
        self.vertices_merged += other.vertices_merged;
        self.vertices_dropped += other.vertices_dropped;
        self.vertices_added += other.vertices_added;
        self.faces_dropped += other.faces_dropped;
        self.faces_turned += other.faces_turned;
        self.faces_flipped += other.faces_flipped;
        self.faces_added += other.faces_added;
        self.holes_filled += other.holes_filled;
        self.left_alone += other.left_alone;
    }
}

impl fmt::Display for RepairCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.vertices_merged, "vertices merged"),
            (self.vertices_dropped, "vertices dropped"),
            (self.vertices_added, "vertices added"),
            (self.faces_dropped, "faces dropped"),
            (self.faces_turned, "faces turned"),
            (self.faces_flipped, "faces flipped"),
            (self.faces_added, "faces added"),
            (self.holes_filled, "holes filled"),
            (self.left_alone, "places left alone"),
        ];
        let mut first = true;
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{}{count} {what}", if first { "" } else { ", " })?;
            first = false;
        }
        if first {
            f.write_str("nothing changed")?;
        }
        Ok(())
    }
}
