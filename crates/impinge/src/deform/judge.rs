//! The decision about one pair of faces, the same for every engine.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use super::apart::{apart_at_corner, apart_at_edge, strictly_apart};
use super::details::detail;
use super::{PairKind, Scene, SceneAnswer, SceneCounters, ScenePair, SceneRequest};
use crate::geom::{SharedCorners, meet_beyond_shared, triangles_intersect};
use crate::query::{FaceId, Outcome};

/// Whether two faces meet beyond the corners they share; `None` when they share all three.
#[inline]
pub(super) fn meet(
    positions: &[DVec3],
    faces: [[u32; 3]; 2],
    counters: &mut SceneCounters,
) -> Option<bool> {
    let [face_a, face_b] = faces;
    let a = face_a.map(|v| positions[v as usize]);
    let b = face_b.map(|v| positions[v as usize]);
    let has = |v: u32| v == face_b[0] || v == face_b[1] || v == face_b[2];
    if !(has(face_a[0]) | has(face_a[1]) | has(face_a[2])) {
        if strictly_apart(&a, &b) {
            counters.separated += 1;
            return Some(false);
        }
        counters.exact_tests += 1;
        return Some(triangles_intersect(&a, &b));
    }
    counters.neighbours += 1;
    let shared = SharedCorners::by_index(face_a, face_b);
    let is_settled = match *shared.pairs() {
        [(i, j)] => apart_at_corner(
            a[i],
            [a[(i + 1) % 3], a[(i + 2) % 3]],
            [b[(j + 1) % 3], b[(j + 2) % 3]],
        ),
        // Corner numbers sum to three, so the difference is the third.
        [(i, j), (k, l)] => apart_at_edge(a[i], a[k], a[3 - i - k], b[3 - j - l]),
        _ => return None,
    };
    if is_settled {
        counters.separated += 1;
        return Some(false);
    }
    counters.exact_tests += 1;
    Some(meet_beyond_shared(&a, &b, &shared))
}

/// Decides the pairs of one part of the work and keeps those that meet.
#[derive(Debug)]
pub(super) struct Judge<'s> {
    pub(super) scene: &'s Scene,
    positions: &'s [DVec3],
    faces: &'s [[u32; 3]],
    request: &'s SceneRequest,
    wants_all_kinds: bool,
    /// Set at the first hit when one is enough.
    stop: Option<&'s AtomicBool>,
    found: Vec<u64>,
    pub(super) counters: SceneCounters,
}

impl<'s> Judge<'s> {
    fn new(scene: &'s Scene, request: &'s SceneRequest, stop: Option<&'s AtomicBool>) -> Self {
        Self {
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

    /// Whether pairs of this kind were asked for.
    #[inline]
    pub(super) fn wants(&self, a: u32, b: u32) -> bool {
        self.wants_all_kinds
            || match self.scene.kind(a, b) {
                PairKind::Within => self.request.within,
                PairKind::Between => self.request.between,
            }
    }

    /// Whether another part of the work has found what was asked for.
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
        let (a, b) = (a.min(b), a.max(b));
        let corners = [self.faces[a as usize], self.faces[b as usize]];
        let meets = meet(self.positions, corners, &mut self.counters);
        if !meets.unwrap_or(self.request.duplicates) {
            return ControlFlow::Continue(());
        }
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
}

/// What all parts of the work found.
#[derive(Debug, Default)]
pub(super) struct Harvest {
    /// The smaller face in the upper half of each; in no order, perhaps repeated.
    pub(super) found: Vec<u64>,
    pub(super) counters: SceneCounters,
}

/// Whether all pairs are wanted or one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    All,
    Any,
}

/// Does `parts` parts of the work, with threads if they may be used; merges by number.
///
/// The parts must not depend on the number of threads: counters are summed over them.
pub(super) fn harvest(
    scene: &Scene,
    request: &SceneRequest,
    goal: Goal,
    parts: usize,
    work: impl Fn(usize, &mut Judge<'_>) + Sync,
) -> Harvest {
    let stop = AtomicBool::new(false);
    let stop = (goal == Goal::Any).then_some(&stop);
    let part = |i: usize| {
        let mut judge = Judge::new(scene, request, stop);
        if !judge.is_done() {
            work(i, &mut judge);
        }
        (judge.found, judge.counters)
    };
    let done = in_parts(request.parallel, parts, part);
    let mut harvest = Harvest::default();
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

/// Sorts what was found and makes it the answer.
pub(super) fn answer(scene: &Scene, request: &SceneRequest, harvest: Harvest) -> SceneAnswer {
    let Harvest {
        mut found,
        mut counters,
    } = harvest;
    found.sort_unstable();
    found.dedup();
    counters.faces = scene.faces().len() as u64;
    let mut outcome = Outcome::Complete;
    if let Some(most) = request.max_pairs {
        if found.len() > most {
            found.truncate(most);
            outcome = Outcome::OutOfBudget;
        }
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
