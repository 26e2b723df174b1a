//! The kernel that moves the prototypes of all cells.

use glam::Vec3;

use crate::kernel::{Dispatch, GROUP, Kernel};

/// Steps of an ascent.
pub(super) const STEPS: u32 = 50;
/// The part of the clearance that the first step goes, and by what later ones are shorter.
const FIRST_STEP: f32 = 0.6;
const SHORTER: f32 = 0.92;

/// Moves prototypes away from what is nearest to them.
pub static PACK_ASCEND: Kernel = Kernel {
    name: "pack_ascend",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/pack_ascend.wgsl")
    ),
    twin: pack_ascend,
    buffers: 6,
    items: GROUP,
    bytes: 1200,
    ops: STEPS * 20 * 60,
    shared: 0,
};

fn real(words: &[u32], at: usize) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|k| f32::from_bits(words[at + k])))
}

/// The nearest point of a triangle, by the region that the point lies in.
fn nearest_on(a: Vec3, b: Vec3, c: Vec3, x: Vec3) -> Vec3 {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d1, d2) = (ab.dot(ax), ac.dot(ax));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bx = x - b;
    let (d3, d4) = (ab.dot(bx), ac.dot(bx));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3).max(1e-30));
    }
    let cx = x - c;
    let (d5, d6) = (ab.dot(cx), ac.dot(cx));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6).max(1e-30));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)).max(1e-30));
    }
    let whole = (va + vb + vc).max(1e-30);
    a + ab * (vb / whole) + ac * (vc / whole)
}

fn pack_ascend(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, steps, ..] = dispatch.parameters;
    let [walls, wall_lists, balls, ball_lists, cells, prototypes] = buffers else {
        return;
    };
    for cell in 0..n as usize {
        let at = 8 * cell;
        let clearance = |x: Vec3| {
            let (mut way, mut least) = (Vec3::ZERO, 100.0_f32);
            for &wall in &wall_lists[cells[at + 4] as usize..cells[at + 5] as usize] {
                let w = 9 * wall as usize;
                let off = x - nearest_on(real(walls, w), real(walls, w + 3), real(walls, w + 6), x);
                let far = off.length();
                if far < least {
                    (way, least) = (off / far.max(1e-20), far);
                }
            }
            for &ball in &ball_lists[cells[at + 6] as usize..cells[at + 7] as usize] {
                let b = 4 * ball as usize;
                let off = x - real(balls, b);
                let length = off.length();
                let far = length - f32::from_bits(balls[b + 3]);
                if far < least {
                    (way, least) = (off / length.max(1e-20), far);
                }
            }
            (way, least)
        };
        let middle = real(cells, at);
        let half = Vec3::splat(f32::from_bits(cells[at + 3]));
        let mut x = real(prototypes, 4 * cell);
        let mut best = (x, -1.0);
        let mut part = FIRST_STEP;
        for _ in 0..=steps {
            let (way, far) = clearance(x);
            if far > best.1 {
                best = (x, far);
            }
            if far <= 0.0 {
                break;
            }
            x = (x + way * (far * part)).clamp(middle - half, middle + half);
            part *= SHORTER;
        }
        for (k, value) in best.0.to_array().into_iter().enumerate() {
            prototypes[4 * cell + k] = value.to_bits();
        }
        prototypes[4 * cell + 3] = best.1.to_bits();
    }
}
