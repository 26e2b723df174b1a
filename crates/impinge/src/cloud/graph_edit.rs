//! Inserts, removes and moves points of a graph; the result equals a new graph.
//!
//! **Idea.** An edit changes the reach of the points whose sphere contains the position that was
//! added or removed; the tree finds them by their reach. Only their lists and those of their old
//! and new neighbours can change, and then only the length limits of those, and the edges at them.
//! **Source.** Klein, 4.5.4, where spheres that shrink or grow beyond the visited sphere are
//! overlooked.
//! **Cost.** A bounded number of searches; O(log n). Graphs of ellipsoids and of Delaunay
//! tetrahedra, whose parts depend on each other over any distance, are rebuilt inside the edit, at
//! the cost of [`ProximityGraph::new`], and every point counts as affected.
//! **Promise.** The same edges, near and far, as [`ProximityGraph::new`] for the same points.

use glam::DVec3;

use super::adjacency_lists::AdjacencyLists;
use super::point_cloud::{CloudError, PointCloud, PointId, check_point};
use super::proximity_graph::{Influence, MAX_COINCIDENT, ProximityGraph};

/// What an edit of a graph changed.
#[derive(Clone, Debug)]
pub struct GraphChange {
    /// The point that was inserted, removed or moved.
    pub point: PointId,
    /// Where it was before, if it was there.
    pub(super) old_place: Option<DVec3>,
    /// Those that an edit touched, ascending; with their near neighbours before.
    pub(super) before: Vec<(PointId, Vec<PointId>)>,
}

impl GraphChange {
    /// The points whose near neighbours, edge lengths, reach or spacing changed, or a neighbour's
    /// spacing; ascending.
    ///
    /// In graphs that are rebuilt for an edit, those of ellipsoids and of Delaunay tetrahedra, all
    /// points.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{GraphOptions, PointCloud, PointId, ProximityGraph}};
    /// let row = PointCloud::from_points((0..9).map(|i| [f64::from(i), 0.0, 0.0]))?;
    /// let mut graph = ProximityGraph::new(&row, &GraphOptions::default())?;
    /// let change = graph.insert(DVec3::X * 9.0)?;
    /// assert!(change.touched().any(|id| id == PointId::new(8)));
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn touched(&self) -> impl Iterator<Item = PointId> + '_ {
        self.before.iter().map(|(id, _)| *id)
    }
}

