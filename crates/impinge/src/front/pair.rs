//! `Pair`: repeated queries of two shapes.

use std::fmt;

use crate::convex::ConvexPenetration;
use crate::math::{Motion, Pose};
use crate::pair::{
    ContactPoint, ContactQuery, DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery,
    Manifold, PairConfig, Shape, SharedVolumeError, Unsupported, VolumeQuery,
};
use crate::query::{Bounded, FacePair, First, Impact, Limits, Outcome, Separation, Sink};
use crate::volume::OverlapVolume;

/// Two shapes of any kinds with cached data of earlier answers: repeated queries cost less.
///
/// Every verb answers without allocating once the memory has grown. Only integers of coordinates that differ by more than a factor of about
/// 2^130 need more memory than they have at hand.
///
/// Queries that only some kinds support are built when first used, and refused then.
///
/// ```
/// use impinge::prelude::*;
/// let (cone, capsule) = (Cone::new(1.0, 1.0)?, Capsule::new([0.0; 3], [0.0, 0.0, 2.0], 0.5)?);
/// let mut pair = Pair::new(cone, capsule)?;
/// let beside = Pose::from_translation([3.0, 0.0, -1.0])?;
/// assert!(!pair.intersects(&beside));
/// assert!(pair.distance(&beside).value.is_some_and(|gap| (gap.distance - 1.5).abs() < 1e-9));
/// let falling = Motion::between(&Pose::from_translation([0.0, 0.0, 4.0])?, &Pose::IDENTITY);
/// assert!(pair.impact(&falling)?.value.is_some_and(|hit| (hit.time - 0.625).abs() < 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "FCL")]
#[doc(alias = "narrowphase")]
pub struct Pair {
    shapes: [Shape; 2],
    config: PairConfig,
    intersection: IntersectionQuery,
    distance: DistanceQuery,
    depth: Option<DepthQuery>,
    contact: Option<ContactQuery>,
    every_contact: Option<ContactQuery>,
    impact: Option<ImpactQuery>,
    volume: Option<VolumeQuery>,
    manifold: Manifold,
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.shapes;
        f.debug_struct("Pair")
            .field("a", &a.kind())
            .field("b", &b.kind())
            .finish_non_exhaustive()
    }
}

