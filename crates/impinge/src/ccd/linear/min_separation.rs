//! Minimum separation: when do a vertex and a face, or two edges, first come within a distance?
//!
//! **Question.** When does the distance of two moving elements first fall to `δ`?
//! **Idea.** The time step is bisected from left to right. Over a part of it, gaps along a fixed
//! direction are linear in time, so the smallest gap over all pairs of vertices at both ends of the
//! part is a lower bound on the distance. The direction is that of the closest points in the middle
//! of the part: a poor direction costs bisections, never the answer. If the bound is above `δ`, the
//! part is free. The closest points in the middle give an upper bound; if it is at most `δ` plus
//! the tolerance, the elements are near at that time.
//! **Promise.** Before `lower` the distance is above `δ`, so no approach is missed. A reported
//! approach has a distance of at most `δ` plus `tolerance`, unless the answer says that it ran out
//! of parts.
//! **Limits.** Not exact: for contact itself use [`vertex_face`](super::vertex_face) and
//! [`edge_edge`](super::edge_edge).

use glam::DVec3;

use super::MovingPoint;
use crate::geom::{closest_point_on_triangle, segment_distance};

/// Rounding of a gap along a unit direction: 7 roundings in each of three terms, times √3, for the direction 8 more; below 32 u.
const GAP_ERROR: f64 = 32.0 * f64::EPSILON;
/// Halvings of one part; its ends stay exact.
const DEPTH: usize = 48;
/// A part so narrow that is neither free nor near is reported.
const NARROWEST: f64 = 1.0 / (1_u64 << DEPTH) as f64;

/// The accuracy of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinSeparationOptions {
    /// By how much the distance found may be above the one requested.
    pub tolerance: f64,
    /// How wide the bracket of the time may be.
    pub width: f64,
    /// The most parts of the step that are examined.
    pub max_parts: u32,
}

impl Default for MinSeparationOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            width: super::DEFAULT_WIDTH,
            max_parts: 20_000,
        }
    }
}

/// When two elements come near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinSeparationTime {
    /// Before this time they are certainly farther apart than the distance requested.
    pub lower: f64,
    /// At this time they are no farther apart than that distance and the tolerance.
    pub upper: f64,
    /// Whether `upper` holds; false when the parts were used up before a time was found, and `upper` is 1.
    pub is_found: bool,
}

/// When a vertex first is within `distance` of a face, none if it certainly never is.
///
/// ```
/// use impinge::ccd::linear::{vertex_face_min_separation, MovingPoint};
/// let [a, b, c] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|p| MovingPoint::still(p));
/// let falling = MovingPoint::new([0.25, 0.25, 2.0], [0.25, 0.25, 0.0])?;
/// let near = vertex_face_min_separation(falling, [a?, b?, c?], 0.5, &Default::default()).unwrap();
/// assert!(near.is_found && near.lower <= 0.75 && near.upper >= 0.74);
/// # Ok::<(), impinge::ccd::linear::LinearError>(())
/// ```
#[must_use]
pub fn vertex_face_min_separation(
    vertex: MovingPoint,
    face: [MovingPoint; 3],
    distance: f64,
    options: &MinSeparationOptions,
) -> Option<MinSeparationTime> {
    let closest = |t: f64| {
        let p = at(&vertex, t);
        let near = closest_point_on_triangle(p, &face.map(|v| at(&v, t)));
        near.point - p
    };
    search(&[vertex], &face, closest, distance, options)
}

/// When two edges first are within `distance` of each other, none if they certainly never are.
///
/// ```
/// use impinge::ccd::linear::{edge_edge_min_separation, MovingPoint};
/// let (p, q) = (MovingPoint::still([0.0; 3])?, MovingPoint::still([3.0, 0.0, 0.0])?);
/// assert!(edge_edge_min_separation([p, p], [q, q], 2.5, &Default::default()).is_none());
/// # Ok::<(), impinge::ccd::linear::LinearError>(())
/// ```
#[must_use]
pub fn edge_edge_min_separation(
    edge_a: [MovingPoint; 2],
    edge_b: [MovingPoint; 2],
    distance: f64,
    options: &MinSeparationOptions,
) -> Option<MinSeparationTime> {
    let closest = |t: f64| {
        let ([a, b], [c, d]) = (edge_a.map(|v| at(&v, t)), edge_b.map(|v| at(&v, t)));
        let near = segment_distance(a, b, c, d);
        near.point_b - near.point_a
    };
    search(&edge_a, &edge_b, closest, distance, options)
}

fn at(point: &MovingPoint, t: f64) -> DVec3 {
    point.start() * (1.0 - t) + point.end() * t
}

/// The largest coordinate of any difference, and of any place: what rounding is relative to.
fn size(a: &[MovingPoint], b: &[MovingPoint]) -> f64 {
    a.iter().chain(b).fold(0.0, |size, v| {
        let here = v.start().abs().max(v.end().abs()).max_element();
        size.max(2.0 * here)
    })
}

/// The least gap along a direction at both times, less its rounding.
fn gap(a: &[MovingPoint], b: &[MovingPoint], along: DVec3, times: [f64; 2], size: f64) -> f64 {
    let mut least = f64::INFINITY;
    for t in times {
        for p in a {
            for q in b {
                least = least.min((at(q, t) - at(p, t)).dot(along));
            }
        }
    }
    least - GAP_ERROR * size - f64::MIN_POSITIVE
}

fn unit(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 {
        (v / largest).normalize_or_zero()
    } else {
        DVec3::ZERO
    }
}

fn length(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if largest > 0.0 {
        (v / largest).length() * largest
    } else {
        0.0
    }
}

fn search(
    a: &[MovingPoint],
    b: &[MovingPoint],
    closest: impl Fn(f64) -> DVec3,
    distance: f64,
    options: &MinSeparationOptions,
) -> Option<MinSeparationTime> {
    let size = size(a, b);
    let width = options.width.max(super::MIN_WIDTH);
    let reach = distance + options.tolerance.max(0.0);
    let mut stack = [[0.0, 1.0]; DEPTH + 2];
    let mut waiting = 1;
    let mut found: Option<f64> = None;
    for _ in 0..options.max_parts {
        if waiting == 0 {
            return found.map(|time| MinSeparationTime {
                lower: time,
                upper: time,
                is_found: true,
            });
        }
        waiting -= 1;
        let [lower, upper] = stack[waiting];
        let middle = 0.5 * (lower + upper);
        let between = closest(middle);
        if gap(a, b, unit(between), [lower, upper], size) > distance {
            continue;
        }
        let is_near = length(between) <= reach;
        if is_near {
            found = Some(middle);
            // What is to the right is later.
            waiting = 0;
        }
        let narrow = if is_near { width } else { NARROWEST };
        if upper - lower <= narrow {
            return Some(MinSeparationTime {
                lower,
                upper: found.unwrap_or(1.0),
                is_found: found.is_some(),
            });
        }
        if !is_near {
            stack[waiting] = [middle, upper];
            waiting += 1;
        }
        stack[waiting] = [lower, middle];
        waiting += 1;
    }
    let lower = stack[..waiting].last().map_or(0.0, |part| part[0]);
    Some(MinSeparationTime {
        lower,
        upper: found.unwrap_or(1.0),
        is_found: found.is_some(),
    })
}
