//! `impinge run --pyramid`: a pyramid of boxes rests, then spheres are shot at it.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use impinge::convex::{Ball, Cuboid, HalfSpace};
use impinge::io::{Drawing, DrawingSurface, drawing_bytes};
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::rigid::{BodyDesc, BodyId, RigidWorld, WorldConfig};
use serde::Serialize;

use crate::ExitAnswer;
use crate::atomic_file;
use crate::number::{count_of, measure};
use crate::output::Output;
use crate::progress::Progress;

/// Half the edge of a box, in metres.
const HALF: f64 = 0.1;
/// The radius of a sphere.
const RADIUS: f64 = 0.15;
/// Steps a second.
const RATE: f64 = 60.0;

/// A pyramid and what is shot at it.
#[derive(Clone, Debug, Args)]
pub(crate) struct PyramidArgs {
    /// Instead of a file: a pyramid of boxes with so many rows, as rigid bodies, at which spheres are shot
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..=30))]
    pub(crate) pyramid: Option<u32>,

    /// Spheres, one after the other
    #[arg(long, value_name = "N", default_value_t = 3, requires = "pyramid", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) spheres: u32,

    /// Write the last state of the pyramid as a GLB model
    #[arg(long, value_name = "OUT", requires = "pyramid")]
    pub(crate) glb: Option<PathBuf>,
}

/// What became of it, for programs.
#[derive(Debug, Serialize)]
struct PyramidRecord {
    boxes: usize,
    spheres: usize,
    seconds: f64,
    /// How far a box moved before the first sphere at most.
    rest_drift: f64,
    /// The deepest penetration of two bodies at any step.
    deepest: f64,
    /// Boxes that are lower than they were by half an edge.
    fallen: usize,
    /// Contacts of two bodies after the last step.
    contacts: usize,
}

/// A pyramid and its bodies.
struct Pyramid {
    world: RigidWorld,
    boxes: Vec<BodyId>,
    spheres: Vec<BodyId>,
    deepest: f64,
}

impl Pyramid {
    fn new(rows: u32) -> anyhow::Result<Self> {
        let mut world = RigidWorld::new(WorldConfig::default())?;
        let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?;
        world.add(BodyDesc::fixed(ground, Pose::IDENTITY))?;
        let mut boxes = Vec::new();
        for row in 0..rows {
            for column in 0..rows - row {
                let x = (f64::from(column) - 0.5 * f64::from(rows - row - 1)) * 2.1 * HALF;
                let pose = Pose::from_translation([x, 0.0, HALF * f64::from(2 * row + 1)])?;
                let shape = Cuboid::new([HALF; 3])?;
                boxes.push(world.add(BodyDesc::solid(shape, 500.0, pose)?)?);
            }
        }
        Ok(Self {
            world,
            boxes,
            spheres: Vec::new(),
            deepest: 0.0,
        })
    }

    fn centers(&self) -> Vec<DVec3> {
        let center = |id: &BodyId| {
            self.world
                .body(*id)
                .map(impinge_dynamics::rigid::Body::center)
        };
        self.boxes.iter().filter_map(center).collect()
    }

    fn play(&mut self, seconds: f64) -> anyhow::Result<()> {
        for _ in 0..(seconds * RATE).round() as usize {
            self.world.step(1.0 / RATE)?;
            for contact in self.world.contacts() {
                self.deepest = self.deepest.max(-contact.separation);
            }
        }
        Ok(())
    }

    /// Shoots a sphere from the side, two metres off, at a point of the pyramid.
    fn shoot(&mut self, at: DVec3) -> anyhow::Result<()> {
        let pose = Pose::from_translation(at - 2.0 * DVec3::Y)?;
        let sphere = BodyDesc {
            velocity: 15.0 * DVec3::Y,
            ..BodyDesc::solid(Ball::new(RADIUS)?, 1200.0, pose)?
        };
        self.spheres.push(self.world.add(sphere)?);
        Ok(())
    }

    /// The boxes and spheres where they are.
    fn drawing(&self) -> anyhow::Result<Drawing> {
        let cube = generate::cuboid(DVec3::splat(2.0 * HALF), [1; 3])?;
        let ball = generate::icosphere(RADIUS, 8)?;
        let placed = |ids: &[BodyId], mesh: &TriMesh, name: &str, colour: [f32; 4]| {
            let mut surfaces = Vec::new();
            for (number, id) in ids.iter().enumerate() {
                if let Some(body) = self.world.body(*id) {
                    surfaces.push(DrawingSurface {
                        name: format!("{name} {number}"),
                        mesh: mesh.placed(body.pose())?,
                        colour,
                    });
                }
            }
            anyhow::Ok(surfaces)
        };
        let mut surfaces = placed(&self.boxes, &cube, "box", [0.75, 0.6, 0.4, 1.0])?;
        surfaces.extend(placed(
            &self.spheres,
            &ball,
            "sphere",
            [0.3, 0.4, 0.6, 1.0],
        )?);
        Ok(Drawing {
            surfaces,
            lines: Vec::new(),
        })
    }
}

/// Plays the pyramid.
pub(crate) fn run(args: &PyramidArgs, rows: u32, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let mut pyramid = Pyramid::new(rows)?;
    let start = pyramid.centers();
    let progress = Progress::counted("shooting", args.spheres as usize, out.is_quiet());
    // It rests for two seconds, also after the last sphere, and for half a second between two.
    pyramid.play(2.0)?;
    let rested = pyramid.centers();
    let drift = start.iter().zip(&rested).map(|(p, q)| p.distance(*q));
    let rest_drift = drift.fold(0.0, f64::max);
    let mut rng = Rng::new(1);
    for shot in 0..args.spheres {
        progress.done(shot as usize);
        let height = HALF * f64::from(rows);
        let at = DVec3::new(
            rng.range(-0.5, 0.5) * height,
            0.0,
            rng.range(0.5, 1.0) * height,
        );
        pyramid.shoot(at)?;
        pyramid.play(0.5)?;
    }
    pyramid.play(2.0)?;
    drop(progress);
    let end = pyramid.centers();
    let is_fallen = |(p, q): &(&DVec3, &DVec3)| q.z < p.z - HALF;
    let record = PyramidRecord {
        boxes: pyramid.boxes.len(),
        spheres: pyramid.spheres.len(),
        seconds: pyramid.world.time(),
        rest_drift,
        deepest: pyramid.deepest,
        fallen: rested.iter().zip(&end).filter(is_fallen).count(),
        contacts: pyramid.world.contacts().count(),
    };
    out.record(&record)?;
    out.facts(&[
        (
            "pyramid",
            format!(
                "{}, {}",
                count_of(record.boxes, "box", "boxes"),
                count_of(record.spheres, "sphere", "spheres")
            ),
        ),
        (
            "rest",
            format!("boxes move by {} m at most", measure(rest_drift)),
        ),
        ("deepest", format!("{} m", measure(record.deepest))),
        ("fallen", count_of(record.fallen, "box", "boxes")),
    ])?;
    if let Some(path) = &args.glb {
        atomic_file::write(path, &drawing_bytes(&pyramid.drawing()?)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    out.wrote(&args.glb)?;
    Ok(if record.fallen > 0 {
        ExitAnswer::Yes
    } else {
        ExitAnswer::No
    })
}
