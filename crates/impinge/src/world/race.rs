//! Runs two engines on one pair and takes the faster answer.
//!
//! **Question.** Do two placed meshes touch, if it is unknown whether finding a contact or a gap is
//! faster?
//! **Idea.** One engine traverses two trees and is fast when there is contact; the other searches
//! for a plane between the convex hulls and is fast when there is none. The first to finish stops
//! the other.
//! **Source.** Zachmann 1994, section 6.5; it found that waiting for each other cost more than it
//! gained for small pairs. So threads race only for a pair that was expensive in the last step.
//! Otherwise, and before a race, [quick deciders](crate::pair::PairConfig::race) are tried in turn:
//! the plane or the faces of the last answer. The race lasts until both have stopped, so both poll
//! a flag.
//! **Cost.** At best the faster of the two.
//! **Promise.** The answer is that of the exact engine alone; only which engine gives it depends on
//! threads.
//! **Limits.** Without the feature `parallel` the plane is tried first.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bvh::MeshIndex;
use crate::bvh::wide::{WideCache, WideTree};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::pair::{MeshShape, PairRace, QuickDecision, RaceStats};
use crate::query::{FacePair, First, Limits, Outcome};

/// Whether the race is over.
pub type IsOver<'r> = dyn Fn() -> bool + Sync + 'r;

/// The contender that finished first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The first contender.
    First,
    /// The second contender.
    Second,
}

/// Runs two contenders concurrently; returns the first answer, and whose it is.
///
/// A contender without an answer returns none; a contender polls whether it should stop. If both
/// have answers, they should be equal.
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

/// Two meshes, tested by two engines concurrently.
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
    trees: [Arc<WideTree>; 2],
    cache: WideCache,
    quick: PairRace,
    /// What the exact engine's last answer cost.
    last_tests: u64,
    raced: u64,
}

/// From so many tests on, about 200 µs of work, threads race for a pair.
const WORTH_RACING: u64 = 20_000;

impl MeshRace {
    /// The race for two meshes; builds the index of each, and the convex hull of each when first needed.
    #[must_use]
    pub fn new(a: &Arc<TriMesh>, b: &Arc<TriMesh>) -> Self {
        let [a, b] = [a, b].map(|mesh| Arc::new(MeshShape::new(Arc::clone(mesh))));
        Self {
            trees: [Arc::clone(a.wide()), Arc::clone(b.wide())],
            cache: WideCache::default(),
            quick: PairRace::new(&a, &b, false),
            last_tests: 0,
            raced: 0,
        }
    }

    /// Whether the surfaces share a point; touching counts.
    pub fn intersects(&mut self, a_from_b: &Pose) -> bool {
        let is_costly = self.last_tests >= WORTH_RACING;
        let quick = if is_costly {
            self.quick.decide_kept(a_from_b)
        } else {
            self.quick.decide(a_from_b)
        };
        match quick {
            Some(QuickDecision::Apart) => return false,
            Some(QuickDecision::Meet(_)) => return true,
            None => {}
        }
        let first = if is_costly && self.quick.looks_for_plane(a_from_b) {
            self.raced += 1;
            let Self {
                trees,
                cache,
                quick,
                ..
            } = self;
            let answer = race(
                |is_over| {
                    let stop = || is_over();
                    let limits = Limits {
                        stop: Some(&stop),
                        ..Limits::default()
                    };
                    first(trees, a_from_b, limits, cache)
                },
                |is_over| {
                    let is_apart = quick.planes_mut()?.search(a_from_b, is_over);
                    is_apart.then_some(None)
                },
            );
            quick.searched(matches!(answer, Some((_, Winner::Second))));
            match answer {
                Some((_, Winner::Second)) => return false,
                Some((answer, Winner::First)) => Some(answer),
                None => None,
            }
        } else {
            first(&self.trees, a_from_b, Limits::default(), &mut self.cache)
        };
        // The exact engine stops only for an answer of the other, so one of them has one.
        let Some(first) = first else {
            return true;
        };
        self.last_tests = WideTree::work(&self.cache).tests();
        self.quick.learn(first.map(Some), a_from_b);
        first.is_some()
    }

    /// How often each engine answered.
    #[must_use]
    pub fn stats(&self) -> RaceStats {
        let mut stats = self.quick.stats();
        stats.raced = self.raced;
        stats
    }
}

/// The first pair of faces that meet, none inside when there is none; none at all when the engine was stopped.
fn first(
    [a, b]: &[Arc<WideTree>; 2],
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Option<Option<FacePair>> {
    let mut found = First::default();
    match (
        a.intersections(b, a_from_b, limits, cache, &mut found),
        found.0,
    ) {
        (_, Some(pair)) => Some(Some(pair)),
        (Outcome::OutOfBudget, None) => None,
        (_, None) => Some(None),
    }
}

impl fmt::Debug for MeshRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeshRace")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
