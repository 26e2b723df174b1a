//! Every module imports only what the `layers` block of ARCHITECTURE.md allows it, and every crate depends on what its `crates` block says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_dir, read_to_string};
use std::path::Path;

#[test]
fn no_module_imports_from_a_storey_above() {
    let src = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let page = read_to_string(src.join("../../../ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let block = page.split("```layers").nth(1).expect("a ```layers block");
    let lines = block.split("```").next().unwrap().lines();
    let table: BTreeMap<&str, Vec<&str>> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(module, below)| (module.trim(), words(below).collect()))
        .collect();
    let entries = read_dir(src).unwrap().map(|e| e.unwrap().path());
    let folders: BTreeSet<_> = entries.filter(|p| p.is_dir()).collect();
    let listed: BTreeSet<_> = table.keys().map(|m| src.join(m)).collect();
    assert_eq!(folders, listed, "folders of src, modules of the block");
    // A name that the crate's root re-exports belongs to the module it comes from.
    let crate_page = read_to_string(src.join("lib.rs")).unwrap();
    let mut homes: BTreeMap<&str, &str> = table.keys().map(|&m| (m, m)).collect();
    for export in crate_page.split("pub use ").skip(1) {
        let (statement, _) = export.split_once(';').unwrap();
        let (home, names) = statement.split_once("::").unwrap_or_default();
        homes.extend(words(names).map(|name| (name, home)));
    }
    let mut wrong = Vec::new();
    let mut open: Vec<_> = table.keys().map(|&m| (m, src.join(m))).collect();
    while let Some((module, path)) = open.pop() {
        if path.is_dir() {
            open.extend(read_dir(path).unwrap().map(|e| (module, e.unwrap().path())));
            continue;
        }
        let text = read_to_string(&path).unwrap();
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let code: String = text.lines().filter(is_code).collect();
        let from_crate = code.split("crate::").skip(1).map(|s| (s, true));
        let from_super = code.split("super::").skip(1).map(|s| (s, false));
        for (after, is_root) in from_crate.chain(from_super) {
            // A list in braces counts with all its words, to the end of the statement.
            let count = if after.starts_with('{') { 999 } else { 1 };
            for word in words(after.split(';').next().unwrap()).take(count) {
                let home = homes.get(word).copied().unwrap_or(module);
                let allowed = home == module || home == "glam" || table[module].contains(&home);
                // A folder may have a file that is named like a storey.
                let is_sibling = path.with_file_name(format!("{word}.rs")).exists();
                if !allowed && (is_root || (home == word && !is_sibling)) {
                    wrong.push(format!("{}: {module} may not use {home}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "upward imports:\n{}", wrong.join("\n"));
}

/// The names of our packages that a manifest lists under `[dependencies]`.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let tables = manifest.split("\n[");
    let of_all = tables.filter(|table| table.starts_with("dependencies]"));
    let names = of_all.flat_map(|table| table.lines().skip(1)).map(|line| {
        let end = line.find(|c: char| !c.is_alphanumeric() && c != '-');
        &line[..end.unwrap_or(line.len())]
    });
    let is_ours = |name: &&str| *name == "impinge" || name.starts_with("impinge-");
    names.filter(is_ours).collect()
}

#[test]
fn every_crate_depends_on_what_the_page_says() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let page = read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let block = page.split("```crates").nth(1).expect("a ```crates block");
    let lines = block.split("```").next().unwrap().lines();
    let table: BTreeMap<&str, BTreeSet<&str>> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(package, below)| (package, below.split_whitespace().collect()))
        .collect();
    let workspace = read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, members) = workspace.split_once("members = [").unwrap();
    let members = members.split(']').next().unwrap();
    let folders: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    assert_eq!(folders.len(), table.len(), "{folders:?} {table:?}");
    for folder in folders {
        let manifest = read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        let name = manifest.split("name = \"").nth(1).unwrap();
        let name = name.split('"').next().unwrap();
        let listed = table
            .get(name)
            .unwrap_or_else(|| panic!("{name} is not listed"));
        assert_eq!(&dependencies(&manifest), listed, "{name}");
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}
