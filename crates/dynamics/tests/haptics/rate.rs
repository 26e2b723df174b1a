//! The servo loop, with a simulated clock and shortly with the machine's.

use std::ops::ControlFlow;

use impinge::math::Rng;
use impinge_dynamics::rate::{
    Clock, DurationHistogram, MonotonicClock, ServoError, ServoLoop, SimulatedClock,
};

const PERIOD_NS: u64 = 1_000_000;

/// Runs ticks whose work takes as long as told; what was due when and how late each was.
fn run(ticks: u64, mut work_ns: impl FnMut(u64) -> u64) -> (Vec<(u64, u64)>, ServoLoop) {
    let clock = SimulatedClock::new();
    let mut servo = ServoLoop::new(PERIOD_NS).unwrap();
    let mut seen = Vec::new();
    servo.run(&clock, |tick| {
        seen.push((tick.index, tick.late_ns()));
        assert_eq!(tick.due_ns, tick.index * PERIOD_NS);
        clock.advance(work_ns(tick.index));
        if seen.len() as u64 == ticks {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    (seen, servo)
}

#[test]
fn deadlines_are_absolute() {
    // Each tick takes between nothing and nearly all of its period: none is late beyond a reading of the clock.
    let mut rng = Rng::new(1);
    let (seen, servo) = run(5000, |_| rng.below(990_000));
    assert!(seen.iter().all(|&(_, late_ns)| late_ns <= 100));
    assert!(seen.iter().zip(0..).all(|(&(index, _), i)| index == i));
    let report = servo.report();
    assert_eq!((report.ticks, report.missed), (5000, 0));
    assert!(report.busy.largest_ns > 980_000);
}

#[test]
fn a_tick_that_is_late_delays_one_and_the_rest_catches_up() {
    let work = |i| if i == 10 { 1_400_000 } else { 100_000 };
    let (seen, servo) = run(20, work);
    // Tick 11 begins 0.4 ms late, tick 12 is on time: nothing was skipped.
    assert!((400_000..=400_400).contains(&seen[11].1));
    assert!(seen[12].1 <= 100);
    assert_eq!(servo.report().missed, 0);
}

#[test]
fn ticks_whose_period_has_passed_are_skipped_and_counted() {
    let work = |i| if i == 10 { 4_300_000 } else { 100_000 };
    let (seen, servo) = run(20, work);
    let indices: Vec<u64> = seen.iter().map(|s| s.0).collect();
    assert_eq!(indices[10..13], [10, 14, 15]);
    assert_eq!(servo.report().missed, 3);
    assert!((300_000..=300_400).contains(&seen[11].1));
    assert!((300_000..=300_400).contains(&servo.report().lateness.largest_ns));
}

#[test]
fn the_summary_is_that_of_sorted_durations() {
    let mut rng = Rng::new(9);
    let mut histogram = DurationHistogram::new();
    // From nanoseconds to minutes.
    let mut durations: Vec<u64> = (0..20_000)
        .map(|_| rng.next_u64() >> (28 + rng.below(36)))
        .collect();
    for &duration in &durations {
        histogram.add(duration);
    }
    durations.sort_unstable();
    for share in [0.01, 0.5, 0.9, 0.999, 1.0] {
        let rank = (durations.len() as f64 * share).ceil() as usize - 1;
        let (found, exact) = (histogram.quantile_ns(share), durations[rank]);
        assert!(found >= exact && found as f64 <= exact as f64 * (1.0 + 1.0 / 64.0));
    }
    assert_eq!(
        histogram.summary().largest_ns,
        durations[durations.len() - 1]
    );
    assert_eq!(DurationHistogram::default().summary().p999_ns, 0);
    let mut extreme = DurationHistogram::new();
    extreme.add(u64::MAX);
    assert_eq!(extreme.summary().count, 1);
}

#[test]
fn the_clock_of_the_machine_drives_the_loop() {
    let clock = MonotonicClock::new();
    let mut servo = ServoLoop::new(PERIOD_NS).unwrap();
    let mut last = 0;
    servo.run(&clock, |tick| {
        assert!(tick.now_ns >= tick.due_ns && tick.now_ns >= last);
        last = tick.now_ns;
        if tick.index >= 20 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let report = servo.report();
    assert!(clock.now_ns() >= 20 * PERIOD_NS);
    assert!(report.ticks + report.missed >= 21);
}

#[test]
fn a_period_of_nothing_but_spinning_is_refused() {
    let refused = ServoLoop::new(100_000).unwrap_err();
    assert_eq!(refused, ServoError::PeriodTooShort { period_ns: 100_000 });
}
