//! The skin of the hand: a closed mesh around the tissue that follows it.
//!
//! **Idea.** At rest the skin is the zero level of the outlines' signed distance, meshed by surface nets:
//! one vertex in every cell of a grid that the level passes, one quad across every edge that it cuts.
//! Each vertex hangs on the nearest spheres of its bone or of joined ones; it keeps its place relative to
//! each, turned with that sphere's bone.
//! **Source.** Gibson 1998, doi:10.1007/BFb0056277, for surface nets.

use impinge::bvh::wide::LeafBox;
use impinge::{DVec3, MeshError, Pose, TriMesh};

use super::body::Sphere;
use super::hand_shape::{Outline, bounds};

/// How many spheres carry a vertex.
const CARRIERS: usize = 4;

/// The skin at rest, and which spheres carry it.
#[derive(Clone, Debug)]
pub(super) struct Skin {
    faces: Vec<[u32; 3]>,
    /// Per vertex: a sphere, its share, and the vertex relative to it in the frame of its bone.
    carriers: Vec<[(u32, f64, DVec3); CARRIERS]>,
}

/// Corners of a grid cell, with bits x, y, z.
const CORNERS: [[i32; 3]; 8] = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [1, 1, 0],
    [0, 0, 1],
    [1, 0, 1],
    [0, 1, 1],
    [1, 1, 1],
];

/// The signed distance on a grid.
struct Grid {
    origin: DVec3,
    cell: f64,
    counts: [i32; 3],
    values: Vec<f64>,
}

impl Grid {
    fn new(outlines: &[(Pose, Outline)], cell: f64) -> Self {
        let (low, high) = bounds(outlines);
        // Two cells around, so that the level is closed.
        let origin = low - DVec3::splat(2.0 * cell);
        let size = (high - origin) / cell + 3.0;
        let counts = [size.x, size.y, size.z].map(|n| n.ceil() as i32);
        let inverses: Vec<(Pose, &Outline)> = outlines
            .iter()
            .map(|(pose, outline)| (pose.inverse(), outline))
            .collect();
        let mut grid = Self {
            origin,
            cell,
            counts,
            values: Vec::new(),
        };
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    let p = grid.point([x, y, z]);
                    let each = inverses.iter();
                    let least = each.map(|(inverse, outline)| outline.distance(*inverse * p));
                    grid.values.push(least.fold(f64::INFINITY, f64::min));
                }
            }
        }
        grid
    }

    fn point(&self, [x, y, z]: [i32; 3]) -> DVec3 {
        self.origin + DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * self.cell
    }

    /// The number of a grid point; none outside.
    fn number(&self, at: [i32; 3]) -> Option<usize> {
        let inside = at
            .into_iter()
            .zip(self.counts)
            .all(|(i, n)| (0..n).contains(&i));
        let [nx, ny, _] = self.counts;
        inside.then(|| ((at[2] * ny + at[1]) * nx + at[0]) as usize)
    }

    /// The value at a grid point; outside everything beyond the grid.
    fn value(&self, at: [i32; 3]) -> f64 {
        let number = self.number(at);
        let value = number.and_then(|number| self.values.get(number));
        value.copied().unwrap_or(f64::INFINITY)
    }
}

