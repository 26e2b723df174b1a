//! Volume of a solid and of spheres per cell of a grid.
//!
//! The volume of the solid in each cell is computed from its faces, column by column: the volume
//! below a face is added or subtracted. The volume of a sphere in a cell is bounded from below: a
//! sphere in a box is convex, so the roots of its cross-sections are concave, and a frustum between
//! two cross-sections is never too large.

use glam::DVec3;

use crate::bvh::MeshIndex as _;
use crate::spheres::interior::MeshSolid;
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// Frusta by which a ball in a cell is measured.
const FRUSTA: usize = 6;
/// More cells than this are not made.
const MOST_CELLS: f64 = 3e7;

/// A grid over a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct VolumeGrid {
    pub(super) origin: DVec3,
    pub(super) side: f64,
    pub(super) counts: [usize; 3],
}

impl VolumeGrid {
    pub(super) fn new(min: DVec3, max: DVec3, resolution: u32) -> Option<Self> {
        let size = max - min;
        let side = size.max_element() / f64::from(resolution.max(1));
        let counts = (size / side).to_array().map(|n| n.floor() + 1.0);
        if !(side > 0.0 && side.is_finite()) || counts.iter().product::<f64>() > MOST_CELLS {
            return None;
        }
        Some(Self {
            origin: min,
            side,
            counts: counts.map(|n| n as usize),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// The cells along an axis that an interval meets.
    pub(super) fn range(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let last = self.counts[axis] - 1;
        let cell = |x: f64| ((x - self.origin[axis]) / self.side).floor();
        let first = cell(low).clamp(0.0, last as f64) as usize;
        let end = cell(high).clamp(0.0, last as f64) as usize;
        first..end + 1
    }

    fn border(&self, axis: usize, k: usize) -> f64 {
        self.origin[axis] + k as f64 * self.side
    }

    pub(super) fn index(&self, x: usize, y: usize, z: usize) -> usize {
        (x * self.counts[1] + y) * self.counts[2] + z
    }

    /// The cell of a point, brought into the grid.
    pub(super) fn cell_of(&self, point: DVec3) -> usize {
        let place = (point - self.origin) / self.side;
        let cell = [0, 1, 2].map(|axis| {
            let last = (self.counts[axis] - 1) as f64;
            place[axis].floor().clamp(0.0, last) as usize
        });
        self.index(cell[0], cell[1], cell[2])
    }

    pub(super) fn center(&self, i: usize) -> DVec3 {
        let [_, ny, nz] = self.counts;
        let cell = DVec3::new(
            (i / (ny * nz)) as f64,
            (i / nz % ny) as f64,
            (i % nz) as f64,
        );
        self.origin + (cell + 0.5) * self.side
    }
}

/// Cuts off the part of a convex polygon beyond a plane across an axis; `sign` is −1 to keep what is above.
fn clip(polygon: &mut Vec<DVec3>, axis: usize, at: f64, sign: f64, spare: &mut Vec<DVec3>) {
    spare.clear();
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (dp, dq) = (sign * (p[axis] - at), sign * (q[axis] - at));
        if dp <= 0.0 {
            spare.push(p);
        }
        if (dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0) {
            let mut cut = p + (q - p) * (dp / (dp - dq));
            cut[axis] = at;
            spare.push(cut);
        }
    }
    std::mem::swap(polygon, spare);
}

/// The area of a polygon seen from above, and the volume between it and the plane at `base`; both with sign.
fn column(polygon: &[DVec3], base: f64) -> (f64, f64) {
    let (mut area, mut volume) = (0.0, 0.0);
    if let Some((&first, rest)) = polygon.split_first() {
        for pair in rest.windows(2) {
            let (u, v) = (pair[0] - first, pair[1] - first);
            let part = 0.5 * (u.x * v.y - u.y * v.x);
            area += part;
            volume += part * ((first.z + pair[0].z + pair[1].z) / 3.0 - base);
        }
    }
    (area, volume)
}

/// The volume of the solid in each cell.
pub(super) fn solid_volumes(solid: &MeshSolid<'_>, grid: &VolumeGrid) -> Vec<f64> {
    let mut volumes = vec![0.0; grid.len()];
    // Areas of faces in a cell: each counts fully in the cells below it.
    let mut areas = vec![0.0; grid.len()];
    let (mut strip, mut piece, mut part, mut spare) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for corners in solid.tree.mesh().triangles() {
        let [p, q, r] = corners;
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        for x in grid.range(0, low.x, high.x) {
            strip.clear();
            strip.extend(corners);
            clip(&mut strip, 0, grid.border(0, x), -1.0, &mut spare);
            clip(&mut strip, 0, grid.border(0, x + 1), 1.0, &mut spare);
            for y in grid.range(1, low.y, high.y) {
                piece.clone_from(&strip);
                clip(&mut piece, 1, grid.border(1, y), -1.0, &mut spare);
                clip(&mut piece, 1, grid.border(1, y + 1), 1.0, &mut spare);
                if piece.len() < 3 {
                    continue;
                }
                let ends = piece
                    .iter()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |m, v| {
                        (m.0.min(v.z), m.1.max(v.z))
                    });
                for z in grid.range(2, ends.0, ends.1) {
                    part.clone_from(&piece);
                    clip(&mut part, 2, grid.border(2, z), -1.0, &mut spare);
                    clip(&mut part, 2, grid.border(2, z + 1), 1.0, &mut spare);
                    let (area, volume) = column(&part, grid.border(2, z));
                    let cell = grid.index(x, y, z);
                    volumes[cell] += volume;
                    areas[cell] += area;
                }
            }
        }
    }
    for start in (0..grid.len()).step_by(grid.counts[2]) {
        let mut above = 0.0;
        for cell in (start..start + grid.counts[2]).rev() {
            volumes[cell] += above * grid.side;
            above += areas[cell];
        }
    }
    volumes
}

/// The part of a disc about the origin with `0 ≤ X ≤ |x|`, `0 ≤ Y ≤ |y|`, with the sign of `x·y`.
fn corner_area(radius: f64, x: f64, y: f64) -> f64 {
    let (u, v) = (x.abs().min(radius), y.abs().min(radius));
    let sq = radius * radius;
    let area = if u * u + v * v <= sq {
        u * v
    } else {
        let under = |t: f64| {
            0.5 * (t * (sq - t * t).max(0.0).sqrt() + sq * libm::asin((t / radius).min(1.0)))
        };
        let straight = (sq - v * v).max(0.0).sqrt();
        v * straight + under(u) - under(straight)
    };
    area * x.signum() * y.signum()
}

/// A volume that the ball has at least in common with the box.
fn ball_in_box(ball: &SolidBall, min: DVec3, max: DVec3) -> f64 {
    let (low, high) = (min - ball.center, max - ball.center);
    let r = ball.radius;
    if low.max_element() <= -r && high.min_element() >= r {
        return ball.volume();
    }
    if low.abs().max(high.abs()).length_squared() <= r * r {
        let size = max - min;
        return size.x * size.y * size.z;
    }
    let (bottom, top) = (low.z.max(-r), high.z.min(r));
    let away = low.max(-high).max(DVec3::ZERO);
    if bottom >= top || away.length_squared() >= r * r {
        return 0.0;
    }
    let section = |z: f64| {
        let radius = (r * r - z * z).max(0.0).sqrt();
        if radius <= 0.0 {
            return 0.0;
        }
        let area = corner_area(radius, high.x, high.y)
            - corner_area(radius, low.x, high.y)
            - corner_area(radius, high.x, low.y)
            + corner_area(radius, low.x, low.y);
        area.max(0.0)
    };
    let step = (top - bottom) / FRUSTA as f64;
    let mut volume = 0.0;
    let mut below = section(bottom);
    for k in 1..=FRUSTA {
        let above = section(bottom + step * k as f64);
        volume += step / 3.0 * (below + (below * above).sqrt() + above);
        below = above;
    }
    // Cross-sections round by their disc, not by themselves.
    (volume - 1e-12 * r * r * (top - bottom)).max(0.0)
}

/// What each ball has in each cell, ball by ball.
pub(super) fn ball_volumes(balls: &[SolidBall], grid: &VolumeGrid) -> Vec<Vec<(u32, f64)>> {
    map_indexed(balls.len(), 64, |(): &mut (), i| {
        let ball = &balls[i];
        let range = |axis: usize| {
            let c = ball.center[axis];
            grid.range(axis, c - ball.radius, c + ball.radius)
        };
        let mut found = Vec::new();
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    let min = DVec3::new(grid.border(0, x), grid.border(1, y), grid.border(2, z));
                    let max = DVec3::new(
                        grid.border(0, x + 1),
                        grid.border(1, y + 1),
                        grid.border(2, z + 1),
                    );
                    let volume = ball_in_box(ball, min, max);
                    if volume > 0.0 {
                        found.push((grid.index(x, y, z) as u32, volume));
                    }
                }
            }
        }
        found
    })
}
