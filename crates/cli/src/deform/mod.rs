//! `impinge deform`: which faces of a deforming scene meet, frame by frame.

mod args;
mod drawing;
mod engines;
mod gpu_engine;
mod key_list;
mod record;
mod run;
mod source;

pub(crate) use args::{DEFORM_HELP, DeformArgs};
pub(crate) use run::run;
