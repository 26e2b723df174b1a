//! Placements: the 24 exact ones, and random ones.

use impinge::math::Rng;
use impinge::{DMat3, DVec3, Pose};

/// The 24 rotations that map the axes onto the axes; their entries are 0 and ±1, so that they
/// place integer points without rounding.
#[must_use]
pub fn axis_rotations() -> [DMat3; 24] {
    let mut found = [DMat3::IDENTITY; 24];
    let mut next = 0;
    let units = [DVec3::X, DVec3::Y, DVec3::Z].map(|u| [u, -u]);
    for (i, x_axes) in units.iter().enumerate() {
        for (j, y_axes) in units.iter().enumerate() {
            if i == j {
                continue;
            }
            for &x in x_axes {
                for &y in y_axes {
                    found[next] = DMat3::from_cols(x, y, x.cross(y));
                    next += 1;
                }
            }
        }
    }
    found
}

/// One of the 24 axis rotations with an integer translation of at most `reach` per coordinate.
///
/// # Panics
/// When `reach` exceeds what a pose may hold.
pub fn exact(rng: &mut Rng, reach: i64) -> Pose {
    let rotation = axis_rotations()[rng.below(24) as usize];
    let translation = super::grid::point(rng, (-reach, reach));
    pose(rotation, translation)
}

/// A random rotation and a translation of at most `reach` per coordinate.
///
/// # Panics
/// When `reach` exceeds what a pose may hold.
pub fn random(rng: &mut Rng, reach: f64) -> Pose {
    // Two random directions span a frame; nearly parallel ones are drawn again.
    let rotation = loop {
        let x = rng.direction();
        let other = rng.direction();
        let normal = x.cross(other);
        let length_sq = normal.dot(normal);
        if length_sq > 1e-3 {
            let z = normal / length_sq.sqrt();
            break DMat3::from_cols(x, z.cross(x), z);
        }
    };
    pose(rotation, reach * rng.cube())
}

#[expect(
    clippy::panic,
    reason = "a generator that makes a wrong pose is a bug in a test"
)]
fn pose(rotation: DMat3, translation: DVec3) -> Pose {
    Pose::new(rotation, translation).unwrap_or_else(|e| panic!("generated pose: {e}"))
}
