//! Root search: narrows a change of sign along a path down to two neighbours.
//!
//! **Question.** Between which neighbours on a path does a function change its sign, or where is it
//! smallest?
//! **Idea.** The next probe is where the line through the two known values crosses zero, measured
//! by point index or by path length.
//! **Source.** Klein, Algorithms 7 and 9. As printed, the first may probe an end again and never
//! stop, and the second uses a value before it is computed and may run out of points. Here the
//! probe always lies strictly between the ends, bisection takes over after 2 log₂ m probes, and a
//! probe by length is looked up in the lengths of the whole path.
//! **Cost.** O(log log m) values for even steps of a monotone function, O(log m) always, unless
//! values are undefined.

/// Golden ratio minus one: what a step leaves of an interval.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// What determines the next probe.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProbeRule<'a> {
    /// The number of points.
    Index,
    /// The length of the path up to each.
    Distance(&'a [f64]),
}

/// Two places on a path with values of different sign, or one of them within the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SignChange {
    pub(super) low: usize,
    pub(super) high: usize,
    pub(super) values: [f64; 2],
}

impl SignChange {
    /// Two neighbours on a path of `len` points: of places that are apart, the one whose value is small enough, with the next.
    pub(super) fn adjacent(self, len: usize) -> Self {
        if self.high - self.low == 1 || len < 2 {
            return self;
        }
        let is_low = self.values[0].abs() <= self.values[1].abs();
        let at = if is_low { self.low } else { self.high };
        let next = if at + 1 < len { at + 1 } else { at - 1 };
        // The root is at the place itself, as nearly as can be told.
        Self {
            low: at,
            high: next,
            values: [0.0, f64::MIN_POSITIVE],
        }
    }
}

/// Narrows the change of sign between the first and the last of `len` places; none when values between are undefined or the ends have one sign.
pub(super) fn narrow(
    len: usize,
    ends: [f64; 2],
    tolerance: f64,
    rule: ProbeRule<'_>,
    mut value: impl FnMut(usize) -> Option<f64>,
) -> Option<SignChange> {
    let (mut low, mut high) = (0, len.checked_sub(1)?);
    let [mut at_low, mut at_high] = ends;
    if at_low * at_high > 0.0 || at_low.is_nan() || at_high.is_nan() {
        return None;
    }
    // Below zero at the start, by turning the function over if need be.
    let sign = if at_low > 0.0 || at_high < 0.0 {
        -1.0
    } else {
        1.0
    };
    (at_low, at_high) = (sign * at_low, sign * at_high);
    let mut patience = 2 * (usize::BITS - len.leading_zeros());
    while high - low > 1 && -at_low > tolerance && at_high > tolerance {
        let probe = if patience > 0 {
            interpolate(low, high, at_low, at_high, rule)
        } else {
            low + (high - low) / 2
        };
        patience = patience.saturating_sub(1);
        let (probe, found) = defined_near(probe, low, high, &mut value)?;
        let found = sign * found;
        if found < 0.0 {
            (low, at_low) = (probe, found);
        } else {
            (high, at_high) = (probe, found);
        }
    }
    Some(SignChange {
        low,
        high,
        values: [sign * at_low, sign * at_high],
    })
}

/// The place where the line through both values crosses zero, strictly between.
fn interpolate(low: usize, high: usize, at_low: f64, at_high: f64, rule: ProbeRule<'_>) -> usize {
    let part = -at_low / (at_high - at_low);
    let probe = match rule {
        ProbeRule::Index => low + (part * (high - low) as f64).ceil() as usize,
        ProbeRule::Distance(lengths) => {
            let (from, to) = (lengths[low], lengths[high]);
            let goal = from + part * (to - from);
            low + lengths[low..=high].partition_point(|&length| length < goal)
        }
    };
    probe.clamp(low + 1, high - 1)
}

/// The defined value nearest to a probe strictly between two places.
fn defined_near(
    probe: usize,
    low: usize,
    high: usize,
    value: &mut impl FnMut(usize) -> Option<f64>,
) -> Option<(usize, f64)> {
    for offset in 0..high - low {
        let above = probe + offset;
        if above < high
            && let Some(found) = value(above)
        {
            return Some((above, found));
        }
        if offset > 0
            && probe > low + offset
            && let Some(found) = value(probe - offset)
        {
            return Some((probe - offset, found));
        }
    }
    None
}

