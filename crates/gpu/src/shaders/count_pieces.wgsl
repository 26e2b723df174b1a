@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

// a: faces, the largest size of a piece.
@compute @workgroup_size(256)
fn count_pieces(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) l: u32) {
    let f = group_number(group, groups) * 256u + l;
    if f >= p.a.x { return; }
    var open: array<Piece, 9>;
    open[0] = Piece(corner(faces[4u * f]), corner(faces[4u * f + 1u]), corner(faces[4u * f + 2u]), 0u);
    var depth = 1u;
    var count = 0u;
    while depth > 0u {
        depth -= 1u;
        let t = turned(open[depth]);
        if size_of(t) <= p.a.y || t.halvings >= 8u {
            count += 1u;
            continue;
        }
        let m = middle_of(t.a, t.b);
        open[depth] = Piece(t.a, m, t.c, t.halvings + 1u);
        open[depth + 1u] = Piece(m, t.b, t.c, t.halvings + 1u);
        depth += 2u;
    }
    counts[f] = count;
}
