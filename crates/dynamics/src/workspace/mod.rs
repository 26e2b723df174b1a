//! Several users, each with one or two hands, among bodies that push each other.
//!
//! **Question.** How do many hands feel many detailed bodies at 1 kHz, when finding the overlaps takes longer than a tick?
//! **Idea.** Detection and evaluation are decoupled. [Pair lists](impinge::spheres::PairList) of sphere trees are refreshed when there is
//! time, with spheres inflated by how far bodies can move until the next refresh; every tick evaluates the newest list at the newest poses.
//! **Source.** Weller 2012, the workspace Haptesha; the inflation and the sharing of the budget are ours.
//! **Promise.** Contact forces come in opposite pairs, so that they sum to zero. While no body is faster than the stated speed, a swap of lists does not change the force.
//! **Limits.** Each body has a scalar moment of inertia, as a ball has.
//!
//! [`Workspace`] runs in one thread, tick by tick, and gives the same bytes every time. [`run_threads`] gives each hand a thread of its own.

mod budget;
mod pose_cell;
mod threads;
mod world;

pub use budget::split_budget;
pub use pose_cell::PoseCell;
pub use threads::{HandReport, ThreadsError, ThreadsReport, run_threads};
pub use world::{HandStep, Workspace, WorkspaceBody, WorkspaceConfig, WorkspaceError};
