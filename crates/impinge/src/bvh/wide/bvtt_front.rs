//! The front of the bounding volume traversal tree (BVTT), kept from one distance query to the next.
//!
//! **Question.** The bodies have moved a little since the last search: which parts of it must be
//! repeated?
//! **Idea.** A search ends with a list of *places* (the front): children of opened nodes that were
//! too far, pairs of pruned subtrees, pairs of examined leaves. Each place has two lower bounds: on
//! the distance, and on how far b lies beyond a along a direction of its own. When b moves, the
//! first bound decreases by the displacement of b's box, the second changes by the displacement
//! along the direction; both decrease by the effect of the rotation about the box's centre. A place
//! is skipped as long as either bound exceeds the current distance. Other places are searched
//! again, and the result of that search replaces them: the list follows the motion.
//! **Promise.** Every pair of faces lies below exactly one place, so the skipped ones are proven to
//! be farther than the answer at any pose: the answer is that of a full search.
//! **Cost.** Some 60 bytes a place; eight places are updated at once.
//! **Limits.** Opened subtrees are not closed again, and deeper places have to be searched again
//! more often: a list that has grown by an eighth is rebuilt. (Lists that may double or grow
//! fourfold are 5 and 15 % slower.)

use glam::{DMat3, DVec3};

use super::descent::PendingPair;
use super::layout::{LEAF, NO_CHILD, WIDTH, WideNode};
use super::relative_pose::{RelativePose, U};
use super::tree::{TreeId, WideTree};
use crate::math::outward_rounding;
use crate::math::simd::lanes::{Lanes, Mask};

/// Lists longer than this are not worth keeping.
const MOST_PLACES: usize = 1 << 14;
/// After this many unused lists in a row, only one query in several records a list.
const UNUSED_IN_A_ROW: u32 = 4;
/// Queries between two such lists.
const QUESTIONS_BETWEEN_TRIES: u32 = 16;
/// The bound of an absent lane, and less what no bound is.
const FAR: f32 = 1e30;

/// Eight places, lane by lane; distances in a's units.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
struct FrontBlock {
    /// The centre of b's box, in b's frame.
    center: [[f32; WIDTH]; 3],
    /// No point of b's box is farther from the centre.
    radius: [f32; WIDTH],
    /// In a's frame, of length one at most.
    direction: [[f32; WIDTH]; 3],
    /// No faces at the place are nearer.
    least: [f32; WIDTH],
    /// All faces of b at the place lie beyond those of a by this much along the direction.
    gap: [f32; WIDTH],
}

impl FrontBlock {
    const EMPTY: Self = Self {
        center: [[0.0; WIDTH]; 3],
        radius: [0.0; WIDTH],
        direction: [[0.0; WIDTH]; 3],
        least: [FAR; WIDTH],
        gap: [FAR; WIDTH],
    };
}

/// A place where a search turned back.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrontPair {
    pub(super) pair: PendingPair,
    /// Lanes of the opened node that were left; none when it is the pair itself that was left,
    /// or examined if it is one of leaves.
    pub(super) lanes: u32,
}

impl FrontPair {
    /// Whether it is a pair of leaves.
    pub(super) fn is_leaf(&self) -> bool {
        self.lanes == 0 && self.pair.a & self.pair.b & LEAF != 0
    }
}

/// What is known of a place: bounds as in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrontBounds {
    pub(super) least: f32,
    pub(super) direction: [f32; 3],
    pub(super) gap: f32,
}

impl FrontBounds {
    /// Without a direction.
    pub(super) fn at_least(least: f32) -> Self {
        Self {
            least,
            direction: [0.0; 3],
            gap: -FAR,
        }
    }
}

/// For what the list holds.
#[derive(Clone, Debug)]
struct FrontOrigin {
    trees: [TreeId; 2],
    a_from_b: (DMat3, DVec3),
    slack: f32,
}

/// The places of a search, and how much they have helped since.
#[derive(Clone, Debug, Default)]
pub(super) struct BvttFront {
    blocks: Vec<FrontBlock>,
    places: Vec<FrontPair>,
    /// Numbers of places that are no longer there.
    free: Vec<u32>,
    origin: Option<FrontOrigin>,
    /// Places when the list was made.
    made_with: usize,
    /// Searches that made or used the list.
    searches: u32,
    /// Lists in a row that were hardly used, and queries since the last that was.
    unused: u32,
    asked: u32,
    /// Numbers of places that woke.
    awake: Vec<u32>,
    /// The nearest pair of leaves of the last search, and how near it may be.
    nearest: Option<(u32, f32)>,
}

