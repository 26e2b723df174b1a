//! A face in a pixel.

use glam::{DVec2, DVec3};

use super::viewport::Viewport;
use impinge::math::{Sign, orient2d};

/// A face's part in a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    pub(super) pixel: u32,
    /// The face has no smaller depth anywhere in the pixel.
    pub(super) low: f64,
    /// And no larger one.
    pub(super) high: f64,
    /// 1 where a line along the look goes into the solid, −1 where it comes out, 0 for a face seen edge-on.
    pub(super) facing: i8,
    /// The depth at the pixel's centre, when the face is there.
    pub(super) center: Option<f64>,
}

/// A convex polygon of few corners, cut again and again.
#[derive(Clone, Copy, Debug)]
struct PixelPolygon {
    corners: [DVec3; 9],
    len: usize,
}

impl PixelPolygon {
    fn triangle(corners: &[DVec3; 3]) -> Self {
        let mut all = [DVec3::ZERO; 9];
        all[..3].copy_from_slice(corners);
        Self {
            corners: all,
            len: 3,
        }
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.len]
    }

    /// The part where the coordinate is at most (`sign` 1) or at least (`sign` −1) the limit.
    fn kept(&self, axis: usize, limit: f64, sign: f64) -> Self {
        let mut kept = Self {
            corners: self.corners,
            len: 0,
        };
        let beyond = |p: DVec3| sign * (p[axis] - limit);
        let Some(&last) = self.corners().last() else {
            return kept;
        };
        let (mut p, mut p_beyond) = (last, beyond(last));
        for &q in self.corners() {
            let q_beyond = beyond(q);
            if (p_beyond > 0.0) != (q_beyond > 0.0) {
                let t = (p_beyond / (p_beyond - q_beyond)).clamp(0.0, 1.0);
                kept.push(p + t * (q - p));
            }
            if q_beyond <= 0.0 {
                kept.push(q);
            }
            (p, p_beyond) = (q, q_beyond);
        }
        kept
    }

    fn push(&mut self, p: DVec3) {
        // A triangle cut by four lines has seven corners at most; rounding cannot make nine of them.
        if let Some(slot) = self.corners.get_mut(self.len) {
            *slot = p;
            self.len += 1;
        }
    }

    fn between(&self, axis: usize, low: f64, high: f64) -> Self {
        self.kept(axis, low, -1.0).kept(axis, high, 1.0)
    }

    /// What is left of it in the rows or columns of the window that it may touch.
    fn strips(&self, axis: usize, window: &Viewport) -> impl Iterator<Item = (u32, Self)> {
        let (low, high) = self.range(axis);
        window.touched(axis, low, high).filter_map(move |at| {
            let border = |at: u32| window.border(axis, at);
            let strip = self.between(axis, border(at) - window.pad, border(at + 1) + window.pad);
            (!strip.corners().is_empty()).then_some((at, strip))
        })
    }

    fn range(&self, axis: usize) -> (f64, f64) {
        self.corners()
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
                (low.min(p[axis]), high.max(p[axis]))
            })
    }
}

/// Hands over every pixel that a triangle may touch, with its depths there.
///
/// Each cut is made a pad wider than the pixel. A point of the true triangle in the pixel is within rounding of a point of the computed part,
/// hence in the wider cut; so the depths, a pad wider too, hold it.
pub(super) fn draw(triangle: &[DVec3; 3], window: &Viewport, mut emit: impl FnMut(Fragment)) {
    let flat = triangle.map(DVec3::truncate);
    let facing = match orient2d(flat[0], flat[1], flat[2]) {
        // Counter-clockwise against the look means that the face looks along with it: out of the solid.
        Sign::Positive => -1,
        Sign::Negative => 1,
        Sign::Zero => 0,
    };
    let whole = PixelPolygon::triangle(triangle);
    let pad = window.pad;
    for (row, strip) in whole.strips(1, window) {
        for (column, part) in strip.strips(0, window) {
            let (low, high) = part.range(2);
            let center = window.center(column, row);
            let is_there = facing != 0 && covers(&flat, facing, center);
            emit(Fragment {
                pixel: row * window.columns + column,
                low: low - pad,
                high: high + pad,
                facing,
                center: is_there.then(|| {
                    let depth = depth_at(triangle, center);
                    // A face too small for its area to be a number has one depth anyway.
                    if depth.is_nan() {
                        0.5 * (low + high)
                    } else {
                        depth.clamp(low, high)
                    }
                }),
            });
        }
    }
}

/// Whether the triangle has the point, exactly; of points on a common edge or corner of faces, as if moved by (ε, ε²).
fn covers(&[a, b, c]: &[DVec2; 3], facing: i8, point: DVec2) -> bool {
    let corners = if facing < 0 { [a, b, c] } else { [a, c, b] };
    (0..3).all(|i| {
        let (p, q) = (corners[i], corners[(i + 1) % 3]);
        match orient2d(p, q, point) {
            Sign::Positive => true,
            Sign::Negative => false,
            Sign::Zero => q.y < p.y || (q.y == p.y && q.x > p.x),
        }
    })
}

/// The depth of the triangle's plane at a point, about.
fn depth_at(&[a, b, c]: &[DVec3; 3], point: DVec2) -> f64 {
    let (ab, ac, ap) = ((b - a).truncate(), (c - a).truncate(), point - a.truncate());
    let area = ab.perp_dot(ac);
    let (v, w) = (ap.perp_dot(ac) / area, ab.perp_dot(ap) / area);
    a.z + v * (b.z - a.z) + w * (c.z - a.z)
}
