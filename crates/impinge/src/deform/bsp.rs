//! BSP tree over planes of faces, with its cost.
//!
//! **Question.** How does dividing space by the faces' own planes compare?
//! **Idea.** A face is chosen as splitter. Faces with a corner on or above its plane go to one
//! side, faces with a corner on or below it to the other, spanning ones to both. Exact orientations
//! decide. If a splitter no longer separates, or few faces are left, all pairs are compared.
//! **Source.** Fuchs, Kedem and Naylor 1980; the BSP tree of Mainzer's thesis (Algorithm 4.1),
//! which cuts spanning faces; here they are stored twice.
//! **Cost.** Kept for its counters: `entries` counts how often faces are stored, `exact_tests` and
//! `rebuilt` the cost of building.
//! **Promise.** No pair is lost: a common point of two faces is on or above the plane, or on or below it, and both faces then have a corner there.

use super::face_boxes::{MAX_EXTRA, face_boxes};
use super::narrow_phase::{NarrowPhaseResult, PairGoal, answer, collect_pairs};
use super::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use crate::math::{Rng, Sign, orient3d};

/// Faces of a leaf.
const LEAF_FACES: usize = 16;
/// Planes on the way to a leaf.
const MAX_DEPTH: u32 = 32;
/// Splitters tried before a cell is left whole.
const TRIES: usize = 4;
/// A splitter must leave each side at most this fraction of the faces.
const WORST_SIDE: f64 = 0.8;

/// A BSP tree: planes of faces divide space.
///
/// ```
/// use impinge::deform::{Bsp, Scene, SceneEngine};
/// use impinge::DVec3;
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 0])?;
/// assert_eq!(Bsp::default().pairs(&scene, &Default::default()).pairs.len(), 1);
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bsp {}

struct BspTree {
    leaves: Vec<Vec<u32>>,
    planes: u64,
    sides: u64,
}

impl Bsp {
    fn build(scene: &Scene) -> BspTree {
        let all: Vec<u32> = (0..scene.faces().len() as u32).collect();
        let mut built = BspTree {
            leaves: Vec::new(),
            planes: 0,
            sides: 0,
        };
        let mut rng = Rng::new(1);
        let mut extra = 0;
        let mut open = vec![(all, 0)];
        while let Some((faces, depth)) = open.pop() {
            let is_full = extra > scene.faces().len().saturating_mul(MAX_EXTRA);
            let halves = if faces.len() <= LEAF_FACES || depth >= MAX_DEPTH || is_full {
                None
            } else {
                divide(scene, &faces, &mut rng, &mut built)
            };
            match halves {
                Some([above, below]) => {
                    extra += (above.len() + below.len()).saturating_sub(faces.len());
                    open.push((below, depth + 1));
                    open.push((above, depth + 1));
                }
                None => built.leaves.push(faces),
            }
        }
        built
    }

    fn search(scene: &Scene, request: &SceneRequest, goal: PairGoal) -> NarrowPhaseResult {
        let built = Self::build(scene);
        let boxes = face_boxes(scene, request.parallel);
        let mut done = collect_pairs(scene, request, goal, 1, |_, judge| {
            let mut pairs = Vec::new();
            for leaf in &built.leaves {
                for (i, &one) in leaf.iter().enumerate() {
                    judge.counters.box_tests += i as u64;
                    for &two in &leaf[..i] {
                        if boxes[one as usize].overlaps(&boxes[two as usize]) {
                            pairs.push(u64::from(one.min(two)) << 32 | u64::from(one.max(two)));
                        }
                    }
                }
            }
            // The same pair may lie in many leaves.
            pairs.sort_unstable();
            pairs.dedup();
            for pair in pairs {
                if judge.candidate((pair >> 32) as u32, pair as u32).is_break() {
                    return;
                }
            }
        });
        let entries = built.leaves.iter().map(|leaf| leaf.len() as u64);
        done.counters.entries = entries.sum();
        done.counters.boxes = boxes.len() as u64;
        done.counters.rebuilt = built.planes;
        done.counters.exact_tests += built.sides;
        done
    }
}

/// The faces on either side of the first splitter that separates; none when none does.
fn divide(
    scene: &Scene,
    faces: &[u32],
    rng: &mut Rng,
    built: &mut BspTree,
) -> Option<[Vec<u32>; 2]> {
    for _ in 0..TRIES {
        let splitter = faces[rng.below(faces.len() as u64) as usize];
        let [p, q, r] = scene.corners(splitter);
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for &face in faces {
            let sides = scene.corners(face).map(|v| orient3d(p, q, r, v));
            if sides.iter().any(|&s| s != Sign::Negative) {
                above.push(face);
            }
            if sides.iter().any(|&s| s != Sign::Positive) {
                below.push(face);
            }
        }
        built.sides += 3 * faces.len() as u64;
        let most = (WORST_SIDE * faces.len() as f64) as usize;
        if above.len() <= most && below.len() <= most {
            built.planes += 1;
            return Some([above, below]);
        }
    }
    None
}

impl SceneEngine for Bsp {
    fn name(&self) -> &'static str {
        "bsp"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        answer(scene, request, Self::search(scene, request, PairGoal::All))
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        !Self::search(scene, request, PairGoal::Any).found.is_empty()
    }
}
