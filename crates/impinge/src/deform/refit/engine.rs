//! The engine: when to order, when to refit, when to order a part anew.

use std::sync::Arc;

use glam::DVec3;

use super::super::boxes::origin_of;
use super::super::judge::{Goal, Harvest, answer, harvest, in_parts};
use super::super::scene::Topology;
use super::super::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use super::corners::{Corners, Cull};
use super::layout::{Bounds, Point, WIDTH, point};
use super::lazy::{Freshness, Lazy};
use super::search::{each_candidate, leaf_parts};
use super::tree::Tree;

/// Leaves of a part that is judged, and ordered anew, as a whole.
const PART_LEAVES: usize = WIDTH * WIDTH;
/// Faces of such a part.
const PART_FACES: usize = PART_LEAVES * WIDTH;
/// From so many vertices on, threads take a share.
#[cfg(feature = "parallel")]
const MANY_VERTICES: usize = 8192;
/// Leaves that a thread takes at least.
#[cfg(feature = "parallel")]
const LEAVES_PER_SHARE: usize = 256;

/// Which boxes are computed in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefitMode {
    /// All, from the faces up; with threads.
    #[default]
    BottomUp,
    /// Those that are looked at, from the top; one thread. For objects that are mostly apart and are not asked about themselves.
    TopDown,
    /// The upper half for all faces, the lower half where it is looked at; one thread.
    Hybrid,
}

/// How the tree is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefitOptions {
    /// Which boxes are computed in a frame.
    pub mode: RefitMode,
    /// By which factor the boxes of a part may grow, relative to those of its faces, before its faces are ordered anew; infinite for never.
    /// Only with [`RefitMode::BottomUp`].
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
/// use impinge::deform::{Refit, RefitMode, RefitOptions, Scene, SceneEngine};
/// let lazy = RefitOptions { mode: RefitMode::TopDown, ..Default::default() };
/// let scene = Scene::new(&[])?;
/// assert!(!Refit::new(lazy).any(&scene, &Default::default()));
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Refit {
    options: RefitOptions,
    topology: Option<Arc<Topology>>,
    points: Vec<Point>,
    tree: Tree,
    freshness: Freshness,
    /// Of each leaf, of the last frame.
    corners: Vec<Corners>,
    /// How loose each part was when it was ordered.
    looseness: Vec<f64>,
    /// How loose the parts together were when all was ordered.
    spread: f64,
}

