//! The questions about one pair, and asking them again.

use super::body::Object;
use super::slots::Slots;
use crate::broad::Pair;
use crate::math::Pose;
use crate::pair::{
    ContactPoint, ContactQuery, DistanceQuery, IntersectionQuery, PairConfig, Shape, Unsupported,
};
use crate::query::{FacePair, First, Limits, Separation};

/// Questions about one pair, made when first asked. They keep what they learnt: axes, simplices, nearest features.
#[derive(Debug, Default)]
pub(super) struct Questions {
    intersection: Option<Result<IntersectionQuery, Unsupported>>,
    contact: Option<Result<ContactQuery, Unsupported>>,
    distance: Option<Result<DistanceQuery, Unsupported>>,
}

/// Two shapes and how to ask about them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'w> {
    pub(super) a: &'w Shape,
    pub(super) b: &'w Shape,
    pub(super) config: &'w PairConfig,
}

impl Questions {
    /// Whether they touch, and two faces that do; a shape inside another has no such faces.
    pub(super) fn touches(
        &mut self,
        of: Asked<'_>,
        a_from_b: &Pose,
    ) -> Result<(bool, Option<FacePair>), Unsupported> {
        let query = self
            .intersection
            .get_or_insert_with(|| IntersectionQuery::new(of.a, of.b, of.config));
        match query {
            Ok(query) => {
                let mut first = First::default();
                let _ = query.all(a_from_b, Limits::default(), &mut first);
                let is_inside = first.0.is_none() && of.config.solid && query.any(a_from_b);
                Ok((first.0.is_some() || is_inside, first.0))
            }
            Err(refused) => Err(*refused),
        }
    }

    pub(super) fn contacts(
        &mut self,
        of: Asked<'_>,
        a_from_b: &Pose,
        points: &mut Vec<ContactPoint>,
    ) -> Result<(), Unsupported> {
        let query = self
            .contact
            .get_or_insert_with(|| ContactQuery::new(of.a, of.b, of.config));
        match query {
            Ok(query) => {
                query.at(a_from_b, 0.0, points);
                Ok(())
            }
            Err(refused) => Err(*refused),
        }
    }

    pub(super) fn within(
        &mut self,
        of: Asked<'_>,
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

/// One near pair, to be asked again and again with other placements: for solvers that move two objects a little and
/// look again, without a broad phase. The world's objects stay where they are.
///
/// ```
/// use impinge::{DVec3, Pose, broad::Pair, convex::Ball, pair::Shape, world::{Body, World}};
/// let mut world = World::default();
/// let ball = Shape::from(Ball::new(1.0)?);
/// let a = world.insert(Body::new(ball.clone()))?;
/// let b = world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
/// world.step();
/// let mut pair = world.pair(Pair::new(a, b)).ok_or("they are near")?;
/// assert_eq!(pair.pair(), Pair::new(a, b));
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
    pair: Pair,
    questions: &'w mut Questions,
    of: Asked<'w>,
    world_from_a: Pose,
    world_from_b: Pose,
}

impl<'w> PairHandle<'w> {
    pub(super) fn new(
        pair: Pair,
        questions: &'w mut Questions,
        objects: &'w Slots<Object>,
        config: &'w PairConfig,
    ) -> Option<Self> {
        let (a, b) = (objects.get(pair.a)?, objects.get(pair.b)?);
        Some(Self {
            pair,
            questions,
            of: Asked {
                a: &a.body.shape,
                b: &b.body.shape,
                config,
            },
            world_from_a: a.body.world_from_body,
            world_from_b: b.body.world_from_body,
        })
    }

    /// Which objects they are; `a` has the smaller id.
    #[must_use]
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// Where the two are taken to be, `a` first.
    #[must_use]
    pub fn poses(&self) -> (Pose, Pose) {
        (self.world_from_a, self.world_from_b)
    }

    /// Takes `a` to be there.
    pub fn place_a(&mut self, world_from_a: Pose) {
        self.world_from_a = world_from_a;
    }

    /// Takes `b` to be there.
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
        answer.map(|(touches, _)| touches)
    }

    /// Adds the points where they touch, in the frame of `a`.
    ///
    /// # Errors
    /// When that has no answer for the kinds of these shapes.
    pub fn contacts(&mut self, points: &mut Vec<ContactPoint>) -> Result<(), Unsupported> {
        self.questions.contacts(self.of, &self.a_from_b(), points)
    }

    /// Their distance and nearest points in the frame of `a`, when it is at most this.
    ///
    /// # Errors
    /// When that has no answer for the kinds of these shapes.
    pub fn within(&mut self, distance: f64) -> Result<Option<Separation>, Unsupported> {
        self.questions.within(self.of, &self.a_from_b(), distance)
    }
}
