//! Checks of topology: how faces are connected.

use super::components::Components;
use super::finding::{FindingKind, FindingPlace, Findings};
use super::finding_checks::CheckedMesh;
use super::half_edge::{Edge, EdgeKind};
use super::half_edge_build::is_proper;
use super::orientation::Orientation;
use super::shells::{self, Shell};
use crate::query::{FaceId, VertexId};

/// Edges of three or more faces, edges used twice in one direction, vertices where surfaces touch.
pub(super) fn edges_and_vertices(checked: &CheckedMesh<'_>, found: &mut Findings) {
    let limit = checked.options.listed_per_kind;
    if checked.mesh.is_empty() {
        found.add(limit, FindingKind::Empty, || FindingPlace::Mesh);
    }
    for (wanted, kind) in [
        (EdgeKind::NonManifold, FindingKind::NonManifoldEdge),
        (EdgeKind::Inconsistent, FindingKind::InconsistentOrientation),
    ] {
        for edge in checked.half_edges.edges().filter(|e| e.kind == wanted) {
            found.add(limit, kind, || place_of_edge(&edge));
        }
    }
    let fans = checked.half_edges.fans();
    for v in (0..checked.mesh.vertex_count() as u32).map(VertexId::new) {
        if fans.at(v) > 1 {
            found.add(limit, FindingKind::NonManifoldVertex, || {
                FindingPlace::Vertex(v)
            });
        }
    }
}

fn place_of_edge(edge: &Edge<'_>) -> FindingPlace {
    FindingPlace::Edge {
        ends: edge.ends,
        faces: edge.faces().collect(),
    }
}

/// Holes, each a border with all its edges.
pub(super) fn borders(checked: &CheckedMesh<'_>, found: &mut Findings) {
    for border in checked.half_edges.boundary_loops() {
        found.add(checked.options.listed_per_kind, FindingKind::Hole, || {
            FindingPlace::Border {
                vertices: border.vertices,
                is_closed: border.is_closed,
            }
        });
    }
}

type Claim = (FindingKind, fn(&Shell) -> bool);

/// What may be said of a single shell.
const CLAIMS: [Claim; 3] = [
    (FindingKind::InsideOut, Shell::is_inside_out),
    (FindingKind::NoVolume, |shell| {
        shell.is_closed && shell.facing == 0
    }),
    (FindingKind::NestedShell, |shell| {
        shell.depth.is_some_and(|depth| depth > 0)
    }),
];

/// One-sided pieces, pieces inside out, flat or nested, and how many there are.
pub(super) fn shells(checked: &CheckedMesh<'_>, found: &mut Findings) {
    let limit = checked.options.listed_per_kind;
    let half_edges = &checked.half_edges;
    let orientation = Orientation::new(half_edges);
    let pieces = &orientation.pieces;
    for piece in (0..pieces.count()).filter(|&piece| !orientation.is_orientable[piece]) {
        found.add(limit, FindingKind::NotOrientable, || FindingPlace::Piece {
            first: pieces.first(piece),
            faces: pieces.size(piece),
        });
    }
    let shells = shells::shells(
        checked.mesh,
        half_edges,
        pieces,
        checked.options.nesting_budget,
    );
    for (kind, holds) in CLAIMS {
        for shell in shells.list.iter().filter(|shell| holds(shell)) {
            found.add(limit, kind, || FindingPlace::Piece {
                first: shell.faces[0],
                faces: shell.faces.len(),
            });
        }
    }
    if !shells.nesting_is_complete {
        found.add(limit, FindingKind::NestingUnchecked, || FindingPlace::Mesh);
    }
    let components = Components::by_edge(half_edges);
    if components.count() > 1 {
        for component in 0..components.count() {
            found.add(limit, FindingKind::SeveralComponents, || {
                FindingPlace::Piece {
                    first: components.first(component),
                    faces: components.size(component),
                }
            });
        }
    }
}

/// Faces that name a vertex twice or repeat another face, and vertices without a face.
pub(super) fn faces(checked: &CheckedMesh<'_>, found: &mut Findings) {
    let limit = checked.options.listed_per_kind;
    for group in duplicate_faces(checked.mesh.faces()) {
        found.add(limit, FindingKind::DuplicateFaces, || {
            FindingPlace::Faces(group)
        });
    }
    for (face, corners) in checked.mesh.faces().iter().enumerate() {
        if !is_proper(corners) {
            found.add(limit, FindingKind::RepeatedIndex, || {
                FindingPlace::Face(FaceId::new(face as u32))
            });
        }
    }
    let mut is_used = vec![false; checked.mesh.vertex_count()];
    for &v in checked.mesh.faces().iter().flatten() {
        is_used[v as usize] = true;
    }
    for v in (0..is_used.len()).filter(|&v| !is_used[v]) {
        found.add(limit, FindingKind::UnreferencedVertex, || {
            FindingPlace::Vertex(VertexId::new(v as u32))
        });
    }
}

/// Groups of two or more faces with the same three distinct vertices, in either direction, by first face.
pub(super) fn duplicate_faces(faces: &[[u32; 3]]) -> Vec<Vec<FaceId>> {
    let mut sorted: Vec<([u32; 3], FaceId)> = faces
        .iter()
        .enumerate()
        .filter(|(_, corners)| is_proper(corners))
        .map(|(face, corners)| {
            let mut corners = *corners;
            corners.sort_unstable();
            (corners, FaceId::new(face as u32))
        })
        .collect();
    sorted.sort_unstable();
    let mut groups: Vec<Vec<FaceId>> = sorted
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|group| group.len() > 1)
        .map(|group| group.iter().map(|(_, face)| *face).collect())
        .collect();
    groups.sort_unstable();
    groups
}
