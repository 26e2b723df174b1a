//! Separating axis theorem (SAT): box-box, polyhedron-polyhedron, and the depth of polyhedra.
//!
//! **Question.** Does an axis separate them, and if none does, along which do they overlap least?
//! **Idea.** The Minkowski difference of two polyhedra has facets parallel to a face of `a`, a face
//! of `b`, or an edge of each. The shapes intersect if the projections on all those normals
//! overlap, and the smallest overlap is the depth. Two edges make a facet only if the arcs of their
//! face normals cross on the sphere; other pairs are skipped, with a margin for rounding. The axis
//! that separated in the last query is tested first.
//! **Source.** Gottschalk 1996, TR96-024; the arcs after Gregorius 2013, *The Separating Axis
//! Test*.
//! **Cost.** 15 axes for boxes; for polyhedra faces times vertices plus the pairs of edges.
//! **Promise.** Whether they meet is exact at the placed coordinates: axes decide where they can
//! despite rounding, integers otherwise. The depth is that of the best axis, rounded.

use glam::DVec3;

use super::cache::GjkCache;
use super::epa::ConvexPenetration;
use super::gjk::intersects;
use super::polyhedron::Polyhedron;
use super::primitives::Cuboid;
use super::support_map::SupportMap;
use crate::math::Pose;

/// Rounding of a projection, in units of the largest coordinates.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Squared sine below which two edges count as parallel and make no axis.
const PARALLEL_SQ: f64 = 1e-26;

/// Sine below which the sides of two boxes count as parallel.
const PARALLEL_SIDES: f64 = 1e-6;

/// How far the arcs of two edges may miss one another and still be tried.
const ARC_SLACK: f64 = 1e-9;

/// What a pair stores between queries: the axis that separated last. It changes the work, not the
/// answer.
#[derive(Clone, Debug, Default)]
#[doc(alias = "SAT")]
#[doc(alias = "separating axis")]
pub struct SatCache {
    axis: Option<DVec3>,
    placed: Vec<DVec3>,
    gjk: GjkCache,
    axes_tried: u64,
}

impl SatCache {
    /// An empty cache.
    ///
    /// ```
    /// use impinge::convex::SatCache;
    /// assert_eq!(SatCache::new().axes_tried(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Axes projected on, over all queries.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Cuboid, SatCache, cuboids_intersect}};
    /// let (cube, mut cache) = (Cuboid::new([1.0; 3])?, SatCache::new());
    /// assert!(cuboids_intersect(&cube, &cube, &Pose::IDENTITY, &mut cache));
    /// assert_eq!(cache.axes_tried(), 0); // the balls inside them meet
    /// assert!(!cuboids_intersect(&cube, &cube, &Pose::from_translation([2.1, 0.0, 0.0])?, &mut cache));
    /// assert!(cache.axes_tried() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn axes_tried(&self) -> u64 {
        self.axes_tried
    }
}

/// Whether two placed boxes share a point; touching counts.
///
/// ```
/// use impinge::{Pose, convex::{Cuboid, SatCache, cuboids_intersect}};
/// let cube = Cuboid::new([1.0, 1.0, 1.0])?;
/// let mut cache = SatCache::new();
/// assert!(cuboids_intersect(&cube, &cube, &Pose::from_translation([2.0, 0.0, 0.0])?, &mut cache));
/// assert!(!cuboids_intersect(&cube, &cube, &Pose::from_translation([2.1, 0.0, 0.0])?, &mut cache));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "SAT")]
#[doc(alias = "OBB")]
pub fn cuboids_intersect(a: &Cuboid, b: &Cuboid, a_from_b: &Pose, cache: &mut SatCache) -> bool {
    let boxes = BoxPair::new(a, b, a_from_b);
    if boxes.balls_meet() {
        return true;
    }
    if let Some(axis) = cache.axis {
        cache.axes_tried += 1;
        if boxes.gap(axis) > boxes.slack {
            return false;
        }
    }
    let (widest, axis) = boxes.widest_of_faces();
    cache.axes_tried += 6;
    if widest > boxes.slack {
        cache.axis = Some(axis);
        return false;
    }
    let edges = boxes.widest_of_edges();
    cache.axes_tried += 9;
    if edges.widest > boxes.slack {
        cache.axis = Some(edges.axis);
        return false;
    }
    cache.axis = None;
    // Turning one box by that angle makes the sides parallel, and their axis needless. If the boxes then overlap by
    // more than the turn moved them, they overlapped before.
    let room = if edges.is_nearly_parallel {
        8.0 * PARALLEL_SIDES * (boxes.half_a.length() + boxes.half_b.length())
    } else {
        0.0
    };
    let is_open = widest.max(edges.widest) >= -(boxes.slack + room);
    !is_open || intersects(a, b, a_from_b, &mut cache.gjk)
}

