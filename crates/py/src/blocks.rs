//! Batches of rays and points, whose answers take less than a microsecond each: blocks are answered in order of place, so that each
//! item finds in the processor's caches what the one before it used, and answers are written into the arrays that go out.

use impinge::bvh::wide::{ClosestFace, PointError, SingleTreeCache, WideTree};
use impinge::glam::DVec3;
use impinge::query::Limits;
use rayon::prelude::*;

use crate::run::BatchState;

/// Items that one thread puts in order and answers, at most: their places and answers fit into its caches.
const LARGEST: usize = 1 << 14;

/// The same at least: fewer are not worth a task.
const SMALLEST: usize = 1 << 8;

/// Blocks of a batch, for many threads to share.
const BLOCKS: usize = 64;

/// Items between two additions to what is counted as done.
const COUNTED: usize = 256;

/// Answers every item, a block at a time on all cores, each block in the order that `order` gives for its number, if any. `ask` gets the
/// block, the row in it, and the number of the item. Of several errors the first item's comes back.
pub(crate) fn each_in_blocks<B: Send, S, E: Send>(
    state: &BatchState,
    total: usize,
    blocks: Vec<B>,
    order: impl Fn(usize) -> Option<Vec<u32>> + Sync,
    make: impl Fn() -> S + Sync,
    ask: impl Fn(&mut S, &mut B, usize, usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let size = block_size(total);
    let failed: Vec<Option<(usize, E)>> = blocks
        .into_par_iter()
        .enumerate()
        .map(|(number, mut block)| {
            let (mut own, mut first) = (make(), None::<(usize, E)>);
            let order = order(number);
            let count = total.saturating_sub(number * size).min(size);
            for start in (0..count).step_by(COUNTED) {
                if state.is_stopped() {
                    break;
                }
                let rows = start..(start + COUNTED).min(count);
                state.add(rows.len());
                for k in rows {
                    let row = match &order {
                        Some(order) => order.get(k).map_or(k, |&row| row as usize),
                        None => k,
                    };
                    let item = number * size + row;
                    if let Err(why) = ask(&mut own, &mut block, row, item)
                        && first.as_ref().is_none_or(|(known, _)| item < *known)
                    {
                        first = Some((item, why));
                    }
                }
            }
            first
        })
        .collect();
    let first = failed.into_iter().flatten().min_by_key(|(item, _)| *item);
    first.map_or(Ok(()), |(_, why)| Err(why))
}

/// The items of each block of a batch but the last. It depends on nothing but their number.
pub(crate) fn block_size(total: usize) -> usize {
    (total / BLOCKS).clamp(SMALLEST, LARGEST)
}

/// The items of a block.
pub(crate) fn block<T>(items: &[T], number: usize) -> &[T] {
    let size = block_size(items.len());
    items.chunks(size).nth(number).unwrap_or_default()
}

/// The order of a block of points along a curve that fills space.
pub(crate) fn order_of_points(points: &[DVec3], number: usize) -> Option<Vec<u32>> {
    let points = block(points, number);
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in points {
        (min, max) = (min.min(*p), max.max(*p));
    }
    let scale = 1024.0 / (max - min);
    sorted(points.iter().map(|p| {
        let [x, y, z] = cells((*p - min) * scale);
        spread(x) | spread(y) << 1 | spread(z) << 2
    }))
}

/// Whole numbers below 1024; what is not a number counts as 0.
fn cells(v: DVec3) -> [u32; 3] {
    v.to_array().map(|x| (x as u32).min(1023))
}

/// Moves the ten lowest bits apart, two zeros between neighbours.
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00FF;
    let x = (x | x << 8) & 0x0300_F00F;
    let x = (x | x << 4) & 0x030C_30C3;
    (x | x << 2) & 0x0924_9249
}

/// Row numbers in the order of their keys.
fn sorted(keys: impl Iterator<Item = u32>) -> Option<Vec<u32>> {
    let keys = keys.zip(0_u32..);
    let mut both: Vec<u64> = keys
        .map(|(key, row)| u64::from(key) << 32 | u64::from(row))
        .collect();
    both.sort_unstable();
    Some(both.into_iter().map(|both| both as u32).collect())
}

/// Answers queries for closest faces one after the other: the last one's answer bounds the search of the next, which changes
/// nothing but time.
#[derive(Default)]
pub(crate) struct ClosestSearch {
    pub(crate) cache: SingleTreeCache,
    last: Option<DVec3>,
}

impl ClosestSearch {
    pub(crate) fn ask(
        &mut self,
        tree: &WideTree,
        p: DVec3,
        max_distance: Option<f64>,
    ) -> Result<Option<ClosestFace>, PointError> {
        let asked = max_distance.unwrap_or(f64::INFINITY);
        let reach = self.last.map_or(f64::INFINITY, |last| {
            let size = p.abs().max_element().max(last.abs().max_element());
            p.distance(last) * (1.0 + 1e-12) + 1e-12 * size
        });
        if reach < asked {
            let found = self.within(tree, p, Some(reach))?;
            // Rounding could have moved the last point off its face by more than was allowed for.
            if found.is_some() {
                return Ok(found);
            }
        }
        self.within(tree, p, max_distance)
    }

