//! Packs eight faces into a leaf, in structure-of-arrays order, in `f64`.

use glam::DVec3;

use super::layout::{WIDTH, WideLeaf};
use super::obb_fit::AreaMoments;
use super::relative_pose::{U, exp2};
use super::sah_split::{SplitCell, SplitItem};
use super::tree::TreeFrame;
use crate::math::outward_rounding;
use crate::math::simd::lanes::{Kernel, Lanes};
use crate::mesh::TriMesh;

/// Up to eight faces.
pub(super) struct LeafFaceIds {
    id: [u32; WIDTH],
    count: usize,
}

impl LeafFaceIds {
    /// The faces of some cells; those beyond the eighth are left out.
    #[inline(always)]
    pub(super) fn of(cells: &[SplitCell]) -> Self {
        let mut faces = Self {
            id: [u32::MAX; WIDTH],
            count: 0,
        };
        for cell in cells {
            for face in cell.face()..cell.face() + cell.count() {
                if let Some(id) = faces.id.get_mut(faces.count) {
                    *id = face;
                    faces.count += 1;
                }
            }
        }
        faces
    }

    #[inline(always)]
    pub(super) fn present(&self) -> &[u32] {
        &self.id[..self.count]
    }
}

/// Fills a leaf. Not in `f32` lanes, but compiled for the same instructions, so that the compiler
/// makes lanes of the loops over eight faces; it never fuses, so every level gives the same bits.
pub(super) struct LeafFill<'f> {
    pub(super) mesh: &'f TriMesh,
    pub(super) frame: &'f TreeFrame,
    pub(super) faces: &'f LeafFaceIds,
}

impl Kernel for LeafFill<'_> {
    type Output = WideLeaf;

    #[inline(always)]
    fn run<T: Lanes>(self) -> WideLeaf {
        let faces = self.faces.present();
        LeafFaces::gather(self.mesh, self.frame, faces).leaf(faces, self.frame.slack)
    }
}

/// As [`LeafFill`], with the faces' moments.
pub(super) struct LeafAndMoments<'f>(pub(super) LeafFill<'f>);

impl Kernel for LeafAndMoments<'_> {
    type Output = (WideLeaf, AreaMoments);

    #[inline(always)]
    fn run<T: Lanes>(self) -> (WideLeaf, AreaMoments) {
        let LeafFill { mesh, frame, faces } = self.0;
        let corners = LeafFaces::gather(mesh, frame, faces.present());
        let leaf = corners.leaf(faces.present(), frame.slack);
        let moments = corners.moments(&leaf);
        (leaf, moments)
    }
}

/// The leaf of up to eight faces, given in the frame.
pub(super) fn leaf(
    items: &[SplitItem],
    faces: impl Iterator<Item = [DVec3; 3]> + Clone,
    slack: f64,
) -> WideLeaf {
    let mut numbers = [u32::MAX; WIDTH];
    let mut corners = [[DVec3::ZERO; 3]; WIDTH];
    let mut count = 0;
    for (item, face) in items.iter().zip(faces).take(WIDTH) {
        numbers[count] = item.face;
        corners[count] = face;
        count += 1;
    }
    LeafFaces::new(&corners[..count]).leaf(&numbers[..count], slack)
}

/// The corners of up to eight faces, lane by lane; a lane without a face repeats a corner of the
/// first.
pub(super) struct LeafFaces {
    /// `[v][c]` is component `c` of corner `v`.
    corner: [[[f64; WIDTH]; 3]; 3],
}

impl LeafFaces {
    #[inline(always)]
    fn new(faces: &[[DVec3; 3]]) -> Self {
        let mut corner = [[[0.0; WIDTH]; 3]; 3];
        let spare = faces.first().map_or(DVec3::ZERO, |face| face[0]);
        for k in 0..WIDTH {
            let face = faces.get(k).copied().unwrap_or([spare; 3]);
            for v in 0..3 {
                corner[v][0][k] = face[v].x;
                corner[v][1][k] = face[v].y;
                corner[v][2][k] = face[v].z;
            }
        }
        Self { corner }
    }

    /// Puts the faces into the frame, as [`TreeFrame::local`] does.
    #[inline(always)]
    fn gather(mesh: &TriMesh, frame: &TreeFrame, faces: &[u32]) -> Self {
        let (positions, all) = (mesh.positions(), mesh.faces());
        let mut corner = [[[0.0; WIDTH]; 3]; 3];
        let spare = faces.first().map_or(0, |&face| all[face as usize][0]);
        for k in 0..WIDTH {
            let face = faces.get(k).map_or([spare; 3], |&face| all[face as usize]);
            for v in 0..3 {
                let p = &positions[face[v] as usize];
                corner[v][0][k] = p.x;
                corner[v][1][k] = p.y;
                corner[v][2][k] = p.z;
            }
        }
        let scale = exp2(-frame.exponent);
        for component in &mut corner {
            for c in 0..3 {
                for k in 0..WIDTH {
                    component[c][k] = (component[c][k] - frame.center[c]) * scale;
                }
            }
        }
        Self { corner }
    }

