//! Axis-aligned boxes for casting many rays: nodes and leaves of the tree, other boxes.
//!
//! A ray against eight oriented boxes takes six divisions and more than twenty multiplications in lanes, against eight axis-aligned
//! ones nine multiplications.

use std::fmt;
use std::sync::OnceLock;

use super::build::{child_extent, extents};
use super::layout::{NO_CHILD, WIDTH};
use super::tree::WideTree;
use crate::math::outward_rounding;

/// Beyond every coordinate: a lane without a child ends before it begins.
const NOWHERE: f32 = 1e30;

/// Eight boxes of a node, lane by lane.
#[derive(Clone)]
#[repr(C, align(32))]
pub(super) struct RayNode {
    /// `bound[c]` holds the least coordinates `c`, then the greatest.
    pub(super) bound: [[[f32; WIDTH]; 2]; 3],
    pub(super) child: [u32; WIDTH],
}

const _: () = assert!(size_of::<RayNode>() == 224);

/// The nodes in the order of the tree's, made when they are first needed.
#[derive(Clone, Default)]
pub(super) struct RayNodes(OnceLock<Vec<RayNode>>);

impl fmt::Debug for RayNodes {
    /// The same before and after they are made: they follow from the rest of the tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RayNodes")
    }
}

impl RayNodes {
    pub(super) fn of(&self, tree: &WideTree) -> &[RayNode] {
        self.0.get_or_init(|| nodes(tree))
    }

    /// Bytes that they take, if they were made.
    pub(super) fn bytes(&self) -> usize {
        self.0
            .get()
            .map_or(0, |nodes| size_of_val(nodes.as_slice()))
    }
}

fn nodes(tree: &WideTree) -> Vec<RayNode> {
    let children = tree.nodes.iter().map(|node| &node.child);
    let extents = extents(children, &tree.leaves);
    let node = |child: &[u32; WIDTH]| {
        let mut node = RayNode {
            bound: [[[NOWHERE; WIDTH], [-NOWHERE; WIDTH]]; 3],
            child: *child,
        };
        for k in (0..WIDTH).filter(|&k| child[k] != NO_CHILD) {
            let [min, max] = child_extent(child[k], &extents, &tree.leaves);
            let (min, max) = outward_rounding::outward(min, max);
            for c in 0..3 {
                node.bound[c][0][k] = min[c];
                node.bound[c][1][k] = max[c];
            }
        }
        node
    };
    tree.nodes.iter().map(|each| node(&each.child)).collect()
}
