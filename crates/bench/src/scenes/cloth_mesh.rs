//! Sheets of equilateral triangles, and how they are cut finer and smooth.

use std::collections::BTreeMap;

use impinge::DVec3;

/// A sheet: points in units of an edge, and faces.
#[derive(Clone, Debug)]
pub(super) struct ClothMesh {
    pub(super) points: Vec<DVec3>,
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) columns: usize,
}

/// Half the square root of 3: the height of a row.
pub(super) const ROW: f64 = 0.866_025_403_784_438_6;

impl ClothMesh {
    /// A sheet of 2·columns·rows faces; wrapped, its left side is its right side.
    pub(super) fn new(columns: usize, rows: usize, is_wrapped: bool) -> Self {
        let per_row = if is_wrapped { columns } else { columns + 1 };
        let mut points = Vec::new();
        for j in 0..=rows {
            let shift = if j % 2 == 0 { 0.0 } else { 0.5 };
            points.extend((0..per_row).map(|i| DVec3::new(i as f64 + shift, j as f64 * ROW, 0.0)));
        }
        let at = |i: usize, j: usize| (j * per_row + i % per_row) as u32;
        let mut faces = Vec::new();
        for j in 0..rows {
            for i in 0..columns {
                let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
                if j % 2 == 0 {
                    faces.extend([[a, b, c], [b, d, c]]);
                } else {
                    faces.extend([[a, b, d], [a, d, c]]);
                }
            }
        }
        Self {
            points,
            faces,
            columns: per_row,
        }
    }
}

/// An edge and the one or two vertices across it.
pub(super) fn edges(faces: &[[u32; 3]]) -> BTreeMap<(u32, u32), Vec<u32>> {
    let mut edges: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for &[a, b, c] in faces {
        for (u, v, across) in [(a, b, c), (b, c, a), (c, a, b)] {
            edges.entry((u.min(v), u.max(v))).or_default().push(across);
        }
    }
    edges
}

/// Loop's rule: every new point as a weighted sum of old ones.
#[derive(Debug)]
pub(super) struct Refinement {
    /// Four for each old face, in its order.
    pub(super) faces: Vec<[u32; 3]>,
    stencils: Vec<Vec<(u32, f64)>>,
}

impl Refinement {
    pub(super) fn new(vertices: usize, faces: &[[u32; 3]]) -> Self {
        let edges = edges(faces);
        let mut ring: Vec<Vec<u32>> = vec![Vec::new(); vertices];
        let mut border: Vec<Vec<u32>> = vec![Vec::new(); vertices];
        for (&(u, v), across) in &edges {
            for (from, to) in [(u, v), (v, u)] {
                ring[from as usize].push(to);
                if across.len() == 1 {
                    border[from as usize].push(to);
                }
            }
        }
        let mut stencils: Vec<Vec<(u32, f64)>> = (0..vertices as u32)
            .map(|v| {
                let (ring, border) = (&ring[v as usize], &border[v as usize]);
                if border.len() == 2 {
                    return vec![(v, 0.75), (border[0], 0.125), (border[1], 0.125)];
                }
                if !border.is_empty() || ring.is_empty() {
                    return vec![(v, 1.0)];
                }
                // Warren's weights: simple, and smooth everywhere that matters here.
                let n = ring.len() as f64;
                let beta = if ring.len() == 3 {
                    3.0 / 16.0
                } else {
                    3.0 / (8.0 * n)
                };
                let around = ring.iter().map(|&w| (w, beta));
                std::iter::once((v, 1.0 - n * beta)).chain(around).collect()
            })
            .collect();
        let mut middle = BTreeMap::new();
        for (&(u, v), across) in &edges {
            middle.insert((u, v), stencils.len() as u32);
            stencils.push(match across.as_slice() {
                &[a, b] => vec![(u, 0.375), (v, 0.375), (a, 0.125), (b, 0.125)],
                _ => vec![(u, 0.5), (v, 0.5)],
            });
        }
        let of = |u: u32, v: u32| middle[&(u.min(v), u.max(v))];
        let faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (of(a, b), of(b, c), of(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
        Self { faces, stencils }
    }

    pub(super) fn vertices(&self) -> usize {
        self.stencils.len()
    }

    pub(super) fn apply(&self, points: &[DVec3]) -> Vec<DVec3> {
        self.stencils
            .iter()
            .map(|stencil| stencil.iter().map(|&(v, w)| points[v as usize] * w).sum())
            .collect()
    }
}
