@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;

// a: segments. One workgroup a segment.
@compute @workgroup_size(256)
fn segment_sums(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) l: u32) {
    let segment = group_number(group, groups);
    if segment >= p.a.x { return; }
    var own = vec2<u32>(0u, 0u);
    for (var i = starts[segment] + l; i < starts[segment + 1u]; i += 256u) {
        own = add2(own, vec2<u32>(items[i], 0u));
    }
    sum_before(l, own);
    if l == 0u {
        sums[2u * segment] = part[255].x;
        sums[2u * segment + 1u] = part[255].y;
    }
}
