//! Edits that are applied at the next step of a hosted world.

use std::fmt;

use super::accuracy::{AccuracyControl, ContactAccuracy};
use super::body::{Body, Class, Enclosure};
use super::edit_buffer::PendingEdits;
use super::interest_matrix::InterestMatrix;
use super::listener::{Listener, ListenerId};
use super::world::{World, WorldError};
use crate::broad::{BroadError, BroadPhase, ObjectId};
use crate::math::Pose;
use crate::pair::Shape;

/// A change of a world that waits for the next step.
#[derive(Debug)]
pub(super) enum Edit {
    Insert(ObjectId, Box<Body>),
    Remove(ObjectId),
    SetPose(ObjectId, Pose),
    SetStatic(ObjectId, bool),
    SetTag(ObjectId, u64),
    SetClass(ObjectId, Class),
    SetShape(ObjectId, Box<Shape>),
    SetName(ObjectId, String),
    Enclose(ObjectId, ObjectId, Enclosure),
    Release(ObjectId),
    Interest(InterestChange),
    Listen(Box<Listener>),
    Unlisten(ListenerId),
    SetBroadPhase(Box<dyn BroadPhase>),
    SetAccuracy(ContactAccuracy),
    SetAccuracyControl(Option<Box<AccuracyControl>>),
}

/// A change of what is requested of pairs.
pub(super) struct InterestChange(Box<dyn FnOnce(&mut InterestMatrix) + Send>);

impl fmt::Debug for InterestChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InterestChange(..)")
    }
}

impl Edit {
    /// The objects that must be there for it.
    pub(super) fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let (first, second) = match *self {
            Self::Remove(id)
            | Self::SetPose(id, _)
            | Self::SetStatic(id, _)
            | Self::SetTag(id, _)
            | Self::SetClass(id, _)
            | Self::SetShape(id, _)
            | Self::SetName(id, _)
            | Self::Release(id) => (Some(id), None),
            Self::Enclose(child, parent, _) => (Some(child), Some(parent)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Changes the world. What a listener removed meanwhile is gone, and what cannot be enclosed is not: that is no error.
    pub(super) fn apply(self, world: &mut World) {
        let _ = match self {
            Self::Insert(id, body) => {
                world.insert_as(id, *body);
                Ok(())
            }
            Self::Remove(id) => world.remove(id),
            Self::SetPose(id, pose) => world.set_pose(id, pose),
            Self::SetStatic(id, is_static) => world.set_static(id, is_static),
            Self::SetTag(id, tag) => world.set_tag(id, tag),
            Self::SetClass(id, class) => world.set_class(id, class),
            Self::SetShape(id, shape) => world.set_shape(id, *shape),
            Self::SetName(id, name) => world.set_name(id, &name),
            Self::Enclose(child, parent, mode) => world.enclose(child, parent, mode),
            Self::Release(child) => world.release(child),
            Self::Interest(InterestChange(change)) => {
                change(world.interest_mut());
                Ok(())
            }
            Self::Listen(listener) => {
                world.add_listener(*listener);
                Ok(())
            }
            Self::Unlisten(id) => {
                world.unlisten(id);
                Ok(())
            }
            Self::SetBroadPhase(new) => world.set_broad_phase(new),
            Self::SetAccuracy(accuracy) => {
                world.set_accuracy(accuracy);
                Ok(())
            }
            Self::SetAccuracyControl(control) => {
                world.set_accuracy_control(control.map(|control| *control));
                Ok(())
            }
        };
    }
}

/// Edits that are applied together, between two steps, in the order of the requests. An edit of an object that does not
/// exist at that moment does nothing.
///
/// ```
/// use impinge::{Pose, broad::{ObjectId, SweepAndPrune}, convex::Ball, pair::Shape};
/// use impinge::world::{ContactAccuracy, Body, Class, Edits, Enclosure, EventMask};
/// let (id, other) = (ObjectId::new(0, 0), ObjectId::new(1, 0));
/// let mut edits = Edits::default();
/// assert!(edits.is_empty());
/// edits.set_pose(id, Pose::IDENTITY);
/// edits.set_static(id, true);
/// edits.set_tag(id, 7);
/// edits.set_class(id, Class(1));
/// edits.set_shape(id, Shape::from(Ball::new(2.0)?));
/// edits.set_name(id, "buoy");
/// edits.enclose(id, other, Enclosure::ParentOnly);
/// edits.release(id);
/// edits.interest(|interest| interest.set_classes(Class(0), Class(1), EventMask::CONTACT));
/// edits.set_broad_phase(Box::new(SweepAndPrune::default()))?;
/// edits.set_accuracy(ContactAccuracy::Exact);
/// edits.set_accuracy_control(None);
/// edits.remove(other);
/// edits.insert(Body::new(Shape::from(Ball::new(1.0)?)));
/// assert_eq!(edits.len(), 14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Edits {
    wanted: Vec<InterestEdit>,
}

#[derive(Debug)]
enum InterestEdit {
    Insert(Box<Body>),
    Other(Edit),
}

impl Edits {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.wanted.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn push(&mut self, edit: Edit) {
        self.wanted.push(InterestEdit::Other(edit));
    }

