@group(0) @binding(1) var<storage, read> records: array<u32>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> arranged: array<u32>;

// a: entries. One invocation a word, so that neighbours write neighbouring words.
@compute @workgroup_size(256)
fn arrange(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) l: u32) {
    let w = group_number(group, groups) * 256u + l;
    if w / 8u >= p.a.x { return; }
    arranged[w] = records[8u * order[w / 8u] + w % 8u];
}
