//! **Question.** Does a closed mesh bound a convex body?
//!
//! **Idea.** Every edge must be convex, but that is not enough: a pyramid over a pentagram passes.
//! If in addition some point lies strictly behind every face and a ray from there leaves the
//! surface once, the surface is star-shaped around that point, and a star-shaped surface without
//! reflex edges is convex.
//! **Source.** Program checking after Mehlhorn, Näher, Seel, Seidel, Schilz, Schirra and Uhrig,
//! 1999, doi:10.1016/S0925-7721(98)00036-4, with exact signs instead of a generic ray.
//!
//! **Cost.** Linear. Only if the body is so thin that no such point can be named in `f64`, every
//! vertex is compared with every face.
//!
//! **Promise.** Exact.

use glam::DVec3;

use super::TriMesh;
use super::components::Components;
use super::dihedral::{EdgeBend, bend};
use super::exact_sign::{normal_signs, side_of_plane};
use super::half_edge::{EdgeKind, HalfEdges};
use super::point_in_mesh;
use super::unit_frame::UnitFrame;
use crate::query::HalfEdgeId;

/// Whether the mesh is one closed, oriented, outward surface without faces of zero area that
/// bounds a convex body. Neighbouring faces may lie in one plane.
///
/// ```
/// use impinge::{TriMesh, mesh::{HalfEdges, is_convex}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!(is_convex(&tetrahedron, &HalfEdges::new(&tetrahedron)));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn is_convex(mesh: &TriMesh, half_edges: &HalfEdges) -> bool {
    let is_one_closed_surface = !mesh.is_empty()
        && mesh.face_ids().all(|face| half_edges.is_in_surface(face))
        && half_edges
            .edges()
            .all(|edge| edge.kind == EdgeKind::Manifold)
        && Components::by_edge(half_edges).count() == 1;
    if !is_one_closed_surface {
        return false;
    }
    let has_no_notch = (0..half_edges.half_edge_count() as u32)
        .map(HalfEdgeId::new)
        .filter(|&h| half_edges.twin(h).is_some_and(|twin| h < twin))
        .all(|h| {
            matches!(
                bend(mesh, half_edges, h),
                Some(EdgeBend::Convex | EdgeBend::Flat)
            )
        });
    if !has_no_notch {
        return false;
    }
    let middle = middle(mesh);
    let is_behind_all = |p: DVec3, allowed: fn(i8) -> bool| {
        mesh.face_ids().all(|face| {
            let [a, b, c] = mesh.triangle(face);
            allowed(side_of_plane(a, b, c, p))
        })
    };
    if is_behind_all(middle, |side| side > 0) {
        let triangles = mesh.face_ids().map(|face| mesh.triangle(face));
        return point_in_mesh::count(triangles, middle).is_some_and(|crossings| crossings.all == 1);
    }
    mesh.faces()
        .iter()
        .flatten()
        .all(|&v| is_behind_all(mesh.positions()[v as usize], |side| side >= 0))
        && covers_hull_once(mesh, middle)
}

/// The mean of all corners.
fn middle(mesh: &TriMesh) -> DVec3 {
    let centre = UnitFrame::around(&mesh.bounds()).centre;
    let sum: DVec3 = mesh
        .faces()
        .iter()
        .flatten()
        .map(|&v| mesh.positions()[v as usize] - centre)
        .sum();
    centre + sum / (3 * mesh.face_count()).max(1) as f64
}

/// For a surface that lies on the border of its convex hull and faces outwards: whether it covers
/// the hull once. A line through the middle, along the axis that sees most of the first face, then
/// goes in once and out once.
fn covers_hull_once(mesh: &TriMesh, middle: DVec3) -> bool {
    (0..3).any(|axis| {
        let turn = |p: DVec3| match axis {
            0 => p,
            1 => DVec3::new(p.y, p.z, p.x),
            _ => DVec3::new(p.z, p.x, p.y),
        };
        let sees_some = mesh
            .face_ids()
            .any(|face| normal_signs(&mesh.triangle(face))[axis] != 0);
        let start = turn(mesh.bounds().min).x.next_down();
        let from = turn(middle).with_x(start);
        let triangles = mesh.face_ids().map(|face| mesh.triangle(face).map(turn));
        sees_some
            && point_in_mesh::count(triangles, from).is_some_and(|crossings| crossings.all == 2)
    })
}
