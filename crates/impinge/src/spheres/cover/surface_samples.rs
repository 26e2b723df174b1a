//! Sample points that represent a solid while its cover is computed.
//!
//! Points of the surface and of the inside must be covered. Some of the surface samples are gauges:
//! the height of a sphere above the surface there, times the area that the sample represents, sums
//! to the volume outside the solid. Convex edges add a wedge, as in Steiner's formula.

use glam::DVec3;

use super::surface_solid::SurfaceSolid;
use crate::bvh::MeshIndex as _;
use crate::bvh::wide::SingleTreeCache;
use crate::mesh::TriMesh;
use crate::spheres::pack::map_indexed;

/// Points that only have to be covered, per gauge point.
const DENSER: usize = 5;
/// Maximum number of vertices that have to be covered.
const MOST_VERTICES: usize = 20_000;
/// Approximate number of interior points, and maximum number of cells searched for each.
const INTERIOR_POINTS: f64 = 3000.0;
const CELLS_PER_POINT: f64 = 20.0;
/// Cosine of the angle between normals above which an edge is sharp: 20 degrees.
const SHARP: f64 = 0.94;
/// Maximum number of points on sharp edges, per gauge point.
const EDGE_SHARE: usize = 2;
/// Steps of the low-discrepancy sequence in the plane.
const STEPS: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];

/// What one point says about the volume above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gauge {
    pub(super) normal: DVec3,
    /// The area it stands for.
    pub(super) area: f64,
    /// Half of the exterior angle of its edge times the length it stands for.
    pub(super) wedge: f64,
}

impl Gauge {
    /// The volume below this height.
    pub(super) fn volume(&self, height: f64) -> f64 {
        height * (self.area + self.wedge * height)
    }
}

/// Points of a solid: first those with a gauge.
#[derive(Clone, Debug)]
pub(super) struct SolidPoints {
    pub(super) points: Vec<DVec3>,
    pub(super) gauges: Vec<Gauge>,
    /// How far neighbouring gauges are apart, about.
    pub(super) spacing: f64,
    /// Where the points of the inside begin.
    pub(super) first_inside: usize,
    /// The area of the surface.
    pub(super) area: f64,
}

impl SolidPoints {
    /// Points of the solid, about `count` of them with gauges.
    pub(super) fn new(solid: &(impl SurfaceSolid + ?Sized), count: usize) -> Self {
        let mesh = solid.surface_tree().mesh();
        let area: f64 = mesh.triangles().map(|t| vector_area(&t).length()).sum();
        let spacing = (area / count as f64).sqrt();
        let mut points = Vec::new();
        let mut gauges = Vec::new();
        on_faces(mesh, area, count, 0.5, |p, normal| {
            points.push(p);
            gauges.push(Gauge {
                normal,
                area: area / count as f64,
                wedge: 0.0,
            });
        });
        on_sharp_edges(mesh, spacing, EDGE_SHARE * count, |p, normal, wedge| {
            points.push(p);
            gauges.push(Gauge {
                normal,
                area: 0.0,
                wedge,
            });
        });
        on_faces(mesh, area, DENSER * count, 0.25, |p, _| points.push(p));
        let stride = mesh.positions().len().div_ceil(MOST_VERTICES).max(1);
        let mut is_used = vec![false; mesh.positions().len()];
        for &v in mesh.faces().iter().flatten() {
            is_used[v as usize] = true;
        }
        for (i, &p) in mesh.positions().iter().enumerate().step_by(stride) {
            if is_used[i] {
                points.push(p);
            }
        }
        let first_inside = points.len();
        points.extend(inside(solid, INTERIOR_POINTS));
        Self {
            points,
            gauges,
            spacing,
            first_inside,
            area,
        }
    }
}

/// Half the cross product of two sides.
pub(super) fn vector_area(triangle: &[DVec3; 3]) -> DVec3 {
    0.5 * (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0])
}

