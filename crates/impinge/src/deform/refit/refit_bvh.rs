//! The levels of boxes of the refitted BVH.

use std::ops::Range;

use super::box_lanes::{BoxGroup, LaneBounds, Point, WIDTH};
use super::face_order::{OrderedFace, arrange};

/// Groups that one part of a parallel pass takes.
#[cfg(feature = "parallel")]
const GROUPS_PER_PART: usize = 128;
/// Fewer leaves than this are refitted by one thread.
#[cfg(feature = "parallel")]
const FEW_LEAVES: usize = 512;

/// Groups of one level, and the box of each.
#[derive(Clone, Debug, Default)]
pub(super) struct BoxLevel {
    pub(super) groups: Vec<BoxGroup>,
    pub(super) bounds: Vec<LaneBounds>,
}

impl BoxLevel {
    fn of(groups: usize) -> Self {
        Self {
            groups: vec![BoxGroup::EMPTY; groups],
            bounds: vec![LaneBounds::NONE; groups],
        }
    }
}

/// Faces are counted in 32 bits, of which a level takes three.
pub(in super::super) const MOST_LEVELS: usize = 11;

/// A tree of groups of eight: level 0 holds the faces, each next level the boxes of the groups below.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct RefitBvh {
    /// The faces in order.
    pub(super) order: Vec<u32>,
    /// The last has one group; none without faces.
    pub(super) levels: Vec<BoxLevel>,
}

impl RefitBvh {
    /// The tree over these faces, as their corners lie now; its boxes are still to be computed.
    pub(in super::super) fn new(faces: &[[u32; 3]], points: &[Point], parallel: bool) -> Self {
        let mut items: Vec<OrderedFace> = (0..faces.len() as u32)
            .map(|f| item(f, faces, points))
            .collect();
        let mut size = WIDTH;
        while size < items.len() {
            size *= WIDTH;
        }
        arrange(&mut items, size, parallel);
        let mut levels = Vec::new();
        let mut groups = items.len();
        while groups > 1 || levels.is_empty() {
            groups = groups.div_ceil(WIDTH);
            if groups == 0 {
                break;
            }
            levels.push(BoxLevel::of(groups));
        }
        Self {
            order: items.iter().map(OrderedFace::face).collect(),
            levels,
        }
    }

    /// Orders the faces of the parts that are loose again and computes the boxes of their leaves; a part has this many leaves.
    pub(super) fn renew<N: Send>(
        &mut self,
        (loose, leaves_each): (&[bool], usize),
        (faces, points): (&[[u32; 3]], &[Point]),
        notes: &mut [N],
        bounds_of: impl Fn(u32, usize, &mut N) -> LaneBounds + Sync,
        parallel: bool,
    ) {
        let Some(leaves) = self.levels.first_mut() else {
            return;
        };
        let faces_each = leaves_each * WIDTH;
        let renew = |order: &mut [u32], leaves: LeafRange<'_, N>| {
            let mut items: Vec<OrderedFace> =
                order.iter().map(|&f| item(f, faces, points)).collect();
            arrange(&mut items, faces_each, false);
            for (slot, item) in order.iter_mut().zip(&items) {
                *slot = item.face();
            }
            let LeafRange(groups, bounds, notes) = leaves;
            let lists = groups.iter_mut().zip(bounds).zip(notes);
            for (((group, bounds), note), faces) in lists.zip(order.chunks(WIDTH)) {
                *bounds = LaneBounds::NONE;
                for (lane, &face) in faces.iter().enumerate() {
                    let own = bounds_of(face, lane, note);
                    *bounds = bounds.union(&own);
                    group.set(lane, &own);
                }
            }
        };
        #[cfg(feature = "parallel")]
        if parallel {
            use rayon::prelude::*;
            let groups = leaves.groups.par_chunks_mut(leaves_each);
            let bounds = leaves.bounds.par_chunks_mut(leaves_each);
            let notes = notes.par_chunks_mut(leaves_each);
            let orders = self.order.par_chunks_mut(faces_each);
            let parts = orders.zip(groups).zip(bounds).zip(notes).zip(loose);
            parts.for_each(|((((order, groups), bounds), notes), &is_loose)| {
                if is_loose {
                    renew(order, LeafRange(groups, bounds, notes));
                }
            });
            return;
        }
        let _ = parallel;
        let groups = leaves.groups.chunks_mut(leaves_each);
        let bounds = leaves.bounds.chunks_mut(leaves_each);
        let notes = notes.chunks_mut(leaves_each);
        let orders = self.order.chunks_mut(faces_each);
        let parts = orders.zip(groups).zip(bounds).zip(notes).zip(loose);
        for ((((order, groups), bounds), notes), &is_loose) in parts {
            if is_loose {
                renew(order, LeafRange(groups, bounds, notes));
            }
        }
    }

    /// Computes all boxes, level by level. `bounds_of` gives the box of a face, and may take a note of it, by lane, in the note of its leaf.
    pub(in super::super) fn refit<N: Send>(
        &mut self,
        notes: &mut [N],
        bounds_of: impl Fn(u32, usize, &mut N) -> LaneBounds + Sync,
        parallel: bool,
    ) {
        let order = self.order.as_slice();
        let Some((leaves, above)) = self.levels.split_first_mut() else {
            return;
        };
        let leaf = |i: usize, of: LeafBoxes<'_, N>| {
            let mut whole = LaneBounds::NONE;
            let from = i * WIDTH;
            let faces = &order[from..(from + WIDTH).min(order.len())];
            for (lane, &face) in faces.iter().enumerate() {
                let own = bounds_of(face, lane, of.note);
                whole = whole.union(&own);
                of.group.set(lane, &own);
            }
            *of.bounds = whole;
        };
        each_leaf(leaves, notes, leaf, parallel);
        let mut below = &*leaves;
        for level in above {
            gather(level, &below.bounds);
            below = level;
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

    /// How many levels there are.
    pub(in super::super) fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// The faces below a node, and where they begin in the order.
    pub(in super::super) fn run(&self, level: usize, node: usize) -> (usize, &[u32]) {
        let size = WIDTH.saturating_pow(level as u32 + 1);
        let from = node.saturating_mul(size).min(self.order.len());
        let to = from.saturating_add(size).min(self.order.len());
        (from, &self.order[from..to])
    }

    /// The leaves below a node.
    pub(in super::super) fn leaves_below(&self, level: usize, node: usize) -> Range<usize> {
        let size = WIDTH.saturating_pow(level as u32);
        let from = node.saturating_mul(size).min(self.leaves());
        from..from.saturating_add(size).min(self.leaves())
    }

    /// The nodes right below one; none below a leaf.
    pub(in super::super) fn children(&self, level: usize, node: usize) -> Range<usize> {
        let Some(below) = level.checked_sub(1) else {
            return 0..0;
        };
        let count = self.levels[below].groups.len();
        (node * WIDTH).min(count)..((node + 1) * WIDTH).min(count)
    }

    /// The surface of all leaves in that of their faces, times that of all nodes two levels above in that of the whole: what motion makes worse and ordering mends.
    pub(in super::super) fn looseness(&self) -> f64 {
        let area = |list: &[LaneBounds]| list.iter().map(LaneBounds::half_area).sum();
        let leaves = self.levels.first().map_or(1.0, |leaves| {
            let faces = leaves.groups.iter().map(BoxGroup::half_area);
            ratio(area(&leaves.bounds), faces.sum())
        });
        leaves * self.spread()
    }

    /// The surface of all nodes two levels above the leaves in that of the whole.
    pub(super) fn spread(&self) -> f64 {
        let (Some(parts), Some(whole)) = (self.levels.get(2), self.levels.last()) else {
            return 1.0;
        };
        let area = |list: &[LaneBounds]| list.iter().map(LaneBounds::half_area).sum();
        ratio(area(&parts.bounds), area(&whole.bounds))
    }

    /// The largest magnitude of a coordinate of a face.
    pub(super) fn largest(&self) -> f32 {
        let mut largest = 0.0_f32;
        for b in self.levels.last().into_iter().flat_map(|l| &l.bounds) {
            for k in 0..3 {
                largest = largest.max(b.min[k].abs()).max(b.max[k].abs());
            }
        }
        largest
    }

    /// How many boxes there are.
    pub(in super::super) fn boxes(&self) -> u64 {
        let groups: usize = self.levels.iter().map(|level| level.groups.len()).sum();
        (self.order.len() + groups) as u64
    }
}

