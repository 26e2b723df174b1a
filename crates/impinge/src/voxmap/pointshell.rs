//! Pointshell: points on the surface of a solid.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::error::{VoxmapError, check};
use super::parallel::map_indexed;
use super::point_groups::{GroupBall, grouped};
use super::voxel_grid::VoxelGrid;
use super::voxelize::{VoxelRange, fewest, voxelize};
use crate::bvh::wide::{ClosestFace, SingleTreeCache, WideTree};
use crate::mesh::{HalfEdges, NormalWeight, TriMesh, face_normals, vertex_normals};
use crate::query::{FaceId, Limits, VertexId};

/// More voxels are too many. Each takes eight bytes, and about a hundred as a point.
const MOST_VOXELS: usize = 1 << 26;
/// Voxels that wait for the list to be sorted, at first.
const FIRST_SORTED: usize = 1 << 20;
/// Voxels whose points are looked for at a time.
const PART: usize = 1 << 20;
/// A weight that counts as none.
const ON_EDGE: f64 = 1e-9;

/// Points on the surface of a solid with inward normals, about a voxel apart.
///
/// Each voxel that the surface meets gives the point of the surface nearest to its centre, if that lies in the voxel too.
///
/// ```
/// use impinge::voxmap::Pointshell;
/// use impinge::{DVec3, generate};
/// let cube = Pointshell::new(&generate::cuboid(DVec3::ONE, [1; 3])?, 10)?;
/// assert_eq!((cube.points().len(), cube.side()), (602, 0.1));
/// assert!(cube.points().iter().zip(cube.normals()).all(|(p, n)| p.dot(*n) < 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "VPS")]
#[doc(alias = "Voxmap-PointShell")]
pub struct Pointshell {
    points: Vec<DVec3>,
    normals: Vec<DVec3>,
    pub(super) balls: Vec<GroupBall>,
    side: f64,
}

impl Pointshell {
    /// The points of a closed mesh, one for each voxel of its surface, so many voxels along the longest side of its box.
    ///
    /// # Errors
    /// [`VoxmapError`] when the mesh is empty, open, inside out or flat, when the resolution is invalid, or when the surface meets more than
    /// 67 million voxels.
    ///
    /// ```
    /// use impinge::voxmap::{Pointshell, VoxmapError};
    /// use impinge::{TriMesh, generate};
    /// assert!(Pointshell::new(&generate::icosphere(1.0, 4)?, 30).is_ok());
    /// assert_eq!(Pointshell::new(&TriMesh::default(), 30), Err(VoxmapError::Empty));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mesh: &TriMesh, resolution: u32) -> Result<Self, VoxmapError> {
        check(mesh)?;
        let grid = VoxelGrid::around(&mesh.bounds(), resolution, 1)?;
        let voxels = surface(&grid, mesh, MOST_VOXELS)?;
        let tree = WideTree::new(Arc::new(mesh.clone()));
        let normals = SurfaceNormals::new(mesh);
        let point_of = |cache: &mut SingleTreeCache, voxel: [usize; 3]| {
            // The surface passes through the voxel, so that it is at most half a diagonal away.
            let limits = Limits {
                max_distance: Some(grid.side),
                ..Limits::default()
            };
            let near = tree.closest_face(grid.center(voxel), limits, cache);
            let near = near.ok()?.value?;
            let normal = normals.at(&near)?;
            (grid.voxel_of(near.point) == Some(voxel)).then_some((near.point, -normal))
        };
        let (mut points, mut inwards) = (
            Vec::with_capacity(voxels.len()),
            Vec::with_capacity(voxels.len()),
        );
        for part in voxels.chunks(PART) {
            let found = map_indexed(part.len(), |cache, i| {
                point_of(cache, grid.voxel_at(part[i]))
            });
            for (point, normal) in found.into_iter().flatten() {
                points.push(point);
                inwards.push(normal);
            }
        }
        drop(voxels);
        let (order, balls) = grouped(&points);
        let ordered = |values: Vec<DVec3>| -> Vec<DVec3> {
            order.iter().map(|&i| values[i as usize]).collect()
        };
        Ok(Self {
            points: ordered(points),
            normals: ordered(inwards),
            balls,
            side: grid.side,
        })
    }

    /// The points, in the frame of the mesh.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The unit vectors that point from the points into the solid.
    #[must_use]
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// The side of the voxels from which the points come: about their distance from each other.
    #[must_use]
    pub fn side(&self) -> f64 {
        self.side
    }

    /// Bytes that points, normals and balls take.
    ///
    /// ```
    /// use impinge::{generate, voxmap::Pointshell};
    /// let ball = Pointshell::new(&generate::icosphere(1.0, 4)?, 30)?;
    /// assert!(ball.bytes() < 64 * ball.points().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.points.as_slice())
            + size_of_val(self.normals.as_slice())
            + size_of_val(self.balls.as_slice())
    }
}

