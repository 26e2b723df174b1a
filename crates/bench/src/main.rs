//! Measures impinge, checks every bar and prints whether it is met.

mod counting_alloc;
mod fuzz_formats;
mod half_edges;
mod impact_truth;
mod tri_tri_cost;
mod tri_tri_truth;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Whether the bar a benchmark holds was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bar {
    Met,
    Missed,
}

#[derive(Debug, Parser)]
#[command(
    name = "impinge-bench",
    version,
    about = "Measure impinge and print whether each bar is met"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Cost of the exact triangle–triangle test beside a plain f64 test without exactness
    TriTriCost(tri_tri_cost::Args),
    /// The triangle–triangle test against rational arithmetic, millions of pairs
    TriTriTruth(tri_tri_truth::Args),
    /// Growth of the half-edge builder's time with the mesh, beside the naive builder
    HalfEdges(half_edges::Args),
    /// Mutated files of every format: no panic, no hang, no memory blow-up
    FuzzFormats(fuzz_formats::Args),
    /// The time of impact against dense exact sampling of random motions
    ImpactTruth(impact_truth::Args),
}

fn main() -> anyhow::Result<ExitCode> {
    let bar = match Args::parse().command {
        Command::TriTriCost(args) => tri_tri_cost::run(&args)?,
        Command::TriTriTruth(args) => tri_tri_truth::run(&args)?,
        Command::HalfEdges(args) => half_edges::run(&args)?,
        Command::FuzzFormats(args) => fuzz_formats::run(&args)?,
        Command::ImpactTruth(args) => impact_truth::run(&args)?,
    };
    Ok(match bar {
        Bar::Met => ExitCode::SUCCESS,
        Bar::Missed => ExitCode::FAILURE,
    })
}
