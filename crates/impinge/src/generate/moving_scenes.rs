//! Scenes that move by formula: small deforming scenes for examples, tests and stress.
//!
//! Each is a few meshes whose vertices go somewhere else as time runs from 0 to 1. They are meant to be awkward: folds that meet
//! themselves, walls that pass through each other, faces of very different sizes, faces that all meet.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::error::{GenerateError, affordable};
use super::registry::{ModelKind, NamedPart};
use super::surface_builder::SurfaceBuilder;
use super::{ball, icosphere, model};
use crate::math::Rng;

/// A scene that moves by formula and can be made by name.
#[derive(Clone, Copy, Debug)]
pub struct SceneKind {
    /// The name, in kebab case.
    pub name: &'static str,
    /// What happens, in one line.
    pub about: &'static str,
    /// How many frames there are when none are requested.
    pub default_frames: usize,
    /// How many faces are aimed at when none are requested.
    pub default_faces: usize,
    make: fn(u64, u64) -> Result<Vec<NamedPart>, GenerateError>,
    place: fn(Vertex, f64) -> DVec3,
}

/// A vertex at rest.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    /// Which part it belongs to.
    part: usize,
    /// Where the part's middle is.
    middle: DVec3,
    rest: DVec3,
}

/// A scene that was made: parts at rest, and where their vertices are at any time.
#[derive(Clone, Debug)]
pub struct MovingScene {
    kind: SceneKind,
    parts: Vec<NamedPart>,
    middles: Vec<DVec3>,
}

impl SceneKind {
    /// The scene with about so many faces.
    ///
    /// # Errors
    /// [`GenerateError::TooManyFaces`] for more than [`MAX_FACES`](super::MAX_FACES).
    ///
    /// ```
    /// use impinge::generate::moving_scene;
    /// let curtain = moving_scene("curtain").ok_or("no such scene")?.make(Some(1000), 1)?;
    /// assert_eq!(curtain.parts()[0].name, "cloth");
    /// let count: usize = curtain.parts().iter().map(|part| part.mesh.vertex_count()).sum();
    /// assert_eq!(curtain.positions(0.5).len(), count);
    /// assert_ne!(curtain.positions(0.0), curtain.positions(1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn make(&self, faces: Option<usize>, seed: u64) -> Result<MovingScene, GenerateError> {
        let target = faces.unwrap_or(self.default_faces) as u64;
        affordable(target)?;
        let parts = (self.make)(target, seed)?;
        let middles = parts
            .iter()
            .map(|part| part.mesh.bounds().center())
            .collect();
        Ok(MovingScene {
            kind: *self,
            parts,
            middles,
        })
    }
}

impl MovingScene {
    /// The parts at rest.
    #[must_use]
    pub fn parts(&self) -> &[NamedPart] {
        &self.parts
    }

    /// All vertices at a time from 0 to 1, those of one part after those of the other.
    #[must_use]
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let mut positions = Vec::new();
        for (part, (named, &middle)) in self.parts.iter().zip(&self.middles).enumerate() {
            positions.extend(named.mesh.positions().iter().map(|&rest| {
                let vertex = Vertex { part, middle, rest };
                (self.kind.place)(vertex, time)
            }));
        }
        positions
    }
}

/// The scene with this name.
///
/// ```
/// assert!(impinge::generate::moving_scene("vase").is_some());
/// assert!(impinge::generate::moving_scene("opera").is_none());
/// ```
#[must_use]
pub fn moving_scene(name: &str) -> Option<&'static SceneKind> {
    MOVING_SCENES.iter().find(|scene| scene.name == name)
}

