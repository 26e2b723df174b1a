//! Which of many things meet: broad phases, and clashes between the parts of assemblies.

mod clash_names;
mod clash_truth;
mod crowd;
mod phases;
mod programs;
mod table;
