//! The order of faces that defines the tree.

use super::super::narrow_phase::both;
use super::box_lanes::{Point, WIDTH};

/// From so many faces on, the halves of a run are ordered side by side.
const MANY_ITEMS: usize = 4096;

/// A face and the sum of its corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderedFace {
    center: [f32; 3],
    face: u32,
}

impl OrderedFace {
    #[inline]
    pub(super) fn new(face: u32, corners: [&Point; 3]) -> Self {
        let [p, q, r] = corners;
        Self {
            // Infinite ones of huge scenes cancel to NaN, which total_cmp orders as well.
            center: [0, 1, 2].map(|k| p[k] + q[k] + r[k]),
            face,
        }
    }

    pub(super) fn face(&self) -> u32 {
        self.face
    }
}

/// A run of the order that is still to be split into children of `size` faces.
#[derive(Clone, Copy, Debug)]
struct OrderRun {
    from: usize,
    to: usize,
    size: usize,
}

/// Orders the items so that each aligned run of `8^k` is compact; `size` is the power of eight at which to start.
///
/// Threads change nothing: the halves of a run are ordered without looking at each other.
pub(super) fn arrange(items: &mut [OrderedFace], size: usize, parallel: bool) {
    if !parallel || items.len() < MANY_ITEMS {
        arrange_here(items, size);
        return;
    }
    let mut size = size;
    while size > WIDTH && items.len() <= size {
        size /= WIDTH;
    }
    let middle = items.len().div_ceil(size) / 2 * size;
    part_at(items, middle);
    let (low, high) = items.split_at_mut(middle);
    both(
        parallel,
        || arrange(low, size, parallel),
        || arrange(high, size, parallel),
    );
}

/// Puts the smallest items along the widest axis first.
fn part_at(items: &mut [OrderedFace], middle: usize) {
    let axis = widest(items);
    items.select_nth_unstable_by(middle, |i, j| {
        i.center[axis]
            .total_cmp(&j.center[axis])
            .then(i.face.cmp(&j.face))
    });
}

fn arrange_here(items: &mut [OrderedFace], size: usize) {
    let mut runs = vec![OrderRun {
        from: 0,
        to: items.len(),
        size,
    }];
    // Each run is halved or its size divided, so that at most 3·22 runs wait per entry.
    while let Some(run) = runs.pop() {
        let OrderRun { from, to, size } = run;
        let children = (to - from).div_ceil(size);
        if children <= 1 {
            // Within a leaf the order does not matter.
            if size > WIDTH && to - from > WIDTH {
                let size = size / WIDTH;
                runs.push(OrderRun { from, to, size });
            }
            continue;
        }
        let middle = from + children / 2 * size;
        part_at(&mut items[from..to], middle - from);
        runs.push(OrderRun {
            from: middle,
            ..run
        });
        runs.push(OrderRun { to: middle, ..run });
    }
}

/// The axis along which the centres spread most.
fn widest(items: &[OrderedFace]) -> usize {
    let mut min = [f32::INFINITY; 3];
    let mut max = [f32::NEG_INFINITY; 3];
    for item in items {
        for k in 0..3 {
            min[k] = min[k].min(item.center[k]);
            max[k] = max[k].max(item.center[k]);
        }
    }
    let spread = |k: usize| max[k] - min[k];
    let first = usize::from(spread(1) > spread(0));
    if spread(2) > spread(first) { 2 } else { first }
}
