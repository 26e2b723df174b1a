//! On how many threads a step runs, and how they are woken in time.
//!
//! **Question.** Does it pay to share a step that takes some tens of microseconds?
//! **Idea.** A thread that sleeps takes as long as such a step to wake. So the other threads are woken
//! when the step begins and wait actively, for a bounded time, while boxes and the broad phase
//! are updated. Whether sharing pays is measured without a clock, by what the other threads took: if
//! they came too late for their part, sharing pauses for some steps, longer each time.
//! **Cost.** A thread waits actively for about 100 µs a step at most.
//! **Promise.** Answers do not depend on it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::pair::Trust;

/// From this much expected work on, about 5 µs, a step that is called in a thread pool shares it.
#[cfg(feature = "parallel")]
const WORTH_SHARING: u64 = 64;
/// The same outside of a pool, about 40 µs: the pool has to be woken.
#[cfg(feature = "parallel")]
const WORTH_WAKING: u64 = 512;
/// Sharing paid if the other threads took at least one part of so many.
const PAID: u64 = 8;
/// How often a thread that waits looks whether it may begin, and its pauses between two looks: 40 to 120 µs, by the processor.
#[cfg(feature = "parallel")]
const LOOKS: u32 = 64;
#[cfg(feature = "parallel")]
const PAUSES: u32 = 32;

/// Decides on how many threads a step runs.
#[derive(Debug, Default)]
pub(super) struct ThreadChoice {
    of_sharing: Trust,
}

impl ThreadChoice {
    /// On how many threads a step is worthwhile that is expected to cost so much, in the unit of
    /// [`StepStats::work`](super::StepStats::work).
    pub(super) fn threads(&mut self, expected: u64, is_serial: bool) -> usize {
        #[cfg(feature = "parallel")]
        {
            let least = match thread_number() {
                Some(_) => WORTH_SHARING,
                None => WORTH_WAKING,
            };
            if !is_serial && expected >= least && self.of_sharing.is_due() {
                return rayon::current_num_threads();
            }
        }
        let _ = (expected, is_serial);
        1
    }

    /// Learns how much of the cost of a shared step the threads bore that did not call it.
    pub(super) fn learn(&mut self, cost: u64, of_others: u64) {
        if PAID * of_others >= cost {
            self.of_sharing.succeeded();
        } else {
            self.of_sharing.failed();
        }
    }
}

/// The number of this thread in its pool; none outside.
pub(super) fn thread_number() -> Option<usize> {
    #[cfg(feature = "parallel")]
    return rayon::current_thread_index();
    #[cfg(not(feature = "parallel"))]
    None
}

/// Calls a function on up to this many threads at once and returns when all calls have. In a pool, a thread that has nothing else
/// to do makes the calls that nobody else has begun, so that nobody waits for one that wakes up late.
pub(super) fn on_threads(count: usize, work: &(dyn Fn() + Sync)) {
    #[cfg(feature = "parallel")]
    if count > 1 {
        if thread_number().is_some() {
            let half = count / 2;
            rayon::join(|| on_threads(count - half, work), || on_threads(half, work));
        } else {
            // The caller begins at once, instead of waiting until the pool is awake.
            rayon::in_place_scope(|scope| {
                for _ in 1..count {
                    scope.spawn(|_| work());
                }
                work();
            });
        }
        return;
    }
    let _ = count;
    work();
}

/// Runs a step, which sets the flag before it shares its work among so many threads. In a pool, these wake up meanwhile.
pub(super) fn while_threads_wake<R: Send>(
    threads: usize,
    step: impl FnOnce(&AtomicBool) -> R + Send,
) -> R {
    let is_ready = AtomicBool::new(false);
    #[cfg(feature = "parallel")]
    if threads > 1
        && let Some(caller) = thread_number()
    {
        let wait = || {
            // The caller itself has other things to do.
            if thread_number() != Some(caller) {
                wait_actively(&is_ready);
            }
        };
        let wakes = || on_threads(threads - 1, &wait);
        return rayon::join(|| step(&is_ready), wakes).0;
    }
    let _ = threads;
    step(&is_ready)
}

/// Returns when the flag is set, or after some time: its setter may be waiting for this thread.
#[cfg(feature = "parallel")]
fn wait_actively(is_ready: &AtomicBool) {
    for _ in 0..LOOKS {
        // Nothing else is read because of it, so no order with other memory is needed.
        if is_ready.load(Ordering::Relaxed) {
            return;
        }
        for _ in 0..PAUSES {
            std::hint::spin_loop();
        }
    }
}

/// Lets threads that wait begin.
pub(super) fn begin_sharing(is_ready: &AtomicBool) {
    is_ready.store(true, Ordering::Relaxed);
}

#[cfg(all(test, feature = "parallel"))]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn every_call_is_made_in_a_pool_and_outside() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for count in [1, 2, 3, 7] {
            let calls = AtomicUsize::new(0);
            let call = || {
                calls.fetch_add(1, Ordering::Relaxed);
            };
            on_threads(count, &call);
            pool.install(|| on_threads(count, &call));
            assert_eq!(calls.into_inner(), 2 * count);
        }
    }

    #[test]
    fn a_step_ends_whether_or_not_it_begins_to_share() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for begins in [false, true] {
            let step = |is_ready: &AtomicBool| {
                if begins {
                    begin_sharing(is_ready);
                }
                42
            };
            assert_eq!(while_threads_wake(3, step), 42);
            assert_eq!(pool.install(|| while_threads_wake(3, step)), 42);
        }
    }

    #[test]
    fn threads_that_come_too_late_are_left_alone_for_a_while() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| {
            let mut choice = ThreadChoice::default();
            assert_eq!(choice.threads(WORTH_SHARING - 1, false), 1);
            assert_eq!(choice.threads(WORTH_SHARING, true), 1);
            assert_eq!(choice.threads(WORTH_SHARING, false), 3);
            choice.learn(80, 9);
            let is_alone = |_: &u32| choice.threads(WORTH_SHARING, false) == 1;
            let waited = (0..100).take_while(is_alone).count();
            assert!((1..100).contains(&waited), "{waited}");
            choice.learn(80, 10);
            assert_eq!(choice.threads(WORTH_SHARING, false), 3);
        });
    }
}
