@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

// a: faces, the largest size of a piece.
@compute @workgroup_size(256)
fn count_pieces(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) l: u32) {
    let f = group_number(group, groups) * 256u + l;
    if f >= p.a.x { return; }
    var walk = whole_face(f);
    var count = 0u;
    while walk.depth > 0u {
        next_piece(&walk);
        count += 1u;
    }
    counts[f] = count;
}
