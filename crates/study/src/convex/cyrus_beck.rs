//! The modified Cyrus–Beck test: edges of one convex polyhedron clipped by the half-spaces of the other.
//!
//! **Question.** Do two convex solids intersect, and at which edge?
//! **Idea.** A convex solid is an intersection of half-spaces. The parameter interval of each edge
//! of `a` is clipped by those of `b`, then vice versa; a remaining interval is a contact. Only
//! faces that intersect the box of the other solid are collected: a line that leaves the solid
//! within that box leaves through one of them. If none is collected, the box lies inside or
//! outside, and one point decides.
//! Before that, edges that miss the box of the other solid are skipped. Both pre-checks can be switched off.
//! **Source.** Zachmann 1994, section 3.4.1. Ours: an edge parallel to a face and outside it is rejected (the source ignores
//! the face), faces are collected by the exact test of polygon against box (box against box reports false contacts),
//! and if nothing is collected, containment is tested.
//! **Cost.** Edges that reach the box times collected faces.
//! **Promise.** Exact at the placed coordinates: intervals that rounding could open or close are decided in integers.

use std::ops::ControlFlow;

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
    /// Its number among the edges of its polyhedron; none when one of the two is flat or a point.
    pub edge: Option<u32>,
    /// Where the part begins and ends, from 0 at the first vertex to 1 at the second, rounded.
    pub interval: [f64; 2],
}

/// Which pre-checks precede the clipping; no answer depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CyrusBeckConfig {
    /// Edges that miss the box of the other polyhedron are skipped.
    pub checks_edge_boxes: bool,
    /// Only faces that meet the box of the other polyhedron clip.
    pub collects_faces: bool,
}

impl CyrusBeckConfig {
    /// Every edge is clipped by every face until nothing is left of it.
    pub const WITHOUT_PRE_CHECKS: Self = Self {
        checks_edge_boxes: false,
        collects_faces: false,
    };
}

impl Default for CyrusBeckConfig {
    /// Both pre-checks.
    fn default() -> Self {
        Self {
            checks_edge_boxes: true,
            collects_faces: true,
        }
    }
}

/// Counts of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CyrusBeckWork {
    /// Faces compared with a box to collect them.
    pub face_boxes: u64,
    /// Faces that were collected.
    pub collected: u64,
    /// Edges compared with a box.
    pub edge_boxes: u64,
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
    clipped_edge_with(a, b, a_from_b, &CyrusBeckConfig::default())
}

/// The same with these pre-checks.
///
/// ```
/// use impinge::{DVec3, Pose, convex::Polyhedron};
/// use impinge_study::convex::{CyrusBeckConfig, clipped_edge, clipped_edge_with};
/// let corners: Vec<_> = (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())).collect();
/// let cube = Polyhedron::new(&corners)?;
/// let pose = Pose::from_translation([0.9, 0.9, 1.5])?;
/// let (found, work) = clipped_edge_with(&cube, &cube, &pose, &CyrusBeckConfig::WITHOUT_PRE_CHECKS);
/// let (same, less) = clipped_edge(&cube, &cube, &pose);
/// assert!(found.is_none() && same.is_none());
/// assert!(less.half_spaces < work.half_spaces);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn clipped_edge_with(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
    config: &CyrusBeckConfig,
) -> (Option<ClippedEdge>, CyrusBeckWork) {
    let mut found = None;
    let work = each_clipped_edge(a, b, a_from_b, config, |edge| {
        found = Some(edge);
        ControlFlow::Break(())
    });
    (found, work)
}

/// Every edge of two placed polyhedra that reaches into the other, those of `a` first, with the part that lies there.
///
/// When one of them is flat or a point, there is at most one for each direction, without the number of an edge.
///
/// ```
/// use impinge::{DVec3, Pose, convex::Polyhedron};
/// use impinge_study::convex::{CyrusBeckConfig, clipped_edges};
/// let corners: Vec<_> = (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())).collect();
/// let cube = Polyhedron::new(&corners)?;
/// let pose = Pose::from_translation([0.5, 0.25, 0.125])?;
/// let (edges, _) = clipped_edges(&cube, &cube, &pose, &CyrusBeckConfig::default());
/// // The three edges at one corner of each.
/// assert_eq!(edges.iter().filter(|edge| edge.is_of_a).count(), 3);
/// assert_eq!(edges.len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn clipped_edges(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
    config: &CyrusBeckConfig,
) -> (Vec<ClippedEdge>, CyrusBeckWork) {
    let mut found = Vec::new();
    let work = each_clipped_edge(a, b, a_from_b, config, |edge| {
        found.push(edge);
        ControlFlow::Continue(())
    });
    (found, work)
}

