//! Penetration of two triangles by the separating axis theorem (SAT).
//!
//! **Question.** What is the shortest translation of `b` that leaves two triangles without a common
//! interior point?
//! **Idea.** The Minkowski difference of two triangles is a polytope whose facets are parallel to
//! the triangles or to an edge of each. So the shortest translation is along one of the two
//! normals, or along a cross product of two edges: eleven axes.
//! **Source.** Separating axes: Gottschalk, Lin and Manocha 1996, doi:10.1145/237170.237244; the
//! least overlap is the depth because the axes are the normals of the difference's facets.
//! **Cost.** Eleven axes; about a tenth of an expanding polytope.
//! **Limits.** Two triangles that are parallel, or that overlap by a rounding, are left to EPA.

use glam::DVec3;

use super::epa::ConvexPenetration;
use super::segment_pair::segment_pair;

/// Overlaps below this fraction of the size are left to EPA, and so are axes of edges that are this parallel.
const LEAST: f64 = 1e-9;

/// What an axis has to be better by, beside the size, than one before it: normals come before edges.
const BETTER: f64 = 1e-13;

/// What an axis is a normal of.
#[derive(Clone, Copy, Debug)]
enum AxisSource {
    FaceA,
    FaceB,
    /// An edge of each, by its first corner.
    Edges([usize; 2]),
}

/// The best axis so far.
struct BestAxis {
    depth: f64,
    normal: DVec3,
    source: AxisSource,
}

/// The penetration of two triangles in one frame; none if they are apart, or an overlap too small for this.
pub(crate) fn triangle_penetration(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<ConvexPenetration> {
    let edge = |t: &[DVec3; 3], i: usize| t[(i + 1) % 3] - t[i];
    let size = (0..3)
        .map(|i| {
            edge(a, i)
                .abs()
                .max_element()
                .max(edge(b, i).abs().max_element())
        })
        .fold(0.0, f64::max);
    let mut best = BestAxis {
        depth: f64::INFINITY,
        normal: DVec3::ZERO,
        source: AxisSource::FaceA,
    };
    for (t, source) in [(a, AxisSource::FaceA), (b, AxisSource::FaceB)] {
        let across = edge(t, 0).cross(edge(t, 1));
        best.try_axis([a, b], across, LEAST * size * size, size, source)?;
    }
    for i in 0..3 {
        for j in 0..3 {
            let (u, v) = (edge(a, i), edge(b, j));
            let least = LEAST * u.length() * v.length();
            best.try_axis([a, b], u.cross(v), least, size, AxisSource::Edges([i, j]))?;
        }
    }
    if best.depth <= LEAST * size || !best.depth.is_finite() {
        return None;
    }
    let BestAxis { depth, normal, .. } = best;
    let (point_a, point_b) = match best.source {
        AxisSource::Edges([i, j]) => {
            let found = segment_pair([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
            (found.points[0], found.points[0] - normal * depth)
        }
        AxisSource::FaceA => {
            let point_b = foremost(b, -normal, size);
            (point_b + normal * depth, point_b)
        }
        AxisSource::FaceB => {
            let point_a = foremost(a, normal, size);
            (point_a, point_a - normal * depth)
        }
    };
    Some(ConvexPenetration {
        depth,
        normal,
        point_a,
        point_b,
    })
}

impl BestAxis {
    /// Compares an axis in both directions; none if it separates the triangles.
    fn try_axis(
        &mut self,
        [a, b]: [&[DVec3; 3]; 2],
        across: DVec3,
        least: f64,
        size: f64,
        source: AxisSource,
    ) -> Option<()> {
        let length = across.length();
        if length <= least {
            return Some(());
        }
        let axis = across / length;
        let range = |t: &[DVec3; 3]| {
            let [p, q, r] = t.map(|p| axis.dot(p - a[0]));
            [p.min(q).min(r), p.max(q).max(r)]
        };
        let ([low_a, high_a], [low_b, high_b]) = (range(a), range(b));
        let (along, back) = (high_a - low_b, high_b - low_a);
        if along < 0.0 || back < 0.0 {
            return None;
        }
        let (depth, normal) = if along <= back {
            (along, axis)
        } else {
            (back, -axis)
        };
        if depth < self.depth - BETTER * size {
            *self = Self {
                depth,
                normal,
                source,
            };
        }
        Some(())
    }
}

/// The middle of the corners that are farthest in a direction.
fn foremost(t: &[DVec3; 3], direction: DVec3, size: f64) -> DVec3 {
    let heights = t.map(|p| direction.dot(p - t[0]));
    let most = heights[0].max(heights[1]).max(heights[2]);
    let tops = t
        .iter()
        .zip(heights)
        .filter(|(_, h)| most - h <= LEAST * size);
    let (sum, count) = tops.fold((DVec3::ZERO, 0.0), |(sum, count), (&p, _)| {
        (sum + p, count + 1.0)
    });
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::{GjkCache, Triangle, penetration};
    use crate::math::{Pose, Rng};

    #[test]
    fn random_triangles_are_as_deep_as_by_epa() {
        let mut rng = Rng::new(31);
        let mut deep = 0;
        for _ in 0..4_000 {
            let mut corners = || [rng.cube(), rng.cube(), rng.cube()];
            let (a, b) = (corners(), corners());
            let found = triangle_penetration(&a, &b);
            let (Ok(p), Ok(q)) = (Triangle::new(a), Triangle::new(b)) else {
                continue;
            };
            let truth = penetration(&p, &q, &Pose::IDENTITY, &mut GjkCache::new());
            let truth = truth.map_or(0.0, |found| found.value.depth);
            let depth = found.map_or(0.0, |found| found.depth);
            assert!((depth - truth).abs() < 1e-8, "{depth} {truth} {a:?} {b:?}");
            if let Some(found) = found {
                deep += 1;
                let way = found.point_a - found.point_b;
                assert!(way.distance(found.normal * depth) < 1e-12);
                // Moved out, they are apart.
                let moved = b.map(|p| p + way * (1.0 + 1e-9));
                assert!(triangle_penetration(&a, &moved).is_none());
            }
        }
        assert!(deep > 500, "{deep}");
    }
}
