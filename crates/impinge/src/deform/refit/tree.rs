//! The levels of boxes over the order, and how they follow the faces.

use super::layout::{Bounds, Group, Point, WIDTH};
use super::order::{Item, arrange};

/// Groups that one part of a parallel pass takes.
#[cfg(feature = "parallel")]
const GROUPS_PER_PART: usize = 128;
/// Fewer faces than this are refitted by one thread.
#[cfg(feature = "parallel")]
const FEW_FACES: usize = 4096;

/// Groups of one level, and the box of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub(super) groups: Vec<Group>,
    pub(super) bounds: Vec<Bounds>,
}

impl Level {
    fn of(groups: usize) -> Self {
        Self {
            groups: vec![Group::EMPTY; groups],
            bounds: vec![Bounds::NONE; groups],
        }
    }
}

/// A tree of groups of eight: level 0 holds the faces, each next level the boxes of the groups below.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Tree {
    /// The faces in order.
    pub(super) order: Vec<u32>,
    /// Their boxes, in that order.
    pub(super) face_bounds: Vec<Bounds>,
    /// The last has one group; none without faces.
    pub(super) levels: Vec<Level>,
}

impl Tree {
    /// The tree over these faces, as their corners lie now; its boxes are still to be computed.
    pub(in super::super) fn new(faces: &[[u32; 3]], points: &[Point]) -> Self {
        let mut items: Vec<Item> = (0..faces.len() as u32)
            .map(|f| item(f, faces, points))
            .collect();
        let mut size = WIDTH;
        while size < items.len() {
            size *= WIDTH;
        }
        arrange(&mut items, size);
        let mut levels = Vec::new();
        let mut groups = items.len();
        while groups > 1 || levels.is_empty() {
            groups = groups.div_ceil(WIDTH);
            if groups == 0 {
                break;
            }
            levels.push(Level::of(groups));
        }
        Self {
            face_bounds: vec![Bounds::NONE; items.len()],
            order: items.iter().map(Item::face).collect(),
            levels,
        }
    }

    /// Orders the faces in this part of the order anew; their boxes are still to be computed.
    pub(super) fn rearrange(
        &mut self,
        from: usize,
        to: usize,
        size: usize,
        faces: &[[u32; 3]],
        points: &[Point],
    ) {
        let part = &mut self.order[from..to];
        let mut items: Vec<Item> = part.iter().map(|&f| item(f, faces, points)).collect();
        arrange(&mut items, size);
        for (slot, item) in part.iter_mut().zip(&items) {
            *slot = item.face();
        }
    }

    /// Computes all boxes, level by level.
    pub(in super::super) fn refit(
        &mut self,
        bounds_of: impl Fn(u32) -> Bounds + Sync,
        parallel: bool,
    ) {
        let order = self.order.as_slice();
        let Some((leaves, above)) = self.levels.split_first_mut() else {
            return;
        };
        let leaf = |i: usize, group: &mut Group, bounds: &mut Bounds, faces: &mut [Bounds]| {
            let mut whole = Bounds::NONE;
            for (lane, slot) in faces.iter_mut().enumerate() {
                let own = bounds_of(order[i * WIDTH + lane]);
                whole = whole.union(&own);
                group.set(lane, &own);
                *slot = own;
            }
            *bounds = whole;
        };
        each_leaf(leaves, &mut self.face_bounds, leaf, parallel);
        let mut below = &*leaves;
        for level in above {
            gather(level, &below.bounds);
            below = level;
        }
    }

    /// Computes the boxes of groups `from..to` of level 0 anew, and all levels above.
    pub(super) fn refit_groups(
        &mut self,
        from: usize,
        to: usize,
        bounds_of: impl Fn(u32) -> Bounds,
    ) {
        let Some(leaves) = self.levels.first_mut() else {
            return;
        };
        for i in from..to.min(leaves.groups.len()) {
            let mut whole = Bounds::NONE;
            let end = ((i + 1) * WIDTH).min(self.order.len());
            for at in i * WIDTH..end {
                let own = bounds_of(self.order[at]);
                whole = whole.union(&own);
                leaves.groups[i].set(at % WIDTH, &own);
                self.face_bounds[at] = own;
            }
            leaves.bounds[i] = whole;
        }
    }

    /// Computes the boxes of all levels above 0.
    pub(super) fn refit_above(&mut self) {
        let mut levels = self.levels.iter_mut();
        let Some(mut below) = levels.next() else {
            return;
        };
        for level in levels {
            gather(level, &below.bounds);
            below = level;
        }
    }

    /// How many leaves there are.
    pub(in super::super) fn leaves(&self) -> usize {
        self.levels.first().map_or(0, |level| level.groups.len())
    }

    /// How many boxes there are.
    pub(in super::super) fn boxes(&self) -> u64 {
        let groups: usize = self.levels.iter().map(|level| level.groups.len()).sum();
        (self.order.len() + groups) as u64
    }
}

fn item(face: u32, faces: &[[u32; 3]], points: &[Point]) -> Item {
    Item::new(face, faces[face as usize].map(|v| &points[v as usize]))
}

/// Fills a level from the boxes of the one below.
pub(super) fn gather(level: &mut Level, below: &[Bounds]) {
    let groups = level.groups.iter_mut().zip(&mut level.bounds);
    for ((group, bounds), children) in groups.zip(below.chunks(WIDTH)) {
        let mut whole = Bounds::NONE;
        for (lane, child) in children.iter().enumerate() {
            whole = whole.union(child);
            group.set(lane, child);
        }
        *bounds = whole;
    }
}

/// Runs over the leaves with the boxes of their faces.
fn each_leaf(
    level: &mut Level,
    faces: &mut [Bounds],
    leaf: impl Fn(usize, &mut Group, &mut Bounds, &mut [Bounds]) + Sync,
    parallel: bool,
) {
    #[cfg(feature = "parallel")]
    if parallel && faces.len() >= FEW_FACES {
        use rayon::prelude::*;
        let groups = level.groups.par_chunks_mut(GROUPS_PER_PART);
        let bounds = level.bounds.par_chunks_mut(GROUPS_PER_PART);
        let faces = faces.par_chunks_mut(GROUPS_PER_PART * WIDTH);
        let parts = groups.zip(bounds).zip(faces).enumerate();
        parts.for_each(|(part, ((groups, bounds), faces))| {
            let lists = groups.iter_mut().zip(bounds).zip(faces.chunks_mut(WIDTH));
            for (i, ((group, bounds), faces)) in lists.enumerate() {
                leaf(part * GROUPS_PER_PART + i, group, bounds, faces);
            }
        });
        return;
    }
    let _ = parallel;
    let lists = level
        .groups
        .iter_mut()
        .zip(&mut level.bounds)
        .zip(faces.chunks_mut(WIDTH));
    for (i, ((group, bounds), faces)) in lists.enumerate() {
        leaf(i, group, bounds, faces);
    }
}
