//! Ray cast against a convex shape.
//!
//! **Question.** Does a ray intersect a convex solid, where first, and with which normal?
//! **Idea.** A line intersects a convex set in an interval. For a shape bounded by planes and
//! quadrics it is the intersection of their intervals, each in closed form; the last one entered
//! gives the normal. Faces of a polyhedron are decided as [triangles](crate::geom::ray_triangle),
//! exactly. A shape defined by its support mapping is approached by [conservative
//! advancement](super::conservative_advancement).
//! **Promise.** A ray that starts in the solid hits at 0, with the normal against it. Otherwise the
//! point is on the surface up to rounding, some units of 10⁻¹⁵ of the size of shape and distance,
//! divided by the cosine at the hit; for shapes known by support points up to [`SUPPORT_TOLERANCE`]
//! of the size.
//! **Limits.** A triangle seen edge-on is not hit. A segment or a point is hit where the ray passes
//! within rounding of it.

use glam::DVec3;

use super::cache::GjkCache;
use super::conservative_advancement::conservative_advancement;
use super::gjk::distance;
use super::half_space::HalfSpace;
use super::polyhedron::Polyhedron;
use super::primitives::Segment;
use super::shape::Convex;
use super::support_map::SupportMap;
use crate::geom::{Ray, ray_triangle, segment_parameters};
use crate::math::{Motion, Pose};

/// How near a ray must come to a shape given by its support mapping, in units of its size.
pub const SUPPORT_TOLERANCE: f64 = 1e-10;

/// The normal of a shape given by its support mapping is computed this far in front of the hit, in units of its size.
const BACK: f64 = 1e-6;

/// How near a ray must come to a point or segment, in units of the coordinates involved.
const THIN: f64 = 32.0 * f64::EPSILON;

/// Where a ray enters a convex shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexHit {
    /// The place on the ray, in lengths of its direction; 0 when it starts inside.
    pub t: f64,
    /// The unit normal of the surface there, against the ray; opposite to the ray when it starts inside.
    pub normal: DVec3,
}

/// A line with a unit direction whose zero is its point nearest to the shape's middle, so that no distance to it enters the
/// rounding of what is computed on it.
struct Near {
    point: DVec3,
    direction: DVec3,
    /// Where the ray starts.
    start: f64,
    /// Length of the ray's direction.
    length: f64,
}

impl Near {
    fn new(ray: &Ray, middle: DVec3) -> Self {
        let d = ray.direction();
        let largest = d.abs().max_element();
        let scaled = d / largest;
        let length = scaled.length();
        let direction = scaled / length;
        let start = (ray.origin() - middle).dot(direction);
        let point = ray.origin() - direction * start;
        // A second time, for the rounding of a far start.
        let rest = (point - middle).dot(direction);
        Self {
            point: point - direction * rest,
            direction,
            start: start + rest,
            length: length * largest,
        }
    }

    fn at(&self, t: f64) -> DVec3 {
        self.point + self.direction * t
    }

    /// The hit where the line enters an interval of itself.
    fn hit(&self, inside: &Interval) -> Option<ConvexHit> {
        if inside.from > inside.to || inside.to < self.start {
            return None;
        }
        Some(if inside.from <= self.start {
            self.inside()
        } else {
            ConvexHit {
                t: (inside.from - self.start) / self.length,
                normal: inside.normal,
            }
        })
    }

    /// The hit of a ray that starts inside.
    fn inside(&self) -> ConvexHit {
        ConvexHit {
            t: 0.0,
            normal: -self.direction,
        }
    }
}

/// The part of a line in a convex set, and the normal where it begins.
#[derive(Clone, Copy)]
struct Interval {
    from: f64,
    to: f64,
    normal: DVec3,
}

impl Interval {
    const ALL: Self = Self {
        from: f64::NEG_INFINITY,
        to: f64::INFINITY,
        normal: DVec3::ZERO,
    };
    const NONE: Self = Self {
        from: f64::INFINITY,
        to: f64::NEG_INFINITY,
        normal: DVec3::ZERO,
    };

    fn and(self, other: Self) -> Self {
        let later = if other.from > self.from { other } else { self };
        Self {
            from: later.from,
            to: self.to.min(other.to),
            normal: later.normal,
        }
    }

