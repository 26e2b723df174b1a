//! A hand of bones and sphere-spring tissue.

use impinge_dynamics::sphere_spring::{self, BONES, HandConfig, HandPose};
use js_sys::{Float64Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, integers, matrix, numbers, object};
use crate::mesh::Mesh;

/// A right hand whose tissue, spheres on springs, follows sixteen bones and keeps its volume.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SoftHand {
    hand: sphere_spring::Hand,
}

fn named(pose: &str) -> Result<HandPose, JsError> {
    match pose {
        "flat" => Ok(HandPose::flat()),
        "fist" => Ok(HandPose::fist()),
        "grip" => Ok(HandPose::grip()),
        _ => Err(fail(format!(
            "pose: expected flat, fist or grip, found '{pose}'"
        ))),
    }
}

#[wasm_bindgen]
impl SoftHand {
    /// A flat hand filled with spheres of at most this radius in metres (0.002): their number grows with its inverse cube.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(js_name = sphereRadius, unchecked_optional_param_type = "number")]
        sphere_radius: Option<f64>,
    ) -> Result<Self, JsError> {
        let mut config = HandConfig::default();
        config.sphere_radius = sphere_radius.unwrap_or(config.sphere_radius);
        Ok(Self {
            hand: sphere_spring::Hand::new(&config).map_err(fail)?,
        })
    }

    /// The sixteen joint angles in radians of a hand that is `flat`, a `fist`, or a `grip` of thumb and forefinger: of the palm, which has no
    /// joint, then three of each finger, the thumb first.
    pub fn joints(
        #[wasm_bindgen(unchecked_param_type = "'flat' | 'fist' | 'grip'")] pose: &str,
    ) -> Result<Float64Array, JsError> {
        Ok(numbers(&named(pose)?.flexion))
    }

    /// Bends the joints to these sixteen angles, and lets the tissue follow: so many iterations in so many seconds.
    #[wasm_bindgen(js_name = moveTo)]
    pub fn move_to(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] joints: &[f64],
        iterations: u32,
        seconds: f64,
    ) -> Result<(), JsError> {
        let count = joints.len();
        let Ok(flexion) = joints.try_into() else {
            return Err(fail(format!(
                "joints: expected {BONES} numbers, found {count}"
            )));
        };
        let goal = HandPose {
            flexion,
            ..HandPose::flat()
        };
        self.hand.move_to(&goal, iterations, seconds).map_err(fail)
    }

    /// The skin as it is now: a closed mesh.
    pub fn skin(&self) -> Result<Mesh, JsError> {
        Ok(self.hand.skin().map_err(fail)?.into())
    }

    /// The spheres of the tissue.
    #[wasm_bindgen(getter, unchecked_return_type = "Spheres")]
    pub fn spheres(&self) -> JsValue {
        let all = self.hand.tissue().spheres();
        let radii: Vec<f64> = all.iter().map(sphere_spring::Sphere::radius).collect();
        object([
            ("centers", flat(all.iter().map(|s| s.position)).into()),
            ("radii", numbers(&radii).into()),
        ])
    }

    /// The two spheres of each spring.
    #[wasm_bindgen(getter)]
    pub fn springs(&self) -> Uint32Array {
        let ends = self.hand.tissue().springs().iter().map(|s| s.ends);
        integers(ends.collect::<Vec<_>>().as_flattened())
    }

    /// The poses of the bones, sixteen numbers each; a bone lies along the y axis of its frame.
    #[wasm_bindgen(getter)]
    pub fn bones(&self) -> Float64Array {
        let frames = self.hand.frames(self.hand.pose());
        numbers(frames.map(|frame| matrix(&frame)).as_flattened())
    }

    /// The lengths of the bones.
    #[wasm_bindgen(getter, js_name = boneLengths)]
    pub fn bone_lengths(&self) -> Float64Array {
        numbers(&self.hand.bones().map(|bone| bone.length))
    }

    /// The volume of the tissue in m³.
    #[wasm_bindgen(getter)]
    pub fn volume(&self) -> f64 {
        self.hand.tissue().volume()
    }

    /// The mean distance in metres of anchored spheres from where their bones want them.
    #[wasm_bindgen(getter, js_name = anchorError)]
    pub fn anchor_error(&self) -> f64 {
        self.hand.anchor_error()
    }
}
