@group(0) @binding(1) var<storage, read> masks: array<u32>;
@group(0) @binding(2) var<storage, read> mask_sums: array<u32>;
@group(0) @binding(3) var<storage, read_write> entries: array<u32>;

// a: faces, capacity, the clusters that are listed (two words). The entries of each face; what is left of the capacity is filled with none.
@compute @workgroup_size(256)
fn list_entries(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) l: u32) {
    let i = group_number(group, groups) * 256u + l;
    if i < p.a.y && i >= mask_sums[2u * p.a.x] {
        entries[2u * i] = 0xffffffffu;
        entries[2u * i + 1u] = 255u;
    }
    if i >= p.a.x { return; }
    var place = mask_sums[2u * i];
    for (var half_word = 0u; half_word < 2u; half_word++) {
        var rest = masks[2u * i + half_word] & p.a[2u + half_word];
        while rest != 0u {
            if place < p.a.y {
                entries[2u * place] = i;
                entries[2u * place + 1u] = 32u * half_word + countTrailingZeros(rest);
            }
            rest &= rest - 1u;
            place += 1u;
        }
    }
}
