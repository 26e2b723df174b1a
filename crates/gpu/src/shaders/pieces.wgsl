// Halvings of a face at its longest edge, the same walk for counting and for writing.
struct Piece { a: vec3<i32>, b: vec3<i32>, c: vec3<i32>, halvings: u32 }

fn corner(v: u32) -> vec3<i32> {
    return vec3<i32>(positions[3u * v], positions[3u * v + 1u], positions[3u * v + 2u]);
}

// The largest extent along an axis: how long an edge is, and how large a piece.
fn extent_of(d: vec3<i32>) -> u32 {
    let u = vec3<u32>(abs(d));
    return max(u.x, max(u.y, u.z));
}

fn size_of(t: Piece) -> u32 {
    return max(extent_of(t.b - t.a), max(extent_of(t.c - t.b), extent_of(t.a - t.c)));
}

fn middle_of(a: vec3<i32>, b: vec3<i32>) -> vec3<i32> {
    return (a >> vec3<u32>(1u)) + (b >> vec3<u32>(1u)) + (a & b & vec3<i32>(1));
}

// The piece turned so that its longest edge comes first; of equal ones the first.
fn turned(t: Piece) -> Piece {
    let ab = extent_of(t.b - t.a);
    let bc = extent_of(t.c - t.b);
    let ca = extent_of(t.a - t.c);
    if ab >= bc && ab >= ca { return t; }
    if bc >= ca { return Piece(t.b, t.c, t.a, t.halvings); }
    return Piece(t.c, t.a, t.b, t.halvings);
}
