//! A mesh as edges and faces: triangles, or polygons made of triangles.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::config::{EdgePolygonAccuracy, EdgePolygonConfig};
use super::counts::EdgePolygonCounts;
use super::edges::{EdgeFaces, EdgeUse, VertexFaces};
use super::face_slab::FaceSlab;
use super::polygon_face::{PolygonShape, pierces};
use super::scratch::TargetFace;
use impinge::bound::Aabb;
use impinge::geom::segment_meets_triangle;
use impinge::math::orient3d;
use impinge::mesh::TriMesh;

/// A mesh prepared for both passes.
#[derive(Clone, Debug)]
pub(super) struct EdgeFaceMesh {
    mesh: Arc<TriMesh>,
    /// How triangles make up faces; none when each is one.
    polygons: Option<PolygonTriangles>,
    pub(super) edges: EdgeFaces,
    /// Only for the relaxed collect.
    pub(super) incidence: Option<VertexFaces>,
    pub(super) boxes: Vec<Aabb>,
    pub(super) bounds: Aabb,
    /// Of each polygon; empty for triangles.
    pub(super) shapes: Vec<PolygonShape>,
}

/// Which triangles and which sides of triangles belong to each polygon.
#[derive(Clone, Debug, Default)]
struct PolygonTriangles {
    first_triangle: Vec<u32>,
    first_rim: Vec<u32>,
    rim: Vec<[u32; 2]>,
}

impl EdgeFaceMesh {
    pub(super) fn of_triangles(mesh: Arc<TriMesh>, config: &EdgePolygonConfig) -> Self {
        let edges = EdgeFaces::new(mesh.faces().iter().zip(0..).flat_map(|(&[p, q, r], face)| {
            let side = EdgeUse {
                face,
                is_inner: false,
            };
            [[p, q], [q, r], [r, p]].map(|ends| (ends, side))
        }));
        let incidence = (config.accuracy == EdgePolygonAccuracy::RelaxedCollect).then(|| {
            let corners = mesh.faces().iter().zip(0..);
            VertexFaces::new(
                mesh.vertex_count(),
                corners.flat_map(|(face, id)| face.map(|v| (v, id))),
            )
        });
        Self::finished(mesh, None, edges, incidence)
    }

    /// The body whose faces are the polygons; `polygon_of_triangle` ascends and stays below `count`.
    pub(super) fn of_polygons(
        mesh: Arc<TriMesh>,
        polygon_of_triangle: &[u32],
        count: usize,
        config: &EdgePolygonConfig,
    ) -> Self {
        let mut first_triangle = vec![0u32; count + 1];
        for &polygon in polygon_of_triangle {
            first_triangle[polygon as usize + 1] += 1;
        }
        for i in 0..count {
            first_triangle[i + 1] += first_triangle[i];
        }
        let mut polygons = PolygonTriangles {
            first_triangle,
            first_rim: vec![0],
            rim: Vec::new(),
        };
        let mut sides = Vec::new();
        let mut own: Vec<[u32; 2]> = Vec::new();
        for polygon in 0..count as u32 {
            own.clear();
            for &[p, q, r] in polygons.triangles(mesh.faces(), polygon) {
                own.extend([[p, q], [q, r], [r, p]]);
            }
            own.sort_unstable();
            for i in 0..own.len() {
                let [p, q] = own[i];
                let is_repeat = i > 0 && own[i - 1] == own[i];
                // As many stay on the rim as have no partner the other way round.
                let rank = own[..i].iter().rev().take_while(|&&s| s == own[i]).count();
                let partners = count_of(&own, [q, p]);
                let is_rim = p != q && rank >= partners;
                if is_rim {
                    polygons.rim.push([p, q]);
                }
                if is_rim || !is_repeat {
                    let side = EdgeUse {
                        face: polygon,
                        is_inner: !is_rim,
                    };
                    sides.push(([p, q], side));
                }
            }
            polygons.first_rim.push(polygons.rim.len() as u32);
        }
        let edges = EdgeFaces::new(sides.into_iter());
        let incidence = (config.accuracy == EdgePolygonAccuracy::RelaxedCollect).then(|| {
            let corners = mesh.faces().iter().zip(polygon_of_triangle);
            VertexFaces::new(
                mesh.vertex_count(),
                corners.flat_map(|(triangle, &polygon)| triangle.map(|v| (v, polygon))),
            )
        });
        Self::finished(mesh, Some(polygons), edges, incidence)
    }

    fn finished(
        mesh: Arc<TriMesh>,
        polygons: Option<PolygonTriangles>,
        edges: EdgeFaces,
        incidence: Option<VertexFaces>,
    ) -> Self {
        let mut body = Self {
            mesh,
            polygons,
            edges,
            incidence,
            boxes: Vec::new(),
            bounds: Aabb::EMPTY,
            shapes: Vec::new(),
        };
        let (mut boxes, mut shapes) = (Vec::new(), Vec::new());
        body.bounds = body.measure(body.mesh.positions(), &mut boxes, &mut shapes);
        body.boxes = boxes;
        body.shapes = shapes;
        body
    }

    pub(super) fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    pub(super) fn face_count(&self) -> usize {
        match &self.polygons {
            None => self.mesh.face_count(),
            Some(polygons) => polygons.first_triangle.len() - 1,
        }
    }

