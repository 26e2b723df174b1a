//! Covers a solid with few spheres.
//!
//! **Question.** Which few balls contain a solid, and how much more do they contain? Motion planners test such balls instead of meshes.
//!
//! **Idea.** The solid lies in the voxels that it meets. Voxels are divided among the balls, each ball is the smallest around its
//! voxels, and voxels change over to the ball that has to grow least for them.
//!
//! **Promise.** Every voxel that can hold a point of the solid lies in one ball, whole; so the solid lies in their union. What they hold
//! beyond it is measured by sampling and named as such.

use glam::DVec3;
use thiserror::Error;

use super::enclosing_ball::enclosing_ball;
use super::interior::{Interior, has_size};
use super::pack::map_indexed;
use super::solid_ball::SolidBall;
use crate::math::Rng;

const MOST_VOXELS: f64 = 1e8;
const HALF_DIAGONAL: f64 = 0.866_025_403_784_438_7;
/// Random points that measure the volume.
const SAMPLES: usize = 100_000;
/// Points of each sphere from which the distance to the solid is measured.
const SAMPLES_PER_BALL: usize = 128;

/// What is wanted of a cover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverOptions {
    /// Balls at most.
    pub count: usize,
    /// Voxels along the longest side.
    pub resolution: u32,
    /// How often voxels may change over.
    pub rounds: u32,
    /// For the samples that measure the overshoot.
    pub seed: u64,
}

impl Default for CoverOptions {
    fn default() -> Self {
        Self {
            count: 32,
            resolution: 48,
            rounds: 24,
            seed: 0,
        }
    }
}

/// Why there is no cover.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CoverError {
    /// No ball is allowed.
    #[error("a cover has at least one ball")]
    NoBalls,
    /// No voxel, or too many.
    #[error("a resolution of {resolution} makes no voxels, or more than 100 million")]
    BadResolution {
        /// What was given.
        resolution: u32,
    },
    /// The box around the solid has no size, or no voxel meets it.
    #[error("the solid has no size")]
    NoSize,
}

/// Balls whose union holds a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// The balls, largest first.
    pub balls: Vec<SolidBall>,
    /// The volume of their union, measured.
    pub union_volume: f64,
    /// One standard error of that measurement.
    pub union_error: f64,
    /// The volume of their union beyond the solid, as a part of the solid's.
    pub excess: f64,
    /// The largest distance from the solid of any sampled point of the cover's surface.
    pub overshoot: f64,
}

/// A cover of a solid by few balls.
///
/// # Errors
/// [`CoverError`] when no ball or no voxel is allowed.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{CoverOptions, MeshSolid, cover}};
/// use std::sync::Arc;
/// let bar = generate::cuboid(DVec3::new(4.0, 1.0, 1.0), [1; 3])?;
/// let tree = WideTree::new(Arc::new(bar));
/// let cover = cover(&MeshSolid::new(&tree)?, &CoverOptions { count: 4, ..Default::default() })?;
/// assert!(cover.balls.len() <= 4 && cover.excess > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "sphere tree")]
#[doc(alias = "outer sphere tree")]
pub fn cover(
    solid: &(impl Interior + ?Sized),
    options: &CoverOptions,
) -> Result<Cover, CoverError> {
    if options.count == 0 {
        return Err(CoverError::NoBalls);
    }
    let (voxels, side) = voxels(solid, options.resolution)?;
    let mut centers = seeds(&voxels, options.count);
    let mut owner: Vec<u32> = map_indexed(voxels.len(), 512, |(): &mut (), i| {
        nearest(&centers, voxels[i])
    });
    for _ in 0..8 {
        centers = means(&voxels, &owner, &centers);
        owner = map_indexed(voxels.len(), 512, |(): &mut (), i| {
            nearest(&centers, voxels[i])
        });
    }
    let mut balls = around(&voxels, side, &owner, centers.len());
    let mut best = (total(&balls), balls.clone());
    for _ in 0..options.rounds {
        owner = map_indexed(voxels.len(), 512, |(): &mut (), i| {
            let growth = |ball: &SolidBall| {
                let reach = farthest_corner(ball.center, voxels[i], side);
                (reach - ball.radius, ball.radius)
            };
            let mut least = ((f64::INFINITY, 0.0), owner[i]);
            for (k, ball) in balls.iter().enumerate() {
                let grown = growth(ball);
                if ball.radius > 0.0 && grown < least.0 {
                    least = (grown, k as u32);
                }
            }
            least.1
        });
        balls = around(&voxels, side, &owner, centers.len());
        let sum = total(&balls);
        if sum < best.0 {
            best = (sum, balls.clone());
        }
    }
    let mut balls = best.1;
    balls.retain(|ball| ball.radius > 0.0);
    balls.sort_by(|x, y| y.radius.total_cmp(&x.radius));
    Ok(measured(solid, balls, options.seed))
}

