//! Lengths of the shortest paths between close points of a cloud.
//!
//! **Question.** How far apart are two close points along the surface?
//! **Idea.** Dijkstra's algorithm runs from every point up to a horizon; the settled lengths are
//! stored, nearest first (the close-pairs shortest-path map). After an edit of the graph only
//! sources within the horizon of the change are searched again.
//! **Source.** Klein, 4.5.1 and 4.5.4; arc lengths of splines in place of polylines are an idea of
//! 4.3.4.
//! **Cost.** Expected O(n) time and space for a fixed horizon.
//! **Promise.** Equal to all-pairs shortest paths up to the horizon; after an edit equal to a new
//! map, bit for bit.

use glam::DVec3;

use super::adjacency_lists::{AdjacencyLists, IdMap};
use super::dijkstra::{Adjacency, Dijkstra};
use super::graph_edit::GraphChange;
use super::kd_tree::distance_sq;
use super::parallel::map_shares;
use super::point_cloud::{CloudError, PointId};
use super::proximity_graph::ProximityGraph;
use super::spline_length::spline_length;
use crate::math::sort::sort_many;

/// Sums from either end differ by rounding; sources are searched again with this much room.
const ROUNDING: f64 = 1e-9;

/// When one point in this many is stale, the whole map is made anew: the search for the others would reach nearly all.
const ALL_ANEW: usize = 4;

/// The length up to which paths are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PathHorizon {
    /// To this length.
    Length(f64),
    /// From each point to this many times the usual longest edge around it, but at least once: follows the density.
    Edges(f64),
}

/// How a path is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathLength {
    /// The sum of its edges.
    #[default]
    Polyline,
    /// The arc length of the cubic B-spline that its points control, which cuts the zigzag; it never is longer.
    Spline,
    /// Along edges and across the triangles of the sphere-of-influence complex.
    Triangles,
}

/// A point that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathEnd {
    /// The point.
    pub point: PointId,
    /// How many edges the path has.
    pub hops: u32,
    /// How long it is.
    pub length: f64,
}

/// For every point, the points within the horizon, nearest first, the point itself leading.
///
/// ```
/// use impinge::cloud::{GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, PointId, ProximityGraph};
/// let row = PointCloud::from_points((0..9).map(|i| [f64::from(i), 0.0, 0.0]))?;
/// let graph = ProximityGraph::new(&row, &GraphOptions::default())?;
/// let paths = PathMap::new(&graph, PathHorizon::Length(3.0), PathLength::Polyline)?;
/// assert_eq!(paths.from(PointId::new(0)).last().unwrap().length, 3.0);
/// let mut path = Vec::new();
/// assert!(paths.path(&graph, PointId::new(0), PointId::new(3), &mut path));
/// assert_eq!((path[0].raw(), path[path.len() - 1].raw()), (0, 3));
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "geodesic")]
pub struct PathMap {
    horizon: PathHorizon,
    measure: PathLength,
    lists: AdjacencyLists<PathEnd>,
    /// No source looks farther.
    farthest: f64,
}

