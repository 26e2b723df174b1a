//! Kinetic trees, separation lists and their schedule against searches from scratch.

mod list;
mod schedule;
mod trees;
