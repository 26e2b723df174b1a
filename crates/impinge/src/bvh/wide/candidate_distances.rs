//! Which of a few face pairs is the nearest, in `f64`.
//!
//! Nearest points of meshes mostly lie on corners and edges, which several faces share. So many
//! pairs are equally far, and single precision cannot tell them apart. Eight of them are measured
//! at once. No multiply-add is fused, so every processor chooses the same pair; the caller measures
//! that pair again for its points.

use super::intersect::CandidatePair;
use super::layout::WIDTH;
use super::tree::WideTree;
use super::triangle_distance_lanes::bracket;
use crate::geom::disjoint_triangle_distance;
use crate::math::Pose;
use crate::math::simd::Level;
use crate::math::simd::lanes::{DoubleLanes, Kernel, LaneArithmetic, Lanes, dispatch};
use crate::query::FaceId;

/// Up to eight pairs of faces that do not meet.
pub(super) struct CandidateDistances<'s> {
    pub(super) trees: [&'s WideTree; 2],
    pub(super) a_from_b: &'s Pose,
    /// What a length of one becomes.
    pub(super) unit: f64,
    /// What a distance may be off by.
    pub(super) tolerance: f64,
    pub(super) pairs: &'s [CandidatePair],
}

impl CandidateDistances<'_> {
    /// The distances, in units of which a length of one has `unit`.
    ///
    /// Where a bracket is wider than the tolerance, as it is between slivers and edges that are
    /// nearly parallel, the pair is measured alone.
    #[inline(never)]
    pub(super) fn measure(self, level: Level) -> [f64; WIDTH] {
        dispatch(level, self)
    }
}

impl Kernel for CandidateDistances<'_> {
    type Output = [f64; WIDTH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [f64; WIDTH] {
        let Self {
            trees,
            a_from_b,
            unit,
            tolerance,
            pairs,
        } = self;
        let mut corner = [[[[0.0; WIDTH]; 3]; 3]; 2];
        for (k, pair) in pairs.iter().enumerate().take(WIDTH) {
            let (a, b) = corners(trees, a_from_b, pair);
            for v in 0..3 {
                for c in 0..3 {
                    corner[0][v][c][k] = a[v][c];
                    corner[1][v][c][k] = b[v][c];
                }
            }
        }
        let zero = T::Double::number(0.0);
        let scale = T::Double::number(unit);
        let (mut a, mut b) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for v in 0..3 {
            for c in 0..3 {
                a[v][c] = T::Double::load(&corner[0][v][c]) * scale;
                b[v][c] = T::Double::load(&corner[1][v][c]) * scale;
            }
        }
        let bracket = bracket::<T::Double>(&a, &b);
        let mut distances = bracket.upper_sq.sqrt().store();
        let lower = bracket.lower.store();
        for (k, pair) in pairs.iter().enumerate().take(WIDTH) {
            // Written so that what is no number is measured alone too.
            let is_tight = distances[k] - lower[k] <= tolerance;
            if !is_tight {
                let (a, b) = corners(trees, a_from_b, pair);
                distances[k] = disjoint_triangle_distance(&a, &b).distance * unit;
            }
        }
        distances
    }
}

/// The corners of two faces, in a's frame.
#[inline(always)]
fn corners(
    trees: [&WideTree; 2],
    a_from_b: &Pose,
    pair: &CandidatePair,
) -> ([glam::DVec3; 3], [glam::DVec3; 3]) {
    let a = trees[0].mesh.triangle(FaceId::new(pair.a));
    let [p, q, r] = trees[1].mesh.triangle(FaceId::new(pair.b));
    let b = [
        a_from_b.transform_point(p),
        a_from_b.transform_point(q),
        a_from_b.transform_point(r),
    ];
    (a, b)
}
