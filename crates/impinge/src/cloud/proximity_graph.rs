//! Proximity graphs: which points of a cloud are neighbours.
//!
//! **Question.** Which points are neighbours on the surface behind the cloud?
//! **Idea.** Every point reaches as far as its r-th nearest neighbour; two points are neighbours if
//! their spheres overlap (the r-sphere-of-influence graph). The number of neighbours is about the
//! same at any sampling density. Edges that are much longer than the others at one of their ends
//! are outliers that bridge gaps; they are set apart, not deleted, because a search along the
//! surface may need to cross a small hole.
//! **Source.** Klein, 4.2; the order-1 graph is Toussaint's. The linear construction uses a tree
//! whose nodes store the largest reach instead of a grid, so clusters and surfaces cost no more
//! than uniform samples.
//! **Cost.** Expected O(n) beyond the tree, in parallel.
//! **Promise.** Equal to the definition for all pairs, edge by edge.
//! **Limits.** Thousands of points in one place are refused, since all of them would be neighbours.

use glam::DVec3;

use super::adjacency_lists::AdjacencyLists;
use super::delaunay_graph::delaunay_lists;
use super::edge_pruning::{EdgePruning, limit_of};
use super::ellipsoids_of_influence::{EllipsoidOptions, InfluenceEllipsoid, ellipsoids_of};
use super::graph_build::mean_of;
use super::kd_tree::{KdTree, distance_sq};
use super::parallel::map_shares;
use super::point_cloud::{CloudError, PointCloud, PointId};

/// Points in one place beyond which a graph is refused.
pub(super) const MAX_COINCIDENT: usize = 4096;
/// The neighbour to which a point of a Delaunay graph reaches.
const DELAUNAY_ORDER: usize = 4;
/// How many spacings that is. Long edges through space say nothing about the surface, so the reach stands for the longest edge; the fourth neighbour is about √(4/π) sides away.
const DELAUNAY_EDGES: f64 = 1.96;

/// What makes two points neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Influence {
    /// Their spheres meet; each sphere goes to the point's `order`-th nearest neighbour.
    Spheres {
        /// From 3 to 6 does well; with 1 the graph falls to pieces.
        order: usize,
    },
    /// One is at most as far from the other as the other's `count`-th nearest neighbour; all of equal distance are taken.
    Nearest {
        /// How many neighbours each point has at least.
        count: usize,
    },
    /// Their ellipsoids meet: long along flat surface, short across it.
    Ellipsoids(EllipsoidOptions),
    /// Some ball through both has no point inside: the edges of Delaunay tetrahedra, or triangles where all points are in a plane. Points in one place share their neighbours.
    Delaunay,
}

/// How a graph is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphOptions {
    /// What makes two points neighbours.
    pub influence: Influence,
    /// Which edges are set apart as too long.
    pub prune: EdgePruning,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self {
            influence: Influence::Spheres { order: 4 },
            prune: EdgePruning::Outliers { factor: 1.0 },
        }
    }
}

/// The neighbours of every point of a cloud; points can be inserted, removed and moved.
///
/// ```
/// use impinge::cloud::{GraphOptions, PointCloud, PointId, ProximityGraph};
/// let row = PointCloud::from_points((0..9).map(|i| [f64::from(i), 0.0, 0.0]))?;
/// let mut graph = ProximityGraph::new(&row, &GraphOptions::default())?;
/// assert!(graph.neighbours(PointId::new(4)).contains(&PointId::new(5)));
/// assert_eq!(graph.components(), 1);
/// graph.remove(PointId::new(4))?;
/// assert_eq!(graph.len(), 8);
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "sphere of influence graph")]
#[doc(alias = "SIG")]
pub struct ProximityGraph {
    pub(super) options: GraphOptions,
    pub(super) points: Vec<DVec3>,
    pub(super) is_live: Vec<bool>,
    pub(super) vacant: Vec<u32>,
    pub(super) tree: KdTree,
    /// Neighbours by id, the near ones first; both parts ascend.
    pub(super) lists: AdjacencyLists<PointId>,
    /// How many of the neighbours are near ones.
    pub(super) near: Vec<u32>,
    /// Beyond this an edge is too long for the point.
    pub(super) limits: Vec<f64>,
    /// The longest edge to a near neighbour.
    pub(super) longest: Vec<f64>,
    /// The mean of `longest` over a point and its near neighbours.
    pub(super) scale: Vec<f64>,
    pub(super) ellipsoids: Vec<InfluenceEllipsoid>,
}

