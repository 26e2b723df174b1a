//! Pair functions that users add at run time.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::contacts::ContactPoint;
use super::shape::{Shape, ShapeKind};
use super::unsupported::QueryKind;
use crate::convex::ConvexPenetration;
use crate::math::{Motion, Pose};
use crate::query::{Bounded, Impact, Limits, Separation, Sink};

/// Whether the placed shapes share a point.
pub type IntersectionFn = dyn Fn(&Shape, &Shape, &Pose) -> bool + Send + Sync;
/// How far apart the placed shapes are.
pub type DistanceFn =
    dyn Fn(&Shape, &Shape, &Pose, Limits<'_>) -> Bounded<Option<Separation>> + Send + Sync;
/// How deep the placed shapes are in one another.
pub type DepthFn =
    dyn Fn(&Shape, &Shape, &Pose, Limits<'_>) -> Bounded<Option<ConvexPenetration>> + Send + Sync;
/// Where the placed shapes come within a margin.
pub type ContactFn = dyn Fn(&Shape, &Shape, &Pose, f64, &mut dyn Sink<ContactPoint>) + Send + Sync;
/// When the moving shapes first touch.
pub type ImpactFn =
    dyn Fn(&Shape, &Shape, &Motion, &Motion, Limits<'_>) -> Bounded<Option<Impact>> + Send + Sync;

/// Functions for two kinds; a query without one is refused.
#[derive(Clone, Default)]
pub struct PairFunctions {
    /// Answers [`IntersectionQuery`](super::IntersectionQuery).
    pub intersection: Option<Arc<IntersectionFn>>,
    /// Answers [`DistanceQuery`](super::DistanceQuery).
    pub distance: Option<Arc<DistanceFn>>,
    /// Answers [`DepthQuery`](super::DepthQuery).
    pub depth: Option<Arc<DepthFn>>,
    /// Answers [`ContactQuery`](super::ContactQuery).
    pub contact: Option<Arc<ContactFn>>,
    /// Answers [`ImpactQuery`](super::ImpactQuery).
    pub impact: Option<Arc<ImpactFn>>,
}

impl PairFunctions {
    /// Whether there is a function for a query.
    pub(super) fn answer(&self, question: QueryKind) -> bool {
        match question {
            QueryKind::Intersection => self.intersection.is_some(),
            QueryKind::Distance => self.distance.is_some(),
            QueryKind::Depth => self.depth.is_some(),
            QueryKind::Contact => self.contact.is_some(),
            QueryKind::Impact => self.impact.is_some(),
        }
    }
}

impl fmt::Debug for PairFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PairFunctions")
            .field("intersection", &self.intersection.is_some())
            .field("distance", &self.distance.is_some())
            .field("depth", &self.depth.is_some())
            .field("contact", &self.contact.is_some())
            .field("impact", &self.impact.is_some())
            .finish()
    }
}

/// A registered kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KindName {
    /// A kind of the library.
    Known(ShapeKind),
    /// A kind of the user's own, by name.
    Custom(String),
}

impl From<ShapeKind> for KindName {
    fn from(kind: ShapeKind) -> Self {
        Self::Known(kind)
    }
}

impl From<&str> for KindName {
    fn from(name: &str) -> Self {
        Self::Custom(name.to_owned())
    }
}

impl From<&Shape> for KindName {
    fn from(shape: &Shape) -> Self {
        match shape {
            Shape::Custom(custom) => Self::Custom(custom.name().to_owned()),
            other => Self::Known(other.kind()),
        }
    }
}

/// Functions for pairs of kinds, of which at least one is the user's own. They go before the way in which convex user-defined kinds
/// are queried without functions.
///
/// Functions may be added while other threads query; a query keeps those that existed when it was built.
///
/// ```
/// use impinge::{Pose, bound::Aabb, convex::Ball, DVec3};
/// use impinge::pair::{CustomShape, IntersectionQuery, PairConfig, PairFunctions, PairRegistry, Shape, ShapeKind};
/// use std::{any::Any, sync::Arc};
/// #[derive(Debug)]
/// struct Shell { radius: f64 }
/// impl CustomShape for Shell {
///     fn name(&self) -> &str { "shell" }
///     fn bounds(&self) -> Option<Aabb> {
///         Some(Aabb { min: DVec3::splat(-self.radius), max: DVec3::splat(self.radius) })
///     }
///     fn as_any(&self) -> &dyn Any { self }
/// }
/// let registry = PairRegistry::new();
/// registry.register("shell", ShapeKind::Ball, PairFunctions {
///     intersection: Some(Arc::new(|a: &Shape, b: &Shape, pose: &Pose| {
///         let (Shape::Custom(a), Some(b)) = (a, b.bounds(&Pose::IDENTITY)) else { return false };
///         let Some(shell) = a.as_any().downcast_ref::<Shell>() else { return false };
///         (pose.translation().length() - shell.radius).abs() <= b.half_extent().x
///     })),
///     ..PairFunctions::default()
/// });
/// let config = PairConfig { registry: Some(Arc::new(registry)), ..PairConfig::default() };
/// let (shell, ball) = (Shape::Custom(Arc::new(Shell { radius: 5.0 })), Shape::from(Ball::new(1.0)?));
/// let mut query = IntersectionQuery::new(&ball, &shell, &config)?;
/// assert!(!query.any(&Pose::IDENTITY) && query.any(&Pose::from_translation([5.0, 0.0, 0.0])?));
/// assert!(IntersectionQuery::new(&shell, &shell, &config).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct PairRegistry {
    functions: RwLock<BTreeMap<(KindName, KindName), PairFunctions>>,
}

impl PairRegistry {
    /// A registry without functions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds functions for two kinds, given in this order; the other order is derived. Gives back what they replace.
    ///
    /// ```
    /// use impinge::pair::{PairFunctions, PairRegistry, ShapeKind};
    /// let registry = PairRegistry::new();
    /// assert!(registry.register("torus", ShapeKind::Ball, PairFunctions::default()).is_none());
    /// assert!(registry.register("torus", ShapeKind::Ball, PairFunctions::default()).is_some());
    /// ```
    pub fn register(
        &self,
        a: impl Into<KindName>,
        b: impl Into<KindName>,
        functions: PairFunctions,
    ) -> Option<PairFunctions> {
        let mut all = self
            .functions
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        all.insert((a.into(), b.into()), functions)
    }

    /// The functions for two shapes, and whether they want them swapped.
    pub(super) fn find(&self, a: &Shape, b: &Shape) -> Option<(PairFunctions, bool)> {
        let all = self
            .functions
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let (a, b) = (KindName::from(a), KindName::from(b));
        let key = (a, b);
        if let Some(found) = all.get(&key) {
            return Some((found.clone(), false));
        }
        let (a, b) = key;
        all.get(&(b, a)).map(|found| (found.clone(), true))
    }
}
