//! The kinds of shapes, each a class of its own.

use std::sync::Arc;

use impinge::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, Triangle,
};
use impinge::glam::{DQuat, DVec3};
use impinge::pair::{Compound, HeightField, Particles, Shape};
use impinge::{Pose, TriMesh, generate};
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::answers::out_list;
use crate::arrays::{grid, numbers, out_points, out_pose, pose, vector};
use crate::error::fail;
use crate::mesh::PyMesh;
use crate::shape::PyShape;

fn made<'py, K>(
    py: Python<'py>,
    kind: K,
    shape: impl Into<Shape>,
    made_of: Vec<Bound<'py, PyAny>>,
) -> PyResult<PyClassInitializer<K>>
where
    K: PyClass<BaseType = PyShape>,
{
    let mut base = PyShape::from(shape.into());
    base.made_of = Some(PyTuple::new(py, made_of)?.unbind());
    Ok(PyClassInitializer::from(base).add_subclass(kind))
}

fn number(py: Python<'_>, x: f64) -> Bound<'_, PyAny> {
    pyo3::types::PyFloat::new(py, x).into_any()
}

fn list(py: Python<'_>, v: DVec3) -> PyResult<Bound<'_, PyAny>> {
    Ok(PyList::new(py, v.to_array())?.into_any())
}

/// The length of an argument of the constructor.
fn sizes(slf: &Bound<'_, PyShape>) -> PyResult<Vec<f64>> {
    match &slf.get().made_of {
        Some(values) => values.bind(slf.py()).extract(),
        None => Ok(Vec::new()),
    }
}

fn extents(slf: &Bound<'_, PyShape>) -> PyResult<DVec3> {
    match &slf.get().made_of {
        Some(values) => vector(&values.bind(slf.py()).get_item(0)?, "size"),
        None => Ok(DVec3::ZERO),
    }
}

/// A ball around the origin.
///
/// >>> import impinge
/// >>> impinge.Ball(2.0)
/// Ball(2.0)
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Ball")]
#[derive(Debug)]
pub struct PyBall;

#[pymethods]
impl PyBall {
    #[new]
    fn new(py: Python<'_>, radius: f64) -> PyResult<PyClassInitializer<Self>> {
        let shape = Ball::new(radius).map_err(fail)?;
        made(py, Self, shape, vec![number(py, radius)])
    }

    /// A mesh around the ball's sphere with about ``detail`` edges around the equator.
    #[pyo3(signature = (*, detail=32))]
    fn to_mesh<'py>(slf: &Bound<'py, Self>, detail: u32) -> PyResult<Bound<'py, PyMesh>> {
        let sizes = sizes(slf.as_super())?;
        let radius = sizes.first().copied().unwrap_or(1.0);
        round_mesh(slf.py(), DVec3::splat(radius), detail)
    }
}

