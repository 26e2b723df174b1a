@group(0) @binding(1) var<storage, read> centroids: array<i32>;
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> spreads: array<u32>;

fn wide(x: i32) -> vec2<u32> {
    return vec2<u32>(bitcast<u32>(x), select(0u, 0xffffffffu, x < 0));
}

// The k-th of ten numbers of a point: one, three coordinates, six products. Fifteen bits and a sign.
fn moment(q: vec3<i32>, k: u32) -> i32 {
    switch k {
        case 0u: { return 1; }
        case 1u: { return q.x; }
        case 2u: { return q.y; }
        case 3u: { return q.z; }
        case 4u: { return q.x * q.x; }
        case 5u: { return q.x * q.y; }
        case 6u: { return q.x * q.z; }
        case 7u: { return q.y * q.y; }
        case 8u: { return q.y * q.z; }
        default: { return q.z * q.z; }
    }
}

// a: faces, clusters. One workgroup a cluster; ten sums of two words each, exact.
@compute @workgroup_size(256)
fn sum_spreads(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) l: u32) {
    let c = group_number(group, groups);
    if c >= p.a.y { return; }
    var own: array<vec2<u32>, 10>;
    for (var f = l; f < p.a.x; f += 256u) {
        if p.a.y > 1u && ((masks[2u * f + c / 32u] >> (c % 32u)) & 1u) == 0u { continue; }
        let sum = vec3<i32>(centroids[4u * f], centroids[4u * f + 1u], centroids[4u * f + 2u]);
        let q = sum >> vec3<u32>(15u);
        for (var k = 0u; k < 10u; k++) { own[k] = add2(own[k], wide(moment(q, k))); }
    }
    for (var k = 0u; k < 10u; k++) {
        sum_before(l, own[k]);
        if l == 0u {
            spreads[20u * c + 2u * k] = part[255].x;
            spreads[20u * c + 2u * k + 1u] = part[255].y;
        }
        workgroupBarrier();
    }
}