/// All scenes that move by formula.
///
/// ```
/// use impinge::generate::MOVING_SCENES;
/// assert!(MOVING_SCENES.iter().any(|scene| scene.name == "expanding-balls"));
/// ```
pub const MOVING_SCENES: &[SceneKind] = &[
    SceneKind {
        name: "curtain",
        about: "a curtain is drawn into folds that meet, and a ball flies through it",
        default_frames: 60,
        default_faces: 6000,
        make: curtain,
        place: in_curtain,
    },
    SceneKind {
        name: "expanding-balls",
        about: "eight balls grow until they pass through each other",
        default_frames: 60,
        default_faces: 6000,
        make: balls,
        place: in_balls,
    },
    SceneKind {
        name: "vase",
        about: "a thin vase is squeezed until its walls meet",
        default_frames: 60,
        default_faces: 6000,
        make: |faces, _| single("vase", faces),
        place: in_vase,
    },
    SceneKind {
        name: "half-torus",
        about: "a half ring is bent beyond a full one, so that its ends pass through each other",
        default_frames: 60,
        default_faces: 6000,
        make: |faces, _| single("half-torus", faces),
        place: in_half_torus,
    },
    SceneKind {
        name: "chazelle-pair",
        about: "two notched boxes cross, with quadratically many contacts",
        default_frames: 40,
        default_faces: 2000,
        make: |faces, _| {
            let mut parts = single("chazelle", faces / 2)?;
            parts.extend(single("chazelle", faces / 2)?);
            parts[0].name = "lower".to_owned();
            parts[1].name = "upper".to_owned();
            Ok(parts)
        },
        place: in_chazelle_pair,
    },
    SceneKind {
        name: "huge-and-tiny",
        about: "a few huge faces turn through a cloud of faces a hundred times smaller",
        default_frames: 40,
        default_faces: 6000,
        make: huge_and_tiny,
        place: in_huge_and_tiny,
    },
    SceneKind {
        name: "all-overlapping",
        about: "every face meets nearly every other",
        default_frames: 20,
        default_faces: 300,
        make: overlapping,
        place: in_overlapping,
    },
];

fn named(name: &str) -> Result<&'static ModelKind, GenerateError> {
    model(name).ok_or(GenerateError::Contradiction {
        why: "the model of a scene is missing",
    })
}

fn single(name: &str, faces: u64) -> Result<Vec<NamedPart>, GenerateError> {
    named(name)?.parts(Some(faces as usize), 0)
}

/// Folds in a curtain.
const FOLDS: f64 = 6.0;

fn curtain(faces: u64, _: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let mut parts = single("cloth", faces * 9 / 10)?;
    // 2·segments·(bands − 1) faces.
    let bands = ((faces as f64 / 20.0).sqrt() as u32).clamp(4, 2000);
    parts.push(NamedPart {
        name: "ball".to_owned(),
        mesh: ball(0.12, bands, bands)?,
    });
    Ok(parts)
}

fn in_curtain(vertex: Vertex, t: f64) -> DVec3 {
    let p = vertex.rest;
    if vertex.part == 1 {
        return p + DVec3::new(0.05, 0.9 - 1.8 * t, -0.05);
    }
    let fold = TAU * FOLDS * (p.x + 0.5);
    DVec3::new(
        p.x * (1.0 - 0.72 * t) + 0.035 * t * libm::sin(2.0 * fold),
        0.09 * t * libm::sin(fold) + 0.03 * libm::sin(TAU * (2.0 * p.y + 3.0 * t)),
        p.y,
    )
}

fn balls(faces: u64, seed: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let frequency = ((faces as f64 / 160.0).sqrt().round() as u32).max(1);
    let unit = icosphere(1.0, frequency)?;
    let mut rng = Rng::new(seed);
    (0..8_u32)
        .map(|k| {
            let corner = [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -1.0 } else { 1.0 });
            let middle = DVec3::from_array(corner) + rng.cube() * 0.2;
            let mut surface = SurfaceBuilder::default();
            surface.append_placed(&unit, |p| middle + p);
            Ok(NamedPart {
                name: format!("ball {k}"),
                mesh: surface.finish()?,
            })
        })
        .collect()
}

fn in_balls(vertex: Vertex, t: f64) -> DVec3 {
    let out = vertex.rest - vertex.middle;
    let bumps = 1.0 + 0.08 * libm::sin(9.0 * out.x + 5.0 * t) * libm::sin(9.0 * out.y + 3.0 * t);
    vertex.middle + out * (bumps * (0.3 + 0.9 * t))
}

