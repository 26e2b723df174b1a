//! The parts of a soft body.

use std::f64::consts::PI;

use impinge::{DVec3, Pose};

use super::error::{SphereSpringError, at_least};
use super::kernel::{Receiver, RowUnits, SpringEnd, SpringSums};
use super::ordering::{BLOCK, Ordering};

/// One sphere of a soft body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub position: DVec3,
    /// Its velocity.
    pub velocity: DVec3,
    /// Its volume now.
    pub volume: f64,
    /// The volume it tends to.
    pub rest_volume: f64,
    /// Its mass.
    pub mass: f64,
}

impl Sphere {
    /// A sphere at rest, of a radius and a density.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::sphere_spring::Sphere;
    /// let sphere = Sphere::new(DVec3::ZERO, 2.0, 1000.0);
    /// assert!((sphere.radius() - 2.0).abs() < 1e-15);
    /// assert_eq!(sphere.volume, sphere.rest_volume);
    /// ```
    #[must_use]
    pub fn new(position: DVec3, radius: f64, density: f64) -> Self {
        let volume = 4.0 / 3.0 * PI * radius * radius * radius;
        Self {
            position,
            velocity: DVec3::ZERO,
            volume,
            rest_volume: volume,
            mass: volume * density,
        }
    }

    /// The radius that belongs to its volume.
    #[must_use]
    pub fn radius(&self) -> f64 {
        libm::cbrt(self.volume * (3.0 / (4.0 * PI)))
    }
}

/// A damped spring between two spheres, along which they also press and exchange volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The spheres it joins.
    pub ends: [u32; 2],
    /// Its length at rest.
    pub rest: f64,
    /// Its stiffness in N/m.
    pub stiffness: f64,
    /// Its damping in N·s/m.
    pub damping: f64,
}

/// A spring from a sphere to a point that something else moves, such as a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The sphere.
    pub sphere: u32,
    /// Which frame the point belongs to.
    pub frame: u32,
    /// The point in that frame.
    pub point: DVec3,
    /// Its stiffness in N/m.
    pub stiffness: f64,
    /// Its damping against the moving point, in N·s/m.
    pub damping: f64,
}

/// A rigid plane that presses on all spheres from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    /// A point of the plane.
    pub point: DVec3,
    /// The unit normal of the free side.
    pub normal: DVec3,
    /// Force per depth in N/m.
    pub stiffness: f64,
}

/// How the work is distributed over threads; the result is the same, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One thread.
    One,
    /// All threads, where the feature `parallel` is on.
    All,
}

/// Constants of a soft body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereSpringConfig {
    /// Force per volume of overlap, in N/m³.
    pub volume_stiffness: f64,
    /// Which part of an overlap flows on in one iteration.
    pub transfer: f64,
    /// Which part of two spheres' difference from their rest is evened out in one iteration, 0 to 1.
    pub rest_exchange: f64,
    /// Drag relative to the surroundings, in N·s/m per kg.
    pub drag: f64,
    /// Acceleration of all spheres.
    pub gravity: DVec3,
    /// How the work is distributed over threads.
    pub threads: Threads,
}

impl Default for SphereSpringConfig {
    fn default() -> Self {
        Self {
            volume_stiffness: 1000.0,
            transfer: 0.05,
            rest_exchange: 0.05,
            drag: 0.0,
            gravity: DVec3::ZERO,
            threads: Threads::All,
        }
    }
}

/// What a sphere is besides what springs read of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SphereMatter {
    pub(super) volume: f64,
    pub(super) rest_volume: f64,
    pub(super) mass: f64,
}

/// The state of an iteration in the order of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) ends: Vec<SpringEnd>,
    pub(super) next: Vec<SpringEnd>,
    pub(super) matter: Vec<SphereMatter>,
    pub(super) next_volumes: Vec<f64>,
    /// The force on each sphere, to compare directions.
    pub(super) forces: Vec<[f32; 4]>,
    /// Volume that overlaps sent to each sphere.
    pub(super) gains: Vec<f64>,
    pub(super) blocks: Vec<BlockState>,
}

/// What a block sums up.
#[derive(Clone, Debug)]
pub(super) struct BlockState {
    pub(super) sums: Vec<SpringSums>,
    pub(super) units: Vec<RowUnits>,
    pub(super) receivers: Vec<Receiver>,
    pub(super) outflow: Vec<Outflow>,
    pub(super) radii: Vec<f64>,
    /// A sphere whose state is no longer finite.
    pub(super) diverged: Option<u32>,
}

