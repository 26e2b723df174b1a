//! A deforming scene cut into clusters, each swept along an axis of its own.

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::deform::clustering::{ClusterCount, ClusterMetric, nearest};
use impinge::deform::{
    Clustering, ClusteringOptions, Scene, SceneCounters, SceneEngine, SceneRequest,
};
use js_sys::{Float64Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::deform::advance;
use crate::js::{fail, flat, integers, object};
use crate::mesh::Mesh;

/// A deforming scene whose faces are cut into clusters by fuzzy c-means: each cluster is sorted along its principal axis and swept.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ClusterScene {
    scene: Scene,
    engine: Clustering,
}

#[wasm_bindgen]
impl ClusterScene {
    /// The scene of a mesh, cut into so many clusters; without a number into as many as promise the least work.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &Mesh,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] clusters: Option<usize>,
    ) -> Result<Self, JsError> {
        let meshes = [mesh.mesh.tri_mesh().as_ref().clone()];
        let defaults = ClusteringOptions::default();
        let options = ClusteringOptions {
            clusters: clusters.map_or(defaults.clusters, ClusterCount::Fixed),
            ..defaults
        };
        Ok(Self {
            scene: Scene::new(&meshes).map_err(fail)?,
            engine: Clustering::new(options),
        })
    }

    /// Moves the vertices, three numbers each.
    pub fn advance(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] positions: &[f64],
    ) -> Result<(), JsError> {
        advance(&mut self.scene, positions)
    }

    /// Every two faces that meet, and how many pairs each step of the search left.
    #[wasm_bindgen(unchecked_return_type = "ClusterPairs")]
    pub fn pairs(&mut self) -> JsValue {
        let answer = self.engine.pairs(&self.scene, &SceneRequest::default());
        let SceneCounters {
            faces,
            entries,
            rounds,
            axis_pairs,
            second_axis_pairs,
            candidates,
            exact_tests,
            ..
        } = answer.counters;
        let met = answer.pairs.iter();
        let met: Vec<u32> = met.flat_map(|pair| [pair.a.raw(), pair.b.raw()]).collect();
        let all = faces as f64 * (faces as f64 - 1.0) / 2.0;
        object([
            ("faces", integers(&met).into()),
            ("all", all.into()),
            ("entries", (entries as f64).into()),
            ("rounds", (rounds as f64).into()),
            ("axisPairs", (axis_pairs as f64).into()),
            ("secondAxisPairs", (second_axis_pairs as f64).into()),
            ("candidates", (candidates as f64).into()),
            ("exactTests", (exact_tests as f64).into()),
        ])
    }

    /// The centres of the clusters of the last search, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn centers(&self) -> Float64Array {
        let middle = self.middle();
        flat(self.engine.centers().iter().map(|center| *center + middle))
    }

    /// The direction along which each cluster was swept.
    #[wasm_bindgen(getter)]
    pub fn axes(&self) -> Float64Array {
        let axes = self.engine.sweep_axes();
        flat(axes.map(|axis| axis.unwrap_or(DVec3::ZERO)))
    }

    /// The cluster of each face: the one with the nearest centre. Faces near a border are in others too.
    #[wasm_bindgen(getter, js_name = clusterOfFace)]
    pub fn cluster_of_face(&self) -> Uint32Array {
        let (middle, places) = (self.middle(), self.scene.positions());
        let corner = |v: u32| places.get(v as usize).copied().unwrap_or(middle) - middle;
        let of_face = self.scene.faces().iter().map(|&[a, b, c]| {
            let center = (corner(a) + corner(b) + corner(c)) / 3.0;
            nearest(center, self.engine.centers(), ClusterMetric::L2) as u32
        });
        integers(&of_face.collect::<Vec<_>>())
    }
}

impl ClusterScene {
    /// What centres are relative to.
    fn middle(&self) -> DVec3 {
        Aabb::enclosing(self.scene.positions().iter().copied()).center()
    }
}
