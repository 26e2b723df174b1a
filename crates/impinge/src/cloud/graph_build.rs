//! Builds the lists of a graph with its points numbered along the tree.
//!
//! **Idea.** Files list points in any order, so that the neighbours of a point are scattered in
//! memory. In the order of the tree's buckets they are close in memory; ids are restored at the
//! end.
//! **Promise.** The same graph as by ids: nothing here depends on how points are numbered.

use glam::DVec3;

use super::adjacency_lists::AdjacencyLists;
use super::edge_pruning::limit_of;
use super::kd_tree::{KdTree, distance_sq};
use super::parallel::{map_all, map_shares};
use super::point_cloud::{CloudError, PointId};
use super::proximity_graph::{Influence, MAX_COINCIDENT, ProximityGraph};

/// The lists of a run of points. Before the end they hold ranks: places in the order of the tree.
#[derive(Default)]
struct ListChunk {
    /// The rank of the first point.
    first: usize,
    lengths: Vec<u32>,
    items: Vec<PointId>,
    limits: Vec<f64>,
    near: Vec<u32>,
    longest: Vec<f64>,
    scales: Vec<f64>,
}

/// The points by rank.
struct RankedPoints<'g> {
    graph: &'g ProximityGraph,
    order: &'g [u32],
    points: Vec<DVec3>,
    tree: KdTree,
}

impl ProximityGraph {
    /// Finds everything about a graph of spheres or of nearest neighbours; `order` is that of the tree.
    pub(super) fn build_locally(&mut self, order: &[u32]) -> Result<(), CloudError> {
        let mut local = RankedPoints {
            points: order.iter().map(|&id| self.points[id as usize]).collect(),
            tree: self.tree.renumbered(order),
            graph: &*self,
            order,
        };
        let ranks: Vec<u32> = (0..order.len() as u32).collect();
        let reaches = local.reaches(&ranks);
        local.tree.set_reaches(reaches.clone());
        let parts = map_shares(&ranks, |ranks| local.lists_of(ranks));
        let parts: Vec<ListChunk> = parts.into_iter().collect::<Result<_, _>>()?;
        let limits = joined(&parts, |part| &part.limits);
        let parts = map_all(parts, |part| local.split(part, &limits));
        let longest = joined(&parts, |part| &part.longest);
        let parts = map_all(parts, |part| local.finish(part, &longest));
        let near = joined(&parts, |part| &part.near);
        let scales = joined(&parts, |part| &part.scales);
        let parts: Vec<(Vec<u32>, Vec<PointId>)> = parts
            .into_iter()
            .map(|part| (part.lengths, part.items))
            .collect();
        // Removed points have ids and are in no order.
        let count = self.points.len();
        let mut reaches_by_id = vec![0.0; count];
        for (rank, &id) in order.iter().enumerate() {
            let id = id as usize;
            reaches_by_id[id] = reaches[rank];
            self.near[id] = near[rank];
            self.limits[id] = limits[rank];
            self.longest[id] = longest[rank];
            self.scale[id] = scales[rank];
        }
        self.tree.set_reaches(reaches_by_id);
        self.lists = AdjacencyLists::from_parts(count, order, &parts);
        Ok(())
    }
}

/// What all parts say, by rank.
fn joined<T: Copy>(parts: &[ListChunk], of: impl Fn(&ListChunk) -> &[T]) -> Vec<T> {
    parts.iter().flat_map(of).copied().collect()
}

impl RankedPoints<'_> {
    fn reaches(&self, ranks: &[u32]) -> Vec<f64> {
        let k = self.graph.order();
        let found = map_shares(ranks, |ranks| {
            let mut best = Vec::with_capacity(k.min(ranks.len()));
            let reach = |&rank: &u32| {
                let place = self.points[rank as usize];
                self.tree.distance_to_kth(place, rank, k, &mut best)
            };
            ranks.iter().map(reach).collect::<Vec<f64>>()
        });
        found.into_iter().flatten().collect()
    }

    /// The neighbours of some points by the definition, and the limits of their edges.
    fn lists_of(&self, ranks: &[u32]) -> Result<ListChunk, CloudError> {
        let mut part = ListChunk {
            first: ranks.first().map_or(0, |&rank| rank as usize),
            lengths: Vec::with_capacity(ranks.len()),
            items: Vec::with_capacity(ranks.len() * 16),
            limits: Vec::with_capacity(ranks.len()),
            ..ListChunk::default()
        };
        let mut lengths = Vec::new();
        for &rank in ranks {
            let start = part.items.len();
            let place = self.points[rank as usize];
            let own = self.tree.reach_of(rank);
            let mut coincident = 0;
            lengths.clear();
            let mut take = |other: u32, distance: f64| {
                if other != rank {
                    part.items.push(PointId::new(other));
                    lengths.push(distance);
                    coincident += usize::from(distance <= 0.0);
                }
                coincident <= MAX_COINCIDENT
            };
            let tree = &self.tree;
            if let Influence::Nearest { .. } = self.graph.options.influence {
                tree.visit_reaching(place, own, f64::max, |slot, d| take(slot.id, d));
            } else {
                tree.visit_reaching(place, own, |a, b| a + b, |slot, d| take(slot.id, d));
            }
            if coincident > MAX_COINCIDENT {
                return Err(CloudError::Coincident {
                    point: self.order[rank as usize] as usize,
                    others: coincident,
                });
            }
            part.lengths.push((part.items.len() - start) as u32);
            part.limits
                .push(limit_of(&mut lengths, self.graph.options.prune));
        }
        Ok(part)
    }

    /// Puts near neighbours before far ones.
    fn split(&self, mut part: ListChunk, limits: &[f64]) -> ListChunk {
        let (mut start, mut far) = (0, Vec::new());
        for (k, &length) in part.lengths.iter().enumerate() {
            let rank = part.first + k;
            let (place, own) = (self.points[rank], limits[rank]);
            let list = &mut part.items[start..start + length as usize];
            start += length as usize;
            far.clear();
            let (mut near, mut longest) = (0, 0.0_f64);
            for at in 0..list.len() {
                let q = list[at];
                let length = distance_sq(self.points[q.index()], place).sqrt();
                if length > own.min(limits[q.index()]) {
                    far.push(q);
                } else {
                    list[near] = q;
                    near += 1;
                    longest = longest.max(length);
                }
            }
            list[near..].copy_from_slice(&far);
            part.near.push(near as u32);
            part.longest.push(longest);
        }
        part
    }

    /// Finds the scales and gives the neighbours their ids, near and far ones ascending.
    fn finish(&self, mut part: ListChunk, longest: &[f64]) -> ListChunk {
        let (mut start, mut lengths) = (0, Vec::new());
        for (k, (&length, &near)) in part.lengths.iter().zip(&part.near).enumerate() {
            let list = &mut part.items[start..start + length as usize];
            start += length as usize;
            let (near, far) = list.split_at_mut(near as usize);
            lengths.clear();
            lengths.extend(near.iter().map(|q| longest[q.index()]));
            lengths.push(longest[part.first + k]);
            part.scales.push(mean_of(&mut lengths));
            for side in [near, far] {
                for q in side.iter_mut() {
                    *q = PointId::new(self.order[q.index()]);
                }
                side.sort_unstable();
            }
        }
        part
    }
}

/// The mean, summed in ascending order so that it does not depend on how points are numbered; the list is never empty.
pub(super) fn mean_of(lengths: &mut [f64]) -> f64 {
    lengths.sort_unstable_by(f64::total_cmp);
    lengths.iter().sum::<f64>() / lengths.len() as f64
}
