@group(0) @binding(3) var<storage, read_write> centroids: array<i32>;

// At least the length: m² + s² + t² ≤ (m + (s + t) / 2)² for m ≥ s, t ≥ 0. Without a root, so that
// all devices agree.
fn reach_of(v: vec3<i32>) -> u32 {
    let u = vec3<u32>(abs(v));
    let most = max(u.x, max(u.y, u.z));
    return most + (u.x + u.y + u.z - most + 1u) / 2u;
}

// a: faces. Three times the centroid, exactly, and a radius that holds the corners.
@compute @workgroup_size(256)
fn find_centroids(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                  @builtin(local_invocation_index) l: u32) {
    let f = group_number(group, groups) * 256u + l;
    if f >= p.a.x { return; }
    let q = corners_of(f, 0u);
    let sum = q.a + q.b + q.c;
    let reach = max(reach_of(3 * q.a - sum), max(reach_of(3 * q.b - sum), reach_of(3 * q.c - sum)));
    centroids[4u * f] = sum.x;
    centroids[4u * f + 1u] = sum.y;
    centroids[4u * f + 2u] = sum.z;
    centroids[4u * f + 3u] = i32((reach + 2u) / 3u);
}
