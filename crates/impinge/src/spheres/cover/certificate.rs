//! Proof that spheres cover a solid; spheres grow where they do not.
//!
//! **Surface.** A triangle lies in a sphere if its corners do. Triangles are halved until each
//! piece lies in one sphere; if a small piece is still uncovered, the nearest sphere grows.
//! **Inside.** If the surface is covered, an uncovered part of the inside is a cavity enclosed by
//! spheres. In a cavity the smallest power distance |x − c|² − r² has a local maximum, at which the
//! centres of the nearest spheres surround the point. So a cell contains no such maximum if it lies
//! in one sphere, or if some direction leads away from the centres of all spheres that may be
//! nearest in it. Cells are split into eight until that holds, or the cell lies outside of the
//! solid; the sphere nearest to a cell that has become small grows.
//!
//! **Promise.** Afterwards the closed balls contain the surface; for a closed surface also the inside.

use glam::DVec3;

use super::surface_solid::SurfaceSolid;
use crate::bvh::MeshIndex as _;
use crate::bvh::wide::SingleTreeCache;
use crate::mesh::TriMesh;
use crate::spheres::solid_ball::SolidBall;

/// Pieces of triangles below this fraction of the root of the area are not halved.
const SMALLEST_PIECE: f64 = 0.0012;
/// Cells are split so often.
const MOST_SPLITS: u32 = 9;
/// Cells that are looked at, at most; then cells of any size count as small.
const MOST_CELLS: usize = 4_000_000;
/// Maximum number of passes over the cells.
const MOST_PASSES: usize = 24;
/// What rounding may add to a distance from a centre, as a part of it and of the coordinates.
const SLACK: f64 = 1e-12;

/// Balls that grow.
struct Growing<'b> {
    balls: &'b mut [SolidBall],
    /// Radii before: a ball that has grown is not cheaper to grow on.
    original: Vec<f64>,
    /// Rounding of coordinates.
    slack: f64,
}

impl<'b> Growing<'b> {
    fn new(balls: &'b mut [SolidBall], slack: f64) -> Self {
        Self {
            original: balls.iter().map(|ball| ball.radius).collect(),
            balls,
            slack,
        }
    }

    fn radius_sq(&self, ball: usize) -> f64 {
        let radius = (self.balls[ball].radius * (1.0 - SLACK) - self.slack).max(0.0);
        radius * radius
    }

    fn holds(&self, ball: usize, points: &[DVec3]) -> bool {
        let radius_sq = self.radius_sq(ball);
        let center = self.balls[ball].center;
        let is_in = |p: &DVec3| (*p - center).length_squared() <= radius_sq;
        points.iter().all(is_in)
    }

    /// Of `among`, the ball grows that is then least larger than it was at first.
    fn grow(&mut self, among: impl Iterator<Item = usize>, points: &[DVec3]) {
        let mut least = (f64::INFINITY, 0, 0.0);
        for k in among {
            let ball = &self.balls[k];
            let far = points
                .iter()
                .fold(0.0_f64, |m, p| m.max((*p - ball.center).length()));
            let growth = far - self.original[k];
            if growth < least.0 {
                least = (growth, k, far);
            }
        }
        if let Some(ball) = self.balls.get_mut(least.1) {
            let radius = (least.2 * (1.0 + 2.0 * SLACK) + self.slack) * (1.0 + 2.0 * SLACK);
            ball.radius = ball.radius.max(radius);
        }
    }
}

