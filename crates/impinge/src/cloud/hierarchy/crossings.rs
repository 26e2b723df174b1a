//! Leaf test by searching for crossings of the two surfaces.

use super::super::interpolation_search::{
    InterpolationSearchOptions, InterpolationSearchScratch, find_crossings,
};
use super::super::point_cloud::PointId;
use super::leaf_test::{LeafDistance, LeafPair};
use super::node::{CloudTree, HierarchyNode};
use crate::query::{First, Limits, Outcome};

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct CrossingMemory {
    scratch: InterpolationSearchScratch,
    among: Vec<PointId>,
    open: Vec<u32>,
}

impl CrossingMemory {
    /// Lists the points below a node, and of a leaf those in its border: a bracket may end beyond the leaf.
    fn list(&mut self, tree: &CloudTree, node: &HierarchyNode) {
        self.among.clear();
        self.open.clear();
        let mut next = Some(*node);
        while let Some(node) = next {
            if node.is_leaf() {
                let own = tree.samples(&node).iter().chain(tree.border(&node));
                self.among.extend(own.map(|&id| PointId::new(id)));
            } else {
                self.open.extend([node.low, node.low + 1]);
            }
            next = self.open.pop().map(|number| tree.nodes[number as usize]);
        }
        self.among.sort_unstable();
        self.among.dedup();
    }
}

impl LeafPair<'_> {
    /// What the search for crossings finds between the points of a's leaf and b, and how many evaluations it took.
    pub(super) fn crossings(
        &self,
        options: &InterpolationSearchOptions,
        evaluated: u64,
        memory: &mut CrossingMemory,
    ) -> (LeafDistance, u64) {
        memory.list(self.a, self.nodes.0);
        let options = InterpolationSearchOptions {
            seed: options.seed ^ self.seed,
            ..*options
        };
        let spent = self.spent + evaluated;
        let limits = Limits {
            max_tests: self.limits.max_tests.map(|most| most.saturating_sub(spent)),
            max_distance: None,
            stop: self.limits.stop,
        };
        let mut first = First::default();
        let search = find_crossings(
            &self.a.surface,
            &self.b.surface,
            &self.placement.a_from_b,
            Some(&memory.among),
            &options,
            limits,
            &mut memory.scratch,
            &mut first,
        );
        let found = match first.0 {
            Some(crossing) => LeafDistance {
                distance: crossing.residual,
                place: crossing.point,
                is_met: true,
                is_cut_short: false,
            },
            None => LeafDistance {
                is_cut_short: search.outcome == Outcome::OutOfBudget,
                ..LeafDistance::NOTHING
            },
        };
        (found, search.evaluations)
    }
}
