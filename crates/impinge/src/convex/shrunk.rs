//! A smooth shape as a smaller core swept by a ball.
//!
//! **Idea.** A convex body whose surface is nowhere curved more tightly than a sphere of radius `ρ`
//! is the Minkowski sum of that sphere and a smaller convex body, the core, whose support points
//! are `p(n) − ρ·n`. The depth of two bodies is that of their cores, plus the radii; if the cores
//! are disjoint it follows from their distance, and EPA is not needed.
//! **Source.** Blaschke's rolling theorem; Schneider, *Convex bodies*, section 3.2.

use glam::DVec3;

use super::support_map::{InnerOuterBalls, SupportMap, SupportPoint};
use crate::bound::Aabb;

/// A shape with as large a swept ball as its curvature allows.
pub(super) struct Shrunk<'s, S: ?Sized> {
    shape: &'s S,
    by: f64,
}

impl<'s, S: SupportMap + ?Sized> Shrunk<'s, S> {
    pub(super) fn new(shape: &'s S) -> Self {
        let by = shape.curvature_radius();
        Self { shape, by }
    }

    fn moved_in(&self, found: SupportPoint, direction: DVec3) -> SupportPoint {
        if self.by <= 0.0 {
            return found;
        }
        // At unit size first, so that the squares neither over- nor underflow.
        let largest = direction.abs().max_element();
        let unit = (direction / largest).try_normalize().unwrap_or(DVec3::X);
        SupportPoint {
            point: found.point - unit * self.by,
            vertex: found.vertex,
        }
    }
}

impl<S: SupportMap + ?Sized> SupportMap for Shrunk<'_, S> {
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        self.moved_in(self.shape.support(direction, hint), direction)
    }
    fn support_certain(&self, direction: DVec3) -> SupportPoint {
        self.moved_in(self.shape.support_certain(direction), direction)
    }
    fn is_certain(&self) -> bool {
        self.shape.is_certain()
    }
    fn radius(&self) -> f64 {
        self.shape.radius() + self.by
    }
    fn vertex_count(&self) -> Option<u32> {
        // A smooth core has none.
        self.shape.vertex_count()
    }
    fn vertex(&self, index: u32) -> DVec3 {
        self.shape.vertex(index)
    }
    fn bounds(&self) -> Aabb {
        self.shape.bounds()
    }
    fn center(&self) -> DVec3 {
        self.shape.center()
    }
    fn extent(&self) -> InnerOuterBalls {
        let own = self.shape.extent();
        InnerOuterBalls {
            inner: (own.inner - self.by).max(0.0),
            outer: (own.outer - self.by).max(0.0),
            ..own
        }
    }
}
