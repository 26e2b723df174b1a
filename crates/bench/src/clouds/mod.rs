//! Proximity graphs of point clouds, the surfaces behind them, and whether two of them meet.

mod bandwidth_width;
mod cloud_collision;
mod confidence_check;
mod crossings;
mod deforming;
mod density;
mod distances;
mod eigen;
mod graphs;
mod interpolation_search;
mod leaf_tests;
mod models;
mod pairs;
mod peers;
mod quality;
mod resolutions;
mod sampling_baseline;
mod surface;
mod timing;
mod tumble;
mod versus_average_tree;
mod versus_mesh;

pub(crate) use cloud_collision::{Args as CollideArgs, run as run_collide};
pub(crate) use graphs::{Args as GraphsArgs, run as run_graphs};
pub(crate) use interpolation_search::{Args as BracketsArgs, run as run_brackets};
pub(crate) use pairs::{Args as PairsArgs, run as run_pairs};
pub(crate) use peers::{AGREES, KIDDO, MAX_TIMES, PointFiles};
pub(crate) use surface::{Args as SurfaceArgs, run as run_surface};
pub(crate) use timing::{at_full_size, right_at_full_size};
