//! Arguments that several runs have; those that make no sense are refused at the door, by name.

use std::path::PathBuf;

use anyhow::bail;

use crate::folders::target;
use crate::rigid::default_folder;
use crate::scenes::{self, SceneName};

// What a run over scenes takes. A doc comment would take the place of what the run says of itself.
#[derive(Debug, clap::Args)]
pub(crate) struct SceneSelection {
    /// Small scenes and few frames: a look, nothing to quote
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only scenes whose name contains this; `impinge-bench scenes` lists them
    #[arg(long, visible_alias = "scene", value_name = "NAME")]
    only: Option<String>,
    /// Only these parts of the run; a name that is none lists them
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    parts: Vec<String>,
    /// Folder for the record [default: records/DATE-MACHINE, with --quick, --only or --parts target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

impl SceneSelection {
    /// The scenes that are wanted.
    ///
    /// # Errors
    /// A part that is not among these, or no scene.
    pub(crate) fn scenes(&self, parts: &[&str]) -> anyhow::Result<Vec<SceneName>> {
        if let Some(part) = self
            .parts
            .iter()
            .find(|&part| !parts.contains(&part.as_str()))
        {
            bail!("no part is called {part}; there are {}", parts.join(", "));
        }
        let is_wanted = |scene: &SceneName| {
            let only = self.only.as_ref();
            only.is_none_or(|only| scene.text().contains(only.as_str()))
        };
        let wanted: Vec<SceneName> = scenes::all().into_iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            bail!("no scene is called like that; `impinge-bench scenes` lists them");
        }
        Ok(wanted)
    }

    /// Whether a part is to be run.
    pub(crate) fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }

    /// Where the record goes: only a whole run is kept.
    pub(crate) fn folder(&self) -> PathBuf {
        let is_whole = !self.quick && self.only.is_none() && self.parts.is_empty();
        match &self.records {
            Some(folder) => folder.clone(),
            None if is_whole => default_folder(),
            None => target().join("records"),
        }
    }
}

/// A number of things of which there must be one.
///
/// # Errors
/// No number, or none.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// A finite number above 0.
///
/// # Errors
/// Anything else.
pub(crate) fn above_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        Ok(_) => Err("must be a finite number above 0".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{above_zero, at_least_one};

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in ["0", "-1", "1.5", "", "many"] {
            assert!(at_least_one(text).is_err(), "{text}");
        }
        assert_eq!(at_least_one("3"), Ok(3));
        for text in ["0", "-0.5", "nan", "inf", "", "soon"] {
            assert!(above_zero(text).is_err(), "{text}");
        }
        assert_eq!(above_zero("0.9"), Ok(0.9));
    }
}
