//! Fractal models.

use glam::DVec3;

use super::blocks::voxels;
use super::error::{GenerateError, affordable, agree, positive};
use super::fit_face_count::nearest;
use super::surface_builder::SurfaceBuilder;
use crate::mesh::TriMesh;

/// A regular tetrahedron around the origin: 4 faces.
///
/// # Errors
/// Needs a positive edge length.
///
/// ```
/// assert_eq!(impinge::generate::tetrahedron(1.0)?.face_count(), 4);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn tetrahedron(edge: f64) -> Result<TriMesh, GenerateError> {
    tetra_flake(edge, 0)
}

pub(super) fn fit_tetrahedron(_: u64, _: u64) -> Result<TriMesh, GenerateError> {
    tetrahedron(1.0)
}

fn flake_faces(depth: u32) -> u64 {
    2 * (3u64.saturating_pow(depth + 1).min(u64::MAX / 4) - 1)
}

/// A regular tetrahedron with a half-size one on each face, and so on: 2·(3^(depth+1) − 1) faces,
/// that is 4, 16, 52, 160, 484, 1456, …
///
/// Faces keep what stands on them: every smaller tetrahedron is an open cap of three faces.
///
/// # Errors
/// Needs a positive edge length.
///
/// ```
/// assert_eq!(impinge::generate::tetra_flake(1.0, 2)?.face_count(), 52);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn tetra_flake(edge: f64, depth: u32) -> Result<TriMesh, GenerateError> {
    positive("edge", edge)?;
    agree(depth < 40, "a tetra-flake that deep has too many faces")?;
    let faces = flake_faces(depth);
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    // Alternate corners of a cube.
    let s = edge / 8.0f64.sqrt();
    let corners = [
        DVec3::new(s, s, s),
        DVec3::new(s, -s, -s),
        DVec3::new(-s, s, -s),
        DVec3::new(-s, -s, s),
    ];
    let ids = corners.map(|p| surface.point(p));
    let mut rim: Vec<[DVec3; 3]> = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
        surface.triangle(ids[a], ids[b], ids[c]);
        rim.push([corners[a], corners[b], corners[c]]);
    }
    for _ in 0..depth {
        let mut next = Vec::with_capacity(3 * rim.len());
        for face in rim {
            let [a, b, c] = face;
            let centre = (a + b + c) / 3.0;
            let [p, q, r] = face.map(|v| centre + (v - centre) * 0.5);
            // The height of a regular tetrahedron, over the half-size base.
            let normal = (b - a).cross(c - a).normalize();
            let apex = centre + normal * ((b - a).length() * 0.5 * (2.0f64 / 3.0).sqrt());
            let ids = [p, q, r, apex].map(|v| surface.point(v));
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                surface.triangle(ids[i], ids[j], ids[3]);
                next.push([[p, q, r][i], [p, q, r][j], apex]);
            }
        }
        rim = next;
    }
    surface.finish()
}

pub(super) fn fit_tetra_flake(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let depth = nearest(target, 0, |d| flake_faces(d.min(60) as u32));
    tetra_flake(1.0, depth)
}

fn sponge_faces(depth: u32) -> u64 {
    let cubes = 20u64.saturating_pow(depth).min(u64::MAX / 64);
    let plates = 8u64.saturating_pow(depth).min(u64::MAX / 64);
    4 * cubes + 8 * plates
}

/// A Menger sponge around the origin, closed: 4·20^depth + 8·8^depth faces,
/// that is 12, 144, 2112, 36096, 672768, 13062144.
///
/// # Errors
/// Needs a positive edge length.
///
/// ```
/// assert_eq!(impinge::generate::menger_sponge(1.0, 2)?.face_count(), 2112);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn menger_sponge(edge: f64, depth: u32) -> Result<TriMesh, GenerateError> {
    positive("edge", edge)?;
    let faces = sponge_faces(depth.min(60));
    affordable(faces)?;
    let cells = 3u32.saturating_pow(depth);
    let planes: Vec<f64> = (0..=cells)
        .map(|i| (f64::from(i) / f64::from(cells) - 0.5) * edge)
        .collect();
    voxels([&planes, &planes, &planes], faces, |mut cell| {
        (0..depth).all(|_| {
            let middles = cell.iter().filter(|&&c| c % 3 == 1).count();
            cell = cell.map(|c| c / 3);
            middles < 2
        })
    })
}

pub(super) fn fit_menger_sponge(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let depth = nearest(target, 0, |d| sponge_faces(d.min(60) as u32));
    menger_sponge(1.0, depth)
}
