//! Covers of one solid for every number of spheres.

use super::certificate::{cover_inside, cover_surface};
use super::fit_ball::height;
use super::medial_balls::{chosen_balls, medial_balls};
use super::merge_balls::PointCover;
use super::options::{Cover, CoverError, CoverProof};
use super::overshoot::overshoot;
use super::surface_samples::SolidPoints;
use super::surface_solid::SurfaceSolid;
use super::union_volume::{union_bounds, union_volume};
use crate::bvh::MeshIndex as _;
use crate::math::sort::sort_many;
use crate::spheres::interior::has_size;
use crate::spheres::solid_ball::SolidBall;

/// Counts up to this come from one run of merging, twice as many from the next, and so on.
const FIRST_FAMILY: usize = 256;
/// More balls are not made.
pub(super) const MOST_BALLS: usize = 4096;
/// Gauges for each ball of a family.
const GAUGES_PER_BALL: usize = 9;
const MOST_GAUGES: usize = 16_384;
/// Balls at the beginning of merging, for each of a family.
const STARTING: usize = 2;
/// Slabs that measure a volume, those that bound it, and those that tell whether a cover is worth proving.
pub(super) const VOLUME_SLABS: usize = 192;
pub(super) const BOUND_SLABS: usize = 512;
const ROUGH_SLABS: usize = 96;
/// How far two such measurements of one union are apart, at most, as a part of it.
const ROUGH_ERROR: f64 = 0.004;

/// A cover that is proven.
#[derive(Clone, Debug)]
struct ProvenCover {
    balls: Vec<SolidBall>,
    volume: f64,
    proof: CoverProof,
}

/// Sphere covers of one solid, one for each number of spheres. The excess volume never increases with that number.
///
/// All covers are searched for at construction; the first call of [`cover`](Self::cover) for a count proves that cover.
///
/// ```
/// use impinge::{bvh::wide::WideTree, generate, spheres::{CoverSequence, MeshSolid}};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::torus(3.0, 1.0, 24, 12)?));
/// let solid = MeshSolid::new(&tree)?;
/// let mut covers = CoverSequence::new(&solid, 24)?;
/// let (few, many) = (covers.cover(6), covers.cover(24));
/// assert!(few.excess >= many.excess && many.balls.len() <= 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CoverSequence<'s, S: SurfaceSolid + ?Sized> {
    solid: &'s S,
    pub(super) samples: SolidPoints,
    most: usize,
    /// Balls that cover all points, by their number.
    levels: Vec<Option<Vec<SolidBall>>>,
    /// Approximate volume of each union, computed on demand.
    rough: Vec<Option<f64>>,
    proven: Vec<Option<ProvenCover>>,
}

