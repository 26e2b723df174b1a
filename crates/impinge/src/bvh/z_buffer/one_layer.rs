//! One depth and one mark per pixel, five passes.
//!
//! The source marks with two colours and keeps pixels with `b` wholly in front of `a` and pixels with `b` alone. Three repairs:
//! `b` is drawn only where `a` is, its back and front have marks of their own, and the last pass also erases a back of `b` that
//! is in front of the front of `a`. Then the mark of `b` stays exactly where the two intervals of a pixel overlap.

use super::fragment::Fragment;

/// What a pixel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Nothing,
    BackOfA,
    BackOfB,
    FrontOfB,
}

/// A pixel of both solids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    depth: f64,
    mark: Mark,
}

/// The passes, in their order: of which solid, and which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    BackOfA,
    BackOfB,
    FrontOfB,
    FrontOfA,
}

impl Pass {
    pub(super) const ALL: [Self; 4] =
        [Self::BackOfA, Self::BackOfB, Self::FrontOfB, Self::FrontOfA];

    pub(super) fn is_of_a(self) -> bool {
        matches!(self, Self::BackOfA | Self::FrontOfA)
    }

    fn facing(self) -> i8 {
        match self {
            Self::BackOfA | Self::BackOfB => -1,
            Self::FrontOfB | Self::FrontOfA => 1,
        }
    }
}

impl Cell {
    pub(super) const EMPTY: Self = Self {
        depth: f64::INFINITY,
        mark: Mark::Nothing,
    };

    pub(super) fn add(&mut self, pass: Pass, fragment: &Fragment) {
        let Some(depth) = fragment.center else {
            return;
        };
        if fragment.facing != pass.facing() {
            return;
        }
        let is_nearer = depth < self.depth;
        let is_empty = self.mark == Mark::Nothing;
        let mark = match pass {
            Pass::BackOfA if is_nearer => Mark::BackOfA,
            Pass::BackOfB if is_nearer && !is_empty => Mark::BackOfB,
            // Touching counts, so an equal depth does too.
            Pass::FrontOfB if depth <= self.depth && self.mark == Mark::BackOfA => Mark::FrontOfB,
            Pass::FrontOfA => {
                let is_before = self.mark == Mark::BackOfB && self.depth < depth;
                if self.mark == Mark::BackOfA || is_before {
                    self.mark = Mark::Nothing;
                }
                return;
            }
            _ => return,
        };
        *self = Self { depth, mark };
    }

    /// Whether the intervals overlap, after all passes.
    pub(super) fn is_hit(&self) -> bool {
        matches!(self.mark, Mark::BackOfB | Mark::FrontOfB)
    }

    /// Whether `a` was drawn here, until the last pass.
    pub(super) fn is_drawn(&self) -> bool {
        self.mark != Mark::Nothing
    }
}
