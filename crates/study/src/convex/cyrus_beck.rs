//! The modified Cyrus–Beck test: edges of one convex polyhedron clipped by the half-spaces of the other.
//!
//! **Question.** Do two convex solids intersect, and at which edge?
//! **Idea.** A convex solid is an intersection of half-spaces. The parameter interval of each edge
//! of `a` is clipped by those of `b`, then vice versa; a remaining interval is a contact. Only
//! faces that intersect the box of the other solid are collected: a line that leaves the solid
//! within that box leaves through one of them. If none is collected, the box lies inside or
//! outside, and one point decides.
//! **Source.** Zachmann 1994, section 3.3. Ours: an edge parallel to a face and outside it is rejected (the source ignores
//! the face), faces are collected by the exact test of polygon against box (box against box reports false contacts),
//! and if nothing is collected, containment is tested.
//! **Cost.** Edges times collected faces.
//! **Promise.** Exact at the placed coordinates: intervals that rounding could open or close are decided in integers.

use glam::DVec3;

use impinge::bound::Aabb;
use impinge::convex::{Polyhedron, hulls_intersect};
use impinge::geom::triangle_meets_box;
use impinge::math::Pose;

/// Relative rounding margin of interval ends: smaller differences are decided in integers.
const OPEN: f64 = 1e-11;

/// A part of an edge that lies in the other polyhedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClippedEdge {
    /// Whether the edge belongs to `a`.
    pub is_of_a: bool,
    /// Its number among the edges of its polyhedron; none when a whole polyhedron lies inside the other and was found
    /// by one of its vertices.
    pub edge: Option<u32>,
    /// Where the part begins and ends, from 0 at the first vertex to 1 at the second, rounded.
    pub interval: [f64; 2],
}

/// Counts of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CyrusBeckWork {
    /// Faces that were collected.
    pub collected: u64,
    /// Edges clipped.
    pub edges: u64,
    /// Half-spaces that clipped an edge.
    pub half_spaces: u64,
    /// Edges decided in integers.
    pub exact: u64,
}

/// The first edge, or contained polyhedron, that shows two placed polyhedra to meet; none when they are apart.
///
/// ```
/// use impinge::{DVec3, Pose, convex::Polyhedron};
/// use impinge_study::convex::clipped_edge;
/// let corners: Vec<_> = (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())).collect();
/// let cube = Polyhedron::new(&corners)?;
/// let (found, work) = clipped_edge(&cube, &cube, &Pose::from_translation([0.5, 0.5, 0.5])?);
/// assert!(found.is_some() && work.edges > 0);
/// // Stacked with a gap, every edge of the upper cube is parallel to faces of the lower.
/// assert!(clipped_edge(&cube, &cube, &Pose::from_translation([0.25, 0.25, 1.5])?).0.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "Cyrus-Beck")]
#[doc(alias = "clipping")]
pub fn clipped_edge(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
) -> (Option<ClippedEdge>, CyrusBeckWork) {
    let placed: Vec<DVec3> = b.vertices().iter().map(|&v| *a_from_b * v).collect();
    let normals: Vec<DVec3> = b
        .normals()
        .iter()
        .map(|&n| *a_from_b.rotation() * n)
        .collect();
    let a_side = ClippingPolyhedron {
        shape: a,
        vertices: a.vertices(),
        normals: a.normals(),
    };
    let b_side = ClippingPolyhedron {
        shape: b,
        vertices: &placed,
        normals: &normals,
    };
    let mut work = CyrusBeckWork::default();
    let found = clip(&a_side, &b_side, true, &mut work)
        .or_else(|| clip(&b_side, &a_side, false, &mut work));
    (found, work)
}

struct ClippingPolyhedron<'s> {
    shape: &'s Polyhedron,
    vertices: &'s [DVec3],
    normals: &'s [DVec3],
}

