@group(0) @binding(1) var<storage, read> points: array<u32>;
@group(0) @binding(2) var<storage, read> chunks: array<u32>;
@group(0) @binding(3) var<storage, read> prototypes: array<u32>;
@group(0) @binding(4) var<storage, read_write> shares: array<u32>;

// a: chunks, parts. The nearest prototype of each point; of equal ones the first.
@compute @workgroup_size(256)
fn gas_share(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) l: u32) {
    let chunk = group_number(group, groups);
    if chunk >= p.a.x { return; }
    let segment = chunks[4u * chunk];
    for (var i = chunks[4u * chunk + 1u] + l; i < chunks[4u * chunk + 2u]; i += 256u) {
        let q = point_at(i);
        var best = 0u;
        var least = 0xffffffffu;
        for (var k = 0u; k < p.a.y; k++) {
            let far = distance_sq(q, prototype(segment, k));
            if far < least {
                least = far;
                best = k;
            }
        }
        shares[i] = best;
    }
}
