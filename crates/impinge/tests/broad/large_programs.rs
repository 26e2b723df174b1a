//! Bodies of large programs: where they are, and how they move.

use impinge::DVec3;
use impinge::bound::{Aabb, BoundingVolume, Obb};
use impinge::broad::Bounds;
use impinge::math::Rng;

/// Where the bodies of a program lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowd {
    Uniform,
    Clustered,
    HugeAndTiny,
    AllOverlapping,
}

impl Crowd {
    pub(super) fn bodies(self) -> usize {
        match self {
            Self::AllOverlapping => 80,
            _ => 2000,
        }
    }

    /// A random centre and half the sides.
    fn random(self, rng: &mut Rng) -> (DVec3, DVec3) {
        match self {
            Self::Uniform => (rng.cube() * 12.0, DVec3::splat(0.5) + rng.cube() * 0.4),
            Self::Clustered => {
                let place = DVec3::new(rng.below(6) as f64 * 40.0, rng.below(2) as f64 * 50.0, 0.0);
                let half = DVec3::splat(0.25) + rng.cube() * 0.2;
                (place + rng.cube() * 3.0, half)
            }
            Self::HugeAndTiny => {
                let exponent = if rng.below(150) == 0 {
                    [9.0, 20.0][rng.below(2) as usize]
                } else {
                    [-20.0, -9.0, -2.0, 3.0_f64][rng.below(4) as usize]
                };
                let half = DVec3::ONE + rng.cube() * 0.2;
                (rng.cube() * 500.0, half * exponent.exp2())
            }
            Self::AllOverlapping => (rng.cube(), DVec3::splat(1.5) + rng.cube() * 0.4),
        }
    }

    pub(super) fn bounds(self, rng: &mut Rng, is_turned: bool) -> Bounds {
        let (center, half) = self.random(rng);
        if is_turned {
            // Rods, so that the box along the axes is much larger.
            let rod = half * DVec3::new(1.6, 0.4, 0.5);
            let x = rng.direction();
            return turned(center, x, x.any_orthonormal_vector(), rod);
        }
        Bounds::from(Aabb {
            min: center - half,
            max: center + half,
        })
    }

    /// The bounds after a small step, a large one, or a leap.
    pub(super) fn moved(self, old: &Bounds, rng: &mut Rng, is_turned: bool) -> Bounds {
        let b = &old.aabb;
        let size = (b.max - b.min).max_element();
        if rng.below(8) == 0 || size > 1e100 {
            return self.bounds(rng, is_turned);
        }
        let step = rng.cube() * size * if rng.below(2) == 0 { 0.01 } else { 0.5 };
        if let Some(obb) = &old.oriented {
            let [x, y, _] = obb.axes();
            // One in three only shifts, the others also turn.
            let turn = rng.cube() * [0.0, 0.02, 0.7][rng.below(3) as usize];
            let (x, y) = (x + turn.cross(x), y + turn.cross(y));
            return turned(obb.center() + step, x, y, obb.half_extent());
        }
        Bounds::from(Aabb {
            min: b.min + step,
            max: b.max + step * if rng.below(4) == 0 { 1.01 } else { 1.0 },
        })
    }
}

/// Bounds around the box with these half sides, along axes near to `x` and `y`.
pub(super) fn turned(center: DVec3, x: DVec3, y: DVec3, half: DVec3) -> Bounds {
    let x = x.normalize();
    let y = (y - x * x.dot(y)).normalize();
    let z = x.cross(y);
    let corners: [DVec3; 8] = std::array::from_fn(|i| {
        let side = |k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
        center + x * (side(0) * half.x) + y * (side(1) * half.y) + z * (side(2) * half.z)
    });
    Bounds::around(&Obb::enclosing(&corners))
}
