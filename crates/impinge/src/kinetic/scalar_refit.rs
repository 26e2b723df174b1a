//! The same tree, refitted box by box in double precision: the reference of the others.

use glam::DVec3;

use super::kinetic_node::nodes_of_topology;
use super::kinetic_structure::KineticCounts;
use super::topology::{RefitOrder, TreeTopology};
use super::tree_traversal::{VolumeTree, meets_as_refitted};
use super::{Keyframes, KineticError, KineticNode};
use crate::bound::Aabb;

/// A tree of boxes over faces whose boxes are all recomputed, from the leaves to the root, whenever vertices moved.
///
/// Its boxes are exact. [`RefitTree`](super::RefitTree) is the same with vector instructions and boxes rounded outwards.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, KineticNode, ScalarRefitTree};
/// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let flight = Keyframes::linear(&start, &[DVec3::Z; 3], 0.0, 1.0)?;
/// let mut tree = ScalarRefitTree::new(&flight, &[[0, 1, 2]])?;
/// let moved = start.map(|p| p + DVec3::Z);
/// tree.refit(&moved)?;
/// assert_eq!(tree.bounds(KineticNode::ROOT).unwrap().min.z, 1.0);
/// assert_eq!((tree.children(KineticNode::ROOT), tree.counts().updates), (None, 6));
/// assert_eq!(tree.face(KineticNode::ROOT).map(|f| f.raw()), Some(0));
/// assert!(tree.refit(&moved[..2]).is_err());
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScalarRefitTree {
    pub(super) topology: TreeTopology,
    pub(super) boxes: Vec<Aabb>,
    order: RefitOrder,
    vertices: usize,
    counts: KineticCounts,
}

impl ScalarRefitTree {
    /// The tree over faces as they are at the start of a plan; the same tree as
    /// [`KineticAabbTree`](super::KineticAabbTree) has.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let topology = TreeTopology::new(flight, faces, u8::MAX)?;
        let mut made = Self {
            boxes: vec![Aabb::EMPTY; topology.node_count()],
            order: topology.refit_order(),
            topology,
            vertices: flight.vertex_count(),
            counts: KineticCounts::default(),
        };
        made.refit(&flight.start_positions())?;
        made.counts = KineticCounts::default();
        Ok(made)
    }

    /// Computes all boxes again from the places of all vertices.
    ///
    /// # Errors
    /// The number of vertices is another than that of the plan.
    pub fn refit(&mut self, places: &[DVec3]) -> Result<(), KineticError> {
        self.check(places)?;
        for &(node, corners) in &self.order.leaves {
            let [a, b, c] = corners.map(|v| places[v as usize]);
            self.boxes[node as usize] = Aabb {
                min: a.min(b).min(c),
                max: a.max(b).max(c),
            };
        }
        for &(node, child) in &self.order.inner {
            let child = child as usize;
            self.boxes[node as usize] = self.boxes[child].union(&self.boxes[child + 1]);
        }
        self.counts.updates += 6 * self.order.node_count() as u64;
        Ok(())
    }

    pub(super) fn check(&self, places: &[DVec3]) -> Result<(), KineticError> {
        if places.len() == self.vertices {
            return Ok(());
        }
        Err(KineticError::VertexCount {
            key: 0,
            found: places.len(),
            expected: self.vertices,
        })
    }

    /// The box of a node; none when there is no such node.
    #[must_use]
    pub fn bounds(&self, node: KineticNode) -> Option<Aabb> {
        self.topology
            .has(node.0)
            .then(|| self.boxes[node.0 as usize])
    }

    nodes_of_topology!();
    meets_as_refitted!();

    /// Values written since it was built: six for each box.
    #[must_use]
    pub fn counts(&self) -> KineticCounts {
        self.counts
    }
}

impl VolumeTree for ScalarRefitTree {
    type Volume = Aabb;

    fn nodes(&self) -> &TreeTopology {
        &self.topology
    }

    fn root(&self) -> Aabb {
        self.boxes[0]
    }

    #[inline]
    fn child(&self, _: u32, child: u32, _: &Aabb) -> Aabb {
        self.boxes[child as usize]
    }
}
