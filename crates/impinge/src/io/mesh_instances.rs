//! Mesh instances: a mesh that a file repeats is stored once.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::affine::Affine;
use super::assembly::RefusedPart;
use super::error::ReadError;
use super::text;
use super::{FilePlace, ReadFault};
use crate::math::Pose;
use crate::mesh::{PlacedPart, TriMesh};

/// Scales that differ by less than this share are one: they come from products of rotations.
const SAME_SCALE: f64 = 1e-12;

/// Meshes as the file has them, by a name of the reader's own, and where they are wanted.
#[derive(Debug, Default)]
pub(super) struct MeshInstances {
    places: BTreeMap<String, usize>,
    sources: Vec<SourceMesh>,
    wanted: Vec<(String, usize, Affine)>,
}

/// A mesh before it is placed, or what is wrong with it.
#[derive(Debug)]
struct SourceMesh {
    geometry: Result<(Vec<DVec3>, Vec<[u32; 3]>), String>,
    uses: usize,
    shapes: Vec<(DMat3, Arc<TriMesh>)>,
}

impl MeshInstances {
    /// Whether the mesh was learned before.
    pub(super) fn knows(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    /// Takes a mesh, or the reason why there is none.
    pub(super) fn learn(
        &mut self,
        key: String,
        geometry: Result<(Vec<DVec3>, Vec<[u32; 3]>), ReadError>,
    ) {
        self.places.insert(key, self.sources.len());
        self.sources.push(SourceMesh {
            geometry: geometry.map_err(|e| e.to_string()),
            uses: 0,
            shapes: Vec::new(),
        });
    }

    /// Wants a mesh that is known at a place; a mesh without faces is not wanted.
    pub(super) fn want(&mut self, name: String, key: &str, map: &Affine) {
        let Some(&at) = self.places.get(key) else {
            return;
        };
        let source = &mut self.sources[at];
        if source
            .geometry
            .as_ref()
            .is_ok_and(|(_, faces)| faces.is_empty())
        {
            return;
        }
        source.uses += 1;
        self.wanted.push((name, at, *map));
    }

    /// The parts, and those that are damaged; lengths are multiplied by `factor`.
    pub(super) fn finish(mut self, factor: f64) -> (Vec<PlacedPart>, Vec<RefusedPart>) {
        let (mut parts, mut refused) = (Vec::new(), Vec::new());
        for (name, at, map) in std::mem::take(&mut self.wanted) {
            match self.sources[at].place(&map, factor) {
                Ok((mesh, world_from_part)) => parts.push(PlacedPart {
                    name,
                    mesh,
                    world_from_part,
                }),
                Err(error) => refused.push(RefusedPart { name, error }),
            }
        }
        (parts, refused)
    }
}

impl SourceMesh {
    fn place(&mut self, map: &Affine, factor: f64) -> Result<(Arc<TriMesh>, Pose), ReadError> {
        let (positions, faces) = match &mut self.geometry {
            Ok(geometry) => geometry,
            Err(message) => return Err(ReadFault::Malformed(message.clone()).into()),
        };
        if self.uses == 1 {
            let (positions, faces) = (std::mem::take(positions), std::mem::take(faces));
            return Ok((
                Arc::new(placed(positions, faces, map, factor)?),
                Pose::IDENTITY,
            ));
        }
        let (stretch, pose) = split(map, factor, &self.shapes);
        if let Some((_, mesh)) = self.shapes.iter().find(|(known, _)| *known == stretch) {
            return Ok((Arc::clone(mesh), pose));
        }
        let about_origin = Affine::new(stretch, DVec3::ZERO)
            .ok_or_else(|| ReadError::malformed("a transform overflows"))?;
        let mesh = Arc::new(placed(
            positions.clone(),
            faces.clone(),
            &about_origin,
            1.0,
        )?);
        self.shapes.push((stretch, Arc::clone(&mesh)));
        Ok((mesh, pose))
    }
}

/// The map as what is done to the mesh, and then a pose.
fn split(map: &Affine, factor: f64, known: &[(DMat3, Arc<TriMesh>)]) -> (DMat3, Pose) {
    let (linear, offset) = map.parts();
    let determinant = linear.determinant();
    // A mirroring map is a rotation after a reflection through the origin.
    let scale = libm::cbrt(determinant);
    if scale != 0.0 && scale.is_finite() {
        let near =
            |m: &DMat3| (m.x_axis.x - scale * factor).abs() <= SAME_SCALE * scale.abs() * factor;
        let uniform = |m: &DMat3| *m == DMat3::from_diagonal(DVec3::splat(m.x_axis.x));
        let stretch = known
            .iter()
            .map(|(m, _)| *m)
            .find(|m| uniform(m) && near(m));
        let stretch = stretch.unwrap_or_else(|| {
            // A scale of one is meant to be one.
            let scale = if (scale.abs() - 1.0).abs() <= SAME_SCALE {
                scale.signum()
            } else {
                scale
            };
            DMat3::from_diagonal(DVec3::splat(scale * factor))
        });
        let rotation = if scale.abs() == 1.0 || (scale.abs() - 1.0).abs() <= SAME_SCALE {
            linear * scale.signum()
        } else {
            linear * (1.0 / scale)
        };
        if let Ok(pose) = Pose::new(rotation, offset * factor) {
            return (stretch, pose);
        }
    }
    match Pose::from_translation(offset * factor) {
        Ok(pose) => (linear * factor, pose),
        // So far away that the mesh itself will be refused.
        Err(_) => (linear * f64::INFINITY, Pose::IDENTITY),
    }
}

/// The mesh with its vertices mapped; a mirroring map also turns the faces, so that their outsides stay outside.
pub(super) fn placed(
    mut positions: Vec<DVec3>,
    mut faces: Vec<[u32; 3]>,
    map: &Affine,
    factor: f64,
) -> Result<TriMesh, ReadError> {
    if *map != Affine::IDENTITY {
        for (vertex, p) in positions.iter_mut().enumerate() {
            *p = text::checked(map.apply(*p), vertex, FilePlace::Whole)?;
        }
        if map.mirrors() {
            for face in &mut faces {
                face.swap(1, 2);
            }
        }
    }
    if factor != 1.0 {
        for p in &mut positions {
            *p *= factor;
        }
    }
    Ok(TriMesh::new(positions, faces)?)
}
