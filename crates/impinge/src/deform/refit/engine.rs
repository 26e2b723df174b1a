//! The refit engine: when to sort all faces, when to refit, when to sort a part again.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::super::engine::by_stages;
use super::super::face_boxes::origin_of;
use super::super::narrow_phase::{
    NarrowPhaseResult, PairGoal, answer, both, collect_pairs, collect_pairs_with, in_one_piece,
    in_parts, unfolded_vertices,
};
use super::super::scene::Topology;
use super::super::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use super::box_lanes::{BoxGroup, LaneBounds, Point, WIDTH, point};
use super::lazy_refit::{LazyTraversal, RefitState, begin_in_the_middle};
use super::leaf_corners::{CornerLanes, LeafCulling};
use super::refit_bvh::{RefitBvh, ratio};
use super::self_traversal::{each_candidate, leaf_parts};

/// Leaves of a part that is judged, and ordered again, as a whole.
const PART_LEAVES: usize = WIDTH * WIDTH;
/// Faces of such a part.
const PART_FACES: usize = PART_LEAVES * WIDTH;
/// From so many vertices on, threads take a share.
#[cfg(feature = "parallel")]
const MANY_VERTICES: usize = 8192;
/// Candidates of a lazy search that one part of the work decides.
const CANDIDATES_PER_PART: usize = 1024;
/// A lazy search that computes and compares so few boxes is cheap whatever the order.
const LITTLE_WORK: u64 = 4096;
/// Every so many frames it is looked whether parts have become loose.
const FRAMES_PER_LOOK: u32 = 4;

/// Which boxes are computed in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefitMode {
    /// All, from the faces up; with threads.
    #[default]
    BottomUp,
    /// Those that are examined, from the top; one thread looks, all decide. For objects that are mostly apart and have no queries about themselves.
    TopDown,
    /// The upper half for all faces, with threads; the lower half where it is examined, by one. All decide.
    Hybrid,
}

/// How the tree is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefitOptions {
    /// Which boxes are computed in a frame.
    pub mode: RefitMode,
    /// The factor by which the boxes of a part may grow, relative to those of its faces, before its
    /// faces are sorted again; infinite for never. Lazy modes do not see all boxes: they sort all
    /// faces again when the boxes computed and compared grow by this factor.
    pub rebuild_at: f64,
}

impl Default for RefitOptions {
    fn default() -> Self {
        Self {
            mode: RefitMode::BottomUp,
            rebuild_at: 1.6,
        }
    }
}

/// A tree of boxes that follows the faces.
///
/// ```
/// use impinge::deform::{RefitBvhEngine, RefitMode, RefitOptions, Scene, SceneEngine};
/// let lazy = RefitOptions { mode: RefitMode::TopDown, ..Default::default() };
/// let scene = Scene::new(&[])?;
/// assert!(!RefitBvhEngine::new(lazy).any(&scene, &Default::default()));
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RefitBvhEngine {
    options: RefitOptions,
    topology: Option<Arc<Topology>>,
    points: Vec<Point>,
    tree: RefitBvh,
    freshness: RefitState,
    /// Of each leaf, of the last frame.
    corners: Vec<CornerLanes>,
    /// How loose each part was when it was ordered.
    looseness: Vec<f64>,
    /// How loose the parts together were when all was ordered.
    spread: f64,
    /// Frames since the faces are these.
    frames: u32,
    /// Lazy modes: what a search cost when the faces were ordered, or the least since; none before the first.
    least_work: Option<u64>,
    /// Lazy modes: whether the last search cost so much more that the faces are to be ordered again.
    is_torn: bool,
}

/// What following the faces did.
struct RefitStats {
    rebuilt: u64,
    boxes: u64,
    calm: Vec<bool>,
}

