//! Lines with a thickness, for viewers that draw real ones a pixel wide.

use impinge::{DVec3, TriMesh};

/// Sides of a tube.
const SIDES: usize = 6;

/// Collects tubes and balls into one mesh.
#[derive(Debug, Default)]
pub(crate) struct Tubes {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
}

impl Tubes {
    /// Adds a tube along a polyline; a closed one does not repeat its first point.
    pub(crate) fn add(&mut self, points: &[DVec3], is_closed: bool, radius: f64) {
        let n = points.len();
        let step = |i: usize, j: usize| (points[j % n] - points[i % n]).normalize_or_zero();
        if n < 2 {
            return;
        }
        let mut side = DVec3::ZERO;
        let base = self.positions.len();
        for (i, &p) in points.iter().enumerate() {
            let before = if i > 0 || is_closed {
                step(i + n - 1, i)
            } else {
                DVec3::ZERO
            };
            let after = if i + 1 < n || is_closed {
                step(i, i + 1)
            } else {
                DVec3::ZERO
            };
            let along = (before + after).normalize_or(before.normalize_or(DVec3::X));
            // The ring turns as little as possible from one corner to the next.
            side = (side - along * side.dot(along)).normalize_or(along.any_orthonormal_vector());
            let other = along.cross(side);
            for (x, y) in HEXAGON {
                self.positions.push(p + (side * x + other * y) * radius);
            }
        }
        let rings = if is_closed { n } else { n - 1 };
        for ring in 0..rings {
            let next = (ring + 1) % n;
            for k in 0..SIDES {
                let corner = |ring: usize, k: usize| (base + ring * SIDES + k % SIDES) as u32;
                let [a, b] = [corner(ring, k), corner(ring, k + 1)];
                let [c, d] = [corner(next, k), corner(next, k + 1)];
                self.faces.extend([[a, b, c], [b, d, c]]);
            }
        }
    }

    /// Adds a small eight-sided ball.
    pub(crate) fn dot(&mut self, center: DVec3, radius: f64) {
        let first = self.positions.len() as u32;
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for axis in axes {
            self.positions.push(center + axis * radius);
            self.positions.push(center - axis * radius);
        }
        for k in 0..8u32 {
            let [x, y, z] = [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2 & 1)].map(|v| first + v);
            let is_mirrored = k.count_ones() % 2 == 1;
            self.faces
                .push(if is_mirrored { [x, z, y] } else { [x, y, z] });
        }
    }

    /// The mesh of everything added.
    pub(crate) fn mesh(self) -> anyhow::Result<TriMesh> {
        Ok(TriMesh::new(self.positions, self.faces)?)
    }
}

/// A hexagon of radius 1.
const HEXAGON: [(f64, f64); SIDES] = {
    const H: f64 = 0.866_025_403_784_438_6;
    [
        (1.0, 0.0),
        (0.5, H),
        (-0.5, H),
        (-1.0, 0.0),
        (-0.5, -H),
        (0.5, -H),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::mesh::classify;

    #[test]
    fn a_closed_tube_and_a_dot_are_closed_surfaces() {
        let mut tubes = Tubes::default();
        let square = [DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y];
        tubes.add(&square, true, 0.1);
        tubes.dot(DVec3::splat(5.0), 0.1);
        let mesh = tubes.mesh().unwrap();
        let class = classify(&mesh);
        assert_eq!(mesh.face_count(), 4 * 12 + 8);
        assert!(class.closed && class.oriented, "{class:?}");
    }
}
