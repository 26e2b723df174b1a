//! Particles: many balls, of one radius or individual radii.

#[cfg(feature = "spheres")]
use std::sync::Arc;

use glam::DVec3;

use super::item_bvh::ItemBvh;
use crate::bound::Aabb;
use crate::convex::{ShapeError, check_points};
use crate::math::MAX_COORDINATE;
#[cfg(feature = "spheres")]
use crate::spheres::InnerSphereTree;
use crate::spheres::SolidBall;

/// Points with a common radius, which may be 0, or the balls of a packing or of a tree of inner balls: the union of the balls.
#[derive(Clone, Debug)]
pub struct Particles {
    points: Vec<DVec3>,
    /// One for each; empty when the radius is common.
    radii: Vec<f64>,
    /// The common or the largest one.
    radius: f64,
    tree: ItemBvh,
    /// The tree that the balls come from, if they are its own.
    #[cfg(feature = "spheres")]
    spheres: Option<Arc<InnerSphereTree>>,
}

impl Particles {
    /// The particles at these points; none is a set too.
    ///
    /// # Errors
    /// [`ShapeError`] for a radius that is negative or out of range, for a point that is not valid, and for more than can be numbered.
    ///
    /// ```
    /// use impinge::{DVec3, pair::Particles};
    /// let dust = Particles::new(vec![DVec3::ZERO, DVec3::X], 0.5)?;
    /// assert_eq!(dust.bounds().max.x, 1.5);
    /// assert_eq!((dust.points().len(), dust.radius()), (2, 0.5));
    /// assert!(Particles::new(vec![DVec3::NAN], 0.5).is_err() && Particles::new(vec![], -1.0).is_err());
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    pub fn new(points: Vec<DVec3>, radius: f64) -> Result<Self, ShapeError> {
        Self::checked(points, Vec::new(), radius)
    }

    /// These balls, as those of a packing or of an
    /// [`InnerSphereTree`](crate::spheres::InnerSphereTree): a solid represented by its inner
    /// spheres, for all pair queries.
    ///
    /// The space between the spheres and the true surface of the solid is ignored.
    ///
    /// # Errors
    /// As [`Particles::new`].
    ///
    /// ```
    /// use impinge::{DVec3, Pose, cloud::{CloudShape, PointCloud}, query::Limits};
    /// use impinge::pair::{DistanceQuery, PairConfig, Particles, Shape};
    /// use impinge::spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions};
    /// let ball = |x, radius| SolidBall { center: DVec3::X * x, radius };
    /// let tree = InnerSphereTree::new(&[ball(0.0, 1.0), ball(2.0, 0.5)], &InnerSphereTreeOptions::default())?;
    /// let inner = Particles::of_balls(tree.balls())?;
    /// assert_eq!((inner.radius(), inner.radius_of(7), inner.balls().count()), (1.0, 0.0, 2));
    /// let cloud = CloudShape::new(PointCloud::from_points([[5.0, 0.0, 0.0]])?.into());
    /// let mut query = DistanceQuery::new(&inner.into(), &Shape::from(cloud), &PairConfig::default())?;
    /// let found = query.at(&Pose::IDENTITY, Limits::default()).value.ok_or("too far")?;
    /// assert_eq!(found.distance, 2.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_balls(balls: &[SolidBall]) -> Result<Self, ShapeError> {
        let points = balls.iter().map(|ball| ball.center).collect();
        let radii: Vec<f64> = balls.iter().map(|ball| ball.radius).collect();
        let first = radii.first().copied().unwrap_or(0.0);
        if radii.iter().all(|&radius| radius == first) {
            return Self::checked(points, Vec::new(), first);
        }
        let largest = radii.iter().copied().fold(0.0, f64::max);
        Self::checked(points, radii, largest)
    }

    /// The balls of an inner sphere tree, together with the tree: two such sets are searched by their trees,
    /// and worlds tell how much volume they share. Ball `i` is that of [`InnerSphereTree::balls`].
    ///
    /// # Errors
    /// As [`Particles::new`].
    ///
    /// ```
    /// use impinge::{Pose, pair::{DistanceQuery, PairConfig, Particles, Shape}, query::Limits};
    /// use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
    /// let ball = SolidBall { center: [0.0; 3].into(), radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let inner = Particles::of_tree(tree)?;
    /// assert!(inner.sphere_tree().is_some());
    /// let inner = Shape::from(inner);
    /// let mut query = DistanceQuery::new(&inner, &inner, &PairConfig::default())?;
    /// let found = query.at(&Pose::from_translation([5.0, 0.0, 0.0])?, Limits::default());
    /// assert_eq!(found.value.map(|found| found.distance), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "spheres")]
    pub fn of_tree(tree: impl Into<Arc<InnerSphereTree>>) -> Result<Self, ShapeError> {
        let tree = tree.into();
        let mut balls = Self::of_balls(tree.balls())?;
        balls.spheres = Some(tree);
        Ok(balls)
    }

    /// The tree that the balls come from, where they were given [with one](Self::of_tree).
    #[cfg(feature = "spheres")]
    #[must_use]
    pub fn sphere_tree(&self) -> Option<&Arc<InnerSphereTree>> {
        self.spheres.as_ref()
    }

    fn checked(points: Vec<DVec3>, radii: Vec<f64>, radius: f64) -> Result<Self, ShapeError> {
        let is_bad = |&&radius: &&f64| !(0.0..=MAX_COORDINATE).contains(&radius);
        if let Some(&value) = radii.iter().chain([&radius]).find(is_bad) {
            return Err(ShapeError::BadSize {
                what: "radius",
                value,
            });
        }
        check_points(&points)?;
        let mut balls = Self {
            tree: ItemBvh::new(&[]),
            points,
            radii,
            radius,
            #[cfg(feature = "spheres")]
            spheres: None,
        };
        let boxes: Vec<Aabb> = balls
            .balls()
            .map(|(p, radius)| Aabb::enclosing([p]).inflated(radius))
            .collect();
        balls.tree = ItemBvh::new(&boxes);
        Ok(balls)
    }

    /// The centres.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The common radius, or the largest where each has its own.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The radius of the ball with this number; 0 when there is none.
    #[must_use]
    pub fn radius_of(&self, index: u32) -> f64 {
        let own = self.radii.get(index as usize).copied();
        let is_known = (index as usize) < self.points.len();
        own.unwrap_or(if is_known { self.radius } else { 0.0 })
    }

    /// Centre and radius of each ball.
    pub fn balls(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let numbered = (0_u32..).zip(&self.points);
        numbered.map(move |(number, &point)| (point, self.radius_of(number)))
    }

    /// Whether all have one radius.
    #[cfg(feature = "scene")]
    pub(crate) fn is_even(&self) -> bool {
        self.radii.is_empty()
    }

    /// The box around all balls; empty when there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.whole()
    }

    pub(super) fn tree(&self) -> &ItemBvh {
        &self.tree
    }

    pub(super) fn point(&self, index: u32) -> DVec3 {
        self.points
            .get(index as usize)
            .copied()
            .unwrap_or(DVec3::ZERO)
    }
}
