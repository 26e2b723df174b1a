//! Convex primitives: ball, box, capsule, cylinder, cone, ellipsoid, segment, triangle.
//!
//! Each is defined in its own frame: the ball, box, cylinder, cone and ellipsoid around the origin,
//! cylinder and cone along z. A pose places them. Sizes of zero are refused; a segment, a triangle
//! or the axis of a capsule may degenerate to a point.

use glam::DVec3;

use super::error::{ShapeError, all_positive, positive, valid};
use super::support_map::{InnerOuterBalls, SupportMap, SupportPoint};
use crate::bound::Aabb;

/// The diagonal of a cube in units of its side, rounded up.
const DIAGONAL: f64 = 1.732_050_807_568_878;

/// What a core of a few points answers by those; `$place` finds a point for every index.
macro_rules! core_of_points {
    ($points:ident, $index:ident => $place:expr) => {
        #[inline]
        fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
            best_of(&self.$points, direction)
        }
        #[inline]
        fn is_certain(&self) -> bool {
            true
        }
        #[inline]
        fn vertex_count(&self) -> Option<u32> {
            Some(self.$points.len() as u32)
        }
        #[inline]
        fn vertex(&self, index: u32) -> DVec3 {
            let $index = index as usize;
            self.$points[$place]
        }
    };
}

/// A solid ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    radius: f64,
}

impl Ball {
    /// The ball with this radius.
    ///
    /// # Errors
    /// [`ShapeError::BadSize`] unless the radius is positive and in range.
    ///
    /// ```
    /// use impinge::convex::Ball;
    /// assert!(Ball::new(2.0).is_ok() && Ball::new(0.0).is_err() && Ball::new(f64::NAN).is_err());
    /// ```
    pub fn new(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            radius: positive("radius", radius)?,
        })
    }
}

impl SupportMap for Ball {
    #[inline]
    fn support(&self, _: DVec3, _: u32) -> SupportPoint {
        SupportPoint {
            point: DVec3::ZERO,
            vertex: 0,
        }
    }
    #[inline]
    fn is_certain(&self) -> bool {
        true
    }
    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }
    #[inline]
    fn vertex_count(&self) -> Option<u32> {
        Some(1)
    }
    #[inline]
    fn vertex(&self, _: u32) -> DVec3 {
        DVec3::ZERO
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        centred(DVec3::splat(self.radius))
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        InnerOuterBalls::around_origin(0.0, 0.0, 0.0)
    }
}

/// A solid box around the origin, along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half_extent: DVec3,
}

impl Cuboid {
    /// The box from `-half_extent` to `half_extent`.
    ///
    /// # Errors
    /// [`ShapeError::BadSize`] unless every half extent is positive and in range.
    ///
    /// ```
    /// use impinge::convex::Cuboid;
    /// assert!(Cuboid::new([1.0, 2.0, 3.0]).is_ok() && Cuboid::new([1.0, 2.0, 0.0]).is_err());
    /// ```
    pub fn new(half_extent: impl Into<DVec3>) -> Result<Self, ShapeError> {
        Ok(Self {
            half_extent: all_positive("half extent", half_extent.into())?,
        })
    }

    /// Half the lengths of the sides.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Cuboid};
    /// assert_eq!(Cuboid::new([1.0, 2.0, 3.0])?.half_extent(), DVec3::new(1.0, 2.0, 3.0));
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn half_extent(&self) -> DVec3 {
        self.half_extent
    }
}

impl SupportMap for Cuboid {
    #[inline]
    fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
        let side = |d: f64, bit: u32| if d < 0.0 { bit } else { 0 };
        let turned = |d: f64, h: f64| if d < 0.0 { -h } else { h };
        let h = self.half_extent;
        SupportPoint {
            point: DVec3::new(
                turned(direction.x, h.x),
                turned(direction.y, h.y),
                turned(direction.z, h.z),
            ),
            vertex: side(direction.x, 1) | side(direction.y, 2) | side(direction.z, 4),
        }
    }
    #[inline]
    fn is_certain(&self) -> bool {
        true
    }
    #[inline]
    fn vertex_count(&self) -> Option<u32> {
        Some(8)
    }
    #[inline]
    fn vertex(&self, index: u32) -> DVec3 {
        let side = |h: f64, bit: u32| if index & bit == 0 { h } else { -h };
        let h = self.half_extent;
        DVec3::new(side(h.x, 1), side(h.y, 2), side(h.z, 4))
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        centred(self.half_extent)
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        let half = self.half_extent;
        // Without a root, which could underflow.
        let outer = (half.max_element() * DIAGONAL).min(half.x + half.y + half.z);
        InnerOuterBalls::around_origin(half.min_element(), outer, half.max_element())
    }
}

