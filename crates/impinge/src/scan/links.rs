//! The parts of a robot against the points of a frame.

use std::ops::ControlFlow;

use glam::DVec3;
use thiserror::Error;

use super::balls::{BallTree, Placed};
use super::dual::{BallPoint, Best, Waiting, descend};
use super::gauge::{BallGauge, ConvexGauge, Gauge, HalfSpaceGauge, MeshGauge};
use super::index::{PointHit, PointIndex};
use super::search::{self, Found};
use super::threads::join;
use super::tree::PointTree;
use crate::bound::Aabb;
use crate::bvh::wide::{ProbeCache, WideTree};
use crate::bvh::{MeshIndex, Solid};
use crate::convex::{Convex, HalfSpace};
use crate::math::Pose;
use crate::query::{FaceId, Outcome, Sink};
use crate::spheres::SphereTree;

/// Links that one thread takes at a time; what one finds helps the next.
const SHARE: usize = 2;

/// Why links could not be made or asked.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A ball is not valid.
    #[error("ball {ball} of the tree is not finite, out of range, or has a negative radius")]
    BadBall {
        /// Its number.
        ball: usize,
    },
    /// Not one pose per link.
    #[error("{poses} poses were given for {links} links")]
    PoseCount {
        /// How many were given.
        poses: usize,
        /// How many are needed.
        links: usize,
    },
    /// There is no such link.
    #[error("there is no link {link}, only {links}")]
    NoLink {
        /// Its number.
        link: usize,
        /// How many there are.
        links: usize,
    },
    /// A distance that is NaN.
    #[error("the distance is not a number")]
    BadDistance,
}

/// The point of a frame that is nearest to a link, or deepest in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// The link's number.
    pub link: usize,
    /// The point's place in the frame.
    pub point: u32,
    /// Where the point is.
    pub position: DVec3,
    /// Its distance from the link; 0 on the surface and negative inside: then it is the deepest point. A tree of balls is as deep as
    /// the point is in one ball. Surfaces without inside are never negative.
    pub distance: f64,
    /// The nearest point of the link's surface, rounded.
    pub witness: DVec3,
    /// The nearest ball, numbered as in [`SphereTree::balls`], for trees of balls.
    pub ball: Option<u32>,
    /// The nearest face, for meshes.
    pub face: Option<FaceId>,
}

impl NearestPoint {
    pub(super) fn of_balls(link: usize, placed: &Placed<'_>, best: &Best) -> Self {
        let BallPoint { gap, point, ball } = best.pair;
        Self {
            link,
            point,
            position: best.position,
            distance: gap,
            witness: placed.surface_point(ball, best.position, gap),
            ball: Some(ball),
            face: None,
        }
    }
}

#[derive(Clone, Debug)]
enum Kind<'t> {
    Balls(BallTree),
    Mesh(&'t WideTree, Option<&'t Solid<'t>>, Aabb),
    Convex(Convex),
    HalfSpace(HalfSpace),
}

/// A part of a robot, or any other solid, in its own frame.
#[derive(Clone, Debug)]
pub struct Link<'t>(Kind<'t>);

impl<'t> Link<'t> {
    /// The balls of a tree. What lies between the balls and the true surface is not seen: take that off with the distance asked for.
    ///
    /// # Errors
    /// [`LinkError::BadBall`] naming the first ball that is not valid.
    ///
    /// ```
    /// use impinge::{DVec3, scan::Link, spheres::{SolidBall, SphereTree, TreeOptions}};
    /// let ball = |radius| [SolidBall { center: DVec3::ZERO, radius }];
    /// assert!(Link::spheres(&SphereTree::new(&ball(1.0), &TreeOptions::default())).is_ok());
    /// ```
    pub fn spheres(tree: &SphereTree) -> Result<Self, LinkError> {
        let balls = BallTree::new(tree).map_err(|ball| LinkError::BadBall { ball })?;
        Ok(Self(Kind::Balls(balls)))
    }

