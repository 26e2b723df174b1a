//! The processor time of the calling thread: what a question costs, whoever else uses the machine
//! meanwhile. And that of the whole process.

use std::time::{Duration, Instant};

/// Readings by which the steps of the clock are found.
const READINGS: usize = 2_000;
/// What looking at the steps of the clock may take.
const LOOK: Duration = Duration::from_millis(200);

/// A clock that steps farther, in milliseconds, cannot tell the times of questions.
pub(crate) const MOST_STEP_MS: f64 = 0.02;

/// Processor time of this thread so far; none where the system does not say.
#[cfg(unix)]
pub(crate) fn thread_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
}

/// Processor time of this thread so far; none where the system does not say.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Option<Duration> {
    None
}

/// Processor time of this process so far, all threads together, in steps of a hundredth of a
/// second; none where the system does not say.
pub(crate) fn process_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold spaces; user and system time are fields 14 and 15.
    let rest = text.rsplit_once(')')?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// How many threads the machine runs at once, as far as the system reports; 1 where it does not.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Milliseconds of a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallTime {
    /// As the clock on the wall shows it.
    pub(crate) wall: f64,
    /// Of this thread's processor time; not a number where the system does not say.
    pub(crate) processor: f64,
}

/// The answer to a question, and what it took.
pub(crate) fn spent<A>(ask: impl FnOnce() -> A) -> (A, CallTime) {
    let (start, before) = (Instant::now(), thread_time());
    let answer = ask();
    let after = thread_time();
    let wall = start.elapsed().as_secs_f64() * 1e3;
    let processor = match (before, after) {
        (Some(before), Some(after)) => after.saturating_sub(before).as_secs_f64() * 1e3,
        _ => f64::NAN,
    };
    (answer, CallTime { wall, processor })
}

/// The median step of the clock between two readings, in milliseconds: finer times cannot be measured. None where it does not run.
pub(crate) fn clock_step() -> Option<f64> {
    let start = Instant::now();
    let mut last = thread_time()?;
    let mut steps = Vec::new();
    while steps.len() < READINGS && start.elapsed() < LOOK {
        let now = thread_time()?;
        if now > last {
            steps.push((now - last).as_secs_f64() * 1e3);
            last = now;
        }
    }
    crate::pair_measurement::quantile(&steps, 0.5)
}

#[cfg(test)]
mod tests {
    use super::{spent, thread_time};
    use std::time::Duration;

    #[test]
    fn a_sleeping_thread_spends_next_to_nothing() {
        let before = thread_time();
        let (_, slept) = spent(|| std::thread::sleep(Duration::from_millis(30)));
        assert!(slept.wall >= 30.0);
        if before.is_some() {
            assert!(slept.processor < slept.wall, "{slept:?}");
        }
    }
}
