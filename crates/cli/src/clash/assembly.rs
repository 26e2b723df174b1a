//! The parts of everything named on the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use impinge::TriMesh;
use impinge::bound::Aabb;
use impinge::clash::{Part, unique_names};
use impinge::io::{self, Format, ReadOptions};
use impinge::mesh::point_in_mesh::InsideTest;
use impinge::mesh::repair::weld;

use super::precision::Precision;
use crate::args::ReadingArgs;
use crate::model_source::{self, ModelSource};
use crate::output::Output;
use crate::progress::Progress;

/// Folders within folders that are looked into.
const MAX_NESTING: usize = 16;

/// Something that could not be looked at.
#[derive(Clone, Debug)]
pub(super) struct Skipped {
    /// The part, or the file all of whose parts are missing.
    pub(super) name: String,
    /// Why.
    pub(super) error: String,
}

/// All parts, with names that tell them apart.
#[derive(Debug, Default)]
pub(super) struct AssemblyParts {
    pub(super) assembly: io::Assembly,
    pub(super) skipped: Vec<Skipped>,
    /// How far coordinates may be from where they were meant, because files round them.
    pub(super) precision: f64,
    /// What rounds them, of the file that rounds most.
    pub(super) precision_of: Option<Precision>,
    /// Units that files declare, each once.
    pub(super) units: Vec<io::Unit>,
}

impl AssemblyParts {
    pub(super) fn parts(&self) -> &[Part] {
        &self.assembly.parts
    }

    /// The length of the box around all parts.
    pub(super) fn size(&self) -> f64 {
        let bounds = (self.parts().iter())
            .filter(|part| !part.mesh.is_empty())
            .map(|part| part.mesh.bounds().transformed(&part.world_from_part))
            .fold(Aabb::EMPTY, |sum, b| Aabb {
                min: sum.min.min(b.min),
                max: sum.max.max(b.max),
            });
        if bounds.is_empty() {
            return 0.0;
        }
        bounds.diagonal().length()
    }

    /// How many faces all parts have, repeated meshes counted each time.
    pub(super) fn faces(&self) -> usize {
        self.parts().iter().map(|part| part.mesh.face_count()).sum()
    }

    /// How many different meshes there are, and their faces.
    pub(super) fn meshes(&self) -> (usize, usize) {
        let mut meshes: Vec<_> = self
            .parts()
            .iter()
            .map(|part| (Arc::as_ptr(&part.mesh), part.mesh.face_count()))
            .collect();
        meshes.sort_unstable();
        meshes.dedup();
        (meshes.len(), meshes.iter().map(|(_, faces)| faces).sum())
    }
}

impl AssemblyParts {
    /// Notes how a file rounds its coordinates; built-in models do not.
    fn take_precision(&mut self, item: &NamedInput, parts: &[Part], reading: &ReadingArgs) {
        let ModelSource::File(path) = &item.source else {
            return;
        };
        let precision = Precision::of_file(path);
        let factor = reading.scale * reading.units.map_or(1.0, io::Unit::metres);
        let length = precision.length(parts, factor);
        if length > self.precision {
            self.precision = length;
            self.precision_of = Some(precision);
        }
    }
}

/// A file or model, and what its parts are called after.
struct NamedInput {
    source: ModelSource,
    label: String,
}

