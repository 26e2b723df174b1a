//! One depth and one mark per pixel, five passes.
//!
//! The source marks with two colours and keeps pixels with `b` wholly in front of `a` and pixels with `b` alone. Three repairs:
//! `b` is drawn only where `a` is, its back and front have marks of their own, and the last pass also erases a back of `b` that
//! is in front of the front of `a`. Then the mark of `b` stays exactly where the two intervals of a pixel overlap.

use super::fragment::Fragment;

/// What a pixel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PixelMark {
    Nothing,
    BackOfA,
    BackOfB,
    FrontOfB,
}

/// A pixel of both solids.
#[derive(Clone, Copy, Debug)]
pub(super) struct StencilPixel {
    depth: f64,
    mark: PixelMark,
}

/// The passes, in their order: of which solid, and which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenderPass {
    BackOfA,
    BackOfB,
    FrontOfB,
    FrontOfA,
}

impl RenderPass {
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

impl StencilPixel {
    pub(super) const EMPTY: Self = Self {
        depth: f64::INFINITY,
        mark: PixelMark::Nothing,
    };

    pub(super) fn add(&mut self, pass: RenderPass, fragment: &Fragment) {
        let Some(depth) = fragment.center else {
            return;
        };
        if fragment.facing != pass.facing() {
            return;
        }
        let is_nearer = depth < self.depth;
        let is_empty = self.mark == PixelMark::Nothing;
        let mark = match pass {
            RenderPass::BackOfA if is_nearer => PixelMark::BackOfA,
            RenderPass::BackOfB if is_nearer && !is_empty => PixelMark::BackOfB,
            // Touching counts, so an equal depth does too.
            RenderPass::FrontOfB if depth <= self.depth && self.mark == PixelMark::BackOfA => {
                PixelMark::FrontOfB
            }
            RenderPass::FrontOfA => {
                let is_before = self.mark == PixelMark::BackOfB && self.depth < depth;
                if self.mark == PixelMark::BackOfA || is_before {
                    self.mark = PixelMark::Nothing;
                }
                return;
            }
            _ => return,
        };
        *self = Self { depth, mark };
    }

    /// Whether the intervals overlap, after all passes.
    pub(super) fn is_hit(&self) -> bool {
        matches!(self.mark, PixelMark::BackOfB | PixelMark::FrontOfB)
    }

    /// Whether `a` was drawn here, until the last pass.
    pub(super) fn is_drawn(&self) -> bool {
        self.mark != PixelMark::Nothing
    }
}
