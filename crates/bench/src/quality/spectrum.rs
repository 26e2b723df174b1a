//! Energy of a signal by time and frequency.
//!
//! The paths are closed, so that windows go round: a window of Hann's form, moved by a quarter of its length. The squares of all windows add up to the
//! same at each sample, hence the energies of all windows and frequencies add up to a multiple of the energy of the signal, to rounding.

use std::f64::consts::TAU;

/// Samples of a window; a power of two.
pub(super) const WINDOW: usize = 128;
/// Samples from one window to the next.
pub(super) const HOP: usize = WINDOW / 4;

/// The Fourier transform of a signal whose length is a power of two, in place, as real and imaginary parts.
pub(super) fn transform(signal: &mut [[f64; 2]]) {
    let n = signal.len();
    debug_assert!(n.is_power_of_two());
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = if bits == 0 {
            0
        } else {
            i.reverse_bits() >> (usize::BITS - bits)
        };
        if i < j {
            signal.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for start in (0..n).step_by(2 * half) {
            for k in 0..half {
                let (sin, cos) = (-TAU * k as f64 / (2 * half) as f64).sin_cos();
                let [x, y] = signal[start + half + k];
                let turned = [x * cos - y * sin, x * sin + y * cos];
                let [u, v] = signal[start + k];
                signal[start + k] = [u + turned[0], v + turned[1]];
                signal[start + half + k] = [u - turned[0], v - turned[1]];
            }
        }
        half *= 2;
    }
}

/// Energies of the windows of a closed signal: for each the frequencies from 0 to half a window's.
pub(super) fn energies(signal: &[f64]) -> Vec<Vec<f64>> {
    let n = signal.len();
    if n == 0 {
        return Vec::new();
    }
    let hann = |i: usize| {
        let s = (0.5 * TAU * i as f64 / WINDOW as f64).sin();
        s * s
    };
    (0..n)
        .step_by(HOP)
        .map(|start| {
            let mut window: Vec<[f64; 2]> = (0..WINDOW)
                .map(|i| [hann(i) * signal[(start + i) % n], 0.0])
                .collect();
            transform(&mut window);
            (0..=WINDOW / 2)
                .map(|k| {
                    let [re, im] = window[k];
                    // Both signs of the frequency.
                    let twice = if k == 0 || k == WINDOW / 2 { 1.0 } else { 2.0 };
                    twice * (re * re + im * im)
                })
                .collect()
        })
        .collect()
}

/// The sum over all windows and frequencies.
pub(super) fn total(energies: &[Vec<f64>]) -> f64 {
    energies.iter().flatten().sum()
}

/// The mean over the windows, for each frequency.
pub(super) fn mean(energies: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![0.0; WINDOW / 2 + 1];
    for window in energies {
        for (sum, energy) in sums.iter_mut().zip(window) {
            *sum += energy;
        }
    }
    let count = energies.len().max(1) as f64;
    sums.iter().map(|sum| sum / count).collect()
}

/// Windows that a diagram has at most, and frequencies of each of its bands.
const MOST_COLUMNS: usize = 64;
const BAND: usize = 2;

/// A place of a diagram of time and frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpectrumCell {
    /// Of the middle of the window, as a part of the path.
    pub(super) at: f64,
    /// The middle of the band, in oscillations per window.
    pub(super) frequency: f64,
    pub(super) energy: f64,
}

