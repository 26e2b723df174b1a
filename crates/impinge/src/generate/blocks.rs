//! Boxes and models made of them, on lattices, so that neighbours share vertices.

use std::collections::HashMap;

use glam::DVec3;

use super::NamedPart;
use super::error::{GenerateError, affordable, agree, all_positive, at_least, positive, times};
use super::fit_face_count::{nearest, nearest_triple};
use super::surface_builder::{SurfaceBuilder, placed};
use crate::mesh::TriMesh;

/// Squares between lattice points, each point made once.
pub(super) struct LatticeSurface<'a> {
    surface: SurfaceBuilder,
    // Only looked up, never iterated: vertex numbers follow the order of use.
    ids: HashMap<[u32; 3], u32>,
    planes: [&'a [f64]; 3],
}

impl<'a> LatticeSurface<'a> {
    /// `planes` are the coordinates of the lattice planes across each axis.
    pub(super) fn new(planes: [&'a [f64]; 3], faces: u64) -> Self {
        Self {
            surface: SurfaceBuilder::with_capacity(faces),
            ids: HashMap::with_capacity(faces as usize / 2 + 8),
            planes,
        }
    }

    fn id(&mut self, at: [u32; 3]) -> u32 {
        let (surface, planes) = (&mut self.surface, &self.planes);
        *self.ids.entry(at).or_insert_with(|| {
            let [x, y, z] = [0, 1, 2].map(|axis| planes[axis][at[axis] as usize]);
            surface.point(DVec3::new(x, y, z))
        })
    }

    /// The square whose lowest lattice point is `at`, across `axis`, facing up or down the axis.
    pub(super) fn square(&mut self, at: [u32; 3], axis: usize, up: bool) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |du: u32, dv: u32| {
            let mut p = at;
            p[u] += du;
            p[v] += dv;
            p
        };
        let [a, b, c, d] =
            [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)].map(|p| self.id(p));
        if up {
            self.surface.quad(a, b, c, d);
        } else {
            self.surface.quad(a, d, c, b);
        }
    }

    pub(super) fn finish(self) -> Result<TriMesh, GenerateError> {
        self.surface.finish()
    }
}

/// The surface of the filled cells of a lattice; cell i is between planes i and i + 1.
pub(super) fn voxels(
    planes: [&[f64]; 3],
    faces: u64,
    filled: impl Fn([u32; 3]) -> bool,
) -> Result<TriMesh, GenerateError> {
    affordable(faces)?;
    let size = planes.map(|p| p.len() as u32 - 1);
    let mut lattice = LatticeSurface::new(planes, faces);
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let cell = [x, y, z];
                if !filled(cell) {
                    continue;
                }
                for axis in 0..3 {
                    let mut other = cell;
                    other[axis] += 1;
                    if other[axis] == size[axis] || !filled(other) {
                        lattice.square(other, axis, true);
                    }
                    other[axis] = cell[axis].wrapping_sub(1);
                    if cell[axis] == 0 || !filled(other) {
                        lattice.square(cell, axis, false);
                    }
                }
            }
        }
    }
    lattice.finish()
}

pub(super) fn cuboid_faces([x, y, z]: [u64; 3]) -> u64 {
    4 * (x * y + y * z + z * x)
}

/// A box around the origin whose sides are divided into squares: 4·(xy + yz + zx) faces for
/// divisions [x, y, z], 12·n² for equal ones.
///
/// # Errors
/// Needs positive edge lengths and 1 division each way.
///
/// ```
/// use impinge::{DVec3, generate::cuboid};
/// assert_eq!(cuboid(DVec3::ONE, [1, 1, 1])?.face_count(), 12);
/// assert_eq!(cuboid(DVec3::ONE, [3, 3, 3])?.vertex_count(), 56);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn cuboid(size: DVec3, divisions: [u32; 3]) -> Result<TriMesh, GenerateError> {
    for (name, value) in ["size.x", "size.y", "size.z"]
        .into_iter()
        .zip(size.to_array())
    {
        positive(name, value)?;
    }
    for divisions in divisions {
        at_least("divisions", divisions, 1)?;
    }
    let faces = cuboid_faces(divisions.map(u64::from));
    affordable(faces)?;
    let planes: Vec<Vec<f64>> = divisions
        .iter()
        .zip(size.to_array())
        .map(|(&n, size)| {
            let at = |i: u32| (f64::from(i) / f64::from(n) - 0.5) * size;
            (0..=n).map(at).collect()
        })
        .collect();
    let mut lattice = LatticeSurface::new([&planes[0], &planes[1], &planes[2]], faces);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for j in 0..divisions[v] {
            for i in 0..divisions[u] {
                let mut at = [0; 3];
                (at[u], at[v]) = (i, j);
                lattice.square(at, axis, false);
                at[axis] = divisions[axis];
                lattice.square(at, axis, true);
            }
        }
    }
    lattice.finish()
}

pub(super) fn fit_cuboid(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    // Nearly equal divisions: the third one takes up the rest.
    let n = nearest(target, 1, |n| 12 * n * n);
    let rest = nearest(target, 1, |k| cuboid_faces([n.into(), n.into(), k]));
    cuboid(DVec3::ONE, [n, n, rest])
}

