//! Every module imports only what the `layers` block of ARCHITECTURE.md allows it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[test]
fn no_module_imports_from_a_storey_above() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let block = page.split("```layers").nth(1).expect("a ```layers block");
    let lines = block.split("```").next().unwrap().lines();
    let table: BTreeMap<&str, Vec<&str>> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(module, below)| (module.trim(), below.split_whitespace().collect()))
        .collect();
    let entries = fs::read_dir(root.join("src")).unwrap().map(|e| e.unwrap());
    let folders = entries.filter(|e| e.path().is_dir());
    let mut modules: Vec<_> = folders.map(|e| e.file_name()).collect();
    modules.sort();
    let listed: Vec<_> = table.keys().copied().collect();
    assert_eq!(
        modules, listed,
        "folders of src (left) and the modules of the layers block (right)"
    );

    // A name that the crate's root re-exports belongs to the module it comes from.
    let crate_page = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let mut homes: BTreeMap<&str, &str> = listed.iter().map(|&m| (m, m)).collect();
    for line in crate_page
        .lines()
        .filter_map(|l| l.strip_prefix("pub use "))
    {
        if let Some((home, names)) = line.split_once("::") {
            homes.extend(words(names).map(|name| (name, home)));
        }
    }
    let mut wrong = Vec::new();
    for (module, below) in &table {
        let mut open = vec![root.join("src").join(module)];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            let code: String = text.lines().filter(is_code).collect();
            for prefix in ["crate::", "super::"] {
                for after in code.split(prefix).skip(1) {
                    // A list in braces counts with all its words, to the end of the statement.
                    let count = if after.starts_with('{') {
                        usize::MAX
                    } else {
                        1
                    };
                    for word in words(after.split(';').next().unwrap()).take(count) {
                        let Some(&home) = homes.get(word) else {
                            continue;
                        };
                        let direct = prefix == "crate::" || home == word;
                        if direct && home != *module && !below.contains(&home) && home != "glam" {
                            wrong.push(format!("{}: {module} may not use {home}", path.display()));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "upward imports:\n{}", wrong.join("\n"));
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
}