/// Two placed boxes. The sides of the second need not be quite perpendicular, so its faces have normals of their own.
struct BoxPair {
    half_a: DVec3,
    half_b: DVec3,
    t: DVec3,
    /// The sides of `b` and the normals of its faces; together no longer than they should be but for rounding.
    sides: [DVec3; 3],
    normals: [DVec3; 3],
    slack: f64,
}

/// The widest gap between projections across edges, not divided by the length of its axis, which is at most 1.
struct EdgeCrossGap {
    widest: f64,
    axis: DVec3,
    is_nearly_parallel: bool,
}

impl BoxPair {
    #[inline]
    fn new(a: &Cuboid, b: &Cuboid, a_from_b: &Pose) -> Self {
        let (half_a, half_b) = (a.half_extent(), b.half_extent());
        let (rotation, t) = (a_from_b.rotation(), a_from_b.translation());
        let [x, y, z] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        Self {
            half_a,
            half_b,
            t,
            sides: [x, y, z],
            normals: [y.cross(z), z.cross(x), x.cross(y)],
            slack: ROUNDING
                * (half_a.max_element() + 2.0 * half_b.max_element() + t.abs().max_element()),
        }
    }

    /// Whether the balls inside the boxes meet for certain; a rotation may shrink the second by a few parts in 10^9.
    #[inline]
    fn balls_meet(&self) -> bool {
        let sure = self.half_a.min_element() + self.half_b.min_element() * (1.0 - 4e-9);
        let sure = (sure - self.slack) * (1.0 - ROUNDING);
        self.t.length_squared() < sure * sure
    }

    /// How far apart the projections on an axis are: positive when separated.
    #[inline]
    fn gap(&self, axis: DVec3) -> f64 {
        let [x, y, z] = self.sides.map(|side| side.dot(axis).abs());
        let reach_b = self.half_b.x * x + self.half_b.y * y + self.half_b.z * z;
        self.t.dot(axis).abs() - self.half_a.dot(axis.abs()) - reach_b
    }

    /// The widest gap along the normals of the six faces.
    #[inline]
    fn widest_of_faces(&self) -> (f64, DVec3) {
        let [x, y, z] = self.sides.map(DVec3::abs);
        let of_a = self.t.abs()
            - self.half_a
            - (x * self.half_b.x + y * self.half_b.y + z * self.half_b.z);
        let mut widest = (of_a.x, DVec3::X);
        if of_a.y > widest.0 {
            widest = (of_a.y, DVec3::Y);
        }
        if of_a.z > widest.0 {
            widest = (of_a.z, DVec3::Z);
        }
        for (i, normal) in self.normals.into_iter().enumerate() {
            let reach_b = self.half_b[i] * self.sides[i].dot(normal).abs();
            let gap = self.t.dot(normal).abs() - self.half_a.dot(normal.abs()) - reach_b;
            if gap > widest.0 {
                widest = (gap, normal);
            }
        }
        widest
    }

