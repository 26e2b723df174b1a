//! The pairs of models.

use anyhow::Context;
use impinge::io::{self, ReadOptions};
use impinge::math::Rng;
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};

use crate::folders::installed;
use crate::poses::LevelPose;

/// Where a mesh comes from.
#[derive(Clone, Debug)]
enum Source {
    /// A generated model with about this many faces.
    Made(&'static str, usize),
    /// A file of `target/models`, without its extension.
    File(&'static str),
}

#[derive(Clone, Debug)]
enum Meshes {
    /// Each scaled and centred by itself.
    Apart(Source, Source),
    /// The two parts of a generated model, as they fit.
    Fitting(&'static str, usize),
}

/// Two meshes that are measured against each other.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) class: &'static str,
    meshes: Meshes,
}

/// The standard pairs. Those of files are left out, with a word, when the files are not there.
pub(super) fn pairs(quick: bool) -> Vec<Pair> {
    use Source::{File, Made};
    let apart = |class, a, b| Pair {
        name: format!("{}-{}", name_of(&a), name_of(&b)),
        class,
        meshes: Meshes::Apart(a, b),
    };
    let fitting = |class, model, faces| Pair {
        name: model,
        class,
        meshes: Meshes::Fitting("screw-and-nut", faces),
    };
    let all = if quick {
        vec![
            apart("smooth", Made("blob", 5_000), Made("blob", 5_000)),
            apart(
                "spiky",
                Made("tetra-flake", 8_000),
                Made("tetra-flake", 8_000),
            ),
            apart("cad", Made("gear", 5_000), Made("gear", 5_000)),
            fitting("cad", "screw-nut".to_owned(), 10_000),
            apart("sparse", Made("lattice", 5_000), Made("net", 5_000)),
            apart("mixed", Made("castle", 5_000), Made("castle", 5_000)),
            apart(
                "knot",
                Made("torus-knot", 10_000),
                Made("torus-knot", 10_000),
            ),
            apart("scan", File("dragon-res4"), File("cow")),
        ]
    } else {
        vec![
            apart("smooth", Made("blob", 20_000), Made("blob", 20_000)),
            apart("smooth", Made("blob", 82_000), Made("blob", 82_000)),
            apart(
                "spiky",
                Made("tetra-flake", 32_000),
                Made("tetra-flake", 32_000),
            ),
            apart("cad", Made("gear", 20_000), Made("gear", 20_000)),
            fitting("cad", "screw-nut".to_owned(), 10_000),
            apart("sparse", Made("lattice", 20_000), Made("net", 20_000)),
            apart("sparse", Made("pipes", 50_000), Made("pipes", 50_000)),
            apart("mixed", Made("castle", 20_000), Made("castle", 20_000)),
            apart(
                "knot",
                Made("torus-knot", 100_000),
                Made("torus-knot", 100_000),
            ),
            apart(
                "large",
                Made("torus-knot", 1_000_000),
                Made("spring", 100_000),
            ),
            apart("scan", File("armadillo"), File("bunny")),
            apart("scan", File("dragon-res3"), File("cow")),
            apart("cad", File("turbine"), File("coupling")),
            apart("large", File("dragon"), File("bunny")),
        ]
    };
    all.into_iter()
        .filter(|pair| {
            let missing = pair.missing();
            if let Some(file) = missing {
                eprintln!("absent: model {file} (`cargo xtask models` fetches it)");
            }
            missing.is_none()
        })
        .collect()
}

fn name_of(source: &Source) -> String {
    match source {
        Source::File(name) => (*name).to_owned(),
        Source::Made(name, faces) if *faces >= 1_000_000 => format!("{name}{}m", faces / 1_000_000),
        Source::Made(name, faces) => format!("{name}{}k", faces / 1_000),
    }
}

impl Pair {
    fn missing(&self) -> Option<&'static str> {
        let Meshes::Apart(a, b) = &self.meshes else {
            return None;
        };
        [a, b].into_iter().find_map(|source| match source {
            Source::File(name) if file(name).is_none() => Some(*name),
            _ => None,
        })
    }

    /// Both meshes, with longest sides of 2 around the origin.
    pub(super) fn load(&self) -> anyhow::Result<(TriMesh, TriMesh)> {
        match &self.meshes {
            Meshes::Apart(a, b) => {
                let load = |source: &Source| {
                    let mesh = source.load()?;
                    let frame = Frame::of(&mesh);
                    frame.apply(mesh)
                };
                Ok((load(a)?, load(b)?))
            }
            Meshes::Fitting(model, faces) => {
                let kind = generate::model(model).with_context(|| format!("no model {model}"))?;
                let mut parts = kind.parts(Some(*faces), SHAPE_SEED)?.into_iter();
                let (Some(a), Some(b)) = (parts.next(), parts.next()) else {
                    anyhow::bail!("{model} has no two parts");
                };
                let frame = Frame::of(&a.mesh);
                Ok((frame.apply(a.mesh)?, frame.apply(b.mesh)?))
            }
        }
    }

    /// Poses in which fitting parts engage, shifted a little: the sphere method finds none of them.
    pub(super) fn engaged_poses(
        &self,
        diagonal: f64,
        count: usize,
        seed: u64,
    ) -> anyhow::Result<Vec<LevelPose>> {
        if !matches!(self.meshes, Meshes::Fitting(..)) {
            return Ok(Vec::new());
        }
        let mut rng = Rng::new(seed);
        let pose = |k: usize| {
            let shift = if k == 0 {
                DVec3::ZERO
            } else {
                rng.direction() * rng.range(0.0, 2e-3 * diagonal)
            };
            let pose = Pose::new(DMat3::IDENTITY, shift)?;
            Ok(LevelPose { level: 0.0, pose })
        };
        (0..count).map(pose).collect()
    }
}

/// Of generated models that are random.
const SHAPE_SEED: u64 = 1;

impl Source {
    fn load(&self) -> anyhow::Result<TriMesh> {
        match self {
            Self::Made(name, faces) => {
                let kind = generate::model(name).with_context(|| format!("no model {name}"))?;
                Ok(kind.make(Some(*faces), SHAPE_SEED)?)
            }
            Self::File(name) => {
                let path = file(name).with_context(|| format!("no file {name}"))?;
                Ok(io::read(&path, &ReadOptions::default())?.merged().0)
            }
        }
    }
}

/// A fetched model, brought to a longest side of 2; none when it is not there.
pub(crate) fn fetched(name: &'static str) -> anyhow::Result<Option<TriMesh>> {
    if file(name).is_none() {
        return Ok(None);
    }
    let mesh = Source::File(name).load()?;
    let frame = Frame::of(&mesh);
    Ok(Some(frame.apply(mesh)?))
}

/// The file of a fetched model, by its name without extension.
fn file(name: &str) -> Option<std::path::PathBuf> {
    #[derive(serde::Deserialize)]
    struct Entry {
        name: String,
        file: String,
    }
    let folder = installed().join("models");
    let index = std::fs::read_to_string(folder.join("index.json")).ok()?;
    let entries: Vec<Entry> = serde_json::from_str(&index).ok()?;
    let entry = entries.into_iter().find(|entry| entry.name == name)?;
    Some(folder.join(entry.file))
}

/// What brings a mesh to a longest side of 2 around the origin.
struct Frame {
    center: DVec3,
    scale: f64,
}

impl Frame {
    fn of(mesh: &TriMesh) -> Self {
        let bounds = mesh.bounds();
        let side = bounds.diagonal().max_element();
        Self {
            center: bounds.center(),
            scale: if side > 0.0 { 2.0 / side } else { 1.0 },
        }
    }

    fn apply(&self, mesh: TriMesh) -> anyhow::Result<TriMesh> {
        let (mut positions, faces) = mesh.into_parts();
        for p in &mut positions {
            *p = (*p - self.center) * self.scale;
        }
        Ok(TriMesh::new(positions, faces)?)
    }
}
