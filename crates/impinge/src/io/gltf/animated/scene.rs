//! The vertices of an animated scene at any time.

use std::path::Path;

use glam::{DMat3, DVec3};

use super::super::super::affine::{Affine, InstancePlacer};
use super::super::super::error::ReadError;
use super::super::buffer::Buffers;
use super::super::document::{self, AccessorType, Document};
use super::super::scene::{chunks, no_such_node};
use super::document::{AnimatedDocument, AnimationClip, parse};
use super::geometry::{Geometry, Reading};
use super::skeleton::Skeleton;
use super::track::AnimationTrack;

/// Frames that fall short of the end by less than this fraction of one are counted.
const LAST_FRAME: f64 = 1e-6;

/// A scene, opened: everything that is needed for a pose.
#[derive(Debug)]
pub(in super::super::super) struct AnimatedScene {
    skeleton: Skeleton,
    meshes: Vec<Geometry>,
    skins: Vec<Vec<(u32, Affine)>>,
    placed: Vec<MeshNode>,
    faces: Vec<[u32; 3]>,
    object_of_face: Vec<u32>,
    names: Vec<String>,
    vertices: usize,
    notes: Vec<String>,
    /// From the first key to the last, when something moves.
    range: Option<(f64, f64)>,
}

/// A node that shows a mesh.
#[derive(Debug)]
struct MeshNode {
    node: u32,
    mesh: usize,
    skin: Option<usize>,
    weights: Vec<f64>,
}

/// The scene in these bytes, with the clip of this number.
pub(in super::super::super) fn open_animated(
    bytes: Vec<u8>,
    is_binary: bool,
    folder: Option<&Path>,
    limit: u64,
    clip: usize,
) -> Result<AnimatedScene, ReadError> {
    let (json, binary) = if is_binary {
        chunks(&bytes)?
    } else {
        (bytes.as_slice(), None)
    };
    let document = document::parse(json)?;
    let moving = parse(json)?;
    let mut buffers = Buffers::new(&document, binary, folder);
    let mut placer = InstancePlacer::new(bytes.len(), 1.0, limit);
    let mut reading = Reading {
        document: &document,
        buffers: &mut buffers,
        placer: &mut placer,
    };
    let mut meshes = Vec::new();
    for (number, (mesh, moves)) in document.meshes.iter().zip(&moving.meshes).enumerate() {
        let read = reading.mesh(&mesh.primitives, moves);
        meshes.push(read.map_err(|e| within(e, &format!("mesh {number}")))?);
    }
    let mut scene = AnimatedScene {
        skeleton: Skeleton::new(&document)?,
        meshes,
        skins: skins(&moving, &mut reading)?,
        placed: Vec::new(),
        faces: Vec::new(),
        object_of_face: Vec::new(),
        names: Vec::new(),
        vertices: 0,
        notes: Vec::new(),
        range: None,
    };
    scene.place(&document, &moving, reading.placer)?;
    match moving.animations.get(clip) {
        Some(chosen) => {
            scene
                .take(chosen, &mut reading)
                .map_err(|e| within(e, &format!("animation {clip}")))?;
            if moving.animations.len() > 1 {
                let names: Vec<String> = moving
                    .animations
                    .iter()
                    .enumerate()
                    .map(|(k, clip)| format!("{k} {}", clip.name.as_deref().unwrap_or("(no name)")))
                    .collect();
                scene.notes.push(format!(
                    "animation {clip} of {} was read: {}",
                    names.len(),
                    names.join(", ")
                ));
            }
        }
        None if moving.animations.is_empty() => {}
        None => {
            return Err(ReadError::malformed(format!(
                "there is no animation {clip}: there are {}, counted from 0",
                moving.animations.len()
            )));
        }
    }
    Ok(scene)
}

/// The error with the thing it is about in front.
fn within(mut error: ReadError, what: &str) -> ReadError {
    use super::super::super::error::ReadFault;
    if let ReadFault::Malformed(message) | ReadFault::Unsupported(message) = &mut error.fault {
        *message = format!("{what}: {message}");
    }
    error
}

