@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> gathered: array<u32>;

// a: items.
@compute @workgroup_size(256)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_index) l: u32) {
    let i = group_number(group, groups) * 256u + l;
    if i < p.a.x { gathered[i] = items[order[i]]; }
}
