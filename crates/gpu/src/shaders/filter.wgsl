@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<u32>;
@group(0) @binding(4) var<storage, read> pair_sums: array<u32>;
@group(0) @binding(5) var<storage, read_write> verdicts: array<u32>;

const APART = 0u;
const MEET = 1u;
const UNSURE = 2u;

fn corner(v: u32) -> vec3<i32> {
    return vec3<i32>(positions[3u * v], positions[3u * v + 1u], positions[3u * v + 2u]);
}

// 2^-19 of the largest magnitudes and 2: above 8.01 errors of 2^-23 each and one unit of the grid.
fn error_along(d: vec3<f32>, m: vec3<f32>) -> f32 {
    return dot(abs(d), m * 1.9073486328125e-6 + vec3<f32>(2.0)) + 1e-20;
}

// The error of a determinant of differences of at most m.
fn error_of_volume(m: vec3<f32>) -> f32 {
    let n = m * 1.00000095367431640625 + vec3<f32>(2.0);
    return 1.1444091796875e-5 * (n.x * n.y * n.z) + 6.75 * (n.x * n.y + n.y * n.z + n.z * n.x);
}

fn volume(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> f32 {
    return dot(a, cross(b, c));
}

// -1, 0 for unknown, or 1.
fn sign_beyond(x: f32, error: f32) -> i32 {
    return select(0, 1, x > error) - select(0, 1, x < -error);
}

// Whether three points lie strictly on one side of three others along d.
fn parted(d: vec3<f32>, a: array<vec3<f32>, 3>, b: array<vec3<f32>, 3>, m: vec3<f32>) -> bool {
    let x = vec3<f32>(dot(d, a[0]), dot(d, a[1]), dot(d, a[2]));
    let y = vec3<f32>(dot(d, b[0]), dot(d, b[1]), dot(d, b[2]));
    let low_a = min(x.x, min(x.y, x.z));
    let high_a = max(x.x, max(x.y, x.z));
    let low_b = min(y.x, min(y.y, y.z));
    let high_b = max(y.x, max(y.y, y.z));
    return max(low_a - high_b, low_b - high_a) > error_along(d, m);
}

// Whether an edge of a certainly crosses b.
fn crossed(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, error: f32) -> bool {
    var s: array<i32, 3>;
    let b1 = vec3<f32>(b[1] - b[0]);
    let b2 = vec3<f32>(b[2] - b[0]);
    for (var i = 0u; i < 3u; i++) {
        s[i] = sign_beyond(volume(vec3<f32>(a[i] - b[0]), b1, b2), error);
    }
    for (var i = 0u; i < 3u; i++) {
        let k = (i + 1u) % 3u;
        if s[i] * s[k] >= 0 { continue; }
        let begin = a[i];
        let edge = vec3<f32>(a[k] - begin);
        let x = vec3<f32>(b[0] - begin);
        let y = vec3<f32>(b[1] - begin);
        let z = vec3<f32>(b[2] - begin);
        let sum = sign_beyond(volume(edge, x, y), error) + sign_beyond(volume(edge, y, z), error)
            + sign_beyond(volume(edge, z, x), error);
        if abs(sum) == 3 { return true; }
    }
    return false;
}

fn without_common(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>) -> u32 {
    let o = b[0];
    let fa = array<vec3<f32>, 3>(vec3<f32>(a[0] - o), vec3<f32>(a[1] - o), vec3<f32>(a[2] - o));
    let fb = array<vec3<f32>, 3>(vec3<f32>(0.0), vec3<f32>(b[1] - o), vec3<f32>(b[2] - o));
    let m = max(max(abs(fa[0]), max(abs(fa[1]), abs(fa[2]))), max(abs(fb[1]), abs(fb[2])));
    if parted((fa[0] + fa[1] + fa[2]) - (fb[1] + fb[2]), fa, fb, m) { return APART; }
    var ea = array<vec3<f32>, 3>(vec3<f32>(a[1] - a[0]), vec3<f32>(a[2] - a[1]), vec3<f32>(a[0] - a[2]));
    var eb = array<vec3<f32>, 3>(vec3<f32>(b[1] - b[0]), vec3<f32>(b[2] - b[1]), vec3<f32>(b[0] - b[2]));
    let na = cross(ea[0], ea[1]);
    if parted(na, fa, fb, m) { return APART; }
    let nb = cross(eb[0], eb[1]);
    if parted(nb, fa, fb, m) { return APART; }
    for (var i = 0u; i < 3u; i++) {
        for (var k = 0u; k < 3u; k++) {
            if parted(cross(ea[i], eb[k]), fa, fb, m) { return APART; }
        }
    }
    let low = min(min(a[0], min(a[1], a[2])), min(b[0], min(b[1], b[2])));
    let high = max(max(a[0], max(a[1], a[2])), max(b[0], max(b[1], b[2])));
    let error = error_of_volume(vec3<f32>(high - low));
    if crossed(a, b, error) || crossed(b, a, error) { return MEET; }
    // Faces in nearly one plane.
    for (var i = 0u; i < 3u; i++) {
        if parted(cross(na, ea[i]), fa, fb, m) { return APART; }
        if parted(cross(nb, eb[i]), fa, fb, m) { return APART; }
    }
    return UNSURE;
}

fn largest(v: vec3<f32>) -> f32 {
    return max(abs(v.x), max(abs(v.y), abs(v.z)));
}

// Of magnitude at most 1, so that products of three stay in range.
fn shrunk(v: vec3<f32>) -> vec3<f32> {
    return v / max(largest(v), 1.0);
}

fn with_common_corner(v: vec3<i32>, a1: vec3<i32>, a2: vec3<i32>, b1: vec3<i32>, b2: vec3<i32>) -> u32 {
    let x = vec3<f32>(a1 - v);
    let y = vec3<f32>(a2 - v);
    let z = vec3<f32>(b1 - v);
    let w = vec3<f32>(b2 - v);
    let m = max(max(abs(x), abs(y)), max(abs(z), abs(w)));
    let d = (x + y) - (z + w);
    let along = error_along(d, m);
    if min(dot(d, x), dot(d, y)) > along && max(dot(d, z), dot(d, w)) < -along { return APART; }
    let error = error_of_volume(m);
    let p0 = sign_beyond(volume(x, y, z), error);
    let q0 = sign_beyond(volume(x, y, w), error);
    let r0 = sign_beyond(volume(z, w, x), error);
    let s0 = sign_beyond(volume(z, w, y), error);
    if p0 * q0 > 0 || r0 * s0 > 0 || p0 * r0 > 0 || q0 * r0 < 0 || p0 * s0 < 0 || q0 * s0 > 0 {
        return APART;
    }
    if p0 * q0 * r0 * s0 != 0 { return MEET; }
    // In nearly one plane: lines through the corner, between an edge of one and an edge of the other.
    let na = cross(x, y);
    let nb = cross(z, w);
    var n = na;
    if largest(nb) > largest(na) { n = nb; }
    n = shrunk(n);
    for (var i = 0u; i < 4u; i++) {
        let t = shrunk(select(x, y, (i & 1u) == 1u)) + shrunk(select(z, w, i >= 2u));
        let e = cross(t, n);
        let bound = error_along(e, m);
        let a = vec2<f32>(dot(e, x), dot(e, y));
        let b = vec2<f32>(dot(e, z), dot(e, w));
        if (min(a.x, a.y) > bound && max(b.x, b.y) < -bound)
            || (max(a.x, a.y) < -bound && min(b.x, b.y) > bound) { return APART; }
    }
    return UNSURE;
}

fn with_common_edge(v: vec3<i32>, w: vec3<i32>, a: vec3<i32>, b: vec3<i32>) -> u32 {
    let e = vec3<f32>(w - v);
    let x = vec3<f32>(a - v);
    let y = vec3<f32>(b - v);
    let m = max(abs(e), max(abs(x), abs(y)));
    if sign_beyond(volume(e, x, y), error_of_volume(m)) != 0 { return APART; }
    let n = m * 1.00000095367431640625 + vec3<f32>(2.0);
    let error = 1.9073486328125e-6 * (n.yzx * n.zxy) + 2.25 * (n.yzx + n.zxy);
    let one = cross(e, x);
    let two = cross(e, y);
    for (var k = 0u; k < 3u; k++) {
        if sign_beyond(one[k], error[k]) * sign_beyond(two[k], error[k]) < 0 { return APART; }
    }
    return UNSURE;
}

// a: pairs at most, where the total of the pairs lies.
@compute @workgroup_size(256)
fn filter_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) l: u32) {
    let i = group_number(group, groups) * 256u + l;
    if i >= p.a.x { return; }
    var verdict = APART;
    if pair_sums[p.a.y + 1u] != 0u || i < pair_sums[p.a.y] {
        let f = 4u * pairs[2u * i];
        let g = 4u * pairs[2u * i + 1u];
        let va = vec3<u32>(faces[f], faces[f + 1u], faces[f + 2u]);
        let vb = vec3<u32>(faces[g], faces[g + 1u], faces[g + 2u]);
        var a = array<vec3<i32>, 3>(corner(va.x), corner(va.y), corner(va.z));
        var b = array<vec3<i32>, 3>(corner(vb.x), corner(vb.y), corner(vb.z));
        var shared_count = 0u;
        var first = vec2<u32>(0u);
        var last = vec2<u32>(0u);
        for (var j = 0u; j < 3u; j++) {
            for (var k = 0u; k < 3u; k++) {
                if va[j] == vb[k] {
                    if shared_count == 0u { first = vec2<u32>(j, k); }
                    last = vec2<u32>(j, k);
                    shared_count += 1u;
                }
            }
        }
        verdict = UNSURE;
        if shared_count == 0u {
            verdict = without_common(a, b);
        } else if shared_count == 1u {
            verdict = with_common_corner(a[first.x], a[(first.x + 1u) % 3u], a[(first.x + 2u) % 3u],
                                         b[(first.y + 1u) % 3u], b[(first.y + 2u) % 3u]);
        } else if shared_count == 2u && first.x != last.x && first.y != last.y {
            verdict = with_common_edge(a[first.x], a[last.x], a[3u - first.x - last.x],
                                       b[3u - first.y - last.y]);
        }
    }
    verdicts[i] = verdict;
}
