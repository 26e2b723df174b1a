//! The scenes: who moves, along which path, and what is to be expected.
//!
//! | scene | fixed | moving | expected |
//! |---|---|---|---|
//! | Ia | a block | a cone, apex down, slides along it | a force upwards, constant over the block |
//! | Ib | a thin block | the same cone | the same: does it tunnel? |
//! | II | a cylinder | a ball revolves around it | a radial force of constant size, no torque |
//! | III | a square hole | a square pin turns in it | a torque about its axis that grows |
//! | IV | two holes | two pins, moved aside all around | a force back to the axis; flat contact of plate and block does nothing |
//!
//! A force is judged by the model that its penalty stands for: depth, volume, or the slope of the volume.

use std::f64::consts::{PI, TAU};

use impinge::{DMat3, DVec3, Pose, TriMesh};

use super::formulas::{ConeInBlock, MovedPins, TurnedPin, ball_in_cylinder};
use super::solids::{self, A, C, DELTA, H, PIN, R, square_at};

/// Thickness of the block of scene Ia: the apex is nearer to its top than to its bottom.
const THICK: f64 = 2.0 * R;
/// That of scene Ib.
const THIN: f64 = 0.1 * R;
/// How far the pins of scene IV are moved aside. The theses print `c/10 = r/20`, which cannot be with `c = 2r`.
const RHO: f64 = C / 10.0;
/// The largest turn of scene III.
const LARGEST_TURN: f64 = PI / 6.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QualityScene {
    Cone,
    Sheet,
    Orbit,
    Turn,
    Shift,
}

/// What the size of a force is proportional to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForceModel {
    Depth,
    Volume,
    Slope,
}

impl ForceModel {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Volume => "volume",
            Self::Slope => "slope",
        }
    }
}

/// A place on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathPlace {
    /// What is drawn from left to right: a place or an angle in degrees.
    pub(super) at: f64,
    /// The moving solid's place.
    pub(super) pose: Pose,
    /// Where force and torque are measured, in the frame of the fixed solid.
    pub(super) about: DVec3,
    /// Whether a direction is expected: not while the cone passes the edge of the block, whose side pushes too.
    pub(super) has_direction: bool,
    /// The place or angle as formulas take it.
    argument: f64,
}

/// Expected force and torque on the moving solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExpectedForce {
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
}

