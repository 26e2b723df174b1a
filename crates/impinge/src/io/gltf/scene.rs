//! Converts the nodes of a scene to placed parts.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DMat3, DQuat, DVec3};

use super::super::affine::{Affine, InstancePlacer};
use super::super::assembly::Assembly;
use super::super::byte_cursor::ByteCursor;
use super::super::error::{FilePlace, ReadError};
use super::super::model::Model;
use super::super::unit::Unit;
use super::accessor;
use super::buffer::Buffers;
use super::document::{self, Document, GltfMesh, GltfNode, Primitive};
use crate::math::rotation_of;

pub(in super::super) fn read_json(
    bytes: &[u8],
    folder: Option<&Path>,
    factor: f64,
    limit: u64,
) -> Result<Model, ReadError> {
    let placer = InstancePlacer::new(bytes.len(), factor, limit);
    read_document(bytes, None, folder, placer).map(PlacedMeshes::into_model)
}

pub(in super::super) fn read_binary(
    bytes: &[u8],
    folder: Option<&Path>,
    factor: f64,
    limit: u64,
) -> Result<Model, ReadError> {
    let (json, binary) = chunks(bytes)?;
    let placer = InstancePlacer::new(bytes.len(), factor, limit);
    read_document(json, binary, folder, placer).map(PlacedMeshes::into_model)
}

pub(in super::super) fn assembly_json(
    bytes: &[u8],
    folder: Option<&Path>,
    factor: f64,
    limit: u64,
) -> Result<Assembly, ReadError> {
    let placer = InstancePlacer::sharing(bytes.len(), factor, limit);
    read_document(bytes, None, folder, placer).map(PlacedMeshes::into_assembly)
}

pub(in super::super) fn assembly_binary(
    bytes: &[u8],
    folder: Option<&Path>,
    factor: f64,
    limit: u64,
) -> Result<Assembly, ReadError> {
    let (json, binary) = chunks(bytes)?;
    let placer = InstancePlacer::sharing(bytes.len(), factor, limit);
    read_document(json, binary, folder, placer).map(PlacedMeshes::into_assembly)
}

/// The JSON of a binary file, and its buffer.
pub(super) fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ReadError> {
    let mut cursor = ByteCursor::new(bytes, 0);
    if cursor.take(4, "the GLB header")? != b"glTF" {
        return Err(ReadError::byte(
            0,
            "a GLB file starts with the letters glTF",
        ));
    }
    let version = cursor.take_u32("the version")?;
    if version != 2 {
        return Err(ReadError::unsupported(format!(
            "GLB version {version} is not read, only 2; export the file again with a current program"
        ))
        .at(FilePlace::Byte(4)));
    }
    let declared = cursor.take_u32("the length of the file")? as usize;
    if declared > bytes.len() {
        return Err(ReadError::byte(
            8,
            format!(
                "the file should have {declared} bytes, but has {} (was it cut off?)",
                bytes.len()
            ),
        ));
    }
    ByteCursor::new(bytes, declared).expect_end()?;
    let mut cursor = ByteCursor::new(&bytes[..declared], cursor.at());
    let mut chunk = |what: &str| -> Result<(u32, &[u8]), ReadError> {
        let length = cursor.take_u32(what)? as usize;
        let kind = cursor.take_u32(what)?;
        Ok((kind, cursor.take(length, what)?))
    };
    const JSON: u32 = u32::from_le_bytes(*b"JSON");
    const BIN: u32 = u32::from_le_bytes(*b"BIN\0");
    let (kind, json) = chunk("the JSON chunk")?;
    if kind != JSON {
        return Err(ReadError::byte(16, "the first chunk is not JSON"));
    }
    let binary = if declared > 20 + json.len() {
        let (kind, binary) = chunk("the binary chunk")?;
        (kind == BIN).then_some(binary)
    } else {
        None
    };
    Ok((json, binary))
}

/// Everything placed, and what was skipped.
struct PlacedMeshes {
    placer: InstancePlacer,
    notes: Vec<String>,
}

impl PlacedMeshes {
    fn into_model(self) -> Model {
        let mut model = Model::from(self.placer.parts);
        model.unit = Some(Unit::Metre);
        model.notes = self.notes;
        model
    }

    fn into_assembly(self) -> Assembly {
        Assembly {
            unit: Some(Unit::Metre),
            notes: self.notes,
            ..self.placer.into_assembly()
        }
    }
}

fn read_document(
    json: &[u8],
    binary: Option<&[u8]>,
    folder: Option<&Path>,
    placer: InstancePlacer,
) -> Result<PlacedMeshes, ReadError> {
    let document = document::parse(json)?;
    let mut scene = SceneReader {
        buffers: Buffers::new(&document, binary, folder),
        document: &document,
        placer,
        skipped: BTreeMap::new(),
        notes: Vec::new(),
    };
    scene.read()?;
    for (what, count) in &scene.skipped {
        scene.notes.push(format!("skipped: {what} (×{count})"));
    }
    Ok(PlacedMeshes {
        placer: scene.placer,
        notes: scene.notes,
    })
}

