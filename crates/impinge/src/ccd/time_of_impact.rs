//! Time of impact (TOI) of two moving meshes: the loop of conservative advancement.

use glam::DVec3;

use super::conservative_advancement::{AdvancementSearch, HeldFacePairs, OpenPair, SafeStep};
use super::motion_bounds::{MotionBounds, unit};
use crate::bvh::MeshIndex;
use crate::bvh::wide::{DistanceError, LaneCulling, WideCache, WideTree};
use crate::geom::{triangle_overlap, triangles_intersect};
use crate::math::simd::Level;
use crate::math::{Motion, Pose};
use crate::query::{Bounded, FacePair, First, Impact, Limits, Outcome, Sink, Work};

/// Steps shorter than the tolerance that are taken before the search for a contact goes on without proof.
const SHORT_STEPS: u32 = 64;
/// Times the first touching time found is halved towards the last time known to be free.
const HALVINGS: u32 = 30;

/// The accuracy of a time of impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactOptions {
    /// The requested width of the bracket, as a fraction of the whole step; at least a few units of
    /// rounding are used.
    pub tolerance: f64,
    /// The most steps of the advancement.
    pub max_steps: u32,
}

impl Default for ImpactOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_steps: 10_000,
        }
    }
}

/// Scratch memory, kept between queries so that they do not allocate. It never changes an answer.
#[derive(Clone, Debug, Default)]
pub struct ImpactCache {
    wide: WideCache,
    stack: Vec<OpenPair>,
    kept: HeldFacePairs,
    work: Work,
    steps: u32,
}

impl ImpactCache {
    /// A cache whose queries use these instructions, to compare them.
    ///
    /// ```
    /// use impinge::{ccd::ImpactCache, math::simd::Level};
    /// assert_eq!(ImpactCache::with_level(Level::Portable).steps(), 0);
    /// ```
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self::with(WideCache::with_level(level))
    }

    pub(super) fn with(wide: WideCache) -> Self {
        Self {
            wide,
            ..Self::default()
        }
    }

    /// Discards what earlier queries left, so that the next query starts cold.
    pub(super) fn forget(&mut self) {
        self.wide.forget();
    }

    /// The work done for the last query.
    ///
    /// ```
    /// use impinge::ccd::ImpactCache;
    /// assert_eq!(ImpactCache::default().work().tests(), 0);
    /// ```
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// Steps that the last query took.
    ///
    /// ```
    /// use impinge::ccd::ImpactCache;
    /// assert_eq!(ImpactCache::default().steps(), 0);
    /// ```
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.steps
    }
}

/// The pose of `b` in the frame of `a` at time `t`: the one for which contact at that time is decided.
///
/// ```
/// use impinge::{ccd::relative_pose, math::Motion, DVec3, Pose};
/// let still = Motion::still(&Pose::IDENTITY);
/// let moving = Motion::between(&Pose::IDENTITY, &Pose::from_translation([4.0, 0.0, 0.0])?);
/// assert_eq!(relative_pose(&still, &moving, 0.25) * DVec3::ZERO, DVec3::X);
/// # Ok::<(), impinge::PoseError>(())
/// ```
#[must_use]
pub fn relative_pose(motion_a: &Motion, motion_b: &Motion, t: f64) -> Pose {
    motion_a.at(t).inverse() * motion_b.at(t)
}

