//! Exact GJK: whether the hulls of two point sets intersect, without rounding.
//!
//! **Question.** Do they share a point, touching included, and if not, what is their distance?
//! **Idea.** The search for the point of the Minkowski difference nearest to the origin, in
//! integers: a simplex of differences `a_i − b_j`, its point `v` nearest to the origin by Johnson's
//! determinants, and a new difference on the near side of `v`. Each `v` is strictly nearer than the
//! last, so no simplex repeats and the search terminates. It ends with `v = 0`, or with a plane
//! that has all of `a` strictly on one side and all of `b` on the other. Both are proofs. The
//! search starts at the simplex at which the search in `f64` ended, so it takes one or two steps.
//! `f64` also selects candidates for the next difference; only what its error bound leaves
//! undecided is compared in integers.
//! **Source.** Gilbert, Johnson and Keerthi 1988, doi:10.1109/56.2083; exactness ours.
//! **Cost.** Microseconds where coordinates are small integers (`i128`), some hundred microseconds
//! otherwise.
//! **Promise.** Exact for all valid coordinates, for hulls of any dimension.

use glam::DVec3;

use crate::math::{ExactRing, Integer, Scaled, Sign, odd_part};

/// Steps before the search gives up. The search is finite without it; no input is known that takes a hundred.
const MAX_STEPS: usize = 4096;

/// Coordinates below 2^this fit the narrow arithmetic: differences below 2^14, dot products below 2^29.6, Johnson's
/// determinants of four points below 2^94.4, `v` below 2^110.4 and its dot product with a point below 2^125.
const NARROW_BITS: i32 = 13;

/// What was decided.
#[derive(Clone, Debug)]
pub(super) struct ExactDecision {
    pairs: UpToFour<([u32; 2], f64)>,
    /// The shortest difference between a point of `a` and a point of `b`; none when the hulls meet.
    pub(super) gap: Option<DVec3>,
}

impl ExactDecision {
    pub(super) fn meets(&self) -> bool {
        self.gap.is_none()
    }

    /// Pairs of a point of `a` and a point of `b`, with weights: the nearest points of the hulls.
    pub(super) fn pairs(&self) -> impl Iterator<Item = ([u32; 2], f64)> {
        self.pairs.iter().copied()
    }
}

/// A list of at most four, on the stack.
#[derive(Clone, Debug)]
struct UpToFour<T>([Option<T>; 4]);

impl<T> UpToFour<T> {
    const EMPTY: Self = Self([const { None }; 4]);

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    fn len(&self) -> usize {
        self.iter().count()
    }

    fn first(&self) -> Option<&T> {
        self.0[0].as_ref()
    }

    /// Adds one; a fifth is ignored.
    fn push(&mut self, value: T) {
        if let Some(free) = self.0.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(value);
        }
    }
}

impl<T> FromIterator<T> for UpToFour<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut list = Self::EMPTY;
        for value in values {
            list.push(value);
        }
        list
    }
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExactGoal {
    /// Any proof: the first separating plane will do, and the gap is one of its normals.
    Proof,
    /// The shortest gap.
    Gap,
}

/// Whether the hulls of two sets of points share a point, decided in integers: touching counts. An empty set shares none.
///
/// ```
/// use impinge::{DVec3, convex::hulls_intersect};
/// let edge = [DVec3::new(0.5, 0.5, -1.0), DVec3::new(0.5, 0.5, 1.0)];
/// assert!(hulls_intersect(&edge, &[DVec3::X, DVec3::Y]));
/// assert!(!hulls_intersect(&edge, &[DVec3::X, DVec3::Y * 1.0_f64.next_up()]));
/// ```
#[must_use]
pub fn hulls_intersect(a: &[DVec3], b: &[DVec3]) -> bool {
    !a.is_empty() && !b.is_empty() && decide(a, b, &[], ExactGoal::Proof).meets()
}

