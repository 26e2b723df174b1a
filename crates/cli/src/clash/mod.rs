//! `impinge clash`: which parts of assemblies collide or come too close.

mod args;
mod assembly;
mod base64;
mod bcf;
mod canvas;
mod date;
mod drawing;
mod html;
mod precision;
mod record;
mod report;
mod run;
mod snapshot;
mod table;

pub(crate) use args::{CLASH_HELP, ClashArgs};
pub(crate) use run::run;
