//! A pose written by one thread and read by any number, without locks.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use impinge::glam::DMat3;
use impinge::{DVec3, Pose};

/// Attempts of a reader before it keeps its old pose.
const MOST_LOOKS: usize = 64;

/// The newest pose of a body, for one writer and many readers.
///
/// A sequence lock: a counter is odd while the pose is being written, and a reader that saw it change reads again. Nothing waits: a reader
/// that is disturbed too often keeps its old pose.
///
/// ```
/// use impinge::Pose;
/// use impinge_dynamics::workspace::PoseCell;
/// let cell = PoseCell::new(&Pose::IDENTITY);
/// let there = Pose::from_translation([1.0, 2.0, 3.0])?;
/// cell.write(&there);
/// assert_eq!(cell.read(), Some(there));
/// # Ok::<(), impinge::PoseError>(())
/// ```
#[derive(Debug)]
pub struct PoseCell {
    version: AtomicU64,
    words: [AtomicU64; 12],
}

impl PoseCell {
    /// A cell that holds a pose.
    #[must_use]
    pub fn new(pose: &Pose) -> Self {
        let cell = Self {
            version: AtomicU64::new(0),
            words: std::array::from_fn(|_| AtomicU64::new(0)),
        };
        cell.write(pose);
        cell
    }

    /// Writes a pose. One thread at a time may do so.
    pub fn write(&self, pose: &Pose) {
        let version = self.version.load(Ordering::Relaxed);
        self.version
            .store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        let rotation = pose.rotation().to_cols_array();
        let translation = pose.translation().to_array();
        for (word, x) in self.words.iter().zip(rotation.iter().chain(&translation)) {
            word.store(x.to_bits(), Ordering::Relaxed);
        }
        self.version
            .store(version.wrapping_add(2), Ordering::Release);
    }

    /// The newest pose; `None` if writes disturbed every attempt.
    #[must_use]
    pub fn read(&self) -> Option<Pose> {
        for _ in 0..MOST_LOOKS {
            let version = self.version.load(Ordering::Acquire);
            let mut numbers = [0.0; 12];
            for (x, word) in numbers.iter_mut().zip(&self.words) {
                *x = f64::from_bits(word.load(Ordering::Relaxed));
            }
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                let [a, b, c, d, e, f, g, h, i, x, y, z] = numbers;
                let rotation = DMat3::from_cols_array(&[a, b, c, d, e, f, g, h, i]);
                return Pose::new(rotation, DVec3::new(x, y, z)).ok();
            }
            std::hint::spin_loop();
        }
        None
    }
}
