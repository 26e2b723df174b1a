//! Recordings of inputs and outputs, replayed byte for byte.
//!
//! **Question.** What exactly happened, and can it be reproduced?
//! **Idea.** The device's states, when their ticks ran and were due, the edits of the world and the rendered wrenches, in order, as
//! the bits of their numbers. A session is a function of these times, inputs and edits, so that replaying gives the same wrenches.
//! **Promise.** Writing and reading gives back every bit. A file that was changed, cut or written by another
//! version is refused with a reason. Recording does not allocate; a full recorder drops and counts.
//! **Limits.** Wrenches are the same on another machine only if the session uses no functions of the platform; those of
//! this crate do not.
//!
//! The format, all numbers little-endian: `IMPHREC` and a zero byte; version u32; number of entries u64; the
//! entries; CRC-32 of all bytes before it. An entry is a kind byte and its numbers: 1, a device state (time u64;
//! rotation by columns 9, translation 3, velocity 3, angular velocity 3, gripper 1 as f64; buttons u32);
//! 2, an edit (body u32, pose 12 f64); 3, a wrench (6 f64); 4, a tick (its time u64, when it was due u64, a device state); 5, a tick in which the device did not
//! answer (its time u64, when it was due u64). Version 1 has no ticks: an input ran when it was measured. It is still read.
//!
//! ```
//! use impinge::{DVec3, Pose};
//! use impinge_dynamics::{Wrench, device::DeviceState, record::{Recorder, Recording, Session, replay}};
//! struct Spring;
//! impl Session for Spring {
//!     fn input(&mut self, state: &DeviceState) -> Wrench {
//!         Wrench::from_force(state.pose.translation() * -100.0)
//!     }
//! }
//! let mut recorder = Recorder::with_capacity(10);
//! let state = DeviceState::at_rest(7, Pose::from_translation([0.1, 0.0, 0.0])?);
//! assert!(recorder.input(&state));
//! assert!(recorder.wrench(Spring.input(&state)));
//! assert_eq!(recorder.dropped(), 0);
//! let recording = recorder.finish();
//! let bytes = recording.to_bytes();
//! let read = Recording::from_bytes(&bytes)?;
//! assert_eq!(replay(&read, &mut Spring).to_bytes(), bytes);
//! assert_eq!(read.states(), vec![state]);
//! assert_eq!(read.first_difference(&recording), None);
//! assert_eq!(read.entries().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;

pub use bytes::{RECORDING_VERSION, RecordError};

use impinge::Pose;

use crate::Wrench;
use crate::device::DeviceState;

/// One recorded event.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// The device reported a state, in a tick that ran at its time.
    Input(DeviceState),
    /// A tick of the servo loop.
    Tick(RecordedTick),
    /// A body was placed.
    Edit(WorldEdit),
    /// A wrench was rendered.
    Wrench(Wrench),
}

/// A tick of the servo loop: when it ran, and what the device reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedTick {
    /// When it ran, in nanoseconds.
    pub now_ns: u64,
    /// When it was due, in nanoseconds.
    pub due_ns: u64,
    /// The newest state; none when the device did not answer.
    pub state: Option<DeviceState>,
}

/// A body was placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldEdit {
    /// Its number.
    pub body: u32,
    /// Where it is now.
    pub world_from_body: Pose,
}

/// Takes entries on the servo path.
#[derive(Clone, Debug)]
pub struct Recorder {
    entries: Vec<Entry>,
    dropped: u64,
}

impl Recorder {
    /// Room for this many entries; allocated here and never again.
    #[must_use]
    pub fn with_capacity(entries: usize) -> Self {
        Self {
            entries: Vec::with_capacity(entries),
            dropped: 0,
        }
    }

    fn push(&mut self, entry: Entry) -> bool {
        let has_room = self.entries.len() < self.entries.capacity();
        if has_room {
            self.entries.push(entry);
        } else {
            self.dropped += 1;
        }
        has_room
    }

