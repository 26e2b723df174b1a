//! The topology of a tree over faces, without volumes.
//!
//! Nodes are numbered so that siblings are neighbours (`2k` and `2k + 1`), a parent has a lower number than its children, and the
//! root is 0; number 1 is not used. The faces are split at the median along the longest side of their centroids' box, so the height is
//! the least possible.

use glam::DVec3;

use super::{Keyframes, KineticError};
use crate::bound::Aabb;

/// The bit that marks the place of a face among places of children.
const FACE: u32 = 1 << 31;
/// The greatest number of slots of any structure for one node.
const MOST_SLOTS: usize = 18;

#[derive(Clone, Debug)]
pub(super) struct TreeTopology {
    faces: Vec<[u32; 3]>,
    /// By pair of siblings.
    parents: Vec<u32>,
    /// By node: the first child, or the face with a mark.
    children: Vec<u32>,
    /// By node: the axis that separates its children.
    axes: Vec<u8>,
}

/// What a node holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NodeContent {
    Face(u32),
    /// The first of two neighbours.
    Children(u32),
}

impl TreeTopology {
    /// Of the faces as they are at the first key. An axis is used again after at most `axis_cap` levels.
    pub(super) fn new(
        flight: &Keyframes,
        faces: &[[u32; 3]],
        axis_cap: u8,
    ) -> Result<Self, KineticError> {
        let vertices = flight.vertex_count();
        for &vertex in faces.iter().flatten() {
            if vertex as usize >= vertices {
                return Err(KineticError::NoSuchVertex {
                    vertex: vertex as usize,
                    vertices,
                });
            }
        }
        if faces.len() >= FACE as usize / MOST_SLOTS {
            return Err(KineticError::TooMany {
                what: "faces",
                count: faces.len(),
            });
        }
        let centroids: Vec<DVec3> = faces
            .iter()
            .map(|f| {
                let [a, b, c] = f.map(|v| flight.place(v, 1, flight.start()));
                (a + b + c) / 3.0
            })
            .collect();
        let count = 2 * faces.len();
        let mut made = Self {
            faces: faces.to_vec(),
            parents: vec![0; count / 2],
            children: vec![FACE; count],
            axes: vec![0; count],
        };
        let mut order: Vec<u32> = (0..faces.len() as u32).collect();
        let mut next = 2;
        let mut open = Vec::new();
        if !faces.is_empty() {
            open.push((0_usize, 0..faces.len(), [0_u8; 3]));
        }
        while let Some((node, range, ages)) = open.pop() {
            let part = &mut order[range.clone()];
            if let [face] = *part {
                made.children[node] = FACE | face;
                continue;
            }
            let bounds = Aabb::enclosing(part.iter().map(|&f| centroids[f as usize]));
            let axis = choose_axis(&bounds, ages, axis_cap);
            let middle = part.len() / 2;
            part.select_nth_unstable_by(middle, |&f, &g| {
                let (x, y) = (centroids[f as usize][axis], centroids[g as usize][axis]);
                x.total_cmp(&y).then(f.cmp(&g))
            });
            made.children[node] = next as u32;
            made.axes[node] = axis as u8;
            made.parents[next / 2] = node as u32;
            let mut ages = ages.map(|age| age.saturating_add(1));
            ages[axis] = 0;
            let split = range.start + middle;
            open.push((next + 1, split..range.end, ages));
            open.push((next, range.start..split, ages));
            next += 2;
        }
        Ok(made)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// One more than the greatest number of a node.
    #[inline]
    pub(super) fn node_count(&self) -> usize {
        self.children.len()
    }

    /// Whether a number is that of a node.
    pub(super) fn has(&self, node: u32) -> bool {
        (node as usize) < self.children.len() && node != 1
    }

    #[inline]
    pub(super) fn below(&self, node: u32) -> NodeContent {
        let child = self.children[node as usize];
        if child & FACE == 0 {
            NodeContent::Children(child)
        } else {
            NodeContent::Face(child & !FACE)
        }
    }

    /// The parent; of the root there is none.
    #[inline]
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        if node == 0 {
            None
        } else {
            Some(self.parents[node as usize / 2])
        }
    }

    #[inline]
    pub(super) fn axis(&self, node: u32) -> usize {
        self.axes[node as usize] as usize
    }

    #[inline]
    pub(super) fn corners(&self, face: u32) -> [u32; 3] {
        self.faces[face as usize]
    }

    /// The numbers of all nodes, children before their parents.
    pub(super) fn upwards(&self) -> impl Iterator<Item = u32> + use<> {
        let count = self.node_count() as u32;
        (0..count).rev().filter(|&node| node != 1)
    }

    /// What a refit computes, in which order.
    pub(super) fn refit_order(&self) -> RefitOrder {
        let mut order = RefitOrder {
            leaves: Vec::new(),
            inner: Vec::new(),
        };
        for node in self.upwards() {
            match self.below(node) {
                NodeContent::Face(face) => order.leaves.push((node, self.corners(face))),
                NodeContent::Children(child) => order.inner.push((node, child)),
            }
        }
        order
    }

    /// The leaves around each vertex.
    pub(super) fn incidence(&self, vertices: usize) -> VertexLeaves {
        let mut starts = vec![0_u32; vertices + 1];
        for &v in self.faces.iter().flatten() {
            starts[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        let mut filled = starts.clone();
        let mut leaves = vec![0; 3 * self.faces.len()];
        for node in self.upwards() {
            if let NodeContent::Face(face) = self.below(node) {
                for v in self.corners(face) {
                    leaves[filled[v as usize] as usize] = node;
                    filled[v as usize] += 1;
                }
            }
        }
        VertexLeaves { starts, leaves }
    }
}

fn choose_axis(bounds: &Aabb, ages: [u8; 3], cap: u8) -> usize {
    let oldest = (0..3)
        .max_by_key(|&axis| (ages[axis], 3 - axis))
        .unwrap_or(0);
    if ages[oldest].saturating_add(1) >= cap {
        return oldest;
    }
    let size = bounds.diagonal();
    if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    }
}

/// The nodes in the order in which a refit computes them: the leaves, then what is above them.
#[derive(Clone, Debug)]
pub(super) struct RefitOrder {
    /// The leaves and their vertices.
    pub(super) leaves: Vec<(u32, [u32; 3])>,
    /// Inner nodes and their first children, children before parents.
    pub(super) inner: Vec<(u32, u32)>,
}

impl RefitOrder {
    pub(super) fn node_count(&self) -> usize {
        self.leaves.len() + self.inner.len()
    }
}

/// Which leaves use a vertex.
#[derive(Clone, Debug)]
pub(super) struct VertexLeaves {
    starts: Vec<u32>,
    leaves: Vec<u32>,
}

impl VertexLeaves {
    pub(super) fn leaves(&self, vertex: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|k| self.starts[vertex as usize + k] as usize);
        &self.leaves[from..to]
    }
}
