//! Where a search for the nearest faces turned back, kept for the next search.
//!
//! **Question.** The bodies have moved a little since the last search: which parts of it must be done again?
//! **Idea.** A search ends as a list of *places*: nodes opened of which some children were too far, pairs
//! of subtrees left, pairs of leaves looked at. Each comes with a distance that nothing there fell
//! below. Around a place, b has since moved by no more than its box's centre did plus what turning
//! adds; the old bound less that still holds, and where it exceeds the distance at hand the place sleeps.
//! So it does when the two are far enough apart along the direction in which they were nearest,
//! which sliding along each other does not change.
//! **Promise.** Every pair of faces lies below exactly one place, so those that sleep are proven
//! farther than the answer, in any pose whatever: the answer is that of a full search.
//! **Cost.** Some 70 bytes a place; eight places are asked at once.
//! **Limits.** The farther the pose is from where the list was made, the more places wake. The list is made
//! anew when a question costs more than the questions since it was made did on average.

use glam::{DMat3, DVec3};

use super::intersect::Pending;
use super::layout::{LEAF, NO_CHILD, Node, WIDTH};
use super::relative::{Relative, U};
use super::tree::{TreeId, WideTree};
use crate::math::round;
use crate::math::simd::lanes::{Lanes, Mask};

/// Lists longer than this are not worth keeping.
const MOST_PLACES: usize = 1 << 14;

/// After this many lists of no use, one is made now and then only.
const UNUSED_IN_A_ROW: u32 = 4;
/// Questions between two such lists.
const QUESTIONS_BETWEEN_TRIES: u32 = 16;

/// Eight places, lane by lane.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
struct Block {
    /// The centre of b's box, in b's frame.
    center: [[f32; WIDTH]; 3],
    /// No point of b's box is farther from the centre.
    radius: [f32; WIDTH],
    /// No faces at the place were nearer, in a's units; infinite in absent lanes.
    least: [f32; WIDTH],
    /// All faces of b at the place lay beyond those of a by this much along the direction.
    gap: [f32; WIDTH],
}

/// A place where a search turned back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pair: Pending,
    /// Lanes of the opened node that were left; none when it is the pair itself that was left,
    /// or looked at if it is one of leaves.
    pub(super) lanes: u32,
}

/// For what the list was made.
#[derive(Clone, Copy, Debug)]
struct Origin {
    trees: [TreeId; 2],
    a_from_b: (DMat3, DVec3),
    /// The way to b where the two were nearest, of length one at most.
    direction: DVec3,
    slack: f32,
}

/// The places of a search, and how much they have helped since.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    blocks: Vec<Block>,
    places: Vec<Place>,
    origin: Option<Origin>,
    /// Cost of the search that made the list and of those that used it.
    cost: u64,
    searches: u64,
    /// Lists in a row that were hardly used, and questions since the last that was.
    unused: u32,
    asked: u32,
    /// Numbers of places that woke.
    awake: Vec<u32>,
    /// The pair of leaves that held the nearest faces, and how near they may have been.
    nearest: Option<(u32, f32)>,
}

impl Front {
    /// Whether a new list may be worth making. Not where the last few were of no use, as the poses
    /// asked about are too far apart; except now and then.
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
    pub(super) fn begin(&mut self, a: &WideTree, b: &WideTree, forth: &Relative, direction: DVec3) {
        self.blocks.clear();
        self.places.clear();
        self.nearest = None;
        self.origin = Some(Origin {
            trees: [a.id, b.id],
            a_from_b: *forth.this_from_other(),
            direction,
            slack: forth.slack,
        });
    }

    /// Ends the list; `complete` tells whether every pair of faces lies below one of its places.
    pub(super) fn end(&mut self, complete: bool, cost: u64) {
        if !complete || self.places.len() > MOST_PLACES {
            self.origin = None;
        }
        self.cost = cost;
        self.searches = 1;
    }

    /// Tells what a search cost that used the list: when it is no longer worth its while, it goes.
    pub(super) fn used(&mut self, cost: u64) {
        self.cost += cost;
        self.searches += 1;
        if cost * self.searches > self.cost {
            self.origin = None;
        }
    }

    /// Whether the list is about these trees.
    pub(super) fn is_of(&self, a: &WideTree, b: &WideTree) -> bool {
        self.origin
            .is_some_and(|origin| origin.trees == [a.id, b.id])
    }

