//! The step of a search for overlaps: eight children of one node against eight of another.
//!
//! **Idea.** The children of `b`'s node are brought into the frame of `a`'s once, in lanes; then each is compared with all of `a`'s
//! at once, by squares, so that no root is taken. Which pairs are near is one word of 64 bits, and what kinds of children they join is a matter of masks.
//!
//! **Promise.** A pair of balls that share volume is never left out: radii are enlarged by more than lanes can round. Nothing is fused, so
//! that all instruction sets find the same pairs, in the same order.

use super::fit::Node;
use super::plan::{LEAF, WIDTH};
use super::scene::{LANE_ERROR, Scene, Side};
use crate::math::round;
use crate::math::simd::lanes::{Kernel, Lanes, Mask as _, dispatch};
use crate::spheres::ball::SolidBall;

/// Pairs found, by what is to be done with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Two nodes.
    pub(super) nodes: Vec<(u32, u32)>,
    /// A node and a ball, marked as a leaf.
    pub(super) mixed: Vec<(u32, u32)>,
    /// Two balls, by their numbers.
    pub(super) leaves: Vec<(u32, u32)>,
}

impl Found {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.mixed.clear();
        self.leaves.clear();
    }

    /// Puts a pair where it belongs.
    pub(super) fn push(&mut self, a: u32, b: u32) {
        match (a & LEAF != 0, b & LEAF != 0) {
            (false, false) => self.nodes.push((a, b)),
            (true, true) => self.leaves.push((a & !LEAF, b & !LEAF)),
            _ => self.mixed.push((a, b)),
        }
    }
}

/// The frame of `b`'s nodes as seen from that of `a`'s.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    turn: [[f32; 3]; 3],
    origin: [f32; 3],
    scale: f32,
    /// What rounding may do to a gap.
    room: f32,
}

impl View {
    /// None when a tree is empty.
    pub(super) fn new(scene: &Scene<'_>) -> Option<Self> {
        let (a, b) = (scene.a.tree.frame.as_ref()?, scene.b.tree.frame.as_ref()?);
        let middle = |frame: &crate::spheres::pack::UnitFrame| frame.leave(glam::Vec3::ZERO);
        let scale = b.scale * a.inverse;
        let origin = (scene.a_from_b.transform_point(middle(b)) - middle(a)) * a.inverse;
        let rows = scene.a_from_b.rotation().transpose() * scale;
        let far = origin.abs().max_element();
        Some(Self {
            turn: rows.to_cols_array_2d().map(|row| row.map(|x| x as f32)),
            origin: origin.as_vec3().to_array(),
            scale: scale as f32,
            // Turning costs seven roundings of a part of the scale, moving four of the distance, comparing six of the sum of radii.
            room: round::up(LANE_ERROR * (1.0 + far + scale)),
        })
    }
}

/// The same byte eight times.
const EVERY_ROW: u64 = 0x0101_0101_0101_0101;

impl Scene<'_> {
    /// Pairs of children of two nodes that may overlap.
    #[inline]
    pub(super) fn open_nodes(&self, view: &View, a: u32, b: u32, found: &mut Found) {
        let nodes = (
            self.a.tree.nodes.get(a as usize),
            self.b.tree.nodes.get(b as usize),
        );
        let (Some(of_a), Some(of_b)) = nodes else {
            return;
        };
        let near = dispatch(
            self.level,
            Blocks {
                a: of_a,
                a_radii: radii(&self.a, of_a, a),
                b: of_b,
                b_radii: radii(&self.b, of_b, b),
                view,
            },
        );
        let a_leaves = u64::from(of_a.leaf_lanes) * EVERY_ROW;
        let a_nodes = u64::from(of_a.node_lanes) * EVERY_ROW;
        let leaves = near & a_leaves & of_b.leaf_rows;
        let nodes = near & a_nodes & of_b.node_rows;
        let mixed = near & (a_leaves & of_b.node_rows | a_nodes & of_b.leaf_rows);
        each(leaves, |i, j| {
            found
                .leaves
                .push((of_a.child[i] & !LEAF, of_b.child[j] & !LEAF));
        });
        each(nodes, |i, j| {
            found.nodes.push((of_a.child[i], of_b.child[j]));
        });
        each(mixed, |i, j| {
            found.mixed.push((of_a.child[i], of_b.child[j]));
        });
    }

    /// Children of a node that may overlap a ball of the other tree.
    #[inline]
    pub(super) fn open_mixed(&self, a: u32, b: u32, found: &mut Found) {
        let opens_b = a & LEAF != 0;
        let (side, code, other) = if opens_b {
            let ball = self.a.ball(a);
            let center = self.b_from_a.transform_point(ball.center);
            (&self.b, b, SolidBall { center, ..ball })
        } else {
            let ball = self.b.ball(b);
            let center = self.a_from_b.transform_point(ball.center);
            (&self.a, a, SolidBall { center, ..ball })
        };
        let tree = side.tree;
        let (Some(frame), Some(node)) = (&tree.frame, tree.nodes.get(code as usize)) else {
            return;
        };
        let center = frame.enter(other.center);
        let far = f64::from(center.abs().max_element());
        let radius = other.radius * frame.inverse;
        let near = dispatch(
            self.level,
            Near {
                centers: &node.center,
                radii: radii(side, node, code),
                center: center.to_array(),
                radius: round::up(radius + LANE_ERROR * (1.0 + far + radius)),
            },
        );
        let leaves = near & u64::from(node.leaf_lanes);
        let nodes = near & u64::from(node.node_lanes);
        if opens_b {
            each(leaves, |lane, _| {
                found.leaves.push((a & !LEAF, node.child[lane] & !LEAF));
            });
            each(nodes, |lane, _| found.mixed.push((a, node.child[lane])));
        } else {
            each(leaves, |lane, _| {
                found.leaves.push((node.child[lane] & !LEAF, b & !LEAF));
            });
            each(nodes, |lane, _| found.mixed.push((node.child[lane], b)));
        }
    }
}

