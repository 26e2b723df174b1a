//! The recorded queries and scenes that are there.

use std::path::{Path, PathBuf};

use anyhow::Context;
use impinge_testkit::recorded::{Frames, Query, files, folder, frames, queries};

use super::Args;

/// Recorded data that is looked at when no paths are given, beside the folder that holds it.
const RECORDED: [&str; 3] = [
    "ccd-nyu-sample-queries",
    "ccd-scalable-sample/rod-twist",
    "ccd-scalable-sample/cloth-funnel",
];

/// The sets that bars are about.
pub(super) const ASKED: [&str; 6] = [
    "NYU vertex-face",
    "NYU edge-edge",
    "rod-twist vf",
    "rod-twist ee",
    "cloth-funnel vf",
    "cloth-funnel ee",
];

/// Queries under a name.
pub(super) struct RecordedSet {
    pub(super) name: String,
    pub(super) queries: Vec<Query>,
}

fn is_scene(path: &Path) -> bool {
    path.join("frames").is_dir()
}

/// A scene of two frames, by name.
pub(super) type RecordedScene = (String, Frames);

pub(super) fn load(args: &Args) -> anyhow::Result<(Vec<RecordedSet>, Vec<RecordedScene>)> {
    let mut sets: Vec<RecordedSet> = ["NYU vertex-face", "NYU edge-edge"]
        .map(|name| RecordedSet {
            name: name.to_owned(),
            queries: Vec::new(),
        })
        .into();
    let mut scenes = Vec::new();
    let recorded = || {
        let data = folder(Path::new(env!("CARGO_MANIFEST_DIR")))?;
        Some(RECORDED.map(|name| data.join(name)).into_iter())
    };
    let paths: Vec<PathBuf> = if args.paths.is_empty() {
        let all = recorded().into_iter().flatten();
        all.filter(|path| path.is_dir()).collect()
    } else {
        args.paths.clone()
    };
    for path in &paths {
        if is_scene(path) {
            let name = path
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default();
            let read = frames(path).with_context(|| path.display().to_string())?;
            scenes.push((name, read));
            continue;
        }
        let found = if path.is_dir() {
            files(path, ".csv")?
        } else {
            vec![path.clone()]
        };
        for file in found {
            for query in queries(&file).with_context(|| file.display().to_string())? {
                sets[usize::from(query.is_edges)].queries.push(query);
            }
        }
    }
    for (name, frames) in &scenes {
        for (kind, list) in [("vf", &frames.vertex_face), ("ee", &frames.edge_edge)] {
            sets.push(RecordedSet {
                name: format!("{name} {kind}"),
                queries: list.clone(),
            });
        }
    }
    // What is not there is not measured: no time for each of no queries.
    sets.retain(|set| !set.queries.is_empty());
    Ok((sets, scenes))
}
