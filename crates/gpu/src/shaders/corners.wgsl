// What kernels over faces begin with: vertices, and faces of three corners and an object.
@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> faces: array<u32>;

struct Corners { a: vec3<i32>, b: vec3<i32>, c: vec3<i32> }

fn corner(v: u32) -> vec3<i32> {
    return vec3<i32>(positions[3u * v], positions[3u * v + 1u], positions[3u * v + 2u]);
}

// The corners of a face, in units of so many bits, rounded down.
fn corners_of(f: u32, bits: u32) -> Corners {
    let shift = vec3<u32>(bits);
    return Corners(corner(faces[4u * f]) >> shift, corner(faces[4u * f + 1u]) >> shift,
                   corner(faces[4u * f + 2u]) >> shift);
}
