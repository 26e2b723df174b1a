//! Shapes of every kind.

use std::sync::Arc;

use impinge::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, Triangle,
};
use impinge::glam::DQuat;
use impinge::pair::{Compound, HeightField, RayHit};
use impinge::{DVec3, Pose, TriMesh, generate};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, object, points, poses, ray, triple, vector};
use crate::mesh::Mesh;

/// A shape of any kind, around its own origin.
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct Shape {
    pub(crate) shape: impinge::pair::Shape,
    /// What a mesh to draw it needs beyond what the shape holds.
    sizes: Sizes,
}

#[derive(Clone, Copy, Debug)]
enum Sizes {
    OfShape,
    Round(DVec3),
    Cylinder {
        height: f64,
        radius: f64,
    },
    Cone {
        height: f64,
        radius: f64,
    },
    Capsule {
        start: DVec3,
        end: DVec3,
        radius: f64,
    },
}

impl Shape {
    /// A shape that reports its own sizes, or has no mesh.
    pub(crate) fn plain(shape: impl Into<impinge::pair::Shape>) -> Self {
        Self::of(shape, Sizes::OfShape)
    }

    fn of(shape: impl Into<impinge::pair::Shape>, sizes: Sizes) -> Self {
        Self {
            shape: shape.into(),
            sizes,
        }
    }
}

pub(crate) fn out_ray_hit(hit: &RayHit) -> JsValue {
    object([
        ("t", hit.t.into()),
        ("face", hit.face.raw().into()),
        ("point", triple(hit.point)),
        ("normal", triple(hit.normal)),
    ])
}

pub(crate) fn out_closest(distance: f64, point: DVec3, face: u32) -> JsValue {
    object([
        ("distance", distance.into()),
        ("point", triple(point)),
        ("face", face.into()),
    ])
}

#[wasm_bindgen]
impl Shape {
    /// A ball.
    pub fn ball(radius: f64) -> Result<Self, JsError> {
        let ball = Ball::new(radius).map_err(fail)?;
        Ok(Self::of(ball, Sizes::Round(DVec3::splat(radius))))
    }

    /// A box, given by half of its edges.
    pub fn cuboid(x: f64, y: f64, z: f64) -> Result<Self, JsError> {
        Ok(Self::plain(Cuboid::new([x, y, z]).map_err(fail)?))
    }

    /// All points within a radius of a segment.
    pub fn capsule(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        radius: f64,
    ) -> Result<Self, JsError> {
        let (start, end) = (vector(start, "start")?, vector(end, "end")?);
        let capsule = Capsule::new(start, end, radius).map_err(fail)?;
        Ok(Self::of(capsule, Sizes::Capsule { start, end, radius }))
    }

    /// A cylinder along z.
    pub fn cylinder(
        #[wasm_bindgen(js_name = halfHeight)] half_height: f64,
        radius: f64,
    ) -> Result<Self, JsError> {
        let shape = Cylinder::new(half_height, radius).map_err(fail)?;
        let height = half_height * 2.0;
        Ok(Self::of(shape, Sizes::Cylinder { height, radius }))
    }

    /// A cone along z, its apex above.
    pub fn cone(
        #[wasm_bindgen(js_name = halfHeight)] half_height: f64,
        radius: f64,
    ) -> Result<Self, JsError> {
        let shape = Cone::new(half_height, radius).map_err(fail)?;
        let height = half_height * 2.0;
        Ok(Self::of(shape, Sizes::Cone { height, radius }))
    }

    /// An ellipsoid, given by its half axes.
    pub fn ellipsoid(x: f64, y: f64, z: f64) -> Result<Self, JsError> {
        let round = Ellipsoid::new([x, y, z]).map_err(fail)?;
        Ok(Self::of(round, Sizes::Round(DVec3::new(x, y, z))))
    }

    /// A segment, or a point.
    pub fn segment(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
    ) -> Result<Self, JsError> {
        let segment = Segment::new(vector(start, "start")?, vector(end, "end")?);
        Ok(Self::plain(segment.map_err(fail)?))
    }

