//! The example runner of the documentation speaks the protocol, if there is a Python to run it.
#![expect(
    clippy::unwrap_used,
    reason = "a test's own files and pipes; a failure fails the test"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

fn runner() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("engines/example/runner.py")
}

fn has_python() -> bool {
    let there = Command::new("python3")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !there {
        println!("not tested: there is no python3");
    }
    there
}

/// A tetrahedron as runners read meshes, its corner at the origin.
fn tetrahedron() -> Vec<u8> {
    let positions: [[f64; 3]; 4] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let faces: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut bytes = Vec::new();
    bytes.extend(4u64.to_le_bytes());
    bytes.extend(4u64.to_le_bytes());
    bytes.extend(
        positions
            .as_flattened()
            .iter()
            .flat_map(|x| x.to_le_bytes()),
    );
    bytes.extend(faces.as_flattened().iter().flat_map(|i| i.to_le_bytes()));
    bytes
}

/// A conversation with the runner.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn say(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        self.input.flush().unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }

    /// The value and how many times came with it.
    fn ask(&mut self, line: &str) -> (f64, usize) {
        let answer = self.say(line);
        let numbers: Vec<f64> = answer
            .strip_prefix("answer ")
            .unwrap_or("")
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        assert!(!numbers.is_empty(), "{line}: {answer}");
        (numbers[0], numbers.len() - 1)
    }
}

#[test]
fn it_answers_every_line_of_the_protocol() {
    if !has_python() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("impinge-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = folder.join("tetrahedron.mesh");
    std::fs::write(&mesh, tetrahedron()).unwrap();
    let mut child = Command::new("python3")
        .arg(runner())
        .args([&mesh, &mesh])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut talk = Talk {
        child,
        input,
        output: BufReader::new(output),
    };
    assert_eq!(talk.say("hello"), "engine example 1.0 approximate");
    let built = talk.say("build");
    assert_eq!(built.split_whitespace().count(), 4, "{built}");
    // Shifted a little along the diagonal: the corner of B is inside of A.
    assert_eq!(talk.say("pose 1 0 0 0.2 0 1 0 0.2 0 0 1 0.2"), "pose 0");
    assert_eq!(talk.say("pose 1 0 0 5 0 1 0 0 0 0 1 0"), "pose 1");
    // The slanted face of A meets the three upright ones of B, and nothing else meets.
    assert_eq!(talk.ask("ask pairs 0 0 2"), (3.0, 2));
    assert_eq!(talk.ask("ask intersects 0 0 3"), (1.0, 3));
    assert_eq!(talk.ask("cold intersects 0 1 1"), (0.0, 1));
    for line in [
        "ask distance 0 0 1",
        "quality",
        "list 0 pairs.csv",
        "motion 0 1 0 0 0 0 0 0 0 0",
        "",
    ] {
        assert_eq!(talk.say(line), "unsupported", "{line}");
    }
    let Talk {
        mut child, input, ..
    } = talk;
    // The end of the input is the end of the runner.
    drop(input);
    assert!(child.wait().unwrap().success());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn it_is_as_short_as_the_documentation_says() {
    let text = std::fs::read_to_string(runner()).unwrap();
    // Blank lines are lines.
    assert!(text.lines().count() <= 50);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/runner-protocol.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("engines/example/runner.py"));
}
