//! Pairs of parts that may clash: those whose boxes come near.

use super::part::Part;
use crate::bound::Aabb;
use crate::broad::{BroadError, BroadPhase, ObjectId, Tree};

/// Roundings of placing, as a share of the largest coordinate on the way.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The box around a part in the world, rounding allowed for; none for a part without faces.
pub(super) fn world_box(part: &Part) -> Option<Aabb> {
    let own = part.mesh.bounds();
    if part.mesh.is_empty() || own.is_empty() {
        return None;
    }
    let pose = &part.world_from_part;
    let placed = part
        .mesh
        .positions()
        .iter()
        .map(|&p| pose.transform_point(p));
    let tight = Aabb::enclosing(placed);
    let largest = |b: &Aabb| b.min.abs().max(b.max.abs()).max_element();
    let largest = largest(&tight)
        .max(largest(&own))
        .max(pose.translation().abs().max_element());
    Some(tight.inflated(ROUNDING * largest))
}

/// The pairs whose boxes are at most `distance` apart, sorted; pairs that the filter refuses are left out.
pub(super) fn candidates(
    boxes: &[Option<Aabb>],
    distance: f64,
    accepts: &(dyn Fn(u32, u32) -> bool + Sync),
) -> Result<Vec<(u32, u32)>, BroadError> {
    let mut broad = Tree::default();
    for (i, b) in boxes.iter().enumerate() {
        if let Some(b) = b {
            // A little more than half on each side, for the sum is rounded.
            let widened = b.inflated(distance * (0.5 + 1e-9));
            broad.insert(ObjectId::new(i as u32, 0), &widened.into())?;
        }
    }
    let pairs = broad
        .pairs()
        .iter()
        .map(|pair| (pair.a.slot(), pair.b.slot()));
    Ok(pairs.filter(|&(a, b)| accepts(a, b)).collect())
}
