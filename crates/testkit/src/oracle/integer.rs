//! Integers, narrow and wide, behind one small trait, and points scaled to them without loss.

use std::cmp::Ordering;

use dashu_int::IBig;
use impinge::DVec3;

/// The arithmetic that the oracles need.
pub(super) trait Integer: Clone {
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// How the number compares with zero.
    fn against_zero(&self) -> Ordering;
    fn compare(&self, other: &Self) -> Ordering;
}

/// Methods that do what an operator does with two references.
macro_rules! by_operators {
    ($($name:ident $operator:tt)*) => {
        $(fn $name(&self, other: &Self) -> Self {
            self $operator other
        })*
    };
}
pub(super) use by_operators;

impl Integer for i128 {
    by_operators!(plus + minus - times *);
    fn against_zero(&self) -> Ordering {
        self.cmp(&0)
    }
    fn compare(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Integer for IBig {
    by_operators!(plus + minus - times *);
    fn against_zero(&self) -> Ordering {
        self.cmp(&IBig::ZERO)
    }
    fn compare(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

/// A point or vector with integer coordinates.
pub(super) type Point<I> = [I; 3];

pub(super) fn difference<I: Integer>(p: &Point<I>, q: &Point<I>) -> Point<I> {
    [p[0].minus(&q[0]), p[1].minus(&q[1]), p[2].minus(&q[2])]
}

pub(super) fn dot<I: Integer>(u: &Point<I>, v: &Point<I>) -> I {
    u[0].times(&v[0])
        .plus(&u[1].times(&v[1]))
        .plus(&u[2].times(&v[2]))
}

pub(super) fn cross<I: Integer>(u: &Point<I>, v: &Point<I>) -> Point<I> {
    [
        u[1].times(&v[2]).minus(&u[2].times(&v[1])),
        u[2].times(&v[0]).minus(&u[0].times(&v[2])),
        u[0].times(&v[1]).minus(&u[1].times(&v[0])),
    ]
}

pub(super) fn is_zero<I: Integer>(v: &Point<I>) -> bool {
    v.iter().all(|x| x.against_zero().is_eq())
}

/// Points as integer multiples of one power of two, in `i128` when every coordinate is below
/// 2^[`NARROW_BITS`].
pub(super) enum Scaled<const N: usize> {
    Narrow([Point<i128>; N]),
    Wide([Point<IBig>; N]),
}

/// The deepest polynomial of the triangle oracle has degree four in coordinates and coefficients
/// that sum below 2^9, so 28 bits keep it below 2^121.
const NARROW_BITS: i32 = 28;

/// The points as integers: narrow ones where they fit.
pub(super) fn scaled<const N: usize>(points: &[DVec3; N]) -> Scaled<N> {
    let unit = common_exponent(points);
    let fits = points
        .iter()
        .flat_map(|p| p.to_array())
        .all(|x| match parts(x) {
            (0, _) => true,
            (mantissa, exponent) => {
                exponent - unit + (64 - mantissa.unsigned_abs().leading_zeros() as i32)
                    <= NARROW_BITS
            }
        });
    if fits {
        Scaled::Narrow(std::array::from_fn(|i| {
            points[i].to_array().map(|x| {
                let (mantissa, exponent) = parts(x);
                i128::from(mantissa) << (exponent - unit).clamp(0, NARROW_BITS)
            })
        }))
    } else {
        Scaled::Wide(widened(points, unit))
    }
}

/// The points as wide integer multiples of 2 to the returned power.
pub(super) fn scaled_wide<const N: usize>(points: &[DVec3; N]) -> ([Point<IBig>; N], i32) {
    let unit = common_exponent(points);
    (widened(points, unit), unit)
}

fn widened<const N: usize>(points: &[DVec3; N], unit: i32) -> [Point<IBig>; N] {
    std::array::from_fn(|i| {
        points[i].to_array().map(|x| {
            let (mantissa, exponent) = parts(x);
            IBig::from(mantissa) << (exponent - unit).max(0).unsigned_abs() as usize
        })
    })
}

/// The largest power of two of which all coordinates are multiples; 0 when all are zero.
pub(super) fn common_exponent(points: &[DVec3]) -> i32 {
    points
        .iter()
        .flat_map(|p| p.to_array())
        .map(parts)
        .filter(|&(mantissa, _)| mantissa != 0)
        .map(|(_, exponent)| exponent)
        .min()
        .unwrap_or(0)
}

/// The number as `mantissa · 2^exponent` with an odd mantissa, or `(0, 0)`.
///
/// # Panics
/// For numbers that are not finite: an oracle has no answer for them.
pub(super) fn parts(x: f64) -> (i64, i32) {
    assert!(x.is_finite(), "an oracle takes finite coordinates, not {x}");
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, field - 1075)
    };
    if mantissa == 0 {
        return (0, 0);
    }
    let spare = mantissa.trailing_zeros() as i32;
    let odd = mantissa >> spare;
    (if x < 0.0 { -odd } else { odd }, exponent + spare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_number_is_its_odd_mantissa_times_a_power_of_two() {
        for (x, expected) in [
            (0.0, (0, 0)),
            (-0.0, (0, 0)),
            (1.0, (1, 0)),
            (-6.0, (-3, 1)),
            (0.375, (3, -3)),
            (f64::from_bits(1), (1, -1074)),
            (f64::from_bits(6), (3, -1073)),
            (f64::MIN_POSITIVE, (1, -1022)),
            (f64::MAX, ((1 << 53) - 1, 971)),
        ] {
            assert_eq!(parts(x), expected, "{x:e}");
        }
    }

    #[test]
    fn points_are_narrow_exactly_when_they_fit() {
        let p = |x: f64| [DVec3::new(x, 1.0, 0.0)];
        assert!(matches!(scaled(&p(3.0)), Scaled::Narrow([[3, 1, 0]])));
        assert!(matches!(scaled(&p(-2.5)), Scaled::Narrow([[-5, 2, 0]])));
        assert!(matches!(scaled(&p(268_435_455.0)), Scaled::Narrow(_)));
        assert!(matches!(scaled(&p(268_435_457.0)), Scaled::Wide(_)));
        assert!(matches!(scaled(&p(1e-3)), Scaled::Wide(_)));
    }
}
