//! A hand: 16 bones, and tissue of packed spheres that follows them.
//!
//! **Idea.** Each bone carries a rounded outline. A close packing of spheres fills the union of the
//! outlines around the bones; spheres near a bone are anchored to it, neighbours are joined by springs.
//! Turning the joints moves the bones, the anchors pull their spheres along, and the springs spread it.
//! **Source.** Weller 2012, section 7.1.4, for the layers; the sizes are ours.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use impinge::{DVec3, MeshError, Pose, TriMesh};

use super::body::{Anchor, Sphere, SphereSpring, SphereSpringConfig, Spring};
use super::error::{SphereSpringError, at_least};
use super::hand_shape::{HALF_NEIGHBOURS, Outline, bounds, lattice, to_bone};
use super::skin::Skin;

/// How many bones the hand has: the palm, three of the thumb, three of each finger.
pub const BONES: usize = 16;

/// Spheres smaller than this fraction of the largest are left out.
const SMALLEST: f64 = 0.6;

/// A bone of the hand at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// Its name.
    pub name: &'static str,
    /// The bone that carries it; none for the palm.
    pub parent: Option<usize>,
    /// Position of its joint in the frame of the parent, in m.
    pub joint: DVec3,
    /// Rotation at rest about z, in rad.
    pub spread: f64,
    /// Rotation at rest about its own axis, in rad.
    pub roll: f64,
    /// Its length along y, in m.
    pub length: f64,
    /// Its radius, in m.
    pub radius: f64,
    /// How far tissue reaches from its axis, in m.
    pub tissue: f64,
    /// Half the width of the core that tissue surrounds, in m; 0 for a finger.
    pub width: f64,
}

/// Joint angles of a hand and where its palm stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandPose {
    /// The palm.
    pub palm: Pose,
    /// Flexion of each bone's joint, in rad; that of the palm is not used.
    pub flexion: [f64; BONES],
}

impl HandPose {
    /// The flat hand.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::HandPose;
    /// assert!(HandPose::flat().flexion.iter().all(|&angle| angle == 0.0));
    /// ```
    #[must_use]
    pub fn flat() -> Self {
        Self {
            palm: Pose::IDENTITY,
            flexion: [0.0; BONES],
        }
    }

    /// The fist: every joint bent.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::HandPose;
    /// assert!(HandPose::fist().flexion[1..].iter().all(|&angle| angle > 0.0));
    /// ```
    #[must_use]
    pub fn fist() -> Self {
        let mut pose = Self::flat();
        for finger in 0..5 {
            let angles = if finger == 0 {
                [0.35, 0.5, 0.7]
            } else {
                [1.3, 1.4, 0.9]
            };
            pose.bend(finger, angles);
        }
        pose
    }

    /// The grip of two fingers: thumb and index finger bent, the others flat.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::HandPose;
    /// let bent = HandPose::grip().flexion.iter().filter(|&&angle| angle > 0.0).count();
    /// assert_eq!(bent, 6);
    /// ```
    #[must_use]
    pub fn grip() -> Self {
        let mut pose = Self::flat();
        pose.bend(0, [0.5, 0.4, 0.4]);
        pose.bend(1, [0.8, 0.8, 0.4]);
        pose
    }

    /// Sets the three joints of a finger, 0 being the thumb; other numbers change nothing.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::HandPose;
    /// let mut pose = HandPose::flat();
    /// pose.bend(4, [0.1, 0.2, 0.3]);
    /// assert_eq!(pose.flexion[13..], [0.1, 0.2, 0.3]);
    /// ```
    pub fn bend(&mut self, finger: usize, angles: [f64; 3]) {
        let joints = self.flexion.iter_mut().skip(1 + 3 * finger);
        for (joint, angle) in joints.zip(angles) {
            *joint = angle;
        }
    }

    /// The pose a part of the way from this one to another; the palm jumps at the end.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::HandPose;
    /// let half = HandPose::flat().toward(&HandPose::fist(), 0.5);
    /// assert_eq!(half.flexion[4], 0.5 * HandPose::fist().flexion[4]);
    /// ```
    #[must_use]
    pub fn toward(&self, other: &Self, part: f64) -> Self {
        let mut pose = *self;
        for (own, to) in pose.flexion.iter_mut().zip(other.flexion) {
            *own += (to - *own) * part;
        }
        if part >= 1.0 {
            pose.palm = other.palm;
        }
        pose
    }
}

