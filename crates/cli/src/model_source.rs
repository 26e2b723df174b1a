//! Where meshes come from: files and built-in models.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use impinge::TriMesh;
use impinge::generate::{self, MODELS, ModelKind};
use impinge::io::{self, Model, Part, ReadOptions};
use impinge::mesh::repair::weld;

use crate::args::ReadingArgs;
use crate::did_you_mean::did_you_mean;
use crate::progress;

/// A mesh that someone named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModelSource {
    /// A file.
    File(PathBuf),
    /// A built-in model.
    Builtin {
        /// Its name, known to exist.
        name: &'static str,
        /// About how many faces it should have.
        faces: Option<usize>,
        /// For the random ones.
        seed: u64,
    },
}

/// A mesh and what its file said about it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The model with its parts.
    pub(crate) model: Model,
    /// All parts as one mesh, faces in file order.
    pub(crate) mesh: Arc<TriMesh>,
    /// The file's polygon of each face, when the file has polygons with more than three corners.
    pub(crate) polygons: Option<Vec<u32>>,
    /// Whether no vertex is shared between faces.
    is_loose: bool,
}

impl Loaded {
    /// The mesh for questions of topology, and whether it was welded for them: loose triangles, as
    /// in STL and in files of other formats that share no vertex, do not say which of them are
    /// neighbours. Where a file says so anywhere, it is taken at its word.
    pub(crate) fn connected(&self) -> (Arc<TriMesh>, bool) {
        if !self.is_loose {
            return (Arc::clone(&self.mesh), false);
        }
        match weld(&self.mesh, 0.0) {
            Ok(welded) if !welded.changes.is_none() => (Arc::new(welded.mesh), true),
            _ => (Arc::clone(&self.mesh), false),
        }
    }
}

impl ModelSource {
    /// The model that a document in `folder` names, as it is.
    pub(crate) fn load_beside(name: &str, folder: &Path) -> anyhow::Result<Loaded> {
        let source = match name.parse()? {
            Self::File(path) => Self::File(folder.join(path)),
            builtin => builtin,
        };
        source.load_as_is()
    }

    /// Loads the model in its own units.
    pub(crate) fn load_as_is(&self) -> anyhow::Result<Loaded> {
        self.load(&ReadingArgs {
            scale: 1.0,
            units: None,
        })
    }
}

impl FromStr for ModelSource {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(spec) = text.strip_prefix(Self::PREFIX) else {
            return Ok(Self::File(text.into()));
        };
        let (name, settings) = spec.split_once('?').unwrap_or((spec, ""));
        let (mut faces, mut seed) = (None, 1);
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            match setting.split_once('=') {
                Some(("faces", n)) => faces = Some(whole_number("faces", n)?),
                Some(("seed", n)) => seed = whole_number("seed", n)?,
                _ => bail!("unknown setting '{setting}': a model has faces=N and seed=S"),
            }
        }
        Ok(Self::Builtin {
            name: kind(name)?.name,
            faces,
            seed,
        })
    }
}

fn whole_number<N: FromStr>(what: &str, text: &str) -> anyhow::Result<N> {
    text.parse()
        .map_err(|_| anyhow!("{what} must be a whole number, not '{text}'"))
}

impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Builtin { name, faces, seed } => {
                write!(f, "{}{name}", Self::PREFIX)?;
                let mut mark = '?';
                if let Some(faces) = faces {
                    write!(f, "{mark}faces={faces}")?;
                    mark = '&';
                }
                if *seed != 1 {
                    write!(f, "{mark}seed={seed}")?;
                }
                Ok(())
            }
        }
    }
}

impl ModelSource {
    /// What built-in models are written with.
    pub(crate) const PREFIX: &'static str = "model:";

    /// The mesh, which must have a face.
    pub(crate) fn load(&self, reading: &ReadingArgs) -> anyhow::Result<Loaded> {
        self.load_with(reading, false)
    }

