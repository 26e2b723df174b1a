//! A proxy on a surface whose vertices move on their own: skin, cloth, a beating heart.
//!
//! **Question.** Where is the proxy on a mesh that is updated sixty times a second and felt a thousand times?
//! **Idea.** Between two updates vertices move linearly, and each tick covers a part of this motion. A tick moves proxy and vertices at
//! the same time; the first face hit is found by the [exact test](impinge::ccd::linear) of a moving vertex and a moving face.
//! Constraint planes are those of the faces at the end of the tick.
//! **Promise.** No face is passed: every step that is taken was tested exactly against every face within reach, and ticks join without a gap. Where faces leave no room the step
//! says so.
//! **Cost.** One index per update, built on the simulation thread; per tick, the faces within the distance that a vertex can move between updates.
//! **Limits.** No friction, no shading.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{ClosestFace, SingleTreeCache, WideTree};
use impinge::ccd::linear::{LinearTests, MovingPoint};
use impinge::math::is_valid_point;
use impinge::query::{FaceId, Limits};
use impinge::{DVec3, TriMesh};

use super::constraint::{ConstraintPlane, nearest_under_planes};
use super::god_object::{MAX_SWEEPS, OFFSET_FRACTION};
use super::scene::SceneError;
use crate::quantity;

/// Width of the brackets of first contacts: only their order matters.
const BRACKET: f64 = 1e-6;

/// A mesh that moves from one update to the next. Built by the simulation thread, read by the servo loop.
///
/// ```
/// use impinge::generate;
/// use impinge_dynamics::proxy::DeformingSurface;
/// use std::sync::Arc;
/// let ball = Arc::new(generate::icosphere(1.0, 6)?);
/// let larger: Vec<_> = ball.positions().iter().map(|&p| p * 1.1).collect();
/// let surface = DeformingSurface::new(ball.clone(), larger)?;
/// assert!((surface.reach() - 0.1).abs() < 1e-12);
/// assert!(DeformingSurface::new(ball, vec![]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeformingSurface {
    tree: Arc<WideTree>,
    end: Vec<DVec3>,
    reach: f64,
}

impl DeformingSurface {
    /// A mesh and where its vertices will be at the next update.
    ///
    /// # Errors
    /// [`SceneError`] for a mesh without faces, another number of vertices, or a place out of range.
    pub fn new(start: Arc<TriMesh>, end: Vec<DVec3>) -> Result<Self, SceneError> {
        if start.is_empty() {
            return Err(SceneError::NoFaces);
        }
        if end.len() != start.vertex_count() {
            return Err(SceneError::OtherMesh {
                normals: end.len(),
                vertices: start.vertex_count(),
            });
        }
        if let Some(&value) = end.iter().find(|&&p| !is_valid_point(p)) {
            let what = "vertex";
            return Err(SceneError::Point { what, value });
        }
        let moved = start.positions().iter().zip(&end);
        let reach = moved.fold(0.0_f64, |most, (p, q)| most.max((*q - *p).length()));
        Ok(Self {
            tree: Arc::new(WideTree::new(start)),
            end,
            reach,
        })
    }

    /// How far a vertex moves at most.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The corners of a face at a part of the way.
    fn face_at(&self, face: FaceId, part: f64) -> Option<[DVec3; 3]> {
        let mesh = self.tree.mesh();
        let corners = mesh.faces().get(face.index())?;
        let mut found = [DVec3::ZERO; 3];
        for (place, &vertex) in found.iter_mut().zip(corners) {
            let start = *mesh.positions().get(vertex as usize)?;
            let end = *self.end.get(vertex as usize)?;
            // The ends themselves, so that updates join bit by bit.
            *place = if part >= 1.0 {
                end
            } else if part <= 0.0 {
                start
            } else {
                start + (end - start) * part
            };
        }
        Some(found)
    }
}

/// The result of one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeformingStep {
    /// The position of the proxy now.
    pub proxy: DVec3,
    /// The force on the device.
    pub force: DVec3,
    /// The number of faces that constrain the proxy.
    pub contacts: usize,
    /// Whether the proxy had to pass through a face: no step without a crossing was found.
    pub crossed: bool,
}