/// The first contact of two moving meshes, none when they do not touch within the step.
///
/// `lower` is a time up to which the motion is certainly free of contact. `upper` is the time of the contact
/// found, at which the exact test says that faces touch; infinite when none was found. For a
/// motion without contact `lower` is 1. The outcome is [`Outcome::OutOfBudget`] when a limit was
/// met, or when the bracket could not be made as narrow as requested because a gap is too small to be
/// distinguished from contact; the bracket is still valid. Flat sheets that pass through each other face to face touch at one
/// instant only; when no number names it, no contact is reported there, but `lower` stays before it. Surfaces count: a mesh inside
/// another without touching it is not in contact. [`Limits::max_distance`] has no meaning here.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::ccd::{impact, ImpactCache};
/// use impinge::math::Motion;
/// use impinge::query::Limits;
/// use impinge::{Pose, TriMesh};
/// use std::sync::Arc;
/// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let spike = TriMesh::from_points([[0.2, 0.2, 0.0], [0.3, 0.2, 1.0], [0.1, 0.2, 1.0]], [[0, 1, 2]])?;
/// let (floor, spike) = (WideTree::new(Arc::new(face)), WideTree::new(Arc::new(spike)));
/// let still = Motion::still(&Pose::IDENTITY);
/// let falling = Motion::between(
///     &Pose::from_translation([0.0, 0.0, 3.0])?,
///     &Pose::from_translation([0.0, 0.0, -1.0])?,
/// );
/// let mut cache = ImpactCache::default();
/// let hit = impact(&floor, &spike, &still, &falling, &Default::default(), Limits::default(), &mut cache);
/// assert!(hit.lower <= 0.75 && 0.75 <= hit.upper && hit.upper - hit.lower < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "time of impact")]
#[doc(alias = "TOI")]
#[doc(alias = "conservative advancement")]
#[doc(alias = "CCD")]
pub fn impact(
    a: &WideTree,
    b: &WideTree,
    motion_a: &Motion,
    motion_b: &Motion,
    options: &ImpactOptions,
    limits: Limits<'_>,
    cache: &mut ImpactCache,
) -> Bounded<Option<Impact>> {
    cache.work = Work::default();
    cache.steps = 0;
    cache.kept.until = 0.0;
    let Some(slack) = slack(a, b, motion_a, motion_b) else {
        return free();
    };
    let mut search = AdvancementLoop {
        a,
        b,
        motions: [motion_a, motion_b],
        limits,
        cache,
        slack,
        tolerance: options.tolerance.max(8.0 * f64::EPSILON),
        max_steps: options.max_steps,
        proven: 0.0,
        is_certain: true,
        guess: None,
        normal: None,
    };
    search.run()
}

/// Reports every pair of faces that intersects at time `t`: all the contacts of an impact, when `t` is its time.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::ccd::{contacts_at, ImpactCache};
/// use impinge::math::Motion;
/// use impinge::query::{Count, Limits};
/// use impinge::{Pose, TriMesh};
/// use std::sync::Arc;
/// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let tree = WideTree::new(Arc::new(face));
/// let (still, moving) = (Motion::still(&Pose::IDENTITY), Motion::still(&Pose::IDENTITY));
/// let (mut cache, mut count) = (ImpactCache::default(), Count::default());
/// let _ = contacts_at(&tree, &tree, &still, &moving, 0.5, Limits::default(), &mut cache, &mut count);
/// assert_eq!(count.0, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(
    clippy::too_many_arguments,
    reason = "two moving bodies, an instant, and what every listing takes"
)]
pub fn contacts_at(
    a: &WideTree,
    b: &WideTree,
    motion_a: &Motion,
    motion_b: &Motion,
    t: f64,
    limits: Limits<'_>,
    cache: &mut ImpactCache,
    sink: &mut dyn Sink<FacePair>,
) -> Outcome {
    let pose = relative_pose(motion_a, motion_b, t);
    let outcome = a.intersections(b, &pose, limits, &mut cache.wide, sink);
    cache.work = WideTree::work(&cache.wide);
    outcome
}

fn free() -> Bounded<Option<Impact>> {
    Bounded::at_least(1.0, Outcome::Complete)
}

/// What computed poses and gaps may be off by; none when a mesh is empty.
fn slack(a: &WideTree, b: &WideTree, motion_a: &Motion, motion_b: &Motion) -> Option<f64> {
    let mut sum = 0.0;
    for (tree, motion) in [(a, motion_a), (b, motion_b)] {
        let whole = tree.whole()?.bounds;
        let radius = whole.center.length() + whole.outer_radius();
        let farthest = motion.farthest(radius);
        let speed =
            motion.max_speed((whole.center - motion.center()).length() + whole.outer_radius());
        // A pose is the product of a dozen roundings of coordinates up to `farthest`; times are rounded
        // too, and at most one unit of rounding of a step is a unit of rounding of the path.
        // The ends are as given, which may deviate from the rotations in between.
        sum += 128.0 * f64::EPSILON * (farthest + speed) + 8.0 * motion.deviation() * farthest;
    }
    Some(sum)
}

