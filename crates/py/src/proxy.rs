//! The god-object: a point or ball that follows a device and never passes through a mesh.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use impinge::DVec3;
use impinge_dynamics::friction::{Friction, FrictionState};
use impinge_dynamics::proxy::{BodyId, GodObject, ProxyScene, ProxyStep as Step};
use impinge_dynamics::shading::VertexNormals;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::answers::{answer, arrays, out_list, out_list3};
use crate::arrays::{out_pose, out_vector, points, pose, vector};
use crate::error::fail;
use crate::mesh::{PyMesh, mesh_of, tree_of};
use crate::run::ask;

answer!(
    /// One tick of a god-object: where the ``proxy`` is, the ``force`` on the device, and the
    /// ``contacts``, at most three, as ``(body, face, normal, push)`` with the push in metres.
    /// ``held`` says that the proxy was kept in place, ``crossed`` that bodies left it no room,
    /// ``sliding`` that it slips against friction.
    ///
    /// >>> import impinge, impinge.dynamics
    /// >>> proxy = impinge.dynamics.GodObject(impinge.dynamics.ProxyScene(), [0, 0, 0], stiffness=100.0)
    /// >>> proxy.update([0, 0, 1]).contacts
    /// []
    "impinge.dynamics" ProxyStep {
        contacts: Vec<(usize, u32, [f64; 3], f64)>, sweeps: usize, held: bool, crossed: bool, sliding: bool; proxy, force
    }
);

arrays!(
    /// Many ticks of a god-object: ``proxy`` and ``force`` of shape (m, 3); ``contacts`` (how
    /// many), ``held``, ``crossed`` and ``sliding`` of shape (m,).
    "impinge.dynamics" ProxyPath { proxy, force, contacts, held, crossed, sliding }
);

/// Placed meshes for a god-object to touch.
///
/// >>> import impinge, impinge.dynamics
/// >>> scene = impinge.dynamics.ProxyScene()
/// >>> scene.add(impinge.generate("icosphere"), [0, 0, 2], friction=(0.5, 0.3), smooth=True)
/// 0
/// >>> scene
/// <ProxyScene of 1 bodies>
#[pyclass(frozen, module = "impinge.dynamics", name = "ProxyScene")]
#[derive(Debug)]
pub struct PyProxyScene {
    scene: Mutex<ProxyScene>,
}

impl PyProxyScene {
    fn held(&self) -> MutexGuard<'_, ProxyScene> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn body_of(scene: &ProxyScene, body: usize) -> Result<BodyId, String> {
    let found = scene.body_id(body);
    found.ok_or_else(|| format!("the scene has no body {body}"))
}

#[pymethods]
impl PyProxyScene {
    #[new]
    fn new() -> Self {
        Self {
            scene: Mutex::new(ProxyScene::new()),
        }
    }

    /// Adds a mesh and returns its number. ``friction`` is the static and the dynamic coefficient;
    /// a ``smooth`` body is felt with interpolated normals.
    #[pyo3(signature = (mesh, pose=None, *, friction=None, smooth=false))]
    fn add(
        &self,
        py: Python<'_>,
        mesh: &Bound<'_, PyMesh>,
        pose: Option<&Bound<'_, PyAny>>,
        friction: Option<(f64, f64)>,
        smooth: bool,
    ) -> PyResult<usize> {
        let at = crate::arrays::pose(pose, "pose")?;
        let friction = friction
            .map(|(stick, slide)| Friction::coulomb(stick, slide))
            .transpose()
            .map_err(fail)?;
        let (shape, tree) = (mesh_of(mesh.as_super())?, tree_of(mesh.as_super())?);
        let added = py.detach(|| {
            let normals = smooth.then(|| Arc::new(VertexNormals::new(shape.mesh())));
            let mut scene = self.held();
            let body = scene.add(Arc::clone(tree), at)?;
            if let Some(friction) = friction {
                scene.set_friction(body, friction)?;
            }
            scene.set_shading(body, normals)?;
            Ok(body.index())
        });
        added.map_err(|why: impinge_dynamics::proxy::SceneError| fail(why))
    }

    /// Where a body is, as a (4, 4) matrix.
    fn pose<'py>(&self, py: Python<'py>, body: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let found = py.detach(|| {
            let scene = self.held();
            let id = body_of(&scene, body)?;
            Ok(scene.pose(id).unwrap_or_default())
        });
        out_pose(py, &found.map_err(|why: String| fail(why))?)
    }

    /// Moves a body. A proxy that rests on it is carried along, others are pushed away, at their
    /// next update.
    fn set_pose(&self, py: Python<'_>, body: usize, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let at = self::pose(Some(pose), "pose")?;
        let moved = py.detach(|| {
            let mut scene = self.held();
            let id = body_of(&scene, body)?;
            scene.set_pose(id, at).map_err(|why| why.to_string())
        });
        moved.map_err(|why: String| fail(why))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.held().body_count())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<ProxyScene of {} bodies>", self.__len__(py))
    }
}