/// Points spread evenly over the faces: one for each equal share of the area.
fn on_faces(
    mesh: &TriMesh,
    area: f64,
    count: usize,
    offset: f64,
    mut found: impl FnMut(DVec3, DVec3),
) {
    let share = area / count as f64;
    if share <= 0.0 || !share.is_finite() {
        return;
    }
    let (mut sum, mut drawn) = (0.0, 0);
    for triangle in mesh.triangles() {
        let vector = vector_area(&triangle);
        let size = vector.length();
        let Some(normal) = vector.try_normalize() else {
            continue;
        };
        sum += size;
        while drawn < count && (drawn as f64 + offset) * share < sum {
            drawn += 1;
            let [mut u, mut v] = STEPS.map(|step| (0.5 + step * drawn as f64).fract());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let [a, b, c] = triangle;
            found(a + (b - a) * u + (c - a) * v, normal);
        }
    }
}

/// Points on convex sharp edges with the mean normal and half the exterior angle times the length.
fn on_sharp_edges(
    mesh: &TriMesh,
    spacing: f64,
    most: usize,
    mut found: impl FnMut(DVec3, DVec3, f64),
) {
    let faces = mesh.faces();
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * faces.len());
    for (face, corners) in faces.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            edges.push(([a.min(b), a.max(b)], face as u32));
        }
    }
    edges.sort_unstable();
    let at = |v: u32| mesh.positions()[v as usize];
    let triangle = |face: u32| faces[face as usize].map(at);
    let mut sharp = Vec::new();
    let mut length = 0.0;
    for pair in edges.chunk_by(|x, y| x.0 == y.0) {
        let &[(ends, f), (_, g)] = pair else {
            continue;
        };
        let (tf, tg) = (triangle(f), triangle(g));
        let (Some(nf), Some(ng)) = (
            vector_area(&tf).try_normalize(),
            vector_area(&tg).try_normalize(),
        ) else {
            continue;
        };
        let cos = nf.dot(ng);
        // Convex: the other triangle lies behind this one's plane.
        let middle_g = (tg[0] + tg[1] + tg[2]) / 3.0;
        let is_convex = (middle_g - at(ends[0])).dot(nf) < 0.0;
        let Some(normal) = (nf + ng).try_normalize() else {
            continue;
        };
        if cos < SHARP && is_convex {
            let [a, b] = ends.map(at);
            length += (b - a).length();
            sharp.push((a, b, normal, 0.5 * libm::acos(cos.clamp(-1.0, 1.0))));
        }
    }
    let step = spacing.max(length / most.max(1) as f64);
    if step <= 0.0 {
        return;
    }
    // One walk along all edges, so that short ones share a point.
    let (mut walked, mut drawn) = (0.0, 0.0_f64);
    for (a, b, normal, half_angle) in sharp {
        let len = (b - a).length();
        while (drawn + 0.5) * step < walked + len {
            let t = (((drawn + 0.5) * step - walked) / len).clamp(0.0, 1.0);
            found(a + (b - a) * t, normal, half_angle * step);
            drawn += 1.0;
        }
        walked += len;
    }
}

/// Points of a lattice that lie inside, about `count`.
pub(super) fn inside(solid: &(impl SurfaceSolid + ?Sized), count: f64) -> Vec<DVec3> {
    let bounds = solid.bounds();
    let size = bounds.diagonal();
    let box_volume = size.x * size.y * size.z;
    if box_volume <= 0.0 || !box_volume.is_finite() {
        return Vec::new();
    }
    let wanted = solid.volume().max(0.0) / count;
    let most_cells = count * CELLS_PER_POINT;
    let side = libm::cbrt(wanted.max(box_volume / most_cells));
    let [nx, ny, nz] = (size / side).to_array().map(|n| n.ceil().max(1.0) as usize);
    let found = map_indexed(nx * ny * nz, 512, |cache: &mut SingleTreeCache, i| {
        let cell = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f64 + 0.5);
        let p = bounds.min + DVec3::from_array(cell) * side;
        solid.contains_with(p, cache).then_some(p)
    });
    found.into_iter().flatten().collect()
}