/// The god-object on a deforming surface.
///
/// ```
/// use impinge::{DVec3, generate};
/// use impinge_dynamics::proxy::{DeformingProxy, DeformingSurface};
/// use std::sync::Arc;
/// let ball = Arc::new(generate::icosphere(1.0, 12)?);
/// let larger: Vec<_> = ball.positions().iter().map(|&p| p * 1.05).collect();
/// let surface = DeformingSurface::new(ball, larger)?;
/// let mut proxy = DeformingProxy::new(&surface, 1000.0, DVec3::Z * 1.2)?;
/// // The ball grows while the device rests where its surface was.
/// let mut height = 0.0;
/// for tick in 1..=17 {
///     height = proxy.update(&surface, f64::from(tick) / 17.0, DVec3::Z).proxy.z;
/// }
/// assert!((height - 1.05).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeformingProxy {
    stiffness: f64,
    offset: f64,
    proxy: DVec3,
    /// The part of the way at the end of the last tick.
    part: f64,
    /// The face that pushed most in the last tick.
    resting: Option<FaceId>,
    near: Vec<FaceId>,
    /// Faces were gathered for ways that are no longer.
    longest: f64,
    cache: SingleTreeCache,
    tests: LinearTests,
}

impl DeformingProxy {
    /// A proxy at the start of a way, with a spring of `stiffness` newtons per metre.
    ///
    /// # Errors
    /// [`SceneError`] for a stiffness that is not positive or a start out of range.
    pub fn new(
        surface: &DeformingSurface,
        stiffness: f64,
        start: DVec3,
    ) -> Result<Self, SceneError> {
        if !is_valid_point(start) {
            let (what, value) = ("start of the proxy", start);
            return Err(SceneError::Point { what, value });
        }
        let size = surface.tree.mesh().bounds().diagonal().length();
        Ok(Self {
            stiffness: quantity::positive("proxy stiffness", stiffness)?,
            offset: OFFSET_FRACTION * size,
            proxy: start,
            part: 0.0,
            resting: None,
            near: Vec::with_capacity(4096),
            longest: 0.0,
            cache: SingleTreeCache::default(),
            tests: LinearTests::new(BRACKET),
        })
    }

    /// Begins the way of a new surface, whose start must be the end of the last one.
    pub fn begin(&mut self) {
        self.part = 0.0;
    }

    /// The position of the proxy.
    #[must_use]
    pub fn proxy(&self) -> DVec3 {
        self.proxy
    }

    /// Moves the proxy towards the device's point while the surface goes on to a part of its way, which should not be smaller than the last.
    pub fn update(
        &mut self,
        surface: &DeformingSurface,
        part: f64,
        target: DVec3,
    ) -> DeformingStep {
        let (from, to) = (self.part, part.clamp(self.part, 1.0));
        let start = self.proxy;
        let target = if is_valid_point(target) {
            target
        } else {
            start
        };
        self.gather(surface, (target - start).length());
        let mut planes = [ConstraintPlane {
            normal: DVec3::ZERO,
            offset: 0.0,
        }; 3];
        let mut faces = [None; 3];
        let (mut count, mut goal, mut free) = (0, target, None);
        for _ in 0..MAX_SWEEPS {
            let Some(face) = self.first_face(surface, [from, to], start, goal) else {
                free = Some(goal);
                break;
            };
            let plane = self.plane_of(surface, face, [from, to], start);
            let (Some(plane), Some(slot), Some(name)) =
                (plane, planes.get_mut(count), faces.get_mut(count))
            else {
                break;
            };
            (*slot, *name) = (plane, Some(face));
            count += 1;
            let known = planes.get(..count).unwrap_or_default();
            let Some(nearest) = nearest_under_planes(target, known) else {
                break;
            };
            goal = nearest.point;
        }
        // Held: along with a face that it touches, or where it is.
        if free.is_none() {
            let touched = faces.iter().copied().flatten().chain(self.resting);
            let mut candidates = [Some(start), None, None, None, None];
            for (slot, face) in candidates.iter_mut().skip(1).zip(touched) {
                *slot = self.carried(surface, face, [from, to], start);
            }
            for candidate in candidates.into_iter().flatten() {
                if free.is_none()
                    && self
                        .first_face(surface, [from, to], start, candidate)
                        .is_none()
                {
                    free = Some(candidate);
                }
            }
        }
        let crossed = free.is_none();
        self.proxy = free.unwrap_or(start);
        self.part = to;
        self.resting = faces[0];
        let touches = count > 0;
        DeformingStep {
            proxy: self.proxy,
            force: if touches {
                (self.proxy - target) * self.stiffness
            } else {
                DVec3::ZERO
            },
            contacts: count,
            crossed,
        }
    }

