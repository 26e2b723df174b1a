@group(0) @binding(1) var<storage, read> sums: array<u32>;
@group(0) @binding(2) var<storage, read> records: array<u32>;
@group(0) @binding(3) var<storage, read> bits: array<u32>;
@group(0) @binding(4) var<storage, read> bit_sums: array<u32>;
@group(0) @binding(5) var<storage, read> parents: array<u32>;
@group(0) @binding(6) var<storage, read_write> pairs: array<u32>;

// a: words, entries, first pair (two words); b: capacity, whether faces are pieces. The faces of each set bit, smaller first.
@compute @workgroup_size(256)
fn emit_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) l: u32) {
    let w = group_number(group, groups) * 256u + l;
    if w >= p.a.x { return; }
    var rest = bits[w];
    if rest == 0u { return; }
    var place = bit_sums[2u * w];
    if bit_sums[2u * w + 1u] != 0u { return; }
    let t = add2(p.a.zw, vec2<u32>(w << 5u, w >> 27u));
    while rest != 0u {
        if place >= p.b.x { return; }
        let u = add2(t, vec2<u32>(countTrailingZeros(rest), 0u));
        let i = row_of(u, p.a.y + 1u);
        let j = i + 1u + (u.x - sums[2u * i]);
        var f = records[8u * i + 4u];
        var g = records[8u * j + 4u];
        if p.b.y != 0u {
            f = parents[f];
            g = parents[g];
        }
        pairs[2u * place] = min(f, g);
        pairs[2u * place + 1u] = max(f, g);
        rest &= rest - 1u;
        place += 1u;
    }
}
