//! The bodies that get damaged.

pub(super) use crate::generate::meshes::BOX;

pub(super) const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
pub(super) const CORNER: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];

/// The corners of a box; bit 0 of the number is x, bit 1 y, bit 2 z.
pub(super) fn box_points(min: f64, max: f64) -> Vec<[f64; 3]> {
    (0..8)
        .map(|v| [0, 1, 2].map(|axis| if v >> axis & 1 == 1 { max } else { min }))
        .collect()
}

/// Points of which no three lie on a line and no four in a plane.
pub(super) fn moment_curve(count: u32) -> Vec<[f64; 3]> {
    (0..count)
        .map(|t| {
            let t = f64::from(t);
            [t, t * t, t * t * t]
        })
        .collect()
}

pub(super) fn moved(points: &[[f64; 3]], by: [f64; 3]) -> Vec<[f64; 3]> {
    points
        .iter()
        .map(|p| [p[0] + by[0], p[1] + by[1], p[2] + by[2]])
        .collect()
}

pub(super) fn shifted(faces: &[[u32; 3]], by: u32) -> Vec<[u32; 3]> {
    faces.iter().map(|face| face.map(|v| v + by)).collect()
}

pub(super) fn reversed(faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    faces.iter().map(|&[a, b, c]| [a, c, b]).collect()
}

pub(super) fn without(faces: &[[u32; 3]], gone: &[usize]) -> Vec<[u32; 3]> {
    let kept = faces.iter().enumerate().filter(|(i, _)| !gone.contains(i));
    kept.map(|(_, face)| *face).collect()
}

/// A grid of `width × height` cells whose left and right borders are one.
pub(super) fn tube_faces(width: u32, height: u32) -> Vec<[u32; 3]> {
    let at = |x: u32, y: u32| x % width + y * width;
    (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .flat_map(|(x, y)| {
            [
                [at(x, y), at(x + 1, y), at(x + 1, y + 1)],
                [at(x, y), at(x + 1, y + 1), at(x, y + 1)],
            ]
        })
        .collect()
}

/// A hexagon with integer corners, counter-clockwise.
pub(super) const HEXAGON: [[f64; 2]; 6] = [
    [2.0, 0.0],
    [1.0, 2.0],
    [-1.0, 2.0],
    [-2.0, 0.0],
    [-1.0, -2.0],
    [1.0, -2.0],
];

pub(super) fn hexagon_rings(heights: &[f64]) -> Vec<[f64; 3]> {
    heights
        .iter()
        .flat_map(|&z| HEXAGON.map(|[x, y]| [x, y, z]))
        .collect()
}
