//! The benchmark program as its users run it.

mod compare;
mod configurations;
mod example_runner;
mod external_runner;
mod folder;
mod malformed_runner;
mod pair;
mod peers;
mod quality;
mod records;
mod reports;
mod small_runs;
