@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<u32>;
@group(0) @binding(3) var<storage, read> sums: array<u32>;
@group(0) @binding(4) var<storage, read_write> keys_out: array<u32>;
@group(0) @binding(5) var<storage, read_write> values_out: array<u32>;

// The next place of each digit, and which invocations of a round hold it: eight words a digit.
var<workgroup> places: array<u32, 256>;
var<workgroup> holders: array<atomic<u32>, 2048>;

// a: keys, shift, blocks. Stable: the rank of an item is the number of earlier invocations with its
// digit, counted in bits, so that no order of atomic operations matters.
@compute @workgroup_size(256)
fn radix_scatter(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                 @builtin(local_invocation_index) l: u32) {
    let block = group_number(group, groups);
    if block >= p.a.z { return; }
    places[l] = sums[2u * (l * p.a.z + block)];
    let word = l / 32u;
    let below = (1u << (l % 32u)) - 1u;
    for (var round = 0u; round < 16u; round++) {
        for (var w = 0u; w < 8u; w++) { atomicStore(&holders[l * 8u + w], 0u); }
        workgroupBarrier();
        let i = block * 4096u + round * 256u + l;
        var key = 0u;
        var digit = 0u;
        if i < p.a.x {
            key = keys[i];
            digit = (key >> p.a.y) & 255u;
            atomicOr(&holders[digit * 8u + word], below + 1u);
        }
        workgroupBarrier();
        if i < p.a.x {
            var place = places[digit] + countOneBits(atomicLoad(&holders[digit * 8u + word]) & below);
            for (var w = 0u; w < word; w++) {
                place += countOneBits(atomicLoad(&holders[digit * 8u + w]));
            }
            keys_out[place] = key;
            values_out[place] = values[i];
        }
        workgroupBarrier();
        var held = 0u;
        for (var w = 0u; w < 8u; w++) { held += countOneBits(atomicLoad(&holders[l * 8u + w])); }
        places[l] += held;
    }
}