    /// The numbers of a face's triangles; none of a face that is not there.
    pub(super) fn triangle_range(&self, face: u32) -> Range<u32> {
        if face as usize >= self.face_count() {
            return 0..0;
        }
        match &self.polygons {
            None => face..face + 1,
            Some(polygons) => {
                let first = &polygons.first_triangle[face as usize..];
                first[0]..first[1]
            }
        }
    }

    /// The triangles of a face.
    #[inline]
    pub(super) fn triangles(&self, face: u32) -> &[[u32; 3]] {
        let faces = self.mesh.faces();
        match &self.polygons {
            None => &faces[face as usize..face as usize + 1],
            Some(polygons) => polygons.triangles(faces, face),
        }
    }

    /// Fills in the boxes and shapes of all faces over these positions; returns the box around all.
    pub(super) fn measure(
        &self,
        positions: &[DVec3],
        boxes: &mut Vec<Aabb>,
        shapes: &mut Vec<PolygonShape>,
    ) -> Aabb {
        boxes.clear();
        shapes.clear();
        let mut all = Aabb::EMPTY;
        for face in 0..self.face_count() as u32 {
            let triangles = self.triangles(face);
            let corners = triangles.iter().flatten();
            let bounds = Aabb::enclosing(corners.map(|&v| positions[v as usize]));
            all = all.union(&bounds);
            boxes.push(bounds);
            if self.polygons.is_some() {
                shapes.push(PolygonShape::of(
                    positions,
                    triangles,
                    normal(positions, triangles),
                ));
            }
        }
        all
    }

    /// The slab of a face.
    pub(super) fn slab(&self, positions: &[DVec3], face: u32) -> FaceSlab {
        let triangles = self.triangles(face);
        let Some(&[v, _, _]) = triangles.first() else {
            return FaceSlab::default();
        };
        let corners = triangles.iter().flatten();
        FaceSlab::around(
            normal(positions, triangles),
            positions[v as usize],
            corners.map(|&v| positions[v as usize]),
        )
    }

    /// Whether slabs are needed even when planes are no pre-check.
    pub(super) fn has_polygons(&self) -> bool {
        self.polygons.is_some()
    }

    /// Whether the segment meets the face, exactly; `shapes` are those of these positions.
    #[inline]
    pub(super) fn is_met(
        &self,
        [p, q]: [DVec3; 2],
        target: &TargetFace,
        positions: &[DVec3],
        shapes: &[PolygonShape],
        coplanar: bool,
        counts: &mut EdgePolygonCounts,
    ) -> bool {
        let triangles = self.triangles(target.face);
        if let (Some(polygons), [_, _, ..]) = (&self.polygons, triangles) {
            let is_sheet = shapes
                .get(target.face as usize)
                .is_some_and(|&s| s != PolygonShape::Other);
            let rim = polygons.rim(target.face);
            if is_sheet
                && let Some(met) = pierces([p, q], &target.slab, &target.bounds, positions, rim)
            {
                return met;
            }
            counts.triangle_tests += triangles.len() as u64;
        }
        triangles.iter().any(|triangle| {
            let corners = triangle.map(|v| positions[v as usize]);
            (coplanar || !is_in_plane(p, q, &corners)) && segment_meets_triangle(p, q, &corners)
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let polygons = self.polygons.as_ref().map_or(0, |polygons| {
            size_of_val(polygons.first_triangle.as_slice())
                + size_of_val(polygons.first_rim.as_slice())
                + size_of_val(polygons.rim.as_slice())
        });
        self.edges.bytes()
            + self.incidence.as_ref().map_or(0, VertexFaces::bytes)
            + size_of_val(self.boxes.as_slice())
            + size_of_val(self.shapes.as_slice())
            + polygons
    }
}

impl PolygonTriangles {
    #[inline]
    fn triangles<'t>(&self, all: &'t [[u32; 3]], polygon: u32) -> &'t [[u32; 3]] {
        let first = self.first_triangle[polygon as usize] as usize;
        &all[first..self.first_triangle[polygon as usize + 1] as usize]
    }

    #[inline]
    fn rim(&self, polygon: u32) -> &[[u32; 2]] {
        let first = self.first_rim[polygon as usize] as usize;
        &self.rim[first..self.first_rim[polygon as usize + 1] as usize]
    }
}

/// How often a side occurs among sorted ones.
fn count_of(sorted: &[[u32; 2]], side: [u32; 2]) -> usize {
    let first = sorted.partition_point(|&s| s < side);
    sorted[first..].iter().take_while(|&&s| s == side).count()
}

/// About the normal of these triangles, its length twice their area.
fn normal(positions: &[DVec3], triangles: &[[u32; 3]]) -> DVec3 {
    triangles.iter().fold(DVec3::ZERO, |sum, triangle| {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        sum + (b - a).cross(c - a)
    })
}

/// Whether both ends are in the triangle's plane, or it has none.
#[cold]
fn is_in_plane(p: DVec3, q: DVec3, &[a, b, c]: &[DVec3; 3]) -> bool {
    orient3d(a, b, c, p).is_zero() && orient3d(a, b, c, q).is_zero()
}
