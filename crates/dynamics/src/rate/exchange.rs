//! The newest state of the world, handed to the servo loop without waiting.
//!
//! **Question.** How does a slow thread pass its results to one that must not wait?
//! **Idea.** Three slots, made once. The writer owns one, the reader one, the third is in the middle; an atomic index says
//! which. Publishing swaps the writer's slot with the middle one, reading swaps the reader's with it if that is
//! newer.
//! **Promise.** Neither side waits, allocates or frees. The reader sees only whole states, each newer than the last. A
//! state whose making failed is never seen.
//! **Limits.** One writer and one reader. The slots are locks that are only ever tried, and by the protocol never
//! taken: this keeps the code free of `unsafe`.

use super::sync::{Arc, AtomicU8, Mutex, Ordering, TryLockError};

/// Set in the index when the middle slot is newer than the reader's.
const FRESH: u8 = 4;
const SLOT: u8 = 3;

struct Slots<T> {
    slots: [Mutex<T>; 3],
    middle: AtomicU8,
}

impl<T> Slots<T> {
    fn with<R>(&self, slot: u8, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        match self.slots.get(usize::from(slot))?.try_lock() {
            Ok(mut state) => Some(look(&mut state)),
            // A writer that panicked left a state that is overwritten before it is published.
            Err(TryLockError::Poisoned(state)) => Some(look(&mut state.into_inner())),
            Err(TryLockError::WouldBlock) => {
                debug_assert!(false, "a slot has one owner");
                None
            }
        }
    }
}

/// The side that makes states.
pub struct WorldWriter<T> {
    shared: Arc<Slots<T>>,
    own: u8,
}

/// The side that reads the newest state.
pub struct ServoReader<T> {
    shared: Arc<Slots<T>>,
    own: u8,
}

impl<T> std::fmt::Debug for WorldWriter<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldWriter").finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for ServoReader<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServoReader").finish_non_exhaustive()
    }
}

/// Both sides of an exchange whose three slots start as these.
///
/// ```
/// use impinge_dynamics::rate::exchange;
/// let (mut world, mut servo) = exchange([0, 0, 0]);
/// assert_eq!(servo.read(|state| *state), Some(0));
/// world.publish(|state| { *state = 7; Ok::<(), ()>(()) })?;
/// assert!(servo.is_fresh());
/// assert_eq!(servo.read(|state| *state), Some(7));
/// // What failed is not seen.
/// assert_eq!(world.publish(|state| { *state = 9; Err("no") }), Err("no"));
/// assert_eq!(servo.read(|state| *state), Some(7));
/// # Ok::<(), ()>(())
/// ```
#[must_use]
pub fn exchange<T>(slots: [T; 3]) -> (WorldWriter<T>, ServoReader<T>) {
    let shared = Arc::new(Slots {
        slots: slots.map(Mutex::new),
        middle: AtomicU8::new(1),
    });
    let writer = WorldWriter {
        shared: Arc::clone(&shared),
        own: 0,
    };
    (writer, ServoReader { shared, own: 2 })
}

impl<T> WorldWriter<T> {
    /// Publishes what `make` leaves in a slot. It finds there a state of earlier, whose memory it may use again, and
    /// must write all of it.
    ///
    /// # Errors
    /// What `make` fails with; then nothing is published.
    pub fn publish<E>(&mut self, make: impl FnOnce(&mut T) -> Result<(), E>) -> Result<(), E> {
        if let Some(made) = self.shared.with(self.own, make) {
            made?;
            let middle = self.shared.middle.swap(self.own | FRESH, Ordering::AcqRel);
            self.own = middle & SLOT;
        }
        Ok(())
    }
}

impl<T> ServoReader<T> {
    /// Whether a state was published since the last read.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.shared.middle.load(Ordering::Acquire) & FRESH != 0
    }

    /// Shows the newest state. It is never none; the type says so because nothing here may panic.
    pub fn read<R>(&mut self, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        if self.is_fresh() {
            let middle = self.shared.middle.swap(self.own, Ordering::AcqRel);
            self.own = middle & SLOT;
        }
        self.shared.with(self.own, look)
    }
}
