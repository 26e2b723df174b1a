//! Sections of meshes with a horizontal plane, and geometry in that plane.

use impinge::math::Rng;
use impinge::{DVec2, TriMesh};

/// A segment in the plane.
pub(super) type Segment = [DVec2; 2];

/// The segments in which the faces of a mesh cross the plane at height `z`.
pub(super) fn section(mesh: &TriMesh, z: f64) -> Vec<Segment> {
    let mut segments = Vec::new();
    for corners in mesh.triangles() {
        let ends: Vec<DVec2> = (0..3)
            .filter_map(|i| {
                let (p, q) = (corners[i], corners[(i + 1) % 3]);
                // Half-open, so that each crossing of the outline counts once.
                ((p.z < z) != (q.z < z)).then(|| p.lerp(q, (z - p.z) / (q.z - p.z)).truncate())
            })
            .collect();
        if let [a, b] = ends[..] {
            segments.push([a, b]);
        }
    }
    segments
}

/// Whether a point is inside a section, by parity.
pub(super) fn is_inside(outline: &[Segment], p: DVec2) -> bool {
    let crossed = |[a, b]: &Segment| {
        (a.y < p.y) != (b.y < p.y) && a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y) > p.x
    };
    outline.iter().filter(|segment| crossed(segment)).count() % 2 == 1
}

/// The segments moved.
pub(super) fn moved(outline: &[Segment], by: DVec2, angle: f64) -> Vec<Segment> {
    let turn = DVec2::from_angle(angle);
    outline
        .iter()
        .map(|ends| ends.map(|p| turn.rotate(p) + by))
        .collect()
}

/// The axis-aligned box around points.
pub(super) fn bounds(points: impl IntoIterator<Item = DVec2>) -> [DVec2; 2] {
    let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    points
        .into_iter()
        .fold(empty, |[low, high], p| [low.min(p), high.max(p)])
}

/// The corners of a box, in order.
pub(super) fn corners([low, high]: [DVec2; 2]) -> [DVec2; 4] {
    [
        low,
        DVec2::new(high.x, low.y),
        high,
        DVec2::new(low.x, high.y),
    ]
}

pub(super) fn overlap(a: &[DVec2; 2], b: &[DVec2; 2]) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// Random boxes in the unit square.
pub(super) fn boxes(count: usize, least: f64, most: f64, seed: u64) -> Vec<[DVec2; 2]> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|_| {
            let half = DVec2::new(rng.range(least, most), rng.range(least, most)) / 2.0;
            let center = DVec2::new(
                rng.range(half.x, 1.0 - half.x),
                rng.range(half.y, 1.0 - half.y),
            );
            [center - half, center + half]
        })
        .collect()
}

/// The convex hull, counter-clockwise.
pub(super) fn hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let chain = |points: &mut dyn Iterator<Item = &DVec2>| {
        let mut half: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = half[..]
                && (b - a).perp_dot(*p - a) <= 0.0
            {
                half.pop();
            }
            half.push(*p);
        }
        half.pop();
        half
    };
    let mut lower = chain(&mut sorted.iter());
    lower.extend(chain(&mut sorted.iter().rev()));
    lower
}

/// A random convex polygon with a corner on each of `count` directions.
pub(super) fn convex_polygon(count: usize, radius: f64, center: DVec2, seed: u64) -> Vec<DVec2> {
    let mut rng = Rng::new(seed);
    let points: Vec<DVec2> = (0..count)
        .map(|i| {
            let angle = (i as f64 + rng.range(-0.3, 0.3)) * std::f64::consts::TAU / count as f64;
            center + DVec2::from_angle(angle) * radius * rng.range(0.85, 1.1)
        })
        .collect();
    hull(&points)
}

/// Mean and principal axis of points.
pub(super) fn principal_axis(points: &[DVec2]) -> (DVec2, DVec2) {
    let mean = points.iter().sum::<DVec2>() / points.len().max(1) as f64;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in points {
        let d = *p - mean;
        (xx, xy, yy) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y);
    }
    let angle = 0.5 * f64::atan2(2.0 * xy, xx - yy);
    (mean, DVec2::from_angle(angle))
}

/// The oriented box along the principal axis, as corners.
pub(super) fn oriented_box(points: &[DVec2]) -> Vec<DVec2> {
    let (mean, axis) = principal_axis(points);
    let local = |p: &DVec2| DVec2::new((*p - mean).dot(axis), (*p - mean).perp_dot(axis));
    let around = bounds(points.iter().map(local));
    corners(around)
        .map(|q| mean + axis * q.x - axis.perp() * q.y)
        .to_vec()
}
