//! Spatial hashing of faces.
//!
//! **Question.** Which boxes overlap, by cells of equal size?
//! **Idea.** Every face enters all cells that its box touches; cells are hashed to slots, which are
//! filled by a counting sort. Two faces that share several
//! cells are decided in one of them: that of the lower corner of the boxes' common part. Faces over more than [`MAX_CELLS`] cells are
//! compared with all others instead.
//! **Source.** Teschner et al. 2003; the uniform grid of Mainzer's thesis (4.3), with the hash and the one-cell rule.
//! **Cost.** Linear in cells touched and pairs per cell; good for faces of equal size.
//! **Promise.** No pair is lost: the cell of a coordinate is a monotone function of it.
//! **Limits.** Mixed sizes: cells for the small are too many for the large.

use glam::DVec3;

use super::face_boxes::{face_boxes, whole_box};
use super::narrow_phase::{NarrowPhase, NarrowPhaseResult, PARTS, PairGoal, answer, collect_pairs};
use super::{Scene, SceneAnswer, SceneEngine, SceneRequest};
use crate::bound::Aabb;

/// The most cells that a face may touch.
pub const MAX_CELLS: u64 = 512;
/// Cells per axis.
const CELLS_PER_AXIS: f64 = (1_u64 << 20) as f64;

/// A grid rebuilt for every frame.
///
/// ```
/// use impinge::deform::{HashedGrid, Scene, SceneEngine};
/// use impinge::DVec3;
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 0])?;
/// let mut grid = HashedGrid::new(1.5);
/// assert_eq!(grid.pairs(&scene, &Default::default()).pairs.len(), 1);
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "spatial hash")]
#[doc(alias = "spatial hashing")]
pub struct HashedGrid {
    cell_in_faces: f64,
}

impl Default for HashedGrid {
    fn default() -> Self {
        Self::new(1.0)
    }
}

/// A face in a cell.
#[derive(Clone, Copy, Debug, Default)]
struct GridEntry {
    cell: u64,
    face: u32,
}

struct GridCells {
    origin: DVec3,
    size: f64,
}

impl GridCells {
    /// The cell of a point along each axis.
    #[inline]
    fn of(&self, p: DVec3) -> [u64; 3] {
        // Below zero and NaN become 0.
        ((p - self.origin) / self.size)
            .to_array()
            .map(|x| x.min(CELLS_PER_AXIS) as u64)
    }
}

#[inline]
fn packed([x, y, z]: [u64; 3]) -> u64 {
    x << 42 | y << 21 | z
}

#[inline]
fn slot_of(cell: u64, slots: usize) -> usize {
    // The upper bits of a product with an odd constant depend on all bits.
    ((u128::from(cell.wrapping_mul(0x9E37_79B9_7F4A_7C15)) * slots as u128) >> 64) as usize
}

struct CellGrid {
    boxes: Vec<Aabb>,
    cells: GridCells,
    /// Where the entries of each slot begin, with one more at the end.
    starts: Vec<u32>,
    entries: Vec<GridEntry>,
    large: Vec<u32>,
}

impl HashedGrid {
    /// A grid whose cells are this many mean face extents wide; a factor that is not positive counts as 1.
    ///
    /// ```
    /// use impinge::deform::{HashedGrid, SceneEngine};
    /// assert_eq!(HashedGrid::new(2.0).name(), "hashed-grid");
    /// ```
    #[must_use]
    pub fn new(cell_in_faces: f64) -> Self {
        let is_good = cell_in_faces > 0.0 && cell_in_faces.is_finite();
        Self {
            cell_in_faces: if is_good { cell_in_faces } else { 1.0 },
        }
    }