impl BvttFront {
    /// Whether a new list may be worth making. Not where the last few were of no use, as the poses
    /// of the queries are too far apart; except now and then.
    pub(super) fn is_worthwhile(&mut self) -> bool {
        self.unused = if self.searches > 2 {
            0
        } else {
            self.unused + 1
        };
        self.asked = self.asked.wrapping_add(1);
        self.searches = 0;
        self.origin = None;
        self.unused <= UNUSED_IN_A_ROW || self.asked.is_multiple_of(QUESTIONS_BETWEEN_TRIES)
    }

    /// Begins a new list for these trees in this pose.
    pub(super) fn begin(&mut self, a: &WideTree, b: &WideTree, forth: &RelativePose) {
        self.blocks.clear();
        self.places.clear();
        self.free.clear();
        self.nearest = None;
        self.origin = Some(FrontOrigin {
            trees: [a.id.clone(), b.id.clone()],
            a_from_b: *forth.this_from_other(),
            slack: forth.slack,
        });
    }

    /// Ends the making of the list; `complete` is whether every pair of faces lies below one of its places.
    pub(super) fn end(&mut self, complete: bool) {
        self.made_with = self.len();
        self.searches = 0;
        self.used(complete);
    }

    /// Ends a search that used the list.
    pub(super) fn used(&mut self, complete: bool) {
        self.searches = self.searches.saturating_add(1);
        if !complete
            || self.len() > MOST_PLACES.min(self.made_with + self.made_with / 8 + 8 * WIDTH)
        {
            self.origin = None;
        }
    }

    /// Whether the list is about these trees.
    pub(super) fn is_of(&self, a: &WideTree, b: &WideTree) -> bool {
        let origin = self.origin.as_ref();
        origin.is_some_and(|origin| origin.trees[0] == a.id && origin.trees[1] == b.id)
    }

    /// Places in the list.
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Adds a place; b's box there is in lane `lane_b` of its nodes, `8·node + lane`.
    pub(super) fn add(
        &mut self,
        b: &WideTree,
        place: FrontPair,
        lane_b: u32,
        bounds: &FrontBounds,
    ) {
        let lane = lane_b as usize;
        let (node, k): (&WideNode, usize) = if lane_b == NO_CHILD {
            (&b.root, 0)
        } else {
            (&b.nodes[lane / WIDTH], lane % WIDTH)
        };
        let at = match self.free.pop() {
            Some(at) => at as usize,
            None => self.places.len(),
        };
        if at == self.places.len() {
            self.places.push(place);
            if at.is_multiple_of(WIDTH) {
                self.blocks.push(FrontBlock::EMPTY);
            }
        }
        self.places[at] = place;
        let (block, i) = (&mut self.blocks[at / WIDTH], at % WIDTH);
        let mut sq = 0.0;
        for c in 0..3 {
            block.center[c][i] = node.center[c][k];
            sq += node.half[c][k] * node.half[c][k];
        }
        // Axes orthonormal within 12u.
        block.radius[i] = sq.sqrt() * (1.0 + 32.0 * U);
        self.set_bounds(at as u32, bounds);
    }

    /// Replaces what is known of a place.
    #[inline(always)]
    pub(super) fn set_bounds(&mut self, at: u32, bounds: &FrontBounds) {
        let (i, k) = (at as usize / WIDTH, at as usize % WIDTH);
        let (Some(block), Some(place)) = (self.blocks.get_mut(i), self.places.get(at as usize))
        else {
            return;
        };
        for c in 0..3 {
            block.direction[c][k] = bounds.direction[c];
        }
        block.least[k] = bounds.least.clamp(-FAR, FAR);
        block.gap[k] = bounds.gap.clamp(-FAR, FAR);
        if place.is_leaf()
            && self
                .nearest
                .is_none_or(|(_, nearest)| bounds.least < nearest)
        {
            self.nearest = Some((at, bounds.least));
        }
    }

    /// Takes a place off the list.
    #[inline(always)]
    pub(super) fn remove(&mut self, at: u32) {
        if let Some(block) = self.blocks.get_mut(at as usize / WIDTH) {
            block.least[at as usize % WIDTH] = FAR;
            block.gap[at as usize % WIDTH] = FAR;
            self.free.push(at);
        }
    }

