//! The program as its users run it: every command, its answers, its files and its complaints.

mod clash;
mod cloud;
mod cloud_pair;
mod damaged;
mod deform;
mod engines;
mod gpu;
mod haptics;
mod models;
mod output;
mod overlap_volume;
mod pack;
mod polygons;
mod program;
mod queries;
mod query;
mod repairs;
mod scenes;
mod shell;
mod tour;
