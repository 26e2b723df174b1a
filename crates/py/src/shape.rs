//! Shapes and their queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use impinge::bvh::wide::{SingleTreeCache, WideCache, WideTree};
use impinge::geom::Ray;
use impinge::glam::DVec3;
use impinge::math::Motion;
use impinge::pair::{
    ContactQuery, DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery, Manifold, PairConfig,
    Shape, VolumeQuery,
};
use impinge::query::Limits;
use impinge::{Mesh, Pose};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::answers::{
    self, by_patch, out_distance, out_impact, out_penetration, out_ray_hit, out_volume,
};
use crate::arrays::{out_points, pose, vector};
use crate::batch::{self, mesh_hit};
use crate::error::fail;
use crate::run::{BatchHow, ask};

/// A shape of any kind. All kinds have the same methods: ``intersects``, ``distance``, ``penetration``,
/// ``volume``, ``contacts``, ``impact`` about two, ``cast_ray``, ``closest_point``, ``contains`` about one.
///
/// A pose places the second shape in the frame of the first: a (4, 4) matrix, the three numbers of a translation, or
/// nothing for no change. Answers are in the frame of the first.
///
/// >>> import impinge
/// >>> impinge.Ball(1.0).intersects(impinge.Cuboid([1, 1, 1]), [1.5, 0, 0])
/// True
#[pyclass(subclass, frozen, module = "impinge", name = "Shape")]
#[derive(Debug)]
pub struct PyShape {
    pub(crate) shape: Shape,
    /// An index that came with a pickled mesh.
    pub(crate) loaded: Option<Arc<WideTree>>,
    /// Whether the index of a mesh was requested.
    pub(crate) indexed: AtomicBool,
    /// What the shape was made of, as Python values: for printing and pickling.
    pub(crate) made_of: Option<Py<PyTuple>>,
}

impl From<Shape> for PyShape {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            loaded: None,
            indexed: AtomicBool::new(false),
            made_of: None,
        }
    }
}

impl PyShape {
    /// The index of a mesh.
    pub(crate) fn tree(&self) -> Option<&Arc<WideTree>> {
        match (&self.shape, &self.loaded) {
            (_, Some(tree)) => Some(tree),
            (Shape::Mesh(mesh), None) => {
                self.indexed.store(true, Ordering::Relaxed);
                Some(mesh.wide())
            }
            _ => None,
        }
    }

    pub(crate) fn mesh(&self) -> Option<Mesh> {
        match &self.shape {
            Shape::Mesh(mesh) => Some(Mesh::from(Arc::clone(mesh))),
            _ => None,
        }
    }

    pub(crate) fn require_closed(&self, which: &str) -> PyResult<()> {
        let Some(mesh) = self.mesh() else {
            return Ok(());
        };
        match mesh.solid() {
            Ok(_) => Ok(()),
            Err(why) => Err(fail(format!(
                "the {which} mesh is open: {why}; weld it or fill its holes first"
            ))),
        }
    }
}

pub(crate) fn config(solid: bool) -> PairConfig {
    PairConfig {
        solid,
        ..PairConfig::default()
    }
}

fn checked_margin(margin: f64) -> PyResult<f64> {
    if margin >= 0.0 && margin.is_finite() {
        Ok(margin)
    } else {
        Err(fail(format!(
            "margin must be finite and not negative, found {margin}"
        )))
    }
}

pub(crate) fn checked_distance(distance: Option<f64>) -> PyResult<Option<f64>> {
    match distance {
        Some(value) if value.is_nan() || value < 0.0 => Err(fail(format!(
            "max_distance must not be negative, found {value}"
        ))),
        _ => Ok(distance),
    }
}

