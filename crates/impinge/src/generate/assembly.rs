//! Models of many parts: a hand, a castle, a lock.

use glam::DVec3;

use super::NamedPart;
use super::blocks::{cuboid, cuboid_faces, voxels};
use super::error::{GenerateError, affordable, at_least, times};
use super::fit_face_count::nearest_pair;
use super::gear::{gear, gear_faces};
use super::lathe::{tower, tower_faces};
use super::round::{capsule, capsule_faces, cone, cylinder, cylinder_faces};
use super::surface_builder::placed;
use super::tubes::{spring, spring_faces};
use crate::mesh::TriMesh;

fn part(
    name: impl Into<String>,
    mesh: &TriMesh,
    place: impl Fn(DVec3) -> DVec3,
) -> Result<NamedPart, GenerateError> {
    Ok(NamedPart {
        name: name.into(),
        mesh: placed(mesh, place)?,
    })
}

/// Name, base in the plane of the palm, angle to y, and lengths of the bones.
const FINGERS: [(&str, [f64; 2], f64, [f64; 3]); 5] = [
    ("thumb", [-0.62, -0.05], 0.9, [0.34, 0.28, 0.22]),
    ("forefinger", [-0.36, 0.62], 0.08, [0.42, 0.28, 0.20]),
    ("middle", [-0.12, 0.66], 0.0, [0.46, 0.31, 0.21]),
    ("ring", [0.12, 0.64], -0.03, [0.43, 0.29, 0.21]),
    ("little", [0.36, 0.57], -0.1, [0.33, 0.22, 0.19]),
];

fn hand_faces(segments: u64, bands: u64) -> u64 {
    16 * capsule_faces(segments, bands)
}

/// A hand of 16 parts that do not touch, three bones per finger and a palm:
/// 64·segments·bands faces.
///
/// # Errors
/// Needs 3 segments and 1 band.
///
/// ```
/// let hand = impinge::generate::hand(8, 3)?;
/// assert_eq!(hand.len(), 16);
/// assert_eq!(hand.iter().filter(|p| p.name.starts_with("forefinger")).count(), 3);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn hand(segments: u32, bands: u32) -> Result<Vec<NamedPart>, GenerateError> {
    at_least("segments", segments, 3)?;
    at_least("bands", bands, 1)?;
    affordable(hand_faces(segments.into(), bands.into()))?;
    let palm = capsule(0.5, 0.4, segments, bands)?;
    // The capsule stands along z; fingers and palm lie along y.
    let lie = |p: DVec3| DVec3::new(p.x, p.z, -p.y);
    let mut parts = vec![part("palm", &palm, |p| {
        lie(p) * DVec3::new(0.98, 0.78, 0.3)
    })?];
    for (name, base, angle, lengths) in FINGERS {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let mut start = 0.0;
        for (i, length) in lengths.into_iter().enumerate() {
            let radius = 0.095 - 0.012 * i as f64;
            let bone = capsule(radius, length - 2.0 * radius, segments, bands)?;
            let along = start + length / 2.0;
            parts.push(part(format!("{name}-{}", i + 1), &bone, |p| {
                let q = lie(p) + DVec3::Y * along;
                DVec3::new(
                    base[0] + cos * q.x - sin * q.y,
                    base[1] + sin * q.x + cos * q.y,
                    q.z,
                )
            })?);
            start += length + 0.01;
        }
    }
    Ok(parts)
}

pub(super) fn fit_hand(target: u64, _: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let (segments, bands) = nearest_pair(target, (3, 1), 4, hand_faces);
    hand(segments, bands)
}

/// Battlements per wall and divisions of the keep grow with the rows of the towers.
fn castle_faces(segments: u64, rows: u64) -> u64 {
    4 * tower_faces(segments, rows)
        + 4 * (24 * (rows + 3) + 20)
        + cuboid_faces([rows; 3])
        + 2 * segments
        - 2
}