struct AdvancementLoop<'s> {
    a: &'s WideTree,
    b: &'s WideTree,
    motions: [&'s Motion; 2],
    limits: Limits<'s>,
    cache: &'s mut ImpactCache,
    slack: f64,
    tolerance: f64,
    max_steps: u32,
    /// Free of contact up to here.
    proven: f64,
    /// Whether everything up to the present time is proven.
    is_certain: bool,
    guess: Option<FacePair>,
    /// The direction of the last gap, in world coordinates.
    normal: Option<DVec3>,
}

impl<'s> AdvancementLoop<'s> {
    fn run(&mut self) -> Bounded<Option<Impact>> {
        match self.touching(0.0) {
            ContactCheck::Yes(pair) => return self.found(0.0, pair),
            ContactCheck::Unknown => return self.given_up(),
            ContactCheck::No => {}
        }
        self.first_guess();
        let mut t = 0.0;
        let mut short_steps = 0;
        let mut jump = self.tolerance;
        while self.cache.steps < self.max_steps {
            self.cache.steps += 1;
            let step = self.step(t);
            if !step.finished {
                return self.given_up();
            }
            let next = t + step.size;
            if self.is_certain {
                self.proven = next.min(1.0);
            }
            if next >= 1.0 {
                return if self.is_certain {
                    free()
                } else {
                    self.given_up()
                };
            }
            if step.size >= self.tolerance {
                t = next;
                jump = self.tolerance;
                continue;
            }
            let ahead = (next + jump).min(1.0);
            match self.touching(ahead) {
                ContactCheck::Yes(pair) => return self.close_in(next, ahead, pair),
                ContactCheck::Unknown => return self.given_up(),
                ContactCheck::No => {
                    if let Some((time, pair)) = self.passage(next, ahead) {
                        return self.found(time, pair);
                    }
                }
            }
            short_steps += 1;
            if next > t && short_steps < SHORT_STEPS {
                t = next;
            } else if ahead >= 1.0 {
                return self.given_up();
            } else {
                // The gap is too small to be told from contact, or the way past it too slow: what lies
                // between here and there stays unproven.
                self.is_certain = false;
                t = ahead;
                jump *= 2.0;
            }
        }
        self.given_up()
    }

    fn step(&mut self, t: f64) -> SafeStep {
        let world_from_a = self.motions[0].at(t);
        let a_from_b = relative_pose(self.motions[0], self.motions[1], t);
        // A horizon too near to be told from contact is not used.
        let lasts = self.cache.kept.until - t;
        let is_kept = lasts > 4.0 * self.tolerance;
        let advance = AdvancementSearch {
            a: self.a,
            b: self.b,
            a_from_b: &a_from_b,
            flows: MotionBounds::at(t, self.motions, &world_from_a, &a_from_b, self.slack),
            now: t,
            ceiling: if is_kept { lasts } else { 1.0 - t },
            guess: self.guess,
            limits: self.limits,
            work: &mut self.cache.work,
            stack: &mut self.cache.stack,
            kept: &mut self.cache.kept,
            sieve: if is_kept {
                None
            } else {
                LaneCulling::new(self.a, self.b, &a_from_b)
            },
            speed: f64::INFINITY,
        };
        let step = if is_kept {
            advance.run_kept()
        } else {
            advance.run()
        };
        if let Some((pair, normal)) = step.narrowest {
            self.guess = Some(pair);
            self.normal = Some(world_from_a.transform_vector(normal));
        }
        step
    }

    /// Faces that touch at time `t`, by the exact test.
    fn touching(&mut self, t: f64) -> ContactCheck {
        let pose = relative_pose(self.motions[0], self.motions[1], t);
        if let Some(pair) = self.guess {
            let a = self.a.mesh().triangle(pair.a);
            let b = self.b.mesh().triangle(pair.b);
            if triangles_intersect(&a, &b.map(|p| pose.transform_point(p))) {
                return ContactCheck::Yes(pair);
            }
        }
        let mut first = First::default();
        let limits = self.rest();
        let wide = &mut self.cache.wide;
        let outcome = self
            .a
            .intersections(self.b, &pose, limits, wide, &mut first);
        self.cache.work += WideTree::work(wide);
        match first.0 {
            Some(pair) => ContactCheck::Yes(pair),
            None if outcome == Outcome::OutOfBudget => ContactCheck::Unknown,
            None => ContactCheck::No,
        }
    }

