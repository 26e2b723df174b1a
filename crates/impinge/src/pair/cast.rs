//! Casts of rays, segments and balls against one shape; closest points and containment.
//!
//! **Question.** What does a ray, a segment or a moving ball hit first? Which point of the shape is
//! nearest, and does it contain a point?
//! **Idea.** A ray is intersected with convex parts in [closed form](crate::convex::ray_convex) and
//! with meshes through their tree; for many parts a BVH skips those that the ray enters later than
//! the best hit. A moving ball is a motion without rotation, so its cast is an
//! [impact](super::ImpactQuery); a point is a segment of zero length.
//! **Promise.** Whether a ray hits a mesh, height field or polyhedron is exact, so that none slips
//! between two faces. Of hits at the same place the one with the lowest number is returned.
//! **Limits.** Of user-defined shapes only convex ones support ray casts. Rays miss faces that they
//! see edge-on.

use glam::DVec3;
use thiserror::Error;

use super::best_pair::best_piece;
use super::box_index::ray_enters;
use super::composite::Composite;
use super::config::PairConfig;
use super::convex_piece::ConvexPiece;
use super::distance::DistanceQuery;
use super::impact::ImpactQuery;
use super::intersection::IntersectionQuery;
use super::item_bvh::WorkMeter;
use super::mesh_shape::MeshShape;
use super::shape::Shape;
use super::unsupported::Unsupported;
use crate::bvh::wide::{RayOrSegment, SingleTreeCache};
use crate::convex::{Ball, ConvexHit, Segment, ShapeError, SupportMap, ray_convex, ray_half_space};
use crate::geom::{Ray, RayError};
use crate::math::{Motion, Pose, is_valid_point};
use crate::query::{Bounded, FaceId, Limits, Separation};

/// Where a ray or segment first meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The place on the ray, in lengths of its direction, or from 0 to 1 on a segment. 0 when it starts in a solid.
    pub t: f64,
    /// The point.
    pub point: DVec3,
    /// The unit normal of the surface there, on the side that the ray comes from; opposite to the ray when it starts in a solid.
    pub normal: DVec3,
    /// The face of a mesh or height field, the number of a particle or point, the face of a compound as
    /// [`Compound::child_of`](super::Compound::child_of) reads it; 0 for other shapes.
    pub face: FaceId,
}

/// Where a moving ball first meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallHit {
    /// The time, from 0 at the start of the way to 1 at its end. 0 when the ball touches at the start.
    pub t: f64,
    /// Where the centre of the ball is then.
    pub center: DVec3,
    /// The point that they share.
    pub point: DVec3,
    /// The unit direction from the shape to the ball.
    pub normal: DVec3,
    /// As [`RayHit::face`].
    pub face: FaceId,
}

