//! The program as its users run it: every command, its answers, its files and its complaints.

mod asking;
mod clash;
mod cloud;
mod cloud_pair;
mod damaged;
mod deform;
mod engines;
mod models;
mod pack;
mod polygons;
mod program;
mod query;
mod scenes;
mod shared_volume;
mod shell;
mod telling;
mod tour;