    /// A mesh with an inside.
    ///
    /// ```
    /// use impinge::{bvh::{Solid, wide::WideTree}, generate::icosphere, scan::Link};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(icosphere(1.0, 4)?));
    /// let solid = Solid::closed(&tree)?;
    /// assert!(format!("{:?}", Link::solid(&solid)).contains("Mesh"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn solid(solid: &'t Solid<'t>) -> Self {
        let tree = solid.tree();
        Self(Kind::Mesh(tree, Some(solid), tree.mesh().bounds()))
    }

    /// The faces of a mesh, without an inside.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate::icosphere, scan::Link};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(icosphere(1.0, 4)?));
    /// assert!(format!("{:?}", Link::surface(&tree)).contains("Mesh"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn surface(tree: &'t WideTree) -> Self {
        Self(Kind::Mesh(tree, None, tree.mesh().bounds()))
    }

    /// A convex shape.
    ///
    /// ```
    /// use impinge::{convex::Ball, scan::Link};
    /// assert!(format!("{:?}", Link::convex(Ball::new(1.0)?)).contains("Ball"));
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn convex(shape: impl Into<Convex>) -> Self {
        Self(Kind::Convex(shape.into()))
    }

    /// A half-space, such as the floor.
    ///
    /// ```
    /// use impinge::{convex::HalfSpace, scan::Link};
    /// let floor = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?;
    /// assert!(format!("{:?}", Link::half_space(floor)).contains("HalfSpace"));
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn half_space(half_space: HalfSpace) -> Self {
        Self(Kind::HalfSpace(half_space))
    }

    pub(super) fn balls(&self) -> Option<&BallTree> {
        match &self.0 {
            Kind::Balls(balls) => Some(balls),
            _ => None,
        }
    }

    /// The nearest point at most `within` away, or the deepest; any one that is not farther than `enough`, if there is one.
    fn search(
        &self,
        ask: Ask<'_>,
        seed: Option<(u32, DVec3)>,
        memory: &mut Memory,
    ) -> Option<NearestPoint> {
        let Ask {
            number, tree, pose, ..
        } = ask;
        match &self.0 {
            Kind::Balls(balls) => {
                let placed = Placed::new(balls, pose);
                let mut best = Best::within(ask.within);
                for (point, position) in seeds(tree, pose, seed, memory) {
                    let limit = best.pair.gap;
                    if let Some((gap, ball)) = placed.nearest(position, limit, &mut memory.parts) {
                        best.offer(BallPoint { gap, point, ball }, position);
                    }
                }
                memory.tests = descend(tree, &placed, ask.enough, &mut best, &mut memory.pairs);
                memory.local = best.is_found().then(|| balls.ball(best.pair.ball).center);
                best.is_found()
                    .then(|| NearestPoint::of_balls(number, &placed, &best))
            }
            Kind::Mesh(mesh, solid, bounds) => {
                let seeds = seeds(tree, pose, seed, memory);
                let mut gauge = MeshGauge::new(mesh, *solid, *bounds, pose, &mut memory.probe);
                let found = by_gauge(ask, seeds, &mut gauge)?;
                memory.local = Some(pose.inverse().transform_point(found.witness));
                Some(found)
            }
            Kind::Convex(shape) => {
                let seeds = seeds(tree, pose, seed, memory);
                let found = by_gauge(ask, seeds, &mut ConvexGauge::new(shape, pose))?;
                memory.local = Some(pose.inverse().transform_point(found.witness));
                Some(found)
            }
            Kind::HalfSpace(half_space) => by_gauge(
                ask,
                [].into_iter(),
                &mut HalfSpaceGauge::new(half_space, pose),
            ),
        }
    }

    fn points_within(
        &self,
        tree: &PointTree,
        pose: &Pose,
        distance: f64,
        memory: &mut Memory,
        show: &mut dyn FnMut(PointHit, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match &self.0 {
            Kind::Balls(balls) => {
                let mut gauge = BallGauge::new(Placed::new(balls, pose), &mut memory.parts);
                search::within(tree, &mut gauge, distance, show)
            }
            Kind::Mesh(mesh, solid, bounds) => {
                let mut gauge = MeshGauge::new(mesh, *solid, *bounds, pose, &mut memory.probe);
                search::within(tree, &mut gauge, distance, show)
            }
            Kind::Convex(shape) => {
                search::within(tree, &mut ConvexGauge::new(shape, pose), distance, show)
            }
            Kind::HalfSpace(half_space) => {
                let mut gauge = HalfSpaceGauge::new(half_space, pose);
                search::within(tree, &mut gauge, distance, show)
            }
        }
    }
}

