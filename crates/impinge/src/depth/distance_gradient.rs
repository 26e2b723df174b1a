//! Gradient of the distance, and whether it exists.
//!
//! **Question.** How does the distance of two meshes change when `b` moves a little?
//! **Idea.** To first order only the nearest points matter: the distance changes by what the point of `b` moves along the line between
//! them. If two pairs of points are equally near, it has a kink there and no derivative.
//! **Promise.** If the witness is said to be unique, no other pair of points is as near, up to a
//! billionth of the size.
//! **Limits.** Nearly parallel edges or faces count as not unique.

use glam::DVec3;

use super::depth_scratch::with_scratch;
use crate::bvh::MeshIndex;
use crate::bvh::wide::{NodeBox, NodeView, WideCache, WideTree};
use crate::geom::disjoint_triangle_distance;
use crate::math::Pose;
use crate::query::{Bounded, FaceId, Limits, Outcome, PoseGradient, Separation};

/// Differences smaller than this fraction of the size are not distinguished.
const TIE: f64 = 1e-9;
/// Nearly nearest pairs examined; with more the witness counts as not unique.
const MAX_PAIRS: u32 = 1 << 14;

/// A distance and its derivative with respect to the pose of `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceGradient {
    /// The distance and the nearest points.
    pub separation: Separation,
    /// Its derivative, for the given centre.
    pub gradient: PoseGradient,
    /// Whether no other pair of points is as near; otherwise the distance has a kink, and the gradient is one of
    /// several.
    pub is_unique: bool,
}

/// The distance of two disjoint meshes with its derivative, rotations of `b` taken about `center` in the frame of
/// `a`; none when they touch, or one is empty.
///
/// ```
/// use impinge::bvh::wide::{WideCache, WideTree};
/// use impinge::depth::distance_gradient;
/// use impinge::{DVec3, Pose, TriMesh};
/// use std::sync::Arc;
/// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let tree = WideTree::new(Arc::new(face));
/// let mut cache = WideCache::default();
/// let corner_over_corner = Pose::from_axis_angle([1.0, -1.0, 0.0], 0.5, [0.0, 0.0, 2.0])?;
/// let found = distance_gradient(&tree, &tree, &corner_over_corner, DVec3::ZERO, &mut cache).ok_or("none")?;
/// assert!(found.is_unique);
/// let parallel = Pose::from_translation([0.0, 0.0, 2.0])?;
/// let found = distance_gradient(&tree, &tree, &parallel, DVec3::ZERO, &mut cache).ok_or("none")?;
/// assert!(!found.is_unique && found.gradient.translation == DVec3::Z);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn distance_gradient(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    center: DVec3,
    cache: &mut WideCache,
) -> Option<DistanceGradient> {
    bounded_distance_gradient(a, b, a_from_b, center, Limits::default(), cache).value
}

/// The same under limits, with bounds on the distance: no gradient where a limit was met before the distance was known, and one that
/// counts as not unique where it was met after.
///
/// ```
/// use impinge::bvh::wide::{WideCache, WideTree};
/// use impinge::depth::bounded_distance_gradient;
/// use impinge::{DVec3, Pose, generate::icosphere, query::{Limits, Outcome}};
/// use std::sync::Arc;
/// let ball = WideTree::new(Arc::new(icosphere(1.0, 8)?));
/// let (apart, mut cache) = (Pose::from_translation([3.0, 0.1, 0.2])?, WideCache::default());
/// let limits = Limits { max_tests: Some(3), ..Limits::default() };
/// let cut = bounded_distance_gradient(&ball, &ball, &apart, DVec3::ZERO, limits, &mut cache);
/// assert!(cut.outcome == Outcome::OutOfBudget && cut.lower <= 1.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bounded_distance_gradient(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    center: DVec3,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<DistanceGradient>> {
    let found = a.distance(b, a_from_b, limits, cache);
    let mut answer = Bounded {
        value: None,
        lower: found.lower,
        upper: found.upper,
        outcome: found.outcome,
    };
    let known = found
        .value
        .filter(|s| s.distance > 0.0 && found.outcome == Outcome::Complete);
    if let Some(separation) = known
        && let Some(gradient) = separation.gradient(center)
    {
        let spent = WideTree::work(cache).tests();
        let rest = Limits {
            max_tests: limits.max_tests.map(|most| most.saturating_sub(spent)),
            ..limits
        };
        let unique = with_scratch(cache, |_, scratch| {
            let normal = gradient.translation;
            is_unique(
                a,
                b,
                a_from_b,
                &separation,
                normal,
                &rest,
                &mut scratch.near,
            )
        });
        if unique.is_none() {
            answer.outcome = Outcome::OutOfBudget;
        }
        answer.value = Some(DistanceGradient {
            separation,
            gradient,
            is_unique: unique.unwrap_or(false),
        });
    }
    answer
}

