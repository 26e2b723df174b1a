//! `configurations generate`: files are made, gone on with, or left alone; a damaged one is set aside and made anew.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::file::{FoundBy, Header, Reader};
use super::generate::{Job, Made};
use super::pairs::{Meshes, ModelPair, chosen};
use super::sampling::{Kind, Preset};
use super::scene::ModelPairScene;
use super::{Files, GenerateArgs};
use crate::Bar;
use crate::folders::create;

/// Damaged files of one name that are kept at most.
const MOST_ASIDE: usize = 999;

/// What became of a requested file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// None when it was there, and whole.
    pub(crate) made: Option<Made>,
    /// What was wrong with the one that was there, and where that is now.
    pub(crate) damage: Option<String>,
}

/// Makes a file, unless a whole one is there and `job.resume` says to keep it. One that is damaged is set aside, not lost.
///
/// # Errors
/// A folder or a file that cannot be written.
pub(crate) fn make(job: &Job, scene: &ModelPairScene, folder: &Path) -> anyhow::Result<Outcome> {
    create(folder)?;
    let path = job.path(folder);
    let mut damage = None;
    if job.resume && path.is_file() {
        match contents(&path) {
            Ok(found) if found.header == job.header(scene) => return Ok(Outcome::default()),
            Ok(_) => eprintln!("{} has other settings and is made anew", path.display()),
            Err(error) => {
                let aside = set_aside(&path)?;
                let words = format!(
                    "{error:#}; it is kept as {}, and made anew",
                    aside.display()
                );
                eprintln!("{words}");
                damage = Some(words);
            }
        }
    }
    Ok(Outcome {
        made: Some(job.run(scene, &path)?),
        damage,
    })
}

/// Gives a damaged file another name: its own and `.damaged`, with a number where there is one already.
fn set_aside(path: &Path) -> anyhow::Result<PathBuf> {
    let name = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(".damaged");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        PathBuf::from(name)
    };
    let aside = (1..=MOST_ASIDE)
        .map(name)
        .find(|aside| !aside.exists())
        .with_context(|| format!("{MOST_ASIDE} damaged files {} are kept", path.display()))?;
    std::fs::rename(path, &aside)
        .with_context(|| format!("cannot rename {} to {}", path.display(), aside.display()))?;
    Ok(aside)
}

/// What is in a whole file.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    pub(super) header: Header,
    pub(super) records: u64,
    /// Those of them that were not reached.
    pub(super) unreached: u64,
}

/// Reads a file to its end.
///
/// # Errors
/// Damage, with its place.
pub(super) fn contents(path: &Path) -> anyhow::Result<Contents> {
    let mut reader = Reader::open(path)?;
    let (mut records, mut unreached) = (0, 0);
    while let Some(block) = reader.next_block()? {
        records += block.len() as u64;
        unreached += block.iter().filter(|c| c.way == FoundBy::Unreached).count() as u64;
    }
    Ok(Contents {
        header: reader.header,
        records,
        unreached,
    })
}

/// What was found about the files of one pair.
#[derive(Debug, Default)]
struct PairTally {
    files: usize,
    /// Files in which every configuration is there.
    complete: usize,
    unreached: u64,
}

pub(super) fn generate_all(args: &GenerateArgs) -> anyhow::Result<Bar> {
    let files = &args.files;
    let pairs = chosen(&files.pairs)?;
    let folder = files.folder();
    // At once, and not after the first minutes of a search.
    create(&folder)?;
    let (mut complete, mut all, mut unreached) = (0, 0, 0);
    println!(
        "{:<14} {:<9} {:>12} {:>10} {:>10} {:>10} {:>9} {:>8} {:>9}",
        "pair", "kind", "configs", "off line", "unreached", "queries", "per conf.", "s", "bytes"
    );
    for pair in pairs {
        let Some(meshes) = pair.load()? else { continue };
        let tally = generate_pair(args, &pair, &meshes, &folder);
        unreached += tally.unreached;
        // A pair of which nothing was asked for is none.
        if tally.files > 0 {
            complete += usize::from(tally.complete == tally.files);
            all += 1;
        }
    }
    println!("Files are in {}.", folder.display());
    let bar = if all == 0 {
        Bar::Open
    } else {
        Bar::of(unreached == 0 && complete == all)
    };
    println!(
        "bar: every configuration of {complete} of {all} pairs was found ({unreached} were not): {}",
        bar.word()
    );
    Ok(bar)
}

