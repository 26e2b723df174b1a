//! Sweep and prune with an active list.
//!
//! **Question.** Which boxes overlap, by sorting along one axis?
//! **Idea.** Faces enter in the order in which their boxes begin along the axis of greatest spread.
//! Those that have not ended are active; the new one is compared with them along the other two
//! axes. The order of the last frame is repaired by insertion sort.
//! **Source.** Baraff 1992; the classic sweep that Mainzer's thesis compares with (2.7).
//! **Cost.** O(n + exchanges + pairs that overlap along the axis); one thread.
//! **Limits.** On closed surfaces front and back overlap along any axis.

use std::sync::Arc;

use super::face_boxes::{face_boxes, whole_box};
use super::narrow_phase::{NarrowPhaseResult, PairGoal, answer, collect_pairs};
use super::scene::Topology;
use super::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use crate::bound::Aabb;

/// Exchanges per face after which sorting again is cheaper.
const EXCHANGES_PER_FACE: usize = 16;

/// One sorted axis and the list of faces that are open.
///
/// ```
/// use impinge::deform::{SweepAndPrune, Scene, SceneEngine};
/// use impinge::DVec3;
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 0])?;
/// assert_eq!(SweepAndPrune::default().pairs(&scene, &Default::default()).pairs.len(), 1);
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[doc(alias = "SAP")]
#[doc(alias = "sort and sweep")]
pub struct SweepAndPrune {
    topology: Option<Arc<Topology>>,
    axis: usize,
    order: Vec<u32>,
}

impl SweepAndPrune {
    fn search(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        goal: PairGoal,
    ) -> NarrowPhaseResult {
        let boxes = face_boxes(scene, request.parallel);
        let moves = self.sort(scene, &boxes);
        let (axis, order) = (self.axis, self.order.as_slice());
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        let mut done = collect_pairs(scene, request, goal, 1, |_, judge| {
            let mut active: Vec<u32> = Vec::new();
            for &new in order {
                let here = &boxes[new as usize];
                let mut i = 0;
                while let Some(&old) = active.get(i) {
                    let there = &boxes[old as usize];
                    if there.max[axis] < here.min[axis] {
                        active.swap_remove(i);
                        continue;
                    }
                    i += 1;
                    judge.counters.axis_pairs += 1;
                    let overlaps =
                        |k: usize| here.min[k] <= there.max[k] && there.min[k] <= here.max[k];
                    if !overlaps(others[0]) {
                        continue;
                    }
                    judge.counters.second_axis_pairs += 1;
                    if overlaps(others[1]) && judge.candidate(old, new).is_break() {
                        return;
                    }
                }
                active.push(new);
            }
        });
        done.counters.entries = boxes.len() as u64;
        done.counters.boxes = boxes.len() as u64;
        done.counters.box_tests = done.counters.axis_pairs;
        done.counters.sort_moves = moves;
        done
    }

    /// Sorts the faces by where their boxes begin; returns how many moved.
    fn sort(&mut self, scene: &Scene, boxes: &[Aabb]) -> u64 {
        let is_known = scene.has_same_topology(&mut self.topology);
        if !is_known {
            self.order = (0..boxes.len() as u32).collect();
            self.axis = widest(boxes);
        }
        let axis = self.axis;
        let key = |f: u32| boxes[f as usize].min[axis];
        if is_known && let Some(moves) = insertion_sort(&mut self.order, key, EXCHANGES_PER_FACE) {
            return moves;
        }
        // Equal keys in order of faces, so that one frame does not depend on those before.
        self.order
            .sort_unstable_by(|&f, &g| key(f).total_cmp(&key(g)).then(f.cmp(&g)));
        self.order.len() as u64
    }
}

/// The axis along which the middles of the boxes spread most.
fn widest(boxes: &[Aabb]) -> usize {
    let d = whole_box(boxes).diagonal();
    if d.x >= d.y && d.x >= d.z {
        0
    } else if d.y >= d.z {
        1
    } else {
        2
    }
}

/// Sorts a nearly sorted list; none when it takes more than `most` exchanges per entry, with the list in some order.
pub(super) fn insertion_sort(
    order: &mut [u32],
    key: impl Fn(u32) -> f64,
    most: usize,
) -> Option<u64> {
    let budget = order.len().saturating_mul(most) as u64;
    let mut moves = 0;
    for i in 1..order.len() {
        let here = order[i];
        let value = key(here);
        let mut j = i;
        while j > 0 && key(order[j - 1]) > value {
            order[j] = order[j - 1];
            j -= 1;
        }
        order[j] = here;
        moves += (i - j) as u64;
        if moves > budget {
            return None;
        }
    }
    Some(moves)
}

impl SceneEngine for SweepAndPrune {
    fn name(&self) -> &'static str {
        "active-sweep"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        let done = self.search(scene, request, PairGoal::All);
        answer(scene, request, done)
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        !self.search(scene, request, PairGoal::Any).found.is_empty()
    }
}
