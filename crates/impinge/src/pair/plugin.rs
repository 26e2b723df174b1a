//! Shapes from plug-ins.

use std::any::Any;
use std::sync::Arc;

use glam::DVec3;
use impinge_plugin::{CreateError, KindHandle, Library};
use thiserror::Error;

use super::custom::CustomShape;
use super::pair_registry::{DistanceFn, IntersectionFn, PairFunctions, PairRegistry};
use super::shape::{Shape, ShapeKind};
use crate::bound::Aabb;
use crate::convex::{ConvexSolid, SupportMap, SupportPoint};
use crate::math::{MAX_COORDINATE, Pose};
use crate::query::{Bounded, Limits, Outcome, Separation};

/// Steps from a point down to a surface that returns its distance.
const MAX_DESCENTS: u32 = 16;

/// Half the width of a difference quotient, in units of the shape: the cube root of the rounding.
const DIFFERENCE: f64 = 6e-6;

/// How accurate a plug-in's distances and support points are taken to be, in units of the coordinates involved.
const ACCURACY: f64 = 64.0 * f64::EPSILON;

/// Why a plug-in's shape is refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The plug-in did not make it.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// It is larger than coordinates may be.
    #[error("a {kind} reaches {reach}, beyond the largest coordinate")]
    TooLarge {
        /// The name of its kind.
        kind: String,
        /// The largest of its bounds.
        reach: f64,
    },
}

/// A shape that a plug-in made.
///
/// A convex kind answers every query that the library's own convex kinds do. A kind that computes distances answers what
/// [`PairRegistry::register_plugin`] registers.
///
/// ```
/// use impinge::pair::{PluginError, PluginShape, Shape};
/// fn cushion(library: &impinge_plugin::Library) -> Option<Result<Shape, PluginError>> {
///     Some(PluginShape::create(library.kind("superellipsoid")?, &[1.0, 1.0, 0.5, 3.0]))
/// }
/// # let _ = cushion;
/// ```
#[derive(Debug)]
pub struct PluginShape {
    loaded: impinge_plugin::Shape,
    bounds: Aabb,
}

impl PluginShape {
    /// The shape of a kind with these parameters.
    ///
    /// # Errors
    /// [`PluginError`] when the plug-in refuses the parameters, or its shape has no bounds or is too large.
    pub fn create(kind: &KindHandle, parameters: &[f64]) -> Result<Shape, PluginError> {
        let loaded = kind.create(parameters)?;
        let [min, max] = loaded.bounds().map(DVec3::from);
        let reach = min.abs().max(max.abs()).max_element();
        if reach > MAX_COORDINATE {
            return Err(PluginError::TooLarge {
                kind: kind.name().to_owned(),
                reach,
            });
        }
        let bounds = Aabb { min, max };
        Ok(Shape::Custom(Arc::new(Self { loaded, bounds })))
    }

    /// The distance of a point from its surface, negative inside, when its kind computes it.
    ///
    /// ```
    /// use impinge::{DVec3, pair::{PluginShape, Shape}};
    /// fn height(shape: &Shape, point: DVec3) -> Option<f64> {
    ///     let Shape::Custom(custom) = shape else { return None };
    ///     custom.as_any().downcast_ref::<PluginShape>()?.signed_distance(point)
    /// }
    /// # let _ = height;
    /// ```
    #[must_use]
    pub fn signed_distance(&self, point: DVec3) -> Option<f64> {
        self.loaded.signed_distance(point.to_array())
    }

    /// The direction in which the distance grows.
    fn slope(&self, point: DVec3, size: f64) -> Option<DVec3> {
        let h = DIFFERENCE * size;
        let mut slope = DVec3::ZERO;
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            let (ahead, behind) = (point + axis * h, point - axis * h);
            slope[k] = self.signed_distance(ahead)? - self.signed_distance(behind)?;
        }
        slope.try_normalize()
    }

    /// A point of the surface near a point, and how far from the surface it is, going down the distance.
    fn foot(&self, point: DVec3) -> Option<(DVec3, f64)> {
        let size = self.bounds.half_extent().max_element() + point.abs().max_element();
        let mut best = (point, self.signed_distance(point)?);
        for _ in 0..MAX_DESCENTS {
            let (from, height) = best;
            let Some(slope) = self.slope(from, size) else {
                break;
            };
            let next = from - slope * height;
            let left = self.signed_distance(next)?;
            if left.abs() >= height.abs() {
                break;
            }
            best = (next, left);
        }
        Some(best)
    }
}

impl SupportMap for PluginShape {
    fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
        let point = self.loaded.support(direction.to_array());
        SupportPoint {
            point: point.map_or(self.bounds.center(), DVec3::from),
            vertex: 0,
        }
    }
    fn is_certain(&self) -> bool {
        true
    }
    fn bounds(&self) -> Aabb {
        self.bounds
    }
}

