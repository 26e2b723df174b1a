//! Shells: connected closed surfaces, their orientation, and which contains which.

use super::TriMesh;
use super::components::Components;
use super::half_edge::{EdgeKind, HalfEdges};
use super::mass::SignedVolume;
use super::point_in_mesh;
use super::unit_frame::UnitFrame;
use crate::bound::Aabb;
use crate::query::FaceId;

/// Box comparisons and face tests that finding out about nesting may cost.
pub(super) const NESTING_BUDGET: u64 = 100_000_000;

/// A piece of surface joined by edges of exactly two faces.
#[derive(Clone, Debug)]
pub(super) struct Shell {
    /// Its faces, ascending.
    pub(super) faces: Vec<FaceId>,
    /// Whether it uses each of its edges equally often in both directions.
    pub(super) is_closed: bool,
    /// 1 if it encloses positive volume, −1 if negative, 0 if rounding leaves it open or it is open.
    pub(super) facing: i8,
    /// How many other closed shells contain it; none if it is open or the budget ran out.
    pub(super) depth: Option<usize>,
}

impl Shell {
    /// Whether a closed shell faces the wrong way: solid matter would lie outside.
    pub(super) fn is_inside_out(&self) -> bool {
        self.facing < 0 && self.depth.is_none_or(|depth| depth % 2 == 0)
    }
}

/// All shells and whether their nesting was found out completely.
#[derive(Clone, Debug)]
pub(super) struct Shells {
    pub(super) list: Vec<Shell>,
    pub(super) nesting_is_complete: bool,
}

/// The shells of a mesh, by first face.
pub(super) fn shells(
    mesh: &TriMesh,
    half_edges: &HalfEdges,
    pieces: &Components,
    budget: u64,
) -> Shells {
    let is_closed = closed_pieces(half_edges, pieces);
    let mut list: Vec<Shell> = pieces
        .faces()
        .into_iter()
        .zip(is_closed)
        .map(|(faces, is_closed)| {
            let facing = if is_closed { facing(mesh, &faces) } else { 0 };
            Shell {
                faces,
                is_closed,
                facing,
                depth: None,
            }
        })
        .collect();
    let nesting_is_complete = find_depths(mesh, &mut list, budget);
    Shells {
        list,
        nesting_is_complete,
    }
}

/// For each piece, whether every edge is used equally often in both directions by its own faces.
fn closed_pieces(half_edges: &HalfEdges, pieces: &Components) -> Vec<bool> {
    // A face that names a vertex twice may be a piece of its own; it closes nothing.
    let mut is_closed: Vec<bool> = (0..pieces.count())
        .map(|piece| half_edges.is_in_surface(pieces.first(piece)) || pieces.size(piece) > 1)
        .collect();
    let mut balance: Vec<(usize, i64)> = Vec::new();
    for edge in half_edges.edges() {
        if edge.kind == EdgeKind::Manifold {
            continue;
        }
        balance.clear();
        for &h in edge.half_edges {
            let step = if half_edges.origin(h) == edge.ends[0] {
                1
            } else {
                -1
            };
            balance.push((pieces.of(half_edges.face(h)), step));
        }
        balance.sort_unstable();
        for group in balance.chunk_by(|a, b| a.0 == b.0) {
            if group.iter().map(|(_, step)| step).sum::<i64>() != 0 {
                is_closed[group[0].0] = false;
            }
        }
    }
    is_closed
}

/// The sign of the volume that closed faces enclose, 0 if rounding leaves it open.
pub(super) fn facing(mesh: &TriMesh, faces: &[FaceId]) -> i8 {
    let frame = UnitFrame::around(&bounds(mesh, faces));
    let volume = SignedVolume::of(
        faces
            .iter()
            .map(|&face| mesh.triangle(face).map(|p| frame.localise(p))),
    );
    match volume.is_certain() {
        true if volume.value > 0.0 => 1,
        true => -1,
        false => 0,
    }
}

fn bounds(mesh: &TriMesh, faces: &[FaceId]) -> Aabb {
    Aabb::enclosing(faces.iter().flat_map(|&face| mesh.triangle(face)))
}

/// Counts for each closed shell the others around it; whether the budget sufficed.
fn find_depths(mesh: &TriMesh, shells: &mut [Shell], mut budget: u64) -> bool {
    let boxes: Vec<Aabb> = shells.iter().map(|s| bounds(mesh, &s.faces)).collect();
    let mut spend = |cost: usize| {
        let is_enough = budget >= cost as u64;
        budget = budget.saturating_sub(cost as u64);
        is_enough
    };
    for inner in 0..shells.len() {
        if !shells[inner].is_closed {
            continue;
        }
        if !spend(shells.len()) {
            return false;
        }
        let mut depth = 0;
        for outer in 0..shells.len() {
            let may_contain = outer != inner
                && shells[outer].is_closed
                && boxes[outer].min.cmple(boxes[inner].min).all()
                && boxes[inner].max.cmple(boxes[outer].max).all();
            if !may_contain {
                continue;
            }
            // A vertex on the outer shell tells nothing; the next one may.
            for &face in &shells[inner].faces {
                if !spend(shells[outer].faces.len()) {
                    return false;
                }
                let p = mesh.triangle(face)[0];
                let outer_faces = shells[outer].faces.iter().map(|&f| mesh.triangle(f));
                if let Some(crossings) = point_in_mesh::count(outer_faces, p) {
                    depth += usize::from(crossings.all % 2 == 1);
                    break;
                }
            }
        }
        shells[inner].depth = Some(depth);
    }
    true
}