    /// Adds a place; nothing there is nearer than `least`, in a's units, and b lies beyond a by
    /// `gap` along the direction.
    #[inline(always)]
    pub(super) fn add(&mut self, b: &WideTree, place: Place, least: f32, gap: f32) {
        let lane = place.pair.lane_b as usize;
        let (node, k): (&Node, usize) = if place.pair.lane_b == NO_CHILD {
            (&b.root, 0)
        } else {
            (&b.nodes[lane / WIDTH], lane % WIDTH)
        };
        let at = self.places.len() % WIDTH;
        if at == 0 {
            self.blocks.push(Block {
                center: [[0.0; WIDTH]; 3],
                radius: [0.0; WIDTH],
                least: [f32::INFINITY; WIDTH],
                gap: [f32::INFINITY; WIDTH],
            });
        }
        if let Some(block) = self.blocks.last_mut() {
            let mut sq = 0.0;
            for c in 0..3 {
                block.center[c][at] = node.center[c][k];
                sq += node.half[c][k] * node.half[c][k];
            }
            // Axes orthonormal within 12u.
            block.radius[at] = sq.sqrt() * (1.0 + 32.0 * U);
            block.least[at] = least;
            // What adding to it may round.
            block.gap[at] = gap - 8.0 * U * gap.abs();
        }
        let is_leaf = place.lanes == 0 && place.pair.a & place.pair.b & LEAF != 0;
        if is_leaf && self.nearest.is_none_or(|(_, nearest)| least < nearest) {
            self.nearest = Some((self.places.len() as u32, least));
        }
        self.places.push(place);
    }

    /// The pair of leaves that held the nearest faces.
    pub(super) fn nearest(&self) -> Option<Place> {
        let (at, _) = self.nearest?;
        self.places.get(at as usize).copied()
    }

    /// Finds the places that may hold faces as near as `bound`. Returns how many there are.
    #[inline(always)]
    pub(super) fn wake<T: Lanes>(&mut self, forth: &Relative, bound: f32) -> usize {
        self.awake.clear();
        let Some(origin) = &self.origin else {
            return 0;
        };
        let moved = Moved::new(origin, forth);
        let bound = T::splat(bound + moved.spare);
        for (i, block) in self.blocks.iter().enumerate() {
            let [x, y, z] = [
                T::load(&block.center[0]),
                T::load(&block.center[1]),
                T::load(&block.center[2]),
            ];
            let mut sq = T::splat(0.0);
            for c in 0..3 {
                let m = &moved.turn;
                let v = T::splat(m[0][c]).mul_add(x, T::splat(moved.shift[c]));
                let v = T::splat(m[1][c]).mul_add(y, v);
                let v = T::splat(m[2][c]).mul_add(z, v);
                sq = v.mul_add(v, sq);
            }
            // Everything moved as the centre did, up to what turning about it adds.
            let turned = T::splat(moved.stretch).mul_add(T::load(&block.radius), bound);
            let mut away = T::splat(moved.turn_along[0]).mul_add(x, T::splat(moved.shift_along));
            away = T::splat(moved.turn_along[1]).mul_add(y, away);
            away = T::splat(moved.turn_along[2]).mul_add(z, away);
            let wider = T::splat(1.0 + 16.0 * U);
            let near = T::load(&block.least).le((turned + sq.sqrt()) * wider)
                & (T::load(&block.gap) + away).le(turned * wider);
            let mut bits = near.bits();
            while bits != 0 {
                let k = bits.trailing_zeros();
                bits &= bits - 1;
                self.awake.push((i * WIDTH) as u32 + k);
            }
        }
        self.awake.len()
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The `k`-th place that woke, unless it is [`Front::nearest`].
    pub(super) fn awake(&self, k: usize) -> Option<Place> {
        let at = *self.awake.get(k)?;
        let is_nearest = self.nearest.is_some_and(|(nearest, _)| nearest == at);
        if is_nearest {
            None
        } else {
            self.places.get(at as usize).copied()
        }
    }
}

/// How far points of b have moved since the list was made: `|turn·p + shift|`, in a's units.
struct Moved {
    turn: [[f32; 3]; 3],
    shift: [f32; 3],
    /// How far along the direction: `turn_along·p + shift_along`.
    turn_along: [f32; 3],
    shift_along: f32,
    /// A vector of length one changes by no more than this.
    stretch: f32,
    /// What the paths computed may be too short by.
    spare: f32,
}

impl Moved {
    fn new(origin: &Origin, forth: &Relative) -> Self {
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
        // Ten roundings of f32 at most, each of a number below this sum; centres are below 4.
        let rounding = 16.0 * f64::from(U) * (4.0 * frobenius + shift.length());
        let n = origin.direction;
        Self {
            turn_along: columns.map(|c| c.dot(n) as f32),
            shift_along: shift.dot(n) as f32,
            turn: columns.map(|c| [c.x as f32, c.y as f32, c.z as f32]),
            shift: [shift.x as f32, shift.y as f32, shift.z as f32],
            stretch: round::up(stretch),
            // Placed vertices were rounded then and now.
            spare: round::up(
                rounding + 2.0 * f64::from(forth.slack) + 2.0 * f64::from(origin.slack),
            ),
        }
    }
}
