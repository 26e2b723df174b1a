//! A path along the surface between two points of its cloud.
//!
//! **Idea.** Within the horizon of the path map the stored lengths lead along the shortest path.
//! Farther away each step goes to the neighbour nearest to the goal. If no neighbour is nearer than
//! the point itself, a best-first search with back links takes over, so that a dead end is left
//! again and is not part of the path.
//! **Source.** Klein, Algorithm 8, which appends dead ends to the path.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cloud::adjacency_lists::IdMap;
use crate::cloud::dijkstra::PathEntry;
use crate::cloud::kd_tree::distance_sq;
use crate::cloud::proximity_graph::ProximityGraph;
use crate::cloud::{CloudSurface, PointId};

use super::scratch::InterpolationSearchScratch;

/// Points that a search may settle at least, and more per step that the straight way would take.
const SETTLED: f64 = 64.0;
const SETTLED_PER_STEP: f64 = 8.0;

/// A path and the memory to find it.
#[derive(Clone, Debug, Default)]
pub(super) struct SurfacePath {
    /// Both ends included.
    pub(super) points: Vec<PointId>,
    /// The length from the start to each of them.
    pub(super) lengths: Vec<f64>,
    /// Points stepped on so far, in all searches.
    pub(super) steps: u64,
    known: IdMap<f64>,
    before: IdMap<u32>,
    open: BinaryHeap<Reverse<PathEntry>>,
}

impl SurfacePath {
    /// Finds a path, over virtual edges only where there is no other; `false` when there is none that is not much longer than straight.
    pub(super) fn find(
        &mut self,
        surface: &CloudSurface,
        from: PointId,
        to: PointId,
        virtual_edges: bool,
    ) -> bool {
        let graph = &*surface.graph;
        let real = PathEdges {
            graph,
            has_virtual: false,
        };
        let every = PathEdges {
            has_virtual: true,
            ..real
        };
        let is_found = self.by_lengths(surface, from, to)
            || self.straight(real, from, to)
            || self.best_first(real, from, to)
            || (virtual_edges && self.straight(every, from, to))
            || (virtual_edges && self.best_first(every, from, to));
        self.lengths.clear();
        if !is_found {
            self.points.clear();
            return false;
        }
        let mut length = 0.0;
        let mut last = graph.points[from.index()];
        for id in &self.points {
            let place = graph.points[id.index()];
            length += distance_sq(place, last).sqrt();
            self.lengths.push(length);
            last = place;
        }
        true
    }

    /// Along the lengths of the path map.
    fn by_lengths(&mut self, surface: &CloudSurface, from: PointId, to: PointId) -> bool {
        let graph = &*surface.graph;
        let Some(paths) = surface.paths() else {
            return false;
        };
        let reached = paths.from(to);
        let straight_sq = distance_sq(graph.points[from.index()], graph.points[to.index()]);
        let is_beyond = |last: f64| straight_sq > last * last;
        if reached.last().is_none_or(|last| is_beyond(last.length)) {
            return false;
        }
        self.known.clear();
        for r in reached {
            self.known.entry(r.point, r.length);
        }
        let Some(&start) = self.known.get(from) else {
            return false;
        };
        self.points.clear();
        self.points.push(from);
        let (mut at, mut left) = (from, start);
        while at != to {
            self.steps += 1;
            let place = graph.points[at.index()];
            let mut best: Option<(f64, PointId, f64)> = None;
            for &q in graph.neighbours(at) {
                // The length falls with every step, so the loop ends.
                if let Some(&key) = self.known.get(q)
                    && key < left
                {
                    let through = key + distance_sq(graph.points[q.index()], place).sqrt();
                    if best.is_none_or(|b| through < b.0) {
                        best = Some((through, q, key));
                    }
                }
            }
            let Some((_, q, key)) = best else {
                return false;
            };
            self.points.push(q);
            (at, left) = (q, key);
        }
        true
    }

