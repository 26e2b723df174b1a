@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> records: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

// a: entries. How many entries of its cluster begin after each and not behind its end.
@compute @workgroup_size(256)
fn count_overlaps(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                  @builtin(local_invocation_index) l: u32) {
    let i = group_number(group, groups) * 256u + l;
    if i >= p.a.x { return; }
    if records[8u * i + 4u] == 0xffffffffu {
        counts[i] = 0u;
        return;
    }
    let cluster = records[8u * i + 6u];
    let end = records[8u * i + 7u];
    var low = i + 1u;
    var high = p.a.x;
    while low < high {
        let middle = low + (high - low) / 2u;
        let other = records[8u * middle + 6u];
        let is_none = records[8u * middle + 4u] == 0xffffffffu;
        if !is_none && (other < cluster || (other == cluster && keys[middle] <= end)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    counts[i] = low - i - 1u;
}