/// The numbers of the voxels that the surface meets, in order. More than `most` are too many. No more than
/// three times as many are held at a time, in a list with room for up to twice that.
fn surface(grid: &VoxelGrid, mesh: &TriMesh, most: usize) -> Result<Vec<u64>, VoxmapError> {
    let too_large = |voxels: f64| VoxmapError::TooLarge {
        voxels,
        bytes: 8.0 * voxels,
        most: most.saturating_mul(8),
    };
    // A face alone may meet too many, which need not be counted.
    let largest = mesh.triangles().fold(0.0_f64, |voxels, triangle| {
        voxels.max(fewest(grid, &triangle))
    });
    if largest > most as f64 {
        return Err(too_large(largest));
    }
    let mut stack = Vec::new();
    let mut voxels: Vec<u64> = Vec::new();
    // Neighbouring faces meet the same voxels; sorting now and then keeps the list short.
    let mut limit = FIRST_SORTED.min(most);
    for triangle in mesh.triangles() {
        let range = VoxelRange::layers(grid, 0, grid.counts[2]);
        let earlier = voxels.len();
        let painted = voxelize(grid, &triangle, range, &mut stack, |voxel| {
            // A face shows no voxel twice, so that these are too many by themselves.
            if voxels.len() - earlier > most {
                return ControlFlow::Break(());
            }
            voxels.push(grid.number(voxel));
            ControlFlow::Continue(())
        });
        if painted.is_break() {
            return Err(too_large((voxels.len() - earlier) as f64));
        }
        if voxels.len() > limit {
            voxels.sort_unstable();
            voxels.dedup();
            if voxels.len() > most {
                return Err(too_large(voxels.len() as f64));
            }
            limit = limit.max(2 * voxels.len());
        }
    }
    voxels.sort_unstable();
    voxels.dedup();
    if voxels.len() > most {
        return Err(too_large(voxels.len() as f64));
    }
    Ok(voxels)
}

/// Outward normals of all parts of a surface: on edges and corners the middle of those around.
struct SurfaceNormals<'m> {
    mesh: &'m TriMesh,
    faces: Vec<Option<DVec3>>,
    vertices: Vec<Option<DVec3>>,
    edges: HalfEdges,
}

impl<'m> SurfaceNormals<'m> {
    fn new(mesh: &'m TriMesh) -> Self {
        Self {
            mesh,
            faces: face_normals(mesh),
            vertices: vertex_normals(mesh, NormalWeight::Angle),
            edges: mesh.half_edges(),
        }
    }

