//! A value that changes with time.

use glam::{DQuat, DVec3};

use super::super::super::error::ReadError;
use super::document::Interpolation;

/// Angles whose cosine is above this are blended straight: the arc is shorter than rounding.
const NEARLY_EQUAL: f64 = 1.0 - 1e-12;

/// Numbers at keys, and how to go from one key to the next.
#[derive(Debug)]
pub(super) struct AnimationTrack {
    times: Vec<f64>,
    values: Vec<f64>,
    width: usize,
    interpolation: Interpolation,
}

impl AnimationTrack {
    pub(super) fn new(
        times: Vec<f64>,
        values: Vec<f64>,
        width: usize,
        interpolation: Interpolation,
    ) -> Result<Self, ReadError> {
        if times.is_empty() {
            return Err(ReadError::malformed("an animation has no keys"));
        }
        if let Some(key) = times
            .windows(2)
            .position(|pair| pair[1].is_nan() || pair[1] <= pair[0])
        {
            return Err(ReadError::malformed(format!(
                "the time of key {} is {}, which is not after {}",
                key + 1,
                times[key + 1],
                times[key]
            )));
        }
        let whole = [&times, &values];
        if whole.into_iter().flatten().any(|x| !x.is_finite()) {
            return Err(ReadError::malformed(
                "an animation holds a number that is not finite",
            ));
        }
        let each = width
            * if interpolation == Interpolation::Cubic {
                3
            } else {
                1
            };
        if values.len() != times.len().saturating_mul(each) {
            return Err(ReadError::malformed(format!(
                "{} keys of {each} numbers are expected, but there are {} numbers",
                times.len(),
                values.len()
            )));
        }
        Ok(Self {
            times,
            values,
            width,
            interpolation,
        })
    }

    pub(super) fn range(&self) -> (f64, f64) {
        let first = self.times.first().copied().unwrap_or(0.0);
        (first, self.times.last().copied().unwrap_or(first))
    }

    /// The numbers of a key: its value, or for cubic ones tangent (0), value (1) or tangent (2).
    fn key(&self, key: usize, part: usize) -> &[f64] {
        let parts = if self.interpolation == Interpolation::Cubic {
            3
        } else {
            1
        };
        let start = (key * parts + part) * self.width;
        self.values
            .get(start..start + self.width)
            .unwrap_or_default()
    }

    fn value_of_key(&self, key: usize) -> &[f64] {
        self.key(key, usize::from(self.interpolation == Interpolation::Cubic))
    }

    /// The key at or before a time, and how far it is to the next, from 0 to 1.
    fn place(&self, time: f64) -> (usize, f64, f64) {
        let after = self.times.partition_point(|&t| t <= time);
        let key = after.saturating_sub(1);
        match (self.times.get(key), self.times.get(key + 1)) {
            (Some(&from), Some(&to)) if time > from => (
                key,
                ((time - from) / (to - from)).clamp(0.0, 1.0),
                to - from,
            ),
            _ => (key, 0.0, 0.0),
        }
    }

    /// The numbers at a time; before the first key and after the last those of that key.
    pub(super) fn numbers(&self, time: f64) -> Vec<f64> {
        let (key, s, span) = self.place(time);
        let from = self.value_of_key(key);
        if s == 0.0 || self.interpolation == Interpolation::Step {
            return from.to_vec();
        }
        let to = self.value_of_key(key + 1);
        if self.interpolation == Interpolation::Linear {
            return from.iter().zip(to).map(|(a, b)| a + (b - a) * s).collect();
        }
        let (out, into) = (self.key(key, 2), self.key(key + 1, 0));
        let (s2, s3) = (s * s, s * s * s);
        let blend = |k: usize| {
            (2.0 * s3 - 3.0 * s2 + 1.0) * from[k]
                + span * (s3 - 2.0 * s2 + s) * out[k]
                + (3.0 * s2 - 2.0 * s3) * to[k]
                + span * (s3 - s2) * into[k]
        };
        (0..self.width).map(blend).collect()
    }

