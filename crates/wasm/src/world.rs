//! `World`: many moving shapes.

use impinge::broad::ObjectId;
use impinge::query::{Bounded, Outcome};
use impinge::world::{self, Body, Class, EventKind, EventMask};
use js_sys::{Array, Float64Array};
use wasm_bindgen::prelude::*;

use crate::broad::phase_named;
use crate::js::{fail, list, matrix, numbers, object, pose, poses, ray, triple, vector};
use crate::pair::{out_contacts, out_distance};
use crate::shape::{Shape, out_closest};

/// Slot and generation in one number, so that the number of a removed object is never that of another.
fn number(id: ObjectId) -> f64 {
    f64::from(id.generation()) * 4_294_967_296.0 + f64::from(id.slot())
}

fn id(number: f64) -> ObjectId {
    let whole = number as u64;
    ObjectId::new(whole as u32, (whole >> 32) as u32)
}

/// Many shapes that move: what begins to touch, touches, parts; rays and points against all of them.
#[wasm_bindgen]
#[derive(Debug)]
pub struct World {
    world: world::World,
}

fn mask(names: &[String]) -> Result<EventMask, JsError> {
    let mut mask = EventMask::NOTHING;
    for name in names {
        let Some(named) = EventMask::from_name(name) else {
            return Err(fail(format!(
                "events: expected overlap, overlap-begin, overlap-end, contact, contact-begin, contact-end, touching or contacts, found '{name}'"
            )));
        };
        mask = mask | named;
    }
    Ok(mask)
}

#[wasm_bindgen]
impl World {
    /// An empty world that reports these events; `contact` (begin and end) without a list.
    #[wasm_bindgen(constructor)]
    pub fn new(events: Option<Vec<String>>) -> Result<Self, JsError> {
        let names = events.unwrap_or_else(|| vec!["contact".to_owned()]);
        Ok(Self {
            world: world::World::watching(mask(&names)?),
        })
    }

    /// Takes a shape in and returns its number.
    pub fn add(
        &mut self,
        shape: &Shape,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = isStatic, unchecked_optional_param_type = "boolean")]
        is_static: Option<bool>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] group: Option<u8>,
    ) -> Result<f64, JsError> {
        let body = Body::new(&shape.shape)
            .at(pose(at.as_deref())?)
            .in_class(Class(group.unwrap_or(0)));
        let body = if is_static.unwrap_or(false) {
            body.fixed()
        } else {
            body
        };
        Ok(number(self.world.insert(body).map_err(fail)?))
    }

    /// Takes an object out.
    pub fn remove(&mut self, object: f64) -> Result<(), JsError> {
        self.world.remove(id(object)).map_err(fail)
    }

    /// Places an object.
    #[wasm_bindgen(js_name = setPose)]
    pub fn set_pose(
        &mut self,
        object: f64,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] at: &[f64],
    ) -> Result<(), JsError> {
        self.world
            .set_pose(id(object), pose(Some(at))?)
            .map_err(fail)
    }

    /// Places many objects, sixteen numbers each.
    #[wasm_bindgen(js_name = setPoses)]
    pub fn set_poses(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] objects: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] placements: &[f64],
    ) -> Result<(), JsError> {
        let placed = poses(placements)?;
        if placed.len() != objects.len() {
            let (o, p) = (objects.len(), placed.len());
            return Err(fail(format!("{o} objects but {p} poses")));
        }
        for (&object, at) in objects.iter().zip(placed) {
            self.world.set_pose(id(object), at).map_err(fail)?;
        }
        Ok(())
    }

    /// Where an object is: sixteen numbers.
    pub fn pose(&self, object: f64) -> Result<Float64Array, JsError> {
        match self.world.body(id(object)) {
            Some(body) => Ok(numbers(&matrix(&body.world_from_body))),
            None => Err(fail(format!("{} is not here", id(object)))),
        }
    }

    /// How many objects there are.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.world.len()
    }

    /// Another broad phase, by name; answers stay.
    #[wasm_bindgen(js_name = setBroadPhase)]
    pub fn set_broad_phase(&mut self, name: &str) -> Result<(), JsError> {
        self.world.set_broad_phase(phase_named(name)?).map_err(fail)
    }

    /// Tests what moved and returns the events since the previous step, in a fixed order.
    #[wasm_bindgen(unchecked_return_type = "WorldEvent[]")]
    pub fn step(&mut self) -> Array {
        let frame = self.world.step();
        list(frame.events.iter().map(|event| {
            let contacts = match event.what {
                EventKind::Contacts(_) => {
                    let points = frame.points(event);
                    out_contacts(points, &vec![0; points.len()])
                }
                _ => JsValue::UNDEFINED,
            };
            let distance = match event.what {
                EventKind::Closer(gap) => out_distance(&Bounded {
                    value: Some(gap),
                    lower: gap.distance,
                    upper: gap.distance,
                    outcome: Outcome::Complete,
                }),
                _ => JsValue::UNDEFINED,
            };
            object([
                ("kind", event.what.name().into()),
                ("a", number(event.pair.a).into()),
                ("b", number(event.pair.b).into()),
                ("isNew", event.is_new.into()),
                ("contacts", contacts),
                ("distance", distance),
            ])
        }))
    }

    /// The first object that a ray meets, and where.
    #[wasm_bindgen(js_name = castRay, unchecked_return_type = "WorldHit | undefined")]
    pub fn cast_ray(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
    ) -> Result<JsValue, JsError> {
        let found = self.world.cast_ray(&ray(origin, direction)?);
        Ok(found.map_err(fail)?.map_or(JsValue::UNDEFINED, |found| {
            object([
                ("object", number(found.object).into()),
                ("t", found.hit.t.into()),
                ("face", found.hit.face.raw().into()),
                ("point", triple(found.hit.point)),
                ("normal", triple(found.hit.normal)),
            ])
        }))
    }

    /// The nearest point of all objects.
    #[wasm_bindgen(js_name = closestPoint, unchecked_return_type = "[number, ClosestPoint] | undefined")]
    pub fn closest_point(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
    ) -> Result<JsValue, JsError> {
        let found = self.world.closest_point(vector(point, "point")?);
        Ok(found.map_err(fail)?.map_or(JsValue::UNDEFINED, |found| {
            let near = out_closest(found.hit.distance, found.hit.point_a, 0);
            list([number(found.object).into(), near]).into()
        }))
    }

    /// The objects that a placed shape meets.
    pub fn overlapping(
        &self,
        shape: &Shape,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<Float64Array, JsError> {
        let found = self.world.overlapping(&shape.shape, &pose(at.as_deref())?);
        let found: Vec<f64> = found.map_err(fail)?.into_iter().map(number).collect();
        Ok(numbers(&found))
    }
}
