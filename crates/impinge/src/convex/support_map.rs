//! Support mapping: the farthest point of a convex shape in a direction.

use glam::DVec3;

use crate::bound::Aabb;

/// A point of a core and its number, where the core has finitely many extreme points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportPoint {
    /// The point, in the frame of the shape.
    pub point: DVec3,
    /// Its number, for [`SupportMap::vertex`]; meaningless for round cores.
    pub vertex: u32,
}

/// Two balls around one point, one inside a core and one around it, and how large its coordinates are.
///
/// ```
/// use impinge::convex::{Cuboid, SupportMap};
/// let extent = Cuboid::new([1.0, 2.0, 2.0])?.extent();
/// assert!(extent.inner <= 1.0 && extent.outer >= 3.0 && extent.largest == 2.0);
/// # Ok::<(), impinge::convex::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerOuterBalls {
    /// The centre of both, in the frame of the shape.
    pub center: DVec3,
    /// Points nearer to the centre than this belong to the core; 0 when nothing is known.
    pub inner: f64,
    /// No point of the core is farther from the centre.
    pub outer: f64,
    /// No coordinate of the core is larger.
    pub largest: f64,
}

impl InnerOuterBalls {
    /// What is known of a box.
    pub(super) fn of_box(bounds: &Aabb, center: DVec3) -> Self {
        let reach = (bounds.max - center).max(center - bounds.min);
        Self {
            center,
            inner: 0.0,
            // Twice the largest is more than the length.
            outer: 2.0 * reach.max_element().max(0.0),
            largest: bounds.min.abs().max(bounds.max.abs()).max_element(),
        }
    }

    /// Around the origin, with balls of these radii, computed with a few roundings.
    #[inline]
    pub(super) fn around_origin(inner: f64, outer: f64, largest: f64) -> Self {
        Self {
            center: DVec3::ZERO,
            inner: inner * (1.0 - 16.0 * f64::EPSILON),
            outer: outer * (1.0 + 16.0 * f64::EPSILON),
            largest,
        }
    }
}

/// A bounded convex solid, represented as a core and the radius of a ball swept over it.
///
/// A ball is a point and its radius, a capsule a segment and its radius: distances between cores
/// are then as accurate for them as for points and segments.
#[doc(alias = "support mapping")]
#[doc(alias = "support function")]
#[doc(alias = "Minkowski")]
pub trait SupportMap {
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

    /// A radius that no part of the core's surface is curved more tightly than: the core is itself a smaller convex body with a ball of this
    /// radius swept over it. 0 when nothing is known, and for everything with an edge.
    fn curvature_radius(&self) -> f64 {
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

    /// A ball inside the core and one around it: what queries are answered with at a glance.
    fn extent(&self) -> InnerOuterBalls {
        InnerOuterBalls::of_box(&self.bounds(), self.center())
    }
}

/// A borrowed shape is the same shape: of a type that may be unsized, this makes one that has a vtable.
impl<S: SupportMap + ?Sized> SupportMap for &S {
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        (**self).support(direction, hint)
    }
    fn support_certain(&self, direction: DVec3) -> SupportPoint {
        (**self).support_certain(direction)
    }
    fn is_certain(&self) -> bool {
        (**self).is_certain()
    }
    fn radius(&self) -> f64 {
        (**self).radius()
    }
    fn curvature_radius(&self) -> f64 {
        (**self).curvature_radius()
    }
    fn vertex_count(&self) -> Option<u32> {
        (**self).vertex_count()
    }
    fn vertex(&self, index: u32) -> DVec3 {
        (**self).vertex(index)
    }
    fn bounds(&self) -> Aabb {
        (**self).bounds()
    }
    fn center(&self) -> DVec3 {
        (**self).center()
    }
    fn extent(&self) -> InnerOuterBalls {
        (**self).extent()
    }
}

/// The two shapes of a search. In the browser they go through their vtables, so that there is one copy of the search and not one for each
/// two types: every page downloads it.
macro_rules! compiled_once {
    ($a:ident, $b:ident) => {
        #[cfg(target_arch = "wasm32")]
        let ($a, $b): (&dyn SupportMap, &dyn SupportMap) = (&$a, &$b);
    };
}
pub(super) use compiled_once;
