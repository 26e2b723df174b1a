//! Ellipsoids of influence: elongated along flat surface, short across it.
//!
//! **Idea.** An ellipsoid starts with a few nearest points and their principal axes, and grows
//! point by point as long as they stay flat. Two points are neighbours if their ellipsoids
//! intersect.
//! **Source.** Klein, 4.2.3, an idea that was not carried out there. Whether two ellipsoids meet is
//! decided by the largest value of the contact function of Perram and Wertheim (1985), not by
//! sampling.
//! **Limits.** Which ellipsoids result depends on the order of growth; an edit builds them all
//! again.

use std::cmp::Ordering;

use glam::{DMat3, DVec3};

use super::kd_tree::{KdTree, distance_sq};
use super::parallel::map_shares;
use super::point_cloud::{PointId, place_order};
use crate::math::eigen::symmetric_eigen;

/// No half axis is shorter than this share of the longest, so that flat sets keep a volume.
const THINNEST: f64 = 0.2;
/// Steps of the search for the largest contact value; each cuts the interval to 0.618.
const CONTACT_STEPS: usize = 40;
/// Candidates that are examined when an ellipsoid grows.
const CANDIDATES: usize = 24;

/// How ellipsoids of influence grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidOptions {
    /// Neighbours to start with.
    pub start: usize,
    /// Points at which to stop, the own one not counted.
    pub points: usize,
    /// The surface variation, smallest eigenvalue over their sum, at which to stop.
    pub max_variation: f64,
}

impl Default for EllipsoidOptions {
    fn default() -> Self {
        Self {
            start: 4,
            points: 6,
            max_variation: 0.05,
        }
    }
}

/// An ellipsoid around a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct InfluenceEllipsoid {
    centre: DVec3,
    /// Half axes squared, along their directions.
    shape: DMat3,
    longest: f64,
    shortest: f64,
}

impl InfluenceEllipsoid {
    pub(super) fn reach(&self) -> f64 {
        self.longest
    }

    /// Whether the two share a point; rounding says the same of either to the other.
    pub(super) fn meets(&self, other: &Self) -> bool {
        match place_order(self.centre, other.centre) {
            Ordering::Greater => other.meets_later(self),
            _ => self.meets_later(other),
        }
    }

    /// As [`Self::meets`], for one that comes later in the order of places.
    fn meets_later(&self, other: &Self) -> bool {
        let apart = other.centre - self.centre;
        let distance = apart.length();
        if distance <= self.shortest + other.shortest {
            return true;
        }
        if distance > self.longest + other.longest {
            return false;
        }
        // The contact value is concave in t; they meet when it nowhere exceeds 1.
        let contact = |t: f64| {
            let mixed = self.shape * (1.0 - t) + other.shape * t;
            let determinant = mixed.determinant();
            if determinant > 0.0 {
                t * (1.0 - t) * apart.dot(mixed.inverse() * apart)
            } else {
                f64::INFINITY
            }
        };
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut lo, mut hi) = (0.0, 1.0);
        let (mut left, mut right) = (1.0 - golden, golden);
        let (mut at_left, mut at_right) = (contact(left), contact(right));
        for _ in 0..CONTACT_STEPS {
            if at_left > 1.0 || at_right > 1.0 {
                return false;
            }
            if at_left < at_right {
                lo = left;
                (left, at_left) = (right, at_right);
                right = lo + golden * (hi - lo);
                at_right = contact(right);
            } else {
                hi = right;
                (right, at_right) = (left, at_left);
                left = hi - golden * (hi - lo);
                at_left = contact(left);
            }
        }
        at_left <= 1.0 && at_right <= 1.0
    }
}

