//! The space beside a sheet, as something that can be packed.
//!
//! **Idea.** Three distances bound a sphere: that to the sheet, what is left of the thickness, and half of what the border
//! of the sheet is farther away than the sheet. The first two change by no more than a point moves, the third by no
//! more either; so a sphere with the smallest of them as its radius lies in the space as a whole, and no point of it has
//! its nearest point on the border.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;

use super::sheet_spheres::SheetSide;
use crate::bound::Aabb;
use crate::bvh::MeshIndex as _;
use crate::bvh::wide::{ClosestFace, RayOrSegment, SingleTreeCache, WideTree};
use crate::geom::TriangleFeature;
use crate::mesh::{self, EdgeKind, HalfEdges, NormalWeight, TriMesh, face_normal};
use crate::query::{FaceId, Limits};
use crate::spheres::interior::{Interior, MEASURE_ERROR};
use crate::spheres::solid_ball::SolidBall;

/// Segments end this part of their length before the face that they lead to.
const SHORT: f64 = 1e-6;

/// A sheet, and the data that determine its sides and its border.
pub(super) struct SheetSpace<'t> {
    pub(super) tree: &'t WideTree,
    pub(super) thickness: f64,
    /// The edges with one face, as faces without area; none when the mesh is closed.
    border: Option<WideTree>,
    /// Sums of the normals of the faces at each edge.
    edge_normals: BTreeMap<[u32; 2], DVec3>,
    vertex_normals: Vec<Option<DVec3>>,
    bounds: Aabb,
}

/// One side of it.
pub(super) struct SpaceOfSide<'s, 't> {
    pub(super) space: &'s SheetSpace<'t>,
    pub(super) side: SheetSide,
}

/// How far a point is from the walls of the space, and which is nearest.
struct NearWall {
    clearance: f64,
    /// The way to the nearest wall, of unit length or zero.
    way: DVec3,
    side: Option<SheetSide>,
}

impl<'t> SheetSpace<'t> {
    pub(super) fn new(tree: &'t WideTree, edges: &HalfEdges, thickness: f64) -> Self {
        let mesh = tree.mesh();
        let border: Vec<[u32; 3]> = edges
            .edges()
            .filter(|edge| edge.kind == EdgeKind::Boundary)
            .map(|edge| [edge.ends[0].raw(), edge.ends[1].raw(), edge.ends[1].raw()])
            .collect();
        let border = if border.is_empty() {
            None
        } else {
            let lines = TriMesh::new(mesh.positions().to_vec(), border).ok();
            lines.map(|lines| WideTree::new(Arc::new(lines)))
        };
        let mut edge_normals = BTreeMap::new();
        for (face, &[a, b, c]) in mesh.faces().iter().enumerate() {
            let normal = face_normal(mesh, FaceId::new(face as u32)).unwrap_or(DVec3::ZERO);
            for [p, q] in [[a, b], [b, c], [c, a]] {
                *edge_normals
                    .entry([p.min(q), p.max(q)])
                    .or_insert(DVec3::ZERO) += normal;
            }
        }
        let mut bounds = mesh.bounds();
        bounds.min -= thickness;
        bounds.max += thickness;
        Self {
            tree,
            thickness,
            border,
            edge_normals,
            vertex_normals: mesh::vertex_normals(mesh, NormalWeight::Angle),
            bounds,
        }
    }

    /// The side from which a point sees a face, by the normal of the nearest part of it.
    fn side_of(&self, p: DVec3, near: &ClosestFace) -> Option<SheetSide> {
        let mesh = self.tree.mesh();
        let corners = mesh.faces().get(near.face.index())?;
        let corner = |k: u8| corners[usize::from(k % 3)];
        let normal = match near.feature {
            TriangleFeature::Face => face_normal(mesh, near.face)?,
            TriangleFeature::Edge(k) => {
                let (p, q) = (corner(k), corner(k + 1));
                *self.edge_normals.get(&[p.min(q), p.max(q)])?
            }
            TriangleFeature::Vertex(k) => (*self.vertex_normals.get(corner(k) as usize)?)?,
        };
        let height = normal.dot(p - near.point);
        if height > 0.0 {
            Some(SheetSide::Front)
        } else if height < 0.0 {
            Some(SheetSide::Back)
        } else {
            None
        }
    }

    fn near(&self, p: DVec3, cache: &mut SingleTreeCache) -> Option<NearWall> {
        let found = self
            .tree
            .closest_face(p, Limits::default(), cache)
            .ok()?
            .value?;
        let side = self.side_of(p, &found);
        let to_sheet = (found.point - p).normalize_or_zero();
        let mut near = NearWall {
            clearance: found.distance,
            way: to_sheet,
            side,
        };
        let outwards = self.thickness - found.distance;
        if outwards < near.clearance {
            near.clearance = outwards;
            near.way = -to_sheet;
        }
        if let Some(border) = &self.border {
            let mut cache = SingleTreeCache::default();
            let edge = border
                .closest_face(p, Limits::default(), &mut cache)
                .ok()?
                .value?;
            let beside = 0.5 * (edge.distance - found.distance);
            if beside < near.clearance {
                near.clearance = beside;
                let to_border = (edge.point - p).normalize_or_zero();
                near.way = (to_border - to_sheet).normalize_or_zero();
            }
        }
        Some(near)
    }

    /// A face that the sphere may see from the other side: one that is near enough to be the nearest of some point of the
    /// sphere, above or below its centre, with nothing between.
    pub(super) fn other_side_in_sight(
        &self,
        ball: &SolidBall,
        side: SheetSide,
        cache: &mut SingleTreeCache,
    ) -> Option<FaceId> {
        let center = ball.center;
        let nearest = self
            .tree
            .closest_face(center, Limits::default(), cache)
            .ok()?
            .value?;
        let reach = nearest.distance + 2.0 * ball.radius;
        let mut faces: Vec<ClosestFace> = Vec::new();
        let _ = self
            .tree
            .faces_within(center, reach, Limits::default(), cache, &mut faces);
        faces.sort_unstable_by_key(|near| near.face);
        let is_seen = |near: &ClosestFace, cache: &mut SingleTreeCache| {
            let end = near.point + (center - near.point) * SHORT;
            let Ok(segment) = RayOrSegment::segment(center, end) else {
                return false;
            };
            self.tree
                .first_hit(&segment, Limits::default(), cache)
                .value
                .is_none()
        };
        for near in &faces {
            if near.feature == TriangleFeature::Face
                && self.side_of(center, near) == Some(side.other())
                && is_seen(near, cache)
            {
                return Some(near.face);
            }
        }
        None
    }
}

impl Interior for SpaceOfSide<'_, '_> {
    fn bounds(&self) -> Aabb {
        self.space.bounds
    }

    /// That beside a plane sheet.
    fn volume(&self) -> f64 {
        mesh::area(self.space.tree.mesh()) * self.space.thickness
    }

    fn closest_point(&self, p: DVec3) -> DVec3 {
        match self.space.near(p, &mut SingleTreeCache::default()) {
            Some(near) => p + near.way * near.clearance.max(0.0),
            None => p,
        }
    }

    fn contains(&self, p: DVec3) -> bool {
        let near = self.space.near(p, &mut SingleTreeCache::default());
        near.is_some_and(|near| near.clearance > 0.0 && near.side == Some(self.side))
    }

    fn error(&self) -> f64 {
        2.0 * MEASURE_ERROR * self.space.bounds.diagonal().length()
    }
}