/// Decides two non-empty sets of points, beginning at some pairs of them.
pub(super) fn decide(
    a: &[DVec3],
    b: &[DVec3],
    start: &[[u32; 2]],
    goal: ExactGoal,
) -> ExactDecision {
    let all = || a.iter().chain(b).flat_map(|p| p.to_array());
    let parts = || all().map(odd_part).filter(|&(mantissa, _)| mantissa != 0);
    let exponent = parts().map(|(_, own)| own).min().unwrap_or(0);
    let is_narrow = parts().all(|(mantissa, own)| {
        own - exponent + 64 - mantissa.leading_zeros() as i32 <= NARROW_BITS
    });
    if is_narrow {
        ExactGjk::<i128>::new(a, b, exponent).run(start, goal)
    } else {
        ExactGjk::<Integer>::new(a, b, exponent).run(start, goal)
    }
}

/// Ring arithmetic with signs.
trait RingNumber: ExactRing {
    fn of(x: f64, exponent: i32) -> Self;
    fn sign(&self) -> Sign;
}

impl ExactRing for i128 {
    fn plus(&self, other: &Self) -> Self {
        self.wrapping_add(*other)
    }
    fn minus(&self, other: &Self) -> Self {
        self.wrapping_sub(*other)
    }
    fn times(&self, other: &Self) -> Self {
        self.wrapping_mul(*other)
    }
    fn rounded(&self) -> Scaled {
        Scaled {
            mantissa: *self as f64,
            exponent: 0,
        }
    }
}

impl RingNumber for i128 {
    fn of(x: f64, exponent: i32) -> Self {
        let (mantissa, own) = odd_part(x);
        let size = i128::from(mantissa) << (own - exponent).clamp(0, 64);
        if x < 0.0 { -size } else { size }
    }
    fn sign(&self) -> Sign {
        match self.signum() {
            -1 => Sign::Negative,
            0 => Sign::Zero,
            _ => Sign::Positive,
        }
    }
}

impl RingNumber for Integer {
    fn of(x: f64, exponent: i32) -> Self {
        let (mantissa, own) = odd_part(x);
        Self::shifted(
            x < 0.0,
            mantissa,
            usize::try_from(own - exponent).unwrap_or(0),
        )
    }
    fn sign(&self) -> Sign {
        Self::sign(self)
    }
}

type Vector<N> = [N; 3];

fn vector<N: RingNumber>(p: DVec3, exponent: i32) -> Vector<N> {
    p.to_array().map(|x| N::of(x, exponent))
}

fn difference<N: RingNumber>(p: &Vector<N>, q: &Vector<N>) -> Vector<N> {
    [0, 1, 2].map(|i| p[i].minus(&q[i]))
}

fn dot<N: RingNumber>(p: &Vector<N>, q: &Vector<N>) -> N {
    p[0].times(&q[0])
        .plus(&p[1].times(&q[1]))
        .plus(&p[2].times(&q[2]))
}

/// A point of the Minkowski difference, and the pair of vertices it comes from.
#[derive(Clone)]
struct ExactPoint<N> {
    pair: [u32; 2],
    y: Vector<N>,
}

/// The point of a simplex nearest to the origin: `Σ weight·y / Σ weight`.
struct ExactNearest<N> {
    /// The corners that carry it, with their weights.
    corners: UpToFour<(ExactPoint<N>, N)>,
    /// `Σ weight·y`, the nearest point times a positive number.
    v: Vector<N>,
}

struct ExactGjk<'p, N> {
    a: &'p [DVec3],
    b: &'p [DVec3],
    exponent: i32,
    one: N,
}

impl<'p, N: RingNumber> ExactGjk<'p, N> {
    fn new(a: &'p [DVec3], b: &'p [DVec3], exponent: i32) -> Self {
        Self {
            a,
            b,
            exponent,
            one: N::of(1.0, 0),
        }
    }

    fn corner(&self, pair: [u32; 2]) -> ExactPoint<N> {
        let p = vector(self.a[pair[0] as usize], self.exponent);
        let q = vector(self.b[pair[1] as usize], self.exponent);
        ExactPoint {
            pair,
            y: difference(&p, &q),
        }
    }

