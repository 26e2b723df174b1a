@group(0) @binding(1) var<storage, read> sums: array<f32>;
@group(0) @binding(2) var<storage, read_write> centers: array<f32>;

// a: clusters, groups. One invocation a cluster adds the sums of all groups in their order. The fourth
// word of a centre is the objective of its cluster before the move.
@compute @workgroup_size(256)
fn fuzzy_centers(@builtin(local_invocation_index) l: u32) {
    if l >= p.a.x { return; }
    var sum = vec4<f32>(0.0);
    var cost = 0.0;
    for (var g = 0u; g < p.a.y; g++) {
        let at = 8u * (g * p.a.x + l);
        sum += vec4<f32>(sums[at], sums[at + 1u], sums[at + 2u], sums[at + 3u]);
        cost += sums[at + 4u];
    }
    if sum.w > 1e-30 {
        let to = clamp(sum.xyz / sum.w, vec3<f32>(-1.0), vec3<f32>(1.0));
        centers[4u * l] = to.x;
        centers[4u * l + 1u] = to.y;
        centers[4u * l + 2u] = to.z;
    }
    centers[4u * l + 3u] = cost;
}
