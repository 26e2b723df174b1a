// Halvings of a face at its longest edge, the same walk for counting and for writing.
struct Piece { a: vec3<i32>, b: vec3<i32>, c: vec3<i32>, halvings: u32 }

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

// Pieces that are still to be halved.
struct PieceWalk { open: array<Piece, 9>, depth: u32 }

fn whole_face(f: u32) -> PieceWalk {
    let q = corners_of(f, 0u);
    var walk: PieceWalk;
    walk.open[0] = Piece(q.a, q.b, q.c, 0u);
    walk.depth = 1u;
    return walk;
}

// The next piece that is small enough, or halved often enough.
fn next_piece(walk: ptr<function, PieceWalk>) -> Piece {
    (*walk).depth -= 1u;
    var t = turned((*walk).open[(*walk).depth]);
    while size_of(t) > p.a.y && t.halvings < 8u {
        let m = middle_of(t.a, t.b);
        (*walk).open[(*walk).depth] = Piece(t.a, m, t.c, t.halvings + 1u);
        (*walk).depth += 1u;
        t = turned(Piece(m, t.b, t.c, t.halvings + 1u));
    }
    return t;
}
