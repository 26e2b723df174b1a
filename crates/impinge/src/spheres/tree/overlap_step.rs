//! Overlap traversal step: eight children of one node against eight of another.
//!
//! **Idea.** The children of `b`'s node are transformed into the frame of `a`'s once, in SIMD
//! lanes; then each is compared with all of `a`'s at once, by squared distances, so that no root is
//! taken. The result is a 64-bit mask of near pairs, and further masks select the kinds of
//! children.
//!
//! **Promise.** A pair of spheres that overlap is never pruned: radii are enlarged by more than the
//! rounding error of the lanes. Nothing is fused, so that all instruction sets find the same pairs,
//! in the same order.

use super::inner_sphere_tree::SphereNode;
use super::shared_volume::WholeNodes;
use super::topology::{LEAF, WIDTH};
use super::tree_pair::{LANE_ERROR, TreePair, TreeSide};
use crate::math::outward_rounding;
use crate::math::simd::lanes::{Kernel, Lanes, Mask as _, dispatch};
use crate::spheres::pack::UnitFrame;

/// Pairs that are opened together: while one is worked on, the memory of the others arrives.
pub(super) const BATCH: usize = 16;
/// Pairs that opening so many may give.
const MOST_FOUND: usize = BATCH * WIDTH * WIDTH;
/// Leaves of a node that are taken at once, when it lies in a ball of the other tree: a budget must not end far behind.
const MOST_WHOLE: u32 = 64;

/// A stack of pairs. Room is made for a whole batch at once, so that writing needs no branch.
#[derive(Clone, Debug, Default)]
pub(super) struct PairStack {
    /// Those beyond the length are of no meaning.
    items: Vec<(u32, u32)>,
    len: usize,
}

impl PairStack {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn as_slice(&self) -> &[(u32, u32)] {
        &self.items[..self.len]
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Makes room for what a batch may give, and for this many more.
    #[inline]
    fn reserve(&mut self, more: usize) {
        let needed = self.len + MOST_FOUND + more;
        if self.items.len() < needed {
            self.items.resize(2 * needed, (0, 0));
        }
    }

    /// Writes a pair, and keeps it if it belongs here.
    #[inline]
    fn put(&mut self, pair: (u32, u32), belongs: bool) {
        self.items[self.len] = pair;
        self.len += usize::from(belongs);
    }

    /// Takes up to this many pairs from the top.
    #[inline]
    pub(super) fn take(&mut self, most: usize, batch: &mut [(u32, u32); BATCH]) -> usize {
        let count = most.min(BATCH).min(self.len);
        let rest = self.len - count;
        batch[..count].copy_from_slice(&self.items[rest..self.len]);
        self.len = rest;
        count
    }

    /// Takes whole rows of this many pairs from the bottom.
    pub(super) fn drop_first(&mut self, count: usize) {
        let count = count.min(self.len);
        self.items.copy_within(count..self.len, 0);
        self.len -= count;
    }
}

/// Pairs found, by what is to be done with them.
#[derive(Clone, Debug, Default)]
pub(super) struct OverlapPairs {
    /// Two nodes.
    pub(super) nodes: PairStack,
    /// A node and a ball, marked as a leaf.
    pub(super) mixed: PairStack,
    /// Two balls, by their numbers.
    pub(super) leaves: PairStack,
    /// Nodes that lie in a ball, where these count as a whole.
    pub(super) whole: WholeNodes,
}

impl OverlapPairs {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.mixed.clear();
        self.leaves.clear();
        self.whole = WholeNodes::default();
    }

    /// Puts a pair where it belongs.
    pub(super) fn push(&mut self, a: u32, b: u32) {
        self.reserve();
        self.put(a, b);
    }

    #[inline]
    fn reserve(&mut self) {
        self.nodes.reserve(0);
        self.mixed.reserve(0);
        self.leaves.reserve(0);
    }

    /// Which of the three it is cannot be foreseen: all are written.
    #[inline]
    fn put(&mut self, a: u32, b: u32) {
        let (leaf_a, leaf_b) = (a & LEAF != 0, b & LEAF != 0);
        self.nodes.put((a, b), !leaf_a & !leaf_b);
        self.mixed.put((a, b), leaf_a != leaf_b);
        self.leaves.put((a & !LEAF, b & !LEAF), leaf_a & leaf_b);
    }
}

