//! Questions about placed clouds and meshes: `impinge cloud`, and `impinge query` where a file holds points.
//!
//! [`subject`] tells clouds from meshes and reads them, [`answers`] asks the library about the points, [`surface`] about the surfaces behind them; [`record`]
//! tells it to programs, [`words`] to people, and [`drawing`] draws it.

mod answers;
mod args;
mod asked;
mod drawing;
mod record;
mod run;
mod subject;
mod surface;
mod words;

pub(crate) use args::{CLOUD_HELP, CloudArgs};
pub(crate) use asked::ask;
pub(crate) use drawing::Exhibit;
pub(crate) use run::run;
pub(crate) use subject::{UNREAD_COLUMNS, is_cloud};
pub(crate) use surface::oriented;
