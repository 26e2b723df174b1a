//! Quality of the wide BVH, by the same measure as other trees.

use super::node_view::{NodeBox, NodeView};
use super::tree::WideTree;
use crate::bound::Aabb;
use crate::bvh::tree::{NodeMeasure, TreeQuality, tree_quality};

impl WideTree {
    /// Statistics of the tree: size, depth, SAH cost. Its eight children count as eight tests.
    ///
    /// ```
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let quality = WideTree::new(Arc::new(icosphere(1.0, 8)?)).quality();
    /// assert_eq!(quality.references, 1280);
    /// assert!(quality.sah_cost > 8.0);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn quality(&self) -> TreeQuality {
        let mut nodes: Vec<NodeMeasure> = Vec::new();
        let mut stack: Vec<(NodeView, Option<usize>)> =
            self.whole().map(|part| (part, None)).into_iter().collect();
        while let Some((part, parent)) = stack.pop() {
            let place = nodes.len();
            let faces = part.is_leaf().then(|| self.faces_of(&part).len() as u32);
            nodes.push(measure(&part.bounds, parent, faces));
            stack.extend(self.parts(&part).map(|child| (child, Some(place))));
        }
        tree_quality(&nodes)
    }
}

fn measure(bounds: &NodeBox, parent: Option<usize>, faces: Option<u32>) -> NodeMeasure {
    let size = bounds.half * 2.0;
    NodeMeasure {
        area: 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x),
        volume: size.x * size.y * size.z,
        bounds: Aabb::enclosing(bounds.corners()),
        parent,
        faces,
    }
}
