//! Assigns faces to clusters.
//!
//! **Question.** Two faces are compared only if they share a cluster. Which clusters must a face
//! join so that all intersecting faces are compared?
//! **Idea.** All that may contain a point of the face, where a point belongs to its nearest centre.
//! Let `j` be any cluster, here the one nearest to the face's centre. The face joins `i` if one of
//! its corners is at least as near to `v_i` as to `v_j`.
//! **Source.** The thesis joins by membership of the centre above 0.9/c (5.1), which misses pairs; the complete rule is ours.
//! **Promise.** [`FaceAssignment::Safe`] is complete. *Proof.* Let `q` be a common point of faces `a` and `b`, and `i` the centre nearest to `q`. For the
//! cluster `j` of `a`, `|q − v_i|² − |q − v_j|² ≤ 0`. As a function of `q` this is linear, so that its least value over the
//! triangle is taken at a corner: some corner of `a` has a value ≤ 0, and `a` joins `i`. So does `b`. ∎ With the metrics L1 and L∞ the difference is not
//! linear; there the face joins `i` when `d(C, v_i) ≤ d(C, v_j) + 2r` with its centre `C` and radius `r`: `d(C, v_i) ≤ d(q, v_i) + r ≤ d(q, v_j) + r ≤ d(C, v_j) + 2r`. ∎
//!
//! Both hold for any centres, any number of them and any sizes of faces. Rounding is covered by margins: with all coordinates at most
//! `S`, the linear function is a sum of products below `12 S²` and a constant below `6 S²`, computed with fewer than 12
//! roundings, and its slope times the error of a corner adds less than `7 S` times that; the distances err by less than
//! `8u · 3S` each, and by twice three errors of corners.

use glam::DVec3;

use super::super::narrow_phase::in_parts;
use super::c_means::{memberships, nearest};
use super::cluster_items::ClusterItems;
use super::{ClusterMetric, ClusteringOptions, FaceAssignment, MAX_CLUSTERS};

/// Items that one part of the work takes.
const ITEMS_PER_PART: usize = 4096;

/// The clusters of each item as bits.
pub(super) fn assigned(
    items: &ClusterItems,
    centers: &[DVec3],
    options: &ClusteringOptions,
    parallel: bool,
) -> Vec<u64> {
    let count = items.face.len();
    if centers.len() <= 1 {
        return vec![1; count];
    }
    let rule = AssignmentRule::new(items, centers, options);
    let parts = count.div_ceil(ITEMS_PER_PART);
    let part = |i: usize| {
        let to = ((i + 1) * ITEMS_PER_PART).min(count);
        let mut u = [0.0; MAX_CLUSTERS];
        (i * ITEMS_PER_PART..to)
            .map(|k| rule.clusters(k, &mut u))
            .collect::<Vec<u64>>()
    };
    in_parts(parallel, parts, part).concat()
}

/// The cells of each item of a list, as bits: those around these middles that may hold a point of it.
pub(super) fn cells_joined(items: &ClusterItems, list: &[u32], middles: &[DVec3]) -> Vec<u64> {
    // The margin is for centres that are not farther out than the items.
    let reach = DVec3::splat(items.size);
    let middles: Vec<DVec3> = middles.iter().map(|m| m.clamp(-reach, reach)).collect();
    let rule = AssignmentRule::new(items, &middles, &ClusteringOptions::default());
    let mut u = [0.0; MAX_CLUSTERS];
    list.iter()
        .map(|&i| rule.clusters(i as usize, &mut u))
        .collect()
}

/// `slope · x + constant ≤ 0` where `x` is at least as near to one centre as to another.
#[derive(Clone, Copy, Debug)]
struct Bisector {
    slope: DVec3,
    constant: f64,
}

struct AssignmentRule<'i> {
    items: &'i ClusterItems,
    centers: &'i [DVec3],
    metric: ClusterMetric,
    fuzzifier: f64,
    assignment: FaceAssignment,
    /// For each pair of centres; row `j`, column `i`.
    sides: Vec<Bisector>,
    /// For each pair of centres: the share of two memberships above which a face joins.
    shares: Vec<f64>,
    margin: f64,
}

impl<'i> AssignmentRule<'i> {
    fn new(items: &'i ClusterItems, centers: &'i [DVec3], options: &ClusteringOptions) -> Self {
        let pairs = || {
            centers
                .iter()
                .flat_map(|&near| centers.iter().map(move |&v| (near, v)))
        };
        let largest = items.radius.iter().fold(0.0_f64, |m, &r| m.max(r));
        let size = items.size;
        Self {
            items,
            centers,
            metric: options.metric,
            fuzzifier: options.fuzzifier,
            assignment: options.assignment,
            sides: pairs()
                .map(|(near, v)| Bisector {
                    slope: (near - v) * 2.0,
                    constant: v.length_squared() - near.length_squared(),
                })
                .collect(),
            shares: pairs()
                .map(|(near, v)| {
                    share_for(largest, options.metric.distance(near, v), options.fuzzifier)
                })
                .collect(),
            margin: match options.metric {
                ClusterMetric::L2 => 256.0 * f64::EPSILON * size * size + 8.0 * size * items.error,
                _ => 64.0 * f64::EPSILON * size + 8.0 * items.error,
            },
        }
    }

    fn clusters(&self, item: usize, u: &mut [f64]) -> u64 {
        let center = self.items.center[item];
        let near = nearest(center, self.centers, self.metric);
        let mut clusters = 1_u64 << near;
        let count = self.centers.len();
        match self.assignment {
            FaceAssignment::Nearest => {}
            FaceAssignment::Safe if self.metric == ClusterMetric::L2 => {
                let sides = &self.sides[near * count..(near + 1) * count];
                for (i, side) in sides.iter().enumerate() {
                    let [x, y, z] = self.items.corners[item].map(|p| side.slope.dot(p));
                    // Written so that a NaN of an overflow joins.
                    let is_beyond = x.min(y).min(z) + side.constant > self.margin;
                    clusters |= u64::from(!is_beyond) << i;
                }
            }
            FaceAssignment::Safe => {
                let reach = self.metric.distance(center, self.centers[near])
                    + 2.0 * self.items.radius[item]
                    + self.margin;
                for (i, &v) in self.centers.iter().enumerate() {
                    let is_beyond = self.metric.distance(center, v) > reach;
                    clusters |= u64::from(!is_beyond) << i;
                }
            }
            FaceAssignment::Threshold => {
                memberships(center, self.centers, self.metric, self.fuzzifier, u);
                let threshold = 0.9 / count as f64;
                for (i, &u) in u.iter().take(count).enumerate() {
                    clusters |= u64::from(u > threshold) << i;
                }
            }
            FaceAssignment::RadiusThreshold => {
                memberships(center, self.centers, self.metric, self.fuzzifier, u);
                for i in 0..count {
                    let share = u[i] / (u[i] + u[near]);
                    clusters |= u64::from(share >= self.shares[near * count + i]) << i;
                }
            }
        }
        clusters
    }
}

/// The membership at which the band on either side of the border between two centres is `half_width` wide, where it is
/// narrowest: on the line between them (Equation 5.5).
fn share_for(half_width: f64, distance: f64, fuzzifier: f64) -> f64 {
    let part = 2.0 * half_width / distance;
    if part.is_nan() || part >= 1.0 {
        return 0.0;
    }
    let ratio = (1.0 - part) / (1.0 + part);
    let power = libm::pow(ratio, 2.0 / (fuzzifier.max(1.01) - 1.0));
    power / (1.0 + power)
}