    fn run(&self, start: &[[u32; 2]], goal: ExactGoal) -> ExactDecision {
        let mut simplex: UpToFour<ExactPoint<N>> = start
            .iter()
            .filter(|[i, j]| (*i as usize) < self.a.len() && (*j as usize) < self.b.len())
            .map(|&pair| self.corner(pair))
            .collect();
        if simplex.len() == 0 {
            simplex.push(self.corner([0, 0]));
        }
        let mut nearest = self.nearest(&simplex);
        for _ in 0..MAX_STEPS {
            if nearest.v.iter().all(|x| x.sign().is_zero()) {
                return self.decision(&nearest, true);
            }
            let Some(pair) = self.beyond(&nearest, goal) else {
                return self.decision(&nearest, false);
            };
            // Four carry only the origin, so that there is room for one more.
            simplex = UpToFour::EMPTY;
            for (corner, _) in nearest.corners.iter() {
                simplex.push(corner.clone());
            }
            simplex.push(self.corner(pair));
            nearest = self.nearest(&simplex);
        }
        // Not reached as far as known: say that they meet, which is the careful answer.
        self.decision(&nearest, true)
    }

    fn decision(&self, nearest: &ExactNearest<N>, meets: bool) -> ExactDecision {
        let total = sum(nearest.corners.iter().map(|(_, weight)| weight.clone()))
            .unwrap_or_else(|| self.one.clone())
            .rounded();
        let pairs = nearest
            .corners
            .iter()
            .map(|(corner, weight)| (corner.pair, weight.rounded().over(total)))
            .collect();
        let gap = (!meets).then(|| {
            let [x, y, z] = [0, 1, 2].map(|i| {
                let mut own = nearest.v[i].rounded();
                own.exponent += self.exponent;
                own.over(total)
            });
            DVec3::new(x, y, z)
        });
        ExactDecision { pairs, gap }
    }

    /// The pair that lies farthest on the origin's side of the plane through `v`; none when no pair does, or when the
    /// goal is a proof and all pairs lie beyond the plane through the origin.
    fn beyond(&self, nearest: &ExactNearest<N>, goal: ExactGoal) -> Option<[u32; 2]> {
        let v = &nearest.v;
        // `v` in f64, at a size where nothing over- or underflows.
        let rounded = v.each_ref().map(N::rounded);
        let top = rounded
            .iter()
            .filter(|x| x.mantissa != 0.0)
            .map(|x| x.exponent + libm::ilogb(x.mantissa))
            .max()
            .unwrap_or(0);
        let unit = Scaled {
            mantissa: 1.0,
            exponent: top,
        };
        let [x, y, z] = rounded.map(|x| x.over(unit));
        let rough = DVec3::new(x, y, z);
        let i = self.lowest(self.a, v, rough, false);
        let j = self.lowest(self.b, v, rough, true);
        let pair = [i as u32, j as u32];
        let along = dot(v, &self.corner(pair).y);
        if goal == ExactGoal::Proof && along.sign().is_positive() {
            return None;
        }
        // `v` is perpendicular to the simplex that carries it: all corners of that have the same product with it.
        let plane = dot(v, &nearest.corners.first()?.0.y);
        along.minus(&plane).sign().is_negative().then_some(pair)
    }

