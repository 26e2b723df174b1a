//! Proximity graphs of point clouds, the surfaces behind them, and whether two of them meet.

mod asking;
mod beside_tree;
mod bracket_rivals;
mod brackets;
mod collide;
mod density;
mod distances;
mod eigen;
mod graphs;
mod meshed;
mod models;
mod pairs;
mod peers;
mod quality;
mod resolutions;
mod stated;
mod surface;
mod timing;
mod tumble;

pub(crate) use brackets::{Args as BracketsArgs, run as run_brackets};
pub(crate) use collide::{Args as CollideArgs, run as run_collide};
pub(crate) use graphs::{Args as GraphsArgs, run as run_graphs};
pub(crate) use pairs::{Args as PairsArgs, run as run_pairs};
pub(crate) use peers::{AGREES, KIDDO, MAX_TIMES, PointFiles};
pub(crate) use surface::{Args as SurfaceArgs, run as run_surface};
pub(crate) use timing::{at_full_size, right_at_full_size};
