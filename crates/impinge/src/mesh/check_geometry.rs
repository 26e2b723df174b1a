//! Checks of geometry: the shape of faces and the positions of vertices.

use glam::DVec3;

use super::TriMesh;
use super::exact_sign::is_flat;
use super::finding::{FindingKind, FindingPlace, Findings};
use super::finding_checks::CheckedMesh;
use super::half_edge_build::is_proper;
use crate::query::VertexId;

/// Faces of zero area, decided exactly, and slivers.
pub(super) fn faces(checked: &CheckedMesh<'_>, found: &mut Findings) {
    let limit = checked.options.listed_per_kind;
    let proper = || {
        checked
            .mesh
            .face_ids()
            .filter(|face| is_proper(&checked.mesh.faces()[face.index()]))
    };
    let mut slivers = Vec::new();
    for face in proper() {
        let triangle = checked.mesh.triangle(face);
        // Fat faces are most of all; only thin ones need the exact test.
        if relative_height(&triangle) >= checked.options.sliver_ratio.max(1e-9) {
            continue;
        }
        if is_flat(&triangle) {
            found.add(limit, FindingKind::ZeroArea, || FindingPlace::Face(face));
        } else if relative_height(&triangle) < checked.options.sliver_ratio {
            slivers.push(face);
        }
    }
    for face in slivers {
        found.add(limit, FindingKind::Sliver, || FindingPlace::Face(face));
    }
}

/// The height of a triangle over its longest edge, by that edge's length: 0.866 if regular, near 0 if thin.
fn relative_height(&[a, b, c]: &[DVec3; 3]) -> f64 {
    let sides = [b - a, c - b, a - c];
    let largest = sides
        .iter()
        .fold(0.0_f64, |m, side| m.max(side.abs().max_element()));
    if largest < f64::MIN_POSITIVE {
        return 0.0;
    }
    let [u, v, w] = sides.map(|side| side / largest);
    let longest_sq = u
        .length_squared()
        .max(v.length_squared())
        .max(w.length_squared());
    u.cross(v).length() / longest_sq
}

/// Vertices in the same place, and coordinates far larger than the mesh.
pub(super) fn vertices(checked: &CheckedMesh<'_>, found: &mut Findings) {
    let limit = checked.options.listed_per_kind;
    for group in coincident_vertices(checked.mesh) {
        found.add(limit, FindingKind::DuplicateVertices, || {
            FindingPlace::Vertices(group)
        });
    }
    let bounds = checked.mesh.bounds();
    if !bounds.is_empty() {
        let extent = (bounds.max - bounds.min).max_element();
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        if extent < checked.options.far_ratio * farthest {
            found.add(limit, FindingKind::FarFromOrigin, || FindingPlace::Mesh);
        }
    }
}

/// Groups of two or more used vertices with equal positions, by first vertex.
pub(super) fn coincident_vertices(mesh: &TriMesh) -> Vec<Vec<VertexId>> {
    let mut is_used = vec![false; mesh.vertex_count()];
    for &v in mesh.faces().iter().flatten() {
        is_used[v as usize] = true;
    }
    let mut sorted: Vec<([u64; 3], u32)> = (0..mesh.vertex_count() as u32)
        .filter(|&v| is_used[v as usize])
        .map(|v| (position_key(mesh.positions()[v as usize]), v))
        .collect();
    sorted.sort_unstable();
    let mut groups: Vec<Vec<VertexId>> = sorted
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|group| group.len() > 1)
        .map(|group| group.iter().map(|&(_, v)| VertexId::new(v)).collect())
        .collect();
    groups.sort_unstable();
    groups
}

/// Equal for equal points and for no others.
pub(super) fn position_key(p: DVec3) -> [u64; 3] {
    // Adding zero turns −0 into 0.
    (p + DVec3::ZERO).to_array().map(f64::to_bits)
}

/// Pairs of faces that the caller's search found to intersect.
pub(super) fn self_intersections(checked: &CheckedMesh<'_>, found: &mut Findings) {
    let Some(search) = checked.options.self_intersections else {
        return;
    };
    let mut pairs: Vec<_> = search(checked.mesh)
        .into_iter()
        .map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b)))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    for (a, b) in pairs {
        found.add(
            checked.options.listed_per_kind,
            FindingKind::SelfIntersection,
            || FindingPlace::Faces(vec![a, b]),
        );
    }
}
