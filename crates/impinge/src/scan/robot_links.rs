//! Depth-camera check of a robot: all links against the points of a frame.

use std::ops::ControlFlow;

use super::link::{Link, LinkError, LinkMemory, LinkRequest, NearestPoint};
use super::point_index::PointHit;
use super::point_tree::PointTree;
use super::threads::join;
use crate::math::Pose;
use crate::query::{Outcome, Sink};

/// Links that one thread takes at a time; what one finds helps the next.
const SHARE: usize = 2;

/// Scratch memory, and the last nearest point of each link. It changes the work, not the answers.
///
/// ```
/// let mut cache = impinge::scan::LinkCache::default();
/// cache.forget();
/// assert_eq!(cache.tests(), 0);
/// ```
#[derive(Debug, Default)]
pub struct LinkCache {
    memories: Vec<LinkMemory>,
    slots: Vec<u32>,
}

impl LinkCache {
    /// Clears the last nearest points.
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

    fn ready(&mut self, links: usize) -> &mut [LinkMemory] {
        self.memories.resize_with(links, LinkMemory::default);
        &mut self.memories
    }
}

/// Links that are queried together, each with its own pose.
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
#[doc(alias = "obstacle avoidance")]
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

    /// Writes the nearest point of each link to `answers`; none without points, and for links
    /// without spheres or faces.
    ///
    /// Links are divided among threads if there are several. The search of a link starts with the
    /// nearest point of the previous link, and with the point nearest to its own last one.
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
        let frame = LinksAtOnce {
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

    /// Whether a point is at most `distance` away from a link; a negative distance means points that deep inside.
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
            let ask = LinkRequest {
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

    /// Removes the points at most `margin` away from some links from the tree, and returns their
    /// number: a camera sees the robot too.
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
struct LinksAtOnce<'f, 't> {
    links: &'f [Link<'t>],
    poses: &'f [Pose],
    tree: &'f PointTree,
}

impl LinksAtOnce<'_, '_> {
    /// Answers for the links from `first` on, as many as there are answers.
    fn nearest(
        self,
        first: usize,
        memories: &mut [LinkMemory],
        answers: &mut [Option<NearestPoint>],
    ) {
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
            let ask = LinkRequest {
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
