//! Boxes of faces, in `f64` and without rounding.

use super::Scene;
use super::narrow_phase::in_parts;
use crate::bound::Aabb;

/// Faces that one part of the work takes.
const FACES_PER_PART: usize = 4096;

/// Entries per face beyond the first, after which trees that list faces twice divide nothing more.
pub(super) const MAX_EXTRA: usize = 6;

/// The box of each face.
pub(super) fn face_boxes(scene: &Scene, parallel: bool) -> Vec<Aabb> {
    let faces = scene.faces();
    let parts = faces.len().div_ceil(FACES_PER_PART);
    let part = |i: usize| {
        let from = i * FACES_PER_PART;
        let to = (from + FACES_PER_PART).min(faces.len());
        (from..to)
            .map(|f| triangle_box(&scene.corners(f as u32)))
            .collect::<Vec<Aabb>>()
    };
    in_parts(parallel, parts, part).concat()
}

/// The box of three points.
#[inline]
pub(super) fn triangle_box(corners: &[glam::DVec3; 3]) -> Aabb {
    let [p, q, r] = *corners;
    Aabb {
        min: p.min(q).min(r),
        max: p.max(q).max(r),
    }
}

/// The box around all boxes.
pub(super) fn whole_box(boxes: &[Aabb]) -> Aabb {
    boxes.iter().fold(Aabb::EMPTY, |whole, b| Aabb {
        min: whole.min.min(b.min),
        max: whole.max.max(b.max),
    })
}

/// The middle of the box around the points: boxes in `f32` are sharpest near it.
pub(super) fn origin_of(points: &[glam::DVec3]) -> glam::DVec3 {
    Aabb::enclosing(points.iter().copied()).center()
}
