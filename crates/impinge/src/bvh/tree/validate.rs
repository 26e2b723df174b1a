//! Checks the invariants of a BVH.

use super::node::Bvh;
use crate::bound::BoundingVolume;
use crate::bvh::Violation;

/// All three corners of a face.
const ALL: u8 = 0b111;

/// Checks that every node is reached once, every face is below the root, and every volume contains the faces below it.
pub(super) fn validate<V: BoundingVolume>(tree: &Bvh<V>) -> Result<(), Violation> {
    let broken = |promise: String| {
        Err(Violation {
            index: V::NAME,
            promise,
        })
    };
    let (nodes, mesh) = (&tree.nodes, &tree.mesh);
    if nodes.is_empty() != mesh.is_empty() {
        return broken(format!(
            "{} nodes for {} faces",
            nodes.len(),
            mesh.face_count()
        ));
    }
    let arity = tree.config.arity.children();
    let leaf_faces = usize::from(tree.config.leaf_faces.max(1));
    let mut parent = vec![usize::MAX; nodes.len()];
    let mut is_taken = vec![false; tree.order.len()];
    for (i, node) in nodes.iter().enumerate() {
        let range = node.range();
        if i > 0 && parent[i] == usize::MAX {
            return broken(format!("node {i} has no parent"));
        }
        if node.is_leaf() {
            if range.is_empty() || range.len() > leaf_faces || range.end > tree.order.len() {
                return broken(format!("leaf {i} has faces {range:?}"));
            }
            for place in range {
                if is_taken[place] {
                    return broken(format!("place {place} is in two leaves"));
                }
                is_taken[place] = true;
            }
            continue;
        }
        if range.len() < 2 || range.len() > arity || range.start <= i || range.end > nodes.len() {
            return broken(format!("node {i} has children {range:?}"));
        }
        for child in range {
            if parent[child] != usize::MAX {
                return broken(format!("node {child} has two parents"));
            }
            parent[child] = i;
        }
    }
    // Which corners of each face are in a leaf that refers to it and in every node above.
    let mut covered = vec![0_u8; mesh.face_count()];
    for (i, node) in nodes.iter().enumerate().filter(|(_, n)| n.is_leaf()) {
        for &face in tree.faces(node) {
            let corners = mesh.triangle(face);
            let mut inside = ALL;
            let mut at = i;
            while at != usize::MAX {
                for (k, &p) in corners.iter().enumerate() {
                    inside &= !(u8::from(!nodes[at].volume.contains(p)) << k);
                }
                // A part of a face need not reach to its corners.
                if !tree.has_parts && inside != ALL {
                    return broken(format!("node {at} does not contain {face}"));
                }
                at = parent[at];
            }
            if !tree.has_parts && covered[face.index()] != 0 {
                return broken(format!("{face} is in two leaves"));
            }
            covered[face.index()] |= inside;
        }
    }
    match covered.iter().position(|&corners| corners != ALL) {
        Some(face) => broken(format!("face {face} is not inside its leaves")),
        None => Ok(()),
    }
}