/// One surface in another; 1 when that says nothing.
pub(super) fn ratio(above: f64, below: f64) -> f64 {
    if above.is_finite() && below > 0.0 {
        above / below
    } else {
        1.0
    }
}

fn item(face: u32, faces: &[[u32; 3]], points: &[Point]) -> OrderedFace {
    OrderedFace::new(face, faces[face as usize].map(|v| &points[v as usize]))
}

/// Fills a level from the boxes of the one below.
pub(super) fn gather(level: &mut BoxLevel, below: &[LaneBounds]) {
    let groups = level.groups.iter_mut().zip(&mut level.bounds);
    for ((group, bounds), children) in groups.zip(below.chunks(WIDTH)) {
        let mut whole = LaneBounds::NONE;
        for (lane, child) in children.iter().enumerate() {
            whole = whole.union(child);
            group.set(lane, child);
        }
        *bounds = whole;
    }
}

/// What belongs to the leaves of a part.
struct LeafRange<'t, N>(&'t mut [BoxGroup], &'t mut [LaneBounds], &'t mut [N]);

/// What belongs to one leaf.
struct LeafBoxes<'t, N> {
    group: &'t mut BoxGroup,
    bounds: &'t mut LaneBounds,
    note: &'t mut N,
}

/// Runs over the leaves.
fn each_leaf<N: Send>(
    level: &mut BoxLevel,
    notes: &mut [N],
    leaf: impl Fn(usize, LeafBoxes<'_, N>) + Sync,
    parallel: bool,
) {
    let run = |from: usize, groups: &mut [BoxGroup], bounds: &mut [LaneBounds], notes: &mut [N]| {
        let lists = groups.iter_mut().zip(bounds).zip(notes);
        for (i, ((group, bounds), note)) in lists.enumerate() {
            let of = LeafBoxes {
                group,
                bounds,
                note,
            };
            leaf(from + i, of);
        }
    };
    #[cfg(feature = "parallel")]
    if parallel && level.groups.len() >= FEW_LEAVES {
        use rayon::prelude::*;
        let groups = level.groups.par_chunks_mut(GROUPS_PER_PART);
        let bounds = level.bounds.par_chunks_mut(GROUPS_PER_PART);
        let notes = notes.par_chunks_mut(GROUPS_PER_PART);
        let parts = groups.zip(bounds).zip(notes).enumerate();
        parts.for_each(|(part, ((groups, bounds), notes))| {
            run(part * GROUPS_PER_PART, groups, bounds, notes);
        });
        return;
    }
    let _ = parallel;
    run(0, &mut level.groups, &mut level.bounds, notes);
}
