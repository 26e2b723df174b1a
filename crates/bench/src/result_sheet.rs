//! What one benchmark found: plots, tables and bars in one file that a report, a comparison and other programs read.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::Bar;
use crate::folders::{create, from_here};

/// The format of sheets. A file with another number is refused.
const VERSION: u32 = 1;

/// Everything one benchmark has to say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResultSheet {
    pub(crate) version: u32,
    /// Also the name of the file: lower case, words joined by hyphens.
    pub(crate) name: String,
    pub(crate) title: String,
    /// The question in one sentence, as a reader of the report would ask it.
    pub(crate) question: String,
    /// The command that makes this sheet again.
    pub(crate) command: String,
    pub(crate) preset: String,
    /// What may bias these figures, and what was left out.
    pub(crate) notes: Vec<String>,
    pub(crate) plots: Vec<Plot>,
    pub(crate) tables: Vec<Table>,
    pub(crate) bars: Vec<Claim>,
    /// Bars that nothing was measured for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) open: Vec<String>,
    /// What went wrong without ending the run: a crashing peer, a missing package.
    pub(crate) failures: Vec<Failure>,
}

/// A picture with two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) unit: String,
    pub(crate) is_logarithmic: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 2]>,
    /// Lower and upper end of each point's spread; empty, or as many as points.
    pub(crate) spread: Vec<[f64; 2]>,
    /// Dots instead of a line.
    pub(crate) is_scatter: bool,
    /// Given by a publication, not measured here.
    pub(crate) is_published: bool,
    /// What each point is of; empty, or as many as points. A plot of such points, unless they are dots, is drawn in rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) names: Vec<String>,
    /// How strong each point is; empty, or as many as points. A plot of such points is drawn in colours, with a panel for each series.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) decibels: Vec<f64>,
}

impl Plot {
    /// Whether it has cells that are as strong as their colour.
    pub(crate) fn is_heat_map(&self) -> bool {
        self.series.iter().any(|s| !s.decibels.is_empty())
    }

    /// The names of its rows from top to bottom, each once; none where the first axis is one of numbers.
    pub(crate) fn rows(&self) -> Vec<&str> {
        let lines = self.series.iter().filter(|s| !s.is_scatter);
        let mut named: Vec<(f64, &str)> = lines
            .flat_map(|s| s.points.iter().zip(&s.names))
            .map(|(point, name)| (point[0], name.as_str()))
            .collect();
        named.sort_by(|p, q| p.0.total_cmp(&q.0));
        let mut rows: Vec<&str> = Vec::new();
        for (_, name) in named {
            if !rows.contains(&name) {
                rows.push(name);
            }
        }
        rows
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Cell {
    Number(f64),
    Text(String),
    /// Nothing to show, and why: a wrong answer has no time.
    Void {
        reason: String,
    },
}

/// A bar and what was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub(crate) claim: String,
    pub(crate) reached: String,
    pub(crate) is_met: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// The engine, the peer or the file.
    pub(crate) subject: String,
    pub(crate) reason: String,
    /// Only failures of our own make a run fail.
    pub(crate) is_ours: bool,
}

/// The name of a sheet after the options of its run, of which only letters that every file may have are taken.
pub(crate) fn name_after<'w>(part: &str, options: impl Iterator<Item = &'w str>) -> String {
    let mut name = part.to_owned();
    for option in options {
        let letters = option
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_.".contains(*c));
        name.extend(std::iter::once('-').chain(letters));
    }
    name
}

impl ResultSheet {
    pub(crate) fn new(name: &str, title: &str, question: &str, command: &str) -> Self {
        Self {
            version: VERSION,
            name: name.to_owned(),
            title: title.to_owned(),
            question: question.to_owned(),
            command: command.to_owned(),
            ..Self::default()
        }
    }

    /// Prints a bar that nothing was measured for, and keeps it.
    pub(crate) fn leave_open(&mut self, claim: &str) {
        println!("bar: {claim}: {}", Bar::Open.word());
        self.open.push(claim.to_owned());
    }