/// Why nothing could be cast at a shape.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CastError {
    /// The end of a segment or way, or a point, is not finite or too large; so may it be in the frame of a placed shape.
    #[error(transparent)]
    Line(#[from] RayError),
    /// The radius of a ball is not positive and finite.
    #[error(transparent)]
    Ball(#[from] ShapeError),
    /// A shape of the user's own that is not convex.
    #[error("a shape of the user's own is cast at only if it is convex")]
    NotConvex,
    /// The shape does not support the query.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

/// A ray or segment. Valid by construction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Of a segment of a single point the direction is any.
    ray: Ray,
    /// The end of a segment.
    end: Option<DVec3>,
}

impl Probe {
    pub(crate) fn ray(ray: &Ray) -> Self {
        Self {
            ray: *ray,
            end: None,
        }
    }

    pub(crate) fn segment(from: DVec3, to: DVec3) -> Result<Self, RayError> {
        // Says which end is wrong.
        RayOrSegment::segment(from, to)?;
        let way = to - from;
        let way = if way == DVec3::ZERO { DVec3::X } else { way };
        Ok(Self {
            ray: Ray::new(from, way)?,
            end: Some(to),
        })
    }

    /// The same seen from a frame.
    pub(crate) fn placed(&self, own_from_here: &Pose) -> Result<Self, RayError> {
        if let Some(end) = self.end {
            return Self::segment(*own_from_here * self.ray.origin(), *own_from_here * end);
        }
        let origin = *own_from_here * self.ray.origin();
        let direction = own_from_here.transform_vector(self.ray.direction());
        Ok(Self::ray(&Ray::new(origin, direction)?))
    }

    /// The largest parameter.
    pub(crate) fn longest(&self) -> f64 {
        match self.end {
            None => f64::MAX,
            Some(end) if end == self.ray.origin() => 0.0,
            Some(_) => 1.0,
        }
    }

    /// Nothing in the box is met before this parameter; infinite when nothing is.
    pub(crate) fn enters(&self, bounds: &crate::bound::Aabb) -> f64 {
        ray_enters(&self.ray, bounds)
    }

    fn line(&self) -> Result<RayOrSegment, RayError> {
        match self.end {
            None => Ok(self.ray.into()),
            Some(end) => RayOrSegment::segment(self.ray.origin(), end),
        }
    }

    fn hit(&self, hit: ConvexHit, number: u32) -> Option<RayHit> {
        (hit.t <= self.longest()).then(|| RayHit {
            t: hit.t,
            point: self.ray.at(hit.t),
            normal: hit.normal,
            face: FaceId::new(number),
        })
    }
}

/// The first hit of the line with the shape.
pub(crate) fn cast(shape: &Shape, line: &Probe) -> Result<Option<RayHit>, CastError> {
    if let Some(convex) = shape.convex() {
        let hit = ray_convex(&line.ray, &convex);
        return Ok(hit.and_then(|hit| line.hit(hit, 0)));
    }
    match shape {
        Shape::HalfSpace(plane) => {
            let hit = ray_half_space(&line.ray, plane);
            Ok(hit.and_then(|hit| line.hit(hit, 0)))
        }
        Shape::Mesh(mesh) => Ok(at_mesh(mesh, line, &mut SingleTreeCache::default())?),
        Shape::HeightField(field) => Ok(at_mesh(
            field.mesh(),
            line,
            &mut SingleTreeCache::default(),
        )?),
        Shape::Compound(compound) => {
            let mut best = Best::new(line);
            for (number, child) in (0..).zip(compound.children()) {
                let bounds = compound.child_bounds(number);
                if bounds.is_some_and(|bounds| line.enters(&bounds) > best.t) {
                    continue;
                }
                // No child is a compound, so this goes one level down.
                let own = line.placed(&child.compound_from_child.inverse())?;
                if let Some(hit) = cast(&child.shape, &own)? {
                    best.offer(RayHit {
                        point: child.compound_from_child * hit.point,
                        normal: child.compound_from_child.transform_vector(hit.normal),
                        face: compound.face_of(number, hit.face),
                        ..hit
                    });
                }
            }
            Ok(best.hit)
        }
        _ => match Composite::of(shape) {
            Some(parts) => Ok(at_parts(&parts, line)),
            None => Err(CastError::NotConvex),
        },
    }
}

/// The first hit so far; of several at the same place that of the lowest number.
struct Best {
    t: f64,
    hit: Option<RayHit>,
}

impl Best {
    fn new(line: &Probe) -> Self {
        Self {
            t: line.longest(),
            hit: None,
        }
    }

    /// Whether the hit is the first now.
    fn offer(&mut self, hit: RayHit) -> bool {
        let is_first = match self.hit {
            Some(best) => (hit.t, hit.face) < (best.t, best.face),
            None => hit.t <= self.t,
        };
        if is_first {
            *self = Self {
                t: hit.t,
                hit: Some(hit),
            };
        }
        is_first
    }
}

/// The first hit of the line with a mesh.
pub(crate) fn at_mesh(
    mesh: &MeshShape,
    line: &Probe,
    cache: &mut SingleTreeCache,
) -> Result<Option<RayHit>, RayError> {
    let found = mesh.wide().cast_ray(&line.line()?, None, cache);
    Ok(found.map(|hit| {
        let against = -line.ray.direction().normalize_or_zero();
        let [a, b, c] = mesh.mesh().triangle(hit.face);
        let normal = (b - a).cross(c - a).try_normalize().unwrap_or(against);
        RayHit {
            t: hit.t,
            point: hit.point,
            normal: if normal.dot(against) < 0.0 {
                -normal
            } else {
                normal
            },
            face: hit.face,
        }
    }))
}

/// The first hit of the line with particles or points.
fn at_parts(parts: &Composite, line: &Probe) -> Option<RayHit> {
    let mut best = Best::new(line);
    let mut meter = WorkMeter::new(Limits::default());
    let bound = |bounds: &crate::bound::Aabb| line.enters(bounds);
    best_piece(parts, best.t, &mut meter, &bound, &mut |number| {
        if let Some(hit) = at_part(&parts.part(number), line, number) {
            best.offer(hit);
        }
        best.t
    });
    best.hit
}

fn at_part(part: &ConvexPiece, line: &Probe, number: u32) -> Option<RayHit> {
    let convex = match part {
        ConvexPiece::Convex(convex) => return line.hit(ray_convex(&line.ray, convex)?, number),
        ConvexPiece::Ball { radius: 0.0, .. } | ConvexPiece::Triangle(_) => {
            let points = [part.vertex(0), part.vertex(0)];
            return line.hit(
                ray_convex(&line.ray, &Segment::new(points[0], points[1]).ok()?.into())?,
                number,
            );
        }
        ConvexPiece::Ball { radius, .. } => Ball::new(*radius).ok()?.into(),
    };
    let center = part.center();
    let own = Ray::new(line.ray.origin() - center, line.ray.direction()).ok()?;
    let hit = line.hit(ray_convex(&own, &convex)?, number)?;
    Some(RayHit {
        point: line.ray.at(hit.t),
        ..hit
    })
}

/// A point as a shape.
fn point_shape(point: DVec3) -> Result<Shape, CastError> {
    if !is_valid_point(point) {
        let what = "point";
        return Err(RayError::OutOfRange { what, value: point }.into());
    }
    Ok(Segment::new(point, point)?.into())
}

impl Shape {
    /// The first hit of a ray, in the shape's own frame; none when it misses.
    ///
    /// Convex shapes, half-spaces and particles are solid: a ray that starts in one hits at once. Meshes and height fields are
    /// surfaces, hit from either side.
    ///
    /// # Errors
    /// [`CastError::NotConvex`] for a user-defined shape that is not convex.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Cylinder, geom::Ray, pair::Shape};
    /// let pillar = Shape::from(Cylinder::new(2.0, 0.5)?);
    /// let hit = pillar.cast_ray(&Ray::new([3.0, 0.0, 1.0], [-1.0, 0.0, 0.0])?)?.ok_or("a hit")?;
    /// assert_eq!((hit.t, hit.normal), (2.5, DVec3::X));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(&self, ray: &Ray) -> Result<Option<RayHit>, CastError> {
        cast(self, &Probe::ray(ray))
    }

    /// The first hit of a segment, ends included, with `t` from 0 to 1; else as [`cast_ray`](Self::cast_ray).
    ///
    /// # Errors
    /// [`CastError`] for an end that is not finite or too large, and as [`cast_ray`](Self::cast_ray).
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// assert!(ball.cast_segment([4.0, 0.0, 0.0], [2.0, 0.0, 0.0])?.is_none());
    /// assert_eq!(ball.cast_segment([4.0, 0.0, 0.0], [0.0; 3])?.map(|hit| hit.t), Some(0.75));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_segment(
        &self,
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
    ) -> Result<Option<RayHit>, CastError> {
        cast(self, &Probe::segment(from.into(), to.into())?)
    }

    /// The first contact of a ball whose centre moves straight from `from` to `to`. The ball is certainly apart before `lower` and
    /// meets the shape at `upper`, if that is finite.
    ///
    /// # Errors
    /// [`CastError`] for a bad radius or point, and for a user-defined shape without time of impact.
    ///
    /// ```
    /// use impinge::{convex::HalfSpace, pair::Shape};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// let hit = ground.cast_ball(0.5, [0.0, 0.0, 2.5], [0.0, 0.0, -1.5])?;
    /// assert!(hit.lower <= 0.5 && hit.value.is_some_and(|hit| (hit.t - 0.5).abs() < 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "sphere cast")]
    #[doc(alias = "swept sphere")]
    pub fn cast_ball(
        &self,
        radius: f64,
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
    ) -> Result<Bounded<Option<BallHit>>, CastError> {
        cast_ball(self, &Pose::IDENTITY, radius, [from.into(), to.into()])
    }

    /// A point of the shape nearest to `point`, as [`Separation::point_a`]; at distance 0 when it lies in a solid, to which
    /// meshes and height fields do not count.
    ///
    /// # Errors
    /// [`CastError`] for a point that is not finite or too large, and for a user-defined shape without distance.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Cuboid, pair::Shape};
    /// let cube = Shape::from(Cuboid::new([1.0, 1.0, 1.0])?);
    /// let nearest = cube.closest_point([3.0, 0.5, 0.0])?.value.ok_or("a point")?;
    /// assert_eq!((nearest.distance, nearest.point_a), (2.0, DVec3::new(1.0, 0.5, 0.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_point(
        &self,
        point: impl Into<DVec3>,
    ) -> Result<Bounded<Option<Separation>>, CastError> {
        let point = point_shape(point.into())?;
        let mut query = DistanceQuery::new(self, &point, &PairConfig::default())?;
        Ok(query.at(&Pose::IDENTITY, Limits::default()))
    }

    /// Whether the point lies in the shape or on its border. Closed meshes are solid here; height fields and clouds contain what
    /// lies on them.
    ///
    /// # Errors
    /// [`CastError`] for an open mesh, a point that is not finite or too large, and a shape of the user's own that answers no
    /// intersection.
    ///
    /// ```
    /// use impinge::{generate, pair::Shape};
    /// let ball = Shape::from(generate::icosphere(1.0, 4)?);
    /// assert!(ball.contains([0.0; 3])? && !ball.contains([2.0, 0.0, 0.0])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(&self, point: impl Into<DVec3>) -> Result<bool, CastError> {
        let point = point_shape(point.into())?;
        let config = PairConfig {
            solid: true,
            ..PairConfig::default()
        };
        Ok(IntersectionQuery::new(self, &point, &config)?.any(&Pose::IDENTITY))
    }
}

