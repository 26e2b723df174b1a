//! Overlap of two solids with the force that separates them, by a choice of methods.
//!
//! **Idea.** A mesh may carry a [body](super::MeshShape::with_body): an inner sphere tree, voxels.
//! Particles may carry the tree that they come from. Pairs that are prepared are queried by these;
//! all others exactly, by [`VolumeQuery`].

use std::fmt;

use glam::DVec3;

use super::config::PairConfig;
use super::shape::Shape;
use super::shared_volume::{SharedVolumeError, VolumeQuery};
use crate::math::Pose;
#[cfg(feature = "spheres")]
use crate::penetration::{
    PenetrationBody, PenetrationCache, PenetrationError, PenetrationMethod, PenetrationVolume,
};
use crate::query::{Bounded, Limits, Outcome};
#[cfg(feature = "spheres")]
use std::sync::Arc;

/// How the shared volume of a pair is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VolumeMethod {
    /// By cost where both shapes carry inner spheres and exact indexes, by spheres where both carry spheres alone, else exactly.
    #[default]
    Auto,
    /// By an integral over the boundary of what is shared.
    Exact,
    /// By inner sphere trees.
    #[cfg(feature = "spheres")]
    Spheres,
    /// By inner sphere trees, and by the boundary integral where that is predicted to be cheap: shallow contacts.
    #[cfg(feature = "spheres")]
    ByCost,
    /// By voxels, with the penalty force of a Voxmap-PointShell.
    #[cfg(feature = "spheres")]
    Voxmap,
}

impl VolumeMethod {
    /// The name in records.
    ///
    /// ```
    /// assert_eq!(impinge::pair::VolumeMethod::Exact.name(), "exact");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Exact => "exact",
            #[cfg(feature = "spheres")]
            Self::Spheres => "spheres",
            #[cfg(feature = "spheres")]
            Self::ByCost => "by-cost",
            #[cfg(feature = "spheres")]
            Self::Voxmap => "voxmap",
        }
    }

    /// The method of this name.
    ///
    /// ```
    /// use impinge::pair::VolumeMethod;
    /// assert_eq!(VolumeMethod::from_name("exact"), Some(VolumeMethod::Exact));
    /// assert!(VolumeMethod::from_name("guess").is_none());
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Auto,
            Self::Exact,
            #[cfg(feature = "spheres")]
            Self::Spheres,
            #[cfg(feature = "spheres")]
            Self::ByCost,
            #[cfg(feature = "spheres")]
            Self::Voxmap,
        ];
        all.into_iter().find(|method| method.name() == name)
    }
}

/// What two solids share, and the force that separates them; everything is in the frame of `a`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidOverlap {
    /// The overlap volume.
    pub volume: f64,
    /// Its centroid; none where the volume is within rounding of zero, or the method computes none.
    pub centroid: Option<DVec3>,
    /// The force on `b` per unit of pressure: the negative derivative of the volume. Of voxels, the sum of the depths of
    /// points. The force on `a` is the opposite.
    pub force_on_b: DVec3,
    /// Its torque about the origin of `a`.
    pub torque_on_b: DVec3,
    /// The method that answered; never [`VolumeMethod::Auto`].
    pub method: VolumeMethod,
}

/// The overlap volume of two shapes with its force, by the method that their [`PairConfig`] chooses.
pub struct OverlapQuery {
    way: OverlapWay,
}

enum OverlapWay {
    Exact(VolumeQuery),
    #[cfg(feature = "spheres")]
    Bodies(Box<BodyPair>),
}

#[cfg(feature = "spheres")]
struct BodyPair {
    a: PenetrationBody,
    b: PenetrationBody,
    method: PenetrationMethod,
    cache: PenetrationCache,
}

impl fmt::Debug for OverlapQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverlapQuery").finish_non_exhaustive()
    }
}

