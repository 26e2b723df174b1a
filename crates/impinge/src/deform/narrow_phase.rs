//! Narrow phase: the exact decision about one pair of faces, the same for every engine.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use super::contact_details::detail;
use super::separation_filters::{apart_at_corner, apart_at_edge, strictly_apart};
use super::{PairKind, Scene, SceneAnswer, SceneCounters, ScenePair, SceneRequest};
use crate::geom::{SharedCorners, adjacent_triangles_intersect, triangles_intersect};
use crate::query::{FaceId, Outcome};

/// From so many faces on, it pays to look around each vertex first.
const WORTH_STARS: usize = 32;
/// From so many pairs on, threads take a share of sorting them.
#[cfg(feature = "parallel")]
const MANY_PAIRS: usize = 4096;

/// From so many faces on, the stages of a frame are one piece of the threads' work.
#[cfg(feature = "parallel")]
const MANY_FACES: usize = 2048;

/// Which corners are shared: bit `3 i + j` for corner `i` of `a` and corner `j` of `b`.
#[inline]
pub(super) fn shared_bits(a: &[u32; 3], b: &[u32; 3]) -> u32 {
    let row = |v: u32| u32::from(v == b[0]) | u32::from(v == b[1]) << 1 | u32::from(v == b[2]) << 2;
    row(a[0]) | row(a[1]) << 3 | row(a[2]) << 6
}

/// Whether faces that share one corner or one edge meet in that only, because nothing folds around one of its vertices.
#[inline]
pub(super) fn is_unfolded(calm: &[bool], face_a: &[u32; 3], shared: u32) -> bool {
    let is_calm = |bits: u32| {
        let vertex = face_a[bits.trailing_zeros() as usize / 3];
        calm.get(vertex as usize).is_some_and(|&calm| calm)
    };
    let rest = shared & shared.wrapping_sub(1);
    let more = rest & rest.wrapping_sub(1);
    shared != 0 && more == 0 && (is_calm(shared) || (rest != 0 && is_calm(rest)))
}

/// Decides the pairs of one part of the work and keeps those that meet.
#[derive(Debug)]
pub(super) struct NarrowPhase<'s> {
    pub(super) scene: &'s Scene,
    positions: &'s [DVec3],
    faces: &'s [[u32; 3]],
    request: &'s SceneRequest,
    wants_all_kinds: bool,
    /// Vertices around which nothing folds; empty when not known.
    calm: &'s [bool],
    /// Whether candidates were already tried along the direction of their centres.
    pub(super) is_tried: bool,
    /// Set at the first hit when one is enough.
    stop: Option<&'s AtomicBool>,
    found: Vec<u64>,
    pub(super) counters: SceneCounters,
}

impl<'s> NarrowPhase<'s> {
    fn new(
        scene: &'s Scene,
        request: &'s SceneRequest,
        calm: &'s [bool],
        stop: Option<&'s AtomicBool>,
    ) -> Self {
        Self {
            calm,
            is_tried: false,
            scene,
            positions: scene.positions(),
            faces: scene.faces(),
            request,
            wants_all_kinds: request.within && request.between,
            stop,
            found: Vec::new(),
            counters: SceneCounters::default(),
        }
    }

    /// Whether pairs of this kind were requested.
    #[inline]
    pub(super) fn wants(&self, a: u32, b: u32) -> bool {
        self.wants_all_kinds
            || match self.scene.kind(a, b) {
                PairKind::Within => self.request.within,
                PairKind::Between => self.request.between,
            }
    }

