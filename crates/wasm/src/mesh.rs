//! Triangle meshes.

use std::sync::Arc;

use impinge::TriMesh;
use impinge::bvh::wide::{
    SelfIntersectOptions, SingleTreeCache, WideCache, WideConfig, WindingIndex,
};
use impinge::generate::model;
use impinge::geom::Ray;
use impinge::io::{Format, Model, ReadOptions, WriteOptions, read_bytes, write_bytes};
use impinge::query::Limits;
use js_sys::{Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::js::{
    face_numbers, face_pairs, faces, fail, flat, integers, numbers, object, points, pose, ray,
    triple, vector,
};
use crate::shape::{Shape, out_closest, out_ray_hit};

/// A triangle mesh, checked once; its index is built when first needed.
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct Mesh {
    pub(crate) mesh: impinge::Mesh,
}

impl From<TriMesh> for Mesh {
    fn from(mesh: TriMesh) -> Self {
        Self { mesh: mesh.into() }
    }
}

pub(crate) fn format_named(name: &str) -> Option<Format> {
    Format::from_path(name).or_else(|| Format::from_path(format!("x.{name}")))
}

#[wasm_bindgen]
impl Mesh {
    /// A mesh of vertices and faces, three numbers each.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] vertices: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] triangles: &[u32],
    ) -> Result<Self, JsError> {
        let positions = points(vertices, "vertices")?;
        Ok(TriMesh::new(positions, faces(triangles)?)
            .map_err(fail)?
            .into())
    }

    /// The mesh in the bytes of a file: OBJ, STL, PLY, OFF, 3MF, glTF or GLB, each also gzipped. The name decides the format where
    /// the content does not. Corners of STL files that coincide are welded.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, JsError> {
        let format = Format::from_content(bytes, format_named(name)).or_else(|| format_named(name));
        let Some(format) = format else {
            return Err(fail(format!(
                "{name}: neither the name nor the content is of a known format; OBJ, STL, PLY, OFF, 3MF, glTF and GLB are read"
            )));
        };
        let model = read_bytes(bytes, format, &ReadOptions::default()).map_err(fail)?;
        let mesh = impinge::Mesh::from(model.merged().0);
        let is_stl = matches!(format, Format::Stl);
        Ok(Self {
            mesh: if is_stl { mesh.welded() } else { mesh },
        })
    }

    /// A built-in model with about so many faces; `models()` names them.
    pub fn generate(name: &str, faces: Option<usize>, seed: Option<u32>) -> Result<Self, JsError> {
        let Some(kind) = model(name) else {
            return Err(fail(format!(
                "there is no model '{name}'; models() names them"
            )));
        };
        Ok(kind
            .make(faces, u64::from(seed.unwrap_or(0)))
            .map_err(fail)?
            .into())
    }

    /// The file of a format: `obj`, `stl`, `ply`, `off` or `glb`.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self, format: &str) -> Result<Uint8Array, JsError> {
        let Some(known) = format_named(format) else {
            return Err(fail(format!(
                "format: expected obj, stl, ply, off or glb, found '{format}'"
            )));
        };
        let model = Model::from(self.mesh.tri_mesh().as_ref().clone());
        let bytes = write_bytes(&model, known, &WriteOptions::default()).map_err(fail)?;
        Ok(Uint8Array::from(bytes.as_slice()))
    }

    /// The coordinates of the vertices, three numbers each: a copy.
    #[wasm_bindgen(getter)]
    pub fn vertices(&self) -> Float64Array {
        flat(self.mesh.tri_mesh().positions().iter().copied())
    }

    /// The vertices of the faces, three numbers each: a copy.
    #[wasm_bindgen(getter)]
    pub fn faces(&self) -> Uint32Array {
        integers(self.mesh.tri_mesh().faces().as_flattened())
    }

    /// How many vertices there are.
    #[wasm_bindgen(getter, js_name = vertexCount)]
    pub fn vertex_count(&self) -> usize {
        self.mesh.tri_mesh().vertex_count()
    }

    /// How many faces there are.
    #[wasm_bindgen(getter, js_name = faceCount)]
    pub fn face_count(&self) -> usize {
        self.mesh.tri_mesh().face_count()
    }

    /// Whether it has an inside: every edge has an even number of faces.
    #[wasm_bindgen(getter, js_name = isClosed)]
    pub fn is_closed(&self) -> bool {
        self.mesh.is_closed()
    }

    /// The box around it: the smallest corner, then the largest.
    #[wasm_bindgen(getter)]
    pub fn bounds(&self) -> Float64Array {
        let bounds = self.mesh.bounds();
        flat([bounds.min, bounds.max])
    }

    /// Findings of the mesh, one sentence each, the most severe first.
    pub fn findings(&self) -> Vec<String> {
        let found = self.mesh.tri_mesh().findings();
        found.iter().map(ToString::to_string).collect()
    }

    /// The same mesh as a shape, sharing its index.
    pub fn shape(&self) -> Shape {
        Shape::plain(&self.mesh)
    }

    /// The mesh with vertices joined that are no farther apart than a distance.
    pub fn welded(&self, distance: Option<f64>) -> Result<Self, JsError> {
        let mesh = self
            .mesh
            .welded_within(distance.unwrap_or(0.0))
            .map_err(fail)?;
        Ok(Self { mesh })
    }

    /// The mesh moved.
    pub fn placed(
        &self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] at: &[f64],
    ) -> Result<Self, JsError> {
        let moved = self
            .mesh
            .tri_mesh()
            .placed(&pose(Some(at))?)
            .map_err(fail)?;
        Ok(moved.into())
    }

    /// Volume, area, centroid and inertia of the solid at density 1.
    #[wasm_bindgen(unchecked_return_type = "Mass")]
    pub fn mass(&self) -> Result<JsValue, JsError> {
        let mass = impinge::mesh::mass(self.mesh.tri_mesh()).map_err(fail)?;
        Ok(object([
            ("volume", mass.volume.into()),
            ("area", mass.area.into()),
            ("centroid", triple(mass.centroid)),
            ("inertia", numbers(&mass.inertia.to_cols_array()).into()),
        ]))
    }

    /// Builds the index now, unless it is there; returns its bytes. A `fast` one is for a few queries: the same answers, built in half the time.
    #[wasm_bindgen(js_name = buildIndex)]
    pub fn build_index(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "\"best\" | \"fast\"")] kind: Option<String>,
    ) -> Result<usize, JsError> {
        let config = match kind.as_deref() {
            None | Some("best") => WideConfig::default(),
            Some("fast") => WideConfig::fast(),
            Some(other) => {
                return Err(fail(format!(
                    "kind: expected best or fast, found '{other}'"
                )));
            }
        };
        Ok(self.mesh.index_with(&config).bytes())
    }

    /// The corners of the boxes of its BVH at a depth, 24 numbers each. Bit `k` of a corner's number says on which side of axis `k` it is.
    pub fn boxes(&self, depth: usize) -> Float64Array {
        flat(self.mesh.index().boxes_at(depth).into_iter().flatten())
    }

    /// The depth of its BVH.
    #[wasm_bindgen(getter)]
    pub fn depth(&self) -> usize {
        self.mesh.index().depth()
    }

    /// Where a ray first meets the surface, from either side.
    #[wasm_bindgen(js_name = castRay, unchecked_return_type = "RayHit | undefined")]
    pub fn cast_ray(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
    ) -> Result<JsValue, JsError> {
        let hit = self.mesh.cast_ray(&ray(origin, direction)?);
        Ok(hit.map_or(JsValue::UNDEFINED, |hit| out_ray_hit(&hit)))
    }

    /// Where each of many rays first meets the surface.
    #[wasm_bindgen(js_name = castRays, unchecked_return_type = "RayHits")]
    pub fn cast_rays(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origins: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] directions: &[f64],
    ) -> Result<JsValue, JsError> {
        let (origins, directions) = (
            points(origins, "origins")?,
            points(directions, "directions")?,
        );
        if origins.len() != directions.len() {
            let (o, d) = (origins.len(), directions.len());
            return Err(fail(format!("{o} origins but {d} directions")));
        }
        let mut hits = Vec::with_capacity(origins.len());
        for (&origin, &direction) in origins.iter().zip(&directions) {
            hits.push(
                self.mesh
                    .cast_ray(&Ray::new(origin, direction).map_err(fail)?),
            );
        }
        let each = || hits.iter();
        let nan = impinge::DVec3::NAN;
        let t: Vec<f64> = each()
            .map(|hit| hit.as_ref().map_or(f64::INFINITY, |hit| hit.t))
            .collect();
        Ok(object([
            ("t", numbers(&t).into()),
            (
                "face",
                face_numbers(each().map(|hit| hit.as_ref().map(|hit| hit.face))).into(),
            ),
            (
                "point",
                flat(each().map(|hit| hit.as_ref().map_or(nan, |hit| hit.point))).into(),
            ),
            (
                "normal",
                flat(each().map(|hit| hit.as_ref().map_or(nan, |hit| hit.normal))).into(),
            ),
        ]))
    }

    /// The point of the surface nearest to a point.
    #[wasm_bindgen(js_name = closestPoint, unchecked_return_type = "ClosestPoint | undefined")]
    pub fn closest_point(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
    ) -> Result<JsValue, JsError> {
        let found = self.mesh.closest_point(vector(point, "point")?);
        Ok(found
            .map_err(fail)?
            .value
            .map_or(JsValue::UNDEFINED, |near| {
                out_closest(near.distance, near.point, near.face.raw())
            }))
    }

    /// Whether a point is inside or on the surface; exact. The mesh must be closed.
    pub fn contains(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
    ) -> Result<bool, JsError> {
        self.mesh.contains(vector(point, "point")?).map_err(fail)
    }

    /// How often the surface winds around each of many points; also for open meshes.
    #[wasm_bindgen(js_name = windingNumbers)]
    pub fn winding_numbers(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
    ) -> Result<Float64Array, JsError> {
        let index = WindingIndex::new(self.mesh.index());
        let mut cache = SingleTreeCache::default();
        let mut turns = Vec::new();
        for p in points(places, "points")? {
            let found = index.winding_number(p, 1e-9, Limits::default(), &mut cache);
            turns.push(found.map_err(fail)?.value);
        }
        Ok(numbers(&turns))
    }

    /// Pairs of faces in which the mesh crosses itself, two numbers each, sorted.
    #[wasm_bindgen(js_name = selfIntersections)]
    pub fn self_intersections(&self) -> Uint32Array {
        let (mut pairs, options) = (Vec::new(), SelfIntersectOptions::default());
        let (limits, mut cache) = (Limits::default(), WideCache::default());
        let tree = Arc::clone(self.mesh.index());
        let _ = tree.self_intersections(&options, limits, &mut cache, &mut pairs);
        face_pairs(pairs)
    }
}
