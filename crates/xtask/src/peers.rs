//! `cargo xtask peers`: other collision engines as packages, and a runner over each in `target/peers`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::Options;
use crate::shell::{capture, cargo, exists, root, run, target};

/// An engine that is measured beside ours.
struct Peer {
    name: &'static str,
    what: &'static str,
    package: Package,
}

/// Where an engine comes from.
enum Package {
    /// A package of the distribution with headers and library, and what the compiler needs for it.
    Distribution {
        package: &'static str,
        /// Names for pkg-config.
        modules: &'static [&'static str],
        flags: &'static [&'static str],
    },
    /// Coal's Python package, which brings its C++ headers and library.
    Wheel,
    /// A crate, by the runner's own workspace in this folder.
    Crate(&'static str),
    /// A Python package, and packages of the distribution that it needs; its runner is a script.
    Script(&'static str, &'static [&'static str]),
}

const PEERS: &[Peer] = &[
    Peer {
        name: "fcl",
        what: "FCL, OBBRSS trees",
        package: Package::Distribution {
            package: "libfcl-dev",
            modules: &["fcl", "eigen3"],
            flags: &[],
        },
    },
    Peer {
        name: "bullet",
        what: "Bullet, GImpact meshes",
        package: Package::Distribution {
            package: "libbullet-dev",
            modules: &["bullet"],
            flags: &[],
        },
    },
    Peer {
        name: "ode",
        what: "ODE, OPCODE trees",
        package: Package::Distribution {
            package: "libode-dev",
            modules: &["ode"],
            flags: &[],
        },
    },
    Peer {
        name: "cgal",
        what: "CGAL, the judge of pairs",
        package: Package::Distribution {
            package: "libcgal-dev",
            modules: &[],
            // Its assertions would be measured otherwise.
            flags: &["-DNDEBUG", "-lgmp", "-lmpfr"],
        },
    },
    Peer {
        name: "coal",
        what: "Coal, OBBRSS trees",
        package: Package::Wheel,
    },
    Peer {
        name: "parry",
        what: "parry3d, single precision",
        package: Package::Crate("parry"),
    },
    Peer {
        name: "parry-f64",
        what: "parry3d-f64, double precision",
        package: Package::Crate("parry"),
    },
    Peer {
        name: "obvhs",
        what: "obvhs, a builder of box trees",
        package: Package::Crate("parry"),
    },
    Peer {
        name: "manifold",
        what: "Manifold, the boolean of two solids",
        package: Package::Script("manifold3d", &[]),
    },
    Peer {
        name: "ipctk",
        what: "IPC toolkit: recorded continuous queries, deforming scenes",
        package: Package::Script("ipctk", &[]),
    },
    Peer {
        name: "libigl",
        what: "libigl, self-intersections of deforming scenes",
        package: Package::Script("libigl", &[]),
    },
    Peer {
        name: "nanoflann",
        what: "nanoflann, nearest points",
        package: Package::Distribution {
            package: "libnanoflann-dev",
            modules: &[],
            flags: &["-O3", "-DNDEBUG"],
        },
    },
    Peer {
        name: "nearest-kiddo",
        what: "kiddo, nearest points",
        package: Package::Crate("points-rs"),
    },
    Peer {
        name: "svd-nalgebra",
        what: "nalgebra's SVD of small matrices",
        package: Package::Crate("points-rs"),
    },
    Peer {
        name: "open3d",
        what: "Open3D, distances between clouds",
        package: Package::Script("open3d-cpu", &["libusb-1.0-0", "libgl1", "libgomp1"]),
    },
    Peer {
        name: "boxes-rs",
        what: "broad phases of crates: parry, rstar",
        package: Package::Crate("boxes-rs"),
    },
    Peer {
        name: "rapier",
        what: "rapier3d, its collision pipeline",
        package: Package::Crate("rapier"),
    },
    Peer {
        name: "convex-rs",
        what: "convex pairs of parry3d in both precisions",
        package: Package::Crate("convex-rs"),
    },
    Peer {
        name: "convex-ccd",
        what: "convex pairs of libccd",
        package: Package::Distribution {
            package: "libccd-dev",
            modules: &["ccd"],
            flags: &[],
        },
    },
    Peer {
        name: "convex-coal",
        what: "convex pairs of Coal",
        package: Package::Wheel,
    },
    Peer {
        name: "frames-rs",
        what: "parry's tree against itself, for deforming scenes",
        package: Package::Crate("boxes-rs"),
    },
    Peer {
        name: "boxes-cpp",
        what: "broad phases of FCL and, once its package is there, Bullet",
        package: Package::Distribution {
            package: "libfcl-dev",
            modules: &["fcl", "eigen3", "bullet"],
            flags: &["-O3", "-DNDEBUG"],
        },
    },
];

pub(crate) fn run_peers(options: &Options) -> anyhow::Result<()> {
    let names: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
    options.refuse_unknown(&names)?;
    if options.list {
        for peer in PEERS {
            let state = if folder().join(peer.name).is_file() {
                "present"
            } else {
                "absent"
            };
            println!("{state:<8} {:<12} {}", peer.name, peer.what);
        }
        return Ok(());
    }
    std::fs::create_dir_all(folder()).with_context(|| format!("cannot create {:?}", folder()))?;
    let mut absent = Vec::new();
    for peer in PEERS.iter().filter(|peer| options.wants(peer.name)) {
        println!("\n{}: {}", peer.name, peer.what);
        if let Err(error) = make(peer) {
            println!("absent: {error:#}");
            absent.push((peer.name, error));
        }
    }
    println!();
    for peer in PEERS.iter().filter(|peer| options.wants(peer.name)) {
        match absent.iter().find(|(name, _)| *name == peer.name) {
            None => println!("present  {:<12} {}", peer.name, peer.what),
            Some((_, error)) => println!("absent   {:<12} {error:#}", peer.name),
        }
    }
    if options.strict && !absent.is_empty() {
        bail!("peers missing: {}", absent.len());
    }
    println!("Runners are in {}.", folder().display());
    Ok(())
}

/// Where runners go.
fn folder() -> PathBuf {
    target().join("peers")
}

/// Where runners come from.
fn engines() -> PathBuf {
    root().join("crates/bench/engines")
}

fn make(peer: &Peer) -> anyhow::Result<()> {
    match &peer.package {
        Package::Distribution {
            package,
            modules,
            flags,
        } => {
            install(package)?;
            let mut arguments = Vec::new();
            if !modules.is_empty() {
                let line = capture(
                    Command::new("pkg-config")
                        .args(["--cflags", "--libs"])
                        .args(*modules),
                )?;
                arguments.extend(line.split_whitespace().map(str::to_owned));
            }
            arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
            compile(peer.name, &arguments)
        }
        Package::Wheel => coal(peer.name),
        Package::Script(package, needed) => {
            needed.iter().try_for_each(|needed| install(needed))?;
            script(peer.name, package)
        }
        Package::Crate(workspace) => crate_runner(peer.name, workspace),
    }
}

/// Installs a package of the distribution, if it is not there and we may.
pub(crate) fn install(package: &str) -> anyhow::Result<()> {
    let state = capture(Command::new("dpkg-query").args(["-W", "-f=${Status}", package]));
    if state.is_ok_and(|state| state.contains("install ok installed")) {
        return Ok(());
    }
    if !exists("apt-get") {
        bail!("{package} is not installed, and there is no apt-get");
    }
    let mut command = if capture(Command::new("id").arg("-u"))?.trim() == "0" {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        // Never ask for a password in the middle of a run.
        sudo.args(["-n", "apt-get"]);
        sudo
    };
    run(command.args(["install", "-y", "--no-install-recommends", package]))
        .with_context(|| format!("{package} could not be installed"))
}

/// Compiles the runner of `name` with the flags that most packages of the distribution were built with.
fn compile(name: &str, arguments: &[String]) -> anyhow::Result<()> {
    let source = engines().join(name).join("runner.cpp");
    let aside = folder().join(format!(".{name}"));
    let mut command = Command::new("g++");
    command
        .arg("-O2")
        .arg(&source)
        .arg("-o")
        .arg(&aside)
        .args(arguments);
    // Last, because a package may ask for an older standard.
    command.arg("-std=c++17");
    run(&mut command)?;
    std::fs::rename(&aside, folder().join(name))?;
    Ok(())
}

fn coal(name: &str) -> anyhow::Result<()> {
    let package = folder().join("coal-package");
    if !package.join("cmeel.prefix").is_dir() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"]);
        run(pip.arg(&package).arg("coal"))?;
    }
    // For the headers of Eigen, which the wheel does not bring.
    install("libeigen3-dev")?;
    let prefix = package.join("cmeel.prefix");
    let (include, library) = (prefix.join("include"), prefix.join("lib"));
    if !include.join("coal").is_dir() {
        bail!("the wheel brings no headers");
    }
    let eigen = capture(Command::new("pkg-config").args(["--cflags", "eigen3"]))?;
    let path = |prefix: &str, path: &Path| format!("{prefix}{}", path.display());
    compile(
        name,
        &[
            path("-I", &include),
            eigen.trim().to_owned(),
            "-DCOAL_HAS_OCTOMAP".to_owned(),
            path("-L", &library),
            "-lcoal".to_owned(),
            // Found beside the runner when it runs, and by the linker now.
            "-Wl,-rpath,$ORIGIN/coal-package/cmeel.prefix/lib".to_owned(),
            path("-Wl,-rpath-link,", &library),
        ],
    )
}

/// A Python package in a folder of its own, and a program that starts the script with it.
fn script(name: &str, package: &str) -> anyhow::Result<()> {
    let packages = format!("{name}-package");
    if !folder().join(&packages).is_dir() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"]);
        run(pip.arg(folder().join(&packages)).args([package, "numpy"]))?;
    }
    // Not the name of the package, which Python would find here first.
    let script = format!("{name}-runner.py");
    std::fs::copy(
        engines().join(name).join("runner.py"),
        folder().join(&script),
    )?;
    let starter = format!(
        "#!/bin/sh\nhere=$(dirname \"$0\")\nPYTHONPATH=\"$here/{packages}\" exec python3 \"$here/{script}\" \"$@\"\n"
    );
    let program = folder().join(name);
    std::fs::write(&program, starter)?;
    run(Command::new("chmod").arg("+x").arg(program))
}

fn crate_runner(name: &str, workspace: &str) -> anyhow::Result<()> {
    let build = folder().join("build");
    let mut command = cargo("build --release --quiet");
    command
        .current_dir(engines().join(workspace))
        .args(["--bin", name, "--target-dir"])
        .arg(&build);
    run(&mut command)?;
    std::fs::copy(build.join("release").join(name), folder().join(name))?;
    Ok(())
}
