//! Inscribed and enclosing ball of a polyhedron, with a common centre.
//!
//! **Idea.** From the mean of the vertices, go away from the nearest face, less far each time; the place farthest from its nearest face
//! is the centre. What lies before the planes of all faces lies in the polyhedron.
//! **Promise.** The inner ball is inside and the outer one around it, rounding included: a face's normal is trusted as far as its area
//! allows. That the inner ball is the largest is not promised.

use glam::DVec3;

use super::support_map::InnerOuterBalls;

/// Up to this many faces the centre is searched well.
const FEW_FACES: usize = 512;

/// A face: its outward normal, a point of its plane, and by how much the normal may be off.
struct FacePlane {
    normal: DVec3,
    point: DVec3,
    error: f64,
}

impl FacePlane {
    fn new(vertices: &[DVec3], corners: &[u32], normal: DVec3) -> Option<Self> {
        let (&first, count) = (corners.first()?, corners.len() as f64);
        let point = vertices[first as usize];
        let size = corners
            .iter()
            .map(|&i| (vertices[i as usize] - point).abs().max_element())
            .fold(f64::MIN_POSITIVE, f64::max);
        let at = |i: u32| (vertices[i as usize] - point) / size;
        let area: DVec3 = corners.windows(2).map(|w| at(w[0]).cross(at(w[1]))).sum();
        Some(Self {
            normal,
            point,
            error: f64::EPSILON * (8.0 + 128.0 * count * count / area.length()),
        })
    }

    fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(self.point - p)
    }

    /// The height at least, whatever the rounding.
    fn height_at_least(&self, p: DVec3) -> f64 {
        let reach = 2.0 * (self.point - p).abs().max_element();
        self.height(p) - (self.error + 8.0 * f64::EPSILON) * reach - f64::MIN_POSITIVE
    }
}

/// The balls of the hull of `vertices` with these faces; without faces the inner one has radius 0.
pub(super) fn extent<'f>(
    vertices: &[DVec3],
    middle: DVec3,
    faces: impl Iterator<Item = (&'f [u32], DVec3)>,
) -> InnerOuterBalls {
    let sides: Vec<FacePlane> = faces
        .filter_map(|(corners, normal)| FacePlane::new(vertices, corners, normal))
        .collect();
    let size = vertices
        .iter()
        .map(|&v| (v - middle).abs().max_element())
        .fold(f64::MIN_POSITIVE, f64::max);
    let center = deepest(&sides, middle, size);
    let inner = sides
        .iter()
        .map(|side| side.height_at_least(center))
        .map(|height| if height.is_nan() { 0.0 } else { height })
        .fold(f64::INFINITY, f64::min);
    let is_known = inner.is_finite() && inner > 0.0;
    let center = if is_known { center } else { middle };
    let size = vertices
        .iter()
        .map(|&v| (v - center).abs().max_element())
        .fold(f64::MIN_POSITIVE, f64::max);
    let outer = vertices
        .iter()
        .map(|&v| ((v - center) / size).length())
        .fold(0.0, f64::max);
    InnerOuterBalls {
        center,
        inner: if is_known {
            inner * (1.0 - 4.0 * f64::EPSILON)
        } else {
            0.0
        },
        outer: outer * size * (1.0 + 16.0 * f64::EPSILON) + f64::MIN_POSITIVE,
        largest: vertices
            .iter()
            .map(|v| v.abs().max_element())
            .fold(0.0, f64::max),
    }
}

/// A place far from its nearest face.
fn deepest(sides: &[FacePlane], middle: DVec3, size: f64) -> DVec3 {
    let (steps, shorter) = if sides.len() <= FEW_FACES {
        (48, 0.9)
    } else {
        (12, 0.7)
    };
    let (mut at, mut step) = (middle, 0.25 * size);
    let mut best = (f64::NEG_INFINITY, middle);
    for _ in 0..steps {
        let mut lowest = (f64::INFINITY, DVec3::ZERO);
        for side in sides {
            let height = side.height(at);
            if height < lowest.0 {
                lowest = (height, side.normal);
            }
        }
        if lowest.0 > best.0 {
            best = (lowest.0, at);
        }
        at -= lowest.1 * step;
        step *= shorter;
    }
    best.1
}

#[cfg(test)]
mod tests {
    use crate::convex::{Polyhedron, SupportMap};
    use crate::math::Rng;

    #[test]
    fn the_balls_are_inside_and_around() {
        let mut rng = Rng::new(31);
        for round in 0..200 {
            let count = 4 + rng.below(40);
            let points: Vec<_> = (0..count).map(|_| rng.direction() + rng.cube()).collect();
            let Ok(shape) = Polyhedron::new(&points) else {
                continue;
            };
            let extent = shape.extent();
            assert!(extent.inner > 0.0, "{round}");
            for _ in 0..50 {
                let direction = rng.direction();
                assert!(shape.contains(extent.center + direction * extent.inner * 0.999_999));
            }
            for &v in shape.vertices() {
                assert!((v - extent.center).length() <= extent.outer);
                assert!(v.abs().max_element() <= extent.largest);
            }
        }
    }
}
