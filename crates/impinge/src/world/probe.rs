//! Queries of a whole world: rays, balls, points and shapes.
//!
//! **Idea.** A BVH over the boxes of all objects, built when first needed and discarded when one of
//! them moves, excludes what a query does not come near; the remaining objects are queried like
//! single shapes, in their own frame.
//! **Promise.** Answers refer to the current poses, whether or not a step was made since objects
//! moved. On a tie the object with the lowest id is returned.
//! **Cost.** The first query after a movement builds the tree: `n log n` for `n` objects. Later
//! ones traverse it.

use std::ops::ControlFlow;

use glam::DVec3;

use super::world::World;
use crate::bound::Aabb;
use crate::broad::ObjectId;
use crate::geom::Ray;
use crate::math::Pose;
use crate::pair::{
    BallHit, BoxIndex, CastError, IntersectionQuery, Probe, RayHit, Shape, Unsupported, cast,
    cast_ball,
};
use crate::query::{Bounded, Outcome, Separation};

/// An object of a world and the result of a query of it, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectHit<H> {
    /// The object.
    pub object: ObjectId,
    /// The result.
    pub hit: H,
}

/// The boxes of all objects where they are now.
#[derive(Debug)]
pub(super) struct ObjectIndex {
    /// The objects with boxes in the tree, by id.
    ids: Vec<ObjectId>,
    tree: BoxIndex,
    /// Objects without bounds.
    unbounded: Vec<ObjectId>,
}

impl World {
    fn object_index(&self) -> &ObjectIndex {
        self.index.get_or_init(|| {
            let (mut ids, mut boxes, mut unbounded) = (Vec::new(), Vec::new(), Vec::new());
            for (id, object) in self.objects.iter() {
                match object.placed_bounds() {
                    Some(bounds) if bounds.min.is_finite() && bounds.max.is_finite() => {
                        ids.push(id);
                        boxes.push(bounds);
                    }
                    Some(_) => unbounded.push(id),
                    None => {}
                }
            }
            ObjectIndex {
                ids,
                tree: BoxIndex::new(boxes),
                unbounded,
            }
        })
    }

    /// Calls `visit` with objects and their shapes and places until no bound of another is below what it returned last.
    fn best_object(
        &self,
        best: f64,
        bound: &dyn Fn(&Aabb) -> f64,
        visit: &mut dyn FnMut(ObjectId, &Shape, &Pose) -> Result<f64, CastError>,
    ) -> Result<(), CastError> {
        let index = self.object_index();
        let mut wrong = None;
        let mut best = best;
        let mut ask = |id: ObjectId, best: f64| {
            let Some(body) = self.body(id) else {
                return best;
            };
            match visit(id, &body.shape, &body.world_from_body) {
                Ok(found) => found,
                Err(error) => {
                    wrong.get_or_insert(error);
                    // Nothing else is of interest.
                    f64::NEG_INFINITY
                }
            }
        };
        for &id in &index.unbounded {
            best = best.min(ask(id, best));
        }
        index.tree.best_first(best, bound, &mut |number| {
            if let Some(&id) = index.ids.get(number as usize) {
                best = best.min(ask(id, best));
            }
            best
        });
        wrong.map_or(Ok(()), Err)
    }

