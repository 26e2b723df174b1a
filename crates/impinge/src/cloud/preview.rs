//! A mesh of an implicit surface, for pictures.
//!
//! **Idea.** Marching tetrahedra: cubes of a lattice near the cloud are cut into six tetrahedra
//! each, with a vertex wherever the function changes its sign along an edge. Faces whose vertices
//! are beyond the border, or where the function jumps instead of passing zero, are left out.
//! **Limits.** A picture: flat within cubes, open at borders and along jumps.

use std::collections::BTreeMap;

use glam::DVec3;

use super::evaluation::{EvaluationScratch, ImplicitSurface, SurfaceSample};
use super::implicit_surface::CloudSurface;
use super::point_cloud::CloudError;
use crate::mesh::TriMesh;

/// Cubes at most; beyond that the lattice is refused.
const MAX_CUBES: usize = 20_000_000;
/// Cubes that are listed before the list is thinned for the first time.
const FIRST_THINNING: usize = 1 << 16;
/// The corners of a cube around the diagonal from 0 to 7, by numbers with bits x, y, z: any two in a row make a tetrahedron with it, the
/// last and the first too.
const AROUND_DIAGONAL: [usize; 6] = [1, 3, 2, 6, 4, 5];

impl CloudSurface {
    /// A mesh of the surface with cubes of this side, for pictures.
    ///
    /// # Errors
    /// [`CloudError::Setting`] when the side is not positive, or so small that the lattice is too large.
    ///
    /// ```
    /// use impinge::{cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions}, math::Rng};
    /// let mut rng = Rng::new(1);
    /// let ball = PointCloud::from_points((0..500).map(|_| rng.direction()))?;
    /// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
    /// let mesh = CloudSurface::new(graph.into(), SurfaceOptions::default())?.preview(0.1)?;
    /// assert!(mesh.face_count() > 1000);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn preview(&self, side: f64) -> Result<TriMesh, CloudError> {
        let refused = CloudError::Setting {
            what: "the side of the cubes",
            value: side,
        };
        let cubes = self.cubes_near(side).ok_or(refused)?;
        let mut scratch = EvaluationScratch::default();
        let mut corners: BTreeMap<[i64; 3], Option<SurfaceSample>> = BTreeMap::new();
        let mut marching = Marching {
            surface: self,
            side,
            vertices: BTreeMap::new(),
            positions: Vec::new(),
            is_fine: Vec::new(),
            faces: Vec::new(),
        };
        for cube in cubes {
            let numbers = [0, 1, 2, 3, 4, 5, 6, 7];
            let found = numbers.map(|n: i64| {
                let corner = [
                    cube[0] + (n & 1),
                    cube[1] + (n >> 1 & 1),
                    cube[2] + (n >> 2),
                ];
                let sample = *corners.entry(corner).or_insert_with(|| {
                    let x = place(corner, side);
                    self.evaluate(x, &mut scratch).sample().copied()
                });
                sample.map(|sample| (corner, sample.value))
            });
            for (k, &p) in AROUND_DIAGONAL.iter().enumerate() {
                let tetrahedron = [0, p, AROUND_DIAGONAL[(k + 1) % 6], 7];
                if let [Some(a), Some(b), Some(c), Some(d)] = tetrahedron.map(|n| found[n]) {
                    marching.cut([a, b, c, d], &mut scratch);
                }
            }
        }
        let is_fine = marching.is_fine;
        let all_fine = |face: &[u32; 3]| face.iter().all(|&v| is_fine[v as usize]);
        let mut faces = marching.faces;
        faces.retain(all_fine);
        let mesh = TriMesh::new(marching.positions, faces);
        mesh.map_err(|_| refused)
    }

    /// The cubes within two sides of a point, ascending; none when there are too many or they cannot be counted.
    fn cubes_near(&self, side: f64) -> Option<Vec<[i64; 3]>> {
        if !(side > 0.0 && side.is_finite()) {
            return None;
        }
        let mut own = Vec::new();
        for id in self.graph.ids() {
            let at = self.graph.points[id.index()] / side;
            if at.abs().max_element() >= 1e15 {
                return None;
            }
            own.push(at.floor().to_array().map(|x| x as i64));
        }
        own.sort_unstable();
        own.dedup();
        with_neighbours(&own, MAX_CUBES)
    }
}

