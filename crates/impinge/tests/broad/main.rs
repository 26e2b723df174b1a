//! Which of many things meet: broad phases, and clashes between the parts of assemblies.

mod brute_force_table;
mod clash_names;
mod clash_truth;
mod clash_walls;
mod large_programs;
mod long_programs;
mod phases;
