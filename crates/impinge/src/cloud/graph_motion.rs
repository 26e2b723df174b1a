//! Clouds that deform: all points move at once.
//!
//! **Idea.** The k-d tree keeps its splits and fits its boxes anew; the graph is found from it by
//! the definition, in parallel. Paths are searched again only from points within the horizon of
//! what changed, likewise in parallel.
//! **Cost.** O(n) for the graph however few points move, since looking at all of them is cheaper
//! than finding out which may change; paths, the dearer part, follow what moved. For a few points
//! [`ProximityGraph::relocate`] is cheaper.
//! **Promise.** Graph, paths, normals: those of a new cloud, bit for bit.

use std::sync::Arc;

use glam::DVec3;

use super::evaluation::{EvaluationScratch, ImplicitSurface as _};
use super::implicit_surface::CloudSurface;
use super::orient_normals::oriented;
use super::parallel::map_shares;
use super::point_cloud::{CloudError, PointCloud, PointId, check_normal, check_point};
use super::proximity_graph::ProximityGraph;

impl ProximityGraph {
    /// Moves all points, each to the place of its number; places of removed points are not looked at.
    ///
    /// # Errors
    /// [`CloudError`] when there is not one place for every id, when one is not finite, or when thousands are in one place; nothing
    /// is changed then.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{GraphOptions, PointCloud, PointId, ProximityGraph}};
    /// let row: Vec<DVec3> = (0..9).map(|i| DVec3::X * f64::from(i)).collect();
    /// let mut graph = ProximityGraph::new(&PointCloud::new(row.clone(), None)?, &GraphOptions::default())?;
    /// let bent: Vec<DVec3> = row.iter().map(|p| DVec3::new(p.x.cos(), p.x.sin(), 0.0) * 9.0).collect();
    /// graph.relocate_all(&bent)?;
    /// assert_eq!(graph.place(PointId::new(2)), Some(bent[2]));
    /// assert!(graph.relocate_all(&row[1..]).is_err());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn relocate_all(&mut self, places: &[DVec3]) -> Result<(), CloudError> {
        if places.len() != self.points.len() {
            return Err(CloudError::Setting {
                what: "the number of places",
                value: places.len() as f64,
            });
        }
        for id in self.ids() {
            check_point(id.index(), places[id.index()])?;
        }
        if self.is_built_anew() {
            let ids: Vec<PointId> = self.ids().collect();
            let points = ids.iter().map(|id| places[id.index()]).collect();
            let fresh = Self::new(&PointCloud::new(points, None)?, self.options())?;
            self.take_places(places);
            self.tree.refit(&self.points);
            self.adopt(&fresh, &ids);
            return Ok(());
        }
        let (old_points, old_tree) = (self.points.clone(), self.tree.clone());
        self.take_places(places);
        self.tree.refit(&self.points);
        let order = self.tree.order();
        let built = self.build_locally(&order);
        if built.is_err() {
            (self.points, self.tree) = (old_points, old_tree);
        }
        built
    }

    fn take_places(&mut self, places: &[DVec3]) {
        for ((own, &place), &is_live) in self.points.iter_mut().zip(places).zip(&self.is_live) {
            if is_live {
                *own = place;
            }
        }
    }

    /// By id, whether a point or what it sees of its neighbours differs between two states of a graph with the same ids: places,
    /// near neighbours, reach and spacing of it and of these.
    pub(super) fn differing(&self, before: &Self) -> Vec<bool> {
        let numbers: Vec<usize> = (0..self.points.len()).collect();
        let own = map_shares(&numbers, |numbers| {
            let one = |&id: &usize| {
                let (raw, point) = (id as u32, PointId::new(id as u32));
                self.is_live[id]
                    && (self.points[id] != before.points[id]
                        || self.scale[id] != before.scale[id]
                        || self.tree.reach_of(raw) != before.tree.reach_of(raw)
                        || self.neighbours(point) != before.neighbours(point))
            };
            numbers.iter().map(one).collect::<Vec<bool>>()
        });
        let own: Vec<bool> = own.into_iter().flatten().collect();
        let seen = map_shares(&numbers, |numbers| {
            let one = |&id: &usize| {
                let point = PointId::new(id as u32);
                let mut near = self.neighbours(point).iter();
                own[id] || near.any(|q| own[q.index()])
            };
            numbers.iter().map(one).collect::<Vec<bool>>()
        });
        seen.into_iter().flatten().collect()
    }
}

