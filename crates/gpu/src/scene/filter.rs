//! Triangle filter: whether two faces certainly intersect, certainly do not, or need the exact test.
//!
//! **Question.** By far the most candidates do not intersect. Can a card decide them in `f32` alone?
//! **Idea.** Differences of fixed-point positions are exact. With bounds on all that is rounded later, a
//! separating direction or a sign pattern of volumes is a proof.
//! **Promise.** `APART` and `MEET` are proven for the `f64` positions, for any device whose operations
//! round to either neighbouring float and may be fused. The derivation is in
//! `docs/algorithms/gpu-filter.md`.

use crate::kernel::{Dispatch, GROUP, Kernel};

/// The faces do not meet beyond what they share.
pub const APART: u32 = 0;
/// The faces intersect.
pub const MEET: u32 = 1;
/// Undecided.
pub const UNSURE: u32 = 2;

/// Decides each candidate.
pub static FILTER_PAIRS: Kernel = Kernel {
    name: "filter_pairs",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/filter.wgsl")
    ),
    twin: filter_pairs,
    buffers: 5,
    items: GROUP,
    bytes: 116,
    ops: 800,
    shared: 0,
};

type Real = [f32; 3];
type Whole = [i32; 3];

/// See the page: 16 · 2^-23 of a magnitude.
const RELATIVE: f32 = 16.0 * f32::EPSILON;
/// 96 · 2^-23 of a volume.
const VOLUME: f32 = 96.0 * f32::EPSILON;
/// 1 + 2^-20.
const ABOVE: f32 = 1.0 + 8.0 * f32::EPSILON;

fn less(a: Whole, b: Whole) -> Real {
    std::array::from_fn(|k| a[k].wrapping_sub(b[k]) as f32)
}

fn plus(a: Real, b: Real) -> Real {
    std::array::from_fn(|k| a[k] + b[k])
}

fn minus(a: Real, b: Real) -> Real {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: Real, b: Real) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Real, b: Real) -> Real {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn volume(a: Real, b: Real, c: Real) -> f32 {
    dot(a, cross(b, c))
}

fn largest(points: &[Real]) -> Real {
    std::array::from_fn(|k| points.iter().fold(0.0_f32, |m, p| m.max(p[k].abs())))
}

fn error_along(d: Real, m: Real) -> f32 {
    dot(d.map(f32::abs), m.map(|x| x * RELATIVE + 2.0)) + 1e-20
}

fn error_of_volume(m: Real) -> f32 {
    let [x, y, z] = m.map(|x| x * ABOVE + 2.0);
    VOLUME * (x * y * z) + 6.75 * (x * y + y * z + z * x)
}

fn sign_beyond(x: f32, error: f32) -> i32 {
    i32::from(x > error) - i32::from(x < -error)
}

fn parted(d: Real, a: &[Real; 3], b: &[Real; 3], m: Real) -> bool {
    let [x, y] = [a, b].map(|points| points.map(|point| dot(d, point)));
    let low = |x: [f32; 3]| x[0].min(x[1].min(x[2]));
    let high = |x: [f32; 3]| x[0].max(x[1].max(x[2]));
    (low(x) - high(y)).max(low(y) - high(x)) > error_along(d, m)
}

fn crossed(a: &[Whole; 3], b: &[Whole; 3], error: f32) -> bool {
    let (b1, b2) = (less(b[1], b[0]), less(b[2], b[0]));
    let s = a.map(|p| sign_beyond(volume(less(p, b[0]), b1, b2), error));
    (0..3).any(|i| {
        let k = (i + 1) % 3;
        if s[i] * s[k] >= 0 {
            return false;
        }
        let edge = less(a[k], a[i]);
        let [x, y, z] = b.map(|p| less(p, a[i]));
        let sum = sign_beyond(volume(edge, x, y), error)
            + sign_beyond(volume(edge, y, z), error)
            + sign_beyond(volume(edge, z, x), error);
        sum.abs() == 3
    })
}

fn without_common(a: &[Whole; 3], b: &[Whole; 3]) -> u32 {
    let [fa, fb] = [a, b].map(|points| points.map(|point| less(point, b[0])));
    let m = largest(&[fa[0], fa[1], fa[2], fb[1], fb[2]]);
    let centres = minus(plus(plus(fa[0], fa[1]), fa[2]), plus(fb[1], fb[2]));
    if parted(centres, &fa, &fb, m) {
        return APART;
    }
    let [ea, eb] = [a, b].map(|p| [less(p[1], p[0]), less(p[2], p[1]), less(p[0], p[2])]);
    let [na, nb] = [&ea, &eb].map(|e| cross(e[0], e[1]));
    if parted(na, &fa, &fb, m) || parted(nb, &fa, &fb, m) {
        return APART;
    }
    for one in ea {
        for two in eb {
            if parted(cross(one, two), &fa, &fb, m) {
                return APART;
            }
        }
    }
    let extent = std::array::from_fn(|k| {
        let values = [a[0][k], a[1][k], a[2][k], b[0][k], b[1][k], b[2][k]];
        let low = values.iter().fold(i32::MAX, |low, &x| low.min(x));
        let high = values.iter().fold(i32::MIN, |high, &x| high.max(x));
        high.wrapping_sub(low) as f32
    });
    let error = error_of_volume(extent);
    if crossed(a, b, error) || crossed(b, a, error) {
        return MEET;
    }
    for i in 0..3 {
        if parted(cross(na, ea[i]), &fa, &fb, m) || parted(cross(nb, eb[i]), &fa, &fb, m) {
            return APART;
        }
    }
    UNSURE
}

fn norm(v: Real) -> f32 {
    v[0].abs().max(v[1].abs().max(v[2].abs()))
}

/// Of magnitude at most 1, so that products of three stay in range.
fn shrunk(v: Real) -> Real {
    v.map(|x| x / norm(v).max(1.0))
}

fn with_common_corner(v: Whole, a: [Whole; 2], b: [Whole; 2]) -> u32 {
    let [x, y] = a.map(|point| less(point, v));
    let [z, w] = b.map(|point| less(point, v));
    let m = largest(&[x, y, z, w]);
    let d = minus(plus(x, y), plus(z, w));
    let along = error_along(d, m);
    if dot(d, x).min(dot(d, y)) > along && dot(d, z).max(dot(d, w)) < -along {
        return APART;
    }
    let error = error_of_volume(m);
    let p = sign_beyond(volume(x, y, z), error);
    let q = sign_beyond(volume(x, y, w), error);
    let r = sign_beyond(volume(z, w, x), error);
    let s = sign_beyond(volume(z, w, y), error);
    if p * q > 0 || r * s > 0 || p * r > 0 || q * r < 0 || p * s < 0 || q * s > 0 {
        return APART;
    }
    if p * q * r * s != 0 {
        return MEET;
    }
    // In nearly one plane: lines through the corner, between an edge of one and an edge of the other.
    let (na, nb) = (cross(x, y), cross(z, w));
    let n = shrunk(if norm(nb) > norm(na) { nb } else { na });
    for one in [x, y] {
        for two in [z, w] {
            let e = cross(plus(shrunk(one), shrunk(two)), n);
            let bound = error_along(e, m);
            let (a, b) = ([dot(e, x), dot(e, y)], [dot(e, z), dot(e, w)]);
            let is_ahead = |v: [f32; 2]| v[0].min(v[1]) > bound;
            let is_behind = |v: [f32; 2]| v[0].max(v[1]) < -bound;
            if (is_ahead(a) && is_behind(b)) || (is_behind(a) && is_ahead(b)) {
                return APART;
            }
        }
    }
    UNSURE
}

fn with_common_edge(v: Whole, w: Whole, a: Whole, b: Whole) -> u32 {
    let [e, x, y] = [w, a, b].map(|point| less(point, v));
    let m = largest(&[e, x, y]);
    if sign_beyond(volume(e, x, y), error_of_volume(m)) != 0 {
        return APART;
    }
    let n = m.map(|x| x * ABOVE + 2.0);
    let (one, two) = (cross(e, x), cross(e, y));
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let error = RELATIVE * (n[i] * n[j]) + 2.25 * (n[i] + n[j]);
        if sign_beyond(one[k], error) * sign_beyond(two[k], error) < 0 {
            return APART;
        }
    }
    UNSURE
}

