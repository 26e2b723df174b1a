//! A tree's own promises.

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
    let mut next_reference = vec![false; tree.order.len()];
    // Which corners of the face of each reference are in its leaf: all of them, or those of its part.
    let mut in_leaf = vec![0_u8; tree.order.len()];
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
                if next_reference[place] {
                    return broken(format!("place {place} is in two leaves"));
                }
                next_reference[place] = true;
                let corners = mesh.triangle(tree.order[place]);
                for (k, &p) in corners.iter().enumerate() {
                    in_leaf[place] |= u8::from(node.volume.contains(p)) << k;
                }
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
    let mut covered = vec![0_u8; mesh.face_count()];
    let mut references = vec![0_u32; mesh.face_count()];
    for (place, face) in tree.order.iter().enumerate() {
        covered[face.index()] |= in_leaf[place];
        references[face.index()] += 1;
        if !tree.has_parts && (in_leaf[place] != ALL || references[face.index()] > 1) {
            return broken(format!("{face} is not inside its one leaf"));
        }
    }
    if let Some(face) = covered.iter().position(|&corners| corners != ALL) {
        return broken(format!("face {face} is not inside its leaves"));
    }
    // What is in a leaf is in every node above it.
    for (i, node) in nodes.iter().enumerate().filter(|(_, n)| n.is_leaf()) {
        for place in node.range() {
            let corners = mesh.triangle(tree.order[place]);
            let mut above = parent[i];
            while above != usize::MAX {
                for (k, &p) in corners.iter().enumerate() {
                    if in_leaf[place] >> k & 1 == 1 && !nodes[above].volume.contains(p) {
                        return broken(format!(
                            "node {above} does not contain corner {k} of {}",
                            tree.order[place]
                        ));
                    }
                }
                above = parent[above];
            }
        }
    }
    Ok(())
}
