//! Secondary radii: the volume of the solid that each ball represents.

use glam::DVec3;

use crate::spheres::interior::{Interior, has_size};
use crate::spheres::pack::{BallIndex, map_indexed};
use crate::spheres::solid_ball::SolidBall;

/// More points are not tried.
const MOST_POINTS: f64 = 2e8;

/// For each sphere the radius of a sphere with its volume plus its part of the gaps: each point of
/// a gap belongs to the nearest sphere.
///
/// Gaps are sampled on a grid of `resolution` points along the longest side, and parts are scaled
/// so that the total equals the volume of the solid. In the given order; without gaps or samples
/// the radii themselves.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::*};
/// use std::sync::Arc;
/// let index = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
/// let solid = MeshSolid::new(&index)?;
/// let packing = pack(&solid, &PackOptions { count: Some(9), ..Default::default() })?;
/// let radii = secondary_radii(&solid, &packing.balls, 20);
/// let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum();
/// assert!((volume - 1.0).abs() < 1e-9 && radii[0] > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn secondary_radii(
    solid: &(impl Interior + ?Sized),
    balls: &[SolidBall],
    resolution: u32,
) -> Vec<f64> {
    let own: Vec<f64> = balls.iter().map(SolidBall::volume).collect();
    let radii = || balls.iter().map(|ball| ball.radius).collect();
    let bounds = solid.bounds();
    let size = bounds.diagonal();
    let step = size.max_element() / f64::from(resolution.max(1));
    let counts = (size / step).to_array().map(|n| n.ceil().max(1.0));
    if balls.is_empty() || !has_size(&bounds) || counts.iter().product::<f64>() > MOST_POINTS {
        return radii();
    }
    let mut index = BallIndex::default();
    for end in 1..=balls.len() {
        index.add_last(&balls[..end]);
    }
    let [nx, ny, nz] = counts.map(|n| n as usize);
    let owners: Vec<Option<u32>> = map_indexed(nx * ny * nz, 256, |(): &mut (), i| {
        let cell = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f64 + 0.5);
        let p = bounds.min + DVec3::from_array(cell) * step;
        if !solid.contains(p) {
            return None;
        }
        let mut within = 2.0 * step;
        while within < 8.0 * size.max_element() {
            let (gap, ball) = index.clearance_at_least(balls, p, within);
            if ball.is_some() {
                return ball.filter(|_| gap > 0.0);
            }
            within *= 4.0;
        }
        None
    });
    let mut shares = vec![0.0_f64; balls.len()];
    let mut points = 0.0;
    for owner in owners.into_iter().flatten() {
        shares[owner as usize] += 1.0;
        points += 1.0;
    }
    let void = solid.volume() - own.iter().sum::<f64>();
    if !(points > 0.0 && void > 0.0) {
        return radii();
    }
    own.iter()
        .zip(&shares)
        .map(|(own, share)| {
            let volume = own + void * share / points;
            libm::cbrt(volume * (3.0 / (4.0 * std::f64::consts::PI)))
        })
        .collect()
}
