//! The exchange between world and servo loop, under the orders in which threads can run.
//!
//! **Idea.** The same source file is compiled beside atomics and locks of `loom`, which runs a closure again and again, each time with its
//! threads in another order. **Limits.** A thread is interrupted at most [`INTERRUPTIONS`] times where it could go on.

#[allow(dead_code, unreachable_pub, reason = "the test uses a part of it")]
#[path = "../../src/rate/exchange.rs"]
mod exchange;

/// The atomics and locks that try every order.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicU8, Ordering};
    pub(super) use loom::sync::{Arc, Mutex};
    pub(super) use std::sync::TryLockError;
}

/// How often a thread is interrupted where it could go on, at most.
const INTERRUPTIONS: usize = 3;

#[test]
fn a_reader_sees_whole_states_in_order_and_the_last_one_in_the_end() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(|| {
        let (mut world, mut servo) = exchange::exchange([[0_u32; 2]; 3]);
        let writer = loom::thread::spawn(move || {
            for number in 1..=3 {
                world
                    .publish(|state| {
                        // Written in two steps: a reader must not see one of them.
                        state[0] = number;
                        loom::thread::yield_now();
                        state[1] = number;
                        // The second is taken back.
                        if number == 2 { Err(()) } else { Ok(()) }
                    })
                    .unwrap_or_default();
            }
        });
        let mut before = 0;
        for _ in 0..2 {
            let [a, b] = servo.read(|state| *state).unwrap();
            assert!(a == b && a >= before && a != 2);
            before = a;
        }
        writer.join().unwrap();
        assert_eq!(servo.read(|state| *state), Some([3, 3]));
        assert!(!servo.is_fresh());
    });
}
