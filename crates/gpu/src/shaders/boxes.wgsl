@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;
@group(0) @binding(3) var<storage, read> entries: array<u32>;
@group(0) @binding(4) var<storage, read> directions: array<i32>;
@group(0) @binding(5) var<storage, read_write> keys: array<u32>;
@group(0) @binding(6) var<storage, read_write> clusters: array<u32>;
@group(0) @binding(7) var<storage, read_write> records: array<u32>;

fn corner(v: u32) -> vec3<i32> {
    let q = vec3<i32>(positions[3u * v], positions[3u * v + 1u], positions[3u * v + 2u]);
    return q >> vec3<u32>(10u);
}

// Where the face lies along a direction: wider by what the shift and the grid cut off, and by one.
fn around(d: vec3<i32>, a: vec3<i32>, b: vec3<i32>, c: vec3<i32>) -> vec2<i32> {
    let x = d.x * a.x + d.y * a.y + d.z * a.z;
    let y = d.x * b.x + d.y * b.y + d.z * b.z;
    let z = d.x * c.x + d.y * c.y + d.z * c.z;
    let below = min(d.x, 0) + min(d.y, 0) + min(d.z, 0) - 1;
    let above = max(d.x, 0) + max(d.y, 0) + max(d.z, 0) + 1;
    return vec2<i32>(min(x, min(y, z)) + below, max(x, max(y, z)) + above);
}

// The same from the first positions to those further on, if there are any, and wider by a slack along each axis.
fn interval(d: vec3<i32>, f: u32) -> vec2<i32> {
    let v = vec3<u32>(faces[4u * f], faces[4u * f + 1u], faces[4u * f + 2u]);
    var span = around(d, corner(v.x), corner(v.y), corner(v.z));
    if p.a.z > 0u {
        let w = v + vec3<u32>(p.a.z);
        let end = around(d, corner(w.x), corner(w.y), corner(w.z));
        span = vec2<i32>(min(span.x, end.x), max(span.y, end.y));
    }
    let slack = bitcast<i32>(p.a.y) * (abs(d.x) + abs(d.y) + abs(d.z));
    return vec2<i32>(span.x - slack, span.y + slack);
}

fn direction(cluster: u32, axis: u32) -> vec3<i32> {
    let k = 9u * cluster + 3u * axis;
    return vec3<i32>(directions[k], directions[k + 1u], directions[k + 2u]);
}

// a: entries, slack, vertices before those of the end of a step. An entry is a face and a cluster; a face of all ones is none.
@compute @workgroup_size(256)
fn find_boxes(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) l: u32) {
    let e = group_number(group, groups) * 256u + l;
    if e >= p.a.x { return; }
    let f = entries[2u * e];
    let cluster = entries[2u * e + 1u];
    clusters[e] = cluster;
    if f == 0xffffffffu {
        keys[e] = 0xffffffffu;
        records[8u * e + 4u] = f;
        return;
    }
    let x = interval(direction(cluster, 0u), f);
    let y = interval(direction(cluster, 1u), f);
    let z = interval(direction(cluster, 2u), f);
    // The sign bit turned, so that keys without a sign have the order.
    keys[e] = bitcast<u32>(x.x) ^ 0x80000000u;
    records[8u * e] = bitcast<u32>(y.x);
    records[8u * e + 1u] = bitcast<u32>(y.y);
    records[8u * e + 2u] = bitcast<u32>(z.x);
    records[8u * e + 3u] = bitcast<u32>(z.y);
    records[8u * e + 4u] = f;
    records[8u * e + 5u] = faces[4u * f + 3u];
    records[8u * e + 6u] = cluster;
    records[8u * e + 7u] = bitcast<u32>(x.y) ^ 0x80000000u;
}