/// A mesh of an ellipsoid: an icosphere, stretched.
fn round_mesh(py: Python<'_>, radii: DVec3, detail: u32) -> PyResult<Bound<'_, PyMesh>> {
    let unit = generate::icosphere(1.0, (detail / 5).max(1)).map_err(fail)?;
    let (positions, faces) = unit.into_parts();
    let stretched = positions.into_iter().map(|p| p * radii).collect();
    PyMesh::of(py, TriMesh::new(stretched, faces).map_err(fail)?)
}

/// A box around the origin, given by half of its edges.
///
/// >>> import impinge
/// >>> impinge.Cuboid([1, 2, 3])
/// Cuboid([1.0, 2.0, 3.0])
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Cuboid")]
#[derive(Debug)]
pub struct PyCuboid;

#[pymethods]
impl PyCuboid {
    #[new]
    fn new(py: Python<'_>, half_extent: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let half = vector(half_extent, "half_extent")?;
        let shape = Cuboid::new(half).map_err(fail)?;
        made(py, Self, shape, vec![list(py, half)?])
    }

    /// The box as a mesh of twelve faces.
    fn to_mesh<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyMesh>> {
        let half = extents(slf.as_super())?;
        let mesh = generate::cuboid(half * 2.0, [1; 3]).map_err(fail)?;
        PyMesh::of(slf.py(), mesh)
    }
}

/// All points within a radius of the segment between two points.
///
/// >>> import impinge
/// >>> impinge.Capsule([0, 0, -1], [0, 0, 1], 0.5)
/// Capsule([0.0, 0.0, -1.0], [0.0, 0.0, 1.0], 0.5)
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Capsule")]
#[derive(Debug)]
pub struct PyCapsuleShape;

#[pymethods]
impl PyCapsuleShape {
    #[new]
    fn new(
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        radius: f64,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (from, to) = (vector(start, "start")?, vector(end, "end")?);
        let shape = Capsule::new(from, to, radius).map_err(fail)?;
        let values = vec![list(py, from)?, list(py, to)?, number(py, radius)];
        made(py, Self, shape, values)
    }

    /// A mesh around the capsule with about ``detail`` edges around it.
    #[pyo3(signature = (*, detail=32))]
    fn to_mesh<'py>(slf: &Bound<'py, Self>, detail: u32) -> PyResult<Bound<'py, PyMesh>> {
        let py = slf.py();
        let Some(values) = &slf.as_super().get().made_of else {
            return Err(fail("the capsule has no sizes"));
        };
        let values = values.bind(py);
        let from = vector(&values.get_item(0)?, "start")?;
        let to = vector(&values.get_item(1)?, "end")?;
        let radius: f64 = values.get_item(2)?.extract()?;
        if from == to {
            let ball = generate::icosphere(radius, (detail / 5).max(1)).map_err(fail)?;
            let there = Pose::from_translation(from).map_err(fail)?;
            return PyMesh::of(py, ball.placed(&there).map_err(fail)?);
        }
        let along = to - from;
        let upright = generate::capsule(radius, along.length(), detail.max(3), (detail / 4).max(1));
        let turn = DQuat::from_rotation_arc(DVec3::Z, along.normalize());
        let there = Pose::from_quaternion(turn, (from + to) * 0.5).map_err(fail)?;
        PyMesh::of(py, upright.map_err(fail)?.placed(&there).map_err(fail)?)
    }
}

macro_rules! upright {
    ($(#[$doc:meta])* $class:ident, $python:literal, $of:ident, $generate:path) => {
        $(#[$doc])*
        #[pyclass(extends = PyShape, frozen, module = "impinge", name = $python)]
        #[derive(Debug)]
        pub struct $class;

        #[pymethods]
        impl $class {
            #[new]
            fn new(
                py: Python<'_>,
                half_height: f64,
                radius: f64,
            ) -> PyResult<PyClassInitializer<Self>> {
                let shape = $of::new(half_height, radius).map_err(fail)?;
                made(py, Self, shape, vec![number(py, half_height), number(py, radius)])
            }

            /// A mesh with ``detail`` edges around it.
            #[pyo3(signature = (*, detail=32))]
            fn to_mesh<'py>(slf: &Bound<'py, Self>, detail: u32) -> PyResult<Bound<'py, PyMesh>> {
                let sizes = sizes(slf.as_super())?;
                let [half_height, radius] = sizes[..] else {
                    return Err(fail("the shape has no sizes"));
                };
                let mesh = $generate(radius, half_height * 2.0, detail.max(3), 1).map_err(fail)?;
                // Whatever height the generator begins at: shapes have their middle at the origin.
                let low = mesh.bounds().min.z + half_height;
                let there = Pose::from_translation([0.0, 0.0, -low]).map_err(fail)?;
                PyMesh::of(slf.py(), mesh.placed(&there).map_err(fail)?)
            }
        }
    };
}

upright!(
    /// A cylinder along z, its middle at the origin.
    ///
    /// >>> import impinge
    /// >>> impinge.Cylinder(1.0, 0.5).bounds.round(9).tolist()
    /// [[-0.5, -0.5, -1.0], [0.5, 0.5, 1.0]]
    PyCylinder, "Cylinder", Cylinder, generate::cylinder
);
upright!(
    /// A cone along z: its base at ``-half_height``, its apex at ``half_height``.
    ///
    /// >>> import impinge
    /// >>> impinge.Cone(1.0, 0.5).contains([0, 0, 1])
    /// True
    PyCone, "Cone", Cone, generate::cone
);

