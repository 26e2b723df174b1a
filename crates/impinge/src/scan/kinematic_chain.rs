//! Forward kinematics: the poses of a robot's links for given joint angles.

use glam::DVec3;
use thiserror::Error;

use crate::math::{Pose, PoseError};

/// A joint that turns the parts after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Its position in the frame of the previous part.
    pub offset: DVec3,
    /// Its axis, of any length but 0.
    pub axis: DVec3,
}

/// Why a chain of joints was refused, or its angles.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ChainError {
    /// A joint whose offset or axis makes no placement.
    #[error("joint {joint}: {why}")]
    BadJoint {
        /// Its number.
        joint: usize,
        /// What is wrong with it.
        why: PoseError,
    },
    /// Not one angle per joint.
    #[error("{angles} angles were given for {joints} joints")]
    AngleCount {
        /// How many were given.
        angles: usize,
        /// How many are needed.
        joints: usize,
    },
}

/// Joints one after the other.
///
/// ```
/// use impinge::{DVec3, Pose, scan::{KinematicChain, Joint}};
/// use std::f64::consts::FRAC_PI_2;
/// let joint = |x| Joint { offset: DVec3::X * x, axis: DVec3::Z };
/// let arm = KinematicChain::new(vec![joint(0.0), joint(1.0)])?;
/// let mut poses = Vec::new();
/// arm.poses(&Pose::IDENTITY, &[FRAC_PI_2, 0.0], &mut poses)?;
/// assert_eq!(poses.len(), 3);
/// assert!((poses[2] * DVec3::X - 2.0 * DVec3::Y).length() < 1e-12);
/// assert!(arm.poses(&Pose::IDENTITY, &[0.0], &mut poses).is_err());
/// # Ok::<(), impinge::scan::ChainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KinematicChain {
    joints: Vec<Joint>,
}

impl KinematicChain {
    /// The chain of these joints.
    ///
    /// # Errors
    /// [`ChainError::BadJoint`] naming the first joint without an axis or with an offset out of range.
    pub fn new(joints: Vec<Joint>) -> Result<Self, ChainError> {
        for (joint, Joint { offset, axis }) in joints.iter().enumerate() {
            if let Err(why) = Pose::from_axis_angle(*axis, 0.0, *offset) {
                return Err(ChainError::BadJoint { joint, why });
            }
        }
        Ok(Self { joints })
    }

    /// Writes the pose of the base and of the part after each joint to `poses`, when the joints have turned by these angles, in radians.
    ///
    /// # Errors
    /// [`ChainError`] unless there is one finite angle per joint.
    pub fn poses(
        &self,
        world_from_base: &Pose,
        angles: &[f64],
        poses: &mut Vec<Pose>,
    ) -> Result<(), ChainError> {
        if angles.len() != self.joints.len() {
            return Err(ChainError::AngleCount {
                angles: angles.len(),
                joints: self.joints.len(),
            });
        }
        poses.clear();
        poses.push(*world_from_base);
        let mut last = *world_from_base;
        for (joint, (Joint { offset, axis }, &angle)) in self.joints.iter().zip(angles).enumerate()
        {
            let turned = Pose::from_axis_angle(*axis, angle, *offset)
                .map_err(|why| ChainError::BadJoint { joint, why })?;
            last = last * turned;
            poses.push(last);
        }
        Ok(())
    }
}