#[pymethods]
impl PyShape {
    /// The name of the kind of shape.
    ///
    /// >>> import impinge
    /// >>> impinge.HeightField([[0, 0], [0, 1]]).kind
    /// 'height field'
    #[getter]
    fn kind(&self) -> &'static str {
        self.shape.kind().name()
    }

    /// The box around the shape as a (2, 3) array, smallest corner first; none when it is empty.
    ///
    /// >>> import impinge
    /// >>> impinge.Cuboid([1, 2, 3]).bounds.tolist()
    /// [[-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]]
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let bounds = match &self.shape {
            Shape::Mesh(mesh) => Some(mesh.bounds()),
            shape => shape.bounds(&Pose::IDENTITY),
        };
        bounds
            .filter(|bounds| bounds.min.cmple(bounds.max).all())
            .map(|bounds| out_points(py, [bounds.min, bounds.max]))
            .transpose()
    }

    /// Whether the shapes share a point, touching included. Exact for meshes and polyhedra. A mesh is its surface unless ``solid``
    /// is set: then a shape inside a closed mesh meets it.
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1, 1, 1])
    /// >>> cube.intersects(cube, [2, 0, 0]), cube.intersects(cube, [2.0000000000000004, 0, 0])
    /// (True, False)
    #[pyo3(signature = (other, pose=None, *, solid=false))]
    fn intersects(
        &self,
        other: &Bound<'_, Self>,
        pose: Option<&Bound<'_, PyAny>>,
        solid: bool,
    ) -> PyResult<bool> {
        let (b, a_from_b) = (other.get(), crate::arrays::pose(pose, "pose")?);
        let found = other.py().detach(|| {
            if let (false, Some(a), Some(b)) = (solid, self.tree(), b.tree()) {
                return Ok(a.intersects(b, &a_from_b, &mut WideCache::default()));
            }
            let mut query = IntersectionQuery::new(&self.shape, &b.shape, &config(solid))?;
            Ok(query.any(&a_from_b))
        });
        found.map_err(|why: impinge::pair::Unsupported| fail(why))
    }

    /// The distance of the shapes and two nearest points, with bounds; none when a shape is empty, or when nothing is within
    /// ``max_distance``. 0 exactly when two meshes meet.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).distance(impinge.Ball(1.0), [5, 0, 0]).distance
    /// 3.0
    #[pyo3(signature = (other, pose=None, *, max_distance=None))]
    fn distance(
        &self,
        other: &Bound<'_, Self>,
        pose: Option<&Bound<'_, PyAny>>,
        max_distance: Option<f64>,
    ) -> PyResult<Option<answers::Distance>> {
        let (b, a_from_b) = (other.get(), crate::arrays::pose(pose, "pose")?);
        let found = ask(other.py(), checked_distance(max_distance)?, |limits| {
            if let (Some(a), Some(b)) = (self.tree(), b.tree()) {
                return Ok(a.distance(b, &a_from_b, limits, &mut WideCache::default()));
            }
            let mut query = DistanceQuery::new(&self.shape, &b.shape, &config(false))?;
            Ok::<_, impinge::pair::Unsupported>(query.at(&a_from_b, limits))
        })?;
        Ok(out_distance(found.map_err(fail)?))
    }

    /// The shortest translation of the second shape that parts them, with bounds on its length; none when they are apart. Meshes are
    /// solids here and must be closed.
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    /// >>> round(cube.penetration(cube, [1.5, 0, 0]).depth, 9)
    /// 0.5
    #[pyo3(signature = (other, pose=None))]
    fn penetration(
        &self,
        other: &Bound<'_, Self>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<answers::Penetration>> {
        let (b, a_from_b) = (other.get(), crate::arrays::pose(pose, "pose")?);
        self.require_closed("first")?;
        b.require_closed("second")?;
        let found = ask(other.py(), None, |limits| {
            let mut query = DepthQuery::new(&self.shape, &b.shape, &config(false))?;
            Ok::<_, impinge::pair::Unsupported>(query.at(&a_from_b, limits))
        })?;
        Ok(out_penetration(found.map_err(fail)?))
    }

    /// The volume that the shapes share, with bounds, its centroid and its derivative. Meshes must be closed.
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1, 1, 1])
    /// >>> cube.volume(cube, [1, 1, 1]).volume
    /// 1.0
    #[pyo3(signature = (other, pose=None))]
    fn volume(
        &self,
        other: &Bound<'_, Self>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<answers::Volume> {
        let (b, a_from_b) = (other.get(), crate::arrays::pose(pose, "pose")?);
        let found = ask(other.py(), None, |limits| {
            VolumeQuery::new(&self.shape, &b.shape)?.at(&a_from_b, limits)
        })?;
        Ok(out_volume(found.map_err(fail)?))
    }

    /// Where the shapes touch, or come within ``margin``: the contact manifold, a few points of each normal, or every one with
    /// ``every``.
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1, 1, 1])
    /// >>> cube.contacts(cube, [0, 0, 1.5]).depth.tolist()
    /// [0.5, 0.5, 0.5, 0.5]
    #[pyo3(signature = (other, pose=None, *, margin=0.0, every=false))]
    fn contacts(
        &self,
        other: &Bound<'_, Self>,
        pose: Option<&Bound<'_, PyAny>>,
        margin: f64,
        every: bool,
    ) -> PyResult<answers::Contacts> {
        let (b, a_from_b) = (other.get(), crate::arrays::pose(pose, "pose")?);
        let margin = checked_margin(margin)?;
        let found = other.py().detach(|| {
            let mut config = config(false);
            let mut manifold = Manifold::default();
            if every {
                config.max_contacts = usize::MAX;
            }
            ContactQuery::new(&self.shape, &b.shape, &config)?.at(&a_from_b, margin, &mut manifold);
            manifold.group();
            Ok(by_patch(&manifold))
        });
        let (points, patches) = found.map_err(|why: impinge::pair::Unsupported| fail(why))?;
        answers::out_contacts(other.py(), &points, patches)
    }

    /// The first contact while the second shape moves from ``start`` to ``end``; none when they do not touch. The motion is
    /// ``straight`` (the origin on a line, the turn about it even) or a ``screw``.
    ///
    /// >>> import impinge
    /// >>> ground = impinge.HalfSpace([0, 0, 1], [0, 0, 0])
    /// >>> round(ground.impact(impinge.Ball(1.0), [0, 0, 5], [0, 0, 0]).time, 6)
    /// 0.8
    #[pyo3(signature = (other, start, end, *, motion="straight"))]
    fn impact(
        &self,
        other: &Bound<'_, Self>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        motion: &str,
    ) -> PyResult<Option<answers::Impact>> {
        let b = other.get();
        let (start, end) = (pose(Some(start), "start")?, pose(Some(end), "end")?);
        let moving = crate::arrays::motion(&start, &end, motion)?;
        let found = ask(other.py(), None, |limits| {
            let mut query = ImpactQuery::new(&self.shape, &b.shape, &config(false))?;
            let still = Motion::still(&Pose::IDENTITY);
            Ok::<_, impinge::pair::Unsupported>(query.during(&still, &moving, limits))
        })?;
        Ok(out_impact(found.map_err(fail)?))
    }

    /// Where a ray first meets the shape, or none.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).cast_ray([0, 0, 5], [0, 0, -2]).t
    /// 2.0
    fn cast_ray(
        &self,
        py: Python<'_>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
    ) -> PyResult<Option<answers::RayHit>> {
        let ray =
            Ray::new(vector(origin, "origin")?, vector(direction, "direction")?).map_err(fail)?;
        let found = py.detach(|| match self.tree() {
            Some(tree) => {
                let cache = &mut SingleTreeCache::default();
                let hit = tree.first_hit(&ray.into(), Limits::default(), cache).value;
                Ok(hit.map(|hit| mesh_hit(tree, &hit, ray.direction())))
            }
            None => self.shape.cast_ray(&ray),
        });
        Ok(found.map_err(fail)?.map(out_ray_hit))
    }

    /// Where a segment first meets the shape, or none; ``t`` is from 0 to 1.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).cast_segment([0, 0, 5], [0, 0, -5]).t
    /// 0.4
    fn cast_segment(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<Option<answers::RayHit>> {
        let (start, end) = (vector(start, "start")?, vector(end, "end")?);
        let found = py.detach(|| self.shape.cast_segment(start, end));
        Ok(found.map_err(fail)?.map(out_ray_hit))
    }

    /// Where a ball of this radius first meets the shape on its way, or none.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).cast_ball(1.0, [0, 0, 5], [0, 5, 5]) is None
    /// True
    fn cast_ball(
        &self,
        py: Python<'_>,
        radius: f64,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<Option<answers::BallHit>> {
        let (start, end) = (vector(start, "start")?, vector(end, "end")?);
        let found = py.detach(|| self.shape.cast_ball(radius, start, end));
        let found = found.map_err(fail)?;
        Ok(found.value.map(|hit| answers::BallHit {
            t: hit.t,
            lower: found.lower,
            upper: found.upper,
            face: hit.face.raw(),
            center: hit.center,
            point: hit.point,
            normal: hit.normal,
        }))
    }

    /// The nearest point of the shape; 0 away from a point inside a convex solid. None when the shape is empty.
    ///
    /// >>> import impinge
    /// >>> impinge.Cuboid([1, 1, 1]).closest_point([3, 0, 0]).distance
    /// 2.0
    fn closest_point(
        &self,
        py: Python<'_>,
        point: &Bound<'_, PyAny>,
    ) -> PyResult<Option<answers::ClosestPoint>> {
        let p = vector(point, "point")?;
        if let Some(tree) = self.tree() {
            let found = py.detach(|| {
                let cache = &mut SingleTreeCache::default();
                tree.closest_face(p, Limits::default(), cache)
            });
            let found = found.map_err(fail)?;
            return Ok(found.value.map(|near| answers::ClosestPoint {
                distance: near.distance,
                lower: found.lower,
                upper: found.upper,
                face: Some(near.face.raw()),
                point: near.point,
                barycentric: near.barycentric.into(),
            }));
        }
        let found = py.detach(|| self.shape.closest_point(p)).map_err(fail)?;
        Ok(found.value.map(|near| answers::ClosestPoint {
            distance: near.distance,
            lower: found.lower,
            upper: found.upper,
            face: None,
            point: near.point_a,
            barycentric: DVec3::NAN,
        }))
    }

    /// Whether the point is in the shape, its boundary included. A mesh must be closed.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).contains([0, 0, 1])
    /// True
    fn contains(&self, py: Python<'_>, point: &Bound<'_, PyAny>) -> PyResult<bool> {
        let p = vector(point, "point")?;
        match self.mesh() {
            Some(mesh) => py.detach(|| mesh.contains(p)).map_err(fail),
            None => py.detach(|| self.shape.contains(p)).map_err(fail),
        }
    }

    /// ``intersects`` for each of many poses, on all cores: a bool array of shape (m,).
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1, 1, 1])
    /// >>> cube.intersects_all(cube, [[1, 0, 0], [3, 0, 0]]).tolist()
    /// [True, False]
    #[pyo3(signature = (other, poses, *, solid=false, threads=None, progress=None))]
    fn intersects_all<'py>(
        &self,
        other: &Bound<'py, Self>,
        poses: &Bound<'py, PyAny>,
        solid: bool,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let how = BatchHow { threads, progress };
        batch::intersects(self, other.get(), poses, solid, &how)
    }

    /// ``distance`` for each of many poses, on all cores.
    ///
    /// >>> import impinge
    /// >>> ball = impinge.Ball(1.0)
    /// >>> ball.distance_all(ball, [[3, 0, 0], [0, 5, 0]]).distance.tolist()
    /// [1.0, 3.0]
    #[pyo3(signature = (other, poses, *, max_distance=None, threads=None, progress=None))]
    fn distance_all<'py>(
        &self,
        other: &Bound<'py, Self>,
        poses: &Bound<'py, PyAny>,
        max_distance: Option<f64>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::Distances> {
        let how = BatchHow { threads, progress };
        batch::distance(self, other.get(), poses, max_distance, &how)
    }

    /// ``penetration`` for each of many poses, on all cores.
    ///
    /// >>> import impinge
    /// >>> ball = impinge.Ball(1.0)
    /// >>> ball.penetration_all(ball, [[1.5, 0, 0], [0, 5, 0]]).depth.tolist()
    /// [0.5, 0.0]
    #[pyo3(signature = (other, poses, *, threads=None, progress=None))]
    fn penetration_all<'py>(
        &self,
        other: &Bound<'py, Self>,
        poses: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::Penetrations> {
        let how = BatchHow { threads, progress };
        batch::penetration(self, other.get(), poses, &how)
    }

    /// ``volume`` for each of many poses, on all cores.
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1, 1, 1])
    /// >>> cube.volume_all(cube, [[1, 1, 1], [0, 5, 0]]).volume.tolist()
    /// [1.0, 0.0]
    #[pyo3(signature = (other, poses, *, threads=None, progress=None))]
    fn volume_all<'py>(
        &self,
        other: &Bound<'py, Self>,
        poses: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::Volumes> {
        let how = BatchHow { threads, progress };
        batch::volume(self, other.get(), poses, &how)
    }

    /// ``impact`` for each of many motions, on all cores: from ``starts[k]`` to ``ends[k]``.
    ///
    /// >>> import impinge
    /// >>> ball = impinge.Ball(1.0)
    /// >>> ball.impact_all(ball, [[4, 0, 0], [9, 0, 0]], [[0, 0, 0], [5, 0, 0]]).time.round(6).tolist()
    /// [0.5, inf]
    #[pyo3(signature = (other, starts, ends, *, motion="straight", threads=None, progress=None))]
    fn impact_all<'py>(
        &self,
        other: &Bound<'py, Self>,
        starts: &Bound<'py, PyAny>,
        ends: &Bound<'py, PyAny>,
        motion: &str,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::Impacts> {
        let how = BatchHow { threads, progress };
        batch::impact(self, other.get(), [starts, ends], motion, &how)
    }

    /// ``cast_ray`` for each of many rays, on all cores. One origin or direction serves for all.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).cast_rays([[0, 0, 5], [0, 9, 5]], [0, 0, -1]).t.tolist()
    /// [4.0, inf]
    #[pyo3(signature = (origins, directions, *, max_distance=None, threads=None, progress=None))]
    fn cast_rays<'py>(
        &self,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        max_distance: Option<f64>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::RayHits> {
        let how = BatchHow { threads, progress };
        batch::cast_rays(self, [origins, directions], max_distance, &how)
    }

    /// ``closest_point`` for each of many points, on all cores.
    ///
    /// >>> import impinge
    /// >>> impinge.Cuboid([1, 1, 1]).closest_points([[3, 0, 0], [0, 0, 2]]).distance.tolist()
    /// [2.0, 1.0]
    #[pyo3(signature = (points, *, max_distance=None, threads=None, progress=None))]
    fn closest_points<'py>(
        &self,
        points: &Bound<'py, PyAny>,
        max_distance: Option<f64>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::ClosestPoints> {
        let how = BatchHow { threads, progress };
        batch::closest_points(self, points, max_distance, &how)
    }

    /// ``contains`` for each of many points, on all cores: a bool array of shape (m,).
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).contains_all([[0, 0, 0], [0, 0, 2]]).tolist()
    /// [True, False]
    #[pyo3(signature = (points, *, threads=None, progress=None))]
    fn contains_all<'py>(
        &self,
        points: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let how = BatchHow { threads, progress };
        batch::contains(self, points, &how)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let count = match &slf.get().shape {
            Shape::Polyhedron(s) => format!("{} vertices", s.vertices().len()),
            Shape::HeightField(s) => {
                let [columns, rows] = s.size();
                format!("{rows} by {columns} heights")
            }
            Shape::Particles(s) => format!("{} points", s.points().len()),
            Shape::Mesh(s) => {
                let (vertices, faces) = (s.mesh().vertex_count(), s.mesh().face_count());
                format!("{vertices} vertices, {faces} faces")
            }
            Shape::Cloud(s) => format!("{} points", s.cloud().len()),
            Shape::Compound(s) => format!("{} shapes", s.children().len()),
            _ => String::new(),
        };
        let name = slf.get_type().name()?;
        match &slf.get().made_of {
            Some(values) if count.is_empty() => {
                let values = values.bind(slf.py()).iter();
                let texts: PyResult<Vec<String>> =
                    values.map(|value| Ok(value.repr()?.to_string())).collect();
                Ok(format!("{name}({})", texts?.join(", ")))
            }
            _ => Ok(format!("<{name} of {count}>")),
        }
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        match &slf.get().made_of {
            Some(values) => Ok((slf.get_type(), values.bind(slf.py()).clone())),
            None => Err(fail(format!("a {} cannot be pickled", slf.get().kind()))),
        }
    }
}
