//! Overlap volume of two voxelized solids.
//!
//! **Idea.** Bricks of one map are looked up in the other, first as a ball around the brick, then
//! voxel by voxel. A voxel inside its own solid that is deep in the other is shared as a whole; a
//! voxel that is far outside of either is not shared at all; what is left widens the bracket.
//!
//! **Promise.** The bracket holds the overlap volume of the solids, under a budget too. Why a ball
//! around a point is inside or outside: see [`VoxmapQuery`](super::VoxmapQuery).
//!
//! **Limits.** The bracket is as wide as some three voxels along the surface of the overlap. The
//! estimate counts a voxel of a surface as half full.

use glam::DVec3;

use super::voxel_map::Voxmap;
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome};

/// √3, and what rounding may add, in sides.
const DIAGONAL: f64 = 1.7320509 + 1e-5;

/// The overlap of two voxelized solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelOverlap {
    /// The overlap volume.
    pub volume: Bounded<f64>,
    /// The centroid of the voxels that the estimate counts, in the frame of the first map; none when it counts none.
    pub centroid: Option<DVec3>,
    /// Bricks and voxels examined.
    pub tests: u64,
}

/// What is known of a ball and a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BallSide {
    Inside,
    Outside,
    Unknown,
}

/// Sums over voxels, in voxels.
#[derive(Default)]
struct VoxelSums {
    least: f64,
    probable: f64,
    most: f64,
    moment: DVec3,
}

impl Voxmap {
    /// The volume that the solids of two maps share, with the second placed by the pose.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, generate, query::Limits, voxmap::Voxmap};
    /// let cube = Voxmap::new(&generate::cuboid(DVec3::ONE, [1; 3])?, 60)?;
    /// let found = cube.overlap(&cube, &Pose::from_translation([0.5, 0.0, 0.0])?, Limits::default());
    /// assert!(found.volume.lower <= 0.5 && 0.5 <= found.volume.upper);
    /// assert!((found.volume.value - 0.5).abs() < 0.02);
    /// assert!(found.centroid.is_some_and(|c| (c - DVec3::X * 0.25).length() < 0.02));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn overlap(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
    ) -> VoxelOverlap {
        let is_bounded = limits.max_tests.is_some() || limits.stop.is_some();
        let (mut sums, mut tests, mut outcome) = (VoxelSums::default(), 0, Outcome::Complete);
        for brick in other.bricks() {
            if brick.uniform.is_some_and(|layer| layer < 0) {
                continue;
            }
            if is_bounded && (!limits.allows(tests) || limits.is_stopped()) {
                outcome = Outcome::OutOfBudget;
            }
            if outcome != Outcome::Complete {
                sums.most += brick.voxels() as f64;
                continue;
            }
            tests += 1;
            let middle = 0.5 * (other.corner(brick.first) + other.corner(brick.end));
            let center = self_from_other.transform_point(middle);
            let radius = 0.5 * (other.corner(brick.end) - other.corner(brick.first)).length();
            match (self.side_of(center, radius), brick.uniform) {
                (BallSide::Outside, _) => continue,
                (BallSide::Inside, Some(layer)) if layer > 0 => {
                    let count = brick.voxels() as f64;
                    sums.least += count;
                    sums.probable += count;
                    sums.most += count;
                    sums.moment += count * center;
                }
                _ => {
                    tests += brick.voxels() as u64;
                    self.add_voxels(other, self_from_other, &brick, &mut sums);
                }
            }
        }
        let voxel = other.side() * other.side() * other.side();
        let least = sums.least * voxel * (1.0 - 1e-12);
        let most = (sums.most * voxel * (1.0 + 1e-12)).max(least);
        VoxelOverlap {
            volume: Bounded {
                value: (sums.probable * voxel).clamp(least, most),
                lower: least,
                upper: most,
                outcome,
            },
            centroid: (sums.probable > 0.0).then(|| sums.moment / sums.probable),
            tests,
        }
    }

    /// Adds the voxels of a brick one by one.
    fn add_voxels(
        &self,
        other: &Self,
        self_from_other: &Pose,
        brick: &BrickRange,
        sums: &mut VoxelSums,
    ) {
        let radius = 0.5 * DIAGONAL * other.side();
        for z in brick.first[2]..brick.end[2] {
            for y in brick.first[1]..brick.end[1] {
                for x in brick.first[0]..brick.end[0] {
                    let voxel = [x, y, z].map(|i| i as u32);
                    let Some(own @ 0..) = other.layer(voxel) else {
                        continue;
                    };
                    let center = self_from_other.transform_point(other.center(voxel));
                    let side = self.side_of(center, radius);
                    if side == BallSide::Outside {
                        continue;
                    }
                    sums.most += 1.0;
                    if own > 0 && side == BallSide::Inside {
                        sums.least += 1.0;
                    }
                    let part = filled_part(own) * filled_part(self.layer_at(center));
                    sums.probable += part;
                    sums.moment += part * center;
                }
            }
        }
    }

    /// On which side of the surface a ball surely lies as a whole.
    fn side_of(&self, center: DVec3, radius: f64) -> BallSide {
        let radius = radius / self.side() + DIAGONAL;
        let layer = f64::from(self.layer_at(center));
        if layer >= 1.0 {
            // A layer is a distance of centres rounded to the nearest.
            if layer - 0.5 > radius {
                return BallSide::Inside;
            }
        } else if self.sides_outside(center) > radius {
            return BallSide::Outside;
        }
        BallSide::Unknown
    }
}

/// How much of a voxel of a layer is taken to be full.
fn filled_part(layer: i8) -> f64 {
    match layer {
        1.. => 1.0,
        0 => 0.5,
        _ => 0.0,
    }
}

/// The voxels of a brick.
pub(super) struct BrickRange {
    pub(super) first: [usize; 3],
    pub(super) end: [usize; 3],
    /// The layer of all of them, if it is one.
    pub(super) uniform: Option<i8>,
}

impl BrickRange {
    fn voxels(&self) -> usize {
        (0..3)
            .map(|axis| self.end[axis] - self.first[axis])
            .product()
    }
}