impl QualityScene {
    pub(super) const ALL: [Self; 5] = [
        Self::Cone,
        Self::Sheet,
        Self::Orbit,
        Self::Turn,
        Self::Shift,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cone => "Ia",
            Self::Sheet => "Ib",
            Self::Orbit => "II",
            Self::Turn => "III",
            Self::Shift => "IV",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Cone => "a cone slides over a block",
            Self::Sheet => "a cone slides through a thin sheet",
            Self::Orbit => "a ball revolves around a cylinder",
            Self::Turn => "a square pin turns in its hole",
            Self::Shift => "two pins revolve in their holes",
        }
    }

    /// What is drawn from left to right.
    pub(super) fn axis(self) -> (&'static str, &'static str) {
        match self {
            Self::Cone | Self::Sheet => ("place of the axis", "radii"),
            Self::Orbit | Self::Turn | Self::Shift => ("angle", "degrees"),
        }
    }

    /// Length, thickness and width of the block.
    fn block(self) -> (f64, f64, f64) {
        match self {
            Self::Sheet => (6.0 * R, THIN, 3.0 * R),
            _ => (12.0 * R, THICK, 4.0 * R),
        }
    }

    /// The fixed solid, with this many segments where it is round.
    pub(super) fn fixed(self, segments: u32) -> anyhow::Result<TriMesh> {
        match self {
            Self::Cone | Self::Sheet => {
                let (length, thickness, width) = self.block();
                solids::block(length, thickness, width)
            }
            Self::Orbit => solids::cylinder(segments),
            Self::Turn => solids::holes(segments, false),
            Self::Shift => solids::holes(segments, true),
        }
    }

    /// The moving solid.
    pub(super) fn moving(self, segments: u32) -> anyhow::Result<TriMesh> {
        match self {
            Self::Cone | Self::Sheet => solids::cone(segments),
            Self::Orbit => solids::ball(segments),
            Self::Turn => solids::pins(segments, false),
            Self::Shift => solids::pins(segments, true),
        }
    }

    /// Whether the path ends where it begins.
    pub(super) fn is_closed(self) -> bool {
        matches!(self, Self::Orbit | Self::Shift)
    }

    /// Whether a torque is what is expected, and no force.
    pub(super) fn is_torque(self) -> bool {
        self == Self::Turn
    }

    /// Whether formulas tell the torque.
    pub(super) fn knows_torque(self) -> bool {
        self != Self::Shift
    }

    /// The path. Samples lie in the middle of their parts of it, so that no faces coincide but those that shall.
    pub(super) fn path(self, count: usize) -> anyhow::Result<Vec<PathPlace>> {
        (0..count)
            .map(|k| self.stamp((k as f64 + 0.5) / count as f64))
            .collect()
    }

    fn stamp(self, part: f64) -> anyhow::Result<PathPlace> {
        Ok(match self {
            Self::Cone | Self::Sheet => {
                let length = self.block().0;
                let x = (part - 0.5) * (length + 2.0 * R);
                let at = DVec3::new(x, 0.5 * H - DELTA, 0.0);
                // The part of the cone below the top has this radius there.
                let inward = 0.5 * length - x.abs();
                PathPlace {
                    at: x,
                    pose: Pose::from_translation(at)?,
                    about: at,
                    has_direction: inward >= R * DELTA / H,
                    argument: inward,
                }
            }
            Self::Orbit => {
                let phi = TAU * part;
                let at = DVec3::new(phi.cos(), phi.sin(), 0.0) * (5.0 / 3.0 * R);
                PathPlace {
                    at: phi.to_degrees(),
                    pose: Pose::from_translation(at)?,
                    about: at,
                    has_direction: true,
                    argument: phi,
                }
            }
            Self::Turn => {
                let phi = LARGEST_TURN * part;
                let axis = square_at().extend(0.0);
                let turn = DMat3::from_rotation_z(phi);
                PathPlace {
                    at: phi.to_degrees(),
                    pose: Pose::new(turn, axis - turn * axis)?,
                    about: axis - DVec3::Z * (0.5 * A),
                    has_direction: true,
                    argument: phi,
                }
            }
            Self::Shift => {
                let phi = TAU * part;
                let at = DVec3::new(phi.cos(), phi.sin(), 0.0) * RHO;
                PathPlace {
                    at: phi.to_degrees(),
                    pose: Pose::from_translation(at)?,
                    about: at - DVec3::Z * (0.5 * A),
                    has_direction: true,
                    argument: phi,
                }
            }
        })
    }

    /// The size of force or torque by a model, in units of its own.
    fn size(self, model: ForceModel, stamp: &PathPlace) -> f64 {
        let x = stamp.argument;
        match self {
            Self::Cone | Self::Sheet => {
                let cone = ConeInBlock {
                    r: R,
                    h: H,
                    delta: DELTA,
                    thickness: self.block().1,
                };
                match model {
                    ForceModel::Depth => cone.depth(x),
                    ForceModel::Volume => cone.volume(x),
                    ForceModel::Slope => cone.slope(x),
                }
            }
            Self::Orbit => match model {
                ForceModel::Depth => R / 3.0,
                ForceModel::Volume => ball_in_cylinder(R, R, 5.0 / 3.0 * R),
                ForceModel::Slope => 1.0,
            },
            Self::Turn => {
                let pin = TurnedPin { c: C, a: A };
                match model {
                    ForceModel::Depth => pin.depth(x),
                    ForceModel::Volume => pin.volume(x),
                    ForceModel::Slope => pin.slope(x),
                }
            }
            Self::Shift => {
                let pins = MovedPins {
                    c: C,
                    r: PIN,
                    a: A,
                    rho: RHO,
                };
                match model {
                    ForceModel::Depth => RHO,
                    ForceModel::Volume => pins.volume(x),
                    ForceModel::Slope => pins.slope(x),
                }
            }
        }
    }

    /// What a perfect engine answers.
    pub(super) fn expected(self, model: ForceModel, stamp: &PathPlace) -> ExpectedForce {
        let size = self.size(model, stamp);
        let phi = stamp.argument;
        let radial = DVec3::new(phi.cos(), phi.sin(), 0.0);
        let (force, torque) = match self {
            Self::Cone | Self::Sheet => (DVec3::Y, DVec3::ZERO),
            Self::Orbit => (radial, DVec3::ZERO),
            // Turned counter-clockwise, it is turned back.
            Self::Turn => (DVec3::ZERO, DVec3::NEG_Z),
            Self::Shift => (-radial, DVec3::ZERO),
        };
        ExpectedForce {
            force: force * size,
            torque: torque * size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::query::Limits;
    use impinge::volume::{OverlapCache, VolumeIndex};
    use std::sync::Arc;

    /// The formulas and the exact volume of fine meshes agree, and so do slopes and derivatives.
    #[test]
    fn formulas_agree_with_the_exact_volume_of_the_meshes() {
        for scene in QualityScene::ALL {
            let fixed = VolumeIndex::new(Arc::new(scene.fixed(192).unwrap())).unwrap();
            let moving = VolumeIndex::new(Arc::new(scene.moving(192).unwrap())).unwrap();
            let mut cache = OverlapCache::default();
            for stamp in scene.path(12).unwrap() {
                let found = fixed
                    .overlap(&moving, &stamp.pose, Limits::default(), &mut cache)
                    .unwrap()
                    .value;
                let volume = scene.size(ForceModel::Volume, &stamp);
                assert!(
                    (found.volume - volume).abs() < 4e-3 * volume + 1e-9,
                    "{}: {} and {volume}",
                    scene.name(),
                    found.volume
                );
                let gradient = &found.gradient;
                let (slope, expected) = match scene {
                    // Only that it is constant is known.
                    QualityScene::Orbit => continue,
                    QualityScene::Turn => {
                        let about = stamp.about.cross(gradient.translation);
                        (
                            (gradient.rotation - about).length(),
                            scene.size(ForceModel::Slope, &stamp),
                        )
                    }
                    _ => (
                        gradient.translation.length(),
                        scene.size(ForceModel::Slope, &stamp),
                    ),
                };
                assert!(
                    (slope - expected).abs() < 1e-2 * expected + 1e-9,
                    "{}: slope {slope} and {expected}",
                    scene.name()
                );
            }
        }
    }
}