/// The frame of `b`'s nodes as seen from that of `a`'s.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativeView {
    pub(super) turn: [[f32; 3]; 3],
    pub(super) origin: [f32; 3],
    pub(super) scale: f32,
    /// What rounding may do to a gap.
    pub(super) room: f32,
}

impl RelativeView {
    /// None when a tree is empty.
    pub(super) fn new(scene: &TreePair<'_>) -> Option<Self> {
        let (a, b) = (scene.a.tree.frame.as_ref()?, scene.b.tree.frame.as_ref()?);
        let middle = |frame: &UnitFrame| frame.leave(glam::Vec3::ZERO);
        let scale = b.scale * a.inverse;
        let origin = (scene.a_from_b.transform_point(middle(b)) - middle(a)) * a.inverse;
        let rows = scene.a_from_b.rotation().transpose() * scale;
        let far = origin.abs().max_element();
        Some(Self {
            turn: rows.to_cols_array_2d().map(|row| row.map(|x| x as f32)),
            origin: origin.as_vec3().to_array(),
            scale: scale as f32,
            // Turning costs seven roundings of a part of the scale, moving four of the distance, comparing six of the sum of radii.
            room: outward_rounding::up(LANE_ERROR * (1.0 + far + scale)),
        })
    }
}

/// The same byte eight times.
const EVERY_ROW: u64 = 0x0101_0101_0101_0101;

impl TreePair<'_> {
    /// Pairs of children of two nodes that may overlap.
    pub(super) fn open_nodes(
        &self,
        view: &RelativeView,
        batch: &[(u32, u32)],
        found: &mut OverlapPairs,
    ) {
        let near = dispatch(
            self.level,
            OverlapBlocks {
                scene: self,
                view,
                batch,
            },
        );
        found.reserve();
        for (&(a, b), bits) in batch.iter().zip(near) {
            let nodes = (
                self.a.tree.nodes.get(a as usize),
                self.b.tree.nodes.get(b as usize),
            );
            let (Some(of_a), Some(of_b)) = nodes else {
                continue;
            };
            let mut bits = bits & (u64::from(of_a.lanes) * EVERY_ROW) & of_b.rows;
            while bits != 0 {
                let k = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                found.put(of_a.child[k % WIDTH], of_b.child[k / WIDTH % WIDTH]);
            }
        }
    }

    /// Children of nodes that may overlap a ball of the other tree.
    pub(super) fn open_mixed(&self, batch: &[(u32, u32)], found: &mut OverlapPairs) {
        let near = dispatch(self.level, NodeBallBlocks { scene: self, batch });
        found.reserve();
        for (&(a, b), bits) in batch.iter().zip(near) {
            let opens_b = a & LEAF != 0;
            let (tree, code) = if opens_b {
                (self.b.tree, b)
            } else {
                (self.a.tree, a)
            };
            let Some(node) = tree.nodes.get(code as usize) else {
                continue;
            };
            let inside = bits >> WIDTH;
            let mut bits = bits & u64::from(node.lanes);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize % WIDTH;
                bits &= bits - 1;
                let child = node.child[lane];
                if !self.counts_whole && inside >> lane & 1 != 0 && child & LEAF == 0 {
                    let (first, last) = tree.plan.ranges[child as usize];
                    if last - first <= MOST_WHOLE {
                        found.leaves.reserve((last - first) as usize);
                        for leaf in first..last {
                            let whole = if opens_b {
                                (a & !LEAF, leaf)
                            } else {
                                (leaf, b & !LEAF)
                            };
                            found.leaves.put(whole, true);
                        }
                        continue;
                    }
                }
                let (a, b) = if opens_b { (a, child) } else { (child, b) };
                found.put(a, b);
            }
        }
    }
}

/// The radii of a node's children with which a side is searched.
#[inline(always)]
pub(super) fn radii<'n>(
    side: &'n TreeSide<'_>,
    node: &'n SphereNode,
    code: u32,
) -> &'n [f32; WIDTH] {
    match side.swollen {
        Some(swollen) => &swollen.nodes[code as usize],
        None => &node.radius,
    }
}

/// Which children of two nodes are near each other, for several pairs of nodes.
struct OverlapBlocks<'n> {
    scene: &'n TreePair<'n>,
    view: &'n RelativeView,
    batch: &'n [(u32, u32)],
}

