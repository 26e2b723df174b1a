//! A tree follows its cloud when points move.
//!
//! The division of the points is kept. Nodes whose points, or neighbours of whose points, moved get
//! their samples, covering and plane anew, as the build would find them; the others only a new
//! border. When leaves have grown too large for that, the tree is built anew.

use std::sync::Arc;

use super::super::implicit_surface::CloudSurface;
use super::super::point_cloud::CloudError;
use super::build::{DraftNode, bounds, build, finish_all, units};
use super::node::{CloudTree, HierarchyNode};
use crate::bound::Aabb;

/// Leaves that grew by this much in relation to the whole are worth new splits.
const STRETCHED: f64 = 1.5;
/// Places may be this many units from the middle before units are chosen anew: 32 bits are precise enough there.
const ROOMY: f64 = 2.0;

/// What a refit of a tree did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CloudTreeRefit {
    /// Nodes that were made anew.
    pub nodes: usize,
    /// Whether the points were divided anew, too.
    pub is_rebuilt: bool,
}

impl CloudTree {
    /// Follows the cloud: `surface` is that of the same points at other places, as [`CloudSurface::relocate_all`] leaves it.
    ///
    /// Where all points moved, the tree is bit for bit the one that [`CloudTree::new`] makes of the new surface if it divides the points
    /// in the same way.
    ///
    /// # Errors
    /// [`CloudError::Setting`] when the surface has other ids; nothing is changed then.
    ///
    /// ```
    /// use impinge::{cloud::*, math::Rng};
    /// let mut rng = Rng::new(1);
    /// let ball = PointCloud::from_points((0..500).map(|_| rng.direction()))?;
    /// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
    /// let mut surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// let mut tree = CloudTree::new(surface.clone().into(), &CloudTreeOptions::default())?;
    /// let large: Vec<_> = ball.points().iter().map(|p| *p * 1.5).collect();
    /// surface.relocate_all(&large, None)?;
    /// let refit = tree.refit(surface.into())?;
    /// assert!(refit.nodes == tree.nodes() && tree.validate().is_ok());
    /// # Ok::<(), CloudError>(())
    /// ```
    pub fn refit(&mut self, surface: Arc<CloudSurface>) -> Result<CloudTreeRefit, CloudError> {
        let (old, new) = (&self.surface.graph, &surface.graph);
        if old.is_live != new.is_live {
            return Err(CloudError::Setting {
                what: "the number of points",
                value: new.len() as f64,
            });
        }
        let (order, mut drafts) = self.division();
        let points = &new.points;
        for draft in drafts
            .iter_mut()
            .filter(|draft| draft.low == super::node::NO_CHILD)
        {
            (draft.min, draft.max) = bounds(points, &order[draft.start..draft.end]);
        }
        // Children come after their parents.
        for number in (0..drafts.len()).rev() {
            let low = drafts[number].low;
            if low != super::node::NO_CHILD {
                let [a, b] = [drafts[low as usize], drafts[low as usize + 1]];
                drafts[number].min = a.min.min(b.min);
                drafts[number].max = a.max.max(b.max);
            }
        }
        let Some(root) = drafts.first().copied() else {
            self.surface = surface;
            return Ok(CloudTreeRefit {
                nodes: 0,
                is_rebuilt: false,
            });
        };
        if spread(&drafts) > STRETCHED * self.spread() {
            let nodes = self.nodes.len();
            *self = build(surface, &self.options);
            return Ok(CloudTreeRefit {
                nodes: self.nodes.len().max(nodes),
                is_rebuilt: true,
            });
        }
        let differs = new.differing(old);
        let is_new: Vec<bool> = drafts
            .iter()
            .map(|draft| {
                let mut items = order[draft.start..draft.end].iter();
                items.any(|&id| differs[id as usize])
            })
            .collect();
        let far = (root.min - self.centre)
            .abs()
            .max((root.max - self.centre).abs());
        let is_all = is_new.iter().all(|&is_new| is_new);
        let is_out = far.max_element() > ROOMY * self.unit;
        let frame = if is_all || is_out {
            units(root.min, root.max)
        } else {
            (self.centre, self.unit)
        };
        let is_all = is_all || frame != (self.centre, self.unit);
        let kept = |number: usize| {
            let is_kept = !is_all && !is_new[number];
            is_kept.then(|| {
                let node: HierarchyNode = self.nodes[number];
                (node, self.samples(&node))
            })
        };
        let tree = finish_all(surface, &self.options, frame, &drafts, &order, kept);
        *self = tree;
        Ok(CloudTreeRefit {
            nodes: is_new.iter().filter(|&&is_new| is_new || is_all).count(),
            is_rebuilt: false,
        })
    }

    /// The points leaf by leaf, and where those of each node are; without boxes.
    pub(super) fn division(&self) -> (Vec<u32>, Vec<DraftNode>) {
        let mut order = Vec::with_capacity(self.surface.graph.len());
        let mut drafts = vec![DraftNode::BLANK; self.nodes.len()];
        // From the leftmost leaf to the rightmost; children come after their parents.
        let mut open: Vec<u32> = if self.nodes.is_empty() {
            Vec::new()
        } else {
            vec![0]
        };
        while let Some(number) = open.pop() {
            let node = &self.nodes[number as usize];
            let draft = &mut drafts[number as usize];
            (draft.start, draft.low) = (order.len(), node.low);
            if node.is_leaf() {
                order.extend_from_slice(self.samples(node));
                draft.end = order.len();
            } else {
                open.extend([node.low + 1, node.low]);
            }
        }
        for number in (0..drafts.len()).rev() {
            if !self.nodes[number].is_leaf() {
                drafts[number].end = drafts[drafts[number].low as usize + 1].end;
            }
        }
        (order, drafts)
    }

    /// The sizes of the leaves in relation to that of the whole, by the places of now.
    fn spread(&self) -> f64 {
        let (order, mut drafts) = self.division();
        let points = &self.surface.graph.points;
        for draft in &mut drafts {
            (draft.min, draft.max) = bounds(points, &order[draft.start..draft.end]);
        }
        spread(&drafts)
    }
}

/// The sizes of the leaves in relation to that of the root.
fn spread(drafts: &[DraftNode]) -> f64 {
    let size = |draft: &DraftNode| {
        let all = Aabb {
            min: draft.min,
            max: draft.max,
        };
        all.diagonal().length()
    };
    let leaves = drafts
        .iter()
        .filter(|draft| draft.low == super::node::NO_CHILD);
    match drafts.first().map_or(0.0, size) {
        whole if whole > 0.0 => leaves.map(size).sum::<f64>() / whole,
        _ => 0.0,
    }
}
