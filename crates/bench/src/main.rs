//! Measures impinge, checks every bar and prints whether it is met.

mod bodies;
mod box_tree_ablation;
mod chart;
mod counting_alloc;
mod engines;
mod fuzz_formats;
mod half_edges;
mod impact_truth;
mod measure;
mod ours;
mod pair;
mod poses;
mod rigid;
mod runner;
#[path = "../engines/serve.rs"]
mod serve;
mod tri_tri_cost;
mod tri_tri_truth;
mod truth;

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
    /// Trees of cut boxes beside the flat algorithm, and each of their parts on and off
    BoxTree(box_tree_ablation::Args),
    /// Mutated files of every format: no panic, no hang, no memory blow-up
    FuzzFormats(fuzz_formats::Args),
    Pair(pair::Args),
    Run(rigid::Args),
    Chart(chart::Args),
    #[command(hide = true)]
    Serve(ours::Args),
    /// The time of impact against dense exact sampling of random motions
    ImpactTruth(impact_truth::Args),
}

fn main() -> anyhow::Result<ExitCode> {
    let bar = match Args::parse().command {
        Command::TriTriCost(args) => tri_tri_cost::run(&args)?,
        Command::TriTriTruth(args) => tri_tri_truth::run(&args)?,
        Command::HalfEdges(args) => half_edges::run(&args)?,
        Command::BoxTree(args) => box_tree_ablation::run(&args)?,
        Command::FuzzFormats(args) => fuzz_formats::run(&args)?,
        Command::Pair(args) => pair::run(&args)?,
        Command::Run(args) => rigid::run(&args)?,
        Command::Chart(args) => chart::run(&args)?,
        Command::Serve(args) => return ours::run(&args),
        Command::ImpactTruth(args) => impact_truth::run(&args)?,
    };
    Ok(match bar {
        Bar::Met => ExitCode::SUCCESS,
        Bar::Missed => ExitCode::FAILURE,
    })
}
