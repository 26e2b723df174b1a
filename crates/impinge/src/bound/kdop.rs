//! k-DOP: polytopes bounded by slabs in fixed directions.
//!
//! **Question.** What is the extent of a body along each of k fixed directions?
//! **Idea.** A k-DOP is the intersection of k half-spaces `d·x ≤ extent`, with directions in
//! opposite pairs. A rotation moves the directions away from the fixed ones. But each rotated
//! direction is a sum of at most three fixed ones with positive weights, and the same sum of
//! extents bounds the body along it. This gives a k-DOP around the rotated k-DOP, at three
//! multiplications per direction, with weights computed once per placement.
//! **Source.** Klosowski, Held, Mitchell, Sowizral, Zikan, *Efficient collision detection using
//! bounding volume hierarchies of k-DOPs*, 1998; Zachmann, *Rapid collision detection by
//! dynamically aligned DOP-trees*, 1998. The sums are ours.
//! **Promise.** That of [`BoundingVolume`]; for k = 6 the set is that of [`Aabb`].
//! **Limits.** A larger k gives a tighter fit and a more expensive overlap test.
//!
//! | k | directions |
//! |---|---|
//! | 6 | the axes |
//! | 8 | the four diagonals of a cube |
//! | 14 | axes and diagonals |
//! | 16 | axes and five of the six edge directions (±1, ±1, 0) … |
//! | 18 | axes and edge directions |
//! | 24 | axes, edge directions and three of the four diagonals |
//! | 26 | axes, edge directions and diagonals |

use glam::DVec3;

use super::bounding_volume::{coordinate_sum, margin};
use super::kdop_rotation::{RotatedDirection, turns};
use super::{Aabb, BoundingVolume};
use crate::math::Pose;

/// The largest number of opposite pairs.
pub(super) const MAX_SLABS: usize = 13;

/// The directions: axes, edges, diagonals; the same order in every k-DOP.
pub(super) const DIRECTIONS: [[i8; 3]; MAX_SLABS] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
    [1, -1, 0],
    [1, 0, -1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [-1, 1, 1],
];

/// The kinds of k-DOPs there are: which of the 13 directions each has.
pub trait Slabs {
    /// Numbers of directions in the table of 13, one for each opposite pair.
    const SLABS: &'static [u8];
    /// The name, for reports.
    const NAME: &'static str;
}

/// The half-spaces of `K` directions around a body.
///
/// ```
/// use impinge::bound::{BoundingVolume, Kdop};
/// use impinge::DVec3;
/// let octahedron = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
/// let corner = DVec3::splat(0.9);
/// assert!(Kdop::<6>::enclosing(&octahedron).contains(corner));
/// assert!(!Kdop::<14>::enclosing(&octahedron).contains(corner));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "k-DOP")]
#[doc(alias = "discrete oriented polytope")]
pub struct Kdop<const K: usize> {
    /// The largest `d·x`; direction `i + K/2` is the opposite of direction `i`.
    reach: [f64; K],
}

macro_rules! kinds {
    ($($k:literal $name:literal [$($slab:literal)*])*) => {$(
        impl Slabs for Kdop<$k> {
            const SLABS: &'static [u8] = &[$($slab),*];
            const NAME: &'static str = $name;
        }
        const _: () = assert!(2 * <Kdop<$k> as Slabs>::SLABS.len() == $k);
    )*};
}

kinds! {
    6 "6-dop" [0 1 2]
    8 "8-dop" [9 10 11 12]
    14 "14-dop" [0 1 2 9 10 11 12]
    16 "16-dop" [0 1 2 3 4 5 6 7]
    18 "18-dop" [0 1 2 3 4 5 6 7 8]
    24 "24-dop" [0 1 2 3 4 5 6 7 8 9 10 11]
    26 "26-dop" [0 1 2 3 4 5 6 7 8 9 10 11 12]
}

/// The scalar product with a direction of the table.
#[inline]
fn along(slab: u8, p: DVec3) -> f64 {
    let [x, y, z] = DIRECTIONS[usize::from(slab)].map(f64::from);
    x * p.x + y * p.y + z * p.z
}

impl<const K: usize> Kdop<K>
where
    Self: Slabs,
{
    const NOTHING: Self = Self {
        reach: [f64::NEG_INFINITY; K],
    };

    #[inline]
    fn add(&mut self, p: DVec3) {
        for (i, &slab) in Self::SLABS.iter().enumerate() {
            let x = along(slab, p);
            self.reach[i] = self.reach[i].max(x);
            self.reach[i + K / 2] = self.reach[i + K / 2].max(-x);
        }
    }

    /// The directions, not of unit length, each with half the extent along it.
    pub(crate) fn sides(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let direction = |slab: u8| DVec3::from(DIRECTIONS[usize::from(slab)].map(f64::from));
        let half = |i: usize| 0.5 * (self.reach[i] + self.reach[i + K / 2]);
        (0..K / 2).map(move |i| (direction(Self::SLABS[i]), half(i)))
    }

    /// Bounds on `|d·x|`, summed over three directions that span space: more than the largest coordinate.
    #[inline]
    fn magnitude(&self) -> f64 {
        let slab = |i: usize| self.reach[i].abs().max(self.reach[i + K / 2].abs());
        slab(0) + slab(1) + slab(2)
    }

    /// The gap along one direction between this and the other, turned; negative when there is none.
    #[inline]
    fn gap(&self, i: usize, other: &Self, turn: &RotatedDirection) -> f64 {
        let (mut high, mut low) = (turn.shift, turn.shift);
        for (&m, &weight) in turn.slabs.iter().zip(&turn.weights) {
            let m = usize::from(m);
            // Slab numbers count opposite directions too.
            let opposite = if m < K / 2 { m + K / 2 } else { m - K / 2 };
            high += weight * other.reach[m];
            low -= weight * other.reach[opposite];
        }
        (low - self.reach[i]).max(-self.reach[i + K / 2] - high)
    }
}

