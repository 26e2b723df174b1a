//! Sphere covers: few spheres that contain a solid, lie in it, or fit it.
//!
//! **Question.** Which few spheres approximate a solid? Motion planners test such spheres instead
//! of meshes.
//!
//! **Idea.** Medial spheres touch the surface from inside. Some hundreds of them, slightly
//! enlarged, cover it; pairs are merged where that adds least volume. Spheres grow until a proof
//! shows that the solid is covered.
//!
//! **Promise.** An outer cover contains the surface, and for a closed mesh the inside, rounding
//! included. A larger count never gives more volume. An inner cover lies inside. How it works:
//! `docs/algorithms/sphere-packing.md`.

mod certificate;
mod fit_ball;
mod inside_and_fit;
mod medial_balls;
mod merge_balls;
mod options;
mod overshoot;
mod sequence;
mod surface_samples;
mod surface_solid;
mod union_volume;

pub use options::{Cover, CoverError, CoverMode, CoverOptions, CoverProof};
pub use sequence::CoverSequence;
pub use surface_solid::{SurfaceSolid, WindingSolid};

use super::interior::has_size;
use inside_and_fit::{differences, fitted_balls, inner_balls, undershoot};
use sequence::{BOUND_SLABS, MOST_BALLS, VOLUME_SLABS, weights};
use surface_samples::SolidPoints;
use union_volume::{union_bounds, union_volume};

/// Points of the surface that describe inner covers.
const DESCRIBING_GAUGES: usize = 2048;

/// Spheres that contain a solid, lie in it, or fit it.
///
/// # Errors
/// [`CoverError`] when no ball is allowed, a target is no number, or the solid has no size.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{CoverOptions, CoverProof, MeshSolid, cover}};
/// use std::sync::Arc;
/// let bar = generate::cuboid(DVec3::new(4.0, 1.0, 1.0), [1; 3])?;
/// let tree = WideTree::new(Arc::new(bar));
/// let cover = cover(&MeshSolid::new(&tree)?, &CoverOptions { count: 4, ..Default::default() })?;
/// assert!(cover.balls.len() <= 4 && cover.excess > 0.0 && cover.excess < 1.6);
/// assert_eq!(cover.proof, CoverProof::Solid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "sphere tree")]
#[doc(alias = "outer sphere tree")]
#[doc(alias = "spherize")]
pub fn cover<S: SurfaceSolid + ?Sized>(
    solid: &S,
    options: &CoverOptions,
) -> Result<Cover, CoverError> {
    check(solid, options)?;
    match options.mode {
        CoverMode::Inner => inner(solid, options.count),
        CoverMode::Fit => fit(solid, options.count),
        CoverMode::Outer => {
            let mut sequence = CoverSequence::new(solid, options.count)?;
            Ok(outer(&mut sequence, options))
        }
    }
}

fn check<S: SurfaceSolid + ?Sized>(solid: &S, options: &CoverOptions) -> Result<(), CoverError> {
    if options.count == 0 {
        return Err(CoverError::NoBalls);
    }
    if options.count > MOST_BALLS {
        return Err(CoverError::TooManyBalls {
            count: options.count,
        });
    }
    for value in [options.max_excess, options.max_overshoot]
        .into_iter()
        .flatten()
    {
        if !(value > 0.0 && value.is_finite()) || options.mode != CoverMode::Outer {
            return Err(CoverError::BadTarget { value });
        }
    }
    if has_size(&solid.bounds()) {
        Ok(())
    } else {
        Err(CoverError::NoSize)
    }
}

/// The cover with the fewest balls that reaches the targets, by bisection; that with all of them where none does.
fn outer<S: SurfaceSolid + ?Sized>(
    sequence: &mut CoverSequence<'_, S>,
    options: &CoverOptions,
) -> Cover {
    let is_within = |sequence: &mut CoverSequence<'_, S>, count: usize| {
        let excess_fits = options
            .max_excess
            .is_none_or(|most| sequence.excess(count) <= most);
        excess_fits
            && options
                .max_overshoot
                .is_none_or(|most| sequence.cover(count).overshoot <= most)
    };
    let has_target = options.max_excess.is_some() || options.max_overshoot.is_some();
    if !has_target || !is_within(sequence, options.count) {
        return Cover {
            is_within_target: !has_target,
            ..sequence.cover(options.count)
        };
    }
    let (mut low, mut high) = (0, options.count);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if is_within(sequence, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    sequence.cover(high)
}

fn inner<S: SurfaceSolid + ?Sized>(solid: &S, count: usize) -> Result<Cover, CoverError> {
    let balls = inner_balls(solid, count);
    if balls.is_empty() {
        return Err(CoverError::NoInside);
    }
    let samples = SolidPoints::new(solid, DESCRIBING_GAUGES);
    let volume = union_volume(&balls, VOLUME_SLABS);
    let proof = if solid.is_closed() {
        CoverProof::Inside
    } else {
        CoverProof::None
    };
    Ok(Cover {
        weights: weights(&samples, &balls),
        union_volume: volume,
        union_bounds: union_bounds(&balls, BOUND_SLABS),
        excess: 0.0,
        missing: 1.0 - volume / solid.volume(),
        overshoot: 0.0,
        overshoot_found: 0.0,
        undershoot: undershoot(&samples, &balls),
        proof,
        is_within_target: true,
        balls,
    })
}

fn fit<S: SurfaceSolid + ?Sized>(solid: &S, count: usize) -> Result<Cover, CoverError> {
    let mut sequence = CoverSequence::new(solid, count)?;
    let start = sequence.unproven(count);
    let balls = fitted_balls(&sequence.samples, start);
    let volume = union_volume(&balls, VOLUME_SLABS);
    let (beyond, missing) = differences(solid, &balls);
    let (found, bound) = overshoot::overshoot(solid, &balls);
    Ok(Cover {
        weights: weights(&sequence.samples, &balls),
        union_volume: volume,
        union_bounds: union_bounds(&balls, BOUND_SLABS),
        excess: beyond / solid.volume(),
        missing: missing / solid.volume(),
        overshoot: bound,
        overshoot_found: found,
        undershoot: undershoot(&sequence.samples, &balls),
        proof: CoverProof::None,
        is_within_target: true,
        balls,
    })
}
