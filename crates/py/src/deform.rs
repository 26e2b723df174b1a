//! Deforming scenes.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use impinge::TriMesh;
use impinge::deform::step::{ContactFeatures, StepOptions, StepQuery};
use impinge::deform::{PairKind, Scene, SceneEngine, SceneRequest, scene_engines};
use impinge::query::FaceId;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::answers::{arrays, out_list, out_table};
use crate::arrays::{out_points, out_rows, points};
use crate::error::fail;
use crate::mesh::{PyMesh, mesh_of};
use crate::run::{BatchHow, batch};

arrays!(
    /// Faces of a scene that meet: ``faces`` of shape (k, 2), and ``within`` (bool, both of one object) of shape (k,).
    ScenePairs { faces, within }
);

arrays!(
    /// Impacts of a step, in the order of time: ``lower`` and ``upper`` bracket the time from 0 to 1; ``edges`` (bool) marks an edge
    /// that meets an edge from a vertex that meets a face; ``vertices`` of shape (k, 4) are the two edges, or the vertex and the
    /// three of the face; ``within`` (bool) is of one object.
    StepImpacts { lower, upper, edges, vertices, within }
);

struct Held {
    scene: Scene,
    engine: Box<dyn SceneEngine>,
    query: StepQuery,
}

/// A scene whose vertices move on their own: cloth, skin, breaking things. Reports which faces intersect, within one object too, and what
/// touches what between two frames.
///
/// >>> import impinge
/// >>> sheet = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
/// >>> scene = impinge.Scene([sheet, sheet.placed([0.2, 0.2, 1])])
/// >>> end = scene.positions
/// >>> end[3:, 2] = -1
/// >>> impacts = scene.step(end)
/// >>> len(scene.pairs()), len(impacts) > 0, round(float(impacts.upper[0]), 6)
/// (0, True, 0.5)
#[pyclass(frozen, module = "impinge", name = "Scene")]
pub struct PyScene {
    held: Mutex<Held>,
}

impl fmt::Debug for PyScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PyScene")
    }
}

impl PyScene {
    fn with<R>(&self, f: impl FnOnce(&mut Held) -> R) -> R {
        f(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl PyScene {
    #[new]
    #[pyo3(signature = (meshes, *, engine="auto"))]
    fn new(meshes: Vec<Bound<'_, PyMesh>>, engine: &str) -> PyResult<Self> {
        let Some(kind) = scene_engines().iter().find(|kind| kind.name == engine) else {
            let names: Vec<&str> = scene_engines().iter().map(|kind| kind.name).collect();
            return Err(fail(format!(
                "engine: expected one of {}, found '{engine}'",
                names.join(", ")
            )));
        };
        let meshes: Vec<TriMesh> = meshes
            .iter()
            .map(|mesh| Ok(mesh_of(mesh.as_super())?.mesh().as_ref().clone()))
            .collect::<PyResult<_>>()?;
        let scene = Scene::new(&meshes).map_err(fail)?;
        Ok(Self {
            held: Mutex::new(Held {
                scene,
                engine: (kind.make)(),
                query: StepQuery::default(),
            }),
        })
    }

    /// Where the vertices are, those of all meshes in order, of shape (n, 3): a copy.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = py.detach(|| self.with(|held| held.scene.positions().to_vec()));
        out_points(py, positions)
    }

    /// The faces of all meshes in order, of shape (m, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let faces = py.detach(|| self.with(|held| held.scene.faces().to_vec()));
        out_rows(py, faces)
    }

    /// The mesh of each face, of shape (m,).
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let objects = py.detach(|| self.with(|held| held.scene.objects_of_faces().to_vec()));
        PyArray1::from_vec(py, objects)
    }

    /// Moves the vertices; a frame that is refused leaves the scene as it was.
    fn advance(&self, py: Python<'_>, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let frame = points(positions, "positions")?;
        py.detach(|| self.with(|held| held.scene.advance(&frame)))
            .map_err(fail)
    }

    /// Every two faces that meet now, neighbours only beyond what they share; exact and sorted.
    #[pyo3(signature = (*, within=true, between=true))]
    fn pairs(&self, py: Python<'_>, within: bool, between: bool) -> PyResult<ScenePairs> {
        let request = SceneRequest {
            within,
            between,
            ..SceneRequest::default()
        };
        let answer = batch(py, &BatchHow::default(), 1, |_| {
            self.with(|held| held.engine.pairs(&held.scene, &request))
        })?;
        let rows = answer.pairs.iter().map(|pair| [pair.a.raw(), pair.b.raw()]);
        let kinds = answer
            .pairs
            .iter()
            .map(|pair| pair.kind == PairKind::Within);
        Ok(ScenePairs {
            faces: out_table(py, rows.collect())?,
            within: out_list(py, kinds),
        })
    }

    /// Everything that touches while the vertices move on straight lines to ``end``: exact, in the order of time. The scene stays
    /// where it is; ``advance`` moves it.
    #[pyo3(signature = (end, *, within=true, between=true))]
    fn step(
        &self,
        py: Python<'_>,
        end: &Bound<'_, PyAny>,
        within: bool,
        between: bool,
    ) -> PyResult<StepImpacts> {
        let end = points(end, "end")?;
        let options = StepOptions {
            within,
            between,
            ..StepOptions::default()
        };
        let answer = batch(py, &BatchHow::default(), 1, |_| {
            self.with(|held| {
                let answer = held.query.step(&held.scene, &end, &options)?;
                let corners = |face: FaceId| {
                    let faces = held.scene.faces();
                    faces.get(face.index()).copied().unwrap_or_default()
                };
                let rows: Vec<[u32; 4]> = answer
                    .impacts
                    .iter()
                    .map(|impact| match impact.features {
                        ContactFeatures::VertexFace { vertex, face } => {
                            let [a, b, c] = corners(face);
                            [vertex.raw(), a, b, c]
                        }
                        ContactFeatures::EdgeEdge { a, b } => {
                            [a[0].raw(), a[1].raw(), b[0].raw(), b[1].raw()]
                        }
                    })
                    .collect();
                Ok((answer, rows))
            })
        })?;
        let (answer, rows) = answer.map_err(|why: impinge::deform::FrameError| fail(why))?;
        let each = || answer.impacts.iter();
        let is_edge =
            |features: &ContactFeatures| matches!(features, ContactFeatures::EdgeEdge { .. });
        Ok(StepImpacts {
            lower: out_list(py, each().map(|impact| impact.when.lower)),
            upper: out_list(py, each().map(|impact| impact.when.upper)),
            edges: out_list(py, each().map(|impact| is_edge(&impact.features))),
            vertices: out_table(py, rows)?,
            within: out_list(py, each().map(|impact| impact.kind == PairKind::Within)),
        })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (vertices, faces) = py
            .detach(|| self.with(|held| (held.scene.positions().len(), held.scene.faces().len())));
        format!("<Scene of {vertices} vertices, {faces} faces>")
    }
}
