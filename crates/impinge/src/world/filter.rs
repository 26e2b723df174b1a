//! Filters: sets of objects and of pairs.

use std::fmt;
use std::sync::Arc;

use super::body::{Body, Class};
use crate::broad::ObjectId;
use crate::pair::ShapeKind;

/// Whether an object belongs to a set.
pub type Predicate = Arc<dyn Fn(ObjectId, &Body) -> bool + Send + Sync>;

/// A set of objects.
///
/// ```
/// use impinge::{convex::Ball, broad::ObjectId, pair::Shape, world::{Body, ObjectFilter}};
/// let (id, green) = (ObjectId::new(0, 0), 7);
/// let body = Body::new(Shape::from(Ball::new(1.0)?)).with_tag(green);
/// assert!(ObjectFilter::Tag(green).matches(id, &body) && !ObjectFilter::Tag(8).matches(id, &body));
/// let neither = !(ObjectFilter::Tag(8) | ObjectFilter::Id(id));
/// assert!(!neither.matches(id, &body));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub enum ObjectFilter {
    /// Every object.
    #[default]
    Any,
    /// This object.
    Id(ObjectId),
    /// Objects with a shape of this kind.
    Kind(ShapeKind),
    /// Objects of this class.
    Class(Class),
    /// Objects with this tag.
    Tag(u64),
    /// Objects for which the predicate holds. It is called once per pair and its result is stored.
    Custom(Predicate),
}

impl ObjectFilter {
    /// The objects for which the predicate holds.
    ///
    /// ```
    /// use impinge::{convex::Ball, broad::ObjectId, pair::Shape, world::{Body, ObjectFilter}};
    /// let even = ObjectFilter::custom(|_, body| body.tag % 2 == 0);
    /// assert!(even.matches(ObjectId::new(0, 0), &Body::new(Shape::from(Ball::new(1.0)?))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn custom(predicate: impl Fn(ObjectId, &Body) -> bool + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(predicate))
    }

    /// Whether the object belongs to the set.
    #[must_use]
    pub fn matches(&self, id: ObjectId, body: &Body) -> bool {
        match self {
            Self::Any => true,
            Self::Id(other) => id == *other,
            Self::Kind(kind) => body.shape.kind() == *kind,
            Self::Class(class) => body.class == *class,
            Self::Tag(tag) => body.tag == *tag,
            Self::Custom(predicate) => predicate(id, body),
        }
    }
}

impl std::ops::BitAnd for ObjectFilter {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self::custom(move |id, body| self.matches(id, body) && other.matches(id, body))
    }
}

impl std::ops::BitOr for ObjectFilter {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self::custom(move |id, body| self.matches(id, body) || other.matches(id, body))
    }
}

impl std::ops::Not for ObjectFilter {
    type Output = Self;
    fn not(self) -> Self {
        Self::custom(move |id, body| !self.matches(id, body))
    }
}

impl fmt::Debug for ObjectFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("Any"),
            Self::Id(id) => f.debug_tuple("Id").field(id).finish(),
            Self::Kind(kind) => f.debug_tuple("Kind").field(kind).finish(),
            Self::Class(class) => f.debug_tuple("Class").field(class).finish(),
            Self::Tag(tag) => f.debug_tuple("Tag").field(tag).finish(),
            Self::Custom(_) => f.write_str("Custom(..)"),
        }
    }
}

/// A set of pairs: one object in the first set, the other in the second, in either order.
#[derive(Clone, Debug, Default)]
#[doc(alias = "collision filtering")]
pub struct PairFilter(pub ObjectFilter, pub ObjectFilter);

impl PairFilter {
    /// Every pair.
    ///
    /// ```
    /// use impinge::{convex::Ball, broad::ObjectId, pair::Shape, world::{Body, PairFilter}};
    /// let body = Body::new(Shape::from(Ball::new(1.0)?));
    /// let (p, q) = (ObjectId::new(0, 0), ObjectId::new(1, 0));
    /// assert!(PairFilter::any().matches((p, &body), (q, &body)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn any() -> Self {
        Self::default()
    }

    /// Whether the pair belongs to the set.
    #[must_use]
    pub fn matches(&self, x: (ObjectId, &Body), y: (ObjectId, &Body)) -> bool {
        let Self(first, second) = self;
        (first.matches(x.0, x.1) && second.matches(y.0, y.1))
            || (first.matches(y.0, y.1) && second.matches(x.0, x.1))
    }
}