/// The first contact of a moving ball with a placed shape, both in the frame that the pose leads to.
pub(crate) fn cast_ball(
    shape: &Shape,
    world_from_shape: &Pose,
    radius: f64,
    [from, to]: [DVec3; 2],
) -> Result<Bounded<Option<BallHit>>, CastError> {
    // Says which end is wrong.
    RayOrSegment::segment(from, to)?;
    let ball = Shape::from(Ball::new(radius)?);
    let place = |value: DVec3| {
        let what = "end";
        Pose::from_translation(value).map_err(|_| RayError::OutOfRange { what, value })
    };
    let motion = Motion::between(&place(from)?, &place(to)?);
    let mut query = ImpactQuery::new(shape, &ball, &PairConfig::default())?;
    let still = Motion::still(world_from_shape);
    let found = query.during(&still, &motion, Limits::default());
    Ok(Bounded {
        value: found.value.map(|hit| {
            let center = from + (to - from) * hit.time;
            // The gap that is left is too small to tell a direction; the radius is not.
            let away = (center - hit.point).try_normalize();
            BallHit {
                t: hit.time,
                center,
                point: hit.point,
                normal: away.filter(|_| hit.time > 0.0).unwrap_or(hit.normal),
                face: hit.faces.a,
            }
        }),
        lower: found.lower,
        upper: found.upper,
        outcome: found.outcome,
    })
}