fn plus(a: [i32; 3], b: [i32; 3]) -> [i32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Vertices and faces of the zero level.
fn surface_nets(grid: &Grid) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut numbers = vec![u32::MAX; grid.values.len()];
    let [nx, ny, nz] = grid.counts;
    let cells = || {
        let all = (0..nz).flat_map(move |z| (0..ny).map(move |y| (y, z)));
        all.flat_map(move |(y, z)| (0..nx).map(move |x| [x, y, z]))
    };
    for cell in cells() {
        let corners = CORNERS.map(|corner| plus(cell, corner));
        let values = corners.map(|corner| grid.value(corner));
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for [i, j] in LeafBox::EDGES {
            let (a, b) = (values[i], values[j]);
            if (a < 0.0) != (b < 0.0) && a.is_finite() && b.is_finite() {
                let part = a / (a - b);
                let (p, q) = (grid.point(corners[i]), grid.point(corners[j]));
                sum += p + (q - p) * part;
                count += 1.0;
            }
        }
        if count > 0.0
            && let Some(own) = grid.number(cell).and_then(|n| numbers.get_mut(n))
        {
            *own = vertices.len() as u32;
            vertices.push(sum / count);
        }
    }
    let vertex = |cell: [i32; 3]| {
        let number = grid.number(cell).and_then(|n| numbers.get(n));
        number.copied().filter(|&v| v != u32::MAX)
    };
    let mut faces = Vec::new();
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for point in cells() {
        for axis in 0..3 {
            let (a, b) = (grid.value(point), grid.value(plus(point, axes[axis])));
            if (a < 0.0) == (b < 0.0) {
                continue;
            }
            // The four cells around the edge, turning about it.
            let [u, v] = [axes[(axis + 1) % 3], axes[(axis + 2) % 3]];
            let minus = |p: [i32; 3], q: [i32; 3]| plus(p, q.map(|i| -i));
            let around = [
                point,
                minus(point, u),
                minus(minus(point, u), v),
                minus(point, v),
            ];
            if let [Some(p), Some(q), Some(r), Some(s)] = around.map(vertex) {
                // Outwards is the way from inside to outside along the edge.
                if a < 0.0 {
                    faces.extend([[p, q, r], [p, r, s]]);
                } else {
                    faces.extend([[p, r, q], [p, s, r]]);
                }
            }
        }
    }
    (vertices, faces)
}

impl Skin {
    /// The skin around outlines, carried by spheres of the bones that `may_carry` allows for a vertex's bone.
    pub(super) fn new(
        outlines: &[(Pose, Outline)],
        spheres: &[Sphere],
        owners: &[u8],
        cell: f64,
        may_carry: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let (vertices, faces) = surface_nets(&Grid::new(outlines, cell));
        let carriers = vertices
            .iter()
            .map(|vertex| {
                let mut bone = (f64::INFINITY, 0);
                for (number, (pose, outline)) in outlines.iter().enumerate() {
                    let distance = outline.distance(pose.inverse() * *vertex);
                    if distance < bone.0 {
                        bone = (distance, number);
                    }
                }
                let mut nearest = [(f64::INFINITY, 0_u32); CARRIERS];
                for (number, (sphere, owner)) in spheres.iter().zip(owners).enumerate() {
                    if !may_carry(bone.1, usize::from(*owner)) {
                        continue;
                    }
                    let found = (sphere.position.distance(*vertex), number as u32);
                    if found.0 < nearest[CARRIERS - 1].0 {
                        nearest[CARRIERS - 1] = found;
                        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
                    }
                }
                let total: f64 = nearest.iter().map(|(d, _)| share(*d)).sum();
                nearest.map(|(distance, sphere)| {
                    let owner = owners.get(sphere as usize).copied().map_or(0, usize::from);
                    let center = spheres.get(sphere as usize).map(|s| s.position);
                    let offset = *vertex - center.unwrap_or(*vertex);
                    let back = outlines.get(owner).map(|(pose, _)| pose.inverse());
                    let local = back.map_or(offset, |pose| pose.transform_vector(offset));
                    let part = if total > 0.0 {
                        share(distance) / total
                    } else {
                        0.0
                    };
                    (sphere, part, local)
                })
            })
            .collect();
        Self { faces, carriers }
    }

    /// The skin where the spheres and bones are.
    pub(super) fn mesh(
        &self,
        spheres: &[Sphere],
        owners: &[u8],
        frames: &[Pose],
    ) -> Result<TriMesh, MeshError> {
        let points = self.carriers.iter().map(|carriers| {
            let mut point = DVec3::ZERO;
            for (sphere, part, local) in carriers {
                let index = *sphere as usize;
                let center = spheres.get(index).map_or(DVec3::ZERO, |s| s.position);
                let owner = owners.get(index).copied().map_or(0, usize::from);
                let frame = frames.get(owner).copied().unwrap_or_default();
                point += (center + frame.transform_vector(*local)) * *part;
            }
            point
        });
        TriMesh::new(points.collect(), self.faces.clone())
    }
}

/// Near spheres carry more.
fn share(distance: f64) -> f64 {
    if distance.is_finite() {
        1.0 / (distance * distance + 1e-12)
    } else {
        0.0
    }
}
