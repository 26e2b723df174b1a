//! The benchmark program as its users run it.

mod compare;
mod configurations;
mod example_runner;
mod folder;
mod open_to_others;
mod pair;
mod peers;
mod quality;
mod records;
mod reports;
mod rubbish;
mod small_runs;