fn cube_array_faces(counts: [u64; 3]) -> u64 {
    12 * times(counts)
}

/// Separate unit cubes in rows, columns and layers: 12·x·y·z faces for counts [x, y, z].
///
/// # Errors
/// Needs 1 cube each way and a positive gap.
///
/// ```
/// assert_eq!(impinge::generate::cube_array([2, 2, 2], 0.5)?.face_count(), 96);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn cube_array(counts: [u32; 3], gap: f64) -> Result<TriMesh, GenerateError> {
    positive("gap", gap)?;
    for count in counts {
        at_least("counts", count, 1)?;
    }
    let faces = cube_array_faces(counts.map(u64::from));
    affordable(faces)?;
    let cube = cuboid(DVec3::ONE, [1, 1, 1])?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let at = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * (1.0 + gap);
                surface.append_placed(&cube, |p| p + at);
            }
        }
    }
    surface.finish()
}

pub(super) fn fit_cube_array(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    cube_array(nearest_triple(target, cube_array_faces), 0.5)
}

fn lattice_faces(cells: [u64; 3]) -> u64 {
    let nodes = cells.map(|n| n + 1);
    let struts: u64 = (0..3)
        .map(|axis| times([cells[axis], nodes[(axis + 1) % 3], nodes[(axis + 2) % 3]]))
        .sum();
    // A strut has four sides; it covers one side of the node at each end.
    2 * (6 * times(nodes).min(u64::MAX / 64) + 2 * struts.min(u64::MAX / 64))
}

/// A closed frame of square beams along the edges of unit cells: 12·N + 4·S faces for
/// N = (x+1)(y+1)(z+1) nodes and S = x(y+1)(z+1) + (x+1)y(z+1) + (x+1)(y+1)z struts.
///
/// # Errors
/// Needs 1 cell each way and a beam thickness between 0 and 1.
///
/// ```
/// assert_eq!(impinge::generate::lattice([1, 1, 1], 0.2)?.face_count(), 12 * 8 + 4 * 12);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn lattice(cells: [u32; 3], beam: f64) -> Result<TriMesh, GenerateError> {
    positive("beam", beam)?;
    agree(beam < 1.0, "the beams of the lattice leave no gap")?;
    for cells in cells {
        at_least("cells", cells, 1)?;
    }
    let faces = lattice_faces(cells.map(u64::from));
    affordable(faces)?;
    let planes = cells.map(|n| {
        (0..2 * (n + 1))
            .map(|i| f64::from(i / 2) + if i % 2 == 0 { -beam / 2.0 } else { beam / 2.0 })
            .collect::<Vec<f64>>()
    });
    // Even cells are nodes, odd ones gaps between nodes: beams leave them in at most one direction.
    voxels([&planes[0], &planes[1], &planes[2]], faces, |cell| {
        cell.iter().filter(|&&c| c % 2 == 1).count() <= 1
    })
}

pub(super) fn fit_lattice(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    lattice(nearest_triple(target, lattice_faces), 0.25)
}

fn cage_faces(divisions: u64) -> u64 {
    6 * cuboid_faces([divisions, divisions, 1])
}

/// Six wall boxes around a hollow cube, not touching each other: 24·(d² + 2d) faces for d divisions.
///
/// # Errors
/// Needs a positive inner edge and thickness, and 1 division.
///
/// ```
/// let walls = impinge::generate::cage(10.0, 1.0, 2)?;
/// assert_eq!(walls.len(), 6);
/// assert_eq!(walls.iter().map(|w| w.mesh.face_count()).sum::<usize>(), 192);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn cage(edge: f64, thickness: f64, divisions: u32) -> Result<Vec<NamedPart>, GenerateError> {
    all_positive([("edge", edge), ("thickness", thickness)])?;
    at_least("divisions", divisions, 1)?;
    affordable(cage_faces(divisions.into()))?;
    let gap = thickness / 64.0;
    let mut walls = Vec::with_capacity(6);
    for axis in 0..3 {
        // x walls are widest, y walls fit between them, z walls between those.
        let mut size = DVec3::splat(edge);
        let reach = edge + 2.0 * thickness;
        for other in 0..3 {
            if other > axis {
                set(&mut size, other, reach);
            } else if other < axis {
                set(&mut size, other, edge - 2.0 * gap);
            }
        }
        set(&mut size, axis, thickness);
        let mut parts = [divisions; 3];
        parts[axis] = 1;
        let wall = cuboid(size, parts)?;
        for (side, sign) in [("low", -1.0), ("high", 1.0)] {
            let mut shift = DVec3::ZERO;
            set(&mut shift, axis, sign * (edge + thickness) / 2.0);
            walls.push(NamedPart {
                name: format!("wall-{}-{side}", ["x", "y", "z"][axis]),
                mesh: placed(&wall, |p| p + shift)?,
            });
        }
    }
    Ok(walls)
}

fn set(v: &mut DVec3, axis: usize, value: f64) {
    match axis {
        0 => v.x = value,
        1 => v.y = value,
        _ => v.z = value,
    }
}

pub(super) fn fit_cage(target: u64, _: u64) -> Result<Vec<NamedPart>, GenerateError> {
    cage(10.0, 1.0, nearest(target, 1, cage_faces))
}
