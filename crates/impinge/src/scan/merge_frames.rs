//! Merges the frames of several cameras: transforms, downsamples and indexes them at once.
//!
//! **Question.** Four cameras give more than a million points, thirty times a second. How can they
//! be thinned and indexed in time?
//!
//! **Idea.** One sort serves both thinning and the tree, and keys are computed while the points are
//! transformed. Keys need a bounding box: that of the last frame is reused, and the bitwise OR of
//! all cell coordinates shows whether a point lies outside. If the number of points is limited, the
//! sorted keys give the counts for cubes of the size, twice and four times the size. The smallest
//! size that leaves few enough points is used, and the counts determine the size for the next
//! frame. When the size grows, it is used in the octants that lose most points by it, and half of
//! it in the others.
//!
//! **Promise.** The remaining points for cubes of a given size are those of [`merge`](super::merge)
//! and [`PointTree::rebuild_thinned`]. There are never more points than allowed. Every dropped
//! point has a remaining one within the diagonal of a cube, which is the reported error. The chosen
//! size depends on previous frames, and not on the number of threads.

use glam::DVec3;
use thiserror::Error;

use super::downsample::LEVELS;
use super::morton_grid::{AXIS_BITS, MortonGrid, UNEVEN, extent};
use super::morton_sort::KeyFilter;
use super::point_tree::{PointTree, order_bits};
use super::scan_frame::{MAX_POINTS, PointSurvey, ScanFrame, ScanFrameError, merge, survey};
use super::thinning::{CubeSizeError, Thinning, checked};
use crate::bound::Aabb;
use crate::math::Pose;

/// More lists than this are merged first.
const MAX_LISTS: usize = 64;
/// The part of the allowed points that a new size of cubes should leave.
const AIM: f64 = 0.96;
/// A size stays as long as it leaves at least this part.
const ENOUGH: f64 = 0.90;
/// The smallest cubes, in parts of the longest side of the box: 2048 fit, and some are to spare.
const SMALLEST: f64 = 1.0 / 1900.0;
/// And in parts of the largest coordinate, so that rounding does not matter.
const ROUNDED: f64 = 2e-9;
/// By how much the size changes from frame to frame at most, as a power of two.
const MAX_STEP: f64 = 2.0;

/// Which points stay when frames are merged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Thin {
    /// All.
    Nothing,
    /// The first of each cube of this size.
    Cubes(f64),
    /// This many at most: the first of each cube, of a size that is chosen from the frames before.
    AtMost(usize),
}

