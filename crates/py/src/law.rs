//! Contact laws: the wrench that drives a tool out of a solid.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use impinge::query::{Limits, Outcome};
use impinge::spheres::InnerSphereTree;
use impinge::volume::VolumeIndex;
use impinge::voxmap::{Pointshell, Voxmap};
use impinge::{Mesh, Pose};
use impinge_dynamics::QuantityError;
use impinge_dynamics::law::{
    BudgetedSphereLaw, ConeLaw, ContactLaw, ContactResponse as Response, DepthLaw, ExactVolumeLaw,
    VoxmapLaw,
};
use pyo3::PyClass;
use pyo3::prelude::*;

use crate::answers::{answer, arrays, out_list, out_list3};
use crate::arrays::{pose, poses};
use crate::error::fail;
use crate::mesh::{PyMesh, mesh_of};
use crate::run::{BatchHow, RUN, ask, batch, batch_left_behind, each_of};
use crate::spheres::PySphereTree;

answer!(
    /// What a contact law says at a pose: ``force`` and ``torque`` on the tool, in world axes, the
    /// torque about the tool's origin; an estimate of the ``stiffness`` along the force, 0 when
    /// nothing is known; whether the law was evaluated completely.
    ///
    /// >>> import impinge, impinge.dynamics
    /// >>> cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    /// >>> law = impinge.dynamics.DepthLaw(cube, cube, stiffness=100.0)
    /// >>> law.at([5, 0, 0])
    /// ContactResponse(stiffness=0.0, complete=True, force=[0.0, 0.0, 0.0], torque=[0.0, 0.0, 0.0])
    "impinge.dynamics" ContactResponse { stiffness: f64, complete: bool; force, torque }
);

arrays!(
    /// What a contact law says at many poses: ``force`` and ``torque`` of shape (m, 3),
    /// ``complete`` (bool) of shape (m,).
    "impinge.dynamics" ContactResponses { force, torque, complete }
);

/// What a law is made of. A law has state, so that every run of a batch makes its own.
enum LawParts {
    ExactVolume {
        solid: Arc<VolumeIndex>,
        tool: Arc<VolumeIndex>,
        pressure: f64,
    },
    Cone {
        solid: Arc<InnerSphereTree>,
        tool: Arc<InnerSphereTree>,
        stiffness: f64,
    },
    BudgetedSphere {
        solid: Arc<InnerSphereTree>,
        tool: Arc<InnerSphereTree>,
        pressure: f64,
        tests: u64,
    },
    Voxmap {
        map: Arc<Voxmap>,
        shell: Arc<Pointshell>,
        stiffness: f64,
    },
    Depth {
        solid: Mesh,
        tool: Mesh,
        stiffness: f64,
    },
}

type BoxedLaw = Box<dyn ContactLaw + Send>;

impl LawParts {
    fn make(&self, at: Pose) -> Result<BoxedLaw, QuantityError> {
        Ok(match self {
            Self::ExactVolume {
                solid,
                tool,
                pressure,
            } => {
                let law = ExactVolumeLaw::new(Arc::clone(solid), at, Arc::clone(tool), *pressure);
                Box::new(law?)
            }
            Self::Cone {
                solid,
                tool,
                stiffness,
            } => {
                let law = ConeLaw::new(Arc::clone(solid), at, Arc::clone(tool), *stiffness);
                Box::new(law?)
            }
            Self::BudgetedSphere {
                solid,
                tool,
                pressure,
                tests,
            } => {
                let (solid, tool) = (Arc::clone(solid), Arc::clone(tool));
                Box::new(BudgetedSphereLaw::new(solid, at, tool, *pressure, *tests)?)
            }
            Self::Voxmap {
                map,
                shell,
                stiffness,
            } => {
                let law = VoxmapLaw::new(Arc::clone(map), at, Arc::clone(shell), *stiffness);
                Box::new(law?)
            }
            Self::Depth {
                solid,
                tool,
                stiffness,
            } => Box::new(OwnedDepthLaw::new(solid, at, tool, *stiffness)?),
        })
    }

    /// How many poses in order share a law. The threshold of a budgeted law follows its work, so
    /// that it takes all.
    fn run(&self, poses: usize) -> usize {
        match self {
            Self::BudgetedSphere { .. } => poses.max(1),
            _ => RUN,
        }
    }
}

