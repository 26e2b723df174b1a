//! Surfaces of revolution: a vase and a mushroom.

use std::f64::consts::PI;

use glam::DVec2;

use super::error::{GenerateError, affordable, agree, all_at_least, positive};
use super::fit_face_count::nearest_pair;
use super::surface_builder::{SurfaceBuilder, TubeEnds, revolve};
use crate::mesh::TriMesh;

fn vase_faces(segments: u64, rows: u64) -> u64 {
    4 * segments * (rows + 1)
}

/// A vase of height 2 standing at the origin, with a wall and a floor of the given thickness:
/// 4·segments·(rows + 1) faces.
///
/// # Errors
/// Needs at least 3 segments, 1 row, and a positive thickness below 0.2.
///
/// ```
/// assert_eq!(impinge::generate::vase(24, 16, 0.05)?.face_count(), 1632);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn vase(segments: u32, rows: u32, thickness: f64) -> Result<TriMesh, GenerateError> {
    all_at_least([("segments", segments, 3), ("rows", rows, 1)])?;
    positive("thickness", thickness)?;
    agree(thickness < 0.2, "the wall of the vase fills its neck")?;
    let faces = vase_faces(segments.into(), rows.into());
    affordable(faces)?;
    let radius = |z: f64| 0.55 + 0.25 * libm::sin(PI * (0.9 * z + 0.1)) + 0.04 * z * z;
    let outer = |i: u32| {
        let z = 2.0 * f64::from(i) / f64::from(rows);
        DVec2::new(radius(z), z)
    };
    let inner = |i: u32| {
        let z = thickness + (2.0 - thickness) * (f64::from(i) / f64::from(rows));
        DVec2::new(radius(z) - thickness, z)
    };
    let mut profile = vec![DVec2::ZERO];
    profile.extend((0..=rows).map(outer));
    profile.extend((0..=rows).rev().map(inner));
    profile.push(DVec2::new(0.0, thickness));
    let mut surface = SurfaceBuilder::with_capacity(faces);
    revolve(&mut surface, &profile, segments, TubeEnds::Lids);
    surface.finish()
}

pub(super) fn fit_vase(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, rows) = nearest_pair(target, (3, 1), 1, vase_faces);
    vase(segments, rows, 0.05)
}

fn mushroom_faces(segments: u64, rows: u64) -> u64 {
    2 * segments * (2 * rows + 1)
}

/// A mushroom standing at the origin: 2·segments·(2·rows + 1) faces, `rows` each for stem and cap.
///
/// # Errors
/// Needs 3 segments and 1 row.
///
/// ```
/// assert_eq!(impinge::generate::mushroom(16, 8)?.face_count(), 544);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn mushroom(segments: u32, rows: u32) -> Result<TriMesh, GenerateError> {
    all_at_least([("segments", segments, 3), ("rows", rows, 1)])?;
    let faces = mushroom_faces(segments.into(), rows.into());
    affordable(faces)?;
    let mut profile = vec![DVec2::ZERO];
    profile.extend((0..=rows).map(|i| {
        let s = f64::from(i) / f64::from(rows);
        DVec2::new(0.25 + 0.1 * (1.0 - s) * (1.0 - s), s)
    }));
    // The rim hangs below the top of the stem: the underside of the cap is a cone.
    profile.extend((0..rows).map(|i| {
        let angle = PI / 2.0 * f64::from(i) / f64::from(rows);
        DVec2::new(libm::cos(angle), 0.8 + 0.7 * libm::sin(angle))
    }));
    profile.push(DVec2::new(0.0, 1.5));
    let mut surface = SurfaceBuilder::with_capacity(faces);
    revolve(&mut surface, &profile, segments, TubeEnds::Lids);
    surface.finish()
}

pub(super) fn fit_mushroom(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, rows) = nearest_pair(target, (3, 1), 2, mushroom_faces);
    mushroom(segments, rows)
}

pub(super) fn tower_faces(segments: u64, rows: u64) -> u64 {
    2 * segments * (rows + 2)
}

/// A round tower with a pointed roof: 2·segments·(rows + 2) faces.
pub(super) fn tower(segments: u32, rows: u32) -> Result<TriMesh, GenerateError> {
    let faces = tower_faces(segments.into(), rows.into());
    affordable(faces)?;
    let mut profile = vec![DVec2::ZERO];
    profile.extend((0..=rows).map(|i| DVec2::new(0.8, 3.0 * f64::from(i) / f64::from(rows))));
    profile.push(DVec2::new(1.0, 3.1));
    profile.push(DVec2::new(0.0, 4.5));
    let mut surface = SurfaceBuilder::with_capacity(faces);
    revolve(&mut surface, &profile, segments, TubeEnds::Lids);
    surface.finish()
}
