//! Geodesic spheres of nearly equal triangles, and the star-shaped blob made from them.

use glam::DVec3;

use super::error::{GenerateError, affordable, at_least, positive};
use super::fit_face_count::nearest;
use super::surface_builder::SurfaceBuilder;
use crate::mesh::TriMesh;

const ICOSAHEDRON_FACES: [[usize; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

fn icosahedron() -> [DVec3; 12] {
    let g = (1.0 + 5.0f64.sqrt()) / 2.0;
    [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ]
    .map(DVec3::from)
}

/// The icosahedron with every edge cut into `frequency` pieces, pushed out to the unit sphere.
fn geodesic(frequency: u32) -> SurfaceBuilder {
    let mut surface = SurfaceBuilder::with_capacity(20 * u64::from(frequency).pow(2));
    let corners = icosahedron();
    let corner_ids = corners.map(|p| surface.point(p.normalize()));
    // Vertices inside an edge, from its lower to its higher corner, by pair of corners.
    let mut edges: [[Option<u32>; 12]; 12] = [[None; 12]; 12];
    for face in ICOSAHEDRON_FACES {
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let (a, b) = (face[a].min(face[b]), face[a].max(face[b]));
            if edges[a][b].is_none() {
                let mut start = None;
                for i in 1..frequency {
                    let s = f64::from(i) / f64::from(frequency);
                    let id = surface.point(corners[a].lerp(corners[b], s).normalize());
                    start = start.or(Some(id));
                }
                edges[a][b] = start;
            }
        }
    }
    for face in ICOSAHEDRON_FACES {
        let [a, b, c] = face.map(|i| corners[i]);
        let along = |from: usize, to: usize, i: u32| -> u32 {
            let (p, q) = (face[from], face[to]);
            let start = edges[p.min(q)][p.max(q)].unwrap_or(0);
            start + if p < q { i - 1 } else { frequency - 1 - i }
        };
        // Row j runs parallel to the edge from the first to the second corner.
        let mut below: Vec<u32> = Vec::new();
        for j in 0..=frequency {
            let row: Vec<u32> = (0..=frequency - j)
                .map(|i| match (i, j) {
                    (0, 0) => corner_ids[face[0]],
                    (_, 0) if i == frequency => corner_ids[face[1]],
                    (_, _) if j == frequency => corner_ids[face[2]],
                    (_, 0) => along(0, 1, i),
                    (0, _) => along(0, 2, j),
                    _ if i + j == frequency => along(1, 2, j),
                    _ => {
                        let (i, j) = (f64::from(i), f64::from(j));
                        let f = f64::from(frequency);
                        let p = a * ((f - i - j) / f) + b * (i / f) + c * (j / f);
                        surface.point(p.normalize())
                    }
                })
                .collect();
            for (edge, &up) in below.windows(2).zip(&row) {
                surface.triangle(edge[0], edge[1], up);
            }
            for (edge, &down) in row.windows(2).zip(below.iter().skip(1)) {
                surface.triangle(edge[1], edge[0], down);
            }
            below = row;
        }
    }
    surface
}

fn geodesic_faces(frequency: u64) -> u64 {
    20 * frequency.saturating_mul(frequency)
}

/// A ball of nearly equal triangles: 20·frequency² faces, so 20·4^k for frequency 2^k.
///
/// # Errors
/// Needs a positive radius and frequency.
///
/// ```
/// assert_eq!(impinge::generate::icosphere(1.0, 4)?.face_count(), 320);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn icosphere(radius: f64, frequency: u32) -> Result<TriMesh, GenerateError> {
    positive("radius", radius)?;
    at_least("frequency", frequency, 1)?;
    affordable(geodesic_faces(frequency.into()))?;
    let mut surface = geodesic(frequency);
    surface.map(|p| p * radius);
    surface.finish()
}

pub(super) fn fit_icosphere(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    icosphere(1.0, nearest(target, 1, geodesic_faces))
}

/// A bumpy ball with two ears and a snout, star-shaped around the origin: 20·frequency² faces
/// (5120, 20480, 81920 for frequencies 16, 32, 64).
///
/// # Errors
/// Needs a positive frequency.
///
/// ```
/// assert_eq!(impinge::generate::blob(16)?.face_count(), 5120);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn blob(frequency: u32) -> Result<TriMesh, GenerateError> {
    at_least("frequency", frequency, 1)?;
    affordable(geodesic_faces(frequency.into()))?;
    let mut surface = geodesic(frequency);
    surface.map(|p| p * blob_radius(p));
    surface.finish()
}

/// Height, direction and sharpness of what grows out of the blob.
const LOBES: [(f64, [f64; 3], f64); 4] = [
    (0.90, [0.35, 0.15, 1.0], 40.0),
    (0.90, [-0.35, 0.15, 1.0], 40.0),
    (0.45, [0.0, -1.0, 0.25], 14.0),
    (0.20, [0.0, 1.0, -0.5], 20.0),
];

fn blob_radius(p: DVec3) -> f64 {
    let bumps = libm::sin(7.0 * p.x + 1.0) * libm::sin(6.0 * p.y) * libm::sin(8.0 * p.z + 2.0);
    let mut radius = 1.0 + 0.05 * bumps;
    for (height, direction, sharpness) in LOBES {
        let toward = p.dot(DVec3::from(direction).normalize());
        radius += height * libm::exp(sharpness * (toward - 1.0));
    }
    radius
}

pub(super) fn fit_blob(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    blob(nearest(target, 1, geodesic_faces))
}
