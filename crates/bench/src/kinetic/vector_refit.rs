//! A refit made for vector instructions: single precision, one array for each side, level by level.
//!
//! Loops without branches over neighbours, which compilers turn into vector code. Coordinates are rounded to nearest, not outward, so that it is
//! faster than a refit that could be relied upon: as a competitor it has every advantage.

use impinge::DVec3;
use impinge::kinetic::{KineticNode, RefitTree};

pub(super) struct VectorRefit {
    /// By corner: the vertex of each leaf, in the order of the tree, padded to a power of two.
    corners: [Vec<u32>; 3],
    /// Leaves first, each level half as long; by side: least x, y, z, greatest x, y, z.
    sides: [Vec<f32>; 6],
    /// Where levels begin.
    levels: Vec<usize>,
    places: [Vec<f32>; 3],
}

impl VectorRefit {
    pub(super) fn new(tree: &RefitTree, faces: &[[u32; 3]], vertices: usize) -> Self {
        let mut order = Vec::new();
        let mut open = vec![KineticNode::ROOT];
        while let Some(node) = open.pop() {
            match tree.children(node) {
                Some([l, r]) => open.extend([r, l]),
                None => order.extend(tree.face(node).map(|f| faces[f.index()])),
            }
        }
        let leaves = order.len().next_power_of_two();
        let filler = order.last().copied().unwrap_or([0; 3]);
        order.resize(leaves, filler);
        let mut levels = vec![0];
        let mut length = leaves;
        let mut total = 0;
        while length >= 1 {
            total += length;
            levels.push(total);
            length /= 2;
        }
        Self {
            corners: [0, 1, 2].map(|k| order.iter().map(|f| f[k]).collect()),
            sides: std::array::from_fn(|_| vec![0.0; total]),
            levels,
            places: std::array::from_fn(|_| vec![0.0; vertices]),
        }
    }

    pub(super) fn refit(&mut self, places: &[DVec3]) {
        for (axis, row) in self.places.iter_mut().enumerate() {
            for (x, p) in row.iter_mut().zip(places) {
                *x = p[axis] as f32;
            }
        }
        let leaves = self.corners[0].len();
        for axis in 0..3 {
            let row = &self.places[axis];
            let (low, high) = self.sides.split_at_mut(3);
            let (low, high) = (&mut low[axis][..leaves], &mut high[axis][..leaves]);
            let [a, b, c] = &self.corners;
            let corners = a.iter().zip(b).zip(c);
            for ((l, h), ((&a, &b), &c)) in low.iter_mut().zip(high).zip(corners) {
                let [x, y, z] = [row[a as usize], row[b as usize], row[c as usize]];
                *l = least(least(x, y), z);
                *h = greatest(greatest(x, y), z);
            }
        }
        for (side, values) in self.sides.iter_mut().enumerate() {
            for level in self.levels.windows(3) {
                let (below, above) = values[level[0]..level[2]].split_at_mut(level[1] - level[0]);
                if side < 3 {
                    halve(below, above, least);
                } else {
                    halve(below, above, greatest);
                }
            }
        }
    }

    pub(super) fn root(&self) -> [f32; 6] {
        let last = self.sides[0].len() - 1;
        [0, 1, 2, 3, 4, 5].map(|k| self.sides[k][last])
    }
}

#[inline]
fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline]
fn greatest(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline]
fn halve(below: &[f32], above: &mut [f32], choose: impl Fn(f32, f32) -> f32) {
    for (out, pair) in above.iter_mut().zip(below.chunks_exact(2)) {
        *out = choose(pair[0], pair[1]);
    }
}