/// Whether all pairs of faces that are as near are so at the same two points; none when a limit was met first.
fn is_unique(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    nearest: &Separation,
    normal: DVec3,
    limits: &Limits<'_>,
    stack: &mut Vec<(NodeView, NodeView)>,
) -> Option<bool> {
    let (Some(whole_a), Some(whole_b)) = (a.whole(), b.whole()) else {
        return Some(false);
    };
    let whole_b = whole_b.placed(a_from_b);
    let size = whole_a.bounds.outer_radius() + whole_b.bounds.outer_radius();
    let tie = TIE * (size + nearest.distance);
    let bound = nearest.distance + tie;
    stack.clear();
    stack.push((whole_a, whole_b));
    let mut pairs = 0_u32;
    while let Some((part_a, part_b)) = stack.pop() {
        if gap_at_least(&part_a.bounds, &part_b.bounds) > bound {
            continue;
        }
        pairs += 1;
        if pairs > MAX_PAIRS {
            return Some(false);
        }
        let may_go_on = limits.allows(u64::from(pairs));
        if !may_go_on || (pairs.is_multiple_of(64) && limits.is_stopped()) {
            return None;
        }
        if part_a.is_leaf() && part_b.is_leaf() {
            for &face_b in b.faces_of(&part_b) {
                let face_b = b.mesh().triangle(FaceId::new(face_b));
                let face_b = face_b.map(|p| a_from_b.transform_point(p));
                for &face_a in a.faces_of(&part_a) {
                    let face_a = a.mesh().triangle(FaceId::new(face_a));
                    if !agrees(&face_a, &face_b, nearest, normal, tie) {
                        return Some(false);
                    }
                }
            }
            continue;
        }
        let size = |part: &NodeView| part.bounds.half.element_sum();
        if part_b.is_leaf() || (!part_a.is_leaf() && size(&part_a) >= size(&part_b)) {
            stack.extend(a.parts(&part_a).map(|child| (child, part_b)));
        } else {
            let children = b.parts(&part_b).map(|child| child.placed(a_from_b));
            stack.extend(children.map(|child| (part_a, child)));
        }
    }
    Some(true)
}

/// Whether a pair of faces is farther apart, or nearest at the same two points only.
fn agrees(a: &[DVec3; 3], b: &[DVec3; 3], nearest: &Separation, normal: DVec3, tie: f64) -> bool {
    let here = disjoint_triangle_distance(a, b);
    if here.distance > nearest.distance + tie {
        return true;
    }
    // Points of nearly the same distance lie within √(2·distance·tie) of each other around one nearest pair.
    let near = (2.0 * nearest.distance * tie).sqrt() + tie;
    if (here.point_a - nearest.point_a).length() > near
        || (here.point_b - nearest.point_b).length() > near
    {
        return false;
    }
    // Corners that are as near along the normal: a corner against anything is unique, two crossing edges are.
    let foremost = |face: &[DVec3; 3], n: DVec3| {
        let heights = face.map(|p| p.dot(n));
        let most = heights[0].max(heights[1]).max(heights[2]);
        let mut corners = [DVec3::ZERO; 3];
        let mut count = 0;
        for (corner, height) in face.iter().zip(heights) {
            if height >= most - tie {
                corners[count] = *corner;
                count += 1;
            }
        }
        (corners, count)
    };
    let (front_a, count_a) = foremost(a, normal);
    let (front_b, count_b) = foremost(b, -normal);
    match (count_a, count_b) {
        (1, _) | (_, 1) => true,
        (2, 2) => {
            let (u, v) = (front_a[1] - front_a[0], front_b[1] - front_b[0]);
            u.cross(v).length() > 1e-6 * u.length() * v.length()
        }
        _ => false,
    }
}

/// A distance that no two points of the boxes fall below.
fn gap_at_least(a: &NodeBox, b: &NodeBox) -> f64 {
    let between = b.center - a.center;
    let mut most: f64 = 0.0;
    let line = between.try_normalize();
    for n in a.axes.iter().chain(&b.axes).chain(line.iter()) {
        let gap = n.dot(between).abs() - a.radius(*n) - b.radius(*n);
        most = most.max(gap);
    }
    most * (1.0 - 1e-6)
}
