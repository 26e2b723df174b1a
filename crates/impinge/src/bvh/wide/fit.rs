//! Oriented boxes around faces.

use glam::{DMat3, DVec3};

use super::layout::{Node, WIDTH};
use super::relative::{U, inflate_half};
use crate::math::eigen::symmetric_eigen;

/// Area-weighted moments of faces: sums, so that they add up over disjoint sets.
#[derive(Clone, Copy, Debug)]
struct Moments {
    area: f64,
    first: DVec3,
    second: DMat3,
    normal: DVec3,
}

impl Moments {
    fn of(faces: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let mut sum = Self {
            area: 0.0,
            first: DVec3::ZERO,
            second: DMat3::ZERO,
            normal: DVec3::ZERO,
        };
        for [p, q, r] in faces {
            let n = (q - p).cross(r - p);
            // A touch of weight for faces without area, so that a mesh of them has a box too.
            let area = n.length() + 1e-30;
            let s = p + q + r;
            sum.area += area;
            sum.first += s * (area / 3.0);
            sum.normal += n;
            let w = area / 12.0;
            sum.second += DMat3::from_cols(
                (s * s.x + p * p.x + q * q.x + r * r.x) * w,
                (s * s.y + p * p.y + q * q.y + r * r.y) * w,
                (s * s.z + p * p.z + q * q.z + r * r.z) * w,
            );
        }
        sum
    }

    fn covariance(&self) -> DMat3 {
        let mean = self.first / self.area;
        let m = self.second * (1.0 / self.area);
        DMat3::from_cols(
            m.x_axis - mean * mean.x,
            m.y_axis - mean * mean.y,
            m.z_axis - mean * mean.z,
        )
    }
}

/// An oriented box with axes as they will be stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitted {
    center: [f32; 3],
    half: DVec3,
    axes: [DVec3; 3],
}

impl Fitted {
    /// Half the surface area, the measure of quality.
    fn area(&self) -> f64 {
        let h = self.half;
        h.x * h.y + h.y * h.z + h.z * h.x
    }

    /// Largest distance of a point of the box from the frame's origin.
    pub(super) fn reach(&self) -> f64 {
        DVec3::from(self.center.map(f64::from)).length() + self.half.length() * 1.001
    }

    /// Puts the box into lane `k`.
    pub(super) fn store(&self, node: &mut Node, k: usize, child: u32) {
        let half = inflate_half(self.half);
        for c in 0..3 {
            node.center[c][k] = self.center[c];
            node.half[c][k] = half[c];
            for i in 0..3 {
                // The axes were rounded to f32 before the extents were taken, so this is exact.
                node.axis[i][c][k] = self.axes[i][c] as f32;
            }
        }
        node.child[k] = child;
        const _: () = assert!(WIDTH == 8);
    }
}

/// The smallest (by area) of three oriented boxes around the faces: along their principal axes,
/// along their mean normal, and along the coordinate axes. Every corner is inside, exactly, with
/// `slack` to spare.
pub(super) fn fit(faces: &(impl Iterator<Item = [DVec3; 3]> + Clone), slack: f64) -> Fitted {
    let moments = Moments::of(faces.clone());
    let covariance = moments.covariance();
    let mut frames = [[DVec3::X, DVec3::Y, DVec3::Z]; 3];
    let mut count = 1;
    let principal = symmetric_eigen(&covariance).vectors;
    frames[count] = [principal.x_axis, principal.y_axis, principal.z_axis];
    count += 1;
    let length = moments.normal.length();
    if length > 1e-9 * moments.area {
        frames[count] = along_normal(moments.normal / length, &covariance);
        count += 1;
    }
    let frames = frames.map(|frame| frame.map(round_axis));
    // All candidate extents in one pass over the corners.
    let mut low = [[f64::INFINITY; 3]; 3];
    let mut high = [[f64::NEG_INFINITY; 3]; 3];
    for face in faces.clone() {
        for p in face {
            for f in 0..count {
                for i in 0..3 {
                    let x = frames[f][i].dot(p);
                    low[f][i] = if x < low[f][i] { x } else { low[f][i] };
                    high[f][i] = if x > high[f][i] { x } else { high[f][i] };
                }
            }
        }
    }
    let mut best: Option<Fitted> = None;
    for f in 0..count {
        let candidate = enclose(&frames[f], DVec3::from(low[f]), DVec3::from(high[f]), slack);
        if best.is_none_or(|b| candidate.area() < b.area()) {
            best = Some(candidate);
        }
    }
    best.unwrap_or(Fitted {
        center: [0.0; 3],
        half: DVec3::ZERO,
        axes: [DVec3::X, DVec3::Y, DVec3::Z],
    })
}

/// The box around the faces along axes that were fitted before, and rounded to `f32`.
pub(super) fn fit_along(
    axes: &[DVec3; 3],
    faces: &(impl Iterator<Item = [DVec3; 3]> + Clone),
    slack: f64,
) -> Fitted {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for face in faces.clone() {
        for p in face {
            for i in 0..3 {
                let x = axes[i].dot(p);
                low[i] = if x < low[i] { x } else { low[i] };
                high[i] = if x > high[i] { x } else { high[i] };
            }
        }
    }
    enclose(axes, DVec3::from(low), DVec3::from(high), slack)
}

/// The box with these axes around points whose projections on the axes lie in `low..high`.
fn enclose(axes: &[DVec3; 3], low: DVec3, high: DVec3, slack: f64) -> Fitted {
    // Solve for the point whose projections are the middle ones: the axes are orthonormal only
    // up to rounding, so the transpose is not the inverse.
    let projections = DMat3::from_cols(axes[0], axes[1], axes[2]).transpose();
    let middle = (low + high) * 0.5;
    let center = projections.inverse() * middle;
    let center = center.to_array().map(|x| x as f32);
    let stored = projections * DVec3::from(center.map(f64::from));
    // Projections x − stored are Σ sⱼ·(axisᵢ·axisⱼ); with axes orthonormal within 4u, the
    // coordinate s differs from the projection by at most 13u of their sum.
    let half = (high - stored).max(stored - low);
    let skew = 16.0 * f64::from(U) * (half.x + half.y + half.z);
    Fitted {
        center,
        half: half + DVec3::splat(skew + slack),
        axes: *axes,
    }
}

/// An orthonormal frame: the normal, and the principal directions of what lies across it.
fn along_normal(normal: DVec3, covariance: &DMat3) -> [DVec3; 3] {
    let (e, f) = normal.any_orthonormal_pair();
    let (ce, cf) = (*covariance * e, *covariance * f);
    let (xx, xy, yy) = (e.dot(ce), e.dot(cf), f.dot(cf));
    // The angle of the larger eigenvector of a symmetric 2×2 matrix, by a tangent half-angle.
    let (dx, dy) = (xx - yy, 2.0 * xy);
    let r = (dx * dx + dy * dy).sqrt();
    let (cosine, sine) = if r > 0.0 {
        let c = ((1.0 + dx / r) * 0.5).max(0.0).sqrt();
        let s = ((1.0 - dx / r) * 0.5).max(0.0).sqrt();
        (c, if dy < 0.0 { -s } else { s })
    } else {
        (1.0, 0.0)
    };
    let major = e * cosine + f * sine;
    [normal, major, normal.cross(major)]
}

fn round_axis(axis: DVec3) -> DVec3 {
    DVec3::new(
        f64::from(axis.x as f32),
        f64::from(axis.y as f32),
        f64::from(axis.z as f32),
    )
}
