//! Surfel size, and the number of random candidates needed to hit every surfel.

use super::options::SurfelModel;

/// Candidates of one search at most, however small the surfels.
const MOST_CANDIDATES: usize = 1 << 14;

/// The number of points to draw so that each of `surfels` equal patches is hit with this
/// probability: a ln a + c a with exp(−exp(−c)) the probability.
///
/// ```
/// use impinge::cloud::candidates_for;
/// assert_eq!(candidates_for(30, 0.97), 207);
/// assert_eq!(candidates_for(0, 0.97), 0);
/// ```
#[must_use]
pub fn candidates_for(surfels: u32, probability: f64) -> usize {
    let a = f64::from(surfels);
    // From a thousandth to all but a billionth: beyond that the formula has no meaning.
    let p = if probability.is_nan() {
        0.5
    } else {
        probability.clamp(1e-3, 1.0 - 1e-9)
    };
    let c = -libm::log(-libm::log(p));
    let wanted = a * libm::log(a.max(1.0)) + c * a;
    if surfels == 0 {
        return 0;
    }
    wanted.ceil().max(1.0) as usize
}

/// The probability that `draws` random points hit every one of `surfels` equal patches, by Lemma 7.
pub(super) fn chance_of_all(surfels: f64, draws: usize) -> f64 {
    if surfels <= 1.0 {
        return if draws > 0 { 1.0 } else { 0.0 };
    }
    let c = draws as f64 / surfels - libm::log(surfels);
    libm::exp(-libm::exp(-c))
}

/// The surfels of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SurfelSizes {
    pub(super) radius: f64,
    /// How many there are; need not be whole.
    pub(super) count: f64,
    /// How many candidates should be drawn.
    pub(super) candidates: usize,
}

impl SurfelSizes {
    /// The sizes for this many points of which each stands for a patch of radius r with this mean of r²: areas add up, so r_s² a = r² n.
    pub(super) fn of(
        surfels: SurfelModel,
        population: f64,
        mean_sq: f64,
        candidates: usize,
    ) -> Self {
        let area = population * mean_sq;
        match surfels {
            SurfelModel::Count(count) => {
                // A surfel does not hold less than a point.
                let count = f64::from(count.max(1)).min(population.max(1.0));
                Self {
                    radius: (area / count).sqrt(),
                    count,
                    candidates,
                }
            }
            SurfelModel::Radius(radius) => {
                let radius = if radius > 0.0 { radius } else { mean_sq.sqrt() };
                let count = (area / (radius * radius)).clamp(1.0, population.max(1.0));
                let count = if count.is_finite() { count } else { 1.0 };
                let wanted = candidates_for(count.ceil() as u32, 0.97);
                Self {
                    radius,
                    count,
                    candidates: wanted.max(candidates).min(MOST_CANDIDATES),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact, by the number of patches hit after each draw.
    fn exact(surfels: usize, draws: usize) -> f64 {
        let mut hit = vec![0.0; surfels + 1];
        hit[0] = 1.0;
        for _ in 0..draws {
            for k in (1..=surfels).rev() {
                let old = (surfels - k + 1) as f64 / surfels as f64;
                hit[k] = hit[k] * k as f64 / surfels as f64 + hit[k - 1] * old;
            }
            hit[0] = 0.0;
        }
        hit[surfels]
    }

    #[test]
    fn the_lemma_is_near_the_exact_chance() {
        for (draws, published) in [(100, 0.335), (150, 0.828), (200, 0.9664), (207, 0.9734)] {
            let exact = exact(30, draws);
            assert!((exact - published).abs() < 6e-4, "{draws}: {exact}");
            assert!((chance_of_all(30.0, draws) - exact).abs() < 0.05);
        }
    }

    #[test]
    fn counts_and_radii_say_the_same() {
        let by_count = SurfelSizes::of(SurfelModel::Count(30), 3000.0, 0.01, 200);
        let by_radius = SurfelSizes::of(SurfelModel::Radius(by_count.radius), 3000.0, 0.01, 10);
        assert!((by_radius.count - 30.0).abs() < 1e-9);
        assert!(by_radius.candidates >= 200);
    }
}
