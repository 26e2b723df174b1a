//! Gauss quadrature: nodes and weights for a Gaussian.
//!
//! **Idea.** Thirteen nodes: the middle, and the corners of an icosahedron at √5 standard
//! deviations. The corners of an icosahedron average polynomials over a sphere exactly up to degree
//! five, and with this radius and these weights the same holds for the mean over the Gaussian.
//! Nothing is random, so the mean is reproducible.

use glam::DVec3;

/// How far from the middle, and how much each place counts; the weights sum to 1.
pub(super) fn offsets(deviation: f64) -> impl Iterator<Item = (DVec3, f64)> {
    let around = ICOSAHEDRON.map(|corner| (corner * (AROUND * deviation), AROUND_WEIGHT));
    [(DVec3::ZERO, CENTRE_WEIGHT)].into_iter().chain(around)
}

/// Standard deviations from the middle to the corners.
const AROUND: f64 = 2.236_067_977_499_79;
const CENTRE_WEIGHT: f64 = 0.4;
const AROUND_WEIGHT: f64 = 0.05;
/// The corners of an icosahedron are at (0, ±SHORT, ±LONG) and turns of that: 1 and the golden number, to length 1.
const SHORT: f64 = 0.525_731_112_119_133_6;
const LONG: f64 = 0.850_650_808_352_039_9;
const ICOSAHEDRON: [DVec3; 12] = [
    DVec3::new(0.0, SHORT, LONG),
    DVec3::new(0.0, SHORT, -LONG),
    DVec3::new(0.0, -SHORT, LONG),
    DVec3::new(0.0, -SHORT, -LONG),
    DVec3::new(SHORT, LONG, 0.0),
    DVec3::new(SHORT, -LONG, 0.0),
    DVec3::new(-SHORT, LONG, 0.0),
    DVec3::new(-SHORT, -LONG, 0.0),
    DVec3::new(LONG, 0.0, SHORT),
    DVec3::new(LONG, 0.0, -SHORT),
    DVec3::new(-LONG, 0.0, SHORT),
    DVec3::new(-LONG, 0.0, -SHORT),
];

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::offsets;

    #[test]
    fn the_mean_over_places_is_that_of_a_gaussian() {
        let mean = |f: &dyn Fn(DVec3) -> f64| -> f64 {
            offsets(1.0).map(|(place, weight)| weight * f(place)).sum()
        };
        type Polynomial = fn(DVec3) -> f64;
        let known: [(Polynomial, f64); 9] = [
            (|_| 1.0, 1.0),
            (|x| x.x, 0.0),
            (|x| x.x * x.x, 1.0),
            (|x| x.x * x.y, 0.0),
            (|x| x.y * x.z * x.z, 0.0),
            (|x| x.x.powi(4), 3.0),
            (|x| x.z.powi(4), 3.0),
            (|x| x.x * x.x * x.y * x.y, 1.0),
            (|x| x.x.powi(3) * x.y * x.z, 0.0),
        ];
        for (f, expected) in known {
            assert!((mean(&f) - expected).abs() < 1e-13);
        }
        // The places look nowhere in particular: any direction has variance 1.
        let u = DVec3::new(1.0, 2.0, -3.0).normalize();
        assert!((mean(&|x| x.dot(u).powi(2)) - 1.0).abs() < 1e-13);
    }
}
