//! Assemblies and their clashes.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use impinge::Pose;
use impinge::clash::{ClashOptions, ClashRules, InnerPart, Part, find_clashes, rank, unique_names};
use impinge::io::{Assembly, PlacedPart, read_assembly};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::answers;
use crate::arrays::{out_pose, pose};
use crate::error::fail;
use crate::mesh::{PyMesh, mesh_of, read_options};
use crate::run::{BatchHow, batch_left_behind};

/// An assembly of placed meshes, for clash detection.
///
/// >>> import impinge
/// >>> cube = impinge.Cuboid([1, 1, 1]).to_mesh()
/// >>> parts = impinge.Assembly([("left", cube), ("right", cube, [1.5, 0.25, 0]), ("far", cube, [9, 0, 0])])
/// >>> [(clash.name_a, clash.name_b, clash.kind) for clash in parts.clashes()]
/// [('left', 'right', 'crossing')]
#[pyclass(frozen, module = "impinge", name = "Assembly")]
#[derive(Debug)]
pub struct PyAssembly {
    parts: Vec<PlacedPart>,
    meshes: Vec<Py<PyMesh>>,
    refused: Vec<(String, String)>,
    notes: Vec<String>,
}

impl PyAssembly {
    fn of(py: Python<'_>, assembly: Assembly) -> PyResult<Self> {
        let mut meshes: Vec<Py<PyMesh>> = Vec::new();
        let mut known: Vec<(*const impinge::TriMesh, usize)> = Vec::new();
        for (number, part) in assembly.parts.iter().enumerate() {
            // Parts that repeat a mesh share the object and its index.
            let at = Arc::as_ptr(&part.mesh);
            let seen = known
                .iter()
                .find(|(known, _)| *known == at)
                .map(|&(_, k)| k);
            match seen.and_then(|k| meshes.get(k)) {
                Some(mesh) => meshes.push(mesh.clone_ref(py)),
                None => {
                    known.push((at, number));
                    meshes.push(PyMesh::of_shared(py, Arc::clone(&part.mesh))?.unbind());
                }
            }
        }
        let refused = assembly.refused.iter();
        Ok(Self {
            refused: refused
                .map(|part| (part.name.clone(), part.error.to_string()))
                .collect(),
            parts: assembly.parts,
            meshes,
            notes: assembly.notes,
        })
    }
}