    fn within(
        &mut self,
        tree: &WideTree,
        p: DVec3,
        max_distance: Option<f64>,
    ) -> Result<Option<ClosestFace>, PointError> {
        let limits = Limits {
            max_distance,
            ..Limits::default()
        };
        let found = tree.closest_face(p, limits, &mut self.cache)?.value;
        self.last = found.map_or(self.last, |found| Some(found.point));
        Ok(found)
    }
}

/// The arrays of [`crate::answers::RayHits`].
pub(crate) struct RayColumns {
    pub(crate) hit: Vec<bool>,
    pub(crate) t: Vec<f64>,
    pub(crate) face: Vec<i64>,
    pub(crate) point: Vec<[f64; 3]>,
    pub(crate) normal: Vec<[f64; 3]>,
}

/// Rows of [`RayColumns`].
pub(crate) struct RayBlock<'a> {
    hit: &'a mut [bool],
    t: &'a mut [f64],
    face: &'a mut [i64],
    point: &'a mut [[f64; 3]],
    normal: &'a mut [[f64; 3]],
}

impl RayColumns {
    /// Zeros, which cost nothing before they are written.
    pub(crate) fn new(count: usize) -> Self {
        Self {
            hit: vec![false; count],
            t: vec![0.0; count],
            face: vec![0; count],
            point: vec![[0.0; 3]; count],
            normal: vec![[0.0; 3]; count],
        }
    }

    pub(crate) fn blocks(&mut self) -> Vec<RayBlock<'_>> {
        let size = block_size(self.hit.len());
        let columns = (self.hit.chunks_mut(size))
            .zip(self.t.chunks_mut(size))
            .zip(self.face.chunks_mut(size))
            .zip(self.point.chunks_mut(size))
            .zip(self.normal.chunks_mut(size));
        columns
            .map(|((((hit, t), face), point), normal)| RayBlock {
                hit,
                t,
                face,
                point,
                normal,
            })
            .collect()
    }
}

impl RayBlock<'_> {
    pub(crate) fn set(&mut self, row: usize, found: Option<impinge::pair::RayHit>) {
        let nowhere = DVec3::NAN;
        put(self.hit, row, found.is_some());
        put(self.t, row, found.map_or(f64::INFINITY, |hit| hit.t));
        put(
            self.face,
            row,
            found.map_or(-1, |hit| hit.face.raw().into()),
        );
        put(
            self.point,
            row,
            found.map_or(nowhere, |hit| hit.point).into(),
        );
        put(
            self.normal,
            row,
            found.map_or(nowhere, |hit| hit.normal).into(),
        );
    }
}

/// The arrays of [`crate::answers::ClosestPoints`].
pub(crate) struct PointColumns {
    pub(crate) distance: Vec<f64>,
    pub(crate) face: Vec<i64>,
    pub(crate) point: Vec<[f64; 3]>,
    pub(crate) barycentric: Vec<[f64; 3]>,
}

/// Rows of [`PointColumns`].
pub(crate) struct PointBlock<'a> {
    distance: &'a mut [f64],
    face: &'a mut [i64],
    point: &'a mut [[f64; 3]],
    barycentric: &'a mut [[f64; 3]],
}

impl PointColumns {
    /// Zeros, which cost nothing before they are written.
    pub(crate) fn new(count: usize) -> Self {
        Self {
            distance: vec![0.0; count],
            face: vec![0; count],
            point: vec![[0.0; 3]; count],
            barycentric: vec![[0.0; 3]; count],
        }
    }

    pub(crate) fn blocks(&mut self) -> Vec<PointBlock<'_>> {
        let size = block_size(self.distance.len());
        let columns = (self.distance.chunks_mut(size))
            .zip(self.face.chunks_mut(size))
            .zip(self.point.chunks_mut(size))
            .zip(self.barycentric.chunks_mut(size));
        columns
            .map(|(((distance, face), point), barycentric)| PointBlock {
                distance,
                face,
                point,
                barycentric,
            })
            .collect()
    }
}

impl PointBlock<'_> {
    /// Distance, face (-1 for what has none), point and weights, or infinitely far.
    pub(crate) fn set(&mut self, row: usize, found: Option<(f64, i64, DVec3, DVec3)>) {
        let none = (f64::INFINITY, -1, DVec3::NAN, DVec3::NAN);
        let (distance, face, point, barycentric) = found.unwrap_or(none);
        put(self.distance, row, distance);
        put(self.face, row, face);
        put(self.point, row, point.into());
        put(self.barycentric, row, barycentric.into());
    }
}

/// Writes one row.
pub(crate) fn put<T>(column: &mut [T], row: usize, value: T) {
    if let Some(place) = column.get_mut(row) {
        *place = value;
    }
}