impl ProximityGraph {
    /// The graph of a cloud.
    ///
    /// # Errors
    /// [`CloudError::Setting`] when a count is 0 or a factor is negative, [`CloudError::Coincident`] when thousands of points are in one place.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, Influence, PointCloud, ProximityGraph};
    /// let options = GraphOptions { influence: Influence::Nearest { count: 0 }, ..GraphOptions::default() };
    /// assert!(ProximityGraph::new(&PointCloud::default(), &options).is_err());
    /// ```
    pub fn new(cloud: &PointCloud, options: &GraphOptions) -> Result<Self, CloudError> {
        check(options)?;
        let points = cloud.points().to_vec();
        let count = points.len();
        let mut graph = Self {
            options: *options,
            tree: KdTree::new(&points),
            points,
            is_live: vec![true; count],
            vacant: Vec::new(),
            lists: AdjacencyLists::default(),
            near: vec![0; count],
            limits: vec![f64::INFINITY; count],
            longest: vec![0.0; count],
            scale: vec![0.0; count],
            ellipsoids: Vec::new(),
        };
        let order = graph.tree.order();
        if let Influence::Spheres { .. } | Influence::Nearest { .. } = options.influence {
            graph.build_locally(&order)?;
            return Ok(graph);
        }
        graph.find_reaches(&order);
        let parts: Vec<(Vec<u32>, Vec<PointId>)> = match options.influence {
            Influence::Delaunay => vec![delaunay_lists(&graph.points, &order)?],
            _ => {
                let parts = map_shares(&order, |ids| graph.lists_of(ids));
                parts.into_iter().collect::<Result<_, _>>()?
            }
        };
        graph.lists = AdjacencyLists::from_parts(count, &order, &parts);
        drop(parts);
        graph.split_all(&order);
        Ok(graph)
    }

    fn find_reaches(&mut self, order: &[u32]) {
        let mut reaches = vec![0.0; self.points.len()];
        if let Influence::Ellipsoids(options) = &self.options.influence {
            self.ellipsoids = ellipsoids_of(&self.points, &self.tree, order, options);
            for (reach, ellipsoid) in reaches.iter_mut().zip(&self.ellipsoids) {
                *reach = ellipsoid.reach();
            }
        } else {
            let k = self.order();
            let found = map_shares(order, |ids| {
                let mut best = Vec::with_capacity(k);
                let reach = |&id: &u32| {
                    let place = self.points[id as usize];
                    self.tree.distance_to_kth(place, id, k, &mut best)
                };
                ids.iter().map(reach).collect::<Vec<f64>>()
            });
            for (&id, reach) in order.iter().zip(found.into_iter().flatten()) {
                reaches[id as usize] = reach;
            }
        }
        self.tree.set_reaches(reaches);
    }

    /// The lengths of the lists of some points, and the lists.
    fn lists_of(&self, ids: &[u32]) -> Result<(Vec<u32>, Vec<PointId>), CloudError> {
        let mut lengths = Vec::with_capacity(ids.len());
        let mut items = Vec::with_capacity(ids.len() * 16);
        for &id in ids {
            let start = items.len();
            self.find_neighbours(PointId::new(id), &mut items)?;
            lengths.push((items.len() - start) as u32);
        }
        Ok((lengths, items))
    }