fn each_clipped_edge(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
    config: &CyrusBeckConfig,
    mut sink: impl FnMut(ClippedEdge) -> ControlFlow<()>,
) -> CyrusBeckWork {
    let placed: Vec<DVec3> = b.vertices().iter().map(|&v| *a_from_b * v).collect();
    let normals: Vec<DVec3> = b
        .normals()
        .iter()
        .map(|&n| *a_from_b.rotation() * n)
        .collect();
    let a_side = ClippingPolyhedron::new(a, a.vertices(), a.normals());
    let b_side = ClippingPolyhedron::new(b, &placed, &normals);
    let mut work = CyrusBeckWork::default();
    if clip(&a_side, &b_side, true, config, &mut work, &mut sink).is_continue() {
        // Whether the caller had enough is its own affair.
        let _ = clip(&b_side, &a_side, false, config, &mut work, &mut sink);
    }
    work
}

struct ClippingPolyhedron<'s> {
    shape: &'s Polyhedron,
    vertices: &'s [DVec3],
    normals: &'s [DVec3],
    bounds: Aabb,
    /// The largest coordinate.
    size: f64,
}

impl<'s> ClippingPolyhedron<'s> {
    fn new(shape: &'s Polyhedron, vertices: &'s [DVec3], normals: &'s [DVec3]) -> Self {
        let bounds = Aabb::enclosing(vertices.iter().copied());
        Self {
            shape,
            vertices,
            normals,
            bounds,
            size: bounds.min.abs().max(bounds.max.abs()).max_element(),
        }
    }
}

/// The edges of `p` in `q`.
fn clip(
    p: &ClippingPolyhedron<'_>,
    q: &ClippingPolyhedron<'_>,
    is_of_a: bool,
    config: &CyrusBeckConfig,
    work: &mut CyrusBeckWork,
    sink: &mut impl FnMut(ClippedEdge) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut report = |edge: Option<u32>, interval| {
        sink(ClippedEdge {
            is_of_a,
            edge,
            interval,
        })
    };
    const WHOLE: [f64; 2] = [0.0, 1.0];
    // Anything without inside has no half-spaces to clip by, or no edges to clip.
    if q.shape.dimension() < 3 || p.shape.dimension() == 0 {
        work.exact += 1;
        if hulls_intersect(p.vertices, q.vertices) {
            report(None, WHOLE)?;
        }
        return ControlFlow::Continue(());
    }
    let size = p.size + q.size;
    // Placed faces are planar up to rounding; both arguments hold for any boxes around the solids.
    let slack = 16.0 * f64::EPSILON * size;
    let all = 0..q.shape.face_count() as u32;
    let faces: Vec<u32> = if config.collects_faces {
        let bounds = p.bounds.inflated(slack);
        work.face_boxes += u64::from(all.end);
        all.filter(|&face| face_meets_box(q, face, &bounds))
            .collect()
    } else {
        all.collect()
    };
    work.collected += faces.len() as u64;
    if faces.is_empty() {
        let Some(&first) = p.vertices.first() else {
            return ControlFlow::Continue(());
        };
        work.exact += 1;
        if hulls_intersect(&[first], q.vertices) {
            for edge in 0..p.shape.edges().len() as u32 {
                report(Some(edge), WHOLE)?;
            }
        }
        return ControlFlow::Continue(());
    }
    let others = q.bounds.inflated(slack);
    for (number, edge) in (0_u32..).zip(p.shape.edges()) {
        let ends = edge.vertices.map(|i| p.vertices[i as usize]);
        if config.checks_edge_boxes {
            work.edge_boxes += 1;
            if !Aabb::enclosing(ends).overlaps(&others) {
                continue;
            }
        }
        work.edges += 1;
        match clip_edge(ends, q, &faces, size, work) {
            ClipResult::Outside => {}
            ClipResult::Inside(interval) => report(Some(number), interval)?,
            ClipResult::Open(interval) => {
                work.exact += 1;
                if hulls_intersect(&ends, q.vertices) {
                    report(Some(number), interval)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
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
