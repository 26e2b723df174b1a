//! Shapes of every kind in one type.

use std::fmt;
use std::sync::Arc;

use super::compound::Compound;
use super::custom::{CustomShape, UnnamedSolid};
use super::height_field::HeightField;
use super::mesh_shape::MeshShape;
use super::particles::Particles;
use super::placed_box::placed_box;
use crate::bound::Aabb;
use crate::cloud::CloudShape;
use crate::convex::{
    Ball, Capsule, Cone, Convex, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment,
    Triangle,
};
use crate::math::Pose;
use crate::mesh::TriMesh;

/// A shape of any kind. Cloning is cheap: what is large is shared.
///
/// ```
/// use impinge::{Pose, convex::Ball, pair::{Shape, ShapeKind}};
/// let ball = Shape::from(Ball::new(1.0)?);
/// assert_eq!(ball.kind(), ShapeKind::Ball);
/// let bounds = ball.bounds(&Pose::from_translation([5.0, 0.0, 0.0])?).ok_or("unbounded")?;
/// assert!(bounds.min.x <= 4.0 && bounds.max.x >= 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[doc(alias = "collider")]
#[doc(alias = "collision object")]
pub enum Shape {
    /// A ball.
    Ball(Ball),
    /// A box.
    Cuboid(Cuboid),
    /// A capsule.
    Capsule(Capsule),
    /// A cylinder.
    Cylinder(Cylinder),
    /// A cone.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A segment or a point.
    Segment(Segment),
    /// A triangle.
    Triangle(Triangle),
    /// Everything on one side of a plane.
    HalfSpace(HalfSpace),
    /// A convex polyhedron.
    Polyhedron(Arc<Polyhedron>),
    /// A surface over a regular grid.
    HeightField(Arc<HeightField>),
    /// Points with a common radius.
    Particles(Arc<Particles>),
    /// A triangle mesh.
    Mesh(Arc<MeshShape>),
    /// The points of a cloud, and nothing between them.
    Cloud(Arc<CloudShape>),
    /// Shapes that move together.
    Compound(Arc<Compound>),
    /// A kind of the user's own.
    Custom(Arc<dyn CustomShape>),
}

/// The kinds of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ShapeKind {
    /// A ball.
    Ball,
    /// A box.
    Cuboid,
    /// A capsule.
    Capsule,
    /// A cylinder.
    Cylinder,
    /// A cone.
    Cone,
    /// An ellipsoid.
    Ellipsoid,
    /// A segment or a point.
    Segment,
    /// A triangle.
    Triangle,
    /// Everything on one side of a plane.
    HalfSpace,
    /// A convex polyhedron.
    Polyhedron,
    /// A surface over a regular grid.
    HeightField,
    /// Points with a common radius.
    Particles,
    /// A triangle mesh.
    Mesh,
    /// The points of a cloud, and nothing between them.
    Cloud,
    /// Shapes that move together.
    Compound,
    /// A kind of the user's own.
    Custom,
}

impl ShapeKind {
    /// All kinds, in the order of the support matrix.
    pub const ALL: [Self; 16] = [
        Self::Ball,
        Self::Cuboid,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::Ellipsoid,
        Self::Segment,
        Self::Triangle,
        Self::HalfSpace,
        Self::Polyhedron,
        Self::HeightField,
        Self::Particles,
        Self::Mesh,
        Self::Cloud,
        Self::Compound,
        Self::Custom,
    ];

    /// Its name, as in reports.
    ///
    /// ```
    /// assert_eq!(impinge::pair::ShapeKind::HeightField.name(), "height field");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Cuboid => "box",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Ellipsoid => "ellipsoid",
            Self::Segment => "segment",
            Self::Triangle => "triangle",
            Self::HalfSpace => "half-space",
            Self::Polyhedron => "polyhedron",
            Self::HeightField => "height field",
            Self::Particles => "particles",
            Self::Mesh => "mesh",
            Self::Cloud => "cloud",
            Self::Compound => "compound",
            Self::Custom => "custom",
        }
    }
}

