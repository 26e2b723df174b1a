//! Progress display for long runs.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(400);
/// The time between two turns of a spinner that turns by itself.
const TURN: Duration = Duration::from_millis(100);

/// Whether spinners are wanted at all: the program's only wish that reading and drawing do not get as an argument.
static SHOWN: AtomicBool = AtomicBool::new(true);

/// Says whether spinners of [`during`] are wanted.
pub(crate) fn show(shown: bool) {
    SHOWN.store(shown, Ordering::Relaxed);
}

/// The result of the work, with a spinner that turns by itself if it takes long.
pub(crate) fn during<T>(message: &'static str, work: impl FnOnce() -> T) -> T {
    if !SHOWN.load(Ordering::Relaxed) {
        return work();
    }
    let (at_work, finished) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let progress = Progress::new(message, false);
            // The channel closes when the work is done.
            while finished.recv_timeout(TURN) == Err(RecvTimeoutError::Timeout) {
                progress.tick();
            }
        });
        let result = work();
        drop(at_work);
        result
    })
}

/// A spinner on standard error that appears only on a terminal and only when work takes long.
#[derive(Debug)]
pub(crate) struct Progress {
    message: &'static str,
    started: Instant,
    hidden: bool,
    /// How many pieces of work there are, when that is known.
    total: Option<u64>,
    bar: OnceCell<ProgressBar>,
}

impl Progress {
    /// Starts to measure; `hidden` shows nothing ever.
    pub(crate) fn new(message: &'static str, hidden: bool) -> Self {
        Self::of(message, None, hidden)
    }

    /// The same for so many pieces of work, shown as a bar.
    pub(crate) fn counted(message: &'static str, total: usize, hidden: bool) -> Self {
        Self::of(message, Some(total as u64), hidden)
    }

    fn of(message: &'static str, total: Option<u64>, hidden: bool) -> Self {
        Self {
            message,
            started: Instant::now(),
            hidden,
            total,
            bar: OnceCell::new(),
        }
    }

    /// Shows that so many pieces are done.
    pub(crate) fn done(&self, pieces: usize) {
        self.tick();
        if let Some(bar) = self.bar.get() {
            bar.set_position(pieces as u64);
        }
    }

    /// Turns the spinner, if it is time for one.
    pub(crate) fn tick(&self) {
        if self.hidden || self.started.elapsed() < PATIENCE {
            return;
        }
        self.bar
            .get_or_init(|| {
                // indicatif draws nothing where standard error is not a terminal.
                let (bar, template) = match self.total {
                    Some(total) => (
                        ProgressBar::new(total),
                        "{spinner} {msg} {wide_bar} {pos}/{len}, {eta} left",
                    ),
                    None => (ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}"),
                };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style);
                }
                bar.set_message(self.message);
                bar
            })
            .tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
