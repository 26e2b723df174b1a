//! Description of an object of a world.

use std::sync::Arc;

use glam::DVec3;

use super::shape_obb::{ShapeObb, smaller};
use crate::bound::{Aabb, Obb, RotationInvariantBox};
use crate::broad::ObjectId;
use crate::convex::TightBox;
use crate::math::Pose;
use crate::pair::Shape;

/// The class of an object, by which the interest matrix addresses many objects at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(pub u8);

/// A shape to be added to a world, with its pose, its class, and whether it will move.
///
/// Shapes are cheap to clone and share what is large, so a thousand bodies of one mesh have one
/// mesh and one index.
///
/// ```
/// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, Class}};
/// let shape = Shape::from(Ball::new(0.5)?);
/// let body = Body::new(shape.clone()).at(Pose::from_translation([1.0, 0.0, 0.0])?).in_class(Class(2)).fixed();
/// assert!(body.is_static && body.class == Class(2) && body.tag == 0);
/// assert_eq!(body.world_from_body.translation().x, 1.0);
/// let tagged = Body::new(shape).with_tag(7).named("left wheel");
/// assert!(!tagged.is_static && tagged.tag == 7 && tagged.name.as_deref() == Some("left wheel"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    /// The shape, in its own frame.
    pub shape: Shape,
    /// The pose of the shape.
    pub world_from_body: Pose,
    /// For the interest matrix.
    pub class: Class,
    /// A number of the user's, for filters.
    pub tag: u64,
    /// Whether it stays where it is: two static bodies are never tested against each other.
    pub is_static: bool,
    /// Its name, for traces and for people; it changes no answer.
    pub name: Option<Arc<str>>,
}

impl Body {
    /// A moving body at the origin, of class 0 and without a tag.
    #[must_use]
    pub fn new(shape: impl Into<Shape>) -> Self {
        Self {
            shape: shape.into(),
            world_from_body: Pose::IDENTITY,
            class: Class::default(),
            tag: 0,
            is_static: false,
            name: None,
        }
    }

    /// The same body at this pose.
    #[must_use]
    pub fn at(self, world_from_body: Pose) -> Self {
        Self {
            world_from_body,
            ..self
        }
    }

    /// The same body in that class.
    #[must_use]
    pub fn in_class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    /// The same body with that tag.
    #[must_use]
    pub fn with_tag(self, tag: u64) -> Self {
        Self { tag, ..self }
    }

    /// The same body with that name; an empty one is none.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        let name = (!name.is_empty()).then(|| name.into());
        Self { name, ..self }
    }

    /// The same body, static.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self {
            is_static: true,
            ..self
        }
    }
}

/// How a world finds the box along its axes of an object that moved. Overlap events refer to these boxes; nothing else depends on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BodyBoxes {
    /// The box of the shape in each pose, from all vertices of a small one and from the shape's own box for others.
    #[default]
    PerPose,
    /// The same, except that of a convex polyhedron with many vertices the extreme ones are kept from pose to pose: its box is tight.
    Incremental,
    /// A cube that contains the object in every orientation: it is never computed again, only moved.
    Maximal,
}

/// What an enclosed object is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enclosure {
    /// The object that encloses it, and nothing else.
    ParentOnly,
    /// Also whatever its encloser is near.
    InheritPairs,
}

/// Where a body is, worked out once per move.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedObject {
    pub(super) body_from_world: Pose,
    pub(super) bounds: Option<Aabb>,
    pub(super) outline: Option<Obb>,
    pub(super) tight: TightBox,
}

/// A body in a world.
#[derive(Debug)]
pub(super) struct WorldObject {
    pub(super) body: Body,
    /// The inverse of its pose. This and the boxes are made once per move, and all its pairs use them.
    pub(super) body_from_world: Pose,
    /// The box of the shape in the world; none for a shape without points.
    pub(super) bounds: Option<Aabb>,
    /// Whether the broad phase has it.
    pub(super) is_in_broad: bool,
    /// The step before which it moved last.
    pub(super) moved: u64,
    /// The box along its own axes in the world, where it is clearly smaller; none when the world does without.
    pub(super) outline: Option<Obb>,
    pub(super) enclosed: Option<(ObjectId, Enclosure)>,
    own_box: ShapeObb,
    /// For [`BodyBoxes::Incremental`].
    pub(super) tight: TightBox,
    /// For [`BodyBoxes::Maximal`]; none for other boxes and for shapes without bounds.
    maximal: Option<RotationInvariantBox>,
}