/// All points within a radius of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    ends: [DVec3; 2],
    radius: f64,
}

impl Capsule {
    /// The ends of the axis.
    #[inline]
    pub(crate) fn ends(&self) -> [DVec3; 2] {
        self.ends
    }

    /// The capsule with this axis, which may be a point, and this radius.
    ///
    /// # Errors
    /// [`ShapeError`] unless the points are valid and the radius is positive and in range.
    ///
    /// ```
    /// use impinge::convex::Capsule;
    /// assert!(Capsule::new([0.0; 3], [0.0, 0.0, 2.0], 0.5).is_ok());
    /// ```
    pub fn new(
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
        radius: f64,
    ) -> Result<Self, ShapeError> {
        Ok(Self {
            ends: valid([from.into(), to.into()])?,
            radius: positive("radius", radius)?,
        })
    }
}

impl SupportMap for Capsule {
    core_of_points!(ends, i => i & 1);
    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        Aabb::enclosing(self.ends).inflated(self.radius)
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        let [p, q] = self.ends;
        InnerOuterBalls {
            center: p * 0.5 + q * 0.5,
            inner: 0.0,
            outer: (q - p).abs().max_element(),
            largest: p.abs().max(q.abs()).max_element(),
        }
    }
}

/// A solid cylinder around the origin, along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_height: f64,
    radius: f64,
}

impl Cylinder {
    /// The cylinder from `-half_height` to `half_height` along z.
    ///
    /// # Errors
    /// [`ShapeError::BadSize`] unless both sizes are positive and in range.
    ///
    /// ```
    /// use impinge::convex::Cylinder;
    /// assert!(Cylinder::new(1.0, 2.0).is_ok() && Cylinder::new(-1.0, 2.0).is_err());
    /// ```
    pub fn new(half_height: f64, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            half_height: positive("half height", half_height)?,
            radius: positive("radius", radius)?,
        })
    }
}

impl SupportMap for Cylinder {
    #[inline]
    fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
        let z = if direction.z < 0.0 {
            -self.half_height
        } else {
            self.half_height
        };
        SupportPoint {
            point: rim(direction, self.radius, z),
            vertex: 0,
        }
    }
    #[inline]
    fn is_certain(&self) -> bool {
        true
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        centred(DVec3::new(self.radius, self.radius, self.half_height))
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        let (height, radius) = (self.half_height, self.radius);
        InnerOuterBalls::around_origin(height.min(radius), height + radius, height.max(radius))
    }
}

/// A solid cone along z: its base below the origin, its apex as far above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    half_height: f64,
    radius: f64,
}

impl Cone {
    /// The cone whose base lies at `z = -half_height` and whose apex at `z = half_height`.
    ///
    /// # Errors
    /// [`ShapeError::BadSize`] unless both sizes are positive and in range.
    ///
    /// ```
    /// use impinge::convex::Cone;
    /// assert!(Cone::new(1.0, 2.0).is_ok() && Cone::new(1.0, f64::INFINITY).is_err());
    /// ```
    pub fn new(half_height: f64, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            half_height: positive("half height", half_height)?,
            radius: positive("radius", radius)?,
        })
    }
}

impl SupportMap for Cone {
    #[inline]
    fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
        let apex = DVec3::new(0.0, 0.0, self.half_height);
        let base = rim(direction, self.radius, -self.half_height);
        let point = if (apex - base).dot(direction) > 0.0 {
            apex
        } else {
            base
        };
        SupportPoint { point, vertex: 0 }
    }
    #[inline]
    fn is_certain(&self) -> bool {
        true
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        centred(DVec3::new(self.radius, self.radius, self.half_height))
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        let (height, radius) = (2.0 * self.half_height, self.radius);
        // The ball that touches base and side, were the slant as long as both: smaller than the largest.
        let inner = radius * (height / (radius + (radius + height)));
        InnerOuterBalls {
            center: DVec3::new(0.0, 0.0, inner - self.half_height),
            inner: (inner - 16.0 * f64::EPSILON * (inner + height)).max(0.0),
            outer: (height + radius) * (1.0 + 4.0 * f64::EPSILON),
            largest: self.half_height.max(radius),
        }
    }
    fn center(&self) -> DVec3 {
        DVec3::new(0.0, 0.0, -0.5 * self.half_height)
    }
}

/// The returned radius of curvature is smaller than the smallest one by this share, for rounding.
const CURVATURE_MARGIN: f64 = 1e-6;

/// A solid ellipsoid around the origin, its axes along the frame's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    radii: DVec3,
}

