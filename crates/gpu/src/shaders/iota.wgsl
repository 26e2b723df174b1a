@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;

// a: items.
@compute @workgroup_size(256)
fn iota(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) l: u32) {
    let i = group_number(group, groups) * 256u + l;
    if i < p.a.x { numbers[i] = i; }
}
