//! Which of many bodies meet, by looking: the body that changed is compared with all others.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::DVec3;
use impinge::broad::{Bounds, ObjectId, ObjectPair};

/// As many slots as the table has.
pub(super) const SLOTS: usize = 2048;
const WORDS: usize = SLOTS / 64;

/// The corners and axes of the tightest box that is known of a body.
fn tightest(bounds: &Bounds) -> ([DVec3; 8], [DVec3; 3]) {
    let Bounds { aabb, oriented } = bounds;
    oriented.as_ref().map_or_else(
        || {
            let side = |i: usize, k: usize| {
                if i >> k & 1 == 0 {
                    aabb.min[k]
                } else {
                    aabb.max[k]
                }
            };
            let corner = |i: usize| DVec3::new(side(i, 0), side(i, 1), side(i, 2));
            (std::array::from_fn(corner), DVec3::AXES)
        },
        |obb| (obb.corners(), obb.axes()),
    )
}

/// Whether the corners' projections part the tightest boxes along one of the 15 directions, by a clear gap.
fn clearly_apart(a: &Bounds, b: &Bounds) -> bool {
    if a.oriented.is_none() && b.oriented.is_none() {
        return false;
    }
    let ((corners_a, axes_a), (corners_b, axes_b)) = (tightest(a), tightest(b));
    let range = |corners: &[DVec3; 8], d: DVec3| {
        let along = corners.map(|c| c.dot(d));
        let low = along.into_iter().fold(f64::INFINITY, f64::min);
        (low, along.into_iter().fold(f64::NEG_INFINITY, f64::max))
    };
    let apart = |d: DVec3| {
        let ((p, q), (r, s)) = (range(&corners_a, d), range(&corners_b, d));
        q < r - 1e-9 || s < p - 1e-9
    };
    let crossed = |u: DVec3| axes_b.into_iter().any(|v| apart(u.cross(v)));
    axes_a.into_iter().any(apart)
        || axes_b.into_iter().any(apart)
        || axes_a.into_iter().any(crossed)
}

/// A set of slots for each slot.
#[derive(Debug)]
pub(super) struct Relation(Vec<[u64; WORDS]>);

impl Relation {
    fn new() -> Self {
        Self(vec![[0; WORDS]; SLOTS])
    }

    fn set(&mut self, x: usize, y: usize) {
        self.0[x][y / 64] |= 1 << (y % 64);
        self.0[y][x / 64] |= 1 << (x % 64);
    }

    fn clear(&mut self, x: usize) {
        let row = std::mem::replace(&mut self.0[x], [0; WORDS]);
        for y in members(&row) {
            self.0[y][x / 64] &= !(1 << (x % 64));
        }
    }
}

fn members(row: &[u64; WORDS]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(word * 64 + bit)
        })
    })
}

/// The bodies, and which of them meet.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) bodies: Vec<Option<(ObjectId, Bounds)>>,
    pub(super) boxes: Relation,
    /// Of those, the ones whose tightest boxes are not clearly apart.
    pub(super) oriented: Relation,
    pub(super) count: usize,
}

impl Table {
    pub(super) fn new() -> Self {
        Self {
            bodies: vec![None; SLOTS],
            boxes: Relation::new(),
            oriented: Relation::new(),
            count: 0,
        }
    }

    pub(super) fn remove(&mut self, slot: usize) {
        self.count -= usize::from(self.bodies[slot].take().is_some());
        self.boxes.clear(slot);
        self.oriented.clear(slot);
    }

    pub(super) fn set(&mut self, id: ObjectId, new: &Bounds) {
        let slot = id.slot() as usize;
        self.remove(slot);
        let a = &new.aabb;
        for (other, body) in self.bodies.iter().enumerate() {
            let Some((_, bounds)) = body else { continue };
            let b = &bounds.aabb;
            if (0..3).any(|k| a.max[k] < b.min[k] || b.max[k] < a.min[k]) {
                continue;
            }
            self.boxes.set(slot, other);
            if !clearly_apart(new, bounds) {
                self.oriented.set(slot, other);
            }
        }
        self.bodies[slot] = Some((id, *new));
        self.count += 1;
    }

    pub(super) fn present(&self) -> impl Iterator<Item = &(ObjectId, Bounds)> {
        self.bodies.iter().flatten()
    }

    pub(super) fn pairs(&self, relation: &Relation) -> Vec<ObjectPair> {
        let mut pairs = Vec::new();
        for (slot, body) in self.bodies.iter().enumerate() {
            let Some((a, _)) = body else { continue };
            let later = members(&relation.0[slot]).filter(|&other| other > slot);
            pairs.extend(later.map(|other| ObjectPair::new(*a, self.bodies[other].unwrap().0)));
        }
        pairs
    }
}
