//! Overlap volume of two shapes.
//!
//! **Idea.** Closed meshes, boxes and polyhedra use [`VolumeIndex::overlap`], two balls the volume
//! of their [lens](crate::geom::lens). Other shapes are refused, not approximated.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use super::depth::solid_mesh;
use super::shape::{Shape, ShapeKind};
use super::solid_overlap::VolumeMethod;
use crate::convex::SupportMap;
use crate::geom::{lens, lens_disc_area};
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome, PoseGradient};
use crate::volume::{OverlapCache, OverlapError, OverlapVolume, VolumeError, VolumeIndex};

/// Why the overlap volume of two shapes is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SharedVolumeError {
    /// A mesh bounds no solid.
    #[error("the {which} mesh: {error}")]
    Mesh {
        /// "first" or "second".
        which: &'static str,
        /// What is wrong with it.
        error: VolumeError,
    },
    /// No method is known for these kinds.
    #[error(
        "no shared volume of {a} and {b}: closed meshes, boxes and polyhedra are asked, and two balls"
    )]
    Kinds {
        /// The kind of the first shape.
        a: ShapeKind,
        /// The kind of the second shape.
        b: ShapeKind,
    },
    /// A shape does not carry what the chosen method needs.
    #[error("the {which} shape carries nothing for the method {}", .method.name())]
    NotPrepared {
        /// "first" or "second".
        which: &'static str,
        /// The method.
        method: VolumeMethod,
    },
    /// Only a bug makes this one.
    #[error(transparent)]
    Overlap(#[from] OverlapError),
}

/// How much volume two shapes share.
pub struct VolumeQuery {
    way: Way,
}

enum Way {
    Solids([Arc<VolumeIndex>; 2], Box<OverlapCache>),
    Balls([f64; 2]),
}

impl fmt::Debug for VolumeQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VolumeQuery").finish_non_exhaustive()
    }
}

impl VolumeQuery {
    /// The query about two closed meshes, boxes or polyhedra, or about two balls.
    ///
    /// # Errors
    /// [`SharedVolumeError`] for open meshes, meshes that are inside out, and other kinds.
    ///
    /// ```
    /// use impinge::{convex::{Ball, Cone}, pair::{Shape, VolumeQuery}};
    /// let (ball, cone) = (Shape::from(Ball::new(1.0)?), Shape::from(Cone::new(1.0, 1.0)?));
    /// assert!(VolumeQuery::new(&ball, &ball).is_ok() && VolumeQuery::new(&ball, &cone).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape) -> Result<Self, SharedVolumeError> {
        if let (Shape::Ball(p), Shape::Ball(q)) = (a, b) {
            let way = Way::Balls([p.radius(), q.radius()]);
            return Ok(Self { way });
        }
        let refused = SharedVolumeError::Kinds {
            a: a.kind(),
            b: b.kind(),
        };
        let solid = |shape: &Shape, which| -> Result<Arc<VolumeIndex>, SharedVolumeError> {
            let wrong = |error| SharedVolumeError::Mesh { which, error };
            if let Shape::Mesh(mesh) = shape {
                return mesh.volume().cloned().map_err(wrong);
            }
            let mesh = shape.convex().and_then(|shape| solid_mesh(&shape));
            let index = VolumeIndex::new(Arc::new(mesh.ok_or(refused)?));
            index.map(Arc::new).map_err(wrong)
        };
        let solids = [solid(a, "first")?, solid(b, "second")?];
        Ok(Self {
            way: Way::Solids(solids, Box::default()),
        })
    }

    /// The shared volume of the placed shapes, with bounds, its centroid and its derivative.
    ///
    /// # Errors
    /// [`SharedVolumeError::Overlap`], which only a bug makes.
    ///
    /// ```
    /// use impinge::{Pose, convex::Cuboid, pair::{Shape, VolumeQuery}, query::Limits};
    /// let cube = Shape::from(Cuboid::new([1.0, 1.0, 1.0])?);
    /// let mut query = VolumeQuery::new(&cube, &cube)?;
    /// let shared = query.at(&Pose::from_translation([1.5, 0.0, 0.0])?, Limits::default())?;
    /// assert_eq!(shared.value.volume, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Result<Bounded<OverlapVolume>, SharedVolumeError> {
        match &mut self.way {
            Way::Solids([a, b], cache) => Ok(a.overlap(b, a_from_b, limits, cache)?),
            Way::Balls(radii) => Ok(of_balls(*radii, a_from_b.translation())),
        }
    }
}

/// What a ball around the origin shares with one around `center`.
fn of_balls([r_a, r_b]: [f64; 2], center: DVec3) -> Bounded<OverlapVolume> {
    let shared = lens(DVec3::ZERO, r_a, center, r_b);
    let distance = center.length();
    // The volume changes with the distance by the area of the disc; the formula itself is good to a few roundings.
    let size = r_a + r_b + distance;
    let rounding =
        64.0 * f64::EPSILON * (shared.volume + size * lens_disc_area(r_a, r_b, distance))
            + 64.0 * f64::EPSILON * f64::EPSILON * size * size * size;
    Bounded {
        value: OverlapVolume {
            volume: shared.volume,
            centroid: (shared.volume > 0.0).then_some(shared.centroid),
            gradient: PoseGradient::of_point(center, shared.gradient, DVec3::ZERO),
            crossings: 0,
        },
        lower: (shared.volume - rounding).max(0.0),
        upper: shared.volume + rounding,
        outcome: Outcome::Complete,
    }
}
