//! Memory that modules above keep in a cache between questions.

use std::any::Any;
use std::fmt;

/// A place for one value of a type that this module does not know. It holds memory and no answers, so that a clone begins empty.
#[derive(Default)]
pub(crate) struct CacheSlot(Option<Box<dyn Any + Send + Sync>>);

impl CacheSlot {
    /// What was put here last, or a new one.
    pub(crate) fn take<T: Any + Default>(&mut self) -> Box<T> {
        let kept = self.0.take();
        kept.and_then(|kept| kept.downcast().ok())
            .unwrap_or_default()
    }

    /// Keeps it for the next question.
    pub(crate) fn put<T: Any + Send + Sync>(&mut self, value: Box<T>) {
        self.0 = Some(value);
    }
}

impl Clone for CacheSlot {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for CacheSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Kept" } else { "Nothing" })
    }
}