    /// A triangle of nine numbers.
    pub fn triangle(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] corners: &[f64],
    ) -> Result<Self, JsError> {
        let corners: [DVec3; 3] = (points(corners, "corners")?.try_into())
            .map_err(|_| fail("corners: expected 9 numbers"))?;
        Ok(Self::plain(Triangle::new(corners).map_err(fail)?))
    }

    /// Everything below a plane.
    #[wasm_bindgen(js_name = halfSpace)]
    pub fn half_space(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] normal: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
    ) -> Result<Self, JsError> {
        let half = HalfSpace::new(vector(normal, "normal")?, vector(point, "point")?);
        Ok(Self::plain(half.map_err(fail)?))
    }

    /// The convex hull of points.
    pub fn polyhedron(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] corners: &[f64],
    ) -> Result<Self, JsError> {
        Ok(Self::plain(
            Polyhedron::new(&points(corners, "points")?).map_err(fail)?,
        ))
    }

    /// A surface over a grid: the height of column `i` and row `j` is number `j * columns + i`.
    #[wasm_bindgen(js_name = heightField)]
    pub fn height_field(
        columns: usize,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] heights: &[f64],
        spacing: f64,
    ) -> Result<Self, JsError> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        let field = HeightField::new(columns, rows, [spacing; 2], heights.to_vec());
        Ok(Self::plain(field.map_err(fail)?))
    }

    /// Shapes that move together, each with a pose of sixteen numbers.
    pub fn compound(
        shapes: Vec<Shape>,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] placements: &[f64],
    ) -> Result<Self, JsError> {
        let placed = poses(placements)?;
        if placed.len() != shapes.len() {
            let (s, p) = (shapes.len(), placed.len());
            return Err(fail(format!("{s} shapes but {p} poses")));
        }
        let children = placed
            .into_iter()
            .zip(shapes.into_iter().map(|shape| shape.shape));
        let compound = Compound::new(children).map_err(fail)?;
        Ok(Self::plain(Arc::new(compound)))
    }

    /// The name of its kind.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        self.shape.kind().name().to_owned()
    }

    /// The box around it: smallest corner, then largest; nothing when it is empty.
    #[wasm_bindgen(getter)]
    pub fn bounds(&self) -> Option<Float64Array> {
        let bounds = self.shape.bounds(&Pose::IDENTITY)?;
        Some(flat([bounds.min, bounds.max]))
    }

    /// A mesh to draw it with, with about `detail` edges around; exact for meshes, boxes, polyhedra and height fields.
    #[wasm_bindgen(js_name = toMesh)]
    pub fn to_mesh(&self, detail: Option<u32>) -> Result<Mesh, JsError> {
        let detail = detail.unwrap_or(48).max(3);
        match self.sizes {
            Sizes::OfShape => drawn(&self.shape),
            round => drawn_round(round, detail),
        }
    }

    /// Where a ray first meets it.
    #[wasm_bindgen(js_name = castRay, unchecked_return_type = "RayHit | undefined")]
    pub fn cast_ray(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
    ) -> Result<JsValue, JsError> {
        let hit = self.shape.cast_ray(&ray(origin, direction)?);
        Ok(hit
            .map_err(fail)?
            .map_or(JsValue::UNDEFINED, |hit| out_ray_hit(&hit)))
    }

    /// Where a ball that moves from one point to another first meets it.
    #[wasm_bindgen(js_name = castBall, unchecked_return_type = "BallHit | undefined")]
    pub fn cast_ball(
        &self,
        radius: f64,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] from: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] to: &[f64],
    ) -> Result<JsValue, JsError> {
        let found = self
            .shape
            .cast_ball(radius, vector(from, "from")?, vector(to, "to")?);
        let found = found.map_err(fail)?;
        Ok(found.value.map_or(JsValue::UNDEFINED, |hit| {
            object([
                ("t", hit.t.into()),
                ("lower", found.lower.into()),
                ("upper", found.upper.into()),
                ("center", triple(hit.center)),
                ("point", triple(hit.point)),
                ("normal", triple(hit.normal)),
            ])
        }))
    }

    /// The point of it nearest to a point: the point itself inside a solid.
    #[wasm_bindgen(js_name = closestPoint, unchecked_return_type = "ClosestPoint | undefined")]
    pub fn closest_point(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
    ) -> Result<JsValue, JsError> {
        let found = self.shape.closest_point(vector(point, "point")?);
        Ok(found
            .map_err(fail)?
            .value
            .map_or(JsValue::UNDEFINED, |near| {
                out_closest(near.distance, near.point_a, 0)
            }))
    }

    /// Whether it holds a point.
    pub fn contains(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
    ) -> Result<bool, JsError> {
        self.shape.contains(vector(point, "point")?).map_err(fail)
    }
}

