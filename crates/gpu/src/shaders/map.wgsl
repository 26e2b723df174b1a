@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;
@group(0) @binding(3) var<storage, read> centers: array<f32>;
@group(0) @binding(4) var<storage, read_write> masks: array<u32>;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

// In units of 2^-12 of the cube's half side, rounded down.
fn corner(v: u32) -> vec3<i32> {
    let q = vec3<i32>(positions[3u * v], positions[3u * v + 1u], positions[3u * v + 2u]);
    return q >> vec3<u32>(16u);
}

// A product with a power of two is exact, so that equal centres are equal everywhere.
fn center(i: u32) -> vec3<i32> {
    let c = vec3<f32>(centers[4u * i], centers[4u * i + 1u], centers[4u * i + 2u]);
    return vec3<i32>(floor(clamp(c, vec3<f32>(-1.0), vec3<f32>(1.0)) * 4096.0));
}

fn dot3(a: vec3<i32>, b: vec3<i32>) -> i32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// a: faces, clusters, the clusters that are listed (two words). A face joins i when a corner may be at least as near to i
// as to its own cluster.
@compute @workgroup_size(256)
fn map_faces(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) l: u32) {
    let f = group_number(group, groups) * 256u + l;
    if f >= p.a.x { return; }
    let x = corner(faces[4u * f]);
    let y = corner(faces[4u * f + 1u]);
    let z = corner(faces[4u * f + 2u]);
    let middle = (x + y + z) / 3;
    var near = 0u;
    var least = 0x7fffffff;
    for (var i = 0u; i < p.a.y; i++) {
        let d = middle - center(i);
        if dot3(d, d) < least {
            least = dot3(d, d);
            near = i;
        }
    }
    let own = center(near);
    var mask = vec2<u32>(0u, 0u);
    for (var i = 0u; i < p.a.y; i++) {
        let v = center(i);
        let slope = 2 * (own - v);
        let side = min(dot3(slope, x), min(dot3(slope, y), dot3(slope, z)));
        let below = min(slope.x, 0) + min(slope.y, 0) + min(slope.z, 0) - 8;
        let is_beyond = side + below + (dot3(v, v) - dot3(own, own)) > 0;
        if i == near || !is_beyond {
            if i < 32u { mask.x |= 1u << i; } else { mask.y |= 1u << (i - 32u); }
        }
    }
    masks[2u * f] = mask.x;
    masks[2u * f + 1u] = mask.y;
    counts[f] = countOneBits(mask.x & p.a.z) + countOneBits(mask.y & p.a.w);
}
