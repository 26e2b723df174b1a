//! A pool of mesh indexes, built on demand and evicted when memory runs short.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::mesh_facts::{MeshFacts, SolidInfo};
use crate::bvh::wide::WideTree;

/// Bytes of a tree per face before it is made; enough for closed meshes.
const BYTES_PER_FACE: usize = 40;

/// The trees there are now.
#[derive(Debug)]
pub(super) struct IndexPool {
    pub(super) shapes: Vec<MeshFacts>,
    trees: Vec<Option<WideTree>>,
    last_used: Vec<u64>,
    tick: u64,
    bytes: usize,
    allowance: usize,
    /// The most bytes that trees had at one time.
    pub(super) most_bytes: usize,
    /// How many trees were made.
    pub(super) made: u64,
}

impl IndexPool {
    pub(super) fn new(shapes: Vec<MeshFacts>, allowance: usize) -> Self {
        Self {
            trees: shapes.iter().map(|_| None).collect(),
            last_used: vec![0; shapes.len()],
            shapes,
            tick: 0,
            bytes: 0,
            allowance,
            most_bytes: 0,
            made: 0,
        }
    }

    /// The tree of a shape and what is known of it, while it is there.
    pub(super) fn get(&self, shape: u32) -> Option<(&WideTree, &SolidInfo)> {
        let tree = self.trees.get(shape as usize)?.as_ref()?;
        Some((tree, self.shapes[shape as usize].facts.as_ref()?))
    }

    /// What the tree of a shape takes, or will take.
    pub(super) fn cost(&self, shape: u32) -> usize {
        match self.get(shape) {
            Some((tree, _)) => tree.bytes(),
            None => self.shapes[shape as usize].mesh.face_count() * BYTES_PER_FACE,
        }
    }

    pub(super) fn allowance(&self) -> usize {
        self.allowance
    }

    /// Makes the trees of these shapes, each named once, and drops others if the allowance requires it.
    pub(super) fn prepare(&mut self, shapes: &[u32]) {
        self.tick += 1;
        for &shape in shapes {
            self.last_used[shape as usize] = self.tick;
        }
        let missing: Vec<u32> = shapes
            .iter()
            .copied()
            .filter(|&s| self.trees[s as usize].is_none())
            .collect();
        let coming: usize = missing.iter().map(|&s| self.cost(s)).sum();
        self.make_room(coming);
        let make = |&s: &u32| {
            let shape = &self.shapes[s as usize];
            let facts = shape.facts.is_none().then(|| SolidInfo::of(&shape.mesh));
            (s, WideTree::new(shape.mesh.clone()), facts)
        };
        #[cfg(feature = "parallel")]
        let made: Vec<_> = missing.par_iter().map(make).collect();
        #[cfg(not(feature = "parallel"))]
        let made: Vec<_> = missing.iter().map(make).collect();
        for (shape, tree, facts) in made {
            self.bytes += tree.bytes();
            self.made += 1;
            self.trees[shape as usize] = Some(tree);
            if facts.is_some() {
                self.shapes[shape as usize].facts = facts;
            }
        }
        self.most_bytes = self.most_bytes.max(self.bytes);
    }

    /// Drops the trees that were not used for the longest time, but none of this tick.
    fn make_room(&mut self, coming: usize) {
        if self.bytes + coming <= self.allowance {
            return;
        }
        let mut idle: Vec<u32> = (0..self.trees.len() as u32)
            .filter(|&s| self.trees[s as usize].is_some() && self.last_used[s as usize] < self.tick)
            .collect();
        idle.sort_by_key(|&s| (self.last_used[s as usize], s));
        for shape in idle {
            if self.bytes + coming <= self.allowance {
                break;
            }
            if let Some(tree) = self.trees[shape as usize].take() {
                self.bytes -= tree.bytes();
            }
        }
    }
}
