//! Point clouds: as points, and as the surface behind them.

use std::sync::Arc;

use impinge::cloud::{
    BandwidthCalibration, CloudShape, CloudSurface, EvaluationScratch, GraphOptions,
    ImplicitSurface, InterpolationSearchOptions, InterpolationSearchScratch, Neighbour, PointCloud,
    ProximityGraph, SurfaceCrossing, SurfaceOptions, WeightDistance, find_crossings,
};
use impinge::query::Limits;
use js_sys::{Array, Float64Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, integers, list, numbers, object, points, pose};
use crate::mesh::Mesh;
use crate::shape::Shape;

/// A point cloud.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Cloud {
    cloud: Arc<PointCloud>,
    shape: CloudShape,
    surface: Option<Arc<CloudSurface>>,
}

#[wasm_bindgen]
impl Cloud {
    /// The cloud of points, three numbers each.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
    ) -> Result<Self, JsError> {
        let cloud = PointCloud::new(points(places, "points")?, None).map_err(fail)?;
        let cloud = Arc::new(cloud);
        Ok(Self {
            shape: CloudShape::new(Arc::clone(&cloud)),
            cloud,
            surface: None,
        })
    }

    /// The points, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn points(&self) -> Float64Array {
        flat(self.cloud.points().iter().copied())
    }

    /// The points as a shape: nothing between them.
    pub fn shape(&self) -> Shape {
        Shape::plain(self.shape.clone())
    }

    /// The `k` nearest points of a place: their distances and their numbers.
    #[wasm_bindgen(unchecked_return_type = "[Float64Array, Uint32Array]")]
    pub fn nearest(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] place: &[f64],
        k: usize,
    ) -> Result<Array, JsError> {
        let mut found: Vec<Neighbour> = Vec::new();
        let place = crate::js::vector(place, "place")?;
        if !place.is_finite() {
            return Err(fail("place: not finite"));
        }
        self.shape
            .tree()
            .k_nearest(place, k.min(self.cloud.len()), &mut found);
        let far: Vec<f64> = found.iter().map(Neighbour::distance).collect();
        let ids: Vec<u32> = found.iter().map(|near| near.point.raw()).collect();
        Ok(list([numbers(&far).into(), integers(&ids).into()]))
    }

    /// Fits the surface behind the points, with a bandwidth chosen from their spacing. Points are weighted by their distance along the
    /// proximity graph (`geodesic`), or by the straight one (`euclidean`).
    #[wasm_bindgen(js_name = fitSurface)]
    pub fn fit_surface(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "\"geodesic\" | \"euclidean\"")]
        distance: Option<String>,
    ) -> Result<(), JsError> {
        let distance = match distance.as_deref() {
            None | Some("geodesic") => WeightDistance::Geodesic,
            Some("euclidean") => WeightDistance::Euclidean,
            Some(other) => {
                return Err(fail(format!(
                    "distance: expected geodesic or euclidean, found '{other}'"
                )));
            }
        };
        let graph = ProximityGraph::new(&self.cloud, &GraphOptions::default()).map_err(fail)?;
        let bandwidth = BandwidthCalibration::of(&graph, 1e-3).bandwidth();
        let options = SurfaceOptions {
            bandwidth,
            distance,
            ..SurfaceOptions::default()
        };
        let surface = CloudSurface::new(graph.into(), options).map_err(fail)?;
        self.surface = Some(Arc::new(surface));
        Ok(())
    }

    /// The edges of the proximity graph of the fitted surface: pairs of point numbers.
    #[wasm_bindgen(js_name = graphEdges)]
    pub fn graph_edges(&self) -> Result<Uint32Array, JsError> {
        let surface = self.fitted()?;
        let mut edges = Vec::new();
        for id in surface.graph().ids() {
            for other in surface.graph().neighbours(id) {
                if id < *other {
                    edges.extend([id.raw(), other.raw()]);
                }
            }
        }
        Ok(integers(&edges))
    }

    /// The implicit function of the fitted surface at places: about the signed distance; NaN where the points say nothing.
    pub fn evaluate(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
    ) -> Result<Float64Array, JsError> {
        let surface = self.fitted()?;
        let mut scratch = EvaluationScratch::default();
        let mut values = Vec::new();
        for place in points(places, "places")? {
            let found = surface.evaluate(place, &mut scratch);
            values.push(found.value().unwrap_or(f64::NAN));
        }
        Ok(numbers(&values))
    }

    /// Where the fitted surface crosses that of another cloud: a sampled collision curve, from so many candidate points (200). `answer` says
    /// whether they cross at all, with a confidence.
    #[wasm_bindgen(unchecked_return_type = "Crossings")]
    pub fn crossings(
        &self,
        other: &Cloud,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] candidates: Option<usize>,
    ) -> Result<JsValue, JsError> {
        let defaults = InterpolationSearchOptions::default();
        let options = InterpolationSearchOptions {
            candidates: candidates.unwrap_or(defaults.candidates),
            ..defaults
        };
        let (a, b, at) = (self.fitted()?, other.fitted()?, pose(at.as_deref())?);
        let mut scratch = InterpolationSearchScratch::default();
        let mut found: Vec<SurfaceCrossing> = Vec::new();
        let limits = Limits::default();
        let done = find_crossings(a, b, &at, None, &options, limits, &mut scratch, &mut found);
        Ok(object([
            ("points", flat(found.iter().map(|c| c.point)).into()),
            ("answer", done.verdict.answer.into()),
            ("confidence", done.verdict.confidence.into()),
            ("brackets", (done.brackets as f64).into()),
            ("evaluations", (done.evaluations as f64).into()),
        ]))
    }

    /// The fitted surface as a mesh of cells with a side of so many metres.
    pub fn preview(&self, side: f64) -> Result<Mesh, JsError> {
        Ok(self.fitted()?.preview(side).map_err(fail)?.into())
    }
}

impl Cloud {
    fn fitted(&self) -> Result<&CloudSurface, JsError> {
        self.surface
            .as_deref()
            .ok_or_else(|| fail("call fitSurface first"))
    }
}