impl OverlapQuery {
    /// The query about two shapes.
    ///
    /// # Errors
    /// [`SharedVolumeError`] for shapes without an exact method, and for those that do not carry what the chosen method needs.
    ///
    /// ```
    /// use impinge::{convex::Cuboid, pair::{OverlapQuery, PairConfig, Shape}, query::Limits, Pose};
    /// let cube = Shape::from(Cuboid::new([1.0; 3])?);
    /// let mut query = OverlapQuery::new(&cube, &cube, &PairConfig::default())?;
    /// let found = query.at(&Pose::from_translation([1.5, 0.0, 0.0])?, Limits::default())?;
    /// assert_eq!((found.value.volume, found.value.force_on_b.x), (2.0, 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, SharedVolumeError> {
        #[cfg(feature = "spheres")]
        if let Some(pair) = BodyPair::new(a, b, config.volume_method)? {
            let way = OverlapWay::Bodies(Box::new(pair));
            return Ok(Self { way });
        }
        let _ = config;
        Ok(Self {
            way: OverlapWay::Exact(VolumeQuery::new(a, b)?),
        })
    }

    /// The overlap of the placed shapes, with bounds on its volume, under a budget too.
    ///
    /// # Errors
    /// [`SharedVolumeError::Overlap`], which only a bug makes.
    pub fn at(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Result<Bounded<SolidOverlap>, SharedVolumeError> {
        match &mut self.way {
            OverlapWay::Exact(query) => {
                let found = query.at(a_from_b, limits)?;
                let is_known = found.outcome == Outcome::Complete;
                let slope = found
                    .value
                    .gradient
                    .scaled(if is_known { -1.0 } else { 0.0 });
                Ok(Bounded {
                    value: SolidOverlap {
                        volume: found.value.volume,
                        centroid: found.value.centroid,
                        force_on_b: slope.translation,
                        torque_on_b: slope.rotation,
                        method: VolumeMethod::Exact,
                    },
                    lower: found.lower,
                    upper: found.upper,
                    outcome: found.outcome,
                })
            }
            #[cfg(feature = "spheres")]
            OverlapWay::Bodies(pair) => pair.at(a_from_b, limits),
        }
    }
}

#[cfg(feature = "spheres")]
impl BodyPair {
    /// The pair, unless it is to be queried exactly.
    fn new(
        shape_a: &Shape,
        shape_b: &Shape,
        method: VolumeMethod,
    ) -> Result<Option<Self>, SharedVolumeError> {
        if method == VolumeMethod::Exact {
            return Ok(None);
        }
        let (a, b) = (body(shape_a), body(shape_b));
        let is_ready = |method| a.has(method) && b.has(method);
        let wanted = match method {
            VolumeMethod::Spheres => PenetrationMethod::Spheres,
            VolumeMethod::ByCost => PenetrationMethod::ByCost,
            VolumeMethod::Voxmap => PenetrationMethod::Voxmap,
            _ if is_ready(PenetrationMethod::ByCost) => PenetrationMethod::ByCost,
            _ if is_ready(PenetrationMethod::Spheres) => PenetrationMethod::Spheres,
            _ => return Ok(None),
        };
        for (body, which) in [(&a, "first"), (&b, "second")] {
            if !body.has(wanted) {
                return Err(SharedVolumeError::NotPrepared { which, method });
            }
        }
        Ok(Some(Self {
            a,
            b,
            method: wanted,
            cache: PenetrationCache::default(),
        }))
    }

    fn at(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Result<Bounded<SolidOverlap>, SharedVolumeError> {
        let Self {
            a,
            b,
            method,
            cache,
        } = self;
        match a.overlap_by(*method, b, a_from_b, limits, cache) {
            Ok(found) => Ok(Bounded {
                value: solid_overlap(&found.value),
                lower: found.lower,
                upper: found.upper,
                outcome: found.outcome,
            }),
            Err(PenetrationError::Contradiction(error)) => Err(error.into()),
            // `new` checked that both are prepared.
            Err(_) => Err(SharedVolumeError::NotPrepared {
                which: "first",
                method: VolumeMethod::Auto,
            }),
        }
    }
}

#[cfg(feature = "spheres")]
fn solid_overlap(found: &PenetrationVolume) -> SolidOverlap {
    let push = found.force_on_b().unwrap_or_default();
    SolidOverlap {
        volume: found.volume,
        centroid: found.centroid,
        force_on_b: push.force,
        torque_on_b: push.torque,
        method: match found.method {
            PenetrationMethod::Spheres => VolumeMethod::Spheres,
            PenetrationMethod::Voxmap => VolumeMethod::Voxmap,
            _ => VolumeMethod::Exact,
        },
    }
}

/// What a shape carries; of a mesh with spheres that bounds a solid, its exact index as well.
#[cfg(feature = "spheres")]
fn body(shape: &Shape) -> PenetrationBody {
    match shape {
        Shape::Mesh(mesh) => {
            let body = mesh.body().cloned().unwrap_or_default();
            if body.has(PenetrationMethod::Spheres)
                && !body.has(PenetrationMethod::Exact)
                && let Ok(index) = mesh.volume()
            {
                return body.with_index(Arc::clone(index));
            }
            body
        }
        Shape::Particles(particles) => {
            let spheres = particles.sphere_tree().cloned();
            spheres.map_or_else(PenetrationBody::default, |tree| {
                PenetrationBody::default().with_spheres(tree)
            })
        }
        _ => PenetrationBody::default(),
    }
}
