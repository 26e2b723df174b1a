//! When a search calls [`Limits::stop`]: not at every step, since the caller's function may be
//! slow.

use crate::query::Limits;

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

    /// Counts one pair; whether the search has to stop.
    #[inline(always)]
    pub(crate) fn stops(&mut self, limits: &Limits<'_>) -> bool {
        self.is_due() && limits.is_stopped()
    }
}