impl CloudSurface {
    /// Moves all points, each to the place of its number. Sides are found anew as in [`CloudSurface::new`], or are those of the given
    /// normals as in [`CloudSurface::with_normals`]; a surface without sides stays so. Says from how many points paths were
    /// searched again.
    ///
    /// # Errors
    /// As [`ProximityGraph::relocate_all`], and for normals as [`CloudSurface::with_normals`]; nothing is changed then.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions}};
    /// let row: Vec<DVec3> = (0..9).map(|i| DVec3::X * f64::from(i)).collect();
    /// let graph = ProximityGraph::new(&PointCloud::new(row.clone(), None)?, &GraphOptions::default())?;
    /// let mut surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// assert_eq!(surface.relocate_all(&row, None)?, 0);
    /// let longer: Vec<DVec3> = row.iter().map(|p| *p * 2.0).collect();
    /// assert_eq!(surface.relocate_all(&longer, None)?, 9);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn relocate_all(
        &mut self,
        places: &[DVec3],
        normals: Option<&[DVec3]>,
    ) -> Result<usize, CloudError> {
        if let Some(normals) = normals {
            if normals.len() != self.graph.points.len() {
                return Err(CloudError::NormalCount {
                    points: self.graph.points.len(),
                    normals: normals.len(),
                });
            }
            for (point, &normal) in normals.iter().enumerate() {
                check_normal(point, normal)?;
            }
        }
        let mut graph = (*self.graph).clone();
        graph.relocate_all(places)?;
        let before = std::mem::replace(&mut self.graph, Arc::new(graph));
        let graph = &*self.graph;
        let spacings = graph.ids().map(|id| graph.spacing(id));
        self.widest = spacings.fold(0.0, f64::max);
        let mut is_stale = graph.differing(&before);
        let mut searched = 0;
        if let Some(paths) = &mut self.paths {
            let sources = Arc::make_mut(paths).update_all(graph, &before, &is_stale);
            searched = sources.len();
            // An evaluation looks at the lists of both ends of an edge.
            for id in sources {
                is_stale[id.index()] = true;
                for q in graph.neighbours(id).iter().chain(before.neighbours(id)) {
                    is_stale[q.index()] = true;
                }
            }
        } else {
            is_stale.fill(true);
        }
        if normals.is_none() && self.normals.is_empty() {
            return Ok(searched);
        }
        let raw = self.stale_normals(&is_stale);
        self.normals = match normals {
            None => oriented(&self.graph, raw),
            Some(given) => Self::facing(raw, given),
        };
        Ok(searched)
    }

    /// Normals of any sign, evaluated where they are stale.
    fn stale_normals(&self, is_stale: &[bool]) -> Vec<DVec3> {
        let numbers: Vec<usize> = (0..self.graph.points.len()).collect();
        let found = map_shares(&numbers, |numbers| {
            let mut scratch = EvaluationScratch::default();
            let one = |&id: &usize| match self.normals.get(id) {
                Some(&normal) if !is_stale[id] => normal,
                _ if !self.graph.is_live[id] => DVec3::ZERO,
                _ => {
                    let here = self.evaluate(self.graph.points[id], &mut scratch);
                    here.sample().map_or(DVec3::ZERO, |sample| sample.normal)
                }
            };
            numbers.iter().map(one).collect::<Vec<_>>()
        });
        found.into_iter().flatten().collect()
    }
}