struct SceneReader<'d, 'b> {
    document: &'d Document,
    buffers: Buffers<'b>,
    placer: InstancePlacer,
    skipped: BTreeMap<&'static str, u64>,
    notes: Vec<String>,
}

impl SceneReader<'_, '_> {
    fn read(&mut self) -> Result<(), ReadError> {
        let document = self.document;
        if document.nodes.iter().all(|n| n.mesh.is_none()) && !document.meshes.is_empty() {
            self.notes
                .push("no node places a mesh; every mesh was read where it is".into());
            for number in 0..document.meshes.len() {
                self.place_mesh(number as u32, None, number, &Affine::IDENTITY)?;
            }
            return Ok(());
        }
        let mut seen = vec![false; document.nodes.len()];
        // Each entry is a node and the place of its parent's map, of which siblings share one.
        let mut maps = vec![Affine::IDENTITY];
        let mut stack: Vec<(u32, u32)> = self.roots()?.iter().rev().map(|&n| (n, 0)).collect();
        while let Some((number, parent)) = stack.pop() {
            let (Some(node), Some(seen)) = (
                document.nodes.get(number as usize),
                seen.get_mut(number as usize),
            ) else {
                return Err(no_such_node(number, document.nodes.len()));
            };
            if std::mem::replace(seen, true) {
                return Err(ReadError::malformed(format!(
                    "node {number} is reached twice; nodes must form a tree"
                )));
            }
            let map = local_map(node)
                .and_then(|local| maps.get(parent as usize)?.after(&local))
                .ok_or_else(|| {
                    ReadError::malformed(format!(
                        "the transform of node {number} is not a finite affine map"
                    ))
                })?;
            if let Some(mesh) = node.mesh {
                if node.extensions.instancing.is_some() {
                    return Err(ReadError::unsupported(format!(
                        "node {number} repeats its mesh with EXT_mesh_gpu_instancing, which is not read; export the file with the instances as nodes"
                    )));
                }
                if node.skin.is_some() {
                    *self
                        .skipped
                        .entry("skin (its mesh is read in rest shape)")
                        .or_default() += 1;
                }
                self.place_mesh(mesh, node.name.as_deref(), number as usize, &map)?;
            }
            if !node.children.is_empty() {
                let place = maps.len() as u32;
                maps.push(map);
                stack.extend(node.children.iter().rev().map(|&child| (child, place)));
            }
        }
        Ok(())
    }

    /// The nodes to start from: those of the scene to show, or all that are nobody's child.
    fn roots(&self) -> Result<Vec<u32>, ReadError> {
        let document = self.document;
        let chosen = document.scene.unwrap_or(0);
        match document.scenes.get(chosen as usize) {
            Some(scene) => Ok(scene.nodes.clone()),
            None if document.scenes.is_empty() => {
                let mut is_child = vec![false; document.nodes.len()];
                for &child in document.nodes.iter().flat_map(|n| &n.children) {
                    if let Some(flag) = is_child.get_mut(child as usize) {
                        *flag = true;
                    }
                }
                Ok((0..)
                    .zip(is_child)
                    .filter(|(_, child)| !child)
                    .map(|(node, _)| node)
                    .collect())
            }
            None => Err(ReadError::malformed(format!(
                "scene {chosen} does not exist: there are {}",
                document.scenes.len()
            ))),
        }
    }

    fn place_mesh(
        &mut self,
        mesh: u32,
        node_name: Option<&str>,
        number: usize,
        map: &Affine,
    ) -> Result<(), ReadError> {
        let Some(m) = self.document.meshes.get(mesh as usize) else {
            return Err(ReadError::malformed(format!(
                "mesh {mesh} does not exist: there are {}",
                self.document.meshes.len()
            )));
        };
        let name = node_name
            .or(m.name.as_deref())
            .map_or_else(|| format!("node {number}"), str::to_owned);
        let in_mesh = |mut e: ReadError| {
            if let super::super::ReadFault::Malformed(message) = &mut e.fault {
                *message = format!("mesh {mesh}: {message}");
            }
            e
        };
        let key = mesh.to_string();
        if self.placer.shared.as_ref().is_some_and(|s| !s.knows(&key)) {
            let geometry = self.read_mesh(m).map_err(in_mesh);
            if let Some(shared) = &mut self.placer.shared {
                shared.learn(key.clone(), geometry);
            }
        }
        if self.placer.shared.is_some() {
            // A name may be any text; each copy of a long one counts.
            let size = name.len() as u64 + size_of::<Affine>() as u64;
            self.placer.charge(size, "the names of nodes")?;
            if let Some(shared) = &mut self.placer.shared {
                shared.want(name, &key, map);
            }
            return Ok(());
        }
        let (positions, faces) = self.read_mesh(m).map_err(in_mesh)?;
        if faces.is_empty() {
            return Ok(());
        }
        self.placer
            .charge(name.len() as u64, "the names of nodes")?;
        self.placer.add(name, positions, faces, map)
    }

