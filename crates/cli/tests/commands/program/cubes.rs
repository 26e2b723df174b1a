//! A folder with cubes and placements of them, and questions about them.

use serde_json::Value;

use super::{CUBE, Folder, moved};

/// Words that ask when the cube arrives that slides into the other.
pub(crate) const IMPACT: [&str; 6] = [
    "--pose",
    "start.json",
    "--to",
    "inside.json",
    "--ask",
    "impact",
];

/// A cube without its face z = 1.
pub(crate) const OPEN: &str = "\
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 4 3 2 1\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

/// A cube of a quarter of the size in the middle of the unit cube.
pub(crate) fn small_cube() -> String {
    let place = |x: &str| if x == "1" { "0.625" } else { "0.375" };
    let line = |line: &str| match line.strip_prefix("v ") {
        Some(numbers) => {
            let numbers: Vec<&str> = numbers.split(' ').map(place).collect();
            format!("v {}\n", numbers.join(" "))
        }
        None => format!("{line}\n"),
    };
    CUBE.lines().map(line).collect()
}

pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("open.obj", OPEN);
    folder.write("small.obj", &small_cube());
    folder.write("start.json", &moved(3.0, 0.0, 0.0));
    folder.write("apart.json", &moved(1.5, 0.0, 0.0));
    folder.write("overlap.json", &moved(0.75, 0.125, 0.0625));
    folder.write("inside.json", &moved(0.25, 0.0, 0.0));
    folder
}

/// Runs a query of the cube with itself and returns the answer in JSON.
pub(crate) fn ask(folder: &Folder, words: &[&str]) -> (i32, Value) {
    ask_of("cube.obj", folder, words)
}

/// The same of another model.
pub(crate) fn ask_of(model: &str, folder: &Folder, words: &[&str]) -> (i32, Value) {
    let ran = folder.run(&[&["query", model, model, "--json"], words].concat());
    assert!(ran.code < 2, "{ran:?}");
    (ran.code, ran.json())
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Whether the bracket of an answer holds the truth, and how wide it is.
pub(crate) fn bracket(answer: &Value, truth: f64) -> f64 {
    let (lower, upper) = (number(&answer["lower"]), number(&answer["upper"]));
    assert!(lower <= truth && truth <= upper, "{truth} not in {answer}");
    upper - lower
}
