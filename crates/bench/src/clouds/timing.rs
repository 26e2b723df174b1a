//! Times, and whether a bar is met.

use std::hint::black_box;
use std::time::Instant;

/// Prints whether a bar is met.
pub(super) fn bar(met: bool, claim: &str) -> bool {
    println!("bar: {claim} {}", if met { "met" } else { "missed" });
    met
}

pub(super) fn median(mut sample: Vec<f64>) -> f64 {
    sample.sort_by(f64::total_cmp);
    sample.get(sample.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Seconds that passed, and seconds of processor time of all threads where the system tells.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (f64, f64) {
    let (clock, before) = (Instant::now(), processor_seconds());
    black_box(work());
    let passed = clock.elapsed().as_secs_f64();
    let computed = match (before, processor_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => passed,
    };
    (passed, computed)
}

/// Seconds this thread computed for, undisturbed by other work on the machine; where the system does not tell, seconds that passed.
pub(super) fn own_seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let clock = Instant::now();
    let before = thread_seconds();
    black_box(work());
    match (before, thread_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_secs_f64(),
    }
}

/// Seconds that work takes: it is repeated until the clock, which goes in steps of some milliseconds, tells it from nothing.
pub(super) fn repeated_seconds<T>(mut work: impl FnMut() -> T) -> f64 {
    /// Steps of the clock are small beside this.
    const ENOUGH: f64 = 0.1;
    /// Work that takes no time at all is not repeated for ever.
    const MOST: u64 = 1 << 24;
    let mut repeats = 1_u64;
    loop {
        let passed = own_seconds(|| {
            for _ in 0..repeats {
                black_box(work());
            }
        });
        if passed >= ENOUGH || repeats >= MOST {
            return passed / repeats as f64;
        }
        // Twice what seems to be needed, and never more than sixteen times as often as before.
        let wanted = 2.0 * ENOUGH / passed.max(ENOUGH / 8.0);
        repeats = (repeats * wanted.ceil() as u64).min(MOST);
    }
}

fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds * 1e-9)
}

/// User and system time of the process, in steps of a hundredth of a second.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) * 0.01)
}
