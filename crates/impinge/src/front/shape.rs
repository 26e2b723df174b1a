//! One-shot queries of two shapes. Casts, nearest points and containment are in [`pair`](crate::pair).

use super::mesh::every_contact;
use crate::convex::ConvexPenetration;
use crate::math::{Motion, Pose};
use crate::pair::{
    ContactPoint, ContactQuery, DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery,
    Manifold, PairConfig, Shape, SharedVolumeError, Unsupported, VolumeQuery,
};
use crate::query::{Bounded, Impact, Limits, Separation};
use crate::volume::OverlapVolume;

impl Shape {
    /// Whether the shapes share a point, touching included; meshes are surfaces.
    ///
    /// # Errors
    /// [`Unsupported`] for user-defined kinds that are not convex.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// assert!(ground.intersects(Ball::new(1.0)?, &Pose::from_translation([0.0, 0.0, 1.0])?)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn intersects(&self, b: impl Into<Self>, a_from_b: &Pose) -> Result<bool, Unsupported> {
        let mut query = IntersectionQuery::new(self, &b.into(), &PairConfig::default())?;
        Ok(query.any(a_from_b))
    }

    /// The distance of the shapes and two nearest points, with bounds; no value when a shape is empty.
    ///
    /// # Errors
    /// [`Unsupported`] for user-defined kinds that are not convex.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let gap = ball.distance(&ball, &Pose::from_translation([5.0, 0.0, 0.0])?)?;
    /// assert_eq!(gap.value.map(|gap| gap.distance), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(
        &self,
        b: impl Into<Self>,
        a_from_b: &Pose,
    ) -> Result<Bounded<Option<Separation>>, Unsupported> {
        let mut query = DistanceQuery::new(self, &b.into(), &PairConfig::default())?;
        Ok(query.at(a_from_b, Limits::default()))
    }

    /// The shortest translation of `b` that separates the shapes, with bounds on its length; no value when they are apart. Meshes are
    /// solids here.
    ///
    /// # Errors
    /// [`Unsupported`] for open meshes, height fields, two clouds, two half-spaces, and user-defined kinds that are not convex.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let deep = ball.penetration(&ball, &Pose::from_translation([1.5, 0.0, 0.0])?)?;
    /// assert!(deep.value.is_some_and(|deep| deep.depth == 0.5 && deep.normal == DVec3::X));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn penetration(
        &self,
        b: impl Into<Self>,
        a_from_b: &Pose,
    ) -> Result<Bounded<Option<ConvexPenetration>>, Unsupported> {
        let mut query = DepthQuery::new(self, &b.into(), &PairConfig::default())?;
        Ok(query.at(a_from_b, Limits::default()))
    }

    /// The volume that the shapes share, with bounds, its centroid and its derivative.
    ///
    /// # Errors
    /// [`SharedVolumeError`] for open meshes, and for kinds without an exact method.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let cube = Shape::from(Cuboid::new([1.0; 3])?);
    /// assert_eq!(cube.volume(&cube, &Pose::from_translation([1.0, 1.0, 1.0])?)?.value.volume, 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn volume(
        &self,
        b: impl Into<Self>,
        a_from_b: &Pose,
    ) -> Result<Bounded<OverlapVolume>, SharedVolumeError> {
        VolumeQuery::new(self, &b.into())?.at(a_from_b, Limits::default())
    }

    /// Where the shapes touch, or come within `margin` of each other: the contact manifold, a few points of each normal.
    ///
    /// # Errors
    /// [`Unsupported`] for two half-spaces, and user-defined kinds that are not convex.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let cube = Shape::from(Cuboid::new([1.0; 3])?);
    /// assert_eq!(cube.contacts(&cube, &Pose::from_translation([0.0, 0.0, 2.0])?, 0.0)?.len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contacts(
        &self,
        b: impl Into<Self>,
        a_from_b: &Pose,
        margin: f64,
    ) -> Result<Manifold, Unsupported> {
        let mut query = ContactQuery::new(self, &b.into(), &PairConfig::default())?;
        let mut manifold = Manifold::default();
        query.at(a_from_b, margin, &mut manifold);
        manifold.group();
        Ok(manifold)
    }

    /// Every contact point, not only a few of each normal.
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts).
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let cube = Shape::from(Cuboid::new([1.0; 3])?);
    /// let turned = Pose::from_axis_angle(DVec3::Z, 0.5, [0.0, 0.0, 2.0])?;
    /// assert_eq!(cube.all_contacts(&cube, &turned, 0.0)?.len(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn all_contacts(
        &self,
        b: impl Into<Self>,
        a_from_b: &Pose,
        margin: f64,
    ) -> Result<Vec<ContactPoint>, Unsupported> {
        let mut query = ContactQuery::new(self, &b.into(), &every_contact())?;
        let mut points = Vec::new();
        query.at(a_from_b, margin, &mut points);
        Ok(points)
    }

    /// The first contact while `b` moves in the frame of `a`; no value when they do not touch. The shapes are apart before `lower`
    /// and meet at `upper`, if that is finite.
    ///
    /// # Errors
    /// [`Unsupported`] for two half-spaces, and user-defined kinds that are not convex.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// let falling = Motion::between(&Pose::from_translation([0.0, 0.0, 5.0])?, &Pose::IDENTITY);
    /// let hit = ground.impact(Ball::new(1.0)?, &falling)?;
    /// assert!(hit.value.is_some_and(|hit| (hit.time - 0.8).abs() < 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impact(
        &self,
        b: impl Into<Self>,
        a_from_b: &Motion,
    ) -> Result<Bounded<Option<Impact>>, Unsupported> {
        let mut query = ImpactQuery::new(self, &b.into(), &PairConfig::default())?;
        let still = Motion::still(&Pose::IDENTITY);
        Ok(query.during(&still, a_from_b, Limits::default()))
    }
}
