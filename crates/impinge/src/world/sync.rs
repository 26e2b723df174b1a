//! The locks of the buffers.

pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
