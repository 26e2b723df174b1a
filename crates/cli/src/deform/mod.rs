//! `impinge deform`: which faces of a deforming scene meet, frame by frame.

mod drawing;
mod engines;
mod record;
mod run;
mod source;

pub(crate) use engines::names as engine_names;
pub(crate) use run::run;
pub(crate) use source::MovingSource;
