//! Fuzzy c-means on the card, and the clusters that each face joins.
//!
//! **Question.** Which clusters cut a scene into small sweeps, without losing a pair?
//! **Idea.** Centres move by fuzzy c-means with the fuzzifier 2 on centroids in the cube from −1 to 1; a
//! workgroup sums in a fixed tree, the groups' sums are added in order. A face joins cluster `i` when one
//! of its corners is at least as near to `v_i` as to the centre `v_j` nearest to its middle.
//! **Source.** Bezdek 1981; Mainzer's thesis 4.5 and 5.1; the complete rule and its proof are those of
//! [`impinge::deform::clustering`]: any centres and any `j` lose no pair.
//! **Promise.** Complete. The test is in integers, in units of 2^-12 of the cube's half side: `|h| ≤ 2^12`, slopes below 2^15,
//! sums below 2^29. A corner lies at `h + f` with `−2^-40 < f < 1 + 2^-40` an axis, so that `slope · f` is at least
//! `Σ min(slope, 0) − 1`; corners of pieces are off by 2^-13 more, which adds less than 7. Used is 8. Equal centres give equal clusters on every device. A device repeats its c-means bit for bit;
//! devices may differ from each other and from the twin, which changes the sweeps and no answer.

use crate::kernel::{Dispatch, GROUP, Kernel};

/// Most clusters: a face stores them as 64 bits.
pub const MAX_CLUSTERS: u32 = 64;
/// Sums of a cluster, in words.
pub(super) const SUMS: usize = 8;
/// 3 · 2^28.
const CENTROID_UNIT: f32 = 1.0 / 805_306_368.0;

type Real = [f32; 3];

fn minus(a: Real, b: Real) -> Real {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: Real, b: Real) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn center(centers: &[u32], i: usize) -> Real {
    std::array::from_fn(|k| f32::from_bits(centers[4 * i + k]))
}

/// The shares of a point before they are divided by their sum.
fn shares(x: Real, centers: &[u32], c: usize) -> Vec<f32> {
    let far: Vec<f32> = (0..c)
        .map(|i| {
            let d = minus(x, center(centers, i));
            dot(d, d)
        })
        .collect();
    let near = far.iter().fold(100.0_f32, |near, &d| near.min(d));
    let share = |&d: &f32| {
        if near < 1e-30 {
            if d < 1e-30 { 1.0 } else { 0.0 }
        } else {
            near / d
        }
    };
    far.iter().map(share).collect()
}

/// Weighted sums of each group and cluster.
pub static FUZZY_SUMS: Kernel = Kernel {
    name: "fuzzy_sums",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/fuzzy_sums.wgsl"),
        include_str!("../shaders/fuzzy_points.wgsl")
    ),
    twin: fuzzy_sums,
    buffers: 3,
    items: GROUP,
    bytes: 16,
    ops: 60 * 8,
    shared: 5120,
};

fn fuzzy_sums(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, c, groups, ..] = dispatch.parameters.map(|word| word as usize);
    let [centroids, centers, sums] = buffers else {
        return;
    };
    for g in 0..groups {
        let mut parts = vec![[0.0_f32; 5]; GROUP as usize * c];
        for l in 0..(n - g * GROUP as usize).min(GROUP as usize) {
            let f = g * GROUP as usize + l;
            let x: Real =
                std::array::from_fn(|k| centroids[4 * f + k] as i32 as f32 * CENTROID_UNIT);
            let shares = shares(x, centers, c);
            let whole: f32 = shares.iter().sum();
            for (i, share) in shares.iter().enumerate() {
                let u = share / whole;
                let d = minus(x, center(centers, i));
                let weight = u * u;
                let [a, b, e] = x.map(|x| weight * x);
                parts[i * GROUP as usize + l] = [a, b, e, weight, weight * dot(d, d)];
            }
        }
        for i in 0..c {
            let own = &mut parts[i * GROUP as usize..(i + 1) * GROUP as usize];
            let mut step = GROUP as usize / 2;
            while step > 0 {
                let (low, high) = own.split_at_mut(step);
                for (to, from) in low.iter_mut().zip(high) {
                    for (to, from) in to.iter_mut().zip(from) {
                        *to += *from;
                    }
                }
                step /= 2;
            }
            for (k, sum) in own[0].into_iter().enumerate() {
                sums[SUMS * (g * c + i) + k] = sum.to_bits();
            }
        }
    }
}

