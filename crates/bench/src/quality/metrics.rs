//! How far measured forces are from the ideal ones.

use impinge::DVec3;

use super::spectrum::{energies, total};

/// Vectors shorter than this part of the longest have no direction.
const NOTHING: f64 = 1e-9;

/// A signal with its ideal, sample by sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignalPair<'a> {
    pub(super) ideal: &'a [DVec3],
    pub(super) measured: &'a [DVec3],
}

/// The longest vector's length.
pub(super) fn longest(vectors: &[DVec3]) -> f64 {
    vectors.iter().fold(0.0_f64, |most, v| most.max(v.length()))
}

/// Each divided by the longest length; nothing when all are zero.
pub(super) fn normalised(vectors: &[DVec3]) -> Option<Vec<DVec3>> {
    let most = longest(vectors);
    (most > 0.0).then(|| vectors.iter().map(|v| *v / most).collect())
}

impl SignalPair<'_> {
    /// The root of the mean square of the difference of lengths, each divided by its largest; none where nothing is expected, 1 at most.
    pub(super) fn sigma(&self) -> Option<f64> {
        let count = self.ideal.len() as f64;
        Some((self.squares()? / count).sqrt())
    }

    /// The same as printed in the theses, where the number of samples stands before the root.
    pub(super) fn sigma_as_printed(&self) -> Option<f64> {
        Some(self.squares()?.sqrt() / self.ideal.len() as f64)
    }

    fn squares(&self) -> Option<f64> {
        let ideal = normalised(self.ideal)?;
        let nothing = || vec![DVec3::ZERO; self.measured.len()];
        let measured = normalised(self.measured).unwrap_or_else(nothing);
        let square = |(i, m): (&DVec3, &DVec3)| (i.length() - m.length()).powi(2);
        Some(ideal.iter().zip(&measured).map(square).sum())
    }

    /// The mean angle between both in degrees, over the requested samples that have two directions; and how many
    /// others were requested.
    pub(super) fn gamma(&self, is_asked: &[bool]) -> Option<(f64, usize)> {
        let least = [longest(self.ideal), longest(self.measured)].map(|most| NOTHING * most);
        let (mut sum, mut count, mut skipped) = (0.0, 0, 0);
        for ((i, m), _) in self
            .ideal
            .iter()
            .zip(self.measured)
            .zip(is_asked)
            .filter(|(_, asked)| **asked)
        {
            if i.length() <= least[0] || m.length() <= least[1] {
                skipped += 1;
                continue;
            }
            // The cosine says nothing of small angles.
            sum += i.cross(*m).length().atan2(i.dot(*m)).to_degrees();
            count += 1;
        }
        (count > 0).then(|| (sum / f64::from(count), skipped))
    }

    /// The energy of a component of what was measured by that of the ideal; none where the ideal has none.
    pub(super) fn nu(&self, part: impl Fn(&DVec3) -> f64) -> Option<f64> {
        let ideal: Vec<f64> = normalised(self.ideal)?.iter().map(&part).collect();
        let measured: Vec<f64> = normalised(self.measured)?.iter().map(&part).collect();
        let of_ideal = total(&energies(&ideal));
        let energy: f64 = ideal.iter().map(|x| x * x).sum();
        if energy <= NOTHING * ideal.len() as f64 {
            return None;
        }
        Some(total(&energies(&measured)) / of_ideal)
    }

    /// The energy of the difference by that of the ideal: what `nu` cannot see, because it compares sums.
    pub(super) fn noise(&self) -> Option<f64> {
        let (ideal, measured) = (normalised(self.ideal)?, normalised(self.measured)?);
        let energy = |part: &dyn Fn(usize) -> DVec3| -> f64 {
            (0..ideal.len()).map(|i| part(i).length_squared()).sum()
        };
        Some(energy(&|i| measured[i] - ideal[i]) / energy(&|i| ideal[i]))
    }
}

/// What should be zero by what should not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spurious {
    pub(super) mean: f64,
    pub(super) most: f64,
    /// The largest change from one sample to the next.
    pub(super) step: f64,
}

