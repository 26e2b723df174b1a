//! The value of an implicit surface at a point, or why there is none.

use glam::DVec3;

use super::adjacency_lists::IdMap;
use super::smallest_eigenvector::smallest_eigenvector;
use crate::math::eigen::products;

/// A surface given by the zeros of a function.
pub trait ImplicitSurface {
    /// The function at `x`. Counts itself in `scratch`, and allocates nothing once that has grown.
    fn evaluate(&self, x: DVec3, scratch: &mut EvaluationScratch) -> Evaluation;
}

/// The value of the function, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Evaluation {
    /// There is one.
    Value(SurfaceSample),
    /// There is none.
    Undefined {
        /// Why.
        reason: Undefined,
    },
}

/// The function at a point, and the data it was computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSample {
    /// f(x) = n(x)·(a(x) − x): zero on the surface, near it the distance, negative on the side that the normal points to.
    pub value: f64,
    /// The weighted mean a(x).
    pub mean: DVec3,
    /// The unit normal n(x); its sign is meaningful only where normals are oriented.
    pub normal: DVec3,
    /// The bandwidth h(x).
    pub bandwidth: f64,
    /// How many points counted.
    pub support: u32,
    /// How well the normal is determined: (λ₂ − λ₁)/λ₃ of the covariance.
    pub gap: f64,
    /// |x − a(x)|.
    pub lag: f64,
    /// Whether the mean lags so far behind that a zero at this point would be beyond the border of
    /// the surface.
    pub is_beyond_border: bool,
}

/// Why the function has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undefined {
    /// The place is not finite, or too far away.
    NotFinite,
    /// The cloud is empty.
    Empty,
    /// The nearest point has no neighbour.
    Isolated,
    /// Too few points count.
    TooFew {
        /// How many do.
        support: u32,
    },
    /// The points that count lie on a line or in one place.
    NoNormal,
}

impl Evaluation {
    /// The value with everything about it, if there is one.
    ///
    /// ```
    /// use impinge::cloud::{Evaluation, Undefined};
    /// assert!(Evaluation::Undefined { reason: Undefined::Empty }.sample().is_none());
    /// ```
    #[must_use]
    pub fn sample(&self) -> Option<&SurfaceSample> {
        match self {
            Self::Value(sample) => Some(sample),
            Self::Undefined { .. } => None,
        }
    }

    /// The value, if there is one.
    ///
    /// ```
    /// use impinge::cloud::{Evaluation, Undefined};
    /// assert_eq!(Evaluation::Undefined { reason: Undefined::Empty }.value(), None);
    /// ```
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        self.sample().map(|sample| sample.value)
    }

    pub(super) fn undefined(reason: Undefined) -> Self {
        Self::Undefined { reason }
    }
}

impl SurfaceSample {
    /// The function that ends at borders: f(x), but |x − a(x)| where |f(x)| is at most `width` and the place is beyond the border.
    ///
    /// It jumps there, as the surface ends there.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::SurfaceSample};
    /// let rim = SurfaceSample {
    ///     value: 0.0, mean: DVec3::ZERO, normal: DVec3::Z, bandwidth: 1.0, support: 9, gap: 1.0, lag: 3.0,
    ///     is_beyond_border: true,
    /// };
    /// assert_eq!(rim.bordered(1e-6), 3.0);
    /// ```
    #[must_use]
    pub fn bordered(&self, width: f64) -> f64 {
        if self.value.abs() > width || !self.is_beyond_border {
            self.value
        } else {
            self.lag
        }
    }
}

/// Memory for evaluations, and their number. One per thread.
#[derive(Clone, Debug, Default)]
pub struct EvaluationScratch {
    /// Evaluations done with it.
    pub evaluations: u64,
    /// Lengths to points from the two ends of the anchor edge, and hops.
    pub(super) lengths: IdMap<[f64; 2]>,
    /// Weighted sums of distances over several places, and sums of the weights.
    pub(super) sums: IdMap<(f64, f64)>,
}

/// Weighted sums of points, about a reference near them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WeightedMoments {
    pub(super) weight: f64,
    first: DVec3,
    second: [f64; 6],
    pub(super) support: u32,
}

impl WeightedMoments {
    /// Adds a point, given from the reference.
    #[inline]
    pub(super) fn add(&mut self, q: DVec3, weight: f64) {
        let w = q * weight;
        self.weight += weight;
        self.first += w;
        for (sum, product) in self.second.iter_mut().zip(products(w, q)) {
            *sum += product;
        }
        self.support += 1;
    }

    /// The mean from the reference, and the sums of products about `centre`, which defaults to the mean.
    pub(super) fn about(&self, centre: Option<DVec3>) -> (DVec3, [f64; 6]) {
        let mean = self.first / self.weight;
        let c = centre.unwrap_or(mean);
        // Σw(q − c)(q − c)ᵀ = Σwqqᵀ − W(m cᵀ + c mᵀ − c cᵀ), which for c = m is Σwqqᵀ − W m mᵀ.
        let w = self.weight;
        let mixed = |i: usize, j: usize| w * (mean[i] * c[j] + c[i] * mean[j] - c[i] * c[j]);
        let [xx, xy, xz, yy, yz, zz] = self.second;
        let covariance = [
            xx - mixed(0, 0),
            xy - mixed(0, 1),
            xz - mixed(0, 2),
            yy - mixed(1, 1),
            yz - mixed(1, 2),
            zz - mixed(2, 2),
        ];
        (mean, covariance)
    }
}

/// What is needed to finish an evaluation.
pub(super) struct EvaluationEnd {
    pub(super) reference: DVec3,
    pub(super) bandwidth: f64,
    pub(super) min_support: u32,
    /// About the place itself instead of the mean.
    pub(super) about_place: bool,
    /// The lag at which the border is.
    pub(super) border: f64,
    /// A direction that the normal should agree with.
    pub(super) facing: DVec3,
}

impl EvaluationEnd {
    pub(super) fn finish(&self, x: DVec3, moments: &WeightedMoments) -> Evaluation {
        let support = moments.support;
        if support < self.min_support.max(1) || moments.weight <= 0.0 {
            return Evaluation::undefined(Undefined::TooFew { support });
        }
        let centre = self.about_place.then(|| x - self.reference);
        let (mean, covariance) = moments.about(centre);
        let Some(smallest) = smallest_eigenvector(covariance) else {
            return Evaluation::undefined(Undefined::NoNormal);
        };
        let mut normal = smallest.axis;
        let agreement = normal.dot(self.facing);
        let is_turned = if agreement != 0.0 {
            agreement < 0.0
        } else {
            // Nobody says; the first component that is not zero is positive.
            let [nx, ny, nz] = normal.to_array();
            nx < 0.0 || (nx == 0.0 && (ny < 0.0 || (ny == 0.0 && nz < 0.0)))
        };
        if is_turned {
            normal = -normal;
        }
        let mean = self.reference + mean;
        let behind = mean - x;
        let lag = behind.length();
        Evaluation::Value(SurfaceSample {
            value: normal.dot(behind),
            mean,
            normal,
            bandwidth: self.bandwidth,
            support,
            gap: smallest.gap,
            lag,
            is_beyond_border: lag >= self.border,
        })
    }
}
