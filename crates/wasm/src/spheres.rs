//! Sphere packings and inner sphere trees.

use std::cell::RefCell;

use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, PackOptions,
    SolidBall,
};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, numbers, object, points, pose, triple};
use crate::mesh::Mesh;

pub(crate) fn out_spheres(balls: &[SolidBall]) -> JsValue {
    let radii: Vec<f64> = balls.iter().map(|ball| ball.radius).collect();
    object([
        ("centers", flat(balls.iter().map(|ball| ball.center)).into()),
        ("radii", numbers(&radii).into()),
    ])
}

fn packed(mesh: &Mesh, count: usize, seed: Option<u32>) -> Result<Vec<SolidBall>, JsError> {
    let solid = MeshSolid::new(mesh.mesh.index()).map_err(fail)?;
    let options = PackOptions {
        count: Some(count),
        seed: u64::from(seed.unwrap_or(0)),
        ..PackOptions::default()
    };
    Ok(impinge::spheres::pack(&solid, &options)
        .map_err(fail)?
        .balls)
}

/// Fills a closed mesh with so many disjoint spheres, the largest first. The first `k` of them are the packing of `k` spheres.
#[wasm_bindgen(unchecked_return_type = "Spheres")]
pub fn pack(mesh: &Mesh, count: usize, seed: Option<u32>) -> Result<JsValue, JsError> {
    Ok(out_spheres(&packed(mesh, count, seed)?))
}

/// An inner sphere tree: distance and shared volume of solids that are filled with spheres, at a bounded cost.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SphereTree {
    pub(crate) tree: InnerSphereTree,
    /// Taken out during a query: a tree may be queried against itself.
    cache: RefCell<InnerSphereTreeCache>,
    /// Spheres and their depths, and whether they are leaves.
    nodes: Vec<(SolidBall, usize, bool)>,
}

impl From<InnerSphereTree> for SphereTree {
    fn from(tree: InnerSphereTree) -> Self {
        Self {
            nodes: nodes_of(&tree),
            tree,
            cache: RefCell::default(),
        }
    }
}

/// Every sphere with its depth: how many others hold more leaves, its own among them.
fn nodes_of(tree: &InnerSphereTree) -> Vec<(SolidBall, usize, bool)> {
    let mut all = Vec::new();
    tree.visit(|ball, range, _| all.push((range, ball)));
    all.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut nodes = Vec::with_capacity(all.len() + 1);
    nodes.extend(tree.root().map(|root| (root, 0, false)));
    let mut open: Vec<usize> = Vec::new();
    for (range, ball) in all {
        while open.last().is_some_and(|&end| end <= range.start) {
            open.pop();
        }
        let is_leaf = range.len() == 1;
        nodes.push((ball, open.len() + 1, is_leaf));
        if !is_leaf {
            open.push(range.end);
        }
    }
    nodes
}

impl SphereTree {
    pub(crate) fn tree(&self) -> &InnerSphereTree {
        &self.tree
    }
}

#[wasm_bindgen]
impl SphereTree {
    /// The tree over a packing of a closed mesh; it also stores the surface, so that its bounds hold for the solid.
    #[wasm_bindgen(js_name = ofMesh)]
    pub fn of_mesh(mesh: &Mesh, count: usize, seed: Option<u32>) -> Result<Self, JsError> {
        let balls = packed(mesh, count, seed)?;
        let solid = MeshSolid::new(mesh.mesh.index()).map_err(fail)?;
        let tree =
            InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).map_err(fail)?;
        Ok(tree.with_surface(&solid).into())
    }

    /// The tree over given spheres.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] centers: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] radii: &[f64],
    ) -> Result<Self, JsError> {
        let centers = points(centers, "centers")?;
        if centers.len() != radii.len() {
            let (c, r) = (centers.len(), radii.len());
            return Err(fail(format!("{c} centers but {r} radii")));
        }
        let both = centers.into_iter().zip(radii);
        let balls: Vec<SolidBall> = both
            .map(|(center, &radius)| SolidBall { center, radius })
            .collect();
        let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default());
        Ok(tree.map_err(fail)?.into())
    }

    /// The inner spheres.
    #[wasm_bindgen(getter, unchecked_return_type = "Spheres")]
    pub fn spheres(&self) -> JsValue {
        out_spheres(self.tree.balls())
    }

    /// How many levels there are, the root's included.
    #[wasm_bindgen(getter)]
    pub fn levels(&self) -> usize {
        self.nodes.iter().map(|node| node.1 + 1).max().unwrap_or(0)
    }

    /// The spheres of a level, 0 for the one around everything. A leaf above it stands for what would be below.
    #[wasm_bindgen(unchecked_return_type = "Spheres")]
    pub fn level(&self, depth: usize) -> JsValue {
        let of_level =
            |node: &&(SolidBall, usize, bool)| node.1 == depth || (node.2 && node.1 < depth);
        let balls: Vec<SolidBall> = self
            .nodes
            .iter()
            .filter(of_level)
            .map(|node| node.0)
            .collect();
        out_spheres(&balls)
    }

    /// Bounds of the distance of the solids: the lower and the upper; nothing when a tree is empty. A search of at most `maxTests` steps.
    #[wasm_bindgen(unchecked_return_type = "[number, number] | undefined")]
    pub fn distance(
        &self,
        other: &SphereTree,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = maxTests, unchecked_optional_param_type = "number")]
        max_tests: Option<u32>,
    ) -> Result<Option<Float64Array>, JsError> {
        let (at, limits) = (pose(at.as_deref())?, limits(max_tests));
        let cache = &mut *self.cache.borrow_mut();
        let gap = self.tree.distance(&other.tree, &at, limits, cache);
        Ok(gap.map(|gap| numbers(&[gap.lower, gap.upper])))
    }

    /// The volume that the solids share, with bounds. A search of at most `maxTests` steps has wider ones.
    #[wasm_bindgen(unchecked_return_type = "SphereOverlap")]
    pub fn volume(
        &self,
        other: &SphereTree,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = maxTests, unchecked_optional_param_type = "number")]
        max_tests: Option<u32>,
    ) -> Result<JsValue, JsError> {
        let (at, limits) = (pose(at.as_deref())?, limits(max_tests));
        let cache = &mut *self.cache.borrow_mut();
        let found = self.tree.overlap(&other.tree, &at, limits, cache);
        Ok(object([
            ("volume", found.value.into()),
            ("lower", found.lower.into()),
            ("upper", found.upper.into()),
            ("centroid", triple(found.centroid)),
            ("gradient", triple(found.gradient.translation)),
            ("pairs", (found.pairs as f64).into()),
            ("tests", (cache.tests() as f64).into()),
        ]))
    }
}

fn limits(max_tests: Option<u32>) -> Limits<'static> {
    Limits {
        max_tests: max_tests.map(u64::from),
        ..Limits::default()
    }
}
