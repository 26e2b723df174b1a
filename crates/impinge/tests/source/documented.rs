//! Every public function is shown in an example: its own, or one of its file or of its module's page that calls it.

use std::fs;
use std::path::Path;

use impinge_testkit::corpus;

/// The name of the public function that a line begins.
fn public_function(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let name = rest.strip_prefix("fn ")?;
    name.split(['(', '<']).next()
}

/// The code of all examples of a file.
fn examples(text: &str) -> String {
    let mut code = String::new();
    let mut is_code = false;
    for line in text.lines().map(str::trim) {
        let Some(line) = line.strip_prefix("///").or(line.strip_prefix("//!")) else {
            is_code = false;
            continue;
        };
        if line.trim_start().starts_with("```") {
            is_code = !is_code && !line.contains("text") && !line.contains("json");
        } else if is_code {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

/// Whether the code calls a function of this name.
fn calls(code: &str, name: &str) -> bool {
    [".", "::", " ", "("]
        .iter()
        .any(|before| code.contains(&format!("{before}{name}(")))
}

/// The public functions of a file that neither its own examples nor those of the page call, with their lines.
fn without_example(text: &str, page: &str) -> Vec<(usize, String)> {
    let shown = examples(text) + &examples(page);
    let mut found = Vec::new();
    let mut has_example = false;
    let mut is_in_attribute = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line == "#[cfg(test)]" {
            break;
        }
        if is_in_attribute || line.starts_with("#[") {
            is_in_attribute = !line.ends_with(']');
            continue;
        }
        if line.starts_with("///") {
            has_example |= line.contains("```");
            continue;
        }
        if let Some(name) =
            public_function(line).filter(|name| !has_example && !calls(&shown, name))
        {
            found.push((number + 1, name.to_owned()));
        }
        has_example = false;
    }
    found
}

#[test]
fn every_public_function_has_an_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = corpus::files_below(&root).unwrap();
    files.retain(|path| path.extension().is_some_and(|e| e == "rs"));
    assert!(files.len() > 20);
    let mut missing = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let page = fs::read_to_string(path.with_file_name("mod.rs")).unwrap_or_default();
        for (line, name) in without_example(&text, &page) {
            let place = path.strip_prefix(&root).unwrap().display();
            missing.push(format!("{place}:{line}: {name}"));
        }
    }
    assert!(
        missing.is_empty(),
        "without an example:\n{}",
        missing.join("\n")
    );
}

#[test]
fn a_function_without_an_example_is_found() {
    let text = "/// Something.\n#[must_use]\npub fn bare() {}\n/// ```\n/// ```\n#[expect(\n    a\n)]\npub const fn shown<T>() {}\npub(crate) fn inner() {}\n";
    assert_eq!(without_example(text, ""), [(3, "bare".to_owned())]);
    assert_eq!(
        without_example(text, "//! ```\n//! x.bare();\n//! ```\n"),
        []
    );
}
