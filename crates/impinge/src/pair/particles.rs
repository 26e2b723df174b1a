//! Many balls of one radius.

use glam::DVec3;

use super::tree::ItemTree;
use crate::bound::Aabb;
use crate::convex::ShapeError;
use crate::math::{MAX_COORDINATE, is_valid_point};

/// Points with a common radius, which may be 0: the union of their balls.
#[derive(Clone, Debug)]
pub struct Particles {
    points: Vec<DVec3>,
    radius: f64,
    tree: ItemTree,
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
        let is_valid = (0.0..=MAX_COORDINATE).contains(&radius);
        if !is_valid {
            return Err(ShapeError::BadSize {
                what: "radius",
                value: radius,
            });
        }
        if points.len() >= (u32::MAX / 8) as usize {
            return Err(ShapeError::TooManyPoints {
                count: points.len(),
            });
        }
        for (index, &point) in points.iter().enumerate() {
            if !is_valid_point(point) {
                return Err(ShapeError::BadPoint { index, point });
            }
        }
        let boxes: Vec<Aabb> = points
            .iter()
            .map(|&p| Aabb::enclosing([p]).inflated(radius))
            .collect();
        Ok(Self {
            tree: ItemTree::new(&boxes),
            points,
            radius,
        })
    }

    /// The centres.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The common radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The box around all balls; empty when there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.whole()
    }

    pub(super) fn tree(&self) -> &ItemTree {
        &self.tree
    }

    pub(super) fn point(&self, index: u32) -> DVec3 {
        self.points
            .get(index as usize)
            .copied()
            .unwrap_or(DVec3::ZERO)
    }
}