    /// Appends the neighbours of a point by the definition, ascending.
    pub(super) fn find_neighbours(
        &self,
        id: PointId,
        found: &mut Vec<PointId>,
    ) -> Result<(), CloudError> {
        let start = found.len();
        let place = self.points[id.index()];
        let own = self.tree.reach_of(id.raw());
        let mut coincident = 0;
        let mut take = |other: u32, distance: f64| {
            if other != id.raw() {
                found.push(PointId::new(other));
                coincident += usize::from(distance <= 0.0);
            }
            coincident <= MAX_COINCIDENT
        };
        match self.options.influence {
            Influence::Spheres { .. } => {
                let sum = |a: f64, b: f64| a + b;
                let tree = &self.tree;
                tree.visit_reaching(place, own, sum, |slot, d| take(slot.id, d));
            }
            Influence::Nearest { .. } => {
                let tree = &self.tree;
                tree.visit_reaching(place, own, f64::max, |slot, d| take(slot.id, d));
            }
            Influence::Ellipsoids(_) => {
                let sum = |a: f64, b: f64| a + b;
                let ellipsoid = &self.ellipsoids[id.index()];
                self.tree.visit_reaching(place, own, sum, |slot, d| {
                    let other = &self.ellipsoids[slot.id as usize];
                    !ellipsoid.meets(other) || take(slot.id, d)
                });
            }
            // Not a rule about two points alone; see `delaunay_lists`.
            Influence::Delaunay => {}
        }
        if coincident > MAX_COINCIDENT {
            return Err(CloudError::Coincident {
                point: id.index(),
                others: coincident,
            });
        }
        found[start..].sort_unstable();
        Ok(())
    }

    /// Finds the limits of all points and sets the edges apart that are too long.
    fn split_all(&mut self, order: &[u32]) {
        let found = map_shares(order, |ids| {
            let mut lengths = Vec::new();
            let limit = |&id: &u32| self.find_limit(id as usize, &mut lengths);
            ids.iter().map(limit).collect::<Vec<f64>>()
        });
        for (&id, limit) in order.iter().zip(found.into_iter().flatten()) {
            self.limits[id as usize] = limit;
        }
        let split = map_shares(order, |ids| {
            let one = |&id: &u32| self.split_of(PointId::new(id));
            ids.iter().map(one).collect::<Vec<_>>()
        });
        for (&id, split) in order.iter().zip(split.into_iter().flatten()) {
            self.near[id as usize] = split.near;
            self.longest[id as usize] = split.longest;
            if let Some(list) = split.reordered {
                self.lists.get_mut(id as usize).copy_from_slice(&list);
            }
        }
        let scales = map_shares(order, |ids| {
            let mut lengths = Vec::new();
            let one = |&id: &u32| self.find_scale(PointId::new(id), &mut lengths);
            ids.iter().map(one).collect::<Vec<f64>>()
        });
        for (&id, scale) in order.iter().zip(scales.into_iter().flatten()) {
            self.scale[id as usize] = scale;
        }
    }

    pub(super) fn find_scale(&self, id: PointId, lengths: &mut Vec<f64>) -> f64 {
        if self.options.influence == Influence::Delaunay {
            return self.tree.reach_of(id.raw());
        }
        lengths.clear();
        let near = self.neighbours(id).iter();
        lengths.extend(near.map(|q| self.longest[q.index()]));
        lengths.push(self.longest[id.index()]);
        mean_of(lengths)
    }

    pub(super) fn find_limit(&self, id: usize, lengths: &mut Vec<f64>) -> f64 {
        lengths.clear();
        let place = self.points[id];
        let length = |q: &PointId| distance_sq(self.points[q.index()], place).sqrt();
        lengths.extend(self.lists.get(id).iter().map(length));
        limit_of(lengths, self.options.prune)
    }

    /// How the list of a point divides into near and far neighbours.
    pub(super) fn split_of(&self, id: PointId) -> NeighbourSplit {
        let list = self.lists.get(id.index());
        let place = self.points[id.index()];
        let own = self.limits[id.index()];
        let (mut near, mut longest, mut is_ordered) = (0, 0.0_f64, true);
        let is_far = |q: PointId, length: f64| length > own.min(self.limits[q.index()]);
        let mut last = None;
        for &q in list {
            let length = distance_sq(self.points[q.index()], place).sqrt();
            let far = is_far(q, length);
            is_ordered &= last < Some((far, q));
            last = Some((far, q));
            if !far {
                near += 1;
                longest = longest.max(length);
            }
        }
        let reordered = (!is_ordered).then(|| {
            let mut list = list.to_vec();
            list.sort_unstable_by_key(|&q| {
                let length = distance_sq(self.points[q.index()], place).sqrt();
                (is_far(q, length), q)
            });
            list
        });
        NeighbourSplit {
            near,
            longest,
            reordered,
        }
    }

