//! Traversal for the first hit of one of many rays: boxes in the order in which the ray enters them.

use super::layout::{LEAF, WideLeaf};
use super::local_ray::LocalRay;
use super::ray_cast::RayVisitor;
use super::ray_nodes::RayNode;
use super::single_tree::{Subtree, push_children};
use super::slab_ray::SlabRay;
use crate::math::simd::lanes::{Kernel, Lanes};
use crate::query::FaceId;

/// A search for the first hit of a line.
pub(super) struct FirstHitSearch<'s, V> {
    pub(super) nodes: &'s [RayNode],
    pub(super) leaves: &'s [WideLeaf],
    pub(super) line: &'s LocalRay,
    pub(super) stack: &'s mut Vec<Subtree>,
    pub(super) visitor: V,
}

impl<V: RayVisitor> Kernel for FirstHitSearch<'_, V> {
    type Output = V;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> V {
        let line = SlabRay::new(self.line);
        let mut limit = self.line.place(self.visitor.limit());
        self.stack.clear();
        let mut next = Subtree::ROOT.child;
        loop {
            if next & LEAF == 0 {
                let node = &self.nodes[next as usize];
                let passed = line.boxes::<T>(node, limit);
                if passed.mask.is_power_of_two() {
                    next = node.child[passed.mask.trailing_zeros() as usize & 7];
                    continue;
                }
                push_children(
                    self.stack,
                    &node.child,
                    passed.mask,
                    &passed.least,
                    &passed.near,
                );
            } else {
                let leaf = &self.leaves[(next & !LEAF) as usize];
                let mut lanes = line.faces::<T>(leaf);
                if lanes != 0 && limit < f32::INFINITY {
                    lanes &= line.faces_before::<T>(leaf, limit);
                }
                if lanes != 0 {
                    while lanes != 0 {
                        let face = leaf.face[lanes.trailing_zeros() as usize & 7];
                        lanes &= lanes - 1;
                        if self.visitor.visit(FaceId::new(face)).is_break() {
                            return self.visitor;
                        }
                    }
                    limit = self.line.place(self.visitor.limit());
                }
            }
            next = loop {
                match self.stack.pop() {
                    Some(subtree) if subtree.at_least <= limit => break subtree.child,
                    Some(_) => {}
                    None => return self.visitor,
                }
            };
        }
    }
}
