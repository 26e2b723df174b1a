//! Particles, constraints and faces of a soft body.

use impinge::deform::{BruteForce, RefitBvhEngine, Scene, SceneEngine, SceneRequest};
use impinge::{DVec3, TriMesh};

use super::contact::SoftContact;
use super::error::{SoftError, at_least};
use super::near::Features;
use super::proximity::Proximity;
use super::springs::{Particle, Springs};

/// A constraint between particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// Two particles keep their distance.
    Distance {
        /// The particles.
        ends: [u32; 2],
        /// The distance, in m.
        rest: f64,
        /// Inverse stiffness, in m/N.
        compliance: f64,
    },
    /// Four particles keep the signed volume of their tetrahedron.
    Volume {
        /// The particles.
        corners: [u32; 4],
        /// The volume, in m³.
        rest: f64,
        /// Inverse stiffness, in m³/N per m², that is 1/(Pa per m³).
        compliance: f64,
    },
}

impl Constraint {
    fn particles(&self) -> &[u32] {
        match self {
            Self::Distance { ends, .. } => ends,
            Self::Volume { corners, .. } => corners,
        }
    }

    /// The same constraint of particles that stand `first` places later.
    pub(super) fn shifted(mut self, first: u32) -> Self {
        match &mut self {
            Self::Distance { ends, .. } => ends.iter_mut().for_each(|i| *i += first),
            Self::Volume { corners, .. } => corners.iter_mut().for_each(|i| *i += first),
        }
        self
    }
}

/// Settings of a soft body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftConfig {
    /// Acceleration of all particles, in m/s².
    pub gravity: DVec3,
    /// Substeps of a step.
    pub substeps: u32,
    /// Sweeps over all constraints in a substep.
    pub iterations: u32,
    /// Deceleration per speed, in 1/s.
    pub drag: f64,
    /// Distance that surfaces keep, in m.
    pub thickness: f64,
    /// Coefficient of friction between surfaces.
    pub friction: f64,
    /// Whether the body's own faces keep away from each other.
    pub self_contact: bool,
    /// Whether the motion of patches may be measured by several threads. The bytes are the same.
    pub parallel: bool,
}

impl Default for SoftConfig {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            substeps: 4,
            iterations: 8,
            drag: 0.2,
            thickness: 4e-3,
            friction: 0.4,
            self_contact: true,
            parallel: true,
        }
    }
}

/// A soft body and the obstacles around it.
///
/// The [module](super) describes the method.
#[doc(alias = "XPBD")]
#[derive(Clone, Debug)]
pub struct SoftBody {
    /// Of the body, then of the obstacles.
    pub(super) positions: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    /// 0 for pinned particles and obstacles.
    pub(super) inverse_masses: Vec<f64>,
    pub(super) masses: Vec<f64>,
    constraints: Vec<Constraint>,
    pub(super) config: SoftConfig,
    /// All faces; none without faces.
    pub(super) scene: Option<Scene>,
    pub(super) springs: Springs,
    /// With a scene.
    pub(super) proximity: Option<Proximity>,
    /// Of the substep.
    pub(super) particles: Vec<Particle>,
    pub(super) contacts: Vec<SoftContact>,
    pub(super) hits: Vec<Features>,
    pub(super) ends: Vec<DVec3>,
    /// Where the particles were made.
    rest: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    obstacles: Vec<([u32; 3], u32)>,
    own: usize,
}