impl RefitBvhEngine {
    /// An engine with these options.
    ///
    /// ```
    /// use impinge::deform::{RefitBvhEngine, SceneEngine};
    /// assert_eq!(RefitBvhEngine::new(Default::default()).name(), "refit");
    /// ```
    #[must_use]
    pub fn new(options: RefitOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    fn search(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        goal: PairGoal,
        watch: &mut dyn FnMut(&'static str),
    ) -> NarrowPhaseResult {
        let origin = origin_of(scene.positions());
        self.place(scene.positions(), origin, request.parallel);
        let is_new = self
            .topology
            .as_ref()
            .is_none_or(|known| !Arc::ptr_eq(known, scene.topology()));
        let is_lazy = self.options.mode != RefitMode::BottomUp;
        let is_torn = !is_new && is_lazy && self.is_torn;
        if is_new || is_torn {
            self.build(scene, request.parallel);
        }
        watch("order");
        let mut done = match self.options.mode {
            RefitMode::BottomUp => {
                let done = self.follow_all(scene, request, is_new);
                watch("boxes");
                self.bottom_up(scene, request, goal, done)
            }
            RefitMode::TopDown => self.lazy(scene, request, goal, false),
            RefitMode::Hybrid => self.lazy(scene, request, goal, true),
        };
        watch("decision");
        done.counters.entries = scene.faces().len() as u64;
        done.counters.rebuilt += u64::from(is_new || is_torn);
        done
    }

    /// Notes where the vertices are for boxes.
    fn place(&mut self, positions: &[DVec3], origin: DVec3, parallel: bool) {
        #[cfg(feature = "parallel")]
        if parallel && positions.len() >= MANY_VERTICES {
            use rayon::prelude::*;
            let points = positions.par_iter().with_min_len(MANY_VERTICES / 4);
            points
                .map(|&p| point(p, origin))
                .collect_into_vec(&mut self.points);
            return;
        }
        let _ = parallel;
        self.points.clear();
        self.points
            .extend(positions.iter().map(|&p| point(p, origin)));
    }

    fn build(&mut self, scene: &Scene, parallel: bool) {
        self.topology = Some(Arc::clone(scene.topology()));
        self.tree = RefitBvh::new(scene.faces(), &self.points, parallel);
        self.least_work = None;
        self.is_torn = false;
        self.freshness = match self.options.mode {
            RefitMode::BottomUp => RefitState::default(),
            _ => RefitState::new(&self.tree, scene.objects_of_faces()),
        };
    }

    /// Computes all boxes, and which vertices are calm.
    fn follow_all(&mut self, scene: &Scene, request: &SceneRequest, is_new: bool) -> RefitStats {
        let wants_all = request.within && request.between;
        let parallel = request.parallel;
        let follow = || {
            let leaves = self.tree.leaves();
            if !wants_all {
                let mut nothing = vec![(); leaves];
                return self.follow(scene, parallel, is_new, &mut nothing, |(), _, _, _| {});
            }
            let mut corners = std::mem::take(&mut self.corners);
            corners.resize(leaves, CornerLanes::NONE);
            let done = self.follow(scene, parallel, is_new, &mut corners, note_face);
            self.corners = corners;
            done
        };
        // Neither needs the other: with threads, one does not wait for the other's last.
        let ((rebuilt, boxes), calm) = both(parallel, follow, || unfolded_vertices(scene, request));
        RefitStats {
            rebuilt,
            boxes,
            calm,
        }
    }

    fn bottom_up(
        &self,
        scene: &Scene,
        request: &SceneRequest,
        goal: PairGoal,
        followed: RefitStats,
    ) -> NarrowPhaseResult {
        // With one kind of pairs asked for, most candidates are of the other and never judged.
        let wants_all = request.within && request.between;
        let RefitStats {
            rebuilt,
            boxes,
            calm,
        } = followed;
        let largest = self.tree.largest();
        let cull = wants_all.then(|| LeafCulling::new(&self.corners, largest));
        let tree = &self.tree;
        let parts = leaf_parts(tree);
        let mut done = collect_pairs_with(scene, request, goal, parts, &calm, |part, judge| {
            let cull = cull.map(|cull| cull.with_calm(judge.settling()));
            judge.is_tried = cull.is_some();
            let done = each_candidate(tree, (part, parts), cull, &[], |a, b| judge.candidate(a, b));
            judge.counters.box_tests += done.box_tests;
            judge.counters.candidates += done.culled;
            judge.counters.neighbours += done.neighbours;
            judge.counters.separated += done.culled;
        });
        done.counters.boxes = boxes;
        done.counters.rebuilt = rebuilt;
        done
    }

    /// Computes all boxes, and orders again what has become loose. Each face is noted on the way; gives how many parts were ordered, and
    /// boxes computed.
    fn follow<N: Send>(
        &mut self,
        scene: &Scene,
        parallel: bool,
        is_new: bool,
        notes: &mut [N],
        note: impl Fn(&mut N, usize, [u32; 3], [&Point; 3]) + Sync,
    ) -> (u64, u64) {
        let (faces, points) = (scene.faces(), self.points.as_slice());
        let bounds_of = |f: u32, lane: usize, slot: &mut N| {
            let face = faces[f as usize];
            let [p, q, r] = face.map(|v| &points[v as usize]);
            note(slot, lane, face, [p, q, r]);
            LaneBounds::of(p, q, r)
        };
        self.tree.refit(notes, bounds_of, parallel);
        let mut boxes = self.tree.boxes();
        if is_new {
            self.measure_all();
            self.frames = 0;
            return (0, boxes);
        }
        self.frames = self.frames.wrapping_add(1);
        if !self.options.rebuild_at.is_finite() {
            return (0, boxes);
        }
        if self.tree.spread() > self.options.rebuild_at * self.spread {
            self.tree = RefitBvh::new(faces, points, parallel);
            self.tree.refit(notes, bounds_of, parallel);
            boxes += self.tree.boxes();
            self.measure_all();
            return (self.looseness.len() as u64, boxes);
        }
        if !self.frames.is_multiple_of(FRAMES_PER_LOOK) {
            return (0, boxes);
        }
        let (tree, rebuild_at) = (&self.tree, self.options.rebuild_at);
        let before = self.looseness.as_slice();
        let loose = in_parts(parallel, before.len(), |part| {
            looseness(tree, part) > rebuild_at * before[part]
        });
        let parts = (0..loose.len()).filter(|&part| loose[part]);
        let rebuilt = parts.clone().count() as u64;
        if rebuilt > 0 {
            let loose = (&loose[..], PART_LEAVES);
            self.tree
                .renew(loose, (faces, points), notes, bounds_of, parallel);
            for part in parts {
                self.looseness[part] = looseness(&self.tree, part);
                let from = part * PART_FACES;
                boxes += ((from + PART_FACES).min(faces.len()) - from) as u64;
            }
            self.tree.refit_above();
        }
        (rebuilt, boxes)
    }

    fn lazy(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        goal: PairGoal,
        hybrid: bool,
    ) -> NarrowPhaseResult {
        let (faces, points) = (scene.faces(), self.points.as_slice());
        let bounds_of = |f: u32| face_bounds(f, faces, points);
        self.freshness.forget();
        let ready = if hybrid {
            begin_in_the_middle(
                &mut self.tree,
                &mut self.freshness,
                bounds_of,
                request.parallel,
            )
        } else {
            0
        };
        let (tree, freshness) = (&mut self.tree, &mut self.freshness);
        let within = request.within;
        let mut done = match goal {
            PairGoal::Any => {
                // The first hit ends it: pairs are decided as they are found. The tree changes meanwhile: one part, one thread.
                let state = std::sync::Mutex::new((tree, freshness));
                collect_pairs(scene, request, goal, 1, |_, judge| {
                    let Ok(mut state) = state.lock() else {
                        return;
                    };
                    let (tree, freshness) = &mut *state;
                    let accept = |a, b| judge.candidate(a, b);
                    let search = LazyTraversal::new(tree, freshness, bounds_of, within, accept);
                    let (boxes, tests) = search.search();
                    judge.counters.boxes += boxes;
                    judge.counters.box_tests += tests;
                })
            }
            PairGoal::All => {
                // Looked for by one thread, decided by all.
                let mut candidates: Vec<(u32, u32)> = Vec::new();
                let accept = |a, b| {
                    candidates.push((a, b));
                    ControlFlow::Continue(())
                };
                let (boxes, tests) =
                    LazyTraversal::new(tree, freshness, bounds_of, within, accept).search();
                let parts = candidates.len().div_ceil(CANDIDATES_PER_PART);
                let mut done = collect_pairs(scene, request, goal, parts, |part, judge| {
                    let from = part * CANDIDATES_PER_PART;
                    let to = (from + CANDIDATES_PER_PART).min(candidates.len());
                    for &(a, b) in &candidates[from..to] {
                        let _ = judge.candidate(a, b);
                    }
                });
                done.counters.boxes += boxes;
                done.counters.box_tests += tests;
                done
            }
        };
        done.counters.boxes += ready;
        if goal == PairGoal::All {
            self.weigh(done.counters.boxes + done.counters.box_tests);
        }
        done
    }

    /// Notes what a lazy search cost, and whether the order of the faces is no longer worth keeping.
    fn weigh(&mut self, work: u64) {
        let least = self.least_work.map_or(work, |least| least.min(work));
        self.least_work = Some(least);
        let most = self.options.rebuild_at * least as f64;
        self.is_torn = work as f64 > most && work >= LITTLE_WORK;
    }

    /// Notes how loose each part is.
    fn measure_all(&mut self) {
        let parts = self.tree.leaves().div_ceil(PART_LEAVES);
        self.looseness = (0..parts).map(|part| looseness(&self.tree, part)).collect();
        self.spread = self.tree.spread();
    }
}

/// Puts the corners of a face beside those of its leaf.
#[inline(always)]
fn note_face(corners: &mut CornerLanes, lane: usize, face: [u32; 3], points: [&Point; 3]) {
    corners.set(lane, face, points);
}

#[inline(always)]
fn face_bounds(face: u32, faces: &[[u32; 3]], points: &[Point]) -> LaneBounds {
    let [p, q, r] = faces[face as usize].map(|v| &points[v as usize]);
    LaneBounds::of(p, q, r)
}

/// The surface of a part's leaves, in that of its faces: what refitting makes worse and ordering mends.
fn looseness(tree: &RefitBvh, part: usize) -> f64 {
    let Some(leaves) = tree.levels.first() else {
        return 1.0;
    };
    let from = part * PART_LEAVES;
    let to = (from + PART_LEAVES).min(leaves.groups.len());
    let above = leaves.bounds[from..to].iter().map(LaneBounds::half_area);
    let below = leaves.groups[from..to].iter().map(BoxGroup::half_area);
    ratio(above.sum(), below.sum())
}

impl SceneEngine for RefitBvhEngine {
    fn name(&self) -> &'static str {
        match self.options.mode {
            RefitMode::BottomUp => "refit",
            RefitMode::TopDown => "refit-top-down",
            RefitMode::Hybrid => "refit-hybrid",
        }
    }

    by_stages!(self, scene, request, watch => {
        let done = self.search(scene, request, PairGoal::All, watch);
        let answer = answer(scene, request, done);
        watch("answer");
        answer
    });

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        let done = in_one_piece(scene, request, || {
            self.search(scene, request, PairGoal::Any, &mut |_| {})
        });
        !done.found.is_empty()
    }
}
