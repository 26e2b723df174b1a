//! `World`: many moving shapes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use impinge::broad::ObjectId;
use impinge::geom::Ray;
use impinge::world::{Body, Class, Event, EventKind, EventMask, World};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::answers::{self, out_ray_hit};
use crate::arrays::{out_pose, rays, vector};
use crate::batch::LINE_RUN;
use crate::error::fail;
use crate::run::{BatchHow, batch};
use crate::shape::PyShape;

/// The number of an object in Python: slot and generation, so that the number of a removed object is never that of another.
fn number(id: ObjectId) -> u64 {
    u64::from(id.generation()) << 32 | u64::from(id.slot())
}

fn id(number: u64) -> ObjectId {
    ObjectId::new(number as u32, (number >> 32) as u32)
}

/// An event of a step of a world: two objects.
#[pyclass(frozen, module = "impinge", name = "Event")]
#[derive(Debug)]
pub struct PyEvent {
    /// ``overlap-begin``, ``contact-begin``, ``touching``, ``contacts``, ``closer``, ``contact-end`` or ``overlap-end``.
    #[pyo3(get)]
    kind: &'static str,
    /// The first object.
    #[pyo3(get)]
    a: u64,
    /// The second object.
    #[pyo3(get)]
    b: u64,
    /// Whether the pair was not there in the step before.
    #[pyo3(get)]
    is_new: bool,
    /// The contact points of a ``contacts`` event, in the world.
    #[pyo3(get)]
    contacts: Option<Py<answers::Contacts>>,
    /// The distance of a ``closer`` event.
    #[pyo3(get)]
    distance: Option<Py<answers::Distance>>,
}

#[pymethods]
impl PyEvent {
    fn __repr__(&self) -> String {
        format!("Event('{}', {}, {})", self.kind, self.a, self.b)
    }
}

/// Many shapes that move: what begins to touch, touches, parts, comes near; rays, balls and shapes against all of them.
///
/// >>> import impinge
/// >>> world = impinge.World(events=["contact-begin", "contact-end"])
/// >>> ball = world.add(impinge.Ball(1.0), [0, 0, 5])
/// >>> ground = world.add(impinge.HalfSpace([0, 0, 1], [0, 0, 0]), static=True)
/// >>> for height in (5, 0.5, 5):
/// ...     world.set_pose(ball, [0, 0, height])
/// ...     print([event.kind for event in world.step()])
/// []
/// ['contact-begin']
/// ['contact-end']
#[pyclass(frozen, module = "impinge", name = "World")]
#[derive(Debug)]
pub struct PyWorld {
    world: Mutex<World>,
}

impl PyWorld {
    fn held(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn mask(names: &[String], closer_than: Option<f64>) -> PyResult<EventMask> {
    let mut mask = EventMask::NOTHING;
    for name in names {
        let Some(named) = EventMask::from_name(name) else {
            return Err(fail(format!(
                "events: expected overlap-begin, overlap-end, contact-begin, contact-end, touching or contacts, found '{name}'"
            )));
        };
        mask = mask | named;
    }
    match closer_than {
        Some(distance) => Ok(mask | EventMask::closer_than(distance).map_err(fail)?),
        None => Ok(mask),
    }
}

fn out_event(
    py: Python<'_>,
    event: &Event,
    points: &[impinge::pair::ContactPoint],
) -> PyResult<PyEvent> {
    let contacts = match event.what {
        EventKind::Contacts(_) => Some(Py::new(
            py,
            answers::out_contacts(py, points, vec![0; points.len()])?,
        )?),
        _ => None,
    };
    let distance = match event.what {
        EventKind::Closer(gap) => Some(Py::new(
            py,
            answers::Distance {
                distance: gap.distance,
                lower: gap.distance,
                upper: gap.distance,
                point_a: gap.point_a,
                point_b: gap.point_b,
            },
        )?),
        _ => None,
    };
    Ok(PyEvent {
        kind: event.what.name(),
        a: number(event.pair.a),
        b: number(event.pair.b),
        is_new: event.is_new,
        contacts,
        distance,
    })
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (*, events=None, closer_than=None))]
    fn new(events: Option<Vec<String>>, closer_than: Option<f64>) -> PyResult<Self> {
        let names = events.unwrap_or_else(|| vec!["contact".to_owned()]);
        Ok(Self {
            world: Mutex::new(World::watching(mask(&names, closer_than)?)),
        })
    }

    /// Takes a shape in and returns its number.
    #[pyo3(signature = (shape, pose=None, *, name="", tag=0, group=0, r#static=false))]
    fn add(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        pose: Option<&Bound<'_, PyAny>>,
        name: &str,
        tag: u64,
        group: u8,
        r#static: bool,
    ) -> PyResult<u64> {
        let at = crate::arrays::pose(pose, "pose")?;
        let body = Body::new(&shape.get().shape)
            .at(at)
            .named(name)
            .with_tag(tag)
            .in_class(Class(group));
        let body = if r#static { body.fixed() } else { body };
        let id = py.detach(|| self.held().insert(body)).map_err(fail)?;
        Ok(number(id))
    }

    /// Takes an object out.
    fn remove(&self, py: Python<'_>, object: u64) -> PyResult<()> {
        py.detach(|| self.held().remove(id(object))).map_err(fail)
    }

    /// Places an object.
    #[pyo3(signature = (object, pose))]
    fn set_pose(&self, py: Python<'_>, object: u64, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let at = crate::arrays::pose(Some(pose), "pose")?;
        py.detach(|| self.held().set_pose(id(object), at))
            .map_err(fail)
    }