impl Kernel for OverlapBlocks<'_> {
    type Output = [u64; BATCH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [u64; BATCH] {
        let mut near = [0; BATCH];
        let (a, b) = (&self.scene.a, &self.scene.b);
        for (near, &(code_a, code_b)) in near.iter_mut().zip(self.batch) {
            let nodes = (
                a.tree.nodes.get(code_a as usize),
                b.tree.nodes.get(code_b as usize),
            );
            if let (Some(of_a), Some(of_b)) = nodes {
                let (radii_a, radii_b) = (radii(a, of_a, code_a), radii(b, of_b, code_b));
                *near = block::<T>(&of_a.center, radii_a, &of_b.center, radii_b, self.view);
            }
        }
        near
    }
}

/// Which children of `a`, bit by bit, are near which of `b`, byte by byte. Where there is no child the radius is negative and infinite; masks
/// leave out what comes of it.
#[inline(always)]
fn block<T: Lanes>(
    a: &[[f32; WIDTH]; 3],
    a_radii: &[f32; WIDTH],
    b: &[[f32; WIDTH]; 3],
    b_radii: &[f32; WIDTH],
    view: &RelativeView,
) -> u64 {
    let (x, y, z) = (T::load(&b[0]), T::load(&b[1]), T::load(&b[2]));
    let mut placed = [[0.0; WIDTH]; 3];
    for (axis, placed) in placed.iter_mut().enumerate() {
        let turn = &view.turn[axis];
        let turned = x * T::splat(turn[0]) + y * T::splat(turn[1]) + z * T::splat(turn[2]);
        *placed = (turned + T::splat(view.origin[axis])).store();
    }
    let radii = T::load(b_radii) * T::splat(view.scale) + T::splat(view.room);
    let radii = radii.store();
    let (x, y, z) = (T::load(&a[0]), T::load(&a[1]), T::load(&a[2]));
    let own = T::load(a_radii);
    let mut near = 0;
    for (row, &radius) in radii.iter().enumerate() {
        let dx = x - T::splat(placed[0][row]);
        let dy = y - T::splat(placed[1][row]);
        let dz = z - T::splat(placed[2][row]);
        let reach = (own + T::splat(radius)).max(T::splat(0.0));
        // Not farther, instead of nearer: what overflowed is looked at.
        let far = (reach * reach).lt(dx * dx + dy * dy + dz * dz);
        near |= u64::from(!far.bits() & 0xFF) << (WIDTH * row);
    }
    near
}

/// Which children of a node are near a ball of the other tree, and in the byte above which are inside it, for several pairs.
struct NodeBallBlocks<'n> {
    scene: &'n TreePair<'n>,
    batch: &'n [(u32, u32)],
}

impl Kernel for NodeBallBlocks<'_> {
    type Output = [u64; BATCH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [u64; BATCH] {
        let mut near = [0; BATCH];
        let scene = self.scene;
        for (near, &(a, b)) in near.iter_mut().zip(self.batch) {
            let (side, code, ball, place) = if a & LEAF != 0 {
                (&scene.b, b, scene.a.ball(a), &scene.b_from_a)
            } else {
                (&scene.a, a, scene.b.ball(b), scene.a_from_b)
            };
            let tree = side.tree;
            let (Some(frame), Some(node)) = (&tree.frame, tree.nodes.get(code as usize)) else {
                continue;
            };
            let center = frame.enter(place.transform_point(ball.center));
            let far = f64::from(center.abs().max_element());
            let radius = ball.radius * frame.inverse;
            // Rounding this is far below the room.
            let reach = (radius + LANE_ERROR * (1.0 + far + radius)) as f32;
            let radii = T::load(radii(side, node, code));
            let dx = T::load(&node.center[0]) - T::splat(center.x);
            let dy = T::load(&node.center[1]) - T::splat(center.y);
            let dz = T::load(&node.center[2]) - T::splat(center.z);
            let reach = (radii + T::splat(reach)).max(T::splat(0.0));
            let apart_sq = dx * dx + dy * dy + dz * dz;
            let far = (reach * reach).lt(apart_sq);
            // In the ball as a whole: its leaves need not be looked for. Rounding only decides who looks.
            let room = (T::splat(radius as f32) - radii).max(T::splat(0.0));
            let inside = apart_sq.le(room * room);
            *near = u64::from(!far.bits() & 0xFF) | u64::from(inside.bits()) << WIDTH;
        }
        near
    }
}
