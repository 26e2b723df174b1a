//! What every convex shape can be asked: its farthest point in a direction.

use glam::DVec3;

use crate::bound::Aabb;

/// A point of a core and its number, where the core has finitely many extreme points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportPoint {
    /// The point, in the frame of the shape.
    pub point: DVec3,
    /// Its number, for [`Support::vertex`]; meaningless for round cores.
    pub vertex: u32,
}

/// A bounded convex solid, seen as a core and a ball of some radius swept over it.
///
/// A ball is a point and its radius, a capsule a segment and its radius: what is measured between cores is then as
/// accurate for them as for points and segments.
pub trait Support {
    /// A point of the core farthest in `direction`. The search may begin at vertex `hint`.
    ///
    /// Total: any finite direction, zero included, gives a point of the core.
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint;

    /// A point of the core farthest in `direction`, compared with every other: what a certificate rests on.
    fn support_certain(&self, direction: DVec3) -> SupportPoint {
        self.support(direction, 0)
    }

    /// Whether [`support`](Self::support) is as good as [`support_certain`](Self::support_certain), so that a certificate may rest
    /// on either.
    fn is_certain(&self) -> bool {
        false
    }

    /// The radius of the ball swept over the core.
    fn radius(&self) -> f64 {
        0.0
    }

    /// How many extreme points the core has, when they are finitely many.
    fn vertex_count(&self) -> Option<u32> {
        None
    }

    /// Extreme point number `index` of the core; some point of the core when there is no such number.
    fn vertex(&self, index: u32) -> DVec3 {
        let _ = index;
        self.support(DVec3::X, 0).point
    }

    /// A box around the whole shape, swept ball included.
    fn bounds(&self) -> Aabb;

    /// A point inside the core.
    fn center(&self) -> DVec3 {
        self.bounds().center()
    }
}
