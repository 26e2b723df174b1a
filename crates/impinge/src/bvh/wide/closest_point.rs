//! Closest point queries: which faces of a mesh are nearest to a point?
//!
//! **Idea.** Descend into the nearest box first and prune boxes that are farther away than the best face found.
//! Lower bounds for boxes and faces are computed in SIMD lanes; the remaining faces are measured in `f64`.
//!
//! **Promise.** The same faces, points and distances, bit for bit, as measuring every face with
//! [`closest_point_on_triangle`]; equal distances are ordered by face.

use std::ops::ControlFlow;

use glam::DVec3;
use thiserror::Error;

use super::layout::{LEAF, WIDTH};
use super::point_box_bound::LocalPoint;
use super::single_tree::{SearchEnd, SingleTreeCache, Subtree, WorkMeter, push_children};
use super::tree::WideTree;
use crate::geom::{TriangleFeature, closest_point_on_triangle};
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};
use crate::math::{MAX_COORDINATE, is_valid_point};
use crate::query::{Bounded, FaceId, Limits, Outcome, Sink};

/// The point of a face nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "closest point")]
pub struct ClosestFace {
    /// The face.
    pub face: FaceId,
    /// Its nearest point, rounded.
    pub point: DVec3,
    /// The distance from the given point.
    pub distance: f64,
    /// The part of the face on which the nearest point lies.
    pub feature: TriangleFeature,
    /// The nearest point's weights with respect to the corners.
    pub barycentric: [f64; 3],
}

impl ClosestFace {
    fn is_before(&self, other: &Self) -> bool {
        (self.distance, self.face) < (other.distance, other.face)
    }
}

/// A point that is not finite or too far away.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("point {value} is not finite or exceeds {MAX_COORDINATE:e}")]
pub struct PointError {
    /// The point.
    pub value: DVec3,
}

impl WideTree {
    /// The face nearest to `p`, of several the first; nothing when the mesh is empty or no face lies within
    /// [`Limits::max_distance`].
    ///
    /// # Errors
    /// [`PointError`] for a point that is not finite or out of range.
    ///
    /// ```
    /// use impinge::bvh::wide::{SingleTreeCache, WideTree};
    /// use impinge::{DVec3, TriMesh, query::Limits};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let p = DVec3::new(0.25, 0.25, 2.0);
    /// let answer = tree.closest_face(p, Limits::default(), &mut SingleTreeCache::default())?;
    /// assert_eq!(answer.value.map(|c| (c.distance, c.point)), Some((2.0, DVec3::new(0.25, 0.25, 0.0))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_face(
        &self,
        p: DVec3,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Result<Bounded<Option<ClosestFace>>, PointError> {
        let within = limits.within();
        let mut nearest = NearestFace {
            within,
            found: None,
        };
        let searched = self.search_near(p, limits, cache, &mut nearest)?;
        let error = nearest.found.map_or(0.0, |found| {
            let corners = self.mesh.triangle(found.face);
            let size = corners
                .iter()
                .fold(0.0_f64, |m, &v| m.max((v - p).abs().max_element()));
            16.0 * f64::EPSILON * size
        });
        let seen = nearest.found.map_or(within, |found| found.distance);
        Ok(Bounded {
            value: nearest.found,
            lower: (seen.min(searched.unexplored) - error).max(0.0),
            upper: nearest
                .found
                .map_or(f64::INFINITY, |found| found.distance + error),
            outcome: searched.outcome,
        })
    }

    /// Writes the `count` faces nearest to `p` to `found`, nearest first, equally near ones by id; fewer when
    /// the mesh has fewer within [`Limits::max_distance`].
    ///
    /// When a limit is met first, `found` holds the nearest of those examined.
    ///
    /// # Errors
    /// [`PointError`] for a point that is not finite or out of range.
    ///
    /// ```
    /// use impinge::bvh::wide::{SingleTreeCache, WideTree};
    /// use impinge::{DVec3, TriMesh, query::Limits};
    /// use std::sync::Arc;
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mesh = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let tree = WideTree::new(Arc::new(mesh));
    /// let mut found = Vec::new();
    /// let p = DVec3::new(0.2, 0.2, -1.0);
    /// let _ = tree.nearest_faces(p, 2, Limits::default(), &mut SingleTreeCache::default(), &mut found)?;
    /// assert_eq!(found.iter().map(|c| c.face.raw()).collect::<Vec<_>>(), [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest_faces(
        &self,
        p: DVec3,
        count: usize,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
        found: &mut Vec<ClosestFace>,
    ) -> Result<Outcome, PointError> {
        found.clear();
        let mut several = NearestFaces {
            within: limits.within(),
            count,
            found,
        };
        Ok(self.search_near(p, limits, cache, &mut several)?.outcome)
    }

    /// Reports every face at most `distance` away from `p`, each once, in an order of the tree's own.
    ///
    /// # Errors
    /// [`PointError`] for a point that is not finite or out of range.
    ///
    /// ```
    /// use impinge::bvh::wide::{SingleTreeCache, WideTree};
    /// use impinge::{DVec3, TriMesh, query::{Count, Limits}};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let (p, mut cache, mut count) = (DVec3::Z, SingleTreeCache::default(), Count::default());
    /// let _ = tree.faces_within(p, 1.0, Limits::default(), &mut cache, &mut count)?;
    /// assert_eq!(count.0, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn faces_within(
        &self,
        p: DVec3,
        distance: f64,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
        sink: &mut dyn Sink<ClosestFace>,
    ) -> Result<Outcome, PointError> {
        let within = match limits.max_distance {
            Some(max) if max < distance => max,
            _ => distance,
        };
        let mut all = FacesWithin { within, sink };
        Ok(self.search_near(p, limits, cache, &mut all)?.outcome)
    }

    fn search_near<C: CollectFaces>(
        &self,
        p: DVec3,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
        collect: &mut C,
    ) -> Result<SearchEnd, PointError> {
        if !is_valid_point(p) {
            return Err(PointError { value: p });
        }
        let level = cache.level();
        let search = PointTraversal {
            tree: self,
            p,
            local: LocalPoint::new(&self.frame, p),
            meter: WorkMeter::new(limits),
            cache,
            collect,
        };
        Ok(dispatch(level, search))
    }
}