impl PathMap {
    /// The map of a graph's near edges.
    ///
    /// # Errors
    /// [`CloudError::Setting`] when the horizon is negative or not a number.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, ProximityGraph};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert!(PathMap::new(&graph, PathHorizon::Length(f64::NAN), PathLength::Polyline).is_err());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn new(
        graph: &ProximityGraph,
        horizon: PathHorizon,
        measure: PathLength,
    ) -> Result<Self, CloudError> {
        let (PathHorizon::Length(value) | PathHorizon::Edges(value)) = horizon;
        if value.is_nan() || value < 0.0 {
            return Err(CloudError::Setting {
                what: "the horizon of paths",
                value,
            });
        }
        let mut map = Self {
            horizon,
            measure,
            lists: AdjacencyLists::default(),
            farthest: 0.0,
        };
        let order = graph.tree.order();
        let parts = map.search_from(graph, &order);
        map.lists = AdjacencyLists::from_parts(graph.points.len(), &order, &parts);
        Ok(map)
    }

    /// The lists of some points, in parallel; none of their horizons is farther than the farthest then.
    fn search_from(
        &mut self,
        graph: &ProximityGraph,
        order: &[u32],
    ) -> Vec<(Vec<u32>, Vec<PathEnd>)> {
        let map = &*self;
        let parts = map_shares(order, |ids| {
            let mut search = Dijkstra::default();
            let (mut lengths, mut items) = (Vec::new(), Vec::new());
            let mut farthest = 0.0_f64;
            for &id in ids {
                let start = items.len();
                farthest = farthest.max(map.find(graph, PointId::new(id), &mut search, &mut items));
                lengths.push((items.len() - start) as u32);
            }
            (farthest, (lengths, items))
        });
        self.farthest = parts.iter().fold(self.farthest, |m, part| m.max(part.0));
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Updates the map after all points of its graph have moved; `is_stale` says which [differ](ProximityGraph::differing). The points
    /// that were searched from again.
    pub(super) fn update_all(
        &mut self,
        graph: &ProximityGraph,
        before: &ProximityGraph,
        is_stale: &[bool],
    ) -> Vec<PointId> {
        let stale: Vec<PointId> = graph.ids().filter(|id| is_stale[id.index()]).collect();
        if stale.is_empty() {
            return stale;
        }
        if stale.len() * ALL_ANEW > graph.len() {
            self.farthest = 0.0;
            let order = graph.tree.order();
            let parts = self.search_from(graph, &order);
            self.lists = AdjacencyLists::from_parts(graph.points.len(), &order, &parts);
            return graph.ids().collect();
        }
        for &id in &stale {
            self.farthest = self.farthest.max(self.limit(graph, id));
        }
        let reach = self.farthest * (1.0 + ROUNDING);
        let mut search = Dijkstra::default();
        let mut is_source = vec![false; graph.points.len()];
        for state in [before, graph] {
            search.run(state, &stale, reach);
            for reached in search.settled() {
                let limit = self.limit(graph, reached.point);
                is_source[reached.point.index()] |= reached.length <= limit * (1.0 + ROUNDING);
            }
        }
        // Sources in the order of the tree share their surroundings.
        let mut sources = graph.tree.order();
        sources.retain(|&id| is_source[id as usize] || is_stale[id as usize]);
        let parts = self.search_from(graph, &sources);
        let mut ids = sources.iter();
        for (lengths, items) in &parts {
            let mut start = 0;
            for (&length, &id) in lengths.iter().zip(ids.by_ref()) {
                let end = start + length as usize;
                self.lists.set(id as usize, &items[start..end]);
                start = end;
            }
        }
        sources.into_iter().map(PointId::new).collect()
    }

    /// How far the paths from a point are followed.
    fn limit(&self, graph: &ProximityGraph, id: PointId) -> f64 {
        match self.horizon {
            PathHorizon::Length(length) => length,
            PathHorizon::Edges(factor) => {
                let near = graph.neighbours(id).iter();
                let largest = near.fold(graph.scale[id.index()], |m, q| {
                    m.max(graph.scale[q.index()])
                });
                factor.max(1.0) * largest
            }
        }
    }

    /// Appends the list of a point and returns its horizon.
    fn find(
        &self,
        graph: &ProximityGraph,
        id: PointId,
        search: &mut Dijkstra,
        found: &mut Vec<PathEnd>,
    ) -> f64 {
        let limit = self.limit(graph, id);
        match self.measure {
            PathLength::Triangles => search.run_across(graph, id, limit),
            _ => search.run(graph, &[id], limit),
        }
        let start = found.len();
        match self.measure {
            PathLength::Polyline | PathLength::Triangles => {
                found.extend_from_slice(search.settled());
            }
            PathLength::Spline => {
                let mut path = Vec::new();
                for reached in search.settled() {
                    search.path_to(reached.point, &mut path);
                    let places = path.iter().map(|p| graph.points[p.index()]);
                    let length = spline_length(places).min(reached.length);
                    found.push(PathEnd { length, ..*reached });
                }
                sort_many(&mut found[start..], |a, b| {
                    a.length.total_cmp(&b.length).then(a.point.cmp(&b.point))
                });
            }
        }
        limit
    }

    /// The points within the horizon of a point, nearest first, itself leading; none for an unknown one.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, PointId, ProximityGraph};
    /// let one = PointCloud::from_points([[0.0; 3]])?;
    /// let graph = ProximityGraph::new(&one, &GraphOptions::default())?;
    /// let paths = PathMap::new(&graph, PathHorizon::Length(1.0), PathLength::Polyline)?;
    /// assert_eq!(paths.from(PointId::new(0)).len(), 1);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn from(&self, id: PointId) -> &[PathEnd] {
        self.lists.get(id.index())
    }

    /// How many entries there are.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, ProximityGraph};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert_eq!(PathMap::new(&graph, PathHorizon::Length(1.0), PathLength::Polyline)?.entries(), 0);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn entries(&self) -> usize {
        self.lists.total()
    }

    /// The bytes that the map takes.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, ProximityGraph};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert_eq!(PathMap::new(&graph, PathHorizon::Length(1.0), PathLength::Polyline)?.bytes(), 0);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lists.bytes()
    }

    /// Writes the points on the way between two, both included; `false` when the second is beyond the horizon of the first.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, PointId, ProximityGraph};
    /// let one = PointCloud::from_points([[0.0; 3]])?;
    /// let graph = ProximityGraph::new(&one, &GraphOptions::default())?;
    /// let paths = PathMap::new(&graph, PathHorizon::Length(1.0), PathLength::Polyline)?;
    /// assert!(!paths.path(&graph, PointId::new(0), PointId::new(7), &mut Vec::new()));
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn path(
        &self,
        graph: &ProximityGraph,
        from: PointId,
        to: PointId,
        path: &mut Vec<PointId>,
    ) -> bool {
        path.clear();
        let mut known = IdMap::default();
        for reached in self.from(from) {
            known.entry(reached.point, (reached.length, reached.hops));
        }
        let Some(&(mut length, mut hops)) = known.get(to) else {
            return false;
        };
        let mut at = to;
        path.push(to);
        // Each step leads to a smaller length or fewer hops, so no point comes twice.
        while at != from {
            let place = graph.points[at.index()];
            let mut best: Option<(f64, PointId, f64, u32)> = None;
            for &q in graph.neighbours(at) {
                if let Some(&(before, hops_before)) = known.get(q)
                    && (before, hops_before) < (length, hops)
                {
                    let through = before + distance_sq(graph.points[q.index()], place).sqrt();
                    if best.is_none_or(|(other, ..)| through < other) {
                        best = Some((through, q, before, hops_before));
                    }
                }
            }
            let Some((_, q, before, hops_before)) = best else {
                return false;
            };
            path.push(q);
            (at, length, hops) = (q, before, hops_before);
        }
        path.reverse();
        true
    }

    /// Updates the map after an edit of its graph. Edits must be passed one by one, in order.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, ProximityGraph}};
    /// let row = PointCloud::from_points((0..9).map(|i| [f64::from(i), 0.0, 0.0]))?;
    /// let mut graph = ProximityGraph::new(&row, &GraphOptions::default())?;
    /// let mut paths = PathMap::new(&graph, PathHorizon::Length(3.0), PathLength::Polyline)?;
    /// let change = graph.insert(DVec3::X * 9.0)?;
    /// let searched = paths.update(&graph, &change);
    /// assert!(searched > 0 && paths.from(change.point).len() == 4);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn update(&mut self, graph: &ProximityGraph, change: &GraphChange) -> usize {
        self.lists.extend_to(graph.points.len());
        let touched: Vec<PointId> = change.touched().collect();
        let near = |limit: f64, distance: f64| distance <= limit * (1.0 + ROUNDING);
        for &id in &touched {
            self.farthest = self.farthest.max(self.limit(graph, id));
            for &q in graph.neighbours(id) {
                self.farthest = self.farthest.max(self.limit(graph, q));
            }
        }
        let reach = self.farthest * (1.0 + ROUNDING);
        let mut search = Dijkstra::default();
        let mut sources = touched.clone();
        search.run(&GraphBefore { graph, change }, &touched, reach);
        for reached in search.settled() {
            // What was not touched has the horizon it had.
            if near(self.limit(graph, reached.point), reached.length) {
                sources.push(reached.point);
            }
        }
        search.run(graph, &touched, reach);
        for reached in search.settled() {
            if near(self.limit(graph, reached.point), reached.length) {
                sources.push(reached.point);
            }
        }
        sources.sort_unstable();
        sources.dedup();
        let mut list = Vec::new();
        for &id in &sources {
            list.clear();
            if graph.is_live[id.index()] {
                self.find(graph, id, &mut search, &mut list);
            }
            self.lists.set(id.index(), &list);
        }
        sources.len()
    }
}

/// The graph as it was before an edit.
struct GraphBefore<'a> {
    graph: &'a ProximityGraph,
    change: &'a GraphChange,
}

impl Adjacency for GraphBefore<'_> {
    fn near(&self, id: PointId) -> &[PointId] {
        match self.change.before.binary_search_by_key(&id, |b| b.0) {
            Ok(at) => &self.change.before[at].1,
            Err(_) => self.graph.neighbours(id),
        }
    }

    fn at(&self, id: PointId) -> DVec3 {
        match self.change.old_place {
            Some(old) if id == self.change.point => old,
            _ => self.graph.points[id.index()],
        }
    }
}
