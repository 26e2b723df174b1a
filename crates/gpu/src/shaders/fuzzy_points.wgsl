// Three times a centroid in units of 2^-28, as a point of the cube from -1 to 1.
fn point_of(f: u32) -> vec3<f32> {
    let sum = vec3<i32>(centroids[4u * f], centroids[4u * f + 1u], centroids[4u * f + 2u]);
    return vec3<f32>(sum) * (1.0 / 805306368.0);
}

fn center(i: u32) -> vec3<f32> {
    return vec3<f32>(centers[4u * i], centers[4u * i + 1u], centers[4u * i + 2u]);
}

// The least squared distance from a centre.
fn nearest_of(x: vec3<f32>, c: u32) -> f32 {
    var near = 100.0;
    for (var i = 0u; i < c; i++) {
        let d = x - center(i);
        near = min(near, dot(d, d));
    }
    return near;
}

// The membership in a cluster before all are divided by their sum, with the fuzzifier 2. Relative to the
// nearest, so that nothing overflows; a point on a centre belongs to that alone.
fn share_of(x: vec3<f32>, i: u32, near: f32) -> f32 {
    let d = x - center(i);
    let far = dot(d, d);
    if near < 1e-30 { return select(0.0, 1.0, far < 1e-30); }
    return near / far;
}
