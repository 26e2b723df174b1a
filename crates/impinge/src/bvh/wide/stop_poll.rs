//! When a search calls [`Limits::stop`]: not at every step, since the caller's function may be
//! slow.

use std::ops::ControlFlow;

use super::single_tree::go_on_if;
use crate::query::{Limits, Outcome};

/// Pairs of subtrees between two looks.
const PAIRS_PER_LOOK: u32 = 64;

/// Counts pairs down to the next look.
pub(crate) struct StopPoll {
    left: u32,
}

impl StopPoll {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            left: PAIRS_PER_LOOK,
        }
    }

    /// Counts one pair; whether a look is due.
    #[inline(always)]
    pub(crate) fn is_due(&mut self) -> bool {
        self.left -= 1;
        let is_due = self.left == 0;
        if is_due {
            self.left = PAIRS_PER_LOOK;
        }
        is_due
    }

    /// Counts one pair; breaks off when the caller requested a stop.
    #[inline(always)]
    pub(crate) fn look(&mut self, limits: &Limits<'_>) -> ControlFlow<Outcome> {
        go_on_if(!(self.is_due() && limits.is_stopped()))
    }
}