/// An edge of `p` in `q`.
fn clip(
    p: &ClippingPolyhedron<'_>,
    q: &ClippingPolyhedron<'_>,
    is_of_a: bool,
    work: &mut CyrusBeckWork,
) -> Option<ClippedEdge> {
    let whole = |edge| ClippedEdge {
        is_of_a,
        edge,
        interval: [0.0, 1.0],
    };
    // Anything without inside has no half-spaces to clip by, or no edges to clip.
    if q.shape.dimension() < 3 || p.shape.dimension() == 0 {
        work.exact += 1;
        return hulls_intersect(p.vertices, q.vertices).then(|| whole(None));
    }
    let bounds = Aabb::enclosing(p.vertices.iter().copied());
    let largest = |points: &[DVec3]| {
        points
            .iter()
            .map(|v| v.abs().max_element())
            .fold(0.0, f64::max)
    };
    let size = largest(p.vertices) + largest(q.vertices);
    // Placed faces are planar up to rounding; the argument for collecting holds for any box around `p`.
    let bounds = bounds.inflated(16.0 * f64::EPSILON * size);
    let faces: Vec<u32> = (0..q.shape.face_count() as u32)
        .filter(|&face| face_meets_box(q, face, &bounds))
        .collect();
    work.collected += faces.len() as u64;
    if faces.is_empty() {
        let first = *p.vertices.first()?;
        work.exact += 1;
        return hulls_intersect(&[first], q.vertices).then(|| whole(None));
    }
    for (number, edge) in p.shape.edges().iter().enumerate() {
        work.edges += 1;
        let ends = edge.vertices.map(|i| p.vertices[i as usize]);
        match clip_edge(ends, q, &faces, size, work) {
            ClipResult::Outside => {}
            ClipResult::Inside(interval) => {
                return Some(ClippedEdge {
                    is_of_a,
                    edge: Some(number as u32),
                    interval,
                });
            }
            ClipResult::Open(interval) => {
                work.exact += 1;
                if hulls_intersect(&ends, q.vertices) {
                    return Some(ClippedEdge {
                        is_of_a,
                        edge: Some(number as u32),
                        interval,
                    });
                }
            }
        }
    }
    None
}

fn face_meets_box(q: &ClippingPolyhedron<'_>, face: u32, bounds: &Aabb) -> bool {
    let corners = q.shape.face(face);
    let Some((&first, rest)) = corners.split_first() else {
        return false;
    };
    let at = |i: u32| q.vertices[i as usize];
    rest.windows(2)
        .any(|w| triangle_meets_box(&[at(first), at(w[0]), at(w[1])], bounds.min, bounds.max))
}

enum ClipResult {
    Outside,
    Inside([f64; 2]),
    Open([f64; 2]),
}

fn clip_edge(
    [u, v]: [DVec3; 2],
    q: &ClippingPolyhedron<'_>,
    faces: &[u32],
    size: f64,
    work: &mut CyrusBeckWork,
) -> ClipResult {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let along = v - u;
    let length = along.length();
    let mut is_open = false;
    // Distances below this are rounding.
    let slack = OPEN * size;
    for &face in faces {
        work.half_spaces += 1;
        let Some(&corner) = q.shape.face(face).first() else {
            continue;
        };
        let normal = q.normals[face as usize];
        let speed = normal.dot(along);
        let depth = normal.dot(q.vertices[corner as usize] - u);
        if speed.abs() <= 1e-9 * length {
            // Parallel to the face: wholly outside, or nothing to clip. The source ignored such faces.
            if depth.min(depth - speed) < -slack && depth.max(depth - speed) < -slack {
                return ClipResult::Outside;
            }
            is_open |= depth.min(depth - speed) <= slack;
            continue;
        }
        let at = depth / speed;
        if speed < 0.0 {
            enter = enter.max(at);
        } else {
            leave = leave.min(at);
        }
        // The end of an interval is off by the rounding of the distance over the speed.
        let tolerance = 2.0 * slack / speed.abs();
        if enter > leave + tolerance {
            return ClipResult::Outside;
        }
        is_open |=
            enter >= leave - tolerance || at.abs() <= tolerance || (at - 1.0).abs() <= tolerance;
    }
    let interval = [enter.clamp(0.0, 1.0), leave.clamp(0.0, 1.0)];
    if is_open || enter > leave {
        ClipResult::Open(interval)
    } else {
        ClipResult::Inside(interval)
    }
}
