//! Proximity graphs of point clouds, the surfaces behind them, and whether two of them meet.

mod asking;
mod bracket_rivals;
mod brackets;
mod collide;
mod eigen;
mod graphs;
mod models;
mod pairs;
mod peers;
mod quality;
mod stated;
mod surface;
mod timing;
mod tumble;

pub(crate) use brackets::{Args as BracketsArgs, run as run_brackets};
pub(crate) use collide::{Args as CollideArgs, run as run_collide};
pub(crate) use graphs::{Args as GraphsArgs, run as run_graphs};
pub(crate) use pairs::{Args as PairsArgs, run as run_pairs};
pub(crate) use surface::{Args as SurfaceArgs, run as run_surface};
