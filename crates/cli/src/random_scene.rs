//! A random population in a closed room, as `impinge run --random` makes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{bail, ensure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use impinge::TriMesh;
use impinge::bound::Aabb;
use impinge::generate::{cage, model};
use impinge::math::Rng;
use impinge::pair::{MeshShape, Shape};
use impinge_study::engines::MESH_ENGINES;

use crate::scene_file::{Cage, ObjectSpec, SceneFile};

/// The models of a population unless others are named.
const ZOO: &str = "ball,torus,cone,cylinder,hyperboloid,tetra-flake";
/// Edge of the room for each object along it, in sizes of an object.
const CELL: f64 = 2.0;
/// The fastest object, in its size per step, and degrees per step.
const FASTEST: f64 = 0.05;
const SPIN: f64 = 5.0;

/// The population and how its pairs are tested.
#[derive(Clone, Debug, Args)]
pub(crate) struct RandomArgs {
    /// Instead of a file: so many objects at random places of a room with six walls, which turn round where they touch
    #[arg(long, value_name = "N", conflicts_with = "pyramid")]
    pub(crate) random: Option<usize>,

    /// How many of them move [default: all]
    #[arg(long, value_name = "M", requires = "random")]
    pub(crate) movers: Option<usize>,

    /// Built-in models, in turn; each is as large as the others
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = ZOO, requires = "random")]
    pub(crate) models: Vec<String>,

    /// Faces of an object
    #[arg(long, value_name = "F", default_value_t = 200, requires = "random")]
    pub(crate) faces: usize,

    /// Edge of the room, in sizes of an object [default: 2 for each object along an edge]
    #[arg(long, value_name = "E", requires = "random")]
    pub(crate) room: Option<f64>,

    /// Seed of places, velocities and spins
    #[arg(long, value_name = "S", default_value_t = 1, requires = "random")]
    pub(crate) seed: u64,
}

/// How the pairs of a run are found and tested.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunMethodArgs {
    /// The engine for two meshes instead of the one that the library chooses
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(MESH_ENGINES.iter().map(|engine| engine.name())))]
    pub(crate) engine: Option<String>,

    /// Cells along an edge of a grid or an octree; of an octree it is rounded down to a power of two
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) resolution: Option<u32>,

    /// Threads that share the work of a step [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,

    /// Measure the stages of each step; --random always does
    #[arg(long)]
    pub(crate) timings: bool,
}

/// The scene and its shapes by name.
pub(crate) fn random_scene(
    args: &RandomArgs,
    count: usize,
) -> anyhow::Result<(SceneFile, BTreeMap<String, Shape>)> {
    let along = (count.max(1) as f64).cbrt().ceil();
    let edge = args.room.unwrap_or(CELL * along);
    ensure!(
        edge.is_finite() && edge > 0.0,
        "--room takes a positive number"
    );
    ensure!(
        (1..=1_000_000).contains(&count),
        "--random takes 1 to 1000000 objects"
    );
    let mut shapes = BTreeMap::new();
    let mut names = Vec::new();
    for name in &args.models {
        let Some(kind) = model(name) else {
            bail!("there is no model '{name}': `impinge generate --list` has them all");
        };
        let (points, faces) = kind.make(Some(args.faces), 1)?.into_parts();
        let bounds = Aabb::enclosing(points.iter().copied());
        let scale = 1.0 / bounds.diagonal().max_element();
        let points = points.into_iter().map(|p| (p - bounds.center()) * scale);
        let mesh = Arc::new(TriMesh::new(points.collect(), faces)?);
        shapes.insert(name.clone(), MeshShape::new(mesh).into());
        names.push(name.clone());
    }
    let mut objects = Vec::new();
    let mut rng = Rng::new(args.seed);
    // At first each is in a cell of its own, so that few touch.
    let cells = along as usize;
    let size = edge / along;
    let mut order: Vec<usize> = (0..cells.pow(3)).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    let movers = args.movers.unwrap_or(count);
    for (number, cell) in order.into_iter().take(count).enumerate() {
        let shape = &names[number % names.len()];
        let at = [cell % cells, cell / cells % cells, cell / cells / cells];
        let free = (0.5 * (size - 1.0)).max(0.0);
        let position = at.map(|k| (k as f64 + 0.5) * size - 0.5 * edge + rng.range(-free, free));
        let turn = (rng.direction() * rng.range(0.0, 180.0)).to_array();
        let velocity = (rng.direction() * rng.range(0.2 * FASTEST, FASTEST)).to_array();
        let spin = (rng.direction() * rng.range(0.0, SPIN)).to_array();
        objects.push(ObjectSpec {
            name: Some(format!("{shape}#{number}")),
            shape: shape.clone(),
            position,
            turn,
            velocity,
            spin,
            is_static: number >= movers,
        });
    }
    for wall in cage(edge, 0.5, 1)? {
        let mesh = Arc::new(wall.mesh);
        shapes.insert(wall.name.clone(), MeshShape::new(mesh).into());
        objects.push(ObjectSpec {
            name: Some(wall.name.clone()),
            shape: wall.name,
            position: [0.0; 3],
            turn: [0.0; 3],
            velocity: [0.0; 3],
            spin: [0.0; 3],
            is_static: true,
        });
    }
    let scene = SceneFile {
        steps: 100,
        dt: 1.0,
        broad_phase: "tree".to_owned(),
        solid: false,
        oriented_boxes: false,
        closer_than: None,
        contacts: false,
        bounce: true,
        // Whoever slips through a wall comes back.
        cage: Some(Cage {
            min: [-0.5 * edge; 3],
            max: [0.5 * edge; 3],
        }),
        shapes: BTreeMap::new(),
        objects,
        ignore: Vec::new(),
    };
    Ok((scene, shapes))
}