    /// Vertices that settle all pairs of neighbours around them; none when two faces have the same three vertices, which is another case.
    pub(super) fn settling(&self) -> &'s [bool] {
        if self.calm.is_empty() || self.scene.topology().stars().has_duplicates() {
            &[]
        } else {
            self.calm
        }
    }

    /// Whether another part of the work has found what was requested.
    pub(super) fn is_done(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Decides two different faces that exist, in any order; breaks when no more is needed.
    #[inline]
    pub(super) fn candidate(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        if !self.wants(a, b) {
            return ControlFlow::Continue(());
        }
        self.counters.candidates += 1;
        let (face_a, face_b) = (&self.faces[a as usize], &self.faces[b as usize]);
        let shared = shared_bits(face_a, face_b);
        let meets = if shared == 0 {
            self.meet(face_a, face_b)
        } else {
            self.counters.neighbours += 1;
            if is_unfolded(self.calm, face_a, shared) {
                self.counters.separated += 1;
                return ControlFlow::Continue(());
            }
            self.meet_as_neighbours(face_a, face_b)
        };
        if !meets {
            return ControlFlow::Continue(());
        }
        self.found_pair(a.min(b), a.max(b))
    }

    fn found_pair(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.counters.hits += 1;
        self.found.push(u64::from(a) << 32 | u64::from(b));
        match self.stop {
            Some(stop) => {
                stop.store(true, Ordering::Relaxed);
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// Whether two faces without common vertices meet.
    #[inline(never)]
    fn meet(&mut self, face_a: &[u32; 3], face_b: &[u32; 3]) -> bool {
        let a = face_a.map(|v| self.positions[v as usize]);
        let b = face_b.map(|v| self.positions[v as usize]);
        if !self.is_tried && strictly_apart(&a, &b) {
            self.counters.separated += 1;
            return false;
        }
        self.counters.exact_tests += 1;
        triangles_intersect(&a, &b)
    }

    /// Whether two faces meet beyond the corners they share, or are to be reported because they share all.
    #[inline(never)]
    fn meet_as_neighbours(&mut self, face_a: &[u32; 3], face_b: &[u32; 3]) -> bool {
        let a = face_a.map(|v| self.positions[v as usize]);
        let b = face_b.map(|v| self.positions[v as usize]);
        let shared = SharedCorners::by_index(*face_a, *face_b);
        let is_settled = match *shared.pairs() {
            [(i, j)] => apart_at_corner(
                a[i],
                [a[(i + 1) % 3], a[(i + 2) % 3]],
                [b[(j + 1) % 3], b[(j + 2) % 3]],
            ),
            // Corner numbers sum to three, so the difference is the third.
            [(i, j), (k, l)] => apart_at_edge(a[i], a[k], a[3 - i - k], b[3 - j - l]),
            _ => return self.request.duplicates,
        };
        if is_settled {
            self.counters.separated += 1;
            return false;
        }
        self.counters.exact_tests += 1;
        adjacent_triangles_intersect(&a, &b, &shared)
    }
}

/// Whether two faces meet beyond what they share, or are to be reported because they share all: the exact tests alone.
pub(super) fn meets_exactly(
    scene: &Scene,
    request: &SceneRequest,
    face_a: &[u32; 3],
    face_b: &[u32; 3],
) -> bool {
    let [a, b] = [face_a, face_b].map(|face| face.map(|v| scene.positions()[v as usize]));
    let shared = SharedCorners::by_index(*face_a, *face_b);
    match shared.pairs() {
        [] => triangles_intersect(&a, &b),
        [_] | [_, _] => adjacent_triangles_intersect(&a, &b, &shared),
        _ => request.duplicates,
    }
}

/// What all parts of the work found.
#[derive(Debug, Default)]
pub(super) struct NarrowPhaseResult {
    /// The smaller face in the upper half of each; in no order, perhaps repeated.
    pub(super) found: Vec<u64>,
    pub(super) counters: SceneCounters,
}

/// Whether all pairs are wanted or one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairGoal {
    All,
    Any,
}

/// Parts that work is usually cut into, for any number of threads.
pub(super) const PARTS: usize = 64;

/// Does `parts` parts of the work, with threads if they may be used; merges by number.
///
/// The parts must not depend on the number of threads: counters are summed over them.
pub(super) fn collect_pairs(
    scene: &Scene,
    request: &SceneRequest,
    goal: PairGoal,
    parts: usize,
    work: impl Fn(usize, &mut NarrowPhase<'_>) + Sync,
) -> NarrowPhaseResult {
    let calm = unfolded_vertices(scene, request);
    collect_pairs_with(scene, request, goal, parts, &calm, work)
}

/// The vertices around which nothing folds; none when it does not pay to look.
pub(super) fn unfolded_vertices(scene: &Scene, request: &SceneRequest) -> Vec<bool> {
    if request.within && scene.faces().len() >= WORTH_STARS {
        let stars = scene.topology().stars();
        stars.calm(scene.faces(), scene.positions(), request.parallel)
    } else {
        Vec::new()
    }
}

/// As [`collect_pairs`], with the vertices around which nothing folds.
pub(super) fn collect_pairs_with(
    scene: &Scene,
    request: &SceneRequest,
    goal: PairGoal,
    parts: usize,
    calm: &[bool],
    work: impl Fn(usize, &mut NarrowPhase<'_>) + Sync,
) -> NarrowPhaseResult {
    let stop = AtomicBool::new(false);
    let stop = (goal == PairGoal::Any).then_some(&stop);
    let part = |i: usize| {
        let mut judge = NarrowPhase::new(scene, request, calm, stop);
        if !judge.is_done() {
            work(i, &mut judge);
        }
        (judge.found, judge.counters)
    };
    let done = in_parts(request.parallel, parts, part);
    let mut harvest = NarrowPhaseResult::default();
    for (found, counters) in done {
        harvest.found.extend(found);
        harvest.counters.add(&counters);
    }
    harvest
}

/// The results of `parts` parts of some work, by number.
pub(super) fn in_parts<T: Send>(
    parallel: bool,
    parts: usize,
    part: impl Fn(usize) -> T + Sync + Send,
) -> Vec<T> {
    #[cfg(feature = "parallel")]
    if parallel && parts > 1 {
        use rayon::prelude::*;
        return (0..parts).into_par_iter().map(part).collect();
    }
    let _ = parallel;
    (0..parts).map(part).collect()
}

/// Does all work of a frame as one piece of the threads' work, where it has many faces. Entered once, they need not be woken by every stage, which on a
/// small scene takes as long as the stage.
pub(super) fn in_one_piece<T: Send>(
    scene: &Scene,
    request: &SceneRequest,
    work: impl FnOnce() -> T + Send,
) -> T {
    #[cfg(feature = "parallel")]
    if request.parallel && scene.faces().len() >= MANY_FACES {
        return rayon::scope(|_| work());
    }
    let _ = (scene, request);
    work()
}

/// The results of two pieces of work, side by side if threads may be used.
pub(super) fn both<A: Send, B: Send>(
    parallel: bool,
    one: impl FnOnce() -> A + Send,
    two: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::join(one, two);
    }
    let _ = parallel;
    (one(), two())
}

fn sort(found: &mut [u64], parallel: bool) {
    #[cfg(feature = "parallel")]
    if parallel && found.len() >= MANY_PAIRS {
        use rayon::prelude::*;
        found.par_sort_unstable();
        return;
    }
    let _ = parallel;
    found.sort_unstable();
}

/// Sorts what was found and makes it the answer.
pub(super) fn answer(
    scene: &Scene,
    request: &SceneRequest,
    harvest: NarrowPhaseResult,
) -> SceneAnswer {
    let NarrowPhaseResult {
        mut found,
        mut counters,
    } = harvest;
    sort(&mut found, request.parallel);
    found.dedup();
    counters.faces = scene.faces().len() as u64;
    let mut outcome = Outcome::Complete;
    if let Some(most) = request.max_pairs
        && found.len() > most
    {
        found.truncate(most);
        outcome = Outcome::OutOfBudget;
    }
    let pairs: Vec<ScenePair> = found
        .into_iter()
        .map(|key| {
            let (a, b) = ((key >> 32) as u32, key as u32);
            ScenePair {
                a: FaceId::new(a),
                b: FaceId::new(b),
                kind: scene.kind(a, b),
            }
        })
        .collect();
    let details = if request.details {
        let one = |i: usize| {
            let pair: &ScenePair = &pairs[i];
            detail(&scene.corners(pair.a.raw()), &scene.corners(pair.b.raw()))
        };
        in_parts(request.parallel, pairs.len(), one)
    } else {
        Vec::new()
    };
    SceneAnswer {
        pairs,
        details,
        counters,
        outcome,
    }
}
