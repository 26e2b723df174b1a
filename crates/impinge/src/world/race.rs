//! Runs two engines on one pair and takes the faster answer.
//!
//! **Question.** Do two placed meshes touch, when nobody knows whether finding a contact or finding a gap is faster? **Idea.** One engine descends two
//! trees and is fast when there is contact; the other looks for a plane between the convex hulls and is fast when there is none. Whoever is
//! done first tells the other to stop. **Source.** Zachmann 1994, section 6.4; it found that waiting for each other ate the gain for
//! small pairs. So a pair that was cheap the last time is not raced: one look at the plane that separated
//! it before, then the exact engine; nor is one whose hulls meet at a glance, because no plane can win there. The race lasts until both
//! have come to a stop, so both listen. **Cost.** At best the faster of the two. **Promise.** The answer is that of the exact engine
//! alone; only who gives it depends on threads. **Limits.** Without the feature `parallel` the plane is tried first.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use crate::bound::Aabb;
use crate::bvh::engines::{MeshEngine, PreparedPair};
use crate::convex::{
    GjkCache, InnerOuterBalls, Polyhedron, SupportMap, SupportPoint, bounding_balls_meet, distance,
    early_out_balls,
};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{First, Limits, Outcome};

/// Tells a contender whether the race is over.
pub type IsOver<'r> = dyn Fn() -> bool + Sync + 'r;

/// Who was done first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The first contender.
    First,
    /// The second contender.
    Second,
}

/// Runs two contenders at once; gives the answer of one that has one, and whose it is. A contender that has no
/// answer returns none; one that should stop hears of it by asking.
///
/// When both have answers, the first one's is given: they had better be the same.
///
/// ```
/// use impinge::world::{Winner, race};
/// let endless = |is_over: &impinge::world::IsOver<'_>| { while !is_over() {} None };
/// let answer = race(|_| Some(42), endless);
/// assert_eq!(answer, Some((42, Winner::First)));
/// ```
pub fn race<T: Send>(
    first: impl FnOnce(&IsOver<'_>) -> Option<T> + Send,
    second: impl FnOnce(&IsOver<'_>) -> Option<T> + Send,
) -> Option<(T, Winner)> {
    let over = AtomicBool::new(false);
    // Nothing else is read because of it, so no order with other memory is needed.
    let is_over = || over.load(Ordering::Relaxed);
    let done = |answer: Option<T>| {
        if answer.is_some() {
            over.store(true, Ordering::Relaxed);
        }
        answer
    };
    let one = || done(first(&is_over));
    let other = || {
        if is_over() {
            None
        } else {
            done(second(&is_over))
        }
    };
    // The first runs on the caller's thread: handing it to another costs tens of microseconds.
    #[cfg(feature = "parallel")]
    let (x, y) = {
        let mut y = None;
        let x = rayon::in_place_scope(|scope| {
            scope.spawn(|_| y = other());
            one()
        });
        (x, y)
    };
    #[cfg(not(feature = "parallel"))]
    let (x, y) = (one(), other());
    let x = x.map(|answer| (answer, Winner::First));
    x.or_else(|| y.map(|answer| (answer, Winner::Second)))
}

/// Two meshes that are raced for.
///
/// ```
/// use impinge::{Pose, generate, world::MeshRace};
/// use std::sync::Arc;
/// let ball = Arc::new(generate::icosphere(1.0, 3)?);
/// let mut race = MeshRace::new(&ball, &ball);
/// assert!(!race.intersects(&Pose::from_translation([2.5, 0.0, 0.0])?));
/// assert!(!race.intersects(&Pose::from_translation([2.6, 0.0, 0.0])?));
/// assert!(race.intersects(&Pose::from_translation([1.5, 0.0, 0.0])?));
/// // A plane was found, it still held, and then there was none.
/// let stats = race.stats();
/// assert_eq!((stats.new_plane, stats.kept_plane, stats.exact), (1, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MeshRace {
    exact: Box<dyn PreparedPair>,
    /// The hulls, when both meshes have one.
    planes: Option<HullPlanes>,
    /// What the exact engine's last answer cost.
    last_tests: u64,
    /// Questions for which no new plane is looked for.
    pause: u32,
    stats: RaceStats,
}

/// Who answered how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaceStats {
    /// The plane kept from before separated the hulls.
    pub kept_plane: u64,
    /// A new plane did.
    pub new_plane: u64,
    /// The exact engine answered.
    pub exact: u64,
    /// Questions for which both ran at once.
    pub raced: u64,
}

