//! Narrow phase of one pair, with its caches.

use super::body::WorldObject;
use super::slots::Slots;
use super::world::WorldConfig;
use crate::broad::ObjectPair;
use crate::convex::{ConvexPenetration, Feature};
use crate::math::{Motion, Pose};
use crate::pair::{
    ContactPoint, ContactQuery, DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery,
    OverlapQuery, PairConfig, Shape, SharedVolumeError, SolidOverlap, Unsupported,
};
use crate::query::{Bounded, FaceId, FacePair, Impact, Limits, Separation};

/// Test budget of the minimum translation of a pair that touches but has no contact point; when it is exhausted, the best
/// result so far is used.
const WAY_OUT_TESTS: u64 = 1 << 18;

/// Id of the contact made from the minimum translation when the features give none; at most one per pair.
const WAY_OUT: u64 = u64::MAX;

/// Queries of one pair, created on first use. They cache axes, simplices and nearest features.
#[derive(Debug, Default)]
pub(super) struct PairQueries {
    intersection: Option<Result<IntersectionQuery, Unsupported>>,
    contact: Option<Result<ContactQuery, Unsupported>>,
    distance: Option<Result<DistanceQuery, Unsupported>>,
    depth: Option<Result<DepthQuery, Unsupported>>,
    impact: Option<Result<ImpactQuery, Unsupported>>,
    overlap: Option<Result<Box<OverlapQuery>, SharedVolumeError>>,
}

/// Two shapes and how to query them.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryPair<'w> {
    pub(super) a: &'w Shape,
    pub(super) b: &'w Shape,
    pub(super) config: &'w PairConfig,
    /// From which distance on contacts count.
    pub(super) margin: f64,
}

/// That two shapes touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstTouch {
    /// Two faces that meet; a shape inside another has none.
    pub(super) witness: Option<FacePair>,
}

impl PairQueries {
    /// Whether they touch, and how.
    pub(super) fn touches(
        &mut self,
        of: QueryPair<'_>,
        a_from_b: &Pose,
    ) -> Result<Option<FirstTouch>, Unsupported> {
        let query = self
            .intersection
            .get_or_insert_with(|| IntersectionQuery::new(of.a, of.b, of.config));
        match query {
            Ok(query) => {
                let first = query.first(a_from_b);
                Ok(first.map(|witness| FirstTouch { witness }))
            }
            Err(refused) => Err(*refused),
        }
    }

    /// Adds the points where they touch or come within the margin. If they are known to touch and no features meet, one being inside the other, the
    /// shortest way out is a contact.
    pub(super) fn contacts(
        &mut self,
        of: QueryPair<'_>,
        a_from_b: &Pose,
        known: Option<FirstTouch>,
        points: &mut Vec<ContactPoint>,
    ) -> Result<(), Unsupported> {
        let query = self
            .contact
            .get_or_insert_with(|| ContactQuery::new(of.a, of.b, of.config));
        let before = points.len();
        let asked = match query {
            Ok(query) => {
                query.at(a_from_b, of.margin, points);
                Ok(())
            }
            Err(refused) => Err(*refused),
        };
        if points.len() == before
            && let Some(touch) = known
        {
            points.extend(self.way_out(of, a_from_b, touch));
        }
        asked
    }

    /// The minimum translation of a pair that touches, as a contact.
    fn way_out(
        &mut self,
        of: QueryPair<'_>,
        a_from_b: &Pose,
        touch: FirstTouch,
    ) -> Option<ContactPoint> {
        let limits = Limits {
            max_tests: Some(WAY_OUT_TESTS),
            ..Limits::default()
        };
        let found = self.depth(of, a_from_b, limits).ok()?.value?;
        let face = |id: FaceId| Feature::Face(id.raw());
        let (face_a, face_b) = touch
            .witness
            .map_or((FaceId::new(0), FaceId::new(0)), |w| (w.a, w.b));
        Some(ContactPoint {
            point_a: found.point_a,
            point_b: found.point_b,
            normal: found.normal,
            depth: (found.point_a - found.point_b).dot(found.normal),
            feature_a: face(face_a),
            feature_b: face(face_b),
            child_a: 0,
            child_b: 0,
            id: WAY_OUT,
        })
    }

    pub(super) fn depth(
        &mut self,
        of: QueryPair<'_>,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Result<Bounded<Option<ConvexPenetration>>, Unsupported> {
        let query = self
            .depth
            .get_or_insert_with(|| DepthQuery::new(of.a, of.b, of.config));
        match query {
            Ok(query) => Ok(query.at(a_from_b, limits)),
            Err(refused) => Err(*refused),
        }
    }

