@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;
@group(0) @binding(3) var<storage, read> centers: array<f32>;
@group(0) @binding(4) var<storage, read_write> masks: array<u32>;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

fn corner(v: u32) -> vec3<f32> {
    let q = vec3<i32>(positions[3u * v], positions[3u * v + 1u], positions[3u * v + 2u]);
    return vec3<f32>(q) * (1.0 / 268435456.0);
}

fn center(i: u32) -> vec3<f32> {
    return vec3<f32>(centers[4u * i], centers[4u * i + 1u], centers[4u * i + 2u]);
}

// a: faces, clusters. A face joins i when a corner is at least as near to i as to its own cluster, or
// seems so within a margin of 2^-14.
@compute @workgroup_size(256)
fn map_faces(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) l: u32) {
    let f = group_number(group, groups) * 256u + l;
    if f >= p.a.x { return; }
    let x = corner(faces[4u * f]);
    let y = corner(faces[4u * f + 1u]);
    let z = corner(faces[4u * f + 2u]);
    let middle = (x + y + z) * (1.0 / 3.0);
    var near = 0u;
    var least = 100.0;
    for (var i = 0u; i < p.a.y; i++) {
        let d = middle - center(i);
        if dot(d, d) < least {
            least = dot(d, d);
            near = i;
        }
    }
    let own = center(near);
    var mask = vec2<u32>(0u, 0u);
    for (var i = 0u; i < p.a.y; i++) {
        let v = center(i);
        let slope = 2.0 * (own - v);
        let least_side = min(dot(slope, x), min(dot(slope, y), dot(slope, z)));
        let is_beyond = least_side + (dot(v, v) - dot(own, own)) > 6.103515625e-5;
        if i == near || !is_beyond {
            if i < 32u { mask.x |= 1u << i; } else { mask.y |= 1u << (i - 32u); }
        }
    }
    masks[2u * f] = mask.x;
    masks[2u * f + 1u] = mask.y;
    counts[f] = countOneBits(mask.x) + countOneBits(mask.y);
}
