//! `Pair`: repeated queries of two shapes.

use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::bvh::{MeshIndex, intersection_curves};
use impinge::pair::{ContactPoint, PairConfig};
use impinge::query::{Bounded, FacePair, Limits, Separation};
use js_sys::{Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::js::{face_pairs, fail, flat, integers, list, motion, numbers, object, pose, triple};
use crate::shape::Shape;

/// Two shapes for repeated queries: caches make the next answer cheap if the pose changed little. A pose places the
/// second in the frame of the first; answers are in the frame of the first.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Pair {
    pair: impinge::Pair,
    /// The indexes of two meshes.
    trees: Option<[Arc<WideTree>; 2]>,
    cache: WideCache,
}

pub(crate) fn out_distance(found: &Bounded<Option<Separation>>) -> JsValue {
    found.value.map_or(JsValue::UNDEFINED, |gap| {
        object([
            ("distance", gap.distance.into()),
            ("lower", found.lower.into()),
            ("upper", found.upper.into()),
            ("pointA", triple(gap.point_a)),
            ("pointB", triple(gap.point_b)),
        ])
    })
}

pub(crate) fn out_contacts(points: &[ContactPoint], patches: &[u32]) -> JsValue {
    let each = || points.iter();
    let depth: Vec<f64> = each().map(|point| point.depth).collect();
    object([
        ("count", (points.len() as u32).into()),
        ("depth", numbers(&depth).into()),
        ("pointA", flat(each().map(|point| point.point_a)).into()),
        ("pointB", flat(each().map(|point| point.point_b)).into()),
        ("normal", flat(each().map(|point| point.normal)).into()),
        ("patch", integers(patches).into()),
    ])
}

impl Pair {
    fn meshes(&self) -> Result<[Arc<WideTree>; 2], JsError> {
        self.trees
            .clone()
            .ok_or_else(|| fail("both shapes must be meshes"))
    }
}

#[wasm_bindgen]
impl Pair {
    /// The pair of two shapes. Meshes are surfaces; with `solid`, what is inside a closed mesh intersects it.
    #[wasm_bindgen(constructor)]
    pub fn new(a: &Shape, b: &Shape, solid: Option<bool>) -> Result<Self, JsError> {
        use impinge::pair::Shape::Mesh;
        let config = PairConfig {
            solid: solid.unwrap_or(false),
            ..PairConfig::default()
        };
        let pair = impinge::Pair::with_config(&a.shape, &b.shape, &config).map_err(fail)?;
        let trees = match (&a.shape, &b.shape) {
            (Mesh(a), Mesh(b)) => Some([Arc::clone(a.wide()), Arc::clone(b.wide())]),
            _ => None,
        };
        Ok(Self {
            pair,
            trees,
            cache: WideCache::default(),
        })
    }