    /// To the neighbour nearest to the goal, as long as that is nearer.
    fn straight(&mut self, edges: PathEdges<'_>, from: PointId, to: PointId) -> bool {
        let graph = edges.graph;
        let goal = graph.points[to.index()];
        self.points.clear();
        self.points.push(from);
        let mut at = from;
        let mut left = distance_sq(graph.points[from.index()], goal);
        while at != to {
            self.steps += 1;
            let mut best = (left, at);
            for &q in edges.at(at) {
                if q == to {
                    best = (0.0, q);
                    break;
                }
                let key = distance_sq(graph.points[q.index()], goal);
                if key < best.0 {
                    best = (key, q);
                }
            }
            if best.1 == at {
                return false;
            }
            (left, at) = best;
            self.points.push(at);
        }
        true
    }

    /// The point nearest to the goal first, with links back.
    fn best_first(&mut self, edges: PathEdges<'_>, from: PointId, to: PointId) -> bool {
        let graph = edges.graph;
        let goal = graph.points[to.index()];
        let straight = distance_sq(graph.points[from.index()], goal).sqrt();
        let edge = graph
            .longest_edge(from)
            .max(graph.longest_edge(to))
            .max(straight * 1e-3);
        // An edge that is usual at the ends; the straight way takes a few times as many steps.
        let straight_steps = if edge > 0.0 {
            4.0 * straight / edge
        } else {
            0.0
        };
        let mut allowed = (SETTLED + SETTLED_PER_STEP * straight_steps) as u64;
        self.before.clear();
        self.open.clear();
        self.before.entry(from, from.raw());
        self.open.push(Reverse(PathEntry {
            length: straight,
            hops: 0,
            to: from.raw(),
        }));
        while let Some(Reverse(way)) = self.open.pop() {
            if allowed == 0 {
                return false;
            }
            allowed -= 1;
            self.steps += 1;
            let at = PointId::new(way.to);
            for &q in edges.at(at) {
                if self.before.get(q).is_some() {
                    continue;
                }
                self.before.entry(q, at.raw());
                if q == to {
                    self.back(from, to);
                    return true;
                }
                self.open.push(Reverse(PathEntry {
                    length: distance_sq(graph.points[q.index()], goal).sqrt(),
                    hops: way.hops + 1,
                    to: q.raw(),
                }));
            }
        }
        false
    }

    /// Follows the links from the goal to the start.
    fn back(&mut self, from: PointId, to: PointId) {
        self.points.clear();
        self.points.push(to);
        let mut at = to;
        while at != from
            && let Some(&before) = self.before.get(at)
        {
            at = PointId::new(before);
            self.points.push(at);
        }
        self.points.reverse();
    }
}

/// The edges that a path may take: those of the graph, or also those that were set apart as too long.
#[derive(Clone, Copy, Debug)]
struct PathEdges<'g> {
    graph: &'g ProximityGraph,
    has_virtual: bool,
}

impl<'g> PathEdges<'g> {
    #[inline]
    fn at(self, id: PointId) -> &'g [PointId] {
        if self.has_virtual {
            self.graph.lists.get(id.index())
        } else {
            self.graph.neighbours(id)
        }
    }
}

/// Writes the points of a path along the surface, both ends included; `false` when an end is unknown or no path was found that is not much longer than straight.
///
/// With `virtual_edges`, edges that were set apart as too long may be used.
///
/// ```
/// use impinge::cloud::{InterpolationSearchScratch, CloudSurface, GraphOptions, PointCloud, PointId, ProximityGraph, SurfaceOptions, surface_path};
/// let grid = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]);
/// let graph = ProximityGraph::new(&PointCloud::from_points(grid)?, &GraphOptions::default())?;
/// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
/// let (from, to, mut path) = (PointId::new(0), PointId::new(399), Vec::new());
/// assert!(surface_path(&surface, from, to, false, &mut InterpolationSearchScratch::default(), &mut path));
/// assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)));
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
pub fn surface_path(
    surface: &CloudSurface,
    from: PointId,
    to: PointId,
    virtual_edges: bool,
    scratch: &mut InterpolationSearchScratch,
    path: &mut Vec<PointId>,
) -> bool {
    path.clear();
    let graph = &*surface.graph;
    let is_known = graph.place(from).is_some() && graph.place(to).is_some();
    let route = &mut scratch.route;
    if !is_known || !route.find(surface, from, to, virtual_edges) {
        return false;
    }
    path.extend_from_slice(&route.points);
    true
}