    /// Where `low <= point + t · step <= high` along an axis.
    fn slab(line: &Near, axis: DVec3, low: f64, high: f64) -> Self {
        let (at, step) = (line.point.dot(axis), line.direction.dot(axis));
        if step == 0.0 {
            return if (low..=high).contains(&at) {
                Self::ALL
            } else {
                Self::NONE
            };
        }
        let (enter, leave) = if step > 0.0 { (low, high) } else { (high, low) };
        Self {
            from: (enter - at) / step,
            to: (leave - at) / step,
            normal: -axis * step.signum(),
        }
    }
}

/// The times at which `a t² + 2 b t + c` is 0, the smaller first; none when it never is, or always.
fn roots(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
    if a == 0.0 {
        let root = -c / (2.0 * b);
        return (b != 0.0).then_some([root; 2]);
    }
    let disc = b * b - a * c;
    if disc < 0.0 {
        return None;
    }
    // The sum without cancellation; the other root by the product of both.
    let sum = -(b + disc.sqrt().copysign(b));
    let (p, q) = (sum / a, if sum == 0.0 { 0.0 } else { c / sum });
    Some([p.min(q), p.max(q)])
}

/// The part of the line in a ball.
fn in_ball(line: &Near, center: DVec3, radius: f64) -> Interval {
    let m = line.point - center;
    let along = -m.dot(line.direction);
    let off = m + line.direction * along;
    let rest = (radius - off.length()) * (radius + off.length());
    within_root(along, rest, |from| line.at(from) - center)
}

/// From `along` minus the root of `rest` to `along` plus it, with an outward vector where it begins.
fn within_root(along: f64, rest: f64, outward: impl Fn(f64) -> DVec3) -> Interval {
    if rest < 0.0 {
        return Interval::NONE;
    }
    let half = rest.sqrt();
    let from = along - half;
    Interval {
        from,
        to: along + half,
        normal: outward(from).normalize_or_zero(),
    }
}

/// The part of the line in a cylinder without ends about an axis of unit length.
fn in_tube(line: &Near, on_axis: DVec3, axis: DVec3, radius: f64) -> Interval {
    let across = |v: DVec3| v - axis * v.dot(axis);
    let (m, d) = (across(line.point - on_axis), across(line.direction));
    let a = d.length_squared();
    let c = (m.length() - radius) * (m.length() + radius);
    match roots(a, m.dot(d), c) {
        Some([from, to]) if a > 0.0 => Interval {
            from,
            to,
            normal: across(line.at(from) - on_axis).normalize_or_zero(),
        },
        // Along the axis, or past it.
        _ if a == 0.0 && c <= 0.0 => Interval::ALL,
        _ => Interval::NONE,
    }
}

/// The part of the line in a capsule: in one of its balls, or in the tube between them.
fn in_capsule(line: &Near, ends: [DVec3; 2], radius: f64) -> Interval {
    let between = ends[1] - ends[0];
    let length = between.length();
    let mut parts = [
        in_ball(line, ends[0], radius),
        in_ball(line, ends[1], radius),
        Interval::NONE,
    ];
    if length > 0.0 {
        let axis = between / length;
        let low = ends[0].dot(axis);
        let slab = Interval::slab(line, axis, low, low + length);
        let tube = in_tube(line, ends[0], axis, radius);
        let both = tube.and(slab);
        if both.from <= both.to {
            // Where the tube is entered through its end the ball there is entered before.
            parts[2] = Interval {
                normal: tube.normal,
                ..both
            };
        }
    }
    let mut all = Interval::NONE;
    for part in parts {
        if part.from > part.to {
            continue;
        }
        all = Interval {
            from: all.from.min(part.from),
            to: all.to.max(part.to),
            normal: if part.from < all.from {
                part.normal
            } else {
                all.normal
            },
        };
    }
    all
}

