//! The Python package: its wheel, its environment, its tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::shell::{capture, exists, root, run, target};

/// What the tests need beside the wheel.
const NEEDED: &[&str] = &[
    "maturin>=1.16,<2",
    "numpy",
    "pytest",
    "hypothesis",
    "mypy",
    "ruff",
    "trimesh",
    "scipy",
    "tqdm",
    "dask",
    "distributed",
];

/// What is tested where it can be had: other people's files through other people's wheels.
const WELCOME: &[&str] = &["ifcopenshell", "cascadio"];

/// How well the wheel is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// As it is released.
    Release,
    /// Hardly optimised, which takes a third of the time to build.
    Checked,
}

/// Builds the wheel, installs it into an environment of its own under `target`, and runs every test of the package.
pub(crate) fn check(build: Build) -> anyhow::Result<()> {
    let python = environment()?;
    let wheel = wheel(&python, build)?;
    let bytes = std::fs::metadata(&wheel)?.len();
    println!("the wheel has {:.1} MB", bytes as f64 / 1e6);
    run(pip(&python)
        .args(["--force-reinstall", "--no-deps"])
        .arg(&wheel))?;
    let package = root().join("crates/py");
    run(Command::new(&python)
        .current_dir(&package)
        .args(["-m", "pytest", "-q", "-x", "tests"]))?;
    run(Command::new(&python)
        .current_dir(&package)
        .args(["-m", "mypy", "--strict", "examples"]))?;
    run(Command::new(&python)
        .current_dir(&package)
        .args(["-m", "ruff", "check", "python", "tests", "examples"]))
}

/// The interpreter of the environment, which is made if it is not there.
fn environment() -> anyhow::Result<PathBuf> {
    let folder = target().join("python");
    let python = interpreter_in(&folder);
    if !python.is_file() {
        make_environment(&folder)?;
    }
    if !python.is_file() {
        bail!("{} was not made", python.display());
    }
    run(pip(&python).args(NEEDED))?;
    for name in WELCOME {
        // Not every platform has these wheels; their tests are skipped then, and say so.
        if run(pip(&python).arg("--only-binary=:all:").arg(name)).is_err() {
            println!("{name} cannot be installed here: its tests are skipped");
        }
    }
    Ok(python)
}

fn make_environment(folder: &Path) -> anyhow::Result<()> {
    let system = if cfg!(windows) { "python" } else { "python3" };
    let make = || {
        let mut command = Command::new(system);
        command.args(["-m", "venv"]).arg(folder);
        command
    };
    if !exists(system) {
        install_packages()?;
    }
    if run(&mut make()).is_ok() {
        return Ok(());
    }
    // Debian parts the module `venv` from the interpreter.
    install_packages()?;
    // What the failed attempt left would be taken for an environment.
    let _ = std::fs::remove_dir_all(folder);
    run(&mut make())
}

fn install_packages() -> anyhow::Result<()> {
    let is_root = capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !(is_root && exists("apt-get")) {
        bail!("install Python 3.9 or newer with its module venv, then try again");
    }
    run(Command::new("apt-get").arg("update"))?;
    run(Command::new("apt-get").args(["install", "-y", "python3", "python3-venv"]))
}

fn interpreter_in(folder: &Path) -> PathBuf {
    if cfg!(windows) {
        folder.join("Scripts/python.exe")
    } else {
        folder.join("bin/python")
    }
}

fn pip(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    command
}

/// Builds the wheel, and returns where it is.
fn wheel(python: &Path, build: Build) -> anyhow::Result<PathBuf> {
    let folder = target().join("wheels");
    // A wheel of another version must not be taken for the new one.
    let _ = std::fs::remove_dir_all(&folder);
    let mut maturin = Command::new(python);
    maturin
        .current_dir(root().join("crates/py"))
        .args(["-m", "maturin", "build", "--release", "--out"])
        .arg(&folder)
        .arg("--interpreter")
        .arg(python);
    if build == Build::Checked {
        maturin
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .env("CARGO_PROFILE_RELEASE_LTO", "off");
    }
    run(&mut maturin)?;
    let mut found: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .collect();
    match (found.pop(), found.is_empty()) {
        (Some(wheel), true) => Ok(wheel),
        _ => bail!("expected one wheel in {}", folder.display()),
    }
}
