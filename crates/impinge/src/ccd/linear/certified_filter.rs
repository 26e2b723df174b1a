//! Stage 1 and what the later stages build on: differences, the cubic and the turns in `f64`, with bounds of their rounding.
//!
//! Let `u = 2^-53` and `m_k` the largest computed difference along axis `k`, `M = m_x m_y m_z`. A computed difference is within
//! `u m_k` of the true one. Terms of second order in `u` are covered by the slack between each sum
//! below and the constant used.
//!
//! *Cubic.* A Bernstein coefficient is a mean of determinants of six products each. A product carries 3u from its
//! differences, and u for each of: the inner product, the difference in the cross product, the sum of two cross products, the outer
//! product, two sums of the dot product, the sum of two dots, the third and its product: 12u of at most `6M`, 72 u M. Used: 80.
//!
//! *Differences at a time* `t`, as `(1-t) d0 + t d1`: 3u m for the arithmetic, u m for the differences: 4 u m. Used: 8.
//! *Gap of second ends* is the difference of two such: 4 + 4 and a rounding of at most 2m, 10 u m. Used: 16.
//!
//! *Turns.* Four products, halved: 8u from the differences, u for product, subtraction, sum: 11u of at most `2 m_i m_j`,
//! 22 u. Used: 32.
//!
//! *Underflow.* A nonzero `m_k` is at least [`SMALL`]; what underflows is below 2^-1074 times a difference, and
//! `u m_i m_j` is above 1e-197. `m_k = 0` makes everything of that axis exactly zero. Nothing overflows below
//! [`MAX_COORDINATE`](crate::math::MAX_COORDINATE).

use super::contact_rule::{
    ContactSign, MAX_DIFFERENCES, MAX_TURNS, contact_sign, differences, turns,
};
use super::moving_point::FourMovingPoints;

/// Half a unit in the last place of 1.
pub(super) const U: f64 = f64::EPSILON / 2.0;
/// Nonzero differences below this leave the certified stages to integers.
const SMALL: f64 = 1e-90;

const CUBIC: f64 = 80.0 * U;
const TURN: f64 = 32.0 * U;
const GAP: f64 = 8.0 * U;
const SECOND_GAP: f64 = 16.0 * U;

type Vector = [f64; 3];

/// Differences of the moving points at both ends, and bounds for what is computed from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CertifiedFilter<const EDGES: bool> {
    /// At the start and at the end.
    differences: [[Vector; 2]; MAX_DIFFERENCES],
    /// The largest along each axis.
    pub(super) largest: Vector,
    /// `M` of the module page.
    pub(super) volume: f64,
}

/// What is certain about an interval of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CertifiedSign {
    /// No contact in it.
    Apart,
    /// Contact wherever in it the four points are coplanar.
    Meet,
    Unknown,
}

