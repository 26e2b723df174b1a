//! Candidate pairs: parts whose boxes are near.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::Part;
use crate::bound::Aabb;
use crate::broad::{BroadError, BroadPhase, DynamicAabbTree, ObjectId};

/// Roundings of placing, as a share of the largest coordinate on the way.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// How often a pose that is not quite a rotation enters a pair's placement, and a little more.
const DEVIATIONS: f64 = 4.0;

/// A part's tight box in the world, the largest coordinate on the way there, and how far the pose is from a rotation.
struct PlacedPart {
    tight: Aabb,
    largest: f64,
    deviation: f64,
}

fn place(part: &Part) -> Option<PlacedPart> {
    let own = part.mesh.bounds();
    if part.mesh.is_empty() || own.is_empty() {
        return None;
    }
    let pose = &part.world_from_part;
    let positions = part.mesh.positions().iter();
    let tight = Aabb::enclosing(positions.map(|&p| pose.transform_point(p)));
    let largest = |b: &Aabb| b.min.abs().max(b.max.abs()).max_element();
    Some(PlacedPart {
        tight,
        largest: largest(&tight)
            .max(largest(&own))
            .max(pose.translation().abs().max_element()),
        deviation: pose.deviation(),
    })
}

/// The boxes around parts in the world; none for a part without faces.
///
/// All are widened by what placing one part in the frame of another can differ from placing both in the world, so that no pair
/// that meets there is left out.
pub(super) fn world_boxes(parts: &[Part]) -> Vec<Option<Aabb>> {
    #[cfg(feature = "parallel")]
    let placed: Vec<Option<PlacedPart>> = parts.par_iter().map(place).collect();
    #[cfg(not(feature = "parallel"))]
    let placed: Vec<Option<PlacedPart>> = parts.iter().map(place).collect();
    let (mut largest, mut deviation) = (0.0_f64, 0.0_f64);
    for part in placed.iter().flatten() {
        largest = largest.max(part.largest);
        deviation = deviation.max(part.deviation);
    }
    let margin = (ROUNDING + DEVIATIONS * deviation) * largest;
    let widened = |part: PlacedPart| part.tight.inflated(margin);
    placed.into_iter().map(|part| part.map(widened)).collect()
}

/// The pairs whose boxes are at most `distance` apart, sorted; pairs that the filter refuses are left out.
pub(super) fn candidates(
    boxes: &[Option<Aabb>],
    distance: f64,
    accepts: &(dyn Fn(u32, u32) -> bool + Sync),
) -> Result<Vec<(u32, u32)>, BroadError> {
    let mut broad = DynamicAabbTree::default();
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