fn skins(
    moving: &AnimatedDocument,
    reading: &mut Reading<'_, '_>,
) -> Result<Vec<Vec<(u32, Affine)>>, ReadError> {
    let mut skins = Vec::new();
    for (number, skin) in moving.skins.iter().enumerate() {
        let bad = |what: String| ReadError::malformed(format!("skin {number}: {what}"));
        let nodes = reading.document.nodes.len();
        if let Some(&joint) = skin.joints.iter().find(|&&j| j as usize >= nodes) {
            return Err(bad(format!(
                "node {joint} does not exist: there are {nodes}"
            )));
        }
        let maps = match skin.inverse_bind_matrices {
            None => vec![Affine::IDENTITY; skin.joints.len()],
            Some(index) => {
                let numbers = reading.numbers(index, AccessorType::Mat4)?;
                let (matrices, _) = numbers.as_chunks::<16>();
                if matrices.len() < skin.joints.len() {
                    return Err(bad(format!(
                        "{} matrices for {} joints",
                        matrices.len(),
                        skin.joints.len()
                    )));
                }
                matrices
                    .iter()
                    .map(affine)
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| bad("a matrix is not a finite affine map".to_owned()))?
            }
        };
        skins.push(skin.joints.iter().copied().zip(maps).collect());
    }
    Ok(skins)
}

fn affine(m: &[f64; 16]) -> Option<Affine> {
    let column = |k: usize| DVec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
    Affine::new(DMat3::from_cols(column(0), column(1), column(2)), column(3))
}

impl AnimatedScene {
    pub(in super::super::super) fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    pub(in super::super::super) fn object_of_face(&self) -> &[u32] {
        &self.object_of_face
    }

    pub(in super::super::super) fn object_names(&self) -> &[String] {
        &self.names
    }

    pub(in super::super::super) fn vertex_count(&self) -> usize {
        self.vertices
    }

