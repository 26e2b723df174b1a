//! A hashed grid of points.
//!
//! Cells have one size and are distributed into buckets by a hash of their coordinates, so only
//! cells with points take memory. Two cells may share a bucket: a point is examined only if its own
//! cell is requested, so that none is examined twice.
//!
//! **Source.** Weller 2012, section 7.3, where a cell of 8 cm was best. Cheaper to build than to
//! query: [`PointTree`](super::PointTree) is the default.

use std::ops::ControlFlow;

use glam::DVec3;

use super::morton_sort::{KeyFilter, MortonSort, code_of, id_of};
use super::point_index::{PointHit, PointIndex};
use super::scan_frame::ScanFrame;
use super::thinning::{CubeSizeError, checked};
use super::threads::join;
use crate::bound::Aabb;
use crate::math::is_valid_point;
use crate::query::{Outcome, Sink};

/// Cells along an axis at most; larger ones are taken where the given size would need more.
const MAX_CELLS: f64 = (1_u64 << 20) as f64;
/// Where rounding may put a point in a neighbouring cell, as a part of a cell: far above 2^20 units of rounding.
const SLACK: f64 = 1e-6;
/// Points that one thread takes at a time.
const SHARE: usize = 1 << 13;

/// Points by cell.
///
/// ```
/// use impinge::{DVec3, scan::{PointGrid, PointIndex, ScanFrame}};
/// let points = [DVec3::X, DVec3::Y];
/// let mut grid = PointGrid::default();
/// grid.rebuild(&ScanFrame::new(&points)?, 0.08)?;
/// assert_eq!(grid.nearest(DVec3::new(0.2, 3.0, 0.0)).map(|hit| hit.point), Some(1));
/// assert!(grid.rebuild(&ScanFrame::new(&points)?, 0.0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PointGrid {
    order: MortonSort,
    /// By bucket.
    points: Vec<(DVec3, u32)>,
    /// Where each bucket begins, and the end.
    starts: Vec<u32>,
    bits: u32,
    bounds: Aabb,
    cell: f64,
    /// Number of the last cell along each axis.
    last: [i64; 3],
}

impl Default for PointGrid {
    fn default() -> Self {
        Self {
            order: MortonSort::default(),
            points: Vec::new(),
            starts: Vec::new(),
            bits: 1,
            bounds: Aabb::EMPTY,
            cell: 1.0,
            last: [0; 3],
        }
    }
}