/// A depth law that owns its meshes: the library's borrows them.
struct OwnedDepthLaw {
    solid: Mesh,
    world_from_solid: Pose,
    tool: Mesh,
    stiffness: f64,
}

impl OwnedDepthLaw {
    fn new(solid: &Mesh, at: Pose, tool: &Mesh, stiffness: f64) -> Result<Self, QuantityError> {
        let law = Self {
            solid: solid.clone(),
            world_from_solid: at,
            tool: tool.clone(),
            stiffness,
        };
        // Refuses a bad stiffness now.
        law.borrowed().transpose()?;
        Ok(law)
    }

    /// None for a mesh that is not closed, which the constructor in Python refuses.
    fn borrowed(&self) -> Option<Result<DepthLaw<'_>, QuantityError>> {
        let (solid, tool) = (self.solid.solid().ok()?, self.tool.solid().ok()?);
        let at = self.world_from_solid;
        Some(DepthLaw::new(solid, at, tool, self.stiffness))
    }
}

impl ContactLaw for OwnedDepthLaw {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> Response {
        match self.borrowed() {
            Some(Ok(mut law)) => law.at(world_from_tool, limits),
            _ => Response {
                outcome: Outcome::OutOfBudget,
                ..Response::NONE
            },
        }
    }
}

/// A contact law: the force and torque that drive a tool out of a solid. All laws have the same
/// methods and differ in what the force grows with: ``ExactVolumeLaw``, ``ConeLaw``,
/// ``BudgetedSphereLaw``, ``VoxmapLaw``, ``DepthLaw``. Units are metres and newtons.
#[pyclass(subclass, frozen, module = "impinge.dynamics", name = "ContactLaw")]
pub struct PyContactLaw {
    parts: LawParts,
    world_from_solid: Pose,
    live: Mutex<BoxedLaw>,
}

impl fmt::Debug for PyContactLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PyContactLaw")
    }
}

impl PyContactLaw {
    fn new(parts: LawParts, solid_pose: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let world_from_solid = pose(solid_pose, "solid_pose")?;
        let live = parts.make(world_from_solid).map_err(fail)?;
        Ok(Self {
            parts,
            world_from_solid,
            live: Mutex::new(live),
        })
    }