impl Pair {
    /// The pair of two shapes, their meshes taken as surfaces.
    ///
    /// # Errors
    /// [`Unsupported`] for user-defined kinds that are not convex and have no registered functions.
    ///
    /// ```
    /// use impinge::{generate::icosphere, prelude::*};
    /// let mut pair = Pair::new(Mesh::from(icosphere(5.0, 4)?), Ball::new(1.0)?)?;
    /// assert!(!pair.intersects(&Pose::IDENTITY));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: impl Into<Shape>, b: impl Into<Shape>) -> Result<Self, Unsupported> {
        Self::with_config(a, b, &PairConfig::default())
    }

    /// The pair of two shapes, their meshes treated as solids: a shape inside one intersects it.
    ///
    /// # Errors
    /// As [`new`](Self::new), and for open meshes.
    ///
    /// ```
    /// use impinge::{generate::icosphere, prelude::*};
    /// let mut pair = Pair::solids(Mesh::from(icosphere(5.0, 4)?), Ball::new(1.0)?)?;
    /// assert!(pair.intersects(&Pose::IDENTITY));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solids(a: impl Into<Shape>, b: impl Into<Shape>) -> Result<Self, Unsupported> {
        let config = PairConfig {
            solid: true,
            ..PairConfig::default()
        };
        Self::with_config(a, b, &config)
    }

    /// The pair of two shapes, with options.
    ///
    /// # Errors
    /// [`Unsupported`] for kinds without registered functions, engines that do not answer, and open meshes treated as solids.
    ///
    /// ```
    /// use impinge::{pair::PairConfig, prelude::*};
    /// let (config, cube) = (PairConfig { max_contacts: 2, ..PairConfig::default() }, Cuboid::new([1.0; 3])?);
    /// let mut pair = Pair::with_config(cube, cube, &config)?;
    /// assert_eq!(pair.contacts(&Pose::from_translation([0.0, 0.0, 2.0])?, 0.0)?.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_config(
        a: impl Into<Shape>,
        b: impl Into<Shape>,
        config: &PairConfig,
    ) -> Result<Self, Unsupported> {
        let (a, b): (Shape, Shape) = (a.into(), b.into());
        Ok(Self {
            intersection: IntersectionQuery::new(&a, &b, config)?,
            distance: DistanceQuery::new(&a, &b, config)?,
            shapes: [a, b],
            config: config.clone(),
            depth: None,
            contact: None,
            every_contact: None,
            impact: None,
            volume: None,
            manifold: Manifold::default(),
        })
    }

    /// The two shapes.
    ///
    /// ```
    /// use impinge::{pair::ShapeKind, prelude::*};
    /// let pair = Pair::new(Ball::new(1.0)?, Ball::new(2.0)?)?;
    /// assert_eq!(pair.shapes()[1].kind(), ShapeKind::Ball);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shapes(&self) -> &[Shape; 2] {
        &self.shapes
    }

    /// The same queries within limits of work or distance.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// let near = Limits { max_distance: Some(0.5), ..Limits::default() };
    /// assert!(pair.limits(near).distance(&Pose::from_translation([9.0, 0.0, 0.0])?).value.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn limits<'l>(&mut self, limits: Limits<'l>) -> LimitedPair<'_, 'l> {
        LimitedPair { pair: self, limits }
    }

    /// Whether the placed shapes share a point.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// assert!(pair.intersects(&Pose::from_translation([2.0, 0.0, 0.0])?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn intersects(&mut self, a_from_b: &Pose) -> bool {
        self.intersection.any(a_from_b)
    }

    /// Reports every two faces that share a point, each pair once; a shape without faces has face 0.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// let (mut pair, mut faces) = (Pair::new(&cube, &cube)?, Vec::new());
    /// assert_eq!(pair.intersections(&Pose::from_translation([0.5, 0.5, 0.5])?, &mut faces), Outcome::Complete);
    /// assert!(!faces.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn intersections(&mut self, a_from_b: &Pose, sink: &mut dyn Sink<FacePair>) -> Outcome {
        self.limits(Limits::default()).intersections(a_from_b, sink)
    }

    /// The distance of the placed shapes and two nearest points, with bounds; no value when a shape is empty.
    #[must_use]
    pub fn distance(&mut self, a_from_b: &Pose) -> Bounded<Option<Separation>> {
        self.limits(Limits::default()).distance(a_from_b)
    }

    /// The shortest translation of `b` that separates the placed shapes, with bounds on its length; no value when they are apart.
    /// Meshes are solids here.
    ///
    /// # Errors
    /// [`Unsupported`] for open meshes, height fields, two clouds, two half-spaces, and kinds without registered functions.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Cuboid::new([1.0; 3])?)?;
    /// let deep = pair.penetration(&Pose::from_translation([1.5, 0.0, 0.0])?)?;
    /// assert!(deep.value.is_some_and(|deep| (deep.depth - 0.5).abs() < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn penetration(
        &mut self,
        a_from_b: &Pose,
    ) -> Result<Bounded<Option<ConvexPenetration>>, Unsupported> {
        self.limits(Limits::default()).penetration(a_from_b)
    }

    /// The volume that the placed shapes share, with bounds, its centroid and its derivative.
    ///
    /// # Errors
    /// [`SharedVolumeError`] for open meshes, and for kinds without an exact method.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Cuboid::new([1.0; 3])?, Cuboid::new([2.0; 3])?)?;
    /// assert_eq!(pair.volume(&Pose::from_translation([2.5, 0.0, 0.0])?)?.value.volume, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn volume(&mut self, a_from_b: &Pose) -> Result<Bounded<OverlapVolume>, SharedVolumeError> {
        self.limits(Limits::default()).volume(a_from_b)
    }

    /// Where the placed shapes touch, or come within `margin` of each other: the contact manifold, at most
    /// [`PairConfig::max_contacts`] points of each normal. It stays until the next query about contacts.
    ///
    /// # Errors
    /// [`Unsupported`] for two half-spaces, and kinds without registered functions.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Cuboid::new([9.0, 9.0, 1.0])?, Cuboid::new([1.0; 3])?)?;
    /// let manifold = pair.contacts(&Pose::from_translation([0.0, 0.0, 1.875])?, 0.0)?;
    /// assert_eq!((manifold.len(), manifold.patches().len()), (4, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contacts(&mut self, a_from_b: &Pose, margin: f64) -> Result<&Manifold, Unsupported> {
        let [a, b] = &self.shapes;
        let query = made(&mut self.contact, || ContactQuery::new(a, b, &self.config))?;
        self.manifold.clear();
        query.at(a_from_b, margin, &mut self.manifold);
        self.manifold.group();
        Ok(&self.manifold)
    }

    /// Reports every contact point, not only a few of each normal.
    ///
    /// # Errors
    /// As [`contacts`](Self::contacts).
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let plate = Polyhedron::new(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|i: f64| DVec3::new(i.cos(), i.sin(), 0.0)))?;
    /// let (mut pair, mut points) = (Pair::new(Cuboid::new([9.0, 9.0, 1.0])?, plate)?, Vec::new());
    /// pair.all_contacts(&Pose::from_translation([0.0, 0.0, 1.0])?, 0.0, &mut points)?;
    /// assert_eq!(points.len(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn all_contacts(
        &mut self,
        a_from_b: &Pose,
        margin: f64,
        sink: &mut dyn Sink<ContactPoint>,
    ) -> Result<(), Unsupported> {
        let [a, b] = &self.shapes;
        let query = made(&mut self.every_contact, || {
            let config = PairConfig {
                max_contacts: usize::MAX,
                ..self.config.clone()
            };
            ContactQuery::new(a, b, &config)
        })?;
        query.at(a_from_b, margin, sink);
        Ok(())
    }

    /// The first contact while `b` moves in the frame of `a`; no value when they do not touch. The shapes are apart before `lower`
    /// and meet at `upper`, if that is finite.
    ///
    /// # Errors
    /// [`Unsupported`] for two half-spaces, and kinds without registered functions.
    pub fn impact(&mut self, a_from_b: &Motion) -> Result<Bounded<Option<Impact>>, Unsupported> {
        self.limits(Limits::default()).impact(a_from_b)
    }

    /// The first contact while both move; points and normals are in world coordinates.
    ///
    /// # Errors
    /// As [`impact`](Self::impact).
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]);
    /// let (right, left) = (Motion::between(&at(-4.0)?, &at(0.0)?), Motion::between(&at(4.0)?, &at(0.0)?));
    /// assert!(pair.impact_of(&right, &left)?.value.is_some_and(|hit| (hit.time - 0.75).abs() < 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impact_of(
        &mut self,
        a: &Motion,
        b: &Motion,
    ) -> Result<Bounded<Option<Impact>>, Unsupported> {
        self.limits(Limits::default()).impact_of(a, b)
    }
}