    pub(super) fn vector(&self, time: f64) -> DVec3 {
        match self.numbers(time).as_slice() {
            &[x, y, z] => DVec3::new(x, y, z),
            _ => DVec3::ZERO,
        }
    }

    /// The rotation at a time; between linear keys along the shorter arc.
    pub(super) fn rotation(&self, time: f64) -> DQuat {
        let of = |numbers: &[f64]| match *numbers {
            [x, y, z, w] => DQuat::from_xyzw(x, y, z, w),
            _ => DQuat::IDENTITY,
        };
        let (key, s, _) = self.place(time);
        if s == 0.0 || self.interpolation != Interpolation::Linear {
            return of(&self.numbers(time));
        }
        arc(
            of(self.value_of_key(key)),
            of(self.value_of_key(key + 1)),
            s,
        )
    }
}

/// A part of the way from one rotation to another.
fn arc(from: DQuat, to: DQuat, s: f64) -> DQuat {
    let (from, to) = (unit(from), unit(to));
    let dot = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
    let (to, dot) = if dot < 0.0 { (-to, -dot) } else { (to, dot) };
    if dot > NEARLY_EQUAL {
        return from * (1.0 - s) + to * s;
    }
    let angle = libm::acos(dot.min(1.0));
    let whole = libm::sin(angle);
    from * (libm::sin((1.0 - s) * angle) / whole) + to * (libm::sin(s * angle) / whole)
}

fn unit(q: DQuat) -> DQuat {
    let length = (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w).sqrt();
    if length > 0.0 && length.is_finite() {
        q * (1.0 / length)
    } else {
        DQuat::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interpolation_goes_through_its_keys() {
        let step =
            AnimationTrack::new(vec![0.0, 1.0], vec![3.0, 5.0], 1, Interpolation::Step).unwrap();
        assert_eq!(step.numbers(0.9), [3.0]);
        assert_eq!(step.numbers(1.0), [5.0]);
        let linear =
            AnimationTrack::new(vec![0.0, 2.0], vec![3.0, 5.0], 1, Interpolation::Linear).unwrap();
        assert_eq!(linear.numbers(1.0), [4.0]);
        assert_eq!(linear.numbers(-1.0), [3.0]);
        assert_eq!(linear.numbers(9.0), [5.0]);
        let keys = vec![0.0, 3.0, 0.0, 0.0, 5.0, 0.0];
        let cubic = AnimationTrack::new(vec![0.0, 2.0], keys, 1, Interpolation::Cubic).unwrap();
        assert_eq!(cubic.numbers(0.0), [3.0]);
        assert_eq!(cubic.numbers(1.0), [4.0]);
        assert_eq!(cubic.numbers(2.0), [5.0]);
    }

    #[test]
    fn rotations_take_the_shorter_arc() {
        let half = 0.5_f64.sqrt();
        let keys = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -half, -half];
        let turn = AnimationTrack::new(vec![0.0, 1.0], keys, 4, Interpolation::Linear).unwrap();
        let q = turn.rotation(0.5);
        assert!(
            (q.z - libm::sin(std::f64::consts::PI / 8.0)).abs() < 1e-12,
            "{q:?}"
        );
    }

    #[test]
    fn keys_out_of_order_and_missing_numbers_are_refused() {
        let linear = Interpolation::Linear;
        assert!(AnimationTrack::new(vec![1.0, 1.0], vec![0.0; 2], 1, linear).is_err());
        assert!(AnimationTrack::new(vec![0.0, 1.0], vec![0.0; 3], 1, linear).is_err());
        assert!(AnimationTrack::new(vec![], vec![], 1, linear).is_err());
        assert!(AnimationTrack::new(vec![0.0], vec![f64::NAN], 1, linear).is_err());
    }
}
