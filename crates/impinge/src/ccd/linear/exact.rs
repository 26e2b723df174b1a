//! Stage 4: exact decision in integer arithmetic.
//!
//! Along each axis the coordinates are integers times a power of two, which does not change signs.
//! The determinant (times 3) and the turns (times 2) get integer Bernstein coefficients.
//!
//! If the determinant is not zero for all times, contact can only be at its roots in `[0, 1]`. If it is, the points stay in a plane,
//! and whether they meet can only change at a root of a turn or of a gap between coordinates. The times of contact are a closed set, so
//! that it is enough to look at those roots and at both ends.
//!
//! *Width.* With differences below `2^d_k`, coefficients stay below `2^(d_x + d_y + d_z + 8)`, and below `2^(3 l)` times that in a
//! cell of level `l`. So the width limits the level; where that is not enough, the next width is tried.
//!
//! *Levels.* Let `s` be the sum above. Roots of the polynomials are at least `2^-(2s+8)` apart (Mahler's bound for cubics). A
//! quadratic that does not vanish at a root is at least `2^-(4s+8)` there, as the resultant is an integer and not zero, and its slope
//! is at most `2^(s+2)`. Cells of level `5s + 32` therefore decide everything.

use super::certified_filter::CertifiedFilter;
use super::contact_rule::{
    ContactSign, MAX_DIFFERENCES, MAX_TURNS, contact_sign, differences, gaps, turns,
};
use super::fixed_integer::{ExactNumber, FixedInteger};
use super::moving_point::FourMovingPoints;
use super::root_cell::RootCell;
use super::root_isolation::{isolate, with_simple_roots};
use crate::math::sort::sort_many;
use crate::math::{Integer, odd_part};

/// A width of integers, or a level of cells, was not enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutOfPrecision;

/// Cells are this deep before signs are requested.
const FIRST_LEVEL: u32 = 24;
/// A width that does not allow cells of this level is not tried.
const LEAST_LIMIT: u32 = 30;

/// How many bits the integers need.
#[derive(Clone, Copy, Debug)]
struct BitExtent {
    /// Of the lowest bit along each axis.
    exponents: [i32; 3],
    /// `s` of the module page.
    sum: u32,
    /// Of the longest coordinate.
    coordinate: u32,
}

impl BitExtent {
    fn new(p: &FourMovingPoints, largest: &[f64; 3]) -> Self {
        let mut exponents = [0; 3];
        let mut sum = 8;
        let mut coordinate = 0;
        for (k, slot) in exponents.iter_mut().enumerate() {
            let (mut lowest, mut highest) = (i32::MAX, i32::MIN);
            for x in p.iter().map(|place| place[k]).filter(|&x| x != 0.0) {
                let (mantissa, exponent) = odd_part(x);
                lowest = lowest.min(exponent);
                highest = highest.max(exponent + bits(mantissa));
            }
            if lowest > highest {
                continue;
            }
            *slot = lowest;
            coordinate = coordinate.max((highest - lowest).unsigned_abs() + 2);
            if largest[k] != 0.0 {
                let (mantissa, exponent) = odd_part(largest[k]);
                // One bit more for the rounding of the largest difference.
                sum += (exponent + bits(mantissa) + 1 - lowest)
                    .max(0)
                    .unsigned_abs();
            }
        }
        Self {
            exponents,
            sum,
            coordinate,
        }
    }

    /// How deep cells may get with this width; none when that is not worth a try.
    fn limit<T: ExactNumber>(&self) -> Option<u32> {
        let Some(bits) = T::BITS else {
            return Some(5 * self.sum + 32);
        };
        let limit = bits.checked_sub(self.sum)? / 3;
        (limit >= LEAST_LIMIT && self.coordinate <= bits).then_some(limit)
    }
}

fn bits(x: u64) -> i32 {
    (u64::BITS - x.leading_zeros()) as i32
}

/// A bracket of the first contact, at most `2^-level` wide, or none if there is no contact.
pub(super) fn decide<const EDGES: bool>(
    p: &FourMovingPoints,
    certified: &CertifiedFilter<EDGES>,
    level: u32,
) -> Option<[f64; 2]> {
    let extent = BitExtent::new(p, &certified.largest);
    let question = IntegerTest {
        p,
        certified,
        extent,
        level,
    };
    let answer = question.attempt::<FixedInteger<4>>();
    // Each width is a copy of all this code. Where pages download it there are fewer.
    #[cfg(not(target_arch = "wasm32"))]
    let answer = answer.or_else(|_| question.attempt::<FixedInteger<6>>());
    let answer = answer.or_else(|_| question.attempt::<FixedInteger<8>>());
    #[cfg(not(target_arch = "wasm32"))]
    let answer = answer
        .or_else(|_| question.attempt::<FixedInteger<12>>())
        .or_else(|_| question.attempt::<FixedInteger<16>>());
    let answer = answer.or_else(|_| question.attempt::<Integer>());
    debug_assert!(answer.is_ok(), "integers of any width decide");
    // Were the proof of the levels wrong, contact at an unknown time would be the safe answer.
    answer.unwrap_or(Some([0.0, 1.0]))
}

