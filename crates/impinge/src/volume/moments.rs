//! Integrals over a piece of surface, enough for volume, centroid, force and torque.

use glam::{DMat3, DVec3};

use crate::math::Pose;

/// Sums over an oriented piece of surface. They are covariant, so that a sum can be moved after it was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SurfaceMoments {
    /// The integral of the normal: the area vector.
    pub(super) area: DVec3,
    /// The integral of `x nᵀ`; a third of its trace is the volume under the piece.
    pub(super) first: DMat3,
    /// A quarter of the integral of `x (x·n)`; over a closed surface the integral of `x` over what it encloses.
    pub(super) second: DVec3,
}

impl Default for SurfaceMoments {
    /// The sums over nothing. (A matrix's own default is the identity.)
    fn default() -> Self {
        Self {
            area: DVec3::ZERO,
            first: DMat3::ZERO,
            second: DVec3::ZERO,
        }
    }
}

impl SurfaceMoments {
    /// Adds the triangle `p`, `q`, `r`, counted `weight` times.
    #[inline]
    pub(super) fn add_triangle(&mut self, weight: f64, p: DVec3, q: DVec3, r: DVec3) {
        let area = (q - p).cross(r - p) * (0.5 * weight);
        let centroid = (p + q + r) / 3.0;
        self.area += area;
        self.first += outer(centroid, area);
        self.second += centroid * (0.25 * p.dot(area));
    }

    #[inline]
    pub(super) fn add(&mut self, weight: f64, other: &Self) {
        self.area += other.area * weight;
        self.first += other.first * weight;
        self.second += other.second * weight;
    }

    /// The sums of the piece after every point `x` went to `x + t`.
    pub(super) fn shifted(&self, t: DVec3) -> Self {
        let moved = self.first * t + t * (self.trace() + t.dot(self.area));
        Self {
            area: self.area,
            first: self.first + outer(t, self.area),
            second: self.second + moved * 0.25,
        }
    }

    /// The sums of the piece after it was turned. Exact also for a matrix that is not quite a rotation.
    pub(super) fn turned(&self, pose: &Pose) -> Self {
        let turn = *pose.rotation();
        let (x, y, z) = (turn.x_axis, turn.y_axis, turn.z_axis);
        // Areas turn with the matrix of cofactors.
        let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        let determinant = x.dot(y.cross(z));
        Self {
            area: cofactors * self.area,
            first: turn * self.first * cofactors.transpose(),
            second: turn * self.second * determinant,
        }
    }

    pub(super) fn volume(&self) -> f64 {
        self.trace() / 3.0
    }

    /// The integral of `x × n`.
    pub(super) fn torque(&self) -> DVec3 {
        let [x, y, z] = [self.first.x_axis, self.first.y_axis, self.first.z_axis];
        DVec3::new(z.y - y.z, x.z - z.x, y.x - x.y)
    }

    fn trace(&self) -> f64 {
        self.first.x_axis.x + self.first.y_axis.y + self.first.z_axis.z
    }
}

/// `x yᵀ`.
#[inline]
fn outer(x: DVec3, y: DVec3) -> DMat3 {
    DMat3::from_cols(x * y.x, x * y.y, x * y.z)
}
