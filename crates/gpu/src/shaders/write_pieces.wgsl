@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;
@group(0) @binding(3) var<storage, read> piece_sums: array<u32>;
@group(0) @binding(4) var<storage, read_write> piece_positions: array<i32>;
@group(0) @binding(5) var<storage, read_write> piece_faces: array<u32>;
@group(0) @binding(6) var<storage, read_write> parents: array<u32>;

fn write_corner(v: u32, q: vec3<i32>) {
    piece_positions[3u * v] = q.x;
    piece_positions[3u * v + 1u] = q.y;
    piece_positions[3u * v + 2u] = q.z;
}

// a: faces, the largest size of a piece. Pieces with corners of their own, and the face of each.
@compute @workgroup_size(256)
fn write_pieces(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) l: u32) {
    let f = group_number(group, groups) * 256u + l;
    if f >= p.a.x { return; }
    var open: array<Piece, 9>;
    open[0] = Piece(corner(faces[4u * f]), corner(faces[4u * f + 1u]), corner(faces[4u * f + 2u]), 0u);
    var depth = 1u;
    var place = piece_sums[2u * f];
    while depth > 0u {
        depth -= 1u;
        let t = turned(open[depth]);
        if size_of(t) <= p.a.y || t.halvings >= 8u {
            write_corner(3u * place, t.a);
            write_corner(3u * place + 1u, t.b);
            write_corner(3u * place + 2u, t.c);
            for (var k = 0u; k < 3u; k++) { piece_faces[4u * place + k] = 3u * place + k; }
            piece_faces[4u * place + 3u] = faces[4u * f + 3u];
            parents[place] = f;
            place += 1u;
            continue;
        }
        let m = middle_of(t.a, t.b);
        open[depth] = Piece(t.a, m, t.c, t.halvings + 1u);
        open[depth + 1u] = Piece(m, t.b, t.c, t.halvings + 1u);
        depth += 2u;
    }
}