/// Takes faces that are near enough.
trait CollectFaces {
    /// Faces farther away are of no interest any more.
    fn bound(&self) -> f64;
    fn offer(&mut self, face: ClosestFace) -> ControlFlow<()>;
}

struct NearestFace {
    within: f64,
    found: Option<ClosestFace>,
}

impl CollectFaces for NearestFace {
    fn bound(&self) -> f64 {
        self.found.map_or(self.within, |found| found.distance)
    }

    fn offer(&mut self, face: ClosestFace) -> ControlFlow<()> {
        if face.distance <= self.within && self.found.is_none_or(|found| face.is_before(&found)) {
            self.found = Some(face);
        }
        ControlFlow::Continue(())
    }
}

struct NearestFaces<'s> {
    within: f64,
    count: usize,
    /// Sorted, at most `count`.
    found: &'s mut Vec<ClosestFace>,
}

impl CollectFaces for NearestFaces<'_> {
    fn bound(&self) -> f64 {
        match self.found.last() {
            Some(last) if self.found.len() >= self.count => last.distance,
            _ if self.count == 0 => f64::NEG_INFINITY,
            _ => self.within,
        }
    }

    fn offer(&mut self, face: ClosestFace) -> ControlFlow<()> {
        if face.distance <= self.within && self.count > 0 {
            let place = self.found.partition_point(|found| found.is_before(&face));
            if place < self.count {
                self.found.truncate(self.count - 1);
                self.found.insert(place, face);
            }
        }
        ControlFlow::Continue(())
    }
}

struct FacesWithin<'s> {
    within: f64,
    sink: &'s mut dyn Sink<ClosestFace>,
}

impl CollectFaces for FacesWithin<'_> {
    fn bound(&self) -> f64 {
        self.within
    }

    fn offer(&mut self, face: ClosestFace) -> ControlFlow<()> {
        if face.distance <= self.within {
            self.sink.accept(face)
        } else {
            ControlFlow::Continue(())
        }
    }
}

struct PointTraversal<'s, C> {
    tree: &'s WideTree,
    p: DVec3,
    local: LocalPoint,
    meter: WorkMeter<'s>,
    cache: &'s mut SingleTreeCache,
    collect: &'s mut C,
}

impl<C: CollectFaces> Kernel for PointTraversal<'_, C> {
    type Output = SearchEnd;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> SearchEnd {
        self.cache.stack.clear();
        if !self.tree.nodes.is_empty() {
            self.cache.stack.push(Subtree {
                at_least: 0.0,
                ..Subtree::ROOT
            });
        }
        let outcome = self.descend::<T>();
        self.cache.work = self.meter.work;
        SearchEnd::new(outcome, &self.cache.stack, self.local.unit)
    }
}

impl<C: CollectFaces> PointTraversal<'_, C> {
    #[inline(always)]
    fn descend<T: Lanes>(&mut self) -> Outcome {
        while let Some(next) = self.cache.stack.pop() {
            let bound = self.collect.bound() * self.local.unit;
            if f64::from(next.at_least) <= bound
                && let ControlFlow::Break(outcome) = self.visit::<T>(next, bound)
            {
                // What was not examined goes back, so that it counts as unexplored.
                self.cache.stack.push(next);
                return outcome;
            }
        }
        Outcome::Complete
    }

    #[inline(always)]
    fn visit<T: Lanes>(&mut self, next: Subtree, bound: f64) -> ControlFlow<Outcome> {
        self.meter.look()?;
        if next.child & LEAF == 0 {
            self.meter.spend_volumes(WIDTH as u32)?;
            let node = &self.tree.nodes[next.child as usize];
            let least = self.local.boxes_at_least::<T>(node);
            let mut mask = 0;
            for (k, &least) in least.iter().enumerate() {
                mask |= u32::from(f64::from(least) <= bound) << k;
            }
            push_children(&mut self.cache.stack, &node.child, mask, &least, &least);
            return ControlFlow::Continue(());
        }
        let leaf = &self.tree.leaves[(next.child & !LEAF) as usize];
        self.meter.spend_faces(leaf.count)?;
        let least = self.local.faces_at_least::<T>(leaf);
        for (&face, &least) in leaf.face[..leaf.count as usize].iter().zip(&least) {
            if f64::from(least) <= self.collect.bound() * self.local.unit {
                let found = self.measure(FaceId::new(face));
                if self.collect.offer(found).is_break() {
                    return ControlFlow::Break(Outcome::StoppedBySink);
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(never)]
    fn measure(&self, face: FaceId) -> ClosestFace {
        let closest = closest_point_on_triangle(self.p, &self.tree.mesh.triangle(face));
        ClosestFace {
            face,
            point: closest.point,
            distance: closest.distance,
            feature: closest.feature,
            barycentric: closest.barycentric,
        }
    }
}