    fn impact(
        &mut self,
        of: QueryPair<'_>,
        (a, b): (&Motion, &Motion),
        limits: Limits<'_>,
    ) -> Result<Bounded<Option<Impact>>, Unsupported> {
        let query = self
            .impact
            .get_or_insert_with(|| ImpactQuery::new(of.a, of.b, of.config));
        match query {
            Ok(query) => Ok(query.during(a, b, limits)),
            Err(refused) => Err(*refused),
        }
    }

    /// The volume that they share, with its force.
    pub(super) fn overlap(
        &mut self,
        of: QueryPair<'_>,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Result<Bounded<SolidOverlap>, SharedVolumeError> {
        let query = self
            .overlap
            .get_or_insert_with(|| OverlapQuery::new(of.a, of.b, of.config).map(Box::new));
        match query {
            Ok(query) => query.at(a_from_b, limits),
            Err(refused) => Err(*refused),
        }
    }

    pub(super) fn within(
        &mut self,
        of: QueryPair<'_>,
        a_from_b: &Pose,
        distance: f64,
    ) -> Result<Option<Separation>, Unsupported> {
        let query = self
            .distance
            .get_or_insert_with(|| DistanceQuery::new(of.a, of.b, of.config));
        let limits = Limits {
            max_distance: Some(distance),
            ..Limits::default()
        };
        match query {
            Ok(query) => {
                let found = query.at(a_from_b, limits).value;
                Ok(found.filter(|found| found.distance <= distance))
            }
            Err(refused) => Err(*refused),
        }
    }
}

/// One near pair, for repeated queries at other poses: for solvers that move two objects a little
/// and test again, without a broad phase. The world's objects are not moved.
///
/// ```
/// use impinge::{DVec3, Pose, broad::ObjectPair, convex::Ball, pair::Shape, world::{Body, World}};
/// let mut world = World::default();
/// let ball = Shape::from(Ball::new(1.0)?);
/// let a = world.insert(Body::new(ball.clone()))?;
/// let b = world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
/// world.step();
/// let mut pair = world.pair(ObjectPair::new(a, b)).ok_or("they are near")?;
/// assert_eq!(pair.pair(), ObjectPair::new(a, b));
/// assert!(pair.touches()?);
/// let mut points = Vec::new();
/// pair.contacts(&mut points)?;
/// assert_eq!((points[0].normal, points[0].depth), (DVec3::X, 0.5));
/// pair.place_b(Pose::from_translation([2.5, 0.0, 0.0])?);
/// assert!(!pair.touches()?);
/// assert_eq!(pair.within(1.0)?.map(|s| s.distance), Some(0.5));
/// pair.place_a(Pose::from_translation([1.0, 0.0, 0.0])?);
/// assert!(pair.touches()?);
/// let (world_from_a, world_from_b) = pair.poses();
/// assert_eq!((world_from_a.translation().x, world_from_b.translation().x), (1.0, 2.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PairHandle<'w> {
    pair: ObjectPair,
    questions: &'w mut PairQueries,
    of: QueryPair<'w>,
    world_from_a: Pose,
    world_from_b: Pose,
}

impl<'w> PairHandle<'w> {
    pub(super) fn new(
        pair: ObjectPair,
        questions: &'w mut PairQueries,
        objects: &'w Slots<WorldObject>,
        config: &'w WorldConfig,
    ) -> Option<Self> {
        let (a, b) = (objects.get(pair.a)?, objects.get(pair.b)?);
        Some(Self {
            pair,
            questions,
            of: QueryPair {
                a: &a.body.shape,
                b: &b.body.shape,
                config: config.pair_of(a.body.class, b.body.class),
                margin: config.margin(),
            },
            world_from_a: a.body.world_from_body,
            world_from_b: b.body.world_from_body,
        })
    }

    /// Which objects they are; `a` has the smaller id.
    #[must_use]
    pub fn pair(&self) -> ObjectPair {
        self.pair
    }

    /// The assumed poses of the two, `a` first.
    #[must_use]
    pub fn poses(&self) -> (Pose, Pose) {
        (self.world_from_a, self.world_from_b)
    }

    /// Sets the assumed pose of `a`.
    pub fn place_a(&mut self, world_from_a: Pose) {
        self.world_from_a = world_from_a;
    }

    /// Sets the assumed pose of `b`.
    pub fn place_b(&mut self, world_from_b: Pose) {
        self.world_from_b = world_from_b;
    }

    fn a_from_b(&self) -> Pose {
        self.world_from_a.inverse() * self.world_from_b
    }

    /// Whether the shapes touch.
    ///
    /// # Errors
    /// When that has no answer for the kinds of these shapes.
    pub fn touches(&mut self) -> Result<bool, Unsupported> {
        let answer = self.questions.touches(self.of, &self.a_from_b());
        answer.map(|touch| touch.is_some())
    }

