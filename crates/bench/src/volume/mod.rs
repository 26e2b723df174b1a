//! `impinge-bench run volume`: balls in solids, with their bars.

mod packing;

use crate::Bar;

/// Which part to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Few balls and few models: a look in a minute, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only models whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Balls per real model
    #[arg(long, value_name = "N")]
    count: Option<usize>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    packing::run(args)
}
