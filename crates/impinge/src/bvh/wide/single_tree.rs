//! Common parts of single-tree queries: scratch memory, the traversal stack, and the budget.

use std::ops::ControlFlow;

use super::layout::{NO_CHILD, WIDTH};
use crate::math::simd::Level;
use crate::math::sort::sort_few;
use crate::query::{Limits, Outcome, Work};

/// Subtrees between two checks of [`Limits::stop`].
const VISITS_PER_LOOK: u32 = 64;

/// Scratch memory of queries about one tree, kept between queries so that they do not allocate.
///
/// ```
/// use impinge::bvh::wide::SingleTreeCache;
/// assert_eq!(SingleTreeCache::default().work().tests(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SingleTreeCache {
    pub(super) stack: Vec<Subtree>,
    pub(super) work: Work,
    level: Option<Level>,
}

impl SingleTreeCache {
    /// A cache whose queries use these instructions, to compare them.
    ///
    /// ```
    /// use impinge::{bvh::wide::SingleTreeCache, math::simd::Level};
    /// assert_eq!(SingleTreeCache::with_level(Level::Portable).work().tests(), 0);
    /// ```
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            level: Some(level),
            ..Self::default()
        }
    }

    /// The work done for the last query that used the cache.
    ///
    /// ```
    /// use impinge::bvh::wide::SingleTreeCache;
    /// assert_eq!(SingleTreeCache::default().work().tests(), 0);
    /// ```
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    pub(super) fn level(&self) -> Level {
        self.level.unwrap_or_else(Level::detect)
    }
}

/// A subtree still to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subtree {
    pub(super) child: u32,
    /// No answer in it is below this.
    pub(super) at_least: f32,
    /// Smaller ones are searched first.
    pub(super) order: f32,
}

impl Subtree {
    /// The whole tree.
    pub(super) const ROOT: Self = Self {
        child: 0,
        at_least: f32::NEG_INFINITY,
        order: f32::NEG_INFINITY,
    };
}

/// How a search of faces near something ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchEnd {
    pub(crate) outcome: Outcome,
    /// No face that was not examined is nearer than this.
    pub(crate) unexplored: f64,
}

impl SearchEnd {
    /// With the subtrees left over, whose bounds are distances times `unit`.
    #[inline(always)]
    pub(super) fn new(outcome: Outcome, left: &[Subtree], unit: f64) -> Self {
        let unexplored = match left {
            [] => f64::INFINITY,
            left => f64::from(least_bound(left)) / unit,
        };
        Self {
            outcome,
            unexplored,
        }
    }
}

/// The least bound of the subtrees; infinite when there are none.
#[inline(always)]
pub(super) fn least_bound(subtrees: &[Subtree]) -> f32 {
    let bounds = subtrees.iter().map(|s| s.at_least);
    bounds.fold(f32::INFINITY, f32::min)
}

/// Pushes the children whose bit is set, so that the one with the least `order` is popped first.
#[inline(always)]
pub(super) fn push_children(
    stack: &mut Vec<Subtree>,
    child: &[u32; WIDTH],
    mut mask: u32,
    at_least: &[f32; WIDTH],
    order: &[f32; WIDTH],
) {
    let bottom = stack.len();
    while mask != 0 {
        let k = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        if child[k] != NO_CHILD {
            stack.push(Subtree {
                child: child[k],
                at_least: at_least[k],
                order: order[k],
            });
        }
    }
    sort_few(&mut stack[bottom..], |s, t| t.order.total_cmp(&s.order));
}

/// Counts work against the limits.
#[derive(Debug)]
pub(super) struct WorkMeter<'s> {
    limits: Limits<'s>,
    pub(super) work: Work,
    until_look: u32,
}

impl<'s> WorkMeter<'s> {
    pub(super) fn new(limits: Limits<'s>) -> Self {
        Self {
            limits,
            work: Work::default(),
            until_look: 1,
        }
    }

    /// Breaks off when the caller asked for a stop, which is looked at now and then.
    #[inline(always)]
    pub(super) fn look(&mut self) -> ControlFlow<Outcome> {
        self.until_look -= 1;
        if self.until_look > 0 {
            return ControlFlow::Continue(());
        }
        self.until_look = VISITS_PER_LOOK;
        go_on_if(!self.limits.is_stopped())
    }

    /// Counts volume tests; breaks off when the budget forbids them.
    #[inline(always)]
    pub(super) fn spend_volumes(&mut self, tests: u32) -> ControlFlow<Outcome> {
        self.afford(tests)?;
        self.work.volume_tests += u64::from(tests);
        ControlFlow::Continue(())
    }

    /// Counts face tests; breaks off when the budget forbids them.
    #[inline(always)]
    pub(super) fn spend_faces(&mut self, tests: u32) -> ControlFlow<Outcome> {
        self.afford(tests)?;
        self.work.face_tests += u64::from(tests);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn afford(&self, tests: u32) -> ControlFlow<Outcome> {
        go_on_if(tests == 0 || self.limits.allows(self.work.tests() + u64::from(tests) - 1))
    }
}

/// A search goes on, or is out of budget.
#[inline(always)]
pub(super) fn go_on_if(allowed: bool) -> ControlFlow<Outcome> {
    if allowed {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(Outcome::OutOfBudget)
    }
}
