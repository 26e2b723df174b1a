@group(0) @binding(1) var<storage, read> records: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;
@group(0) @binding(3) var<storage, read_write> totals: array<u32>;

// The first entry whose cluster is not below; entries that are none come last.
fn begin_of(cluster: u32) -> u32 {
    var low = 0u;
    var high = p.a.x;
    while low < high {
        let middle = low + (high - low) / 2u;
        if records[8u * middle + 4u] != 0xffffffffu && records[8u * middle + 6u] < cluster {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// a: entries, clusters, where the totals begin. One invocation a cluster.
@compute @workgroup_size(256)
fn cluster_totals(@builtin(local_invocation_index) l: u32) {
    if l >= p.a.y { return; }
    let first = begin_of(l);
    let end = begin_of(l + 1u);
    let low = sums[2u * end] - sums[2u * first];
    let borrow = select(0u, 1u, sums[2u * end] < sums[2u * first]);
    totals[p.a.z + 2u * l] = low;
    totals[p.a.z + 2u * l + 1u] = sums[2u * end + 1u] - sums[2u * first + 1u] - borrow;
}
