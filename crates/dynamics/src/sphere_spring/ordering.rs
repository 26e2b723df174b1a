//! The order in memory: spheres along a space-filling curve, springs in rows by blocks of spheres.
//!
//! A block is a range of spheres that one thread works on. A spring between two blocks stands in the
//! rows of both, and each adds up the forces on its own spheres alone. Blocks do not depend on the
//! number of threads, and so no sum does.

use impinge::bound::Aabb;

use super::body::{Sphere, Spring};

/// Spheres of a block.
pub(super) const BLOCK: usize = 1024;

/// Springs of a row.
pub(super) const ROW: usize = 16;

/// Up to [`ROW`] springs, field by field. Lanes that are not used repeat the row's first spring.
#[derive(Clone, Debug)]
pub(super) struct SpringRow {
    /// A sphere of the block.
    pub(super) a: [u32; ROW],
    pub(super) b: [u32; ROW],
    pub(super) rest: [f64; ROW],
    pub(super) stiffness: [f64; ROW],
    pub(super) damping: [f64; ROW],
    /// Half a share of the sphere with more springs, so that many neighbours do not overshoot.
    pub(super) weight: [f64; ROW],
    /// Lanes in use.
    pub(super) count: usize,
    /// Whether `b` is a sphere of the block too.
    pub(super) is_inner: bool,
}

/// The order of a body in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Ordering {
    /// The number of the sphere in each place.
    pub(super) sphere_at: Vec<u32>,
    /// The rows of each block.
    pub(super) rows: Vec<Vec<SpringRow>>,
}

impl Ordering {
    pub(super) fn new(spheres: &[Sphere], springs: &[Spring]) -> Self {
        let sphere_at = along_curve(spheres);
        let mut place_of = vec![0; spheres.len()];
        for (place, sphere) in sphere_at.iter().enumerate() {
            if let Some(own) = place_of.get_mut(*sphere as usize) {
                *own = place as u32;
            }
        }
        let mut degrees = vec![0_u32; spheres.len()];
        let mut placed = Vec::with_capacity(springs.len());
        for (number, spring) in springs.iter().enumerate() {
            let mut ends = spring.ends.map(|end| place_of[end as usize]);
            ends.sort_unstable();
            for end in ends {
                degrees[end as usize] += 1;
            }
            placed.push((ends, number));
        }
        placed.sort_unstable();
        let block_of = |place: u32| place as usize / BLOCK;
        let blocks = spheres.len().div_ceil(BLOCK);
        let mut lists = vec![[Vec::new(), Vec::new()]; blocks];
        for ([i, j], number) in placed {
            let degree = degrees[i as usize].max(degrees[j as usize]);
            let weight = 0.5 / f64::from(degree);
            let (p, q) = (block_of(i), block_of(j));
            if p == q {
                lists[p][0].push(([i, j], number, weight));
            } else {
                lists[p][1].push(([i, j], number, weight));
                lists[q][1].push(([j, i], number, weight));
            }
        }
        let rows = lists.iter().map(|[inner, outer]| {
            let inner = inner.chunks(ROW).map(|chunk| row(chunk, springs, true));
            let outer = outer.chunks(ROW).map(|chunk| row(chunk, springs, false));
            inner.chain(outer).collect::<Vec<_>>()
        });
        Self {
            rows: rows.collect(),
            sphere_at,
        }
    }
}

fn row(chunk: &[([u32; 2], usize, f64)], springs: &[Spring], is_inner: bool) -> SpringRow {
    let lane = |k: usize| chunk.get(k).unwrap_or(&chunk[0]);
    let spring = |k: usize| &springs[lane(k).1];
    SpringRow {
        a: std::array::from_fn(|k| lane(k).0[0]),
        b: std::array::from_fn(|k| lane(k).0[1]),
        rest: std::array::from_fn(|k| spring(k).rest),
        stiffness: std::array::from_fn(|k| spring(k).stiffness),
        damping: std::array::from_fn(|k| spring(k).damping),
        weight: std::array::from_fn(|k| lane(k).2),
        count: chunk.len(),
        is_inner,
    }
}

/// The numbers of the spheres along a Z-order curve of 2²¹ cells a side.
fn along_curve(spheres: &[Sphere]) -> Vec<u32> {
    let bounds = Aabb::enclosing(spheres.iter().map(|sphere| sphere.position));
    let size = (bounds.max - bounds.min).max_element();
    let scale = if size > 0.0 {
        f64::from((1 << 21) - 1) / size
    } else {
        0.0
    };
    let mut keys: Vec<(u64, u32)> = Vec::with_capacity(spheres.len());
    for (number, sphere) in spheres.iter().enumerate() {
        let cell = (sphere.position - bounds.min) * scale;
        let [x, y, z] = cell.to_array().map(|c| spread(c as u64));
        keys.push((x | y << 1 | z << 2, number as u32));
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, number)| number).collect()
}

/// Puts two zero bits after each of the lowest 21 bits.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1F_FFFF;
    x = (x | x << 32) & 0x001F_0000_0000_FFFF;
    x = (x | x << 16) & 0x001F_0000_FF00_00FF;
    x = (x | x << 8) & 0x100F_00F0_0F00_F00F;
    x = (x | x << 4) & 0x10C3_0C30_C30C_30C3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