impl SoftBody {
    /// The body of particles, constraints and surface faces. Faces may be none: then nothing touches it.
    ///
    /// # Errors
    /// [`SoftError`] for numbers out of range, or constraints and faces that name no particles.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::soft::{Constraint, SoftBody, SoftConfig};
    /// let rope = Constraint::Distance { ends: [0, 1], rest: 1.0, compliance: 0.0 };
    /// let points = [DVec3::ZERO, DVec3::X];
    /// let body = SoftBody::new(&points, &[1.0, 1.0], vec![rope], vec![], SoftConfig::default())?;
    /// assert_eq!(body.positions(), points);
    /// # Ok::<(), impinge_dynamics::soft::SoftError>(())
    /// ```
    pub fn new(
        positions: &[DVec3],
        masses: &[f64],
        constraints: Vec<Constraint>,
        faces: Vec<[u32; 3]>,
        config: SoftConfig,
    ) -> Result<Self, SoftError> {
        let particles = positions.len();
        if masses.len() != particles {
            return Err(SoftError::OutOfRange {
                what: "number of masses",
                value: masses.len() as f64,
            });
        }
        check(&config)?;
        for &mass in masses {
            at_least("mass", mass, f64::MIN_POSITIVE)?;
        }
        for p in positions {
            finite("position", *p)?;
        }
        let bad = |what, index| SoftError::BadParticle {
            what,
            index,
            particles,
        };
        for (index, constraint) in constraints.iter().enumerate() {
            if !differ(constraint.particles(), particles) {
                return Err(bad("constraint", index));
            }
            let (Constraint::Distance {
                rest, compliance, ..
            }
            | Constraint::Volume {
                rest, compliance, ..
            }) = *constraint;
            at_least("compliance", compliance, 0.0)?;
            at_least("size at rest", rest.abs(), 0.0)?;
        }
        for (index, face) in faces.iter().enumerate() {
            if !differ(face, particles) {
                return Err(bad("face", index));
            }
        }
        let mut body = Self {
            positions: positions.to_vec(),
            velocities: vec![DVec3::ZERO; particles],
            inverse_masses: masses.iter().map(|mass| 1.0 / mass).collect(),
            masses: masses.to_vec(),
            springs: Springs::new(&constraints, particles),
            constraints,
            config,
            scene: None,
            proximity: None,
            particles: Vec::new(),
            contacts: Vec::new(),
            hits: Vec::new(),
            ends: Vec::new(),
            rest: positions.to_vec(),
            faces,
            obstacles: Vec::new(),
            own: particles,
        };
        body.build_scene()?;
        Ok(body)
    }