/// An ellipsoid around the origin, given by its half axes.
///
/// >>> import impinge
/// >>> impinge.Ellipsoid([1, 2, 3]).contains([0, 0, 3])
/// True
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Ellipsoid")]
#[derive(Debug)]
pub struct PyEllipsoid;

#[pymethods]
impl PyEllipsoid {
    #[new]
    fn new(py: Python<'_>, radii: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let radii = vector(radii, "radii")?;
        let shape = Ellipsoid::new(radii).map_err(fail)?;
        made(py, Self, shape, vec![list(py, radii)?])
    }

    /// A mesh with about ``detail`` edges around the equator.
    #[pyo3(signature = (*, detail=32))]
    fn to_mesh<'py>(slf: &Bound<'py, Self>, detail: u32) -> PyResult<Bound<'py, PyMesh>> {
        round_mesh(slf.py(), extents(slf.as_super())?, detail)
    }
}

/// A segment, or a point when both ends are the same.
///
/// >>> import impinge
/// >>> impinge.Segment([0, 0, 0], [1, 0, 0]).distance(impinge.Ball(1.0), [0, 3, 0]).distance
/// 2.0
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Segment")]
#[derive(Debug)]
pub struct PySegment;

#[pymethods]
impl PySegment {
    #[new]
    fn new(
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (from, to) = (vector(start, "start")?, vector(end, "end")?);
        let shape = Segment::new(from, to).map_err(fail)?;
        made(py, Self, shape, vec![list(py, from)?, list(py, to)?])
    }
}

/// A triangle.
///
/// >>> import impinge
/// >>> impinge.Triangle([0, 0, 0], [1, 0, 0], [0, 1, 0]).cast_ray([0.25, 0.25, 1], [0, 0, 1]) is None
/// True
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Triangle")]
#[derive(Debug)]
pub struct PyTriangle;

#[pymethods]
impl PyTriangle {
    #[new]
    fn new(
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        c: &Bound<'_, PyAny>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let corners = [vector(a, "a")?, vector(b, "b")?, vector(c, "c")?];
        let shape = Triangle::new(corners).map_err(fail)?;
        let values: PyResult<Vec<_>> = corners.into_iter().map(|v| list(py, v)).collect();
        made(py, Self, shape, values?)
    }
}

/// Everything below a plane: the side away from ``normal``.
///
/// >>> import impinge
/// >>> impinge.HalfSpace([0, 0, 1], [0, 0, 0]).contains([0, 0, -1])
/// True
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "HalfSpace")]
#[derive(Debug)]
pub struct PyHalfSpace;

#[pymethods]
impl PyHalfSpace {
    #[new]
    fn new(
        py: Python<'_>,
        normal: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (normal, point) = (vector(normal, "normal")?, vector(point, "point")?);
        let shape = HalfSpace::new(normal, point).map_err(fail)?;
        made(py, Self, shape, vec![list(py, normal)?, list(py, point)?])
    }
}

/// The convex hull of points.
///
/// >>> import impinge
/// >>> impinge.Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
/// <Polyhedron of 4 vertices>
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Polyhedron")]
#[derive(Debug)]
pub struct PyPolyhedron;

#[pymethods]
impl PyPolyhedron {
    #[new]
    fn new<'py>(py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let given = crate::arrays::points(points, "points")?;
        let shape = py.detach(|| Polyhedron::new(&given)).map_err(fail)?;
        let corners = out_points(py, shape.vertices().iter().copied())?;
        made(py, Self, shape, vec![corners.into_any()])
    }

    /// The hull as a mesh; faces are cut into fans.
    fn to_mesh<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyMesh>> {
        let Shape::Polyhedron(hull) = &slf.as_super().get().shape else {
            return Err(fail("the shape is no polyhedron"));
        };
        let faces = hull.triangles().collect();
        let mesh = TriMesh::new(hull.vertices().to_vec(), faces).map_err(fail)?;
        PyMesh::of(slf.py(), mesh)
    }
}

