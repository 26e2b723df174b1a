//! Stand-ins for scanned models: a brain, a scalpel, a glove, six animals.
//!
//! All but the scalpel are star-shaped around the middle, so that they never intersect themselves.

use glam::DVec3;

use super::NamedPart;
use super::error::{GenerateError, affordable, at_least, times};
use super::fit_face_count::{nearest, nearest_pair};
use super::geodesic::icosphere;
use super::surface_builder::{SurfaceBuilder, TubeEnds, placed, tube};
use crate::math::Rng;
use crate::mesh::TriMesh;

fn star_faces(frequency: u64) -> u64 {
    times([20, frequency, frequency])
}

/// What grows out of a star-shaped body: height, direction, sharpness.
#[derive(Clone, Copy)]
struct Lobe(f64, [f64; 3], f64);

impl Lobe {
    fn height_at(&self, direction: DVec3) -> f64 {
        let toward = direction.dot(DVec3::from(self.1).normalize());
        self.0 * libm::exp(self.2 * (toward - 1.0))
    }
}

/// An ellipsoid with lobes.
fn body(radii: DVec3, lobes: &[Lobe], direction: DVec3) -> DVec3 {
    let ellipsoid = 1.0 / (direction / radii).length();
    let grown = lobes
        .iter()
        .map(|lobe| lobe.height_at(direction))
        .sum::<f64>();
    direction * (ellipsoid + grown)
}

/// A brain of two halves with folds, about 2 units long: 20·frequency² faces, 30 420 for 39. The seed
/// draws the folds.
///
/// # Errors
/// Needs a positive frequency.
///
/// ```
/// assert_eq!(impinge::generate::brain(39, 1)?.face_count(), 30_420);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn brain(frequency: u32, seed: u64) -> Result<TriMesh, GenerateError> {
    let sphere = icosphere(1.0, frequency)?;
    let mut rng = Rng::new(seed);
    // Folds are valleys along the zero lines of waves that bend each other.
    let waves = [(); 5].map(|()| {
        let along = rng.direction() * rng.range(6.0, 9.0);
        let bend = rng.direction() * rng.range(3.0, 5.0);
        (along, bend, rng.range(0.0, 6.0))
    });
    placed(&sphere, |d| {
        let mut fold = 0.0;
        for (along, bend, phase) in waves {
            let wave = libm::sin(along.dot(d) + 1.5 * libm::sin(bend.dot(d)) + phase);
            fold -= libm::exp(-wave * wave * 12.0);
        }
        // The halves are apart above, and joined below.
        let above = 1.0 / (1.0 + libm::exp(-8.0 * (d.z + 0.2)));
        let fissure = libm::exp(-d.x * d.x * 180.0) * above;
        let radii = DVec3::new(0.78, 1.0, 0.72);
        let radius = 1.0 / (d / radii).length();
        d * (radius * (1.0 + 0.035 * fold - 0.22 * fissure))
    })
}

pub(super) fn fit_brain(target: u64, seed: u64) -> Result<TriMesh, GenerateError> {
    brain(nearest(target, 1, star_faces), seed)
}

/// A glove with five fingers, star-shaped around the palm: 20·frequency² faces. The seed spreads and
/// bends the fingers.
///
/// # Errors
/// Needs a positive frequency.
///
/// ```
/// assert_eq!(impinge::generate::glove(10, 1)?.face_count(), 2000);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn glove(frequency: u32, seed: u64) -> Result<TriMesh, GenerateError> {
    let sphere = icosphere(1.0, frequency)?;
    let mut rng = Rng::new(seed);
    let fingers = [
        (-1.15, 0.75, 60.0),
        (-0.42, 1.05, 110.0),
        (-0.10, 1.15, 110.0),
        (0.22, 1.05, 110.0),
        (0.55, 0.85, 110.0),
    ];
    let mut lobes = fingers.map(|(angle, length, sharpness)| {
        let angle = angle + rng.range(-0.05, 0.05);
        let bend = rng.range(-0.25, 0.05);
        Lobe(
            length,
            [libm::sin(angle), libm::cos(angle), bend],
            sharpness,
        )
    });
    lobes[0].1[2] -= 0.2;
    let cuff = Lobe(0.35, [0.0, -1.0, 0.0], 12.0);
    let all = [&lobes[..], &[cuff]].concat();
    placed(&sphere, |d| body(DVec3::new(0.55, 0.62, 0.22), &all, d))
}

pub(super) fn fit_glove(target: u64, seed: u64) -> Result<TriMesh, GenerateError> {
    glove(nearest(target, 1, star_faces), seed)
}

fn scalpel_faces(segments: u64, sides: u64) -> u64 {
    times([2, segments, sides]) + 2 * (sides - 2)
}

/// A scalpel along x with its tip at the origin, 2 units long: 2·segments·sides + 2·(sides − 2) faces,
/// 988 for 30 segments and 16 sides.
///
/// # Errors
/// Needs 4 segments and 4 sides.
///
/// ```
/// assert_eq!(impinge::generate::scalpel(30, 16)?.face_count(), 988);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn scalpel(segments: u32, sides: u32) -> Result<TriMesh, GenerateError> {
    at_least("segments", segments, 4)?;
    at_least("sides", sides, 4)?;
    let faces = scalpel_faces(segments.into(), sides.into());
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let sections = (0..=segments).map(|i| {
        let s = f64::from(i) / f64::from(segments);
        // Closer together in the blade, which is the first quarter.
        let x = 2.0 * s * (0.4 + 0.6 * s);
        let (width, thickness) = if x < 0.5 {
            let part = x / 0.5;
            (0.004 + 0.07 * part.sqrt(), 0.003 + 0.006 * part)
        } else {
            let part = ((x - 0.5) / 0.2).min(1.0);
            (0.074 - 0.02 * part, 0.009 + 0.031 * part)
        };
        // The back of the blade is straight: its sections hang below the axis.
        let centre = DVec3::new(x, 0.0, if x < 0.5 { 0.074 - width } else { 0.0 });
        (centre, DVec3::Y * thickness, DVec3::Z * width)
    });
    tube(&mut surface, sections, 1.0, sides, TubeEnds::Lids);
    surface.finish()
}