    /// None where normals cancel, or where there are none.
    fn at(&self, near: &ClosestFace) -> Option<DVec3> {
        let corners = self.mesh.faces()[near.face.index()];
        let of_face = |face: FaceId| self.faces[face.index()];
        // A point within rounding of an edge is taken for one on it, so that symmetric solids have symmetric shells.
        let is_away = near.barycentric.map(|weight| weight > ON_EDGE);
        match is_away {
            [true, true, true] => of_face(near.face),
            [_, false, false] => self.vertices[corners[0] as usize],
            [false, _, false] => self.vertices[corners[1] as usize],
            [false, false, _] => self.vertices[corners[2] as usize],
            [_, _, _] => {
                let away: Vec<VertexId> = (0..3)
                    .filter(|&i| is_away[i])
                    .map(|i| VertexId::new(corners[i]))
                    .collect();
                let edge = self.edges.edge_between(*away.first()?, *away.last()?)?;
                let sum = edge
                    .faces()
                    .filter_map(of_face)
                    .fold(DVec3::ZERO, |sum, normal| sum + normal);
                sum.try_normalize()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Aabb;
    use crate::geom::triangle_meets_box;
    use crate::math::Rng;

    /// The voxels whose boxes a face meets, by asking every voxel about every face.
    fn by_brute_force(grid: &VoxelGrid, faces: &[[DVec3; 3]]) -> Vec<u64> {
        let [nx, ny, nz] = grid.counts;
        let all = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
        let corner = |voxel: [usize; 3], k: usize| {
            DVec3::from_array([0, 1, 2].map(|axis| grid.plane(axis, voxel[axis] + k)))
        };
        all.enumerate()
            .filter(|(_, voxel)| {
                let (min, max) = (corner(*voxel, 0), corner(*voxel, 1));
                faces.iter().any(|face| triangle_meets_box(face, min, max))
            })
            .map(|(number, _)| number as u64)
            .collect()
    }

    /// A bipyramid over a polygon, so many faces around.
    fn bipyramid(around: u32, size: DVec3) -> TriMesh {
        let corner = |k: u32| {
            let angle = core::f64::consts::TAU * f64::from(k) / f64::from(around);
            size * DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
        };
        let mut points: Vec<DVec3> = (0..around).map(corner).collect();
        points.extend([size * DVec3::Z, size * -DVec3::Z]);
        let [top, bottom] = [around, around + 1];
        let faces = (0..around).flat_map(|k| {
            let next = (k + 1) % around;
            [[k, next, top], [next, k, bottom]]
        });
        TriMesh::new(points, faces.collect()).unwrap()
    }

    #[test]
    fn whatever_is_allowed_all_voxels_are_listed_or_too_many() {
        let solids = [
            (bipyramid(4, DVec3::ONE), 16),
            (bipyramid(3, DVec3::new(1.0, 0.5, 0.25)), 12),
            (bipyramid(30, DVec3::new(1.0, 1.0, 0.1)), 11),
            (bipyramid(5, DVec3::new(0.2, 0.1, 9.0)), 20),
            (bipyramid(100, DVec3::ONE), 9),
        ];
        let (mut made, mut refused) = (0, 0);
        for (mesh, resolution) in solids {
            let grid = VoxelGrid::around(&mesh.bounds(), resolution, 1).unwrap();
            let faces: Vec<[DVec3; 3]> = mesh.triangles().collect();
            let expected = by_brute_force(&grid, &faces);
            let count = expected.len();
            let fractions = (1..40).map(|k| count * k / 32);
            for most in fractions.chain([1, 2, count - 1, count, MOST_VOXELS]) {
                match surface(&grid, &mesh, most) {
                    Ok(found) => {
                        assert_eq!(found, expected);
                        assert!(count <= most, "{count} and {most}");
                        made += 1;
                    }
                    Err(VoxmapError::TooLarge { voxels, .. }) => {
                        assert!(count > most, "{count} and {most}");
                        assert!(voxels > most as f64 && voxels <= count as f64, "{voxels}");
                        refused += 1;
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            for (number, voxel) in expected.iter().map(|&n| (n, grid.voxel_at(n))) {
                assert_eq!(grid.number(voxel), number);
            }
        }
        assert!(made > 40 && refused > 40, "{made} and {refused}");
    }

    #[test]
    fn a_shadow_counts_no_voxel_that_is_not_met() {
        let mut rng = Rng::new(11);
        for round in 0..200 {
            // Beside the origin, and so far from it that planes are rounded.
            let far = if round % 2 == 0 { 0.0 } else { 1e8 };
            let mut corner = || DVec3::splat(far) + rng.direction() * rng.range(0.0, 1.0);
            let face = [corner(), corner(), corner()];
            let grid = VoxelGrid::around(&Aabb::enclosing(face), 12, 1).unwrap();
            let count = by_brute_force(&grid, &[face]).len() as f64;
            let fewest = fewest(&grid, &face);
            assert!(fewest <= count, "{fewest} of {count}: {face:?}");
        }
        // Of a large face it counts nearly all.
        let face = [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 0.8, 0.1)];
        let grid = VoxelGrid::around(&Aabb::enclosing(face), 60, 1).unwrap();
        let count = by_brute_force(&grid, &[face]).len() as f64;
        assert!(fewest(&grid, &face) > 0.7 * count, "{count}");
    }
}
