//! `cargo xtask test --quick`: what to run before every commit. Meant for three minutes once warm;
//! when it takes longer, a test program leaves `FAST`.
//!
//! Formatting, documents and licences are checked in full; clippy and tests see the packages with
//! uncommitted changes, or those of the last commit when there are none. Builds are incremental and
//! share their files with a plain `cargo test`, unlike those of the full run.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::bail;

use crate::Options;
use crate::check::run_steps;
use crate::shell::{capture, cargo, root, run};
use crate::steps::{STEPS, Step};

/// Test programs of the library that take seconds and cover what most changes touch: the layer table,
/// exact predicates, kernels of two primitives, and the front door.
const FAST: &[&str] = &["source", "predicates", "kernels", "front"];

/// Packages without fast tests of their own; their changes are linted only.
const LINT_ONLY: &[&str] = &["impinge-bench", "impinge-gpu", "impinge-testkit"];

/// Steps of the full run that are fast enough as they are.
const WHOLE: &[&str] = &["format", "documents", "licences"];

const CHANGED: &[Step] = &[
    Step {
        name: "clippy",
        claim: "the changed packages have no warning, tests aside",
        hint: "`cargo xtask test --only clippy` looks at every target",
        run: clippy,
    },
    Step {
        name: "tests",
        claim: "unit tests and fast tests of the changed packages pass",
        hint: "`cargo xtask test --only tests` runs every test",
        run: tests,
    },
];

pub(crate) fn run_quick(options: &Options) -> anyhow::Result<()> {
    let steps = || {
        let whole = STEPS.iter().filter(|step| WHOLE.contains(&step.name));
        whole.chain(CHANGED)
    };
    let names: Vec<&str> = steps().map(|step| step.name).collect();
    options.refuse_unknown(&names)?;
    if options.list {
        for step in steps() {
            println!("{:<13} {}", step.name, step.claim);
        }
        return Ok(());
    }
    run_steps(steps().filter(|step| options.wants(step.name)), " --quick")
}

/// `cargo` with the incremental builds that `shell::cargo` turns off.
fn incremental(arguments: &str) -> Command {
    let mut command = cargo(arguments);
    command.env_remove("CARGO_INCREMENTAL");
    command
}

fn clippy() -> anyhow::Result<()> {
    let mut command = incremental("clippy");
    for package in changed()? {
        command.args(["-p", &package]);
    }
    run(command.args(["--", "-D", "warnings"]))
}

fn tests() -> anyhow::Result<()> {
    let mut others = changed()?;
    if others.remove("impinge") {
        let mut command = incremental("test -p impinge --lib");
        for name in FAST {
            command.args(["--test", name]);
        }
        run(&mut command)?;
    }
    others.retain(|package| !LINT_ONLY.contains(&package.as_str()));
    for package in &others {
        let folder = folder_of(package);
        let has = |file: &str| root().join(&folder).join("src").join(file).is_file();
        let mut command = incremental("test");
        command.args(["-p", package]);
        command.args(has("lib.rs").then_some("--lib"));
        run(command.args(has("main.rs").then_some("--bins")))?;
    }
    Ok(())
}

/// Where a package lies, by the naming rule of the workspace.
fn folder_of(package: &str) -> String {
    let short = package.strip_prefix("impinge-").unwrap_or(package);
    format!(
        "crates/{}",
        short.replace("plugin-example", "plugin/example")
    )
}

/// The packages with uncommitted changes; without any, those that the last commit changed; without
/// any, the library.
fn changed() -> anyhow::Result<BTreeSet<String>> {
    let git = |arguments: &[&str]| {
        capture(
            Command::new("git")
                .current_dir(root())
                .args(["-c", "core.quotePath=false"])
                .args(arguments),
        )
    };
    let tracked = git(&["diff", "--name-only", "HEAD"])?;
    let added = git(&["ls-files", "--others", "--exclude-standard"])?;
    let mut packages = packages_of(&format!("{tracked}\n{added}"))?;
    if packages.is_empty() {
        packages = packages_of(&git(&["show", "--name-only", "--format=", "HEAD"])?)?;
    }
    if packages.is_empty() {
        packages.insert("impinge".to_owned());
    }
    Ok(packages)
}

/// The packages that hold these files, one path to a line.
fn packages_of(paths: &str) -> anyhow::Result<BTreeSet<String>> {
    let mut packages = BTreeSet::new();
    for path in paths.lines() {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        let manifest = |folder: &str| root().join(folder).join("Cargo.toml");
        // The innermost package, and none for runners with a workspace of their own.
        let Some(folder) = folders.rev().find(|folder| manifest(folder).is_file()) else {
            continue;
        };
        let text = std::fs::read_to_string(manifest(folder))?;
        let is_ours = text.contains("workspace = true") && !text.contains("[workspace]");
        let name = text
            .lines()
            .find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        match name {
            Some(name) if is_ours => packages.insert(name.to_owned()),
            Some(_) => continue,
            None => bail!("{folder}/Cargo.toml names no package"),
        };
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::{folder_of, packages_of};
    use crate::shell::root;

    #[test]
    fn a_file_belongs_to_the_innermost_package_of_the_workspace() {
        let of = |path: &str| packages_of(path).unwrap().into_iter().collect::<Vec<_>>();
        assert_eq!(of("crates/impinge/src/lib.rs"), ["impinge"]);
        assert_eq!(
            of("crates/plugin/example/src/lib.rs"),
            ["impinge-plugin-example"]
        );
        for package in ["impinge", "impinge-cli", "xtask", "impinge-plugin-example"] {
            assert!(root().join(folder_of(package)).join("Cargo.toml").is_file());
        }
        assert_eq!(of("README.md"), Vec::<String>::new());
        assert_eq!(
            of("crates/xtask/src/main.rs\ncrates/cli/src/main.rs"),
            ["impinge-cli", "xtask"]
        );
    }
}