/// A proxy that follows a device's point and never passes through a mesh, however thin or fast: the
/// god-object of Zilles and Salisbury. The force is ``stiffness`` (N/m) times the way from the
/// device to the proxy. With a ``radius`` the proxy is a ball. ``offset`` is how far it stays above
/// faces.
///
/// >>> import impinge, impinge.dynamics
/// >>> scene = impinge.dynamics.ProxyScene()
/// >>> floor = scene.add(impinge.Cuboid([1, 1, 0.5]).to_mesh(), [0, 0, -0.5])
/// >>> proxy = impinge.dynamics.GodObject(scene, [0.1, 0.2, 0.5], stiffness=1000.0)
/// >>> step = proxy.update([0.1, 0.2, -0.01])
/// >>> step.force.round(1).tolist(), [contact[0] for contact in step.contacts]
/// ([0.0, 0.0, 10.0], [0])
#[pyclass(frozen, module = "impinge.dynamics", name = "GodObject")]
#[derive(Debug)]
pub struct PyGodObject {
    /// The scene that it feels.
    #[pyo3(get)]
    scene: Py<PyProxyScene>,
    god_object: Mutex<GodObject>,
}

impl PyGodObject {
    fn held(&self) -> MutexGuard<'_, GodObject> {
        self.god_object
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn checked_duration(duration: f64) -> PyResult<f64> {
    if duration > 0.0 && duration.is_finite() {
        Ok(duration)
    } else {
        Err(fail(format!(
            "duration must be finite and positive, found {duration}"
        )))
    }
}

fn out_step(step: &Step) -> ProxyStep {
    let contacts = step.contacts().iter().map(|contact| {
        let normal = contact.plane.normal.to_array();
        (
            contact.body.index(),
            contact.face.raw(),
            normal,
            contact.push,
        )
    });
    ProxyStep {
        contacts: contacts.collect(),
        sweeps: step.sweeps,
        held: step.held,
        crossed: step.crossed,
        sliding: step.friction == FrictionState::Slip,
        proxy: step.proxy,
        force: step.force,
    }
}

#[pymethods]
impl PyGodObject {
    #[new]
    #[pyo3(signature = (scene, start, *, stiffness, radius=None, offset=None))]
    fn new(
        py: Python<'_>,
        scene: Bound<'_, PyProxyScene>,
        start: &Bound<'_, PyAny>,
        stiffness: f64,
        radius: Option<f64>,
        offset: Option<f64>,
    ) -> PyResult<Self> {
        let start = vector(start, "start")?;
        let held = scene.get();
        let made = py.detach(|| {
            let mut scene = held.held();
            let mut made = GodObject::new(&mut scene, stiffness, start)?;
            if let Some(offset) = offset {
                made = made.with_offset(offset)?;
            }
            match radius {
                Some(radius) => made.with_radius(&mut scene, radius),
                None => Ok(made),
            }
        });
        Ok(Self {
            god_object: Mutex::new(made.map_err(fail)?),
            scene: scene.unbind(),
        })
    }

    /// Moves the proxy towards the device's point, ``duration`` seconds after the last update. A
    /// target that is not finite holds the proxy and gives no force, as when a device fails.
    #[pyo3(signature = (target, duration=0.001))]
    fn update(
        &self,
        py: Python<'_>,
        target: &Bound<'_, PyAny>,
        duration: f64,
    ) -> PyResult<ProxyStep> {
        let (target, duration) = (vector(target, "target")?, checked_duration(duration)?);
        let scene = self.scene.get();
        let step = py.detach(|| {
            let mut god_object = self.held();
            god_object.update(&mut scene.held(), target, duration)
        });
        Ok(out_step(&step))
    }

    /// ``update`` for each of many points in order, ``duration`` seconds apart.
    ///
    /// >>> import impinge, impinge.dynamics
    /// >>> proxy = impinge.dynamics.GodObject(impinge.dynamics.ProxyScene(), [0, 0, 0], stiffness=100.0)
    /// >>> proxy.follow([[0, 0, 1], [0, 0, 2]]).proxy.tolist()
    /// [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]
    #[pyo3(signature = (targets, duration=0.001))]
    fn follow(
        &self,
        py: Python<'_>,
        targets: &Bound<'_, PyAny>,
        duration: f64,
    ) -> PyResult<ProxyPath> {
        let (targets, duration) = (points(targets, "targets")?, checked_duration(duration)?);
        let scene = self.scene.get();
        let steps = ask(py, None, |limits| {
            let (mut god_object, mut scene) = (self.held(), scene.held());
            let mut steps: Vec<Step> = Vec::with_capacity(targets.len());
            for target in targets {
                if limits.stop.is_some_and(|stop| stop()) {
                    break;
                }
                steps.push(god_object.update(&mut scene, target, duration));
            }
            steps
        })?;
        let each = || steps.iter();
        let sliding = each().map(|step| step.friction == FrictionState::Slip);
        Ok(ProxyPath {
            proxy: out_list3(py, each().map(|step| step.proxy))?,
            force: out_list3(py, each().map(|step| step.force))?,
            contacts: out_list(py, each().map(|step| step.contacts().len() as i64)),
            held: out_list(py, each().map(|step| step.held)),
            crossed: out_list(py, each().map(|step| step.crossed)),
            sliding: out_list(py, sliding),
        })
    }

    /// Where the proxy is.
    #[getter]
    fn proxy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let at: DVec3 = py.detach(|| self.held().proxy());
        out_vector(py, at)
    }

    /// The stiffness of its spring, in newtons per metre.
    #[getter]
    fn stiffness(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.held().stiffness())
    }

    /// How far it stays above faces, in metres.
    #[getter]
    fn offset(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.held().offset())
    }

    /// Its radius in metres; 0 for a point.
    #[getter]
    fn radius(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.held().radius())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (at, stiffness) = py.detach(|| {
            let held = self.held();
            (held.proxy(), held.stiffness())
        });
        let DVec3 { x, y, z } = at;
        format!("<GodObject at [{x:?}, {y:?}, {z:?}], {stiffness} N/m>")
    }
}
