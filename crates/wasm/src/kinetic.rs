//! A kinetic separation list over two meshes that deform along keyframes.

use impinge::DVec3;
use impinge::kinetic::{
    Keyframes, Kinetic, KineticAabbTree, KineticNode, ListCounts, Progress, SeparationList,
};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{face_pairs, faces, fail, flat, numbers, object, points};

/// Two meshes that deform along keyframes: the pairs of boxes that separate them, kept by events from the first key to the last.
#[wasm_bindgen]
#[derive(Debug)]
pub struct KineticPair {
    plan: Keyframes,
    list: SeparationList,
    trees: [KineticAabbTree; 2],
    /// As they were at the first key.
    start: (SeparationList, [KineticAabbTree; 2]),
}

fn corners(low: DVec3, high: DVec3) -> impl Iterator<Item = DVec3> {
    (0..8_u8).map(move |corner| {
        let side = |axis: usize| {
            if corner >> axis & 1 == 1 {
                high[axis]
            } else {
                low[axis]
            }
        };
        DVec3::new(side(0), side(1), side(2))
    })
}

#[wasm_bindgen]
impl KineticPair {
    /// The vertices of both meshes at each key, all vertices of one key after those of the last, and the faces of either mesh.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] times: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] frames: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] faces_a: &[u32],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] faces_b: &[u32],
    ) -> Result<Self, JsError> {
        let frames = points(frames, "frames")?;
        let size = frames.len() / times.len().max(1);
        let keys: Vec<&[DVec3]> = frames.chunks(size.max(1)).collect();
        let plan = Keyframes::new(times, &keys).map_err(fail)?;
        let (a, b) = (faces(faces_a)?, faces(faces_b)?);
        let list = SeparationList::between(&plan, &a, &b).map_err(fail)?;
        let tree = |faces: &[[u32; 3]]| KineticAabbTree::new(&plan, faces).map_err(fail);
        let trees = [tree(&a)?, tree(&b)?];
        Ok(Self {
            start: (list.clone(), trees.clone()),
            plan,
            list,
            trees,
        })
    }

    /// The time now.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        self.list.now()
    }

    /// Goes back to the first key.
    pub fn restart(&mut self) {
        (self.list, self.trees) = self.start.clone();
    }

    /// When the list has its next event; nothing when none comes before the last key.
    #[wasm_bindgen(js_name = nextEvent)]
    pub fn next_event(&self) -> Option<f64> {
        self.list.next_event(&self.plan)
    }

    /// Advances to a time, or back to it from the first key. Returns the times at which features of two faces touched on the way.
    pub fn advance(&mut self, to: f64) -> Result<Float64Array, JsError> {
        if to < self.list.now() {
            self.restart();
        }
        let mut touched = Vec::new();
        // Each contact is reported once, so that the loop ends.
        while let Progress::Touched(contact) = self.list.advance(&self.plan, to).map_err(fail)? {
            touched.push(contact.lower);
        }
        for tree in &mut self.trees {
            let _ = tree.advance(&self.plan, to).map_err(fail)?;
        }
        Ok(numbers(&touched))
    }

    /// All vertices now, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Float64Array {
        let mut all = Vec::new();
        self.plan.positions(self.list.now(), &mut all);
        flat(all)
    }

    /// How many pairs the list has.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.list.len()
    }

    /// The corners of the boxes of the list's pairs, 24 numbers each, first those of the first mesh: of disjoint inner pairs, or of leaves that
    /// overlap with `overlapping`.
    pub fn boxes(&self, overlapping: bool) -> Float64Array {
        let mut nodes: [Vec<KineticNode>; 2] = Default::default();
        for (a, b, _) in self.list.pairs().filter(|pair| pair.2 == overlapping) {
            nodes[0].push(a);
            nodes[1].push(b);
        }
        let mut all = Vec::new();
        for (tree, nodes) in self.trees.iter().zip(&mut nodes) {
            nodes.sort_unstable();
            nodes.dedup();
            let bounds = nodes
                .iter()
                .filter_map(|&node| tree.bounds(&self.plan, node));
            all.extend(bounds.flat_map(|bounds| corners(bounds.min, bounds.max)));
        }
        flat(all)
    }

    /// Pairs of faces whose boxes overlap now, sorted.
    #[wasm_bindgen(getter)]
    pub fn candidates(&self) -> js_sys::Uint32Array {
        face_pairs(self.list.meeting().collect())
    }

    /// What was done since the first key.
    #[wasm_bindgen(getter, unchecked_return_type = "ListWork")]
    pub fn work(&self) -> JsValue {
        let ListCounts {
            overlaps,
            fathers_apart,
            leaves_apart,
            contacts,
            box_changes,
            box_tests,
            face_tests,
            ..
        } = self.list.work();
        object([
            ("overlaps", (overlaps as f64).into()),
            ("fathersApart", (fathers_apart as f64).into()),
            ("leavesApart", (leaves_apart as f64).into()),
            ("contacts", (contacts as f64).into()),
            ("boxChanges", (box_changes as f64).into()),
            ("boxTests", (box_tests as f64).into()),
            ("faceTests", (face_tests as f64).into()),
            ("events", (self.list.counts().events as f64).into()),
        ])
    }
}
