//! Moving scenes from files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use impinge::broad::{
    BroadPhase, BruteForce, DynamicAabbTree, HashGrid, HierarchicalGrid, Octree, OctreeConfig,
    OrientedCells, SlabOctree, SweepAndPrune, UniformGrid, UniformGridConfig,
};
use impinge::cloud::{CloudReadOptions, CloudShape, read_cloud};
use impinge::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, Triangle,
};
use impinge::pair::{Compound, HeightField, MeshShape, Particles, Shape};
use impinge::{DVec3, Pose};
use serde::Deserialize;

use crate::did_you_mean::did_you_mean;
use crate::model_source::ModelSource;

/// A scene as the file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SceneFile {
    /// How many steps to make.
    #[serde(default = "one")]
    pub(crate) steps: usize,
    /// The time between two steps.
    #[serde(default = "hundredth")]
    pub(crate) dt: f64,
    /// The detector, by name.
    #[serde(default = "tree")]
    pub(crate) broad_phase: String,
    /// Whether closed meshes are solids.
    #[serde(default)]
    pub(crate) solid: bool,
    /// Whether boxes along the objects' own axes count where they are smaller.
    #[serde(default)]
    pub(crate) oriented_boxes: bool,
    /// Tell pairs that are at most this far apart, too.
    pub(crate) closer_than: Option<f64>,
    /// Tell where objects touch, at every step.
    #[serde(default)]
    pub(crate) contacts: bool,
    /// Whether velocity and spin are reversed where contact begins.
    #[serde(default)]
    pub(crate) bounce: bool,
    /// A box that objects do not leave: a velocity that leads out of it is mirrored.
    pub(crate) cage: Option<Cage>,
    /// Shapes by name.
    pub(crate) shapes: BTreeMap<String, ShapeSpec>,
    /// The objects.
    pub(crate) objects: Vec<ObjectSpec>,
    /// Pairs of which nobody wants to know, by the names of objects.
    #[serde(default)]
    pub(crate) ignore: Vec<[String; 2]>,
}

fn one() -> usize {
    1
}

fn hundredth() -> f64 {
    0.01
}

fn tree() -> String {
    DETECTORS[0].0.to_owned()
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cage {
    pub(crate) min: [f64; 3],
    pub(crate) max: [f64; 3],
}

/// An object of a scene.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObjectSpec {
    /// What it is called; `shape#number` when it has no name.
    pub(crate) name: Option<String>,
    /// The name of its shape.
    pub(crate) shape: String,
    /// Where it is at first.
    #[serde(default)]
    pub(crate) position: [f64; 3],
    /// How it is turned at first: an axis, as long as the angle in degrees.
    #[serde(default)]
    pub(crate) turn: [f64; 3],
    /// How it moves, per unit of time.
    #[serde(default)]
    pub(crate) velocity: [f64; 3],
    /// How it turns: an axis, as long as the degrees per unit of time.
    #[serde(default)]
    pub(crate) spin: [f64; 3],
    /// Whether it stays where it is.
    #[serde(default, rename = "static")]
    pub(crate) is_static: bool,
}

/// A shape of a scene.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum ShapeSpec {
    Ball(f64),
    Box([f64; 3]),
    Capsule {
        from: [f64; 3],
        to: [f64; 3],
        radius: f64,
    },
    Cylinder {
        half_height: f64,
        radius: f64,
    },
    Cone {
        half_height: f64,
        radius: f64,
    },
    Ellipsoid([f64; 3]),
    Segment([[f64; 3]; 2]),
    Triangle([[f64; 3]; 3]),
    HalfSpace {
        normal: [f64; 3],
        point: [f64; 3],
    },
    Hull(Vec<[f64; 3]>),
    HeightField {
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
        heights: Vec<f64>,
    },
    Particles {
        radius: f64,
        points: Vec<[f64; 3]>,
    },
    /// A file beside the scene, or a built-in model.
    Mesh(String),
    /// A file of points beside the scene.
    Cloud(PathBuf),
    /// Other shapes of the scene, each in its place.
    Compound(Vec<ChildSpec>),
}

/// A part of a compound.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChildSpec {
    /// The name of its shape, which is no compound itself.
    pub(crate) shape: String,
    /// Where it is in the compound.
    #[serde(default)]
    pub(crate) position: [f64; 3],
    /// How it is turned: an axis, as long as the angle in degrees.
    #[serde(default)]
    pub(crate) turn: [f64; 3],
}

/// Makes an empty detector.
type MakeDetector = fn() -> Box<dyn BroadPhase>;

/// The detectors by name, the default first.
const DETECTORS: [(&str, MakeDetector); 9] = [
    ("tree", || Box::new(DynamicAabbTree::default())),
    ("exhaustive", || Box::new(BruteForce::default())),
    ("sweep-and-prune", || Box::new(SweepAndPrune::default())),
    ("grid", || Box::new(UniformGrid::default())),
    ("oriented-grid", || {
        Box::new(UniformGrid::new(UniformGridConfig {
            oriented: OrientedCells::Conservative,
            ..UniformGridConfig::default()
        }))
    }),
    ("hash-grid", || Box::new(HashGrid::default())),
    (
        "hierarchical-grid",
        || Box::new(HierarchicalGrid::default()),
    ),
    ("octree", || Box::new(Octree::default())),
    ("slab-octree", || Box::new(SlabOctree::default())),
];

/// Their names.
pub(crate) fn detector_names() -> impl Iterator<Item = &'static str> {
    DETECTORS.iter().map(|(name, _)| *name)
}

