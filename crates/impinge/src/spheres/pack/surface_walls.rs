//! The surface for the search: triangles, or points of a solid without a mesh.

use glam::{DVec3, Vec3};

use super::parallel::join;
use super::refine_f64::LinearTerm;
use super::unit_frame::UnitFrame;
use crate::bvh::MeshIndex;
use crate::bvh::wide::{ClosestFace, SingleTreeCache};
use crate::geom::{TriangleFeature, closest_point_on_triangle};
use crate::mesh::{NormalWeight, TriMesh, area, face_normals, vertex_normals};
use crate::query::{FaceId, Limits};
use crate::spheres::interior::{Interior, MeshSolid};

/// A cell keeps a list of its faces when the square of its side is below this many mean face areas; larger cells
/// query the BVH.
const FACES_PER_CELL: f64 = 8.0;
/// In a mesh with at most this many faces, every cell keeps a list.
const FEW_FACES: usize = 1500;

/// Most moves from one wall to a neighbouring wall.
const MOST_MOVES: usize = 24;

/// A triangle in the frame of the search, possibly a point.
#[derive(Clone, Copy, Debug)]
pub(in crate::spheres) struct Wall {
    pub(super) corner: Vec3,
    pub(super) ab: Vec3,
    pub(super) ac: Vec3,
}

impl Wall {
    /// The square of the distance of `p`, and the part of the wall that is nearest.
    fn closest(&self, p: Vec3) -> (f32, TriangleFeature) {
        let Self { corner, ab, ac } = *self;
        let x = p - corner;
        let (d1, d2) = (ab.dot(x), ac.dot(x));
        if d1 <= 0.0 && d2 <= 0.0 {
            return (x.length_squared(), TriangleFeature::Vertex(0));
        }
        let y = x - ab;
        let (d3, d4) = (ab.dot(y), ac.dot(y));
        if d3 >= 0.0 && d4 <= d3 {
            return (y.length_squared(), TriangleFeature::Vertex(1));
        }
        let z = x - ac;
        let (d5, d6) = (ab.dot(z), ac.dot(z));
        if d6 >= 0.0 && d5 <= d6 {
            return (z.length_squared(), TriangleFeature::Vertex(2));
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            let foot = x - ab * (d1 / (d1 - d3));
            return (foot.length_squared(), TriangleFeature::Edge(0));
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            let foot = x - ac * (d2 / (d2 - d6));
            return (foot.length_squared(), TriangleFeature::Edge(2));
        }
        let va = d3 * d6 - d5 * d4;
        let (e, f) = (d4 - d3, d5 - d6);
        if va <= 0.0 && e >= 0.0 && f >= 0.0 {
            let foot = y - (ac - ab) * (e / (e + f));
            return (foot.length_squared(), TriangleFeature::Edge(1));
        }
        let inverse = 1.0 / (va + vb + vc);
        let foot = x - ab * (vb * inverse) - ac * (vc * inverse);
        (foot.length_squared(), TriangleFeature::Face)
    }
}

/// The wall nearest to a point.
#[derive(Clone, Copy, Debug)]
pub(in crate::spheres) struct NearWall {
    /// Its number; without meaning where walls have none.
    pub(in crate::spheres) id: u32,
    pub(super) wall: Wall,
    pub(super) point: Vec3,
    pub(super) distance: f32,
    feature: TriangleFeature,
}

