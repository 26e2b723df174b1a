//! Polygons to triangles, with the way back.

use super::convexity::is_strictly_convex;
use super::ear_clipping::{EarClipper, OutlineCorner};
use super::face_plane::FacePlane;
use super::finding::{PolyFinding, PolyFindingKind, repeated_vertices};
use super::hole_bridges::join_holes;
use super::polymesh::{PolyFace, PolyMesh};
use super::ring::Projection;
use crate::mesh::TriMesh;

/// The triangles of a polygon mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangulated {
    /// The same vertices, with triangles in the order of the polygons they come from.
    pub mesh: TriMesh,
    /// For each triangle the polygon it is a part of.
    pub polygon_of_face: Vec<u32>,
    /// What was wrong with polygons, if it affects triangulation.
    pub findings: Vec<PolyFinding>,
}

/// The triangles that make up the faces, each oriented as its face.
///
/// A face of k corners and h holes gives k − 2 + 2h triangles, of the same total area when it
/// is flat and simple. Strictly convex faces become fans around their first corner. Faces that cross
/// themselves or enclose no area still give that many triangles, possibly overlapping or without
/// area; fewer only where a vertex number is repeated or a hole cannot be joined. Findings tell.
///
/// ```
/// use impinge::{DVec3, poly::{PolyMesh, triangulate}};
/// let positions = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
/// let square = triangulate(&PolyMesh::from_outlines(positions, [[0, 1, 2, 3]])?);
/// assert_eq!(square.mesh.faces(), [[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(square.polygon_of_face, [0, 0]);
/// # Ok::<(), impinge::poly::PolyError>(())
/// ```
#[must_use]
pub fn triangulate(mesh: &PolyMesh) -> Triangulated {
    let expected = mesh.corner_count().saturating_sub(2 * mesh.face_count());
    let mut work = TriangulationScratch {
        faces: Vec::with_capacity(expected),
        polygon_of_face: Vec::with_capacity(expected),
        findings: Vec::new(),
        clipper: EarClipper::default(),
        outline: Vec::new(),
    };
    for face in mesh.faces() {
        work.add(&face);
    }
    // Positions and indices passed the same checks when the polygon mesh was made, and its corner
    // limit keeps the number of triangles within bounds.
    let triangles = TriMesh::new(mesh.positions().to_vec(), work.faces);
    debug_assert!(triangles.is_ok());
    Triangulated {
        mesh: triangles.unwrap_or_default(),
        polygon_of_face: work.polygon_of_face,
        findings: work.findings,
    }
}

struct TriangulationScratch {
    faces: Vec<[u32; 3]>,
    polygon_of_face: Vec<u32>,
    findings: Vec<PolyFinding>,
    clipper: EarClipper,
    outline: Vec<OutlineCorner>,
}

impl TriangulationScratch {
    fn add(&mut self, face: &PolyFace<'_>) {
        let first_finding = self.findings.len();
        let report = |kind| PolyFinding {
            face: face.id(),
            kind,
        };
        self.findings.extend(
            repeated_vertices(face)
                .map(|vertex| report(PolyFindingKind::RepeatedVertex { vertex })),
        );
        let unrepeated = self.findings.len() == first_finding;
        let outline = face.outline();
        let faces = &mut self.faces;
        if let ([a, b, c], 0, true) = (outline, face.holes().len(), unrepeated) {
            faces.push([*a, *b, *c]);
        } else if let Some(plane) = FacePlane::new(face) {
            let convex = face.holes().len() == 0
                && face.rings(plane.projection).all(|r| is_strictly_convex(&r));
            if convex {
                fan(outline, faces);
            } else {
                gather(face, outline, plane.projection, &mut self.outline);
                let holes: Vec<Vec<OutlineCorner>> = face
                    .holes()
                    .map(|hole| {
                        let mut corners = Vec::with_capacity(hole.len());
                        gather(face, hole, plane.projection, &mut corners);
                        if doubled_area(&corners) > 0.0 {
                            corners.reverse();
                        }
                        corners
                    })
                    .collect();
                for hole in join_holes(&mut self.outline, &holes) {
                    self.findings
                        .push(report(PolyFindingKind::HoleIgnored { hole }));
                }
                if !self.clipper.clip(&self.outline, |t| faces.push(t)) {
                    self.findings.push(report(PolyFindingKind::NotSimple));
                }
            }
        } else {
            self.findings.push(report(PolyFindingKind::NoArea));
            fan(outline, faces);
        }
        self.polygon_of_face
            .resize(self.faces.len(), face.id().raw());
    }
}

/// Triangles from the first corner to every edge, without those that repeat a vertex number.
fn fan(corners: &[u32], faces: &mut Vec<[u32; 3]>) {
    let Some((&first, rest)) = corners.split_first() else {
        return;
    };
    for edge in rest.windows(2) {
        let (b, c) = (edge[0], edge[1]);
        if first != b && b != c && c != first {
            faces.push([first, b, c]);
        }
    }
}

/// The corners of a loop in the plane, without vertex numbers that come twice in a row.
fn gather(
    face: &PolyFace<'_>,
    indices: &[u32],
    projection: Projection,
    corners: &mut Vec<OutlineCorner>,
) {
    corners.clear();
    corners.extend(indices.iter().map(|&vertex| OutlineCorner {
        at: projection.project(face.positions()[vertex as usize]),
        vertex,
    }));
    corners.dedup_by_key(|c| c.vertex);
    while corners.len() > 1 && corners.first().map(|c| c.vertex) == corners.last().map(|c| c.vertex)
    {
        corners.pop();
    }
}

fn doubled_area(corners: &[OutlineCorner]) -> f64 {
    let (Some(first), Some(last)) = (corners.first(), corners.last()) else {
        return 0.0;
    };
    let origin = first.at;
    let mut a = last.at - origin;
    let mut sum = 0.0;
    for corner in corners {
        let b = corner.at - origin;
        sum += a.perp_dot(b);
        a = b;
    }
    sum
}
