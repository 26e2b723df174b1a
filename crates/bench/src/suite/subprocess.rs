//! One benchmark as a process of its own.

use std::fs::File;
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::suite_parts::{PARTS, Preset, SuitePart, TOLD};
use crate::bar::OPEN_EXIT;
use crate::process_guard::GuardedProcess;
use crate::report::{bars, open_bars};

/// How often a part is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What a line begins with by which a part says that it left something out for want of time.
const UNFINISHED: &str = "unfinished: ";

/// The option by which a part goes on with what it had.
const RESUME: &str = "--resume";

/// How a part ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PartEnd {
    /// By itself, whether or not it met its bars.
    Whole,
    /// By itself, but something was left out because its time was up, and what: another run goes on with it.
    Unfinished(String),
    /// This program has no such part.
    Unknown,
    Broken(String),
    /// Its time was up.
    Stopped,
}

/// What became of a part.
#[derive(Clone, Debug)]
pub(super) struct PartRun {
    pub(super) ended: PartEnd,
    pub(super) seconds: f64,
    pub(super) met: usize,
    pub(super) missed: usize,
    /// Bars that nothing was measured for.
    pub(super) open: usize,
    /// Peers and packages that it missed.
    pub(super) absent: Vec<String>,
    pub(super) command: String,
}

/// How a part is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartCall<'c> {
    pub(super) program: &'c Path,
    pub(super) part: &'c SuitePart,
    pub(super) preset: Preset,
    pub(super) folder: &'c Path,
    pub(super) limit: Duration,
    pub(super) resumes: bool,
    /// Arguments of its own.
    pub(super) more: &'c [String],
}

/// Runs a part; what it prints goes to `NAME.txt`, what it complains about to `NAME.log`.
pub(super) fn run(call: &PartCall<'_>) -> anyhow::Result<PartRun> {
    let start = Instant::now();
    let (program, part, folder, limit) = (call.program, call.part, call.folder, call.limit);
    let found = arguments(call)?;
    let goes_on = found.iter().flatten().any(|word| word == RESUME);
    forget(part.name, folder, goes_on)?;
    let Some(arguments) = found else {
        return Ok(PartRun {
            ended: PartEnd::Unknown,
            seconds: start.elapsed().as_secs_f64(),
            met: 0,
            missed: 0,
            open: 0,
            absent: Vec::new(),
            command: part.command.join(" "),
        });
    };
    let [text, log] = ["txt", "log"].map(|end| folder.join(format!("{}.{end}", part.name)));
    let aside = folder.join(format!("{}.txt.part", part.name));
    let create = |path: &Path| {
        File::create(path).with_context(|| format!("cannot write {}", path.display()))
    };
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut command = Command::new(program);
    command
        .args(&arguments)
        .stdin(Stdio::null())
        .stdout(create(&aside)?)
        .stderr(create(&log)?);
    let mut child = GuardedProcess::start(&mut command)
        .with_context(|| format!("cannot start {}", program.display()))?;
    let status = wait(&mut child, start, limit)?;
    let seconds = start.elapsed().as_secs_f64();
    // A part may print anything; what is no text is shown as such.
    let printed = String::from_utf8_lossy(&read(&aside)?).into_owned();
    let complained = String::from_utf8_lossy(&read(&log)?).into_owned();
    std::fs::write(&text, &printed).with_context(|| format!("cannot write {}", text.display()))?;
    std::fs::remove_file(&aside).with_context(|| format!("cannot remove {}", aside.display()))?;
    let found = bars(&printed);
    let met = found.iter().filter(|bar| bar.is_met).count();
    Ok(PartRun {
        ended: ended(status, &complained),
        seconds,
        met,
        missed: found.len() - met,
        open: open_bars(&printed).len(),
        absent: absent(&complained),
        command: arguments.join(" "),
    })
}

