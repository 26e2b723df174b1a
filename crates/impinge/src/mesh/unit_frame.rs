//! Coordinates in which a mesh is centred and about one unit large.

use glam::DVec3;

use crate::bound::Aabb;

/// A shift to the middle of a box and a scale by a power of two: sums of products neither lose
/// digits to a far origin nor over- or underflow.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitFrame {
    pub(super) centre: DVec3,
    scale: f64,
}

impl UnitFrame {
    pub(super) fn around(bounds: &Aabb) -> Self {
        if bounds.is_empty() {
            return Self {
                centre: DVec3::ZERO,
                scale: 1.0,
            };
        }
        let extent = (bounds.max - bounds.min).max_element();
        // Clamped so that neither the scale nor its fifth power leaves the range of f64.
        let exponent = if extent > 0.0 {
            libm::frexp(extent).1.clamp(-200, 200)
        } else {
            0
        };
        Self {
            centre: bounds.min * 0.5 + bounds.max * 0.5,
            scale: libm::ldexp(1.0, -exponent),
        }
    }

    /// A point in these coordinates. The same point always gives the same bytes, so a closed mesh stays closed.
    pub(super) fn localise(&self, p: DVec3) -> DVec3 {
        (p - self.centre) * self.scale
    }

    /// A quantity of this many dimensions (1 length, 3 volume) in the units of the mesh.
    pub(super) fn restore(&self, x: f64, dimensions: u32) -> f64 {
        (0..dimensions).fold(x, |x, _| x / self.scale)
    }
}
