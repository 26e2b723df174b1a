@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<storage, read> blocks: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;

// a: items, what they stand for, blocks.
@compute @workgroup_size(256)
fn scan_apply(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) l: u32) {
    let block = group_number(group, groups);
    if block >= p.a.z { return; }
    let first = block * 2048u + l * 8u;
    var own = vec2<u32>(0u, 0u);
    for (var k = 0u; k < 8u; k++) {
        if first + k < p.a.x { own = add2(own, vec2<u32>(value_of(items[first + k], p.a.y), 0u)); }
    }
    let base = vec2<u32>(blocks[2u * block], blocks[2u * block + 1u]);
    var sum = add2(base, sum_before(l, own));
    for (var k = 0u; k < 8u; k++) {
        let i = first + k;
        if i < p.a.x {
            sums[2u * i] = sum.x;
            sums[2u * i + 1u] = sum.y;
            sum = add2(sum, vec2<u32>(value_of(items[i], p.a.y), 0u));
            if i + 1u == p.a.x {
                sums[2u * i + 2u] = sum.x;
                sums[2u * i + 3u] = sum.y;
            }
        }
    }
}
