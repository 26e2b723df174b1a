//! Medial spheres of a solid, and a few of them that cover its points.
//!
//! **Idea.** A medial sphere touches the surface at two points and lies inside. It is found from
//! one of them by shrinking a tangent sphere until it contains no part of the surface.
//!
//! **Source.** Shrinking balls: Ma, Bae and Choi, 2012, doi:10.1007/s00371-011-0594-7.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::surface_samples::SolidPoints;
use super::surface_solid::SurfaceSolid;
use crate::bvh::wide::SingleTreeCache;
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// Times that a ball shrinks at most.
const MOST_SHRINKS: usize = 24;
/// A ball that shrinks by less than this part has arrived.
const ARRIVED: f64 = 1e-4;
/// Sizes that are tried for the common growth of all balls.
const MOST_TRIES: usize = 9;

/// The medial ball behind each gauge; a small ball about it where the mesh leaves no inside there.
pub(super) fn medial_balls(
    solid: &(impl SurfaceSolid + ?Sized),
    samples: &SolidPoints,
) -> Vec<SolidBall> {
    let largest = 0.5 * solid.bounds().diagonal().length();
    map_indexed(
        samples.gauges.len(),
        64,
        |cache: &mut SingleTreeCache, i| {
            let (p, normal) = (samples.points[i], samples.gauges[i].normal);
            let small = SolidBall {
                center: p,
                radius: 0.5 * samples.spacing,
            };
            let mut radius = largest;
            for _ in 0..MOST_SHRINKS {
                let center = p - normal * radius;
                let near = solid.closest_with(center, cache);
                if (near - center).length() >= radius * (1.0 - ARRIVED) {
                    break;
                }
                let chord = p - near;
                let along = chord.dot(normal);
                let shrunk = 0.5 * chord.length_squared() / along;
                if !(along > 0.0 && shrunk > 0.0) {
                    break;
                }
                if shrunk >= radius {
                    break;
                }
                radius = shrunk;
            }
            let center = p - normal * radius;
            if solid.contains_with(center, cache) {
                SolidBall { center, radius }
            } else {
                small
            }
        },
    )
}

/// At least `wanted` balls, where there are so many, that cover all points with a gauge: chosen
/// greedily among the given ones after each has grown by the same amount.
pub(super) fn chosen_balls(
    balls: &[SolidBall],
    samples: &SolidPoints,
    wanted: usize,
) -> Vec<SolidBall> {
    let (mut low, mut high) = (1e-5 * samples.spacing, 4.0 * samples.spacing);
    let mut growth = 0.2 * samples.spacing;
    let mut best: Vec<SolidBall> = Vec::new();
    for _ in 0..MOST_TRIES {
        let found = greedy(balls, samples, growth);
        let (count, is_enough) = (found.len(), best.len() >= wanted);
        // The fewest that are enough, else the most.
        let is_better = if is_enough {
            count >= wanted && count < best.len()
        } else {
            count > best.len()
        };
        if is_better {
            best = found;
        }
        if (wanted..=wanted + wanted / 2).contains(&count) {
            break;
        }
        if count < wanted {
            high = growth;
        } else {
            low = growth;
        }
        growth = (low * high).sqrt();
    }
    best
}

/// How many points a ball would cover anew; old numbers are too large.
#[derive(PartialEq, Eq)]
struct Gain {
    count: u32,
    ball: u32,
    round: u32,
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.count, other.ball).cmp(&(other.count, self.ball))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn greedy(balls: &[SolidBall], samples: &SolidPoints, growth: f64) -> Vec<SolidBall> {
    let grown: Vec<SolidBall> = balls
        .iter()
        .map(|ball| SolidBall {
            center: ball.center,
            radius: ball.radius + growth,
        })
        .collect();
    greedy_cover(&grown, &samples.points[..samples.gauges.len()], usize::MAX)
}

/// At most `most` of the balls, each the one that covers most points that those before it do not.
pub(super) fn greedy_cover(balls: &[SolidBall], points: &[DVec3], most: usize) -> Vec<SolidBall> {
    let words = points.len().div_ceil(64);
    let covered: Vec<Vec<u64>> = map_indexed(balls.len(), 16, |(): &mut (), k| {
        let ball = &balls[k];
        let mut bits = vec![0_u64; words];
        for (i, &p) in points.iter().enumerate() {
            if (p - ball.center).length_squared() <= ball.radius * ball.radius {
                bits[i / 64] |= 1 << (i % 64);
            }
        }
        bits
    });
    let mut open = vec![u64::MAX; words];
    let gain = |ball: usize, open: &[u64]| -> u32 {
        let both = covered[ball].iter().zip(open);
        both.map(|(mine, open)| (mine & open).count_ones()).sum()
    };
    let mut queue: BinaryHeap<Gain> = (0..balls.len())
        .map(|k| Gain {
            count: gain(k, &open),
            ball: k as u32,
            round: 0,
        })
        .collect();
    let mut chosen = Vec::new();
    let mut round = 0;
    while chosen.len() < most
        && let Some(top) = queue.pop()
    {
        if top.count == 0 {
            break;
        }
        let k = top.ball as usize;
        if top.round != round {
            queue.push(Gain {
                count: gain(k, &open),
                ball: top.ball,
                round,
            });
            continue;
        }
        for (open, mine) in open.iter_mut().zip(&covered[k]) {
            *open &= !mine;
        }
        round += 1;
        chosen.push(balls[k]);
    }
    chosen
}