/// The part of the line in a cone that stands around the origin, its apex up.
fn in_cone(line: &Near, radius: f64, half_height: f64) -> Interval {
    let slab = Interval::slab(line, DVec3::Z, -half_height, half_height);
    if slab.from > slab.to {
        return slab;
    }
    let slope = radius / (2.0 * half_height);
    let (p, d) = (line.point, line.direction);
    // Below the apex a point is in the cone where x² + y² <= (slope · depth)².
    let (depth, sink) = (slope * (half_height - p.z), -slope * d.z);
    let a = d.x * d.x + d.y * d.y - sink * sink;
    let b = p.x * d.x + p.y * d.y - depth * sink;
    let c = p.x * p.x + p.y * p.y - depth * depth;
    let side = |from: f64, to: f64| {
        let at = line.at(from);
        let out = DVec3::new(at.x, at.y, 0.0).normalize_or_zero();
        Interval {
            from,
            to,
            normal: (out + DVec3::Z * slope).normalize_or_zero(),
        }
    };
    let Some([first, last]) = roots(a, b, c) else {
        return if c <= 0.0 { slab } else { Interval::NONE };
    };
    if a > 0.0 {
        return slab.and(side(first, last));
    }
    // Inside before the first root or after the last: between the ends of the slab only one of the two is below the apex.
    let before = Interval {
        to: if a == 0.0 && b < 0.0 {
            f64::NEG_INFINITY
        } else {
            first
        },
        ..Interval::ALL
    };
    let after = if a == 0.0 && b > 0.0 {
        Interval::NONE
    } else {
        side(last, f64::INFINITY)
    };
    let (before, after) = (slab.and(before), slab.and(after));
    let length = |i: &Interval| i.to - i.from;
    if length(&before) >= length(&after) {
        before
    } else {
        after
    }
}

fn in_ellipsoid(line: &Near, radii: DVec3) -> Interval {
    let (p, e) = (line.point / radii, line.direction / radii);
    let a = e.length_squared();
    let along = -p.dot(e) / a;
    let off = (p + e * along).length();
    let rest = (1.0 - off) * (1.0 + off) / a;
    within_root(along, rest, |from| line.at(from) / radii / radii)
}

/// Where the ray enters the shape; none when it misses.
///
/// ```
/// use impinge::convex::{Ball, Convex, ray_convex};
/// use impinge::{DVec3, geom::Ray};
/// let ball = Convex::from(Ball::new(1.0)?);
/// let ray = Ray::new([-3.0, 0.0, 0.0], [2.0, 0.0, 0.0])?;
/// let hit = ray_convex(&ray, &ball).ok_or("a hit")?;
/// assert_eq!((hit.t, hit.normal), (1.0, DVec3::NEG_X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn ray_convex(ray: &Ray, shape: &Convex) -> Option<ConvexHit> {
    let bounds = shape.bounds();
    let line = Near::new(ray, bounds.center());
    let half = bounds.half_extent();
    let inside =
        match shape {
            Convex::Ball(_) => in_ball(&line, DVec3::ZERO, shape.radius()),
            Convex::Capsule(_) => {
                in_capsule(&line, [shape.vertex(0), shape.vertex(1)], shape.radius())
            }
            Convex::Cuboid(_) => DVec3::AXES
                .iter()
                .enumerate()
                .fold(Interval::ALL, |inside, (k, &axis)| {
                    inside.and(Interval::slab(&line, axis, -half[k], half[k]))
                }),
            Convex::Cylinder(_) => in_tube(&line, DVec3::ZERO, DVec3::Z, half.x)
                .and(Interval::slab(&line, DVec3::Z, -half.z, half.z)),
            Convex::Cone(_) => in_cone(&line, half.x, half.z),
            Convex::Ellipsoid(_) => in_ellipsoid(&line, half),
            Convex::Segment(_) => return thin(ray, &line, [shape.vertex(0), shape.vertex(1)]),
            Convex::Triangle(triangle) => return on_face(ray, &line, &triangle.corners()),
            Convex::Polyhedron(polyhedron) => return on_polyhedron(ray, &line, polyhedron),
            Convex::Custom(_) => return by_support(ray, &line, shape),
        };
    line.hit(&inside)
}

/// Where the ray enters the half-space; none when it misses.
///
/// ```
/// use impinge::convex::{HalfSpace, ray_half_space};
/// use impinge::geom::Ray;
/// let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?;
/// let down = Ray::new([5.0, 0.0, 3.0], [0.0, 0.0, -1.0])?;
/// assert_eq!(ray_half_space(&down, &ground).map(|hit| hit.t), Some(3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn ray_half_space(ray: &Ray, plane: &HalfSpace) -> Option<ConvexHit> {
    let line = Near::new(ray, ray.origin());
    let point = Segment::new(ray.origin(), ray.origin()).ok()?;
    let height = plane.height_of(&point, &Pose::IDENTITY).height;
    if height <= 0.0 {
        return Some(line.inside());
    }
    let fall = -line.direction.dot(plane.normal());
    (fall > 0.0).then(|| ConvexHit {
        t: height / fall / line.length,
        normal: plane.normal(),
    })
}