/// Sizes and constants of a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandConfig {
    /// Radius of the largest spheres, in m. Their number grows with its inverse cube.
    pub sphere_radius: f64,
    /// Stiffness of springs between spheres, in N/m.
    pub stiffness: f64,
    /// Damping of springs between spheres, in N·s/m.
    pub damping: f64,
    /// Stiffness of springs to bones, in N/m.
    pub bone_stiffness: f64,
    /// Damping of springs to bones, in N·s/m.
    pub bone_damping: f64,
    /// Density of the tissue, in kg/m³.
    pub density: f64,
    /// Size of the cells that the skin is meshed in, in m.
    pub skin_cell: f64,
    /// Constants of the tissue.
    pub tissue: SphereSpringConfig,
}

impl Default for HandConfig {
    fn default() -> Self {
        Self {
            sphere_radius: 2.0e-3,
            stiffness: 1.0,
            damping: 5e-4,
            bone_stiffness: 8.0,
            bone_damping: 3e-3,
            density: 1000.0,
            skin_cell: 4e-3,
            tissue: SphereSpringConfig {
                volume_stiffness: 1e6,
                transfer: 0.02,
                rest_exchange: 0.05,
                drag: 10.0,
                ..SphereSpringConfig::default()
            },
        }
    }
}

/// A hand whose tissue follows its bones.
#[derive(Clone, Debug)]
pub struct Hand {
    bones: [Bone; BONES],
    tissue: SphereSpring,
    /// Which bone each sphere belongs to.
    owners: Vec<u8>,
    skin: Skin,
    pose: HandPose,
}

impl Hand {
    /// A flat right hand, the palm in the plane z = 0, fingers along y.
    ///
    /// # Errors
    /// [`SphereSpringError`] for sizes or constants out of range.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::{BONES, Hand, HandConfig};
    /// let hand = Hand::new(&HandConfig { sphere_radius: 3e-3, ..HandConfig::default() })?;
    /// assert_eq!(hand.bones().len(), BONES);
    /// assert!(hand.tissue().spheres().len() > 500 && hand.tissue().overlap() < 1e-15);
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    pub fn new(config: &HandConfig) -> Result<Self, SphereSpringError> {
        let radius = at_least("sphere radius", config.sphere_radius, 5e-4)?;
        at_least("density", config.density, f64::MIN_POSITIVE)?;
        at_least("cell of the skin", config.skin_cell, 5e-4)?;
        let bones = skeleton();
        let pose = HandPose::flat();
        let frames = frames_of(&bones, &pose);
        let outlines: Vec<(Pose, Outline)> = frames
            .iter()
            .zip(&bones)
            .map(|(frame, bone)| (*frame, outline_of(bone)))
            .collect();
        let mut spheres = Vec::new();
        let mut owners = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut anchors = Vec::new();
        let (low, high) = bounds(&outlines);
        for (point, index) in lattice(low, high, 2.0 * radius) {
            // The bone whose tissue the point is deepest in.
            let mut owner = (f64::INFINITY, 0, DVec3::ZERO);
            let mut from_bone = f64::INFINITY;
            for (number, ((frame, outline), bone)) in outlines.iter().zip(&bones).enumerate() {
                let local = frame.inverse() * point;
                let outside = outline.distance(local);
                from_bone = from_bone.min(to_bone(local, bone.length, bone.radius));
                if outside < owner.0 {
                    owner = (outside, number, local);
                }
            }
            let (outside, bone, local) = owner;
            let fits = radius.min(-outside).min(from_bone);
            if fits < SMALLEST * radius {
                continue;
            }
            let number = spheres.len() as u32;
            numbers.insert(index, number);
            spheres.push(Sphere::new(point, fits, config.density));
            owners.push(bone as u8);
            // The core of the palm is as wide as its five bones.
            let reach = bones.get(bone).map_or(0.0, |b| b.tissue - b.radius);
            if outside + reach < 2.5 * radius {
                anchors.push(Anchor {
                    sphere: number,
                    frame: bone as u32,
                    point: local,
                    stiffness: config.bone_stiffness,
                    damping: config.bone_damping,
                });
            }
        }
        let springs = springs_between(&numbers, &owners, &bones, radius, config);
        let skin = Skin::new(&outlines, &spheres, &owners, config.skin_cell, |a, b| {
            are_joined(&bones, a, b)
        });
        let mut tissue = SphereSpring::new(spheres, springs, config.tissue)?;
        tissue.set_anchors(anchors, &frames)?;
        Ok(Self {
            bones,
            tissue,
            owners,
            skin,
            pose,
        })
    }