/// The centres of all voxels that may hold a point of the solid, and their side.
fn voxels(
    solid: &(impl Interior + ?Sized),
    resolution: u32,
) -> Result<(Vec<DVec3>, f64), CoverError> {
    let bounds = solid.bounds();
    if !has_size(&bounds) {
        return Err(CoverError::NoSize);
    }
    let side = bounds.diagonal().max_element() / f64::from(resolution);
    let counts = (bounds.diagonal() / side)
        .to_array()
        .map(|n| n.ceil().max(1.0));
    if resolution == 0 || counts.iter().product::<f64>() > MOST_VOXELS {
        return Err(CoverError::BadResolution { resolution });
    }
    let [nx, ny, nz] = counts.map(|n| n as usize);
    // A hair larger than the box, so that rounding leaves nothing of it outside.
    let side = side * (1.0 + 1e-12);
    let found = map_indexed(nx * ny * nz, 512, |(): &mut (), i| {
        let cell = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f64 + 0.5);
        let center = bounds.min + DVec3::from_array(cell) * side;
        let reach = HALF_DIAGONAL * side * (1.0 + 1e-9) + solid.error();
        let meets =
            (solid.closest_point(center) - center).length() <= reach || solid.contains(center);
        meets.then_some(center)
    });
    let voxels: Vec<DVec3> = found.into_iter().flatten().collect();
    if voxels.is_empty() {
        return Err(CoverError::NoSize);
    }
    Ok((voxels, side))
}

/// Voxels far from each other.
fn seeds(voxels: &[DVec3], count: usize) -> Vec<DVec3> {
    let mut centers = vec![voxels[0]];
    let mut distance_sq: Vec<f64> = vec![f64::INFINITY; voxels.len()];
    while centers.len() < count.min(voxels.len()) {
        let last = centers[centers.len() - 1];
        let mut far = (-1.0, last);
        for (voxel, known) in voxels.iter().zip(&mut distance_sq) {
            *known = known.min((*voxel - last).length_squared());
            if *known > far.0 {
                far = (*known, *voxel);
            }
        }
        centers.push(far.1);
    }
    centers
}

fn nearest(centers: &[DVec3], p: DVec3) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (k, center) in centers.iter().enumerate() {
        let distance_sq = (*center - p).length_squared();
        if distance_sq < best.0 {
            best = (distance_sq, k as u32);
        }
    }
    best.1
}

fn means(voxels: &[DVec3], owner: &[u32], centers: &[DVec3]) -> Vec<DVec3> {
    let mut sums = vec![(DVec3::ZERO, 0.0); centers.len()];
    for (voxel, &owner) in voxels.iter().zip(owner) {
        let sum = &mut sums[owner as usize];
        sum.0 += *voxel;
        sum.1 += 1.0;
    }
    sums.iter()
        .zip(centers)
        .map(|(&(sum, count), &old)| if count > 0.0 { sum / count } else { old })
        .collect()
}

/// The ball around the voxels of each owner; radius 0 where there are none.
fn around(voxels: &[DVec3], side: f64, owner: &[u32], count: usize) -> Vec<SolidBall> {
    let mut groups: Vec<Vec<SolidBall>> = vec![Vec::new(); count];
    for (voxel, &owner) in voxels.iter().zip(owner) {
        groups[owner as usize].push(SolidBall {
            center: *voxel,
            radius: HALF_DIAGONAL * side,
        });
    }
    map_indexed(count, 1, |(): &mut (), k| {
        let Some(rough) = enclosing_ball(&groups[k]) else {
            return SolidBall {
                center: DVec3::ZERO,
                radius: 0.0,
            };
        };
        // Boxes reach less far than the balls around them in all directions but eight.
        let mut radius = 0.0_f64;
        for voxel in &groups[k] {
            radius = radius.max(farthest_corner(rough.center, voxel.center, side));
        }
        SolidBall {
            center: rough.center,
            radius: radius * (1.0 + 1e-12),
        }
    })
}

fn farthest_corner(p: DVec3, voxel: DVec3, side: f64) -> f64 {
    ((p - voxel).abs() + 0.5 * side).length()
}

fn total(balls: &[SolidBall]) -> f64 {
    balls.iter().map(SolidBall::volume).sum()
}

/// The cover with what it holds beyond the solid.
fn measured(solid: &(impl Interior + ?Sized), balls: Vec<SolidBall>, seed: u64) -> Cover {
    let low = balls
        .iter()
        .fold(DVec3::INFINITY, |m, b| m.min(b.center - b.radius));
    let high = balls
        .iter()
        .fold(DVec3::NEG_INFINITY, |m, b| m.max(b.center + b.radius));
    let mut rng = Rng::new(seed);
    let mut hits = 0.0;
    for _ in 0..SAMPLES {
        let p = DVec3::new(
            rng.range(low.x, high.x),
            rng.range(low.y, high.y),
            rng.range(low.z, high.z),
        );
        let is_in = |b: &SolidBall| (b.center - p).length_squared() <= b.radius * b.radius;
        hits += f64::from(u8::from(balls.iter().any(is_in)));
    }
    let size = high - low;
    let volume = size.x * size.y * size.z;
    let part = hits / SAMPLES as f64;
    let overshoot = map_indexed(balls.len(), 4, |(): &mut (), k| {
        let ball = &balls[k];
        let mut rng = Rng::new(seed ^ (k as u64 + 1));
        let mut most = 0.0_f64;
        for _ in 0..SAMPLES_PER_BALL {
            let p = ball.center + rng.direction() * ball.radius;
            let is_hidden = balls.iter().enumerate().any(|(other, b)| {
                other != k && (b.center - p).length_squared() < b.radius * b.radius
            });
            if !is_hidden && !solid.contains(p) {
                most = most.max((solid.closest_point(p) - p).length());
            }
        }
        most
    });
    Cover {
        union_volume: part * volume,
        union_error: volume * (part * (1.0 - part) / SAMPLES as f64).sqrt(),
        excess: part * volume / solid.volume() - 1.0,
        overshoot: overshoot.into_iter().fold(0.0, f64::max),
        balls,
    }
}