    fn text(&self, name: &str) -> String {
        match &self.parts {
            LawParts::ExactVolume { pressure, .. } => format!("<{name}, {pressure} N/m²>"),
            LawParts::Cone { stiffness, .. } => format!("<{name}, {stiffness} N/m³>"),
            LawParts::BudgetedSphere {
                pressure, tests, ..
            } => format!("<{name}, {pressure} N/m², {tests} tests>"),
            LawParts::Voxmap { stiffness, .. } | LawParts::Depth { stiffness, .. } => {
                format!("<{name}, {stiffness} N/m>")
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, BoxedLaw> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyContactLaw {
    /// The response of the tool at a pose in the world. The law remembers the last pose: the
    /// stiffness is estimated from two forces, and a budgeted law learns what it can afford.
    fn at(&self, py: Python<'_>, pose: &Bound<'_, PyAny>) -> PyResult<ContactResponse> {
        let at = crate::arrays::pose(Some(pose), "pose")?;
        let found = ask(py, None, |limits| self.held().at(&at, limits))?;
        Ok(ContactResponse {
            stiffness: found.stiffness,
            complete: found.outcome == Outcome::Complete,
            force: found.wrench.force,
            torque: found.wrench.torque,
        })
    }

    /// The responses at many poses, on all cores, by laws that remember nothing from before. A
    /// budgeted law takes the poses in order, on one core.
    #[pyo3(signature = (poses, *, threads=None, progress=None))]
    fn at_all<'py>(
        &self,
        py: Python<'py>,
        poses: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<ContactResponses> {
        let placed = self::poses(poses, "poses")?;
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, placed.len(), |state| {
            let make = || self.parts.make(self.world_from_solid);
            let run = self.parts.run(placed.len());
            each_of(state, &placed, run, make, |law, pose, limits| {
                Ok(law.at(pose, limits))
            })
        })?;
        let found = found.map_err(fail)?;
        let complete = found.iter().map(|one| one.outcome == Outcome::Complete);
        Ok(ContactResponses {
            force: out_list3(py, found.iter().map(|one| one.wrench.force))?,
            torque: out_list3(py, found.iter().map(|one| one.wrench.torque))?,
            complete: out_list(py, complete),
        })
    }
}

fn made<L>(
    law: L,
    parts: LawParts,
    solid_pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyClassInitializer<L>>
where
    L: PyClass<BaseType = PyContactLaw>,
{
    let base = PyContactLaw::new(parts, solid_pose)?;
    Ok(PyClassInitializer::from(base).add_subclass(law))
}

fn volume_index(py: Python<'_>, mesh: &Bound<'_, PyMesh>) -> PyResult<Arc<VolumeIndex>> {
    let mesh = mesh_of(mesh.as_super())?;
    let index = py.detach(|| mesh.volume().map(Arc::clone));
    index.map_err(fail)
}

fn closed_mesh(mesh: &Bound<'_, PyMesh>, which: &str) -> PyResult<Mesh> {
    let mesh = Mesh::from(Arc::clone(mesh_of(mesh.as_super())?));
    let closed = mesh.solid().map(|_| ());
    closed.map_err(|why| fail(format!("{which}: {why}")))?;
    Ok(mesh)
}

/// The force is ``pressure`` (N/m²) times the area of contact: the gradient of the exact volume
/// that tool and solid share. Both are closed meshes; ``solid_pose`` places the solid in the world.
///
/// >>> import impinge, impinge.dynamics
/// >>> table, tool = impinge.Cuboid([1, 1, 1]).to_mesh(), impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh()
/// >>> law = impinge.dynamics.ExactVolumeLaw(table, tool, pressure=10.0)
/// >>> law.at([1.25, 0, 0]).force.round(9).tolist()
/// [10.0, 0.0, 0.0]
#[pyclass(extends = PyContactLaw, frozen, module = "impinge.dynamics", name = "ExactVolumeLaw")]
#[derive(Debug)]
pub struct PyExactVolumeLaw;

#[pymethods]
impl PyExactVolumeLaw {
    #[new]
    #[pyo3(signature = (solid, tool, *, pressure, solid_pose=None))]
    fn new(
        py: Python<'_>,
        solid: &Bound<'_, PyMesh>,
        tool: &Bound<'_, PyMesh>,
        pressure: f64,
        solid_pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let parts = LawParts::ExactVolume {
            solid: volume_index(py, solid)?,
            tool: volume_index(py, tool)?,
            pressure,
        };
        made(Self, parts, solid_pose)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().text("ExactVolumeLaw")
    }
}

/// The force points along the normal cones of overlapping spheres, ``stiffness`` newtons for each
/// cubic metre of overlap: the default for detailed solids. Solid and tool are sphere trees.
///
/// >>> import impinge, impinge.dynamics
/// >>> ball = impinge.SphereTree([[0, 0, 0]], [1.0])
/// >>> law = impinge.dynamics.ConeLaw(ball, ball, stiffness=100.0)
/// >>> (law.at([0, 1.5, 0]).force > 0).tolist()
/// [False, True, False]
#[pyclass(extends = PyContactLaw, frozen, module = "impinge.dynamics", name = "ConeLaw")]
#[derive(Debug)]
pub struct PyConeLaw;

#[pymethods]
impl PyConeLaw {
    #[new]
    #[pyo3(signature = (solid, tool, *, stiffness, solid_pose=None))]
    fn new(
        solid: &Bound<'_, PySphereTree>,
        tool: &Bound<'_, PySphereTree>,
        stiffness: f64,
        solid_pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let parts = LawParts::Cone {
            solid: Arc::clone(&solid.get().tree),
            tool: Arc::clone(&tool.get().tree),
            stiffness,
        };
        made(Self, parts, solid_pose)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().text("ConeLaw")
    }
}

/// As ``ExactVolumeLaw`` for two sphere trees, with about ``tests`` comparisons of spheres a call:
/// for a tick of bounded time. ``complete`` is false while it leaves small spheres out.
///
/// >>> import impinge, impinge.dynamics
/// >>> ball = impinge.SphereTree([[0, 0, 0]], [1.0])
/// >>> law = impinge.dynamics.BudgetedSphereLaw(ball, ball, pressure=100.0, tests=500)
/// >>> (law.at([0, 1.5, 0]).force > 0).tolist()
/// [False, True, False]
#[pyclass(extends = PyContactLaw, frozen, module = "impinge.dynamics", name = "BudgetedSphereLaw")]
#[derive(Debug)]
pub struct PyBudgetedSphereLaw;

#[pymethods]
impl PyBudgetedSphereLaw {
    #[new]
    #[pyo3(signature = (solid, tool, *, pressure, tests=2000, solid_pose=None))]
    fn new(
        solid: &Bound<'_, PySphereTree>,
        tool: &Bound<'_, PySphereTree>,
        pressure: f64,
        tests: u64,
        solid_pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let parts = LawParts::BudgetedSphere {
            solid: Arc::clone(&solid.get().tree),
            tool: Arc::clone(&tool.get().tree),
            pressure,
            tests,
        };
        made(Self, parts, solid_pose)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().text("BudgetedSphereLaw")
    }
}

/// Voxmap-PointShell: each surface point of the tool is pushed out of the voxels of the solid,
/// ``stiffness`` newtons for each metre that it is deep. Both are closed meshes, cut into
/// ``resolution`` voxels along their longest sides.
///
/// >>> import impinge, impinge.dynamics
/// >>> cube = impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh()
/// >>> law = impinge.dynamics.VoxmapLaw(cube, cube, stiffness=1.0, resolution=20)
/// >>> bool(law.at([0, 0.9, 0]).force[1] > 0)
/// True
#[pyclass(extends = PyContactLaw, frozen, module = "impinge.dynamics", name = "VoxmapLaw")]
#[derive(Debug)]
pub struct PyVoxmapLaw;

#[pymethods]
impl PyVoxmapLaw {
    #[new]
    #[pyo3(signature = (solid, tool, *, stiffness, resolution=64, solid_pose=None))]
    fn new(
        py: Python<'_>,
        solid: &Bound<'_, PyMesh>,
        tool: &Bound<'_, PyMesh>,
        stiffness: f64,
        resolution: u32,
        solid_pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let solid = Arc::clone(mesh_of(solid.as_super())?);
        let tool = Arc::clone(mesh_of(tool.as_super())?);
        let voxels = batch_left_behind(py, &BatchHow::default(), 1, move |_| {
            let map = Voxmap::new(solid.mesh(), resolution);
            let shell = Pointshell::new(tool.mesh(), resolution);
            let map = map.map_err(|why| format!("solid: {why}"))?;
            Ok((map, shell.map_err(|why| format!("tool: {why}"))?))
        })?;
        let (map, shell) = voxels.map_err(|why: String| fail(why))?;
        let parts = LawParts::Voxmap {
            map: Arc::new(map),
            shell: Arc::new(shell),
            stiffness,
        };
        made(Self, parts, solid_pose)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().text("VoxmapLaw")
    }
}

/// The force is ``stiffness`` (N/m) times the depth of the deepest point, towards the nearest
/// surface point: for tools that touch in one place. Both are closed meshes.
///
/// >>> import impinge, impinge.dynamics
/// >>> table = impinge.Cuboid([1, 1, 1]).to_mesh()
/// >>> tip = impinge.Polyhedron([[-1, 0, 0], [1, 1, 0], [1, -1, 1], [1, 0, -1]]).to_mesh()
/// >>> law = impinge.dynamics.DepthLaw(table, tip, stiffness=100.0)
/// >>> round(float(law.at([1.9, 0.2, 0.1]).force[0]), 3)
/// 10.0
#[pyclass(extends = PyContactLaw, frozen, module = "impinge.dynamics", name = "DepthLaw")]
#[derive(Debug)]
pub struct PyDepthLaw;

#[pymethods]
impl PyDepthLaw {
    #[new]
    #[pyo3(signature = (solid, tool, *, stiffness, solid_pose=None))]
    fn new(
        solid: &Bound<'_, PyMesh>,
        tool: &Bound<'_, PyMesh>,
        stiffness: f64,
        solid_pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let parts = LawParts::Depth {
            solid: closed_mesh(solid, "solid")?,
            tool: closed_mesh(tool, "tool")?,
            stiffness,
        };
        made(Self, parts, solid_pose)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().text("DepthLaw")
    }
}
