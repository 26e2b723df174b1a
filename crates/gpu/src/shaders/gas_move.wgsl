@group(0) @binding(1) var<storage, read> sums: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> states: array<u32>;
@group(0) @binding(4) var<storage, read_write> prototypes: array<u32>;

fn shifted(x: vec2<u32>, bits: u32) -> vec2<u32> {
    if bits == 0u { return x; }
    return vec2<u32>(x.x << bits, (x.y << bits) | (x.x >> (32u - bits)));
}

fn is_at_most(x: vec2<u32>, y: vec2<u32>) -> bool {
    return x.y < y.y || (x.y == y.y && x.x <= y.x);
}

fn less2(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(x.x - y.x, x.y - y.y - select(0u, 1u, x.x < y.x));
}

// The quotient, below 2^15, rounded to nearest.
fn quotient(sum: vec2<u32>, weight: vec2<u32>) -> u32 {
    let half = vec2<u32>((weight.x >> 1u) | (weight.y << 31u), weight.y >> 1u);
    var rest = add2(sum, half);
    var answer = 0u;
    for (var bit = 0u; bit < 16u; bit++) {
        let by = shifted(weight, 15u - bit);
        if is_at_most(by, rest) {
            rest = less2(rest, by);
            answer |= 1u << (15u - bit);
        }
    }
    return answer;
}

fn total_of(segment: u32, k: u32) -> vec2<u32> {
    var total = vec2<u32>(0u, 0u);
    for (var chunk = starts[segment]; chunk < starts[segment + 1u]; chunk++) {
        total = add2(total, vec2<u32>(sums[64u * chunk + 2u * k], sums[64u * chunk + 2u * k + 1u]));
    }
    return total;
}

// a: segments, parts, whether standing still is the end. A state is whether the segment is done, and the square of
// the distance that is none.
@compute @workgroup_size(256)
fn gas_move(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
            @builtin(local_invocation_index) l: u32) {
    let segment = group_number(group, groups) * 256u + l;
    if segment >= p.a.x { return; }
    if states[2u * segment] != 0u { return; }
    var moved = 0u;
    for (var k = 0u; k < p.a.y; k++) {
        let weight = total_of(segment, 4u * k);
        if weight.x == 0u && weight.y == 0u { continue; }
        var far = 0u;
        for (var axis = 0u; axis < 3u; axis++) {
            let at = 32u * segment + 4u * k + axis;
            let old = prototypes[at];
            let next = quotient(total_of(segment, 4u * k + 1u + axis), weight);
            prototypes[at] = next;
            let d = max(old, next) - min(old, next);
            far += d * d;
        }
        moved = max(moved, far);
    }
    if p.a.z != 0u && moved <= states[2u * segment + 1u] { states[2u * segment] = 1u; }
}
