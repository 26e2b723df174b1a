//! What the theses' scenes have in common with pencil and paper: depths, volumes and slopes in closed form, or as integrals of one variable.
//!
//! Misprints of the theses are corrected: see the guide's page and `docs/errata.md`.

use std::f64::consts::PI;

/// Steps of Simpson's rule.
const STEPS: usize = 400;

/// The integral of a function from `low` to `high` by Simpson's rule.
pub(super) fn integral(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let step = (high - low) / STEPS as f64;
    let inner: f64 = (1..STEPS)
        .map(|i| {
            let weight = if i % 2 == 1 { 4.0 } else { 2.0 };
            weight * f(low + i as f64 * step)
        })
        .sum();
    (f(low) + inner + f(high)) * step / 3.0
}

/// The area of a disc of radius `q` on the near side of a line that passes its centre at a distance, positive when the centre lies on
/// the near side.
pub(super) fn disc_part(q: f64, inward: f64) -> f64 {
    if q <= 0.0 {
        return 0.0;
    }
    let c = (inward / q).clamp(-1.0, 1.0);
    q * q * (PI - c.acos() + c * (1.0 - c * c).sqrt())
}

/// The length of the line in that disc.
fn chord(q: f64, inward: f64) -> f64 {
    2.0 * (q * q - inward * inward).max(0.0).sqrt()
}

/// The area that two discs share.
pub(super) fn lens_area(r: f64, q: f64, distance: f64) -> f64 {
    if r <= 0.0 || q <= 0.0 || distance >= r + q {
        return 0.0;
    }
    if distance <= (r - q).abs() {
        return PI * r.min(q).powi(2);
    }
    // The common chord lies at this distance from the first centre.
    let x = (distance * distance + r * r - q * q) / (2.0 * distance);
    let segment = |r: f64, x: f64| {
        let c = (x / r).clamp(-1.0, 1.0);
        r * r * (c.acos() - c * (1.0 - c * c).sqrt())
    };
    segment(r, x) + segment(q, distance - x)
}

/// A cone of radius `r` and height `h`, apex down, whose apex is `delta` below the top of a block that is `thickness` thick; its axis is `inward` of
/// the block's edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConeInBlock {
    pub(super) r: f64,
    pub(super) h: f64,
    pub(super) delta: f64,
    pub(super) thickness: f64,
}

impl ConeInBlock {
    fn radius_at(&self, depth: f64) -> f64 {
        (self.r / self.h * (self.delta - depth)).max(0.0)
    }

    fn lowest(&self) -> f64 {
        self.thickness.min(self.delta)
    }

    /// By how much the cone must be lifted.
    pub(super) fn depth(&self, inward: f64) -> f64 {
        (self.delta + self.h / self.r * inward.min(0.0)).max(0.0)
    }

    pub(super) fn volume(&self, inward: f64) -> f64 {
        let area = |depth: f64| disc_part(self.radius_at(depth), inward);
        integral(0.0, self.lowest(), area)
    }

    /// The length of the derivative of the volume: upwards by sections, sideways by the cut along the edge.
    pub(super) fn slope(&self, inward: f64) -> f64 {
        let section = |depth: f64| disc_part(self.radius_at(depth), inward);
        let up = section(0.0)
            - if self.thickness < self.delta {
                section(self.thickness)
            } else {
                0.0
            };
        let aside = integral(0.0, self.lowest(), |depth| {
            chord(self.radius_at(depth), inward)
        });
        up.hypot(aside)
    }
}

/// The volume that a ball of radius `r` shares with an endless cylinder of radius `big`, their axes `distance` apart.
pub(super) fn ball_in_cylinder(r: f64, big: f64, distance: f64) -> f64 {
    // With z = r sin t the root at the ends is smooth.
    integral(-PI / 2.0, PI / 2.0, |t| {
        lens_area(big, r * t.cos(), distance) * r * t.cos()
    })
}

