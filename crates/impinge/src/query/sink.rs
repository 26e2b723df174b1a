//! Sinks: where queries report their results.

use std::ops::ControlFlow;

/// Receives results one by one and may stop the search. Closures and `Vec` are sinks.
///
/// ```
/// use impinge::query::{Count, Sink};
/// use std::ops::ControlFlow;
/// let mut found = Vec::new();
/// assert!(found.accept(3).is_continue());
/// let mut at_most_two = { let mut n = 0; move |_: i32| { n += 1; if n < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) } } };
/// assert!(at_most_two.accept(1).is_continue() && at_most_two.accept(1).is_break());
/// let mut count = Count::default();
/// assert!(count.accept("anything").is_continue());
/// assert_eq!(count.0, 1);
/// ```
pub trait Sink<T> {
    /// Takes one result; `Break` ends the search.
    fn accept(&mut self, item: T) -> ControlFlow<()>;
}

impl<T, F: FnMut(T) -> ControlFlow<()>> Sink<T> for F {
    fn accept(&mut self, item: T) -> ControlFlow<()> {
        self(item)
    }
}

impl<T> Sink<T> for Vec<T> {
    fn accept(&mut self, item: T) -> ControlFlow<()> {
        self.push(item);
        ControlFlow::Continue(())
    }
}

/// Counts results and keeps none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(
    /// How many results came.
    pub u64,
);

impl<T> Sink<T> for Count {
    fn accept(&mut self, _: T) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// Keeps the first result and ends the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First<T>(
    /// The first result, if one came.
    pub Option<T>,
);

impl<T> Default for First<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Sink<T> for First<T> {
    fn accept(&mut self, item: T) -> ControlFlow<()> {
        if self.0.is_none() {
            self.0 = Some(item);
        }
        ControlFlow::Break(())
    }
}
