//! A sign of life while long work runs.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(400);

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
