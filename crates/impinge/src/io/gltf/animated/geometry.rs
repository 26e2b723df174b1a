//! A mesh with what can be blended: targets, and the joints that each vertex follows.

use std::collections::BTreeMap;

use glam::DVec3;

use super::super::super::affine::InstancePlacer;
use super::super::super::error::ReadError;
use super::super::accessor;
use super::super::buffer::Buffers;
use super::super::document::{AccessorType, Document, Primitive};
use super::super::scene::{add_faces, check_corners};
use super::document::{MovingMesh, MovingPrimitive};

/// The vertices of a mesh and what moves them.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) positions: Vec<DVec3>,
    pub(super) faces: Vec<[u32; 3]>,
    /// Displacements of every vertex, by target.
    pub(super) targets: Vec<Vec<DVec3>>,
    /// For each vertex, where its influences begin; one more entry than vertices.
    starts: Vec<u32>,
    /// Joint of the skin, and its share.
    influences: Vec<(u32, f64)>,
    /// Weights of the targets where a node has none of its own.
    pub(super) weights: Vec<f64>,
}

impl Geometry {
    pub(super) fn influences(&self, vertex: usize) -> &[(u32, f64)] {
        match (self.starts.get(vertex), self.starts.get(vertex + 1)) {
            (Some(&from), Some(&to)) => self
                .influences
                .get(from as usize..to as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// The vertices with these weights of the targets.
    pub(super) fn blended(&self, weights: &[f64]) -> Vec<DVec3> {
        let mut points = self.positions.clone();
        for (target, &weight) in self.targets.iter().zip(weights) {
            if weight != 0.0 {
                for (p, &d) in points.iter_mut().zip(target) {
                    *p += d * weight;
                }
            }
        }
        points
    }
}

/// What reading needs.
pub(super) struct Reading<'r, 'b> {
    pub(super) document: &'r Document,
    pub(super) buffers: &'r mut Buffers<'b>,
    /// Keeps the allowance.
    pub(super) placer: &'r mut InstancePlacer,
}

impl Reading<'_, '_> {
    pub(super) fn numbers(
        &mut self,
        index: u32,
        shape: AccessorType,
    ) -> Result<Vec<f64>, ReadError> {
        let count = accessor::get(self.document, index)?.count;
        let size = count.saturating_mul(8 * shape.width() as u64);
        self.placer.charge(size, "the animation")?;
        accessor::numbers(self.document, self.buffers, index, shape)
    }

    fn positions(&mut self, index: u32, expected: Option<usize>) -> Result<Vec<DVec3>, ReadError> {
        let count = accessor::get(self.document, index)?.count;
        if let Some(expected) = expected
            && count != expected as u64
        {
            return Err(ReadError::malformed(format!(
                "a morph target has {count} vertices, but the primitive has {expected}"
            )));
        }
        self.placer
            .charge(count.saturating_mul(24), "the placed geometry")?;
        accessor::positions(self.document, self.buffers, index)
    }

    /// All primitives of a mesh that have faces.
    pub(super) fn mesh(
        &mut self,
        primitives: &[Primitive],
        moving: &MovingMesh,
    ) -> Result<Geometry, ReadError> {
        let mut geometry = Geometry {
            starts: vec![0],
            ..Geometry::default()
        };
        let mut known: BTreeMap<Vec<u32>, (u32, u32)> = BTreeMap::new();
        for (primitive, moves) in primitives.iter().zip(&moving.primitives) {
            if primitive.mode < 4 {
                continue;
            }
            if primitive.mode > 6 {
                return Err(ReadError::malformed(format!(
                    "primitive mode {} does not exist",
                    primitive.mode
                )));
            }
            let Some(position) = primitive.attributes.position else {
                return Err(ReadError::malformed(
                    "a primitive has no POSITION attribute",
                ));
            };
            if primitive.extensions.draco.is_some()
                && accessor::get(self.document, position)?
                    .buffer_view
                    .is_none()
            {
                return Err(ReadError::unsupported(
                    "a primitive is compressed with KHR_draco_mesh_compression, which is not read; export the file without compression",
                ));
            }
            let key = sources(position, moves);
            let (start, count) = match known.get(&key) {
                Some(&range) => range,
                None => {
                    let range = self.vertices(&mut geometry, position, moves)?;
                    known.insert(key, range);
                    range
                }
            };
            let corners = match primitive.indices {
                Some(index) => {
                    let size = accessor::get(self.document, index)?.count;
                    self.placer
                        .charge(size.saturating_mul(16), "the placed geometry")?;
                    accessor::indices(self.document, self.buffers, index)?
                }
                None => (0..count).collect(),
            };
            check_corners(primitive.mode, &corners, count)?;
            add_faces(primitive.mode, &corners, start, &mut geometry.faces);
        }
        let vertices = geometry.positions.len();
        for target in &mut geometry.targets {
            target.resize(vertices, DVec3::ZERO);
        }
        geometry.weights = moving
            .weights
            .as_deref()
            .map_or_else(Vec::new, <[f64]>::to_vec);
        geometry.weights.resize(geometry.targets.len(), 0.0);
        Ok(geometry)
    }

    /// Appends the vertices of a primitive; their first number and how many there are.
    fn vertices(
        &mut self,
        geometry: &mut Geometry,
        position: u32,
        moves: &MovingPrimitive,
    ) -> Result<(u32, u32), ReadError> {
        let start = geometry.positions.len();
        let points = self.positions(position, None)?;
        let count = points.len();
        geometry.positions.extend_from_slice(&points);
        for (number, target) in moves.targets.iter().enumerate() {
            if geometry.targets.len() <= number {
                geometry.targets.push(Vec::new());
            }
            let displaced = match target.get("POSITION") {
                Some(&index) => self.positions(index, Some(count))?,
                None => Vec::new(),
            };
            let all = &mut geometry.targets[number];
            all.resize(start, DVec3::ZERO);
            all.extend_from_slice(&displaced);
        }
        self.joints(geometry, moves, count)?;
        Ok((start as u32, count as u32))
    }

    fn joints(
        &mut self,
        geometry: &mut Geometry,
        moves: &MovingPrimitive,
        count: usize,
    ) -> Result<(), ReadError> {
        let mut sets = Vec::new();
        for set in 0_u32.. {
            let [joints, weights] = ["JOINTS", "WEIGHTS"].map(|name| {
                moves
                    .attributes
                    .get(format!("{name}_{set}").as_str())
                    .copied()
            });
            let (Some(joints), Some(weights)) = (joints, weights) else {
                break;
            };
            let pair = (
                self.numbers(joints, AccessorType::Vec4)?,
                self.numbers(weights, AccessorType::Vec4)?,
            );
            if pair.0.len() != 4 * count || pair.1.len() != 4 * count {
                return Err(ReadError::malformed(format!(
                    "joints or weights are not given for each of the {count} vertices"
                )));
            }
            sets.push(pair);
        }
        for vertex in 0..count {
            let first = geometry.influences.len();
            for (joints, weights) in &sets {
                for k in 4 * vertex..4 * vertex + 4 {
                    if weights[k] > 0.0 {
                        geometry.influences.push((joints[k] as u32, weights[k]));
                    }
                }
            }
            let shares = &mut geometry.influences[first..];
            let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
            for (_, weight) in shares {
                *weight /= sum;
            }
            geometry.starts.push(geometry.influences.len() as u32);
        }
        Ok(())
    }
}

/// What distinguishes the vertices of two primitives.
fn sources(position: u32, moves: &MovingPrimitive) -> Vec<u32> {
    let mut key = vec![position];
    for (name, &index) in &moves.attributes {
        if name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_") {
            key.push(index);
        }
    }
    for target in &moves.targets {
        key.push(target.get("POSITION").copied().unwrap_or(u32::MAX));
    }
    key
}