    fn rest(&self) -> Limits<'s> {
        let spent = self.cache.work.tests();
        Limits {
            max_tests: self.limits.max_tests.map(|max| max.saturating_sub(spent)),
            max_distance: None,
            stop: self.limits.stop,
        }
    }

    /// The nearest faces at the start, roughly: they are likely to limit the first step.
    fn first_guess(&mut self) {
        let pose = relative_pose(self.motions[0], self.motions[1], 0.0);
        let error = DistanceError {
            absolute: 0.0,
            relative: 0.5,
        };
        let limits = self.rest();
        let wide = &mut self.cache.wide;
        wide.forget();
        let _ = self.a.distance_within(self.b, &pose, error, limits, wide);
        self.cache.work += WideTree::work(wide);
        self.guess = wide.witness();
    }

    /// The instant at which the narrowest faces touch in passing through each other, when there is one that a time can name: two flat
    /// sheets that meet face to face touch at a single instant.
    fn passage(&self, before: f64, after: f64) -> Option<(f64, FacePair)> {
        let (pair, normal) = (self.guess?, self.normal?);
        let faces = (
            self.a.mesh().triangle(pair.a),
            self.b.mesh().triangle(pair.b),
        );
        // The gap along the last direction, and whether the faces touch.
        let look = |t: f64| {
            let n = self.motions[0].at(t).inverse().transform_vector(normal);
            let pose = relative_pose(self.motions[0], self.motions[1], t);
            let placed = faces.1.map(|p| pose.transform_point(p));
            let [a0, a1, a2] = faces.0.map(|p| p.dot(n));
            let [b0, b1, b2] = placed.map(|p| p.dot(n));
            let gap = b0.min(b1).min(b2) - a0.max(a1).max(a2);
            (gap, triangles_intersect(&faces.0, &placed))
        };
        let (mut before, mut after) = (before, after);
        if look(before).0 < 0.0 || look(after).0 > 0.0 {
            return None;
        }
        for _ in 0..64 {
            let middle = 0.5 * (before + after);
            let (gap, touches) = look(middle);
            if touches {
                return Some((middle, pair));
            }
            if middle <= before || middle >= after {
                break;
            }
            if gap > 0.0 {
                before = middle;
            } else {
                after = middle;
            }
        }
        [before, after]
            .into_iter()
            .find(|&t| look(t).1)
            .map(|t| (t, pair))
    }

    /// Moves a touching time towards the last time without contact, which need not be proven.
    fn close_in(&mut self, free: f64, touching: f64, pair: FacePair) -> Bounded<Option<Impact>> {
        let (mut free, mut touching, mut pair) = (free, touching, pair);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (free + touching);
            if touching - free <= self.tolerance || middle <= free || middle >= touching {
                break;
            }
            match self.touching(middle) {
                ContactCheck::Yes(earlier) => (touching, pair) = (middle, earlier),
                ContactCheck::No => free = middle,
                ContactCheck::Unknown => break,
            }
        }
        self.found(touching, pair)
    }

    fn found(&self, time: f64, pair: FacePair) -> Bounded<Option<Impact>> {
        let world_from_a = self.motions[0].at(time);
        let pose = relative_pose(self.motions[0], self.motions[1], time);
        let a = self.a.mesh().triangle(pair.a);
        let b = self.b.mesh().triangle(pair.b);
        let placed = b.map(|p| pose.transform_point(p));
        let overlap = triangle_overlap(&a, &placed);
        let point = overlap.corners().first().copied().unwrap_or(a[0]);
        let face = (a[1] - a[0]).cross(a[2] - a[0]);
        let normal = self
            .normal
            .or_else(|| Some(world_from_a.transform_vector(unit(face)?)))
            .unwrap_or(DVec3::ZERO);
        let lower = self.proven.min(time);
        Bounded {
            value: Some(Impact {
                time,
                point: world_from_a.transform_point(point),
                normal,
                faces: pair,
            }),
            lower,
            upper: time,
            outcome: if time - lower <= 4.0 * self.tolerance {
                Outcome::Complete
            } else {
                Outcome::OutOfBudget
            },
        }
    }

    fn given_up(&self) -> Bounded<Option<Impact>> {
        Bounded::at_least(self.proven, Outcome::OutOfBudget)
    }
}

enum ContactCheck {
    Yes(FacePair),
    No,
    Unknown,
}