    /// The widest gap across an edge of each. A side of `b` meets the axis across another in a normal of `b`: what a box
    /// reaches along `e × f` are four products.
    #[inline]
    fn widest_of_edges(&self) -> EdgeCrossGap {
        let (a, b, t) = (self.half_a, self.half_b, self.t);
        let mut across = EdgeCrossGap {
            widest: f64::NEG_INFINITY,
            axis: DVec3::X,
            is_nearly_parallel: false,
        };
        for j in 0..3 {
            let (k, l) = ((j + 1) % 3, (j + 2) % 3);
            let f = self.sides[j];
            let (x, y, z) = (f.x.abs(), f.y.abs(), f.z.abs());
            // What `b` reaches along X × f, Y × f and Z × f.
            let reach_b = self.normals[l].abs() * b[k] + self.normals[k].abs() * b[l];
            let gaps = [
                (t.z * f.y - t.y * f.z).abs() - (a.y * z + a.z * y) - reach_b.x,
                (t.x * f.z - t.z * f.x).abs() - (a.x * z + a.z * x) - reach_b.y,
                (t.y * f.x - t.x * f.y).abs() - (a.x * y + a.y * x) - reach_b.z,
            ];
            let lengths = [y.max(z), x.max(z), x.max(y)];
            for (i, gap) in gaps.into_iter().enumerate() {
                if lengths[i] < PARALLEL_SIDES {
                    across.is_nearly_parallel = true;
                } else if gap > across.widest {
                    across.widest = gap;
                    across.axis = DVec3::AXES[i].cross(f);
                }
            }
        }
        across
    }
}

/// The depth of two placed polyhedra, or none when they are apart; touching is depth 0.
///
/// ```
/// use impinge::{DVec3, Pose, convex::{Polyhedron, SatCache, polyhedra_depth}};
/// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let pose = Pose::from_translation([0.0, 0.0, 0.75])?;
/// let depth = polyhedra_depth(&corner, &corner, &pose, &mut SatCache::new()).ok_or("apart")?;
/// assert!(depth.depth <= 0.25 && depth.depth > 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "SAT")]
#[doc(alias = "MTV")]
#[doc(alias = "penetration depth")]
pub fn polyhedra_depth(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
    cache: &mut SatCache,
) -> Option<ConvexPenetration> {
    let mut test = PolyhedronPairTest::new(a, b, a_from_b, cache);
    let best = test.best();
    let (slack, tried, placed) = (test.slack, test.tried, std::mem::take(&mut test.placed));
    cache.placed = placed;
    cache.axes_tried += tried;
    match best {
        BestAxis::Separating(axis) => {
            cache.axis = Some(axis);
            None
        }
        BestAxis::Least(depth) => {
            // Two shapes without inside may have a flat difference body, which these axes do not all bound.
            let is_certain = depth.depth > slack && a.dimension().max(b.dimension()) == 3;
            (is_certain || intersects(a, b, a_from_b, &mut cache.gjk)).then_some(
                ConvexPenetration {
                    depth: depth.depth.max(0.0),
                    ..depth
                },
            )
        }
    }
}

/// Whether two placed polyhedra share a point, by separating axes; touching counts.
///
/// ```
/// use impinge::{DVec3, Pose, convex::{Polyhedron, SatCache, polyhedra_intersect}};
/// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// assert!(polyhedra_intersect(&corner, &corner, &Pose::from_translation([0.5, 0.5, 0.0])?, &mut SatCache::new()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "SAT")]
#[doc(alias = "separating axis theorem")]
pub fn polyhedra_intersect(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
    cache: &mut SatCache,
) -> bool {
    polyhedra_depth(a, b, a_from_b, cache).is_some()
}

enum BestAxis {
    Separating(DVec3),
    Least(ConvexPenetration),
}

struct PolyhedronPairTest<'s> {
    a: &'s Polyhedron,
    b: &'s Polyhedron,
    pose: &'s Pose,
    placed: Vec<DVec3>,
    remembered: Option<DVec3>,
    slack: f64,
    tried: u64,
    least: Option<ConvexPenetration>,
}

impl<'s> PolyhedronPairTest<'s> {
    fn new(a: &'s Polyhedron, b: &'s Polyhedron, pose: &'s Pose, cache: &mut SatCache) -> Self {
        let mut placed = std::mem::take(&mut cache.placed);
        placed.clear();
        placed.extend(b.vertices().iter().map(|&v| *pose * v));
        let far = |points: &[DVec3]| {
            points
                .iter()
                .map(|p| p.abs().max_element())
                .fold(0.0, f64::max)
        };
        let slack = ROUNDING * (far(a.vertices()) + far(&placed));
        Self {
            a,
            b,
            pose,
            placed,
            remembered: cache.axis,
            slack,
            tried: 0,
            least: None,
        }
    }