pub(super) fn fit_scalpel(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (segments, sides) = nearest_pair(target, (4, 4), 2, scalpel_faces);
    scalpel(segments, sides)
}

/// Name, radii and lobes of the animals.
const ANIMALS: [(&str, [f64; 3], &[Lobe]); 6] = [
    (
        "fish",
        [0.28, 0.75, 0.4],
        &[
            Lobe(0.35, [0.0, -1.0, 0.45], 60.0),
            Lobe(0.35, [0.0, -1.0, -0.45], 60.0),
            Lobe(0.25, [0.0, 0.2, 1.0], 40.0),
        ],
    ),
    (
        "turtle",
        [0.65, 0.75, 0.35],
        &[
            Lobe(0.35, [0.0, 1.0, 0.1], 50.0),
            Lobe(0.3, [0.9, 0.7, -0.4], 50.0),
            Lobe(0.3, [-0.9, 0.7, -0.4], 50.0),
            Lobe(0.3, [0.9, -0.7, -0.4], 50.0),
            Lobe(0.3, [-0.9, -0.7, -0.4], 50.0),
        ],
    ),
    (
        "bird",
        [0.4, 0.6, 0.42],
        &[
            Lobe(0.45, [0.0, 0.8, 0.75], 16.0),
            Lobe(0.75, [1.0, -0.1, 0.35], 50.0),
            Lobe(0.75, [-1.0, -0.1, 0.35], 50.0),
            Lobe(0.35, [0.0, -1.0, 0.2], 40.0),
        ],
    ),
    (
        "rabbit",
        [0.5, 0.6, 0.6],
        &[
            Lobe(0.8, [0.3, 0.4, 1.0], 60.0),
            Lobe(0.8, [-0.3, 0.4, 1.0], 60.0),
            Lobe(0.3, [0.0, 1.0, 0.4], 14.0),
            Lobe(0.15, [0.0, -1.0, 0.0], 30.0),
        ],
    ),
    (
        "bear",
        [0.55, 0.7, 0.55],
        &[
            Lobe(0.4, [0.0, 1.0, 0.5], 12.0),
            Lobe(0.45, [0.7, 0.6, -1.0], 40.0),
            Lobe(0.45, [-0.7, 0.6, -1.0], 40.0),
            Lobe(0.45, [0.7, -0.6, -1.0], 40.0),
            Lobe(0.45, [-0.7, -0.6, -1.0], 40.0),
        ],
    ),
    (
        "octopus",
        [0.45, 0.45, 0.6],
        &[
            Lobe(0.6, [1.0, 0.0, -0.7], 50.0),
            Lobe(0.6, [0.5, 0.87, -0.7], 50.0),
            Lobe(0.6, [-0.5, 0.87, -0.7], 50.0),
            Lobe(0.6, [-1.0, 0.0, -0.7], 50.0),
            Lobe(0.6, [-0.5, -0.87, -0.7], 50.0),
            Lobe(0.6, [0.5, -0.87, -0.7], 50.0),
        ],
    ),
];

/// The frequency of each animal.
fn animal_frequencies(steps: u64) -> [u64; 6] {
    [0, 1, 2, 3, 4, 5].map(|animal| (steps + 5 - animal) / 6)
}

fn animal_faces(steps: u64) -> u64 {
    let each = animal_frequencies(steps).map(star_faces);
    each.into_iter().fold(0, u64::saturating_add)
}

/// Six animals in a row that do not touch: fish, turtle, bird, rabbit, bear and octopus. Each is an
/// icosphere of a sixth of the steps, rounded so that they add up: 120·f² faces for 6·f steps. The seed
/// gives each its proportions.
///
/// # Errors
/// Needs 6 steps.
///
/// ```
/// let animals = impinge::generate::animals(60, 1)?;
/// assert_eq!(animals.len(), 6);
/// assert!(animals.iter().all(|animal| animal.mesh.face_count() == 2000));
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn animals(steps: u32, seed: u64) -> Result<Vec<NamedPart>, GenerateError> {
    at_least("steps", steps, 6)?;
    affordable(animal_faces(steps.into()))?;
    let mut rng = Rng::new(seed);
    let frequencies = animal_frequencies(steps.into());
    let mut parts = Vec::with_capacity(ANIMALS.len());
    for (i, ((name, radii, lobes), frequency)) in ANIMALS.iter().zip(frequencies).enumerate() {
        let sphere = icosphere(1.0, frequency as u32)?;
        let stretch = [(); 3].map(|()| rng.range(0.9, 1.1));
        let radii = DVec3::from(*radii) * DVec3::from(stretch);
        let lobes: Vec<Lobe> = lobes
            .iter()
            .map(|&Lobe(height, direction, sharpness)| {
                Lobe(height * rng.range(0.85, 1.15), direction, sharpness)
            })
            .collect();
        let place = DVec3::X * (3.5 * i as f64);
        parts.push(NamedPart {
            name: (*name).to_owned(),
            mesh: placed(&sphere, |d| place + body(radii, &lobes, d))?,
        });
    }
    Ok(parts)
}

pub(super) fn fit_animals(target: u64, seed: u64) -> Result<Vec<NamedPart>, GenerateError> {
    animals(nearest(target, 6, animal_faces), seed)
}
