@group(0) @binding(1) var<storage, read> walls: array<f32>;
@group(0) @binding(2) var<storage, read> wall_lists: array<u32>;
@group(0) @binding(3) var<storage, read> balls: array<f32>;
@group(0) @binding(4) var<storage, read> ball_lists: array<u32>;
@group(0) @binding(5) var<storage, read> cells: array<u32>;
@group(0) @binding(6) var<storage, read_write> prototypes: array<f32>;

fn wall_corner(at: u32) -> vec3<f32> {
    return vec3<f32>(walls[at], walls[at + 1u], walls[at + 2u]);
}

// The nearest point of a triangle, by the region that the point lies in.
fn nearest_on(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, x: vec3<f32>) -> vec3<f32> {
    let ab = b - a;
    let ac = c - a;
    let ax = x - a;
    let d1 = dot(ab, ax);
    let d2 = dot(ac, ax);
    if d1 <= 0.0 && d2 <= 0.0 { return a; }
    let bx = x - b;
    let d3 = dot(ab, bx);
    let d4 = dot(ac, bx);
    if d3 >= 0.0 && d4 <= d3 { return b; }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 { return a + ab * (d1 / max(d1 - d3, 1e-30)); }
    let cx = x - c;
    let d5 = dot(ab, cx);
    let d6 = dot(ac, cx);
    if d6 >= 0.0 && d5 <= d6 { return c; }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 { return a + ac * (d2 / max(d2 - d6, 1e-30)); }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / max((d4 - d3) + (d5 - d6), 1e-30));
    }
    let whole = max(va + vb + vc, 1e-30);
    return a + ab * (vb / whole) + ac * (vc / whole);
}

// The way off the nearest wall or ball, and its distance.
fn clearance(cell: u32, x: vec3<f32>) -> vec4<f32> {
    var best = vec4<f32>(0.0, 0.0, 0.0, 100.0);
    let at = 8u * cell;
    for (var i = cells[at + 4u]; i < cells[at + 5u]; i++) {
        let w = 9u * wall_lists[i];
        let off = x - nearest_on(wall_corner(w), wall_corner(w + 3u), wall_corner(w + 6u), x);
        let far = length(off);
        if far < best.w { best = vec4<f32>(off / max(far, 1e-20), far); }
    }
    for (var i = cells[at + 6u]; i < cells[at + 7u]; i++) {
        let b = 4u * ball_lists[i];
        let off = x - vec3<f32>(balls[b], balls[b + 1u], balls[b + 2u]);
        let length = length(off);
        let far = length - balls[b + 3u];
        if far < best.w { best = vec4<f32>(off / max(length, 1e-20), far); }
    }
    return best;
}

// a: cells, steps. Each prototype goes away from what is nearest, by steps that get shorter, and stays in its cell: the
// best place that it saw, with its clearance.
@compute @workgroup_size(256)
fn pack_ascend(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) l: u32) {
    let cell = group_number(group, groups) * 256u + l;
    if cell >= p.a.x { return; }
    let at = 8u * cell;
    let middle = vec3<f32>(bitcast<f32>(cells[at]), bitcast<f32>(cells[at + 1u]), bitcast<f32>(cells[at + 2u]));
    let half_side = vec3<f32>(bitcast<f32>(cells[at + 3u]));
    var x = vec3<f32>(prototypes[4u * cell], prototypes[4u * cell + 1u], prototypes[4u * cell + 2u]);
    var best = vec4<f32>(x, -1.0);
    var part = 0.6;
    for (var step = 0u; step <= p.a.y; step++) {
        let off = clearance(cell, x);
        if off.w > best.w { best = vec4<f32>(x, off.w); }
        if off.w <= 0.0 { break; }
        x = clamp(x + off.xyz * (off.w * part), middle - half_side, middle + half_side);
        part *= 0.92;
    }
    prototypes[4u * cell] = best.x;
    prototypes[4u * cell + 1u] = best.y;
    prototypes[4u * cell + 2u] = best.z;
    prototypes[4u * cell + 3u] = best.w;
}
