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
    var place = piece_sums[2u * f];
    var walk = whole_face(f);
    while walk.depth > 0u {
        let t = next_piece(&walk);
        write_corner(3u * place, t.a);
        write_corner(3u * place + 1u, t.b);
        write_corner(3u * place + 2u, t.c);
        for (var k = 0u; k < 3u; k++) { piece_faces[4u * place + k] = 3u * place + k; }
        piece_faces[4u * place + 3u] = faces[4u * f + 3u];
        parents[place] = f;
        place += 1u;
    }
}