/// Removes what an earlier run left of a part, so that nothing old passes for measured; tables stay for a part that `goes_on` with them.
fn forget(part: &str, folder: &Path, goes_on: bool) -> anyhow::Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_stale = |name: &str| is_of(part, name) && !(goes_on && name.ends_with(".csv"));
        if name.is_some_and(is_stale) && path.is_file() {
            std::fs::remove_file(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Whether a file belongs to a part: it has its name, perhaps as `run-NAME`, and an ending of a record. What begins so and goes on with a
/// hyphen belongs to it as well, unless it is another part's own.
fn is_of(part: &str, file: &str) -> bool {
    let is_record = [".json", ".csv", ".txt", ".txt.part", ".log", ".svg", ".md"]
        .iter()
        .any(|ending| file.ends_with(ending));
    let stem = file.split('.').next().unwrap_or(file);
    let stem = stem.strip_prefix("run-").unwrap_or(stem);
    let owner = PARTS
        .iter()
        .map(|part| part.name)
        .filter(|name| {
            let rest = stem.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
        .max_by_key(|name| name.len());
    is_record && owner == Some(part)
}

/// Waits for the end, and makes one when the time is up, also of whatever the part has started.
fn wait(
    child: &mut GuardedProcess,
    start: Instant,
    limit: Duration,
) -> anyhow::Result<Option<ExitStatus>> {
    let terminal = std::io::stderr().is_terminal();
    let mut told = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= limit {
            child.end();
            return Ok(None);
        }
        let seconds = start.elapsed().as_secs();
        if terminal && seconds > told {
            told = seconds;
            eprint!("\r{:<8} {seconds} s", "");
        }
        std::thread::sleep(LOOK);
    }
}

fn ended(status: Option<ExitStatus>, complained: &str) -> PartEnd {
    let last = |prefix: &str| {
        complained
            .lines()
            .rev()
            .find(|line| line.starts_with(prefix))
            .map(str::to_owned)
    };
    let by_itself = || {
        let rest =
            last(UNFINISHED).and_then(|line| Some(line.strip_prefix(UNFINISHED)?.to_owned()));
        rest.map_or(PartEnd::Whole, PartEnd::Unfinished)
    };
    match status {
        None => PartEnd::Stopped,
        Some(status) if status.success() => by_itself(),
        Some(status) => match status.code() {
            // 1 is a missed bar, unless the program says that it is an error.
            Some(1) => last("Error: ").map_or_else(by_itself, PartEnd::Broken),
            Some(code) if code == i32::from(OPEN_EXIT) => by_itself(),
            Some(code) => {
                let panic = complained
                    .lines()
                    .find(|line| line.contains("panicked at"))
                    .map_or(String::new(), |line| format!(", {line}"));
                PartEnd::Broken(format!("ended with {code}{panic}"))
            }
            None => PartEnd::Broken(format!("was ended: {status}")),
        },
    }
}

/// What a part says is missing, each once.
fn absent(complained: &str) -> Vec<String> {
    let mut absent: Vec<String> = Vec::new();
    for line in complained.lines() {
        if let Some(what) = line.trim_start().strip_prefix("absent: ")
            && !absent.iter().any(|known| known == what)
        {
            absent.push(what.to_owned());
        }
    }
    absent
}

/// The part's own arguments, and those of the common ones that it knows; none if there is no such part.
fn arguments(call: &PartCall<'_>) -> anyhow::Result<Option<Vec<String>>> {
    let help = Command::new(call.program)
        .args(call.part.command)
        .arg("--help")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", call.program.display()))?;
    if !help.status.success() {
        return Ok(None);
    }
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let knows = |option: &str| {
        help.split(|c: char| c.is_whitespace() || c == ',' || c == '=')
            .any(|word| word == option)
    };
    let mut arguments: Vec<String> = call
        .part
        .command
        .iter()
        .map(|word| (*word).to_owned())
        .collect();
    let own = match call.preset {
        Preset::Quick => call.part.quick,
        Preset::Full => call.part.full,
    };
    arguments.extend(own.iter().map(|word| (*word).to_owned()));
    if knows("--preset") {
        arguments.extend(["--preset".to_owned(), call.preset.name().to_owned()]);
    } else if call.preset == Preset::Quick && knows("--quick") {
        arguments.push("--quick".to_owned());
    }
    if knows("--records") {
        arguments.extend(["--records".to_owned(), call.folder.display().to_string()]);
    }
    if knows("--minutes") && !call.more.iter().any(|word| word == "--minutes") {
        let minutes = TOLD * call.limit.as_secs_f64() / 60.0;
        arguments.extend(["--minutes".to_owned(), format!("{minutes:.2}")]);
    }
    if call.resumes && knows(RESUME) {
        arguments.push(RESUME.to_owned());
    }
    if knows("--sheet") {
        arguments.extend(["--sheet".to_owned(), call.folder.display().to_string()]);
    }
    // The picture of scenario-1 has an option of its own; it belongs beside its record.
    if call.part.name == "scenario-1" && knows("--output") {
        let picture = call.folder.join("scenario-1.svg").display().to_string();
        arguments.extend(["--output".to_owned(), picture]);
    }
    arguments.extend(call.more.iter().cloned());
    Ok(Some(arguments))
}

#[cfg(test)]
mod tests {
    use super::{absent, forget, is_of};

    #[test]
    fn what_an_earlier_run_left_of_a_part_goes_and_what_belongs_to_others_stays() {
        let folder = std::env::temp_dir().join(format!("impinge-stale-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let files = [
            "volume.sheet.json",
            "volume-trees.txt",
            "run-volume.txt",
            "volume.log",
            "exact-volume.txt",
            "average.sheet.json",
            "volumes.txt",
            "machine.json",
            "suite.state.json",
        ];
        for file in files {
            std::fs::write(folder.join(file), "old").unwrap();
        }
        forget("volume", &folder, false).unwrap();
        for (k, file) in files.iter().enumerate() {
            assert_eq!(folder.join(file).is_file(), k > 3, "{file}");
        }
        for file in ["performance.partial.csv", "performance.sheet.json"] {
            std::fs::write(folder.join(file), "old").unwrap();
        }
        forget("performance", &folder, true).unwrap();
        assert!(folder.join("performance.partial.csv").is_file());
        assert!(!folder.join("performance.sheet.json").is_file());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(is_of("performance", "performance.partial.csv"));
        assert!(is_of("average", "average-sweep.csv") && is_of("scenario-1", "scenario-1.csv"));
        assert!(!is_of("rigid", "README.md") && !is_of("rigid", "rigid"));
        assert!(is_of("cloud-graphs", "cloud-graphs.txt") && !is_of("clouds", "cloud-graphs.txt"));
    }

    #[test]
    fn what_is_missing_is_named_once() {
        let log = "absent: fcl (`x` builds it)\nother\n  absent: coal\nabsent: coal\n";
        assert_eq!(absent(log), ["fcl (`x` builds it)", "coal"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_missed_or_open_bar_is_no_failure_but_an_error_a_crash_and_a_hang_are() {
        use super::{PartEnd, ended, wait};
        use crate::process_guard::GuardedProcess;
        use std::process::{Command, Stdio};
        use std::time::{Duration, Instant};
        let run = |script: &str, limit: u64| {
            let mut command = Command::new("sh");
            command
                .args(["-c", script])
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let mut child = GuardedProcess::start(&mut command).unwrap();
            wait(&mut child, Instant::now(), Duration::from_millis(limit)).unwrap()
        };
        assert_eq!(ended(run("exit 0", 9000), ""), PartEnd::Whole);
        assert_eq!(ended(run("exit 1", 9000), "bar missed"), PartEnd::Whole);
        assert_eq!(ended(run("exit 3", 9000), "bar open"), PartEnd::Whole);
        assert_eq!(
            ended(run("exit 3", 9000), "x\nunfinished: 2 targets left out"),
            PartEnd::Unfinished("2 targets left out".to_owned())
        );
        assert_eq!(
            ended(run("exit 1", 9000), "x\nError: no file"),
            PartEnd::Broken("Error: no file".to_owned())
        );
        assert!(matches!(
            ended(run("exit 101", 9000), "panicked at x"),
            PartEnd::Broken(_)
        ));
        assert!(matches!(
            ended(run("kill -9 $$", 9000), ""),
            PartEnd::Broken(_)
        ));
        assert_eq!(ended(run("exec sleep 30", 100), ""), PartEnd::Stopped);
    }
}