    fn build(&self, boxes: Vec<Aabb>) -> CellGrid {
        let origin = if boxes.is_empty() {
            DVec3::ZERO
        } else {
            whole_box(&boxes).min
        };
        let widths = boxes.iter().map(|b| b.diagonal().max_element());
        let mean = widths.sum::<f64>() / boxes.len().max(1) as f64;
        let size = mean * self.cell_in_faces;
        let cells = GridCells {
            origin,
            size: if size > 0.0 { size } else { 1.0 },
        };
        let mut large = Vec::new();
        let slots = boxes.len().max(1) * 2;
        let mut starts = vec![0_u32; slots + 1];
        let mut spans = Vec::with_capacity(boxes.len());
        for (f, b) in boxes.iter().enumerate() {
            let (from, to) = (cells.of(b.min), cells.of(b.max));
            let count: u64 = (0..3)
                .map(|k| to[k] - from[k] + 1)
                .fold(1, |n, m| n.saturating_mul(m));
            if count > MAX_CELLS {
                large.push(f as u32);
                spans.push(None);
                continue;
            }
            spans.push(Some((from, to)));
            each_cell(from, to, |cell| starts[slot_of(cell, slots) + 1] += 1);
        }
        for i in 0..slots {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![GridEntry::default(); starts[slots] as usize];
        for (f, span) in spans.iter().enumerate() {
            let &Some((from, to)) = span else {
                continue;
            };
            each_cell(from, to, |cell| {
                let at = &mut next[slot_of(cell, slots)];
                entries[*at as usize] = GridEntry {
                    cell,
                    face: f as u32,
                };
                *at += 1;
            });
        }
        CellGrid {
            boxes,
            cells,
            starts,
            entries,
            large,
        }
    }

    fn search(&self, scene: &Scene, request: &SceneRequest, goal: PairGoal) -> NarrowPhaseResult {
        let grid = &self.build(face_boxes(scene, request.parallel));
        let mut done = collect_pairs(scene, request, goal, PARTS, |part, judge| {
            if grid.large_faces(part, judge).is_none() {
                return;
            }
            let slots = grid.starts.len() - 1;
            for slot in slots * part / PARTS..slots * (part + 1) / PARTS {
                let entries =
                    &grid.entries[grid.starts[slot] as usize..grid.starts[slot + 1] as usize];
                if grid.slot(entries, judge).is_none() {
                    return;
                }
            }
        });
        done.counters.entries = (grid.entries.len() + grid.large.len()) as u64;
        done.counters.boxes = grid.boxes.len() as u64;
        done
    }
}

impl CellGrid {
    /// Decides the pairs of one slot; none when enough was found.
    fn slot(&self, entries: &[GridEntry], judge: &mut NarrowPhase<'_>) -> Option<()> {
        for (i, one) in entries.iter().enumerate() {
            let here = &self.boxes[one.face as usize];
            judge.counters.box_tests += i as u64;
            for two in &entries[..i] {
                if one.cell != two.cell {
                    continue;
                }
                let there = &self.boxes[two.face as usize];
                if !here.overlaps(there) {
                    continue;
                }
                // In one of the common cells only.
                let home = packed(self.cells.of(here.min.max(there.min)));
                if home == one.cell && judge.candidate(one.face, two.face).is_break() {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Compares the large faces of a part with all faces.
    fn large_faces(&self, part: usize, judge: &mut NarrowPhase<'_>) -> Option<()> {
        for &one in self.large.iter().skip(part).step_by(PARTS) {
            let here = &self.boxes[one as usize];
            judge.counters.box_tests += self.boxes.len() as u64;
            for (two, there) in self.boxes.iter().enumerate() {
                let two = two as u32;
                if two == one || !here.overlaps(there) {
                    continue;
                }
                // Two large faces: the smaller number asks.
                if two < one && self.large.binary_search(&two).is_ok() {
                    continue;
                }
                if judge.candidate(one, two).is_break() {
                    return None;
                }
            }
        }
        Some(())
    }
}

#[inline]
fn each_cell(from: [u64; 3], to: [u64; 3], mut visit: impl FnMut(u64)) {
    for x in from[0]..=to[0] {
        for y in from[1]..=to[1] {
            for z in from[2]..=to[2] {
                visit(packed([x, y, z]));
            }
        }
    }
}

impl SceneEngine for HashedGrid {
    fn name(&self) -> &'static str {
        "hashed-grid"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        answer(scene, request, self.search(scene, request, PairGoal::All))
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        !self.search(scene, request, PairGoal::Any).found.is_empty()
    }
}
