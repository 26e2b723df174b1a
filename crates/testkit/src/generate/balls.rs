//! Balls that fill simple solids.

use impinge::DVec3;
use impinge::spheres::SolidBall;

/// Touching balls in rows, `n` along each side of a cube of side 0.08 about the origin.
#[must_use]
pub fn ball_grid(n: i32) -> Vec<SolidBall> {
    let cell = 0.08 / f64::from(n);
    let mut balls = Vec::new();
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) + 0.5;
                balls.push(SolidBall {
                    center: p * cell - 0.04,
                    radius: cell / 2.0,
                });
            }
        }
    }
    balls
}
