//! The god-object (haptic proxy): its state and one tick.

use impinge::bvh::MeshIndex;
use impinge::math::is_valid_point;
use impinge::query::FaceId;
use impinge::{DVec3, Pose};

use super::constraint::{ConstraintPlane, nearest_under_planes};
use super::scene::{BodyId, ProxyScene, SceneError, SweepHit};
use crate::friction::{Friction, FrictionState, Pressed, slide};
use crate::quantity;

/// Most casts of the whole path in one pass.
pub const MAX_SWEEPS: usize = 4;

/// Constraint planes at a time: a point has three degrees of freedom.
const MAX_PLANES: usize = 3;

/// How far the proxy stays above a face, as a fraction of the largest body's diagonal.
pub const OFFSET_FRACTION: f64 = 1e-5;

/// A face that the proxy rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyContact {
    /// The body touched.
    pub body: BodyId,
    /// The face touched.
    pub face: FaceId,
    /// Where the path met the face, in the world.
    pub point: DVec3,
    /// The face's plane, raised by the offset.
    pub plane: ConstraintPlane,
    /// How far the plane pushes the proxy away from the device, in metres; 0 for a plane that would
    /// pull and was left out.
    pub push: f64,
}

impl ProxyContact {
    const NONE: Self = Self {
        body: BodyId(u32::MAX),
        face: FaceId::new(u32::MAX),
        point: DVec3::ZERO,
        plane: ConstraintPlane {
            normal: DVec3::ZERO,
            offset: 0.0,
        },
        push: 0.0,
    };
}

/// The result of one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyStep {
    /// The position of the proxy now.
    pub proxy: DVec3,
    /// The force on the device: stiffness times the vector from the device to the proxy.
    pub force: DVec3,
    /// The number of casts along the path of the proxy in this tick.
    pub sweeps: usize,
    /// Whether the proxy was kept in place: because of a fourth constraint plane, opposing planes, a blocked
    /// friction step, or a target that is not finite.
    pub held: bool,
    /// Whether the proxy had to pass through a face. Only moving bodies can cause this.
    pub crossed: bool,
    /// Whether friction holds the proxy.
    pub friction: FrictionState,
    /// The energy that force shading added to the spring, in joules.
    pub shading_energy: f64,
    contacts: [ProxyContact; MAX_PLANES],
    contact_count: usize,
}

impl ProxyStep {
    /// The faces that stopped the proxy, at most three.
    #[must_use]
    pub fn contacts(&self) -> &[ProxyContact] {
        self.contacts.get(..self.contact_count).unwrap_or_default()
    }
}

/// The god-object of one device.
///
/// See the module's page for an example.
#[derive(Clone, Debug)]
pub struct GodObject {
    stiffness: f64,
    pub(super) offset: f64,
    /// Radius of a ball proxy; 0 for a point.
    pub(super) radius: f64,
    pub(super) proxy: DVec3,
    /// The proxy in each body's frame at the end of the last tick: where the next path starts.
    pub(super) starts: Vec<DVec3>,
    /// Poses of the bodies at the last tick.
    pub(super) poses: Vec<Pose>,
    /// A body that the proxy touched in the last tick and is carried by.
    carrier: Option<BodyId>,
    friction: FrictionState,
}

/// One pass: the constraint planes and the position they allow.
#[derive(Clone, Copy, Debug)]
struct Pass {
    goal: Option<DVec3>,
    contacts: [ProxyContact; MAX_PLANES],
    /// Planes as solved for; those of `contacts` unless shaded.
    planes: [ConstraintPlane; MAX_PLANES],
    count: usize,
    sweeps: usize,
    /// The body whose face was met last, planes or not.
    last_body: Option<BodyId>,
    /// How far a ball gets on its way to the last goal that is not free.
    partial: Option<DVec3>,
}

impl Pass {
    fn is_shaded(&self) -> bool {
        let pairs = self.contacts.iter().zip(&self.planes).take(self.count);
        pairs
            .into_iter()
            .any(|(contact, plane)| contact.plane != *plane)
    }
}

