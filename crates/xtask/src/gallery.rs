//! The gallery: the npm package, its pages, the documents beside them, and a headless browser that looks at all of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};

use crate::browser::browser;
use crate::shell::{cargo, exists, root, run, target};

/// Said, and said again at the end of a run, where pages cannot be looked at.
pub(crate) const SKIPPED: &str = "\n!!! SKIPPED: the gallery was NOT looked at. There is no Node or no chromium, and they could not be installed.\n\
     !!! Nothing is known about its pages: install nodejs, npm and chromium and say `cargo xtask test --only gallery`.\n";
static WAS_SKIPPED: AtomicBool = AtomicBool::new(false);

/// Whether the gallery was not looked at.
pub(crate) fn was_skipped() -> bool {
    WAS_SKIPPED.load(Ordering::Relaxed)
}

const WASM: &str = "wasm32-unknown-unknown";
/// A build of the package. A page loads one of them.
struct Build {
    name: &'static str,
    /// Compiler flags beside the profile.
    flags: &'static str,
    /// How it is published.
    published: &'static str,
    /// How checks build, whose answers do not depend on how well they are optimised: one crate at a time.
    quickly: &'static str,
    has_vectors: bool,
}

const BUILDS: [Build; 2] = [
    // For engines from before vectors, which are of 2021 to 2023: as small as can be rather than quick. Checks run it for comparison alone.
    Build {
        name: "plain",
        flags: "",
        published: "--config profile.wasm.opt-level=\"s\"",
        quickly: "--config profile.wasm.opt-level=1 --config profile.wasm.codegen-units=16 --config profile.wasm.lto=false",
        has_vectors: false,
    },
    Build {
        name: "simd",
        flags: "-Ctarget-feature=+simd128",
        published: "",
        quickly: "--config profile.wasm.opt-level=1 --config profile.wasm.codegen-units=16 --config profile.wasm.lto=false",
        has_vectors: true,
    },
];
/// Bytes of one published build after gzip: what is aimed at, and what is refused.
const TARGET_GZIPPED: u64 = 1_500_000;
const MAX_GZIPPED: u64 = 3_000_000;
/// What `wasm-opt` may use: what both builds need anyway, and vectors where there are some.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];
/// What pages use of three.js.
const ADDONS: [&str; 3] = ["controls", "lines", "geometries"];

/// `cargo xtask gallery`: builds everything, and serves it unless an option says not to.
pub(crate) fn open(serve: bool) -> anyhow::Result<()> {
    if !has_node() {
        bail!("the gallery needs Node and npm");
    }
    run(&mut cargo("build -p impinge-bench"))?;
    let bench = target().join("debug").join(executable("impinge-bench"));
    let gallery = build(&native_example()?, &bench, true)?;
    println!("{}", gallery.display());
    if !serve {
        return Ok(());
    }
    run(Command::new("node")
        .arg(root().join("web/build/serve.mjs"))
        .arg(&gallery))
}

/// Builds everything and drives every page in a browser.
pub(crate) fn check(expected: &Path, bench: &Path) -> anyhow::Result<()> {
    let browser = if has_node() { browser() } else { None };
    let Some(browser) = browser else {
        WAS_SKIPPED.store(true, Ordering::Relaxed);
        eprintln!("{SKIPPED}");
        return Ok(());
    };
    let gallery = build(expected, bench, false)?;
    run(Command::new("node")
        .arg(root().join("web/drive/package.mjs"))
        .arg(gallery.join("impinge")))?;
    run(Command::new("node")
        .current_dir(packages())
        .arg(root().join("web/drive/drive.mjs"))
        .arg(&gallery)
        .arg(browser))
}

/// Whether Node is there, installed if that is possible.
fn has_node() -> bool {
    if !exists("npm") && crate::peers::install("npm").is_err() {
        return false;
    }
    exists("node") && exists("npm")
}

fn packages() -> PathBuf {
    target().join("gallery-packages")
}