/// New centres from the sums.
pub static FUZZY_CENTERS: Kernel = Kernel {
    name: "fuzzy_centers",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/fuzzy_centers.wgsl")
    ),
    twin: fuzzy_centers,
    buffers: 2,
    items: 1,
    bytes: 32,
    ops: 16,
    shared: 0,
};

fn fuzzy_centers(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [c, groups, ..] = dispatch.parameters.map(|word| word as usize);
    let [sums, centers] = buffers else { return };
    for i in 0..c {
        let mut total = [0.0_f32; 5];
        for g in 0..groups {
            for (k, total) in total.iter_mut().enumerate() {
                *total += f32::from_bits(sums[SUMS * (g * c + i) + k]);
            }
        }
        let [x, y, z, weight, cost] = total;
        if weight > 1e-30 {
            for (k, sum) in [x, y, z].into_iter().enumerate() {
                centers[4 * i + k] = (sum / weight).clamp(-1.0, 1.0).to_bits();
            }
        }
        centers[4 * i + 3] = cost.to_bits();
    }
}

/// The clusters of each face, as bits, and how many they are.
pub static MAP_FACES: Kernel = Kernel {
    name: "map_faces",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/corners.wgsl"),
        include_str!("../shaders/map.wgsl")
    ),
    twin: map_faces,
    buffers: 5,
    items: GROUP,
    bytes: 64,
    ops: 40 * 8,
    shared: 0,
};

fn map_faces(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, c, low, high, ..] = dispatch.parameters.map(|word| word as usize);
    let [positions, faces, centers, masks, counts] = buffers else {
        return;
    };
    let listed = low as u64 | (high as u64) << 32;
    let centers: Vec<[i32; 3]> = (0..c)
        .map(|i| center(centers, i).map(|x| (x.clamp(-1.0, 1.0) * 4096.0).floor() as i32))
        .collect();
    let dot = |a: [i32; 3], b: [i32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for f in 0..n {
        let [x, y, z]: [[i32; 3]; 3] = std::array::from_fn(|i| {
            let v = faces[4 * f + i] as usize;
            std::array::from_fn(|k| positions[3 * v + k] as i32 >> 16)
        });
        let middle: [i32; 3] = std::array::from_fn(|k| (x[k] + y[k] + z[k]) / 3);
        let (mut near, mut least) = (0, i32::MAX);
        for (i, v) in centers.iter().enumerate() {
            let d: [i32; 3] = std::array::from_fn(|k| middle[k] - v[k]);
            if dot(d, d) < least {
                (near, least) = (i, dot(d, d));
            }
        }
        let own = centers[near];
        let mut mask = 1_u64 << near;
        for (i, &v) in centers.iter().enumerate() {
            let slope: [i32; 3] = std::array::from_fn(|k| 2 * (own[k] - v[k]));
            let side = dot(slope, x).min(dot(slope, y)).min(dot(slope, z));
            let below = slope.iter().map(|&s| s.min(0)).sum::<i32>() - 8;
            let is_beyond = side + below + (dot(v, v) - dot(own, own)) > 0;
            mask |= u64::from(!is_beyond) << i;
        }
        masks[2 * f] = mask as u32;
        masks[2 * f + 1] = (mask >> 32) as u32;
        counts[f] = (mask & listed).count_ones();
    }
}

/// The entries of each face.
pub static LIST_ENTRIES: Kernel = Kernel {
    name: "list_entries",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/list.wgsl")
    ),
    twin: list_entries,
    buffers: 3,
    items: GROUP,
    bytes: 24,
    ops: 10,
    shared: 0,
};

fn list_entries(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, capacity, low, high, ..] = dispatch.parameters.map(|word| word as usize);
    let listed = low as u64 | (high as u64) << 32;
    let [masks, sums, entries] = buffers else {
        return;
    };
    for i in sums[2 * n] as usize..capacity {
        entries[2 * i] = super::boxes::NONE;
        entries[2 * i + 1] = 255;
    }
    for i in 0..n {
        let mut rest = (u64::from(masks[2 * i]) | u64::from(masks[2 * i + 1]) << 32) & listed;
        let mut place = sums[2 * i] as usize;
        while rest != 0 {
            if place < capacity {
                entries[2 * place] = i as u32;
                entries[2 * place + 1] = rest.trailing_zeros();
            }
            rest &= rest - 1;
            place += 1;
        }
    }
}
