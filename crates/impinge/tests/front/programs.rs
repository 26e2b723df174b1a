//! The first programs are short.

use std::fs;

use crate::files::root;

/// Lines of the example, of its body, and how many things it imports.
fn measure(name: &str) -> (usize, usize, usize) {
    let path = root().join(format!("crates/impinge/examples/{name}.rs"));
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let body = lines.iter().skip_while(|line| !line.starts_with("fn main"));
    let uses = lines.iter().filter(|line| line.starts_with("use ")).count();
    // Without the line that opens it and the one that closes it.
    (text.lines().count(), body.count() - 2, uses)
}

#[test]
fn five_first_programs_fit_on_a_card() {
    let most = [
        ("two_meshes", 5),
        ("distance", 5),
        ("manifold", 5),
        ("ray", 5),
        ("clash", 4),
    ];
    for (name, body) in most {
        let (lines, found, uses) = measure(name);
        assert!(lines <= 12, "{name} has {lines} lines");
        assert!(found <= body, "{name} has {found} lines of body");
        assert_eq!(uses, 1, "{name}");
    }
}
