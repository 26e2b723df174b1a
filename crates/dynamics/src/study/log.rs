//! Log of a hand: poses and wrenches over time, path length, accumulated rotation.

use std::fmt::Write;

use impinge::{DVec3, Pose};
use thiserror::Error;

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandSample {
    /// Time in s.
    pub time: f64,
    /// Where the hand is.
    pub pose: Pose,
    /// The force rendered, in N.
    pub force: DVec3,
    /// The torque rendered, in N·m.
    pub torque: DVec3,
}

/// Why a log was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LogError {
    /// Time does not advance, or a number is not finite.
    #[error(
        "sample at time {time} does not follow the last one, or has a number that is not finite"
    )]
    BadSample {
        /// The time of the sample.
        time: f64,
    },
    /// A line of CSV cannot be read.
    #[error("line {line} of the log is not 19 finite numbers with a rotation among them")]
    BadLine {
        /// Its number, from 1.
        line: usize,
    },
}

/// The head of the CSV: time, the pose as the upper three rows of its matrix, force, torque.
const HEAD: &str = "time,xx,xy,xz,x,yx,yy,yz,y,zx,zy,zz,z,fx,fy,fz,tx,ty,tz";

/// The log of one hand.
///
/// ```
/// use impinge::{DVec3, Pose};
/// use impinge_dynamics::study::{HandLog, HandSample};
/// let mut log = HandLog::default();
/// for (time, x) in [(0.0, 0.0), (0.1, 3.0), (0.2, 1.0)] {
///     let pose = Pose::from_translation([x, 0.0, 0.0])?;
///     log.push(HandSample { time, pose, force: DVec3::ZERO, torque: DVec3::ZERO })?;
/// }
/// assert_eq!((log.path_length(), log.accumulated_rotation()), (5.0, 0.0));
/// assert_eq!(HandLog::from_csv(&log.to_csv())?, log);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandLog {
    samples: Vec<HandSample>,
}

impl HandLog {
    /// Adds a sample.
    ///
    /// # Errors
    /// [`LogError::BadSample`] when time does not advance or a number is not finite.
    pub fn push(&mut self, sample: HandSample) -> Result<(), LogError> {
        let follows = self.samples.last().is_none_or(|l| sample.time > l.time);
        let finite = sample.force.is_finite() && sample.torque.is_finite();
        if !sample.time.is_finite() || !follows || !finite {
            return Err(LogError::BadSample { time: sample.time });
        }
        self.samples.push(sample);
        Ok(())
    }

    /// All samples.
    #[must_use]
    pub fn samples(&self) -> &[HandSample] {
        &self.samples
    }

    /// The length of the path, in m.
    #[must_use]
    pub fn path_length(&self) -> f64 {
        let steps = self.steps();
        steps
            .map(|(p, q)| p.pose.translation().distance(q.pose.translation()))
            .sum()
    }

    /// The sum of the angles turned between samples, in rad.
    #[must_use]
    pub fn accumulated_rotation(&self) -> f64 {
        let steps = self.steps();
        steps.map(|(p, q)| turned(&p.pose, &q.pose)).sum()
    }

    /// The sum of the changes of the three Euler angles (z, then y, then x), in rad, as the
    /// published study counts rotation.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// use impinge_dynamics::study::{HandLog, HandSample};
    /// let mut log = HandLog::default();
    /// for time in [0.0, 1.0, 2.0] {
    ///     let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.4 * time, [0.0; 3])?;
    ///     log.push(HandSample { time, pose, force: DVec3::ZERO, torque: DVec3::ZERO })?;
    /// }
    /// assert!((log.euler_change() - 0.8).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn euler_change(&self) -> f64 {
        let steps = self.steps();
        steps
            .map(|(p, q)| {
                let (from, to) = (euler(&p.pose), euler(&q.pose));
                from.into_iter()
                    .zip(to)
                    .map(|(a, b)| wrapped(b - a).abs())
                    .sum::<f64>()
            })
            .sum()
    }

    /// The largest force, in N.
    #[must_use]
    pub fn largest_force(&self) -> f64 {
        let samples = self.samples.iter();
        samples.fold(0.0, |most, sample| most.max(sample.force.length()))
    }

    fn steps(&self) -> impl Iterator<Item = (&HandSample, &HandSample)> {
        self.samples.iter().zip(self.samples.iter().skip(1))
    }

    /// The log as CSV, a line per sample. Numbers are written so that reading gives the same ones.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::from(HEAD);
        text.push('\n');
        for sample in &self.samples {
            let _ = write!(text, "{}", sample.time);
            let wrench = sample.force.to_array().into_iter();
            let wrench = wrench.chain(sample.torque.to_array());
            let numbers = sample.pose.to_row_major().into_iter().take(12);
            for number in numbers.chain(wrench) {
                let _ = write!(text, ",{number}");
            }
            text.push('\n');
        }
        text
    }

    /// The log that [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    /// [`LogError`] for a line that is not such a sample.
    pub fn from_csv(text: &str) -> Result<Self, LogError> {
        let mut log = Self::default();
        for (index, line) in text.lines().enumerate() {
            let bad = LogError::BadLine { line: index + 1 };
            if index == 0 {
                if line != HEAD {
                    return Err(bad);
                }
                continue;
            }
            let numbers: Result<Vec<f64>, _> = line.split(',').map(str::parse).collect();
            let Ok([time, rows @ .., fx, fy, fz, tx, ty, tz]) = numbers.as_deref() else {
                return Err(bad);
            };
            let mut matrix = [0.0; 16];
            matrix[15] = 1.0;
            if rows.len() != 12 {
                return Err(bad);
            }
            for (entry, number) in matrix.iter_mut().zip(rows) {
                *entry = *number;
            }
            let pose = Pose::from_row_major(&matrix).map_err(|_| bad)?;
            log.push(HandSample {
                time: *time,
                pose,
                force: DVec3::new(*fx, *fy, *fz),
                torque: DVec3::new(*tx, *ty, *tz),
            })?;
        }
        Ok(log)
    }
}

/// The angle of the shortest turn between two poses.
pub(super) fn turned(from: &Pose, to: &Pose) -> f64 {
    let turn = from.rotation().transpose() * *to.rotation();
    // Sine and cosine together: neither loses digits near its own extreme.
    let skew = DVec3::new(
        turn.y_axis.z - turn.z_axis.y,
        turn.z_axis.x - turn.x_axis.z,
        turn.x_axis.y - turn.y_axis.x,
    );
    let trace = turn.x_axis.x + turn.y_axis.y + turn.z_axis.z;
    libm::atan2(skew.length(), trace - 1.0)
}

/// Yaw, pitch and roll.
fn euler(pose: &Pose) -> [f64; 3] {
    let r = pose.rotation();
    [
        libm::atan2(r.x_axis.y, r.x_axis.x),
        libm::asin((-r.x_axis.z).clamp(-1.0, 1.0)),
        libm::atan2(r.y_axis.z, r.z_axis.z),
    ]
}

/// The angle within half a turn.
fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
