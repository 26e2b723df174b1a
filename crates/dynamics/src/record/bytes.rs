//! Recordings as bytes.

use impinge::{DMat3, DVec3, Pose, PoseError};
use thiserror::Error;

use super::{Entry, RecordedTick, Recording, WorldEdit};
use crate::Wrench;
use crate::crc32::crc32;
use crate::device::DeviceState;

/// The version this crate writes; it reads all up to this one.
pub const RECORDING_VERSION: u32 = 2;

/// The last version without ticks.
const VERSION_WITHOUT_TICKS: u32 = 1;

const MAGIC: &[u8; 8] = b"IMPHREC\0";

/// Magic, version and number of entries.
const HEADER: usize = 20;

const INPUT: u8 = 1;
const EDIT: u8 = 2;
const WRENCH: u8 = 3;
const TICK: u8 = 4;
const TICK_WITHOUT_STATE: u8 = 5;

/// Why bytes are not a recording.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Wrong magic bytes.
    #[error("not a recording: it does not begin with IMPHREC")]
    NotARecording,
    /// The file is truncated.
    #[error("the recording ends at byte {at}, within an entry or its header")]
    Truncated {
        /// Number of bytes.
        at: usize,
    },
    /// Unsupported version.
    #[error(
        "the recording has version {found}, this program reads {VERSION_WITHOUT_TICKS} to {RECORDING_VERSION}"
    )]
    Version {
        /// The version found.
        found: u32,
    },
    /// Checksum mismatch.
    #[error("the recording is damaged: its checksum is {found:08x}, its bytes give {expected:08x}")]
    Checksum {
        /// The stored value.
        found: u32,
        /// The computed value.
        expected: u32,
    },
    /// Unknown entry kind.
    #[error("byte {at} is {kind}, which is no kind of entry")]
    Kind {
        /// The place.
        at: usize,
        /// The byte.
        kind: u8,
    },
    /// Invalid pose.
    #[error("the entry at byte {at} has no valid pose: {error}")]
    Pose {
        /// The place.
        at: usize,
        /// Why.
        error: PoseError,
    },
    /// The number of entries differs from the header.
    #[error("the recording announces {announced} entries and holds {found}")]
    Count {
        /// The stored value.
        announced: u64,
        /// The value found.
        found: u64,
    },
}

impl Recording {
    /// The recording as a file holds it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(RECORDING_VERSION.to_le_bytes());
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        for entry in &self.entries {
            put_entry(&mut bytes, entry);
        }
        bytes.extend(crc32(&bytes).to_le_bytes());
        bytes
    }

    /// The recording that [`Recording::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`RecordError`] when it did not, or the bytes were changed since.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        if !bytes.starts_with(MAGIC) {
            return Err(RecordError::NotARecording);
        }
        let truncated = RecordError::Truncated { at: bytes.len() };
        let (body, checksum) = bytes.split_last_chunk::<4>().ok_or(truncated)?;
        let mut reader = Reader {
            bytes: body,
            at: MAGIC.len(),
        };
        let version = u32::from_le_bytes(reader.take()?);
        if !(VERSION_WITHOUT_TICKS..=RECORDING_VERSION).contains(&version) {
            return Err(RecordError::Version { found: version });
        }
        let announced = u64::from_le_bytes(reader.take()?);
        let (found, expected) = (u32::from_le_bytes(*checksum), crc32(body));
        if found != expected {
            return Err(RecordError::Checksum { found, expected });
        }
        debug_assert_eq!(reader.at, HEADER);
        let mut entries = Vec::new();
        while reader.at < body.len() {
            entries.push(reader.entry(version)?);
        }
        let found = entries.len() as u64;
        if found != announced {
            return Err(RecordError::Count { announced, found });
        }
        Ok(Self { entries })
    }
}

fn put(bytes: &mut Vec<u8>, numbers: &[f64]) {
    for number in numbers {
        bytes.extend(number.to_le_bytes());
    }
}

fn put_pose(bytes: &mut Vec<u8>, pose: &Pose) {
    put(bytes, &pose.rotation().to_cols_array());
    put(bytes, &pose.translation().to_array());
}

fn put_state(bytes: &mut Vec<u8>, state: &DeviceState) {
    bytes.extend(state.time_ns.to_le_bytes());
    put_pose(bytes, &state.pose);
    put(bytes, &state.linear_velocity.to_array());
    put(bytes, &state.angular_velocity.to_array());
    put(bytes, &[state.gripper]);
    bytes.extend(state.buttons.to_le_bytes());
}

pub(super) fn put_entry(bytes: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::Input(state) => {
            bytes.push(INPUT);
            put_state(bytes, state);
        }
        Entry::Tick(tick) => {
            bytes.push(tick.state.map_or(TICK_WITHOUT_STATE, |_| TICK));
            bytes.extend(tick.now_ns.to_le_bytes());
            bytes.extend(tick.due_ns.to_le_bytes());
            if let Some(state) = &tick.state {
                put_state(bytes, state);
            }
        }
        Entry::Edit(edit) => {
            bytes.push(EDIT);
            bytes.extend(edit.body.to_le_bytes());
            put_pose(bytes, &edit.world_from_body);
        }
        Entry::Wrench(wrench) => {
            bytes.push(WRENCH);
            put(bytes, &wrench.force.to_array());
            put(bytes, &wrench.torque.to_array());
        }
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], RecordError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let chunk = rest.first_chunk().ok_or(RecordError::Truncated {
            at: self.bytes.len(),
        })?;
        self.at += N;
        Ok(*chunk)
    }

    fn number(&mut self) -> Result<f64, RecordError> {
        Ok(f64::from_le_bytes(self.take()?))
    }

    fn vector(&mut self) -> Result<DVec3, RecordError> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    fn pose(&mut self) -> Result<Pose, RecordError> {
        let at = self.at;
        let (x, y, z) = (self.vector()?, self.vector()?, self.vector()?);
        let translation = self.vector()?;
        let pose = Pose::new(DMat3::from_cols(x, y, z), translation);
        pose.map_err(|error| RecordError::Pose { at, error })
    }

    fn time(&mut self) -> Result<u64, RecordError> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn state(&mut self) -> Result<DeviceState, RecordError> {
        Ok(DeviceState {
            time_ns: self.time()?,
            pose: self.pose()?,
            linear_velocity: self.vector()?,
            angular_velocity: self.vector()?,
            gripper: self.number()?,
            buttons: u32::from_le_bytes(self.take()?),
        })
    }

    fn entry(&mut self, version: u32) -> Result<Entry, RecordError> {
        let at = self.at;
        let [kind] = self.take()?;
        match kind {
            INPUT => Ok(Entry::Input(self.state()?)),
            TICK | TICK_WITHOUT_STATE if version > VERSION_WITHOUT_TICKS => {
                Ok(Entry::Tick(RecordedTick {
                    now_ns: self.time()?,
                    due_ns: self.time()?,
                    state: (kind == TICK).then(|| self.state()).transpose()?,
                }))
            }
            EDIT => Ok(Entry::Edit(WorldEdit {
                body: u32::from_le_bytes(self.take()?),
                world_from_body: self.pose()?,
            })),
            WRENCH => Ok(Entry::Wrench(Wrench {
                force: self.vector()?,
                torque: self.vector()?,
            })),
            kind => Err(RecordError::Kind { at, kind }),
        }
    }
}