impl ProximityGraph {
    /// Inserts a point; [`GraphChange::point`] is its id, one that a removed point had if there is any.
    ///
    /// # Errors
    /// [`CloudError`] when the point is not finite, or there is no room for it; nothing is changed then.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{GraphOptions, PointCloud, ProximityGraph}};
    /// let mut graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert_eq!(graph.insert(DVec3::X)?.point.raw(), 0);
    /// assert!(graph.insert(DVec3::NAN).is_err());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn insert(&mut self, place: DVec3) -> Result<GraphChange, CloudError> {
        let id = match self.vacant.last() {
            Some(&id) => id as usize,
            None => self.points.len(),
        };
        self.check_edit(id, place)?;
        if id >= PointCloud::MAX_POINTS {
            return Err(CloudError::TooMany {
                count: id + 1,
                limit: PointCloud::MAX_POINTS,
            });
        }
        let id = PointId::new(id as u32);
        if self.is_built_anew() {
            return self.rebuild(id, Some(place));
        }
        self.take_id(id, place);
        let mut dirty = Vec::new();
        self.enter(id, &mut dirty);
        self.finish(id, None, dirty)
    }

    /// Removes a point.
    ///
    /// # Errors
    /// [`CloudError::NoPoint`] when there is none.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, PointId, ProximityGraph};
    /// let one = PointCloud::from_points([[0.0; 3]])?;
    /// let mut graph = ProximityGraph::new(&one, &GraphOptions::default())?;
    /// assert!(graph.remove(PointId::new(0)).is_ok() && graph.remove(PointId::new(0)).is_err());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn remove(&mut self, id: PointId) -> Result<GraphChange, CloudError> {
        let place = self.known(id)?;
        if self.is_built_anew() {
            return self.rebuild(id, None);
        }
        let mut dirty = Vec::new();
        self.leave(id, &mut dirty);
        self.is_live[id.index()] = false;
        self.vacant.push(id.raw());
        self.finish(id, Some(place), dirty)
    }

    /// Moves a point.
    ///
    /// # Errors
    /// [`CloudError`] when there is no such point or its new place is not finite; nothing is changed then.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{GraphOptions, PointCloud, PointId, ProximityGraph}};
    /// let one = PointCloud::from_points([[0.0; 3]])?;
    /// let mut graph = ProximityGraph::new(&one, &GraphOptions::default())?;
    /// graph.relocate(PointId::new(0), DVec3::X)?;
    /// assert_eq!(graph.place(PointId::new(0)), Some(DVec3::X));
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn relocate(&mut self, id: PointId, place: DVec3) -> Result<GraphChange, CloudError> {
        let old = self.known(id)?;
        self.check_edit(id.index(), place)?;
        if self.is_built_anew() {
            return self.rebuild(id, Some(place));
        }
        let mut dirty = Vec::new();
        self.leave(id, &mut dirty);
        self.points[id.index()] = place;
        self.enter(id, &mut dirty);
        self.finish(id, Some(old), dirty)
    }

    fn known(&self, id: PointId) -> Result<DVec3, CloudError> {
        self.place(id)
            .ok_or(CloudError::NoPoint { point: id.index() })
    }

    fn check_edit(&self, point: usize, place: DVec3) -> Result<(), CloudError> {
        check_point(point, place)?;
        let mut others = 0;
        self.tree.visit_within(place, 0.0, |slot, _| {
            others += usize::from(slot.id as usize != point);
        });
        if others > MAX_COINCIDENT {
            return Err(CloudError::Coincident { point, others });
        }
        Ok(())
    }

    /// Whether an edit builds the graph again, because no bounded search finds what it changes.
    pub(super) fn is_built_anew(&self) -> bool {
        matches!(
            self.options.influence,
            Influence::Ellipsoids(_) | Influence::Delaunay
        )
    }

    /// Gives a point a vacant id or the next one.
    fn take_id(&mut self, id: PointId, place: DVec3) {
        if self.vacant.pop().is_none() {
            self.points.push(place);
            self.is_live.push(true);
            self.near.push(0);
            self.limits.push(f64::INFINITY);
            self.longest.push(0.0);
            self.scale.push(0.0);
            self.lists.extend_to(self.points.len());
        }
        self.is_live[id.index()] = true;
        self.points[id.index()] = place;
    }

    /// The graph with a point at a new place, or nowhere, rebuilt; ids stay.
    fn rebuild(&mut self, id: PointId, place: Option<DVec3>) -> Result<GraphChange, CloudError> {
        let old_place = self.place(id);
        // Ascending, so that lists which ascend by the new numbers ascend by id.
        let mut ids: Vec<PointId> = self.ids().filter(|&q| q != id).collect();
        if place.is_some() {
            ids.insert(ids.partition_point(|&q| q < id), id);
        }
        let at = |&q: &PointId| match place {
            Some(place) if q == id => place,
            _ => self.points[q.index()],
        };
        let points = ids.iter().map(at).collect();
        let fresh = Self::new(&PointCloud::new(points, None)?, &self.options)?;
        // From here on nothing can fail.
        let mut touched = ids.clone();
        touched.push(id);
        unique(&mut touched);
        let before = touched
            .iter()
            .map(|&q| (q, self.neighbours(q).to_vec()))
            .collect();
        if old_place.is_some() {
            self.tree.remove(id);
        }
        match place {
            Some(place) if old_place.is_none() => self.take_id(id, place),
            Some(place) => self.points[id.index()] = place,
            None => {
                self.is_live[id.index()] = false;
                self.vacant.push(id.raw());
                self.near[id.index()] = 0;
                self.limits[id.index()] = f64::INFINITY;
                self.longest[id.index()] = 0.0;
                self.scale[id.index()] = 0.0;
            }
        }
        if let Some(place) = place {
            self.tree.insert(id, place);
        }
        self.adopt(&fresh, &ids);
        Ok(GraphChange {
            point: id,
            old_place,
            before,
        })
    }

    /// Takes over what a new graph of the same points found; `ids` are the points by their new numbers.
    pub(super) fn adopt(&mut self, fresh: &Self, ids: &[PointId]) {
        let count = self.points.len();
        let mut reaches = vec![0.0; count];
        let (mut lengths, mut items) = (Vec::with_capacity(ids.len()), Vec::new());
        for (number, &id) in ids.iter().enumerate() {
            let list = fresh.lists.get(number);
            lengths.push(list.len() as u32);
            items.extend(list.iter().map(|q| ids[q.index()]));
            reaches[id.index()] = fresh.tree.reach_of(number as u32);
            self.near[id.index()] = fresh.near[number];
            self.limits[id.index()] = fresh.limits[number];
            self.longest[id.index()] = fresh.longest[number];
            self.scale[id.index()] = fresh.scale[number];
        }
        let order: Vec<u32> = ids.iter().map(|id| id.raw()).collect();
        self.lists = AdjacencyLists::from_parts(count, &order, &[(lengths, items)]);
        self.tree.set_reaches(reaches);
        // Those of removed points are never looked at.
        self.ellipsoids.clear();
        if let Some(&any) = fresh.ellipsoids.first() {
            self.ellipsoids.resize(count, any);
            for (&id, &ellipsoid) in ids.iter().zip(&fresh.ellipsoids) {
                self.ellipsoids[id.index()] = ellipsoid;
            }
        }
    }

    /// The points whose sphere holds a place.
    fn reaching(&self, place: DVec3, found: &mut Vec<PointId>) {
        // Spheres that end at the farthest point because there are too few all change.
        if self.len() <= self.order().saturating_add(2) {
            found.extend(self.ids());
            return;
        }
        self.tree.visit_reaching(
            place,
            0.0,
            |_, b| b,
            |slot, _| {
                found.push(PointId::new(slot.id));
                true
            },
        );
    }

    fn enter(&mut self, id: PointId, dirty: &mut Vec<PointId>) {
        self.reaching(self.points[id.index()], dirty);
        dirty.push(id);
        self.tree.insert(id, self.points[id.index()]);
    }

    fn leave(&mut self, id: PointId, dirty: &mut Vec<PointId>) {
        self.reaching(self.points[id.index()], dirty);
        dirty.push(id);
        self.tree.remove(id);
    }

    /// Recomputes what the edit can have changed; `dirty` are the points whose reach may have.
    fn finish(
        &mut self,
        id: PointId,
        old_place: Option<DVec3>,
        mut dirty: Vec<PointId>,
    ) -> Result<GraphChange, CloudError> {
        unique(&mut dirty);
        let k = self.order();
        let mut best = Vec::new();
        // Their neighbours before, by the old lists.
        let mut affected = dirty.clone();
        for &q in &dirty {
            affected.extend_from_slice(self.lists.get(q.index()));
        }
        dirty.retain(|&q| self.is_live[q.index()]);
        for &q in &dirty {
            let place = self.points[q.index()];
            let reach = self.tree.distance_to_kth(place, q.raw(), k, &mut best);
            self.tree.set_reach(q, reach);
        }
        // Their neighbours now.
        let mut list = Vec::new();
        for &q in &dirty {
            self.find_neighbours(q, &mut affected)?;
        }
        unique(&mut affected);
        // The limits of the affected decide about edges to all their neighbours.
        let mut around = affected.clone();
        for &q in &affected {
            around.extend_from_slice(self.lists.get(q.index()));
        }
        let mut lists = Vec::new();
        for &q in &affected {
            list.clear();
            if self.is_live[q.index()] {
                self.find_neighbours(q, &mut list)?;
            }
            around.extend_from_slice(&list);
            lists.push(list.clone());
        }
        unique(&mut around);
        let mut before: Vec<(PointId, Vec<PointId>)> = around
            .iter()
            .map(|&q| (q, self.neighbours(q).to_vec()))
            .collect();
        for (&q, list) in affected.iter().zip(&lists) {
            self.lists.set(q.index(), list);
        }
        let mut lengths = Vec::new();
        for &q in &affected {
            self.limits[q.index()] = self.find_limit(q.index(), &mut lengths);
        }
        for &q in &around {
            let split = self.split_of(q);
            self.near[q.index()] = split.near;
            self.longest[q.index()] = split.longest;
            if let Some(list) = split.reordered {
                self.lists.get_mut(q.index()).copy_from_slice(&list);
            }
        }
        let old_or_new = before.binary_search_by_key(&id, |b| b.0);
        let is_neighbour = |q: PointId| {
            let was = old_or_new.is_ok_and(|at| before[at].1.contains(&q));
            was || self.neighbours(id).contains(&q)
        };
        let is_touched: Vec<bool> = before
            .iter()
            .map(|(q, list)| {
                // A reach decides about triangles, even where the neighbours stay.
                let is_dirty = *q == id || dirty.binary_search(q).is_ok();
                is_dirty || is_neighbour(*q) || list[..] != *self.neighbours(*q)
            })
            .collect();
        let mut is_touched = is_touched.into_iter();
        before.retain(|_| is_touched.next().unwrap_or(true));
        self.update_scales(&around, &mut before);
        Ok(GraphChange {
            point: id,
            old_place,
            before,
        })
    }
}

impl ProximityGraph {
    /// Recomputes scales after the longest edges of some points changed. Points that see another scale count as touched.
    fn update_scales(&mut self, around: &[PointId], before: &mut Vec<(PointId, Vec<PointId>)>) {
        let mut wider = around.to_vec();
        for &q in around {
            wider.extend_from_slice(self.neighbours(q));
        }
        unique(&mut wider);
        let (mut seeing, mut lengths) = (Vec::new(), Vec::new());
        for &q in &wider {
            let scale = self.find_scale(q, &mut lengths);
            if scale != self.scale[q.index()] {
                self.scale[q.index()] = scale;
                seeing.push(q);
                seeing.extend_from_slice(self.neighbours(q));
            }
        }
        unique(&mut seeing);
        seeing.retain(|q| before.binary_search_by_key(q, |b| b.0).is_err());
        // Their neighbours are those they had.
        let lists = seeing.iter().map(|&q| (q, self.neighbours(q).to_vec()));
        before.extend(lists.collect::<Vec<_>>());
        before.sort_unstable_by_key(|b| b.0);
    }
}

fn unique(ids: &mut Vec<PointId>) {
    ids.sort_unstable();
    ids.dedup();
}
