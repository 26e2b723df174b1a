//! Representative features: the first face that has a vertex or an edge tests it.

/// The features that each face tests: bit `k` its corner `k`, bit `3 + k` its edge from corner `k` to the next.
pub(super) fn owned(faces: &[[u32; 3]], vertices: usize) -> Vec<u8> {
    let mut owned = vec![0_u8; faces.len()];
    let mut is_taken = vec![false; vertices];
    // An edge, the face that has it, and which of its edges it is.
    let mut edges: Vec<(u64, u32, u8)> = Vec::with_capacity(3 * faces.len());
    for (f, face) in faces.iter().enumerate() {
        for k in 0..3 {
            let v = face[k] as usize;
            if !is_taken[v] {
                is_taken[v] = true;
                owned[f] |= 1 << k;
            }
            let (p, q) = (face[k], face[(k + 1) % 3]);
            // A face that names a vertex twice has an edge without length, which its vertex stands for.
            if p != q {
                let edge = u64::from(p.min(q)) << 32 | u64::from(p.max(q));
                edges.push((edge, f as u32, k as u8));
            }
        }
    }
    edges.sort_unstable();
    let mut last = None;
    for (edge, face, k) in edges {
        if last != Some(edge) {
            owned[face as usize] |= 8 << k;
            last = Some(edge);
        }
    }
    owned
}