    pub(in super::super::super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether there is an animation.
    pub(in super::super::super) fn is_moving(&self) -> bool {
        self.range.is_some()
    }

    /// How many frames there are at this rate.
    pub(in super::super::super) fn frames(&self, rate_hz: f64) -> usize {
        let (start, end) = self.range.unwrap_or((0.0, 0.0));
        // The conversion saturates.
        (((end - start) * rate_hz + LAST_FRAME) as usize).saturating_add(1)
    }

    pub(in super::super::super) fn time(&self, frame: usize, rate_hz: f64) -> f64 {
        self.range.unwrap_or((0.0, 0.0)).0 + frame as f64 / rate_hz
    }

    /// The nodes of the scene to show that have a mesh, each as an object.
    fn place(
        &mut self,
        document: &Document,
        moving: &AnimatedDocument,
        placer: &mut InstancePlacer,
    ) -> Result<(), ReadError> {
        let chosen = document.scene.unwrap_or(0) as usize;
        let mut shown = vec![document.scenes.is_empty(); document.nodes.len()];
        let mut stack = match document.scenes.get(chosen) {
            Some(scene) => scene.nodes.clone(),
            None if document.scenes.is_empty() => Vec::new(),
            None => {
                return Err(ReadError::malformed(format!(
                    "scene {chosen} does not exist: there are {}",
                    document.scenes.len()
                )));
            }
        };
        // Nodes form a tree, so every node is pushed at most once beyond the roots.
        while let Some(number) = stack.pop() {
            let (Some(node), Some(flag)) = (
                document.nodes.get(number as usize),
                shown.get_mut(number as usize),
            ) else {
                return Err(no_such_node(number, document.nodes.len()));
            };
            if !std::mem::replace(flag, true) {
                stack.extend_from_slice(&node.children);
            }
        }
        for (number, node) in (0_u32..).zip(&document.nodes) {
            let (Some(mesh), true) = (node.mesh, shown[number as usize]) else {
                continue;
            };
            let Some(geometry) = self.meshes.get(mesh as usize) else {
                return Err(ReadError::malformed(format!(
                    "mesh {mesh} does not exist: there are {}",
                    self.meshes.len()
                )));
            };
            if node.extensions.instancing.is_some() {
                return Err(ReadError::unsupported(format!(
                    "node {number} repeats its mesh with EXT_mesh_gpu_instancing, which is not read; export the file with the instances as nodes"
                )));
            }
            if geometry.faces.is_empty() {
                continue;
            }
            let moves = moving.nodes.get(number as usize);
            let skin = match moves.and_then(|node| node.skin) {
                None => None,
                Some(skin) => {
                    let joints = self.skins.get(skin as usize).ok_or_else(|| {
                        ReadError::malformed(format!(
                            "skin {skin} does not exist: there are {}",
                            self.skins.len()
                        ))
                    })?;
                    let all = (0..geometry.positions.len()).flat_map(|v| geometry.influences(v));
                    if let Some((joint, _)) =
                        all.into_iter().find(|(j, _)| *j as usize >= joints.len())
                    {
                        return Err(ReadError::malformed(format!(
                            "mesh {mesh} follows joint {joint}, but its skin has {}",
                            joints.len()
                        )));
                    }
                    Some(skin as usize)
                }
            };
            let mut weights = moves
                .and_then(|node| node.weights.as_deref())
                .map_or_else(|| geometry.weights.clone(), <[f64]>::to_vec);
            weights.resize(geometry.targets.len(), 0.0);
            let name = node
                .name
                .as_deref()
                .or(document.meshes[mesh as usize].name.as_deref())
                .map_or_else(|| format!("node {number}"), str::to_owned);
            let size = geometry.positions.len() * 24 + geometry.faces.len() * 16 + name.len();
            placer.charge(size as u64, "the placed geometry")?;
            let (first, object) = (self.vertices as u32, self.placed.len() as u32);
            self.vertices += geometry.positions.len();
            self.faces
                .extend(geometry.faces.iter().map(|f| f.map(|v| v + first)));
            self.object_of_face.resize(self.faces.len(), object);
            self.names.push(name);
            self.placed.push(MeshNode {
                node: number,
                mesh: mesh as usize,
                skin,
                weights,
            });
        }
        Ok(())
    }

    /// Takes the tracks of a clip.
    fn take(
        &mut self,
        clip: &AnimationClip,
        reading: &mut Reading<'_, '_>,
    ) -> Result<(), ReadError> {
        for channel in &clip.channels {
            if &*channel.target.path == "pointer" {
                return Err(ReadError::unsupported(
                    "it uses KHR_animation_pointer, which is not read; export it with animated nodes",
                ));
            }
            // What has no node is moved by an extension, and what that is does not matter.
            let Some(node) = channel.target.node else {
                continue;
            };
            let targets = self
                .placed
                .iter()
                .find(|placed| placed.node == node)
                .map_or(0, |placed| self.meshes[placed.mesh].targets.len());
            let has_matrix = self.skeleton.has_matrix(node);
            let Some(tracks) = self.skeleton.tracks_mut(node) else {
                return Err(ReadError::malformed(format!("node {node} does not exist")));
            };
            let (slot, shape, width) = match &*channel.target.path {
                "translation" => (&mut tracks.translation, AccessorType::Vec3, 3),
                "rotation" => (&mut tracks.rotation, AccessorType::Vec4, 4),
                "scale" => (&mut tracks.scale, AccessorType::Vec3, 3),
                "weights" if targets == 0 => continue,
                "weights" => (&mut tracks.weights, AccessorType::Scalar, targets),
                other => {
                    return Err(ReadError::malformed(format!(
                        "nothing of a node is called '{}'",
                        super::super::super::text::shown(other.as_bytes())
                    )));
                }
            };
            if has_matrix && width != targets {
                return Err(ReadError::malformed(format!(
                    "node {node} is moved but placed by a matrix; its place must be translation, rotation and scale"
                )));
            }
            let Some(sampler) = clip.samplers.get(channel.sampler as usize) else {
                return Err(ReadError::malformed(format!(
                    "sampler {} does not exist: there are {}",
                    channel.sampler,
                    clip.samplers.len()
                )));
            };
            let times = reading.numbers(sampler.input, AccessorType::Scalar)?;
            let values = reading.numbers(sampler.output, shape)?;
            let track = AnimationTrack::new(times, values, width, sampler.interpolation)
                .map_err(|e| within(e, &format!("the {} of node {node}", channel.target.path)))?;
            let (start, end) = track.range();
            let (first, last) = self.range.unwrap_or((start, end));
            self.range = Some((first.min(start), last.max(end)));
            *slot = Some(track);
        }
        Ok(())
    }

    /// All vertices at a time, in seconds.
    pub(in super::super::super) fn pose(&self, time: f64) -> Result<Vec<DVec3>, ReadError> {
        let maps = self.skeleton.maps(time)?;
        let mut points = Vec::with_capacity(self.vertices);
        for placed in &self.placed {
            let geometry = &self.meshes[placed.mesh];
            let moved = self.skeleton.weights(placed.node, time);
            let blended = geometry.blended(moved.as_deref().unwrap_or(&placed.weights));
            let map = maps[placed.node as usize];
            let Some(skin) = placed.skin else {
                points.extend(blended.into_iter().map(|p| map.apply(p)));
                continue;
            };
            let joints = self.skins[skin]
                .iter()
                .map(|&(joint, bind)| maps[joint as usize].after(&bind))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| ReadError::malformed(format!("a joint of skin {skin} overflows")))?;
            for (vertex, p) in blended.into_iter().enumerate() {
                let influences = geometry.influences(vertex);
                // A vertex that follows no joint stays with the node.
                points.push(if influences.is_empty() {
                    map.apply(p)
                } else {
                    let share =
                        |&(joint, weight): &(u32, f64)| joints[joint as usize].apply(p) * weight;
                    influences.iter().map(share).sum()
                });
            }
        }
        Ok(points)
    }
}
