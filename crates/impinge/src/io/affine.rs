//! Placements in files, which may stretch and mirror, and the allowance for repeating parts.

use glam::{DMat3, DVec3};

use super::assembly::Assembly;
use super::error::ReadError;
use super::mesh_instances::{MeshInstances, placed};
use super::model::Part;
use crate::mesh::{MeshError, TriMesh};

/// An affine map `p ↦ linear · p + offset` with finite entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    linear: DMat3,
    offset: DVec3,
}

impl Affine {
    pub(super) const IDENTITY: Self = Self {
        linear: DMat3::IDENTITY,
        offset: DVec3::ZERO,
    };

    /// The map, unless an entry is not finite.
    pub(super) fn new(linear: DMat3, offset: DVec3) -> Option<Self> {
        (linear.is_finite() && offset.is_finite()).then_some(Self { linear, offset })
    }

    /// The linear map and the offset.
    pub(super) fn parts(&self) -> (DMat3, DVec3) {
        (self.linear, self.offset)
    }

    pub(super) fn apply(&self, p: DVec3) -> DVec3 {
        self.turn(p) + self.offset
    }

    fn turn(&self, v: DVec3) -> DVec3 {
        let m = &self.linear;
        DVec3::new(
            m.x_axis.x * v.x + m.y_axis.x * v.y + m.z_axis.x * v.z,
            m.x_axis.y * v.x + m.y_axis.y * v.y + m.z_axis.y * v.z,
            m.x_axis.z * v.x + m.y_axis.z * v.y + m.z_axis.z * v.z,
        )
    }

    /// First `inner`, then `self`; `None` when that overflows.
    pub(super) fn after(&self, inner: &Self) -> Option<Self> {
        let linear = DMat3::from_cols(
            self.turn(inner.linear.x_axis),
            self.turn(inner.linear.y_axis),
            self.turn(inner.linear.z_axis),
        );
        Self::new(linear, self.apply(inner.offset))
    }

    pub(super) fn mirrors(&self) -> bool {
        self.linear.determinant() < 0.0
    }
}

/// Collects placed copies of meshes as parts, within an allowance of memory.
#[derive(Debug)]
pub(super) struct InstancePlacer {
    pub(super) parts: Vec<Part>,
    /// Meshes to be shared by their parts, instead of parts.
    pub(super) shared: Option<MeshInstances>,
    factor: f64,
    limit: u64,
    left: u64,
    vertices: usize,
    faces: usize,
}

impl InstancePlacer {
    /// Content that the file spells out is free; only what it repeats counts.
    pub(super) fn new(file_size: usize, factor: f64, limit: u64) -> Self {
        Self {
            parts: Vec::new(),
            shared: None,
            factor,
            limit,
            left: limit.saturating_add((file_size as u64).saturating_mul(8)),
            vertices: 0,
            faces: 0,
        }
    }

    /// One that keeps what the file repeats once.
    pub(super) fn sharing(file_size: usize, factor: f64, limit: u64) -> Self {
        Self {
            shared: Some(MeshInstances::default()),
            ..Self::new(file_size, factor, limit)
        }
    }

    /// The assembly of what was shared.
    pub(super) fn into_assembly(self) -> Assembly {
        let (parts, refused) = self.shared.unwrap_or_default().finish(self.factor);
        Assembly {
            parts,
            refused,
            ..Assembly::default()
        }
    }

    /// Takes memory from the allowance.
    pub(super) fn charge(&mut self, bytes: u64, what: &str) -> Result<(), ReadError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ReadError::too_large(what, self.limit)),
        }
    }

    /// Adds a part with these vertices placed.
    pub(super) fn add(
        &mut self,
        name: String,
        positions: Vec<DVec3>,
        faces: Vec<[u32; 3]>,
        map: &Affine,
    ) -> Result<(), ReadError> {
        self.vertices += positions.len();
        self.faces += faces.len();
        let mesh = placed(positions, faces, map, self.factor)?;
        for (what, count, limit) in [
            ("vertices", self.vertices, TriMesh::MAX_VERTICES),
            ("faces", self.faces, TriMesh::MAX_FACES),
        ] {
            if count > limit {
                return Err(MeshError::TooMany { what, count, limit }.into());
            }
        }
        self.parts.push(Part::new(name, mesh));
        Ok(())
    }
}
