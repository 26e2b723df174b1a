//! The tree in double precision, for searches with bounds other than distance, which cannot use the
//! lanes.

use glam::DVec3;

use super::layout::{LEAF, NO_CHILD, WIDTH, WideLeaf, WideNode};
use super::relative_pose::exp2;
use super::tree::{TreeFrame, WideTree};
use crate::bound::Aabb;
use crate::math::Pose;

/// An oriented box in the mesh's units. It holds every vertex below it with room to spare: stored
/// extents exceed the true ones by more than anything computed in `f64` with them is off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBox {
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
    /// Of unit length and at right angles, within rounding of `f32`.
    pub(crate) axes: [DVec3; 3],
}

impl NodeBox {
    fn of(node: &WideNode, k: usize, frame: &TreeFrame) -> Self {
        let at = |x: &[[f32; WIDTH]; 3]| DVec3::from([x[0][k], x[1][k], x[2][k]].map(f64::from));
        let unit = exp2(frame.exponent);
        Self {
            center: frame.center + at(&node.center) * unit,
            half: at(&node.half) * unit,
            axes: [at(&node.axis[0]), at(&node.axis[1]), at(&node.axis[2])],
        }
    }

    /// The box as `pose` places it.
    pub(crate) fn placed(&self, pose: &Pose) -> Self {
        Self {
            center: pose.transform_point(self.center),
            half: self.half,
            axes: self.axes.map(|axis| pose.transform_vector(axis)),
        }
    }

    /// How far the box reaches from its centre along `n`, of any length.
    #[inline]
    pub(crate) fn radius(&self, n: DVec3) -> f64 {
        self.half.x * self.axes[0].dot(n).abs()
            + self.half.y * self.axes[1].dot(n).abs()
            + self.half.z * self.axes[2].dot(n).abs()
    }

    /// How far the box reaches from its centre in any direction.
    #[inline]
    pub(crate) fn outer_radius(&self) -> f64 {
        self.half.length() * (1.0 + 1e-6)
    }

    /// A distance that no point of the box is nearer to `p` than.
    #[inline]
    pub(crate) fn distance_at_least(&self, p: DVec3) -> f64 {
        let away = p - self.center;
        let along = DVec3::new(
            self.axes[0].dot(away).abs(),
            self.axes[1].dot(away).abs(),
            self.axes[2].dot(away).abs(),
        );
        (along - self.half).max(DVec3::ZERO).length() * (1.0 - 1e-6)
    }

    /// The box along the axes around it, never too small.
    pub(crate) fn aabb(&self) -> Aabb {
        let [u, v, w] = self.axes;
        let half = u.abs() * self.half.x + v.abs() * self.half.y + w.abs() * self.half.z;
        let half = half + (half + self.center.abs()) * (8.0 * f64::EPSILON);
        Aabb {
            min: self.center - half,
            max: self.center + half,
        }
    }

    /// The eight corners.
    pub(crate) fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|k| {
            let side = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
            self.center
                + self.axes[0] * (self.half.x * side(1))
                + self.axes[1] * (self.half.y * side(2))
                + self.axes[2] * (self.half.z * side(4))
        })
    }
}

/// A subtree and its box, in the mesh's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeView {
    pub(crate) bounds: NodeBox,
    child: u32,
    /// `8·node + lane` of the box; [`NO_CHILD`] for the whole.
    lane: u32,
}

impl NodeView {
    /// What [`WideTree::numbered`] finds it by.
    pub(crate) fn number(&self) -> u32 {
        self.lane
    }

    /// Whether it holds faces and no more parts.
    pub(crate) fn is_leaf(&self) -> bool {
        self.child & LEAF != 0
    }

    /// The part placed by a pose.
    pub(crate) fn placed(&self, pose: &Pose) -> Self {
        Self {
            bounds: self.bounds.placed(pose),
            ..*self
        }
    }

    /// The number of its node; none of a leaf.
    pub(super) fn node(&self) -> Option<usize> {
        (!self.is_leaf()).then_some(self.child as usize)
    }

    /// The number of its leaf; none of a node.
    pub(super) fn leaf_number(&self) -> Option<usize> {
        self.is_leaf().then_some((self.child & !LEAF) as usize)
    }

    /// Its faces; none of a node.
    pub(super) fn leaf<'t>(&self, tree: &'t WideTree) -> Option<&'t WideLeaf> {
        tree.leaves.get(self.leaf_number()?)
    }

    /// The node and lane that hold its box.
    pub(super) fn lane<'t>(&self, tree: &'t WideTree) -> Option<(&'t WideNode, usize)> {
        if self.lane == NO_CHILD {
            return Some((&tree.root, 0));
        }
        let lane = self.lane as usize;
        Some((tree.nodes.get(lane / WIDTH)?, lane % WIDTH))
    }
}

impl WideTree {
    /// The whole tree as one part; none for an empty mesh.
    pub(crate) fn whole(&self) -> Option<NodeView> {
        (!self.nodes.is_empty()).then(|| NodeView {
            bounds: NodeBox::of(&self.root, 0, &self.frame),
            child: 0,
            lane: NO_CHILD,
        })
    }

    /// The part with this number; none when there is no such part.
    pub(crate) fn numbered(&self, number: u32) -> Option<NodeView> {
        if number == NO_CHILD {
            return self.whole();
        }
        let lane = number as usize;
        let (node, k) = (self.nodes.get(lane / WIDTH)?, lane % WIDTH);
        let child = *node.child.get(k)?;
        (child != NO_CHILD).then(|| NodeView {
            bounds: NodeBox::of(node, k, &self.frame),
            child,
            lane: number,
        })
    }

    /// Part `k` of a part, in the mesh's frame, for `k` below [`WIDTH`]; none of a leaf or when there are fewer.
    pub(crate) fn part(&self, of: &NodeView, k: usize) -> Option<NodeView> {
        let number = of.node()?;
        let node = self.nodes.get(number)?;
        let child = *node.child.get(k)?;
        (child != NO_CHILD).then(|| NodeView {
            bounds: NodeBox::of(node, k, &self.frame),
            child,
            lane: (number * WIDTH + k) as u32,
        })
    }

    /// The parts of a part, in the mesh's frame; none of a leaf.
    pub(crate) fn parts(&self, of: &NodeView) -> impl Iterator<Item = NodeView> + '_ {
        let of = *of;
        (0..WIDTH).filter_map(move |k| self.part(&of, k))
    }

    /// The faces of a leaf; none of any other part.
    pub(crate) fn faces_of(&self, part: &NodeView) -> &[u32] {
        part.leaf(self)
            .map_or(&[], |leaf| &leaf.face[..leaf.count as usize])
    }
}
