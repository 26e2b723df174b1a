//! Penetration volume of two solids by a choice of methods. The penetration depth is in `depth`.

use std::fmt;

use glam::DVec3;
use thiserror::Error;

use super::body_overlap::PenetrationCache;
use super::penetration_body::{PenetrationBody, PenetrationMethod};
use crate::math::Pose;
use crate::query::{Bounded, Limits, PoseGradient};
use crate::spheres::{ConeForces, Wrench};
use crate::volume::OverlapError;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PenetrationError {
    /// A body is not prepared for the method.
    #[error("body {body} is not prepared for the method {method}")]
    NotPrepared {
        /// `a` or `b`.
        body: char,
        /// The method.
        method: PenetrationMethod,
    },
    /// The bodies have no method in common.
    #[error("the bodies are prepared for no common method")]
    NoMethod,
    /// The exact method found a contradiction.
    #[error(transparent)]
    Contradiction(#[from] OverlapError),
}

/// The overlap of two solids, as computed by a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenetrationVolume {
    /// The volume; for spheres, the best estimate.
    pub volume: f64,
    /// Its centroid in the frame of `a`; for spheres, that of the lenses. None if there is no
    /// overlap, or the method computes none.
    pub centroid: Option<DVec3>,
    /// The derivative of the volume by the pose of `b`, rotations about the origin of `a`'s frame;
    /// for spheres under a budget, that of the visited pairs. None if the method computes none, and
    /// for the exact method if the budget ended first.
    pub gradient: Option<PoseGradient>,
    /// Forces by cones of normals, for spheres and by cost; under a budget those of the visited pairs.
    pub cones: Option<ConeForces>,
    /// The penalty force on `b` of a Voxmap-PointShell, with its torque about the origin of `a`'s
    /// frame: depths of the points of `b`, summed. None for other methods.
    pub penalty: Option<Wrench>,
    /// The method that gave volume, centroid and gradient; never [`PenetrationMethod::ByCost`].
    pub method: PenetrationMethod,
}

impl PenetrationVolume {
    /// A volume of which nothing else is known.
    pub(super) fn of_method(method: PenetrationMethod, volume: f64) -> Self {
        Self {
            volume,
            centroid: None,
            gradient: None,
            cones: None,
            penalty: None,
            method,
        }
    }

    /// The force on `b` that separates the solids, per unit of pressure, with its torque about the
    /// origin of `a`'s frame: the negative gradient of the volume; of voxels the penalty force. The
    /// force on `a` is the opposite. None where there is neither.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, generate, penetration::*, query::Limits};
    /// use std::sync::Arc;
    /// let cube = PenetrationBody::exact(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// let mut query = PenetrationQuery::new(&cube, &cube)?;
    /// let shared = query.ask(&Pose::from_translation([0.75, 0.25, 0.25])?, Limits::default())?;
    /// let force = shared.value.force_on_b().map_or(DVec3::ZERO, |wrench| wrench.force);
    /// assert!((force - DVec3::new(0.5625, 0.1875, 0.1875)).length() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn force_on_b(&self) -> Option<Wrench> {
        let downhill = self.gradient.map(|gradient| Wrench {
            force: -gradient.translation,
            torque: -gradient.rotation,
        });
        downhill.or(self.penalty)
    }
}

/// Two solids, prepared for a volume method of another crate.
pub trait VolumePair: fmt::Debug + Send {
    /// The name of the method in records.
    fn method(&self) -> &'static str;

    /// The volume that they share, with `b` placed by the pose: bracketed, under a budget too.
    fn shared_volume(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> Bounded<f64>;
}

/// The two solids.
#[derive(Debug)]
enum Solids<'b> {
    Bodies(&'b PenetrationBody, &'b PenetrationBody),
    External(Box<dyn VolumePair + 'b>),
}

/// Two bodies and a method; keeps its memory between queries.
///
/// ```
/// use impinge::penetration::{PenetrationMethod, PenetrationBody, PenetrationQuery};
/// use impinge::{DVec3, Pose, generate, query::Limits};
/// use std::sync::Arc;
/// let body = PenetrationBody::exact(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
/// let mut query = PenetrationQuery::by(PenetrationMethod::Exact, &body, &body)?;
/// let shared = query.ask(&Pose::from_translation([0.25, 0.0, 0.0])?, Limits::default())?;
/// assert!(shared.lower <= 0.75 && 0.75 <= shared.upper);
/// assert!(PenetrationQuery::by(PenetrationMethod::Spheres, &body, &body).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PenetrationQuery<'b> {
    solids: Solids<'b>,
    method: PenetrationMethod,
    cache: PenetrationCache,
}