    fn best(&mut self) -> BestAxis {
        let (a, b, rotation) = (self.a, self.b, *self.pose.rotation());
        if let Some(axis) = self.remembered
            && self.offer(axis)
        {
            return BestAxis::Separating(axis);
        }
        self.least = None;
        let faces_a = a.normals().iter().copied();
        let faces_b = b.normals().iter().map(|&n| -(rotation * n));
        for axis in faces_a.chain(faces_b) {
            if self.offer(axis) {
                return BestAxis::Separating(axis);
            }
        }
        for axis in edge_axes(a, b, &rotation) {
            for axis in [axis, -axis] {
                if self.offer(axis) {
                    return BestAxis::Separating(axis);
                }
            }
        }
        if self.least.is_none() {
            // Two points, or collinear segments: any direction across them.
            let along = |edge: &super::Edge, points: &[DVec3]| {
                let [p, q] = edge.vertices.map(|i| points[i as usize]);
                (q - p).try_normalize()
            };
            let edge = (a.edges().first().and_then(|e| along(e, a.vertices())))
                .or_else(|| b.edges().first().and_then(|e| along(e, &self.placed)));
            self.offer(edge.map_or(DVec3::X, DVec3::any_orthonormal_vector));
        }
        let nothing = ConvexPenetration {
            depth: 0.0,
            normal: DVec3::X,
            point_a: self.a.center(),
            point_b: self.a.center(),
        };
        BestAxis::Least(self.least.unwrap_or(nothing))
    }

    /// Notes the overlap along a unit axis; whether the axis separates despite rounding.
    fn offer(&mut self, axis: DVec3) -> bool {
        self.tried += 1;
        let point_a = self.a.support_certain(axis).point;
        let point_b = super::primitives::best_of(&self.placed, -axis).point;
        let depth = axis.dot(point_a - point_b);
        if self.least.is_none_or(|least| depth < least.depth) {
            self.least = Some(ConvexPenetration {
                depth,
                normal: axis,
                point_a,
                point_b,
            });
        }
        depth < -self.slack
    }
}

/// Unit directions across an edge of each, where such edges can make a facet of the Minkowski difference.
fn edge_axes<'s>(
    a: &'s Polyhedron,
    b: &'s Polyhedron,
    rotation: &glam::DMat3,
) -> impl Iterator<Item = DVec3> + use<'s> {
    let rotation = *rotation;
    let can_skip = a.dimension() == 3 && b.dimension() == 3;
    a.edges().iter().flat_map(move |edge_a| {
        let [p, q] = edge_a.vertices.map(|i| a.vertices()[i as usize]);
        let along_a = (q - p).normalize_or_zero();
        let normals_a = edge_a.faces.map(|f| f.map(|i| a.normals()[i as usize]));
        b.edges().iter().filter_map(move |edge_b| {
            let [r, s] = edge_b.vertices.map(|i| b.vertices()[i as usize]);
            let along_b = rotation * (s - r).normalize_or_zero();
            if can_skip
                && let (Some(c), Some(faces)) = (normals_a, edge_b.faces)
                && arcs_miss(c, faces.map(|i| -(rotation * b.normals()[i as usize])))
            {
                return None;
            }
            let axis = along_a.cross(along_b);
            (axis.length_squared() > PARALLEL_SQ).then(|| axis.normalize())
        })
    })
}

/// Whether two arcs of great circles clearly do not cross.
fn arcs_miss([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> bool {
    let (ab, cd) = (b.cross(a), d.cross(c));
    let (side_c, side_d) = (c.dot(ab), d.dot(ab));
    let (side_a, side_b) = (a.dot(cd), b.dot(cd));
    let same = |x: f64, y: f64| x.min(y) > ARC_SLACK || x.max(y) < -ARC_SLACK;
    let opposite = |x: f64, y: f64| x.min(y) < -ARC_SLACK && x.max(y) > ARC_SLACK;
    // Crossing arcs have their ends on both sides of the other circle, and lie on the same half of the sphere.
    same(side_c, side_d) || same(side_a, side_b) || opposite(side_c, side_b)
}