impl Ellipsoid {
    /// The ellipsoid with these half axes.
    ///
    /// # Errors
    /// [`ShapeError::BadSize`] unless every half axis is positive and in range.
    ///
    /// ```
    /// use impinge::convex::Ellipsoid;
    /// assert!(Ellipsoid::new([1.0, 2.0, 3.0]).is_ok() && Ellipsoid::new([1.0, 0.0, 3.0]).is_err());
    /// ```
    pub fn new(radii: impl Into<DVec3>) -> Result<Self, ShapeError> {
        Ok(Self {
            radii: all_positive("half axis", radii.into())?,
        })
    }
}

impl SupportMap for Ellipsoid {
    #[inline]
    fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
        let largest = direction.abs().max_element();
        let d = if largest > 0.0 {
            direction / largest
        } else {
            DVec3::X
        };
        let size = self.radii.max_element();
        let stretched = self.radii / size * d;
        // Not zero: the radii are positive and some coordinate of `d` is 1, unless the ratio of the radii underflows.
        let length = stretched.length();
        let unit = if length > 0.0 {
            stretched / length
        } else {
            DVec3::X
        };
        SupportPoint {
            point: self.radii * unit,
            vertex: 0,
        }
    }
    #[inline]
    fn is_certain(&self) -> bool {
        true
    }
    #[inline]
    fn curvature_radius(&self) -> f64 {
        let (least, most) = (self.radii.min_element(), self.radii.max_element());
        least * (least / most) * (1.0 - CURVATURE_MARGIN)
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        centred(self.radii)
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        let (inner, outer) = (self.radii.min_element(), self.radii.max_element());
        InnerOuterBalls::around_origin(inner, outer, outer)
    }
}

/// A segment, or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    ends: [DVec3; 2],
}

impl Segment {
    /// The segment between two points, which may be equal.
    ///
    /// # Errors
    /// [`ShapeError::BadPoint`] unless both points are valid.
    ///
    /// ```
    /// use impinge::convex::Segment;
    /// assert!(Segment::new([0.0; 3], [0.0; 3]).is_ok() && Segment::new([f64::NAN; 3], [0.0; 3]).is_err());
    /// ```
    pub fn new(from: impl Into<DVec3>, to: impl Into<DVec3>) -> Result<Self, ShapeError> {
        Ok(Self {
            ends: valid([from.into(), to.into()])?,
        })
    }
}

impl SupportMap for Segment {
    core_of_points!(ends, i => i & 1);
    #[inline]
    fn bounds(&self) -> Aabb {
        Aabb::enclosing(self.ends)
    }
}

/// A triangle, which may degenerate to a segment or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    corners: [DVec3; 3],
}

impl Triangle {
    /// The triangle with these corners.
    ///
    /// # Errors
    /// [`ShapeError::BadPoint`] unless all corners are valid.
    ///
    /// ```
    /// use impinge::{convex::Triangle, DVec3};
    /// assert!(Triangle::new([DVec3::X, DVec3::Y, DVec3::Z]).is_ok());
    /// ```
    pub fn new(corners: [DVec3; 3]) -> Result<Self, ShapeError> {
        Ok(Self {
            corners: valid(corners)?,
        })
    }

    /// The corners.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Triangle};
    /// assert_eq!(Triangle::new([DVec3::X, DVec3::Y, DVec3::Z])?.corners()[1], DVec3::Y);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn corners(&self) -> [DVec3; 3] {
        self.corners
    }
}

impl SupportMap for Triangle {
    core_of_points!(corners, i => i.min(2));
    #[inline]
    fn bounds(&self) -> Aabb {
        Aabb::enclosing(self.corners)
    }
    fn center(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        a / 3.0 + b / 3.0 + c / 3.0
    }
}

/// The point of a horizontal circle around z farthest in a direction; the point on x where all are.
#[inline]
fn rim(direction: DVec3, radius: f64, z: f64) -> DVec3 {
    let largest = direction.x.abs().max(direction.y.abs());
    if largest > 0.0 {
        let (x, y) = (direction.x / largest, direction.y / largest);
        let length = (x * x + y * y).sqrt();
        DVec3::new(radius * (x / length), radius * (y / length), z)
    } else {
        DVec3::new(radius, 0.0, z)
    }
}

#[inline]
fn centred(half: DVec3) -> Aabb {
    Aabb {
        min: -half,
        max: half,
    }
}

/// The first of the farthest points. There is at least one point.
#[inline]
pub(super) fn best_of(points: &[DVec3], direction: DVec3) -> SupportPoint {
    let mut best = SupportPoint {
        point: points.first().copied().unwrap_or(DVec3::ZERO),
        vertex: 0,
    };
    let mut farthest = best.point.dot(direction);
    for (i, &point) in points.iter().enumerate().skip(1) {
        let along = point.dot(direction);
        if along > farthest {
            farthest = along;
            best = SupportPoint {
                point,
                vertex: i as u32,
            };
        }
    }
    best
}
