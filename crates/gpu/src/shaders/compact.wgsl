@group(0) @binding(1) var<storage, read> bits: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;
@group(0) @binding(3) var<storage, read_write> kept: array<u32>;

// a: words, capacity. What does not fit is not written; the scan's total says how much that is.
@compute @workgroup_size(256)
fn compact(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) l: u32) {
    let w = group_number(group, groups) * 256u + l;
    if w >= p.a.x { return; }
    var rest = bits[w];
    var place = sums[2u * w];
    // A sum beyond one word is beyond any capacity.
    if sums[2u * w + 1u] != 0u { return; }
    while rest != 0u {
        if place < p.a.y { kept[place] = 32u * w + countTrailingZeros(rest); }
        rest &= rest - 1u;
        place += 1u;
    }
}
