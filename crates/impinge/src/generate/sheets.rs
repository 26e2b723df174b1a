//! Open sheets: cloth, netting, terrain, the shell of a car.

use std::f64::consts::PI;

use glam::DVec3;

use super::error::{GenerateError, affordable, agree, all_at_least, positive, times};
use super::fit_face_count::nearest_pair;
use super::surface_builder::SurfaceBuilder;
use crate::math::Rng;
use crate::mesh::TriMesh;

fn sheet_faces(columns: u64, rows: u64) -> u64 {
    2 * columns * rows
}

fn sheet(
    columns: u32,
    rows: u32,
    point: impl FnMut(f64, f64) -> DVec3,
) -> Result<TriMesh, GenerateError> {
    all_at_least([("columns", columns, 1), ("rows", rows, 1)])?;
    let faces = sheet_faces(columns.into(), rows.into());
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    surface.sheet(columns, rows, point);
    surface.finish()
}

/// A flat square of edge 1 around the origin, facing up: 2·columns·rows faces.
///
/// # Errors
/// Needs 1 column and 1 row.
///
/// ```
/// assert_eq!(impinge::generate::cloth(10, 10)?.face_count(), 200);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn cloth(columns: u32, rows: u32) -> Result<TriMesh, GenerateError> {
    sheet(columns, rows, |u, v| DVec3::new(u - 0.5, v - 0.5, 0.0))
}

pub(super) fn fit_cloth(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (columns, rows) = nearest_pair(target, (1, 1), 1, sheet_faces);
    cloth(columns, rows)
}

fn netting_faces(columns: u64, rows: u64) -> u64 {
    times([6, columns, rows]).saturating_sub(2 * (columns + rows))
}

/// A netting in the plane z = 0 around the origin: flat bands at distance 1, joined at knots, with a hole
/// between every four: 2·(3·columns·rows − columns − rows) faces. The seed shifts the knots.
///
/// # Errors
/// Needs 2 bands each way, and bands between 0 and 0.5 wide.
///
/// ```
/// let netting = impinge::generate::netting(4, 3, 0.25, 1)?;
/// assert_eq!((netting.face_count(), netting.vertex_count()), (58, 48));
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn netting(columns: u32, rows: u32, band: f64, seed: u64) -> Result<TriMesh, GenerateError> {
    all_at_least([("columns", columns, 2), ("rows", rows, 2)])?;
    positive("band", band)?;
    agree(band <= 0.5, "knots of a netting meet above 0.5")?;
    let faces = netting_faces(columns.into(), rows.into());
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let mut rng = Rng::new(seed);
    let mut corners = Vec::new();
    for y in 0..rows {
        for x in 0..columns {
            let middle = DVec3::new(
                f64::from(x) - 0.5 * f64::from(columns - 1),
                f64::from(y) - 0.5 * f64::from(rows - 1),
                0.0,
            );
            // Less than half of what is between two knots.
            let shift = rng.cube() * (0.2 * (1.0 - band));
            let knot = middle + DVec3::new(shift.x, shift.y, 0.0);
            let sides = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            corners.push(
                sides.map(|(u, v)| surface.point(knot + DVec3::new(u, v, 0.0) * (0.5 * band))),
            );
        }
    }
    let knots = |x: u32, y: u32| corners.get((y * columns + x) as usize).copied();
    for y in 0..rows {
        for x in 0..columns {
            let Some([a, b, c, d]) = knots(x, y) else {
                continue;
            };
            surface.quad(a, b, c, d);
            if let Some([e, _, _, f]) = knots(x + 1, y).filter(|_| x + 1 < columns) {
                surface.quad(b, e, f, c);
            }
            if let Some([e, f, _, _]) = knots(x, y + 1) {
                surface.quad(d, c, f, e);
            }
        }
    }
    surface.finish()
}

pub(super) fn fit_netting(target: u64, seed: u64) -> Result<TriMesh, GenerateError> {
    let (columns, rows) = nearest_pair(target, (2, 2), 1, netting_faces);
    netting(columns, rows, 0.25, seed)
}

/// A height field over a square of edge 10, facing up: 2·columns·rows faces.
///
/// # Errors
/// Needs 1 column and 1 row.
///
/// ```
/// use impinge::generate::terrain;
/// assert_eq!(terrain(16, 16, 1)?.face_count(), 512);
/// assert_ne!(terrain(16, 16, 1)?, terrain(16, 16, 2)?);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn terrain(columns: u32, rows: u32, seed: u64) -> Result<TriMesh, GenerateError> {
    sheet(columns, rows, |u, v| {
        let mut height = 0.0;
        let mut amplitude = 1.5;
        for octave in 0..6 {
            let cells = f64::from(3 << octave);
            height += amplitude * noise(seed, octave, u * cells, v * cells);
            amplitude *= 0.5;
        }
        DVec3::new(10.0 * u - 5.0, 10.0 * v - 5.0, height)
    })
}

/// Random values at whole coordinates, blended in between.
fn noise(seed: u64, octave: u64, x: f64, y: f64) -> f64 {
    let value = |i: f64, j: f64| {
        let place = (octave << 48) ^ ((i as u64) << 24) ^ (j as u64);
        Rng::new(seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15)).range(-1.0, 1.0)
    };
    let blend = |t: f64| t * t * (3.0 - 2.0 * t);
    let (i, j) = (x.floor(), y.floor());
    let (s, t) = (blend(x - i), blend(y - j));
    let low = value(i, j) * (1.0 - s) + value(i + 1.0, j) * s;
    let high = value(i, j + 1.0) * (1.0 - s) + value(i + 1.0, j + 1.0) * s;
    low * (1.0 - t) + high * t
}

pub(super) fn fit_terrain(target: u64, seed: u64) -> Result<TriMesh, GenerateError> {
    let (columns, rows) = nearest_pair(target, (1, 1), 1, sheet_faces);
    terrain(columns, rows, seed)
}

/// A car body without floor, front or back, 4 long: 2·columns·rows faces, columns along its length.
///
/// # Errors
/// Needs 1 column and 1 row.
///
/// ```
/// assert_eq!(impinge::generate::car_shell(40, 20)?.face_count(), 1600);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn car_shell(columns: u32, rows: u32) -> Result<TriMesh, GenerateError> {
    let step = |x: f64, from: f64, to: f64| {
        let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let rounded = |x: f64| {
        // A superellipse: boxier than a circle.
        if x < 0.0 {
            -libm::pow(-x, 0.6)
        } else {
            libm::pow(x, 0.6)
        }
    };
    sheet(columns, rows, |u, v| {
        let bonnet = 0.35 + 0.2 * step(u, 0.0, 0.12);
        let cabin = 0.5 * step(u, 0.26, 0.42) * (1.0 - step(u, 0.72, 0.9));
        let tail = -0.1 * step(u, 0.88, 1.0);
        let width = 0.65 + 0.2 * step(u, 0.0, 0.15) - 0.1 * step(u, 0.85, 1.0);
        let angle = PI * v;
        let (c, s) = (libm::cos(angle), libm::sin(angle).max(0.0));
        let height = (bonnet + cabin + tail) * rounded(s);
        DVec3::new(4.0 * u - 2.0, -width * rounded(c), 0.2 + height)
    })
}

pub(super) fn fit_car_shell(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (columns, rows) = nearest_pair(target, (1, 1), 2, sheet_faces);
    car_shell(columns, rows)
}
