//! Tree quality (SAH cost), by one measure for every kind of tree.
//!
//! **Question.** Which of two trees over the same faces needs fewer tests?
//! **Idea.** The probability that a traversal enters a node is proportional to the node's surface
//! area. The SAH cost is the sum of the tests in each node, of its children or its faces, weighted
//! by that probability.
//! **Source.** MacDonald and Booth, *Heuristics for ray tracing using space subdivision*, 1990;
//! Goldsmith and Salmon, 1987.

use super::node::Bvh;
use crate::bound::{Aabb, BoundingVolume};

/// A node as the measure sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeMeasure {
    /// The surface area of its volume.
    pub area: f64,
    /// The volume of its volume.
    pub volume: f64,
    /// The box along the axes around its volume.
    pub bounds: Aabb,
    /// Its parent's place in the list, which is before its own; `None` for the root.
    pub parent: Option<usize>,
    /// How many faces a leaf has; `None` for inner nodes.
    pub faces: Option<u32>,
}

/// Statistics of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeQuality {
    /// How many nodes there are.
    pub nodes: usize,
    /// How many of them are leaves.
    pub leaves: usize,
    /// References to faces; more than faces when some are in several leaves.
    pub references: usize,
    /// Nodes on the longest way from the root to a leaf.
    pub depth: usize,
    /// Faces per leaf, on average.
    pub leaf_fill: f64,
    /// The sum over all nodes of area times tests (children of an inner node, faces of a leaf), in areas of the root.
    pub sah_cost: f64,
    /// The volume shared by boxes of siblings, summed over all pairs, relative to the volume of all
    /// inner boxes; 0 is best.
    pub overlap: f64,
    /// The volume of all nodes, in volumes of the root.
    pub volume_ratio: f64,
}

/// The measure of a tree given by its nodes, the root first and children after their parents.
///
/// ```
/// use impinge::bound::{Aabb, BoundingVolume};
/// use impinge::bvh::tree::{NodeMeasure, tree_quality};
/// use impinge::DVec3;
/// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
/// let root = NodeMeasure { area: 6.0, volume: 1.0, bounds: unit, parent: None, faces: Some(3) };
/// assert_eq!(tree_quality(&[root]).sah_cost, 3.0);
/// ```
#[must_use]
pub fn tree_quality(nodes: &[NodeMeasure]) -> TreeQuality {
    let Some(root) = nodes.first() else {
        return TreeQuality::default();
    };
    // A flat tree has volumes of 0, a tree of points areas of 0: every node is then as large as the root.
    let part = |x: f64, whole: f64| if whole > 0.0 { x / whole } else { 1.0 };
    let mut found = TreeQuality {
        nodes: nodes.len(),
        ..TreeQuality::default()
    };
    let mut children = vec![0_u32; nodes.len()];
    let mut depth = vec![1_usize; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent.filter(|&p| p < i) {
            children[parent] += 1;
            depth[i] = depth[parent] + 1;
        }
        found.depth = found.depth.max(depth[i]);
    }
    for (node, &children) in nodes.iter().zip(&children) {
        let tests = node.faces.unwrap_or(children);
        found.sah_cost += part(node.area, root.area) * f64::from(tests);
        found.volume_ratio += part(node.volume, root.volume);
        if let Some(faces) = node.faces {
            found.leaves += 1;
            found.references += faces as usize;
        }
    }
    found.leaf_fill = found.references as f64 / found.leaves.max(1) as f64;
    found.overlap = overlap(nodes, &children);
    found
}

/// What brothers share, in volumes of the inner nodes' boxes.
fn overlap(nodes: &[NodeMeasure], children: &[u32]) -> f64 {
    // Brothers of one parent, gathered by counting.
    let mut first = vec![0_usize; nodes.len() + 1];
    for (i, &count) in children.iter().enumerate() {
        first[i + 1] = first[i] + count as usize;
    }
    let mut place = first.clone();
    let mut brothers = vec![0_usize; first[nodes.len()]];
    for (i, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent.filter(|&p| p < i) {
            brothers[place[parent]] = i;
            place[parent] += 1;
        }
    }
    let (mut shared, mut whole) = (0.0, 0.0);
    for (i, node) in nodes.iter().enumerate() {
        let brothers = &brothers[first[i]..first[i + 1]];
        if !brothers.is_empty() {
            whole += node.bounds.volume();
        }
        for (k, &p) in brothers.iter().enumerate() {
            for &q in &brothers[k + 1..] {
                shared += nodes[p].bounds.intersection(&nodes[q].bounds).volume();
            }
        }
    }
    if whole > 0.0 { shared / whole } else { 0.0 }
}

impl<V: BoundingVolume> Bvh<V> {
    /// How good the tree is.
    ///
    /// ```
    /// use impinge::{bound::Ball, bvh::{MeshIndex, tree::Bvh}, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let tree = Bvh::<Ball>::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// assert_eq!(tree.quality().references, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn quality(&self) -> TreeQuality {
        let mut measures: Vec<NodeMeasure> = self
            .nodes
            .iter()
            .map(|node| NodeMeasure {
                area: node.volume.surface_area(),
                volume: node.volume.volume(),
                bounds: node.volume.bounds(),
                parent: None,
                faces: node.is_leaf().then(|| node.range().len() as u32),
            })
            .collect();
        for (i, node) in self.nodes.iter().enumerate() {
            if !node.is_leaf() {
                for child in node.range() {
                    measures[child].parent = Some(i);
                }
            }
        }
        tree_quality(&measures)
    }
}