/// The ellipsoids of all points, by id.
pub(super) fn ellipsoids_of(
    points: &[DVec3],
    tree: &KdTree,
    order: &[u32],
    options: &EllipsoidOptions,
) -> Vec<InfluenceEllipsoid> {
    let grown = map_shares(order, |ids| {
        let mut near = Vec::new();
        let one = |&id: &u32| {
            let centre = points[id as usize];
            tree.k_nearest(
                centre,
                options.points.max(CANDIDATES).saturating_add(1),
                &mut near,
            );
            near.retain(|n| n.point != PointId::new(id));
            let offsets: Vec<DVec3> = near
                .iter()
                .map(|n| points[n.point.index()] - centre)
                .collect();
            grow(centre, offsets, options)
        };
        ids.iter().map(one).collect::<Vec<_>>()
    });
    let blank = InfluenceEllipsoid {
        centre: DVec3::ZERO,
        shape: DMat3::ZERO,
        longest: 0.0,
        shortest: 0.0,
    };
    let mut ellipsoids = vec![blank; points.len()];
    for (&id, ellipsoid) in order.iter().zip(grown.into_iter().flatten()) {
        ellipsoids[id as usize] = ellipsoid;
    }
    ellipsoids
}

/// `offsets` are the candidates, nearest first.
fn grow(centre: DVec3, mut offsets: Vec<DVec3>, options: &EllipsoidOptions) -> InfluenceEllipsoid {
    let mut inside = options.start.clamp(1, options.points).min(offsets.len());
    let mut best = around(centre, &offsets[..inside]);
    while inside < offsets.len().min(options.points) {
        // The next to enter is the nearest in the ellipsoid's own measure.
        let measure = best.0.shape;
        let inverse = if measure.determinant() > 0.0 {
            measure.inverse()
        } else {
            DMat3::IDENTITY
        };
        let depth = |d: DVec3| d.dot(inverse * d);
        let next = (inside..offsets.len()).min_by(|&i, &j| {
            depth(offsets[i])
                .total_cmp(&depth(offsets[j]))
                .then(i.cmp(&j))
        });
        let Some(next) = next else { break };
        offsets.swap(inside, next);
        let larger = around(centre, &offsets[..=inside]);
        if larger.1 > options.max_variation {
            break;
        }
        inside += 1;
        best = larger;
    }
    best.0
}

/// The ellipsoid with the principal axes of a set that holds it, and the set's surface variation.
fn around(centre: DVec3, offsets: &[DVec3]) -> (InfluenceEllipsoid, f64) {
    let mut sums = DMat3::ZERO;
    let mean = offsets.iter().sum::<DVec3>() / (offsets.len() + 1) as f64;
    for d in offsets
        .iter()
        .copied()
        .chain([DVec3::ZERO])
        .map(|d| d - mean)
    {
        sums += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let eigen = symmetric_eigen(&sums);
    let farthest = offsets
        .iter()
        .fold(0.0_f64, |m, &d| m.max(distance_sq(d, DVec3::ZERO)));
    let total: f64 = eigen.values.iter().sum();
    if farthest <= 0.0 || total <= 0.0 {
        let ball = InfluenceEllipsoid {
            centre,
            shape: DMat3::IDENTITY * farthest,
            longest: farthest.sqrt(),
            shortest: farthest.sqrt(),
        };
        return (ball, 0.0);
    }
    let longest_value = eigen.values[0];
    let relative = eigen
        .values
        .map(|v| (v.max(0.0) / longest_value).max(THINNEST * THINNEST));
    // Scaled so that the farthest point, in this measure, lies on the surface.
    let local = |d: DVec3| eigen.vectors.transpose() * d;
    let scale = offsets.iter().map(|&d| local(d)).fold(0.0_f64, |m, l| {
        m.max(l.x * l.x / relative[0] + l.y * l.y / relative[1] + l.z * l.z / relative[2])
    });
    let squares = DVec3::from(relative) * scale;
    let shape = eigen.vectors * DMat3::from_diagonal(squares) * eigen.vectors.transpose();
    let ellipsoid = InfluenceEllipsoid {
        centre,
        shape,
        longest: squares.max_element().sqrt(),
        shortest: squares.min_element().sqrt(),
    };
    (ellipsoid, eigen.values[2].max(0.0) / total)
}