impl CustomShape for PluginShape {
    fn name(&self) -> &str {
        self.loaded.kind().name()
    }
    fn bounds(&self) -> Option<Aabb> {
        Some(self.bounds)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn solid(self: Arc<Self>) -> Option<Arc<dyn ConvexSolid>> {
        if self.loaded.kind().is_convex() {
            Some(self)
        } else {
            None
        }
    }
}

impl PairRegistry {
    /// Adds functions for the kinds of a plug-in that are not convex but compute distances:
    /// intersection and distance with balls and particles. Convex kinds need none.
    ///
    /// ```
    /// use impinge::pair::PairRegistry;
    /// fn registered(library: &impinge_plugin::Library) -> PairRegistry {
    ///     let registry = PairRegistry::new();
    ///     registry.register_plugin(library);
    ///     registry
    /// }
    /// # let _ = registered;
    /// ```
    pub fn register_plugin(&self, library: &Library) {
        let is_field = |kind: &&KindHandle| kind.has_distance() && !kind.is_convex();
        for kind in library.kinds().iter().filter(is_field) {
            for other in [ShapeKind::Ball, ShapeKind::Particles] {
                let meet: Arc<IntersectionFn> = Arc::new(meets_balls);
                let gap: Arc<DistanceFn> = Arc::new(distance_from_balls);
                let functions = PairFunctions {
                    intersection: Some(meet),
                    distance: Some(gap),
                    ..PairFunctions::default()
                };
                self.register(kind.name(), other, functions);
            }
        }
    }
}

/// Centres and radii.
type PluginBalls<'s> = Box<dyn Iterator<Item = (DVec3, f64)> + 's>;

/// The plug-in's shape, and the balls.
fn field_and_balls<'s>(a: &'s Shape, b: &'s Shape) -> Option<(&'s PluginShape, PluginBalls<'s>)> {
    let Shape::Custom(custom) = a else {
        return None;
    };
    let field = custom.as_any().downcast_ref()?;
    let balls: PluginBalls<'s> = match b {
        Shape::Ball(ball) => Box::new(std::iter::once((DVec3::ZERO, ball.radius()))),
        Shape::Particles(particles) => Box::new(particles.balls()),
        _ => return None,
    };
    Some((field, balls))
}

fn meets_balls(a: &Shape, b: &Shape, a_from_b: &Pose) -> bool {
    field_and_balls(a, b).is_some_and(|(field, mut balls)| {
        balls.any(|(center, radius)| {
            field
                .signed_distance(*a_from_b * center)
                .is_some_and(|height| height <= radius)
        })
    })
}

fn distance_from_balls(
    a: &Shape,
    b: &Shape,
    a_from_b: &Pose,
    limits: Limits<'_>,
) -> Bounded<Option<Separation>> {
    let none = |lower, outcome| Bounded::at_least(lower, outcome);
    let Some((field, balls)) = field_and_balls(a, b) else {
        return none(0.0, Outcome::OutOfBudget);
    };
    let within = limits.within();
    let mut lowest: Option<(DVec3, f64, f64)> = None;
    for (tests, (center, radius)) in (0_u64..).zip(balls) {
        if !limits.allows(tests) || limits.is_stopped() {
            return none(0.0, Outcome::OutOfBudget);
        }
        let center = *a_from_b * center;
        let height = field.signed_distance(center).unwrap_or(0.0);
        if lowest.is_none_or(|(_, best, of_best)| height - radius < best - of_best) {
            lowest = Some((center, height, radius));
        }
    }
    let lowest = lowest.filter(|(_, height, radius)| height - radius <= within);
    let Some((center, height, radius)) = lowest else {
        return none(within, Outcome::Complete);
    };
    let room = ACCURACY * (center.abs().max_element() + radius + height.abs());
    let distance = height - radius;
    if distance <= 0.0 {
        // A point of the ball that is inside as well: the centre, or the foot below it.
        let point = if height <= 0.0 {
            center
        } else {
            field.foot(center).map_or(center, |(foot, _)| foot)
        };
        let value = Some(Separation {
            distance: 0.0,
            point_a: point,
            point_b: point,
        });
        return Bounded {
            value,
            lower: 0.0,
            upper: 0.0,
            outcome: Outcome::Complete,
        };
    }
    let (foot, left) = field.foot(center).unwrap_or((center, height));
    let toward = (foot - center).normalize_or_zero();
    let value = Separation {
        distance,
        point_a: foot,
        point_b: center + toward * radius,
    };
    Bounded {
        value: Some(value),
        lower: (distance - room).max(0.0),
        // A slope that misleads leaves the foot above the surface; the surface is then within what is left.
        upper: (foot.distance(center) + left.abs() - radius + room).max(distance),
        outcome: Outcome::Complete,
    }
}