/// A surface in the frame of the search.
pub(in crate::spheres) trait Walls: Sync {
    type Solid: Interior + ?Sized;
    fn solid(&self) -> &Self::Solid;
    fn frame(&self) -> &UnitFrame;
    fn volume(&self) -> f64 {
        self.solid().volume()
    }
    /// The smallest and largest corner in the frame.
    fn corners(&self) -> (Vec3, Vec3) {
        let bounds = self.solid().bounds();
        [bounds.min, bounds.max]
            .map(|p| self.frame().enter(p))
            .into()
    }
    /// The wall nearest to `p`, if one is nearer than `within`.
    fn nearest(&self, p: Vec3, within: f32, probe: &mut SingleTreeCache) -> Option<NearWall>;
    /// Whether `p` is inside, given its nearest wall.
    fn is_inside(&self, p: Vec3, near: &NearWall) -> bool;
    /// A direction from the nearest wall into the solid.
    fn inward(&self, p: Vec3, near: &NearWall) -> Vec3;
    /// The side below which cells keep lists of walls; 0 when walls have no numbers.
    fn list_side(&self) -> f32;
    /// Appends all walls within a distance.
    fn within(&self, p: Vec3, distance: f32, found: &mut Vec<u32>, probe: &mut SingleTreeCache);
    fn wall(&self, id: u32) -> Wall;
    /// A point of the wall and the radius of a ball about it that holds the wall.
    fn ball_around(&self, id: u32) -> (Vec3, f32);
    /// The wall to which nearer and nearer neighbours lead from this one.
    fn settled(&self, p: Vec3, id: u32) -> u32;
    /// What is known about a wall as the nearest one.
    fn near(&self, p: Vec3, id: u32) -> NearWall;
    /// In the solid's own units: no surface is nearer to `p`, up to `within`; 0 when `p` is not inside.
    fn clearance_at_least(&self, p: DVec3, within: f64, probe: &mut SingleTreeCache) -> f64;
    /// In the solid's own units: appends all walls within a distance; false when they are not known one by one.
    fn linear(
        &self,
        p: DVec3,
        within: f64,
        probe: &mut SingleTreeCache,
        found: &mut Vec<LinearTerm>,
    ) -> bool;
}

/// The walls of a mesh: its faces.
#[derive(Debug)]
pub(in crate::spheres) struct MeshWalls<'s, 't> {
    solid: &'s MeshSolid<'t>,
    frame: UnitFrame,
    walls: Vec<Wall>,
    around: Vec<(Vec3, f32)>,
    face_normals: Vec<Vec3>,
    vertex_normals: Vec<Vec3>,
    /// The faces across the edges.
    neighbors: Vec<[u32; 3]>,
    list_side: f32,
}

impl<'s, 't> MeshWalls<'s, 't> {
    pub(in crate::spheres) fn new(solid: &'s MeshSolid<'t>, frame: UnitFrame) -> Self {
        let mesh: &TriMesh = solid.tree.mesh();
        let (neighbors, (vertex_normals, (walls, around, face_normals, area))) = join(
            || {
                let half_edges = mesh.half_edges();
                let across = |h, face: FaceId| {
                    let twin = half_edges.twin(h);
                    twin.map_or(face, |twin| half_edges.face(twin)).raw()
                };
                mesh.face_ids()
                    .map(|face| half_edges.of_face(face).map(|h| across(h, face)))
                    .collect()
            },
            || {
                join(
                    || to_f32(vertex_normals(mesh, NormalWeight::Angle)),
                    || {
                        let (walls, around) = placed(mesh, &frame);
                        (walls, around, to_f32(face_normals(mesh)), area(mesh))
                    },
                )
            },
        );
        let faces = mesh.face_count().max(1) as f64;
        let mean = area / faces / (frame.scale * frame.scale);
        Self {
            solid,
            frame,
            walls,
            around,
            face_normals,
            vertex_normals,
            neighbors,
            list_side: if mesh.face_count() <= FEW_FACES {
                f32::INFINITY
            } else {
                (FACES_PER_CELL * mean).sqrt() as f32
            },
        }
    }

    fn outward(&self, near: &NearWall) -> Vec3 {
        let face = near.id as usize;
        match near.feature {
            TriangleFeature::Vertex(k) => {
                let corners = self.solid.tree.mesh().faces()[face];
                self.vertex_normals[corners[usize::from(k % 3)] as usize]
            }
            TriangleFeature::Edge(k) => {
                let other = self.neighbors[face][usize::from(k % 3)];
                self.face_normals[face] + self.face_normals[other as usize]
            }
            TriangleFeature::Face => self.face_normals[face],
        }
    }
}