/// What is asked about a link.
#[derive(Clone, Copy)]
struct Ask<'a> {
    number: usize,
    tree: &'a PointTree,
    pose: &'a Pose,
    within: f64,
    enough: f64,
}

/// Points to begin with: that of the link before, and the one nearest to where this link was nearest last time.
fn seeds(
    tree: &PointTree,
    pose: &Pose,
    seed: Option<(u32, DVec3)>,
    memory: &Memory,
) -> impl Iterator<Item = (u32, DVec3)> + use<> {
    let again = memory
        .local
        .and_then(|local| tree.nearest(pose.transform_point(local)))
        .map(|hit| (hit.point, hit.position));
    again.into_iter().chain(seed)
}

fn by_gauge(
    ask: Ask<'_>,
    seeds: impl Iterator<Item = (u32, DVec3)>,
    gauge: &mut impl Gauge,
) -> Option<NearestPoint> {
    let mut best = Found::within(ask.within);
    for (point, position) in seeds {
        let distance = gauge.at(position, best.distance);
        best.offer(distance, point, position);
    }
    search::nearest(ask.tree, gauge, ask.enough, &mut best);
    if !best.is_found() {
        return None;
    }
    let witness = gauge.witness(best.position)?;
    Some(NearestPoint {
        link: ask.number,
        point: best.point,
        position: best.position,
        distance: best.distance,
        witness: witness.position,
        ball: witness.ball,
        face: witness.face,
    })
}

/// What is remembered about one link.
#[derive(Debug, Default)]
struct Memory {
    /// Where it was nearest, in its own frame.
    local: Option<DVec3>,
    parts: Vec<(f64, u32)>,
    pairs: Vec<Waiting>,
    probe: ProbeCache,
    tests: u64,
}

/// Scratch memory, and where each link was nearest the last time. It changes the work, not the answers.
///
/// ```
/// let mut cache = impinge::scan::LinkCache::default();
/// cache.forget();
/// assert_eq!(cache.tests(), 0);
/// ```
#[derive(Debug, Default)]
pub struct LinkCache {
    memories: Vec<Memory>,
    slots: Vec<u32>,
}

impl LinkCache {
    /// Forgets where links were nearest.
    pub fn forget(&mut self) {
        for memory in &mut self.memories {
            memory.local = None;
        }
    }

    /// Pairs of boxes and balls, or of points and balls, that the last search of all links compared.
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.memories.iter().map(|memory| memory.tests).sum()
    }

    fn ready(&mut self, links: usize) -> &mut [Memory] {
        self.memories.resize_with(links, Memory::default);
        &mut self.memories
    }
}

/// Links that are asked about together, each with a pose of its own.
///
/// ```
/// use impinge::scan::{Link, LinkCache, LinkError, LinkSet, PointTree, ScanFrame};
/// use impinge::{DVec3, Pose, convex::Ball};
/// let mut tree = PointTree::default();
/// tree.rebuild(&ScanFrame::new(&[DVec3::new(3.0, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0)])?);
/// let links = LinkSet::new(vec![Link::convex(Ball::new(1.0)?)]);
/// let (poses, mut cache) = ([Pose::IDENTITY], LinkCache::default());
/// assert!(links.intersects(&tree, &poses, &mut cache)?);
/// assert!(matches!(links.intersects(&tree, &[], &mut cache), Err(LinkError::PoseCount { .. })));
/// // The deepest point is named.
/// let deepest = links.overall(&tree, &poses, &mut cache)?;
/// assert!(deepest.is_some_and(|n| n.point == 1 && (n.distance + 0.5).abs() < 1e-12));
/// // What the robot itself is seen as can be taken out.
/// assert_eq!(links.remove_own(&mut tree, &[0], &poses, 0.1, &mut cache)?, 1);
/// assert!(!links.is_within(&tree, &poses, 1.9, &mut cache)?);
/// assert!(links.is_within(&tree, &poses, 2.0, &mut cache)?);
/// let mut near = Vec::new();
/// let _ = links.points_within(&tree, 0, &poses[0], 2.5, &mut cache, &mut near)?;
/// assert_eq!(near.iter().map(|hit| hit.point).collect::<Vec<_>>(), [0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinkSet<'t> {
    links: Vec<Link<'t>>,
}

