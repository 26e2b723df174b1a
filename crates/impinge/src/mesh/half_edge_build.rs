//! Building the half-edges in linear time.
//!
//! Half-edges are distributed to the smaller of their two vertices by counting, then the few of
//! each vertex are sorted by the larger one; a vertex of high degree uses a radix sort, so that no
//! mesh costs more than a constant per half-edge. Large meshes are bound by memory traffic, hence
//! few passes and tables that are written once.

use super::TriMesh;
use super::half_edge::{HalfEdgeLink, HalfEdges, NONE};
use crate::query::HalfEdgeId;

/// Up to this many half-edges, inserting one by one beats every other way to sort.
const FEW: usize = 16;
/// From this many half-edges on, digits beat comparisons.
const CROWDED: usize = 1024;

impl HalfEdges {
    /// The half-edges of any mesh, in time linear in its faces and vertices.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::HalfEdges};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let half_edges = HalfEdges::new(&tetrahedron);
    /// assert_eq!(half_edges.euler_characteristic(), 2);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let faces = mesh.faces();
        let corners = faces.as_flattened();
        let mut ends = vec![0_u32; mesh.vertex_count()];
        let mut links = HalfEdgeLinks::new(mesh);
        for (face, corners) in faces.iter().enumerate().filter(|(_, f)| is_proper(f)) {
            let &[a, b, c] = corners;
            ends[a.min(b) as usize] += 1;
            ends[b.min(c) as usize] += 1;
            ends[c.min(a) as usize] += 1;
            links.offer_outgoing(face as u32, corners);
        }
        let mut sum = 0;
        for end in &mut ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        // Until a vertex's half-edges are all placed, `ends` says where the next one goes.
        let mut members = vec![HalfEdgeId::new(0); sum as usize];
        for (face, corners) in faces.iter().enumerate().filter(|(_, f)| is_proper(f)) {
            let &[a, b, c] = corners;
            for (lower, corner) in [(a.min(b), 0), (b.min(c), 1), (c.min(a), 2)] {
                let end = &mut ends[lower as usize];
                members[*end as usize] = HalfEdgeId::new(face as u32 * 3 + corner);
                *end += 1;
            }
        }

        // A closed surface has half as many edges as half-edges.
        let mut edge_starts = Vec::with_capacity(members.len() / 2 + 1);
        let (mut keys, mut spare) = (Vec::new(), Vec::new());
        let mut begin = 0;
        for (lower, &end) in ends.iter().enumerate() {
            let bucket = &mut members[begin..end as usize];
            keys.clear();
            keys.extend(bucket.iter().map(|h| {
                // Of the two ends, the one that is not `lower`.
                let upper = corners[h.index()] ^ corners[next(*h)] ^ lower as u32;
                u64::from(upper) << 32 | u64::from(h.raw())
            }));
            if keys.len() <= FEW {
                sort_few(&mut keys);
            } else if keys.len() < CROWDED {
                keys.sort_unstable();
            } else {
                sort_by_upper(&mut keys, &mut spare);
            }
            for (h, &key) in bucket.iter_mut().zip(&keys) {
                *h = HalfEdgeId::new(key as u32);
            }
            let mut first = 0;
            for group in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
                let next = first + group.len();
                links.add(edge_starts.len() as u32, &bucket[first..next]);
                edge_starts.push((begin + first) as u32);
                first = next;
            }
            begin = end as usize;
        }
        edge_starts.push(members.len() as u32);
        links.finish(edge_starts, members)
    }
}

/// The tables that follow from the edges, filled edge by edge.
pub(super) struct HalfEdgeLinks<'a> {
    mesh: &'a TriMesh,
    links: Vec<HalfEdgeLink>,
    without_twin: Vec<HalfEdgeId>,
    outgoing: Vec<u32>,
}

impl<'a> HalfEdgeLinks<'a> {
    pub(super) fn new(mesh: &'a TriMesh) -> Self {
        Self {
            mesh,
            links: vec![HalfEdgeLink::default(); mesh.face_count() * 3],
            without_twin: Vec::new(),
            outgoing: vec![NONE; mesh.vertex_count()],
        }
    }

    /// Notes a face of three distinct vertices; faces come in ascending order.
    #[inline]
    pub(super) fn offer_outgoing(&mut self, face: u32, corners: &[u32; 3]) {
        for (half_edge, &v) in (3 * face..).zip(corners) {
            let best = &mut self.outgoing[v as usize];
            *best = (*best).min(half_edge);
        }
    }

    /// Notes an edge by all its half-edges, ascending.
    #[inline]
    pub(super) fn add(&mut self, edge: u32, half_edges: &[HalfEdgeId]) {
        let origins = self.mesh.faces().as_flattened();
        match *half_edges {
            [g, h] if origins[g.index()] != origins[h.index()] => {
                self.links[g.index()] = HalfEdgeLink::new(Some(h), edge);
                self.links[h.index()] = HalfEdgeLink::new(Some(g), edge);
            }
            _ => {
                for h in half_edges {
                    self.links[h.index()] = HalfEdgeLink::new(None, edge);
                }
                self.without_twin.extend(half_edges);
            }
        }
    }

    /// The finished table; edges must have been added in the order of their vertices.
    pub(super) fn finish(self, edge_starts: Vec<u32>, members: Vec<HalfEdgeId>) -> HalfEdges {
        let mut outgoing = self.outgoing;
        let faces = self.mesh.faces().to_vec();
        for h in self.without_twin {
            let best = &mut outgoing[faces[h.index() / 3][h.index() % 3] as usize];
            if self.links[*best as usize].twin().is_some() || *best > h.raw() {
                *best = h.raw();
            }
        }
        HalfEdges {
            faces,
            links: self.links,
            edge_starts,
            members,
            outgoing,
        }
    }
}

/// Whether a face names three distinct vertices.
pub(super) fn is_proper(&[a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}

/// The number of the half-edge that follows in the same face, without a branch to guess.
#[inline]
fn next(h: HalfEdgeId) -> usize {
    let h = h.index();
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// Sorts by insertion.
#[inline]
fn sort_few(keys: &mut [u64]) {
    for i in 1..keys.len() {
        let key = keys[i];
        let mut hole = i;
        while hole > 0 && keys[hole - 1] > key {
            keys[hole] = keys[hole - 1];
            hole -= 1;
        }
        keys[hole] = key;
    }
}

/// Sorts by the upper 32 bits, stably, one byte at a time: linear however crowded the vertex is.
fn sort_by_upper(keys: &mut [u64], spare: &mut Vec<u64>) {
    spare.clear();
    spare.resize(keys.len(), 0);
    for shift in [32, 40, 48, 56] {
        let mut ends = [0_usize; 257];
        for key in keys.iter() {
            ends[(key >> shift & 0xff) as usize + 1] += 1;
        }
        for digit in 0..256 {
            ends[digit + 1] += ends[digit];
        }
        for &key in keys.iter() {
            let slot = &mut ends[(key >> shift & 0xff) as usize];
            spare[*slot] = key;
            *slot += 1;
        }
        keys.copy_from_slice(spare);
    }
}