impl Refit {
    /// An engine with these options.
    ///
    /// ```
    /// use impinge::deform::{Refit, SceneEngine};
    /// assert_eq!(Refit::new(Default::default()).name(), "refit");
    /// ```
    #[must_use]
    pub fn new(options: RefitOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    fn search(&mut self, scene: &Scene, request: &SceneRequest, goal: Goal) -> Harvest {
        let origin = origin_of(scene.positions());
        self.place(scene.positions(), origin, request.parallel);
        let is_new = self
            .topology
            .as_ref()
            .is_none_or(|known| !Arc::ptr_eq(known, scene.topology()));
        if is_new {
            self.build(scene);
        }
        let mut done = match self.options.mode {
            RefitMode::BottomUp => self.bottom_up(scene, request, goal, is_new),
            RefitMode::TopDown => self.lazy(scene, request, goal, false),
            RefitMode::Hybrid => self.lazy(scene, request, goal, true),
        };
        done.counters.entries = scene.faces().len() as u64;
        done.counters.rebuilt += u64::from(is_new);
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

    fn build(&mut self, scene: &Scene) {
        self.topology = Some(Arc::clone(scene.topology()));
        self.tree = Tree::new(scene.faces(), &self.points);
        self.freshness = match self.options.mode {
            RefitMode::BottomUp => Freshness::default(),
            _ => Freshness::new(&self.tree, scene.objects_of_faces()),
        };
    }

    fn bottom_up(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        goal: Goal,
        is_new: bool,
    ) -> Harvest {
        let (faces, points) = (scene.faces(), self.points.as_slice());
        let bounds_of = |f: u32| face_bounds(f, faces, points);
        self.tree.refit(bounds_of, request.parallel);
        let mut boxes = self.tree.boxes();
        let mut rebuilt = 0;
        if is_new {
            self.measure_all();
        } else if self.options.rebuild_at.is_finite() {
            let (parts, again) = self.mend(scene, request.parallel);
            rebuilt = parts;
            boxes += again;
        }
        // With one kind of pairs asked for, most candidates are of the other and never judged.
        let wants_all = request.within && request.between;
        let largest = if wants_all {
            self.fill_corners(scene.faces(), request.parallel)
        } else {
            f32::INFINITY
        };
        let cull = wants_all.then(|| Cull::new(&self.corners, largest));
        let tree = &self.tree;
        let parts = leaf_parts(tree);
        let mut done = harvest(scene, request, goal, parts, |part, judge| {
            let cull = cull.map(|cull| cull.with_calm(judge.settling()));
            judge.is_tried = cull.is_some();
            let done = each_candidate(tree, part, parts, cull, |a, b| judge.candidate(a, b));
            judge.counters.box_tests += done.box_tests;
            judge.counters.candidates += done.culled;
            judge.counters.neighbours += done.neighbours;
            judge.counters.separated += done.culled;
        });
        done.counters.boxes = boxes;
        done.counters.rebuilt = rebuilt;
        done
    }

    /// Puts the corners of each leaf side by side; gives the largest coordinate.
    fn fill_corners(&mut self, faces: &[[u32; 3]], parallel: bool) -> f32 {
        let leaves = self.tree.leaves();
        self.corners.resize(leaves, Corners::NONE);
        let (order, points) = (self.tree.order.as_slice(), self.points.as_slice());
        let leaf = |(corners, order): (&mut Corners, &[u32])| {
            for (lane, &f) in order.iter().enumerate() {
                corners.set(lane, faces[f as usize], points);
            }
        };
        let far = |p: &Point| p[0].abs().max(p[1].abs()).max(p[2].abs());
        #[cfg(feature = "parallel")]
        if parallel && points.len() >= MANY_VERTICES {
            use rayon::prelude::*;
            let lists = self.corners.par_iter_mut().zip(order.par_chunks(WIDTH));
            lists.with_min_len(LEAVES_PER_SHARE).for_each(leaf);
            let points = points.par_iter().with_min_len(MANY_VERTICES / 4);
            return points.map(far).reduce(|| 0.0, f32::max);
        }
        let _ = parallel;
        self.corners
            .iter_mut()
            .zip(order.chunks(WIDTH))
            .for_each(leaf);
        points.iter().map(far).fold(0.0, f32::max)
    }

    fn lazy(&mut self, scene: &Scene, request: &SceneRequest, goal: Goal, hybrid: bool) -> Harvest {
        let (faces, points) = (scene.faces(), self.points.as_slice());
        // The tree changes while it is searched: one part, one thread.
        let state = std::sync::Mutex::new((&mut self.tree, &mut self.freshness));
        harvest(scene, request, goal, 1, |_, judge| {
            let Ok(mut state) = state.lock() else {
                return;
            };
            let (tree, freshness) = &mut *state;
            let search = Lazy {
                tree,
                freshness,
                bounds_of: |f: u32| face_bounds(f, faces, points),
                within: request.within,
                hybrid,
                accept: |a, b| judge.candidate(a, b),
                boxes: 0,
                groups_tested: 0,
            };
            let (boxes, tests) = search.search();
            judge.counters.boxes += boxes;
            judge.counters.box_tests += tests;
        })
    }

    /// Notes how loose each part is.
    fn measure_all(&mut self) {
        let parts = self.tree.leaves().div_ceil(PART_LEAVES);
        self.looseness = (0..parts).map(|part| looseness(&self.tree, part)).collect();
        self.spread = spread(&self.tree);
    }

    /// Orders anew what has become loose; gives how many parts and boxes that were.
    fn mend(&mut self, scene: &Scene, parallel: bool) -> (u64, u64) {
        let (faces, points) = (scene.faces(), self.points.as_slice());
        let bounds_of = |f: u32| face_bounds(f, faces, points);
        if spread(&self.tree) > self.options.rebuild_at * self.spread {
            self.tree = Tree::new(faces, points);
            self.tree.refit(bounds_of, parallel);
            let boxes = self.tree.boxes();
            self.measure_all();
            return (self.looseness.len() as u64, boxes);
        }
        let (mut rebuilt, mut boxes) = (0, 0);
        let tree = &self.tree;
        let now = in_parts(parallel, self.looseness.len(), |part| looseness(tree, part));
        for (part, now) in now.into_iter().enumerate() {
            if now <= self.options.rebuild_at * self.looseness[part] {
                continue;
            }
            let from = part * PART_FACES;
            let to = (from + PART_FACES).min(faces.len());
            self.tree.rearrange(from, to, PART_FACES, faces, points);
            self.tree
                .refit_groups(part * PART_LEAVES, (part + 1) * PART_LEAVES, bounds_of);
            self.looseness[part] = looseness(&self.tree, part);
            rebuilt += 1;
            boxes += (to - from) as u64;
        }
        if rebuilt > 0 {
            self.tree.refit_above();
        }
        (rebuilt, boxes)
    }
}

#[inline(always)]
fn face_bounds(face: u32, faces: &[[u32; 3]], points: &[Point]) -> Bounds {
    let [p, q, r] = faces[face as usize].map(|v| &points[v as usize]);
    Bounds::of(p, q, r)
}

/// The surface of a part's leaves, in that of its faces: what refitting makes worse and ordering mends.
fn looseness(tree: &Tree, part: usize) -> f64 {
    let area = |list: &[Bounds], per: usize| -> f64 {
        let from = part * per;
        let to = (from + per).min(list.len());
        list[from..to].iter().map(Bounds::half_area).sum()
    };
    let Some(leaves) = tree.levels.first() else {
        return 1.0;
    };
    ratio(
        area(&leaves.bounds, PART_LEAVES),
        area(&tree.face_bounds, PART_FACES),
    )
}

/// The surface of all parts in that of the whole.
fn spread(tree: &Tree) -> f64 {
    // A part is a group two levels above the leaves.
    let (Some(parts), Some(whole)) = (tree.levels.get(2), tree.levels.last()) else {
        return 1.0;
    };
    let area = |list: &[Bounds]| list.iter().map(Bounds::half_area).sum();
    ratio(area(&parts.bounds), area(&whole.bounds))
}

fn ratio(above: f64, below: f64) -> f64 {
    if above.is_finite() && below > 0.0 {
        above / below
    } else {
        1.0
    }
}

impl SceneEngine for Refit {
    fn name(&self) -> &'static str {
        match self.options.mode {
            RefitMode::BottomUp => "refit",
            RefitMode::TopDown => "refit-top-down",
            RefitMode::Hybrid => "refit-hybrid",
        }
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        let done = self.search(scene, request, Goal::All);
        answer(scene, request, done)
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        !self.search(scene, request, Goal::Any).found.is_empty()
    }
}