impl<'t> LinkSet<'t> {
    /// The set of these links, numbered from 0.
    #[must_use]
    pub fn new(links: Vec<Link<'t>>) -> Self {
        Self { links }
    }

    /// The links.
    ///
    /// ```
    /// assert!(impinge::scan::LinkSet::default().links().is_empty());
    /// ```
    #[must_use]
    pub fn links(&self) -> &[Link<'t>] {
        &self.links
    }

    fn checked(&self, poses: &[Pose]) -> Result<(), LinkError> {
        if poses.len() == self.links.len() {
            return Ok(());
        }
        Err(LinkError::PoseCount {
            poses: poses.len(),
            links: self.links.len(),
        })
    }

    fn link(&self, link: usize) -> Result<&Link<'t>, LinkError> {
        let links = self.links.len();
        self.links
            .get(link)
            .ok_or(LinkError::NoLink { link, links })
    }

    /// Writes the nearest point of each link to `answers`; none without points, and for links without balls or faces.
    ///
    /// Links are shared among threads where there are some. A link begins with the point that was nearest to the one before, and with the one nearest to
    /// where it was nearest the last time.
    ///
    /// # Errors
    /// [`LinkError::PoseCount`] unless there is one pose per link.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, scan::{Link, LinkCache, LinkSet, PointTree}};
    /// let links = LinkSet::new(vec![Link::convex(Ball::new(1.0)?)]);
    /// let (tree, mut answers) = (PointTree::default(), Vec::new());
    /// links.nearest(&tree, &[Pose::IDENTITY], &mut LinkCache::default(), &mut answers)?;
    /// assert_eq!(answers, [None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(
        &self,
        tree: &PointTree,
        poses: &[Pose],
        cache: &mut LinkCache,
        answers: &mut Vec<Option<NearestPoint>>,
    ) -> Result<(), LinkError> {
        self.checked(poses)?;
        answers.clear();
        answers.resize(self.links.len(), None);
        let memories = cache.ready(self.links.len());
        let frame = Frame {
            links: &self.links,
            poses,
            tree,
        };
        frame.nearest(0, memories, answers);
        Ok(())
    }

    /// The nearest point of all links, of equally near ones that of the first link.
    ///
    /// # Errors
    /// [`LinkError::PoseCount`] unless there is one pose per link.
    pub fn overall(
        &self,
        tree: &PointTree,
        poses: &[Pose],
        cache: &mut LinkCache,
    ) -> Result<Option<NearestPoint>, LinkError> {
        self.first(tree, poses, f64::INFINITY, f64::NEG_INFINITY, cache)
    }

    /// Whether a point is at most `distance` away from a link; a negative distance asks for points that deep inside.
    ///
    /// # Errors
    /// [`LinkError::PoseCount`] unless there is one pose per link, [`LinkError::BadDistance`].
    pub fn is_within(
        &self,
        tree: &PointTree,
        poses: &[Pose],
        distance: f64,
        cache: &mut LinkCache,
    ) -> Result<bool, LinkError> {
        if distance.is_nan() {
            return Err(LinkError::BadDistance);
        }
        let found = self.first(tree, poses, distance, distance, cache)?;
        Ok(found.is_some())
    }

    /// Whether a point is on or inside a link.
    ///
    /// # Errors
    /// [`LinkError::PoseCount`] unless there is one pose per link.
    pub fn intersects(
        &self,
        tree: &PointTree,
        poses: &[Pose],
        cache: &mut LinkCache,
    ) -> Result<bool, LinkError> {
        self.is_within(tree, poses, 0.0, cache)
    }

    /// The nearest point within a distance, or any that is not farther than `enough`. The bound of one link holds for the next.
    fn first(
        &self,
        tree: &PointTree,
        poses: &[Pose],
        mut within: f64,
        enough: f64,
        cache: &mut LinkCache,
    ) -> Result<Option<NearestPoint>, LinkError> {
        self.checked(poses)?;
        let mut best: Option<NearestPoint> = None;
        let memories = cache.ready(self.links.len());
        for (number, ((link, pose), memory)) in
            self.links.iter().zip(poses).zip(memories).enumerate()
        {
            let ask = Ask {
                number,
                tree,
                pose,
                within,
                enough,
            };
            let seed = best.map(|best| (best.point, best.position));
            // What was remembered is kept where this link is out of reach.
            let known = memory.local;
            let found = link.search(ask, seed, memory);
            memory.local = memory.local.or(known);
            if let Some(found) = found
                && best.is_none_or(|best| found.distance < best.distance)
            {
                within = found.distance;
                best = Some(found);
                if found.distance <= enough {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Reports all points at most `distance` away from a link, each once, in an order of the tree's own.
    ///
    /// # Errors
    /// [`LinkError::NoLink`], [`LinkError::BadDistance`].
    pub fn points_within(
        &self,
        tree: &PointTree,
        link: usize,
        pose: &Pose,
        distance: f64,
        cache: &mut LinkCache,
        sink: &mut dyn Sink<PointHit>,
    ) -> Result<Outcome, LinkError> {
        if distance.is_nan() {
            return Err(LinkError::BadDistance);
        }
        let body = self.link(link)?;
        let memory = &mut cache.ready(self.links.len())[link];
        let mut show = |hit, _| sink.accept(hit);
        Ok(
            match body.points_within(tree, pose, distance, memory, &mut show) {
                ControlFlow::Continue(()) => Outcome::Complete,
                ControlFlow::Break(()) => Outcome::StoppedBySink,
            },
        )
    }

    /// Takes the points at most `margin` away from some links out of the tree, and says how many they were: a camera sees the robot too.
    ///
    /// # Errors
    /// [`LinkError`] unless there is one pose per link, all named links exist, and the margin is a number. The tree is then unchanged.
    pub fn remove_own(
        &self,
        tree: &mut PointTree,
        links: &[usize],
        poses: &[Pose],
        margin: f64,
        cache: &mut LinkCache,
    ) -> Result<usize, LinkError> {
        self.checked(poses)?;
        if margin.is_nan() {
            return Err(LinkError::BadDistance);
        }
        for &link in links {
            self.link(link)?;
        }
        cache.ready(self.links.len());
        let (memories, slots) = (&mut cache.memories, &mut cache.slots);
        slots.clear();
        for &link in links {
            let mut keep = |_, slot| {
                slots.push(slot);
                ControlFlow::Continue(())
            };
            let body = &self.links[link];
            let _ = body.points_within(tree, &poses[link], margin, &mut memories[link], &mut keep);
        }
        Ok(tree.remove(slots))
    }
}

/// All links at one moment.
#[derive(Clone, Copy)]
struct Frame<'f, 't> {
    links: &'f [Link<'t>],
    poses: &'f [Pose],
    tree: &'f PointTree,
}

impl Frame<'_, '_> {
    /// Answers for the links from `first` on, as many as there are answers.
    fn nearest(self, first: usize, memories: &mut [Memory], answers: &mut [Option<NearestPoint>]) {
        if answers.len() > SHARE {
            let half = answers.len() / 2;
            let (memories_a, memories_b) = memories.split_at_mut(half);
            let (answers_a, answers_b) = answers.split_at_mut(half);
            join(
                || self.nearest(first, memories_a, answers_a),
                || self.nearest(first + half, memories_b, answers_b),
            );
            return;
        }
        let mut seed = None;
        for (k, (memory, answer)) in memories.iter_mut().zip(answers).enumerate() {
            let number = first + k;
            let ask = Ask {
                number,
                tree: self.tree,
                pose: &self.poses[number],
                within: f64::INFINITY,
                enough: f64::NEG_INFINITY,
            };
            *answer = self.links[number].search(ask, seed, memory);
            seed = answer.map(|found| (found.point, found.position)).or(seed);
        }
    }
}