/// The faces in the frame, and a ball around each about a point of it.
fn placed(mesh: &TriMesh, frame: &UnitFrame) -> (Vec<Wall>, Vec<(Vec3, f32)>) {
    let mut walls = Vec::with_capacity(mesh.face_count());
    let mut around = Vec::with_capacity(mesh.face_count());
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| frame.enter(v));
        walls.push(Wall {
            corner: a,
            ab: b - a,
            ac: c - a,
        });
        let middle = (a + b + c) / 3.0;
        let radius = [a, b, c]
            .iter()
            .fold(0.0_f32, |m, v| m.max((*v - middle).length()));
        around.push((middle, radius * 1.000_01 + 1e-6));
    }
    (walls, around)
}

fn to_f32(normals: Vec<Option<DVec3>>) -> Vec<Vec3> {
    let to_f32 = |n: Option<DVec3>| n.unwrap_or_default().as_vec3();
    normals.into_iter().map(to_f32).collect()
}

impl<'t> Walls for MeshWalls<'_, 't> {
    type Solid = MeshSolid<'t>;

    fn solid(&self) -> &MeshSolid<'t> {
        self.solid
    }

    fn frame(&self) -> &UnitFrame {
        &self.frame
    }

    fn nearest(&self, p: Vec3, within: f32, probe: &mut SingleTreeCache) -> Option<NearWall> {
        let limits = Limits {
            max_distance: Some(f64::from(within) * self.frame.scale),
            ..Limits::default()
        };
        let found: ClosestFace = self
            .solid
            .tree
            .closest_face(self.frame.leave(p), limits, probe)
            .ok()?
            .value?;
        Some(NearWall {
            id: found.face.raw(),
            wall: self.walls[found.face.index()],
            point: self.frame.enter(found.point),
            distance: (found.distance / self.frame.scale) as f32,
            feature: found.feature,
        })
    }

    fn is_inside(&self, p: Vec3, near: &NearWall) -> bool {
        (p - near.point).dot(self.outward(near)) < 0.0
    }

    fn inward(&self, _: Vec3, near: &NearWall) -> Vec3 {
        -self.outward(near).normalize_or_zero()
    }

    fn list_side(&self) -> f32 {
        self.list_side
    }

    fn within(&self, p: Vec3, distance: f32, found: &mut Vec<u32>, probe: &mut SingleTreeCache) {
        let mut faces: Vec<ClosestFace> = Vec::new();
        let reach = f64::from(distance) * self.frame.scale;
        let center = self.frame.leave(p);
        // A point of the frame is valid, so there is an answer.
        let _ = self
            .solid
            .tree
            .faces_within(center, reach, Limits::default(), probe, &mut faces);
        found.extend(faces.iter().map(|near| near.face.raw()));
    }

    fn wall(&self, id: u32) -> Wall {
        self.walls[id as usize]
    }

    fn ball_around(&self, id: u32) -> (Vec3, f32) {
        self.around[id as usize]
    }

    fn settled(&self, p: Vec3, id: u32) -> u32 {
        let mut at = id;
        let (mut distance, mut feature) = self.walls[at as usize].closest(p);
        for _ in 0..MOST_MOVES {
            let edges = match feature {
                TriangleFeature::Face => break,
                TriangleFeature::Edge(k) => [k % 3, k % 3],
                TriangleFeature::Vertex(k) => [k % 3, (k + 2) % 3],
            };
            let mut next = None;
            for (i, &edge) in edges.iter().enumerate() {
                let other = self.neighbors[at as usize][usize::from(edge)];
                if other == at || (i == 1 && edges[0] == edge) {
                    continue;
                }
                let (there, part) = self.walls[other as usize].closest(p);
                if there < distance {
                    (distance, feature) = (there, part);
                    next = Some(other);
                }
            }
            match next {
                Some(other) => at = other,
                None => break,
            }
        }
        at
    }

    fn near(&self, p: Vec3, id: u32) -> NearWall {
        let mesh = self.solid.tree.mesh();
        let triangle = mesh.faces()[id as usize].map(|v| mesh.positions()[v as usize]);
        let closest = closest_point_on_triangle(self.frame.leave(p), &triangle);
        NearWall {
            id,
            wall: self.walls[id as usize],
            point: self.frame.enter(closest.point),
            distance: (closest.distance / self.frame.scale) as f32,
            feature: closest.feature,
        }
    }

    fn clearance_at_least(&self, p: DVec3, within: f64, probe: &mut SingleTreeCache) -> f64 {
        self.solid.clearance_at_least(p, within, probe)
    }

    fn linear(
        &self,
        p: DVec3,
        within: f64,
        probe: &mut SingleTreeCache,
        found: &mut Vec<LinearTerm>,
    ) -> bool {
        let mut faces: Vec<ClosestFace> = Vec::new();
        let tree = self.solid.tree;
        let answer = tree.faces_within(p, within, Limits::default(), probe, &mut faces);
        faces.sort_unstable_by_key(|near| near.face);
        found.extend(faces.iter().map(|near| LinearTerm {
            distance: near.distance,
            away: (p - near.point).normalize_or_zero(),
        }));
        answer.is_ok()
    }
}

