//! Inserts, removes and moves points of a surface.

use std::sync::Arc;

use glam::DVec3;

use super::evaluation::{EvaluationScratch, ImplicitSurface};
use super::graph_edit::GraphChange;
use super::implicit_surface::CloudSurface;
use super::point_cloud::{CloudError, PointId};

impl CloudSurface {
    /// Inserts a point; graph and path lengths are then those of a new surface. Its normal takes the side of its neighbours.
    ///
    /// Graph and paths are copied first if they are shared with another surface.
    ///
    /// # Errors
    /// As [`ProximityGraph::insert`](super::ProximityGraph::insert).
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions}};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// let mut surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// let point = surface.insert(DVec3::X)?.point;
    /// surface.relocate(point, DVec3::Y)?;
    /// assert_eq!(surface.graph().place(point), Some(DVec3::Y));
    /// surface.remove(point)?;
    /// assert!(surface.graph().is_empty());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn insert(&mut self, place: DVec3) -> Result<GraphChange, CloudError> {
        let change = Arc::make_mut(&mut self.graph).insert(place)?;
        self.follow(&change);
        Ok(change)
    }

    /// Removes a point, as [`CloudSurface::insert`].
    ///
    /// # Errors
    /// As [`ProximityGraph::remove`](super::ProximityGraph::remove).
    pub fn remove(&mut self, id: PointId) -> Result<GraphChange, CloudError> {
        let change = Arc::make_mut(&mut self.graph).remove(id)?;
        self.follow(&change);
        Ok(change)
    }

    /// Moves a point, as [`CloudSurface::insert`].
    ///
    /// # Errors
    /// As [`ProximityGraph::relocate`](super::ProximityGraph::relocate).
    pub fn relocate(&mut self, id: PointId, place: DVec3) -> Result<GraphChange, CloudError> {
        let change = Arc::make_mut(&mut self.graph).relocate(id, place)?;
        self.follow(&change);
        Ok(change)
    }

    /// Brings paths and normals up to date.
    fn follow(&mut self, change: &GraphChange) {
        let changed = change.touched().chain([change.point]);
        let spacings = changed.map(|id| self.graph.spacing(id));
        self.widest = spacings.fold(self.widest, f64::max);
        if let Some(paths) = &mut self.paths {
            Arc::make_mut(paths).update(&self.graph, change);
        }
        if self.normals.is_empty() && self.graph.points.len() > 1 {
            return;
        }
        self.normals.resize(self.graph.points.len(), DVec3::ZERO);
        // It may be elsewhere now, and the id may have been another point's.
        self.normals[change.point.index()] = DVec3::ZERO;
        let mut scratch = EvaluationScratch::default();
        for id in change.touched() {
            let Some(place) = self.graph.place(id) else {
                continue;
            };
            let raw = self.evaluate(place, &mut scratch);
            let raw = raw.sample().map_or(DVec3::ZERO, |sample| sample.normal);
            let old = self.normals[id.index()];
            let side = if old == DVec3::ZERO {
                let near = self.graph.neighbours(id).iter();
                let agreeing = near.map(|q| self.normals[q.index()]);
                // Neighbours that look the other way at an edge must not outvote the nearest in direction.
                agreeing.fold(DVec3::ZERO, |best: DVec3, n| {
                    if n.dot(raw).abs() > best.dot(raw).abs() {
                        n
                    } else {
                        best
                    }
                })
            } else {
                old
            };
            self.normals[id.index()] = if raw.dot(side) < 0.0 { -raw } else { raw };
        }
    }
}
