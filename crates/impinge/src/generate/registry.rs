//! All models by name.

use glam::DVec3;

use super::error::{GenerateError, affordable};
use super::surface_builder::SurfaceBuilder;
use super::{
    assembly, blocks, chazelle, fractal, gear, geodesic, lathe, random, round, screw, sheets,
    stand_ins, tubes,
};
use crate::mesh::TriMesh;

/// A part of a model and what it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPart {
    /// The part's name, unique within its model.
    pub name: String,
    /// Its mesh, in the model's frame.
    pub mesh: TriMesh,
}

/// A model that can be made by name.
#[derive(Clone, Copy, Debug)]
pub struct ModelKind {
    /// The name, in kebab case.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Whether every part is a closed, oriented manifold.
    pub closed: bool,
    /// Whether the seed matters.
    pub seeded: bool,
    /// How many faces are aimed at when none are requested.
    pub default_faces: usize,
    build: Build,
}

#[derive(Clone, Copy, Debug)]
enum Build {
    Whole(fn(u64, u64) -> Result<TriMesh, GenerateError>),
    Parts(fn(u64, u64) -> Result<Vec<NamedPart>, GenerateError>),
}

impl ModelKind {
    /// The model's parts, of about `faces` faces together; a single part of the model's name for most.
    ///
    /// Parameters are chosen to come as near to `faces` as the model's formula allows: within 10 %
    /// from 2000 faces on, except for the fractals, which come in few sizes, and the tetrahedron,
    /// which has one. Fewer faces than the smallest size give the smallest size.
    ///
    /// # Errors
    /// [`GenerateError::TooManyFaces`] for more than [`MAX_FACES`](super::MAX_FACES).
    ///
    /// ```
    /// let hand = impinge::generate::model("hand").ok_or("no such model")?;
    /// assert_eq!(hand.parts(Some(5000), 0)?.len(), 16);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parts(&self, faces: Option<usize>, seed: u64) -> Result<Vec<NamedPart>, GenerateError> {
        let target = faces.unwrap_or(self.default_faces) as u64;
        affordable(target)?;
        match self.build {
            Build::Whole(make) => Ok(vec![NamedPart {
                name: self.name.to_owned(),
                mesh: make(target, seed)?,
            }]),
            Build::Parts(make) => make(target, seed),
        }
    }

    /// The model as one mesh, all parts together.
    ///
    /// # Errors
    /// As [`ModelKind::parts`].
    ///
    /// ```
    /// let blob = impinge::generate::model("blob").ok_or("no such model")?;
    /// assert_eq!(blob.make(Some(5000), 0)?.face_count(), 5120);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn make(&self, faces: Option<usize>, seed: u64) -> Result<TriMesh, GenerateError> {
        merged(&self.parts(faces, seed)?)
    }
}

/// All parts as one mesh: vertices and faces one part after the other.
///
/// # Errors
/// Only when the parts together are more than a mesh can hold.
///
/// ```
/// use impinge::generate::{hand, merged};
/// assert_eq!(merged(&hand(6, 2)?)?.face_count(), 768);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn merged(parts: &[NamedPart]) -> Result<TriMesh, GenerateError> {
    if let [only] = parts {
        return Ok(only.mesh.clone());
    }
    let mut surface = SurfaceBuilder::default();
    for part in parts {
        surface.append_placed(&part.mesh, |p: DVec3| p);
    }
    surface.finish()
}

/// The model with this name.
///
/// ```
/// assert!(impinge::generate::model("torus").is_some());
/// assert!(impinge::generate::model("doughnut").is_none());
/// ```
#[must_use]
pub fn model(name: &str) -> Option<&'static ModelKind> {
    MODELS.iter().find(|m| m.name == name)
}

const fn solid(
    name: &'static str,
    make: fn(u64, u64) -> Result<TriMesh, GenerateError>,
    about: &'static str,
) -> ModelKind {
    ModelKind {
        name,
        about,
        closed: true,
        seeded: false,
        default_faces: 2000,
        build: Build::Whole(make),
    }
}

const fn assembly(
    name: &'static str,
    make: fn(u64, u64) -> Result<Vec<NamedPart>, GenerateError>,
    about: &'static str,
) -> ModelKind {
    ModelKind {
        name,
        about,
        closed: true,
        seeded: false,
        default_faces: 5000,
        build: Build::Parts(make),
    }
}

const fn open(kind: ModelKind) -> ModelKind {
    ModelKind {
        closed: false,
        ..kind
    }
}

const fn seeded(kind: ModelKind) -> ModelKind {
    ModelKind {
        seeded: true,
        ..kind
    }
}

const fn of_size(default_faces: usize, kind: ModelKind) -> ModelKind {
    ModelKind {
        default_faces,
        ..kind
    }
}