    /// Faces that the proxy might meet in this tick, wherever planes send it.
    fn gather(&mut self, surface: &DeformingSurface, way: f64) {
        self.near.clear();
        let near = &mut self.near;
        // Sharp edges may send the proxy farther than the target is; beyond this it is held.
        self.longest = 2.0 * (way + surface.reach + self.offset);
        let distance = self.longest + surface.reach;
        let found = surface.tree.faces_within(
            self.proxy,
            distance,
            Limits::default(),
            &mut self.cache,
            &mut |closest: ClosestFace| {
                near.push(closest.face);
                std::ops::ControlFlow::Continue(())
            },
        );
        debug_assert!(found.is_ok(), "the proxy is a valid point");
    }

    /// The face that the way to `goal` meets first while the surface moves.
    fn first_face(
        &mut self,
        surface: &DeformingSurface,
        [from, to]: [f64; 2],
        start: DVec3,
        goal: DVec3,
    ) -> Option<FaceId> {
        // A goal out of range or reach is not known to be free: the first face stands for that.
        let way = MovingPoint::new(start, goal);
        let Some(point) = way.ok().filter(|_| (goal - start).length() <= self.longest) else {
            return self.near.first().copied().or(Some(FaceId::new(0)));
        };
        let mut first: Option<(f64, FaceId)> = None;
        for &face in &self.near {
            let (Some(a), Some(b)) = (surface.face_at(face, from), surface.face_at(face, to))
            else {
                continue;
            };
            let corner = |k: usize| MovingPoint::new(a[k], b[k]);
            let (Ok(u), Ok(v), Ok(w)) = (corner(0), corner(1), corner(2)) else {
                continue;
            };
            if let Some(hit) = self.tests.vertex_face(point, [u, v, w])
                && first.is_none_or(|(t, name)| (hit.upper, face) < (t, name))
            {
                first = Some((hit.upper, face));
            }
        }
        first.map(|(_, face)| face)
    }

    /// The plane of a face at the end of the tick, raised on the side where the proxy was at its start.
    fn plane_of(
        &self,
        surface: &DeformingSurface,
        face: FaceId,
        [from, to]: [f64; 2],
        start: DVec3,
    ) -> Option<ConstraintPlane> {
        let [a, b, c] = surface.face_at(face, from)?;
        let before = (b - a).cross(c - a);
        let side = before.dot(start - a);
        let [a, b, c] = surface.face_at(face, to)?;
        let normal = (b - a).cross(c - a).try_normalize()?;
        let normal = if side < 0.0 { -normal } else { normal };
        Some(ConstraintPlane {
            normal,
            offset: normal.dot(a) + self.offset,
        })
    }

    /// The proxy carried along with a face: the same weights of the corners and the same height.
    fn carried(
        &self,
        surface: &DeformingSurface,
        face: FaceId,
        [from, to]: [f64; 2],
        start: DVec3,
    ) -> Option<DVec3> {
        let before = surface.face_at(face, from)?;
        let after = surface.face_at(face, to)?;
        let foot = impinge::geom::closest_point_on_triangle(start, &before);
        let [u, v, w] = foot.barycentric;
        let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).try_normalize();
        let height = normal(before)?.dot(start - foot.point);
        let side = if height < 0.0 { -1.0 } else { 1.0 };
        let rest = start - foot.point - normal(before)? * height;
        let raised = height.abs().max(self.offset) * side;
        Some(after[0] * u + after[1] * v + after[2] * w + normal(after)? * raised + rest)
    }
}
