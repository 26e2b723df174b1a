@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> tally: array<atomic<u32>, 256>;

// a: keys, shift, blocks. Counts go by digit, then by block, so that one scan gives all places.
@compute @workgroup_size(256)
fn radix_count(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) l: u32) {
    let block = group_number(group, groups);
    if block >= p.a.z { return; }
    atomicStore(&tally[l], 0u);
    workgroupBarrier();
    for (var round = 0u; round < 16u; round++) {
        let i = block * 4096u + round * 256u + l;
        if i < p.a.x { atomicAdd(&tally[(keys[i] >> p.a.y) & 255u], 1u); }
    }
    workgroupBarrier();
    counts[l * p.a.z + block] = atomicLoad(&tally[l]);
}
