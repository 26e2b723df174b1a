//! A closed mesh with the integrals of its patches.

use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use super::moments::SurfaceMoments;
use crate::bound::Aabb;
use crate::bvh::MeshIndex;
use crate::bvh::wide::WideTree;
use crate::mesh::TriMesh;
use crate::query::VertexId;

/// Faces per leaf: fewer make more sums to store, more make more faces to look at around a crossing.
const LEAF: usize = 4;
/// No node, no face.
pub(super) const NONE: u32 = u32::MAX;

/// Why a mesh has no volume to overlap.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VolumeError {
    /// An edge has not as many faces one way as the other: a hole, or neighbours of opposite orientation.
    #[error(
        "the surface is not closed: the edge between {a} and {b} has {forward} faces one way and {backward} the other; weld, fill or reorient the mesh first"
    )]
    NotClosed {
        /// One end of the edge.
        a: VertexId,
        /// The other end.
        b: VertexId,
        /// Faces that go from `a` to `b`.
        forward: usize,
        /// Faces that go from `b` to `a`.
        backward: usize,
    },
    /// The faces look inwards.
    #[error("the mesh is inside out: its volume is {volume}; turn its faces round first")]
    InsideOut {
        /// The negative volume.
        volume: f64,
    },
}

/// A patch of surface: the faces `first..last` in tree order.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfacePatch {
    pub(super) first: u32,
    pub(super) last: u32,
    /// The second half; the first follows this patch. [`NONE`] for a leaf.
    pub(super) second: u32,
    /// How many pieces the patch has that are connected by edges.
    pub(super) pieces: u32,
    /// A face of each half that share an edge, and a vertex of that edge.
    pub(super) portal: Option<[u32; 3]>,
    /// A ball around the patch.
    pub(super) center: DVec3,
    pub(super) radius: f64,
}

/// A closed mesh, prepared for queries about volume.
///
/// ```
/// use impinge::volume::{OverlapCache, VolumeIndex};
/// use impinge::{DVec3, Pose, generate, query::Limits};
/// use std::sync::Arc;
/// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
/// let a_from_b = Pose::from_translation([0.5, 0.5, 0.5])?;
/// let shared = cube.overlap(&cube, &a_from_b, Limits::default(), &mut OverlapCache::default())?;
/// assert_eq!(shared.value.volume, 0.125);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "CSG")]
#[doc(alias = "boolean")]
pub struct VolumeIndex {
    pub(super) tree: Arc<WideTree>,
    /// What the sums are taken about.
    pub(super) center: DVec3,
    /// Corners of the faces in tree order.
    pub(super) corners: Vec<[u32; 3]>,
    /// Where each face of the mesh is in tree order.
    pub(super) place: Vec<u32>,
    /// The face across each edge, in tree order.
    pub(super) neighbours: Vec<[u32; 3]>,
    pub(super) patches: Vec<SurfacePatch>,
    /// Of each patch, about the centre.
    pub(super) sums: Vec<SurfaceMoments>,
    /// The box of the mesh.
    pub(super) bounds: Aabb,
    area: f64,
    diameter: f64,
    shells: ShellWinding,
}

/// What the shells of a mesh say about its winding, as long as none meets itself or another.
#[derive(Clone, Copy, Debug, Default)]
struct ShellWinding {
    /// The mesh winds around no point more often, either way.
    winding: f64,
    /// The volume of all, each as often as it winds, either way.
    whole: f64,
}

