//! A world in ten lines. Rays, balls, points and shapes against it are in [`world`](crate::world).

use crate::broad::ObjectId;
use crate::math::Pose;
use crate::pair::Shape;
use crate::world::{Body, EventMask, World, WorldError};

impl World {
    /// An empty world that reports these events of every two objects.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut world = World::watching(EventMask::CONTACT_BEGIN | EventMask::CONTACT_END);
    /// let ball = world.add(Ball::new(1.0)?, Pose::from_translation([0.0, 0.0, 5.0])?)?;
    /// world.add(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?, Pose::IDENTITY)?;
    /// for height in [5.0, 0.5, 5.0] {
    ///     world.set_pose(ball, Pose::from_translation([0.0, 0.0, height])?)?;
    ///     for event in &world.step().events {
    ///         println!("{:?} and {:?}: {}", event.pair.a, event.pair.b, event.what.name());
    ///     }
    /// }
    /// assert!(matches!(world.frame().events[0].what, EventKind::ContactEnd));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn watching(mask: EventMask) -> Self {
        let mut world = Self::default();
        world.interest_mut().set_reach(mask);
        world.interest_mut().set_general(move |_, _| mask);
        world
    }

    /// Adds a shape at a pose; it is tested from the next step on.
    ///
    /// # Errors
    /// When there are too many objects.
    pub fn add(
        &mut self,
        shape: impl Into<Shape>,
        world_from_shape: Pose,
    ) -> Result<ObjectId, WorldError> {
        self.insert(Body::new(shape).at(world_from_shape))
    }
}
