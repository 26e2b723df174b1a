//! Points on the surface of a solid.

use std::sync::Arc;

use glam::DVec3;

use super::balls::{GroupBall, grouped};
use super::error::{VoxmapError, check};
use super::grid::Grid;
use super::paint::{Range, paint};
use super::parallel::map_indexed;
use crate::bvh::wide::{ClosestFace, ProbeCache, WideTree};
use crate::mesh::{HalfEdges, NormalWeight, TriMesh, face_normals, vertex_normals};
use crate::query::{FaceId, Limits, VertexId};

/// Voxels at most; each takes eight bytes, and less than a hundred as a point.
const MOST_VOXELS: usize = 1 << 26;
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
    /// [`VoxmapError`] when the mesh is empty, open, inside out or flat, when the resolution makes no sense, or when there are more than 67 million voxels.
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
        let grid = Grid::around(&mesh.bounds(), resolution, 1)?;
        let voxels = surface(&grid, mesh)?;
        let tree = WideTree::new(Arc::new(mesh.clone()));
        let normals = Normals::new(mesh);
        let found = map_indexed(voxels.len(), |cache: &mut ProbeCache, i| {
            let voxel = voxels[i];
            // The surface passes through the voxel, so that it is at most half a diagonal away.
            let limits = Limits {
                max_distance: Some(grid.side),
                ..Limits::default()
            };
            let near = tree.closest_face(grid.center(voxel), limits, cache);
            let near = near.ok()?.value?;
            let normal = normals.at(&near)?;
            (grid.voxel_of(near.point) == Some(voxel)).then_some((near.point, -normal))
        });
        let found: Vec<(DVec3, DVec3)> = found.into_iter().flatten().collect();
        let points: Vec<DVec3> = found.iter().map(|(point, _)| *point).collect();
        let (order, balls) = grouped(&points);
        let pick = |i: &u32| found[*i as usize];
        Ok(Self {
            points: order.iter().map(|i| pick(i).0).collect(),
            normals: order.iter().map(|i| pick(i).1).collect(),
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

/// The voxels that the surface meets, in the order of z, y, x.
fn surface(grid: &Grid, mesh: &TriMesh) -> Result<Vec<[usize; 3]>, VoxmapError> {
    let [nx, ny, nz] = grid.counts;
    let mut stack = Vec::new();
    let mut voxels: Vec<u64> = Vec::new();
    // Neighbouring faces meet the same voxels; sorting now and then keeps the list short.
    let mut limit = 1 << 20;
    for triangle in mesh.triangles() {
        let range = Range::layers(grid, 0, nz);
        paint(grid, &triangle, range, &mut stack, |[x, y, z]| {
            voxels.push(((z * ny + y) * nx + x) as u64);
        });
        if voxels.len() > limit {
            voxels.sort_unstable();
            voxels.dedup();
            if voxels.len() > MOST_VOXELS {
                let count = voxels.len();
                return Err(VoxmapError::TooLarge {
                    voxels: count as f64,
                    bytes: 8.0 * count as f64,
                    most: 8 * MOST_VOXELS,
                });
            }
            limit = limit.max(2 * voxels.len());
        }
    }
    voxels.sort_unstable();
    voxels.dedup();
    let apart = |i: u64| {
        let i = i as usize;
        [i % nx, i / nx % ny, i / (nx * ny)]
    };
    Ok(voxels.into_iter().map(apart).collect())
}

/// Outward normals of all parts of a surface: on edges and corners the middle of those around.
struct Normals<'m> {
    mesh: &'m TriMesh,
    faces: Vec<Option<DVec3>>,
    vertices: Vec<Option<DVec3>>,
    edges: HalfEdges,
}

impl<'m> Normals<'m> {
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