/// The energies of a closed signal by time, then by frequency. Where there are many windows, neighbours share a column with their mean.
pub(super) fn diagram(signal: &[f64]) -> Vec<SpectrumCell> {
    let mut windows = energies(signal);
    let count = windows.len();
    if count == 0 {
        return Vec::new();
    }
    // The first window has its middle half a window after the beginning; columns begin at the beginning.
    windows.rotate_right((WINDOW / 2 / HOP) % count);
    let shared = count.div_ceil(MOST_COLUMNS);
    let mut spots = Vec::new();
    for (column, windows) in windows.chunks(shared).enumerate() {
        let middle = (column * shared) as f64 + 0.5 * (windows.len() - 1) as f64;
        let at = (middle * HOP as f64 + 0.5) / signal.len() as f64;
        let mut bands = mean(windows);
        // The highest frequency has no neighbour, and counts with those below it.
        let highest = bands.pop().unwrap_or_default();
        if let Some(last) = bands.last_mut() {
            *last += highest;
        }
        for (band, energies) in bands.chunks(BAND).enumerate() {
            spots.push(SpectrumCell {
                at,
                frequency: (band * BAND) as f64 + 0.5 * (BAND - 1) as f64,
                energy: energies.iter().sum(),
            });
        }
    }
    spots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_has_all_energy_where_and_when_it_is() {
        // A tone in the second half of the path alone.
        let tone = |i: usize| (TAU * 20.0 * i as f64 / WINDOW as f64).sin();
        let signal: Vec<f64> = (0..1024)
            .map(|i| if i < 512 { 0.0 } else { tone(i) })
            .collect();
        let spots = diagram(&signal);
        assert_eq!(spots.len(), 32 * 32);
        let whole: f64 = spots.iter().map(|spot| spot.energy).sum();
        assert!((whole / total(&energies(&signal)) - 1.0).abs() < 1e-12);
        for spot in &spots {
            let is_sounding = (0.57..0.93).contains(&spot.at);
            let is_silent = (0.07..0.43).contains(&spot.at);
            assert!(!is_silent || spot.energy < 1e-20, "{spot:?}");
            // Hann's form leaks into the frequencies next to it.
            let is_tone = (spot.frequency - 20.0).abs() < 2.0;
            assert!(!is_sounding || is_tone == (spot.energy > 100.0), "{spot:?}");
        }
        // Four times as many windows share their columns.
        let long: Vec<f64> = (0..8192).map(|i| signal[i / 8]).collect();
        let shared = diagram(&long);
        assert_eq!(shared.len(), 64 * 32);
        let whole: f64 = shared.iter().map(|spot| 4.0 * spot.energy).sum();
        assert!((whole / total(&energies(&long)) - 1.0).abs() < 1e-12);
        assert!(diagram(&[]).is_empty());
        assert_eq!(diagram(&signal[..32]).len(), 32);
        // As many columns as fit, whatever the number of windows: the last has what is left.
        let odd = diagram(&long[..67 * HOP]);
        assert_eq!(odd.len(), 34 * 32);
        let ats: Vec<f64> = odd.iter().map(|spot| spot.at).collect();
        assert!(ats.is_sorted() && ats[0] > 0.0 && ats[ats.len() - 1] < 1.0);
    }

    #[test]
    fn the_transform_is_the_sum_it_stands_for() {
        let signal: Vec<f64> = (0..32).map(|i| ((i * i * 7) % 13) as f64).collect();
        let mut fast: Vec<[f64; 2]> = signal.iter().map(|x| [*x, 0.0]).collect();
        transform(&mut fast);
        for (k, found) in fast.iter().enumerate() {
            let mut sum = [0.0; 2];
            for (i, x) in signal.iter().enumerate() {
                let angle = -TAU * (i * k) as f64 / 32.0;
                sum[0] += x * angle.cos();
                sum[1] += x * angle.sin();
            }
            assert!((sum[0] - found[0]).abs() < 1e-10 && (sum[1] - found[1]).abs() < 1e-10);
        }
    }

    #[test]
    fn energies_of_all_windows_are_that_of_the_signal() {
        let signal: Vec<f64> = (0..256).map(|i| ((i * 37) % 101) as f64 - 50.0).collect();
        let energy: f64 = signal.iter().map(|x| x * x).sum();
        // Four windows lie over each sample; the squares of Hann's form add up to 3/2.
        let expected = 1.5 * energy * WINDOW as f64;
        assert!((total(&energies(&signal)) / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_tone_is_found_at_its_frequency() {
        let tone: Vec<f64> = (0..512)
            .map(|i| (TAU * 10.0 * i as f64 / WINDOW as f64).sin())
            .collect();
        let spectrum = mean(&energies(&tone));
        let most = (0..spectrum.len()).max_by(|&i, &j| spectrum[i].total_cmp(&spectrum[j]));
        assert_eq!(most, Some(10));
    }
}
