//! The `impinge` command: parses, calls the library, prints.

mod args;
mod atomic_file;
mod bounds_record;
mod built_in;
mod clash;
mod cloud;
mod cloud_info;
mod containment;
mod convert;
mod cover;
mod deform;
mod devices;
mod did_you_mean;
mod finding_location;
mod generate;
mod haptics;
mod info;
mod manual;
mod mesh_summary;
mod model_source;
mod number;
mod output;
mod pack;
mod picture;
mod polygon_findings;
mod pose_file;
mod progress;
mod pyramid_run;
mod query;
mod random_scene;
mod relative_length;
mod render;
mod repair_report;
mod replay;
mod run;
mod scene_file;
mod sculpt;
mod self_intersection;
mod sphere_graph_files;
mod step_timings;
mod study_run;
mod tour;
mod workspace_run;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command, TourArgs};
use output::Output;

/// What a command found, as its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExitAnswer {
    /// Nothing found.
    No,
    /// Something found.
    Yes,
    /// Something went wrong that was already reported.
    Failed,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    progress::show(!cli.quiet);
    let mut out = Output::new(cli.json, cli.quiet);
    let answer = run(cli.command.as_ref(), &mut out).and_then(|answer| {
        out.flush()?;
        Ok(answer)
    });
    match answer {
        Ok(ExitAnswer::No) => ExitCode::SUCCESS,
        Ok(ExitAnswer::Yes) => ExitCode::from(1),
        Ok(ExitAnswer::Failed) => ExitCode::from(2),
        Err(error) => {
            out.failure(None, &error);
            ExitCode::from(2)
        }
    }
}

fn run(command: Option<&Command>, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    match command {
        None => tour::run(&TourArgs::default(), out),
        Some(Command::Tour(args)) => tour::run(args, out),
        Some(Command::Info(args)) => info::run(args, out),
        Some(Command::Cloud(args)) => cloud::run(args, out),
        Some(Command::CloudInfo(args)) => cloud_info::run(args, out),
        Some(Command::Convert(args)) => convert::run(args, out),
        Some(Command::Generate(args)) => generate::run(args, out),
        Some(Command::Pack(args)) => pack::run(args, out),
        Some(Command::Query(args)) => query::run(args, out),
        Some(Command::Run(args)) => run::run(args, out),
        Some(Command::Replay(args)) => replay::run(args, out),
        Some(Command::Deform(args)) => deform::run(args, out),
        Some(Command::Devices) => devices::run(out),
        Some(Command::Clash(args)) => clash::run(args, out),
        Some(Command::Haptics(args)) => haptics::run(args, out),
        Some(Command::Sculpt(args)) => sculpt::run(args, out),
        Some(Command::Workspace(args)) => workspace_run::run(args, out),
        Some(Command::Study(args)) => study_run::run(args, out),
        Some(Command::Completions(args)) => manual::completions(args, out),
        Some(Command::Man(args)) => manual::pages(args, out),
    }
}