/// A castle of 10 parts that do not touch: four towers, four walls with battlements, a keep and
/// its roof: 8·s·(r + 2) + 96·r + 368 + 12·r² + 2·s − 2 faces for s segments and r rows.
///
/// # Errors
/// Needs 3 segments and 1 row.
///
/// ```
/// let castle = impinge::generate::castle(12, 4)?;
/// assert_eq!(castle.len(), 10);
/// assert_eq!(castle.iter().map(|p| p.mesh.face_count()).sum::<usize>(), 1542);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn castle(segments: u32, rows: u32) -> Result<Vec<NamedPart>, GenerateError> {
    at_least("segments", segments, 3)?;
    at_least("rows", rows, 1)?;
    affordable(castle_faces(segments.into(), rows.into()))?;
    let mut parts = Vec::with_capacity(10);
    let (tower, wall) = (tower(segments, rows)?, battlement(rows + 3)?);
    for (i, name) in ["east", "north", "west", "south"].into_iter().enumerate() {
        // Quarter turns are exact: coordinates only change places and signs.
        let quarter = move |p: DVec3| match i {
            0 => p,
            1 => DVec3::new(-p.y, p.x, p.z),
            2 => DVec3::new(-p.x, -p.y, p.z),
            _ => DVec3::new(p.y, -p.x, p.z),
        };
        parts.push(part(format!("tower-{name}"), &tower, |p| {
            quarter(p + DVec3::new(5.0, 5.0, 0.0))
        })?);
        parts.push(part(format!("wall-{name}"), &wall, |p| {
            quarter(p + DVec3::new(5.0, 0.0, 0.0))
        })?);
    }
    let keep = cuboid(DVec3::new(3.0, 3.0, 4.0), [rows; 3])?;
    parts.push(part("keep", &keep, |p| p + DVec3::Z * 2.0)?);
    let roof = cone(2.2, 2.0, segments, 1)?;
    parts.push(part("keep-roof", &roof, |p| p + DVec3::Z * 5.05)?);
    Ok(parts)
}

/// A wall along y, 7.8 long and 2.5 high: 24·gaps + 20 faces, with one battlement more than gaps.
fn battlement(gaps: u32) -> Result<TriMesh, GenerateError> {
    let cells = 2 * gaps + 1;
    let along: Vec<f64> = (0..=cells)
        .map(|i| 7.8 * (f64::from(i) / f64::from(cells) - 0.5))
        .collect();
    voxels(
        [&[-0.3, 0.3], &along, &[0.0, 2.0, 2.5]],
        24 * u64::from(gaps) + 20,
        |cell| cell[2] == 0 || cell[1] % 2 == 0,
    )
}

pub(super) fn fit_castle(target: u64, _: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let (segments, rows) = nearest_pair(target, (3, 1), 2, castle_faces);
    castle(segments, rows)
}

const LOCK_STACKS: u32 = 5;
const SPRING_TURNS: u32 = 5;
const CAM_TEETH: u32 = 12;

fn lock_faces(segments: u64, sides: u64) -> u64 {
    let stack =
        2 * cylinder_faces(segments, 1) + spring_faces(SPRING_TURNS.into(), segments, sides);
    3 * cuboid_faces([1; 3]) + gear_faces(CAM_TEETH.into(), 1) + times([LOCK_STACKS.into(), stack])
}

/// A lock-like mechanism of 19 parts that do not touch: two plates, a bolt, a cam wheel, and
/// five stacks of key pin, driver and spring: 360 + 50·s·k + 40·s + 10·k faces for s segments around
/// and k sides of the spring wire.
///
/// # Errors
/// Needs 3 segments and 3 sides.
///
/// ```
/// let lock = impinge::generate::lock(12, 6)?;
/// assert_eq!(lock.len(), 19);
/// assert_eq!(lock.iter().map(|p| p.mesh.face_count()).sum::<usize>(), 4500);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn lock(segments: u32, sides: u32) -> Result<Vec<NamedPart>, GenerateError> {
    at_least("segments", segments, 3)?;
    at_least("sides", sides, 3)?;
    affordable(lock_faces(segments.into(), sides.into()))?;
    let plate = cuboid(DVec3::new(6.0, 1.6, 0.2), [1; 3])?;
    let bolt = cuboid(DVec3::new(5.0, 0.4, 0.8), [1; 3])?;
    let cam = gear(CAM_TEETH, 1, 0.3, 0.4)?;
    let mut parts = vec![
        part("base", &plate, |p| p)?,
        part("cover", &plate, |p| p + DVec3::Z * 3.7)?,
        part("bolt", &bolt, |p| p + DVec3::new(0.0, 1.4, 1.0))?,
        part("cam", &cam, |p| p + DVec3::new(4.5, 0.0, 1.0))?,
    ];
    let key_pin = cylinder(0.3, 1.0, segments, 1)?;
    let driver = cylinder(0.3, 0.8, segments, 1)?;
    let coil = spring(0.22, 0.05, 0.2, SPRING_TURNS, segments, sides)?;
    for i in 0..LOCK_STACKS {
        let x = f64::from(i) - 2.0;
        let levels = [
            ("key-pin", &key_pin, 0.7),
            ("driver", &driver, 1.7),
            ("spring", &coil, 2.9),
        ];
        for (name, mesh, z) in levels {
            parts.push(part(format!("{name}-{}", i + 1), mesh, |p| {
                p + DVec3::new(x, 0.0, z)
            })?);
        }
    }
    Ok(parts)
}

pub(super) fn fit_lock(target: u64, _: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let (segments, sides) = nearest_pair(target, (3, 3), 2, lock_faces);
    lock(segments, sides)
}
