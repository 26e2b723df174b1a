//! Deforming scenes.

use std::fmt;

use impinge::TriMesh;
use impinge::deform::step::{ContactFeatures, StepOptions, StepQuery};
use impinge::deform::{PairKind, SceneEngine, SceneRequest, scene_engines};
use impinge::generate::{self, moving_scene};
use js_sys::{Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, integers, numbers, object, points};
use crate::mesh::Mesh;

/// A scene whose vertices move on their own: which faces meet, within one object too, and what touches between two frames.
#[wasm_bindgen]
pub struct Scene {
    scene: impinge::deform::Scene,
    engine: Box<dyn SceneEngine>,
    query: StepQuery,
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").finish_non_exhaustive()
    }
}

/// Moves the vertices of a scene, three numbers each.
pub(crate) fn advance(
    scene: &mut impinge::deform::Scene,
    positions: &[f64],
) -> Result<(), JsError> {
    let frame = points(positions, "positions")?;
    scene.advance(&frame).map_err(fail)
}

impl Scene {
    fn of(meshes: &[TriMesh], engine: &str) -> Result<Self, JsError> {
        let Some(kind) = scene_engines().iter().find(|kind| kind.name == engine) else {
            let names = Self::engines().join(", ");
            return Err(fail(format!(
                "engine: expected one of {names}, found '{engine}'"
            )));
        };
        Ok(Self {
            scene: impinge::deform::Scene::new(meshes).map_err(fail)?,
            engine: (kind.make)(),
            query: StepQuery::default(),
        })
    }
}

#[wasm_bindgen]
impl Scene {
    /// The scene of one mesh after the other; they stay usable.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Mesh[]")] meshes: Vec<Mesh>,
        engine: Option<String>,
    ) -> Result<Self, JsError> {
        let meshes: Vec<TriMesh> = meshes
            .iter()
            .map(|mesh| mesh.mesh.tri_mesh().as_ref().clone())
            .collect();
        Self::of(&meshes, engine.as_deref().unwrap_or("auto"))
    }

    /// The names of the engines.
    pub fn engines() -> Vec<String> {
        let kinds = scene_engines().iter();
        kinds.map(|kind| kind.name.to_owned()).collect()
    }

    /// Where the vertices are, those of all meshes in order.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Float64Array {
        flat(self.scene.positions().iter().copied())
    }

    /// The faces of all meshes in order.
    #[wasm_bindgen(getter)]
    pub fn faces(&self) -> Uint32Array {
        integers(self.scene.faces().as_flattened())
    }

    /// The mesh of each face.
    #[wasm_bindgen(getter)]
    pub fn objects(&self) -> Uint32Array {
        integers(self.scene.objects_of_faces())
    }

    /// Moves the vertices; a frame that is refused leaves the scene as it was.
    pub fn advance(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] positions: &[f64],
    ) -> Result<(), JsError> {
        advance(&mut self.scene, positions)
    }

    /// Every two faces that meet now, neighbours only beyond what they share.
    #[wasm_bindgen(unchecked_return_type = "ScenePairs")]
    pub fn pairs(&mut self, within: Option<bool>, between: Option<bool>) -> JsValue {
        let request = SceneRequest {
            within: within.unwrap_or(true),
            between: between.unwrap_or(true),
            ..SceneRequest::default()
        };
        let answer = self.engine.pairs(&self.scene, &request);
        let faces: Vec<u32> = answer
            .pairs
            .iter()
            .flat_map(|pair| [pair.a.raw(), pair.b.raw()])
            .collect();
        let kinds = answer
            .pairs
            .iter()
            .map(|pair| u8::from(pair.kind == PairKind::Within));
        let kinds: Vec<u8> = kinds.collect();
        object([
            ("faces", integers(&faces).into()),
            ("within", Uint8Array::from(kinds.as_slice()).into()),
            ("boxTests", (answer.counters.box_tests as f64).into()),
            ("candidates", (answer.counters.candidates as f64).into()),
            ("exactTests", (answer.counters.exact_tests as f64).into()),
        ])
    }

    /// Everything that touches while the vertices move on straight lines to `end`, in the order of time. The scene stays where it is.
    #[wasm_bindgen(unchecked_return_type = "StepImpacts")]
    pub fn step(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        within: Option<bool>,
        between: Option<bool>,
    ) -> Result<JsValue, JsError> {
        let end = points(end, "end")?;
        let options = StepOptions {
            within: within.unwrap_or(true),
            between: between.unwrap_or(true),
            ..StepOptions::default()
        };
        let answer = self.query.step(&self.scene, &end, &options).map_err(fail)?;
        let (mut vertices, mut edges, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for impact in &answer.impacts {
            lower.push(impact.when.lower);
            upper.push(impact.when.upper);
            kinds.push(u8::from(impact.kind == PairKind::Within));
            match impact.features {
                ContactFeatures::VertexFace { vertex, face } => {
                    let corners = self.scene.faces().get(face.index()).copied();
                    let [a, b, c] = corners.unwrap_or_default();
                    vertices.extend([vertex.raw(), a, b, c]);
                    edges.push(0);
                }
                ContactFeatures::EdgeEdge { a, b } => {
                    vertices.extend([a[0].raw(), a[1].raw(), b[0].raw(), b[1].raw()]);
                    edges.push(1);
                }
            }
        }
        Ok(object([
            ("lower", numbers(&lower).into()),
            ("upper", numbers(&upper).into()),
            ("edges", Uint8Array::from(edges.as_slice()).into()),
            ("vertices", integers(&vertices).into()),
            ("within", Uint8Array::from(kinds.as_slice()).into()),
        ]))
    }
}

/// A scene that moves by formula as time runs from 0 to 1.
#[wasm_bindgen]
#[derive(Debug)]
pub struct MovingScene {
    scene: generate::MovingScene,
}

#[wasm_bindgen]
impl MovingScene {
    /// A built-in scene; `MovingScene.names()` lists them.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, faces: Option<usize>, seed: Option<u32>) -> Result<Self, JsError> {
        let Some(kind) = moving_scene(name) else {
            let names = Self::names().join(", ");
            return Err(fail(format!(
                "scene: expected one of {names}, found '{name}'"
            )));
        };
        let scene = kind
            .make(faces, u64::from(seed.unwrap_or(0)))
            .map_err(fail)?;
        Ok(Self { scene })
    }

    /// The names of the built-in scenes.
    pub fn names() -> Vec<String> {
        let kinds = generate::MOVING_SCENES.iter();
        kinds.map(|kind| kind.name.to_owned()).collect()
    }

    /// The scene at rest, to be queried by an engine.
    pub fn scene(&self, engine: Option<String>) -> Result<Scene, JsError> {
        let meshes: Vec<TriMesh> = self
            .scene
            .parts()
            .iter()
            .map(|part| part.mesh.clone())
            .collect();
        Scene::of(&meshes, engine.as_deref().unwrap_or("auto"))
    }

    /// All vertices at a time from 0 to 1.
    pub fn positions(&self, time: f64) -> Float64Array {
        flat(self.scene.positions(time))
    }
}
