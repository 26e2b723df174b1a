//! Runs queries without holding the GIL, interruptible by Ctrl-C.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use impinge::query::Limits;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::error::fail;

/// How often a running question looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// Items that one thread answers one after the other. Caches begin anew with each run, so that answers
/// do not depend on the number of threads.
pub(crate) const RUN: usize = 32;

/// Asks one question without the interpreter; Ctrl-C ends it.
pub(crate) fn ask<T: Send>(
    py: Python<'_>,
    max_distance: Option<f64>,
    question: impl FnOnce(Limits<'_>) -> T + Send,
) -> PyResult<T> {
    let (value, caught) = py.detach(|| {
        let caught = RefCell::new(None);
        let last = Cell::new(Instant::now());
        let stop = || {
            if caught.borrow().is_some() {
                return true;
            }
            if last.get().elapsed() < LOOK {
                return false;
            }
            let signal = Python::attach(|py| py.check_signals());
            last.set(Instant::now());
            let raised = signal.is_err();
            *caught.borrow_mut() = signal.err();
            raised
        };
        let value = question(Limits {
            max_distance,
            stop: Some(&stop),
            ..Limits::default()
        });
        (value, caught.into_inner())
    });
    caught.map_or(Ok(value), Err)
}

/// What a batch looks at and counts.
#[derive(Debug, Default)]
pub(crate) struct BatchState {
    stop: AtomicBool,
    done: AtomicUsize,
}

impl BatchState {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, items: usize) {
        self.done.fetch_add(items, Ordering::Relaxed);
    }
}

/// How a batch is run.
#[derive(Default)]
pub(crate) struct BatchHow<'py> {
    pub(crate) threads: Option<usize>,
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

fn pool_of(how: &BatchHow<'_>) -> PyResult<Option<rayon::ThreadPool>> {
    match how.threads {
        None => Ok(None),
        Some(0) => Err(fail("threads: expected at least 1, found 0")),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            Ok(Some(pool.build().map_err(fail)?))
        }
    }
}

/// Waits for the result of a batch, looks for Ctrl-C and reports the progress. None when the work
/// ended without a result, by a panic.
fn watch<T>(
    results: &mpsc::Receiver<T>,
    state: &BatchState,
    bar: &mut Progress,
) -> PyResult<Option<T>> {
    loop {
        match results.recv_timeout(LOOK) {
            Ok(value) => return Ok(Some(value)),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(None),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        let looked = Python::attach(|py| {
            py.check_signals()?;
            bar.tell(py, state.done.load(Ordering::Relaxed))
        });
        if let Err(why) = looked {
            state.stop.store(true, Ordering::Relaxed);
            return Err(why);
        }
    }
}

fn work_in<T: Send>(
    pool: Option<rayon::ThreadPool>,
    state: &BatchState,
    work: impl FnOnce(&BatchState) -> T + Send,
) -> T {
    match pool {
        Some(pool) => pool.install(|| work(state)),
        None => work(state),
    }
}

/// Runs work on all cores without the interpreter, reports its progress, and ends at Ctrl-C.
pub(crate) fn batch<T: Send>(
    py: Python<'_>,
    how: &BatchHow<'_>,
    total: usize,
    work: impl FnOnce(&BatchState) -> T + Send,
) -> PyResult<T> {
    let pool = pool_of(how)?;
    let mut bar = Progress::new(py, how.progress.as_ref(), total)?;
    let state = BatchState::default();
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, results) = mpsc::channel::<T>();
            let state = &state;
            let worker = scope.spawn(move || {
                // Nobody waits for it any more when this fails.
                let _ = sender.send(work_in(pool, state, work));
            });
            let watched = watch(&results, state, &mut bar);
            match (worker.join(), watched) {
                (_, Err(why)) => Err(why),
                (Err(panic), _) => std::panic::resume_unwind(panic),
                (Ok(()), Ok(value)) => value.ok_or_else(|| fail("the batch ended early")),
            }
        })
    });
    bar.close(py, outcome.is_ok().then_some(total))?;
    outcome
}

