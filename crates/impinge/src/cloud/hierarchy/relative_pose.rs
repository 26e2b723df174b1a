//! Transforms one tree into the frame and units of another.

use glam::{DMat3, DVec3};

use super::node::{CloudTree, HierarchyNode, vector};
use crate::math::Pose;

/// Where tree b is in the frame of tree a. Lengths are in units of a; the *turned* frame has the axes of b and the units of a.
#[derive(Clone, Debug)]
pub(super) struct RelativePose {
    pub(super) a_from_b: Pose,
    pub(super) b_from_a: Pose,
    /// The absolute values of the rotation from the turned frame to the frame of a, whose columns are the axes of b.
    absolute: DMat3,
    /// Where b's units start.
    shift: DVec3,
    /// Units of a in one of b.
    ratio: f64,
}

/// What a pair of nodes is compared by, in units of a.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeExtent {
    /// In its own frame: that of a, or the turned one.
    pub(super) centre: DVec3,
    pub(super) half: DVec3,
    pub(super) normal: DVec3,
    pub(super) offset: f64,
    pub(super) thickness: f64,
    pub(super) radius: f64,
}

impl NodeExtent {
    fn new(node: &HierarchyNode, ratio: f64) -> Self {
        Self {
            centre: node.centre() * ratio,
            half: node.half() * ratio,
            normal: vector(node.normal),
            offset: f64::from(node.offset) * ratio,
            thickness: f64::from(node.thickness) * ratio,
            radius: f64::from(node.radius) * ratio,
        }
    }
}

impl RelativePose {
    pub(super) fn new(a: &CloudTree, b: &CloudTree, a_from_b: &Pose) -> Self {
        let rotation = a_from_b.rotation();
        let absolute = DMat3::from_cols(
            rotation.x_axis.abs(),
            rotation.y_axis.abs(),
            rotation.z_axis.abs(),
        );
        Self {
            a_from_b: *a_from_b,
            b_from_a: a_from_b.inverse(),
            absolute,
            shift: (*a_from_b * b.centre - a.centre) / a.unit,
            ratio: b.unit / a.unit,
        }
    }

    pub(super) fn of_a(node: &HierarchyNode) -> NodeExtent {
        NodeExtent::new(node, 1.0)
    }

    pub(super) fn of_b(&self, node: &HierarchyNode) -> NodeExtent {
        NodeExtent::new(node, self.ratio)
    }

    #[inline]
    pub(super) fn to_a(&self, p: DVec3) -> DVec3 {
        self.direction_to_a(p) + self.shift
    }

    #[inline]
    pub(super) fn to_turned(&self, p: DVec3) -> DVec3 {
        self.direction_to_turned(p - self.shift)
    }

    #[inline]
    pub(super) fn direction_to_a(&self, v: DVec3) -> DVec3 {
        let rotation = self.a_from_b.rotation();
        rotation.x_axis * v.x + rotation.y_axis * v.y + rotation.z_axis * v.z
    }

    #[inline]
    pub(super) fn direction_to_turned(&self, v: DVec3) -> DVec3 {
        let rotation = self.a_from_b.rotation();
        DVec3::new(
            rotation.x_axis.dot(v),
            rotation.y_axis.dot(v),
            rotation.z_axis.dot(v),
        )
    }

    /// A place of cloud b in the turned frame.
    #[inline]
    pub(super) fn turned_place(&self, b: &CloudTree, p: DVec3) -> DVec3 {
        b.to_units(p) * self.ratio
    }

    /// A number that the distance of two boxes is not below: the largest gap along the axes of both and the normals of their planes. Negative when none separates them.
    #[inline]
    pub(super) fn gap(&self, a: &NodeExtent, b: &NodeExtent) -> f64 {
        let apart = self.to_a(b.centre) - a.centre;
        let of_b = self.absolute.x_axis * b.half.x
            + self.absolute.y_axis * b.half.y
            + self.absolute.z_axis * b.half.z;
        let along_a = (apart.abs() - a.half - of_b).max_element();
        let turned = self.direction_to_turned(apart);
        let of_a = DVec3::new(
            self.absolute.x_axis.dot(a.half),
            self.absolute.y_axis.dot(a.half),
            self.absolute.z_axis.dot(a.half),
        );
        let along_b = (turned.abs() - b.half - of_a).max_element();
        // The part of the other box that a normal sees.
        let normal_a = self.direction_to_turned(a.normal);
        let from_a = a.normal.dot(a.centre + apart) - a.offset;
        let slab_a = from_a.abs() - normal_a.abs().dot(b.half) - a.thickness;
        let normal_b = self.direction_to_a(b.normal);
        let from_b = b.normal.dot(b.centre - turned) - b.offset;
        let slab_b = from_b.abs() - normal_b.abs().dot(a.half) - b.thickness;
        along_a.max(along_b).max(slab_a).max(slab_b)
    }
}
