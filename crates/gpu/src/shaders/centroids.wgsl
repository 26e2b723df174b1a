@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;
@group(0) @binding(3) var<storage, read_write> centroids: array<i32>;

fn corner(v: u32) -> vec3<i32> {
    return vec3<i32>(positions[3u * v], positions[3u * v + 1u], positions[3u * v + 2u]);
}

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
    let a = corner(faces[4u * f]);
    let b = corner(faces[4u * f + 1u]);
    let c = corner(faces[4u * f + 2u]);
    let sum = a + b + c;
    let reach = max(reach_of(3 * a - sum), max(reach_of(3 * b - sum), reach_of(3 * c - sum)));
    centroids[4u * f] = sum.x;
    centroids[4u * f + 1u] = sum.y;
    centroids[4u * f + 2u] = sum.z;
    centroids[4u * f + 3u] = i32((reach + 2u) / 3u);
}
