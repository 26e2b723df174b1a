//! `impinge query`: all queries of two placed meshes.
//!
//! [`run`] loads and prints, [`query_runner`] queries the library, [`answers`] holds what came back, and from there the same
//! facts go to people ([`text`]), to programs ([`record`]), and by way of an [`picture_content`] to pictures and models ([`scene`], [`drawing`]).

mod answers;
mod args;
mod batch;
mod drawing;
mod engine;
mod indexes;
mod line_tubes;
mod picture_content;
mod polygon_pair;
mod probabilistic;
mod query_kind;
mod query_runner;
mod record;
mod run;
mod scene;
mod settings;
mod text;
mod viewpoint;

pub(crate) use answers::Answers;
pub(crate) use args::{QUERY_HELP, QueryArgs};
pub(crate) use drawing::{rgba, some_faces};
pub(crate) use engine::{EngineArg, QueryMix, choose_engine};
pub(crate) use indexes::{Indexes, SolidIndexes, SolidTrees, milliseconds_since};
pub(crate) use line_tubes::Tubes;
pub(crate) use query_kind::{QueryKind, SolidRule};
pub(crate) use query_runner::QueryRunner;
pub(crate) use run::run;
pub(crate) use settings::Settings;
pub(crate) use text::LengthText;