impl VolumeIndex {
    /// The index of a closed mesh; an empty mesh has no volume.
    ///
    /// # Errors
    /// [`VolumeError::NotClosed`] naming the first edge that is not closed; [`VolumeError::InsideOut`].
    ///
    /// ```
    /// use impinge::volume::VolumeIndex;
    /// use impinge::{DVec3, generate};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// assert_eq!(cube.mesh().face_count(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mesh: Arc<TriMesh>) -> Result<Self, VolumeError> {
        Self::from_tree(WideTree::new(mesh))
    }

    /// The same over a tree that exists already.
    ///
    /// # Errors
    /// As [`VolumeIndex::new`].
    ///
    /// ```
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::volume::VolumeIndex;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(VolumeIndex::from_tree(tree)?.volume() > 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_tree(tree: impl Into<Arc<WideTree>>) -> Result<Self, VolumeError> {
        let tree = tree.into();
        let mesh = Arc::clone(tree.mesh());
        let bounds = mesh.bounds();
        let center = if mesh.is_empty() {
            DVec3::ZERO
        } else {
            bounds.center()
        };
        let (order, mut patches) = partition(&mesh, center);
        let corners: Vec<[u32; 3]> = order.iter().map(|&f| mesh.faces()[f as usize]).collect();
        let neighbours = pair_edges(&corners)?;
        connect(&corners, &neighbours, &mut patches);
        let mut place = vec![0; order.len()];
        for (position, &face) in order.iter().enumerate() {
            place[face as usize] = position as u32;
        }
        let mut index = Self {
            tree,
            center,
            corners,
            place,
            neighbours,
            patches,
            bounds,
            sums: Vec::new(),
            area: 0.0,
            diameter: bounds.diagonal().length().max(0.0),
            shells: ShellWinding::default(),
        };
        index.sum();
        index.shells = index.shells();
        let (volume, room) = (index.volume(), index.volume_error());
        if volume < -room {
            return Err(VolumeError::InsideOut { volume });
        }
        Ok(index)
    }

    /// The mesh.
    ///
    /// ```
    /// use impinge::volume::VolumeIndex;
    /// use impinge::{DVec3, generate};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// assert_eq!(cube.mesh().vertex_count(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mesh(&self) -> &Arc<TriMesh> {
        self.tree.mesh()
    }

    /// The tree with which pairs of faces are found.
    ///
    /// ```
    /// use impinge::volume::VolumeIndex;
    /// use impinge::{DVec3, generate};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// assert!(cube.tree().bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tree(&self) -> &WideTree {
        &self.tree
    }

    /// The volume of the solid.
    ///
    /// ```
    /// use impinge::volume::VolumeIndex;
    /// use impinge::{DVec3, generate};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// assert_eq!(cube.volume(), 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.sums.first().map_or(0.0, SurfaceMoments::volume)
    }

    /// The area of the surface.
    ///
    /// ```
    /// use impinge::volume::VolumeIndex;
    /// use impinge::{DVec3, generate};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// assert_eq!(cube.area(), 6.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn area(&self) -> f64 {
        self.area
    }

    /// The diagonal of the box around the mesh.
    ///
    /// ```
    /// use impinge::volume::VolumeIndex;
    /// use impinge::{DVec3, generate};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// assert!(cube.diameter() >= 3.0_f64.sqrt() * 0.999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn diameter(&self) -> f64 {
        self.diameter
    }

    /// Bytes that the index takes, the mesh not counted.
    ///
    /// ```
    /// use impinge::volume::VolumeIndex;
    /// use impinge::{DVec3, generate};
    /// use std::sync::Arc;
    /// let cube = VolumeIndex::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
    /// assert!(cube.bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
            + size_of_val(self.corners.as_slice())
            + size_of_val(self.place.as_slice())
            + size_of_val(self.neighbours.as_slice())
            + size_of_val(self.patches.as_slice())
            + size_of_val(self.sums.as_slice())
    }

    /// Two meshes share at most so much, wherever they are: each volume as often as the other mesh may wind around a point of it.
    pub(super) fn most_shared(&self, other: &Self) -> f64 {
        let (a, b) = (&self.shells, &other.shells);
        (a.whole * b.winding).min(b.whole * a.winding).max(0.0)
    }

    /// A shell winds once around what it encloses, so that the mesh winds no more often than it has shells of one sign.
    fn shells(&self) -> ShellWinding {
        let mut sets: Vec<u32> = (0..self.corners.len() as u32).collect();
        for (f, across) in self.neighbours.iter().enumerate() {
            for &g in across.iter().filter(|&&g| g != NONE) {
                let (f, g) = (find(&mut sets, f as u32), find(&mut sets, g));
                sets[f as usize] = g;
            }
        }
        let positions = self.tree.mesh().positions();
        let mut volumes = vec![0.0; self.corners.len()];
        for (f, face) in self.corners.iter().enumerate() {
            let [p, q, r] = face.map(|v| positions[v as usize] - self.center);
            volumes[find(&mut sets, f as u32) as usize] += p.dot(q.cross(r)) / 6.0;
        }
        // Fins enclose nothing but rounding.
        let room = self.volume_error();
        let (mut outward, mut inward, mut whole) = (0_u32, 0_u32, 0.0);
        for volume in volumes {
            outward += u32::from(volume > room);
            inward += u32::from(volume < -room);
            whole += volume.abs();
        }
        ShellWinding {
            winding: f64::from(outward.max(inward)),
            whole: whole + room,
        }
    }

    /// What rounding may have done to the volume.
    fn volume_error(&self) -> f64 {
        1e-14 * self.area * self.diameter
    }

    fn sum(&mut self) {
        let positions = self.tree.mesh().positions();
        let corner = |v: u32| positions[v as usize] - self.center;
        let mut sums = vec![SurfaceMoments::default(); self.patches.len()];
        let mut area = 0.0;
        for (i, patch) in self.patches.iter().enumerate().rev() {
            let mut sum = SurfaceMoments::default();
            if patch.second == NONE {
                for face in &self.corners[patch.first as usize..patch.last as usize] {
                    let [p, q, r] = face.map(corner);
                    sum.add_triangle(1.0, p, q, r);
                    area += 0.5 * (q - p).cross(r - p).length();
                }
            } else {
                sum = sums[i + 1];
                sum.add(1.0, &sums[patch.second as usize]);
            }
            sums[i] = sum;
        }
        self.sums = sums;
        self.area = area;
    }
}