    /// The mesh, also when it is empty.
    pub(crate) fn load_with(
        &self,
        reading: &ReadingArgs,
        allow_empty: bool,
    ) -> anyhow::Result<Loaded> {
        progress::during("reading", || self.load_now(reading, allow_empty))
    }

    fn load_now(&self, reading: &ReadingArgs, allow_empty: bool) -> anyhow::Result<Loaded> {
        let model = match self {
            Self::File(path) => read(path, reading, allow_empty)?,
            Self::Builtin { name, faces, seed } => {
                let factor = reading.scale * reading.units.map_or(1.0, io::Unit::metres);
                scaled(make(name, *faces, *seed)?, factor)?
            }
        };
        let (mesh, part_of_face) = model.merged();
        let polygons = merged_polygons(&model, &part_of_face);
        Ok(Loaded {
            is_loose: shares_no_vertex(&mesh),
            model,
            mesh: Arc::new(mesh),
            polygons,
        })
    }
}

/// Whether no two faces name the same vertex.
fn shares_no_vertex(mesh: &TriMesh) -> bool {
    let mut used = vec![false; mesh.vertex_count()];
    let corners = mesh.faces().iter().flatten();
    corners
        .map(|&v| {
            used.get_mut(v as usize)
                .map(|used| std::mem::replace(used, true))
        })
        .all(|was_used| was_used == Some(false))
}

/// The built-in model with this name.
pub(crate) fn make(name: &str, faces: Option<usize>, seed: u64) -> anyhow::Result<Model> {
    let parts = kind(name)?
        .parts(faces, seed)
        .with_context(|| format!("model {name}"))?;
    let parts: Vec<Part> = parts
        .into_iter()
        .map(|part| Part::new(part.name, part.mesh))
        .collect();
    Ok(Model::from(parts))
}

fn kind(name: &str) -> anyhow::Result<&'static ModelKind> {
    if let Some(kind) = generate::model(name) {
        return Ok(kind);
    }
    match did_you_mean(name, MODELS.iter().map(|kind| kind.name)) {
        Some(near) => bail!("there is no model '{name}'; did you mean '{near}'?"),
        None => bail!("there is no model '{name}'; `impinge generate --list` names them all"),
    }
}

fn read(path: &Path, reading: &ReadingArgs, allow_empty: bool) -> anyhow::Result<Model> {
    let options = ReadOptions {
        allow_empty,
        scale: reading.scale,
        units: reading.units,
        ..ReadOptions::default()
    };
    let text = path.to_string_lossy();
    io::read(path, &options).map_err(|error| {
        let is_model = !path.exists() && generate::model(&text).is_some();
        let error = anyhow::Error::from(error);
        if is_model {
            anyhow!(
                "{error:#}; the built-in model is written {}{text}",
                ModelSource::PREFIX
            )
        } else {
            error
        }
    })
}

/// The model with every length multiplied.
pub(crate) fn scaled(mut model: Model, factor: f64) -> anyhow::Result<Model> {
    if !(factor > 0.0 && factor.is_finite()) {
        bail!("the scale must be a positive finite number, not {factor}");
    }
    for part in &mut model.parts {
        let (mut positions, faces) = std::mem::take(&mut part.mesh).into_parts();
        for p in &mut positions {
            *p *= factor;
        }
        part.mesh = TriMesh::new(positions, faces)?;
    }
    Ok(model)
}

/// The polygon of each face of the merged mesh: a part's faces are in file order, so each part is
/// read from its beginning as its faces come up.
fn merged_polygons(model: &Model, part_of_face: &[u32]) -> Option<Vec<u32>> {
    if model.parts.iter().all(|part| part.polygons.is_none()) {
        return None;
    }
    let mut next = vec![0; model.parts.len()];
    part_of_face
        .iter()
        .map(|&part| {
            let place = next.get_mut(part as usize)?;
            let polygons = model.parts.get(part as usize)?.polygons.as_ref()?;
            *place += 1;
            polygons.get(*place - 1).copied()
        })
        .collect()
}
