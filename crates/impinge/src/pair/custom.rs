//! Shapes of the user's own.

use std::any::Any;
use std::fmt::Debug;

use crate::bound::Aabb;

/// A kind of shape that the library does not know.
///
/// Questions about it are answered by the functions that a [`Registry`](super::Registry) holds for its name.
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
}