impl<'b> PenetrationQuery<'b> {
    /// The query by the first of exact, balls and voxels that both bodies are prepared for.
    ///
    /// # Errors
    /// [`PenetrationError::NoMethod`].
    ///
    /// ```
    /// use impinge::penetration::{PenetrationBody, PenetrationQuery};
    /// let nothing = PenetrationBody::default();
    /// assert!(PenetrationQuery::new(&nothing, &nothing).is_err());
    /// ```
    pub fn new(a: &'b PenetrationBody, b: &'b PenetrationBody) -> Result<Self, PenetrationError> {
        let all = [
            PenetrationMethod::Exact,
            PenetrationMethod::Spheres,
            PenetrationMethod::Voxmap,
        ];
        let method = all.into_iter().find(|&m| a.has(m) && b.has(m));
        Self::by(method.ok_or(PenetrationError::NoMethod)?, a, b)
    }

    /// The query by a method.
    ///
    /// # Errors
    /// [`PenetrationError::NotPrepared`].
    pub fn by(
        method: PenetrationMethod,
        a: &'b PenetrationBody,
        b: &'b PenetrationBody,
    ) -> Result<Self, PenetrationError> {
        for (body, is_ready) in [('a', a.has(method)), ('b', b.has(method))] {
            if !is_ready {
                return Err(PenetrationError::NotPrepared { body, method });
            }
        }
        Ok(Self::of(Solids::Bodies(a, b), method))
    }

    /// The query by a method of another crate.
    ///
    /// ```
    /// use impinge::penetration::{PenetrationMethod, PenetrationQuery, VolumePair};
    /// use impinge::query::{Bounded, Limits, Outcome};
    /// use impinge::Pose;
    /// #[derive(Debug)]
    /// struct Points;
    /// impl VolumePair for Points {
    ///     fn method(&self) -> &'static str { "points" }
    ///     fn shared_volume(&mut self, _: &Pose, _: Limits<'_>) -> Bounded<f64> {
    ///         Bounded { value: 0.0, lower: 0.0, upper: 0.0, outcome: Outcome::Complete }
    ///     }
    /// }
    /// let mut query = PenetrationQuery::external(Box::new(Points));
    /// assert_eq!(query.method(), PenetrationMethod::External("points"));
    /// assert_eq!(query.ask(&Pose::IDENTITY, Limits::default())?.value.volume, 0.0);
    /// # Ok::<(), impinge::penetration::PenetrationError>(())
    /// ```
    #[must_use]
    pub fn external(pair: Box<dyn VolumePair + 'b>) -> Self {
        let method = PenetrationMethod::External(pair.method());
        Self::of(Solids::External(pair), method)
    }

    fn of(solids: Solids<'b>, method: PenetrationMethod) -> Self {
        Self {
            solids,
            method,
            cache: PenetrationCache::default(),
        }
    }

    /// The method.
    ///
    /// ```
    /// use impinge::{generate, penetration::{PenetrationMethod, PenetrationBody, PenetrationQuery}};
    /// use std::sync::Arc;
    /// let body = PenetrationBody::exact(Arc::new(generate::tetrahedron(1.0)?))?;
    /// assert_eq!(PenetrationQuery::new(&body, &body)?.method(), PenetrationMethod::Exact);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn method(&self) -> PenetrationMethod {
        self.method
    }

    /// The overlap of the bodies, with `b` placed by the pose.
    ///
    /// A budget bounds the time of one query. The bracket contains the exact value then too; forces
    /// of spheres are those of the visited pairs, and [`Bounded::outcome`] says whether there are
    /// more. They jump where a budget truncates the sums.
    ///
    /// # Errors
    /// [`PenetrationError::Contradiction`], which only a bug makes.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, penetration::*, query::Limits, spheres::*};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let body = PenetrationBody::default().with_spheres(InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?);
    /// let mut query = PenetrationQuery::new(&body, &body)?;
    /// let shared = query.ask(&Pose::from_translation([1.0, 0.0, 0.0])?, Limits::default())?;
    /// assert!((shared.value.volume - 5.0 / 12.0 * std::f64::consts::PI).abs() < 1e-9);
    /// // Without cones, balls push along their line of centres.
    /// let push = shared.value.cones.map(|cones| cones.push.force);
    /// assert!(push.is_some_and(|force| force.x > 0.0 && force.y == 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Result<Bounded<PenetrationVolume>, PenetrationError> {
        match &mut self.solids {
            Solids::Bodies(a, b) => a.overlap_by(self.method, b, a_from_b, limits, &mut self.cache),
            Solids::External(pair) => {
                let found = pair.shared_volume(a_from_b, limits);
                Ok(Bounded {
                    value: PenetrationVolume::of_method(self.method, found.value),
                    lower: found.lower,
                    upper: found.upper,
                    outcome: found.outcome,
                })
            }
        }
    }
}
