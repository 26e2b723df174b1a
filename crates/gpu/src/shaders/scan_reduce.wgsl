@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<storage, read_write> blocks: array<u32>;

// a: items, what they stand for, blocks.
@compute @workgroup_size(256)
fn scan_reduce(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) l: u32) {
    let block = group_number(group, groups);
    if block >= p.a.z { return; }
    var own = vec2<u32>(0u, 0u);
    for (var k = 0u; k < 8u; k++) {
        let i = block * 2048u + l * 8u + k;
        if i < p.a.x { own = add2(own, vec2<u32>(value_of(items[i], p.a.y), 0u)); }
    }
    sum_before(l, own);
    if l == 0u {
        blocks[2u * block] = part[255].x;
        blocks[2u * block + 1u] = part[255].y;
    }
}
