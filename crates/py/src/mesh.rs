//! Triangle meshes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use impinge::bvh::wide::{
    ClosestFace, RayOrSegment, SelfIntersectOptions, SingleTreeCache, WideCache, WideTree,
    WindingIndex,
};
use impinge::bvh::{InsideGrid, MeshIndex};
use impinge::io::{Model, ReadOptions, Unit, WriteOptions, write};
use impinge::mesh::face_normal;
use impinge::mesh::point_in_mesh::Location;
use impinge::pair::{MeshShape, Shape};
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Mesh, TriMesh};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answers;
use crate::arrays::{out_points, out_rows, points, rays};
use crate::batch::LINE_RUN;
use crate::blocks::{ClosestSearch, block_size, each_in_blocks, order_of_points, put};
use crate::error::fail;
use crate::run::{BatchHow, ask, batch, each, each_of};
use crate::shape::{PyShape, checked_distance};

/// A triangle mesh: ``(n, 3)`` vertices and ``(m, 3)`` faces, copied and checked once. Indexes are built when first needed, and
/// pickled with the mesh.
///
/// A mesh is its surface: one inside another does not meet it. ``penetration``, ``volume`` and ``contains`` are about
/// solids and need a closed mesh.
///
/// >>> import impinge
/// >>> tip = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
/// >>> tip
/// <Mesh of 4 vertices, 4 faces>
/// >>> tip.intersects(tip, [0.25, 0.25, 0.5]), tip.intersects(tip, [0.25, 0.25, 0.5000000000000001])
/// (True, False)
#[pyclass(extends = PyShape, frozen, subclass, module = "impinge", name = "Mesh")]
pub struct PyMesh {
    vertices: PyOnceLock<Py<PyArray2<f64>>>,
    faces: PyOnceLock<Py<PyArray2<u32>>>,
}

impl std::fmt::Debug for PyMesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PyMesh")
    }
}

fn initializer(shape: PyShape) -> PyClassInitializer<PyMesh> {
    PyClassInitializer::from(shape).add_subclass(PyMesh {
        vertices: PyOnceLock::new(),
        faces: PyOnceLock::new(),
    })
}

impl PyMesh {
    pub(crate) fn of(py: Python<'_>, mesh: TriMesh) -> PyResult<Bound<'_, Self>> {
        Self::of_shared(py, Arc::new(mesh))
    }

    pub(crate) fn of_shared(py: Python<'_>, mesh: Arc<TriMesh>) -> PyResult<Bound<'_, Self>> {
        Bound::new(py, initializer(Shape::from(mesh).into()))
    }
}

/// The mesh behind the object.
pub(crate) fn mesh_of<'a>(shape: &'a Bound<'_, PyShape>) -> PyResult<&'a Arc<MeshShape>> {
    match &shape.get().shape {
        Shape::Mesh(mesh) => Ok(mesh),
        other => Err(fail(format!(
            "expected a mesh, found a {}",
            other.kind().name()
        ))),
    }
}

/// The index of a mesh.
pub(crate) fn tree_of<'a>(shape: &'a Bound<'_, PyShape>) -> PyResult<&'a Arc<WideTree>> {
    let kind = shape.get().shape.kind().name();
    shape
        .get()
        .tree()
        .ok_or_else(|| fail(format!("expected a mesh, found a {kind}")))
}

pub(crate) fn unit_named(name: &str) -> PyResult<Unit> {
    let found = Unit::ALL.into_iter().find(|unit| unit.symbol() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = Unit::ALL.into_iter().map(Unit::symbol).collect();
        fail(format!(
            "unit: expected one of {}, found '{name}'",
            names.join(", ")
        ))
    })
}

pub(crate) fn read_options(scale: f64, unit: Option<&str>) -> PyResult<ReadOptions> {
    Ok(ReadOptions {
        scale,
        units: unit.map(unit_named).transpose()?,
        ..ReadOptions::default()
    })
}

pub(crate) fn out_pairs(
    py: Python<'_>,
    mut pairs: Vec<FacePair>,
) -> PyResult<Bound<'_, PyArray2<u32>>> {
    pairs.sort_unstable();
    out_rows(
        py,
        pairs
            .iter()
            .map(|pair| [pair.a.raw(), pair.b.raw()])
            .collect(),
    )
}

#[pymethods]
impl PyMesh {
    #[new]
    fn new(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let positions = points(vertices, "vertices")?;
        let faces = crate::arrays::faces(faces, "faces")?;
        let mesh = py.detach(|| TriMesh::new(positions, faces)).map_err(fail)?;
        Ok(initializer(Shape::from(mesh).into()))
    }

