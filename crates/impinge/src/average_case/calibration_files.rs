//! Serialization of calibrations.
//!
//! Numbers are little-endian. The layout:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `impcalib` |
//! | 4, 4, 4, 4 | version, steps of both curves, poses that do not intersect |
//! | 8 | checksum of all the above |
//! | 8, 8 | poses that intersect; fingerprint of trees and options |
//! | 40, 40 | weights of both curves |
//! | 16 per step | first score and probability |
//! | 8 per pose | nonconformity |
//! | 8 | checksum of all the above |

use std::io::{self, Write};

use super::calibration::Calibration;
use super::fitted_curve::{FEATURES, FittedCurve};
use super::serialize::{HEADER, content_end, header, malformed};
use crate::bvh::wide::{LoadError, check_header};
use crate::math::checksum::{CHECKSUM, checksum, u32_at, u64_at};

const CALIBRATION: [u8; 8] = *b"impcalib";
const VERSION: u32 = 1;

impl Calibration {
    /// Writes the calibration so that [`Calibration::load`] gets it back. It may follow its tree in one file: see
    /// [`AverageTree::load_prefix`](super::AverageTree::load_prefix).
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// ```
    /// use impinge::average_case::{AverageQuery, AverageTree, Calibration};
    /// use impinge::{Pose, bound::Aabb, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let tree = Arc::new(AverageTree::<Aabb>::new(&tetrahedron(1.0)?, &Default::default()));
    /// let mut query = AverageQuery::new(tree.clone(), tree.clone(), Default::default())?;
    /// let calibration = Calibration::from_truth(&mut query, &[(Pose::IDENTITY, true); 4]);
    /// let mut file = Vec::new();
    /// tree.save(&mut file)?;
    /// calibration.save(&mut file)?;
    /// let (loaded, rest) = AverageTree::load_prefix(&file)?;
    /// assert!(loaded == *tree && Calibration::load(rest)? == calibration);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, mut out: impl Write) -> io::Result<()> {
        let [first, second] = &self.curves;
        let [no, yes] = &self.nonconformities;
        let words = [first.steps.len(), second.steps.len(), no.len()].map(|n| n as u32);
        let mut bytes = header(CALIBRATION, VERSION, words);
        bytes.extend((yes.len() as u64).to_le_bytes());
        bytes.extend(self.fingerprint.to_le_bytes());
        let weights = first.weights.iter().chain(&second.weights);
        let steps = first.steps.iter().chain(&second.steps).flatten();
        for number in weights.chain(steps).chain(no).chain(yes) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        out.write_all(&bytes)
    }

    /// The calibration that was saved.
    ///
    /// # Errors
    /// [`LoadError`] saying what is wrong with the bytes. None of it can make this panic.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        check_header(bytes, CALIBRATION, VERSION, HEADER)?;
        let [first, second, no] = [12, 16, 20].map(|at| u64::from(u32_at(bytes, at)));
        let yes = u64_at(bytes, HEADER);
        let numbers = (2 * FEATURES as u64 + 2 * (first + second) + no).saturating_add(yes);
        let expected = numbers.saturating_mul(8);
        content_end(
            bytes,
            expected.saturating_add((HEADER + 16 + CHECKSUM) as u64),
        )?;
        let mut at = HEADER + 16;
        let mut number = || {
            at += 8;
            f64::from_bits(u64_at(bytes, at - 8))
        };
        let weights = [[(); FEATURES]; 2].map(|weights| weights.map(|()| number()));
        let mut steps =
            |count: u64| -> Vec<[f64; 2]> { (0..count).map(|_| [number(), number()]).collect() };
        let steps = [steps(first), steps(second)];
        let is_sound = |steps: &Vec<[f64; 2]>| {
            steps.is_sorted_by(|x, y| x[0] < y[0])
                && steps.iter().all(|[_, p]| (0.0..=1.0).contains(p))
        };
        let mut poses = |count: u64| -> Vec<f64> { (0..count).map(|_| number()).collect() };
        let nonconformities = [poses(no), poses(yes)];
        let is_ascending = |of: &Vec<f64>| of.is_sorted() && of.iter().all(|x| x.is_finite());
        if !weights.iter().flatten().all(|weight| weight.is_finite())
            || !steps.iter().all(is_sound)
            || !nonconformities.iter().all(is_ascending)
        {
            return malformed("numbers that are no calibration".into());
        }
        let [weights_0, weights_1] = weights;
        let [steps_0, steps_1] = steps;
        Ok(Self {
            fingerprint: u64_at(bytes, HEADER + 8),
            curves: [
                FittedCurve {
                    weights: weights_0,
                    steps: steps_0,
                },
                FittedCurve {
                    weights: weights_1,
                    steps: steps_1,
                },
            ],
            nonconformities,
        })
    }
}
