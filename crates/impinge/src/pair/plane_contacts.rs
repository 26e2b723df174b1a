//! Where a shape touches a plane.
//!
//! **Idea.** Every part that is low enough contributes the corners of the facet that faces the
//! plane; a round part contributes its lowest point. All have one normal and are one patch.

use super::composite::Composite;
use super::contact_id::{contact_id, named};
use super::contacts::{ContactPoint, swapped_point};
use super::half_space::HalfSpaceAbove;
use super::item_bvh::{ItemHierarchy, ItemNode};
use super::manifold_clipping::{ManifoldPoint, reduce_points};
use super::support_face::{SupportFace, support_face};
use crate::convex::{Feature, SupportMap};
use crate::math::Pose;
use crate::query::Sink;
use glam::DVec3;

/// Memory of the search, kept so that repeated queries do not allocate.
#[derive(Debug, Default)]
pub(super) struct PlaneScratch {
    pub(super) found: Vec<ManifoldPoint>,
    chosen: Vec<usize>,
    corners: Vec<(DVec3, Feature)>,
    facet_below: SupportFace,
}

/// Finds where a shape touches a plane: the points are in `scratch.found`.
pub(super) fn lie_on_plane(
    above: &HalfSpaceAbove,
    other: &Composite,
    margin: f64,
    max_contacts: usize,
    scratch: &mut PlaneScratch,
    open: &mut Vec<(f64, ItemNode)>,
) {
    let normal = above.plane.normal();
    let pose = &above.plane_from_other;
    let PlaneScratch {
        found,
        chosen,
        corners,
        facet_below,
    } = scratch;
    found.clear();
    open.clear();
    open.extend(other.root().map(|root| (0.0, root)));
    while let Some((_, node)) = open.pop() {
        if above.box_height(&other.bounds(node)) > margin {
            continue;
        }
        let ItemNode::Part(number) = node else {
            let below = other.below(node);
            open.extend(below.as_slice().iter().rev().map(|&node| (0.0, node)));
            continue;
        };
        let part = other.part(number);
        support_face(&part, pose, -normal, facet_below);
        let radius = part.radius();
        let lowest = above.plane.height_of(&part, pose);
        // The number that the other questions look at.
        if lowest.height > margin {
            continue;
        }
        let lowered = facet_below.corners.iter().map(|&p| p - normal * radius);
        corners.clear();
        corners.extend(lowered.zip(facet_below.vertices.iter().copied()));
        // The lowest point of a round part, and of one whose facet is tilted.
        let is_low = corners.iter().any(|(p, _)| {
            let room = 1e-9 * (p.abs().max_element() + lowest.height.abs());
            (*p - lowest.foot).dot(normal) <= lowest.height + room
        });
        if !is_low {
            corners.push((lowest.point, facet_below.feature));
        }
        if corners
            .iter()
            .all(|(p, _)| (*p - lowest.foot).dot(normal) > margin)
        {
            corners.clear();
            corners.push((lowest.point, facet_below.feature));
        }
        let first = found.len();
        for &(point, feature) in corners.iter() {
            let height = if point == lowest.point {
                lowest.height
            } else {
                (point - lowest.foot).dot(normal)
            };
            let features = [Feature::Face(0), named(other, number, feature)];
            // Every point of a cloud comes once.
            let is_known = !matches!(other, Composite::Cloud(_))
                && found.iter().any(|touch| touch.features == features);
            if height <= margin && (!is_known || matches!(other, Composite::One(_))) {
                found.push(ManifoldPoint {
                    point_a: point - normal * height,
                    point_b: point,
                    normal,
                    depth: -height,
                    features,
                });
            }
        }
        if matches!(other, Composite::One(_)) {
            reduce_points(found, first, max_contacts, chosen);
        }
    }
    if !matches!(other, Composite::One(_)) {
        reduce_points(found, 0, max_contacts, chosen);
    }
}

/// Names the points on a plane and hands them over.
pub(super) fn report_on_plane(
    found: &[ManifoldPoint],
    swapped: bool,
    a_from_b: &Pose,
    sink: &mut dyn Sink<ContactPoint>,
) {
    for touch in found {
        let point = ContactPoint {
            point_a: touch.point_a,
            point_b: touch.point_b,
            normal: touch.normal,
            depth: touch.depth,
            feature_a: touch.features[0],
            feature_b: touch.features[1],
            child_a: 0,
            child_b: 0,
            id: contact_id(touch.features),
        };
        let point = if swapped {
            let mut turned = swapped_point(&point, a_from_b);
            turned.id = contact_id([turned.feature_a, turned.feature_b]);
            turned
        } else {
            point
        };
        if sink.accept(point).is_break() {
            return;
        }
    }
}
