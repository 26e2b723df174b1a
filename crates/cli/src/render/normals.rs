//! Smooth normals that keep sharp edges sharp.

use impinge::DVec3;
use rayon::prelude::*;

use super::raster::Soup;

/// Cosine of the angle between faces beyond which their common edge is drawn sharp (about 37°).
const CREASE_COSINE: f64 = 0.8;
/// Corners meeting in one point beyond which they are drawn flat: averaging costs the square.
const MAX_CORNERS_AT_A_POINT: usize = 64;

/// The shading normal of every face corner.
///
/// Corners at the same position belong together whatever their vertex numbers are, so that a file of
/// loose triangles looks as smooth as an indexed one.
pub(crate) fn corner_normals(soup: &Soup) -> Vec<[DVec3; 3]> {
    let scaled: Vec<DVec3> = (0..soup.faces.len())
        .into_par_iter()
        .map(|face| {
            let [a, b, c] = soup.corners(face);
            (b - a).cross(c - a)
        })
        .collect();
    let mut normals: Vec<[DVec3; 3]> = scaled
        .par_iter()
        .map(|n| [n.normalize_or_zero(); 3])
        .collect();

    let mut corners: Vec<u32> = (0..3 * soup.faces.len() as u32).collect();
    let position =
        |corner: u32| soup.positions[soup.faces[corner as usize / 3][corner as usize % 3] as usize];
    let key = |corner: u32| position(corner).to_array().map(order_key);
    corners.par_sort_unstable_by_key(|&corner| (key(corner), corner));

    let smooth: Vec<(u32, DVec3)> = corners
        .par_chunk_by(|&one, &other| position(one) == position(other))
        .filter(|group| group.len() <= MAX_CORNERS_AT_A_POINT)
        .flat_map_iter(|group| {
            group.iter().map(|&corner| {
                let own = scaled[corner as usize / 3].normalize_or_zero();
                let sum = group
                    .iter()
                    .map(|&other| scaled[other as usize / 3])
                    .filter(|normal| normal.normalize_or_zero().dot(own) >= CREASE_COSINE)
                    .fold(DVec3::ZERO, |sum, normal| sum + normal);
                (corner, sum.normalize_or(own))
            })
        })
        .collect();
    for (corner, normal) in smooth {
        normals[corner as usize / 3][corner as usize % 3] = normal;
    }
    normals
}

/// Integers in the order of the numbers, both zeros alike.
fn order_key(x: f64) -> i64 {
    let bits = (x + 0.0).to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_corner_stays_sharp_and_a_flat_seam_smooth() {
        let p = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let soup = Soup {
            positions: vec![p(0., 0., 0.), p(1., 0., 0.), p(0., 1., 0.), p(0., 0., 1.)],
            faces: vec![[0, 1, 2], [0, 3, 1]],
            starts: vec![0, 2],
        };
        let normals = corner_normals(&soup);
        assert_eq!(normals[0][0], DVec3::Z);
        assert_eq!(normals[1][0], DVec3::Y);
        assert_eq!(order_key(-0.0), order_key(0.0));
        assert!(order_key(-2.0) < order_key(-1.0) && order_key(-1.0) < order_key(1.0));
    }
}