    /// Adds the points where they touch, or come within the world's [margin](super::WorldConfig::contact_margin), in the frame of `a`. One inside the other, a solid, has the minimum translation as its
    /// contact.
    ///
    /// # Errors
    /// When that has no answer for the kinds of these shapes.
    pub fn contacts(&mut self, points: &mut Vec<ContactPoint>) -> Result<(), Unsupported> {
        let a_from_b = self.a_from_b();
        // Who does not know whether they touch may know where.
        let touch = self.questions.touches(self.of, &a_from_b).ok().flatten();
        self.questions.contacts(self.of, &a_from_b, touch, points)
    }

    /// Their distance and nearest points in the frame of `a`, when it is at most this.
    ///
    /// # Errors
    /// When that has no answer for the kinds of these shapes.
    pub fn within(&mut self, distance: f64) -> Result<Option<Separation>, Unsupported> {
        self.questions.within(self.of, &self.a_from_b(), distance)
    }

    /// Their penetration depth, with the direction in which `b` leaves and points in the frame of
    /// `a`; none when they are apart. Closed meshes are treated as solids.
    ///
    /// # Errors
    /// When that has no answer for the kinds of these shapes.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, broad::ObjectPair, convex::Cuboid, pair::Shape, query::Limits, world::{Body, World}};
    /// let mut world = World::default();
    /// let cube = Shape::from(Cuboid::new([1.0; 3])?);
    /// let a = world.insert(Body::new(cube.clone()))?;
    /// let b = world.insert(Body::new(cube).at(Pose::from_translation([1.75, 0.0, 0.0])?))?;
    /// world.step();
    /// let mut pair = world.pair(ObjectPair::new(a, b)).ok_or("they are near")?;
    /// let deep = pair.depth(Limits::default())?.value.ok_or("they overlap")?;
    /// assert!((deep.depth - 0.25).abs() < 1e-12 && deep.normal.distance(DVec3::X) < 1e-9);
    /// pair.place_b(Pose::from_translation([3.0, 0.0, 0.0])?);
    /// assert!(pair.depth(Limits::default())?.value.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn depth(
        &mut self,
        limits: Limits<'_>,
    ) -> Result<Bounded<Option<ConvexPenetration>>, Unsupported> {
        let a_from_b = self.a_from_b();
        self.questions.depth(self.of, &a_from_b, limits)
    }

    /// The volume that they share, with bounds and the force that separates them, in the frame of `a`; by the method of
    /// the pair's [configuration](crate::pair::PairConfig::volume_method).
    ///
    /// # Errors
    /// [`SharedVolumeError`] for shapes that bound no solid, or do not carry what the method needs.
    ///
    /// ```
    /// use impinge::{Pose, broad::ObjectPair, convex::Cuboid, pair::Shape, query::Limits, world::{Body, World}};
    /// let mut world = World::default();
    /// let cube = Shape::from(Cuboid::new([1.0; 3])?);
    /// let a = world.insert(Body::new(cube.clone()))?;
    /// let b = world.insert(Body::new(cube).at(Pose::from_translation([1.75, 0.0, 0.0])?))?;
    /// world.step();
    /// let mut pair = world.pair(ObjectPair::new(a, b)).ok_or("they are near")?;
    /// assert_eq!(pair.overlap(Limits::default())?.value.volume, 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap(
        &mut self,
        limits: Limits<'_>,
    ) -> Result<Bounded<SolidOverlap>, SharedVolumeError> {
        let a_from_b = self.a_from_b();
        self.questions.overlap(self.of, &a_from_b, limits)
    }

    /// The first contact if `a` and `b` move like this in the world; none when they do not touch.
    /// The assumed poses do not matter.
    ///
    /// # Errors
    /// When that has no answer for the kinds of these shapes.
    ///
    /// ```
    /// use impinge::{Pose, broad::ObjectPair, convex::Ball, math::Motion, pair::Shape, query::Limits, world::{Body, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let a = world.insert(Body::new(ball.clone()))?;
    /// let b = world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
    /// world.step();
    /// let mut pair = world.pair(ObjectPair::new(a, b)).ok_or("they are near")?;
    /// let far = Pose::from_translation([6.0, 0.0, 0.0])?;
    /// let (still, back) = (Motion::still(&pair.poses().0), Motion::between(&far, &pair.poses().1));
    /// let hit = pair.impact(&still, &back, Limits::default())?.value.ok_or("they meet on the way")?;
    /// assert!((6.0 - 4.5 * hit.time - 2.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impact(
        &mut self,
        a: &Motion,
        b: &Motion,
        limits: Limits<'_>,
    ) -> Result<Bounded<Option<Impact>>, Unsupported> {
        self.questions.impact(self.of, (a, b), limits)
    }
}