/// Faces in tree order, and patches in the order of a walk that takes the first half first.
fn partition(mesh: &TriMesh, center: DVec3) -> (Vec<u32>, Vec<SurfacePatch>) {
    let mut order: Vec<u32> = (0..mesh.face_count() as u32).collect();
    let middles: Vec<DVec3> = mesh
        .face_ids()
        .map(|f| {
            let [p, q, r] = mesh.triangle(f);
            (p - center) + (q - center) + (r - center)
        })
        .collect();
    let mut patches: Vec<SurfacePatch> = Vec::new();
    let mut stack = Vec::new();
    if !order.is_empty() {
        stack.push((0, order.len(), None::<usize>));
    }
    while let Some((first, last, second_of)) = stack.pop() {
        let id = patches.len();
        if let Some(parent) = second_of {
            let parent: &mut SurfacePatch = &mut patches[parent];
            parent.second = id as u32;
        }
        let faces = &mut order[first..last];
        patches.push(patch(mesh, faces, first, last));
        if faces.len() <= LEAF {
            continue;
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &f in faces.iter() {
            low = low.min(middles[f as usize]);
            high = high.max(middles[f as usize]);
        }
        let axis = (high - low).max_position();
        let half = faces.len() / 2;
        faces.select_nth_unstable_by(half, |&f, &g| {
            let key = |f: u32| middles[f as usize][axis];
            key(f).total_cmp(&key(g)).then(f.cmp(&g))
        });
        stack.push((first + half, last, Some(id)));
        stack.push((first, first + half, None));
    }
    (order, patches)
}

fn patch(mesh: &TriMesh, faces: &[u32], first: usize, last: usize) -> SurfacePatch {
    let corners = || {
        let faces = faces.iter().flat_map(|&f| mesh.faces()[f as usize]);
        faces.map(|v| mesh.positions()[v as usize])
    };
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in corners() {
        low = low.min(p);
        high = high.max(p);
    }
    let center = low + (high - low) * 0.5;
    SurfacePatch {
        first: first as u32,
        last: last as u32,
        second: NONE,
        pieces: 0,
        portal: None,
        center,
        radius: (high - low).length(),
    }
}

/// The face across each edge. Where an edge has several faces each way, any pairing serves.
fn pair_edges(corners: &[[u32; 3]]) -> Result<Vec<[u32; 3]>, VolumeError> {
    let mut uses: Vec<(u64, u32, u8)> = Vec::with_capacity(3 * corners.len());
    for (f, face) in corners.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (face[k], face[(k + 1) % 3]);
            if from != to {
                let key = u64::from(from.min(to)) << 32 | u64::from(from.max(to));
                let backward = if from < to { 0 } else { 4 };
                uses.push((key, f as u32, k as u8 | backward));
            }
        }
    }
    uses.sort_unstable();
    let mut neighbours = vec![[NONE; 3]; corners.len()];
    for edge in uses.chunk_by(|x, y| x.0 == y.0) {
        let forward = || edge.iter().filter(|u| u.2 < 4);
        let backward = || edge.iter().filter(|u| u.2 >= 4);
        let counts = (forward().count(), backward().count());
        if counts.0 != counts.1 {
            return Err(VolumeError::NotClosed {
                a: VertexId::new((edge[0].0 >> 32) as u32),
                b: VertexId::new(edge[0].0 as u32),
                forward: counts.0,
                backward: counts.1,
            });
        }
        for (x, y) in forward().zip(backward()) {
            neighbours[x.1 as usize][usize::from(x.2 & 3)] = y.1;
            neighbours[y.1 as usize][usize::from(y.2 & 3)] = x.1;
        }
    }
    Ok(neighbours)
}

