//! The outline of the hand at rest: one rounded solid per bone.

use impinge::{DVec3, Pose};

/// The tissue around one bone, in the bone's frame: a box with round edges or a capsule along y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    /// Half extent of the core box; a capsule has a core without width.
    pub(super) core: DVec3,
    /// Where the core's middle lies along the bone.
    pub(super) middle: f64,
    /// How far the tissue reaches around the core.
    pub(super) radius: f64,
}

impl Outline {
    /// Signed distance of a point of the bone's frame to the skin.
    pub(super) fn distance(&self, p: DVec3) -> f64 {
        let from_middle = p - DVec3::new(0.0, self.middle, 0.0);
        let outside = (from_middle.abs() - self.core).max(DVec3::ZERO);
        // Inside the core the distance to its border would matter, which is deeper than any sphere.
        outside.length() - self.radius
    }
}

/// Distance of a point of the bone's frame to the bone, a segment along y with a radius.
pub(super) fn to_bone(p: DVec3, length: f64, radius: f64) -> f64 {
    let nearest = DVec3::new(0.0, p.y.clamp(0.0, length), 0.0);
    p.distance(nearest) - radius
}

/// The points of a face-centred cubic lattice, of nearest distance `spacing`, in a box.
pub(super) fn lattice(min: DVec3, max: DVec3, spacing: f64) -> Vec<(DVec3, [i32; 3])> {
    // Half the edge of the cubic cell; points are those whose three indices have an even sum.
    let half = spacing * std::f64::consts::FRAC_1_SQRT_2;
    let lowest = (min / half).floor();
    let highest = (max / half).ceil();
    let range = |lo: f64, hi: f64| lo as i32..=hi as i32;
    let mut points = Vec::new();
    for x in range(lowest.x, highest.x) {
        for y in range(lowest.y, highest.y) {
            for z in range(lowest.z, highest.z) {
                if (x + y + z).rem_euclid(2) == 0 {
                    let at = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * half;
                    points.push((at, [x, y, z]));
                }
            }
        }
    }
    points
}

/// Offsets to half of the twelve neighbours in the lattice; the others are their negatives.
pub(super) const HALF_NEIGHBOURS: [[i32; 3]; 6] = [
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
];

/// The smallest box around placed outlines.
pub(super) fn bounds(outlines: &[(Pose, Outline)]) -> (DVec3, DVec3) {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for (pose, outline) in outlines {
        let reach = outline.core + DVec3::splat(outline.radius);
        let middle = *pose * DVec3::new(0.0, outline.middle, 0.0);
        let r = pose.rotation();
        let along = r.x_axis.abs() * reach.x + r.y_axis.abs() * reach.y + r.z_axis.abs() * reach.z;
        low = low.min(middle - along);
        high = high.max(middle + along);
    }
    (low, high)
}