/// The same for work that looks at [`BatchState::is_stopped`] seldom or never: Ctrl-C leaves it
/// behind, and its thread ends by itself.
pub(crate) fn batch_left_behind<T: Send + 'static>(
    py: Python<'_>,
    how: &BatchHow<'_>,
    total: usize,
    work: impl FnOnce(&BatchState) -> T + Send + 'static,
) -> PyResult<T> {
    let pool = pool_of(how)?;
    let mut bar = Progress::new(py, how.progress.as_ref(), total)?;
    let outcome = py.detach(|| {
        let (sender, results) = mpsc::channel::<T>();
        let state = Arc::new(BatchState::default());
        let own = Arc::clone(&state);
        let worker = std::thread::spawn(move || {
            let _ = sender.send(work_in(pool, &own, work));
        });
        match watch(&results, &state, &mut bar)? {
            Some(value) => Ok(value),
            None => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => Err(fail("the batch ended early")),
            },
        }
    });
    bar.close(py, outcome.is_ok().then_some(total))?;
    outcome
}

/// Answers every item on all cores, each run of them with a state of its own.
pub(crate) fn each<I: Sync, S, T: Send, E: Send>(
    state: &BatchState,
    items: &[I],
    make: impl Fn() -> Result<S, E> + Sync,
    ask: impl Fn(&mut S, &I, Limits<'_>) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    each_of(state, items, RUN, make, ask)
}

/// The same with another length of the runs, for questions that take a microsecond.
pub(crate) fn each_of<I: Sync, S, T: Send, E: Send>(
    state: &BatchState,
    items: &[I],
    run: usize,
    make: impl Fn() -> Result<S, E> + Sync,
    ask: impl Fn(&mut S, &I, Limits<'_>) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let answered: Result<Vec<Vec<T>>, E> = items
        .par_chunks(run)
        .map(|items| {
            let stop = || state.is_stopped();
            let limits = Limits {
                stop: Some(&stop),
                ..Limits::default()
            };
            let mut cache = make()?;
            let mut found = Vec::with_capacity(items.len());
            for item in items {
                if state.is_stopped() {
                    break;
                }
                found.push(ask(&mut cache, item, limits)?);
            }
            state.add(items.len());
            Ok(found)
        })
        .collect();
    Ok(answered?.into_iter().flatten().collect())
}

/// The same with one cache for many runs, which `forget` makes as good as new before each: its memory is kept.
pub(crate) fn each_reusing<I: Sync, S, T: Send>(
    state: &BatchState,
    items: &[I],
    make: impl Fn() -> S + Sync + Send,
    forget: impl Fn(&mut S) + Sync + Send,
    ask: impl Fn(&mut S, &I, Limits<'_>) -> T + Sync + Send,
) -> Vec<T> {
    let answer = |cache: &mut S, items: &[I]| -> Vec<T> {
        let stop = || state.is_stopped();
        let limits = Limits {
            stop: Some(&stop),
            ..Limits::default()
        };
        forget(cache);
        state.add(items.len());
        let asked = items.iter().take_while(|_| !state.is_stopped());
        asked.map(|item| ask(cache, item, limits)).collect()
    };
    let runs: Vec<Vec<T>> = items.par_chunks(RUN).map_init(make, answer).collect();
    runs.into_iter().flatten().collect()
}

/// A bar of `tqdm`, a function of the caller, or nothing.
struct Progress {
    bar: Option<Py<PyAny>>,
    function: Option<Py<PyAny>>,
    total: usize,
    told: usize,
}

impl Progress {
    fn new(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, total: usize) -> PyResult<Self> {
        let mut made = Self {
            bar: None,
            function: None,
            total,
            told: 0,
        };
        let Some(progress) = progress else {
            return Ok(made);
        };
        if progress.is_callable() {
            made.function = Some(progress.clone().unbind());
        } else if progress.is_truthy()?
            && let Ok(tqdm) = py.import("tqdm.auto")
        {
            let options = pyo3::types::PyDict::new(py);
            options.set_item("total", total)?;
            made.bar = Some(tqdm.call_method("tqdm", (), Some(&options))?.unbind());
        }
        Ok(made)
    }

    fn tell(&mut self, py: Python<'_>, done: usize) -> PyResult<()> {
        let done = done.min(self.total);
        if let Some(bar) = &self.bar {
            bar.call_method1(py, "update", (done.saturating_sub(self.told),))?;
        }
        if let Some(function) = &self.function {
            function.call1(py, (done, self.total))?;
        }
        self.told = done;
        Ok(())
    }

    fn close(&mut self, py: Python<'_>, done: Option<usize>) -> PyResult<()> {
        if let Some(done) = done {
            self.tell(py, done)?;
        }
        if let Some(bar) = &self.bar {
            bar.call_method0(py, "close")?;
        }
        Ok(())
    }
}
