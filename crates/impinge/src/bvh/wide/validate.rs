//! Checks the invariants of a wide BVH.

use glam::{DMat3, DVec3};

use super::layout::{LEAF, NO_CHILD, WIDTH, WideNode};
use super::tree::WideTree;
use crate::bvh::{MeshIndex, Violation};
use crate::query::FaceId;

/// Checks that every face is in exactly one leaf, that each box holds all corners below it, and
/// that every node and leaf is reached once.
pub(super) fn validate(tree: &WideTree) -> Result<(), Violation> {
    let broken = |promise: String| {
        Err(Violation {
            index: WideTree::NAME,
            promise,
        })
    };
    if tree.mesh.is_empty() {
        return if tree.nodes.is_empty() && tree.leaves.is_empty() {
            Ok(())
        } else {
            broken("an empty mesh has nodes".into())
        };
    }
    let mut faces = vec![0_u32; tree.mesh.face_count()];
    let mut leaves = vec![0_u32; tree.leaves.len()];
    let mut nodes = vec![0_u32; tree.nodes.len()];
    // The boxes above a subtree travel with it: at most one per level.
    let mut stack = vec![(0_u32, vec![(&tree.root, 0_usize)])];
    while let Some((index, above)) = stack.pop() {
        if index & LEAF == 0 {
            let Some(node) = tree.nodes.get(index as usize) else {
                return broken(format!("child {index} is not a node"));
            };
            nodes[index as usize] += 1;
            for k in 0..WIDTH {
                if node.child[k] != NO_CHILD {
                    let mut boxes = above.clone();
                    boxes.push((node, k));
                    stack.push((node.child[k], boxes));
                }
            }
            continue;
        }
        let index = (index & !LEAF) as usize;
        let Some(leaf) = tree.leaves.get(index) else {
            return broken(format!("child {index} is not a leaf"));
        };
        leaves[index] += 1;
        for &face in &leaf.face[..leaf.count as usize] {
            faces[face as usize] += 1;
            for corner in tree.mesh.triangle(FaceId::new(face)) {
                let p = tree.frame.local(corner);
                if p.length() > tree.frame.radius {
                    return broken(format!("face {face} lies beyond the radius"));
                }
                for &(node, k) in &above {
                    if !holds(node, k, p) {
                        return broken(format!("face {face} is outside the box of lane {k}"));
                    }
                }
            }
        }
    }
    for (what, counts) in [("face", faces), ("leaf", leaves), ("node", nodes)] {
        if let Some(i) = counts.iter().position(|&n| n != 1) {
            return broken(format!("{what} {i} occurs {} times", counts[i]));
        }
    }
    Ok(())
}

/// Whether box `k` of the node holds the point, for the numbers as stored.
fn holds(node: &WideNode, k: usize, p: DVec3) -> bool {
    let at = |x: &[[f32; WIDTH]; 3]| DVec3::from([x[0][k], x[1][k], x[2][k]].map(f64::from));
    let axes = DMat3::from_cols(at(&node.axis[0]), at(&node.axis[1]), at(&node.axis[2]));
    let s = axes.inverse() * (p - at(&node.center));
    s.abs().cmple(at(&node.half)).all()
}