    /// The pair of leaves that was nearest, and its number.
    pub(super) fn take_nearest(&mut self) -> Option<(u32, FrontPair)> {
        let (at, _) = self.nearest.take()?;
        Some((at, self.places.get(at as usize).copied()?))
    }

    /// The `k`-th place that woke, and its number.
    pub(super) fn awake(&self, k: usize) -> Option<(u32, FrontPair)> {
        let at = *self.awake.get(k)?;
        Some((at, self.places.get(at as usize).copied()?))
    }

    /// Moves all bounds to the pose at hand.
    #[inline(always)]
    pub(super) fn update_front<T: Lanes>(&mut self, forth: &RelativePose) {
        let Some(origin) = &mut self.origin else {
            return;
        };
        let moved = RelativeMotion::new(origin, forth);
        origin.a_from_b = *forth.this_from_other();
        origin.slack = forth.slack;
        let wider = T::splat(1.0 + 16.0 * U);
        let (stretch, spare) = (T::splat(moved.stretch), T::splat(moved.spare));
        for block in &mut self.blocks {
            let [x, y, z] = [
                T::load(&block.center[0]),
                T::load(&block.center[1]),
                T::load(&block.center[2]),
            ];
            let (mut sq, mut along) = (T::splat(0.0), T::splat(0.0));
            for c in 0..3 {
                let m = &moved.turn;
                let v = T::splat(m[0][c]).mul_add(x, T::splat(moved.shift[c]));
                let v = T::splat(m[1][c]).mul_add(y, v);
                let v = T::splat(m[2][c]).mul_add(z, v);
                sq = v.mul_add(v, sq);
                along = v.mul_add(T::load(&block.direction[c]), along);
            }
            // Everything moved as the centre did, up to what turning about it adds.
            let turned = stretch.mul_add(T::load(&block.radius), spare) * wider;
            // What the sums below round.
            let (least, gap) = (T::load(&block.least), T::load(&block.gap));
            let least = T::splat(4.0 * U).neg_mul_add(least.abs(), least);
            let gap = T::splat(4.0 * U).neg_mul_add(gap.abs(), gap);
            block.least = (least - (sq.sqrt() * wider + turned)).store();
            block.gap = (gap + (along - turned)).store();
        }
    }

    /// Finds the places that may hold faces as near as `bound`. Returns how many there are.
    #[inline(always)]
    pub(super) fn wake<T: Lanes>(&mut self, bound: f32) -> usize {
        self.awake.clear();
        let bound = T::splat(bound);
        for (i, block) in self.blocks.iter().enumerate() {
            let near = T::load(&block.least).le(bound) & T::load(&block.gap).le(bound);
            let mut bits = near.bits();
            while bits != 0 {
                let k = bits.trailing_zeros();
                bits &= bits - 1;
                self.awake.push((i * WIDTH) as u32 + k);
            }
        }
        self.awake.len()
    }
}

/// How far points of b have moved: `|turn·p + shift|`, in a's units.
struct RelativeMotion {
    turn: [[f32; 3]; 3],
    shift: [f32; 3],
    /// A vector of length one changes by no more than this.
    stretch: f32,
    /// What the paths computed may be too short by.
    spare: f32,
}

impl RelativeMotion {
    fn new(origin: &FrontOrigin, forth: &RelativePose) -> Self {
        let (now, before) = (forth.this_from_other(), &origin.a_from_b);
        let turn = now.0 - before.0;
        let shift = now.1 - before.1;
        let columns = [turn.x_axis, turn.y_axis, turn.z_axis];
        let frobenius = columns
            .iter()
            .map(|c| c.length_squared())
            .sum::<f64>()
            .sqrt();
        // The difference of two rotations stretches two directions alike and one not at all, so
        // its norm is 1/√2 of the root of all squares; poses are rotations within 2e-9 only.
        let stretch = frobenius * std::f64::consts::FRAC_1_SQRT_2 * (1.0 + 1e-6)
            + 1e-8 * f64::from(forth.scale);
        // A dozen roundings of f32 at most, each of a number below this sum; centres are below 4.
        let rounding = 20.0 * f64::from(U) * (4.0 * frobenius + shift.length());
        Self {
            turn: columns.map(|c| [c.x as f32, c.y as f32, c.z as f32]),
            shift: [shift.x as f32, shift.y as f32, shift.z as f32],
            stretch: outward_rounding::up(stretch),
            // Placed vertices were rounded then and now.
            spare: outward_rounding::up(
                rounding + 2.0 * f64::from(forth.slack) + 2.0 * f64::from(origin.slack),
            ),
        }
    }
}
