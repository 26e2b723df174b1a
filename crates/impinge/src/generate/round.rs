//! Balls, cylinders, cones and rings.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

use super::error::{
    GenerateError, affordable, agree, all_at_least, all_positive, at_least, positive,
};
use super::fit_face_count::nearest_pair;
use super::surface_builder::{SurfaceBuilder, TubeEnds, revolve, tube, turn};
use crate::mesh::TriMesh;

fn revolved(
    profile: &[DVec2],
    segments: u32,
    ends: TubeEnds,
    faces: u64,
) -> Result<TriMesh, GenerateError> {
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    revolve(&mut surface, profile, segments, ends);
    surface.finish()
}

fn ball_faces(segments: u64, bands: u64) -> u64 {
    2 * segments * (bands - 1)
}

/// A ball around the origin with meridians through two poles: 2·segments·(bands − 1) faces.
///
/// # Errors
/// Needs a positive radius, 3 segments, 2 bands.
///
/// ```
/// assert_eq!(impinge::generate::ball(1.0, 16, 8)?.face_count(), 224);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn ball(radius: f64, segments: u32, bands: u32) -> Result<TriMesh, GenerateError> {
    positive("radius", radius)?;
    all_at_least([("segments", segments, 3), ("bands", bands, 2)])?;
    let faces = ball_faces(segments.into(), bands.into());
    affordable(faces)?;
    let profile: Vec<DVec2> = (0..=bands)
        .map(|i| match i {
            0 => DVec2::new(0.0, -radius),
            _ if i == bands => DVec2::new(0.0, radius),
            _ => {
                let angle = PI * f64::from(i) / f64::from(bands);
                DVec2::new(libm::sin(angle), -libm::cos(angle)) * radius
            }
        })
        .collect();
    revolved(&profile, segments, TubeEnds::Lids, faces)
}

pub(super) fn fit_ball(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, bands) = nearest_pair(target, (3, 2), 2, ball_faces);
    ball(1.0, segments, bands)
}

pub(super) fn capsule_faces(segments: u64, bands: u64) -> u64 {
    4 * segments * bands
}

/// A cylinder along z with round ends, its middle at the origin: 4·segments·bands faces, `bands` per end.
///
/// # Errors
/// Needs a positive radius and length (of the cylinder between the ends), 3 segments, 1 band.
///
/// ```
/// assert_eq!(impinge::generate::capsule(0.5, 2.0, 12, 4)?.face_count(), 192);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn capsule(
    radius: f64,
    length: f64,
    segments: u32,
    bands: u32,
) -> Result<TriMesh, GenerateError> {
    all_positive([("radius", radius), ("length", length)])?;
    all_at_least([("segments", segments, 3), ("bands", bands, 1)])?;
    let faces = capsule_faces(segments.into(), bands.into());
    affordable(faces)?;
    let quarter = |i: u32| {
        let angle = PI / 2.0 * f64::from(i) / f64::from(bands);
        (libm::cos(angle) * radius, libm::sin(angle) * radius)
    };
    let half = length / 2.0;
    let mut profile = vec![DVec2::new(0.0, -half - radius)];
    for i in (0..bands).rev() {
        let (r, h) = quarter(i);
        profile.push(DVec2::new(r, -half - h));
    }
    for i in 0..bands {
        let (r, h) = quarter(i);
        profile.push(DVec2::new(r, half + h));
    }
    profile.push(DVec2::new(0.0, half + radius));
    revolved(&profile, segments, TubeEnds::Lids, faces)
}

pub(super) fn fit_capsule(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, bands) = nearest_pair(target, (3, 1), 4, capsule_faces);
    capsule(0.5, 1.0, segments, bands)
}

pub(super) fn cylinder_faces(segments: u64, rows: u64) -> u64 {
    2 * segments * rows + 2 * (segments - 2)
}

/// A cylinder along z, its middle at the origin: 2·segments·rows + 2·(segments − 2) faces.
///
/// # Errors
/// Needs a positive radius and height, 3 segments, 1 row.
///
/// ```
/// assert_eq!(impinge::generate::cylinder(1.0, 2.0, 8, 1)?.face_count(), 28);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn cylinder(
    radius: f64,
    height: f64,
    segments: u32,
    rows: u32,
) -> Result<TriMesh, GenerateError> {
    hyperboloid(radius, radius, height, segments, rows)
}

pub(super) fn fit_cylinder(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, rows) = nearest_pair(target, (3, 1), 4, cylinder_faces);
    cylinder(1.0, 2.0, segments, rows)
}

