//! Nodes and what moves them.

use glam::{DMat3, DQuat, DVec3};

use super::super::super::affine::Affine;
use super::super::super::error::ReadError;
use super::super::document::{Document, GltfNode};
use super::super::scene::local_map;
use super::track::AnimationTrack;
use crate::math::rotation_of;

/// The nodes of a document: how they are connected, and their tracks.
#[derive(Debug)]
pub(super) struct Skeleton {
    rest: Vec<RestPose>,
    parents: Vec<Option<u32>>,
    /// Parents before their children.
    order: Vec<u32>,
    tracks: Vec<NodeTracks>,
}

/// A node at rest.
#[derive(Clone, Copy, Debug)]
struct RestPose {
    map: Affine,
    has_matrix: bool,
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
}

#[derive(Debug, Default)]
pub(super) struct NodeTracks {
    pub(super) translation: Option<AnimationTrack>,
    pub(super) rotation: Option<AnimationTrack>,
    pub(super) scale: Option<AnimationTrack>,
    pub(super) weights: Option<AnimationTrack>,
}

impl Skeleton {
    pub(super) fn new(document: &Document) -> Result<Self, ReadError> {
        let count = document.nodes.len();
        let mut parents: Vec<Option<u32>> = vec![None; count];
        for (number, node) in (0..).zip(&document.nodes) {
            for &child in &node.children {
                let Some(slot) = parents.get_mut(child as usize) else {
                    return Err(ReadError::malformed(format!(
                        "node {child} does not exist: there are {count}"
                    )));
                };
                if slot.replace(number).is_some() {
                    return Err(ReadError::malformed(format!(
                        "node {child} is reached twice; nodes must form a tree"
                    )));
                }
            }
        }
        let mut order: Vec<u32> = (0..)
            .zip(&parents)
            .filter(|(_, parent)| parent.is_none())
            .map(|(node, _)| node)
            .collect();
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            order.extend_from_slice(&document.nodes[node as usize].children);
            at += 1;
        }
        if order.len() != count {
            return Err(ReadError::malformed(
                "some nodes are their own ancestors; nodes must form a tree",
            ));
        }
        let rest = (0..)
            .zip(&document.nodes)
            .map(|(number, node)| at_rest(number, node))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            rest,
            parents,
            order,
            tracks: (0..count).map(|_| NodeTracks::default()).collect(),
        })
    }

    /// The tracks of a node that may be moved; none when there is no such node.
    pub(super) fn tracks_mut(&mut self, node: u32) -> Option<&mut NodeTracks> {
        self.tracks.get_mut(node as usize)
    }

    pub(super) fn has_matrix(&self, node: u32) -> bool {
        self.rest.get(node as usize).is_some_and(|r| r.has_matrix)
    }

    /// The weights of a node's targets at a time, when they are animated.
    pub(super) fn weights(&self, node: u32, time: f64) -> Option<Vec<f64>> {
        let track = self.tracks.get(node as usize)?.weights.as_ref()?;
        Some(track.numbers(time))
    }

    /// From each node to the world, at a time.
    pub(super) fn maps(&self, time: f64) -> Result<Vec<Affine>, ReadError> {
        let mut maps = vec![Affine::IDENTITY; self.rest.len()];
        for &node in &self.order {
            let at = node as usize;
            let map = self
                .local(at, time)
                .and_then(|local| match self.parents[at] {
                    Some(parent) => maps[parent as usize].after(&local),
                    None => Some(local),
                });
            maps[at] = map.ok_or_else(|| {
                ReadError::malformed(format!(
                    "the transform of node {node} is not a finite affine map at {time} s"
                ))
            })?;
        }
        Ok(maps)
    }

    fn local(&self, node: usize, time: f64) -> Option<Affine> {
        let (rest, tracks) = (self.rest.get(node)?, self.tracks.get(node)?);
        if tracks.translation.is_none() && tracks.rotation.is_none() && tracks.scale.is_none() {
            return Some(rest.map);
        }
        let vector = |track: &Option<AnimationTrack>, still: DVec3| {
            track.as_ref().map_or(still, |track| track.vector(time))
        };
        let offset = vector(&tracks.translation, rest.translation);
        let scale = vector(&tracks.scale, rest.scale);
        let turn = rotation_of(match &tracks.rotation {
            Some(track) => track.rotation(time),
            None => rest.rotation,
        })?;
        let linear = DMat3::from_cols(
            turn.x_axis * scale.x,
            turn.y_axis * scale.y,
            turn.z_axis * scale.z,
        );
        Affine::new(linear, offset)
    }
}

fn at_rest(number: u32, node: &GltfNode) -> Result<RestPose, ReadError> {
    let map = local_map(node).ok_or_else(|| {
        ReadError::malformed(format!(
            "the transform of node {number} is not a finite affine map"
        ))
    })?;
    let vector = |v: &Option<Box<[f64; 3]>>, usual: DVec3| {
        v.as_deref().map_or(usual, |&v| DVec3::from_array(v))
    };
    Ok(RestPose {
        map,
        has_matrix: node.matrix.is_some(),
        translation: vector(&node.translation, DVec3::ZERO),
        rotation: node
            .rotation
            .as_deref()
            .map_or(DQuat::IDENTITY, |&q| DQuat::from_array(q)),
        scale: vector(&node.scale, DVec3::ONE),
    })
}