    /// The number in the rule of influence.
    pub(super) fn order(&self) -> usize {
        match self.options.influence {
            Influence::Spheres { order } => order,
            Influence::Nearest { count } => count,
            Influence::Ellipsoids(options) => options.points,
            Influence::Delaunay => DELAUNAY_ORDER,
        }
    }

    /// How the graph was made.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert_eq!(graph.options(), &GraphOptions::default());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn options(&self) -> &GraphOptions {
        &self.options
    }

    /// How many points there are.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// assert_eq!(ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?.len(), 0);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there is no point.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// assert!(ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?.is_empty());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// The ids of all points, ascending; those of removed points are missing until they are given again.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// let pair = PointCloud::from_points([[0.0; 3], [1.0; 3]])?;
    /// assert_eq!(ProximityGraph::new(&pair, &GraphOptions::default())?.ids().count(), 2);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn ids(&self) -> impl Iterator<Item = PointId> + '_ {
        let live = self.is_live.iter().zip(0..);
        live.filter_map(|(&is_live, id)| is_live.then_some(PointId::new(id)))
    }

    /// Where a point is.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{GraphOptions, PointCloud, PointId, ProximityGraph}};
    /// let one = PointCloud::from_points([[1.0, 0.0, 0.0]])?;
    /// let graph = ProximityGraph::new(&one, &GraphOptions::default())?;
    /// assert_eq!(graph.place(PointId::new(0)), Some(DVec3::X));
    /// assert_eq!(graph.place(PointId::new(1)), None);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn place(&self, id: PointId) -> Option<DVec3> {
        let is_live = self.is_live.get(id.index()).copied().unwrap_or(false);
        is_live.then(|| self.points[id.index()])
    }

    /// The neighbours of a point, ascending; none for an unknown one.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, PointId, ProximityGraph};
    /// let pair = PointCloud::from_points([[0.0; 3], [1.0; 3]])?;
    /// let graph = ProximityGraph::new(&pair, &GraphOptions::default())?;
    /// assert_eq!(graph.neighbours(PointId::new(0)), [PointId::new(1)]);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn neighbours(&self, id: PointId) -> &[PointId] {
        let near = self.near.get(id.index()).copied().unwrap_or(0);
        &self.lists.get(id.index())[..near as usize]
    }

    /// The neighbours along edges that were set apart as too long, ascending.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, PointId, ProximityGraph};
    /// let pair = PointCloud::from_points([[0.0; 3], [1.0; 3]])?;
    /// let graph = ProximityGraph::new(&pair, &GraphOptions::default())?;
    /// assert!(graph.far_neighbours(PointId::new(0)).is_empty());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn far_neighbours(&self, id: PointId) -> &[PointId] {
        let near = self.near.get(id.index()).copied().unwrap_or(0);
        &self.lists.get(id.index())[near as usize..]
    }

    /// How far a point reaches: the distance to its r-th nearest neighbour, or of an ellipsoid its longest half axis; 0 for an unknown one.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, PointId, ProximityGraph};
    /// let pair = PointCloud::from_points([[0.0; 3], [2.0, 0.0, 0.0]])?;
    /// assert_eq!(ProximityGraph::new(&pair, &GraphOptions::default())?.reach(PointId::new(0)), 2.0);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn reach(&self, id: PointId) -> f64 {
        match self.place(id) {
            Some(_) => self.tree.reach_of(id.raw()),
            None => 0.0,
        }
    }

    /// The length of the longest edge to a near neighbour, 0 without one.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, PointId, ProximityGraph};
    /// let pair = PointCloud::from_points([[0.0; 3], [2.0, 0.0, 0.0]])?;
    /// assert_eq!(ProximityGraph::new(&pair, &GraphOptions::default())?.longest_edge(PointId::new(1)), 2.0);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn longest_edge(&self, id: PointId) -> f64 {
        self.longest.get(id.index()).copied().unwrap_or(0.0)
    }

    /// The local spacing of the points, from the longest edges at one of them and its neighbours: about 0.6 of the side of a square that holds one point.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, PointId, ProximityGraph};
    /// let pair = PointCloud::from_points([[0.0; 3], [2.0, 0.0, 0.0]])?;
    /// assert_eq!(ProximityGraph::new(&pair, &GraphOptions::default())?.spacing(PointId::new(1)), 0.5);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn spacing(&self, id: PointId) -> f64 {
        self.scale.get(id.index()).copied().unwrap_or(0.0) / self.edges_per_spacing()
    }

    /// How many spacings the longest edge at a point counts.
    #[inline]
    pub(super) fn edges_per_spacing(&self) -> f64 {
        match self.options.influence {
            Influence::Spheres { order } => order as f64,
            // The k-th neighbour is about √(k/π) sides away.
            Influence::Nearest { count } => 1.25 * (count as f64).sqrt(),
            Influence::Ellipsoids(options) => options.points as f64,
            Influence::Delaunay => DELAUNAY_EDGES,
        }
    }

    /// How many edges there are, near and far ones.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// let pair = PointCloud::from_points([[0.0; 3], [2.0, 0.0, 0.0]])?;
    /// assert_eq!(ProximityGraph::new(&pair, &GraphOptions::default())?.edge_count(), (1, 0));
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn edge_count(&self) -> (usize, usize) {
        let near = self.near.iter().map(|&n| n as usize).sum::<usize>();
        (near / 2, (self.lists.total() - near) / 2)
    }

    /// The tree of the points.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{GraphOptions, PointCloud, ProximityGraph}};
    /// let pair = PointCloud::from_points([[0.0; 3], [2.0, 0.0, 0.0]])?;
    /// let graph = ProximityGraph::new(&pair, &GraphOptions::default())?;
    /// assert_eq!(graph.tree().nearest(DVec3::X * 1.5).unwrap().point.raw(), 1);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn tree(&self) -> &KdTree {
        &self.tree
    }

    /// The number of connected components by near edges.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// let cloud = PointCloud::from_points([[0.0; 3]])?;
    /// assert_eq!(ProximityGraph::new(&cloud, &GraphOptions::default())?.components(), 1);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn components(&self) -> usize {
        let mut is_seen = vec![false; self.points.len()];
        let (mut pieces, mut open) = (0, Vec::new());
        for start in self.ids() {
            if std::mem::replace(&mut is_seen[start.index()], true) {
                continue;
            }
            pieces += 1;
            open.push(start);
            while let Some(id) = open.pop() {
                for &q in self.neighbours(id) {
                    if !std::mem::replace(&mut is_seen[q.index()], true) {
                        open.push(q);
                    }
                }
            }
        }
        pieces
    }

    /// The bytes that the graph takes, tree included.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// assert!(ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?.bytes() < 10_000);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        let per_point = size_of::<DVec3>() + 1 + 4 + 8 + 8 + 8;
        self.points.capacity() * per_point
            + self.lists.bytes()
            + self.tree.bytes()
            + self.ellipsoids.capacity() * size_of::<InfluenceEllipsoid>()
    }
}

/// The division of a list.
pub(super) struct NeighbourSplit {
    pub(super) near: u32,
    pub(super) longest: f64,
    /// The list in its new order, if that is another.
    pub(super) reordered: Option<Vec<PointId>>,
}

fn check(options: &GraphOptions) -> Result<(), CloudError> {
    let refuse = |what, value| Err(CloudError::Setting { what, value });
    match options.influence {
        Influence::Spheres { order: 0 } => refuse("the order of a graph", 0.0),
        Influence::Nearest { count: 0 } => refuse("the number of neighbours", 0.0),
        Influence::Ellipsoids(o) if o.points == 0 => {
            refuse("the number of points in an ellipsoid", 0.0)
        }
        Influence::Ellipsoids(o) if o.max_variation.is_nan() || o.max_variation <= 0.0 => {
            refuse("the largest surface variation", o.max_variation)
        }
        _ => match options.prune {
            EdgePruning::Outliers { factor } if factor.is_nan() || factor < 0.0 => {
                refuse("the factor for outliers", factor)
            }
            _ => Ok(()),
        },
    }
}
