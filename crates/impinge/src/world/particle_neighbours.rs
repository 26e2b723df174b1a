//! Neighbour search: which particles are near each other?
//!
//! **Question.** Which pairs of points are at most `h` apart? **Idea.** Sort the points into cells of size `h` by counting, with the
//! cells hashed into an array; look into 14 of the 27 cells around each point, so that each pair is met once. **Source.** Sjöberg
//! and Ylinenpää 2009, section 4.1.2. **Cost.** Linear in points and neighbours; no allocation when the number of points does
//! not grow. **Promise.** Exactly the pairs with `|p − q|² ≤ h²` as `f64` computes them, each once.
//! **Limits.** A point cloud that is dense beside `h` has quadratically many pairs, and all are reported.

use glam::DVec3;
use thiserror::Error;

use crate::math::is_valid_point;
use crate::query::{Outcome, Sink};

/// Finds neighbours, and keeps its arrays for the next time.
///
/// ```
/// use impinge::{DVec3, world::ParticleNeighbours};
/// let points = [DVec3::ZERO, DVec3::X, DVec3::X * 2.5];
/// let mut pairs = Vec::new();
/// let _ = ParticleNeighbours::default().pairs(&points, 1.0, &mut pairs)?;
/// assert_eq!(pairs, [(0, 1)]);
/// # Ok::<(), impinge::world::NeighbourError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ParticleNeighbours {
    cells: Vec<[i64; 3]>,
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// Why neighbours cannot be searched.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NeighbourError {
    /// The radius is not a positive number.
    #[error("the radius must be a positive number, not {radius}")]
    Radius {
        /// The refused radius.
        radius: f64,
    },
    /// A coordinate is not a number or too large.
    #[error("particle {index} at {point} is out of range")]
    Point {
        /// Which point.
        index: usize,
        /// Where it is.
        point: DVec3,
    },
    /// A point is this many radii away from the origin that cells cannot be distinguished.
    #[error("particle {index} at {point} is too far away for cells of size {radius}")]
    TooFar {
        /// Which point.
        index: usize,
        /// Where it is.
        point: DVec3,
        /// The size of cells.
        radius: f64,
    },
    /// There are more points than ids.
    #[error("{count} particles are too many")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// Cells are a little larger than the radius, so that rounding never puts two near points two cells apart: a quotient
/// of at most [`MAX_CELL`] is off by less than a quarter of what they are larger.
const CELL: f64 = 1.0 + 1.0 / (1 << 20) as f64;
/// The farthest cell.
const MAX_CELL: f64 = (1 << 30) as f64;

/// Half of the neighbourhood of a cell: the other half looks here. The cell itself is not among them.
const HALF: [[i64; 3]; 13] = {
    let mut half = [[0; 3]; 13];
    let mut k = 0;
    // Cells after the middle one in the order of the 27.
    while k < 13 {
        let n = 14 + k as i64;
        half[k] = [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1];
        k += 1;
    }
    half
};

impl ParticleNeighbours {
    /// Reports every pair `(i, j)` of points at most `radius` apart, `i < j`; sorted by `i` within a cell only.
    ///
    /// # Errors
    /// When the radius is not positive, or a coordinate is not a number, out of range, or too far away for cells
    /// of that size.
    pub fn pairs(
        &mut self,
        points: &[DVec3],
        radius: f64,
        sink: &mut dyn Sink<(u32, u32)>,
    ) -> Result<Outcome, NeighbourError> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(NeighbourError::Radius { radius });
        }
        if u32::try_from(points.len()).is_err() {
            let count = points.len();
            return Err(NeighbourError::TooMany { count });
        }
        self.sort(points, radius)?;
        let near = |i: u32, j: u32| {
            (points[i as usize] - points[j as usize]).length_squared() <= radius * radius
        };
        for place in 0..self.order.len() {
            let i = self.order[place];
            let cell = self.cells[i as usize];
            for step in HALF.iter().chain(&[[0; 3]]) {
                let is_own = *step == [0; 3];
                let there = [cell[0] + step[0], cell[1] + step[1], cell[2] + step[2]];
                for &j in self.bucket(there) {
                    // In the own cell each pair is met from both of its points.
                    if self.cells[j as usize] != there || (is_own && j <= i) || !near(i, j) {
                        continue;
                    }
                    if sink.accept((i.min(j), i.max(j))).is_break() {
                        return Ok(Outcome::StoppedBySink);
                    }
                }
            }
        }
        Ok(Outcome::Complete)
    }

    fn bucket(&self, cell: [i64; 3]) -> &[u32] {
        let k = hash(cell) & (self.starts.len() - 2);
        &self.order[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// Sorts the points by hashed cell, by counting.
    fn sort(&mut self, points: &[DVec3], radius: f64) -> Result<(), NeighbourError> {
        self.cells.clear();
        for (index, &point) in points.iter().enumerate() {
            if !is_valid_point(point) {
                return Err(NeighbourError::Point { index, point });
            }
            let cell = (point / (radius * CELL)).floor();
            if cell.abs().max_element() > MAX_CELL {
                return Err(NeighbourError::TooFar {
                    index,
                    point,
                    radius,
                });
            }
            self.cells.push(cell.to_array().map(|x| x as i64));
        }
        // A power of two, and one more for the end of the last.
        let buckets = (2 * points.len()).next_power_of_two().max(2);
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for &cell in &self.cells {
            self.starts[(hash(cell) & (buckets - 1)) + 1] += 1;
        }
        for k in 0..buckets {
            self.starts[k + 1] += self.starts[k];
        }
        self.order.clear();
        self.order.resize(points.len(), 0);
        // From the back, so that points of a bucket stay in their order and starts end where they belong.
        for i in (0..points.len()).rev() {
            let end = &mut self.starts[(hash(self.cells[i]) & (buckets - 1)) + 1];
            *end -= 1;
            self.order[*end as usize] = i as u32;
        }
        // Each end has become the start of its own bucket.
        self.starts.rotate_left(1);
        self.starts[buckets] = points.len() as u32;
        Ok(())
    }
}

fn hash([x, y, z]: [i64; 3]) -> usize {
    let mixed = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ (z as u64).wrapping_mul(0x1656_67b1_9e37_79f9);
    (mixed ^ mixed >> 29) as usize
}