impl<'s, S: SurfaceSolid + ?Sized> CoverSequence<'s, S> {
    /// The covers with up to `most` spheres.
    ///
    /// # Errors
    /// [`CoverError`] when no ball or too many are wanted, or the solid has no size.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::{CoverError, CoverSequence, MeshSolid}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 2)?));
    /// let solid = MeshSolid::new(&tree)?;
    /// assert!(matches!(CoverSequence::new(&solid, 0), Err(CoverError::NoBalls)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(solid: &'s S, most: usize) -> Result<Self, CoverError> {
        if most == 0 {
            return Err(CoverError::NoBalls);
        }
        if most > MOST_BALLS {
            return Err(CoverError::TooManyBalls { count: most });
        }
        if !has_size(&solid.bounds()) {
            return Err(CoverError::NoSize);
        }
        let mut levels: Vec<Option<Vec<SolidBall>>> = Vec::new();
        let (mut from, mut to) = (0, FIRST_FAMILY);
        let mut first_samples = None;
        loop {
            levels.resize(to + 1, None);
            let gauges = (GAUGES_PER_BALL * to).min(MOST_GAUGES);
            let samples = SolidPoints::new(solid, gauges);
            let medial = medial_balls(solid, &samples);
            let chosen = chosen_balls(&medial, &samples, STARTING * to);
            if chosen.is_empty() {
                return Err(CoverError::NoSize);
            }
            let mut cover = PointCover::new(&samples, chosen);
            cover.merge_down_to(from + 1, |cover| {
                if let Some(level) = levels.get_mut(cover.len())
                    && cover.len() > from
                {
                    *level = Some(cover.balls());
                }
            });
            first_samples.get_or_insert(samples);
            if to >= most {
                break;
            }
            (from, to) = (to, 2 * to);
        }
        let Some(samples) = first_samples else {
            return Err(CoverError::NoSize);
        };
        Ok(Self {
            solid,
            samples,
            most,
            rough: vec![None; levels.len()],
            proven: vec![None; levels.len()],
            levels,
        })
    }

    /// The cover of least volume with at most `count` spheres; it has fewer where more bring no gain.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::{CoverSequence, MeshSolid}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
    /// let solid = MeshSolid::new(&tree)?;
    /// let one = CoverSequence::new(&solid, 8)?.cover(1);
    /// assert!(one.balls.len() == 1 && (one.balls[0].radius - 1.0).abs() < 0.02);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cover(&mut self, count: usize) -> Cover {
        let level = self.best_level(count);
        let Some(proven) = self.prove(level) else {
            return Cover::default();
        };
        let (found, bound) = overshoot(self.solid, &proven.balls);
        Cover {
            overshoot: bound,
            overshoot_found: found,
            ..self.described(proven)
        }
    }

    /// The excess volume of [`cover`](Self::cover), as a fraction of the solid's volume, without the other results.
    ///
    /// ```
    /// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{CoverSequence, MeshSolid}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
    /// let solid = MeshSolid::new(&tree)?;
    /// let excess = CoverSequence::new(&solid, 8)?.excess(1);
    /// // The ball around a cube.
    /// assert!((excess - 1.72).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn excess(&mut self, count: usize) -> f64 {
        self.union_volume(count) / self.solid.volume() - 1.0
    }

    /// The volume of [`cover`](Self::cover), without the rest of it: never larger for a larger count.
    ///
    /// ```
    /// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{CoverSequence, MeshSolid}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
    /// let solid = MeshSolid::new(&tree)?;
    /// let mut covers = CoverSequence::new(&solid, 8)?;
    /// assert!(covers.union_volume(8) <= covers.union_volume(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn union_volume(&mut self, count: usize) -> f64 {
        let level = self.best_level(count);
        self.prove(level).map_or(0.0, |proven| proven.volume)
    }

    /// The balls of the cover before they were grown to make it proven.
    pub(super) fn unproven(&mut self, count: usize) -> Vec<SolidBall> {
        let level = self.best_level(count);
        self.levels
            .get(level)
            .cloned()
            .flatten()
            .unwrap_or_default()
    }

    fn prove(&mut self, level: usize) -> Option<ProvenCover> {
        if let Some(proven) = self.proven.get(level)?.clone() {
            return Some(proven);
        }
        let mut balls = self.levels.get(level)?.clone()?;
        let mesh = self.solid.surface_tree().mesh();
        cover_surface(mesh, self.samples.area, &mut balls);
        let proof = if self.solid.is_closed() && cover_inside(self.solid, &mut balls) {
            CoverProof::Solid
        } else {
            CoverProof::Surface
        };
        sort_many(&mut balls, |x, y| y.radius.total_cmp(&x.radius));
        let proven = ProvenCover {
            volume: union_volume(&balls, VOLUME_SLABS),
            balls,
            proof,
        };
        self.proven[level] = Some(proven.clone());
        Some(proven)
    }

    /// The number of balls, at most `count`, whose proven cover holds least.
    fn best_level(&mut self, count: usize) -> usize {
        let count = count.clamp(1, self.most);
        let mut best = (f64::INFINITY, 0);
        // Proving only enlarges balls, so a level whose union is too large already need not be proven.
        for level in (1..=count).rev() {
            let Some(balls) = &self.levels[level] else {
                continue;
            };
            let rough = *self.rough[level].get_or_insert_with(|| union_volume(balls, ROUGH_SLABS));
            if rough * (1.0 - ROUGH_ERROR) > best.0 {
                continue;
            }
            // Of a closed solid the inside has to be proven too, as it is for one ball at the latest.
            if let Some(proven) = self.prove(level)
                && proven.volume < best.0
                && (proven.proof == CoverProof::Solid || !self.solid.is_closed() || level == 1)
            {
                best = (proven.volume, level);
            }
        }
        best.1
    }

    fn described(&self, proven: ProvenCover) -> Cover {
        let ProvenCover {
            balls,
            volume,
            proof,
        } = proven;
        let solid = self.solid.volume();
        Cover {
            weights: weights(&self.samples, &balls),
            union_bounds: union_bounds(&balls, BOUND_SLABS),
            balls,
            union_volume: volume,
            excess: volume / solid - 1.0,
            proof,
            is_within_target: true,
            ..Cover::default()
        }
    }
}

/// For each ball the part of the surface above which it is the highest.
pub(super) fn weights(samples: &SolidPoints, balls: &[SolidBall]) -> Vec<f64> {
    let mut shares = vec![0.0; balls.len()];
    let mut total = 0.0;
    for (gauge, &point) in samples.gauges.iter().zip(&samples.points) {
        if gauge.area <= 0.0 {
            continue;
        }
        let mut highest = (f64::NEG_INFINITY, 0);
        for (k, ball) in balls.iter().enumerate() {
            // Outside of all balls the nearest counts.
            let rise = height(ball, point, gauge.normal)
                .unwrap_or_else(|| ball.radius - (point - ball.center).length());
            if rise > highest.0 {
                highest = (rise, k);
            }
        }
        if let Some(share) = shares.get_mut(highest.1) {
            *share += gauge.area;
            total += gauge.area;
        }
    }
    if total > 0.0 {
        for share in &mut shares {
            *share /= total;
        }
    }
    shares
}
