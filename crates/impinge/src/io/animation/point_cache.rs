//! PC2 and MDD: positions of every vertex in every frame, one after the other.
//!
//! PC2 is little-endian: `POINTCACHE2`, a zero byte, version 1, points, first frame, frames per sample, samples, and then three `f32` for
//! each point of each sample. MDD is big-endian: frames, points, the time of each frame, and then the same.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::DVec3;

use super::super::byte_cursor::fixed;
use super::super::error::{ReadError, ReadFault};
use super::error::AnimationError;

const PC2_HEADER: usize = 32;
const MDD_HEADER: usize = 8;
const POINT: u64 = 12;

/// Bytes that a frame takes, and one if it has no points: a header alone must not declare a frame for every number there is.
fn frame_size(points: u32) -> u64 {
    (u64::from(points) * POINT).max(1)
}

/// An open file of positions.
#[derive(Debug)]
pub(super) struct PointCache {
    path: PathBuf,
    file: File,
    length: u64,
    points: u32,
    times: CacheTimes,
    /// As many as the header declares.
    declared: u32,
    /// As many as there are, and one more if the file was cut off.
    frames: u32,
    /// Where the first frame begins.
    start: u64,
    is_big_endian: bool,
}

#[derive(Debug)]
enum CacheTimes {
    Listed(Vec<f32>),
    /// Frame of the first sample, frames per sample, frames per second.
    Counted {
        first: f32,
        step: f32,
        rate_hz: f64,
    },
}

impl PointCache {
    pub(super) fn open(path: &Path, is_mdd: bool, rate_hz: f64) -> Result<Self, ReadError> {
        let mut file = File::open(path).map_err(ReadFault::Io)?;
        let length = file.metadata().map_err(ReadFault::Io)?.len();
        let mut take = |count: usize, what: &str| {
            let mut bytes = vec![0; count];
            file.read_exact(&mut bytes).map_err(|_| {
                ReadError::byte(
                    usize::try_from(length).unwrap_or(usize::MAX),
                    format!("the file ends inside {what} (was it cut off?)"),
                )
            })?;
            Ok::<_, ReadError>(bytes)
        };
        let (points, declared, times, start) = if is_mdd {
            let header = take(MDD_HEADER, "the header")?;
            let frames = u32::from_be_bytes(fixed(&header, 0));
            let points = u32::from_be_bytes(fixed(&header, 4));
            let list = u64::from(frames) * 4;
            if MDD_HEADER as u64 + list > length {
                return Err(ReadError::byte(
                    0,
                    format!(
                        "{frames} frames are declared, but the file has only {length} bytes; is this an MDD file?"
                    ),
                ));
            }
            let list = take(list as usize, "the times of the frames")?;
            let times = list
                .as_chunks::<4>()
                .0
                .iter()
                .map(|&b| f32::from_be_bytes(b))
                .collect();
            let start = MDD_HEADER as u64 + u64::from(frames) * 4;
            (points, frames, CacheTimes::Listed(times), start)
        } else {
            let header = take(PC2_HEADER, "the header")?;
            if !header.starts_with(b"POINTCACHE2\0") {
                return Err(ReadError::byte(
                    0,
                    "a PC2 file starts with the letters POINTCACHE2",
                ));
            }
            let word = |at: usize| u32::from_le_bytes(fixed(&header, at));
            let single = |at: usize| f32::from_le_bytes(fixed(&header, at));
            if word(12) != 1 {
                return Err(ReadError::byte(
                    12,
                    format!("version {} of PC2 is not read, only 1", word(12)),
                ));
            }
            let times = CacheTimes::Counted {
                first: single(20),
                step: single(24),
                rate_hz,
            };
            (word(16), word(28), times, PC2_HEADER as u64)
        };
        let whole = length.saturating_sub(start) / frame_size(points);
        let most = whole.saturating_add(1).min(u64::from(declared));
        Ok(Self {
            path: path.to_owned(),
            file,
            length,
            points,
            times,
            declared,
            // No more than a 32-bit number.
            frames: most as u32,
            start,
            is_big_endian: is_mdd,
        })
    }

    /// Refuses times that do not grow.
    pub(super) fn check_times(&self) -> Result<(), AnimationError> {
        for frame in 1..self.frames as usize {
            let (before, time) = (self.time(frame - 1), self.time(frame));
            if time.is_nan() || time <= before {
                return Err(AnimationError::TimeReversed {
                    frame,
                    time,
                    before,
                });
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn points(&self) -> usize {
        self.points as usize
    }

    pub(super) fn frames(&self) -> usize {
        self.frames as usize
    }

    pub(super) fn time(&self, frame: usize) -> f64 {
        match &self.times {
            CacheTimes::Listed(times) => times.get(frame).copied().map_or(0.0, f64::from),
            CacheTimes::Counted {
                first,
                step,
                rate_hz,
            } => (f64::from(*first) + frame as f64 * f64::from(*step)) / rate_hz,
        }
    }

    /// Where a vertex of a frame is in the file.
    pub(super) fn place(&self, frame: usize, vertex: usize) -> u64 {
        let size = u64::from(self.points).saturating_mul(POINT);
        self.start
            .saturating_add(size.saturating_mul(frame as u64))
            .saturating_add(POINT.saturating_mul(vertex as u64))
    }

    pub(super) fn read(&mut self, frame: usize) -> Result<Vec<DVec3>, ReadError> {
        let (start, end) = (self.place(frame, 0), self.place(frame + 1, 0));
        if end > self.length {
            let whole = self.length.saturating_sub(self.start) / frame_size(self.points);
            let message = format!(
                "the file ends inside this frame; {whole} of {} frames are whole (was it cut off?)",
                self.declared
            );
            let place = usize::try_from(self.length).unwrap_or(usize::MAX);
            return Err(ReadError::byte(place, message).in_file(&self.path));
        }
        let failed = |e: std::io::Error| ReadError::from(ReadFault::Io(e)).in_file(&self.path);
        self.file.seek(SeekFrom::Start(start)).map_err(failed)?;
        // No more than the file holds.
        let mut bytes = vec![0; (end - start) as usize];
        self.file.read_exact(&mut bytes).map_err(failed)?;
        let number = |b: [u8; 4]| {
            f64::from(if self.is_big_endian {
                f32::from_be_bytes(b)
            } else {
                f32::from_le_bytes(b)
            })
        };
        let (numbers, _) = bytes.as_chunks::<4>();
        let (points, _) = numbers.as_chunks::<3>();
        Ok(points
            .iter()
            .map(|&[x, y, z]| DVec3::new(number(x), number(y), number(z)))
            .collect())
    }
}