    /// The first point with the smallest (or largest) exact dot product with `v`.
    fn lowest(&self, points: &[DVec3], v: &Vector<N>, rough: DVec3, largest: bool) -> usize {
        let sign = if largest { -1.0 } else { 1.0 };
        let along = |p: DVec3| sign * rough.dot(p);
        let best = points
            .iter()
            .map(|&p| along(p))
            .fold(f64::INFINITY, f64::min);
        let size = points
            .iter()
            .map(|p| p.abs().max_element())
            .fold(0.0, f64::max);
        // 3 products of relative error below 2^-50 and two sums, on numbers below `2·size`, doubled for the comparison.
        let slack = size * rough.abs().max_element() * 64.0 * f64::EPSILON + f64::MIN_POSITIVE;
        let mut chosen: Option<(usize, N)> = None;
        for (i, &p) in points.iter().enumerate() {
            if along(p) <= best + slack {
                let own = dot(v, &vector(p, self.exponent));
                let is_better = match &chosen {
                    None => true,
                    Some((_, other)) => {
                        let step = own.minus(other).sign();
                        if largest {
                            step.is_positive()
                        } else {
                            step.is_negative()
                        }
                    }
                };
                if is_better {
                    chosen = Some((i, own));
                }
            }
        }
        chosen.map_or(0, |(i, _)| i)
    }

    /// Johnson's subalgorithm over all subsets of at most four corners.
    fn nearest(&self, simplex: &UpToFour<ExactPoint<N>>) -> ExactNearest<N> {
        let n = simplex.len();
        let products: [[Option<N>; 4]; 4] = simplex.0.each_ref().map(|p| {
            let product = |q: &Option<ExactPoint<N>>| Some(dot(&p.as_ref()?.y, &q.as_ref()?.y));
            simplex.0.each_ref().map(product)
        });
        // delta[set][i] for i in set.
        let mut delta: [[Option<N>; 4]; 16] = [const { [const { None }; 4] }; 16];
        for set in 1_usize..1 << n {
            for j in (0..n).filter(|j| set >> j & 1 == 1) {
                let rest = set & !(1 << j);
                delta[set][j] = if rest == 0 {
                    Some(self.one.clone())
                } else {
                    extended(&products, &delta[rest], rest, j)
                };
            }
        }
        let is_positive = |x: &Option<N>| x.as_ref().is_some_and(|x| x.sign().is_positive());
        for set in 1_usize..1 << n {
            let mut members = (0..n).filter(|i| set >> i & 1 == 1);
            let mut others = (0..n).filter(|i| set >> i & 1 == 0);
            if members.all(|i| is_positive(&delta[set][i]))
                && others.all(|j| !is_positive(&delta[set | 1 << j][j]))
            {
                return self.combined(simplex, &delta[set]);
            }
        }
        // Not reached: the nearest point lies in some subset. The last corner alone is a valid start again.
        let mut single = [const { None }; 4];
        single[n.saturating_sub(1)] = Some(self.one.clone());
        self.combined(simplex, &single)
    }

    /// The point that these weights describe; corners without one are left out.
    fn combined(
        &self,
        simplex: &UpToFour<ExactPoint<N>>,
        weights: &[Option<N>; 4],
    ) -> ExactNearest<N> {
        let corners: UpToFour<(ExactPoint<N>, N)> = simplex
            .0
            .iter()
            .zip(weights)
            .filter_map(|(corner, weight)| Some((corner.clone()?, weight.clone()?)))
            .collect();
        let v = [0, 1, 2].map(|axis| {
            let terms = corners.iter().map(|(p, weight)| weight.times(&p.y[axis]));
            sum(terms).unwrap_or_else(|| self.one.clone())
        });
        ExactNearest { corners, v }
    }
}

/// `Δ_j(rest ∪ j) = Σ Δ_i(rest)·(y_i·y_k − y_i·y_j)` for the first `k` of the rest.
fn extended<N: RingNumber>(
    products: &[[Option<N>; 4]; 4],
    delta: &[Option<N>; 4],
    rest: usize,
    j: usize,
) -> Option<N> {
    let k = rest.trailing_zeros() as usize;
    let terms = delta.iter().zip(products).filter_map(|(own, row)| {
        let own = own.as_ref()?;
        Some(own.times(&row[k].as_ref()?.minus(row[j].as_ref()?)))
    });
    sum(terms)
}

fn sum<N: RingNumber>(mut terms: impl Iterator<Item = N>) -> Option<N> {
    let first = terms.next()?;
    Some(terms.fold(first, |sum, term| sum.plus(&term)))
}
