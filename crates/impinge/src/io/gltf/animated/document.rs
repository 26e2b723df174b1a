//! The parts of the JSON document that say what moves.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::super::error::ReadError;

#[derive(Debug, Deserialize)]
pub(super) struct AnimatedDocument {
    #[serde(default)]
    pub(super) animations: Vec<AnimationClip>,
    #[serde(default)]
    pub(super) skins: Vec<Skin>,
    #[serde(default)]
    pub(super) nodes: Vec<MovingNode>,
    #[serde(default)]
    pub(super) meshes: Vec<MovingMesh>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnimationClip {
    pub(super) name: Option<Box<str>>,
    #[serde(default)]
    pub(super) channels: Vec<Channel>,
    #[serde(default)]
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: u32,
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<u32>,
    pub(super) path: Box<str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub(super) input: u32,
    pub(super) output: u32,
    #[serde(default)]
    pub(super) interpolation: Interpolation,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) enum Interpolation {
    #[default]
    #[serde(rename = "LINEAR")]
    Linear,
    #[serde(rename = "STEP")]
    Step,
    #[serde(rename = "CUBICSPLINE")]
    Cubic,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) joints: Vec<u32>,
    pub(super) inverse_bind_matrices: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct MovingNode {
    pub(super) skin: Option<u32>,
    pub(super) weights: Option<Box<[f64]>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct MovingMesh {
    pub(super) weights: Option<Box<[f64]>>,
    #[serde(default)]
    pub(super) primitives: Vec<MovingPrimitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MovingPrimitive {
    #[serde(default)]
    pub(super) attributes: BTreeMap<Box<str>, u32>,
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<Box<str>, u32>>,
}

pub(super) fn parse(json: &[u8]) -> Result<AnimatedDocument, ReadError> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    serde_json::from_slice(json)
        .map_err(|e| ReadError::malformed(format!("the JSON document: {e}")))
}
