//! Other programs that we start, ended with everything that they started themselves.
//!
//! **Question.** What if a program is a script around another, or hangs, or we are ended ourselves while it computes? Whatever goes on would compute beside later
//! measurements.
//! **Idea.** Each is the first of a process group of its own, which is ended as a whole. A group is out of reach of the terminal's Ctrl-C; so a *guard*, this program again with
//! nothing to do but to read, gets the number of each group, and ends those that are left when we are gone, however we went.
//! **Limits.** On systems without process groups the program alone is ended. A program that leaves its group on purpose is beyond reach.

use std::process::{Child, Command, ExitStatus};

/// The name of the hidden subcommand that is the guard.
const GUARD: &str = "guard";

/// A started program; its group ends when this is dropped.
#[derive(Debug)]
pub(crate) struct GuardedProcess {
    pub(crate) child: Child,
    is_over: bool,
}

impl GuardedProcess {
    /// Starts a program as the first of its own group.
    pub(crate) fn start(command: &mut Command) -> std::io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.spawn()?;
        #[cfg(unix)]
        group::tell('+', child.id());
        Ok(Self {
            child,
            is_over: false,
        })
    }

    /// How it ended, if it has; then its group is ended too.
    pub(crate) fn try_wait(&mut self) -> std::io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            self.end();
        }
        Ok(status)
    }

    /// Ends the program and its group.
    pub(crate) fn end(&mut self) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        #[cfg(unix)]
        group::end(self.child.id());
        // Nothing is left to save; both fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        #[cfg(unix)]
        group::tell('-', self.child.id());
    }
}

impl Drop for GuardedProcess {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
mod group {
    use std::collections::BTreeSet;
    use std::io::{BufRead, Write as _};
    use std::process::{ChildStdin, Command, Stdio};
    use std::sync::{Mutex, OnceLock, PoisonError};

    use rustix::process::{Pid, Signal, kill_process_group};

    /// Ends a group; nothing happens if it has ended already.
    pub(super) fn end(first: u32) {
        if let Some(pid) = i32::try_from(first).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Tells the guard that a group begins (`+`) or has ended (`-`). Without a guard, programs end as long as we do it ourselves.
    pub(super) fn tell(word: char, first: u32) {
        static GUARD: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();
        if let Some(guard) = GUARD.get_or_init(start) {
            let mut input = guard.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = writeln!(input, "{word}{first}");
        }
    }

    fn start() -> Option<Mutex<ChildStdin>> {
        // The program that runs unit tests is no guard.
        if cfg!(test) {
            return None;
        }
        let mut command = Command::new(std::env::current_exe().ok()?);
        command
            .arg(super::GUARD)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Out of reach of the terminal itself.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Some(Mutex::new(command.spawn().ok()?.stdin.take()?))
    }

    /// Reads until whoever started this is gone, then ends the groups that are left.
    pub(super) fn watch(lines: impl BufRead) {
        let mut groups = BTreeSet::new();
        for line in lines.lines().map_while(Result::ok) {
            let Some((word, Ok(first))) = line.split_at_checked(1).map(|(w, f)| (w, f.parse()))
            else {
                continue;
            };
            if word == "+" {
                groups.insert(first);
            } else {
                groups.remove(&first);
            }
        }
        groups.into_iter().for_each(end);
    }
}

/// The guard itself.
pub(crate) fn watch() {
    #[cfg(unix)]
    group::watch(std::io::stdin().lock());
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    use super::{GuardedProcess, group};

    /// A program that starts another; both write to the same pipe, which ends when both have.
    fn started() -> (GuardedProcess, BufReader<std::process::ChildStdout>) {
        let mut command = Command::new("sh");
        command
            .args(["-c", "sleep 600 & echo started; wait"])
            .stdout(Stdio::piped());
        let mut guarded = GuardedProcess::start(&mut command).unwrap();
        let mut output = BufReader::new(guarded.child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        (guarded, output)
    }

    #[test]
    fn what_a_program_started_ends_with_it() {
        let (mut guarded, mut output) = started();
        guarded.end();
        // The pipe stays open as long as the second goes on.
        assert_eq!(output.read_to_end(&mut Vec::new()).unwrap(), 0);
    }

    #[test]
    fn what_outlives_a_program_ends_too() {
        let mut command = Command::new("sh");
        command
            .args(["-c", "sleep 600 & exit 5"])
            .stdout(Stdio::piped());
        let mut guarded = GuardedProcess::start(&mut command).unwrap();
        let mut output = guarded.child.stdout.take().unwrap();
        let status = loop {
            if let Some(status) = guarded.try_wait().unwrap() {
                break status;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        assert_eq!(status.code(), Some(5));
        assert_eq!(output.read_to_end(&mut Vec::new()).unwrap(), 0);
    }

    #[test]
    fn the_guard_ends_what_is_left_and_nothing_else() {
        let (guarded, mut left) = started();
        let (mut other, _output) = started();
        let [id, kept] = [guarded.child.id(), other.child.id()];
        group::watch(format!("+{kept}\n+{id}\nrubbish\n\n-{kept}\n").as_bytes());
        assert_eq!(left.read_to_end(&mut Vec::new()).unwrap(), 0);
        assert!(other.child.try_wait().unwrap().is_none());
    }
}