    /// The moments of the faces, taken about the leaf's origin.
    #[inline(always)]
    fn moments(&self, leaf: &WideLeaf) -> AreaMoments {
        let mut corner = self.corner;
        for v in 0..3 {
            for c in 0..3 {
                for k in 0..WIDTH {
                    corner[v][c][k] -= leaf.origin[c];
                }
            }
        }
        let [p, q, r] = &corner;
        let (mut normals, mut weight) = ([[0.0; WIDTH]; 3], [0.0; WIDTH]);
        for c in 0..3 {
            let (d, e) = ((c + 1) % 3, (c + 2) % 3);
            for k in 0..WIDTH {
                normals[c][k] = (q[d][k] - p[d][k]) * (r[e][k] - p[e][k])
                    - (r[d][k] - p[d][k]) * (q[e][k] - p[e][k]);
                weight[k] += normals[c][k] * normals[c][k];
            }
        }
        // A touch of weight for faces without area, so that a mesh of them has a box too.
        let size = f64::from(leaf.diameter);
        let touch = 1e-9 * size * size + f64::MIN_POSITIVE;
        for (k, weight) in weight.iter_mut().enumerate() {
            *weight = if k < leaf.count as usize {
                weight.sqrt() + touch
            } else {
                0.0
            };
        }
        let area: f64 = weight.iter().sum();
        let mut first = [0.0; 3];
        let mut scatter = [0.0; 6];
        for c in 0..3 {
            let d = (c + 1) % 3;
            let (mut sums, mut squares, mut products) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
            for k in 0..WIDTH {
                let s = p[c][k] + q[c][k] + r[c][k];
                let t = p[d][k] + q[d][k] + r[d][k];
                let square = s * s + p[c][k] * p[c][k] + q[c][k] * q[c][k] + r[c][k] * r[c][k];
                let product = s * t + p[c][k] * p[d][k] + q[c][k] * q[d][k] + r[c][k] * r[d][k];
                sums[k] = weight[k] * s;
                squares[k] = weight[k] * square;
                products[k] = weight[k] * product;
            }
            first[c] = sums.iter().sum::<f64>() / (3.0 * area);
            scatter[c] = squares.iter().sum::<f64>() / 12.0;
            scatter[3 + c] = products.iter().sum::<f64>() / 12.0;
        }
        for c in 0..3 {
            scatter[c] -= area * first[c] * first[c];
            scatter[3 + c] -= area * first[c] * first[(c + 1) % 3];
        }
        AreaMoments {
            area,
            normal: DVec3::from(normals.map(|normal| normal.iter().sum())),
            mean: leaf.origin + DVec3::from(first),
            scatter,
        }
    }

    #[inline(always)]
    fn leaf(&self, faces: &[u32], slack: f64) -> WideLeaf {
        let [p, q, r] = &self.corner;
        let (mut min, mut max) = ([0.0; 3], [0.0; 3]);
        for c in 0..3 {
            let (mut low, mut high) = ([0.0; WIDTH], [0.0; WIDTH]);
            for k in 0..WIDTH {
                low[k] = less(less(p[c][k], q[c][k]), r[c][k]);
                high[k] = more(more(p[c][k], q[c][k]), r[c][k]);
            }
            min[c] = low.into_iter().fold(f64::INFINITY, less);
            max[c] = high.into_iter().fold(f64::NEG_INFINITY, more);
        }
        let (min, max) = (DVec3::from(min), DVec3::from(max));
        let mut normals = [[0.0; WIDTH]; 3];
        for c in 0..3 {
            let (d, e) = ((c + 1) % 3, (c + 2) % 3);
            for k in 0..WIDTH {
                normals[c][k] = (q[d][k] - p[d][k]) * (r[e][k] - p[e][k])
                    - (r[d][k] - p[d][k]) * (q[e][k] - p[e][k]);
            }
        }
        let normal = DVec3::from(normals.map(|normal| normal.into_iter().sum()));
        let origin = (min + max) * 0.5;
        let reach = larger(max - origin, origin - min) * (1.0 + 4.0 * f64::from(U)) + slack;
        let length = normal.length();
        let normal = if length > 0.0 {
            normal / length
        } else {
            DVec3::X
        };
        let normal = normal.to_array().map(|x| x as f32);
        let stored = normal.map(f64::from);
        let mut leaf = WideLeaf {
            corner: [[[f32::NAN; WIDTH]; 3]; 3],
            face: [u32::MAX; WIDTH],
            origin,
            half: reach.to_array().map(outward_rounding::up),
            diameter: outward_rounding::up(2.0 * reach.length()),
            normal,
            slab: [0.0; 2],
            count: faces.len() as u32,
        };
        let (mut low, mut high) = ([f64::INFINITY; WIDTH], [f64::NEG_INFINITY; WIDTH]);
        for v in 0..3 {
            let mut along = [0.0; WIDTH];
            for c in 0..3 {
                for k in 0..WIDTH {
                    let local = self.corner[v][c][k] - origin[c];
                    along[k] += stored[c] * local;
                    leaf.corner[v][c][k] = local as f32;
                }
            }
            for k in 0..WIDTH {
                low[k] = less(low[k], along[k]);
                high[k] = more(high[k], along[k]);
            }
        }
        for (k, face) in faces.iter().take(WIDTH).enumerate() {
            leaf.face[k] = *face;
        }
        for k in faces.len()..WIDTH {
            for row in leaf.corner.as_flattened_mut() {
                row[k] = f32::NAN;
            }
        }
        let low = low.into_iter().fold(f64::INFINITY, less);
        let high = high.into_iter().fold(f64::NEG_INFINITY, more);
        let spare = f64::from(leaf.diameter) * 1e-9 + 2.0 * slack;
        leaf.slab = [
            outward_rounding::down(low - spare),
            outward_rounding::up(high + spare),
        ];
        leaf
    }
}

/// One instruction where `f64::min` takes several, because coordinates are never NaN.
#[inline(always)]
fn less(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// See [`less`].
#[inline(always)]
fn more(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[inline(always)]
pub(super) fn smaller(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(less(a.x, b.x), less(a.y, b.y), less(a.z, b.z))
}

#[inline(always)]
pub(super) fn larger(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(more(a.x, b.x), more(a.y, b.y), more(a.z, b.z))
}