    /// The first object that a ray hits, and where; none when it hits nothing.
    ///
    /// # Errors
    /// [`CastError`] for a ray that is out of range in the frame of an object, and for an object of the user's own kind that is not
    /// convex and that the ray comes near.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, geom::Ray, world::{Body, World}};
    /// let mut world = World::default();
    /// let near = world.insert(Body::new(Ball::new(1.0)?).at(Pose::from_translation([4.0, 0.0, 0.0])?))?;
    /// world.insert(Body::new(Ball::new(1.0)?).at(Pose::from_translation([9.0, 0.0, 0.0])?))?;
    /// let found = world.cast_ray(&Ray::new([0.0; 3], [1.0, 0.0, 0.0])?)?.ok_or("a hit")?;
    /// assert_eq!((found.object, found.hit.t), (near, 3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(&self, ray: &Ray) -> Result<Option<ObjectHit<RayHit>>, CastError> {
        self.first_hit(&Probe::ray(ray))
    }

    /// The first object that a segment hits, ends included, with `t` from 0 to 1.
    ///
    /// # Errors
    /// As [`cast_ray`](Self::cast_ray), and for an end that is not finite or too large.
    ///
    /// ```
    /// use impinge::{convex::Ball, world::{Body, World}};
    /// let mut world = World::default();
    /// world.insert(Body::new(Ball::new(1.0)?))?;
    /// assert!(world.cast_segment([4.0, 0.0, 0.0], [2.0, 0.0, 0.0])?.is_none());
    /// assert!(world.cast_segment([4.0, 0.0, 0.0], [0.0; 3])?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_segment(
        &self,
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
    ) -> Result<Option<ObjectHit<RayHit>>, CastError> {
        self.first_hit(&Probe::segment(from.into(), to.into())?)
    }

    fn first_hit(&self, line: &Probe) -> Result<Option<ObjectHit<RayHit>>, CastError> {
        let mut best: Option<ObjectHit<RayHit>> = None;
        let longest = line.longest();
        self.best_object(
            longest,
            &|bounds| line.enters(bounds),
            &mut |object, shape, pose| {
                let own = line.placed(&pose.inverse())?;
                if let Some(hit) = cast(shape, &own)?
                    && best.is_none_or(|best| (hit.t, object) < (best.hit.t, best.object))
                {
                    let hit = RayHit {
                        point: *pose * hit.point,
                        normal: pose.transform_vector(hit.normal),
                        ..hit
                    };
                    best = Some(ObjectHit { object, hit });
                }
                Ok(best.map_or(longest, |best| best.hit.t))
            },
        )?;
        Ok(best)
    }

    /// The first object that a ball hits whose centre moves straight from `from` to `to`. The ball is certainly apart from everything
    /// before `lower` and meets something at `upper`, if that is finite.
    ///
    /// # Errors
    /// [`CastError`] for a bad radius or point, and for an object of a user-defined kind without time of impact.
    ///
    /// ```
    /// use impinge::{Pose, convex::Cuboid, world::{Body, World}};
    /// let mut world = World::default();
    /// let wall = world.insert(Body::new(Cuboid::new([1.0, 5.0, 5.0])?).at(Pose::from_translation([6.0, 0.0, 0.0])?))?;
    /// let found = world.cast_ball(0.5, [0.0; 3], [9.0, 0.0, 0.0])?;
    /// let first = found.value.ok_or("a hit")?;
    /// assert!(first.object == wall && (first.hit.t - 0.5).abs() < 1e-6 && found.lower <= 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ball(
        &self,
        radius: f64,
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
    ) -> Result<Bounded<Option<ObjectHit<BallHit>>>, CastError> {
        let (from, to) = (from.into(), to.into());
        let line = Probe::segment(from, to)?;
        let mut best = Bounded {
            value: None::<ObjectHit<BallHit>>,
            lower: 1.0,
            upper: f64::INFINITY,
            outcome: Outcome::Complete,
        };
        self.best_object(
            1.0,
            &|bounds| line.enters(&bounds.inflated(radius.max(0.0))),
            &mut |object, shape, pose| {
                let own = cast_ball(shape, pose, radius, [from, to])?;
                if let Some(hit) = own.value
                    && best
                        .value
                        .is_none_or(|best| (hit.t, object) < (best.hit.t, best.object))
                {
                    best.value = Some(ObjectHit { object, hit });
                }
                best.lower = best.lower.min(own.lower);
                best.upper = best.upper.min(own.upper);
                if own.outcome != Outcome::Complete {
                    best.outcome = own.outcome;
                }
                // What is entered after something is certainly met cannot be first.
                Ok(best.upper.min(1.0))
            },
        )?;
        Ok(best)
    }

    /// The object nearest to a point, with its nearest point as [`Separation::point_a`]; none when the world is empty.
    ///
    /// # Errors
    /// [`CastError`] for a point that is not finite or too large, and for an object of a user-defined kind without distance.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, world::{Body, World}};
    /// let mut world = World::default();
    /// let ball = world.insert(Body::new(Ball::new(1.0)?).at(Pose::from_translation([4.0, 0.0, 0.0])?))?;
    /// let nearest = world.closest_point([0.0; 3])?.ok_or("an object")?;
    /// assert_eq!((nearest.object, nearest.hit.distance), (ball, 3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_point(
        &self,
        point: impl Into<DVec3>,
    ) -> Result<Option<ObjectHit<Separation>>, CastError> {
        let point: DVec3 = point.into();
        // Says what is wrong with the point, also in an empty world.
        Probe::segment(point, point)?;
        let mut best: Option<ObjectHit<Separation>> = None;
        self.best_object(
            f64::MAX,
            &|bounds| bounds.distance_sq(point).sqrt() * (1.0 - 8.0 * f64::EPSILON),
            &mut |object, shape, pose| {
                let own = shape.closest_point(pose.inverse() * point)?.value;
                if let Some(own) = own
                    && best.is_none_or(|best| {
                        (own.distance, object) < (best.hit.distance, best.object)
                    })
                {
                    let hit = Separation {
                        distance: own.distance,
                        point_a: *pose * own.point_a,
                        point_b: point,
                    };
                    best = Some(ObjectHit { object, hit });
                }
                Ok(best.map_or(f64::MAX, |best| best.hit.distance))
            },
        )?;
        Ok(best)
    }

    /// The objects that a placed shape intersects, by id, with the
    /// [configuration](super::WorldConfig::pair) of the world.
    ///
    /// # Errors
    /// [`Unsupported`] for kinds of shapes without an intersection query.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Ball, Cuboid}, pair::Shape, world::{Body, World}};
    /// let mut world = World::default();
    /// let ball = world.insert(Body::new(Ball::new(1.0)?))?;
    /// world.insert(Body::new(Ball::new(1.0)?).at(Pose::from_translation([9.0, 0.0, 0.0])?))?;
    /// let probe = Shape::from(Cuboid::new([2.0, 2.0, 2.0])?);
    /// assert_eq!(world.overlapping(&probe, &Pose::IDENTITY)?, [ball]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlapping(
        &self,
        shape: &Shape,
        world_from_shape: &Pose,
    ) -> Result<Vec<ObjectId>, Unsupported> {
        let index = self.object_index();
        let mut near = index.unbounded.clone();
        match shape.bounds(world_from_shape) {
            Some(bounds) => {
                let far = bounds.min.abs().max(bounds.max.abs()).max_element();
                let wide = bounds.inflated(16.0 * f64::EPSILON * far.max(0.0));
                index.tree.meeting(&wide, &mut |number| {
                    near.extend(index.ids.get(number as usize));
                    ControlFlow::Continue(())
                });
            }
            None => near.extend(&index.ids),
        }
        near.sort_unstable();
        let mut met = Vec::new();
        for id in near {
            let Some(body) = self.body(id) else {
                continue;
            };
            let mut query = IntersectionQuery::new(shape, &body.shape, &self.config.pair)?;
            if query.any(&(world_from_shape.inverse() * body.world_from_body)) {
                met.push(id);
            }
        }
        Ok(met)
    }
}