/// All models, simple ones first.
///
/// ```
/// use impinge::generate::MODELS;
/// assert!(MODELS.iter().any(|m| m.name == "menger-sponge" && m.closed));
/// ```
pub const MODELS: &[ModelKind] = &[
    solid(
        "ball",
        round::fit_ball,
        "a ball with meridians and two poles",
    ),
    solid(
        "icosphere",
        geodesic::fit_icosphere,
        "a ball of nearly equal triangles",
    ),
    solid("capsule", round::fit_capsule, "a cylinder with round ends"),
    solid("cylinder", round::fit_cylinder, "a cylinder with flat ends"),
    solid("cone", round::fit_cone, "a cone with a flat base"),
    solid(
        "hyperboloid",
        round::fit_hyperboloid,
        "a waisted solid of revolution",
    ),
    solid("torus", round::fit_torus, "a ring"),
    solid(
        "half-torus",
        round::fit_half_torus,
        "half a ring with flat ends",
    ),
    solid(
        "torus-knot",
        tubes::fit_torus_knot,
        "a trefoil knot of round tube",
    ),
    solid(
        "spring",
        tubes::fit_spring,
        "a helical spring with flat ends",
    ),
    solid("net", tubes::fit_net, "a plain weave of separate strands"),
    solid("box", blocks::fit_cuboid, "a box of small squares"),
    solid(
        "cube-array",
        blocks::fit_cube_array,
        "separate cubes in rows, columns and layers",
    ),
    solid(
        "lattice",
        blocks::fit_lattice,
        "a closed frame of square beams",
    ),
    assembly(
        "cage",
        blocks::fit_cage,
        "six wall boxes around a hollow cube",
    ),
    solid(
        "tetrahedron",
        fractal::fit_tetrahedron,
        "the regular tetrahedron, always 4 faces",
    ),
    open(solid(
        "tetra-flake",
        fractal::fit_tetra_flake,
        "a tetrahedron with smaller ones on its faces, and so on",
    )),
    solid(
        "menger-sponge",
        fractal::fit_menger_sponge,
        "a cube with square tunnels of all sizes",
    ),
    solid(
        "gear",
        gear::fit_gear,
        "a spur gear with involute teeth and a bore",
    ),
    solid(
        "screw",
        screw::fit_screw,
        "a threaded screw with a hexagonal head",
    ),
    solid(
        "nut",
        screw::fit_nut,
        "a hexagonal nut with an inner thread",
    ),
    assembly(
        "screw-and-nut",
        screw::fit_screw_and_nut,
        "a screw with its nut on it, not touching",
    ),
    solid(
        "vase",
        lathe::fit_vase,
        "a hollow turned vessel with a thin wall",
    ),
    solid(
        "mushroom",
        lathe::fit_mushroom,
        "a stem with an overhanging cap",
    ),
    solid(
        "blob",
        geodesic::fit_blob,
        "a bumpy star-shaped body with two ears and a snout",
    ),
    solid(
        "chazelle",
        chazelle::fit_chazelle,
        "a box with notches up to two saddles, hard to cut into convex pieces",
    ),
    seeded(solid(
        "pipes",
        random::fit_pipes,
        "pipes that wander along a lattice without touching",
    )),
    open(seeded(solid(
        "soup",
        random::fit_soup,
        "unconnected random triangles",
    ))),
    open(seeded(solid(
        "terrain",
        sheets::fit_terrain,
        "a random height field",
    ))),
    open(solid("cloth", sheets::fit_cloth, "a flat square sheet")),
    open(seeded(solid(
        "netting",
        sheets::fit_netting,
        "a flat net of bands that are joined at knots",
    ))),
    open(solid(
        "car-shell",
        sheets::fit_car_shell,
        "the open shell of a car body",
    )),
    of_size(
        30_000,
        seeded(solid(
            "brain",
            stand_ins::fit_brain,
            "two halves with folds, star-shaped",
        )),
    ),
    of_size(
        1000,
        solid(
            "scalpel",
            stand_ins::fit_scalpel,
            "a flat handle with a thin blade",
        ),
    ),
    seeded(solid(
        "glove",
        stand_ins::fit_glove,
        "a palm with five fingers, star-shaped",
    )),
    seeded(assembly(
        "animals",
        stand_ins::fit_animals,
        "fish, turtle, bird, rabbit, bear and octopus in a row",
    )),
    assembly(
        "hand",
        assembly::fit_hand,
        "a hand of 16 parts, three per finger and a palm",
    ),
    assembly(
        "castle",
        assembly::fit_castle,
        "towers, battlements and a keep, 10 parts",
    ),
    assembly(
        "lock",
        assembly::fit_lock,
        "plates, pins, springs, bolt and cam, 19 parts",
    ),
];
