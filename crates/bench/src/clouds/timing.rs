//! Times, their growth, and targets left open by runs that are too small for them.

use std::hint::black_box;
use std::time::Instant;

use crate::Bar;
use crate::result_sheet::ResultSheet;
use crate::thread_cpu_time::{process_time, thread_time};

/// A bar about a figure: of a run that is smaller than the bar requires, it is open.
pub(crate) fn at_full_size(is_full: bool, bar: Bar) -> Bar {
    if is_full { bar } else { Bar::Open }
}

/// A bar about right answers: wrong ones miss it at any size, right ones meet it only at full size.
pub(crate) fn right_at_full_size(is_full: bool, bar: Bar) -> Bar {
    bar.and(if is_full { Bar::Met } else { Bar::Open })
}

/// Keeps and prints a bar of a sheet, be it met, missed or open.
pub(super) fn claim(sheet: &mut ResultSheet, bar: Bar, claim: &str, reached: &str) {
    match bar {
        Bar::Open => sheet.leave_open(&format!("{claim}: {reached}")),
        Bar::Met | Bar::Missed => sheet.claim(claim, reached, bar == Bar::Met),
    }
}

/// Seconds that passed, and seconds of processor time of all threads where the system reports it.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (f64, f64) {
    let (clock, before) = (Instant::now(), process_time());
    black_box(work());
    let passed = clock.elapsed().as_secs_f64();
    let computed = match (before, process_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before).as_secs_f64(),
        _ => passed,
    };
    (passed, computed)
}

/// Seconds this thread computed for, undisturbed by other work on the machine; where the system does not tell, seconds that passed.
pub(super) fn own_seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let clock = Instant::now();
    let before = thread_time();
    black_box(work());
    match (before, thread_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before).as_secs_f64(),
        _ => clock.elapsed().as_secs_f64(),
    }
}

/// Seconds that work takes: it is repeated until the clock, which goes in steps of some milliseconds, can resolve it.
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

#[cfg(test)]
mod tests {
    use super::{at_full_size, right_at_full_size};
    use crate::Bar;

    #[test]
    fn a_small_run_meets_nothing_and_misses_only_by_wrong_answers() {
        assert_eq!(at_full_size(false, Bar::Missed), Bar::Open);
        assert_eq!(at_full_size(true, Bar::Missed), Bar::Missed);
        assert_eq!(right_at_full_size(false, Bar::Missed), Bar::Missed);
        assert_eq!(right_at_full_size(false, Bar::Met), Bar::Open);
        assert_eq!(right_at_full_size(true, Bar::Met), Bar::Met);
    }
}
