@group(0) @binding(1) var<storage, read> sums: array<u32>;
@group(0) @binding(2) var<storage, read> records: array<u32>;
@group(0) @binding(3) var<storage, read> masks: array<u32>;
@group(0) @binding(4) var<storage, read> parents: array<u32>;
@group(0) @binding(5) var<storage, read_write> bits: array<u32>;

fn overlaps(i: u32, j: u32) -> bool {
    let a = 8u * i;
    let b = 8u * j;
    if bitcast<i32>(records[a]) > bitcast<i32>(records[b + 1u])
        || bitcast<i32>(records[b]) > bitcast<i32>(records[a + 1u])
        || bitcast<i32>(records[a + 2u]) > bitcast<i32>(records[b + 3u])
        || bitcast<i32>(records[b + 2u]) > bitcast<i32>(records[a + 3u]) { return false; }
    let kind = select(2u, 1u, records[a + 5u] == records[b + 5u]);
    if (p.b.x & kind) == 0u { return false; }
    let f = records[a + 4u];
    let g = records[b + 4u];
    // Pieces of one face are no pair.
    if p.b.z != 0u && parents[f] == parents[g] { return false; }
    if p.b.y <= 1u { return true; }
    // Faces that share several clusters are a pair of the first.
    let low = masks[2u * f] & masks[2u * g];
    let high = masks[2u * f + 1u] & masks[2u * g + 1u];
    let first = select(32u + countTrailingZeros(high), countTrailingZeros(low), low != 0u);
    return first == records[a + 6u];
}

// a: words, entries, first pair (two words); b: kinds wanted, clusters, whether
// faces are pieces. 32 pairs an invocation.
@compute @workgroup_size(256)
fn cull_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) l: u32) {
    let w = group_number(group, groups) * 256u + l;
    if w >= p.a.x { return; }
    var t = add2(p.a.zw, vec2<u32>(w << 5u, w >> 27u));
    let total = sum_at(p.a.y);
    var word = 0u;
    if is_less(t, total) {
        var i = row_of(t, p.a.y + 1u);
        // Differences fit a word: a row is no longer than the list.
        var j = i + 1u + (t.x - sums[2u * i]);
        var end = i + 1u + (sums[2u * i + 2u] - sums[2u * i]);
        for (var k = 0u; k < 32u; k++) {
            if !is_less(t, total) { break; }
            while j >= end {
                i++;
                j = i + 1u;
                end = j + (sums[2u * i + 2u] - sums[2u * i]);
            }
            if overlaps(i, j) { word |= 1u << k; }
            j++;
            t = add2(t, vec2<u32>(1u, 0u));
        }
    }
    bits[w] = word;
}
