//! Objects that are attached to an enclosing object.

use super::body::Enclosure;
use super::world::{World, WorldError};
use crate::broad::ObjectId;

impl World {
    /// Takes an object out of the broad phase and attaches it to another that encloses it: the two
    /// are always near. For objects whose own box is expensive or not useful, such as particles in
    /// a tank.
    ///
    /// # Errors
    /// When there is no such object, or one of them is enclosed or encloses already.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, Enclosure, World}};
    /// let mut world = World::default();
    /// let tank = world.insert(Body::new(Shape::from(Ball::new(2.0)?)))?;
    /// let drop = world.insert(Body::new(Shape::from(Ball::new(0.5)?)))?;
    /// world.enclose(drop, tank, Enclosure::ParentOnly)?;
    /// assert!(world.enclose(tank, drop, Enclosure::ParentOnly).is_err());
    /// // The two are near, though the broad phase knows only the tank.
    /// assert_eq!(world.step().stats.near, 1);
    /// assert_eq!(world.broad_phase().bodies().len(), 1);
    /// world.release(drop)?;
    /// world.step();
    /// assert_eq!(world.broad_phase().bodies().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn enclose(
        &mut self,
        child: ObjectId,
        parent: ObjectId,
        mode: Enclosure,
    ) -> Result<(), WorldError> {
        let is_enclosed = self.object_mut(parent)?.enclosed.is_some();
        if child == parent || is_enclosed || !self.children_of(child).is_empty() {
            return Err(WorldError::Nested { child, parent });
        }
        let object = self.object_mut(child)?;
        object.enclosed = Some((parent, mode));
        if std::mem::take(&mut object.is_in_broad) {
            self.broad.remove(child)?;
        }
        self.enclosed.insert(child, parent);
        self.touch(child);
        if let Some(recorder) = &mut self.recorder {
            recorder.enclosed(child, Some((parent, mode)));
        }
        Ok(())
    }

    /// Returns an enclosed object to the broad phase.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn release(&mut self, child: ObjectId) -> Result<(), WorldError> {
        if self.object_mut(child)?.enclosed.take().is_some() {
            self.enclosed.remove(&child);
            self.touch(child);
            if let Some(recorder) = &mut self.recorder {
                recorder.enclosed(child, None);
            }
        }
        Ok(())
    }

    pub(super) fn children_of(&self, parent: ObjectId) -> Vec<ObjectId> {
        let enclosed = self.enclosed.iter();
        let own = enclosed.filter(|(_, encloser)| **encloser == parent);
        own.map(|(&child, _)| child).collect()
    }
}