/// Counts the pieces of every patch and finds its portal: each edge belongs to the smallest patch that holds both its faces.
fn connect(corners: &[[u32; 3]], neighbours: &[[u32; 3]], patches: &mut [SurfacePatch]) {
    let mut inner: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(corners.len() * 3 / 2);
    for (f, across) in neighbours.iter().enumerate() {
        let f = f as u32;
        for (k, &g) in across.iter().enumerate() {
            if g != NONE && f < g {
                let vertex = corners[f as usize][k];
                inner.push((smallest_patch(patches, f, g), f, g, vertex));
            }
        }
    }
    inner.sort_unstable();
    let mut sets: Vec<u32> = (0..corners.len() as u32).collect();
    let mut rest = inner.as_slice();
    for i in (0..patches.len()).rev() {
        let patch = patches[i];
        let mut pieces = if patch.second == NONE {
            patch.last - patch.first
        } else {
            patches[i + 1].pieces + patches[patch.second as usize].pieces
        };
        let cut = rest.partition_point(|edge| edge.0 < i as u32);
        let (before, own) = rest.split_at(cut);
        for &(_, f, g, _) in own {
            let (f, g) = (find(&mut sets, f), find(&mut sets, g));
            if f != g {
                sets[f as usize] = g;
                pieces -= 1;
            }
        }
        rest = before;
        patches[i].pieces = pieces;
        if patch.second != NONE {
            patches[i].portal = own.first().map(|&(_, f, g, vertex)| [f, g, vertex]);
        }
    }
}

fn smallest_patch(patches: &[SurfacePatch], f: u32, g: u32) -> u32 {
    let mut at = 0_usize;
    loop {
        let second = patches[at].second;
        if second == NONE {
            return at as u32;
        }
        let middle = patches[second as usize].first;
        if g < middle {
            at += 1;
        } else if f >= middle {
            at = second as usize;
        } else {
            return at as u32;
        }
    }
}

fn find(sets: &mut [u32], mut x: u32) -> u32 {
    while sets[x as usize] != x {
        sets[x as usize] = sets[sets[x as usize] as usize];
        x = sets[x as usize];
    }
    x
}
