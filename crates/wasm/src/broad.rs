//! Broad phases: which of many boxes overlap?

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::broad::{
    self, BruteForce, DynamicAabbTree, HashGrid, HierarchicalGrid, ObjectId, Octree,
    RegionPartition, SlabOctree, SweepAndPrune, UniformGrid,
};
use js_sys::Uint32Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, integers};

/// Finds all pairs of boxes that overlap; every kind gives the same answer.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BroadPhase {
    phase: Box<dyn broad::BroadPhase>,
    ids: Vec<ObjectId>,
}

const NAMES: [&str; 9] = [
    "aabb-tree",
    "brute-force",
    "sweep-and-prune",
    "uniform-grid",
    "hash-grid",
    "hierarchical-grid",
    "octree",
    "slab-octree",
    "regions",
];

pub(crate) fn phase_named(name: &str) -> Result<Box<dyn broad::BroadPhase>, JsError> {
    Ok(match name {
        "aabb-tree" => Box::new(DynamicAabbTree::default()),
        "brute-force" => Box::new(BruteForce::default()),
        "sweep-and-prune" => Box::new(SweepAndPrune::default()),
        "uniform-grid" => Box::new(UniformGrid::default()),
        "hash-grid" => Box::new(HashGrid::default()),
        "hierarchical-grid" => Box::new(HierarchicalGrid::default()),
        "octree" => Box::new(Octree::default()),
        "slab-octree" => Box::new(SlabOctree::default()),
        "regions" => {
            // Two rooms on either side of x = 0.
            let room = |from: f64, to: f64| Aabb {
                min: DVec3::new(from, f64::NEG_INFINITY, f64::NEG_INFINITY),
                max: DVec3::new(to, f64::INFINITY, f64::INFINITY),
            };
            let inside = || Box::new(DynamicAabbTree::default()) as Box<dyn broad::BroadPhase>;
            let rooms = vec![
                (room(f64::NEG_INFINITY, 0.0), inside()),
                (room(0.0, f64::INFINITY), inside()),
            ];
            Box::new(RegionPartition::new(rooms, inside()))
        }
        other => {
            let names = NAMES.join(", ");
            return Err(fail(format!(
                "broad phase: expected one of {names}, found '{other}'"
            )));
        }
    })
}

/// Boxes of six numbers: the smallest corner, then the largest.
fn boxes(numbers: &[f64]) -> Result<Vec<Aabb>, JsError> {
    let (rows, rest) = numbers.as_chunks::<6>();
    if !rest.is_empty() {
        let count = numbers.len();
        return Err(fail(format!(
            "boxes: expected 6 numbers each, found {count}"
        )));
    }
    let of = |&[a, b, c, x, y, z]: &[f64; 6]| Aabb {
        min: DVec3::new(a, b, c),
        max: DVec3::new(x, y, z),
    };
    Ok(rows.iter().map(of).collect())
}

#[wasm_bindgen]
impl BroadPhase {
    /// An empty broad phase of a kind; `BroadPhase.names()` lists them.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<Self, JsError> {
        Ok(Self {
            phase: phase_named(name)?,
            ids: Vec::new(),
        })
    }

    /// The names of all kinds.
    pub fn names() -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    /// Gives all bodies their boxes, six numbers each: the smallest corner, then the largest. The first call takes them in.
    pub fn update(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] bounds: &[f64],
    ) -> Result<(), JsError> {
        let boxes = boxes(bounds)?;
        if self.ids.is_empty() {
            self.ids = (0..boxes.len() as u32)
                .map(|slot| ObjectId::new(slot, 0))
                .collect();
            return self.phase.insert_boxes(&self.ids, &boxes).map_err(fail);
        }
        self.phase.update_boxes(&self.ids, &boxes).map_err(fail)
    }

    /// The numbers of bodies whose boxes overlap, in pairs, sorted.
    pub fn pairs(&mut self) -> Uint32Array {
        let pairs = self.phase.pairs();
        let all: Vec<u32> = pairs
            .iter()
            .flat_map(|pair| [pair.a.slot(), pair.b.slot()])
            .collect();
        integers(&all)
    }

    /// Box tests so far.
    #[wasm_bindgen(getter)]
    pub fn tests(&self) -> f64 {
        self.phase.work().tests as f64
    }

    /// The memory held, in bytes.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> usize {
        self.phase.bytes()
    }
}