impl GodObject {
    /// A proxy at `start`, with a spring of `stiffness` newtons per metre. Not for the servo path: it allocates.
    ///
    /// # Errors
    /// [`SceneError`] when the stiffness is not positive, the start is out of range, or it lies on a face.
    pub fn new(
        scene: &mut ProxyScene,
        stiffness: f64,
        start: impl Into<DVec3>,
    ) -> Result<Self, SceneError> {
        let value = start.into();
        let stiffness = quantity::positive("proxy stiffness", stiffness)?;
        if !is_valid_point(value) {
            let what = "start of the proxy";
            return Err(SceneError::Point { what, value });
        }
        let extent = scene.extent();
        let mut god_object = Self {
            stiffness,
            // Without bodies any offset will do.
            offset: OFFSET_FRACTION * if extent > 0.0 { extent } else { 1.0 },
            radius: 0.0,
            proxy: value,
            starts: Vec::new(),
            poses: Vec::new(),
            carrier: None,
            friction: FrictionState::Stick,
        };
        god_object.meet_bodies(scene);
        if scene.is_hit(&god_object.starts, value, 0.0) {
            return Err(SceneError::OnSurface { value });
        }
        Ok(god_object)
    }

    /// The same proxy that stays `offset` metres above faces.
    ///
    /// # Errors
    /// [`SceneError`] when the offset is not positive.
    ///
    /// ```
    /// use impinge_dynamics::proxy::{GodObject, ProxyScene};
    /// let mut scene = ProxyScene::new();
    /// let god_object = GodObject::new(&mut scene, 500.0, [0.0; 3])?.with_offset(1e-6)?;
    /// assert_eq!((god_object.offset(), god_object.stiffness()), (1e-6, 500.0));
    /// assert_eq!(god_object.proxy(), impinge::DVec3::ZERO);
    /// # Ok::<(), impinge_dynamics::proxy::SceneError>(())
    /// ```
    pub fn with_offset(mut self, offset: f64) -> Result<Self, SceneError> {
        self.offset = quantity::positive("proxy offset", offset)?;
        Ok(self)
    }

