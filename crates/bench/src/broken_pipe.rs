//! A reader that goes away, as `head` does, ends the program without a word.

/// What a shell sees of a program that ended because nobody read its output any more: 128 and the number of SIGPIPE.
const NOBODY_READS: i32 = 141;

/// Ends the program quietly once `println!` finds its reader gone, instead of a panic with a backtrace. To be called first in `main`.
pub(crate) fn end_quietly() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        if message.starts_with("failed printing to std") && message.contains("Broken pipe") {
            std::process::exit(NOBODY_READS);
        }
        report(panic);
    }));
}
