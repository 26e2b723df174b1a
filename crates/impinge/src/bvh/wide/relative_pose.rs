//! A relative pose preprocessed for the SIMD lanes, with proven rounding margins.
//!
//! Let `u = 2^-24`, the unit roundoff of `f32`. Each tree keeps its vertices as
//! `y = (x − centre) / scale` with `scale` a power of two, so that they lie in the unit ball; a
//! relative pose becomes `y_a = k·R·y_b + t` with `k = scale_b / scale_a`. Write `S` for
//! `radius_a + k·radius_b + |t|`, an upper bound on every length that occurs.
//!
//! *Carrying a centre.* `k·R` and `t` are rounded (1u each), three products and three sums follow:
//! each coordinate is off by at most 5u·(k·radius_b + |t|). Subtracting the other centre adds 1u·S.
//! The difference vector is off by at most √3·6.1u·S < 10.6u·S.
//!
//! *Projecting it* on a direction of length at most 1 + 12u adds 3.1u·S: 13.7u·S in all. The pose
//! itself may deviate from a rotation by 1e-9 per entry, and the way back uses the transpose for
//! the inverse: another 3e-9·S < 0.06u·S. Hence [`MARGIN`]`·S` with 16u covers it; it is added to
//! the carried box's half extents, and on every axis tested the coefficients of those extents sum
//! to at least 1 − 40u (a row of a rotation has an absolute sum of at least one).
//!
//! *Radii.* A carried axis is off by at most 7u, so a dot product of two axes by at most 10.2u, below
//! 12u. That is not added to each product but to the stored extents: along an axis of one box the
//! magnitudes of its products with the other's axes sum to at least 1 − 40u, so 13u of the sum of the
//! extents on each of them adds 13u·(1 − 40u)·Σh > 12u·Σh to the radius. Along a box's own axis the code
//! uses the half extent alone, as if axes were orthonormal; rounded to `f32` and carried they are so
//! within 12u, so stored extents include 16u of the sum of the three: 29u with the 13u above. Rounding
//! of the radius sum itself stays below 7u of it, covered by a factor 1 + 18u: [`inflate_half`].
//!
//! *Edge directions.* The direction is L = uᵢ × w, with u and w as stored and carried. Stored axes are
//! orthonormal within 4u, carried ones within 12u, and a carried one is 7u from the true one, so writing
//! L in terms of dot products, as the code does, is off: for each extent of the node by at most 16u, for each of the
//! carried box by at most 24u (that of the axis itself, which the code leaves out, included), for the
//! offset by at most 60u·|t|. The offset itself errs by 10.6u·S. Extents sum to at most √3 of a
//! box's radius, radii and |t| to at most S: 24√3u·S + 60u·S + 10.6u·S, and 10u·S for the rounding of
//! the sums, are below 128u·S, which is [`EDGE_MARGINS`] times the margin. L may be short: the
//! spare is absolute.
//!
//! Separating directions need not be unit or exact: any vector proves disjointness as long as
//! both radii are taken for the same vector. That is why nothing else needs a margin.
//!
//! *Double precision* enters through the centres and through the rounding of placed vertices, at
//! most 16·2^-53 of the largest coordinate that occurs; that is `slack`, added to the margin.

use glam::{DMat3, DVec3};

use super::tree::TreeFrame;
use crate::math::{Pose, outward_rounding};

/// The unit roundoff of `f32`.
pub(super) const U: f32 = 5.960_464_5e-8;
/// Part of `S` that carried half extents grow by.
const MARGIN: f64 = 16.0 * U as f64;
/// Margins that a test along an edge direction adds.
pub(super) const EDGE_MARGINS: f32 = 8.0;

/// Distance of two meshes, in their common size, up to which `f32` serves.
const FARTHEST: f64 = 64.0;
/// Extents up to which `f32` serves, in either tree's units: far above those of any mesh that is not a point, far below what
/// keeps lanes without a child apart.
const LARGEST: f64 = 1e15;

/// Half extents as stored, from those that contain the vertices exactly.
pub(super) fn inflate_half(half: DVec3) -> [f32; 3] {
    let sum = half.x + half.y + half.z;
    let u = f64::from(U);
    half.to_array()
        .map(|h| outward_rounding::up((h + 29.0 * u * sum) * (1.0 + 18.0 * u)))
}

/// Carries things of the other tree into this one's frame.
#[derive(Clone, Debug)]
pub(super) struct RelativePose {
    /// Columns of the rotation, padded to four.
    pub(super) axis_column: [[f32; 4]; 3],
    /// Columns of the scaled rotation, padded to four.
    pub(super) point_column: [[f32; 4]; 3],
    pub(super) translation: [f32; 4],
    /// `k`, the other tree's unit in this one's.
    pub(super) scale: f32,
    /// What carried half extents grow by.
    pub(super) margin: f32,
    /// The part of the margin that comes from double precision, for leaf-local work.
    pub(super) slack: f32,
    this_from_other: (DMat3, DVec3),
}

