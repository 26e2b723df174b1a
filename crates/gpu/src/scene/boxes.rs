//! Centroids, and intervals of faces along integer directions.
//!
//! **Idea.** With `x = q + e`, `−2^-24 < e < 1 + 2^-24`, and `h = q >> 10`, `x / 1024 = h + f` where
//! `−2^-34 < f < 1 + 2^-34`. Along an integer direction `d` of entries at most 511, `d·x / 1024` lies in
//! `d·h + [Σ min(d, 0) − 1, Σ max(d, 0) + 1]`: the ones cover 3 · 511 · 2^-34. All of it fits 32 bits:
//! `3 · 511 · 2^18 < 2^29`. So any direction is a valid axis, and every device finds the same intervals.
//! A slack of `s` widens each by `s · Σ|d|`: for a box that is larger by `1024 s` units of the grid on each side.
//! Over a step, the interval holds those of both ends, between which corners move on straight lines.

use crate::kernel::{Dispatch, GROUP, Kernel};

/// Marks no entry, or no face.
pub(super) const NONE: u32 = u32::MAX;
/// Words of an entry's record: two intervals, face, object, cluster, end along the sweep axis.
pub(super) const RECORD: usize = 8;
/// The largest entry of a direction.
pub const MAX_DIRECTION: i32 = 511;

/// Three times the centroid of each face, and a radius around it.
pub static FIND_CENTROIDS: Kernel = Kernel {
    name: "find_centroids",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/centroids.wgsl")
    ),
    twin: find_centroids,
    buffers: 3,
    items: GROUP,
    bytes: 68,
    ops: 40,
    shared: 0,
};

fn corners(positions: &[u32], faces: &[u32], f: usize) -> [[i32; 3]; 3] {
    std::array::from_fn(|i| {
        let v = faces[4 * f + i] as usize;
        std::array::from_fn(|k| positions[3 * v + k] as i32)
    })
}

fn find_centroids(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, ..] = dispatch.parameters;
    let [positions, faces, centroids] = buffers else {
        return;
    };
    for f in 0..n as usize {
        let corners = corners(positions, faces, f);
        let sum: [i32; 3] = std::array::from_fn(|k| corners.iter().map(|p| p[k]).sum());
        let mut reach = 0;
        for p in corners {
            let [x, y, z] = std::array::from_fn(|k| (3 * p[k] - sum[k]).unsigned_abs());
            let most = x.max(y).max(z);
            reach = reach.max(most + (x + y + z - most).div_ceil(2));
        }
        for (k, x) in sum.into_iter().enumerate() {
            centroids[4 * f + k] = x as u32;
        }
        centroids[4 * f + 3] = reach.div_ceil(3);
    }
}

/// Intervals of each entry along the three directions of its cluster.
pub static FIND_BOXES: Kernel = Kernel {
    name: "find_boxes",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/boxes.wgsl")
    ),
    twin: find_boxes,
    buffers: 7,
    items: GROUP,
    bytes: 100,
    ops: 90,
    shared: 0,
};

/// The largest slack: intervals stay within 32 bits.
pub(super) const MAX_SLACK: u32 = 1 << 18;

fn around(d: [i32; 3], corners: &[[i32; 3]; 3]) -> [i32; 2] {
    let along = corners.map(|p| d[0] * p[0] + d[1] * p[1] + d[2] * p[2]);
    let below: i32 = d.iter().map(|&x| x.min(0)).sum();
    let above: i32 = d.iter().map(|&x| x.max(0)).sum();
    let low = along[0].min(along[1]).min(along[2]);
    let high = along[0].max(along[1]).max(along[2]);
    [low + below - 1, high + above + 1]
}

fn find_boxes(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, slack, ends, ..] = dispatch.parameters;
    let [
        positions,
        faces,
        entries,
        directions,
        keys,
        clusters,
        records,
    ] = buffers
    else {
        return;
    };
    for e in 0..n as usize {
        let (f, cluster) = (entries[2 * e], entries[2 * e + 1]);
        clusters[e] = cluster;
        let record = &mut records[RECORD * e..RECORD * (e + 1)];
        if f == NONE {
            keys[e] = u32::MAX;
            record[4] = NONE;
            continue;
        }
        let corners = |offset: u32| -> [[i32; 3]; 3] {
            std::array::from_fn(|i| {
                let v = (faces[4 * f as usize + i] + offset) as usize;
                std::array::from_fn(|k| positions[3 * v + k] as i32 >> 10)
            })
        };
        let (begin, end) = (corners(0), corners(ends));
        let [x, y, z] = std::array::from_fn(|axis| {
            let first = 9 * cluster as usize + 3 * axis;
            let d: [i32; 3] = std::array::from_fn(|k| directions[first + k] as i32);
            let (begin, end) = (around(d, &begin), around(d, &end));
            let slack = slack as i32 * d.iter().map(|x| x.abs()).sum::<i32>();
            [begin[0].min(end[0]) - slack, begin[1].max(end[1]) + slack]
        });
        keys[e] = x[0] as u32 ^ 1 << 31;
        let object = faces[4 * f as usize + 3];
        let end = x[1] as u32 ^ 1 << 31;
        record.copy_from_slice(&[
            y[0] as u32,
            y[1] as u32,
            z[0] as u32,
            z[1] as u32,
            f,
            object,
            cluster,
            end,
        ]);
    }
}

/// Records in the order of the sort.
pub static ARRANGE: Kernel = Kernel {
    name: "arrange",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/arrange.wgsl")
    ),
    twin: arrange,
    buffers: 3,
    items: GROUP / RECORD as u32,
    bytes: 68,
    ops: 8,
    shared: 0,
};

fn arrange(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, ..] = dispatch.parameters;
    let [records, order, arranged] = buffers else {
        return;
    };
    for (out, &e) in arranged.chunks_mut(RECORD).zip(&order[..n as usize]) {
        out.copy_from_slice(&records[RECORD * e as usize..RECORD * (e as usize + 1)]);
    }
}