/// The walls of any solid that can tell the nearest point of its surface: points, as they are met.
#[derive(Debug)]
pub(in crate::spheres) struct PointWalls<'s, I: ?Sized> {
    solid: &'s I,
    frame: UnitFrame,
}

impl<'s, I: Interior + ?Sized> PointWalls<'s, I> {
    pub(in crate::spheres) fn new(solid: &'s I, frame: UnitFrame) -> Self {
        Self { solid, frame }
    }
}

impl<I: Interior + ?Sized> Walls for PointWalls<'_, I> {
    type Solid = I;

    fn solid(&self) -> &I {
        self.solid
    }

    fn frame(&self) -> &UnitFrame {
        &self.frame
    }

    fn nearest(&self, p: Vec3, within: f32, _: &mut SingleTreeCache) -> Option<NearWall> {
        let x = self.frame.leave(p);
        let closest = self.solid.closest_point(x);
        let distance = ((closest - x).length() / self.frame.scale) as f32;
        if distance.is_nan() || distance > within {
            return None;
        }
        let point = self.frame.enter(closest);
        Some(NearWall {
            id: u32::MAX,
            wall: Wall {
                corner: point,
                ab: Vec3::ZERO,
                ac: Vec3::ZERO,
            },
            point,
            distance,
            feature: TriangleFeature::Face,
        })
    }

    fn is_inside(&self, p: Vec3, _: &NearWall) -> bool {
        self.solid.contains(self.frame.leave(p))
    }

    fn inward(&self, p: Vec3, near: &NearWall) -> Vec3 {
        (near.point - p).normalize_or_zero()
    }

    fn list_side(&self) -> f32 {
        0.0
    }

    fn within(&self, _: Vec3, _: f32, _: &mut Vec<u32>, _: &mut SingleTreeCache) {}

    fn wall(&self, _: u32) -> Wall {
        Wall {
            corner: Vec3::splat(f32::MAX),
            ab: Vec3::ZERO,
            ac: Vec3::ZERO,
        }
    }

    fn ball_around(&self, _: u32) -> (Vec3, f32) {
        (Vec3::splat(f32::MAX), 0.0)
    }

    fn settled(&self, _: Vec3, id: u32) -> u32 {
        id
    }

    fn near(&self, p: Vec3, _: u32) -> NearWall {
        let closest = self
            .frame
            .enter(self.solid.closest_point(self.frame.leave(p)));
        NearWall {
            id: u32::MAX,
            wall: Wall {
                corner: closest,
                ab: Vec3::ZERO,
                ac: Vec3::ZERO,
            },
            point: closest,
            distance: (closest - p).length(),
            feature: TriangleFeature::Face,
        }
    }

    fn clearance_at_least(&self, p: DVec3, within: f64, _: &mut SingleTreeCache) -> f64 {
        if !self.solid.contains(p) {
            return 0.0;
        }
        let distance = (self.solid.closest_point(p) - p).length() * (1.0 - 8.0 * f64::EPSILON);
        let clear = distance.min(within) - self.solid.error();
        if clear > 0.0 { clear } else { 0.0 }
    }

    fn linear(&self, _: DVec3, _: f64, _: &mut SingleTreeCache, _: &mut Vec<LinearTerm>) -> bool {
        false
    }
}
