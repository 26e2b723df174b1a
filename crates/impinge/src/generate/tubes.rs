//! Knots, springs and woven nets: tubes along curves.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::error::{GenerateError, affordable, agree, all_at_least, all_positive, positive, times};
use super::fit_face_count::nearest_pair;
use super::surface_builder::{SurfaceBuilder, TubeEnds, tube};
use crate::mesh::TriMesh;

fn knot_faces(segments: u64, sides: u64) -> u64 {
    2 * segments * sides
}

/// A closed tube that winds `p` times around z and `q` times through the hole of a torus with
/// radii 2 and 1: 2·segments·sides faces.
///
/// # Errors
/// Needs `p` and `q` positive without common divisor (else it would be a link), a positive
/// thickness below 1, 3 segments, 3 sides.
///
/// ```
/// assert_eq!(impinge::generate::torus_knot(2, 3, 0.4, 120, 8)?.face_count(), 1920);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn torus_knot(
    p: u32,
    q: u32,
    thickness: f64,
    segments: u32,
    sides: u32,
) -> Result<TriMesh, GenerateError> {
    all_at_least([("p", p, 1), ("q", q, 1)])?;
    agree(common_divisor(p, q) == 1, "p and q have a common divisor")?;
    positive("thickness", thickness)?;
    agree(thickness < 1.0, "the knot's tube is thicker than its torus")?;
    all_at_least([("segments", segments, 3), ("sides", sides, 3)])?;
    let faces = knot_faces(segments.into(), sides.into());
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let sections = (0..segments).map(|i| {
        let s = TAU * f64::from(i) / f64::from(segments);
        let (around, through) = (f64::from(p) * s, f64::from(q) * s);
        let (ca, sa) = (libm::cos(around), libm::sin(around));
        let (ct, st) = (libm::cos(through), libm::sin(through));
        let r = 2.0 + ct;
        let centre = DVec3::new(r * ca, r * sa, st);
        // The curve lies in the torus, so the torus normal is perpendicular to it and closes up.
        let normal = DVec3::new(ct * ca, ct * sa, st);
        let tangent = DVec3::new(-sa, ca, 0.0) * (r * f64::from(p))
            + DVec3::new(-st * ca, -st * sa, ct) * f64::from(q);
        (centre, normal, tangent.normalize().cross(normal))
    });
    tube(&mut surface, sections, thickness, sides, TubeEnds::Joined);
    surface.finish()
}

fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub(super) fn fit_torus_knot(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, sides) = nearest_pair(target, (12, 3), 12, knot_faces);
    torus_knot(2, 3, 0.4, segments, sides)
}

pub(super) fn spring_faces(turns: u64, segments: u64, sides: u64) -> u64 {
    times([2, turns, segments, sides]) + 2 * (sides - 2)
}

/// A helical tube along z with flat ends, its middle at the origin:
/// 2·turns·segments·sides + 2·(sides − 2) faces, `segments` per turn.
///
/// # Errors
/// Needs positive lengths, a wire thinner than the coil radius and than half the pitch,
/// 1 turn, 3 segments, 3 sides.
///
/// ```
/// assert_eq!(impinge::generate::spring(1.0, 0.1, 0.4, 5, 16, 8)?.face_count(), 1292);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn spring(
    coil: f64,
    wire: f64,
    pitch: f64,
    turns: u32,
    segments: u32,
    sides: u32,
) -> Result<TriMesh, GenerateError> {
    all_positive([("coil", coil), ("wire", wire), ("pitch", pitch)])?;
    agree(
        wire < coil && 2.0 * wire < pitch,
        "the wire is too thick for the coil",
    )?;
    all_at_least([
        ("turns", turns, 1),
        ("segments", segments, 3),
        ("sides", sides, 3),
    ])?;
    let faces = spring_faces(turns.into(), segments.into(), sides.into());
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let rows = turns * segments;
    let sections = (0..=rows).map(|i| {
        let angle = TAU * f64::from(i % segments) / f64::from(segments);
        let (c, s) = (libm::cos(angle), libm::sin(angle));
        let z = pitch * (f64::from(i) / f64::from(segments) - f64::from(turns) / 2.0);
        let inward = DVec3::new(-c, -s, 0.0);
        let tangent = DVec3::new(-s * coil, c * coil, pitch / TAU).normalize();
        (
            DVec3::new(c * coil, s * coil, z),
            inward,
            tangent.cross(inward),
        )
    });
    tube(&mut surface, sections, wire, sides, TubeEnds::Lids);
    surface.finish()
}

pub(super) fn fit_spring(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, sides) = nearest_pair(target, (6, 3), 2, |a, b| spring_faces(6, a, b));
    spring(1.0, 0.15, 0.5, 6, segments, sides)
}

/// Pieces of a strand between two crossings, and sides of a strand, of fitted nets.
const NET_STEPS: u32 = 4;
const NET_SIDES: u32 = 6;

fn net_faces(along_x: u64, along_y: u64, steps: u64, sides: u64) -> u64 {
    times([4, sides, steps, along_x, along_y]) + 2 * (sides - 2) * (along_x + along_y)
}

/// A plain weave of `along_x` and `along_y` strands at distance 1, passing over and under each
/// other without touching: 4·sides·steps·along_x·along_y + 2·(sides − 2)·(along_x + along_y) faces.
///
/// # Errors
/// Needs 1 strand each way, 2 steps per crossing, 3 sides, a positive thickness of at most 0.15.
///
/// ```
/// assert_eq!(impinge::generate::net(3, 4, 0.1, 4, 6)?.face_count(), 1208);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn net(
    along_x: u32,
    along_y: u32,
    thickness: f64,
    steps: u32,
    sides: u32,
) -> Result<TriMesh, GenerateError> {
    all_at_least([
        ("along_x", along_x, 1),
        ("along_y", along_y, 1),
        ("steps", steps, 2),
        ("sides", sides, 3),
    ])?;
    positive("thickness", thickness)?;
    agree(thickness <= 0.15, "strands of a net overlap above 0.15")?;
    let faces = net_faces(along_x.into(), along_y.into(), steps.into(), sides.into());
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    // Strand i lies at i; crossings are at the middle of steps, so ends stand out by half a cell.
    for (strands, crossings, flip) in [(along_x, along_y, false), (along_y, along_x, true)] {
        for strand in 0..strands {
            let rows = crossings * steps;
            let sections = (0..=rows).map(|i| {
                let along = f64::from(i) / f64::from(steps) - 0.5;
                let phase = PI * (along + f64::from(strand)) + if flip { PI } else { 0.0 };
                let height = 0.25 * libm::cos(phase);
                let slope = -0.25 * PI * libm::sin(phase);
                let (across, forward) = if flip {
                    (-DVec3::X, DVec3::Y)
                } else {
                    (DVec3::Y, DVec3::X)
                };
                let centre = forward * along + across.abs() * f64::from(strand) + DVec3::Z * height;
                let tangent = (forward + DVec3::Z * slope).normalize();
                (centre, across, tangent.cross(across))
            });
            tube(&mut surface, sections, thickness, sides, TubeEnds::Lids);
        }
    }
    surface.finish()
}

pub(super) fn fit_net(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (along_x, along_y) = nearest_pair(target, (1, 1), 1, |a, b| {
        net_faces(a, b, NET_STEPS.into(), NET_SIDES.into())
    });
    net(along_x, along_y, 0.12, NET_STEPS, NET_SIDES)
}
