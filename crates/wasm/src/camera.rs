//! A depth camera, and a robot arm that queries how near the seen points are.

use impinge::bvh::wide::WideTree;
use impinge::scan::depth_camera::{DepthCamera as Camera, DepthImage, DepthNoise};
use impinge::scan::{
    Joint, KinematicChain, Link, LinkCache, LinkSet, PointTree, ScanFrame, drop_invalid, merge,
};
use impinge::{DVec3, Pose};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, matrix, numbers, object, points, pose, poses, triple};
use crate::mesh::Mesh;
use crate::spheres::SphereTree;

/// A pinhole depth camera: it looks along its z axis, y down.
#[wasm_bindgen]
#[derive(Debug)]
pub struct DepthCamera {
    camera: Camera,
    scene: Vec<Mesh>,
    image: DepthImage,
}

#[wasm_bindgen]
impl DepthCamera {
    /// So many pixels, with a horizontal angle of view in radians and a farthest depth.
    #[wasm_bindgen(constructor)]
    pub fn new(width: u32, height: u32, angle: f64, far: f64) -> Result<Self, JsError> {
        Ok(Self {
            camera: Camera::new(width, height, angle, far).map_err(fail)?,
            scene: Vec::new(),
            image: DepthImage::default(),
        })
    }

    /// Adds a mesh to the scene and returns its number.
    pub fn add(&mut self, mesh: &Mesh) -> usize {
        self.scene.push(mesh.clone());
        self.scene.len() - 1
    }

    /// The points seen of the meshes at these placements (sixteen numbers each), in the world; pixels that see nothing have none. `deviation`: of the noise
    /// at one metre.
    pub fn capture(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] at: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
        #[wasm_bindgen(unchecked_optional_param_type = "number")] deviation: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] frame: Option<u32>,
    ) -> Result<Float64Array, JsError> {
        let (at, places) = (pose(Some(at))?, poses(places)?);
        if self.scene.len() != places.len() {
            let (m, p) = (self.scene.len(), places.len());
            return Err(fail(format!("{m} meshes but {p} placements")));
        }
        let deviation = deviation.unwrap_or(0.0);
        if !(deviation >= 0.0 && deviation.is_finite()) {
            return Err(fail("deviation: expected a finite number, not negative"));
        }
        let noise = DepthNoise {
            deviation,
            ..DepthNoise::NONE
        };
        let scene: Vec<(&WideTree, Pose)> = self
            .scene
            .iter()
            .zip(places)
            .map(|(mesh, place)| (mesh.mesh.index().as_ref(), place))
            .collect();
        let frame = u64::from(frame.unwrap_or(0));
        self.camera
            .capture(&at, &scene, &noise, frame, &mut self.image);
        let (mut seen, mut world) = (Vec::new(), Vec::new());
        self.camera.points(&self.image, &mut seen);
        merge(&[(at, &seen)], &mut world);
        drop_invalid(&mut world);
        Ok(flat(world))
    }
}

/// A chain of joints, each turning about an axis at an offset from the one before.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Chain {
    chain: KinematicChain,
}

#[wasm_bindgen]
impl Chain {
    /// Offsets and axes, three numbers a joint.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] offsets: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] axes: &[f64],
    ) -> Result<Self, JsError> {
        let (offsets, axes) = (points(offsets, "offsets")?, points(axes, "axes")?);
        if offsets.len() != axes.len() {
            let (o, a) = (offsets.len(), axes.len());
            return Err(fail(format!("{o} offsets but {a} axes")));
        }
        let joints = offsets.into_iter().zip(axes);
        let joints: Vec<Joint> = joints
            .map(|(offset, axis)| Joint { offset, axis })
            .collect();
        let chain = KinematicChain::new(joints).map_err(fail)?;
        Ok(Self { chain })
    }

    /// The placements of the base and of each link at these angles, sixteen numbers each.
    pub fn poses(
        &self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] base: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] angles: &[f64],
    ) -> Result<Float64Array, JsError> {
        let mut all = Vec::new();
        self.chain
            .poses(&pose(Some(base))?, angles, &mut all)
            .map_err(fail)?;
        let all: Vec<f64> = all.iter().flat_map(matrix).collect();
        Ok(numbers(&all))
    }
}

/// Links filled with spheres, and the points of a frame: which is nearest to each link.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Links {
    links: LinkSet<'static>,
    cache: LinkCache,
    tree: PointTree,
}

#[wasm_bindgen]
impl Links {
    /// No link yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self {
            links: LinkSet::new(Vec::new()),
            cache: LinkCache::default(),
            tree: PointTree::default(),
        }
    }

    /// Adds a link and returns its number.
    pub fn add(&mut self, tree: &SphereTree) -> Result<usize, JsError> {
        let mut links = self.links.links().to_vec();
        links.push(Link::spheres(tree.tree()).map_err(fail)?);
        let number = links.len() - 1;
        self.links = LinkSet::new(links);
        self.cache = LinkCache::default();
        Ok(number)
    }

    /// Takes the points of a frame.
    #[wasm_bindgen(js_name = setPoints)]
    pub fn set_points(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] seen: &[f64],
    ) -> Result<(), JsError> {
        let seen: Vec<DVec3> = points(seen, "points")?;
        self.tree.rebuild(&ScanFrame::new(&seen).map_err(fail)?);
        Ok(())
    }

    /// Removes the points that lie on the links themselves or nearer than a margin; returns how many.
    #[wasm_bindgen(js_name = removeOwn)]
    pub fn remove_own(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
        margin: f64,
    ) -> Result<usize, JsError> {
        let places = poses(places)?;
        let own: Vec<usize> = (0..self.links.links().len()).collect();
        self.links
            .remove_own(&mut self.tree, &own, &places, margin, &mut self.cache)
            .map_err(fail)
    }

    /// How many points there are.
    #[wasm_bindgen(getter, js_name = pointCount)]
    pub fn point_count(&self) -> usize {
        self.tree.len()
    }

    /// The point nearest to any link, negative inside; nothing without points.
    #[wasm_bindgen(unchecked_return_type = "NearestLink | undefined")]
    pub fn nearest(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
    ) -> Result<JsValue, JsError> {
        let places = poses(places)?;
        let found = self.links.overall(&self.tree, &places, &mut self.cache);
        Ok(found.map_err(fail)?.map_or(JsValue::UNDEFINED, |near| {
            object([
                ("link", (near.link as u32).into()),
                ("distance", near.distance.into()),
                ("point", triple(near.position)),
                ("witness", triple(near.witness)),
            ])
        }))
    }

    /// The distance of the nearest point from each link; infinite without points.
    pub fn distances(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
    ) -> Result<Float64Array, JsError> {
        let places = poses(places)?;
        let mut found = Vec::new();
        self.links
            .nearest(&self.tree, &places, &mut self.cache, &mut found)
            .map_err(fail)?;
        let far = found
            .iter()
            .map(|near| near.map_or(f64::INFINITY, |near| near.distance));
        Ok(numbers(&far.collect::<Vec<_>>()))
    }

    /// Boxes and spheres compared by the last search.
    #[wasm_bindgen(getter)]
    pub fn tests(&self) -> f64 {
        self.cache.tests() as f64
    }
}

impl Default for Links {
    fn default() -> Self {
        Self::new()
    }
}
