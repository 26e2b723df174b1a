//! How wide the kernel should be for a cloud, from its noise and the curvature behind it.
//!
//! **Question.** Which `eta`, the bandwidth in units of the local spacing, gives the smallest error
//! of the surface?
//! **Idea.** A wider kernel averages out noise but flattens curvature. For a part of the points a
//! quadric is fitted to the neighbours; its residual gives the noise σ, its second derivatives the
//! curvature H. The Gaussian moves the surface by H h²/2 and leaves a noise variance of σ²/(2πρh²)
//! with ρ points per area; the sum of the squared displacement and the variance is smallest for h⁶
//! = σ²/(πρH²).
//! **Source.** Ours. Klein sets eta by hand or to 1, which leaves one or two points under the
//! kernel of a surface in space.
//! **Limits.** One eta per cloud; noise is assumed to be uniform, and features sharper than the
//! fitted neighbourhood count as curvature.

use glam::{DMat3, DVec3};

use super::kd_search::Neighbour;
use super::parallel::map_shares;
use super::point_cloud::PointId;
use super::proximity_graph::ProximityGraph;
use super::surface_options::Bandwidth;
use crate::math::eigen::symmetric_eigen;

/// Neighbours that are examined for a quadric.
const NEIGHBOURS: usize = 56;
/// Those within this share of the farthest, measured along the surface, are fitted: the others were chosen by their height too, which would hide the bend.
const FITTED: f64 = 0.8;
/// Unknowns of a quadric.
const TERMS: usize = 6;

/// The noise and curvature of a cloud, and the resulting kernel width.
///
/// ```
/// use impinge::{cloud::{BandwidthCalibration, GraphOptions, PointCloud, ProximityGraph}, math::Rng};
/// let mut rng = Rng::new(1);
/// let ball = PointCloud::from_points((0..2000).map(|_| rng.direction()))?;
/// let found = BandwidthCalibration::of(&ProximityGraph::new(&ball, &GraphOptions::default())?, 1e-3);
/// assert!((found.curvature - 1.0).abs() < 0.05 && found.noise < 1e-3);
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandwidthCalibration {
    /// The best eta for the Gaussian kernel.
    pub eta: f64,
    /// The standard deviation of the points from the surface.
    pub noise: f64,
    /// The mean curvature, as root of the mean square.
    pub curvature: f64,
}

/// The curvature measured in one neighbourhood.
#[derive(Clone, Copy)]
struct LocalCurvature {
    variance: f64,
    /// Mean curvature squared.
    curvature_sq: f64,
    /// What noise of variance 1 adds to that.
    excess: f64,
    spacing: f64,
    /// Points per area.
    density: f64,
}

/// The range of eta: below, too few points count for a stable normal, see the bench; beyond, the kernel no longer is local.
const ETA_RANGE: [f64; 2] = [4.4, 14.0];
/// Path lengths along edges are that much longer than the distances that the formula speaks of.
const PATH_EXCESS: f64 = 1.06;

impl BandwidthCalibration {
    /// The calibration for a graph's points; `negligible` is that of [`SurfaceOptions`](super::SurfaceOptions). Clouds that are too small get the default.
    ///
    /// ```
    /// use impinge::cloud::{BandwidthCalibration, GraphOptions, PointCloud, ProximityGraph};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert_eq!(BandwidthCalibration::of(&graph, 1e-3).eta, 5.0);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn of(graph: &ProximityGraph, negligible: f64) -> Self {
        let ids: Vec<PointId> = graph.ids().collect();
        // Some 2000 points are a large enough sample.
        let step = ids.len().div_ceil(2000).max(1);
        let chosen: Vec<PointId> = ids.into_iter().step_by(step).collect();
        let bends = map_shares(&chosen, |ids| {
            let mut near = Vec::new();
            ids.iter()
                .filter_map(|&id| bend(graph, id, &mut near))
                .collect::<Vec<LocalCurvature>>()
        });
        let bends: Vec<LocalCurvature> = bends.into_iter().flatten().collect();
        let default = Self {
            eta: 5.0,
            noise: 0.0,
            curvature: 0.0,
        };
        if bends.len() < 8 {
            return default;
        }
        let count = bends.len() as f64;
        let mean = |of: &dyn Fn(&LocalCurvature) -> f64| bends.iter().map(of).sum::<f64>() / count;
        let mut variances: Vec<f64> = bends.iter().map(|b| b.variance).collect();
        variances.sort_unstable_by(f64::total_cmp);
        // The median is safe against edges and outliers; with thirty degrees of freedom it is 2 % below the mean.
        let variance = 1.02 * variances[variances.len() / 2];
        let curvature_sq = mean(&|b| b.curvature_sq) - variance * mean(&|b| b.excess);
        // In units of the local spacing s: error² = A η⁴ + V/η² with h = η s/c.
        let c = (-libm::log(negligible)).max(1e-3).sqrt() * PATH_EXCESS;
        let fourth = |b: &LocalCurvature| b.spacing * b.spacing * b.spacing * b.spacing;
        let bent = mean(&|b| b.curvature_sq * fourth(b));
        let chance = variance * mean(&|b| b.excess * fourth(b));
        // Noise cannot be told from curvature below its own fluctuation.
        let bias = (bent - chance).max(0.1 * bent) / (4.0 * c * c * c * c);
        let spread = variance
            * c
            * c
            * mean(&|b| 1.0 / (2.0 * std::f64::consts::PI * b.density * b.spacing * b.spacing));
        let [min_eta, max_eta] = ETA_RANGE;
        let eta = if spread > 0.0 && bias > 0.0 {
            // The formula speaks of many points; with few the normal is uncertain too. Measured, see the bench.
            1.4 + libm::cbrt((0.5 * spread / bias).sqrt())
        } else if bias > 0.0 {
            min_eta
        } else {
            // Flat and without noise: anything is exact.
            default.eta
        };
        Self {
            eta: eta.clamp(min_eta, max_eta),
            noise: variance.max(0.0).sqrt(),
            curvature: curvature_sq.max(0.0).sqrt(),
        }
    }

    /// The local bandwidth of this eta.
    ///
    /// ```
    /// use impinge::cloud::{Bandwidth, BandwidthCalibration};
    /// let found = BandwidthCalibration { eta: 6.0, noise: 0.1, curvature: 1.0 };
    /// assert_eq!(found.bandwidth(), Bandwidth::Local { eta: 6.0 });
    /// ```
    #[must_use]
    pub fn bandwidth(&self) -> Bandwidth {
        Bandwidth::Local { eta: self.eta }
    }
}