/// Reads everything; what cannot be read is reported and left out.
pub(super) fn gather(
    sources: &[ModelSource],
    reading: &ReadingArgs,
    out: &Output,
) -> anyhow::Result<AssemblyParts> {
    let mut items = Vec::new();
    for source in sources {
        match source {
            ModelSource::File(path) if path.is_dir() => {
                let files = files_in(path)?;
                if files.is_empty() {
                    bail!("{}: no mesh file is in this folder", path.display());
                }
                items.extend(files.into_iter().map(|file| NamedInput {
                    label: label(file.strip_prefix(path).unwrap_or(&file)),
                    source: ModelSource::File(file),
                }));
            }
            ModelSource::File(path) => items.push(NamedInput {
                label: label(Path::new(path.file_name().unwrap_or(path.as_os_str()))),
                source: source.clone(),
            }),
            ModelSource::Builtin { name, .. } => items.push(NamedInput {
                label: (*name).to_owned(),
                source: source.clone(),
            }),
        }
    }
    let mut gathered = AssemblyParts::default();
    let is_alone = items.len() == 1;
    let progress = Progress::counted("reading", items.len(), out.is_quiet());
    for (number, item) in items.iter().enumerate() {
        progress.done(number);
        let skipped = &mut gathered.skipped;
        let mut skip = |name: String, error: String| {
            out.complaint(format_args!("skipped {name}: {error}"));
            skipped.push(Skipped { name, error });
        };
        match read(item, reading) {
            Ok(assembly) => {
                for note in &assembly.notes {
                    out.remark(format_args!("{}: {note}", item.source));
                }
                let is_one = assembly.parts.len() + assembly.refused.len() == 1;
                let full = |name: &str| match (is_alone, is_one) {
                    (true, _) => name.to_owned(),
                    (false, true) => item.label.clone(),
                    (false, false) => format!("{}/{name}", item.label),
                };
                for refused in &assembly.refused {
                    skip(full(&refused.name), refused.error.to_string());
                }
                gathered.take_precision(item, &assembly.parts, reading);
                if let Some(unit) = assembly.unit
                    && !gathered.units.contains(&unit)
                {
                    gathered.units.push(unit);
                }
                gathered
                    .assembly
                    .parts
                    .extend(assembly.parts.into_iter().map(|part| Part {
                        name: full(&part.name),
                        mesh: part.mesh,
                        world_from_part: part.world_from_part,
                    }));
            }
            Err(error) => skip(item.label.clone(), format!("{error:#}")),
        }
    }
    drop(progress);
    let names = unique_names(gathered.parts().iter().map(|part| part.name.as_str()));
    for (part, name) in gathered.assembly.parts.iter_mut().zip(names) {
        part.name = name;
    }
    Ok(gathered)
}

fn read(item: &NamedInput, reading: &ReadingArgs) -> anyhow::Result<io::Assembly> {
    let mut assembly = match &item.source {
        ModelSource::File(path) => {
            let options = ReadOptions {
                scale: reading.scale,
                units: reading.units,
                ..ReadOptions::default()
            };
            io::read_assembly(path, &options)?
        }
        ModelSource::Builtin { name, faces, seed } => {
            let factor = reading.scale * reading.units.map_or(1.0, io::Unit::metres);
            let model = model_source::make(name, *faces, *seed)?;
            model_source::scaled(model, factor)?.into()
        }
    };
    connect(&mut assembly);
    Ok(assembly)
}

/// Joins vertices in the same place where a mesh is not closed without that: files split them for colours and normals, or
/// cannot share them at all.
fn connect(assembly: &mut io::Assembly) {
    // Old meshes are kept while addresses are compared, so that no address is given away twice.
    let mut known: BTreeMap<*const TriMesh, [Arc<TriMesh>; 2]> = BTreeMap::new();
    for part in &mut assembly.parts {
        let is_shared = Arc::strong_count(&part.mesh) > 1;
        if let Some([_, new]) = known.get(&Arc::as_ptr(&part.mesh)) {
            part.mesh = Arc::clone(new);
            continue;
        }
        let new = connected(&part.mesh);
        let old = std::mem::replace(&mut part.mesh, Arc::clone(&new));
        if is_shared {
            known.insert(Arc::as_ptr(&old), [old, new]);
        }
    }
}

fn connected(mesh: &Arc<TriMesh>) -> Arc<TriMesh> {
    if InsideTest::new(mesh).is_ok() {
        return Arc::clone(mesh);
    }
    match weld(mesh, 0.0) {
        Ok(welded) if !welded.changes.is_none() => Arc::new(welded.mesh),
        _ => Arc::clone(mesh),
    }
}

/// The mesh files in a folder and the folders in it, sorted by path.
fn files_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, nesting)) = open.pop() {
        let entries = fs::read_dir(&folder)
            .with_context(|| format!("cannot look into {}", folder.display()))?;
        for entry in entries {
            let path = entry
                .with_context(|| format!("cannot look into {}", folder.display()))?
                .path();
            if path.is_dir() {
                if nesting < MAX_NESTING {
                    open.push((path, nesting + 1));
                }
            } else if Format::from_path(&path).is_some() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A path without the ending that selects the format.
fn label(path: &Path) -> String {
    let mut path = path.to_owned();
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"))
    {
        path.set_extension("");
    }
    path.set_extension("");
    path.to_string_lossy().replace('\\', "/")
}