    /// Adds an obstacle that stands still.
    ///
    /// # Errors
    /// [`SoftError::Crossing`] when it crosses what is there; nothing changes then.
    ///
    /// ```
    /// use impinge::{DVec3, generate};
    /// use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig, SoftError};
    /// let mut cloth = SoftBody::cloth(&ClothDesc::default(), SoftConfig::default())?;
    /// let through = generate::ball(0.3, 16, 8).map_err(|_| "ball")?;
    /// assert!(matches!(cloth.add_obstacle(&through), Err(SoftError::Crossing { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_obstacle(&mut self, mesh: &TriMesh) -> Result<(), SoftError> {
        let (points, faces) = (self.positions.len(), self.obstacles.len());
        let object = self.obstacles.last().map_or(1, |(_, object)| object + 1);
        let first = points as u32;
        self.positions.extend_from_slice(mesh.positions());
        self.rest.extend_from_slice(mesh.positions());
        let moved = mesh.faces().iter().map(|face| face.map(|v| v + first));
        self.obstacles.extend(moved.map(|face| (face, object)));
        let result = self.build_scene();
        if result.is_err() {
            self.positions.truncate(points);
            self.rest.truncate(points);
            self.obstacles.truncate(faces);
            self.build_scene()?;
        }
        self.velocities.resize(self.positions.len(), DVec3::ZERO);
        self.inverse_masses.resize(self.positions.len(), 0.0);
        self.masses.resize(self.positions.len(), 0.0);
        result
    }

    fn build_scene(&mut self) -> Result<(), SoftError> {
        if self.faces.is_empty() && self.obstacles.is_empty() {
            (self.scene, self.proximity) = (None, None);
            return Ok(());
        }
        let mut faces = self.faces.clone();
        let mut objects = vec![0; faces.len()];
        for (face, object) in &self.obstacles {
            faces.push(*face);
            objects.push(*object);
        }
        let scene = Scene::from_parts(self.positions.clone(), faces, objects)?;
        let request = SceneRequest {
            within: self.config.self_contact,
            duplicates: false,
            parallel: self.config.parallel,
            ..SceneRequest::default()
        };
        let answer = if scene.faces().len() < 64 {
            BruteForce::default().pairs(&scene, &request)
        } else {
            RefitBvhEngine::default().pairs(&scene, &request)
        };
        // What obstacles do among themselves is none of ours.
        let own = self.faces.len();
        let crossing = answer.pairs.iter().filter(|pair| pair.a.index() < own);
        let pairs = crossing.count();
        if pairs > 0 {
            return Err(SoftError::Crossing { pairs });
        }
        self.proximity = Some(Proximity::new(&self.rest, scene.faces(), own));
        self.scene = Some(scene);
        Ok(())
    }

    /// Holds a particle where it is.
    ///
    /// # Errors
    /// [`SoftError::BadParticle`].
    pub fn pin(&mut self, particle: usize) -> Result<(), SoftError> {
        let particles = self.own;
        let found = self.inverse_masses.get_mut(particle);
        match (found, self.velocities.get_mut(particle)) {
            (Some(inverse), Some(velocity)) if particle < particles => {
                (*inverse, *velocity) = (0.0, DVec3::ZERO);
                self.springs.forget();
                Ok(())
            }
            _ => Err(SoftError::BadParticle {
                what: "pin",
                index: particle,
                particles,
            }),
        }
    }

    /// Gives particles of the body velocities, in order.
    ///
    /// # Errors
    /// [`SoftError::OutOfRange`] for numbers that are not finite.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig};
    /// let mut cloth = SoftBody::cloth(&ClothDesc::default(), SoftConfig::default())?;
    /// cloth.set_velocities(&vec![DVec3::X; 441])?;
    /// assert!((cloth.momentum().x - cloth.mass()).abs() < 1e-12);
    /// # Ok::<(), impinge_dynamics::soft::SoftError>(())
    /// ```
    pub fn set_velocities(&mut self, velocities: &[DVec3]) -> Result<(), SoftError> {
        for v in velocities {
            finite("velocity", *v)?;
        }
        let own = self.velocities.iter_mut().take(self.own);
        for ((own, inverse), new) in own.zip(&self.inverse_masses).zip(velocities) {
            if *inverse > 0.0 {
                *own = *new;
            }
        }
        Ok(())
    }

    /// The particles of the body.
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        self.positions.get(..self.own).unwrap_or(&[])
    }

    /// The velocities of the particles.
    #[must_use]
    pub fn velocities(&self) -> &[DVec3] {
        self.velocities.get(..self.own).unwrap_or(&[])
    }

    /// The constraints.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The faces of the body.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// All faces with the obstacles, for queries about contact; none without faces.
    #[must_use]
    pub fn scene(&self) -> Option<&Scene> {
        self.scene.as_ref()
    }

    /// The mass of the body, pinned particles included.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    /// The momentum of the body.
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        let moving = self.velocities.iter().zip(&self.masses);
        moving.map(|(velocity, mass)| *velocity * *mass).sum()
    }

    /// The angular momentum about the origin.
    #[must_use]
    pub fn angular_momentum(&self) -> DVec3 {
        let moving = self.velocities.iter().zip(&self.masses);
        let placed = moving.zip(&self.positions);
        placed
            .map(|((velocity, mass), position)| position.cross(*velocity * *mass))
            .sum()
    }

    /// The largest relative stretch or compression of a distance.
    #[must_use]
    pub fn strain(&self) -> f64 {
        let at = |i: u32| self.positions.get(i as usize).copied().unwrap_or_default();
        self.constraints
            .iter()
            .map(|constraint| match *constraint {
                Constraint::Distance { ends, rest, .. } if rest > 0.0 => {
                    (at(ends[0]).distance(at(ends[1])) / rest - 1.0).abs()
                }
                _ => 0.0,
            })
            .fold(0.0, f64::max)
    }

    /// The sum of the volumes of all volume constraints, now and at rest.
    ///
    /// ```
    /// use impinge_dynamics::soft::{SoftBody, SoftConfig, SolidDesc};
    /// let cube = SoftBody::solid(&SolidDesc::default(), SoftConfig::default())?;
    /// let [now, rest] = cube.volumes();
    /// assert!((now - rest).abs() < 1e-12 && (rest - 8e-3).abs() < 1e-12);
    /// # Ok::<(), impinge_dynamics::soft::SoftError>(())
    /// ```
    #[must_use]
    pub fn volumes(&self) -> [f64; 2] {
        let at = |i: u32| self.positions.get(i as usize).copied().unwrap_or_default();
        let mut sums = [0.0; 2];
        for constraint in &self.constraints {
            if let Constraint::Volume { corners, rest, .. } = *constraint {
                let [a, b, c, d] = corners.map(at);
                sums[0] += (b - a).dot((c - a).cross(d - a)) / 6.0;
                sums[1] += rest;
            }
        }
        sums
    }
}

fn differ(numbers: &[u32], count: usize) -> bool {
    let known = numbers.iter().all(|&i| (i as usize) < count);
    let twice = |(i, number): (usize, &u32)| numbers.iter().skip(i + 1).any(|n| n == number);
    known && !numbers.iter().enumerate().any(twice)
}

fn check(config: &SoftConfig) -> Result<(), SoftError> {
    finite("gravity", config.gravity)?;
    at_least("number of substeps", config.substeps.into(), 1.0)?;
    at_least("number of iterations", config.iterations.into(), 1.0)?;
    at_least("drag", config.drag, 0.0)?;
    at_least("thickness", config.thickness, 1e-9)?;
    at_least("friction", config.friction, 0.0)?;
    Ok(())
}

fn finite(what: &'static str, v: DVec3) -> Result<(), SoftError> {
    match v.to_array().into_iter().find(|x| !x.is_finite()) {
        Some(value) => Err(SoftError::OutOfRange { what, value }),
        None => Ok(()),
    }
}
