//! Questions about placed clouds and meshes: `impinge cloud`, and `impinge query` where a file holds points.
//!
//! [`cloud_or_mesh`] distinguishes clouds from meshes and reads them, [`answers`] queries the library about the points, [`surface`] about the surfaces behind them; [`record`]
//! formats it for programs, [`text`] for people, and [`drawing`] draws it.

mod answers;
mod args;
mod cloud_or_mesh;
mod cloud_query;
mod drawing;
mod record;
mod run;
mod surface;
mod text;

pub(crate) use args::{CLOUD_HELP, CloudArgs};
pub(crate) use cloud_or_mesh::{UNREAD_COLUMNS, is_cloud};
pub(crate) use cloud_query::ask;
pub(crate) use drawing::CloudPicture;
pub(crate) use run::run;
pub(crate) use surface::oriented;
