@group(0) @binding(1) var<storage, read> centroids: array<i32>;
@group(0) @binding(2) var<storage, read> centers: array<f32>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;

var<workgroup> part: array<vec4<f32>, 256>;
var<workgroup> cost: array<f32, 256>;

// a: faces, clusters, groups. For each cluster the sums of u² x and of u², and of u² d²: eight words.
@compute @workgroup_size(256)
fn fuzzy_sums(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) l: u32) {
    let g = group_number(group, groups);
    if g >= p.a.z { return; }
    let f = g * 256u + l;
    let c = p.a.y;
    let is_face = f < p.a.x;
    var x = vec3<f32>(0.0);
    if is_face { x = point_of(f); }
    let near = nearest_of(x, c);
    var whole = 0.0;
    for (var i = 0u; i < c; i++) { whole += share_of(x, i, near); }
    for (var i = 0u; i < c; i++) {
        let u = share_of(x, i, near) / whole;
        let d = x - center(i);
        var own = vec4<f32>(0.0);
        var dear = 0.0;
        if is_face {
            own = vec4<f32>(u * u * x, u * u);
            dear = u * u * dot(d, d);
        }
        part[l] = own;
        cost[l] = dear;
        workgroupBarrier();
        // Always the same tree, so that a device repeats its sums.
        for (var step = 128u; step > 0u; step = step / 2u) {
            if l < step {
                part[l] += part[l + step];
                cost[l] += cost[l + step];
            }
            workgroupBarrier();
        }
        if l == 0u {
            let at = 8u * (g * c + i);
            sums[at] = part[0].x;
            sums[at + 1u] = part[0].y;
            sums[at + 2u] = part[0].z;
            sums[at + 3u] = part[0].w;
            sums[at + 4u] = cost[0];
        }
        workgroupBarrier();
    }
}
