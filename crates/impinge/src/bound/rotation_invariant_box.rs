//! Boxes that contain a body in every orientation.
//!
//! **Question.** Which box contains a body however it is turned, so that moving it costs a translation only?
//! **Idea.** The cube around the ball about a body point that contains all of the body.
//! **Source.** Zachmann, *Exact and fast collision detection*, 1994: "maximal boxes".
//! **Cost.** Once O(n); then 9 multiplications per pose, those of placing the centre.
//! **Promise.** [`RotationInvariantBox::placed`] contains `pose * p` as computed for each of the points, for every pose.
//! **Limits.** Looser than [`Aabb::transformed`] for elongated bodies; best with a centre near the middle.

use glam::DVec3;

use super::Aabb;
use crate::math::Pose;

/// A body's cube in any orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationInvariantBox {
    center: DVec3,
    radius: f64,
}

impl RotationInvariantBox {
    /// The cube about the body point `center` that contains the points in any orientation; about no points, a cube of size 0.
    ///
    /// ```
    /// use impinge::{bound::{Aabb, RotationInvariantBox}, DVec3, Pose};
    /// let rod = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0)];
    /// let cube = RotationInvariantBox::new(rod, DVec3::ZERO);
    /// let upright = Pose::from_axis_angle([0.0, 1.0, 0.0], 1.57, [5.0, 0.0, 0.0])?;
    /// assert!(rod.iter().all(|&p| cube.placed(&upright).contains(upright * p)));
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn new(points: impl IntoIterator<Item = DVec3>, center: DVec3) -> Self {
        let radius = points.into_iter().fold(0.0_f64, |radius, p| {
            let arm = p - center;
            // Scaled, so that squares of tiny or huge coordinates neither vanish nor overflow.
            let largest = arm.abs().max_element();
            if largest == 0.0 {
                return radius;
            }
            let scaled = arm / largest;
            radius.max(largest * scaled.dot(scaled).sqrt())
        });
        Self { center, radius }
    }

    /// The body point that the cube surrounds.
    ///
    /// ```
    /// use impinge::{DVec3, bound::RotationInvariantBox};
    /// assert_eq!(RotationInvariantBox::new([DVec3::X], DVec3::Y).center(), DVec3::Y);
    /// ```
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The distance of the furthest point from the centre, rounded.
    ///
    /// ```
    /// use impinge::{DVec3, bound::RotationInvariantBox};
    /// assert_eq!(RotationInvariantBox::new([DVec3::X * 3.0], DVec3::ZERO).radius(), 3.0);
    /// ```
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The cube of the placed body.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bound::RotationInvariantBox};
    /// let cube = RotationInvariantBox::new([DVec3::X], DVec3::ZERO);
    /// assert!(cube.placed(&Pose::IDENTITY).contains(DVec3::NEG_Z));
    /// ```
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Aabb {
        // A rotation accepted by Pose::new stretches by at most 1.5e-9. A placed coordinate is off by at most 4 roundings
        // of |p| + |t|, for the point and for the centre; doubling that covers the radius and this line.
        const STRETCH: f64 = 1.0 + 2e-9;
        let center = pose.transform_point(self.center);
        let size = self.center.abs().element_sum() + self.radius;
        let rounding = (pose.translation().abs() + size) * (8.0 * f64::EPSILON);
        let half = rounding + self.radius * STRETCH;
        Aabb {
            min: (center - half).map(f64::next_down),
            max: (center + half).map(f64::next_up),
        }
    }
}