/// The verdict about two faces given by their vertices and these vertices' fixed-point positions.
///
/// ```
/// use impinge_gpu::scene::{filter_verdict, APART, MEET};
/// let m = 1 << 20;
/// let floor = [[0, 0, 0], [m, 0, 0], [0, m, 0]];
/// let spike = [[m / 4, m / 4, m], [m / 4, m / 4, -m], [m, m, -m]];
/// assert_eq!(filter_verdict([0, 1, 2], [3, 4, 5], &floor, &spike), MEET);
/// let above = spike.map(|[x, y, z]| [x, y, z + 2 * m]);
/// assert_eq!(filter_verdict([0, 1, 2], [3, 4, 5], &floor, &above), APART);
/// ```
#[must_use]
pub fn filter_verdict(va: [u32; 3], vb: [u32; 3], a: &[Whole; 3], b: &[Whole; 3]) -> u32 {
    let mut shared = [(0, 0); 9];
    let mut count = 0;
    for (j, v) in va.iter().enumerate() {
        for (k, w) in vb.iter().enumerate() {
            if v == w {
                shared[count] = (j, k);
                count += 1;
            }
        }
    }
    match (count, shared[0], shared[1]) {
        (0, ..) => without_common(a, b),
        (1, (i, j), _) => with_common_corner(
            a[i],
            [a[(i + 1) % 3], a[(i + 2) % 3]],
            [b[(j + 1) % 3], b[(j + 2) % 3]],
        ),
        // Corner numbers sum to three, so that the difference is the third.
        (2, (i, j), (k, l)) if i != k && j != l => {
            with_common_edge(a[i], a[k], a[3 - i - k], b[3 - j - l])
        }
        _ => UNSURE,
    }
}

fn filter_pairs(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [most, total, ..] = dispatch.parameters;
    let [positions, faces, pairs, sums, verdicts] = buffers else {
        return;
    };
    let total = if sums[total as usize + 1] != 0 {
        most
    } else {
        sums[total as usize].min(most)
    };
    let corner =
        |v: u32| -> Whole { std::array::from_fn(|k| positions[3 * v as usize + k] as i32) };
    let vertices = |f: u32| -> [u32; 3] { std::array::from_fn(|k| faces[4 * f as usize + k]) };
    for i in 0..most as usize {
        verdicts[i] = if i < total as usize {
            let (va, vb) = (vertices(pairs[2 * i]), vertices(pairs[2 * i + 1]));
            filter_verdict(va, vb, &va.map(corner), &vb.map(corner))
        } else {
            APART
        };
    }
}