/// From so many tests on, about 200 µs of work, a pair is raced for.
const WORTH_RACING: u64 = 20_000;
/// After a search for a plane in vain, this many queries go to the exact engine at once: waking another thread costs tens of microseconds.
const PAUSE: u32 = 15;

/// Whether any two faces meet; none when the engine was stopped.
fn any(exact: &mut dyn PreparedPair, a_from_b: &Pose, limits: Limits<'_>) -> Option<bool> {
    let mut found = First::default();
    match (exact.intersections(a_from_b, limits, &mut found), found.0) {
        (_, Some(_)) => Some(true),
        (Outcome::OutOfBudget, None) => None,
        (_, None) => Some(false),
    }
}

impl MeshRace {
    /// The race for two meshes; builds the index and the convex hull of each.
    #[must_use]
    pub fn new(a: &Arc<TriMesh>, b: &Arc<TriMesh>) -> Self {
        Self {
            exact: MeshEngine::WideTree.prepare(Arc::clone(a), Arc::clone(b)),
            planes: HullPlanes::new(a, b),
            last_tests: 0,
            pause: 0,
            stats: RaceStats::default(),
        }
    }

    /// Whether the surfaces share a point; touching counts.
    pub fn intersects(&mut self, a_from_b: &Pose) -> bool {
        let planes = self.planes.as_mut();
        if planes.is_some_and(|planes| planes.kept(a_from_b)) {
            self.stats.kept_plane += 1;
            return false;
        }
        let planes = self.planes.as_ref();
        let is_open = planes.is_some_and(|planes| planes.may_exist(a_from_b));
        let answer = if !is_open {
            self.exact_alone(a_from_b)
        } else if self.last_tests >= WORTH_RACING && self.pause == 0 {
            self.stats.raced += 1;
            // Unless a plane is found.
            self.pause = PAUSE;
            let Self { exact, planes, .. } = self;
            race(
                |is_over| {
                    let stop = || is_over();
                    let limits = Limits {
                        stop: Some(&stop),
                        ..Limits::default()
                    };
                    any(&mut **exact, a_from_b, limits)
                },
                |is_over| planes.as_mut()?.search(a_from_b, is_over).then_some(false),
            )
        } else {
            self.in_turn(a_from_b)
        };
        match answer {
            Some((answer, Winner::First)) => {
                self.last_tests = self.exact.work().tests();
                self.stats.exact += 1;
                answer
            }
            Some((answer, Winner::Second)) => {
                self.stats.new_plane += 1;
                self.pause = 0;
                answer
            }
            // The exact engine stops only for an answer of the other, so one of them has one.
            None => true,
        }
    }

    /// One look for a plane, unless the last looks were in vain, then the exact engine.
    fn in_turn(&mut self, a_from_b: &Pose) -> Option<(bool, Winner)> {
        if let (Some(planes), 0) = (&mut self.planes, self.pause) {
            if planes.search(a_from_b, &|| false) {
                return Some((false, Winner::Second));
            }
            self.pause = PAUSE;
        } else {
            self.pause = self.pause.saturating_sub(1);
        }
        self.exact_alone(a_from_b)
    }

    fn exact_alone(&mut self, a_from_b: &Pose) -> Option<(bool, Winner)> {
        let answer = any(&mut *self.exact, a_from_b, Limits::default());
        answer.map(|answer| (answer, Winner::First))
    }

    /// Who answered how often.
    #[must_use]
    pub fn stats(&self) -> RaceStats {
        self.stats
    }
}

impl fmt::Debug for MeshRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeshRace")
            .field("planes", &self.planes)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

/// Planes between two hulls.
#[derive(Debug)]
struct HullPlanes {
    a: Polyhedron,
    b: Polyhedron,
    normal: Option<DVec3>,
    /// Where the last supports were found.
    hints: [u32; 2],
    gjk: GjkCache,
    /// The largest coordinates of both.
    size: f64,
}

