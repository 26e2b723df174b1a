//! Counts possible collision cells without a tree, for inspection and comparison.

use glam::DVec3;

use super::build::{TreePlan, plan};
use super::config::{AverageConfig, CellCounting};
use super::count_cells::{count, histogram};
use crate::bound::Aabb;
use crate::mesh::TriMesh;

/// How often each cell, of 512 by default, is a possible collision cell, over all nodes of the tree of a mesh, counted exactly.
///
/// The probabilities assume that all cells are equally likely; this shows how far that is true. Cell (x, y, z) is at x + 8 (y + 8 z), for 8 cells along each side.
///
/// ```
/// use impinge::average_case::{AverageConfig, cell_histogram};
/// let counts = cell_histogram(&impinge::generate::icosphere(1.0, 8)?, &AverageConfig::default());
/// assert_eq!(counts.len(), 512);
/// assert!(counts.iter().sum::<u32>() > 0);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[must_use]
pub fn cell_histogram(mesh: &TriMesh, config: &AverageConfig) -> Vec<u32> {
    histogram(&plan(mesh, config), config)
}

/// The possible collision cells of all nodes of the tree that a mesh would get, without the tree: to time and to compare ways of counting.
///
/// ```
/// use impinge::average_case::{AverageConfig, CellCounting, CellCounter};
/// let ball = impinge::generate::icosphere(1.0, 8)?;
/// let counter = CellCounter::new(&ball, &AverageConfig::default());
/// let exact = counter.count(CellCounting::Exact);
/// assert_eq!(exact.len(), counter.count(CellCounting::Approximate).len());
/// assert!(counter.bounds(0).is_some() && counter.faces(0).len() >= ball.face_count());
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CellCounter {
    plan: TreePlan,
    config: AverageConfig,
}

impl CellCounter {
    /// The nodes of a mesh's tree, not counted yet.
    #[must_use]
    pub fn new(mesh: &TriMesh, config: &AverageConfig) -> Self {
        Self {
            plan: plan(mesh, config),
            config: *config,
        }
    }

    /// The cells of all nodes, the root first.
    #[must_use]
    pub fn count(&self, counting: CellCounting) -> Vec<u32> {
        let config = AverageConfig {
            counting,
            ..self.config
        };
        count(&self.plan, &config, None)
    }

    /// The box of a node, with its least thickness.
    #[must_use]
    pub fn bounds(&self, node: usize) -> Option<Aabb> {
        let node = self.plan.nodes.get(node)?;
        Some(node.bounds(&self.plan.frame))
    }

    /// The pieces of faces that belong to a node; none for a node that does not exist.
    #[must_use]
    pub fn faces(&self, node: usize) -> Vec<[DVec3; 3]> {
        let node = self.plan.nodes.get(node);
        node.map_or(Vec::new(), |node| self.plan.faces(node).copied().collect())
    }
}