/// The radii of a node's children with which a side is searched.
#[inline]
fn radii<'n>(side: &'n Side<'_>, node: &'n Node, code: u32) -> &'n [f32; WIDTH] {
    match side.swollen {
        Some(swollen) => &swollen.nodes[code as usize],
        None => &node.radius,
    }
}

/// Shows the lane and the row of each bit.
#[inline]
fn each(mut bits: u64, mut show: impl FnMut(usize, usize)) {
    while bits != 0 {
        let k = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        show(k % WIDTH, k / WIDTH);
    }
}

/// Which children of `a`, bit by bit, are near which of `b`, byte by byte.
struct Blocks<'n> {
    a: &'n Node,
    /// Negative and infinite where there is no child: such a ball is near nothing but what shares its centre, and masks leave it out.
    a_radii: &'n [f32; WIDTH],
    b: &'n Node,
    b_radii: &'n [f32; WIDTH],
    view: &'n View,
}

impl Kernel for Blocks<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Lanes>(self) -> u64 {
        let view = self.view;
        let (x, y, z) = (
            T::load(&self.b.center[0]),
            T::load(&self.b.center[1]),
            T::load(&self.b.center[2]),
        );
        let mut placed = [[0.0; WIDTH]; 3];
        for axis in 0..3 {
            let turn = &view.turn[axis];
            let turned = x * T::splat(turn[0]) + y * T::splat(turn[1]) + z * T::splat(turn[2]);
            placed[axis] = (turned + T::splat(view.origin[axis])).store();
        }
        let radii = T::load(self.b_radii) * T::splat(view.scale) + T::splat(view.room);
        let radii = radii.store();
        let (x, y, z) = (
            T::load(&self.a.center[0]),
            T::load(&self.a.center[1]),
            T::load(&self.a.center[2]),
        );
        let own = T::load(self.a_radii);
        let mut near = 0;
        for row in 0..WIDTH {
            let dx = x - T::splat(placed[0][row]);
            let dy = y - T::splat(placed[1][row]);
            let dz = z - T::splat(placed[2][row]);
            let reach = (own + T::splat(radii[row])).max(T::splat(0.0));
            // Not farther, instead of nearer: what overflowed is looked at.
            let far = (reach * reach).lt(dx * dx + dy * dy + dz * dz);
            near |= u64::from(!far.bits() & 0xFF) << (WIDTH * row);
        }
        near
    }
}

/// Which of the eight balls of a node are near one ball.
struct Near<'n> {
    centers: &'n [[f32; WIDTH]; 3],
    radii: &'n [f32; WIDTH],
    center: [f32; 3],
    radius: f32,
}

impl Kernel for Near<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Lanes>(self) -> u64 {
        let dx = T::load(&self.centers[0]) - T::splat(self.center[0]);
        let dy = T::load(&self.centers[1]) - T::splat(self.center[1]);
        let dz = T::load(&self.centers[2]) - T::splat(self.center[2]);
        let reach = (T::load(self.radii) + T::splat(self.radius)).max(T::splat(0.0));
        let far = (reach * reach).lt(dx * dx + dy * dy + dz * dz);
        u64::from(!far.bits() & 0xFF)
    }
}
