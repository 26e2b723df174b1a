//! Whether an answer is right, and how far it is off.

use impinge::DVec3;

use crate::runner::Precision;

/// Roundings that may add up in a peer, in units of the last place.
const ROUNDINGS: f64 = 64.0;
/// A volume that is off by more than this part of A's is wrong.
pub(super) const VOLUME_ROUNDING: f64 = 1e-9;
/// The same for whoever computes in single precision.
const SINGLE_VOLUME_ROUNDING: f64 = 1e-5;
/// A force that is off by more than this many degrees is wrong, for engines that claim to be exact: differences of volumes are no better.
pub(super) const FORCE_ROUNDING: f64 = 0.2;

/// A question with its right answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum QueryTruth {
    /// `intersects`, where they are so far apart.
    Apart(f64),
    /// `intersects`, where their surfaces meet.
    Meeting,
    /// `distance`.
    Distance(f64),
    /// `volume`, with A's.
    Volume { volume: f64, unit: f64 },
    /// `force`: the direction.
    Force(DVec3),
}

impl QueryTruth {
    pub(super) fn question(self) -> &'static str {
        match self {
            Self::Apart(_) | Self::Meeting => "intersects",
            Self::Distance(_) => "distance",
            Self::Volume { .. } => "volume",
            Self::Force(_) => "force",
        }
    }
}

/// What a runner said.
#[derive(Clone, Copy, Debug)]
pub(super) enum RunnerAnswer {
    Number(f64),
    Direction(DVec3),
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CheckedAnswer {
    pub(super) is_right: bool,
    /// None where nothing was said that could be off.
    pub(super) error: Option<f64>,
}

/// The angle between a force and the right direction, in degrees.
pub(super) fn angle(given: DVec3, right: DVec3) -> f64 {
    let cosine = given.normalize_or_zero().dot(right).clamp(-1.0, 1.0);
    cosine.acos().to_degrees()
}

/// Whether an answer is right, and how far it is off.
pub(super) fn check_answer(
    truth: QueryTruth,
    given: RunnerAnswer,
    precision: Precision,
    size: f64,
) -> CheckedAnswer {
    let is_single = precision == Precision::Single;
    let value = match given {
        RunnerAnswer::Number(value) => value,
        RunnerAnswer::Direction(_) => f64::NAN,
    };
    // Not a number is not right.
    let within = |error: f64, room: f64, worst: f64| CheckedAnswer {
        is_right: error <= room,
        error: Some(if error.is_finite() { error } else { worst }),
    };
    match truth {
        QueryTruth::Apart(gap) => {
            let single = f64::from(f32::EPSILON);
            let unit = if is_single { single } else { f64::EPSILON };
            // They are apart; whoever rounds may see a gap that small as a contact.
            CheckedAnswer {
                is_right: value == 0.0 || (value == 1.0 && gap <= ROUNDINGS * size * unit),
                error: None,
            }
        }
        QueryTruth::Meeting => CheckedAnswer {
            is_right: value == 1.0,
            error: None,
        },
        QueryTruth::Distance(distance) => {
            let room = precision.distance_rounding() * size;
            within((value - distance).abs(), room, size)
        }
        QueryTruth::Volume { volume, unit } => {
            let room = if is_single {
                SINGLE_VOLUME_ROUNDING
            } else {
                VOLUME_ROUNDING
            };
            within((value - volume).abs() / unit, room, 1.0)
        }
        QueryTruth::Force(right) => {
            let RunnerAnswer::Direction(given) = given else {
                return CheckedAnswer {
                    is_right: false,
                    error: None,
                };
            };
            if given == DVec3::ZERO {
                // Silence is no angle, but it is counted, and it is not right.
                return CheckedAnswer {
                    is_right: false,
                    error: None,
                };
            }
            within(angle(given, right), FORCE_ROUNDING, 180.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(truth: QueryTruth, value: f64, precision: Precision) -> CheckedAnswer {
        check_answer(truth, RunnerAnswer::Number(value), precision, 4.0)
    }

    #[test]
    fn a_no_is_right_apart_and_wrong_where_they_meet() {
        let (double, single) = (Precision::Double, Precision::Single);
        assert!(of(QueryTruth::Apart(0.1), 0.0, double).is_right);
        assert!(!of(QueryTruth::Apart(0.1), 1.0, double).is_right);
        assert!(of(QueryTruth::Meeting, 1.0, double).is_right);
        assert!(!of(QueryTruth::Meeting, 0.0, double).is_right);
        assert!(!of(QueryTruth::Meeting, f64::NAN, double).is_right);
        // Whoever rounds coarsely may take a tiny gap for a contact.
        assert!(of(QueryTruth::Apart(1e-6), 1.0, single).is_right);
        assert!(!of(QueryTruth::Apart(1e-6), 1.0, double).is_right);
    }

    #[test]
    fn volumes_and_forces_have_the_room_of_their_precision() {
        let truth = QueryTruth::Volume {
            volume: 0.5,
            unit: 2.0,
        };
        assert!(of(truth, 0.5 + 1e-9, Precision::Double).is_right);
        assert!(!of(truth, 0.5 + 1e-8, Precision::Double).is_right);
        assert!(of(truth, 0.5 + 1e-8, Precision::Single).is_right);
        assert_eq!(of(truth, 0.75, Precision::Double).error, Some(0.125));
        assert!(!of(truth, f64::NAN, Precision::Double).is_right);
        let force = |x: f64, y: f64| {
            let given = RunnerAnswer::Direction(DVec3::new(x, y, 0.0));
            check_answer(QueryTruth::Force(DVec3::X), given, Precision::Double, 4.0)
        };
        assert!(force(3.0, 0.001).is_right && !force(1.0, 0.1).is_right);
        assert!(!force(-1.0, 0.0).is_right);
        assert!(!force(f64::NAN, 0.0).is_right);
        assert_eq!(force(0.0, 0.0).error, None);
    }
}
