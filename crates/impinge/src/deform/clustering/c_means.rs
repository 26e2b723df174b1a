//! Fuzzy and hard c-means.
//!
//! **Question.** Which few centres represent many points?
//! **Idea.** In turn, every point gets a membership in every cluster from its distances to the centres, and every centre moves to the mean of
//! the points, weighted by memberships to the power of the fuzzifier `p`. With `u = 1 / Σ_j (d / d_j)^(2/(p−1))` neither step
//! raises `Σ uᵖ d²`.
//! **Source.** Dunn 1973, Bezdek 1981; Mainzer's thesis 4.4 and 4.5. Its Equation 4.9 lacks the square of the distance, see `docs/errata.md`.
//! **Cost.** O(n c) per round.
//! **Limits.** The mean minimises for [`ClusterMetric::L2`] only; with the others it is a rule of thumb.

use glam::DVec3;

use super::{ClusterMetric, StopRule};

/// What a run of c-means did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CMeansReport {
    /// How many rounds there were.
    pub rounds: usize,
    /// `Σ uᵖ d²` before the last round.
    pub objective: f64,
    /// Whether the stop rule ended it, not the cap.
    pub converged: bool,
}

/// Options of fuzzy c-means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FuzzyRules {
    /// How far a point is from a centre.
    pub metric: ClusterMetric,
    /// The fuzzifier; taken as 1.01 when below or not a number.
    pub fuzzifier: f64,
    /// When to stop.
    pub stop: StopRule,
    /// The most rounds.
    pub max_rounds: usize,
}

/// Writes the membership of a point in each cluster: they sum to 1, and a point on a centre belongs to that alone.
///
/// ```
/// use impinge::{deform::clustering::{memberships, ClusterMetric}, DVec3};
/// let centers = [DVec3::ZERO, DVec3::X * 4.0];
/// let mut u = [0.0; 2];
/// memberships(DVec3::X, &centers, ClusterMetric::L2, 2.0, &mut u);
/// assert!((u[0] - 0.9).abs() < 1e-15 && (u[1] - 0.1).abs() < 1e-15);
/// memberships(DVec3::X * 4.0, &centers, ClusterMetric::L2, 2.0, &mut u);
/// assert_eq!(u, [0.0, 1.0]);
/// ```
pub fn memberships(
    point: DVec3,
    centers: &[DVec3],
    metric: ClusterMetric,
    fuzzifier: f64,
    into: &mut [f64],
) {
    let p = tame(fuzzifier);
    let mut nearest = f64::INFINITY;
    for (u, &center) in into.iter_mut().zip(centers) {
        *u = metric.distance(point, center);
        nearest = nearest.min(*u);
    }
    let mut sum = 0.0;
    for u in into.iter_mut().take(centers.len()) {
        // Relative to the nearest, so that nothing overflows; on a centre only those there count.
        let ratio = if nearest > 0.0 {
            nearest / *u
        } else if *u > 0.0 {
            0.0
        } else {
            1.0
        };
        *u = if p == 2.0 {
            ratio * ratio
        } else {
            libm::pow(ratio, 2.0 / (p - 1.0))
        };
        sum += *u;
    }
    for u in into.iter_mut().take(centers.len()) {
        *u /= sum;
    }
}

fn tame(fuzzifier: f64) -> f64 {
    if fuzzifier >= 1.01 && fuzzifier.is_finite() {
        fuzzifier
    } else {
        1.01
    }
}

