//! Running other programs, with their output shown or captured.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("."))
        .to_owned()
}

/// Where cargo builds, honouring `CARGO_TARGET_DIR`.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// A `cargo` call from the root of the workspace; arguments are separated by blanks.
///
/// Whole runs gain nothing from incremental compilation.
pub(crate) fn cargo(arguments: &str) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command
        .current_dir(root())
        .env("CARGO_INCREMENTAL", "0")
        .args(arguments.split_whitespace());
    command
}

/// Runs `command` with its output shown; a failure names the command.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = line_of(command);
    println!("$ {line}");
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs calls of `cargo` two at a time, because what only checks types keeps one processor busy. The first, the third and so on build where
/// everything is built; the others have a folder of their own, because cargo locks it. What a call says is shown once it has ended.
pub(crate) fn run_side_by_side(commands: Vec<Command>) -> anyhow::Result<()> {
    let mut lanes: [Vec<Command>; 2] = Default::default();
    for (i, command) in commands.into_iter().enumerate() {
        lanes[i % 2].push(command);
    }
    let run_lane = |folder: PathBuf, lane: Vec<Command>| -> anyhow::Result<()> {
        for mut command in lane {
            let line = line_of(&command);
            let output = command
                .env("CARGO_TARGET_DIR", &folder)
                .stdin(Stdio::null())
                .output()
                .with_context(|| format!("cannot start `{line}`"))?;
            let [shown, told] =
                [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
            println!("$ {line}\n{shown}{}", told.trim_end());
            if !output.status.success() {
                bail!("`{line}` failed ({})", output.status);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let [here, beside] = lanes;
        let beside = scope.spawn(|| run_lane(target().join("beside"), beside));
        let here = run_lane(target(), here);
        match beside.join() {
            Ok(result) => here.and(result),
            Err(_) => bail!("a thread of xtask itself failed"),
        }
    })
}

/// Runs `command` silently and returns what it printed; a failure ends with its last words.
pub(crate) fn capture(command: &mut Command) -> anyhow::Result<String> {
    let line = line_of(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("no message");
        bail!("`{line}` failed: {}", last.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether `program` can be started at all.
pub(crate) fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// The command as one would type it, without the path of the program.
fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
