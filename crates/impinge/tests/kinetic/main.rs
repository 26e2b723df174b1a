//! Kinetic trees, separation lists and their schedule against searches from scratch.

mod changes;
mod list;
mod schedule;
mod trees;