/// Cubes and those around them, ascending; none when they are more than `most`.
///
/// They share most of those around them, so that the list is thinned whenever it has doubled: it is never much longer than what is left in the end, and too many are noticed early.
fn with_neighbours(own: &[[i64; 3]], most: usize) -> Option<Vec<[i64; 3]>> {
    let thinned = |cubes: &mut Vec<[i64; 3]>| {
        cubes.sort_unstable();
        cubes.dedup();
        cubes.len() <= most
    };
    let mut cubes = Vec::new();
    let mut full = FIRST_THINNING;
    for at in own {
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    cubes.push([at[0] + dx, at[1] + dy, at[2] + dz]);
                }
            }
        }
        if cubes.len() > full {
            if !thinned(&mut cubes) {
                return None;
            }
            full = FIRST_THINNING.max(2 * cubes.len());
        }
    }
    thinned(&mut cubes).then_some(cubes)
}

fn place(corner: [i64; 3], side: f64) -> DVec3 {
    DVec3::new(corner[0] as f64, corner[1] as f64, corner[2] as f64) * side
}

struct Marching<'a> {
    surface: &'a CloudSurface,
    side: f64,
    /// By the edge's corners, the smaller first.
    vertices: BTreeMap<[[i64; 3]; 2], u32>,
    positions: Vec<DVec3>,
    is_fine: Vec<bool>,
    faces: Vec<[u32; 3]>,
}

type Corner = ([i64; 3], f64);

impl Marching<'_> {
    /// Adds the one or two faces in which the surface cuts a tetrahedron.
    fn cut(&mut self, corners: [Corner; 4], scratch: &mut EvaluationScratch) {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for corner in corners {
            if corner.1 >= 0.0 {
                inside.push(corner);
            } else {
                outside.push(corner);
            }
        }
        match (&inside[..], &outside[..]) {
            ([a], [b, c, d]) | ([b, c, d], [a]) => {
                let face = [*b, *c, *d].map(|other| self.vertex(*a, other, scratch));
                self.add(face, inside[0], outside[0]);
            }
            ([a, b], [c, d]) => {
                let ring = [(a, c), (a, d), (b, d), (b, c)];
                let [p, q, r, s] = ring.map(|(i, o)| self.vertex(*i, *o, scratch));
                self.add([p, q, r], *a, *c);
                self.add([p, r, s], *a, *c);
            }
            _ => {}
        }
    }

    /// Adds a face whose normal points from positive to negative values.
    fn add(&mut self, face: [u32; 3], inside: Corner, outside: Corner) {
        let [p, q, r] = face.map(|v| self.positions[v as usize]);
        let normal = (q - p).cross(r - p);
        let middle = (p + q + r) / 3.0;
        let out = place(outside.0, self.side) - middle;
        let into = place(inside.0, self.side) - middle;
        if normal.dot(out - into) < 0.0 {
            self.faces.push([face[0], face[2], face[1]]);
        } else {
            self.faces.push(face);
        }
    }

    fn vertex(&mut self, a: Corner, b: Corner, scratch: &mut EvaluationScratch) -> u32 {
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        if let Some(&known) = self.vertices.get(&[a.0, b.0]) {
            return known;
        }
        let t = a.1 / (a.1 - b.1);
        let (p, q) = (place(a.0, self.side), place(b.0, self.side));
        let x = p + (q - p) * t.clamp(0.0, 1.0);
        let here = self.surface.evaluate(x, scratch);
        // A function that passes zero is small there; one that jumps is not.
        let is_fine = here
            .sample()
            .is_some_and(|s| !s.is_beyond_border && s.value.abs() <= 0.25 * self.side);
        let number = self.positions.len() as u32;
        self.positions.push(x);
        self.is_fine.push(is_fine);
        self.vertices.insert([a.0, b.0], number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_THINNING, with_neighbours};

    #[test]
    fn each_cube_is_listed_once_and_too_many_are_refused() {
        // A row shares all but nine of its 27 with the next.
        let row: Vec<[i64; 3]> = (0..10_000).map(|x| [x, 0, 0]).collect();
        let cubes = with_neighbours(&row, 90_018).unwrap();
        assert_eq!(cubes.len(), 9 * 10_002);
        assert!(cubes.is_sorted() && cubes.capacity() < 8 * cubes.len().max(FIRST_THINNING));
        assert!(with_neighbours(&row, 90_017).is_none());
        // Apart from each other none is shared.
        let apart: Vec<[i64; 3]> = (0..10_000).map(|x| [5 * x, -x, 0]).collect();
        assert_eq!(with_neighbours(&apart, usize::MAX).unwrap().len(), 270_000);
        assert!(with_neighbours(&apart, 100_000).is_none());
        assert_eq!(with_neighbours(&[], 0).unwrap().len(), 0);
    }
}