/// The empty detector with this name.
pub(crate) fn detector(name: &str) -> anyhow::Result<Box<dyn BroadPhase>> {
    match DETECTORS.iter().find(|(known, _)| *known == name) {
        Some((_, make)) => Ok(make()),
        None => {
            let near = did_you_mean(name, detector_names());
            let near = near.map_or_else(String::new, |near| format!(" did you mean '{near}'?"));
            let all = detector_names().collect::<Vec<_>>().join(", ");
            bail!("there is no broad phase '{name}';{near} there are {all}")
        }
    }
}

/// The empty detector with this name and so many cells along an edge.
pub(crate) fn detector_with(
    name: &str,
    resolution: Option<u32>,
) -> anyhow::Result<Box<dyn BroadPhase>> {
    let Some(cells) = resolution else {
        return detector(name);
    };
    let grid = |oriented| -> Box<dyn BroadPhase> {
        Box::new(UniformGrid::new(UniformGridConfig {
            cells,
            oriented,
            ..UniformGridConfig::default()
        }))
    };
    Ok(match name {
        "grid" => grid(OrientedCells::default()),
        "oriented-grid" => grid(OrientedCells::Conservative),
        "octree" => Box::new(Octree::new(OctreeConfig {
            depth: cells.ilog2(),
            ..OctreeConfig::default()
        })),
        _ => {
            detector(name)?;
            bail!(
                "--resolution is of --broad-phase grid, oriented-grid or octree; '{name}' has none"
            )
        }
    })
}

/// Reads a scene; errors name line and column.
pub(crate) fn read(path: &Path) -> anyhow::Result<SceneFile> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the scene {}", path.display()))?;
    let scene: SceneFile =
        serde_json::from_str(&text).with_context(|| format!("scene {}", path.display()))?;
    if !scene.dt.is_finite() {
        bail!("scene {}: dt must be a number", path.display());
    }
    Ok(scene)
}

impl SceneFile {
    /// All shapes by name; files are looked for in `folder`.
    pub(crate) fn make_shapes(&self, folder: &Path) -> anyhow::Result<BTreeMap<String, Shape>> {
        let mut simple = BTreeMap::new();
        let mut compounds = Vec::new();
        for (name, spec) in &self.shapes {
            if let ShapeSpec::Compound(children) = spec {
                compounds.push((name.as_str(), children));
                continue;
            }
            let shape = spec.make(folder);
            let shape = shape.with_context(|| format!("shape '{name}'"))?;
            simple.insert(name.as_str(), shape);
        }
        let owned = simple
            .iter()
            .map(|(name, shape)| ((*name).to_owned(), shape.clone()));
        let mut all: BTreeMap<String, Shape> = owned.collect();
        for (name, children) in compounds {
            let shape = join(children, &simple).with_context(|| format!("shape '{name}'"))?;
            all.insert(name.to_owned(), shape);
        }
        Ok(all)
    }
}

/// The compound of these parts.
fn join(children: &[ChildSpec], simple: &BTreeMap<&str, Shape>) -> anyhow::Result<Shape> {
    let mut parts = Vec::new();
    for child in children {
        let shape = simple.get(child.shape.as_str()).cloned();
        let shape = shape.ok_or_else(|| {
            let near = did_you_mean(&child.shape, simple.keys().copied());
            let near = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            anyhow!(
                "there is no shape '{}' that is not a compound{near}",
                child.shape
            )
        })?;
        parts.push((turned(child.turn, child.position)?, shape));
    }
    Ok(Compound::new(parts)?.into())
}

impl ShapeSpec {
    /// The shape; files are looked for in `folder`. A compound cannot be made alone.
    fn make(&self, folder: &Path) -> anyhow::Result<Shape> {
        let points = |list: &[[f64; 3]]| list.iter().map(|p| DVec3::from(*p)).collect::<Vec<_>>();
        Ok(match self {
            Self::Ball(radius) => Ball::new(*radius)?.into(),
            Self::Box(half_extent) => Cuboid::new(*half_extent)?.into(),
            Self::Capsule { from, to, radius } => Capsule::new(*from, *to, *radius)?.into(),
            Self::Cylinder {
                half_height,
                radius,
            } => Cylinder::new(*half_height, *radius)?.into(),
            Self::Cone {
                half_height,
                radius,
            } => Cone::new(*half_height, *radius)?.into(),
            Self::Ellipsoid(radii) => Ellipsoid::new(*radii)?.into(),
            Self::Segment([from, to]) => Segment::new(*from, *to)?.into(),
            Self::Triangle(corners) => Triangle::new(corners.map(DVec3::from))?.into(),
            Self::HalfSpace { normal, point } => HalfSpace::new(*normal, *point)?.into(),
            Self::Hull(list) => Polyhedron::new(&points(list))?.into(),
            Self::HeightField {
                columns,
                rows,
                spacing,
                heights,
            } => HeightField::new(*columns, *rows, *spacing, heights.clone())?.into(),
            Self::Particles {
                radius,
                points: list,
            } => Particles::new(points(list), *radius)?.into(),
            Self::Mesh(source) => {
                let loaded = ModelSource::load_beside(source, folder)?;
                MeshShape::new(loaded.mesh).into()
            }
            Self::Cloud(path) => {
                let file = read_cloud(folder.join(path), &CloudReadOptions::default())?;
                CloudShape::new(Arc::new(file.cloud)).into()
            }
            Self::Compound(children) => join(children, &BTreeMap::new())?,
        })
    }
}

/// A pose that turns by a vector, as long as the angle in degrees, about its direction.
pub(crate) fn turned(by: [f64; 3], position: [f64; 3]) -> anyhow::Result<Pose> {
    let by = DVec3::from(by);
    let angle = by.length().to_radians();
    let pose = match by.try_normalize() {
        Some(axis) => Pose::from_axis_angle(axis, angle, position),
        None => Pose::from_translation(position),
    };
    pose.map_err(|error| anyhow!("a placement is out of range: {error}"))
}
