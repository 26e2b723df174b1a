@group(0) @binding(1) var<storage, read> pairs: array<u32>;
@group(0) @binding(2) var<storage, read> verdicts: array<u32>;
@group(0) @binding(3) var<storage, read> kept_sums: array<u32>;
@group(0) @binding(4) var<storage, read_write> results: array<u32>;

// a: pairs, capacity. Faces are below 2^31; the top bit of the second says that the pair is unsure.
@compute @workgroup_size(256)
fn collect(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) l: u32) {
    let i = group_number(group, groups) * 256u + l;
    if i >= p.a.x { return; }
    let place = kept_sums[2u * i];
    if verdicts[i] == 0u || place >= p.a.y { return; }
    results[2u * place] = pairs[2u * i];
    results[2u * place + 1u] = pairs[2u * i + 1u] | select(0u, 0x80000000u, verdicts[i] == 2u);
}