    /// Places many objects: their numbers and as many poses.
    fn set_poses(
        &self,
        py: Python<'_>,
        objects: Vec<u64>,
        poses: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let placed = crate::arrays::poses(poses, "poses")?;
        if placed.len() != objects.len() {
            let (objects, poses) = (objects.len(), placed.len());
            return Err(fail(format!("{objects} objects but {poses} poses")));
        }
        py.detach(|| {
            let mut world = self.held();
            // All or none: an unknown object leaves the world as it was.
            if let Some(&missing) = objects.iter().find(|&&k| world.body(id(k)).is_none()) {
                return world.set_pose(id(missing), impinge::Pose::IDENTITY);
            }
            let both = objects.iter().zip(placed);
            for (&object, at) in both {
                world.set_pose(id(object), at)?;
            }
            Ok(())
        })
        .map_err(fail)
    }

    /// Where an object is, as a (4, 4) matrix.
    fn pose<'py>(&self, py: Python<'py>, object: u64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let found = py.detach(|| {
            self.held()
                .body(id(object))
                .map(|body| body.world_from_body)
        });
        match found {
            Some(pose) => out_pose(py, &pose),
            None => Err(fail(format!("{} is not here", id(object)))),
        }
    }

    /// The name of an object, or none.
    fn name(&self, py: Python<'_>, object: u64) -> PyResult<Option<String>> {
        let found = py.detach(|| {
            let world = self.held();
            let body = world.body(id(object))?;
            Some(body.name.as_deref().map(str::to_owned))
        });
        found.ok_or_else(|| fail(format!("{} is not here", id(object))))
    }

    /// The numbers of all objects.
    #[getter]
    fn objects(&self, py: Python<'_>) -> Vec<u64> {
        py.detach(|| self.held().bodies().map(|(id, _)| number(id)).collect())
    }

    /// Tests what moved and returns the events since the previous step, in a fixed order.
    fn step(&self, py: Python<'_>) -> PyResult<Vec<PyEvent>> {
        let found = py.detach(|| {
            let mut world = self.held();
            let frame = world.step();
            let each = frame.events.iter();
            each.map(|event| (event.clone(), frame.points(event).to_vec()))
                .collect::<Vec<_>>()
        });
        found
            .iter()
            .map(|(event, points)| out_event(py, event, points))
            .collect()
    }

    /// The first object that a ray meets, and where: ``(object, RayHit)``, or none.
    fn cast_ray(
        &self,
        py: Python<'_>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(u64, answers::RayHit)>> {
        let ray =
            Ray::new(vector(origin, "origin")?, vector(direction, "direction")?).map_err(fail)?;
        let found = py.detach(|| self.held().cast_ray(&ray)).map_err(fail)?;
        Ok(found.map(|found| (number(found.object), out_ray_hit(found.hit))))
    }

    /// The first objects that many rays meet: an array of object numbers (−1 for none) and the hits.
    #[pyo3(signature = (origins, directions, *, progress=None))]
    fn cast_rays<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, answers::RayHits)> {
        let rays = rays(origins, directions)?;
        let how = BatchHow {
            threads: None,
            progress,
        };
        let found = batch(py, &how, rays.len(), |state| {
            let world = self.held();
            let mut found = Vec::with_capacity(rays.len());
            for run in rays.chunks(LINE_RUN) {
                if state.is_stopped() {
                    break;
                }
                for ray in run {
                    found.push(world.cast_ray(ray)?);
                }
                state.add(run.len());
            }
            Ok::<_, impinge::pair::CastError>(found)
        })?;
        let found = found.map_err(fail)?;
        let objects = found
            .iter()
            .map(|hit| hit.map_or(-1, |hit| number(hit.object) as i64));
        let vectors = |of: fn(&impinge::pair::RayHit) -> impinge::DVec3| {
            let each = found.iter();
            each.map(move |hit| hit.as_ref().map_or(impinge::DVec3::NAN, |hit| of(&hit.hit)))
        };
        let faces = found
            .iter()
            .map(|hit| hit.map_or(-1, |hit| i64::from(hit.hit.face.raw())));
        let ts = found
            .iter()
            .map(|hit| hit.map_or(f64::INFINITY, |hit| hit.hit.t));
        let hits = answers::RayHits {
            hit: answers::out_list(py, found.iter().map(Option::is_some)),
            t: answers::out_list(py, ts),
            face: answers::out_list(py, faces),
            point: answers::out_list3(py, vectors(|hit| hit.point))?,
            normal: answers::out_list3(py, vectors(|hit| hit.normal))?,
        };
        Ok((PyArray1::from_iter(py, objects), hits))
    }

    /// The object nearest to a point: ``(object, Distance)``, or none in an empty world.
    fn closest_point(
        &self,
        py: Python<'_>,
        point: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(u64, answers::Distance)>> {
        let p = vector(point, "point")?;
        let found = py.detach(|| self.held().closest_point(p)).map_err(fail)?;
        Ok(found.map(|found| {
            let gap = found.hit;
            let distance = answers::Distance {
                distance: gap.distance,
                lower: gap.distance,
                upper: gap.distance,
                point_a: gap.point_a,
                point_b: gap.point_b,
            };
            (number(found.object), distance)
        }))
    }

    /// The objects that a placed shape meets.
    #[pyo3(signature = (shape, pose=None))]
    fn overlapping(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<u64>> {
        let at = crate::arrays::pose(pose, "pose")?;
        let shape = &shape.get().shape;
        let found = py
            .detach(|| self.held().overlapping(shape, &at))
            .map_err(fail)?;
        Ok(found.into_iter().map(number).collect())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.held().len())
    }

    fn __contains__(&self, py: Python<'_>, object: u64) -> bool {
        py.detach(|| self.held().body(id(object)).is_some())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<World of {} objects>", self.__len__(py))
    }
}