#[inline]
fn minus(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
fn plus(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
fn cross(a: &Vector, b: &Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline]
fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The sign of what is within `bound` of `x`, or 0 when that is not certain.
#[inline]
fn certain_sign(x: f64, bound: f64) -> i32 {
    i32::from(x > bound) - i32::from(x < -bound)
}

impl<const EDGES: bool> CertifiedFilter<EDGES> {
    #[inline]
    pub(super) fn new(p: &FourMovingPoints) -> Self {
        let mut all = [[[0.0; 3]; 2]; MAX_DIFFERENCES];
        let mut largest = [0.0_f64; 3];
        for (slot, &(i, j)) in all.iter_mut().zip(differences::<EDGES>()) {
            *slot = [minus(&p[i], &p[j]), minus(&p[i + 4], &p[j + 4])];
            for (k, m) in largest.iter_mut().enumerate() {
                *m = m.max(slot[0][k].abs()).max(slot[1][k].abs());
            }
        }
        Self {
            differences: all,
            largest,
            volume: largest[0] * largest[1] * largest[2],
        }
    }

    /// Whether the bounds hold: nothing that matters can underflow.
    #[inline]
    pub(super) fn is_in_range(&self) -> bool {
        self.largest.iter().all(|&m| m == 0.0 || m >= SMALL)
    }

    /// The Bernstein coefficients of the determinant on `[0, 1]`, and how far each may be off.
    #[inline]
    pub(super) fn cubic(&self) -> ([f64; 4], f64) {
        const THIRD: f64 = 1.0 / 3.0;
        let [a, b, c, ..] = &self.differences;
        let start = cross(&b[0], &c[0]);
        let end = cross(&b[1], &c[1]);
        let mixed = plus(&cross(&b[0], &c[1]), &cross(&b[1], &c[0]));
        let coefficients = [
            dot(&a[0], &start),
            (dot(&a[1], &start) + dot(&a[0], &mixed)) * THIRD,
            (dot(&a[0], &end) + dot(&a[1], &mixed)) * THIRD,
            dot(&a[1], &end),
        ];
        (coefficients, CUBIC * self.volume)
    }

    /// Every difference at a time; the time may be any number in `[0, 1]`.
    #[inline]
    fn at(&self, t: f64) -> [Vector; MAX_DIFFERENCES] {
        let s = 1.0 - t;
        let mut all = [[0.0; 3]; MAX_DIFFERENCES];
        for (slot, [start, end]) in all
            .iter_mut()
            .zip(&self.differences)
            .take(differences::<EDGES>().len())
        {
            *slot = [
                s * start[0] + t * end[0],
                s * start[1] + t * end[1],
                s * start[2] + t * end[2],
            ];
        }
        all
    }

    /// For each axis the signs that the turns certainly have all over `[lower, upper]`; 0 where not certain.
    #[inline]
    pub(super) fn turn_signs(&self, lower: f64, upper: f64) -> [[i32; MAX_TURNS]; 3] {
        self.turn_signs_of(&self.at(lower), &self.at(upper))
    }

    #[inline]
    fn turn_signs_of(
        &self,
        l: &[Vector; MAX_DIFFERENCES],
        h: &[Vector; MAX_DIFFERENCES],
    ) -> [[i32; MAX_TURNS]; 3] {
        let [x, y, z] = self.largest;
        let bound = [TURN * y * z, TURN * z * x, TURN * x * y];
        let mut signs = [[0; MAX_TURNS]; 3];
        for (turn, &(i, j)) in turns::<EDGES>().iter().enumerate() {
            let first = cross(&l[i], &l[j]);
            let last = cross(&h[i], &h[j]);
            let middle = plus(&cross(&l[i], &h[j]), &cross(&h[i], &l[j]));
            for (k, signs) in signs.iter_mut().enumerate() {
                let smallest = first[k].min(last[k]).min(0.5 * middle[k]);
                let largest = first[k].max(last[k]).max(0.5 * middle[k]);
                signs[turn] = i32::from(smallest > bound[k]) - i32::from(largest < -bound[k]);
            }
        }
        signs
    }

    /// What is certain about `[lower, upper]`.
    pub(super) fn contact(&self, lower: f64, upper: f64) -> CertifiedSign {
        let (l, h) = (self.at(lower), self.at(upper));
        let all = self.turn_signs_of(&l, &h);
        let mut is_meeting = false;
        for signs in &all {
            if contact_sign::<EDGES>(signs) == ContactSign::Apart {
                return CertifiedSign::Apart;
            }
            is_meeting |= signs[..turns::<EDGES>().len()].iter().all(|&s| s != 0);
        }
        if is_meeting {
            return CertifiedSign::Meet;
        }
        if (0..3).any(|k| self.is_ahead(k, &l, &h)) {
            return CertifiedSign::Apart;
        }
        CertifiedSign::Unknown
    }

    /// Whether along an axis one element certainly is ahead of the other at both times.
    #[inline]
    fn is_ahead(
        &self,
        k: usize,
        l: &[Vector; MAX_DIFFERENCES],
        h: &[Vector; MAX_DIFFERENCES],
    ) -> bool {
        let m = self.largest[k];
        let sign = |d: &[Vector; MAX_DIFFERENCES]| -> i32 {
            let sum: i32 = if EDGES {
                // c - a, d - a, c - b, d - b.
                certain_sign(d[2][k], GAP * m) + certain_sign(d[3][k], GAP * m)
                    - certain_sign(d[5][k], GAP * m)
                    + certain_sign(d[3][k] - d[0][k], SECOND_GAP * m)
            } else {
                d[..3].iter().map(|d| certain_sign(d[k], GAP * m)).sum()
            };
            let count = if EDGES { 4 } else { 3 };
            i32::from(sum == count) - i32::from(sum == -count)
        };
        sign(l) * sign(h) > 0
    }
}
