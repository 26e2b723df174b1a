@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<storage, read_write> largest: array<u32>;

var<workgroup> part: array<u32, 256>;

// a: items. One workgroup per 2048 items writes one word.
@compute @workgroup_size(256)
fn reduce_max(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) l: u32) {
    let block = group_number(group, groups);
    if block * 2048u >= p.a.x { return; }
    var own = 0u;
    for (var k = 0u; k < 8u; k++) {
        let i = block * 2048u + k * 256u + l;
        if i < p.a.x { own = max(own, items[i]); }
    }
    part[l] = own;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half / 2u) {
        if l < half { part[l] = max(part[l], part[l + half]); }
        workgroupBarrier();
    }
    if l == 0u { largest[block] = part[0]; }
}