/// Moves the centres by fuzzy c-means.
///
/// ```
/// use impinge::{deform::clustering::{fuzzy_c_means, FuzzyRules, ClusterMetric, StopRule}, DVec3};
/// let points = [DVec3::ZERO, DVec3::X * 0.1, DVec3::X * 9.9, DVec3::X * 10.0];
/// let rules = FuzzyRules { metric: ClusterMetric::L2, fuzzifier: 2.0, stop: StopRule::Centers(1e-6), max_rounds: 50 };
/// let mut centers = [DVec3::X * 3.0, DVec3::X * 4.0];
/// assert!(fuzzy_c_means(&points, &mut centers, &rules).converged);
/// assert!((centers[0].x - 0.05).abs() < 0.01 && (centers[1].x - 9.95).abs() < 0.01);
/// ```
pub fn fuzzy_c_means(points: &[DVec3], centers: &mut [DVec3], rules: &FuzzyRules) -> CMeansReport {
    let count = centers.len();
    let p = tame(rules.fuzzifier);
    let size = extent(points);
    let mut report = CMeansReport {
        rounds: 0,
        objective: 0.0,
        converged: false,
    };
    if points.is_empty() || count == 0 {
        return report;
    }
    let by_membership = matches!(rules.stop, StopRule::Memberships(_));
    let mut last = if by_membership {
        vec![f64::INFINITY; points.len() * count]
    } else {
        Vec::new()
    };
    let mut u = vec![0.0; count];
    for _ in 0..rules.max_rounds {
        let mut sums = vec![(DVec3::ZERO, 0.0); count];
        let mut change = 0.0_f64;
        report.objective = 0.0;
        for (k, &point) in points.iter().enumerate() {
            memberships(point, centers, rules.metric, p, &mut u);
            for (i, &u) in u.iter().enumerate() {
                let weight = if p == 2.0 { u * u } else { libm::pow(u, p) };
                sums[i].0 += point * weight;
                sums[i].1 += weight;
                let distance = rules.metric.distance(point, centers[i]);
                report.objective += weight * distance * distance;
            }
            if by_membership {
                for (old, &new) in last[k * count..].iter_mut().zip(&u) {
                    change = change.max((*old - new).abs());
                    *old = new;
                }
            }
        }
        let mut moved = 0.0_f64;
        for (center, (sum, weight)) in centers.iter_mut().zip(sums) {
            if weight > 0.0 {
                let to = sum / weight;
                moved = moved.max(center.distance(to));
                *center = to;
            }
        }
        report.rounds += 1;
        report.converged = match rules.stop {
            StopRule::Centers(part) => moved <= part * size,
            StopRule::Memberships(most) => change <= most,
        };
        if report.converged {
            break;
        }
    }
    report
}

/// Moves the centres by hard c-means, until no point changes its cluster.
///
/// ```
/// use impinge::{deform::clustering::{hard_c_means, ClusterMetric}, DVec3};
/// let points = [DVec3::ZERO, DVec3::X, DVec3::X * 9.0, DVec3::X * 10.0];
/// let mut centers = [DVec3::ZERO, DVec3::X * 10.0];
/// assert!(hard_c_means(&points, &mut centers, ClusterMetric::L2, 10).converged);
/// assert_eq!(centers, [DVec3::X * 0.5, DVec3::X * 9.5]);
/// ```
#[doc(alias = "k-means")]
pub fn hard_c_means(
    points: &[DVec3],
    centers: &mut [DVec3],
    metric: ClusterMetric,
    max_rounds: usize,
) -> CMeansReport {
    let mut report = CMeansReport {
        rounds: 0,
        objective: 0.0,
        converged: false,
    };
    let mut cluster = vec![usize::MAX; points.len()];
    for _ in 0..max_rounds {
        let mut sums = vec![(DVec3::ZERO, 0.0); centers.len()];
        let mut is_still = true;
        report.objective = 0.0;
        for (k, &point) in points.iter().enumerate() {
            let near = nearest(point, centers, metric);
            is_still &= near == cluster[k];
            cluster[k] = near;
            let Some(sum) = sums.get_mut(near) else {
                return report;
            };
            sum.0 += point;
            sum.1 += 1.0;
            let distance = metric.distance(point, centers[near]);
            report.objective += distance * distance;
        }
        report.rounds += 1;
        if is_still {
            report.converged = true;
            break;
        }
        for (center, (sum, weight)) in centers.iter_mut().zip(sums) {
            if weight > 0.0 {
                *center = sum / weight;
            }
        }
    }
    report
}

/// The number of the nearest centre, the first of several.
///
/// ```
/// use impinge::{deform::clustering::{nearest, ClusterMetric}, DVec3};
/// assert_eq!(nearest(DVec3::X, &[DVec3::ZERO, DVec3::X * 2.0, DVec3::X], ClusterMetric::L1), 2);
/// ```
#[must_use]
pub fn nearest(point: DVec3, centers: &[DVec3], metric: ClusterMetric) -> usize {
    let mut best = (0, f64::INFINITY);
    for (i, &center) in centers.iter().enumerate() {
        let distance = match metric {
            // The order of squares is that of lengths.
            ClusterMetric::L2 => point.distance_squared(center),
            _ => metric.distance(point, center),
        };
        if distance < best.1 {
            best = (i, distance);
        }
    }
    best.0
}

/// The largest side of the box around the points.
fn extent(points: &[DVec3]) -> f64 {
    let min = points.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
    let max = points.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
    (max - min).max_element().max(0.0)
}
