//! Reads the output of a process line by line, in bounded memory.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Bytes of a line at most: an answer with tens of thousands of times.
pub(crate) const LONGEST_LINE: u64 = 1 << 20;
/// Lines that may wait to be read: each is answered before the next is said.
const WAITING_LINES: usize = 4;

/// What came from a process.
#[derive(Debug)]
pub(crate) enum RunnerOutput {
    Line(String),
    /// A line of more than [`LONGEST_LINE`] bytes; nothing comes after it.
    TooLong,
}

/// What comes from an output as it comes, so that waiting for a line can end; it ends with the process.
pub(crate) fn lines_of(output: impl Read + Send + 'static) -> Receiver<RunnerOutput> {
    let (sender, lines) = sync_channel(WAITING_LINES);
    std::thread::spawn(move || listen(output, &sender));
    lines
}

/// Passes on what a process says until it ends, makes no sense, or nobody listens any more. It waits while nobody reads.
fn listen(output: impl Read, sender: &SyncSender<RunnerOutput>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        let heard = match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.last() == Some(&b'\n') => {
                let text = String::from_utf8_lossy(&line);
                RunnerOutput::Line(text.trim_end_matches(['\n', '\r']).to_owned())
            }
            // Cut by its length, or by the end of the process.
            Ok(n) if n as u64 == LONGEST_LINE => RunnerOutput::TooLong,
            Ok(_) => return,
        };
        let is_over = matches!(heard, RunnerOutput::TooLong);
        if sender.send(heard).is_err() || is_over {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_cut_and_nothing_after_it_is_read() {
        let (sender, lines) = sync_channel(WAITING_LINES);
        // A source that would fill any memory.
        let babble = std::io::Read::chain(&b"engine\r\n\xff\n"[..], std::io::repeat(b'y'));
        listen(babble, &sender);
        assert!(matches!(lines.recv(), Ok(RunnerOutput::Line(line)) if line == "engine"));
        assert!(matches!(lines.recv(), Ok(RunnerOutput::Line(_))));
        assert!(matches!(lines.recv(), Ok(RunnerOutput::TooLong)));
        drop(sender);
        assert!(lines.recv().is_err());
        // The last line of a runner that ended within it is none.
        let (sender, lines) = sync_channel(WAITING_LINES);
        let longest = "y".repeat(LONGEST_LINE as usize - 1);
        listen(format!("{longest}\nansw").as_bytes(), &sender);
        drop(sender);
        assert!(matches!(lines.recv(), Ok(RunnerOutput::Line(line)) if line == longest));
        assert!(lines.recv().is_err());
    }

    #[test]
    fn lines_wait_until_they_are_read() {
        let (sender, lines) = sync_channel(WAITING_LINES);
        let endless = std::thread::spawn(move || {
            let text = "y\n".repeat(1000);
            let read = std::io::Read::chain(text.as_bytes(), std::io::repeat(b'\n'));
            listen(read, &sender);
        });
        for _ in 0..100 {
            assert!(matches!(lines.recv(), Ok(RunnerOutput::Line(line)) if line == "y"));
        }
        // Nobody listens any more, and it ends.
        drop(lines);
        assert!(endless.join().is_ok());
    }
}
