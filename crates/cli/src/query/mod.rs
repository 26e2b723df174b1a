//! `impinge query`: every question about two placed meshes.
//!
//! [`run`] loads and prints, [`inquiry`] asks the library, [`answers`] holds what came back, and from there the same
//! facts go to people ([`words`]), to programs ([`record`]), and by way of an [`exhibit`] to pictures and models ([`scene`], [`drawing`]).

mod answers;
mod args;
mod batch;
mod drawing;
mod engine;
mod exhibit;
mod indexes;
mod inquiry;
mod likely;
mod polygon_pair;
mod question;
mod record;
mod run;
mod scene;
mod settings;
mod tube;
mod viewpoint;
mod words;

pub(crate) use answers::Answers;
pub(crate) use args::{QUERY_HELP, QueryArgs};
pub(crate) use drawing::{rgba, some_faces};
pub(crate) use engine::{EngineWish, Questions, choose_engine};
pub(crate) use indexes::{Indexes, SolidTrees, Solids, milliseconds_since};
pub(crate) use inquiry::Inquiry;
pub(crate) use question::{Question, SolidRule};
pub(crate) use run::run;
pub(crate) use settings::Settings;
pub(crate) use tube::Tubes;
pub(crate) use words::Words;