/// The quotient of lengths along a path, over the requested samples.
pub(super) fn spurious(zero: &[DVec3], other: &[DVec3], is_asked: &[bool]) -> Option<Spurious> {
    let least = NOTHING * longest(other);
    let (mut sum, mut count) = (0.0, 0);
    let (mut most, mut step) = (0.0_f64, 0.0_f64);
    let mut before: Option<f64> = None;
    for ((z, o), asked) in zero.iter().zip(other).zip(is_asked) {
        if !asked || o.length() <= least {
            before = None;
            continue;
        }
        let quotient = z.length() / o.length();
        sum += quotient;
        count += 1;
        most = most.max(quotient);
        if let Some(before) = before {
            step = step.max((quotient - before).abs());
        }
        before = Some(quotient);
    }
    (count > 0).then(|| Spurious {
        mean: sum / f64::from(count),
        most,
        step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::math::Rng;

    fn circle(count: usize) -> Vec<DVec3> {
        (0..count)
            .map(|i| {
                let angle = std::f64::consts::TAU * (i as f64 + 0.5) / count as f64;
                DVec3::new(angle.cos(), angle.sin(), 0.0)
            })
            .collect()
    }

    #[test]
    fn the_ideal_scores_perfectly_whatever_its_scale() {
        let ideal = circle(256);
        let measured: Vec<DVec3> = ideal.iter().map(|v| *v * 7.0).collect();
        let pair = SignalPair {
            ideal: &ideal,
            measured: &measured,
        };
        assert!(pair.sigma().is_some_and(|sigma| sigma < 1e-15));
        assert!(
            pair.gamma(&[true; 256])
                .is_some_and(|g| g.0 < 1e-12 && g.1 == 0)
        );
        assert!(pair.nu(|v| v.x).is_some_and(|nu| (nu - 1.0).abs() < 1e-12));
        assert!(pair.noise().is_some_and(|noise| noise < 1e-24));
        assert_eq!(pair.nu(|v| v.z), None);
    }

    #[test]
    fn known_noise_scores_as_computed() {
        let ideal = circle(512);
        // Every second sample half as long: the mean square of the difference is 1/8, energy falls to 5/8.
        let halved: Vec<DVec3> = (0..512)
            .map(|i| ideal[i] * if i % 2 == 0 { 1.0 } else { 0.5 })
            .collect();
        let pair = SignalPair {
            ideal: &ideal,
            measured: &halved,
        };
        assert!(
            pair.sigma()
                .is_some_and(|s| (s - 0.125_f64.sqrt()).abs() < 1e-12)
        );
        let printed = pair.sigma_as_printed();
        assert!(printed.is_some_and(|s| (s * 512.0_f64.sqrt() - 0.125_f64.sqrt()).abs() < 1e-12));
        assert!(
            pair.nu(|v| v.length())
                .is_some_and(|nu| (nu - 0.625).abs() < 1e-12)
        );
        assert!(
            pair.noise()
                .is_some_and(|noise| (noise - 0.125).abs() < 1e-12)
        );
        // Turned by 5 degrees to one side or the other.
        let turned: Vec<DVec3> = (0..512)
            .map(|i| {
                let angle = if i % 2 == 0 { 5.0_f64 } else { -5.0 };
                impinge::DMat3::from_rotation_z(angle.to_radians()) * ideal[i]
            })
            .collect();
        let pair = SignalPair {
            ideal: &ideal,
            measured: &turned,
        };
        assert!(
            pair.gamma(&[true; 512])
                .is_some_and(|g| (g.0 - 5.0).abs() < 1e-9)
        );
    }

    #[test]
    fn nu_is_the_quotient_of_energies() {
        let mut rng = Rng::new(4);
        let ideal = circle(256);
        let measured: Vec<DVec3> = ideal.iter().map(|v| *v + rng.direction() * 0.3).collect();
        let pair = SignalPair {
            ideal: &ideal,
            measured: &measured,
        };
        let (most, energy) = (longest(&measured), |v: &[DVec3]| -> f64 {
            v.iter().map(|v| v.x * v.x).sum()
        });
        let expected = energy(&measured) / (most * most) / energy(&ideal);
        assert!(
            pair.nu(|v| v.x)
                .is_some_and(|nu| (nu - expected).abs() < 1e-3 * expected)
        );
    }

    #[test]
    fn nothing_measured_is_the_largest_deviation() {
        let ideal = circle(64);
        let none = vec![DVec3::ZERO; 64];
        let pair = SignalPair {
            ideal: &ideal,
            measured: &none,
        };
        assert!(
            pair.sigma()
                .is_some_and(|sigma| (sigma - 1.0).abs() < 1e-12)
        );
        assert_eq!((pair.gamma(&[true; 64]), pair.nu(|v| v.x)), (None, None));
    }

    #[test]
    fn quotients_tell_of_jumps() {
        let force = vec![DVec3::X; 4];
        let torque = [0.0, 0.1, 0.1, 0.4].map(|t| DVec3::Z * t);
        let found = spurious(&torque, &force, &[true; 4]);
        assert!(found.is_some_and(|s| (s.mean - 0.15).abs() < 1e-12
            && (s.most - 0.4).abs() < 1e-12
            && (s.step - 0.3).abs() < 1e-12));
    }
}