fn stretched(radii: DVec3, detail: u32) -> Result<Mesh, JsError> {
    let unit = generate::icosphere(1.0, (detail / 5).max(1)).map_err(fail)?;
    let (positions, faces) = unit.into_parts();
    let positions = positions.into_iter().map(|p| p * radii).collect();
    Ok(TriMesh::new(positions, faces).map_err(fail)?.into())
}

/// The mesh with the middle of its height at the origin.
fn centred(mesh: &TriMesh) -> Result<Mesh, JsError> {
    let bounds = mesh.bounds();
    let middle = (bounds.min.z + bounds.max.z) * 0.5;
    let down = Pose::from_translation([0.0, 0.0, -middle]).map_err(fail)?;
    Ok(mesh.placed(&down).map_err(fail)?.into())
}

fn drawn_round(sizes: Sizes, detail: u32) -> Result<Mesh, JsError> {
    match sizes {
        Sizes::OfShape => Err(fail("the shape has no sizes")),
        Sizes::Round(radii) => stretched(radii, detail),
        Sizes::Cylinder { height, radius } => {
            centred(&generate::cylinder(radius, height, detail, 1).map_err(fail)?)
        }
        Sizes::Cone { height, radius } => {
            centred(&generate::cone(radius, height, detail, 1).map_err(fail)?)
        }
        Sizes::Capsule { start, end, radius } => {
            let along = end - start;
            let middle = Pose::from_translation((start + end) * 0.5).map_err(fail)?;
            let Some(direction) = along.try_normalize() else {
                let ball = generate::icosphere(radius, (detail / 5).max(1)).map_err(fail)?;
                return Ok(ball.placed(&middle).map_err(fail)?.into());
            };
            let upright = generate::capsule(radius, along.length(), detail, (detail / 4).max(1));
            let turn = DQuat::from_rotation_arc(DVec3::Z, direction);
            let there = Pose::from_quaternion(turn, middle.translation()).map_err(fail)?;
            Ok(upright.map_err(fail)?.placed(&there).map_err(fail)?.into())
        }
    }
}

fn drawn(shape: &impinge::pair::Shape) -> Result<Mesh, JsError> {
    use impinge::pair::Shape as Kind;
    match shape {
        Kind::Mesh(mesh) => Ok(Mesh {
            mesh: Arc::clone(mesh).into(),
        }),
        Kind::HeightField(field) => Ok(Mesh {
            mesh: Arc::clone(field.mesh()).into(),
        }),
        Kind::Cuboid(cuboid) => {
            let size = cuboid.half_extent() * 2.0;
            Ok(generate::cuboid(size, [1; 3]).map_err(fail)?.into())
        }
        Kind::Triangle(triangle) => {
            let corners = triangle.corners().to_vec();
            Ok(TriMesh::new(corners, vec![[0, 1, 2]]).map_err(fail)?.into())
        }
        Kind::Polyhedron(hull) => {
            let faces = hull.triangles().collect();
            let mesh = TriMesh::new(hull.vertices().to_vec(), faces).map_err(fail)?;
            Ok(mesh.into())
        }
        other => Err(fail(format!("a {} has no mesh", other.kind().name()))),
    }
}