/// A square pin of side `c` and length `a`, turned by `phi` in a matching hole.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnedPin {
    pub(super) c: f64,
    pub(super) a: f64,
}

impl TurnedPin {
    /// How far corners are in the walls.
    pub(super) fn depth(&self, phi: f64) -> f64 {
        0.5 * self.c * (phi.cos() + phi.sin() - 1.0)
    }

    pub(super) fn volume(&self, phi: f64) -> f64 {
        let p = self.depth(phi);
        // Four right triangles of height p over their hypotenuses.
        2.0 * self.a * p * p * (1.0 / phi.tan() + phi.tan())
    }

    /// The derivative of the volume by the angle: lever arms along the hypotenuses.
    pub(super) fn slope(&self, phi: f64) -> f64 {
        let p = self.depth(phi);
        let corner = 0.5 * self.c * (phi.cos() - phi.sin());
        let (low, high) = (corner - p / phi.tan(), corner + p * phi.tan());
        2.0 * self.a * (high * high - low * low)
    }
}

/// A square pin of side `c` and a round one of radius `r`, both of length `a`, moved aside by `rho` in matching holes.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovedPins {
    pub(super) c: f64,
    pub(super) r: f64,
    pub(super) a: f64,
    pub(super) rho: f64,
}

impl MovedPins {
    /// What lies in the walls, for a move in direction `phi`.
    pub(super) fn volume(&self, phi: f64) -> f64 {
        let Self { c, r, a, rho } = *self;
        let square = c * c - (c - rho * phi.cos().abs()) * (c - rho * phi.sin().abs());
        let round = PI * r * r - lens_area(r, r, rho);
        a * (square + round)
    }

