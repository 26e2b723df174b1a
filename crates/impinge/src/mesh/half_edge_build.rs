//! Building the half-edges in linear time.
//!
//! Half-edges are distributed to the smaller of their two vertices by counting, then each
//! vertex's few are sorted by the larger one; a crowded vertex is sorted digit by digit, so that
//! no mesh costs more than a constant per half-edge.

use super::TriMesh;
use super::half_edge::{HalfEdges, NONE};
use crate::query::HalfEdgeId;

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
        let mut starts = vec![0_u32; mesh.vertex_count() + 1];
        for (lower, ..) in directed_edges(faces) {
            starts[lower as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut keys = vec![0_u64; sum as usize];
        let mut free = starts.clone();
        for (lower, upper, half_edge) in directed_edges(faces) {
            let slot = &mut free[lower as usize];
            keys[*slot as usize] = u64::from(upper) << 32 | u64::from(half_edge);
            *slot += 1;
        }
        drop(free);

        let mut members = Vec::with_capacity(keys.len());
        // A closed surface has half as many edges as half-edges.
        let mut edge_starts = Vec::with_capacity(keys.len() / 2 + 1);
        let mut spare = Vec::new();
        for bucket in starts.windows(2) {
            let bucket = &mut keys[bucket[0] as usize..bucket[1] as usize];
            if bucket.len() < CROWDED {
                bucket.sort_unstable();
            } else {
                sort_by_upper(bucket, &mut spare);
            }
            let mut last = None;
            for &key in bucket.iter() {
                let upper = (key >> 32) as u32;
                if last != Some(upper) {
                    edge_starts.push(members.len() as u32);
                    last = Some(upper);
                }
                members.push(HalfEdgeId::new(key as u32));
            }
        }
        edge_starts.push(members.len() as u32);
        Self::from_edges(mesh, edge_starts, members)
    }

    /// The table with these edges: grouped half-edges, ascending within each group, groups in
    /// the order of their vertices.
    pub(super) fn from_edges(
        mesh: &TriMesh,
        edge_starts: Vec<u32>,
        members: Vec<HalfEdgeId>,
    ) -> Self {
        let faces = mesh.faces().to_vec();
        let origin = |h: HalfEdgeId| faces[h.index() / 3][h.index() % 3];
        let mut twin = vec![NONE; faces.len() * 3];
        let mut edge_of = vec![NONE; faces.len() * 3];
        for (edge, range) in edge_starts.windows(2).enumerate() {
            let half_edges = &members[range[0] as usize..range[1] as usize];
            for h in half_edges {
                edge_of[h.index()] = edge as u32;
            }
            if let &[g, h] = half_edges
                && origin(g) != origin(h)
            {
                twin[g.index()] = h.raw();
                twin[h.index()] = g.raw();
            }
        }
        let mut outgoing = vec![NONE; mesh.vertex_count()];
        for h in 0..twin.len() {
            if edge_of[h] == NONE {
                continue;
            }
            let best = &mut outgoing[faces[h / 3][h % 3] as usize];
            if *best == NONE || (twin[h] == NONE && twin[*best as usize] != NONE) {
                *best = h as u32;
            }
        }
        Self {
            faces,
            twin,
            edge_of,
            edge_starts,
            members,
            outgoing,
        }
    }
}

/// `(smaller vertex, larger vertex, half-edge)` of every half-edge in a face of three distinct vertices.
pub(super) fn directed_edges(faces: &[[u32; 3]]) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
    faces
        .iter()
        .enumerate()
        .filter(|(_, face)| is_proper(face))
        .flat_map(|(f, &[a, b, c])| {
            let first = f as u32 * 3;
            [
                (a.min(b), a.max(b), first),
                (b.min(c), b.max(c), first + 1),
                (c.min(a), c.max(a), first + 2),
            ]
        })
}

/// Whether a face names three distinct vertices.
pub(super) fn is_proper(&[a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
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