/// The program that writes native answers.
fn native_example() -> anyhow::Result<PathBuf> {
    run(&mut cargo("build -p impinge-wasm --example expected"))?;
    Ok(target().join("debug/examples").join(executable("expected")))
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Builds all of it, as it is published or quickly: `bench` makes the report of the newest records.
fn build(expected: &Path, bench: &Path, published: bool) -> anyhow::Result<PathBuf> {
    let gallery = target().join("gallery");
    let web = root().join("web");
    // A page that is gone must not be taken for one that is there; pictures are kept.
    for part in ["pages", "lib", "impinge", "three", "docs", "expected"] {
        let _ = std::fs::remove_dir_all(gallery.join(part));
    }
    install_packages(&web)?;
    package(&gallery.join("impinge"), published)?;
    for part in ["pages", "lib"] {
        copy_folder(&web.join(part), &gallery.join(part))?;
    }
    for part in ["index.html", "index.js", "style.css", "pages.json"] {
        copy(&web.join(part), &gallery.join(part))?;
    }
    write_pages(&web.join("page.html"), &gallery.join("pages"))?;
    three(&gallery.join("three"))?;
    run(Command::new("node")
        .current_dir(packages())
        .arg(web.join("build/docs.mjs"))
        .arg(root().join("docs"))
        .arg(gallery.join("docs")))?;
    run(Command::new(expected).arg(gallery.join("expected")))?;
    run(Command::new(bench)
        .args(["report", "-o"])
        .arg(gallery.join("report.html")))?;
    Ok(gallery)
}

/// A page for each script of the folder, all from one template: they differ in the script alone.
fn write_pages(template: &Path, folder: &Path) -> anyhow::Result<()> {
    let template = std::fs::read_to_string(template)?;
    for entry in std::fs::read_dir(folder)? {
        let script = entry?.path();
        let Some(name) = script.file_stem().and_then(|name| name.to_str()) else {
            continue;
        };
        if script.extension().is_some_and(|kind| kind == "js") {
            std::fs::write(
                script.with_extension("html"),
                template.replace("NAME", name),
            )?;
        }
    }
    Ok(())
}

/// The npm package: both builds and the loader. Published builds are optimised once more and measured.
fn package(folder: &Path, published: bool) -> anyhow::Result<()> {
    let sources = root().join("crates/wasm");
    let mut all = 0;
    for build in &BUILDS {
        let options = if published {
            build.published
        } else {
            build.quickly
        };
        run(cargo(&format!(
            "build --profile wasm --target {WASM} -p impinge-wasm {options}"
        ))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", build.flags))?;
        let module = target().join(WASM).join("wasm/impinge_wasm.wasm");
        let out = folder.join(build.name);
        run(cargo("run --quiet -p impinge-wasm-bindgen --")
            .arg(&module)
            .arg(&out))?;
        if published {
            let module = out.join("impinge_wasm_bg.wasm");
            shrink(&module, build.has_vectors)?;
            all += measure(&module, build.name)?;
        }
    }
    if published {
        println!(
            "both have {:.2} MB gzipped; a page loads one of them",
            all as f64 / 1e6
        );
    }
    copy_folder(&sources.join("js"), folder)?;
    for file in ["package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&sources.join(file), &folder.join(file))?;
    }
    Ok(())
}

/// What the compiler leaves to an optimiser that knows the instructions of the browser. It keeps the results of arithmetic.
fn shrink(module: &Path, has_vectors: bool) -> anyhow::Result<()> {
    let small = module.with_extension("small");
    let mut command = Command::new("node");
    command
        .arg(packages().join("node_modules/binaryen/bin/wasm-opt"))
        .args(WASM_FEATURES);
    if has_vectors {
        command.arg("--enable-simd");
    }
    run(command.args(["-O2", "-o"]).arg(&small).arg(module))?;
    std::fs::rename(&small, module).with_context(|| format!("cannot replace {}", module.display()))
}

/// Prints the bytes of a published build after gzip, and refuses one that is too large.
fn measure(module: &Path, name: &str) -> anyhow::Result<u64> {
    let bytes = gzipped(module)?;
    let verdict = if bytes > TARGET_GZIPPED {
        "MISSED"
    } else {
        "met"
    };
    println!(
        "the {name} build has {:.2} MB gzipped ({verdict}: {:.1})",
        bytes as f64 / 1e6,
        TARGET_GZIPPED as f64 / 1e6
    );
    if bytes > MAX_GZIPPED {
        bail!("the {name} build is larger than {MAX_GZIPPED} bytes gzipped");
    }
    Ok(bytes)
}

fn gzipped(file: &Path) -> anyhow::Result<u64> {
    let output = Command::new("gzip").arg("-9c").arg(file).output();
    let output = output.context("cannot start gzip")?;
    if !output.status.success() {
        bail!("gzip failed on {}", file.display());
    }
    Ok(output.stdout.len() as u64)
}

/// three.js and the tools, as `web/package.json` names them.
fn install_packages(web: &Path) -> anyhow::Result<()> {
    let folder = packages();
    let wanted = std::fs::read_to_string(web.join("package.json"))?;
    let file = folder.join("package.json");
    if std::fs::read_to_string(&file).is_ok_and(|have| have == wanted)
        && folder.join("node_modules/three").is_dir()
    {
        return Ok(());
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(&file, wanted)?;
    run(Command::new("npm").current_dir(&folder).args([
        "install",
        "--no-audit",
        "--no-fund",
        "--no-package-lock",
        "--ignore-scripts",
    ]))
}

fn three(folder: &Path) -> anyhow::Result<()> {
    let from = packages().join("node_modules/three");
    for file in ["three.module.js", "three.core.js"] {
        copy(&from.join("build").join(file), &folder.join(file))?;
    }
    copy(&from.join("LICENSE"), &folder.join("LICENSE"))?;
    for addon in ADDONS {
        let part = from.join("examples/jsm").join(addon);
        copy_folder(&part, &folder.join("addons").join(addon))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

/// Copies a folder and those in it; one step per folder, without recursion.
fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        let entries = std::fs::read_dir(&from);
        for entry in entries.with_context(|| format!("cannot list {}", from.display()))? {
            let entry = entry?;
            let (inner, outer) = (entry.path(), to.join(entry.file_name()));
            if inner.is_dir() {
                folders.push((inner, outer));
            } else {
                copy(&inner, &outer)?;
            }
        }
    }
    Ok(())
}