/// The query, made if it was not.
fn made<Q, E>(kept: &mut Option<Q>, make: impl FnOnce() -> Result<Q, E>) -> Result<&mut Q, E> {
    match kept {
        Some(query) => Ok(query),
        none => Ok(none.insert(make()?)),
    }
}

/// A [`Pair`] that is queried within limits: see [`Pair::limits`].
///
/// ```
/// use impinge::{generate::icosphere, prelude::*};
/// let ball = Mesh::from(icosphere(1.0, 8)?);
/// let mut pair = Pair::new(&ball, &ball)?;
/// let few = Limits { max_tests: Some(1), ..Limits::default() };
/// let aside = Pose::from_translation([0.5, 0.0, 0.0])?;
/// assert_eq!(pair.limits(few).intersects(&aside), None);
/// assert_eq!(pair.limits(few).distance(&aside).outcome, Outcome::OutOfBudget);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LimitedPair<'p, 'l> {
    pair: &'p mut Pair,
    limits: Limits<'l>,
}

impl LimitedPair<'_, '_> {
    /// Whether the placed shapes share a point; none when a limit was met first. Containment of
    /// solids is tested only if the limits allow testing all of their surfaces.
    #[must_use]
    pub fn intersects(&mut self, a_from_b: &Pose) -> Option<bool> {
        let mut first = First::default();
        let query = &mut self.pair.intersection;
        match query.all(a_from_b, self.limits, &mut first) {
            _ if first.0.is_some() => Some(true),
            Outcome::OutOfBudget => None,
            // The surfaces do not meet, but of solids one may be inside the other.
            _ => Some(self.pair.config.solid && query.any(a_from_b)),
        }
    }

