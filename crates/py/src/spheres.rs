//! Spheres that fill or cover a solid, and inner sphere trees over them.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use impinge::DVec3;
use impinge::spheres::{
    CoverOptions, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid,
    PackOptions, SolidBall, cover, pack_with,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::answers::{arrays, out_list, out_list3};
use crate::arrays::{numbers, points};
use crate::error::fail;
use crate::mesh::{PyMesh, tree_of};
use crate::run::{BatchHow, BatchState, ask, batch, batch_left_behind, each};

/// Balls of centres and radii.
pub(crate) fn balls_of(centers: &[DVec3], radii: &[f64]) -> PyResult<Vec<SolidBall>> {
    if centers.len() != radii.len() {
        let (centers, radii) = (centers.len(), radii.len());
        return Err(fail(format!("{centers} centers but {radii} radii")));
    }
    let both = centers.iter().zip(radii);
    Ok(both
        .map(|(&center, &radius)| SolidBall { center, radius })
        .collect())
}

arrays!(
    /// Spheres: ``centers`` of shape (n, 3), ``radii`` of shape (n,).
    Spheres { centers, radii }
);

fn out_spheres(py: Python<'_>, balls: &[SolidBall]) -> PyResult<Spheres> {
    Ok(Spheres {
        centers: out_list3(py, balls.iter().map(|ball| ball.center))?,
        radii: out_list(py, balls.iter().map(|ball| ball.radius)),
    })
}

/// Fills a closed mesh with disjoint spheres, the largest first, until there are ``count``, or a part ``fill`` of the volume is
/// filled, or the next would be smaller than ``min_radius``. The same spheres for the same seed.
///
/// >>> import impinge
/// >>> len(impinge.pack(impinge.Cuboid([1, 1, 1]).to_mesh(), count=20))
/// 20
#[pyfunction]
#[pyo3(signature = (mesh, *, count=None, fill=None, min_radius=None, seed=0, progress=None))]
pub(crate) fn pack<'py>(
    py: Python<'py>,
    mesh: &Bound<'py, PyMesh>,
    count: Option<usize>,
    fill: Option<f64>,
    min_radius: Option<f64>,
    seed: u64,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Spheres> {
    let tree = Arc::clone(tree_of(mesh.as_super())?);
    let count = match (count, fill, min_radius) {
        (None, None, None) => Some(1000),
        _ => count,
    };
    let options = PackOptions {
        count,
        fill,
        min_radius,
        seed,
        ..PackOptions::default()
    };
    let how = BatchHow {
        threads: None,
        progress,
    };
    let packing = batch_left_behind(py, &how, count.unwrap_or(0), move |state| {
        let solid = MeshSolid::new(&tree).map_err(|why| why.to_string())?;
        let mut told = 0;
        let packing = pack_with(&solid, &options, &mut |now| {
            state.add(now.count.saturating_sub(told));
            told = now.count;
            go_on(state)
        });
        packing.map_err(|why| why.to_string())
    })?;
    out_spheres(py, &packing.map_err(|why: String| fail(why))?.balls)
}

fn go_on(state: &BatchState) -> ControlFlow<()> {
    if state.is_stopped() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Covers a closed mesh with ``count`` spheres that together contain it.
///
/// >>> import impinge
/// >>> spheres = impinge.cover_with_spheres(impinge.Cuboid([1, 1, 1]).to_mesh(), count=8)
/// >>> len(spheres)
/// 8
#[pyfunction]
#[pyo3(signature = (mesh, *, count=64))]
pub(crate) fn cover_with_spheres(
    py: Python<'_>,
    mesh: &Bound<'_, PyMesh>,
    count: usize,
) -> PyResult<Spheres> {
    let tree = Arc::clone(tree_of(mesh.as_super())?);
    let options = CoverOptions {
        count,
        ..CoverOptions::default()
    };
    let found = batch_left_behind(py, &BatchHow::default(), count, move |_| {
        let solid = MeshSolid::new(&tree).map_err(|why| why.to_string())?;
        cover(&solid, &options).map_err(|why| why.to_string())
    })?;
    out_spheres(py, &found.map_err(|why: String| fail(why))?.balls)
}

arrays!(
    /// Shared volume of two sphere packings for many poses: ``volume``, ``lower``, ``upper`` of shape (m,),
    /// ``centroid`` of shape (m, 3).
    SphereOverlaps { volume, lower, upper, centroid }
);

/// An inner sphere tree: distance and shared volume of solids that are filled with spheres, at a bounded cost.
///
/// >>> import impinge
/// >>> cube = impinge.Cuboid([1, 1, 1]).to_mesh()
/// >>> tree = impinge.SphereTree.of_mesh(cube, count=200)
/// >>> 2.9 < tree.distance(tree, [5, 0, 0])[1] < 3.5
/// True
#[pyclass(frozen, module = "impinge", name = "SphereTree")]
#[derive(Debug)]
pub struct PySphereTree {
    pub(crate) tree: Arc<InnerSphereTree>,
    cache: Mutex<InnerSphereTreeCache>,
}

impl From<InnerSphereTree> for PySphereTree {
    fn from(tree: InnerSphereTree) -> Self {
        Self {
            tree: Arc::new(tree),
            cache: Mutex::default(),
        }
    }
}

#[pymethods]
impl PySphereTree {
    #[new]
    fn new(py: Python<'_>, centers: &Bound<'_, PyAny>, radii: &Bound<'_, PyAny>) -> PyResult<Self> {
        let balls = balls_of(&points(centers, "centers")?, &numbers(radii, "radii")?)?;
        let options = InnerSphereTreeOptions::default();
        let tree = py.detach(|| InnerSphereTree::new(&balls, &options));
        Ok(tree.map_err(fail)?.into())
    }

    /// The tree over a packing of a closed mesh; it also stores the surface, so that its bounds hold for the solid.
    #[staticmethod]
    #[pyo3(signature = (mesh, *, count=1000, seed=0, progress=None))]
    fn of_mesh<'py>(
        py: Python<'py>,
        mesh: &Bound<'py, PyMesh>,
        count: usize,
        seed: u64,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let tree = Arc::clone(tree_of(mesh.as_super())?);
        let options = PackOptions {
            count: Some(count),
            seed,
            ..PackOptions::default()
        };
        let how = BatchHow {
            threads: None,
            progress,
        };
        let made = batch_left_behind(py, &how, count, move |state| {
            let solid = MeshSolid::new(&tree).map_err(|why| why.to_string())?;
            let packing = pack_with(&solid, &options, &mut |_| go_on(state));
            let packing = packing.map_err(|why| why.to_string())?;
            let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default());
            Ok(tree.map_err(|why| why.to_string())?.with_surface(&solid))
        })?;
        Ok(made.map_err(|why: String| fail(why))?.into())
    }

    /// The spheres.
    #[getter]
    fn spheres(&self, py: Python<'_>) -> PyResult<Spheres> {
        out_spheres(py, self.tree.balls())
    }

    /// Bounds of the distance of the solids: ``(lower, upper)``; none when a tree is empty.
    #[pyo3(signature = (other, pose=None))]
    fn distance(
        &self,
        other: &Bound<'_, Self>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(f64, f64)>> {
        let (b, at) = (other.get(), crate::arrays::pose(pose, "pose")?);
        let found = ask(other.py(), None, |limits| {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            self.tree.distance(&b.tree, &at, limits, &mut cache)
        })?;
        Ok(found.map(|gap| (gap.lower, gap.upper)))
    }

    /// The volume that the solids share: ``(value, lower, upper, centroid)``.
    #[pyo3(signature = (other, pose=None))]
    fn volume<'py>(
        &self,
        other: &Bound<'py, Self>,
        pose: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(f64, f64, f64, Bound<'py, numpy::PyArray1<f64>>)> {
        let (b, at) = (other.get(), crate::arrays::pose(pose, "pose")?);
        let found = ask(other.py(), None, |limits| {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            self.tree.overlap(&b.tree, &at, limits, &mut cache)
        })?;
        let centroid = crate::arrays::out_vector(other.py(), found.centroid);
        Ok((found.value, found.lower, found.upper, centroid))
    }

    /// ``volume`` for each of many poses, on all cores.
    #[pyo3(signature = (other, poses, *, threads=None, progress=None))]
    fn volume_all<'py>(
        &self,
        other: &Bound<'py, Self>,
        poses: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<SphereOverlaps> {
        let py = other.py();
        let (b, placed) = (other.get(), crate::arrays::poses(poses, "poses")?);
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, placed.len(), |state| {
            let make = || Ok::<_, String>(InnerSphereTreeCache::default());
            each(state, &placed, make, |cache, pose, limits| {
                Ok(self.tree.overlap(&b.tree, pose, limits, cache))
            })
        })?;
        let found = found.map_err(fail)?;
        Ok(SphereOverlaps {
            volume: out_list(py, found.iter().map(|common| common.value)),
            lower: out_list(py, found.iter().map(|common| common.lower)),
            upper: out_list(py, found.iter().map(|common| common.upper)),
            centroid: out_list3(py, found.iter().map(|common| common.centroid))?,
        })
    }

    fn __len__(&self) -> usize {
        self.tree.balls().len()
    }

    fn __repr__(&self) -> String {
        format!("<SphereTree of {} spheres>", self.tree.balls().len())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let mut bytes = Vec::new();
        slf.get().tree.save(&mut bytes)?;
        let py = slf.py();
        let values = PyTuple::new(py, [PyBytes::new(py, &bytes)])?;
        Ok((slf.get_type().getattr("_restore")?, values))
    }

    #[staticmethod]
    fn _restore(bytes: &[u8]) -> PyResult<Self> {
        Ok(InnerSphereTree::load(bytes).map_err(fail)?.into())
    }
}
