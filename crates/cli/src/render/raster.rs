//! Which face is nearest in every sample.

use impinge::DVec3;
use rayon::prelude::*;

use super::camera::{Camera, Projected};

/// No face here.
pub(crate) const NOTHING: u32 = u32::MAX;
/// Rows that one task fills; fixed, so that nothing depends on the number of cores.
const BAND_ROWS: usize = 64;

/// The triangles of a scene in the unit frame, bodies one after another.
#[derive(Debug, Default)]
pub(crate) struct Soup {
    /// Positions of all bodies.
    pub(crate) positions: Vec<DVec3>,
    /// Corners of all faces, as numbers into `positions`.
    pub(crate) faces: Vec<[u32; 3]>,
    /// First face of each body, and the number of faces at the end.
    pub(crate) starts: Vec<usize>,
}

impl Soup {
    /// The corners of a face.
    pub(crate) fn corners(&self, face: usize) -> [DVec3; 3] {
        self.faces[face].map(|v| self.positions[v as usize])
    }

    /// The body of a face, and the face's number within it.
    pub(crate) fn body_of(&self, face: usize) -> (usize, usize) {
        let body = self.starts.partition_point(|&start| start <= face) - 1;
        (body, face - self.starts[body])
    }
}

/// The nearest face and its nearness, per sample.
#[derive(Debug)]
pub(crate) struct Visible {
    /// Samples per row.
    pub(crate) width: usize,
    /// The nearest face, or [`NOTHING`].
    pub(crate) face: Vec<u32>,
    /// One over its distance along the view; 0 where there is nothing.
    pub(crate) nearness: Vec<f32>,
}

/// The nearest face in every sample of a picture. Of equally near faces the first wins.
pub(crate) fn visible_faces(soup: &Soup, camera: &Camera, width: usize, height: usize) -> Visible {
    let projected: Vec<Option<Projected>> = soup
        .positions
        .par_iter()
        .map(|&p| camera.project(p))
        .collect();
    let mut face = vec![NOTHING; width * height];
    let mut nearness = vec![0.0_f32; width * height];
    face.par_chunks_mut(width * BAND_ROWS)
        .zip(nearness.par_chunks_mut(width * BAND_ROWS))
        .enumerate()
        .for_each(|(band, (face_band, nearness_band))| {
            let top = band * BAND_ROWS;
            let rows = face_band.len() / width;
            for (id, corners) in soup.faces.iter().enumerate() {
                let [Some(a), Some(b), Some(c)] = corners.map(|v| projected[v as usize]) else {
                    continue;
                };
                fill_triangle(
                    [a, b, c].map(|p| DVec3::new(p.x, p.y - top as f64, p.nearness)),
                    width,
                    rows,
                    |sample, near| {
                        if near as f32 > nearness_band[sample] {
                            nearness_band[sample] = near as f32;
                            face_band[sample] = id as u32;
                        }
                    },
                );
            }
        });
    Visible {
        width,
        face,
        nearness,
    }
}

/// Calls `put(sample, z)` for every sample centre inside the triangle, borders included, with z
/// interpolated linearly. Samples are numbered row by row in a grid of `width` × `rows`.
#[inline]
pub(crate) fn fill_triangle(
    corners: [DVec3; 3],
    width: usize,
    rows: usize,
    mut put: impl FnMut(usize, f64),
) {
    let [a, b, c] = corners;
    let low = a.min(b).min(c);
    let high = a.max(b).max(c);
    // Sample (i, j) has its centre at (i + ½, j + ½).
    let first_row = (low.y - 0.5).ceil().max(0.0);
    let last_row = (high.y - 0.5).floor().min(rows as f64 - 1.0);
    let first_column = (low.x - 0.5).ceil().max(0.0);
    let last_column = (high.x - 0.5).floor().min(width as f64 - 1.0);
    if !(first_row <= last_row && first_column <= last_column) {
        return;
    }
    let doubled_area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if doubled_area == 0.0 || !doubled_area.is_finite() {
        return;
    }
    let inverse = 1.0 / doubled_area;
    // Barycentric weights of b and c as linear functions of the sample centre, measured from a.
    let (b_x, b_y) = ((c.y - a.y) * inverse, -(c.x - a.x) * inverse);
    let (c_x, c_y) = (-(b.y - a.y) * inverse, (b.x - a.x) * inverse);
    // Neighbouring faces must not leave a crack between them through rounding.
    const SLACK: f64 = -1e-9;
    /// Columns from which on it pays to find out where a row begins and ends.
    const WIDE: f64 = 12.0;
    let is_wide = last_column - first_column > WIDE;
    for row in first_row as usize..=last_row as usize {
        let y = row as f64 + 0.5 - a.y;
        let start = row * width;
        let (mut left, mut right) = (first_column, last_column);
        if is_wide {
            // Each weight bounds the row on one side; a column of slack forgives the rounding.
            for (slope, offset) in [
                (b_x, b_y * y),
                (c_x, c_y * y),
                (-b_x - c_x, 1.0 - (b_y + c_y) * y),
            ] {
                let zero = a.x - 0.5 + (SLACK - offset) / slope;
                if slope > 0.0 {
                    left = left.max((zero - 1.0).floor());
                } else if slope < 0.0 {
                    right = right.min((zero + 1.0).ceil());
                }
            }
            if left > right {
                continue;
            }
        }
        for column in left as usize..=right as usize {
            let x = column as f64 + 0.5 - a.x;
            let weight_b = b_x * x + b_y * y;
            let weight_c = c_x * x + c_y * y;
            if weight_b >= SLACK && weight_c >= SLACK && weight_b + weight_c <= 1.0 - SLACK {
                put(
                    start + column,
                    a.z + weight_b * (b.z - a.z) + weight_c * (c.z - a.z),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_cover_their_square_without_a_crack() {
        let corner = |x: f64, y: f64| DVec3::new(x, y, 1.0);
        let mut hits = vec![0; 100];
        let quad = [
            corner(1.2, 1.1),
            corner(8.9, 1.7),
            corner(8.1, 8.8),
            corner(1.4, 8.3),
        ];
        for face in [[quad[0], quad[1], quad[2]], [quad[2], quad[3], quad[0]]] {
            fill_triangle(face, 10, 10, |sample, _| hits[sample] += 1);
        }
        for row in 2..8 {
            for column in 2..8 {
                assert!(hits[row * 10 + column] > 0, "no face at {column}, {row}");
            }
        }
        assert_eq!(hits[0], 0);
    }

    #[test]
    fn long_rows_are_filled_as_completely_as_short_ones() {
        let mut rng = impinge::math::Rng::new(7);
        for _ in 0..200 {
            let corners = [(); 3].map(|()| (rng.cube() + DVec3::ONE) * 40.0 - 8.0);
            let mut found = Vec::new();
            fill_triangle(corners, 64, 64, |sample, _| found.push(sample));
            let [a, b, c] = corners.map(DVec3::truncate);
            let expected: Vec<usize> = (0..64 * 64)
                .filter(|i| {
                    let p = impinge::DVec2::new((i % 64) as f64 + 0.5, (i / 64) as f64 + 0.5);
                    let turns = [(a, b), (b, c), (c, a)].map(|(u, v)| (v - u).perp_dot(p - u));
                    turns.iter().all(|&t| t >= 0.0) || turns.iter().all(|&t| t <= 0.0)
                })
                .collect();
            assert_eq!(found, expected);
        }
    }
}