/// Makes the files of a pair; whatever is wrong with one costs that one alone.
fn generate_pair(
    args: &GenerateArgs,
    pair: &ModelPair,
    meshes: &Meshes,
    folder: &Path,
) -> PairTally {
    let mut tally = PairTally::default();
    for kind in args.files.kinds() {
        if kind == Kind::Volume && !pair.is_solid {
            continue;
        }
        tally.files += 1;
        match generate_file(args, pair, meshes, kind, folder) {
            Ok((is_complete, unreached)) => {
                tally.complete += usize::from(is_complete);
                tally.unreached += unreached;
            }
            Err(error) => eprintln!("{}, {}: {error:#}", pair.name, kind.name()),
        }
    }
    tally
}

/// Makes a file: whether every configuration is in it, and how many of them were not reached.
fn generate_file(
    args: &GenerateArgs,
    pair: &ModelPair,
    meshes: &Meshes,
    kind: Kind,
    folder: &Path,
) -> anyhow::Result<(bool, u64)> {
    let files: &Files = &args.files;
    let scene = ModelPairScene::new(meshes.clone(), kind)?;
    let job = Job {
        pair: pair.name.to_owned(),
        class: pair.class.to_owned(),
        preset: files.preset.name().to_owned(),
        kind,
        sampling: files.preset.sampling(kind).thinned(args.stride),
        levels: kind.levels(),
        threads: files.threads(),
        resume: args.resume,
    };
    let made = make(&job, &scene, folder)?.made;
    // Of the whole file, whenever its blocks were made.
    let found = contents(&job.path(folder))?;
    let (records, missing) = (found.records, found.unreached);
    let expected = job.sampling.per_level() * job.levels.len() as u64;
    // Nobody knows how many a grid should have.
    let is_complete = records > 0 && (files.preset == Preset::Grid || records == expected);
    let Some(made) = made else {
        println!(
            "{:<14} {:<9} {records:>12} {:>10} {missing:>10}  is there",
            pair.name,
            kind.name(),
            ""
        );
        return Ok((is_complete, missing));
    };
    let queries = made.queries[0] + made.queries[1];
    let new: u64 = made.ways.iter().sum();
    println!(
        "{:<14} {:<9} {:>12} {:>10} {:>10} {:>10} {:>9.2} {:>8.1} {:>9}{}",
        pair.name,
        kind.name(),
        made.records,
        made.ways[1] + made.ways[2],
        missing,
        queries,
        queries as f64 / new.max(1) as f64,
        made.seconds,
        made.bytes,
        if made.resumed > 0 {
            format!("  (from block {})", made.resumed)
        } else {
            String::new()
        }
    );
    Ok((is_complete, missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damaged_file_is_kept_under_a_name_of_its_own() {
        let folder = std::env::temp_dir().join(format!("impinge-aside-{}", std::process::id()));
        create(&folder).unwrap();
        let path = folder.join("blob.volume.conf");
        for (text, name) in [
            ("one", "blob.volume.conf.damaged"),
            ("two", "blob.volume.conf.damaged-2"),
        ] {
            std::fs::write(&path, text).unwrap();
            let aside = set_aside(&path).unwrap();
            assert_eq!(aside, folder.join(name));
            assert_eq!(std::fs::read_to_string(aside).unwrap(), text);
            assert!(!path.exists());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