/// Why frames were not merged.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The points are not valid.
    #[error(transparent)]
    Frame(#[from] ScanFrameError),
    /// The size of the cubes is not valid.
    #[error(transparent)]
    Cell(#[from] CubeSizeError),
    /// No point may stay.
    #[error("at most 0 points may stay; at least 1 must be allowed")]
    NoneAllowed,
}

impl PointTree {
    /// Indexes the points of several cameras, each placed by its pose, and says what thinning did. Points have the numbers that [`merge`](super::merge) gives them. After
    /// an error the tree is as before.
    ///
    /// # Errors
    /// [`MergeError`] when a placed point is not finite or out of range, the size of cubes is not a positive number, or no point may stay.
    ///
    /// ```
    /// use impinge::scan::{PointIndex, PointTree, Thin};
    /// use impinge::{DVec3, Pose};
    /// let beside = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// let frames: [(Pose, &[DVec3]); 2] = [
    ///     (Pose::IDENTITY, &[DVec3::ZERO, DVec3::Z]),
    ///     (beside, &[DVec3::new(-0.99, 0.0, 0.0), DVec3::X]),
    /// ];
    /// let mut tree = PointTree::default();
    /// let thinned = tree.rebuild_merged(&frames, Thin::Cubes(0.1))?;
    /// assert_eq!((thinned.kept, thinned.dropped), (3, 1));
    /// assert!(thinned.error < 0.1733);
    /// let near = tree.nearest(DVec3::new(3.0, 0.0, 0.0));
    /// assert_eq!(near.map(|near| (near.point, near.distance)), Some((3, 1.0)));
    /// assert!(tree.rebuild_merged(&frames, Thin::AtMost(2))?.kept <= 2);
    /// assert_eq!(tree.rebuild_merged(&frames, Thin::Nothing)?.kept, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rebuild_merged(
        &mut self,
        frames: &[(Pose, &[DVec3])],
        thin: Thin,
    ) -> Result<Thinning, MergeError> {
        let total = frames.iter().map(|(_, points)| points.len()).sum();
        if total > MAX_POINTS {
            return Err(ScanFrameError::TooMany { count: total }.into());
        }
        let thin = match thin {
            Thin::AtMost(0) => return Err(MergeError::NoneAllowed),
            Thin::AtMost(most) if total <= most => Thin::Nothing,
            thin => thin,
        };
        if let Thin::Cubes(cell) = thin {
            checked(cell)?;
        }
        let mut placed = std::mem::take(&mut self.merged);
        let thinning = if frames.len() <= MAX_LISTS {
            self.rebuild_placed(frames, &mut placed, thin)
        } else {
            let mut all = Vec::new();
            merge(frames, &mut all);
            self.rebuild_placed(&[(Pose::IDENTITY, &all)], &mut placed, thin)
        };
        self.merged = placed;
        thinning
    }

    fn rebuild_placed(
        &mut self,
        frames: &[(Pose, &[DVec3])],
        placed: &mut Vec<DVec3>,
        thin: Thin,
    ) -> Result<Thinning, MergeError> {
        let total = frames.iter().map(|(_, points)| points.len()).sum();
        // All are written, so that those of the last frame need not be taken away.
        placed.resize(total, DVec3::ZERO);
        let guessed = ThinningPlan::new(&self.bounds(), total, thin, self.next_cell);
        let plan = match guessed.filter(|plan| self.deal_cubes(frames, placed, plan)) {
            Some(plan) => plan,
            None => {
                let seen = frames
                    .iter()
                    .fold((0, PointSurvey::NOTHING), |seen, frame| {
                        let (pose, points) = frame;
                        let own = survey(points, &|p| pose.transform_point(p));
                        (seen.0 + points.len(), seen.1.and(seen.0, own))
                    });
                let bounds = seen.1.bounds(total)?;
                let plan = ThinningPlan::new(&bounds, total, thin, self.next_cell);
                match plan.filter(|plan| self.deal_cubes(frames, placed, plan)) {
                    Some(plan) => plan,
                    None => {
                        merge(frames, placed);
                        return self.rebuild_far(&ScanFrame::new(placed)?, thin);
                    }
                }
            }
        };
        if thin == Thin::Nothing {
            self.order.sort(KeyFilter::All);
            self.order.refine(placed);
            self.fill(placed);
            return Ok(Thinning::nothing(total));
        }
        self.order.sort(KeyFilter::FirstOfCode);
        let mut level = 0;
        if let Thin::AtMost(most) = thin {
            let counts = self.order.count_cubes();
            level = counts.partition_point(|&count| count > most);
            self.next_cell = next_cell(plan.cell, most, &counts);
            if level > 0 {
                self.order.keep_first(level, most, &counts);
            }
        }
        self.fill(placed);
        let cell = plan.cell * (1_u64 << level) as f64;
        let kept = self.len();
        Ok(Thinning {
            kept,
            dropped: total - kept,
            error: if kept == total {
                0.0
            } else {
                cell * 3.0_f64.sqrt() * (1.0 + UNEVEN)
            },
            cell,
        })
    }

    /// Places the points of all cameras and deals them out; false when one is not in the lattice.
    fn deal_cubes(
        &mut self,
        frames: &[(Pose, &[DVec3])],
        placed: &mut [DVec3],
        plan: &ThinningPlan,
    ) -> bool {
        let lattice = plan.lattice;
        let code = |p: DVec3| lattice.code_and_cube(p);
        let bits = lattice.code_bits();
        lattice.holds(self.order.deal(&frames, placed, bits, &code))
    }

    /// Where cubes are too many or too far away to be counted.
    fn rebuild_far(&mut self, frame: &ScanFrame<'_>, thin: Thin) -> Result<Thinning, MergeError> {
        match thin {
            Thin::Cubes(cell) => Ok(self.rebuild_thinned(frame, cell)?),
            Thin::Nothing => {
                self.rebuild(frame);
                Ok(Thinning::nothing(frame.points().len()))
            }
            Thin::AtMost(most) => {
                // No more cubes than may stay, even if all had points.
                let side = libm::cbrt(most as f64).floor() - 1.0;
                let cell = if side >= 1.0 {
                    extent(&frame.bounds()) / side
                } else {
                    f64::MAX
                };
                Ok(self.rebuild_thinned(frame, cell.clamp(f64::MIN_POSITIVE, f64::MAX))?)
            }
        }
    }
}

/// Cubes to try.
#[derive(Clone, Copy, Debug)]
struct ThinningPlan {
    cell: f64,
    lattice: MortonGrid,
}

impl ThinningPlan {
    /// None where nothing is known, or cubes cannot be counted.
    fn new(bounds: &Aabb, total: usize, thin: Thin, next_cell: f64) -> Option<Self> {
        if bounds.is_empty() && total > 0 {
            return None;
        }
        let cell = match thin {
            Thin::Cubes(cell) => cell,
            Thin::Nothing => {
                let bits = order_bits(total);
                own_cell(bounds).max(extent(bounds) / (0.9 * (1_u64 << bits) as f64))
            }
            Thin::AtMost(_) => own_cell(bounds).max(next_cell),
        };
        let lattice = MortonGrid::with_room(bounds, cell)?;
        Some(Self { cell, lattice })
    }
}

/// The smallest cubes that can be counted in a box.
fn own_cell(bounds: &Aabb) -> f64 {
    const { assert!(AXIS_BITS == 11) };
    if bounds.is_empty() {
        return 1.0;
    }
    let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
    let cell = (SMALLEST * extent(bounds)).max(ROUNDED * reach);
    if cell > 1e-290 { cell } else { 1e-290 }
}

/// The size of cubes that leaves about as many points as are allowed, from how many cubes of this size, of twice the size… have points.
fn next_cell(cell: f64, most: usize, counts: &[usize; LEVELS]) -> f64 {
    let most = most as f64;
    let count = |level: usize| counts[level].max(1) as f64;
    if (ENOUGH * most..=most).contains(&count(0)) {
        return cell;
    }
    let aim = (AIM * most).max(1.0);
    // The last size that leaves more than is aimed at; below the smallest, the same slope goes on.
    let level = counts
        .partition_point(|&count| count as f64 > aim)
        .clamp(1, LEVELS - 1)
        - 1;
    let slope = libm::log(count(level) / count(level + 1));
    let step = if slope > 0.0 {
        libm::log(count(level) / aim) / slope
    } else {
        -MAX_STEP
    };
    cell * libm::exp2(level as f64 + step.clamp(-MAX_STEP, MAX_STEP))
}
