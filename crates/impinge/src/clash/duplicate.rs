//! Detects duplicate parts.

use super::mesh_facts::SolidInfo;
use crate::bound::Aabb;
use crate::bvh::MeshIndex;
use crate::bvh::wide::{SingleTreeCache, WideTree};
use crate::math::Pose;
use crate::query::Limits;

/// What places may differ by, as a share of the size, when the tolerance is smaller.
const ROUNDING: f64 = 1e-9;
/// What areas may differ by, as a share.
const AREA: f64 = 1e-6;

/// Whether every corner of each surface lies on the other, and their boxes and areas are equal.
pub(super) fn are_duplicates(
    a: (&WideTree, &SolidInfo),
    b: (&WideTree, &SolidInfo),
    a_from_b: &Pose,
    boxes: [&Aabb; 2],
    tolerance: f64,
) -> bool {
    let size = a.1.size.max(b.1.size);
    let off = tolerance.max(ROUNDING * size);
    let [p, q] = boxes;
    let apart = (p.min - q.min)
        .abs()
        .max((p.max - q.max).abs())
        .max_element();
    // Boxes were widened for rounding.
    if apart > off + ROUNDING * size || (a.1.area - b.1.area).abs() > AREA * a.1.area.max(b.1.area)
    {
        return false;
    }
    lies_on(b.0, a_from_b, a.0, off) && lies_on(a.0, &a_from_b.inverse(), b.0, off)
}

/// Whether all corners of `inner`'s faces lie on `outer`'s surface.
fn lies_on(inner: &WideTree, outer_from_inner: &Pose, outer: &WideTree, off: f64) -> bool {
    let mesh = inner.mesh();
    let limits = Limits {
        max_distance: Some(off),
        ..Limits::default()
    };
    let mut cache = SingleTreeCache::default();
    let mut seen = vec![false; mesh.vertex_count()];
    for &v in mesh.faces().iter().flatten() {
        if std::mem::replace(&mut seen[v as usize], true) {
            continue;
        }
        let p = outer_from_inner.transform_point(mesh.positions()[v as usize]);
        match outer.closest_face(p, limits, &mut cache) {
            Ok(found) if found.value.is_some_and(|near| near.distance <= off) => {}
            _ => return false,
        }
    }
    true
}
