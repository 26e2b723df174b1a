//! Completions and manual pages, made from the flag table.

use anyhow::Context;
use clap::CommandFactory;
use serde::Serialize;

use crate::ExitAnswer;
use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::Output;

#[derive(Serialize)]
struct Record {
    folder: String,
}

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &CompletionsArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "impinge", &mut script);
    out.document(&script)?;
    Ok(ExitAnswer::No)
}

/// Prints the manual page of `impinge`, or writes those of all commands into a folder.
pub(crate) fn pages(args: &ManArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        out.document(&page)?;
        return Ok(ExitAnswer::No);
    };
    std::fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
        .with_context(|| format!("cannot write manual pages into {}", dir.display()))?;
    out.record(&Record {
        folder: dir.display().to_string(),
    })?;
    out.line(format_args!(
        "wrote the manual pages into {}",
        dir.display()
    ))?;
    Ok(ExitAnswer::No)
}
