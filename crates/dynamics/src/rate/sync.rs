//! The atomics and locks of the exchange; a test replaces them by ones that try every order of threads.

pub(super) use std::sync::atomic::{AtomicU8, Ordering};
pub(super) use std::sync::{Arc, Mutex, TryLockError};
