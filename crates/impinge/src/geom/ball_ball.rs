//! Ball-ball intersection: the lens and its volume.
//!
//! **Question.** How much volume do two balls share, where is its centre of mass, and how does it change as they move?
//! **Idea.** The lens is two caps with a disc in common. Written with the factors of Heron's formula every term is
//! a product or sum of non-negative numbers, so nothing cancels, however thin the lens or unequal the balls.
//! About the centre of each ball the caps have equal first moments, `π/4·ρ⁴`; hence the centroid divides the line of
//! centres as the two caps divide the volume. Growing the distance shaves off a disc: `dV/dd = −π·ρ²`.
//! **Promise.** Total: an invalid ball (a radius or distance that is negative or not finite) shares
//! no volume. Relative errors are a few units of rounding of the overlap depth `r_a + r_b − d`.

use std::f64::consts::PI;

use glam::DVec3;

/// The intersection of two balls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// The volume; 0 when the balls only touch or are apart.
    pub volume: f64,
    /// The centre of mass; for an empty lens the point of the segment between the centres that is
    /// nearest to both balls' borders.
    pub centroid: DVec3,
    /// The change of the volume per movement of the centre of `b`; for `a` it is the opposite. Zero when one ball contains the
    /// other.
    pub gradient: DVec3,
}

/// The shapes of a proper lens: balls that cross.
struct LensCaps {
    /// Volume of the part of ball `a` beyond the disc.
    volume_a: f64,
    /// Volume of the part of ball `b` beyond the disc.
    volume_b: f64,
    /// Square of the radius of the disc.
    disc_sq: f64,
}

/// How two balls lie.
enum BallPosition {
    Apart,
    AInB,
    BInA,
    Crossing(LensCaps),
}

fn position(r_a: f64, r_b: f64, d: f64) -> BallPosition {
    let valid = |x: f64| x >= 0.0 && x.is_finite();
    if !(valid(r_a) && valid(r_b) && valid(d)) {
        return BallPosition::Apart;
    }
    // Each sum starts with the two largest terms, whose difference is exact when it is small.
    let (large, small) = (r_a.max(r_b), r_a.min(r_b));
    let depth = (large - d) + small;
    if depth <= 0.0 {
        return BallPosition::Apart;
    }
    let (past_a, past_b) = ((d - r_a) + r_b, (d - r_b) + r_a);
    if past_b <= 0.0 {
        return BallPosition::AInB;
    }
    if past_a <= 0.0 {
        return BallPosition::BInA;
    }
    // Heights of the caps of a and b over the disc; past_x is how far the other ball reaches past the centre side.
    let height_a = depth * (past_a / (2.0 * d));
    let height_b = depth * (past_b / (2.0 * d));
    BallPosition::Crossing(LensCaps {
        volume_a: PI / 3.0 * height_a * height_a * (3.0 * r_a - height_a),
        volume_b: PI / 3.0 * height_b * height_b * (3.0 * r_b - height_b),
        disc_sq: (depth * (past_a / (2.0 * d))) * (past_b * ((r_a + r_b + d) / (2.0 * d))),
    })
}

/// The volume that balls of radii `r_a` and `r_b` with centres `distance` apart share.
///
/// ```
/// use impinge::geom::lens_volume;
/// let unit_ball = 4.0 / 3.0 * std::f64::consts::PI;
/// assert!((lens_volume(1.0, 1.0, 1.0) - unit_ball * 5.0 / 16.0).abs() < 1e-15);
/// assert_eq!(lens_volume(1.0, 1.0, 2.0), 0.0);
/// assert_eq!(lens_volume(1.0, 3.0, 1.0), unit_ball);
/// ```
#[must_use]
pub fn lens_volume(r_a: f64, r_b: f64, distance: f64) -> f64 {
    match position(r_a, r_b, distance) {
        BallPosition::Apart => 0.0,
        BallPosition::AInB => ball_volume(r_a),
        BallPosition::BInA => ball_volume(r_b),
        // Numbers too large to be multiplied make NaN, which counts as nothing.
        BallPosition::Crossing(caps) => (caps.volume_a + caps.volume_b).max(0.0),
    }
}

/// The area of the disc in which the spheres of two balls meet: the volume they lose per distance gained. 0 when the spheres do not cross.
///
/// ```
/// use impinge::geom::lens_disc_area;
/// assert!((lens_disc_area(1.0, 1.0, 1.0) - 0.75 * std::f64::consts::PI).abs() < 1e-15);
/// assert_eq!(lens_disc_area(1.0, 5.0, 1.0), 0.0);
/// ```
#[must_use]
pub fn lens_disc_area(r_a: f64, r_b: f64, distance: f64) -> f64 {
    match position(r_a, r_b, distance) {
        BallPosition::Crossing(caps) => (PI * caps.disc_sq).max(0.0),
        _ => 0.0,
    }
}

/// The lens of the balls about `center_a` and `center_b`.
///
/// ```
/// use impinge::{geom::lens, DVec3};
/// let shared = lens(DVec3::ZERO, 1.0, DVec3::X, 1.0);
/// assert_eq!(shared.centroid, DVec3::new(0.5, 0.0, 0.0));
/// assert!(shared.gradient.x < 0.0); // moving b away loses volume
/// ```
#[must_use]
pub fn lens(center_a: DVec3, r_a: f64, center_b: DVec3, r_b: f64) -> Lens {
    let between = center_b - center_a;
    let largest = between.abs().max_element();
    let distance = if largest > 0.0 {
        let scaled = between / largest;
        largest * scaled.dot(scaled).sqrt()
    } else {
        0.0
    };
    match position(r_a, r_b, distance) {
        BallPosition::Apart => {
            // The middle of the gap; a finite weight whatever the radii are.
            let weight = (0.5 + 0.5 * ((r_a - r_b) / distance)).clamp(0.0, 1.0);
            let weight = if weight.is_nan() { 0.5 } else { weight };
            Lens {
                volume: 0.0,
                centroid: center_a + between * weight,
                gradient: DVec3::ZERO,
            }
        }
        BallPosition::AInB => Lens {
            volume: ball_volume(r_a),
            centroid: center_a,
            gradient: DVec3::ZERO,
        },
        BallPosition::BInA => Lens {
            volume: ball_volume(r_b),
            centroid: center_b,
            gradient: DVec3::ZERO,
        },
        BallPosition::Crossing(caps) => {
            let volume = caps.volume_a + caps.volume_b;
            // A lens so thin that its volume underflows is as good as its disc.
            let weight = if volume > 0.0 {
                caps.volume_b / volume
            } else {
                (r_a / distance).min(1.0)
            };
            Lens {
                volume,
                centroid: center_a + between * weight,
                gradient: between * (-PI * caps.disc_sq / distance),
            }
        }
    }
}

fn ball_volume(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}
