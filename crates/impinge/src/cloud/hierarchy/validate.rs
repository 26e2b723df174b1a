//! Checks the invariants of a tree against its cloud.

use super::super::kd_tree::distance_sq;
use super::node::{CloudTree, NO_CHILD};
use crate::bvh::Violation;

impl CloudTree {
    /// Checks that every point is in one leaf, that boxes hold what is below, that planes are as thick as they say, and that samples belong to their nodes and cover their points.
    ///
    /// # Errors
    /// The first promise that does not hold.
    ///
    /// ```
    /// use impinge::cloud::*;
    /// let row = PointCloud::from_points((0..30).map(|i| [f64::from(i), 0.0, 0.0]))?;
    /// let graph = ProximityGraph::new(&row, &GraphOptions::default())?;
    /// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// assert!(CloudTree::new(surface.into(), &CloudTreeOptions::default())?.validate().is_ok());
    /// # Ok::<(), CloudError>(())
    /// ```
    pub fn validate(&self) -> Result<(), Violation> {
        let broken = |promise: String| {
            Err(Violation {
                index: "cloud tree",
                promise,
            })
        };
        let parents = self.parents();
        let mut leaf_of = vec![NO_CHILD; self.surface.graph.points.len()];
        for (node, number) in self.nodes.iter().zip(0..) {
            if !node.is_leaf() {
                if node.low <= number || node.low as usize + 1 >= self.nodes.len() {
                    return broken(format!("the children of node {number} come after it"));
                }
                continue;
            }
            for &id in self.samples(node) {
                if self
                    .surface
                    .graph
                    .place(super::super::PointId::new(id))
                    .is_none()
                {
                    return broken(format!("point {id} of leaf {number} is in the cloud"));
                }
                if leaf_of[id as usize] != NO_CHILD {
                    return broken(format!("point {id} is in one leaf"));
                }
                leaf_of[id as usize] = number;
            }
        }
        for id in self.surface.graph.ids() {
            let leaf = leaf_of[id.index()];
            if leaf == NO_CHILD {
                return broken(format!("{id} is in a leaf"));
            }
            let place = self.place(id.raw());
            let own = self.to_units(place);
            let mut number = leaf;
            while number != NO_CHILD {
                let node = &self.nodes[number as usize];
                let (min, max) = (super::node::vector(node.min), super::node::vector(node.max));
                if own.cmplt(min).any() || own.cmpgt(max).any() {
                    return broken(format!("{id} is in the box of node {number}"));
                }
                if (node.plane().dot(own) - f64::from(node.offset)).abs()
                    > f64::from(node.thickness)
                {
                    return broken(format!("{id} is in the slab of node {number}"));
                }
                let reach = f64::from(node.radius) * self.unit;
                let mut samples = self.samples(node).iter();
                if !samples.any(|&s| distance_sq(self.place(s), place) <= reach * reach) {
                    return broken(format!("{id} is covered by the samples of node {number}"));
                }
                number = parents[number as usize];
            }
        }
        for (node, number) in self.nodes.iter().zip(0_u32..) {
            for &id in self.samples(node) {
                let mut at = leaf_of[id as usize];
                while at != number && at != NO_CHILD {
                    at = parents[at as usize];
                }
                if at != number {
                    return broken(format!("sample {id} of node {number} is one of its points"));
                }
            }
        }
        Ok(())
    }

    /// The parent of each node.
    fn parents(&self) -> Vec<u32> {
        let mut parents = vec![NO_CHILD; self.nodes.len()];
        for (node, number) in self.nodes.iter().zip(0_u32..) {
            if !node.is_leaf() {
                for child in [node.low, node.low + 1] {
                    if let Some(parent) = parents.get_mut(child as usize) {
                        *parent = number;
                    }
                }
            }
        }
        parents
    }
}
