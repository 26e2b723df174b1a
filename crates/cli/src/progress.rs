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
    bar: OnceCell<ProgressBar>,
}

impl Progress {
    /// Starts to measure; `hidden` shows nothing ever.
    pub(crate) fn new(message: &'static str, hidden: bool) -> Self {
        Self {
            message,
            started: Instant::now(),
            hidden,
            bar: OnceCell::new(),
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
                let bar = ProgressBar::new_spinner();
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
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
