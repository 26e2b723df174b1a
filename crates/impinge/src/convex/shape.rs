//! All bounded convex shapes in one type.

use std::fmt::Debug;
use std::sync::Arc;

use glam::DVec3;

use super::polyhedron::Polyhedron;
use super::primitives::{Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Segment, Triangle};
use super::support_map::{InnerOuterBalls, SupportMap, SupportPoint};
use crate::bound::Aabb;

/// A bounded convex solid that can be shared: whatever has [`SupportMap`] and may be shown and sent.
pub trait ConvexSolid: SupportMap + Debug + Send + Sync {}

impl<S: SupportMap + Debug + Send + Sync> ConvexSolid for S {}

/// A bounded convex shape of any kind.
///
/// ```
/// use impinge::{Pose, convex::{Ball, Convex, Cylinder, GjkCache, distance}};
/// let a = Convex::from(Ball::new(1.0)?);
/// let b = Convex::from(Cylinder::new(1.0, 1.0)?);
/// let found = distance(&a, &b, &Pose::from_translation([0.0, 0.0, 5.0])?, &mut GjkCache::new());
/// assert!((found.value.distance - 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Convex {
    /// A ball.
    Ball(Ball),
    /// A box.
    Cuboid(Cuboid),
    /// A capsule.
    Capsule(Capsule),
    /// A cylinder.
    Cylinder(Cylinder),
    /// A cone.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A segment.
    Segment(Segment),
    /// A triangle.
    Triangle(Triangle),
    /// A polyhedron, shared between the objects that have it.
    Polyhedron(Arc<Polyhedron>),
    /// A solid of the user's own.
    Custom(Arc<dyn ConvexSolid>),
}

/// Calls the same method of whatever shape it is.
macro_rules! each {
    ($self:expr, $shape:ident => $call:expr) => {
        match $self {
            Convex::Ball($shape) => $call,
            Convex::Cuboid($shape) => $call,
            Convex::Capsule($shape) => $call,
            Convex::Cylinder($shape) => $call,
            Convex::Cone($shape) => $call,
            Convex::Ellipsoid($shape) => $call,
            Convex::Segment($shape) => $call,
            Convex::Triangle($shape) => $call,
            Convex::Polyhedron($shape) => $call,
            Convex::Custom($shape) => $call,
        }
    };
}

impl SupportMap for Convex {
    #[inline]
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        each!(self, shape => shape.support(direction, hint))
    }
    #[inline]
    fn support_certain(&self, direction: DVec3) -> SupportPoint {
        each!(self, shape => shape.support_certain(direction))
    }
    #[inline]
    fn is_certain(&self) -> bool {
        each!(self, shape => shape.is_certain())
    }
    #[inline]
    fn radius(&self) -> f64 {
        each!(self, shape => shape.radius())
    }
    #[inline]
    fn curvature_radius(&self) -> f64 {
        each!(self, shape => shape.curvature_radius())
    }
    #[inline]
    fn vertex_count(&self) -> Option<u32> {
        each!(self, shape => shape.vertex_count())
    }
    #[inline]
    fn vertex(&self, index: u32) -> DVec3 {
        each!(self, shape => shape.vertex(index))
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        each!(self, shape => shape.bounds())
    }
    #[inline]
    fn center(&self) -> DVec3 {
        each!(self, shape => shape.center())
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        each!(self, shape => shape.extent())
    }
}

macro_rules! from {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Convex {
            fn from(shape: $kind) -> Self {
                Self::$kind(shape)
            }
        })*
    };
}

from!(
    Ball, Cuboid, Capsule, Cylinder, Cone, Ellipsoid, Segment, Triangle
);

impl From<Polyhedron> for Convex {
    fn from(shape: Polyhedron) -> Self {
        Self::Polyhedron(Arc::new(shape))
    }
}
