//! Coordinates of the search: about one in size, in `f32`.

use glam::{DVec3, Vec3};

use crate::bound::Aabb;
use crate::math::is_valid_point;

/// `y = (x − center) / scale`, with the longest side of the solid between ½ and 1.
#[derive(Clone, Copy, Debug)]
pub(in crate::spheres) struct UnitFrame {
    center: DVec3,
    /// A power of two.
    pub(in crate::spheres) scale: f64,
    /// Its inverse, exactly.
    pub(in crate::spheres) inverse: f64,
}

impl UnitFrame {
    /// The frame of a box; none when the box is empty, a point, or beyond all bounds.
    pub(in crate::spheres) fn around(bounds: &Aabb) -> Option<Self> {
        if bounds.is_empty() || !is_valid_point(bounds.min) || !is_valid_point(bounds.max) {
            return None;
        }
        let side = bounds.diagonal().max_element();
        // Beyond this the lattice of balls would drown in rounding of the coordinates themselves.
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        if !(side > largest * 1e-9 && side > 1e-200) {
            return None;
        }
        let scale = libm::exp2(libm::ceil(libm::log2(side)));
        Some(Self {
            center: bounds.center(),
            scale,
            inverse: 1.0 / scale,
        })
    }

    pub(in crate::spheres) fn enter(&self, p: DVec3) -> Vec3 {
        ((p - self.center) * self.inverse).as_vec3()
    }

    pub(in crate::spheres) fn leave(&self, p: Vec3) -> DVec3 {
        self.center + p.as_dvec3() * self.scale
    }
}