    /// All primitives of a mesh that have faces; primitives that share positions share vertices.
    fn read_mesh(&mut self, mesh: &GltfMesh) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), ReadError> {
        let mut positions: Vec<DVec3> = Vec::new();
        let mut faces = Vec::new();
        let mut starts: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for primitive in &mesh.primitives {
            let skipped = match primitive.mode {
                0 => Some("points"),
                1..=3 => Some("lines"),
                4..=6 => None,
                mode => {
                    return Err(ReadError::malformed(format!(
                        "primitive mode {mode} does not exist"
                    )));
                }
            };
            if let Some(what) = skipped {
                *self.skipped.entry(what).or_default() += 1;
                continue;
            }
            let Some(position) = primitive.attributes.position else {
                return Err(ReadError::malformed(
                    "a primitive has no POSITION attribute",
                ));
            };
            let (start, count) = match starts.get(&position) {
                Some(&known) => known,
                None => {
                    self.charge_primitive(primitive, position, 24)?;
                    let start = positions.len() as u32;
                    let new = accessor::positions(self.document, &mut self.buffers, position)?;
                    positions.extend_from_slice(&new);
                    let known = (start, new.len() as u32);
                    starts.insert(position, known);
                    known
                }
            };
            let corners = match primitive.indices {
                Some(index) => {
                    self.charge_primitive(primitive, index, 16)?;
                    accessor::indices(self.document, &mut self.buffers, index)?
                }
                None => {
                    self.charge_primitive(primitive, position, 16)?;
                    (0..count).collect()
                }
            };
            check_corners(primitive.mode, &corners, count)?;
            add_faces(primitive.mode, &corners, start, &mut faces);
        }
        Ok((positions, faces))
    }

    /// Checks that an accessor has bytes behind it and charges what its items become.
    fn charge_primitive(
        &mut self,
        primitive: &Primitive,
        index: u32,
        item: u64,
    ) -> Result<(), ReadError> {
        let accessor = accessor::get(self.document, index)?;
        if accessor.buffer_view.is_none() && primitive.extensions.draco.is_some() {
            return Err(ReadError::unsupported(
                "a primitive is compressed with KHR_draco_mesh_compression, which is not read; export the file without compression",
            ));
        }
        self.placer
            .charge(accessor.count.saturating_mul(item), "the placed geometry")
    }
}

pub(super) fn no_such_node(number: u32, nodes: usize) -> ReadError {
    ReadError::malformed(format!("node {number} does not exist: there are {nodes}"))
}

/// Refuses corners beyond the vertices, and triangles that lack some.
pub(super) fn check_corners(mode: u32, corners: &[u32], count: u32) -> Result<(), ReadError> {
    if let Some(&bad) = corners.iter().find(|&&v| v >= count) {
        return Err(ReadError::malformed(format!(
            "an index is {bad}, but there are only {count} vertices"
        )));
    }
    if mode == 4 && !corners.len().is_multiple_of(3) {
        return Err(ReadError::malformed(format!(
            "triangles need three corners each, but {} corners are listed",
            corners.len()
        )));
    }
    Ok(())
}

pub(super) fn add_faces(mode: u32, corners: &[u32], start: u32, faces: &mut Vec<[u32; 3]>) {
    let shift = |face: [u32; 3]| face.map(|v| start.wrapping_add(v));
    match mode {
        4 => {
            let (triangles, _) = corners.as_chunks::<3>();
            faces.extend(triangles.iter().map(|&t| shift(t)));
        }
        // Degenerate triangles of strips and fans only stitch; they are not faces of the model.
        5 => {
            for (i, window) in corners.windows(3).enumerate() {
                if let &[a, b, c] = window
                    && a != b
                    && b != c
                    && c != a
                {
                    faces.push(shift(if i % 2 == 0 { [a, b, c] } else { [a, c, b] }));
                }
            }
        }
        _ => {
            if let [first, rest @ ..] = corners {
                for pair in rest.windows(2) {
                    if let &[b, c] = pair
                        && b != c
                        && b != *first
                        && c != *first
                    {
                        faces.push(shift([*first, b, c]));
                    }
                }
            }
        }
    }
}

/// The map from a node's frame to its parent's.
pub(super) fn local_map(node: &GltfNode) -> Option<Affine> {
    if let Some(m) = node.matrix.as_deref() {
        if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
            return None;
        }
        let linear = DMat3::from_cols(
            DVec3::new(m[0], m[1], m[2]),
            DVec3::new(m[4], m[5], m[6]),
            DVec3::new(m[8], m[9], m[10]),
        );
        return Affine::new(linear, DVec3::new(m[12], m[13], m[14]));
    }
    let turn = match node.rotation.as_deref() {
        Some(&quaternion) => rotation_of(DQuat::from_array(quaternion))?,
        None => DMat3::IDENTITY,
    };
    let scale = node.scale.as_deref().copied().unwrap_or([1.0; 3]);
    let linear = DMat3::from_cols(
        turn.x_axis * scale[0],
        turn.y_axis * scale[1],
        turn.z_axis * scale[2],
    );
    let offset = node.translation.as_deref().copied().unwrap_or([0.0; 3]);
    Affine::new(linear, DVec3::from_array(offset))
}
