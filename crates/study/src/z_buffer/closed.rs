//! Whether a mesh bounds a solid.

use glam::DVec3;

use impinge::mesh::TriMesh;

/// Whether each side of each face is run along as often one way as the other, vertices at one place being one.
///
/// Then the number of times the surface winds around a point is the same along any way that does not cross it.
pub(super) fn is_closed(mesh: &TriMesh) -> bool {
    let positions = mesh.positions();
    // Adding zero makes one zero of the two.
    let key = |p: DVec3| (p + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&v| key(positions[v as usize]));
    let mut place = vec![0u32; positions.len()];
    let mut places = 0;
    for (i, &v) in order.iter().enumerate() {
        if i > 0 && key(positions[order[i - 1] as usize]) != key(positions[v as usize]) {
            places += 1;
        }
        place[v as usize] = places;
    }
    // Each side with its smaller end first, and which way it ran.
    let mut sides: Vec<([u32; 2], i32)> = Vec::with_capacity(3 * mesh.face_count());
    for face in mesh.faces() {
        let [p, q, r] = face.map(|v| place[v as usize]);
        for (s, t) in [(p, q), (q, r), (r, p)] {
            if s != t {
                sides.push(([s.min(t), s.max(t)], if s < t { 1 } else { -1 }));
            }
        }
    }
    sides.sort_unstable();
    sides
        .chunk_by(|x, y| x.0 == y.0)
        .all(|same| same.iter().map(|side| side.1).sum::<i32>() == 0)
}
