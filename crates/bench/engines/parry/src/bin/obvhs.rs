//! obvhs: a builder of trees of boxes. It answers no question about two meshes, so only its build counts.

#[path = "../../../serve.rs"]
mod serve;

use std::time::Duration;

use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2_from_tris;
use obvhs::triangle::Triangle;
use serve::{Engine, Mesh};

struct Obvhs {
    // In its own layout from the start, so that copying is not taken for building.
    a: Vec<Triangle>,
    b: Vec<Triangle>,
    built_a: Option<Bvh2>,
    built_b: Option<Bvh2>,
}

fn triangles(mesh: &Mesh) -> Vec<Triangle> {
    let corner = |i: u32| mesh.positions[i as usize].map(|x| x as f32);
    mesh.faces
        .iter()
        .map(|&[i, j, k]| Triangle {
            v0: corner(i).into(),
            v1: corner(j).into(),
            v2: corner(k).into(),
        })
        .collect()
}

fn build(faces: &[Triangle]) -> Bvh2 {
    // The preset that its documentation names for speed of building.
    build_bvh2_from_tris(
        faces,
        BvhBuildParams::fastest_build(),
        &mut Duration::ZERO.clone(),
    )
}

impl Engine for Obvhs {
    fn hello(&self) -> String {
        "obvhs 0.4.0 f32".to_owned()
    }
    fn build_a(&mut self) {
        self.built_a = Some(build(&self.a));
    }
    fn build_b(&mut self) {
        self.built_b = Some(build(&self.b));
    }
    fn bytes(&self) -> usize {
        self.built_a.as_ref().map_or(0, |tree| {
            size_of_val(tree.nodes.as_slice()) + size_of_val(tree.primitive_indices.as_slice())
        })
    }
    fn quality(&self) -> Option<f64> {
        let nodes = &self.built_a.as_ref()?.nodes;
        let area = |node: &obvhs::bvh2::node::Bvh2Node| {
            let d = node.aabb().max - node.aabb().min;
            f64::from(d.x * d.y + d.y * d.z + d.z * d.x)
        };
        // Two children are tested in an inner node.
        let tests = |node: &obvhs::bvh2::node::Bvh2Node| match node.prim_count {
            0 => 2,
            faces => faces,
        };
        let cost: f64 = nodes
            .iter()
            .map(|node| area(node) * f64::from(tests(node)))
            .sum();
        Some(cost / area(nodes.first()?))
    }
}

fn main() -> std::process::ExitCode {
    serve::run(|a, b| Obvhs {
        a: triangles(&a),
        b: triangles(&b),
        built_a: None,
        built_b: None,
    })
}