struct IntegerTest<'a, const EDGES: bool> {
    p: &'a FourMovingPoints,
    certified: &'a CertifiedFilter<EDGES>,
    extent: BitExtent,
    level: u32,
}

impl<const EDGES: bool> IntegerTest<'_, EDGES> {
    fn attempt<T: ExactNumber>(&self) -> Result<Option<[f64; 2]>, OutOfPrecision> {
        let limit = self.extent.limit::<T>().ok_or(OutOfPrecision)?;
        let scene = IntegerElements::<T, EDGES>::new(self, limit);
        let cubic = scene.determinant();
        if cubic.iter().all(|c| c.signum() == 0) {
            scene.first_in_plane()
        } else {
            scene.first_of(cubic)
        }
    }
}

/// The query in integers of one kind.
struct IntegerElements<'a, T, const EDGES: bool> {
    question: &'a IntegerTest<'a, EDGES>,
    /// At the start and at the end.
    places: [[[T; 3]; 4]; 2],
    differences: [[[T; 3]; 2]; MAX_DIFFERENCES],
    limit: u32,
}

fn minus<T: ExactNumber>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn cross_along<T: ExactNumber>(a: &[T; 3], b: &[T; 3], k: usize) -> T {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    a[i].times(&b[j]).minus(&a[j].times(&b[i]))
}

fn cross<T: ExactNumber>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    std::array::from_fn(|k| cross_along(a, b, k))
}

fn dot<T: ExactNumber>(a: &[T; 3], b: &[T; 3]) -> T {
    a[0].times(&b[0])
        .plus(&a[1].times(&b[1]))
        .plus(&a[2].times(&b[2]))
}

/// Three times the Bernstein coefficients of a quadratic as a cubic.
fn elevated<T: ExactNumber>(q: &[T; 3]) -> [T; 4] {
    let twice = q[1].shifted(1);
    [
        q[0].times_small(3),
        q[0].plus(&twice),
        twice.plus(&q[2]),
        q[2].times_small(3),
    ]
}

impl<'a, T: ExactNumber, const EDGES: bool> IntegerElements<'a, T, EDGES> {
    fn new(question: &'a IntegerTest<'a, EDGES>, limit: u32) -> Self {
        let exponents = &question.extent.exponents;
        let places: [[[T; 3]; 4]; 2] = std::array::from_fn(|moment| {
            std::array::from_fn(|i| {
                let place = &question.p[4 * moment + i];
                std::array::from_fn(|k| T::from_scaled(place[k], exponents[k]))
            })
        });
        let pairs = differences::<EDGES>();
        let differences = std::array::from_fn(|n| match pairs.get(n) {
            Some(&(i, j)) => {
                std::array::from_fn(|moment| minus(&places[moment][i], &places[moment][j]))
            }
            None => std::array::from_fn(|_| std::array::from_fn(|_| T::zero())),
        });
        Self {
            question,
            places,
            differences,
            limit,
        }
    }

    /// Three times the Bernstein coefficients of the determinant.
    fn determinant(&self) -> [T; 4] {
        let [[a0, a1], [b0, b1], [c0, c1], ..] = &self.differences;
        let (start, end) = (cross(b0, c0), cross(b1, c1));
        let (one, two) = (cross(b0, c1), cross(b1, c0));
        let mixed = std::array::from_fn(|k| one[k].plus(&two[k]));
        [
            dot(a0, &start).times_small(3),
            dot(a1, &start).plus(&dot(a0, &mixed)),
            dot(a0, &end).plus(&dot(a1, &mixed)),
            dot(a1, &end).times_small(3),
        ]
    }

    /// Twice the Bernstein coefficients of a turn along an axis.
    fn turn(&self, (i, j): (usize, usize), k: usize) -> [T; 3] {
        let ([a0, a1], [b0, b1]) = (&self.differences[i], &self.differences[j]);
        [
            cross_along(a0, b0, k).shifted(1),
            cross_along(a0, b1, k).plus(&cross_along(a1, b0, k)),
            cross_along(a1, b1, k).shifted(1),
        ]
    }