impl PointGrid {
    /// Indexes the points of a frame instead of those before, in cells of this size.
    ///
    /// # Errors
    /// [`CubeSizeError`] when the size is not a positive number.
    pub fn rebuild(&mut self, frame: &ScanFrame<'_>, cell: f64) -> Result<(), CubeSizeError> {
        let cell = checked(cell)?;
        let points = frame.points();
        self.bounds = frame.bounds();
        let size = if points.is_empty() {
            DVec3::ZERO
        } else {
            self.bounds.diagonal()
        };
        self.cell = cell.max(size.max_element() / MAX_CELLS);
        self.last = self.cell_of(self.bounds.max);
        self.bits = (points.len() / 4).max(2).ilog2().min(24);
        let cells = GridCells {
            min: self.bounds.min,
            size: self.cell,
        };
        let bits = self.bits;
        self.order
            .deal(&points, &mut [], bits, &|p| (bucket(cells.of(p), bits), 0));
        self.order.sort(KeyFilter::All);
        self.points.resize(points.len(), (DVec3::ZERO, 0));
        self.starts.clear();
        self.starts.resize((1 << bits) + 1, 0);
        let mut rest = &mut self.points[..];
        for keys in self.order.kept() {
            let (own, after) = rest.split_at_mut(keys.len());
            fetch(points, keys, own);
            for &key in keys {
                self.starts[code_of(key) as usize + 1] += 1;
            }
            rest = after;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        Ok(())
    }

    fn cell_of(&self, p: DVec3) -> [i64; 3] {
        let (min, size) = (self.bounds.min, self.cell);
        GridCells { min, size }.of(p)
    }

    /// Shows the points of one cell.
    fn visit(
        &self,
        cell: [i64; 3],
        show: &mut impl FnMut(DVec3, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bucket = bucket(cell, self.bits) as usize;
        for &(p, id) in &self.points[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
        {
            if self.cell_of(p) == cell {
                show(p, id)?;
            }
        }
        ControlFlow::Continue(())
    }
}

#[derive(Clone, Copy)]
struct GridCells {
    min: DVec3,
    size: f64,
}

impl GridCells {
    fn of(&self, p: DVec3) -> [i64; 3] {
        let at = (p - self.min) / self.size;
        [at.x as i64, at.y as i64, at.z as i64]
    }
}

/// The bucket of a cell.
fn bucket(cell: [i64; 3], bits: u32) -> u64 {
    let [x, y, z] = cell.map(|x| x as u64);
    let mut h = x ^ y << 21 ^ z << 42;
    h = h.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h ^= h >> 32;
    h = h.wrapping_mul(0x94D0_49BB_1331_11EB);
    h >> (64 - bits)
}

fn fetch(points: &[DVec3], keys: &[u64], out: &mut [(DVec3, u32)]) {
    if keys.len() > SHARE {
        let middle = keys.len() / 2;
        let (from, to) = (keys.split_at(middle), out.split_at_mut(middle));
        join(
            || fetch(points, from.0, to.0),
            || fetch(points, from.1, to.1),
        );
        return;
    }
    for (out, &key) in out.iter_mut().zip(keys) {
        let id = id_of(key);
        *out = (points[id], id as u32);
    }
}

/// The nearest point so far.
struct BestPoint {
    sq: f64,
    id: u32,
    position: DVec3,
}

impl BestPoint {
    fn offer(&mut self, p: DVec3, x: DVec3, id: u32) {
        let d = x - p;
        let sq = d.x * d.x + d.y * d.y + d.z * d.z;
        if (sq, id) < (self.sq, self.id) {
            *self = Self {
                sq,
                id,
                position: x,
            };
        }
    }
}

impl PointIndex for PointGrid {
    fn count(&self) -> usize {
        self.points.len()
    }

    fn around(&self) -> Aabb {
        self.bounds
    }

    fn nearest(&self, p: DVec3) -> Option<PointHit> {
        if self.points.is_empty() || !is_valid_point(p) {
            return None;
        }
        // Seen from outside, every point of the box is farther from `p` than its distance from the nearest point of the box.
        let entry = p.clamp(self.bounds.min, self.bounds.max);
        let before_sq = (p - entry).length_squared();
        let middle = self.cell_of(entry);
        let mut best = BestPoint {
            sq: f64::INFINITY,
            id: u32::MAX,
            position: DVec3::ZERO,
        };
        let mut looked_at = 0;
        let rings = (0..3).map(|k| middle[k].max(self.last[k] - middle[k]));
        for ring in 0..=rings.max().unwrap_or(0) {
            let gap = ((ring - 1) as f64 - SLACK).max(0.0) * self.cell;
            if (before_sq + gap * gap) * (1.0 - 1e-12) > best.sq {
                break;
            }
            let side = 2 * ring + 1;
            looked_at += side * side;
            if looked_at > self.points.len() as i64 + 27 {
                // So many empty cells that looking at every point is less.
                for &(x, id) in &self.points {
                    best.offer(p, x, id);
                }
                break;
            }
            shell(middle, ring, self.last, &mut |cell| {
                let _ = self.visit(cell, &mut |x, id| {
                    best.offer(p, x, id);
                    ControlFlow::Continue(())
                });
            });
        }
        Some(PointHit {
            point: best.id,
            position: best.position,
            distance: best.sq.sqrt(),
        })
    }

    fn within(&self, center: DVec3, radius: f64, sink: &mut dyn Sink<PointHit>) -> Outcome {
        if self.points.is_empty() || !is_valid_point(center) || radius.is_nan() || radius < 0.0 {
            return Outcome::Complete;
        }
        let mut show = |x: DVec3, id: u32| {
            let d = x - center;
            let distance = (d.x * d.x + d.y * d.y + d.z * d.z).sqrt();
            if distance > radius {
                return ControlFlow::Continue(());
            }
            sink.accept(PointHit {
                point: id,
                position: x,
                distance,
            })
        };
        let reach = DVec3::splat(radius * (1.0 + 1e-12) + SLACK * self.cell);
        let (min, max) = (self.bounds.min, self.bounds.max);
        let lo = self.cell_of((center - reach).clamp(min, max));
        let hi = self.cell_of((center + reach).clamp(min, max));
        let cells = (0..3).fold(1_i64, |n, k| n.saturating_mul(hi[k] - lo[k] + 1));
        let all = if cells > self.points.len() as i64 {
            self.points.iter().try_for_each(|&(x, id)| show(x, id))
        } else {
            (lo[0]..=hi[0]).try_for_each(|x| {
                (lo[1]..=hi[1]).try_for_each(|y| {
                    (lo[2]..=hi[2]).try_for_each(|z| self.visit([x, y, z], &mut show))
                })
            })
        };
        match all {
            ControlFlow::Continue(()) => Outcome::Complete,
            ControlFlow::Break(()) => Outcome::StoppedBySink,
        }
    }
}

/// Shows the cells whose numbers differ from the middle by `ring` along some axis and by no more along the others.
fn shell(middle: [i64; 3], ring: i64, last: [i64; 3], show: &mut impl FnMut([i64; 3])) {
    let lo = middle.map(|m| m - ring);
    let hi = middle.map(|m| m + ring);
    for x in lo[0].max(0)..=hi[0].min(last[0]) {
        for y in lo[1].max(0)..=hi[1].min(last[1]) {
            if x == lo[0] || x == hi[0] || y == lo[1] || y == hi[1] {
                for z in lo[2].max(0)..=hi[2].min(last[2]) {
                    show([x, y, z]);
                }
                continue;
            }
            if lo[2] >= 0 {
                show([x, y, lo[2]]);
            }
            if hi[2] <= last[2] && ring > 0 {
                show([x, y, hi[2]]);
            }
        }
    }
}
