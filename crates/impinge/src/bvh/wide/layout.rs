//! Memory layout of nodes and leaves.

use glam::DVec3;

/// Children of a node and faces of a leaf.
pub(crate) const WIDTH: usize = 8;
/// Marks a child that is a leaf; the other bits are its number.
pub(super) const LEAF: u32 = 1 << 31;
/// A lane without a child.
pub(super) const NO_CHILD: u32 = u32::MAX;
/// Half extent of a lane without a child: it fails every overlap test and is infinitely far.
pub(super) const ABSENT: f32 = -1e30;

/// Eight oriented boxes, lane by lane: one box per child.
///
/// Box `k` is the set of points `center + Σ sᵢ·axisᵢ` with `|sᵢ| ≤ halfᵢ` for the numbers *as stored*:
/// the axes are unit vectors rounded to `f32`, and the extents were computed for the rounded
/// axes, so that nothing was lost by rounding.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct WideNode {
    pub(super) center: [[f32; WIDTH]; 3],
    pub(super) half: [[f32; WIDTH]; 3],
    /// `axis[i][c]` is component `c` of axis `i`.
    pub(super) axis: [[[f32; WIDTH]; 3]; 3],
    pub(super) child: [u32; WIDTH],
}

const _: () = assert!(size_of::<WideNode>() == 512);

impl WideNode {
    pub(super) const EMPTY: Self = Self {
        center: [[0.0; WIDTH]; 3],
        half: [[ABSENT; WIDTH]; 3],
        axis: [[[0.25; WIDTH]; 3]; 3],
        child: [NO_CHILD; WIDTH],
    };

    /// A measure of the size of box `k`, for choosing which tree to descend.
    #[inline(always)]
    pub(super) fn size(&self, k: usize) -> f32 {
        self.half[0][k] + self.half[1][k] + self.half[2][k]
    }
}

/// Up to eight faces around an origin of their own, so that rounding to `f32` is relative to
/// their size and not to the mesh's.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct WideLeaf {
    /// `corner[v][c]` is component `c` of corner `v`, relative to `origin`; NaN in absent lanes.
    pub(super) corner: [[[f32; WIDTH]; 3]; 3],
    pub(super) face: [u32; WIDTH],
    /// The centre of the faces' box.
    pub(super) origin: DVec3,
    /// Half extents of the faces' box, rounded up.
    pub(super) half: [f32; 3],
    /// Length of the box's diagonal, rounded up.
    pub(super) diameter: f32,
    /// The mean normal, of about unit length.
    pub(super) normal: [f32; 3],
    /// Least and greatest extent along `normal` as stored, rounded outward.
    pub(super) slab: [f32; 2],
    /// Faces present, in the first lanes.
    pub(super) count: u32,
}

const _: () = assert!(size_of::<WideLeaf>() == 384);

impl WideLeaf {
    /// The lanes that hold a face.
    #[inline(always)]
    pub(super) fn lanes(&self) -> u32 {
        (1 << self.count) - 1
    }
}
