//! Solids that cloth may not enter, by formula.

use impinge::DVec3;

/// A solid at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Obstacle {
    /// A ball that turns about the vertical axis through its middle.
    Ball {
        middle: DVec3,
        radius: f64,
        spin: f64,
    },
    /// All points near a segment.
    Capsule { ends: [DVec3; 2], radius: f64 },
    /// A box with its corner and edges rounded by the distance that is kept.
    Box { low: DVec3, high: DVec3 },
    /// A cone above a tube, around the z axis; cloth stays above and inside.
    Funnel { rim: f64, height: f64, neck: f64 },
    /// Everything outside of a ball around a point.
    Outside { middle: DVec3, radius: f64 },
}

/// Where a point that is too close belongs, and how far the surface there moves in a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObstaclePush {
    pub(super) to: DVec3,
    pub(super) normal: DVec3,
    pub(super) velocity: DVec3,
}

impl Obstacle {
    /// How to get a point out to this distance; none when it is.
    pub(super) fn push(&self, p: DVec3, distance: f64) -> Option<ObstaclePush> {
        let still = |to: DVec3, normal: DVec3| {
            Some(ObstaclePush {
                to,
                normal,
                velocity: DVec3::ZERO,
            })
        };
        match *self {
            Self::Ball {
                middle,
                radius,
                spin,
            } => {
                let out = p - middle;
                let keep = radius + distance;
                if out.length_squared() >= keep * keep {
                    return None;
                }
                let normal = out.try_normalize().unwrap_or(DVec3::Z);
                Some(ObstaclePush {
                    to: middle + normal * keep,
                    normal,
                    velocity: DVec3::new(0.0, 0.0, spin).cross(out),
                })
            }
            Self::Capsule {
                ends: [a, b],
                radius,
            } => {
                let along = b - a;
                let part = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                let nearest = a + along * part;
                let out = p - nearest;
                let keep = radius + distance;
                if out.length_squared() >= keep * keep {
                    return None;
                }
                let normal = out.try_normalize().unwrap_or(DVec3::X);
                still(nearest + normal * keep, normal)
            }
            Self::Box { low, high } => {
                let inside = p.clamp(low, high);
                let out = p - inside;
                if out == DVec3::ZERO {
                    // Through the nearest side.
                    let (below, above) = (p - low, high - p);
                    let mut best = (f64::INFINITY, DVec3::Z, p);
                    for axis in 0..3 {
                        for (depth, sign, side) in [
                            (below[axis], -1.0, low[axis]),
                            (above[axis], 1.0, high[axis]),
                        ] {
                            if depth < best.0 {
                                let mut to = p;
                                to[axis] = side + sign * distance;
                                let mut normal = DVec3::ZERO;
                                normal[axis] = sign;
                                best = (depth, normal, to);
                            }
                        }
                    }
                    return still(best.2, best.1);
                }
                if out.length_squared() >= distance * distance {
                    return None;
                }
                let normal = out.normalize();
                still(inside + normal * distance, normal)
            }
            Self::Funnel { rim, height, neck } => {
                let radius = p.truncate().length();
                let outward = if radius > 1e-9 {
                    DVec3::new(p.x / radius, p.y / radius, 0.0)
                } else {
                    DVec3::X
                };
                // The profile in the half plane of radius and height.
                let (dr, dz) = (rim - neck, height);
                let length = (dr * dr + dz * dz).sqrt();
                let s = ((radius - neck) * dr + p.z * dz) / (length * length);
                let (foot, side) = if s > 0.0 {
                    let s = s.min(1.0);
                    // Up and inwards.
                    ((neck + s * dr, s * dz), (-dz / length, dr / length))
                } else {
                    ((neck, p.z.min(0.0)), (-1.0, 0.0))
                };
                let (r, z) = (radius - foot.0, p.z - foot.1);
                let away = r * side.0 + z * side.1;
                let near = (r * r + z * z).sqrt();
                // At the mouth, where cone and tube meet, any direction above both is free.
                if away >= 0.0 && near >= distance {
                    return None;
                }
                let direction = if away >= 0.0 && near > 1e-9 {
                    (r / near, z / near)
                } else {
                    side
                };
                let to = (
                    foot.0 + direction.0 * distance,
                    foot.1 + direction.1 * distance,
                );
                let normal = outward * direction.0 + DVec3::Z * direction.1;
                still(outward * to.0.max(0.0) + DVec3::Z * to.1, normal)
            }
            Self::Outside { middle, radius } => {
                let out = p - middle;
                let keep = radius - distance;
                if out.length_squared() <= keep * keep {
                    return None;
                }
                let normal = -out.try_normalize().unwrap_or(DVec3::Z);
                still(middle - normal * keep, normal)
            }
        }
    }
}