/// Where the ray passes a segment or point.
fn thin(ray: &Ray, line: &Near, [p, q]: [DVec3; 2]) -> Option<ConvexHit> {
    let size = p.distance(q);
    let end = line.at(line.start.max(0.0) + size);
    let nearest = segment_parameters(ray.origin(), end, p, q);
    let largest = |v: DVec3| v.abs().max_element();
    let coordinates = largest(ray.origin()).max(largest(p)).max(largest(q));
    (nearest.distance <= THIN * coordinates).then(|| ConvexHit {
        t: nearest.s * ray.origin().distance(end) / line.length,
        normal: -line.direction,
    })
}

fn on_face(ray: &Ray, line: &Near, corners: &[DVec3; 3]) -> Option<ConvexHit> {
    let hit = ray_triangle(ray, corners)?;
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    Some(ConvexHit {
        t: hit.t,
        normal: against(normal, line.direction),
    })
}

/// The side of a face that looks against the ray.
fn against(normal: DVec3, direction: DVec3) -> DVec3 {
    if normal.dot(direction) > 0.0 {
        -normal
    } else {
        normal
    }
}

fn on_polyhedron(ray: &Ray, line: &Near, shape: &Polyhedron) -> Option<ConvexHit> {
    match shape.dimension() {
        0 => return thin(ray, line, [*shape.vertices().first()?; 2]),
        1 => {
            return thin(
                ray,
                line,
                [*shape.vertices().first()?, *shape.vertices().get(1)?],
            );
        }
        3 if shape.contains(ray.origin()) => return Some(line.inside()),
        _ => {}
    }
    let mut best: Option<ConvexHit> = None;
    for number in 0..shape.face_count() as u32 {
        let [first, rest @ ..] = shape.face(number) else {
            continue;
        };
        for pair in rest.windows(2) {
            let corners = [*first, pair[0], pair[1]].map(|v| shape.vertices()[v as usize]);
            if let Some(hit) = ray_triangle(ray, &corners)
                && best.is_none_or(|best| hit.t < best.t)
            {
                let normal = shape.normals().get(number as usize).copied();
                best = Some(ConvexHit {
                    t: hit.t,
                    normal: against(normal.unwrap_or(-line.direction), line.direction),
                });
            }
        }
    }
    best
}

/// A point moves along the ray as far as the shape's bounds reach.
fn by_support(ray: &Ray, line: &Near, shape: &Convex) -> Option<ConvexHit> {
    let bounds = shape.bounds();
    if bounds.is_empty() {
        return None;
    }
    let reach = bounds.half_extent().length() * (1.0 + 1e-9);
    let box_line = DVec3::AXES.iter().fold(Interval::ALL, |inside, &axis| {
        let (low, high) = (bounds.min.dot(axis), bounds.max.dot(axis));
        let room = 1e-9 * (high - low);
        inside.and(Interval::slab(line, axis, low - room, high + room))
    });
    if box_line.from > box_line.to || reach < line.start {
        return None;
    }
    let from = line.start.max(-reach);
    let start = if from == line.start {
        ray.origin()
    } else {
        line.at(from)
    };
    let place = |p: DVec3| Pose::from_translation(p).ok();
    let motion = Motion::between(&place(start)?, &place(line.at(reach.max(from)))?);
    let point = Segment::new(DVec3::ZERO, DVec3::ZERO).ok()?;
    let still = Motion::still(&Pose::IDENTITY);
    let tolerance = SUPPORT_TOLERANCE * reach;
    let cache = &mut GjkCache::new();
    let found = conservative_advancement(shape, &point, &still, &motion, tolerance, cache).value?;
    if found.time == 0.0 && from == line.start && found.distance == 0.0 {
        return Some(line.inside());
    }
    let along = from + found.time * (reach.max(from) - from);
    // The gap that is left is too small to tell a direction; a little before it is not.
    let before = line.at((along - BACK * reach).max(from));
    let gap = distance(shape, &point, &place(before)?, cache).value;
    let normal = (gap.point_b - gap.point_a).try_normalize();
    Some(ConvexHit {
        t: (along - line.start) / line.length,
        normal: normal.unwrap_or(-line.direction),
    })
}
