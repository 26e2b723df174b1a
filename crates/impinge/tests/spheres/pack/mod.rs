//! Packings: known truths, exact feasibility, stops, solids, rules of others.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

mod feasibility;
mod feasible;
mod inscribed;
mod lists;
mod medial_axis;
mod published;
mod solids;
mod stops;

use std::sync::Arc;

use impinge::TriMesh;
use impinge::bvh::wide::WideTree;
use impinge::spheres::{MeshSolid, PackOptions, Packing, pack};

use feasibility::{count, cube, judge};

fn packed(mesh: TriMesh, options: &PackOptions) -> Packing {
    let tree = WideTree::new(Arc::new(mesh));
    pack(&MeshSolid::new(&tree).unwrap(), options).unwrap()
}