/// Fits a quadric to the neighbours of a point.
fn bend(graph: &ProximityGraph, id: PointId, near: &mut Vec<Neighbour>) -> Option<LocalCurvature> {
    let place = graph.place(id)?;
    graph.tree().k_nearest(place, NEIGHBOURS, near);
    let spacing = graph.spacing(id);
    let farthest = near.last()?.distance();
    if farthest <= 0.0 || spacing <= 0.0 {
        return None;
    }
    let offsets = || {
        near.iter()
            .map(|n| (graph.points[n.point.index()] - place) / farthest)
    };
    let mean = offsets().sum::<DVec3>() / near.len() as f64;
    let mut sums = DMat3::ZERO;
    for d in offsets().map(|d| d - mean) {
        sums += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let frame = symmetric_eigen(&sums).vectors;
    let mut normal = [[0.0; TERMS]; TERMS];
    let mut right = [0.0; TERMS];
    let (mut square, mut count) = (0.0, 0.0);
    for d in offsets().map(|d| frame.transpose() * d) {
        if d.x * d.x + d.y * d.y > FITTED * FITTED {
            continue;
        }
        count += 1.0;
        let row = [1.0, d.x, d.y, d.x * d.x, d.x * d.y, d.y * d.y];
        for ((line, sum), a) in normal.iter_mut().zip(&mut right).zip(row) {
            for (entry, b) in line.iter_mut().zip(row) {
                *entry += a * b;
            }
            *sum += a * d.z;
        }
        square += d.z * d.z;
    }
    if count < 2.0 * TERMS as f64 {
        return None;
    }
    let factor = cholesky(&normal)?;
    let fit = solve(&factor, &right);
    let explained: f64 = fit.iter().zip(&right).map(|(c, r)| c * r).sum();
    let variance = (square - explained).max(0.0) / (count - TERMS as f64) * farthest * farthest;
    // Heights c₃u² + c₅v² have mean curvature c₃ + c₅, less what slope there is.
    let slope = 1.0 + fit[1] * fit[1] + fit[2] * fit[2];
    let curvature = (fit[3] + fit[5]) / (slope * slope.sqrt()) / farthest;
    let pick = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    let excess: f64 = solve(&factor, &pick)
        .iter()
        .zip(&pick)
        .map(|(a, b)| a * b)
        .sum();
    let per_variance = excess / (farthest * farthest * farthest * farthest);
    Some(LocalCurvature {
        variance,
        curvature_sq: curvature * curvature,
        excess: per_variance,
        spacing,
        density: count / (std::f64::consts::PI * FITTED * FITTED * farthest * farthest),
    })
}

type Square = [[f64; TERMS]; TERMS];

/// The lower factor of a positive definite matrix; none when it is not.
fn cholesky(matrix: &Square) -> Option<Square> {
    let mut factor = [[0.0; TERMS]; TERMS];
    for i in 0..TERMS {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let rest = matrix[i][j] - known;
            if i == j {
                // Neighbours on a conic leave the quadric undetermined.
                if rest <= 1e-12 * matrix[i][i] {
                    return None;
                }
                factor[i][i] = rest.sqrt();
            } else {
                factor[i][j] = rest / factor[j][j];
            }
        }
    }
    Some(factor)
}

fn solve(factor: &Square, right: &[f64; TERMS]) -> [f64; TERMS] {
    let mut x = *right;
    for i in 0..TERMS {
        for j in 0..i {
            x[i] -= factor[i][j] * x[j];
        }
        x[i] /= factor[i][i];
    }
    for i in (0..TERMS).rev() {
        for j in i + 1..TERMS {
            x[i] -= factor[j][i] * x[j];
        }
        x[i] /= factor[i][i];
    }
    x
}