    /// Takes a state; whether there was room.
    pub fn input(&mut self, state: &DeviceState) -> bool {
        self.push(Entry::Input(*state))
    }

    /// Records a tick; returns whether there was room.
    ///
    /// ```
    /// use impinge_dynamics::record::{RecordedTick, Recorder};
    /// let mut recorder = Recorder::with_capacity(1);
    /// assert!(recorder.tick(&RecordedTick { now_ns: 5, due_ns: 4, state: None }));
    /// ```
    pub fn tick(&mut self, tick: &RecordedTick) -> bool {
        self.push(Entry::Tick(*tick))
    }

    /// Records an edit; returns whether there was room.
    ///
    /// ```
    /// use impinge_dynamics::record::{Recorder, WorldEdit};
    /// let mut recorder = Recorder::with_capacity(0);
    /// assert!(!recorder.edit(&WorldEdit { body: 0, world_from_body: Default::default() }));
    /// assert_eq!(recorder.dropped(), 1);
    /// ```
    pub fn edit(&mut self, edit: &WorldEdit) -> bool {
        self.push(Entry::Edit(*edit))
    }

    /// Records a wrench; returns whether there was room.
    pub fn wrench(&mut self, wrench: Wrench) -> bool {
        self.push(Entry::Wrench(wrench))
    }

    /// Entries dropped because the buffer was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The recording.
    #[must_use]
    pub fn finish(self) -> Recording {
        Recording {
            entries: self.entries,
        }
    }
}

/// Entries in the order in which they happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    pub(crate) entries: Vec<Entry>,
}

impl Recording {
    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The device's states, for a [`RecordedDevice`](crate::device::RecordedDevice).
    #[must_use]
    pub fn states(&self) -> Vec<DeviceState> {
        let states = self.entries.iter().filter_map(|entry| match entry {
            Entry::Input(state) => Some(*state),
            Entry::Tick(tick) => tick.state,
            _ => None,
        });
        states.collect()
    }

    /// The number of the first entry in which two recordings differ by a bit.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let longest = self.entries.len().max(other.entries.len());
        (0..longest).find(|&i| {
            let bytes = |recording: &Self| {
                let mut bytes = Vec::new();
                if let Some(entry) = recording.entries.get(i) {
                    bytes::put_entry(&mut bytes, entry);
                }
                bytes
            };
            bytes(self) != bytes(other)
        })
    }
}

/// What is recorded and replayed: states and edits go in, wrenches come out.
pub trait Session {
    /// The wrench for a state.
    fn input(&mut self, state: &DeviceState) -> Wrench;

    /// The wrench of a tick that ran at `now_ns` and was due at `due_ns`; `state` is none when the device did not answer. Sessions that
    /// know no times take the state as an input, and give no force without one.
    fn run_tick(&mut self, state: Option<&DeviceState>, now_ns: u64, due_ns: u64) -> Wrench {
        let _ = (now_ns, due_ns);
        state.map_or(Wrench::ZERO, |state| self.input(state))
    }

    /// A body was placed.
    fn edit(&mut self, edit: &WorldEdit) {
        let _ = edit;
    }
}

/// The recording that a session makes of the inputs and edits of another.
pub fn replay(recording: &Recording, session: &mut impl Session) -> Recording {
    let mut entries = Vec::with_capacity(recording.entries.len());
    // A wrench is put out where the first recording had one; an input that it put nothing out for gives none.
    let mut pending = None;
    for entry in &recording.entries {
        match entry {
            Entry::Input(state) => {
                pending = Some(session.input(state));
                entries.push(*entry);
            }
            Entry::Tick(tick) => {
                let state = tick.state.as_ref();
                pending = Some(session.run_tick(state, tick.now_ns, tick.due_ns));
                entries.push(*entry);
            }
            Entry::Edit(edit) => {
                session.edit(edit);
                entries.push(*entry);
            }
            Entry::Wrench(_) => {
                if let Some(wrench) = pending.take() {
                    entries.push(Entry::Wrench(wrench));
                }
            }
        }
    }
    Recording { entries }
}
