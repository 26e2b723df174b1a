@group(0) @binding(1) var<storage, read> points: array<u32>;
@group(0) @binding(2) var<storage, read> chunks: array<u32>;
@group(0) @binding(3) var<storage, read> states: array<u32>;
@group(0) @binding(4) var<storage, read> prototypes: array<u32>;
@group(0) @binding(5) var<storage, read_write> sums: array<u32>;

var<workgroup> part: array<vec2<u32>, 256>;

fn heat_of(rank: u32) -> u32 {
    return select(p.c[rank & 3u], p.b[rank & 3u], rank < 4u);
}

// x * y of 16 and 32 bits, in two words.
fn times(x: u32, y: u32) -> vec2<u32> {
    let low = (x & 0xffffu) * (y & 0xffffu);
    let middle = (x >> 16u) * (y & 0xffffu);
    return add2(vec2<u32>(low, 0u), vec2<u32>(middle << 16u, middle >> 16u));
}

// a: chunks, parts; b, c: heats by rank, of 16 bits. For each part the sums of the weights and of weight times
// coordinate, two words each. One workgroup a chunk.
@compute @workgroup_size(256)
fn gas_pull(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
            @builtin(local_invocation_index) l: u32) {
    let chunk = group_number(group, groups);
    if chunk >= p.a.x { return; }
    let segment = chunks[4u * chunk];
    if states[2u * segment] != 0u { return; }
    var own: array<vec2<u32>, 32>;
    for (var i = chunks[4u * chunk + 1u] + l; i < chunks[4u * chunk + 2u]; i += 256u) {
        let q = point_at(i);
        let volume = points[2u * i + 1u] >> 16u;
        var far: array<u32, 8>;
        for (var k = 0u; k < p.a.y; k++) { far[k] = distance_sq(q, prototype(segment, k)); }
        for (var k = 0u; k < p.a.y; k++) {
            var rank = 0u;
            for (var j = 0u; j < p.a.y; j++) { rank += select(0u, 1u, far[j] < far[k]); }
            let weight = (heat_of(rank) * volume) >> 8u;
            own[4u * k] = add2(own[4u * k], vec2<u32>(weight, 0u));
            for (var axis = 0u; axis < 3u; axis++) {
                let at = 4u * k + 1u + axis;
                own[at] = add2(own[at], times(weight, q[axis]));
            }
        }
    }
    for (var k = 0u; k < 4u * p.a.y; k++) {
        part[l] = own[k];
        workgroupBarrier();
        for (var step = 128u; step > 0u; step = step / 2u) {
            if l < step { part[l] = add2(part[l], part[l + step]); }
            workgroupBarrier();
        }
        if l == 0u {
            sums[64u * chunk + 2u * k] = part[0].x;
            sums[64u * chunk + 2u * k + 1u] = part[0].y;
        }
        workgroupBarrier();
    }
}
