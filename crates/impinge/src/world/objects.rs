//! Adds, changes and removes objects.

use super::body::{Body, Class, WorldObject};
use super::world::{World, WorldError};
use crate::bound::Aabb;
use crate::broad::ObjectId;
use crate::math::Pose;
use crate::pair::Shape;

impl World {
    /// Adds an object; it is tested from the next step on.
    ///
    /// # Errors
    /// When there are too many objects.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, World}};
    /// let mut world = World::default();
    /// let id = world.insert(Body::new(Shape::from(Ball::new(1.0)?)))?;
    /// assert_eq!(world.len(), 1);
    /// world.remove(id)?;
    /// assert!(world.remove(id).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert(&mut self, body: Body) -> Result<ObjectId, WorldError> {
        let count = self.objects.len();
        let own_box = self.own_boxes.of(&body.shape);
        let id = self
            .objects
            .insert(WorldObject::new(body, own_box, self.config.boxes));
        let id = id.ok_or(WorldError::TooMany { count })?;
        self.entered(id);
        Ok(id)
    }

    /// Takes an object in under an id that another pool gave; nothing happens when its slot is taken.
    pub(super) fn insert_as(&mut self, id: ObjectId, body: Body) -> bool {
        let own_box = self.own_boxes.of(&body.shape);
        let object = WorldObject::new(body, own_box, self.config.boxes);
        let is_in = self.objects.insert_as(id, object);
        if is_in {
            self.entered(id);
        }
        is_in
    }

    fn entered(&mut self, id: ObjectId) {
        self.touch(id);
        if let (Some(recorder), Some(object)) = (&mut self.recorder, self.objects.get(id)) {
            recorder.inserted(id, &object.body);
        }
    }

    /// Removes an object. Its pairs end at the next step.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn remove(&mut self, id: ObjectId) -> Result<(), WorldError> {
        let children: Vec<ObjectId> = self.children_of(id);
        for child in children {
            self.release(child)?;
        }
        let object = self.objects.remove(id).ok_or(WorldError::Unknown { id })?;
        self.index.take();
        if object.is_in_broad {
            self.broad.remove(id)?;
        }
        self.enclosed.remove(&id);
        self.interest.forget(id);
        if let Some(recorder) = &mut self.recorder {
            recorder.removed(id);
        }
        Ok(())
    }

    /// Moves an object.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn set_pose(&mut self, id: ObjectId, world_from_body: Pose) -> Result<(), WorldError> {
        self.object_mut(id)?.body.world_from_body = world_from_body;
        self.touch(id);
        if let Some(recorder) = &mut self.recorder {
            recorder.moved(id, &world_from_body);
        }
        Ok(())
    }

    /// Makes an object static or moving. Two static objects have no events with each other.
    ///
    /// # Errors
    /// When there is no such object.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, World}};
    /// let mut world = World::default();
    /// let id = world.insert(Body::new(Shape::from(Ball::new(1.0)?)))?;
    /// world.set_static(id, true)?;
    /// world.set_tag(id, 7)?;
    /// assert!(world.bodies().all(|(_, body)| body.is_static && body.tag == 7));
    /// assert!(world.bounds(id).is_none(), "no step yet");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_static(&mut self, id: ObjectId, is_static: bool) -> Result<(), WorldError> {
        self.object_mut(id)?.body.is_static = is_static;
        self.listeners_version += 1;
        if let Some(recorder) = &mut self.recorder {
            recorder.made_static(id, is_static);
        }
        Ok(())
    }

    /// Gives an object another tag.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn set_tag(&mut self, id: ObjectId, tag: u64) -> Result<(), WorldError> {
        self.object_mut(id)?.body.tag = tag;
        self.listeners_version += 1;
        if let Some(recorder) = &mut self.recorder {
            recorder.tagged(id, tag);
        }
        Ok(())
    }

    /// Moves an object to another class.
    ///
    /// # Errors
    /// When there is no such object.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, Class, EventMask, World}};
    /// let mut world = World::default();
    /// world.interest_mut().set_classes(Class(0), Class(1), EventMask::TOUCHING);
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// world.insert(Body::new(ball.clone()))?;
    /// let b = world.insert(Body::new(ball))?;
    /// assert!(world.step().events.is_empty());
    /// world.set_class(b, Class(1))?;
    /// assert_eq!(world.step().events.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_class(&mut self, id: ObjectId, class: Class) -> Result<(), WorldError> {
        self.object_mut(id)?.body.class = class;
        if !self.config.classes.is_empty() {
            self.table.forget(id);
        }
        self.listeners_version += 1;
        if let Some(recorder) = &mut self.recorder {
            recorder.classed(id, class);
        }
        Ok(())
    }

    /// Gives an object another shape, where it is. That counts as a move.
    ///
    /// # Errors
    /// When there is no such object.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, Class, EventMask, World}};
    /// let mut world = World::default();
    /// world.interest_mut().set_classes(Class(0), Class(0), EventMask::CONTACT);
    /// let small = Shape::from(Ball::new(1.0)?);
    /// let a = world.insert(Body::new(small.clone()))?;
    /// world.insert(Body::new(small).at(Pose::from_translation([3.0, 0.0, 0.0])?))?;
    /// assert!(world.step().events.is_empty());
    /// world.set_shape(a, Shape::from(Ball::new(2.5)?))?;
    /// assert_eq!(world.step().events[0].what.name(), "contact-begin");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_shape(&mut self, id: ObjectId, shape: Shape) -> Result<(), WorldError> {
        let own_box = self.own_boxes.of(&shape);
        let boxes = self.config.boxes;
        self.object_mut(id)?.reshape(shape, own_box, boxes);
        // What pairs learnt was about the old one, and filters may ask for the kind.
        self.table.forget(id);
        self.listeners_version += 1;
        self.touch(id);
        if let (Some(recorder), Some(object)) = (&mut self.recorder, self.objects.get(id)) {
            recorder.reshaped(id, &object.body.shape);
        }
        Ok(())
    }

    /// Gives an object another name; an empty one removes it.
    ///
    /// # Errors
    /// When there is no such object.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, World}};
    /// let mut world = World::default();
    /// let id = world.insert(Body::new(Shape::from(Ball::new(1.0)?)))?;
    /// world.set_name(id, "marble")?;
    /// assert_eq!(world.body(id).and_then(|body| body.name.as_deref()), Some("marble"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_name(&mut self, id: ObjectId, name: &str) -> Result<(), WorldError> {
        self.object_mut(id)?.body.name = (!name.is_empty()).then(|| name.into());
        if let Some(recorder) = &mut self.recorder {
            recorder.named(id, name);
        }
        Ok(())
    }

    /// An object; none when there is no such.
    #[must_use]
    pub fn body(&self, id: ObjectId) -> Option<&Body> {
        self.objects.get(id).map(|object| &object.body)
    }

    /// All objects, by id.
    pub fn bodies(&self) -> impl Iterator<Item = (ObjectId, &Body)> {
        self.objects.iter().map(|(id, object)| (id, &object.body))
    }

    /// The box of an object at the last step, with room for rounding: none before its first step, or when its shape has no
    /// points.
    #[must_use]
    pub fn bounds(&self, id: ObjectId) -> Option<Aabb> {
        self.objects.get(id)?.bounds
    }

    pub(super) fn object_mut(&mut self, id: ObjectId) -> Result<&mut WorldObject, WorldError> {
        self.objects.get_mut(id).ok_or(WorldError::Unknown { id })
    }

    /// Puts an object into the buffer of moved ones, once.
    pub(super) fn touch(&mut self, id: ObjectId) {
        self.index.take();
        let next = self.frame.number + 1;
        if let Some(object) = self.objects.get_mut(id)
            && object.moved != next
        {
            object.moved = next;
            self.moved.push(id);
        }
    }
}