/// The place of a smallest value among `len`, if the values fall and then rise; otherwise some place with a value. Undefined values count as infinite.
pub(super) fn smallest(
    len: usize,
    mut value: impl FnMut(usize) -> Option<f64>,
) -> Option<(usize, f64)> {
    let mut at = |index: usize| value(index).map_or(f64::INFINITY, f64::abs);
    let (mut low, mut high) = (0, len.checked_sub(1)?);
    let mut best = (low, f64::INFINITY);
    let mut left: Option<(usize, f64)> = None;
    let mut right: Option<(usize, f64)> = None;
    // Two probes at golden sections; one of them serves again in the next step.
    while high - low > 3 {
        let width = (GOLDEN * (high - low) as f64).round() as usize;
        let (x, y) = ((high - width).max(low + 1), (low + width).min(high - 1));
        let (x, y) = if x < y { (x, y) } else { (y, y + 1) };
        let fx = known(left, x).or(known(right, x)).unwrap_or_else(|| at(x));
        let fy = known(right, y).or(known(left, y)).unwrap_or_else(|| at(y));
        for found in [(x, fx), (y, fy)] {
            if found.1 < best.1 {
                best = found;
            }
        }
        if fx <= fy {
            high = y;
        } else {
            low = x;
        }
        (left, right) = (Some((x, fx)), Some((y, fy)));
    }
    for index in low..=high {
        let found = known(left, index).or(known(right, index));
        let found = found.unwrap_or_else(|| at(index));
        if found < best.1 {
            best = (index, found);
        }
    }
    best.1.is_finite().then_some(best)
}

fn known(probe: Option<(usize, f64)>, index: usize) -> Option<f64> {
    probe.filter(|p| p.0 == index).map(|p| p.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Narrows a function over indices; the values requested, and the result.
    fn run(len: usize, rule: ProbeRule<'_>, f: impl Fn(usize) -> f64) -> (u32, Option<SignChange>) {
        let mut asked = 0;
        let ends = [f(0), f(len - 1)];
        let found = narrow(len, ends, 0.0, rule, |i| {
            assert!(i > 0 && i < len - 1, "an end is asked again");
            asked += 1;
            Some(f(i))
        });
        (asked, found)
    }

    #[test]
    fn rounding_up_to_an_end_makes_progress() {
        // The printed rule looks at the end again: ⌈(1 − tiny)·2⌉ = 2.
        let (asked, found) = run(3, ProbeRule::Index, |i| [-1.0, 1.0, 1e-9][i]);
        assert_eq!(asked, 1);
        assert_eq!(found.map(|s| (s.low, s.high)), Some((0, 1)));
    }

    #[test]
    fn both_signs_at_the_start_are_allowed() {
        for sign in [-1.0, 1.0] {
            let (_, found) = run(9, ProbeRule::Index, |i| sign * (i as f64 - 3.5));
            let found = found.map(|s| (s.low, s.high, s.values));
            assert_eq!(found, Some((3, 4, [-0.5 * sign, 0.5 * sign])));
        }
    }

    #[test]
    fn even_steps_take_few_values_and_steep_ones_not_many() {
        let (even, _) = run(10_001, ProbeRule::Index, |i| i as f64 - 7_000.5);
        assert!(even <= 3, "{even}");
        // Interpolation alone would step by one point at a time.
        let (steep, found) = run(10_001, ProbeRule::Index, |i| {
            if i < 9_000 {
                -1e-12 * (9_001 - i) as f64
            } else {
                1.0
            }
        });
        assert!(steep <= 2 * 14 + 14, "{steep}");
        assert_eq!(found.map(|s| (s.low, s.high)), Some((8_999, 9_000)));
    }

    #[test]
    fn lengths_help_where_points_are_uneven() {
        let place = |i: usize| {
            if i < 900 {
                i as f64 * 1e-3
            } else {
                i as f64 - 899.0
            }
        };
        let lengths: Vec<f64> = (0..1000).map(place).collect();
        let f = |i: usize| place(i) - 50.5;
        let (by_length, found) = run(1000, ProbeRule::Distance(&lengths), f);
        let (by_index, same) = run(1000, ProbeRule::Index, f);
        assert_eq!(found.map(|s| s.low), same.map(|s| s.low));
        assert!(by_length < by_index, "{by_length} {by_index}");
    }

    #[test]
    fn undefined_values_are_stepped_around_or_end_the_search() {
        let f = |i: usize| (i.is_multiple_of(2) || i > 6).then_some(i as f64 - 8.5);
        let found = narrow(12, [-8.5, 2.5], 0.0, ProbeRule::Index, f);
        assert_eq!(found.map(|s| (s.low, s.high)), Some((8, 9)));
        assert_eq!(
            narrow(12, [-8.5, 2.5], 0.0, ProbeRule::Index, |_| None),
            None
        );
        assert_eq!(
            narrow(0, [-1.0, 1.0], 0.0, ProbeRule::Index, |_| None),
            None
        );
        assert_eq!(
            narrow(5, [1.0, 1.0], 0.0, ProbeRule::Index, |_| Some(1.0)),
            None
        );
    }

    #[test]
    fn golden_sections_find_the_smallest_of_a_valley() {
        for len in [1, 2, 3, 4, 5, 8, 13, 100, 1000] {
            for bottom in 0..len {
                let mut asked = 0;
                let found = smallest(len, |i| {
                    asked += 1;
                    Some((i as f64 - bottom as f64) * 0.1 + 0.01)
                });
                assert_eq!(found.map(|f| f.0), Some(bottom), "{len}");
                assert!(asked <= 30, "{asked}");
            }
        }
        assert_eq!(smallest(0, |_| Some(1.0)), None);
        assert_eq!(smallest(5, |_| None), None);
    }
}
