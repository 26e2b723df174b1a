//! Patches that a shorter translation resolves.
//!
//! **Question.** Which patches of two surfaces push in a wrong direction?
//! **Idea.** Contacts of faces are local. Whether a patch is right for the shapes can be tested: if
//! a translation along the normal of one patch, by the patch's depth, separates the shapes, then no
//! contact is deeper than that, and it resolves contacts that point elsewhere as well. Patches are
//! tried from the shallowest on. Around the normal of a single shallow patch four others are tried;
//! for a height field also the vertical.
//! **Promise.** Nothing is dropped unless the intersection test finds the shapes apart after the
//! translation.
//! **Cost.** An intersection test, and one per patch that overlaps; four for a single patch.

use glam::DVec3;

use super::composite::Composite;
use super::contacts::NamedTouch;
use super::intersection::IntersectionQuery;
use super::manifold_clipping::ManifoldPoint;
use crate::math::Pose;

/// How much longer than a patch is deep the move along its normal is: faces know their own depth, and not that of a lens between
/// them.
const SLACK: f64 = 1.04;

/// Cosine from which on a contact points along the way out: 15 degrees.
const SAME_WAY: f64 = 0.965_925_826_289_068_3;

/// The deepest point of a patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeepestPoint {
    depth: f64,
    normal: DVec3,
}

/// Leaves out patches that moving along the normal of a shallower one resolves. Points of a patch lie side by side; `room` is the
/// rounding of depths.
pub(super) fn drop_resolved(
    shapes: [&Composite; 2],
    a_from_b: &Pose,
    room: f64,
    meet: &mut IntersectionQuery,
    deepest: &mut Vec<DeepestPoint>,
    found: &mut Vec<NamedTouch>,
) {
    deepest.clear();
    for patch in found.chunk_by(|p, q| p.touch.normal == q.touch.normal) {
        let depth = largest_depth(patch);
        if depth > room
            && let Some(first) = patch.first()
        {
            deepest.push(DeepestPoint {
                depth,
                normal: first.touch.normal,
            });
        }
    }
    // Where the surfaces do not meet, contacts are those of a shape inside a solid: moves say nothing about them.
    if deepest.is_empty() || !meet.any(a_from_b) {
        return;
    }
    let mut is_apart = |way: DVec3| {
        let moved = a_from_b.moved(way);
        moved.is_some_and(|pose| !meet.any(&pose))
    };
    if deepest.len() > 1 {
        deepest.sort_unstable_by(|p, q| p.depth.total_cmp(&q.depth));
        let parting = deepest
            .iter()
            .find(|patch| is_apart(patch.normal * (SLACK * patch.depth + room)));
        if let Some(way) = parting {
            found.retain(|named| {
                let touch = &named.touch;
                let is_along = touch.normal.dot(way.normal) >= SAME_WAY;
                touch.depth <= room || (is_along && touch.depth <= SLACK * way.depth)
            });
        }
    }
    // Deep contacts stay as the faces have them: turned ones would lie far off the surfaces.
    let size = |shape: &Composite| shape.whole().half_extent().max_element();
    let shallow = 0.1 * size(shapes[0]).min(size(shapes[1]));
    if let [only] = deepest[..]
        && only.depth <= shallow
        && let Some(way) = shorter_way(only, &mut is_apart)
    {
        // The faces propose nothing along it: their points are turned to it.
        for named in found.iter_mut().filter(|n| n.touch.depth > room) {
            turn_to(&mut named.touch, way.normal, way.depth);
        }
    }
    let upward = match shapes {
        [Composite::Field(_), _] => DVec3::Z,
        [_, Composite::Field(_)] => a_from_b.transform_vector(DVec3::NEG_Z),
        _ => return,
    };
    let most = largest_depth(found);
    let mut lift = most / SLACK - room;
    if lift <= room || !is_apart(upward * lift) {
        return;
    }
    let mut blocked = 0.0;
    for _ in 0..8 {
        let middle = 0.5 * (blocked + lift);
        if is_apart(upward * middle) {
            lift = middle;
        } else {
            blocked = middle;
        }
    }
    if found
        .iter()
        .any(|named| (room..=lift).contains(&named.touch.depth))
    {
        found.retain(|named| named.touch.depth <= lift);
        return;
    }
    // Faces that are steeper than the lift reach beyond their borders: what is left is the lift itself.
    let normal = found
        .iter()
        .find(|named| named.touch.depth >= most)
        .map_or(upward, |named| named.touch.normal);
    found.retain(|named| named.touch.normal == normal);
    for named in found.iter_mut() {
        turn_to(&mut named.touch, upward, lift);
    }
}

/// Makes a contact one along another normal, and at most as deep as the way out along it is long.
fn turn_to(touch: &mut ManifoldPoint, normal: DVec3, most: f64) {
    let off = touch.point_a - touch.point_b;
    let along = off.dot(normal);
    let across = off - normal * along;
    touch.normal = normal;
    touch.depth = along.min(most);
    touch.point_a = touch.point_b + across + normal * touch.depth;
}

/// A way out around the normal of the only patch that is shorter than the patch is deep, turned until none nearby is shorter.
fn shorter_way(
    patch: DeepestPoint,
    is_apart: &mut dyn FnMut(DVec3) -> bool,
) -> Option<DeepestPoint> {
    let mut best = DeepestPoint {
        depth: patch.depth / SLACK,
        normal: patch.normal,
    };
    let mut is_found = false;
    // Tilted by 26 degrees at first.
    let mut angle = 0.45;
    for _ in 0..12 {
        let side = best.normal.any_orthonormal_vector();
        let other = best.normal.cross(side);
        let before = best.depth;
        for (u, v) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
            let turned = best.normal + (side * u + other * v) * angle;
            let normal = turned.normalize_or_zero();
            let depth = if is_found {
                // What is hardly shorter is not worth another turn.
                best.depth * 0.98
            } else {
                best.depth
            };
            if is_apart(normal * depth) {
                best = DeepestPoint { depth, normal };
                is_found = true;
            }
        }
        if !is_found {
            return None;
        }
        if best.depth >= before {
            angle *= 0.5;
        }
    }
    is_found.then_some(best)
}

fn largest_depth(patch: &[NamedTouch]) -> f64 {
    let depths = patch.iter().map(|named| named.touch.depth);
    depths.fold(f64::NEG_INFINITY, f64::max)
}