    /// The length of its derivative by the move.
    pub(super) fn slope(&self, phi: f64) -> f64 {
        let Self { c, r, a, rho } = *self;
        let (sin, cos) = phi.sin_cos();
        let chord = (4.0 * r * r - rho * rho).sqrt();
        let x = cos.signum() * (c - rho * sin.abs()) + chord * cos;
        let y = sin.signum() * (c - rho * cos.abs()) + chord * sin;
        a * x.hypot(y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cone_over_the_block_has_the_closed_form() {
        let cone = ConeInBlock {
            r: 1.0,
            h: 2.0,
            delta: 2.0 / 3.0,
            thickness: 2.0,
        };
        assert!((cone.volume(1.0) - PI / 12.0 * cone.delta.powi(3)).abs() < 1e-12);
        assert!((cone.volume(1.0) - 0.0775702).abs() < 1e-7);
        assert!((cone.slope(1.0) - PI / 9.0).abs() < 1e-12);
        assert_eq!((cone.volume(-1.0), cone.depth(-1.0)), (0.0, 0.0));
        // Half of it over the edge.
        assert!((cone.volume(0.0) - 0.5 * cone.volume(1.0)).abs() < 1e-12);
    }

    #[test]
    fn slopes_are_derivatives_of_volumes() {
        let step = 1e-5;
        let derivative =
            |f: &dyn Fn(f64) -> f64, x: f64| (f(x + step) - f(x - step)) / (2.0 * step);
        for thickness in [0.05, 2.0] {
            let at = |delta: f64| ConeInBlock {
                r: 1.0,
                h: 2.0,
                delta,
                thickness,
            };
            for inward in [-0.2, 0.0, 0.1, 0.25, 0.9] {
                let up = derivative(&|delta| at(delta).volume(inward), 2.0 / 3.0);
                let aside = derivative(&|x| at(2.0 / 3.0).volume(x), inward);
                let slope = at(2.0 / 3.0).slope(inward);
                assert!((up.hypot(aside) - slope).abs() < 1e-3 * slope, "{inward}");
            }
        }
        let pin = TurnedPin { c: 0.5, a: 1.0 };
        for degrees in [1.0_f64, 7.0, 20.0, 30.0] {
            let phi = degrees.to_radians();
            let expected = derivative(&|phi| pin.volume(phi), phi);
            assert!((pin.slope(phi) - expected).abs() < 1e-6 * expected);
        }
        for phi in [0.2_f64, 1.0, 2.3, 4.0] {
            let at = |x: f64, y: f64| {
                let pins = MovedPins {
                    c: 0.5,
                    r: 0.25,
                    a: 1.0,
                    rho: x.hypot(y),
                };
                pins.volume(y.atan2(x))
            };
            let (x, y) = (0.05 * phi.cos(), 0.05 * phi.sin());
            let along = derivative(&|x| at(x, y), x);
            let across = derivative(&|y| at(x, y), y);
            let pins = MovedPins {
                c: 0.5,
                r: 0.25,
                a: 1.0,
                rho: 0.05,
            };
            assert!((along.hypot(across) - pins.slope(phi)).abs() < 1e-6);
        }
    }

    #[test]
    fn known_values_come_out() {
        assert!((ball_in_cylinder(1.0, 1.0, 5.0 / 3.0) - 0.2277810).abs() < 1e-6);
        let pin = TurnedPin { c: 1.0, a: 1.0 };
        for (degrees, volume) in [
            (1.0, 0.00857587),
            (5.0, 0.04001),
            (10.0, 0.0734117),
            (15.0, 0.10102),
            (30.0, 0.1547005),
        ] {
            assert!((pin.volume(f64::to_radians(degrees)) - volume).abs() < 1e-5);
        }
        let pins = MovedPins {
            c: 1.0,
            r: 0.5,
            a: 1.0,
            rho: 0.1,
        };
        let square = 1.0 - (1.0 - 0.1) * 1.0;
        assert!((pins.volume(0.0) - square - 0.09983).abs() < 1e-5);
    }

    #[test]
    fn the_volume_of_a_turned_pin_is_that_of_points_counted() {
        let (c, phi) = (1.0_f64, 0.3_f64);
        let n = 1000;
        let mut outside = 0;
        for i in 0..n {
            for j in 0..n {
                let at = |k: i32| c * ((f64::from(k) + 0.5) / f64::from(n) - 0.5);
                let (x, y) = (at(i), at(j));
                let (u, v) = (x * phi.cos() - y * phi.sin(), x * phi.sin() + y * phi.cos());
                outside += usize::from(u.abs().max(v.abs()) > 0.5 * c);
            }
        }
        let counted = outside as f64 / f64::from(n * n);
        assert!((TurnedPin { c, a: 1.0 }.volume(phi) - counted).abs() < 1e-3);
    }

    #[test]
    fn discs_are_cut_and_overlap_as_they_should() {
        assert!((disc_part(2.0, 3.0) - 4.0 * PI).abs() < 1e-12);
        assert!((disc_part(2.0, 0.0) - 2.0 * PI).abs() < 1e-12);
        assert_eq!(disc_part(2.0, -2.0), 0.0);
        assert!((disc_part(1.0, 0.3) + disc_part(1.0, -0.3) - PI).abs() < 1e-12);
        assert!((lens_area(1.0, 1.0, 1e-12) - PI).abs() < 1e-9);
        assert_eq!(lens_area(1.0, 1.0, 2.0), 0.0);
        assert_eq!(lens_area(3.0, 1.0, 1.5), PI);
        let (rho, r) = (0.1_f64, 0.5_f64);
        let closed =
            2.0 * r * r * (rho / (2.0 * r)).acos() - 0.5 * rho * (4.0 * r * r - rho * rho).sqrt();
        assert!((lens_area(r, r, rho) - closed).abs() < 1e-12);
        let quadrature = 4.0 * integral(rho / 2.0, r, |t| (r * r - t * t).max(0.0).sqrt());
        assert!((quadrature - closed).abs() < 1e-4);
    }
}
