// Points of neural gas: 15 bits a coordinate, 16 bits of volume, in the frame of their segment.
fn point_at(i: u32) -> vec3<u32> {
    return vec3<u32>(points[2u * i] & 0xffffu, points[2u * i] >> 16u, points[2u * i + 1u] & 0xffffu);
}

fn prototype(segment: u32, k: u32) -> vec3<u32> {
    let at = 32u * segment + 4u * k;
    return vec3<u32>(prototypes[at], prototypes[at + 1u], prototypes[at + 2u]);
}

// At most 3 * 32767^2, which fits.
fn distance_sq(a: vec3<u32>, b: vec3<u32>) -> u32 {
    let d = max(a, b) - min(a, b);
    return d.x * d.x + d.y * d.y + d.z * d.z;
}