    /// Twice the Bernstein coefficients of a gap along an axis, as a quadratic.
    fn gap(&self, (i, j): (usize, usize), k: usize) -> [T; 3] {
        let [start, end] = &self.places;
        let (first, last) = (start[i][k].minus(&start[j][k]), end[i][k].minus(&end[j][k]));
        let middle = first.plus(&last);
        [first.shifted(1), middle, last.shifted(1)]
    }

    /// The first contact at a root of the determinant.
    fn first_of(&self, cubic: [T; 4]) -> Result<Option<[f64; 2]>, OutOfPrecision> {
        let cubic = with_simple_roots(cubic)?;
        if cubic[0].signum() == 0
            && let Some(found) = self.tried(RootCell::corner(&cubic, T::zero(), 0, self.limit))?
        {
            return Ok(Some(found));
        }
        for root in isolate(&cubic, self.limit)? {
            if let Some(found) = self.tried(root)? {
                return Ok(Some(found));
            }
        }
        if cubic[3].signum() == 0 {
            return self.tried(self.end_of(&cubic));
        }
        Ok(None)
    }

    fn end_of<'c>(&self, cubic: &'c [T; 4]) -> RootCell<'c, T> {
        RootCell::corner(cubic, T::from_scaled(1.0, 0), 0, self.limit)
    }

    /// The first contact when the four points are coplanar all the time.
    fn first_in_plane(&self) -> Result<Option<[f64; 2]>, OutOfPrecision> {
        let zero: [T; 4] = std::array::from_fn(|_| T::zero());
        if let Some(found) = self.tried(RootCell::corner(&zero, T::zero(), 0, self.limit))? {
            return Ok(Some(found));
        }
        let mut sources = Vec::new();
        for k in 0..3 {
            let turns = turns::<EDGES>().iter().map(|&turn| self.turn(turn, k));
            let gaps = gaps::<EDGES>().iter().map(|&gap| self.gap(gap, k));
            for quadratic in turns.chain(gaps) {
                if quadratic.iter().any(|c| c.signum() != 0) {
                    sources.push(with_simple_roots(elevated(&quadratic))?);
                }
            }
        }
        let mut times = Vec::new();
        for source in &sources {
            for mut root in isolate(source, self.limit)? {
                root.narrow_to(FIRST_LEVEL)?;
                times.push((root.bounds()[0], root));
            }
        }
        times.push((1.0, self.end_of(&zero)));
        sort_many(&mut times, |(a, _), (b, _)| a.total_cmp(b));
        let mut best: Option<[f64; 2]> = None;
        for (earliest, root) in times {
            // Brackets of different times may overlap.
            if best.is_some_and(|[_, upper]| earliest > upper) {
                break;
            }
            if let Some([lower, upper]) = self.tried(root)? {
                let [l, u] = best.unwrap_or([lower, upper]);
                best = Some([l.min(lower), u.min(upper)]);
            }
        }
        Ok(best)
    }

    /// The bracket of a root if there is contact at it.
    fn tried(&self, mut root: RootCell<'_, T>) -> Result<Option<[f64; 2]>, OutOfPrecision> {
        root.narrow_to(FIRST_LEVEL)?;
        if !self.is_contact(&mut root)? {
            return Ok(None);
        }
        root.narrow_to(self.question.level)?;
        Ok(Some(root.bounds()))
    }

    /// Whether there is contact at a time when the points are coplanar.
    fn is_contact(&self, root: &mut RootCell<'_, T>) -> Result<bool, OutOfPrecision> {
        let certified = self.question.certified;
        let count = turns::<EDGES>().len();
        let mut known = [[0; MAX_TURNS]; 3];
        if certified.is_in_range() {
            let [lower, upper] = root.bounds();
            known = certified.turn_signs(lower, upper);
        }
        if known
            .iter()
            .any(|s| contact_sign::<EDGES>(s) == ContactSign::Apart)
        {
            return Ok(false);
        }
        if known.iter().any(|s| s[..count].iter().all(|&s| s != 0)) {
            return Ok(true);
        }
        for (k, signs) in known.iter_mut().enumerate() {
            for (n, &turn) in turns::<EDGES>().iter().enumerate() {
                if signs[n] == 0 {
                    signs[n] = root.sign(&self.turn(turn, k))?;
                    if contact_sign::<EDGES>(signs) == ContactSign::Apart {
                        return Ok(false);
                    }
                }
            }
            if contact_sign::<EDGES>(signs) == ContactSign::Meet {
                return Ok(true);
            }
        }
        for k in 0..3 {
            let mut sum = 0;
            for &gap in gaps::<EDGES>() {
                sum += root.sign(&self.gap(gap, k))?;
            }
            if sum.unsigned_abs() as usize == gaps::<EDGES>().len() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