/// A solid hyperboloid of one sheet along z, cut off at its rims: 2·segments·rows + 2·(segments − 2) faces.
///
/// # Errors
/// Needs positive lengths, a waist no wider than the rim, 3 segments, 1 row.
///
/// ```
/// assert_eq!(impinge::generate::hyperboloid(0.5, 1.0, 2.0, 8, 6)?.face_count(), 108);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn hyperboloid(
    waist: f64,
    rim: f64,
    height: f64,
    segments: u32,
    rows: u32,
) -> Result<TriMesh, GenerateError> {
    all_positive([("waist", waist), ("rim", rim), ("height", height)])?;
    agree(waist <= rim, "the waist is wider than the rim")?;
    all_at_least([("segments", segments, 3), ("rows", rows, 1)])?;
    let faces = cylinder_faces(segments.into(), rows.into());
    affordable(faces)?;
    let profile: Vec<DVec2> = (0..=rows)
        .map(|i| {
            let s = 2.0 * f64::from(i) / f64::from(rows) - 1.0;
            let r = (waist * waist + (rim * rim - waist * waist) * (s * s)).sqrt();
            DVec2::new(r, s * height / 2.0)
        })
        .collect();
    revolved(&profile, segments, TubeEnds::Lids, faces)
}

pub(super) fn fit_hyperboloid(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, rows) = nearest_pair(target, (3, 2), 2, cylinder_faces);
    hyperboloid(0.4, 1.0, 2.0, segments, rows)
}

fn cone_faces(segments: u64, rows: u64) -> u64 {
    segments * (2 * rows - 1) + segments - 2
}

/// A cone along z, base below and apex above the origin: segments·(2·rows − 1) + segments − 2 faces.
///
/// # Errors
/// Needs a positive radius and height, 3 segments, 1 row.
///
/// ```
/// assert_eq!(impinge::generate::cone(1.0, 2.0, 8, 1)?.face_count(), 14);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn cone(radius: f64, height: f64, segments: u32, rows: u32) -> Result<TriMesh, GenerateError> {
    all_positive([("radius", radius), ("height", height)])?;
    all_at_least([("segments", segments, 3), ("rows", rows, 1)])?;
    let faces = cone_faces(segments.into(), rows.into());
    affordable(faces)?;
    let profile: Vec<DVec2> = (0..=rows)
        .map(|i| {
            let s = f64::from(i) / f64::from(rows);
            DVec2::new((1.0 - s) * radius, (s - 0.5) * height)
        })
        .collect();
    revolved(&profile, segments, TubeEnds::Lids, faces)
}

pub(super) fn fit_cone(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, rows) = nearest_pair(target, (3, 1), 4, cone_faces);
    cone(1.0, 2.0, segments, rows)
}

fn torus_faces(segments: u64, sides: u64) -> u64 {
    2 * segments * sides
}

/// A ring around z: 2·segments·sides faces.
///
/// # Errors
/// Needs a positive `minor` radius below the `major` one, 3 segments, 3 sides.
///
/// ```
/// assert_eq!(impinge::generate::torus(2.0, 0.5, 24, 12)?.face_count(), 576);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn torus(major: f64, minor: f64, segments: u32, sides: u32) -> Result<TriMesh, GenerateError> {
    check_torus(major, minor, segments, sides)?;
    let faces = torus_faces(segments.into(), sides.into());
    affordable(faces)?;
    let profile: Vec<DVec2> = turn(sides)
        .into_iter()
        .map(|p| DVec2::new(major, 0.0) + p * minor)
        .collect();
    revolved(&profile, segments, TubeEnds::Joined, faces)
}

fn check_torus(major: f64, minor: f64, segments: u32, sides: u32) -> Result<(), GenerateError> {
    all_positive([("major", major), ("minor", minor)])?;
    agree(
        minor < major,
        "the tube of the torus is thicker than the hole allows",
    )?;
    at_least("segments", segments, 3)?;
    at_least("sides", sides, 3)
}

pub(super) fn fit_torus(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, sides) = nearest_pair(target, (3, 3), 2, torus_faces);
    torus(2.0, 0.7, segments, sides)
}

fn half_torus_faces(segments: u64, sides: u64) -> u64 {
    2 * segments * sides + 2 * (sides - 2)
}

/// Half a ring, closed by two flat ends at y = 0: 2·segments·sides + 2·(sides − 2) faces.
///
/// # Errors
/// As [`torus`].
///
/// ```
/// assert_eq!(impinge::generate::half_torus(2.0, 0.5, 12, 12)?.face_count(), 308);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn half_torus(
    major: f64,
    minor: f64,
    segments: u32,
    sides: u32,
) -> Result<TriMesh, GenerateError> {
    check_torus(major, minor, segments, sides)?;
    let faces = half_torus_faces(segments.into(), sides.into());
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let sections = (0..=segments).map(|i| {
        let angle = TAU * f64::from(i) / f64::from(2 * segments);
        let out = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
        (out * major, DVec3::Z, out)
    });
    tube(&mut surface, sections, minor, sides, TubeEnds::Lids);
    surface.finish()
}

pub(super) fn fit_half_torus(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, sides) = nearest_pair(target, (3, 3), 1, half_torus_faces);
    half_torus(2.0, 0.7, segments, sides)
}
