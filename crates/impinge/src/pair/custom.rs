//! User-defined shapes.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::bound::Aabb;
use crate::convex::ConvexSolid;

/// A user-defined kind of shape.
///
/// Queries are answered by the functions that a [`PairRegistry`](super::PairRegistry) holds for its
/// name. Without functions, a kind that is [convex](Self::solid) is queried like the library's own
/// convex kinds; others are refused.
///
/// ```
/// use impinge::{bound::Aabb, pair::{CustomShape, Shape, ShapeKind}, DVec3};
/// use std::{any::Any, sync::Arc};
/// #[derive(Debug)]
/// struct Torus { ring: f64, tube: f64 }
/// impl CustomShape for Torus {
///     fn name(&self) -> &str { "torus" }
///     fn bounds(&self) -> Option<Aabb> {
///         let half = DVec3::new(self.ring + self.tube, self.ring + self.tube, self.tube);
///         Some(Aabb { min: -half, max: half })
///     }
///     fn as_any(&self) -> &dyn Any { self }
/// }
/// let torus = Shape::Custom(Arc::new(Torus { ring: 2.0, tube: 0.5 }));
/// assert_eq!(torus.kind(), ShapeKind::Custom);
/// ```
pub trait CustomShape: Any + Debug + Send + Sync {
    /// The name of the kind: what functions are registered for.
    fn name(&self) -> &str;

    /// A box around it in its own frame; none when it has no bounds.
    fn bounds(&self) -> Option<Aabb>;

    /// Itself, for the functions to look inside.
    fn as_any(&self) -> &dyn Any;

    /// Itself as a bounded convex solid, when it is one.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bound::Aabb, convex::{Ball, ConvexSolid, SupportMap, SupportPoint}, query::Limits};
    /// use impinge::pair::{CustomShape, DistanceQuery, PairConfig, Shape};
    /// use std::{any::Any, sync::Arc};
    /// /// A flat disk around z.
    /// #[derive(Debug)]
    /// struct Disk { radius: f64 }
    /// impl SupportMap for Disk {
    ///     fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
    ///         let out = DVec3::new(direction.x, direction.y, 0.0).normalize_or_zero();
    ///         SupportPoint { point: out * self.radius, vertex: 0 }
    ///     }
    ///     fn bounds(&self) -> Aabb {
    ///         let half = DVec3::new(self.radius, self.radius, 0.0);
    ///         Aabb { min: -half, max: half }
    ///     }
    /// }
    /// impl CustomShape for Disk {
    ///     fn name(&self) -> &str { "disk" }
    ///     fn bounds(&self) -> Option<Aabb> { Some(SupportMap::bounds(self)) }
    ///     fn as_any(&self) -> &dyn Any { self }
    ///     fn solid(self: Arc<Self>) -> Option<Arc<dyn ConvexSolid>> { Some(self) }
    /// }
    /// let (disk, ball) = (Shape::Custom(Arc::new(Disk { radius: 2.0 })), Shape::from(Ball::new(1.0)?));
    /// let mut query = DistanceQuery::new(&disk, &ball, &PairConfig::default())?;
    /// let found = query.at(&Pose::from_translation([5.0, 0.0, 0.0])?, Limits::default());
    /// assert!(found.value.is_some_and(|s| (s.distance - 2.0).abs() < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn solid(self: Arc<Self>) -> Option<Arc<dyn ConvexSolid>> {
        None
    }
}

/// A convex solid that has no name of its own.
#[derive(Debug)]
pub(super) struct UnnamedSolid(pub(super) Arc<dyn ConvexSolid>);

impl CustomShape for UnnamedSolid {
    fn name(&self) -> &str {
        "convex solid"
    }
    fn bounds(&self) -> Option<Aabb> {
        Some(self.0.bounds())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn solid(self: Arc<Self>) -> Option<Arc<dyn ConvexSolid>> {
        Some(self.0.clone())
    }
}
