@group(0) @binding(1) var<storage, read> axis_sums: array<u32>;
@group(0) @binding(2) var<storage, read> bit_sums: array<u32>;
@group(0) @binding(3) var<storage, read> kept_sums: array<u32>;
@group(0) @binding(4) var<storage, read> entry_sums: array<u32>;
@group(0) @binding(5) var<storage, read> spreads: array<u32>;
@group(0) @binding(6) var<storage, read_write> totals: array<u32>;

// a: where the totals of the four lie; b: words of the spreads. All behind each other, for one readback.
@compute @workgroup_size(256)
fn summarise(@builtin(local_invocation_index) l: u32) {
    if l < 2u {
        totals[l] = axis_sums[p.a.x + l];
        totals[2u + l] = bit_sums[p.a.y + l];
        totals[4u + l] = kept_sums[p.a.z + l];
        totals[6u + l] = entry_sums[p.a.w + l];
    }
    for (var i = l; i < p.b.x; i += 256u) { totals[8u + i] = spreads[i]; }
}