fn slack_of(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    SLACK * bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// Grows balls until they contain every face.
pub(super) fn cover_surface(mesh: &TriMesh, area: f64, balls: &mut [SolidBall]) {
    if balls.is_empty() {
        return;
    }
    let slack = slack_of(mesh);
    let smallest = SMALLEST_PIECE * area.sqrt();
    let mut growing = Growing::new(balls, slack);
    let mut last = 0;
    let mut near: Vec<usize> = Vec::new();
    let mut pieces: Vec<[DVec3; 3]> = Vec::new();
    for triangle in mesh.triangles() {
        if growing.holds(last, &triangle) {
            continue;
        }
        let count = growing.balls.len();
        if let Some(found) = (0..count).find(|&k| growing.holds(k, &triangle)) {
            last = found;
            continue;
        }
        let middle = (triangle[0] + triangle[1] + triangle[2]) / 3.0;
        let extent = triangle
            .iter()
            .fold(0.0_f64, |m, p| m.max((*p - middle).length()));
        near.clear();
        let gap = |ball: &SolidBall| (ball.center - middle).length() - ball.radius;
        near.extend((0..count).filter(|&k| gap(&growing.balls[k]) <= extent));
        if near.is_empty() {
            near.extend(0..count);
        }
        pieces.push(triangle);
        while let Some(piece) = pieces.pop() {
            if near.iter().any(|&k| growing.holds(k, &piece)) {
                continue;
            }
            let [a, b, c] = piece;
            let sides = [b - c, c - a, a - b].map(DVec3::length_squared);
            let longest = if sides[0] >= sides[1] && sides[0] >= sides[2] {
                0
            } else if sides[1] >= sides[2] {
                1
            } else {
                2
            };
            // A point in no ball has to be covered in any case.
            for p in [a, b, c, (a + b + c) / 3.0] {
                if !near.iter().any(|&k| growing.holds(k, &[p])) {
                    growing.grow(near.iter().copied(), &[p]);
                }
            }
            if sides[longest] <= smallest * smallest {
                growing.grow(near.iter().copied(), &piece);
                continue;
            }
            let (tip, from, to) = (
                piece[longest],
                piece[(longest + 1) % 3],
                piece[(longest + 2) % 3],
            );
            let halfway = 0.5 * (from + to);
            pieces.push([tip, from, halfway]);
            pieces.push([tip, halfway, to]);
        }
    }
}

/// A cube of space and the balls that may be nearest in it.
struct Cell {
    center: DVec3,
    half: f64,
    splits: u32,
    active: Vec<u32>,
}

/// Grows balls until they contain the inside too, and returns whether that is proven; the surface has to be covered already.
pub(super) fn cover_inside(solid: &(impl SurfaceSolid + ?Sized), balls: &mut [SolidBall]) -> bool {
    // A ball that grows moves the deepest points of hollows, so the proof is a pass in which none grows.
    (0..MOST_PASSES).any(|_| !grow_inside(solid, balls))
}

/// One pass over all cells; whether a ball grew.
fn grow_inside(solid: &(impl SurfaceSolid + ?Sized), balls: &mut [SolidBall]) -> bool {
    let mesh = solid.surface_tree().mesh();
    let bounds = mesh.bounds();
    let slack = slack_of(mesh);
    let mut cache = SingleTreeCache::default();
    let mut growing = Growing::new(balls, slack);
    let half = 0.5 * bounds.diagonal().max_element() * (1.0 + 1e-9);
    let mut cells = vec![Cell {
        center: bounds.center(),
        half,
        splits: 0,
        active: (0..growing.balls.len() as u32).collect(),
    }];
    let (mut visited, mut has_grown) = (0, false);
    while let Some(mut cell) = cells.pop() {
        visited += 1;
        let corner = DVec3::splat(cell.half);
        let overlaps = (cell.center - corner).cmple(bounds.max).all()
            && (cell.center + corner).cmpge(bounds.min).all();
        if !overlaps || is_free(&mut cell, &growing) {
            continue;
        }
        let around = cell.half * 3.0_f64.sqrt() * (1.0 + 1e-9) + solid.error();
        let to_surface = (solid.closest_with(cell.center, &mut cache) - cell.center).length();
        if to_surface > around && !solid.contains_with(cell.center, &mut cache) {
            continue;
        }
        if cell.splits >= MOST_SPLITS || visited > MOST_CELLS {
            let corners: [DVec3; 8] = std::array::from_fn(|k| cell.center + corner * sides(k));
            let among = cell.active.iter().map(|&k| k as usize);
            growing.grow(among, &corners);
            has_grown = true;
            continue;
        }
        for k in 0..8 {
            cells.push(Cell {
                center: cell.center + 0.5 * corner * sides(k),
                half: 0.5 * cell.half,
                splits: cell.splits + 1,
                active: cell.active.clone(),
            });
        }
    }
    has_grown
}

/// The direction of a corner of a cube.
fn sides(corner: usize) -> DVec3 {
    let side = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
    DVec3::new(side(0), side(1), side(2))
}

/// Whether no hollow has its deepest point in the cell; leaves only balls that may be nearest in it.
fn is_free(cell: &mut Cell, growing: &Growing<'_>) -> bool {
    // A hair larger, so that neighbouring cells overlap in spite of rounding.
    let half = DVec3::splat(cell.half * (1.0 + 1e-9) + growing.slack);
    let mut least_high = f64::INFINITY;
    let mut scale = 0.0_f64;
    for &k in &cell.active {
        let ball = &growing.balls[k as usize];
        let away = (cell.center - ball.center).abs();
        let high = (away + half).length_squared();
        let radius_sq = growing.radius_sq(k as usize);
        if high <= radius_sq {
            return true;
        }
        scale = scale.max(high + radius_sq);
        least_high = least_high.min(high - ball.radius * ball.radius);
    }
    let limit = least_high + 1e-12 * scale;
    cell.active.retain(|&k| {
        let ball = &growing.balls[k as usize];
        let away = (cell.center - ball.center).abs();
        let low = (away - half).max(DVec3::ZERO).length_squared();
        low - ball.radius * ball.radius <= limit
    });
    let sum = cell.active.iter().fold(DVec3::ZERO, |sum, &k| {
        let away = cell.center - growing.balls[k as usize].center;
        sum + away.normalize_or_zero()
    });
    let Some(direction) = sum.try_normalize() else {
        return false;
    };
    let margin = direction.abs().dot(half) * (1.0 + 1e-9);
    cell.active.iter().all(|&k| {
        let away = cell.center - growing.balls[k as usize].center;
        direction.dot(away) > margin + 1e-12 * away.length()
    })
}
