//! Derivative of an answer by the pose of `b`.

use glam::DVec3;

use super::{Penetration, Separation};

/// The derivative of a number with respect to the pose of `b`, in the frame of `a`.
///
/// When `b` moves at velocity `v` and turns at angular velocity `w` about the chosen centre, the
/// number changes at the rate [`PoseGradient::rate`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseGradient {
    /// With respect to a translation of `b`.
    pub translation: DVec3,
    /// With respect to a rotation of `b` about the chosen centre, per radian.
    pub rotation: DVec3,
}

impl PoseGradient {
    /// The gradient of how far the material point of `b` at `point` moves along `direction`.
    ///
    /// ```
    /// use impinge::{query::PoseGradient, DVec3};
    /// let gradient = PoseGradient::of_point(DVec3::X, DVec3::Y, DVec3::ZERO);
    /// assert_eq!((gradient.translation, gradient.rotation), (DVec3::Y, DVec3::Z));
    /// ```
    #[must_use]
    pub fn of_point(point: DVec3, direction: DVec3, center: DVec3) -> Self {
        Self {
            translation: direction,
            rotation: (point - center).cross(direction),
        }
    }

    /// The rate of change while `b` moves at `velocity` and turns at `angular` about the centre.
    ///
    /// ```
    /// use impinge::{query::PoseGradient, DVec3};
    /// let gradient = PoseGradient::of_point(DVec3::X, DVec3::Y, DVec3::ZERO);
    /// assert_eq!(gradient.rate(DVec3::Y, DVec3::Z), 2.0);
    /// ```
    #[must_use]
    pub fn rate(&self, velocity: DVec3, angular: DVec3) -> f64 {
        self.translation.dot(velocity) + self.rotation.dot(angular)
    }

    /// The same with rotations about another centre, which is given from the present one.
    ///
    /// ```
    /// use impinge::{query::PoseGradient, DVec3};
    /// let gradient = PoseGradient::of_point(DVec3::X, DVec3::Y, DVec3::ZERO);
    /// assert_eq!(gradient.about(DVec3::X), PoseGradient::of_point(DVec3::X, DVec3::Y, DVec3::X));
    /// ```
    #[must_use]
    pub fn about(&self, center: DVec3) -> Self {
        Self {
            translation: self.translation,
            rotation: self.rotation - center.cross(self.translation),
        }
    }

    /// The force and the torque (about the chosen centre) along which the number decreases fastest,
    /// together of magnitude `size`.
    ///
    /// A torque counts as the force that makes it with this `arm`. Zero where the gradient is. For
    /// the overlap volume of two solids, with the volume as the size, this is a penalty force: its
    /// magnitude is continuous, unlike that of the gradient where faces become coplanar.
    ///
    /// ```
    /// use impinge::{query::PoseGradient, DVec3};
    /// let gradient = PoseGradient { translation: 3.0 * DVec3::X, rotation: 8.0 * DVec3::Z };
    /// let push = gradient.downhill(10.0, 2.0);
    /// assert_eq!((push.translation, push.rotation), (-6.0 * DVec3::X, -16.0 * DVec3::Z));
    /// ```
    #[must_use]
    pub fn downhill(&self, size: f64, arm: f64) -> Self {
        let slope = libm::hypot(self.translation.length(), self.rotation.length() / arm);
        if slope > 0.0 {
            self.scaled(-size / slope)
        } else {
            self.scaled(0.0)
        }
    }

    /// The gradient times a number.
    ///
    /// ```
    /// use impinge::{query::PoseGradient, DVec3};
    /// let gradient = PoseGradient::of_point(DVec3::X, DVec3::Y, DVec3::ZERO);
    /// assert_eq!(gradient.scaled(-2.0).translation, -2.0 * DVec3::Y);
    /// ```
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            translation: self.translation * factor,
            rotation: self.rotation * factor,
        }
    }
}

impl Separation {
    /// The derivative of the distance with respect to the pose of `b`, rotations taken about `center` (in the frame
    /// of `a`); none at distance 0, where there is none.
    ///
    /// Where several pairs of points are nearest, the distance has no derivative and this is the one of the given
    /// pair: a one-sided bound, `distance ≤` what it predicts to first order.
    ///
    /// ```
    /// use impinge::{query::Separation, DVec3};
    /// let s = Separation { distance: 2.0, point_a: DVec3::ZERO, point_b: DVec3::new(0.0, 0.0, 2.0) };
    /// let gradient = s.gradient(DVec3::NEG_X).ok_or("touching")?;
    /// assert_eq!((gradient.translation, gradient.rotation), (DVec3::Z, DVec3::new(0.0, -1.0, 0.0)));
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn gradient(&self, center: DVec3) -> Option<PoseGradient> {
        let normal = (self.point_b - self.point_a).try_normalize()?;
        Some(PoseGradient::of_point(self.point_b, normal, center))
    }
}

impl Penetration {
    /// The derivative of the depth with respect to the pose of `b`, rotations taken about `center` (in the frame of
    /// `a`); none at depth 0.
    ///
    /// ```
    /// use impinge::{query::Penetration, DVec3};
    /// let (point_a, point_b) = (DVec3::Z, DVec3::ZERO);
    /// let deep = Penetration { depth: 1.0, point_a, point_b, is_point_of_a: true };
    /// let gradient = deep.gradient(DVec3::ZERO).ok_or("touching")?;
    /// assert_eq!(gradient.translation, DVec3::NEG_Z);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn gradient(&self, center: DVec3) -> Option<PoseGradient> {
        let normal = self.normal()?;
        Some(PoseGradient::of_point(self.point_b, -normal, center))
    }
}
