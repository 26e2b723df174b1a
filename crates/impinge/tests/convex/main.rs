//! Convex shapes against separating axes in integers, brute force and closed forms.

mod conservative_advancement;
mod depth;
mod gjk;
mod hull;
mod round;
mod separating_planes;

use impinge::DVec3;
use impinge::math::Rng;

/// Points of a small grid, where touching is common.
fn grid_points(rng: &mut Rng, count: u64, size: i64) -> Vec<DVec3> {
    (0..count)
        .map(|_| {
            let mut x = || rng.grid(-size, size);
            DVec3::new(x(), x(), x())
        })
        .collect()
}

/// Points with coordinates of 17 bits around a centre.
fn random_points(rng: &mut Rng, count: u64, centre: DVec3) -> Vec<DVec3> {
    (0..count)
        .map(|_| ((rng.cube() + centre) * 65536.0).round() / 65536.0)
        .collect()
}