    /// Adds an object; its id is returned when the edits are submitted.
    pub fn insert(&mut self, body: Body) {
        self.wanted.push(InterestEdit::Insert(Box::new(body)));
    }

    /// Removes an object.
    pub fn remove(&mut self, id: ObjectId) {
        self.push(Edit::Remove(id));
    }

    /// Moves an object.
    pub fn set_pose(&mut self, id: ObjectId, world_from_body: Pose) {
        self.push(Edit::SetPose(id, world_from_body));
    }

    /// Makes an object static or moving.
    pub fn set_static(&mut self, id: ObjectId, is_static: bool) {
        self.push(Edit::SetStatic(id, is_static));
    }

    /// Gives an object another tag.
    pub fn set_tag(&mut self, id: ObjectId, tag: u64) {
        self.push(Edit::SetTag(id, tag));
    }

    /// Moves an object to another class.
    pub fn set_class(&mut self, id: ObjectId, class: Class) {
        self.push(Edit::SetClass(id, class));
    }

    /// Gives an object another shape.
    pub fn set_shape(&mut self, id: ObjectId, shape: Shape) {
        self.push(Edit::SetShape(id, Box::new(shape)));
    }

    /// Gives an object another name.
    pub fn set_name(&mut self, id: ObjectId, name: &str) {
        self.push(Edit::SetName(id, name.to_owned()));
    }

    /// Attaches an object to one that encloses it, if that is possible then; see
    /// [`World::enclose`].
    pub fn enclose(&mut self, child: ObjectId, parent: ObjectId, mode: Enclosure) {
        self.push(Edit::Enclose(child, parent, mode));
    }

    /// Returns an enclosed object to the broad phase.
    pub fn release(&mut self, child: ObjectId) {
        self.push(Edit::Release(child));
    }

    /// Changes the requested events of pairs. The function runs on the world's thread, between two
    /// steps.
    pub fn interest(&mut self, change: impl FnOnce(&mut InterestMatrix) + Send + 'static) {
        self.push(Edit::Interest(InterestChange(Box::new(change))));
    }

    /// Replaces the broad phase by an empty one, which takes over all objects.
    ///
    /// # Errors
    /// When the new one has objects already; nothing is added then.
    pub fn set_broad_phase(&mut self, new: Box<dyn BroadPhase>) -> Result<(), WorldError> {
        let bodies = new.bodies().len();
        if bodies > 0 {
            return Err(BroadError::NotEmpty { bodies }.into());
        }
        self.push(Edit::SetBroadPhase(new));
        Ok(())
    }

    /// Sets the accuracy of all following steps, if no controller decides.
    pub fn set_accuracy(&mut self, accuracy: ContactAccuracy) {
        self.push(Edit::SetAccuracy(accuracy));
    }

    /// Sets a controller that chooses the accuracy of each step; none returns to the fixed
    /// accuracy.
    pub fn set_accuracy_control(&mut self, control: Option<AccuracyControl>) {
        self.push(Edit::SetAccuracyControl(control.map(Box::new)));
    }

    /// Hands all over; gives the ids of what is taken in, and what is refused.
    pub(super) fn put(self, pending: &mut PendingEdits, ids: &mut Vec<ObjectId>) -> Vec<Edit> {
        let mut refused = Vec::new();
        for wanted in self.wanted {
            match wanted {
                InterestEdit::Insert(body) => ids.extend(pending.insert(*body)),
                InterestEdit::Other(edit) => refused.extend(pending.change(edit)),
            }
        }
        refused
    }
}
