//! Separating planes between the convex hulls of two meshes, kept while they hold.

use std::sync::Arc;

use glam::DVec3;

use super::mesh_shape::MeshShape;
use crate::bound::Aabb;
use crate::convex::{
    GjkCache, InnerOuterBalls, Polyhedron, SupportMap, SupportPoint, bounding_balls_meet, distance,
    early_out_balls,
};
use crate::math::Pose;

/// Planes between two hulls.
#[derive(Debug)]
pub(crate) struct HullPlanes {
    a: Arc<Polyhedron>,
    b: Arc<Polyhedron>,
    normal: Option<DVec3>,
    /// Where the last supports were found.
    hints: [u32; 2],
    gjk: GjkCache,
    /// The largest coordinates of both.
    size: f64,
}

/// A gap that a walk over vertices found must be at least this fraction of the size: rounding may end a walk early.
const CLIMBED: f64 = 1e-6;
/// A gap must be this many times larger than what rounding makes of the coordinates.
const CLEAR: f64 = 256.0 * f64::EPSILON;

impl HullPlanes {
    /// The planes between two meshes; none when one has no hull, because its vertices lie in a plane.
    pub(super) fn new(a: &MeshShape, b: &MeshShape) -> Option<Self> {
        let (a, b) = (a.outer_hull()?, b.outer_hull()?);
        let far = |hull: &Polyhedron| {
            let bounds = hull.bounds();
            bounds.min.abs().max(bounds.max.abs()).max_element()
        };
        let size = far(a) + far(b);
        Some(Self {
            a: Arc::clone(a),
            b: Arc::clone(b),
            normal: None,
            hints: [0; 2],
            gjk: GjkCache::new(),
            size,
        })
    }

    fn clear(&self, a_from_b: &Pose) -> f64 {
        CLEAR * (self.size + a_from_b.translation().abs().max_element())
    }

    /// Whether there is a plane from before.
    pub(super) fn has_plane(&self) -> bool {
        self.normal.is_some()
    }

    /// Whether the plane from before still separates; one that does not is forgotten.
    pub(super) fn kept(&mut self, a_from_b: &Pose) -> bool {
        let Some(normal) = self.normal else {
            return false;
        };
        let turned = a_from_b.rotation().transpose() * -normal;
        let p = self.a.support(normal, self.hints[0]);
        let q = self.b.support(turned, self.hints[1]);
        self.hints = [p.vertex, q.vertex];
        let gap = normal.dot(*a_from_b * q.point - p.point);
        let is_apart = gap > CLIMBED * self.size + self.clear(a_from_b);
        self.normal = is_apart.then_some(normal);
        is_apart
    }

    /// Whether balls in the hulls leave it open that there is a plane between them.
    pub(super) fn may_exist(&self, a_from_b: &Pose) -> bool {
        !bounding_balls_meet(&*self.a, &*self.b, a_from_b)
    }

    /// Whether there is a plane between the hulls, with a gap that rounding cannot explain; no once `is_over` says that the answer is no longer needed.
    pub(crate) fn search(&mut self, a_from_b: &Pose, is_over: &(dyn Fn() -> bool + Sync)) -> bool {
        self.normal = None;
        let a = StoppableHull {
            hull: &self.a,
            is_over,
        };
        let b = StoppableHull {
            hull: &self.b,
            is_over,
        };
        if early_out_balls(&a, &b, a_from_b, &mut self.gjk) == Some(true) {
            return false;
        }
        let found = distance(&a, &b, a_from_b, &mut self.gjk).value;
        let Some(normal) = (found.point_b - found.point_a).try_normalize() else {
            return false;
        };
        if is_over() {
            return false;
        }
        let turned = a_from_b.rotation().transpose() * -normal;
        let p = self.a.support_certain(normal);
        let q = self.b.support_certain(turned);
        self.hints = [p.vertex, q.vertex];
        let is_apart = normal.dot(*a_from_b * q.point - p.point) > self.clear(a_from_b);
        self.normal = is_apart.then_some(normal);
        is_apart
    }
}

/// A hull that gives any point at once when nobody waits for the answer, so that a search comes to its end. Its points are found by walking over
/// vertices, and nothing is decided in integers: what a search says is proven afterwards.
struct StoppableHull<'h> {
    hull: &'h Polyhedron,
    is_over: &'h (dyn Fn() -> bool + Sync),
}

impl SupportMap for StoppableHull<'_> {
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        if (self.is_over)() {
            return SupportPoint {
                point: self.hull.vertex(0),
                vertex: 0,
            };
        }
        self.hull.support(direction, hint)
    }
    fn is_certain(&self) -> bool {
        true
    }
    fn bounds(&self) -> Aabb {
        self.hull.bounds()
    }
    fn center(&self) -> DVec3 {
        self.hull.center()
    }
    fn extent(&self) -> InnerOuterBalls {
        self.hull.extent()
    }
}
