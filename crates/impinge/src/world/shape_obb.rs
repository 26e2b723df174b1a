//! Oriented bounding boxes of shapes.
//!
//! Objects that share a shape share its OBB, which is built when first needed. A placed OBB
//! replaces the AABB of its object only if it is clearly smaller; this choice does not depend on
//! the detector.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use glam::{DMat3, DVec3};

use super::shape_text::place;
use crate::bound::{Aabb, BoundingVolume, Obb};
use crate::broad::Bounds;
use crate::convex::{Capsule, SupportMap};
use crate::math::Pose;
use crate::pair::Shape;

/// A placed box of its own axes counts when it has at most this fraction of the volume of the box along the axes.
const CLEARLY: f64 = 0.9;

/// How much larger than its size a box is in a detector. Boxes are compared with a slack of 4e-9 of their size along each of 15 directions, some
/// of them short where edges are nearly parallel: what passes for meeting may be 6e-5 of the size apart. A detector must not
/// leave that out.
const ROOM: f64 = 1.0 / 4096.0;

type ObbCell = OnceLock<Option<Obb>>;

/// The box of a shape in its frame, shared.
#[derive(Clone, Debug, Default)]
pub(super) struct ShapeObb(Arc<ObbCell>);

impl ShapeObb {
    /// The box; none when the shape has no bounds or no points.
    pub(super) fn of(&self, shape: &Shape) -> Option<&Obb> {
        self.0.get_or_init(|| around(shape)).as_ref()
    }
}

/// The boxes of shapes that objects share, by where the shared part lives. Who has a box has its shape too, so a place is not used
/// again while its box is alive.
#[derive(Debug, Default)]
pub(super) struct ShapeObbs {
    by_place: BTreeMap<usize, Weak<ObbCell>>,
    /// How many there may be before those that nobody has are dropped.
    limit: usize,
}

impl ShapeObbs {
    pub(super) fn of(&mut self, shape: &Shape) -> ShapeObb {
        let Some(place) = place(shape) else {
            return ShapeObb::default();
        };
        if let Some(known) = self.by_place.get(&place).and_then(Weak::upgrade) {
            return ShapeObb(known);
        }
        let fresh = ShapeObb::default();
        self.by_place.insert(place, Arc::downgrade(&fresh.0));
        if self.by_place.len() > self.limit {
            self.by_place.retain(|_, cell| cell.strong_count() > 0);
            self.limit = 2 * self.by_place.len() + 64;
        }
        fresh
    }
}

/// A box around a shape, along axes that suit it.
fn around(shape: &Shape) -> Option<Obb> {
    match shape {
        Shape::Mesh(mesh) => {
            let faces: Vec<[DVec3; 3]> = mesh.mesh().triangles().collect();
            (!faces.is_empty()).then(|| Obb::around_faces(&faces))
        }
        Shape::Polyhedron(polyhedron) => Some(Obb::enclosing(polyhedron.vertices())),
        Shape::Triangle(triangle) => Some(Obb::enclosing(&triangle.corners())),
        Shape::Segment(segment) => Some(Obb::enclosing(&[segment.vertex(0), segment.vertex(1)])),
        Shape::Capsule(capsule) => along(capsule).or_else(|| upright(shape)),
        _ => upright(shape),
    }
}

fn upright(shape: &Shape) -> Option<Obb> {
    let local = shape.bounds(&Pose::IDENTITY)?;
    // Also false for what is no number.
    let is_bounded = local.min.cmple(local.max).all() && local.diagonal().is_finite();
    is_bounded.then(|| Obb::from(local))
}

/// A box along the axis of a capsule; none when that has no length.
fn along(capsule: &Capsule) -> Option<Obb> {
    let (from, to) = (capsule.vertex(0), capsule.vertex(1));
    let axis = (to - from).try_normalize()?;
    let (across, up) = axis.any_orthonormal_pair();
    let up = if axis.cross(across).dot(up) < 0.0 {
        -up
    } else {
        up
    };
    let frame = Pose::new(DMat3::from_cols(axis, across, up), from).ok()?;
    let rod = Aabb {
        min: DVec3::ZERO,
        max: DVec3::X * (to - from).length(),
    };
    Some(Obb::from(rod.inflated(capsule.radius())).placed(&frame, 0.0))
}

/// The placed box, where it is clearly smaller than that along the axes.
pub(super) fn smaller(own: &Obb, world_from_body: &Pose, aabb: &Aabb) -> Option<Obb> {
    let placed = own.placed(world_from_body, 0.0);
    (placed.volume() < CLEARLY * aabb.volume()).then_some(placed)
}

/// Whether two placed boxes, each the one along its own axes where there is one, meet when both are wider by half of this distance. So they do if
/// what they hold is at most that far apart.
pub(super) fn meet(
    (box_a, own_a): (&Aabb, &Option<Obb>),
    (box_b, own_b): (&Aabb, &Option<Obb>),
    distance: f64,
) -> bool {
    if own_a.is_none() && own_b.is_none() {
        return true;
    }
    let either = |aabb: &Aabb, own: &Option<Obb>| match own {
        Some(own) => Some(*own),
        None => aabb.diagonal().is_finite().then(|| Obb::from(*aabb)),
    };
    let wider = |own: Obb| {
        if distance > 0.0 {
            own.placed(&Pose::IDENTITY, 0.5 * distance)
        } else {
            own
        }
    };
    match (either(box_a, own_a), either(box_b, own_b)) {
        (Some(a), Some(b)) => wider(a).overlaps(&wider(b), &Obb::relative(&Pose::IDENTITY)),
        _ => true,
    }
}

/// The boxes that a detector gets: wider by `reach`, that along the axes around the other, so that a detector that uses either finds all
/// pairs that [`meet`].
pub(super) fn widened(aabb: &Aabb, own: Option<&Obb>, reach: f64) -> Bounds {
    let wide = if reach > 0.0 {
        aabb.inflated(reach)
    } else {
        *aabb
    };
    let Some(own) = own else {
        return wide.into();
    };
    let room = ROOM * own.half_extent().element_sum();
    let own = own.placed(&Pose::IDENTITY, reach + room);
    Bounds {
        aabb: wide.union(&own.bounds()),
        oriented: Some(own),
    }
}
