//! The locks of the buffers.

pub(super) use std::sync::atomic::AtomicU64;
pub(super) use std::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
