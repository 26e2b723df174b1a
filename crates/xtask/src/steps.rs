//! What `cargo xtask test` checks, cheapest first.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};

use crate::browser;
use crate::documents;
use crate::gallery;
use crate::gpu_driver;
use crate::licences;
use crate::python;
use crate::shell::{capture, cargo, exists, root, run, run_side_by_side, target};

/// One check of the workspace.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// What holds once the step has passed.
    pub(crate) claim: &'static str,
    /// What to try when it fails.
    pub(crate) hint: &'static str,
    pub(crate) run: fn() -> anyhow::Result<()>,
}

const WASM: &str = "wasm32-unknown-unknown";

/// All features but those that pull other people's engines into the benchmark program.
pub(crate) const FEATURES: &str =
    "--features impinge/serde,impinge/mint,impinge/plugin,impinge/laz,impinge-dynamics/rapier";

/// The packages that go to the registry, each after those it needs.
const PUBLISHED: &[&str] = &[
    "impinge-plugin",
    "impinge",
    "impinge-study",
    "impinge-dynamics",
    "impinge-gpu",
    "impinge-cli",
];

/// The library's test programs of what differs most without threads. What else may use threads is run without them by the pages of the gallery,
/// which must equal the native library to the last bit, and `features` compiles all of it.
const THREADED: &[&str] = &["bvh", "world"];

pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "toolchain",
        claim: "the formatter, the linter and the wasm target are installed",
        hint: "without rustup, install rustfmt, clippy and the wasm32-unknown-unknown target by hand",
        run: toolchain,
    },
    Step {
        name: "format",
        claim: "the source is formatted",
        hint: "`cargo fmt --all` mends it",
        run: || run(&mut cargo("fmt --all --check")),
    },
    Step {
        name: "documents",
        claim: "both readme files show the same code, the front page shows the newest record, every page is listed, every algorithm page has its figure, no link or path in a document is broken, and every contribution of a thesis and every term of the field leads to code",
        hint: "the code in crates/impinge/README.md is compiled by the tests; copy it to README.md",
        run: documents::agree,
    },
    Step {
        name: "licences",
        claim: "every dependency comes from crates.io under a licence that deny.toml allows",
        hint: "a licence that the project can live with is added to deny.toml, with a word why",
        run: licences::are_allowed,
    },
    Step {
        name: "clippy",
        claim: "no target of any package has a warning",
        hint: "an exception needs `#[expect(..., reason = \"...\")]`",
        run: || {
            run(&mut cargo(&format!(
                "clippy --workspace --all-targets {FEATURES} -- -D warnings"
            )))
        },
    },
    Step {
        name: "features",
        claim: "the library builds without warnings under each capability alone, under the small features together and under none, and the command line without graphics cards",
        hint: "code behind a feature must not be needed without it",
        run: each_feature,
    },
    Step {
        name: "tests",
        claim: "every test passes, documentation examples included",
        hint: "the failing test's name states the claim that broke",
        run: || {
            gpu_driver::install()?;
            run(&mut gpu_driver::quiet(cargo(&format!(
                "test --workspace {FEATURES}"
            ))))
        },
    },
    Step {
        name: "two-adapters",
        claim: "several graphics devices share a scene and answer as one",
        hint: "without a Vulkan driver the twins share it; `apt-get install mesa-vulkan-drivers` brings one in software",
        run: gpu_driver::test_two_adapters,
    },
    Step {
        name: "serial",
        claim: "what may use threads gives the same answers without them",
        hint: "a feature must never change an answer",
        run: || {
            // All the rest as in `tests`, so that what the library needs is built already.
            let mut command = cargo(
                "test -p impinge --no-default-features --features scene,deform,spheres,clouds,engines,formats,serde,mint,plugin",
            );
            // The library is built for these programs alone: a quick build counts for more than quick tests.
            command.env("CARGO_PROFILE_TEST_OPT_LEVEL", "1");
            for test in THREADED {
                command.args(["--test", test]);
            }
            run(&mut command)
        },
    },
    Step {
        name: "docs",
        claim: "the documentation builds and none of its links is broken",
        hint: "rustdoc's message names the file and the link",
        // The command-line program shares the library's name and would overwrite its pages.
        run: || {
            run(cargo(&format!(
                "doc --workspace --exclude impinge-cli {FEATURES} --no-deps"
            ))
            .env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Step {
        name: "wasm",
        claim: "the library compiles for the browser, with and without its default features, and so does impinge-gpu",
        hint: "no clock, no file and no thread may be needed in the library",
        run: || {
            // Whatever the target lacks shows when types are checked; generating its code would show nothing more of ours.
            let check = |what| cargo(&format!("check --target {WASM} -p {what}"));
            let all = ["impinge-gpu", "impinge", "impinge --no-default-features"];
            run_side_by_side(all.map(check).into())
        },
    },
    Step {
        name: "examples",
        claim: "every example of the library runs",
        hint: "examples assert what they claim",
        run: examples,
    },
    Step {
        name: "report",
        claim: "the report of the newest records loads in a browser, draws every plot and has no error",
        hint: "`cargo xtask report` makes the page and the pictures in target/report",
        run: || report(false),
    },
    Step {
        name: "tour",
        claim: "the command-line program takes its tour and draws a picture",
        hint: "`cargo run --release` is the first thing a reader tries; here the program is the one that was tested",
        run: || {
            let picture = target().join("tour.png");
            run(std::process::Command::new(tested("impinge")?)
                .args(["tour", "--output"])
                .arg(picture))
        },
    },
    Step {
        name: "python",
        claim: "the Python package builds, installs and passes its tests, and its examples have sound types",
        hint: "`cargo xtask python` repeats it; target/python is the environment",
        run: || python::check(python::Build::Checked),
    },
    Step {
        name: "gallery",
        claim: "the npm package builds small, and every page of the gallery opens in a browser, equals the native library to the last bit and answers to a hand",
        hint: "`cargo xtask gallery` serves the pages; target/gallery/screenshots has the pictures",
        run: || gallery::check(&tested("examples/expected")?, &tested("impinge-bench")?),
    },
    Step {
        name: "package",
        claim: "the published packages compile from their own archives",
        hint: "a file outside the package's folder cannot be included",
        run: package,
    },
];

/// Makes the archives, unpacks them outside of the workspace and compiles what they hold. Types are checked and no code is generated: what
/// an archive lacks is a file, and that shows at once.
fn package() -> anyhow::Result<()> {
    let folder = std::env::temp_dir().join(format!("impinge-package-{}", std::process::id()));
    let result = unpack_and_check(&folder);
    // What is left behind by a failed removal does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn unpack_and_check(folder: &Path) -> anyhow::Result<()> {
    let mut command = cargo("package --no-verify --allow-dirty");
    command.args(PUBLISHED.iter().flat_map(|name| ["-p", *name]));
    run(command.arg("--target-dir").arg(folder))?;
    let archives = folder.join("package");
    let version = env!("CARGO_PKG_VERSION");
    for name in PUBLISHED {
        let archive = format!("{name}-{version}.crate");
        run(std::process::Command::new("tar")
            .current_dir(&archives)
            .args(["-xzf", &archive]))?;
    }
    let check = |name: &&str| {
        let manifest = archives.join(format!("{name}-{version}/Cargo.toml"));
        let mut command = cargo("check --all-features --manifest-path");
        command.arg(manifest);
        // As in the workspace, so that what was checked there need not be checked again.
        command.args(["--config", "profile.dev.opt-level=1"]);
        command.args(["--config", "profile.dev.debug='line-tables-only'"]);
        for other in PUBLISHED.iter().take_while(|other| *other != name) {
            let path = archives.join(format!("{other}-{version}"));
            let patch = format!("patch.crates-io.{other}.path='{}'", path.display());
            command.args(["--config", &patch]);
        }
        command
    };
    run_side_by_side(PUBLISHED.iter().map(check).collect())
}

fn toolchain() -> anyhow::Result<()> {
    let rustup = exists("rustup");
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if capture(&mut cargo(&format!("{subcommand} --version"))).is_ok() {
            println!("{component} is installed");
        } else if rustup {
            run(std::process::Command::new("rustup").args(["component", "add", component]))?;
        } else {
            bail!("{component} is missing and there is no rustup to install it");
        }
    }
    let sysroot = capture(std::process::Command::new("rustc").args(["--print", "sysroot"]))?;
    let library = PathBuf::from(sysroot.trim()).join("lib/rustlib").join(WASM);
    if library.join("lib").is_dir() {
        println!("{WASM} is installed");
    } else if rustup {
        run(std::process::Command::new("rustup").args(["target", "add", WASM]))?;
    } else {
        bail!("the target {WASM} is missing and there is no rustup to install it");
    }
    Ok(())
}

fn each_feature() -> anyhow::Result<()> {
    // Beside one with dependencies, which are checked already, one that has few.
    const ALONE: [&str; 8] = [
        "formats",
        "",
        "scene",
        "parallel",
        "deform",
        "spheres",
        "clouds",
        "engines,serde,mint,plugin,laz",
    ];
    let alone = ALONE.map(|features| {
        cargo(&format!(
            "clippy -p impinge --lib --no-default-features --features={features} -- -D warnings"
        ))
    });
    let mut all: Vec<_> = alone.into();
    // As `cargo run --release` has it: without wgpu.
    all.push(cargo(
        "clippy -p impinge-gpu -p impinge-cli --lib --bins --no-default-features -- -D warnings",
    ));
    run_side_by_side(all)
}

/// A program as the tests have built it, `examples/NAME` for an example: cargo builds both with every test run.
fn tested(name: &str) -> anyhow::Result<PathBuf> {
    // Even where all is built, cargo takes seconds to say so, and there are dozens of examples.
    static ARE_BUILT: AtomicBool = AtomicBool::new(false);
    if !ARE_BUILT.load(Ordering::Relaxed) {
        run(&mut cargo(&format!(
            "test --quiet --workspace {FEATURES} --no-run"
        )))?;
        ARE_BUILT.store(true, Ordering::Relaxed);
    }
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(target().join("debug").join(file))
}

/// Looks at the report with the program that was tested.
pub(crate) fn report(update: bool) -> anyhow::Result<()> {
    browser::look(&tested("impinge-bench")?, update)
}

fn examples() -> anyhow::Result<()> {
    let folder = root().join("crates/impinge/examples");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot list {folder:?}"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs")
            && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
        {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    // Of the other crates: one scene on two physics engines.
    names.push("two_engines".to_owned());
    for name in names {
        let program = tested(&format!("examples/{name}"))?;
        run(std::process::Command::new(program).current_dir(root()))?;
    }
    Ok(())
}