    /// Prints a bar as every benchmark does, and keeps it.
    pub(crate) fn claim(&mut self, claim: &str, reached: &str, is_met: bool) {
        println!(
            "bar: {claim}: {reached}: {}",
            if is_met { "met" } else { "missed" }
        );
        self.bars.push(Claim {
            claim: claim.to_owned(),
            reached: reached.to_owned(),
            is_met,
        });
    }

    pub(crate) fn bar(&self) -> Bar {
        let broken = self.failures.iter().any(|f| f.is_ours);
        let claims = self.bars.iter().map(|bar| Bar::of(bar.is_met));
        let open = self.open.iter().map(|_| Bar::Open);
        Bar::together(claims.chain(open)).and(Bar::of(!broken))
    }

    /// This sheet without what JSON has no number for: such points go, such cells say so.
    fn finite(&self) -> Self {
        let mut sheet = self.clone();
        for series in sheet.plots.iter_mut().flat_map(|plot| &mut plot.series) {
            let keeps: Vec<bool> = (0..series.points.len())
                .map(|k| {
                    let spread = series.spread.get(k).into_iter().flatten();
                    let strength = series.decibels.get(k);
                    let mut all = series.points[k].iter().chain(spread).chain(strength);
                    all.all(|x| x.is_finite())
                })
                .collect();
            let mut kept = keeps.iter();
            series.points.retain(|_| kept.next() != Some(&false));
            let mut kept = keeps.iter();
            series.spread.retain(|_| kept.next() != Some(&false));
            let mut kept = keeps.iter();
            series.names.retain(|_| kept.next() != Some(&false));
            let mut kept = keeps.iter();
            series.decibels.retain(|_| kept.next() != Some(&false));
        }
        for cell in sheet
            .tables
            .iter_mut()
            .flat_map(|table| table.rows.iter_mut().flatten())
        {
            if matches!(cell, Cell::Number(x) if !x.is_finite()) {
                *cell = Cell::Void {
                    reason: "not a number".to_owned(),
                };
            }
        }
        sheet
    }

    /// Writes `folder/NAME.sheet.json`, whole or not at all.
    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<PathBuf> {
        create(folder)?;
        let path = folder.join(format!("{}.sheet.json", self.name));
        let unfinished = folder.join(format!("{}.sheet.json.part", self.name));
        let text = serde_json::to_string(&self.finite())?;
        std::fs::write(&unfinished, text + "\n")
            .with_context(|| format!("cannot write {}", unfinished.display()))?;
        std::fs::rename(&unfinished, &path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(from_here(&path))
    }

    /// The sheet in a file, or why it cannot be trusted.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let sheet: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is no sheet", path.display()))?;
        anyhow::ensure!(
            sheet.version == VERSION,
            "{} has format {}, this program reads {VERSION}",
            path.display(),
            sheet.version
        );
        for series in sheet.plots.iter().flat_map(|plot| &plot.series) {
            anyhow::ensure!(
                series.spread.is_empty() || series.spread.len() == series.points.len(),
                "{}: series {:?} has {} points and {} spreads",
                path.display(),
                series.name,
                series.points.len(),
                series.spread.len()
            );
            anyhow::ensure!(
                series.names.is_empty() || series.names.len() == series.points.len(),
                "{}: series {:?} has {} points and {} names",
                path.display(),
                series.name,
                series.points.len(),
                series.names.len()
            );
            anyhow::ensure!(
                series.decibels.is_empty() || series.decibels.len() == series.points.len(),
                "{}: series {:?} has {} points and {} strengths",
                path.display(),
                series.name,
                series.points.len(),
                series.decibels.len()
            );
        }
        for table in &sheet.tables {
            anyhow::ensure!(
                table
                    .rows
                    .iter()
                    .all(|row| row.len() == table.columns.len()),
                "{}: table {:?} has rows of another length than its head",
                path.display(),
                table.title
            );
        }
        Ok(sheet)
    }
}