    /// The skin as it is now: a closed mesh around the tissue.
    ///
    /// # Errors
    /// [`MeshError`] when tissue has left the range of coordinates.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::{Hand, HandConfig};
    /// let hand = Hand::new(&HandConfig { sphere_radius: 4e-3, ..HandConfig::default() })?;
    /// let skin = hand.skin()?;
    /// assert!(impinge::mesh::mass(&skin)?.volume > hand.tissue().volume());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skin(&self) -> Result<TriMesh, MeshError> {
        let frames = frames_of(&self.bones, &self.pose);
        self.skin.mesh(self.tissue.spheres(), &self.owners, &frames)
    }

    /// The bones.
    #[must_use]
    pub fn bones(&self) -> &[Bone; BONES] {
        &self.bones
    }

    /// Where the bones stand in a pose.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::{Hand, HandConfig, HandPose};
    /// let hand = Hand::new(&HandConfig { sphere_radius: 4e-3, ..HandConfig::default() })?;
    /// let (flat, fist) = (hand.frames(&HandPose::flat()), hand.frames(&HandPose::fist()));
    /// assert_eq!(flat[0], fist[0]);
    /// assert!(fist[6].translation().y < flat[6].translation().y);
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    #[must_use]
    pub fn frames(&self, pose: &HandPose) -> [Pose; BONES] {
        frames_of(&self.bones, pose)
    }

    /// The tissue.
    #[must_use]
    pub fn tissue(&self) -> &SphereSpring {
        &self.tissue
    }

    /// The bone that each sphere belongs to.
    #[must_use]
    pub fn owners(&self) -> &[u8] {
        &self.owners
    }

    /// The pose that the bones have now.
    #[must_use]
    pub fn pose(&self) -> &HandPose {
        &self.pose
    }

    /// Moves the bones to a pose within one frame of `time` seconds, and the tissue after them.
    ///
    /// # Errors
    /// [`SphereSpringError`] for angles that are not finite or a step that diverged.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::{Hand, HandConfig, HandPose};
    /// let mut hand = Hand::new(&HandConfig { sphere_radius: 4e-3, ..HandConfig::default() })?;
    /// let volume = hand.tissue().volume();
    /// let bent = HandPose::flat().toward(&HandPose::grip(), 0.05);
    /// hand.move_to(&bent, 50, 1.0 / 60.0)?;
    /// assert!((hand.tissue().volume() - volume).abs() < 1e-12 * volume);
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    pub fn move_to(
        &mut self,
        pose: &HandPose,
        iterations: u32,
        time: f64,
    ) -> Result<(), SphereSpringError> {
        if let Some(&value) = pose.flexion.iter().find(|angle| !angle.is_finite()) {
            return Err(SphereSpringError::OutOfRange {
                what: "joint angle",
                value,
            });
        }
        at_least("number of iterations", iterations.into(), 1.0)?;
        let frames = frames_of(&self.bones, pose);
        self.tissue
            .frame(&frames, iterations, time / f64::from(iterations))?;
        self.pose = *pose;
        Ok(())
    }

    /// The mean distance of anchored spheres from where their bones want them.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::{Hand, HandConfig};
    /// let hand = Hand::new(&HandConfig { sphere_radius: 4e-3, ..HandConfig::default() })?;
    /// assert!(hand.anchor_error() < 1e-15);
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    #[must_use]
    pub fn anchor_error(&self) -> f64 {
        let frames = frames_of(&self.bones, &self.pose);
        let anchors = &self.tissue.anchors;
        let sum: f64 = anchors
            .iter()
            .filter_map(|anchor| {
                let frame = frames.get(anchor.frame as usize)?;
                Some((*frame * anchor.point).distance(self.tissue.position(anchor.sphere)))
            })
            .sum();
        sum / anchors.len().max(1) as f64
    }
}

/// Springs between neighbours of the lattice whose bones are the same or joined.
fn springs_between(
    numbers: &BTreeMap<[i32; 3], u32>,
    owners: &[u8],
    bones: &[Bone; BONES],
    radius: f64,
    config: &HandConfig,
) -> Vec<Spring> {
    let owner = |sphere: u32| owners.get(sphere as usize).copied().map_or(0, usize::from);
    let mut springs = Vec::new();
    for (index, &number) in numbers {
        for offset in HALF_NEIGHBOURS {
            let beside = [0, 1, 2].map(|axis| index[axis] + offset[axis]);
            let Some(&other) = numbers.get(&beside) else {
                continue;
            };
            let (a, b) = (owner(number), owner(other));
            // Fingers lie side by side without growing together.
            if are_joined(bones, a, b) {
                springs.push(Spring {
                    ends: [number, other],
                    rest: 2.0 * radius,
                    stiffness: config.stiffness,
                    damping: config.damping,
                });
            }
        }
    }
    springs
}

