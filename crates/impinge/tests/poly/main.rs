//! Claims about polygon faces, judged by integer arithmetic and by areas.

mod faces;
mod points;
mod triangulation;

use impinge::math::Rng;
use impinge::poly::{
    EdgeTree, EdgeTreeWork, FacePlane, PolyError, PolyFindingKind, PolyMesh, PolySolid, Polygon,
    PolygonLocation, PrecheckHits, Projection, SolidLocation, Wedges, angle_sum, area_vector,
    contains, contains_counted, convex_contains, convex_locate, findings, is_convex, is_simple,
    is_strictly_convex, locate, triangulate,
};
use impinge::query::{FaceId, VertexId};
use impinge::{DVec2, DVec3, MeshError, TriMesh};

fn ring(points: &[[i64; 2]]) -> Vec<DVec2> {
    points
        .iter()
        .map(|&[x, y]| DVec2::new(x as f64, y as f64))
        .collect()
}

fn flat(points: &[[i64; 2]]) -> Vec<DVec3> {
    ring(points).into_iter().map(|p| p.extend(0.0)).collect()
}

fn grid_point(rng: &mut Rng, reach: i64) -> [i64; 2] {
    let x = rng.grid(-reach, reach) as i64;
    [x, rng.grid(-reach, reach) as i64]
}

fn vector(q: [i64; 2]) -> DVec2 {
    DVec2::new(q[0] as f64, q[1] as f64)
}

/// An outline on the grid that goes around the origin once, at distinct directions.
fn grid_star(rng: &mut Rng, reach: i64) -> Vec<[i64; 2]> {
    let corners = 3 + rng.below(9) as usize;
    let mut points: Vec<[i64; 2]> = Vec::new();
    for _ in 0..corners * 4 {
        let p = grid_point(rng, reach);
        let same_way = |q: &[i64; 2]| cross(*q, p) == 0 && q[0] * p[0] + q[1] * p[1] > 0;
        if p != [0, 0] && points.len() < corners && !points.iter().any(same_way) {
            points.push(p);
        }
    }
    let angle = |p: &[i64; 2]| (p[1] as f64).atan2(p[0] as f64);
    points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    points
}

fn cross(p: [i64; 2], q: [i64; 2]) -> i64 {
    p[0] * q[1] - p[1] * q[0]
}

fn turn(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    cross([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]])
}

/// The independent judge: boundary and winding number in integers.
fn judge(points: &[[i64; 2]], q: [i64; 2]) -> PolygonLocation {
    let k = points.len();
    let mut winding = 0;
    for i in 0..k {
        let (a, b) = (points[i], points[(i + 1) % k]);
        let side = turn(a, b, q);
        let between = |c: usize| q[c] >= a[c].min(b[c]) && q[c] <= a[c].max(b[c]);
        if side == 0 && between(0) && between(1) {
            return PolygonLocation::OnBoundary;
        }
        if a[1] <= q[1] && b[1] > q[1] && side > 0 {
            winding += 1;
        } else if a[1] > q[1] && b[1] <= q[1] && side < 0 {
            winding -= 1;
        }
    }
    if winding % 2 == 0 {
        PolygonLocation::Outside
    } else {
        PolygonLocation::Inside
    }
}

/// A ball of quads with many-cornered lids.
#[expect(clippy::unwrap_used, reason = "only tests call this")]
fn quad_ball(segments: u32, bands: u32) -> PolyMesh {
    let mut positions = Vec::new();
    for i in 1..bands {
        let polar = f64::from(i) / f64::from(bands) * std::f64::consts::PI;
        for j in 0..segments {
            let around = f64::from(j) / f64::from(segments) * std::f64::consts::TAU;
            let (r, z) = polar.sin_cos();
            positions.push(DVec3::new(r * around.cos(), r * around.sin(), z));
        }
    }
    let at = |i: u32, j: u32| i * segments + j % segments;
    let mut faces = Vec::new();
    for i in 0..bands - 2 {
        for j in 0..segments {
            faces.push(vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    faces.push((0..segments).map(|j| at(0, j)).collect());
    faces.push((0..segments).rev().map(|j| at(bands - 2, j)).collect());
    PolyMesh::from_outlines(positions, faces).unwrap()
}
