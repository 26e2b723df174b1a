//! Options of the implicit surface of a cloud: kernel, bandwidth, distance.

use super::geodesic_paths::PathLength;
use super::kernel::Kernel;

/// Which distance weights the points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum WeightDistance {
    /// The straight one.
    Euclidean,
    /// Along the graph from both ends of the nearest edge, blended by where on it the place projects to.
    #[default]
    Geodesic,
    /// Along the graph from the end that gives the smaller length: more exact, with more jumps.
    Shortest,
    /// As [`WeightDistance::Geodesic`], path lengths multiplied by their number of edges: for very irregular samples.
    Hops,
    /// As [`WeightDistance::Geodesic`], averaged over places around by a Gaussian whose standard deviation is this many local spacings: fewer jumps, thirteen times the searches.
    Averaged(f64),
}

/// How wide the kernel is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Bandwidth {
    /// The same everywhere.
    Fixed(f64),
    /// The kernel ends at `eta` local spacings, so it follows the density.
    Local {
        /// 4 to 6 for clean samples, more for noisy ones: see [`BandwidthCalibration`](super::BandwidthCalibration).
        eta: f64,
    },
}

/// What the covariance is taken about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CovarianceCentre {
    /// The weighted mean.
    #[default]
    Mean,
    /// The place itself, as in older definitions: for comparison.
    Place,
}

/// How a surface is defined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceOptions {
    /// The shape of the weight.
    pub kernel: Kernel,
    /// Which distance it is taken of.
    pub distance: WeightDistance,
    /// How paths are measured.
    pub paths: PathLength,
    /// How wide it is.
    pub bandwidth: Bandwidth,
    /// What the covariance is taken about.
    pub centre: CovarianceCentre,
    /// The weight at which the Gaussian is cut off.
    pub negligible: f64,
    /// With fewer points the function is undefined.
    pub min_support: u32,
    /// How many local spacings the mean may lag behind before the point is beyond the border.
    pub border: f64,
}

impl Default for SurfaceOptions {
    fn default() -> Self {
        Self {
            kernel: Kernel::Gaussian,
            distance: WeightDistance::Geodesic,
            paths: PathLength::Polyline,
            bandwidth: Bandwidth::Local { eta: 5.0 },
            centre: CovarianceCentre::Mean,
            negligible: 1e-3,
            min_support: 5,
            border: 2.0,
        }
    }
}