/// How two frames lie to each other, before it is digested for the lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct FramePair {
    turn: DMat3,
    offset: DVec3,
    /// Length of the offset.
    distance: f64,
    /// b's unit in a's.
    k: f64,
    radii: [f64; 2],
    slack: f64,
}

impl FramePair {
    /// `None` when the meshes are too different in size, or too far apart, for `f32`.
    #[inline]
    pub(super) fn new(a: &TreeFrame, b: &TreeFrame, a_from_b: &Pose) -> Option<Self> {
        let exponent = b.exponent - a.exponent;
        if exponent.abs() > 30 {
            return None;
        }
        let k = exp2(exponent);
        let unit_a = exp2(-a.exponent);
        let offset = (a_from_b.transform_point(b.center) - a.center) * unit_a;
        let distance = offset.length();
        // Farther away than this, what `f32` rounds is no longer small against the meshes.
        if distance > FARTHEST * (a.radius + k * b.radius) {
            return None;
        }
        // Everything that was rounded in double precision, in a's units.
        let largest = (a.center.abs().max_element()
            + b.center.abs().max_element() * 2.0
            + a_from_b.translation().abs().max_element())
            * unit_a
            + a.radius
            + 2.0 * k * b.radius;
        let slack = 32.0 * f64::EPSILON * largest;
        // Nor is it where places so far from the origin are rounded by so much more than the meshes are large
        // that margins would make lanes without a child overlap.
        let extent = a.radius + k * b.radius + slack;
        if extent.max(extent / k) > LARGEST {
            return None;
        }
        Some(Self {
            turn: *a_from_b.rotation(),
            offset,
            distance,
            k,
            radii: [a.radius, b.radius],
            slack,
        })
    }

    /// Whether the balls around the two meshes are disjoint, and so the meshes.
    #[inline]
    pub(super) fn is_apart(&self) -> bool {
        // Rotations are so within 1e-9.
        let reach = self.radii[0] + self.k * self.radii[1];
        self.distance > reach * (1.0 + 1e-8) + self.slack
    }

    /// Carries b's things into a's frame.
    #[inline]
    pub(super) fn forth(&self) -> RelativePose {
        let [a, b] = self.radii;
        let sum = a + self.k * b + self.distance;
        RelativePose::new(self.turn, self.offset, self.k, sum, self.slack)
    }

    /// Carries a's things into b's frame.
    #[inline]
    pub(super) fn back(&self) -> RelativePose {
        let back = self.turn.transpose();
        let inverse = 1.0 / self.k;
        let offset = (back * self.offset) * -inverse;
        let [a, b] = self.radii;
        // Powers of two apart, the sum is that of the way forth.
        let sum = (a + self.k * b + self.distance) * inverse;
        RelativePose::new(back, offset, inverse, sum, self.slack * inverse)
    }
}

impl RelativePose {
    /// The digest of `a_from_b` both ways: a's frame from b's, and b's frame from a's.
    ///
    /// `None` when the meshes are too different in size, or too far apart, for `f32`.
    pub(super) fn both(a: &TreeFrame, b: &TreeFrame, a_from_b: &Pose) -> Option<[Self; 2]> {
        let between = FramePair::new(a, b, a_from_b)?;
        Some([between.forth(), between.back()])
    }

    /// `sum` bounds every length that occurs.
    #[inline]
    fn new(turn: DMat3, offset: DVec3, k: f64, sum: f64, slack: f64) -> Self {
        let column = |c: DVec3| [c.x as f32, c.y as f32, c.z as f32, 0.0];
        Self {
            axis_column: [turn.x_axis, turn.y_axis, turn.z_axis].map(column),
            point_column: [turn.x_axis * k, turn.y_axis * k, turn.z_axis * k].map(column),
            translation: column(offset),
            scale: k as f32,
            margin: outward_rounding::up(MARGIN * sum + slack),
            slack: outward_rounding::up(slack),
            this_from_other: (turn * k, offset),
        }
    }

    /// The digest itself, in double precision: a scaled rotation and a translation.
    pub(super) fn this_from_other(&self) -> &(DMat3, DVec3) {
        &self.this_from_other
    }

    /// A point of the other tree's frame in this one's, in double precision.
    #[inline(always)]
    pub(super) fn point(&self, p: DVec3) -> DVec3 {
        let (turn, offset) = &self.this_from_other;
        turn.x_axis * p.x + turn.y_axis * p.y + turn.z_axis * p.z + *offset
    }
}

/// 2 to a power within the normal range.
pub(super) fn exp2(exponent: i32) -> f64 {
    f64::from_bits(((1023 + i64::from(exponent)).clamp(1, 2046) as u64) << 52)
}