    /// The same proxy as a ball of `radius` metres about its point: it feels no hole that is narrower.
    ///
    /// # Errors
    /// [`SceneError`] when the radius is not positive, or the ball touches a face where it is.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
    /// use impinge_dynamics::proxy::{GodObject, ProxyScene};
    /// use std::sync::Arc;
    /// let mut scene = ProxyScene::new();
    /// let ball = Arc::new(generate::icosphere(1.0, 8)?);
    /// scene.add(Arc::new(WideTree::new(ball)), Pose::IDENTITY)?;
    /// let point = GodObject::new(&mut scene, 1000.0, [0.0, 0.0, 1.4])?;
    /// assert!(point.clone().with_radius(&mut scene, 0.5).is_err());
    /// let mut proxy = point.with_radius(&mut scene, 0.25)?;
    /// let step = proxy.update(&mut scene, DVec3::Z, 1e-3);
    /// assert!((step.proxy.z - 1.25).abs() < 1e-3 && proxy.radius() == 0.25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_radius(mut self, scene: &mut ProxyScene, radius: f64) -> Result<Self, SceneError> {
        self.radius = quantity::positive("proxy radius", radius)?;
        self.meet_bodies(scene);
        let value = self.proxy;
        if scene.is_hit(&self.starts, value, self.radius) {
            return Err(SceneError::OnSurface { value });
        }
        Ok(self)
    }

    /// Radius of the proxy in metres; 0 for a point.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// How far the proxy stays above faces, in metres.
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Stiffness of the spring, in newtons per metre.
    #[must_use]
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// The position of the proxy.
    #[must_use]
    pub fn proxy(&self) -> DVec3 {
        self.proxy
    }

    /// Moves the proxy towards the device's point `target`, `duration` seconds after the last tick.
    ///
    /// A target that is not finite holds the proxy and gives no force.
    pub fn update(&mut self, scene: &mut ProxyScene, target: DVec3, duration: f64) -> ProxyStep {
        self.meet_bodies(scene);
        let before = self.carried(scene);
        if !is_valid_point(target) {
            let mut step = self.settle(scene, before, before, Pass::NONE);
            step.force = DVec3::ZERO;
            step.held = true;
            return step;
        }
        let mut pass = self.pass(scene, target, target, scene.is_shaded());
        let mut sweeps = pass.sweeps;
        if scene.is_shaded() && (pass.is_shaded() || pass.goal.is_none()) {
            let first = pass;
            let through = first.goal.unwrap_or(target);
            pass = self.pass(scene, above_true_planes(&first, through), target, false);
            sweeps += pass.sweeps;
            if pass.count == 0 && pass.goal.is_some() {
                // The way to the first pass's goal is free; what it rests on is known from there.
                pass.adopt(&first, self.offset);
            }
        }
        pass.sweeps = sweeps;
        let mut goal = pass.goal;
        if let Some(free) = goal {
            let (slid, friction) = self.slide(scene, &pass, before, free, target, duration);
            self.friction = friction;
            if slid != free {
                goal = if scene.is_hit(&self.starts, slid, self.radius) {
                    None
                } else {
                    Some(slid)
                };
            }
        }
        // A ball on a finely curved hollow meets more than three faces: it gets as far as the way is free.
        let partial = pass.partial.filter(|_| goal.is_none());
        let goal = goal.or(partial.filter(|&p| !scene.is_hit(&self.starts, p, self.radius)));
        match goal {
            Some(goal) => self.commit(scene, goal, target, &pass),
            None => {
                let mut step = self.settle(scene, before, target, pass);
                step.held = true;
                step
            }
        }
    }

    /// Registers bodies that were added since the last tick.
    pub(super) fn meet_bodies(&mut self, scene: &ProxyScene) {
        for body in scene.bodies.iter().skip(self.starts.len()) {
            self.starts.push(body.body_from_world * self.proxy);
            self.poses.push(body.world_from_body);
        }
    }

    /// The proxy, moved along with the body it rests on.
    fn carried(&self, scene: &ProxyScene) -> DVec3 {
        self.carrier
            .and_then(|carrier| self.carried_by(scene, carrier))
            .unwrap_or(self.proxy)
    }

    /// The proxy, moved along with a body; none when the body did not move, so that nothing drifts by rounding.
    fn carried_by(&self, scene: &ProxyScene, body: BodyId) -> Option<DVec3> {
        let index = body.index();
        let (body, pose) = (scene.bodies.get(index)?, self.poses.get(index)?);
        let start = self.starts.get(index)?;
        (body.world_from_body != *pose).then(|| body.world_from_body * *start)
    }

    /// Collects planes until the way to the point nearest to `target` is free. Pushes are measured from `device`.
    fn pass(&self, scene: &mut ProxyScene, target: DVec3, device: DVec3, shaded: bool) -> Pass {
        let mut pass = Pass::NONE;
        let mut goal = target;
        for sweep in 1..=MAX_SWEEPS {
            pass.sweeps = sweep;
            let Some(hit) = scene.first_hit(&self.starts, goal, self.radius) else {
                pass.goal = Some(goal);
                break;
            };
            pass.last_body = Some(hit.body);
            if self.radius > 0.0 {
                let way = goal - self.proxy;
                let safe = hit.t - self.offset / way.length().max(f64::MIN_POSITIVE);
                pass.partial = (safe > 0.0).then(|| self.proxy + way * safe);
            }
            let known = pass.contacts.iter().take(pass.count);
            let met = known
                .into_iter()
                .any(|c| (c.body, c.face) == (hit.body, hit.face));
            if shaded && met {
                // A tilted plane does not keep the path above its face; the second pass will.
                pass.goal = Some(goal);
                break;
            }
            let place = pass.count;
            let (Some(contact), Some(plane)) =
                (pass.contacts.get_mut(place), pass.planes.get_mut(place))
            else {
                break;
            };
            let (true_plane, solved) = self.planes_of(scene, &hit, shaded);
            *contact = ProxyContact {
                body: hit.body,
                face: hit.face,
                point: hit.point,
                plane: true_plane,
                push: 0.0,
            };
            *plane = solved;
            pass.count += 1;
            let planes = pass.planes.get(..pass.count).unwrap_or_default();
            let Some(nearest) = nearest_under_planes(target, planes) else {
                break;
            };
            goal = nearest.point;
        }
        // How much each plane pushes against the device itself, which may be other than the target.
        let planes = pass.planes.get(..pass.count).unwrap_or_default();
        if let Some(nearest) = nearest_under_planes(device, planes) {
            for (contact, push) in pass.contacts.iter_mut().zip(nearest.push) {
                contact.push = push;
            }
        }
        pass
    }

    fn planes_of(
        &self,
        scene: &ProxyScene,
        hit: &SweepHit,
        shaded: bool,
    ) -> (ConstraintPlane, ConstraintPlane) {
        let plane = |normal: DVec3| ConstraintPlane {
            normal,
            offset: normal.dot(hit.point) + self.offset + self.radius,
        };
        let true_plane = plane(hit.normal);
        let body = scene.bodies.get(hit.body.index());
        let smooth = body.filter(|_| shaded).and_then(|body| {
            let normals = body.normals.as_ref()?;
            let normal = normals.at(body.tree.mesh(), hit.face, hit.barycentric)?;
            let towards = if hit.reversed { -normal } else { normal };
            Some(body.world_from_body.transform_vector(towards))
        });
        (true_plane, smooth.map_or(true_plane, plane))
    }

    /// How far friction lets the proxy slide from `before` towards `goal`.
    fn slide(
        &self,
        scene: &ProxyScene,
        pass: &Pass,
        before: DVec3,
        goal: DVec3,
        target: DVec3,
        duration: f64,
    ) -> (DVec3, FrictionState) {
        let mut pressed = [Pressed {
            friction: Friction::NONE,
            depth: 0.0,
            lag: 0.0,
        }; MAX_PLANES];
        let touching = pass.contacts.iter().take(pass.count);
        let active = touching.filter(|contact| contact.push > 0.0);
        let is_rough = |contact: &ProxyContact| {
            let body = scene.bodies.get(contact.body.index());
            body.map_or(Friction::NONE, |body| body.friction)
        };
        if active.clone().all(|contact| is_rough(contact).is_none()) {
            return (goal, FrictionState::Stick);
        }
        // Where the proxy comes down on the surface if it does not slide at all.
        let mut base = before;
        for contact in active.clone() {
            let height = contact.plane.height(base);
            // A proxy that rests on the plane already is not moved by roundings.
            if height.abs() > self.offset * 1e-6 {
                base -= contact.plane.normal * height;
            }
        }
        let spring = base - target;
        let mut count = 0;
        for (slot, contact) in pressed.iter_mut().zip(active) {
            let depth = spring.dot(contact.plane.normal);
            *slot = Pressed {
                friction: is_rough(contact),
                depth,
                lag: (spring - contact.plane.normal * depth).length(),
            };
            count += 1;
        }
        let contacts = pressed.get(..count).unwrap_or_default();
        let (most, state) = slide(self.friction, contacts, self.stiffness, duration);
        let way = goal - base;
        let length = way.length();
        if length <= most {
            return (goal, state);
        }
        (base + way * (most / length), state)
    }

    /// Keeps the proxy where it was, or wherever bodies that moved leave room.
    fn settle(
        &mut self,
        scene: &mut ProxyScene,
        before: DVec3,
        target: DVec3,
        pass: Pass,
    ) -> ProxyStep {
        let touched = pass.contacts.iter().take(pass.count).map(|c| c.body);
        let mut candidates = [None; MAX_PLANES + 3];
        candidates[0] = Some(before);
        candidates[1] = Some(self.proxy);
        for (slot, body) in candidates
            .iter_mut()
            .skip(2)
            .zip(touched.chain(pass.last_body))
        {
            *slot = self.carried_by(scene, body);
        }
        let mut free = None;
        for candidate in candidates.into_iter().flatten() {
            if free.is_none() && !scene.is_hit(&self.starts, candidate, self.radius) {
                free = Some(candidate);
            }
        }
        // Bodies come from several sides: look for a place beside each candidate.
        for candidate in candidates.into_iter().flatten() {
            if free.is_none() {
                free = self.pass(scene, candidate, target, false).goal;
            }
        }
        let mut step = self.commit(scene, free.unwrap_or(before), target, &pass);
        step.crossed = free.is_none();
        step
    }

    fn commit(
        &mut self,
        scene: &ProxyScene,
        proxy: DVec3,
        target: DVec3,
        pass: &Pass,
    ) -> ProxyStep {
        self.proxy = proxy;
        let bodies = scene.bodies.iter();
        for (body, (start, pose)) in bodies.zip(self.starts.iter_mut().zip(&mut self.poses)) {
            *start = body.body_from_world * proxy;
            *pose = body.world_from_body;
        }
        let contacts = pass.contacts.get(..pass.count).unwrap_or_default();
        let hardest =
            contacts
                .iter()
                .fold(None, |most: Option<&ProxyContact>, contact| match most {
                    Some(other) if other.push >= contact.push => Some(other),
                    _ => Some(contact),
                });
        self.carrier = hardest.map(|contact| contact.body);
        if pass.count == 0 {
            self.friction = FrictionState::Stick;
        }
        ProxyStep {
            proxy,
            force: (proxy - target) * self.stiffness,
            sweeps: pass.sweeps,
            held: false,
            crossed: false,
            friction: self.friction,
            shading_energy: self.shading_energy(scene, contacts, proxy, target),
            contacts: pass.contacts,
            contact_count: pass.count,
        }
    }

    /// The spring's energy beyond that of the point nearest to the device above the true planes.
    fn shading_energy(
        &self,
        scene: &ProxyScene,
        contacts: &[ProxyContact],
        proxy: DVec3,
        target: DVec3,
    ) -> f64 {
        if !scene.is_shaded() || contacts.is_empty() {
            return 0.0;
        }
        let mut planes = [ProxyContact::NONE.plane; MAX_PLANES];
        for (plane, contact) in planes.iter_mut().zip(contacts) {
            *plane = contact.plane;
        }
        let planes = planes.get(..contacts.len()).unwrap_or_default();
        nearest_under_planes(target, planes).map_or(0.0, |nearest| {
            let with = (proxy - target).length_squared();
            let without = (nearest.point - target).length_squared();
            (with - without) * self.stiffness / 2.0
        })
    }
}

impl Pass {
    const NONE: Self = Self {
        goal: None,
        contacts: [ProxyContact::NONE; MAX_PLANES],
        planes: [ProxyContact::NONE.plane; MAX_PLANES],
        count: 0,
        sweeps: 0,
        last_body: None,
        partial: None,
    };

    /// Copies the contacts of another pass whose plane contains this goal, within the tolerance.
    fn adopt(&mut self, other: &Self, tolerance: f64) {
        let Some(goal) = self.goal else {
            return;
        };
        for contact in other.contacts.iter().take(other.count) {
            if contact.plane.height(goal).abs() <= tolerance
                && let Some(slot) = self.contacts.get_mut(self.count)
            {
                *slot = *contact;
                self.count += 1;
            }
        }
    }
}

/// The goal of a shaded pass, brought down to the true planes that it rests on and floats above.
fn above_true_planes(pass: &Pass, goal: DVec3) -> DVec3 {
    let resting = pass.contacts.iter().take(pass.count);
    let resting = resting.filter(|contact| contact.push > 0.0);
    resting.fold(goal, |goal, contact| {
        let height = contact.plane.height(goal);
        goal - contact.plane.normal * height.max(0.0)
    })
}
