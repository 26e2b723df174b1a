//! A k-d tree that is rebuilt for every frame.
//!
//! **Question.** Which boxes overlap, by halving space?
//! **Idea.** Space is halved at the median of the boxes' middles, axis by axis in turn, until few
//! faces are left or halving no longer separates them; faces on both sides go to both. Two faces
//! that share several leaves are decided in the leaf that contains the lower corner of their boxes'
//! common part.
//! **Source.** Bentley 1975; the kd-tree of Mainzer's thesis (Algorithm 4.2), over boxes instead of points.
//! **Cost.** O(n log n) to build, plus what is held twice.
//! **Promise.** No pair is lost: the lower corner of the common part lies in both boxes, so both faces are in its leaf.

use glam::DVec3;

use super::face_boxes::{MAX_EXTRA, face_boxes};
use super::narrow_phase::{NarrowPhaseResult, PARTS, PairGoal, answer, collect_pairs};
use super::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use crate::bound::Aabb;

/// Faces of a leaf.
const LEAF_FACES: usize = 12;
/// Halvings on the way to a leaf.
const MAX_DEPTH: u32 = 40;
/// A halving is undone when it keeps more than this fraction of the faces on both sides.
const MAX_DOUBLED: f64 = 0.5;

/// A k-d tree rebuilt for every frame.
///
/// ```
/// use impinge::deform::{SceneKdTree, Scene, SceneEngine};
/// use impinge::DVec3;
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 0])?;
/// assert_eq!(SceneKdTree::default().pairs(&scene, &Default::default()).pairs.len(), 1);
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SceneKdTree {}

/// A part of space: `min ≤ p < max` along each axis.
#[derive(Clone, Debug)]
struct KdCell {
    min: DVec3,
    max: DVec3,
    faces: Vec<u32>,
    depth: u32,
    /// Axes in a row that did not separate.
    failed: u32,
}

impl SceneKdTree {
    fn leaves(boxes: &[Aabb]) -> Vec<KdCell> {
        let mut open = vec![KdCell {
            min: DVec3::NEG_INFINITY,
            max: DVec3::INFINITY,
            faces: (0..boxes.len() as u32).collect(),
            depth: 0,
            failed: 0,
        }];
        let mut leaves = Vec::new();
        let (mut extra, most_extra) = (0, boxes.len().saturating_mul(MAX_EXTRA));
        // Each cell is halved at most MAX_DEPTH times.
        while let Some(mut cell) = open.pop() {
            let is_small = cell.faces.len() <= LEAF_FACES || extra > most_extra;
            if is_small || cell.depth >= MAX_DEPTH || cell.failed >= 3 {
                leaves.push(cell);
                continue;
            }
            let axis = (cell.depth % 3) as usize;
            cell.depth += 1;
            let at = median(&cell.faces, boxes, axis);
            let low: Vec<u32> = filter(&cell.faces, |f| boxes[f as usize].min[axis] < at);
            let high: Vec<u32> = filter(&cell.faces, |f| boxes[f as usize].max[axis] >= at);
            let doubled = low.len() + high.len() - cell.faces.len();
            if doubled as f64 > MAX_DOUBLED * cell.faces.len() as f64 || low.is_empty() {
                cell.failed += 1;
                open.push(cell);
                continue;
            }
            extra += doubled;
            let half = |faces, is_low: bool| {
                let mut half = KdCell {
                    faces,
                    min: cell.min,
                    max: cell.max,
                    depth: cell.depth,
                    failed: 0,
                };
                if is_low {
                    half.max[axis] = at;
                } else {
                    half.min[axis] = at;
                }
                half
            };
            let (low, high) = (half(low, true), half(high, false));
            open.push(high);
            open.push(low);
        }
        leaves
    }

    fn search(scene: &Scene, request: &SceneRequest, goal: PairGoal) -> NarrowPhaseResult {
        let boxes = face_boxes(scene, request.parallel);
        let leaves = Self::leaves(&boxes);
        let mut done = collect_pairs(scene, request, goal, PARTS, |part, judge| {
            for leaf in leaves.iter().skip(part).step_by(PARTS) {
                for (i, &one) in leaf.faces.iter().enumerate() {
                    let here = &boxes[one as usize];
                    judge.counters.box_tests += i as u64;
                    for &two in &leaf.faces[..i] {
                        let there = &boxes[two as usize];
                        if !here.overlaps(there) {
                            continue;
                        }
                        let corner = here.min.max(there.min);
                        let is_home = leaf.min.cmple(corner).all() && corner.cmplt(leaf.max).all();
                        if is_home && judge.candidate(one, two).is_break() {
                            return;
                        }
                    }
                }
            }
        });
        done.counters.entries = leaves.iter().map(|leaf| leaf.faces.len() as u64).sum();
        done.counters.boxes = boxes.len() as u64;
        done.counters.rebuilt = 1;
        done
    }
}

fn filter(faces: &[u32], keep: impl Fn(u32) -> bool) -> Vec<u32> {
    faces.iter().copied().filter(|&f| keep(f)).collect()
}

/// The median of the boxes' middles along an axis.
fn median(faces: &[u32], boxes: &[Aabb], axis: usize) -> f64 {
    let middle = |b: &Aabb| b.min[axis] * 0.5 + b.max[axis] * 0.5;
    let mut middles: Vec<f64> = faces.iter().map(|&f| middle(&boxes[f as usize])).collect();
    let at = middles.len() / 2;
    *middles.select_nth_unstable_by(at, f64::total_cmp).1
}

impl SceneEngine for SceneKdTree {
    fn name(&self) -> &'static str {
        "kd-tree"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        answer(scene, request, Self::search(scene, request, PairGoal::All))
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        !Self::search(scene, request, PairGoal::Any).found.is_empty()
    }
}