impl WorldObject {
    pub(super) fn new(body: Body, own_box: ShapeObb, boxes: BodyBoxes) -> Self {
        Self {
            tight: TightBox::default(),
            maximal: maximal_box(&body.shape, boxes),
            body_from_world: body.world_from_body.inverse(),
            body,
            bounds: None,
            is_in_broad: false,
            moved: 0,
            outline: None,
            enclosed: None,
            own_box,
        }
    }

    /// Gives it another shape.
    pub(super) fn reshape(&mut self, shape: Shape, own_box: ShapeObb, boxes: BodyBoxes) {
        self.tight = TightBox::default();
        self.maximal = maximal_box(&shape, boxes);
        self.body.shape = shape;
        self.own_box = own_box;
    }

    /// Everything that pairs need to know of where it is.
    pub(super) fn placed(&self, is_oriented: bool, boxes: BodyBoxes) -> PlacedObject {
        let mut tight = self.tight;
        let pose = &self.body.world_from_body;
        let bounds = match (boxes, &self.body.shape, &self.maximal) {
            (BodyBoxes::Maximal, _, Some(maximal)) => with_room(maximal.placed(pose)),
            (BodyBoxes::Incremental, Shape::Polyhedron(shape), _) => {
                with_room(tight.placed(shape, pose))
            }
            _ => self.placed_bounds(),
        };
        let outline = bounds.filter(|_| is_oriented);
        PlacedObject {
            body_from_world: self.body.world_from_body.inverse(),
            bounds,
            outline: outline.and_then(|bounds| self.placed_outline(&bounds)),
            tight,
        }
    }

    /// The box of the placed shape with room for rounding: none when it has no points, without end when the shape is.
    pub(super) fn placed_bounds(&self) -> Option<Aabb> {
        let Some(tight) = self.body.shape.bounds(&self.body.world_from_body) else {
            return Some(EVERYWHERE);
        };
        with_room(tight)
    }

    /// An oriented box around the shape, in its frame; none when it has no bounds or no points.
    pub(super) fn oriented(&self) -> Option<&Obb> {
        self.own_box.of(&self.body.shape)
    }

    /// The same box in the world, where it is clearly smaller than the placed one along the axes.
    fn placed_outline(&self, bounds: &Aabb) -> Option<Obb> {
        smaller(self.oriented()?, &self.body.world_from_body, bounds)
    }

    /// How much a test of the shape is worth, in the count of budgets: the depth of a tree over its parts.
    pub(super) fn weight(&self) -> u64 {
        let parts = match &self.body.shape {
            Shape::Mesh(mesh) => mesh.mesh().face_count(),
            Shape::HeightField(field) => field.face_count() as usize,
            Shape::Particles(particles) => particles.points().len(),
            Shape::Cloud(cloud) => cloud.cloud().len(),
            Shape::Compound(compound) => compound.children().len(),
            _ => 1,
        };
        1 + u64::from(parts.max(1).ilog2())
    }
}

/// The box with room for rounding; none when it is empty.
fn with_room(tight: Aabb) -> Option<Aabb> {
    // Also false for coordinates that are not numbers.
    if !(tight.min.cmple(tight.max)).all() {
        return None;
    }
    // Contact is decided in the frame of one of the two, boxes are compared in the world.
    let far = tight.min.abs().max(tight.max.abs()).max_element();
    Some(tight.inflated(ROUNDING * far))
}

/// The cube around the shape in every orientation, if the world wants it and the shape has bounds and points.
fn maximal_box(shape: &Shape, boxes: BodyBoxes) -> Option<RotationInvariantBox> {
    if boxes != BodyBoxes::Maximal {
        return None;
    }
    let bounds = shape.bounds(&Pose::IDENTITY)?;
    if !(bounds.min.cmple(bounds.max)).all() || !bounds.diagonal().is_finite() {
        return None;
    }
    let center = bounds.center();
    Some(match shape {
        Shape::Polyhedron(shape) => {
            RotationInvariantBox::new(shape.vertices().iter().copied(), center)
        }
        Shape::Mesh(shape) => {
            RotationInvariantBox::new(shape.mesh().positions().iter().copied(), center)
        }
        // All of them lie in the box, whose farthest point from the middle is a corner.
        _ => RotationInvariantBox::new([bounds.max], center),
    })
}

/// Room for the rounding of placed coordinates, per coordinate.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

const EVERYWHERE: Aabb = Aabb {
    min: DVec3::NEG_INFINITY,
    max: DVec3::INFINITY,
};