/// A pose preprocessed for k-DOPs: the directions of each body in the frame of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KdopRelative {
    forth: [RotatedDirection; MAX_SLABS],
    back: [RotatedDirection; MAX_SLABS],
    size: f64,
}

impl KdopRelative {
    /// What rounding may add to a gap: directions have a length of up to √3 and sums of three terms.
    #[inline]
    fn margin(&self, magnitude: f64) -> f64 {
        margin(4.0 * (magnitude + self.size))
    }
}

impl<const K: usize> BoundingVolume for Kdop<K>
where
    Self: Slabs,
{
    type Relative = KdopRelative;
    const NAME: &'static str = <Self as Slabs>::NAME;
    const UNION_IS_TIGHT: bool = true;

    fn relative(a_from_b: &Pose) -> KdopRelative {
        let (r, t) = (*a_from_b.rotation(), a_from_b.translation());
        // A direction d of a is Rᵀd to b's points before they are placed. A direction d of b is R⁻ᵀd in a's frame, where the
        // projection of a placed point is its own, R need not be orthonormal for that.
        let inverse = r.inverse();
        KdopRelative {
            forth: turns(Self::SLABS, &r.transpose(), |d| d.dot(t)),
            back: turns(Self::SLABS, &inverse.transpose(), |d| {
                -(inverse.transpose() * d).dot(t)
            }),
            size: coordinate_sum(t),
        }
    }

    fn enclosing(points: &[DVec3]) -> Self {
        let mut found = Self::NOTHING;
        for &p in points {
            found.add(p);
        }
        if points.is_empty() {
            found.add(DVec3::ZERO);
        }
        found
    }

    fn union(&self, other: &Self) -> Self {
        Self {
            reach: std::array::from_fn(|i| self.reach[i].max(other.reach[i])),
        }
    }

    fn contains(&self, p: DVec3) -> bool {
        // The sums that made the reaches are the same: no rounding to allow for.
        Self::SLABS.iter().enumerate().all(|(i, &slab)| {
            let x = along(slab, p);
            x <= self.reach[i] && -x <= self.reach[i + K / 2]
        })
    }

    #[inline]
    fn overlaps(&self, other: &Self, relative: &KdopRelative) -> bool {
        // The margin is worked out only for pairs that seem to be apart.
        let apart =
            |gap: f64| gap > 0.0 && gap > relative.margin(self.magnitude() + other.magnitude());
        for i in 0..K / 2 {
            if apart(self.gap(i, other, &relative.forth[i])) {
                return false;
            }
        }
        for i in 0..K / 2 {
            if apart(other.gap(i, self, &relative.back[i])) {
                return false;
            }
        }
        true
    }

    #[inline]
    fn distance_at_least(&self, other: &Self, relative: &KdopRelative) -> f64 {
        let mut best = 0.0_f64;
        let margin = relative.margin(self.magnitude() + other.magnitude());
        for (i, &slab) in Self::SLABS.iter().enumerate() {
            let forth = self.gap(i, other, &relative.forth[i]);
            let back = other.gap(i, self, &relative.back[i]);
            let length = f64::from(
                DIRECTIONS[usize::from(slab)]
                    .map(i8::abs)
                    .iter()
                    .sum::<i8>(),
            );
            // A direction of b may be stretched by the inverse: by a few parts in 10⁹.
            let gap = forth.max(back * (1.0 - super::bounding_volume::SKEW)) - margin;
            best = best.max(gap / length.sqrt());
        }
        best * (1.0 - 4.0 * f64::EPSILON)
    }

    fn size(&self) -> f64 {
        self.bounds().diagonal().length()
    }

    fn surface_area(&self) -> f64 {
        self.bounds().surface_area()
    }

    fn volume(&self) -> f64 {
        self.bounds().volume()
    }

    fn bounds(&self) -> Aabb {
        let high = |i: usize| self.reach[i];
        let low = |i: usize| -self.reach[i + K / 2];
        if K == 8 {
            // Two diagonals add up to twice an axis, in two ways: the diagonals are +++, ++−, +−+, −++.
            let axis = |p: usize, q: usize, r: usize, s: usize| {
                (
                    (0.5 * (low(p) + low(q))).max(0.5 * (low(r) - high(s))),
                    (0.5 * (high(p) + high(q))).min(0.5 * (high(r) - low(s))),
                )
            };
            let (x, y, z) = (
                diagonal_axis(axis(1, 2, 0, 3)),
                diagonal_axis(axis(1, 3, 0, 2)),
                diagonal_axis(axis(2, 3, 0, 1)),
            );
            return Aabb {
                min: DVec3::new(x.0, y.0, z.0),
                max: DVec3::new(x.1, y.1, z.1),
            };
        }
        Aabb {
            min: DVec3::new(low(0), low(1), low(2)),
            max: DVec3::new(high(0), high(1), high(2)),
        }
    }
}

/// An interval whose ends rounding may have exchanged.
fn diagonal_axis((low, high): (f64, f64)) -> (f64, f64) {
    (low.min(high), high.max(low))
}
