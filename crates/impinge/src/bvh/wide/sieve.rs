//! Which parts of two trees may be nearer than a bound: the lanes' answer for searches of other modules.

use super::boxes::{Carried, distance_at_least};
use super::closest::bracket_row;
use super::faces::CarriedFaces;
use super::layout::{Leaf, Node, WIDTH};
use super::leaf_bounds::{CenterLine, Spare, box_gap, far_from_leaf, within_planes};
use super::part::Part;
use super::relative::{Relative, U, exp2};
use super::tree::WideTree;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, Mask, dispatch};
use crate::math::{Pose, round};

/// A relative pose of two trees, ready for the lanes.
#[derive(Clone, Debug)]
pub(crate) struct Sieve {
    forth: Relative,
    back: Relative,
    /// Units of a's tree in one of the mesh's.
    unit: f64,
    level: Level,
}

impl Sieve {
    /// None when the meshes are too different in size, or too far apart, for `f32`.
    pub(crate) fn new(a: &WideTree, b: &WideTree, a_from_b: &Pose) -> Option<Self> {
        let [forth, back] = Relative::both(&a.frame, &b.frame, a_from_b)?;
        Some(Self {
            forth,
            back,
            unit: exp2(-a.frame.exponent),
            level: Level::detect(),
        })
    }

    /// Distances that the parts of part `opened` of `a` do not come nearer to `other` of `b` than, lane by lane.
    pub(crate) fn parts_of_a(
        &self,
        a: &WideTree,
        opened: &Part,
        b: &WideTree,
        other: &Part,
    ) -> Option<[f64; WIDTH]> {
        let node = a.nodes.get(opened.node()?)?;
        let (holder, lane) = other.lane(b)?;
        let bounds = dispatch(
            self.level,
            Boxes {
                node,
                holder,
                lane,
                relative: &self.forth,
            },
        );
        Some(bounds.map(|d| f64::from(d) / self.unit))
    }

    /// The same for the parts of part `opened` of `b` and `other` of `a`.
    pub(crate) fn parts_of_b(
        &self,
        b: &WideTree,
        opened: &Part,
        a: &WideTree,
        other: &Part,
    ) -> Option<[f64; WIDTH]> {
        let node = b.nodes.get(opened.node()?)?;
        let (holder, lane) = other.lane(a)?;
        let bounds = dispatch(
            self.level,
            Boxes {
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
        leaf_a: &Part,
        b: &WideTree,
        leaf_b: &Part,
        distance: f64,
    ) -> [u32; WIDTH] {
        match (leaf_a.leaf(a), leaf_b.leaf(b)) {
            (Some(a), Some(b)) => dispatch(
                self.level,
                Faces {
                    a,
                    b,
                    forth: &self.forth,
                    bound: round::up(distance * self.unit + f64::from(self.forth.slack)),
                },
            ),
            _ => [0; WIDTH],
        }
    }
}

struct Boxes<'n> {
    node: &'n Node,
    holder: &'n Node,
    lane: usize,
    relative: &'n Relative,
}

impl Kernel for Boxes<'_> {
    type Output = [f32; WIDTH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [f32; WIDTH] {
        let carried = Carried::new::<T>(self.holder, self.lane, self.relative);
        distance_at_least::<T>(self.node, &carried).store()
    }
}

struct Faces<'l> {
    a: &'l Leaf,
    b: &'l Leaf,
    forth: &'l Relative,
    bound: f32,
}

impl Kernel for Faces<'_> {
    type Output = [u32; WIDTH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [u32; WIDTH] {
        near_masks::<T>(self.a, self.b, self.forth, self.bound)
    }
}

/// For each face of `b`, the faces of `a` that may be as near as `bound`, in a's units, one bit each.
#[inline(always)]
pub(super) fn near_masks<T: Lanes>(
    a: &Leaf,
    b: &Leaf,
    forth: &Relative,
    bound: f32,
) -> [u32; WIDTH] {
    let mut masks = [0; WIDTH];
    let carried = CarriedFaces::new::<T>(a, b, forth);
    let spare = Spare::new(&carried);
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