impl fmt::Display for ShapeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Shape {
    /// Which kind it is.
    ///
    /// ```
    /// use impinge::{convex::Cuboid, pair::{Shape, ShapeKind}};
    /// assert_eq!(Shape::from(Cuboid::new([1.0, 2.0, 3.0])?).kind(), ShapeKind::Cuboid);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn kind(&self) -> ShapeKind {
        match self {
            Self::Ball(_) => ShapeKind::Ball,
            Self::Cuboid(_) => ShapeKind::Cuboid,
            Self::Capsule(_) => ShapeKind::Capsule,
            Self::Cylinder(_) => ShapeKind::Cylinder,
            Self::Cone(_) => ShapeKind::Cone,
            Self::Ellipsoid(_) => ShapeKind::Ellipsoid,
            Self::Segment(_) => ShapeKind::Segment,
            Self::Triangle(_) => ShapeKind::Triangle,
            Self::HalfSpace(_) => ShapeKind::HalfSpace,
            Self::Polyhedron(_) => ShapeKind::Polyhedron,
            Self::HeightField(_) => ShapeKind::HeightField,
            Self::Particles(_) => ShapeKind::Particles,
            Self::Mesh(_) => ShapeKind::Mesh,
            Self::Cloud(_) => ShapeKind::Cloud,
            Self::Compound(_) => ShapeKind::Compound,
            Self::Custom(_) => ShapeKind::Custom,
        }
    }

    /// A box around the placed shape; none when it has no bounds. Empty when the shape is.
    ///
    /// ```
    /// use impinge::{Pose, convex::HalfSpace, pair::Shape};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// assert!(ground.bounds(&Pose::IDENTITY).is_none());
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn bounds(&self, world_from_shape: &Pose) -> Option<Aabb> {
        if let Some(convex) = self.convex() {
            return Some(placed_box(&convex, world_from_shape));
        }
        let own = match self {
            Self::HeightField(field) => field.bounds(),
            Self::Particles(particles) => particles.bounds(),
            Self::Mesh(mesh) => mesh.bounds(),
            Self::Cloud(cloud) => cloud.bounds(),
            Self::Compound(compound) => compound.bounds()?,
            Self::Custom(custom) => custom.bounds()?,
            _ => return None,
        };
        Some(own.transformed(world_from_shape))
    }

    /// The shape as a bounded convex one, when it is of such a kind.
    ///
    /// ```
    /// use impinge::{convex::{Ball, HalfSpace}, pair::Shape};
    /// assert!(Shape::from(Ball::new(1.0)?).convex().is_some());
    /// assert!(Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?).convex().is_none());
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn convex(&self) -> Option<Convex> {
        Some(match self {
            Self::Ball(shape) => Convex::Ball(*shape),
            Self::Cuboid(shape) => Convex::Cuboid(*shape),
            Self::Capsule(shape) => Convex::Capsule(*shape),
            Self::Cylinder(shape) => Convex::Cylinder(*shape),
            Self::Cone(shape) => Convex::Cone(*shape),
            Self::Ellipsoid(shape) => Convex::Ellipsoid(*shape),
            Self::Segment(shape) => Convex::Segment(*shape),
            Self::Triangle(shape) => Convex::Triangle(*shape),
            Self::Polyhedron(shape) => Convex::Polyhedron(shape.clone()),
            Self::Custom(shape) => Convex::Custom(shape.clone().solid()?),
            _ => return None,
        })
    }
}

macro_rules! from {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Shape {
            fn from(shape: $kind) -> Self {
                Self::$kind(shape)
            }
        })*
    };
}

macro_rules! from_shared {
    ($($kind:ident => $of:ty),*) => {
        $(impl From<$of> for Shape {
            fn from(shape: $of) -> Self {
                Self::$kind(Arc::new(shape))
            }
        }
        impl From<Arc<$of>> for Shape {
            fn from(shape: Arc<$of>) -> Self {
                Self::$kind(shape)
            }
        })*
    };
}

from!(
    Ball, Cuboid, Capsule, Cylinder, Cone, Ellipsoid, Segment, Triangle, HalfSpace
);
from_shared!(
    Polyhedron => Polyhedron,
    HeightField => HeightField,
    Particles => Particles,
    Mesh => MeshShape,
    Cloud => CloudShape,
    Compound => Compound
);

impl From<TriMesh> for Shape {
    fn from(mesh: TriMesh) -> Self {
        MeshShape::new(Arc::new(mesh)).into()
    }
}

impl From<Arc<TriMesh>> for Shape {
    fn from(mesh: Arc<TriMesh>) -> Self {
        MeshShape::new(mesh).into()
    }
}

/// A clone, which shares what is large.
impl From<&Self> for Shape {
    fn from(shape: &Self) -> Self {
        shape.clone()
    }
}

impl From<Convex> for Shape {
    fn from(shape: Convex) -> Self {
        match shape {
            Convex::Ball(shape) => Self::Ball(shape),
            Convex::Cuboid(shape) => Self::Cuboid(shape),
            Convex::Capsule(shape) => Self::Capsule(shape),
            Convex::Cylinder(shape) => Self::Cylinder(shape),
            Convex::Cone(shape) => Self::Cone(shape),
            Convex::Ellipsoid(shape) => Self::Ellipsoid(shape),
            Convex::Segment(shape) => Self::Segment(shape),
            Convex::Triangle(shape) => Self::Triangle(shape),
            Convex::Polyhedron(shape) => Self::Polyhedron(shape),
            Convex::Custom(shape) => Self::Custom(Arc::new(UnnamedSolid(shape))),
        }
    }
}
