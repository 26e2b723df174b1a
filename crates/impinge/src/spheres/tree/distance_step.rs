//! Distance traversal step: eight children of one node against eight of another.
//!
//! **Idea.** As for overlaps, the children of `b`'s node are transformed into the frame of `a`'s
//! once, and each is compared with all of `a`'s by squared distances. The search begins with a gap
//! that is almost the smallest, so few of the 64 pairs remain; roots are taken only for these.
//!
//! **Promise.** A pair whose gap is below the limit is never pruned: bounds are lowered by more
//! than the rounding error of the lanes. Nothing is fused.

use super::overlap_step::{RelativeView, radii};
use super::topology::{LEAF, WIDTH};
use super::tree_pair::{NodePair, TreePair};
use crate::math::outward_rounding;
use crate::math::simd::lanes::{Kernel, Lanes, Mask as _, dispatch};

/// Two nodes are opened together unless one is larger than the other by this factor: then it goes first.
const ALIKE: f64 = 4.0;

/// Gaps of the children of `a`, side by side, from each of `b`.
pub(super) type Gaps = [[f32; WIDTH]; WIDTH];

impl TreePair<'_> {
    /// Whether both parts are nodes of about the same size.
    #[inline]
    pub(super) fn are_alike(&self, pair: &NodePair) -> bool {
        if (pair.a | pair.b) & LEAF != 0 {
            return false;
        }
        let (a, b) = (self.a.ball(pair.a).radius, self.b.ball(pair.b).radius);
        a <= ALIKE * b && b <= ALIKE * a
    }

    /// Replaces both nodes by their children; appends those pairs whose gap is below `within`.
    pub(super) fn open_both(
        &self,
        view: &RelativeView,
        pair: &NodePair,
        within: f64,
        gaps: &mut Gaps,
        found: &mut Vec<NodePair>,
    ) {
        let (side_a, side_b) = (&self.a, &self.b);
        let nodes = (
            side_a.tree.nodes.get(pair.a as usize),
            side_b.tree.nodes.get(pair.b as usize),
        );
        let (Some(frame), (Some(of_a), Some(of_b))) = (&side_a.tree.frame, nodes) else {
            return;
        };
        let room = f64::from(view.room);
        let rows = dispatch(
            self.level,
            DistanceBlock {
                a: &of_a.center,
                a_radii: radii(side_a, of_a, pair.a),
                b: &of_b.center,
                b_radii: radii(side_b, of_b, pair.b),
                view,
                limit: outward_rounding::up(within * frame.inverse + room),
                gaps,
            },
        );
        let mut bits = rows & (u64::from(of_a.lanes) * 0x0101_0101_0101_0101) & of_b.rows;
        while bits != 0 {
            let k = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let (lane, row) = (k % WIDTH, k / WIDTH % WIDTH);
            found.push(NodePair {
                a: of_a.child[lane],
                b: of_b.child[row],
                bound: (f64::from(gaps[row][lane]) - room) * frame.scale,
            });
        }
    }
}

/// Which children of `a`, bit by bit, are nearer than the limit to which of `b`, byte by byte; where there is a bit, there is a gap.
struct DistanceBlock<'n> {
    a: &'n [[f32; WIDTH]; 3],
    a_radii: &'n [f32; WIDTH],
    b: &'n [[f32; WIDTH]; 3],
    b_radii: &'n [f32; WIDTH],
    view: &'n RelativeView,
    limit: f32,
    gaps: &'n mut Gaps,
}

impl Kernel for DistanceBlock<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Lanes>(self) -> u64 {
        let view = self.view;
        let (x, y, z) = (
            T::load(&self.b[0]),
            T::load(&self.b[1]),
            T::load(&self.b[2]),
        );
        let mut placed = [[0.0; WIDTH]; 3];
        for (axis, placed) in placed.iter_mut().enumerate() {
            let turn = &view.turn[axis];
            let turned = x * T::splat(turn[0]) + y * T::splat(turn[1]) + z * T::splat(turn[2]);
            *placed = (turned + T::splat(view.origin[axis])).store();
        }
        let b_radii = (T::load(self.b_radii) * T::splat(view.scale)).store();
        let (x, y, z) = (
            T::load(&self.a[0]),
            T::load(&self.a[1]),
            T::load(&self.a[2]),
        );
        let own = T::load(self.a_radii);
        let (zero, limit) = (T::splat(0.0), T::splat(self.limit));
        let mut near = 0;
        for (row, &radius) in b_radii.iter().enumerate() {
            let dx = x - T::splat(placed[0][row]);
            let dy = y - T::splat(placed[1][row]);
            let dz = z - T::splat(placed[2][row]);
            let sum = own + T::splat(radius);
            let reach = (sum + limit).max(zero);
            let apart_sq = dx * dx + dy * dy + dz * dz;
            // Not farther, instead of nearer: what overflowed is looked at.
            let far = (reach * reach).lt(apart_sq);
            let bits = u64::from(!far.bits() & 0xFF);
            if bits != 0 {
                near |= bits << (WIDTH * row);
                self.gaps[row] = (apart_sq.sqrt() - sum).store();
            }
        }
        near
    }
}