/// The volume that flows out of a sphere in one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Outflow {
    /// Of the overlap.
    pub(super) amount: f64,
    /// Scales all that flows out, so that no sphere gives more than half of itself.
    pub(super) scale: f64,
}

/// A soft body of spheres and springs.
///
/// The [module](super) describes the method.
#[derive(Clone, Debug)]
pub struct SphereSpring {
    pub(super) spheres: Vec<Sphere>,
    pub(super) springs: Vec<Spring>,
    pub(super) config: SphereSpringConfig,
    pub(super) ordering: Ordering,
    pub(super) anchors: Vec<Anchor>,
    /// Anchors of sphere i are `anchors[anchor_starts[i]..anchor_starts[i + 1]]`.
    pub(super) anchor_starts: Vec<u32>,
    pub(super) frames: Vec<(Pose, Pose)>,
    pub(super) plates: Vec<Plate>,
    pub(super) external: Vec<DVec3>,
    pub(super) scratch: Scratch,
}

impl SphereSpring {
    /// The body of these parts.
    ///
    /// # Errors
    /// [`SphereSpringError`] for numbers out of range, springs that join no two spheres, or two springs
    /// between the same spheres.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::sphere_spring::{Sphere, SphereSpring, SphereSpringConfig, Spring};
    /// let spring = Spring { ends: [0, 0], rest: 1.0, stiffness: 1.0, damping: 0.0 };
    /// let one = vec![Sphere::new(DVec3::ZERO, 1.0, 1.0)];
    /// assert!(SphereSpring::new(one, vec![spring], SphereSpringConfig::default()).is_err());
    /// ```
    pub fn new(
        spheres: Vec<Sphere>,
        springs: Vec<Spring>,
        config: SphereSpringConfig,
    ) -> Result<Self, SphereSpringError> {
        let most = (u32::MAX / 4) as usize;
        if spheres.len() >= most || springs.len() >= most {
            return Err(SphereSpringError::TooMany { most });
        }
        check_config(&config)?;
        for sphere in &spheres {
            at_least("volume", sphere.volume, f64::MIN_POSITIVE)?;
            at_least("rest volume", sphere.rest_volume, f64::MIN_POSITIVE)?;
            at_least("mass", sphere.mass, f64::MIN_POSITIVE)?;
            finite("position", sphere.position)?;
            finite("velocity", sphere.velocity)?;
        }
        let mut joined: Vec<[u32; 2]> = Vec::with_capacity(springs.len());
        for (index, spring) in springs.iter().enumerate() {
            let [i, j] = spring.ends;
            if i == j || i.max(j) as usize >= spheres.len() {
                return Err(SphereSpringError::BadEnds {
                    what: "spring",
                    index,
                    spheres: spheres.len(),
                });
            }
            at_least("rest length", spring.rest, 0.0)?;
            at_least("stiffness", spring.stiffness, 0.0)?;
            at_least("damping", spring.damping, 0.0)?;
            joined.push([i.min(j), i.max(j)]);
        }
        joined.sort_unstable();
        if let Some(pair) = joined.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(SphereSpringError::Twice { ends: pair[0] });
        }
        let ordering = Ordering::new(&spheres, &springs);
        let count = spheres.len();
        let blocks = ordering.rows.iter().enumerate().map(|(block, rows)| {
            let own = BLOCK.min(count - block * BLOCK);
            BlockState {
                sums: vec![SpringSums::default(); own],
                units: vec![RowUnits::default(); rows.len()],
                receivers: vec![Receiver::NONE; own],
                outflow: vec![Outflow::default(); own],
                radii: vec![0.0; own],
                diverged: None,
            }
        });
        let each = ordering.sphere_at.iter().map(|i| &spheres[*i as usize]);
        Ok(Self {
            scratch: Scratch {
                ends: vec![SpringEnd::default(); count],
                next: vec![SpringEnd::default(); count],
                matter: each
                    .map(|sphere| SphereMatter {
                        volume: sphere.volume,
                        rest_volume: sphere.rest_volume,
                        mass: sphere.mass,
                    })
                    .collect(),
                next_volumes: vec![0.0; count],
                forces: vec![[0.0; 4]; count],
                gains: vec![0.0; count],
                blocks: blocks.collect(),
            },
            external: vec![DVec3::ZERO; count],
            anchors: Vec::new(),
            anchor_starts: vec![0; count + 1],
            frames: Vec::new(),
            plates: Vec::new(),
            spheres,
            springs,
            config,
            ordering,
        })
    }

    /// The spheres.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::sphere_spring::{Sphere, SphereSpring, SphereSpringConfig};
    /// let one = vec![Sphere::new(DVec3::ZERO, 1.0, 1.0)];
    /// let body = SphereSpring::new(one.clone(), vec![], SphereSpringConfig::default())?;
    /// assert_eq!((body.spheres(), body.springs().len()), (&one[..], 0));
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    #[must_use]
    pub fn spheres(&self) -> &[Sphere] {
        &self.spheres
    }

    /// The springs.
    #[must_use]
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Its constants, to be changed between steps.
    ///
    /// # Errors
    /// [`SphereSpringError::OutOfRange`].
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::{SphereSpring, SphereSpringConfig};
    /// let mut body = SphereSpring::new(vec![], vec![], SphereSpringConfig::default())?;
    /// let wrong = SphereSpringConfig { rest_exchange: 2.0, ..Default::default() };
    /// assert!(body.set_config(wrong).is_err());
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    pub fn set_config(&mut self, config: SphereSpringConfig) -> Result<(), SphereSpringError> {
        check_config(&config)?;
        self.config = config;
        Ok(())
    }

    /// Ties spheres to points of moving frames, whose poses start as given. Replaces earlier anchors.
    ///
    /// # Errors
    /// [`SphereSpringError`] for an anchor of no sphere or no frame, or numbers out of range.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// use impinge_dynamics::sphere_spring::{Anchor, Sphere, SphereSpring, SphereSpringConfig};
    /// let one = vec![Sphere::new(DVec3::ZERO, 1.0, 1.0)];
    /// let mut body = SphereSpring::new(one, vec![], SphereSpringConfig::default())?;
    /// let anchor =
    ///     Anchor { sphere: 0, frame: 0, point: DVec3::ZERO, stiffness: 1.0, damping: 0.1 };
    /// assert!(body.set_anchors(vec![anchor], &[]).is_err());
    /// body.set_anchors(vec![anchor], &[Pose::IDENTITY])?;
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    pub fn set_anchors(
        &mut self,
        mut anchors: Vec<Anchor>,
        frames: &[Pose],
    ) -> Result<(), SphereSpringError> {
        for (index, anchor) in anchors.iter().enumerate() {
            let known = (anchor.sphere as usize) < self.spheres.len();
            if !known || anchor.frame as usize >= frames.len() {
                return Err(SphereSpringError::BadEnds {
                    what: "anchor",
                    index,
                    spheres: self.spheres.len(),
                });
            }
            finite("anchor point", anchor.point)?;
            at_least("stiffness", anchor.stiffness, 0.0)?;
            at_least("damping", anchor.damping, 0.0)?;
        }
        anchors.sort_by_key(|anchor| anchor.sphere);
        let mut starts = Vec::with_capacity(self.spheres.len() + 1);
        let mut next = 0;
        for sphere in 0..=self.spheres.len() as u32 {
            while anchors.get(next).is_some_and(|a| a.sphere < sphere) {
                next += 1;
            }
            starts.push(next as u32);
        }
        self.anchors = anchors;
        self.anchor_starts = starts;
        self.frames = frames.iter().map(|pose| (*pose, *pose)).collect();
        Ok(())
    }

    /// Presses with these planes from the next step on. An empty list releases the body.
    ///
    /// # Errors
    /// [`SphereSpringError::OutOfRange`] for numbers that are not finite or a normal that is no unit vector.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::sphere_spring::{Plate, SphereSpring, SphereSpringConfig};
    /// let mut body = SphereSpring::new(vec![], vec![], SphereSpringConfig::default())?;
    /// let plate = Plate { point: DVec3::ZERO, normal: DVec3::Z * 2.0, stiffness: 1.0 };
    /// assert!(body.set_plates(vec![plate]).is_err());
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    pub fn set_plates(&mut self, plates: Vec<Plate>) -> Result<(), SphereSpringError> {
        for plate in &plates {
            finite("point of a plate", plate.point)?;
            finite("normal of a plate", plate.normal)?;
            at_least("stiffness of a plate", plate.stiffness, 0.0)?;
            let length = plate.normal.length();
            if (length - 1.0).abs() > 1e-9 {
                return Err(SphereSpringError::OutOfRange {
                    what: "length of a plate's normal",
                    value: length,
                });
            }
        }
        self.plates = plates;
        Ok(())
    }

    /// Lets a force act on a sphere in every step, in place of the last one set.
    ///
    /// # Errors
    /// [`SphereSpringError`] for a sphere that is not there or a force that is not finite.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::sphere_spring::{SphereSpring, SphereSpringConfig};
    /// let mut body = SphereSpring::new(vec![], vec![], SphereSpringConfig::default())?;
    /// assert!(body.set_force(0, DVec3::X).is_err());
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    pub fn set_force(&mut self, sphere: usize, force: DVec3) -> Result<(), SphereSpringError> {
        finite("force", force)?;
        let spheres = self.spheres.len();
        let external = self.external.get_mut(sphere);
        *external.ok_or(SphereSpringError::BadEnds {
            what: "force",
            index: sphere,
            spheres,
        })? = force;
        Ok(())
    }

    /// The sum of all volumes.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.spheres.iter().map(|sphere| sphere.volume).sum()
    }

    /// The sum of all momenta.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::sphere_spring::{Sphere, SphereSpring, SphereSpringConfig};
    /// let moving = Sphere { velocity: DVec3::X, mass: 2.0, ..Sphere::new(DVec3::ZERO, 1.0, 1.0) };
    /// let body = SphereSpring::new(vec![moving], vec![], SphereSpringConfig::default())?;
    /// assert_eq!((body.momentum(), body.energy()), (DVec3::X * 2.0, 1.0));
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        let spheres = self.spheres.iter();
        spheres.map(|sphere| sphere.velocity * sphere.mass).sum()
    }

    /// The sum of all angular momenta about the origin.
    #[must_use]
    pub fn angular_momentum(&self) -> DVec3 {
        let spheres = self.spheres.iter();
        spheres
            .map(|sphere| sphere.position.cross(sphere.velocity * sphere.mass))
            .sum()
    }

    /// Kinetic energy and energy of the springs; the volume force is left out.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let kinetic: f64 = self
            .spheres
            .iter()
            .map(|sphere| 0.5 * sphere.mass * sphere.velocity.length_squared())
            .sum();
        let elastic: f64 = self
            .springs
            .iter()
            .map(|spring| {
                let [i, j] = spring.ends.map(|end| self.position(end));
                let stretch = (i - j).length() - spring.rest;
                0.5 * spring.stiffness * stretch * stretch
            })
            .sum();
        kinetic + elastic
    }

    /// The volume of all overlaps of joined spheres.
    ///
    /// ```
    /// use impinge_dynamics::sphere_spring::{SphereSpring, SphereSpringConfig};
    /// let body = SphereSpring::new(vec![], vec![], SphereSpringConfig::default())?;
    /// assert_eq!(body.overlap(), 0.0);
    /// # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
    /// ```
    #[must_use]
    pub fn overlap(&self) -> f64 {
        self.springs
            .iter()
            .map(|spring| {
                let [i, j] = spring.ends.map(|end| self.spheres.get(end as usize));
                let (Some(i), Some(j)) = (i, j) else {
                    return 0.0;
                };
                let apart = i.position.distance(j.position);
                impinge::geom::lens_volume(i.radius(), j.radius(), apart)
            })
            .sum()
    }

    pub(super) fn position(&self, sphere: u32) -> DVec3 {
        let found = self.spheres.get(sphere as usize);
        found.map_or(DVec3::ZERO, |sphere| sphere.position)
    }
}

fn check_config(config: &SphereSpringConfig) -> Result<(), SphereSpringError> {
    at_least("volume stiffness", config.volume_stiffness, 0.0)?;
    at_least("transfer", config.transfer, 0.0)?;
    at_least("rest exchange", config.rest_exchange, 0.0)?;
    at_least(
        "complement of rest exchange",
        1.0 - config.rest_exchange,
        0.0,
    )?;
    at_least("drag", config.drag, 0.0)?;
    finite("gravity", config.gravity)
}

fn finite(what: &'static str, v: DVec3) -> Result<(), SphereSpringError> {
    match v.to_array().into_iter().find(|x| !x.is_finite()) {
        Some(value) => Err(SphereSpringError::OutOfRange { what, value }),
        None => Ok(()),
    }
}
