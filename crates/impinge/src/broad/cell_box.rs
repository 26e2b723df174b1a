//! Integer boxes: which grid cells a box covers, and which it covers beyond another.

use glam::DVec3;

use super::body_table::BodyTable;
use crate::bound::Aabb;

/// Cells from `lo` to `hi`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellBox {
    pub(super) lo: [i64; 3],
    pub(super) hi: [i64; 3],
}

impl CellBox {
    /// No cell.
    pub(super) const EMPTY: Self = Self {
        lo: [0; 3],
        hi: [-1; 3],
    };

    pub(super) fn is_empty(&self) -> bool {
        (0..3).any(|k| self.lo[k] > self.hi[k])
    }

    pub(super) fn overlap(&self, other: &Self) -> Self {
        let mut both = *self;
        for k in 0..3 {
            both.lo[k] = both.lo[k].max(other.lo[k]);
            both.hi[k] = both.hi[k].min(other.hi[k]);
        }
        both
    }

    /// How many cells, saturating.
    pub(super) fn count(&self) -> u64 {
        if self.is_empty() {
            return 0;
        }
        (0..3).fold(1, |n: u64, k| {
            n.saturating_mul(self.hi[k].abs_diff(self.lo[k]).saturating_add(1))
        })
    }

    /// The cells, z fastest.
    pub(super) fn iter(self) -> impl Iterator<Item = [i64; 3]> {
        let [lo, hi] = [self.lo, self.hi];
        (lo[0]..=hi[0]).flat_map(move |x| {
            (lo[1]..=hi[1]).flat_map(move |y| (lo[2]..=hi[2]).map(move |z| [x, y, z]))
        })
    }

    /// Up to six boxes that part the cells of `self` that are not in `old`; unused ones are empty.
    ///
    /// The formulas hold only for boxes that overlap; for others the whole of `self` comes back.
    pub(super) fn without(&self, old: &Self) -> [Self; 6] {
        let n = self;
        let mut parts = [Self::EMPTY; 6];
        if n.overlap(old).is_empty() {
            parts[0] = *n;
            return parts;
        }
        let both = n.overlap(old);
        let from_x = both.lo[0];
        let part = |lo: [i64; 3], hi: [i64; 3]| Self { lo, hi };
        parts[0] = part(n.lo, [old.lo[0] - 1, n.hi[1], n.hi[2]]);
        parts[1] = part([from_x, old.hi[1] + 1, n.lo[2]], n.hi);
        parts[2] = part(
            [from_x, n.lo[1], n.lo[2]],
            [n.hi[0], old.lo[1] - 1, n.hi[2]],
        );
        parts[3] = part(
            [from_x, both.lo[1], n.lo[2]],
            [n.hi[0], both.hi[1], old.lo[2] - 1],
        );
        parts[4] = part(
            [from_x, both.lo[1], old.hi[2] + 1],
            [n.hi[0], both.hi[1], n.hi[2]],
        );
        parts[5] = part(
            [old.hi[0] + 1, both.lo[1], both.lo[2]],
            [n.hi[0], both.hi[1], both.hi[2]],
        );
        parts
    }
}

/// Cells of equal size; coordinates outside the limits belong to the outermost cells.
///
/// The cell of a coordinate never falls when the coordinate grows, so boxes that overlap share a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub(super) origin: DVec3,
    /// Cells per unit of length.
    pub(super) scale: DVec3,
    pub(super) last: [i64; 3],
}

impl Lattice {
    /// As many cells along each axis of the box.
    pub(super) fn dividing(universe: &Aabb, cells: u32) -> Self {
        let size = universe.diagonal();
        let per = |s: f64| if s > 0.0 { f64::from(cells) / s } else { 0.0 };
        Self {
            origin: universe.min,
            scale: DVec3::new(per(size.x), per(size.y), per(size.z)),
            last: [i64::from(cells) - 1; 3],
        }
    }

    pub(super) fn cell(&self, p: DVec3) -> [i64; 3] {
        let at = (p - self.origin) * self.scale;
        // The cast saturates, which keeps the order.
        let clamped = |x: f64, last: i64| (x.floor() as i64).clamp(0, last);
        [
            clamped(at.x, self.last[0]),
            clamped(at.y, self.last[1]),
            clamped(at.z, self.last[2]),
        ]
    }

    pub(super) fn covered(&self, b: &Aabb) -> CellBox {
        CellBox {
            lo: self.cell(b.min),
            hi: self.cell(b.max),
        }
    }

    /// Checks that every bounded body is listed under the cells that its box covers.
    pub(super) fn check_listed(
        &self,
        bodies: &BodyTable,
        listed: impl Fn(usize) -> Option<CellBox>,
    ) -> Result<(), String> {
        for slot in bodies.bounded().map(|slot| slot as usize) {
            if listed(slot) != Some(self.covered(&bodies.boxes()[slot])) {
                return Err(format!("slot {slot} is not listed where its box is"));
            }
        }
        Ok(())
    }
}

/// The box around all bounded boxes; a point if there are none.
pub(super) fn universe_of(bodies: &BodyTable) -> Aabb {
    let boxes = bodies.bounded().map(|slot| bodies.boxes()[slot as usize]);
    let all = boxes.fold(Aabb::EMPTY, |all, b| all.union(&b));
    if all.is_empty() {
        return Aabb {
            min: DVec3::ZERO,
            max: DVec3::ONE,
        };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;

    #[test]
    fn the_six_boxes_part_the_difference() {
        let mut rng = Rng::new(17);
        let mut random = || {
            let lo = [0; 3].map(|_: i64| rng.below(5) as i64);
            let hi = lo.map(|l| l + rng.below(5) as i64);
            CellBox { lo, hi }
        };
        for _ in 0..2000 {
            let (new, old) = (random(), random());
            let mut found: Vec<_> = new.without(&old).iter().flat_map(|p| p.iter()).collect();
            let mut expected: Vec<_> = new
                .iter()
                .filter(|c| !old.iter().any(|d| d == *c))
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{new:?} without {old:?}");
        }
    }
}
