//! Runs the checks: whether a mesh is clean, its first defect, all its defects.

use super::TriMesh;
use super::finding::{Finding, FindingOptions, Findings};
use super::half_edge::{EdgeKind, HalfEdges};
use super::{check_geometry, check_topology};
use crate::query::VertexId;

/// A mesh and what several checks need about it.
pub(super) struct CheckedMesh<'a> {
    pub(super) mesh: &'a TriMesh,
    pub(super) half_edges: HalfEdges,
    pub(super) options: &'a FindingOptions<'a>,
}

type Check = fn(&CheckedMesh<'_>, &mut Findings);

/// The checks, errors first, the cheap ones first among equals.
const CHECKS: [Check; 7] = [
    check_topology::edges_and_vertices,
    check_topology::borders,
    check_topology::shells,
    check_topology::faces,
    check_geometry::faces,
    check_geometry::vertices,
    check_geometry::self_intersections,
];

/// All findings of a mesh, by kind, then by place.
///
/// ```
/// use impinge::{TriMesh, mesh::findings};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!(findings(&tetrahedron).is_empty());
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn findings(mesh: &TriMesh) -> Vec<Finding> {
    let options = FindingOptions {
        listed_per_kind: usize::MAX,
        ..FindingOptions::default()
    };
    findings_with(mesh, &options).listed
}

/// All defects of a mesh, listed as far as requested and counted completely.
///
/// ```
/// use impinge::{TriMesh, mesh::{FindingKind, FindingOptions, findings_with}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let mesh = TriMesh::from_points(points, [[0, 1, 1], [1, 2, 2], [0, 1, 2]])?;
/// let found = findings_with(&mesh, &FindingOptions { listed_per_kind: 1, ..FindingOptions::default() });
/// assert_eq!(found.count(FindingKind::RepeatedIndex), 2);
/// assert!(found.to_string().contains("1 more of kind repeated-index"));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn findings_with(mesh: &TriMesh, options: &FindingOptions<'_>) -> Findings {
    let checked = CheckedMesh {
        mesh,
        half_edges: HalfEdges::new(mesh),
        options,
    };
    let mut findings = Findings::default();
    for check in CHECKS {
        check(&checked, &mut findings);
    }
    findings.sort();
    findings
}

/// One finding, if there is any; an error if there is an error. Later checks are skipped.
///
/// ```
/// use impinge::{TriMesh, mesh::{FindingKind, first_finding}};
/// let first = first_finding(&TriMesh::default());
/// assert_eq!(first.map(|finding| finding.kind), Some(FindingKind::Empty));
/// ```
#[must_use]
pub fn first_finding(mesh: &TriMesh) -> Option<Finding> {
    let options = FindingOptions {
        listed_per_kind: 1,
        ..FindingOptions::default()
    };
    let checked = CheckedMesh {
        mesh,
        half_edges: HalfEdges::new(mesh),
        options: &options,
    };
    let mut findings = Findings::default();
    for check in CHECKS {
        check(&checked, &mut findings);
        if findings.worst() == Some(super::finding::Severity::Error) {
            break;
        }
    }
    findings.sort();
    findings.listed.into_iter().max_by(|a, b| {
        // The gravest; among those the first.
        a.severity.cmp(&b.severity).then(b.kind.cmp(&a.kind))
    })
}

/// Whether the mesh is an oriented manifold without border: every edge has two faces in opposite
/// directions, every used vertex one fan, every face three distinct vertices, and there is a face.
///
/// Says nothing about shape: it may be flat, intersect itself or have its inside out.
///
/// ```
/// use impinge::{TriMesh, mesh::is_closed_manifold};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!(is_closed_manifold(&tetrahedron));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn is_closed_manifold(mesh: &TriMesh) -> bool {
    let half_edges = HalfEdges::new(mesh);
    if mesh.is_empty()
        || !mesh.face_ids().all(|face| half_edges.is_in_surface(face))
        || !half_edges
            .edges()
            .all(|edge| edge.kind == EdgeKind::Manifold)
    {
        return false;
    }
    let fans = half_edges.fans();
    (0..mesh.vertex_count() as u32).all(|v| fans.at(VertexId::new(v)) <= 1)
}
