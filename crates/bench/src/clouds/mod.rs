//! Proximity graphs of point clouds and the surfaces behind them.

mod eigen;
mod graphs;
mod models;
mod pairs;
mod quality;
mod surface;
mod timing;

pub(crate) use graphs::{Args as GraphsArgs, run as run_graphs};
pub(crate) use pairs::{Args as PairsArgs, run as run_pairs};
pub(crate) use surface::{Args as SurfaceArgs, run as run_surface};
