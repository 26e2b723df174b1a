//! SIMD culling for other modules: which parts of two trees may be nearer than a bound.

use super::layout::{WIDTH, WideLeaf, WideNode};
use super::leaf_distance_bounds::{BoundError, CenterLine, box_gap, far_from_leaf, within_planes};
use super::node_view::NodeView;
use super::obb_lanes::{CarriedBox, distance_at_least};
use super::relative_pose::{RelativePose, U, exp2};
use super::tree::WideTree;
use super::triangle_distance_lanes::bracket_row;
use super::triangle_lanes::CarriedFaces;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, Mask, dispatch};
use crate::math::{Pose, outward_rounding};

/// A relative pose of two trees, ready for the lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneCulling {
    forth: RelativePose,
    back: RelativePose,
    /// Units of a's tree in one of the mesh's.
    unit: f64,
    level: Level,
}

impl LaneCulling {
    /// None when the meshes are too different in size, or too far apart, for `f32`.
    pub(crate) fn new(a: &WideTree, b: &WideTree, a_from_b: &Pose) -> Option<Self> {
        let [forth, back] = RelativePose::both(&a.frame, &b.frame, a_from_b)?;
        Some(Self {
            forth,
            back,
            unit: exp2(-a.frame.exponent),
            level: Level::detect(),
        })
    }

    /// Distances that the parts of part `opened` of `a` do not come nearer to `other` of `b` than, lane by lane.
    pub(crate) fn nodes_of_a(
        &self,
        a: &WideTree,
        opened: &NodeView,
        b: &WideTree,
        other: &NodeView,
    ) -> Option<[f64; WIDTH]> {
        let node = a.nodes.get(opened.node()?)?;
        let (holder, lane) = other.lane(b)?;
        let bounds = dispatch(
            self.level,
            BoxCulling {
                node,
                holder,
                lane,
                relative: &self.forth,
            },
        );
        Some(bounds.map(|d| f64::from(d) / self.unit))
    }

    /// The same for the parts of part `opened` of `b` and `other` of `a`.
    pub(crate) fn nodes_of_b(
        &self,
        b: &WideTree,
        opened: &NodeView,
        a: &WideTree,
        other: &NodeView,
    ) -> Option<[f64; WIDTH]> {
        let node = b.nodes.get(opened.node()?)?;
        let (holder, lane) = other.lane(a)?;
        let bounds = dispatch(
            self.level,
            BoxCulling {
                node,
                holder,
                lane,
                relative: &self.back,
            },
        );
        let scale = f64::from(self.forth.scale);
        Some(bounds.map(|d| f64::from(d) * scale / self.unit))
    }

    /// For each face of leaf `b`, the faces of leaf `a` that may be as near as `distance`, one bit each.
    pub(crate) fn near_faces(
        &self,
        a: &WideTree,
        leaf_a: &NodeView,
        b: &WideTree,
        leaf_b: &NodeView,
        distance: f64,
    ) -> [u32; WIDTH] {
        match (leaf_a.leaf(a), leaf_b.leaf(b)) {
            (Some(a), Some(b)) => dispatch(
                self.level,
                FaceCulling {
                    a,
                    b,
                    forth: &self.forth,
                    bound: outward_rounding::up(distance * self.unit + f64::from(self.forth.slack)),
                },
            ),
            _ => [0; WIDTH],
        }
    }
}

struct BoxCulling<'n> {
    node: &'n WideNode,
    holder: &'n WideNode,
    lane: usize,
    relative: &'n RelativePose,
}

impl Kernel for BoxCulling<'_> {
    type Output = [f32; WIDTH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [f32; WIDTH] {
        let carried = CarriedBox::new::<T>(self.holder, self.lane, self.relative);
        distance_at_least::<T>(self.node, &carried).store()
    }
}

struct FaceCulling<'l> {
    a: &'l WideLeaf,
    b: &'l WideLeaf,
    forth: &'l RelativePose,
    bound: f32,
}

impl Kernel for FaceCulling<'_> {
    type Output = [u32; WIDTH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [u32; WIDTH] {
        near_masks::<T>(self.a, self.b, self.forth, self.bound)
    }
}

/// For each face of `b`, the faces of `a` that may be as near as `bound`, in a's units, one bit each.
#[inline(always)]
pub(super) fn near_masks<T: Lanes>(
    a: &WideLeaf,
    b: &WideLeaf,
    forth: &RelativePose,
    bound: f32,
) -> [u32; WIDTH] {
    let mut masks = [0; WIDTH];
    let carried = CarriedFaces::new::<T>(a, b, forth);
    let spare = BoundError::new(&carried);
    let limit = T::splat(bound);
    let line = CenterLine::<T>::new(a, &carried);
    let mut near = far_from_leaf::<T>(a, &carried, &spare).le(limit).bits() & b.lanes();
    while near != 0 {
        let j = near.trailing_zeros() as usize;
        near &= near - 1;
        let q = carried.face(j);
        let mut left = line.gap(j).le(T::splat(bound + spare.point));
        left = left & box_gap::<T>(a, &q, &spare).le(limit);
        if left.bits() & a.lanes() == 0 {
            continue;
        }
        left = left & within_planes::<T>(a, &q, bound + spare.point, &spare);
        if left.bits() & a.lanes() == 0 {
            continue;
        }
        let lower = bracket_row::<T>(a, &q).lower * T::splat(1.0 - 32.0 * U);
        left = left & (lower - T::splat(spare.point)).le(limit);
        masks[j] = left.bits() & a.lanes();
    }
    masks
}
