//! Stub.

use crate::Bar;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> anyhow::Result<Bar> {
    Ok(Bar::Missed)
}