    /// The mesh in a file: OBJ, STL, PLY, OFF, 3MF, glTF or GLB, each also gzipped. All parts of the file are one mesh. With ``unit``
    /// (``um``, ``mm``, ``cm``, ``m``, ``in``, ``ft``) coordinates become metres.
    ///
    /// >>> import impinge
    /// >>> impinge.Mesh.open("no such file.obj")
    /// Traceback (most recent call last):
    /// ...
    /// impinge.Error: no such file.obj: No such file or directory (os error 2)
    #[classmethod]
    #[pyo3(signature = (path, *, scale=1.0, unit=None))]
    fn open<'py>(
        _class: &Bound<'py, PyType>,
        py: Python<'py>,
        path: PathBuf,
        scale: f64,
        unit: Option<&str>,
    ) -> PyResult<Bound<'py, Self>> {
        let options = read_options(scale, unit)?;
        let mesh = py
            .detach(|| Mesh::open_with(path, &options))
            .map_err(fail)?;
        Self::of_shared(py, Arc::clone(mesh.tri_mesh()))
    }

    /// Writes the mesh; the file extension selects the format: obj, stl, ply, off, glb, each also with .gz.
    fn save(slf: &Bound<'_, Self>, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mesh = mesh_of(slf.as_super())?.mesh().as_ref().clone();
        py.detach(|| write(path, &Model::from(mesh), &WriteOptions::default()))
            .map_err(fail)
    }

    /// The vertices, of shape (n, 3); not writeable.
    #[getter]
    fn vertices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let py = slf.py();
        let made = slf.get().vertices.get_or_try_init(py, || {
            let mesh = mesh_of(slf.as_super())?.mesh();
            let array = out_points(py, mesh.positions().iter().copied())?;
            array.call_method1("setflags", (false,))?;
            Ok::<_, PyErr>(array.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// The faces, of shape (m, 3); not writeable.
    #[getter]
    fn faces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let py = slf.py();
        let made = slf.get().faces.get_or_try_init(py, || {
            let array = out_rows(py, mesh_of(slf.as_super())?.mesh().faces().to_vec())?;
            array.call_method1("setflags", (false,))?;
            Ok::<_, PyErr>(array.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// Whether it has an inside: every edge has an even number of faces.
    #[getter]
    fn is_closed(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        let mesh = mesh_of(slf.as_super())?;
        Ok(py.detach(|| mesh.is_closed()))
    }

    /// Builds the index now, and returns its size in bytes.
    ///
    /// >>> import impinge
    /// >>> impinge.generate("icosphere").build_index() > 0
    /// True
    fn build_index(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<usize> {
        let shape = slf.as_super().get();
        py.detach(|| shape_tree_bytes(shape))
            .ok_or_else(|| fail("expected a mesh"))
    }

    /// Volume, area, centroid and inertia of the solid at density 1.
    fn mass(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<answers::Mass> {
        let mesh = mesh_of(slf.as_super())?.mesh();
        let mass = py.detach(|| impinge::mesh::mass(mesh)).map_err(fail)?;
        let rows = mass.inertia.transpose();
        Ok(answers::Mass {
            volume: mass.volume,
            area: mass.area,
            inertia: [rows.x_axis, rows.y_axis, rows.z_axis]
                .into_iter()
                .map(|row| row.to_array().to_vec())
                .collect(),
            centroid: mass.centroid,
        })
    }

    /// Findings of the mesh, the most severe first.
    ///
    /// >>> import impinge
    /// >>> impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).findings()[0].kind
    /// 'hole'
    fn findings(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<Vec<answers::Finding>> {
        let mesh = mesh_of(slf.as_super())?.mesh();
        let found = py.detach(|| mesh.findings());
        Ok(found
            .into_iter()
            .map(|finding| answers::Finding {
                kind: finding.kind.name().to_owned(),
                severity: format!("{:?}", finding.severity).to_lowercase(),
                message: finding.to_string(),
            })
            .collect())
    }

    /// The mesh with vertices joined that are no farther apart than ``distance``; faces keep their numbers.
    #[pyo3(signature = (distance=0.0))]
    fn welded<'py>(slf: &Bound<'py, Self>, distance: f64) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let mesh = Mesh::from(Arc::clone(mesh_of(slf.as_super())?));
        let welded = py.detach(|| mesh.welded_within(distance)).map_err(fail)?;
        Self::of_shared(py, Arc::clone(welded.tri_mesh()))
    }

    /// The mesh moved by a pose.
    fn placed<'py>(slf: &Bound<'py, Self>, pose: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let at = crate::arrays::pose(Some(pose), "pose")?;
        let moved = mesh_of(slf.as_super())?.mesh().placed(&at).map_err(fail)?;
        Self::of(slf.py(), moved)
    }

    /// Every two faces of two meshes that share a point, each pair once, exact: sorted rows of face numbers, of shape (k, 2).
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    /// >>> cube.intersections(cube, [1.5, 0.25, 0.5]).shape[1]
    /// 2
    #[pyo3(signature = (other, pose=None))]
    fn intersections<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, Self>,
        pose: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let py = slf.py();
        let (a, b) = (slf.as_super().get(), other.as_super().get());
        let at = crate::arrays::pose(pose, "pose")?;
        let pairs = ask(py, None, |limits| {
            let mut pairs = Vec::new();
            if let (Some(a), Some(b)) = (a.tree(), b.tree()) {
                let _ = a.intersections(b, &at, limits, &mut WideCache::default(), &mut pairs);
            }
            pairs
        })?;
        out_pairs(py, pairs)
    }

    /// ``intersections`` for each of many poses, on all cores: a list of arrays of shape (k, 2).
    #[pyo3(signature = (other, poses, *, threads=None, progress=None))]
    fn intersections_all<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, Self>,
        poses: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyArray2<u32>>>> {
        let py = slf.py();
        let (a, b) = (slf.as_super().get(), other.as_super().get());
        let placed = crate::arrays::poses(poses, "poses")?;
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, placed.len(), |state| {
            let (Some(a), Some(b)) = (a.tree(), b.tree()) else {
                return Err("expected meshes");
            };
            let make = || Ok(WideCache::default());
            each(state, &placed, make, |cache, pose, limits| {
                let mut pairs = Vec::new();
                let _ = a.intersections(b, pose, limits, cache, &mut pairs);
                Ok(pairs)
            })
        })?;
        let found = found.map_err(fail)?;
        found
            .into_iter()
            .map(|pairs| out_pairs(py, pairs))
            .collect()
    }

    /// Where the mesh crosses itself, beyond what neighbours share: sorted rows of face numbers, of shape (k, 2).
    ///
    /// >>> import impinge
    /// >>> len(impinge.generate("icosphere").self_intersections())
    /// 0
    fn self_intersections<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let py = slf.py();
        let a = slf.as_super().get();
        let pairs = ask(py, None, |limits| {
            let (mut pairs, options) = (Vec::new(), SelfIntersectOptions::default());
            if let Some(tree) = a.tree() {
                let cache = &mut WideCache::default();
                let _ = tree.self_intersections(&options, limits, cache, &mut pairs);
            }
            pairs
        })?;
        out_pairs(py, pairs)
    }

    /// Every hit of many rays, on all cores. Faces that share the edge or corner which a ray meets are each reported.
    ///
    /// >>> import impinge
    /// >>> ball = impinge.generate("icosphere")
    /// >>> len(ball.all_hits([[0.1, 0.2, 9]], [0, 0, -1]))
    /// 2
    #[pyo3(signature = (origins, directions, *, max_distance=None, threads=None, progress=None))]
    fn all_hits<'py>(
        slf: &Bound<'py, Self>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        max_distance: Option<f64>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::AllRayHits> {
        let (py, a) = (slf.py(), slf.as_super().get());
        let rays = rays(origins, directions)?;
        let max_distance = checked_distance(max_distance)?;
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, rays.len(), |state| {
            let Some(tree) = a.tree() else {
                return Err("expected a mesh");
            };
            let make = || Ok(SingleTreeCache::default());
            each_of(state, &rays, LINE_RUN, make, |cache, ray, _| {
                let limits = Limits {
                    max_distance,
                    ..Limits::default()
                };
                let mut hits = Vec::new();
                let _ = tree.hits(&RayOrSegment::from(*ray), limits, cache, &mut hits);
                hits.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.face.cmp(&y.face)));
                Ok(hits)
            })
        })?;
        let found = found.map_err(fail)?;
        let each = || {
            let rays = found.iter().enumerate();
            rays.flat_map(|(ray, hits)| hits.iter().map(move |hit| (ray as i64, hit)))
        };
        Ok(answers::AllRayHits {
            ray: answers::out_list(py, each().map(|(ray, _)| ray)),
            face: answers::out_list(py, each().map(|(_, hit)| i64::from(hit.face.raw()))),
            t: answers::out_list(py, each().map(|(_, hit)| hit.t)),
            point: answers::out_list3(py, each().map(|(_, hit)| hit.point))?,
            barycentric: answers::out_table(py, each().map(|(_, hit)| hit.barycentric).collect())?,
        })
    }

    /// The distance of many points from the surface, negative inside the solid, on all cores: an array of shape (m,).
    ///
    /// >>> import impinge
    /// >>> impinge.Cuboid([1, 1, 1]).to_mesh().signed_distances([[0, 0, 0], [0, 0, 3]]).tolist()
    /// [-1.0, 2.0]
    #[pyo3(signature = (points, *, threads=None, progress=None))]
    fn signed_distances<'py>(
        slf: &Bound<'py, Self>,
        points: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let py = slf.py();
        let asked = crate::arrays::points(points, "points")?;
        let mesh = Mesh::from(Arc::clone(mesh_of(slf.as_super())?));
        let solid = mesh.solid().map_err(fail)?;
        let tree = tree_of(slf.as_super())?;
        let how = BatchHow { threads, progress };
        let mut signed = vec![0.0; asked.len()];
        let found = batch(py, &how, asked.len(), |state| {
            let order = |number| order_of_points(&asked, number);
            let grid = InsideGrid::new(&solid, asked.len());
            let rows: Vec<&mut [f64]> = signed.chunks_mut(block_size(asked.len())).collect();
            let make = ClosestSearch::default;
            each_in_blocks(
                state,
                asked.len(),
                rows,
                order,
                make,
                |search, block, row, item| {
                    let Some(&p) = asked.get(item) else {
                        return Ok(());
                    };
                    let near = search.ask(tree, p, None).map_err(|why| why.to_string())?;
                    let distance = near.map_or(f64::INFINITY, |near| near.distance);
                    let place = match &grid {
                        Some(grid) => grid.locate_with(p, &mut search.cache),
                        None => solid.locate_with(p, &mut search.cache),
                    };
                    let value = match place.map_err(|why| why.to_string())? {
                        Location::Inside => -distance,
                        Location::OnBoundary => 0.0,
                        Location::Outside => distance,
                    };
                    put(block, row, value);
                    Ok(())
                },
            )
        })?;
        found.map_err(|why: String| fail(why))?;
        Ok(PyArray1::from_vec(py, signed))
    }

    /// How often the surface winds around each of many points, on all cores; also for open meshes. About 1 inside, 0 outside.
    ///
    /// >>> import impinge
    /// >>> impinge.Cuboid([1, 1, 1]).to_mesh().winding_numbers([[0, 0, 0], [0, 0, 3]]).round(6) == [1, 0]
    /// array([ True,  True])
    #[pyo3(signature = (points, *, tolerance=1e-9, threads=None, progress=None))]
    fn winding_numbers<'py>(
        slf: &Bound<'py, Self>,
        points: &Bound<'py, PyAny>,
        tolerance: f64,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let py = slf.py();
        let asked = crate::arrays::points(points, "points")?;
        let tree = tree_of(slf.as_super())?;
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, asked.len(), |state| {
            let index = WindingIndex::new(tree);
            let make = || Ok(SingleTreeCache::default());
            each_of(state, &asked, LINE_RUN, make, |cache, p, limits| {
                let turns = index.winding_number(*p, tolerance, limits, cache);
                Ok(turns.map_err(|why| why.to_string())?.value)
            })
        })?;
        Ok(PyArray1::from_vec(
            py,
            found.map_err(|why: String| fail(why))?,
        ))
    }

    /// ``closest_points``, and of faces whose distances differ by at most ``tolerance`` the one that faces the point most, as other
    /// libraries choose.
    #[pyo3(signature = (points, *, tolerance=1e-8, threads=None, progress=None))]
    fn closest_facing<'py>(
        slf: &Bound<'py, Self>,
        points: &Bound<'py, PyAny>,
        tolerance: f64,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<answers::ClosestPoints> {
        let py = slf.py();
        let asked = crate::arrays::points(points, "points")?;
        let tree = tree_of(slf.as_super())?;
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, asked.len(), |state| {
            let make = || Ok((SingleTreeCache::default(), Vec::<ClosestFace>::new()));
            each_of(state, &asked, LINE_RUN, make, |(cache, all), p, _| {
                let near = tree.closest_face(*p, Limits::default(), cache);
                let Some(first) = near.map_err(|why| why.to_string())?.value else {
                    return Ok(None);
                };
                all.clear();
                let reach = first.distance + tolerance.max(0.0);
                let within = tree.faces_within(*p, reach, Limits::default(), cache, all);
                let _ = within.map_err(|why| why.to_string())?;
                let facing = |face: &ClosestFace| {
                    let normal = face_normal(tree.mesh(), face.face).unwrap_or_default();
                    normal.dot((*p - face.point).normalize_or_zero())
                };
                let best = all.iter().max_by(|x, y| {
                    let order = facing(x).total_cmp(&facing(y));
                    order
                        .then_with(|| y.distance.total_cmp(&x.distance))
                        .then(y.face.cmp(&x.face))
                });
                Ok(Some(*best.unwrap_or(&first)))
            })
        })?;
        let found = found.map_err(|why: String| fail(why))?;
        let point = found
            .iter()
            .map(|near| near.map_or(DVec3::NAN, |near| near.point));
        let weights = found
            .iter()
            .map(|near| near.map_or([f64::NAN; 3], |near| near.barycentric));
        let faces = found
            .iter()
            .map(|near| near.map_or(-1, |near| i64::from(near.face.raw())));
        let far = found
            .iter()
            .map(|near| near.map_or(f64::INFINITY, |near| near.distance));
        Ok(answers::ClosestPoints {
            distance: answers::out_list(py, far),
            face: answers::out_list(py, faces),
            point: answers::out_list3(py, point)?,
            barycentric: answers::out_table(py, weights.collect())?,
        })
    }

    /// The faces within a distance of each of many points, on all cores: a list of sorted arrays of face numbers.
    ///
    /// >>> import impinge
    /// >>> [len(faces) for faces in impinge.Cuboid([1, 1, 1]).to_mesh().faces_within([[0, 0, 2], [0, 0, 9]], 1.0)]
    /// [2, 0]
    #[pyo3(signature = (points, distance, *, threads=None, progress=None))]
    fn faces_within<'py>(
        slf: &Bound<'py, Self>,
        points: &Bound<'py, PyAny>,
        distance: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<i64>>>> {
        let py = slf.py();
        let asked = crate::arrays::points(points, "points")?;
        let reach = match distance.extract::<f64>() {
            Ok(one) => vec![one; asked.len()],
            Err(_) => crate::arrays::numbers(distance, "distance")?,
        };
        if reach.len() != asked.len() {
            let (points, distances) = (asked.len(), reach.len());
            return Err(fail(format!("{points} points but {distances} distances")));
        }
        let both: Vec<(DVec3, f64)> = asked.into_iter().zip(reach).collect();
        let tree = tree_of(slf.as_super())?;
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, both.len(), |state| {
            let make = || Ok(SingleTreeCache::default());
            each_of(state, &both, LINE_RUN, make, |cache, (p, reach), _| {
                let mut all: Vec<ClosestFace> = Vec::new();
                let within = tree.faces_within(*p, *reach, Limits::default(), cache, &mut all);
                let _ = within.map_err(|why| why.to_string())?;
                let mut faces: Vec<i64> = all.iter().map(|f| i64::from(f.face.raw())).collect();
                faces.sort_unstable();
                Ok(faces)
            })
        })?;
        let found = found.map_err(|why: String| fail(why))?;
        Ok(found
            .into_iter()
            .map(|faces| PyArray1::from_vec(py, faces))
            .collect())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let shape = slf.as_super().get();
        let index = match (shape.indexed.load(Ordering::Relaxed), &shape.loaded) {
            (false, None) => None,
            _ => {
                let mut bytes = Vec::new();
                if let Some(tree) = shape.tree() {
                    tree.save(&mut bytes)?;
                }
                Some(PyBytes::new(py, &bytes))
            }
        };
        let values = (Self::vertices(slf)?, Self::faces(slf)?, index);
        Ok((
            slf.get_type().getattr("_restore")?,
            values.into_pyobject(py)?,
        ))
    }

    /// A mesh from what was pickled.
    #[staticmethod]
    fn _restore<'py>(
        py: Python<'py>,
        vertices: &Bound<'py, PyAny>,
        faces: &Bound<'py, PyAny>,
        index: Option<&[u8]>,
    ) -> PyResult<Bound<'py, Self>> {
        let positions = points(vertices, "vertices")?;
        let faces = crate::arrays::faces(faces, "faces")?;
        let shape = py.detach(|| {
            let mesh = Arc::new(TriMesh::new(positions, faces).map_err(|why| why.to_string())?);
            let tree = index.map(|bytes| WideTree::load(Arc::clone(&mesh), bytes));
            let tree = tree.transpose().map_err(|why| why.to_string())?;
            let shape = Shape::from(mesh);
            Ok(PyShape {
                shape,
                indexed: AtomicBool::new(tree.is_some()),
                loaded: tree.map(Arc::new),
                made_of: None,
            })
        });
        Bound::new(py, initializer(shape.map_err(|why: String| fail(why))?))
    }
}

fn shape_tree_bytes(shape: &PyShape) -> Option<usize> {
    Some(shape.tree()?.bytes())
}