    /// As [`Pair::intersections`].
    ///
    /// ```
    /// use impinge::{prelude::*, query::Count};
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// let (none, mut count) = (Limits { max_tests: Some(0), ..Limits::default() }, Count::default());
    /// assert_eq!(pair.limits(none).intersections(&Pose::IDENTITY, &mut count), Outcome::OutOfBudget);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn intersections(&mut self, a_from_b: &Pose, sink: &mut dyn Sink<FacePair>) -> Outcome {
        self.pair.intersection.all(a_from_b, self.limits, sink)
    }

    /// As [`Pair::distance`]; no value either when nothing is within [`Limits::max_distance`].
    #[must_use]
    pub fn distance(&mut self, a_from_b: &Pose) -> Bounded<Option<Separation>> {
        self.pair.distance.at(a_from_b, self.limits)
    }

    /// As [`Pair::penetration`].
    ///
    /// # Errors
    /// As [`Pair::penetration`].
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// assert!(pair.limits(Limits::default()).penetration(&Pose::from_translation([1.0, 0.0, 0.0])?)?.value.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn penetration(
        &mut self,
        a_from_b: &Pose,
    ) -> Result<Bounded<Option<ConvexPenetration>>, Unsupported> {
        let [a, b] = &self.pair.shapes;
        let query = made(&mut self.pair.depth, || {
            DepthQuery::new(a, b, &self.pair.config)
        })?;
        Ok(query.at(a_from_b, self.limits))
    }

    /// As [`Pair::volume`]. When a limit stops the query, the lower bound is 0 and the upper bound is the volume of the
    /// smaller shape.
    ///
    /// # Errors
    /// As [`Pair::volume`].
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// assert!(pair.limits(Limits::default()).volume(&Pose::IDENTITY)?.value.volume > 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn volume(&mut self, a_from_b: &Pose) -> Result<Bounded<OverlapVolume>, SharedVolumeError> {
        let [a, b] = &self.pair.shapes;
        let query = made(&mut self.pair.volume, || VolumeQuery::new(a, b))?;
        query.at(a_from_b, self.limits)
    }

    /// As [`Pair::impact`].
    ///
    /// # Errors
    /// As [`Pair::impact`].
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// let still = Motion::still(&Pose::IDENTITY);
    /// assert!(pair.limits(Limits::default()).impact(&still)?.value.is_some_and(|hit| hit.time == 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impact(&mut self, a_from_b: &Motion) -> Result<Bounded<Option<Impact>>, Unsupported> {
        self.impact_of(&Motion::still(&Pose::IDENTITY), a_from_b)
    }

    /// As [`Pair::impact_of`].
    ///
    /// # Errors
    /// As [`Pair::impact`].
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut pair = Pair::new(Ball::new(1.0)?, Ball::new(1.0)?)?;
    /// let still = Motion::still(&Pose::IDENTITY);
    /// assert!(pair.limits(Limits::default()).impact_of(&still, &still)?.value.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impact_of(
        &mut self,
        a: &Motion,
        b: &Motion,
    ) -> Result<Bounded<Option<Impact>>, Unsupported> {
        let [shape_a, shape_b] = &self.pair.shapes;
        let query = made(&mut self.pair.impact, || {
            ImpactQuery::new(shape_a, shape_b, &self.pair.config)
        })?;
        Ok(query.during(a, b, self.limits))
    }
}
