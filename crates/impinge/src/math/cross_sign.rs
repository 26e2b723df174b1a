//! The exact sign of the cross product of two differences in the plane.
//!
//! **Question.** Does the direction from `p` to `q` turn left, right or not at all into that from `r` to `s`?
//! **Idea.** As for the orientation of three points, but the two directions share no point: a filter in plain `f64`, then
//! the four products of exact differences as an expansion, then integers.
//! **Source.** Expansions: Shewchuk 1997, doi:10.1007/PL00009321.
//! **Promise.** The sign of the exact real number for all finite coordinates of magnitude up to 4·[`MAX_COORDINATE`].

use glam::DVec2;

use super::exact;
use super::predicate::{Tier, power_of_two, tier};
use super::{MAX_COORDINATE, Sign};

/// Half the distance from 1 to the next `f64`.
const U: f64 = f64::EPSILON / 2.0;
const _: () = assert!(MAX_COORDINATE < 1e46);

/// The sign of `(q - p) × (s - r)`.
#[inline]
pub(crate) fn cross_sign(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> Sign {
    let (v, w) = (q - p, s - r);
    let (left, right) = (v.x * w.y, v.y * w.x);
    let value = left - right;
    // The same count of roundings as for the orientation of three points.
    let error = (3.0 + 16.0 * U) * U * (left.abs() + right.abs()) + power_of_two(-1000);
    if value > error {
        Sign::Positive
    } else if value < -error {
        Sign::Negative
    } else {
        undecided(p, q, r, s)
    }
}

#[cold]
#[inline(never)]
fn undecided(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> Sign {
    // Directions along an axis are common in real models and need no expansions.
    if (p.x == q.x || r.y == s.y) && (p.y == q.y || r.x == s.x) {
        return Sign::Zero;
    }
    let coordinates = [p, q, r, s].into_iter().flat_map(|p| p.to_array());
    match tier(coordinates, power_of_two(-404)) {
        Tier::Expansions => expansion(p, q, r, s),
        Tier::Integers => exact::cross_sign(p, q, r, s),
        Tier::Meaningless => Sign::Zero,
    }
}

fn expansion(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> Sign {
    let mut sum = Expansion::default();
    sum.add_products(two_difference(q.x, p.x), two_difference(s.y, r.y), 1.0);
    sum.add_products(two_difference(q.y, p.y), two_difference(s.x, r.x), -1.0);
    sum.sign()
}

/// A sum of non-overlapping numbers, the smallest first.
#[derive(Default)]
struct Expansion {
    terms: [f64; 16],
    len: usize,
}

impl Expansion {
    fn add_products(&mut self, v: [f64; 2], w: [f64; 2], factor: f64) {
        for x in v {
            for y in w {
                let [product, rest] = two_product(x, y);
                self.add(factor * rest);
                self.add(factor * product);
            }
        }
    }

    fn add(&mut self, x: f64) {
        let mut carry = x;
        for term in &mut self.terms[..self.len] {
            let [sum, rest] = two_sum(carry, *term);
            *term = rest;
            carry = sum;
        }
        if let Some(slot) = self.terms.get_mut(self.len) {
            *slot = carry;
            self.len += 1;
        }
    }

    /// The sign of the largest term that is not zero decides.
    fn sign(&self) -> Sign {
        let last = self.terms.iter().rev().find(|x| **x != 0.0);
        last.map_or(Sign::Zero, |x| Sign::of(*x))
    }
}

fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    [sum, (a - a_part) + (b - b_part)]
}

fn two_difference(a: f64, b: f64) -> [f64; 2] {
    two_sum(a, -b)
}

fn two_product(a: f64, b: f64) -> [f64; 2] {
    let product = a * b;
    let ([a_high, a_low], [b_high, b_low]) = (split(a), split(b));
    let rest = product - a_high * b_high - a_low * b_high - a_high * b_low;
    [product, a_low * b_low - rest]
}

/// The two halves of a number, 26 bits each.
fn split(a: f64) -> [f64; 2] {
    let shifted = a * 134_217_729.0;
    let high = shifted - (shifted - a);
    [high, a - high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;

    #[test]
    fn expansions_agree_with_integers_near_zero() {
        let mut rng = Rng::new(77);
        let mut zeros = 0;
        for round in 0..20_000 {
            let mut point = || DVec2::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let [p, r, v] = [point(), point(), point()];
            let q = p + v;
            let mut s = r + v * 0.5;
            if round % 2 == 0 {
                s.x = s.x.next_up();
            }
            let expected = exact::cross_sign(p, q, r, s);
            assert_eq!(cross_sign(p, q, r, s), expected);
            assert_eq!(expansion(p, q, r, s), expected);
            zeros += u32::from(expected == Sign::Zero);
        }
        assert!(zeros > 100, "{zeros}");
    }
}
