//! Dijkstra's algorithm up to a horizon.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use glam::DVec3;

use super::adjacency_lists::IdMap;
use super::geodesic_paths::PathEnd;
use super::influence_complex::across;
use super::kd_tree::distance_sq;
use super::point_cloud::PointId;
use super::proximity_graph::ProximityGraph;

/// What a search walks on.
pub(super) trait Adjacency {
    fn near(&self, id: PointId) -> &[PointId];
    fn at(&self, id: PointId) -> DVec3;
}

impl Adjacency for ProximityGraph {
    #[inline]
    fn near(&self, id: PointId) -> &[PointId] {
        self.neighbours(id)
    }

    #[inline]
    fn at(&self, id: PointId) -> DVec3 {
        self.points[id.index()]
    }
}

/// A way to a point; shorter comes first, then fewer hops, then the smaller id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PathEntry {
    pub(super) length: f64,
    pub(super) hops: u32,
    pub(super) to: u32,
}

impl PathEntry {
    fn end(&self) -> PathEnd {
        PathEnd {
            point: PointId::new(self.to),
            hops: self.hops,
            length: self.length,
        }
    }
}

impl Eq for PathEntry {}

impl PartialOrd for PathEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PathEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.length.total_cmp(&other.length);
        by_length
            .then(self.hops.cmp(&other.hops))
            .then(self.to.cmp(&other.to))
    }
}

#[derive(Clone, Copy, Debug)]
struct VertexState {
    length: f64,
    hops: u32,
    from: u32,
    is_settled: bool,
}

/// A search and its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Dijkstra {
    states: IdMap<VertexState>,
    open: BinaryHeap<Reverse<PathEntry>>,
    settled: Vec<PathEnd>,
}

impl Dijkstra {
    /// Settles all points within `limit` of any start. The order, lengths and hops do not depend on how neighbours are listed.
    pub(super) fn run(&mut self, graph: &impl Adjacency, starts: &[PointId], limit: f64) {
        self.states.clear();
        self.open.clear();
        self.settled.clear();
        for &start in starts {
            self.offer(start, 0.0, 0, start.raw());
        }
        while let Some(Reverse(way)) = self.open.pop() {
            let id = PointId::new(way.to);
            let blank = VertexState {
                length: way.length,
                hops: way.hops,
                from: way.to,
                is_settled: false,
            };
            let state = self.states.entry(id, blank);
            if state.is_settled {
                continue;
            }
            state.is_settled = true;
            self.settled.push(way.end());
            let place = graph.at(id);
            for &q in graph.near(id) {
                let length = way.length + distance_sq(graph.at(q), place).sqrt();
                if length <= limit {
                    self.offer(q, length, way.hops + 1, way.to);
                }
            }
        }
    }

    /// As [`run`](Self::run) from one start, also across triangles.
    pub(super) fn run_across(&mut self, graph: &ProximityGraph, start: PointId, limit: f64) {
        self.states.clear();
        self.open.clear();
        self.settled.clear();
        self.offer(start, 0.0, 0, start.raw());
        let mut offers = Vec::new();
        while let Some(Reverse(way)) = self.open.pop() {
            let id = PointId::new(way.to);
            let Some(&state) = self.states.get(id) else {
                continue;
            };
            if state.is_settled {
                continue;
            }
            self.states.entry(id, state).is_settled = true;
            self.settled.push(way.end());
            let place = graph.at(id);
            for &q in graph.near(id) {
                let length = way.length + distance_sq(graph.at(q), place).sqrt();
                self.offer_within(q, length, way.hops + 1, way.to, limit);
                let Some(known) = self.states.get(q).copied().filter(|s| s.is_settled) else {
                    continue;
                };
                offers.clear();
                graph.common_neighbours(id, q, |c| {
                    let is_open = self.states.get(c).is_none_or(|s| !s.is_settled);
                    if is_open
                        && let Some(length) =
                            across(place, graph.at(q), graph.at(c), way.length, known.length)
                        && graph.spans([id, q, c])
                    {
                        offers.push((c, length));
                    }
                });
                for &(c, length) in &offers {
                    // What is settled is nearer; an obtuse triangle must not say otherwise.
                    let length = length.max(way.length);
                    self.offer_within(c, length, way.hops.max(known.hops) + 1, way.to, limit);
                }
            }
        }
    }

    #[inline]
    fn offer_within(&mut self, to: PointId, length: f64, hops: u32, from: u32, limit: f64) {
        if length <= limit {
            self.offer(to, length, hops, from);
        }
    }

    #[inline]
    fn offer(&mut self, to: PointId, length: f64, hops: u32, from: u32) {
        let worst = VertexState {
            length: f64::INFINITY,
            hops: u32::MAX,
            from,
            is_settled: false,
        };
        let state = self.states.entry(to, worst);
        // Among equal ways the one from the smaller id is kept, whichever came first.
        let is_better = match length.total_cmp(&state.length).then(hops.cmp(&state.hops)) {
            Ordering::Less => true,
            Ordering::Equal => !state.is_settled && from < state.from,
            Ordering::Greater => false,
        };
        if !is_better || state.is_settled {
            return;
        }
        let is_news = (length, hops) != (state.length, state.hops);
        *state = VertexState {
            length,
            hops,
            from,
            is_settled: false,
        };
        if is_news {
            self.open.push(Reverse(PathEntry {
                length,
                hops,
                to: to.raw(),
            }));
        }
    }

    /// What the last run settled, nearest first.
    pub(super) fn settled(&self) -> &[PathEnd] {
        &self.settled
    }

    /// Writes the way from the start of the last run to a settled point.
    pub(super) fn path_to(&self, to: PointId, path: &mut Vec<PointId>) {
        path.clear();
        path.push(to);
        let mut at = to;
        while let Some(state) = self.states.get(at)
            && state.from != at.raw()
        {
            at = PointId::new(state.from);
            path.push(at);
        }
        path.reverse();
    }
}
