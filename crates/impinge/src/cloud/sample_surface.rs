//! Moving least squares surface of a few points, without a graph.

use glam::DVec3;

use super::evaluation::{
    Evaluation, EvaluationEnd, EvaluationScratch, ImplicitSurface, Undefined, WeightedMoments,
};
use super::kernel::Kernel;
use super::point_cloud::{CloudError, check_point};
use crate::math::is_valid_point;

/// The bandwidth for a sample of a cloud: the kernel ends at `m` sampling radii of the sample,
/// which grow with the square root of the fraction left out.
///
/// `sampling_radius` is that of the whole cloud, `all` how many points it has and `sampled` how
/// many of them are in the sample. An empty sample gets the bandwidth of one point.
///
/// ```
/// use impinge::cloud::sample_bandwidth;
/// let whole = sample_bandwidth(5.0, 0.1, 1000, 1000, 1e-3);
/// let tenth = sample_bandwidth(5.0, 0.1, 1000, 100, 1e-3);
/// assert!((tenth / whole - 10.0_f64.sqrt()).abs() < 1e-12);
/// ```
#[must_use]
pub fn sample_bandwidth(
    m: f64,
    sampling_radius: f64,
    all: usize,
    sampled: usize,
    negligible: f64,
) -> f64 {
    let growth = (all as f64 / sampled.max(1) as f64).sqrt();
    m * growth * sampling_radius / Kernel::Gaussian.horizon(negligible)
}

/// The surface of few points by straight distances and one bandwidth; every evaluation uses all of them.
///
/// ```
/// use impinge::{DVec3, cloud::{ImplicitSurface, SampleSurface, EvaluationScratch}};
/// let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
/// let surface = SampleSurface::new(corners.to_vec(), 1.0)?;
/// let value = surface.evaluate(DVec3::new(0.4, 0.6, 0.25), &mut EvaluationScratch::default()).value().unwrap();
/// assert!((value.abs() - 0.25).abs() < 1e-12);
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SampleSurface {
    points: Vec<DVec3>,
    bandwidth: f64,
}

impl SampleSurface {
    /// The surface of these points.
    ///
    /// # Errors
    /// [`CloudError`] when a point is not finite or the bandwidth is not positive.
    ///
    /// ```
    /// use impinge::cloud::SampleSurface;
    /// assert!(SampleSurface::new(vec![], 0.0).is_err());
    /// ```
    pub fn new(points: Vec<DVec3>, bandwidth: f64) -> Result<Self, CloudError> {
        for (point, &p) in points.iter().enumerate() {
            check_point(point, p)?;
        }
        if !(bandwidth > 0.0 && bandwidth.is_finite()) {
            return Err(CloudError::Setting {
                what: "the bandwidth",
                value: bandwidth,
            });
        }
        Ok(Self { points, bandwidth })
    }
}

impl ImplicitSurface for SampleSurface {
    fn evaluate(&self, x: DVec3, scratch: &mut EvaluationScratch) -> Evaluation {
        scratch.evaluations += 1;
        if !is_valid_point(x) {
            return Evaluation::undefined(Undefined::NotFinite);
        }
        let Some(&reference) = self.points.first() else {
            return Evaluation::undefined(Undefined::Empty);
        };
        let mut moments = WeightedMoments::default();
        for &p in &self.points {
            let weight = Kernel::Gaussian.weight((p - x).length() / self.bandwidth);
            if weight > 0.0 {
                moments.add(p - reference, weight);
            }
        }
        let finish = EvaluationEnd {
            reference,
            bandwidth: self.bandwidth,
            min_support: 3,
            about_place: false,
            border: f64::INFINITY,
            facing: DVec3::ZERO,
        };
        finish.finish(x, &moments)
    }
}