/// Whether two bones are one, or share a joint.
fn are_joined(bones: &[Bone; BONES], a: usize, b: usize) -> bool {
    let parent = |bone: usize| bones.get(bone).and_then(|b| b.parent);
    a == b || parent(a) == Some(b) || parent(b) == Some(a)
}

fn outline_of(bone: &Bone) -> Outline {
    Outline {
        core: DVec3::new(bone.width, 0.5 * bone.length, 0.0),
        middle: 0.5 * bone.length,
        radius: bone.tissue,
    }
}

/// Forward kinematics: parents come before their children.
fn frames_of(bones: &[Bone; BONES], pose: &HandPose) -> [Pose; BONES] {
    let mut frames = [pose.palm; BONES];
    for (index, bone) in bones.iter().enumerate() {
        let Some(parent) = bone.parent.and_then(|parent| frames.get(parent)).copied() else {
            continue;
        };
        let flexion = pose.flexion.get(index).copied().unwrap_or(0.0);
        let about = |axis: DVec3, angle: f64, at: DVec3| {
            Pose::from_axis_angle(axis, angle, at).unwrap_or(Pose::IDENTITY)
        };
        let joint = about(DVec3::Z, bone.spread, bone.joint)
            * about(DVec3::Y, bone.roll, DVec3::ZERO)
            * about(DVec3::NEG_X, flexion, DVec3::ZERO);
        if let Some(frame) = frames.get_mut(index) {
            *frame = parent * joint;
        }
    }
    frames
}

/// The bones of a right hand of ordinary size, the palm facing −z.
fn skeleton() -> [Bone; BONES] {
    let palm = Bone {
        name: "palm",
        parent: None,
        joint: DVec3::ZERO,
        spread: 0.0,
        roll: 0.0,
        length: 0.085,
        radius: 0.004,
        tissue: 0.013,
        width: 0.028,
    };
    let names = [
        ["thumb 1", "thumb 2", "thumb 3"],
        ["index 1", "index 2", "index 3"],
        ["middle 1", "middle 2", "middle 3"],
        ["ring 1", "ring 2", "ring 3"],
        ["little 1", "little 2", "little 3"],
    ];
    let lengths = [
        [0.045, 0.034, 0.026],
        [0.042, 0.025, 0.020],
        [0.046, 0.029, 0.021],
        [0.043, 0.027, 0.021],
        [0.034, 0.020, 0.018],
    ];
    let roots = [
        DVec3::new(-0.035, 0.020, 0.0),
        DVec3::new(-0.033, 0.095, 0.0),
        DVec3::new(-0.011, 0.097, 0.0),
        DVec3::new(0.011, 0.095, 0.0),
        DVec3::new(0.033, 0.090, 0.0),
    ];
    // The thumb stands away from the palm and turns towards it.
    let spreads = [0.25 * PI, 0.03, 0.0, -0.03, -0.06];
    let mut bones = [palm; BONES];
    for (index, bone) in bones.iter_mut().enumerate().skip(1) {
        let (finger, joint) = ((index - 1) / 3, (index - 1) % 3);
        let first = joint == 0;
        let at = |table: &[[f64; 3]; 5], finger: usize, joint: usize| {
            table.get(finger).and_then(|row| row.get(joint)).copied()
        };
        let before = at(&lengths, finger, joint.wrapping_sub(1)).unwrap_or(0.0);
        *bone = Bone {
            name: names
                .get(finger)
                .and_then(|row| row.get(joint))
                .copied()
                .unwrap_or("finger"),
            parent: Some(if first { 0 } else { index - 1 }),
            joint: if first {
                roots.get(finger).copied().unwrap_or_default()
            } else {
                DVec3::new(0.0, before, 0.0)
            },
            spread: if first {
                spreads.get(finger).copied().unwrap_or(0.0)
            } else {
                0.0
            },
            roll: if first && finger == 0 { -0.8 } else { 0.0 },
            length: at(&lengths, finger, joint).unwrap_or(0.02),
            radius: 0.0025,
            tissue: 0.0095 - 0.0007 * joint as f64,
            width: 0.0,
        };
    }
    bones
}
