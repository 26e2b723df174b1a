//! The engine: when to order, when to refit, when to order a part anew.

use std::sync::Arc;

use super::super::boxes::origin_of;
use super::super::judge::{Goal, Harvest, answer, harvest};
use super::super::scene::Topology;
use super::super::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use super::layout::{Bounds, Point, WIDTH, point};
use super::lazy::{Freshness, Lazy};
use super::search::{each_candidate, leaf_parts};
use super::tree::Tree;

/// Leaves of a part that is judged, and ordered anew, as a whole.
const PART_LEAVES: usize = WIDTH * WIDTH;
/// Faces of such a part.
const PART_FACES: usize = PART_LEAVES * WIDTH;

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
        self.points.clear();
        self.points
            .extend(scene.positions().iter().map(|&p| point(p, origin)));
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
        let tree = &self.tree;
        let parts = leaf_parts(tree);
        let mut done = harvest(scene, request, goal, parts, |part, judge| {
            let tests = each_candidate(tree, part, parts, |a, b| judge.candidate(a, b));
            judge.counters.box_tests += tests;
        });
        done.counters.boxes = boxes;
        done.counters.rebuilt = rebuilt;
        done
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
        for part in 0..self.looseness.len() {
            if looseness(&self.tree, part) <= self.options.rebuild_at * self.looseness[part] {
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