#[pymethods]
impl PyAssembly {
    #[new]
    fn new(parts: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = parts.py();
        let (mut placed, mut meshes) = (Vec::new(), Vec::new());
        for (number, part) in parts.try_iter()?.enumerate() {
            let part = part?;
            let what = format!("parts[{number}]");
            let wrong = |_| {
                fail(format!(
                    "{what}: expected (name, mesh) or (name, mesh, pose)"
                ))
            };
            let part = part.cast::<PyTuple>().map_err(|_| wrong(()))?;
            let name: String = part
                .get_item(0)
                .and_then(|x| x.extract())
                .map_err(|_| wrong(()))?;
            let mesh = part.get_item(1).map_err(|_| wrong(()))?;
            let mesh = mesh.cast_into::<PyMesh>().map_err(|_| wrong(()))?;
            let at = match part.get_item(2) {
                Ok(given) if !given.is_none() => pose(Some(&given), &what)?,
                _ => Pose::IDENTITY,
            };
            placed.push(PlacedPart {
                name,
                mesh: Arc::clone(mesh_of(mesh.as_super())?.mesh()),
                world_from_part: at,
            });
            meshes.push(mesh.unbind());
        }
        let _ = py;
        Ok(Self {
            parts: placed,
            meshes,
            refused: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// The assembly in a file. Parts that are damaged are left out and listed in ``refused``.
    ///
    /// >>> import impinge
    /// >>> impinge.Assembly.open("no such file.glb")
    /// Traceback (most recent call last):
    /// ...
    /// impinge.Error: no such file.glb: No such file or directory (os error 2)
    #[staticmethod]
    #[pyo3(signature = (path, *, scale=1.0, unit=None))]
    fn open(py: Python<'_>, path: PathBuf, scale: f64, unit: Option<&str>) -> PyResult<Self> {
        let options = read_options(scale, unit)?;
        let assembly = py.detach(|| read_assembly(path, &options)).map_err(fail)?;
        Self::of(py, assembly)
    }

    /// The names of the parts.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.parts.iter().map(|part| part.name.as_str()).collect()
    }

    /// The meshes of the parts; parts that repeat a mesh hold the same object.
    #[getter]
    fn meshes(&self, py: Python<'_>) -> Vec<Py<PyMesh>> {
        self.meshes.iter().map(|mesh| mesh.clone_ref(py)).collect()
    }

    /// Where the parts stand, as an (n, 4, 4) array.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArray3<f64>>> {
        let poses: Vec<Pose> = self.parts.iter().map(|part| part.world_from_part).collect();
        crate::arrays::out_poses(py, &poses)
    }

    /// Parts of the file that are damaged: their names and why.
    #[getter]
    fn refused(&self) -> Vec<(String, String)> {
        self.refused.clone()
    }

    /// What was skipped or guessed while reading, one sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// All pairs of parts that collide or are closer than ``clearance``, the most severe first. Overlaps up to ``tolerance``
    /// count as touching. ``rules`` is the text of a rule file, which can exclude parts by glob patterns. Ctrl-C stops the search.
    #[pyo3(signature = (*, clearance=None, tolerance=0.0, rules=None, threads=None, progress=None))]
    fn clashes<'py>(
        &self,
        py: Python<'py>,
        clearance: Option<f64>,
        tolerance: f64,
        rules: Option<&str>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<answers::Clash>> {
        let names = unique_names(self.parts.iter().map(|part| part.name.as_str()));
        let rules = rules.map(ClashRules::parse).transpose().map_err(fail)?;
        let filter = rules.map(|rules| rules.filter(names.iter().map(String::as_str)));
        let each = self.parts.iter();
        let parts: Vec<Part> = each
            .map(|part| Part {
                name: part.name.clone(),
                mesh: Arc::clone(&part.mesh),
                world_from_part: part.world_from_part,
            })
            .collect();
        let options = ClashOptions {
            clearance,
            tolerance,
            ..ClashOptions::default()
        };
        let how = BatchHow { threads, progress };
        let found = batch_left_behind(py, &how, 100, move |state| {
            let accepts = |a: u32, b: u32| filter.as_ref().is_none_or(|f| f.accepts(a, b));
            let (mut clashes, mut told) = (Vec::new(), 0);
            let mut go_on = |now: &impinge::clash::ClashProgress| {
                // In hundredths: how many pairs there are is known only once it runs.
                let part = now.pairs_done * 100 / now.pairs.max(1);
                state.add(part - told);
                told = part;
                if state.is_stopped() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let _ = find_clashes(&parts, &accepts, &options, &mut go_on, &mut clashes)?;
            rank(&mut clashes);
            Ok(clashes)
        })?;
        let found = found.map_err(|why: impinge::clash::ClashError| fail(why))?;
        let name = |part: u32| {
            let part = self.parts.get(part as usize);
            part.map_or_else(String::new, |part| part.name.clone())
        };
        Ok(found
            .into_iter()
            .map(|clash| answers::Clash {
                a: clash.a,
                b: clash.b,
                name_a: name(clash.a),
                name_b: name(clash.b),
                kind: clash.kind.name().to_owned(),
                depth: clash.depth.map(|depth| (depth.lower, depth.upper)),
                distance: clash.distance,
                inner: clash.inner.map(|inner| {
                    let word = match inner {
                        InnerPart::A => "a",
                        InnerPart::B => "b",
                        InnerPart::Pieces => "pieces",
                    };
                    word.to_owned()
                }),
                point_a: clash.points[0],
                point_b: clash.points[1],
            })
            .collect())
    }

    /// The part at a place: ``(name, mesh, pose)``.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<(String, Py<PyMesh>, Bound<'py, PyArray2<f64>>)> {
        match (self.parts.get(index), self.meshes.get(index)) {
            (Some(part), Some(mesh)) => Ok((
                part.name.clone(),
                mesh.clone_ref(py),
                out_pose(py, &part.world_from_part)?,
            )),
            _ => Err(pyo3::exceptions::PyIndexError::new_err(index)),
        }
    }

    fn __len__(&self) -> usize {
        self.parts.len()
    }

    fn __repr__(&self) -> String {
        format!("<Assembly of {} parts>", self.parts.len())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let this = slf.get();
        let parts: PyResult<Vec<_>> = (0..this.parts.len())
            .map(|k| this.__getitem__(py, k))
            .collect();
        let list = PyList::new(py, parts?)?;
        Ok((slf.get_type(), PyTuple::new(py, [list])?))
    }
}