    /// Whether they share a point, touching included; exact for meshes and polyhedra.
    pub fn intersects(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<bool, JsError> {
        Ok(self.pair.intersects(&pose(at.as_deref())?))
    }

    /// Every two faces that share a point: pairs of face numbers, sorted.
    pub fn intersections(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<Uint32Array, JsError> {
        let mut pairs: Vec<FacePair> = Vec::new();
        let _ = self.pair.intersections(&pose(at.as_deref())?, &mut pairs);
        Ok(face_pairs(pairs))
    }

    /// Their distance and two nearest points; 0 exactly when meshes intersect.
    #[wasm_bindgen(unchecked_return_type = "Distance | undefined")]
    pub fn distance(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<JsValue, JsError> {
        Ok(out_distance(&self.pair.distance(&pose(at.as_deref())?)))
    }

    /// The shortest translation of the second that parts them; nothing when they are apart. Meshes must be closed.
    #[wasm_bindgen(unchecked_return_type = "Penetration | undefined")]
    pub fn penetration(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<JsValue, JsError> {
        let found = self.pair.penetration(&pose(at.as_deref())?).map_err(fail)?;
        Ok(found.value.map_or(JsValue::UNDEFINED, |deep| {
            object([
                ("depth", deep.depth.into()),
                ("lower", found.lower.into()),
                ("upper", found.upper.into()),
                ("normal", triple(deep.normal)),
                ("pointA", triple(deep.point_a)),
                ("pointB", triple(deep.point_b)),
            ])
        }))
    }

    /// The volume that they share, with its centroid and derivative. Meshes must be closed.
    #[wasm_bindgen(unchecked_return_type = "Volume")]
    pub fn volume(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<JsValue, JsError> {
        let found = self.pair.volume(&pose(at.as_deref())?).map_err(fail)?;
        let shared = found.value;
        Ok(object([
            ("volume", shared.volume.into()),
            ("lower", found.lower.into()),
            ("upper", found.upper.into()),
            (
                "centroid",
                shared.centroid.map_or(JsValue::UNDEFINED, triple),
            ),
            ("gradient", triple(shared.gradient.translation)),
            ("gradientRotation", triple(shared.gradient.rotation)),
        ]))
    }

    /// Where they touch, or come within a margin: the contact manifold; every contact point with `every`.
    #[wasm_bindgen(unchecked_return_type = "Contacts")]
    pub fn contacts(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] margin: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "boolean")] every: Option<bool>,
    ) -> Result<JsValue, JsError> {
        let (at, margin) = (pose(at.as_deref())?, margin.unwrap_or(0.0));
        if !(margin >= 0.0 && margin.is_finite()) {
            return Err(fail(format!(
                "margin must be finite and not negative, found {margin}"
            )));
        }
        if every.unwrap_or(false) {
            let mut points = Vec::new();
            self.pair
                .all_contacts(&at, margin, &mut points)
                .map_err(fail)?;
            return Ok(out_contacts(&points, &vec![0; points.len()]));
        }
        let manifold = self.pair.contacts(&at, margin).map_err(fail)?;
        let (mut points, mut patches) = (Vec::new(), Vec::new());
        for (number, patch) in manifold.patches().enumerate() {
            for point in patch.points {
                points.push(*point);
                patches.push(number as u32);
            }
        }
        Ok(out_contacts(&points, &patches))
    }

    /// The first contact while the second moves from one pose to another; `straight` or `screw`.
    #[wasm_bindgen(unchecked_return_type = "Impact | undefined")]
    pub fn impact(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] end: &[f64],
        #[wasm_bindgen(unchecked_optional_param_type = "\"straight\" | \"screw\"")] kind: Option<
            String,
        >,
    ) -> Result<JsValue, JsError> {
        let moving = motion(start, end, kind.as_deref())?;
        let found = self.pair.impact(&moving).map_err(fail)?;
        Ok(found.value.map_or(JsValue::UNDEFINED, |hit| {
            object([
                ("time", hit.time.into()),
                ("lower", found.lower.into()),
                ("upper", found.upper.into()),
                ("point", triple(hit.point)),
                ("normal", triple(hit.normal)),
                ("faceA", hit.faces.a.raw().into()),
                ("faceB", hit.faces.b.raw().into()),
            ])
        }))
    }

    /// The curves in which two meshes intersect, as polylines.
    #[wasm_bindgen(unchecked_return_type = "Curve[]")]
    pub fn curves(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<Array, JsError> {
        let ([a, b], at) = (self.meshes()?, pose(at.as_deref())?);
        let met = intersection_curves(&*a, &*b, &at, Limits::default(), &mut self.cache);
        Ok(list(met.curves.iter().map(|curve| {
            object([
                ("points", flat(curve.points.iter().map(|p| p.point)).into()),
                ("closed", curve.is_closed.into()),
            ])
        })))
    }

    /// The corners of the leaf boxes of each mesh that overlap one of the other, 24 numbers each, in the frame of that mesh.
    #[wasm_bindgen(js_name = overlappingBoxes, unchecked_return_type = "[Float64Array, Float64Array]")]
    pub fn overlapping_boxes(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<Array, JsError> {
        let [a, b] = self.meshes()?;
        let meets = a.meeting_leaves(&b, &pose(at.as_deref())?);
        let corners = |tree: &WideTree, meets: &[bool]| {
            let leaves = tree.leaf_boxes();
            let near = leaves.iter().zip(meets).filter(|(_, meets)| **meets);
            flat(near.flat_map(|(leaf, _)| leaf.corners))
        };
        let both = [corners(&a, &meets[0]), corners(&b, &meets[1])];
        Ok(list(both.into_iter().map(JsValue::from)))
    }

    /// The work of finding all pairs of faces of two meshes.
    #[wasm_bindgen(unchecked_return_type = "Work")]
    pub fn work(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<JsValue, JsError> {
        let ([a, b], at) = (self.meshes()?, pose(at.as_deref())?);
        let mut pairs: Vec<FacePair> = Vec::new();
        let mut fresh = WideCache::default();
        let _ = a.intersections(&b, &at, Limits::default(), &mut fresh, &mut pairs);
        let work = WideTree::work(&fresh);
        Ok(object([
            ("boxTests", (work.volume_tests as f64).into()),
            ("faceTests", (work.face_tests as f64).into()),
            ("updates", (work.updates as f64).into()),
        ]))
    }
}
