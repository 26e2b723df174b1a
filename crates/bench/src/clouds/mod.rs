//! Proximity graphs of point clouds and the surfaces behind them.

mod bracket_rivals;
mod brackets;
mod eigen;
mod graphs;
mod models;
mod quality;
mod surface;
mod timing;

pub(crate) use brackets::{Args as BracketsArgs, run as run_brackets};
pub(crate) use graphs::{Args as GraphsArgs, run as run_graphs};
pub(crate) use surface::{Args as SurfaceArgs, run as run_surface};
