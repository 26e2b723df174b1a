//! The buffers between a world and those who change it, under the orders in which threads can run.
//!
//! **Question.** Does mail get lost, or a thread sleep for ever? **Idea.** The buffers take their locks from a module beside them. Here the same
//! source file is compiled beside locks of `loom`, which runs a closure again and again, each time with its threads in another order, and panics when all of
//! them sleep. **Limits.** A thread is interrupted at most [`INTERRUPTIONS`] times where it could go on; orders with more are left out.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

/// What the buffers import of the crate.
mod broad {
    pub(crate) use impinge::broad::ObjectId;
}
mod math {
    pub(crate) use impinge::math::Pose;
}

/// The folder of the buffers, with stand-ins for what they only hand through.
mod world {
    #[allow(dead_code, reason = "the tests below use a part of it")]
    #[path = "../../../src/world/edit_buffer.rs"]
    mod edit_buffer;
    #[allow(dead_code, reason = "the buffers use a part of it")]
    #[path = "../../../src/world/slots.rs"]
    mod slots;

    /// The locks that try every order.
    mod sync {
        pub(super) use loom::sync::atomic::AtomicU64;
        pub(super) use loom::sync::{
            Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
        };
    }
    mod body {
        pub(super) use impinge::world::Body;
    }
    mod events {
        pub(super) use impinge::world::WorldFrame;
    }
    mod listener {
        #[derive(Debug)]
        pub(super) struct Listener;
        #[derive(Clone, Copy, Debug)]
        #[allow(dead_code, reason = "nobody listens here")]
        pub(super) struct ListenerId(pub(super) u32);
    }
    /// The kinds of edits that the buffers tell from others.
    mod edits {
        use super::body::Body;
        use super::listener::Listener;
        use crate::broad::ObjectId;
        use crate::math::Pose;

        #[derive(Debug)]
        #[allow(dead_code, reason = "nobody listens here")]
        pub(super) enum Edit {
            Insert(ObjectId, Box<Body>),
            Remove(ObjectId),
            SetPose(ObjectId, Pose),
            Listen(Box<Listener>),
        }

        impl Edit {
            pub(super) fn objects(&self) -> impl Iterator<Item = ObjectId> {
                let id = match *self {
                    Self::Remove(id) | Self::SetPose(id, _) => Some(id),
                    Self::Insert(..) | Self::Listen(_) => None,
                };
                id.into_iter()
            }
        }
    }

    mod interleavings;
}

/// How often a thread is interrupted where it could go on, at most.
const INTERRUPTIONS: usize = 3;

/// Runs a closure in every order of its threads.
fn in_every_order(closure: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(closure);
}
