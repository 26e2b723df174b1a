//! Chooses the number of clusters with the least counted work.
//!
//! **Question.** Which number of clusters has the least work in this scene? More clusters have
//! fewer pairs each, but more faces on borders.
//! **Idea.** Try 1, 2, 4, … on a sample of the items and count the pairs along the axes. The sample
//! takes one item at random from each run of `k`, so that a pair is counted with probability
//! `1/k²`: the count times `k²` is that of the scene, on average. Copies over borders and rounds of
//! c-means are counted too.
//! **Limits.** A count of work, not a time: the factors below are those of one core.

use super::assign::assigned;
use super::cell_sort::sort_cluster;
use super::cluster_items::ClusterItems;
use super::engine::moved_centers;
use super::{ClusteringOptions, MAX_CLUSTERS};
use crate::math::Rng;

/// The number with least work, at most `most`; the one that is held when another is hardly better.
pub(super) fn least_work(
    items: &ClusterItems,
    options: &ClusteringOptions,
    most: usize,
    held: usize,
) -> usize {
    // About 4096 items are a large enough sample, of which each cluster is to have eight at least.
    let factor = items.face.len().div_ceil(4096).max(1);
    let sample = sample_of(items, factor);
    let most = most
        .clamp(1, MAX_CLUSTERS)
        .min((sample.face.len() / 8).max(1));
    let mut best: Option<(f64, usize)> = None;
    let mut held_work = f64::INFINITY;
    let mut count = 1;
    while count <= most {
        let work = work_of(&sample, options, count, factor);
        if count == held {
            held_work = work;
        }
        if best.is_none_or(|(least, _)| work < least) {
            best = Some((work, count));
        }
        count *= 2;
    }
    match best {
        // A change has to pay.
        Some((work, count)) if work <= 0.95 * held_work => count,
        _ => held.clamp(1, most),
    }
}

/// One item of each run of `factor`.
fn sample_of(items: &ClusterItems, factor: usize) -> ClusterItems {
    let mut rng = Rng::new(1);
    let count = items.face.len();
    let mut sample = ClusterItems {
        size: items.size,
        error: items.error,
        ..ClusterItems::default()
    };
    for from in (0..count).step_by(factor) {
        let i = from + rng.below(factor.min(count - from) as u64) as usize;
        sample.face.push(items.face[i]);
        sample.corners.push(items.corners[i]);
        sample.center.push(items.center[i]);
        sample.radius.push(items.radius[i]);
    }
    sample
}

/// The counted work of a frame with this many clusters, in about nanoseconds of one core.
fn work_of(sample: &ClusterItems, options: &ClusteringOptions, count: usize, factor: usize) -> f64 {
    // Six rounds of c-means do for a sample.
    let centers = moved_centers(&sample.center, options, count, 6);
    let masks = assigned(sample, &centers, options, false);
    let axis_pairs: u64 = (0..centers.len())
        .flat_map(|cluster| sort_cluster(sample, &masks, cluster, options.axis, None))
        .map(|cell| cell.sorted.total())
        .sum();
    let entries: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
    let factor = factor as f64;
    let points = (factor * sample.face.len() as f64).min(options.most_points as f64);
    1.5 * axis_pairs as f64 * factor * factor
        + 60.0 * f64::from(entries) * factor
        + 5.0 * points * (options.warm_rounds * centers.len()) as f64
}