/// A surface over a grid: ``heights[j, i]`` stands at ``(i * spacing[0], j * spacing[1])``.
///
/// >>> import impinge
/// >>> ramp = impinge.HeightField([[0, 1, 2], [0, 1, 2]], spacing=(1, 1))
/// >>> ramp.cast_ray([0.5, 0.5, 9], [0, 0, -1]).t
/// 8.5
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "HeightField")]
#[derive(Debug)]
pub struct PyHeightField;

#[pymethods]
impl PyHeightField {
    #[new]
    #[pyo3(signature = (heights, spacing=(1.0, 1.0)))]
    fn new<'py>(
        py: Python<'py>,
        heights: &Bound<'py, PyAny>,
        spacing: (f64, f64),
    ) -> PyResult<PyClassInitializer<Self>> {
        let ([rows, columns], values) = grid(heights, "heights")?;
        let kept = numpy::PyArray1::from_slice(py, &values);
        let kept = numpy::PyArrayMethods::reshape(&kept, [rows, columns])?;
        let shape = HeightField::new(columns, rows, spacing.into(), values).map_err(fail)?;
        let spacing = PyTuple::new(py, [spacing.0, spacing.1])?;
        made(py, Self, shape, vec![kept.into_any(), spacing.into_any()])
    }

    /// The surface as a mesh.
    fn to_mesh<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyMesh>> {
        match &slf.as_super().get().shape {
            Shape::HeightField(field) => PyMesh::of_shared(slf.py(), field.mesh().mesh().clone()),
            _ => Err(fail("the shape is no height field")),
        }
    }
}

/// Points with a common radius, or balls with radii of their own.
///
/// >>> import impinge
/// >>> impinge.Particles([[0, 0, 0], [5, 0, 0]], 1.0).distance(impinge.Ball(1.0), [2.5, 0, 0]).distance
/// 0.5
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Particles")]
#[derive(Debug)]
pub struct PyParticles;

#[pymethods]
impl PyParticles {
    #[new]
    fn new<'py>(
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let centers = crate::arrays::points(points, "points")?;
        let kept = out_points(py, centers.iter().copied())?.into_any();
        if let Ok(radius) = radius.extract::<f64>() {
            let shape = Particles::new(centers, radius).map_err(fail)?;
            return made(py, Self, shape, vec![kept, number(py, radius)]);
        }
        let radii = numbers(radius, "radius")?;
        let balls = crate::spheres::balls_of(&centers, &radii)?;
        let shape = Particles::of_balls(&balls).map_err(fail)?;
        made(
            py,
            Self,
            shape,
            vec![kept, out_list(py, radii).into_bound(py)],
        )
    }
}

/// Shapes that move together: a list of ``(pose, shape)``.
///
/// >>> import impinge
/// >>> pair = impinge.Compound([([0, 0, 0], impinge.Ball(1.0)), ([3, 0, 0], impinge.Ball(1.0))])
/// >>> pair.contains([3.5, 0, 0])
/// True
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Compound")]
#[derive(Debug)]
pub struct PyCompound;

#[pymethods]
impl PyCompound {
    #[new]
    fn new<'py>(
        py: Python<'py>,
        children: Vec<(Bound<'py, PyAny>, Bound<'py, PyShape>)>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (mut placed, mut kept) = (Vec::new(), Vec::new());
        for (number, (at, shape)) in children.iter().enumerate() {
            let at = pose(Some(at), &format!("children[{number}]"))?;
            placed.push((at, shape.get().shape.clone()));
            kept.push((out_pose(py, &at)?, shape.clone()));
        }
        let shape = Compound::new(placed).map_err(fail)?;
        let kept = PyList::new(py, kept)?.into_any();
        made(py, Self, Arc::new(shape), vec![kept])
    }
}