fn in_vase(vertex: Vertex, t: f64) -> DVec3 {
    let p = vertex.rest;
    // The middle is pinched along x, and the whole is twisted.
    let pinch = 1.0 - 1.25 * t * libm::exp(-8.0 * (p.z - 1.0) * (p.z - 1.0));
    let (sine, cosine) = libm::sincos(0.8 * t * p.z);
    let (x, y) = (p.x * pinch, p.y);
    DVec3::new(x * cosine - y * sine, x * sine + y * cosine, p.z)
}

fn in_half_torus(vertex: Vertex, t: f64) -> DVec3 {
    let p = vertex.rest;
    let (radius, angle) = (libm::hypot(p.x, p.y), libm::atan2(p.y, p.x));
    let (sine, cosine) = libm::sincos(angle * (1.0 + 1.15 * t) - 0.5 * PI * t);
    DVec3::new(radius * cosine, radius * sine, p.z)
}

fn in_chazelle_pair(vertex: Vertex, t: f64) -> DVec3 {
    if vertex.part == 0 {
        return vertex.rest;
    }
    // The second is turned by a quarter about its middle, and sinks into the first.
    let p = vertex.rest - vertex.middle;
    let height = 2.0 * vertex.middle.z;
    // It is stretched on the way: the notches are too narrow for anything but affine maps.
    let stretch = 1.0 + 0.1 * t;
    vertex.middle + DVec3::new(-p.y, p.x * stretch, p.z + height * (1.05 - 1.2 * t))
}

fn huge_and_tiny(faces: u64, seed: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let mut rng = Rng::new(seed);
    let huge = (faces / 100).max(3);
    let mut large = SurfaceBuilder::default();
    for _ in 0..huge {
        let corners = [(); 3].map(|()| rng.direction() * 2.0);
        let [a, b, c] = corners.map(|p| large.point(p));
        large.triangle(a, b, c);
    }
    let mut tiny = SurfaceBuilder::default();
    for _ in 0..faces.saturating_sub(huge) {
        let middle = rng.cube();
        let corners = [(); 3].map(|()| middle + rng.cube() * 0.02);
        let [a, b, c] = corners.map(|p| tiny.point(p));
        tiny.triangle(a, b, c);
    }
    Ok(vec![
        NamedPart {
            name: "huge".to_owned(),
            mesh: large.finish()?,
        },
        NamedPart {
            name: "tiny".to_owned(),
            mesh: tiny.finish()?,
        },
    ])
}

fn in_huge_and_tiny(vertex: Vertex, t: f64) -> DVec3 {
    let p = vertex.rest;
    let angle = if vertex.part == 0 { t } else { -0.3 * t * p.z };
    let (sine, cosine) = libm::sincos(angle);
    DVec3::new(p.x * cosine - p.y * sine, p.x * sine + p.y * cosine, p.z)
}

fn overlapping(faces: u64, seed: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let mut rng = Rng::new(seed);
    let mut parts = Vec::new();
    for name in ["even", "odd"] {
        let mut surface = SurfaceBuilder::default();
        for _ in 0..faces / 2 {
            // Around the origin, so that the faces cross there.
            let (a, b) = (rng.direction(), rng.direction());
            let corners = [a, b, -(a + b)].map(|p| p + rng.cube() * 0.05);
            let [a, b, c] = corners.map(|p| surface.point(p));
            surface.triangle(a, b, c);
        }
        parts.push(NamedPart {
            name: name.to_owned(),
            mesh: surface.finish()?,
        });
    }
    Ok(parts)
}

fn in_overlapping(vertex: Vertex, t: f64) -> DVec3 {
    let p = vertex.rest;
    p + DVec3::new(
        libm::sin(3.0 * p.y + TAU * t),
        libm::sin(3.0 * p.z + TAU * t),
        libm::sin(3.0 * p.x),
    ) * (0.1 * t)
}
