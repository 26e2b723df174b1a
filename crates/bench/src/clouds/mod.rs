//! Proximity graphs of point clouds, the surfaces behind them, and whether two of them meet.

mod collide;
mod eigen;
mod graphs;
mod models;
mod quality;
mod stated;
mod surface;
mod timing;
mod tumble;

pub(crate) use collide::{Args as CollideArgs, run as run_collide};
pub(crate) use graphs::{Args as GraphsArgs, run as run_graphs};
pub(crate) use surface::{Args as SurfaceArgs, run as run_surface};