/// A gap that a walk over vertices found must be at least this part of the size: rounding may end a walk early.
const CLIMBED: f64 = 1e-6;
/// A gap must be this many times larger than what rounding makes of the coordinates.
const CLEAR: f64 = 256.0 * f64::EPSILON;

impl HullPlanes {
    fn new(a: &TriMesh, b: &TriMesh) -> Option<Self> {
        let hull = |mesh: &TriMesh| {
            let corners: Vec<DVec3> = mesh.triangles().flatten().collect();
            Polyhedron::new(&corners).ok()
        };
        let (a, b) = (hull(a)?, hull(b)?);
        let far = |hull: &Polyhedron| {
            let bounds = hull.bounds();
            bounds.min.abs().max(bounds.max.abs()).max_element()
        };
        let size = far(&a) + far(&b);
        Some(Self {
            a,
            b,
            normal: None,
            hints: [0; 2],
            gjk: GjkCache::new(),
            size,
        })
    }

    fn clear(&self, a_from_b: &Pose) -> f64 {
        CLEAR * (self.size + a_from_b.translation().abs().max_element())
    }

    /// Whether the plane from before still separates.
    fn kept(&mut self, a_from_b: &Pose) -> bool {
        let Some(normal) = self.normal else {
            return false;
        };
        let turned = a_from_b.rotation().transpose() * -normal;
        let p = self.a.support(normal, self.hints[0]);
        let q = self.b.support(turned, self.hints[1]);
        self.hints = [p.vertex, q.vertex];
        let gap = normal.dot(*a_from_b * q.point - p.point);
        gap > CLIMBED * self.size + self.clear(a_from_b)
    }

    /// Whether balls in the hulls leave it open that there is a plane between them.
    fn may_exist(&self, a_from_b: &Pose) -> bool {
        !bounding_balls_meet(&self.a, &self.b, a_from_b)
    }

    /// Whether there is a plane between the hulls, with a gap that rounding cannot explain; no once `is_over` says that nobody asks any more.
    fn search(&mut self, a_from_b: &Pose, is_over: &IsOver<'_>) -> bool {
        self.normal = None;
        let a = StoppableHull::new(&self.a, is_over);
        let b = StoppableHull::new(&self.b, is_over);
        if early_out_balls(&a, &b, a_from_b, &mut self.gjk) == Some(true) {
            return false;
        }
        let found = distance(&a, &b, a_from_b, &mut self.gjk).value;
        let Some(normal) = (found.point_b - found.point_a).try_normalize() else {
            return false;
        };
        if is_over() {
            return false;
        }
        let turned = a_from_b.rotation().transpose() * -normal;
        let p = self.a.support_certain(normal);
        let q = self.b.support_certain(turned);
        self.hints = [p.vertex, q.vertex];
        let is_apart = normal.dot(*a_from_b * q.point - p.point) > self.clear(a_from_b);
        self.normal = is_apart.then_some(normal);
        is_apart
    }
}

/// A hull that gives any point at once when nobody waits for the answer, so that a search comes to its end. Its points are found by walking over
/// vertices, and nothing is decided in integers: what a search says is proven afterwards.
struct StoppableHull<'h> {
    hull: &'h Polyhedron,
    is_over: &'h IsOver<'h>,
}

impl<'h> StoppableHull<'h> {
    fn new(hull: &'h Polyhedron, is_over: &'h IsOver<'h>) -> Self {
        Self { hull, is_over }
    }
}

impl SupportMap for StoppableHull<'_> {
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        if (self.is_over)() {
            return SupportPoint {
                point: self.hull.vertex(0),
                vertex: 0,
            };
        }
        self.hull.support(direction, hint)
    }
    fn is_certain(&self) -> bool {
        true
    }
    fn bounds(&self) -> Aabb {
        self.hull.bounds()
    }
    fn center(&self) -> DVec3 {
        self.hull.center()
    }
    fn extent(&self) -> InnerOuterBalls {
        self.hull.extent()
    }
}
