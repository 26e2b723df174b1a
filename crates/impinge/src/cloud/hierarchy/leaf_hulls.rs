//! Samples and coverings as published: by random places in the hulls of the leaves of a node.
//!
//! A mean of the points of a leaf under random weights is in their hull, where zeros of the
//! surface are: so such places stand for it. Klein 2005, section 5.2.3.

use glam::DVec3;

use super::super::kd_tree::distance_sq;
use super::sphere_cover::MAX_ROUNDS;
use crate::math::Rng;

/// Draws of one sample before it is given up: most points are samples then.
const TRIES: usize = 16;

/// The points of a node, leaf by leaf.
pub(super) struct LeafHulls<'t> {
    pub(super) items: &'t [u32],
    /// Where the leaves of the node start, in the order of the whole tree.
    starts: &'t [usize],
    /// Where the node starts in that order.
    offset: usize,
}

impl<'t> LeafHulls<'t> {
    /// The points from `start` to `end` of the order; `leaves` are the starts of all leaves, ascending.
    pub(super) fn new(order: &'t [u32], leaves: &'t [usize], start: usize, end: usize) -> Self {
        let first = leaves.partition_point(|&at| at < start);
        let past = leaves.partition_point(|&at| at < end);
        Self {
            items: &order[start..end],
            starts: &leaves[first..past],
            offset: start,
        }
    }

    /// The points of a random leaf.
    fn leaf(&self, rng: &mut Rng) -> &'t [u32] {
        let number = rng.below(self.starts.len().max(1) as u64) as usize;
        let from = self.starts.get(number).map_or(0, |at| at - self.offset);
        let to = self.starts.get(number + 1);
        let to = to.map_or(self.items.len(), |at| at - self.offset);
        &self.items[from..to]
    }

    /// A place in the hull of some points: their mean under random weights.
    fn place(points: &[DVec3], leaf: &[u32], rng: &mut Rng) -> DVec3 {
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for &id in leaf {
            // Positive, so that the mean is inside.
            let weight = rng.unit() + f64::EPSILON;
            sum += points[id as usize] * weight;
            total += weight;
        }
        sum / total
    }

    /// Writes samples: points nearest to random places, no point twice.
    pub(super) fn choose_samples(
        &self,
        points: &[DVec3],
        count: usize,
        rng: &mut Rng,
        samples: &mut Vec<u32>,
    ) {
        samples.clear();
        if self.items.len() <= count {
            samples.extend_from_slice(self.items);
            return;
        }
        let mut misses = 0;
        while samples.len() < count && misses < TRIES {
            let place = Self::place(points, self.leaf(rng), rng);
            let order = |&&p: &&u32, &&q: &&u32| {
                let apart = |id: u32| distance_sq(points[id as usize], place);
                apart(p).total_cmp(&apart(q)).then(p.cmp(&q))
            };
            match self.items.iter().min_by(order) {
                Some(&id) if !samples.contains(&id) => {
                    samples.push(id);
                    misses = 0;
                }
                _ => misses += 1,
            }
        }
    }

    /// The squared radius that covers random places of the hulls, starting with one that is known to be needed: until `covered`
    /// places in a row are. After one that is not, the next `around` are drawn in its leaf's hull, shrunk to half its size about it.
    pub(super) fn uncovered(
        &self,
        points: &[DVec3],
        known_sq: f64,
        (covered, around): (u32, u32),
        nearest_sq: impl Fn(DVec3) -> f64,
        rng: &mut Rng,
    ) -> f64 {
        let mut radius_sq = known_sq;
        let mut row = 0;
        let mut stratum: Option<(DVec3, &[u32], u32)> = None;
        for _ in 0..covered.saturating_mul(MAX_ROUNDS) {
            let (place, leaf) = match stratum {
                Some((centre, leaf, left)) if left > 0 => {
                    stratum = Some((centre, leaf, left - 1));
                    let corner = Self::place(points, leaf, rng);
                    // Between two places of a hull all are in it.
                    (centre + (corner - centre) * 0.5, leaf)
                }
                _ => {
                    let leaf = self.leaf(rng);
                    (Self::place(points, leaf, rng), leaf)
                }
            };
            let needed = nearest_sq(place);
            if needed > radius_sq {
                radius_sq = needed;
                row = 0;
                stratum = Some((place, leaf, around));
            } else {
                row += 1;
                if row >= covered {
                    break;
                }
            }
        }
        radius_sq
    }
}
