//! A published figure, and the places in records where its counterpart may be, read from the files
//! in `crates/bench/published`.
//!
//! A file holds the figures of one thesis. `source` is its name, `errata` its heading in
//! `docs/errata.md`, `machine` what most of it was measured on. `tables`, `plots` and `drawings` name
//! every table and figure of the thesis. Each `[[figure]]` has
//!
//! | key | meaning |
//! |---|---|
//! | `id`, `what` | a name within the file, and what was measured |
//! | `at` | where it is in the thesis: tables, plots, drawings, or a section |
//! | `published`, `unit` | what the thesis says, and in what |
//! | `machine` | what it was measured on, where not on that of the file; `"any"` for counts and formulas |
//! | `ours` | places in records, the best first |
//! | `command` | what measures ours, where the parts of `ours` do not say it |
//! | `otherwise` | why nothing is there, where `ours` is empty |
//! | `erratum` | the row of the errata that says what is wrong with it |
//! | `is_by_nature` | that nothing can be measured |
//!
//! A place is a table with one of these:
//!
//! | key | meaning |
//! |---|---|
//! | `part` and `bar` | a bar of a part of the records, by words in it, in whatever order; it says what was reached |
//! | `part` and `verdict` | a bar with its target and whether it is met, and no figure |
//! | `part` and `row` | a row of a table, by words in its cells or in the table's title |
//! | `part` and `line` | a line that a benchmark printed, or a note it left |
//! | `all` | places that belong together: whatever is there is shown, in this order |
//! | `under` and `place` | words before what is at a place, where its own do not say what they are about |
//! | `said` | what no record has, said beside what some have |
//! | `rate`, `triangles` and `place` | triangles a second, where a place says milliseconds a frame |

use std::collections::BTreeSet;

use anyhow::Context;
use serde::Deserialize;

use crate::suite::part_command;

/// Where the counterpart of a figure is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "PlaceTable")]
pub(super) enum RecordPlace {
    /// A bar of a part whose words are these, in whatever order; it says what was reached.
    Bar(String, Vec<String>),
    /// A bar with its target and whether it is met, and no figure: it stands beside figures, and is none.
    Verdict(String, Vec<String>),
    /// A row of some table of a part, with these words in its cells or its table's title.
    Row(String, Vec<String>),
    /// A line that a benchmark printed, or a note it left.
    Line(String, Vec<String>),
    /// Places that belong together: whatever is there is shown, in this order.
    All(Vec<RecordPlace>),
    /// Words before what is at a place, where its own do not say what they are about.
    Under(String, Box<RecordPlace>),
    /// What no record has, said beside what some have.
    Said(String),
    /// Triangles a second, where a place says milliseconds a frame: what they are of, and how many a frame has.
    Rate(String, f64, Box<RecordPlace>),
}

/// A place as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceTable {
    part: Option<String>,
    bar: Option<Vec<String>>,
    verdict: Option<Vec<String>>,
    row: Option<Vec<String>>,
    line: Option<Vec<String>>,
    all: Option<Vec<RecordPlace>>,
    under: Option<String>,
    said: Option<String>,
    rate: Option<String>,
    triangles: Option<f64>,
    place: Option<Box<RecordPlace>>,
}

impl TryFrom<PlaceTable> for RecordPlace {
    type Error = String;

    fn try_from(table: PlaceTable) -> Result<Self, String> {
        let text = format!("{table:?}");
        let mut kinds: Vec<Self> = Vec::new();
        let PlaceTable {
            part,
            bar,
            verdict,
            row,
            line,
            all,
            under,
            said,
            rate,
            triangles,
            place,
        } = table;
        let has_part = part.is_some();
        let part = part.unwrap_or_default();
        let mut takes_part = 0;
        for (words, kind) in [
            (bar, Self::Bar as fn(String, Vec<String>) -> Self),
            (verdict, Self::Verdict),
            (row, Self::Row),
            (line, Self::Line),
        ] {
            if let Some(words) = words {
                if words.iter().any(String::is_empty) {
                    return Err(format!("an empty word is in everything: {text}"));
                }
                takes_part += 1;
                kinds.push(kind(part.clone(), words));
            }
        }
        let (has_triangles, has_place) = (triangles.is_some(), place.is_some());
        let mut wrapped = 0;
        kinds.extend(all.map(Self::All));
        kinds.extend(said.map(Self::Said));
        match (under, rate, triangles, place) {
            (Some(words), None, None, Some(place)) => {
                wrapped += 1;
                kinds.push(Self::Under(words, place));
            }
            (None, Some(of), Some(triangles), Some(place)) if triangles > 0.0 => {
                wrapped += 1;
                kinds.push(Self::Rate(of, triangles, place));
            }
            (None, None, None, None) => {}
            _ => {
                return Err(format!(
                    "`under` needs `place`, and `rate` needs `triangles` above 0 and `place`: {text}"
                ));
            }
        }
        let is_whole = has_part == (takes_part == 1)
            && (has_place == (wrapped == 1))
            && (!has_triangles || wrapped == 1);
        match (kinds.pop(), kinds.is_empty(), is_whole) {
            (Some(place), true, true) => Ok(place),
            _ => Err(format!(
                "a place is one of `part` with `bar`, `verdict`, `row` or `line`, `all`, `under`, `said` or `rate`: {text}"
            )),
        }
    }
}

impl RecordPlace {
    /// Calls `each` with every part of the records that it is in.
    fn each_part(&self, each: &mut dyn FnMut(&str)) {
        match self {
            Self::Bar(part, _)
            | Self::Verdict(part, _)
            | Self::Row(part, _)
            | Self::Line(part, _) => each(part),
            Self::All(places) => places.iter().for_each(|place| place.each_part(each)),
            Self::Under(_, place) | Self::Rate(_, _, place) => place.each_part(each),
            Self::Said(_) => {}
        }
    }

    /// The part of the records that it is in, or the first of those.
    pub(super) fn part(&self) -> &str {
        match self {
            Self::Bar(part, _)
            | Self::Verdict(part, _)
            | Self::Row(part, _)
            | Self::Line(part, _) => part,
            Self::All(places) => places.first().map_or("", Self::part),
            Self::Under(_, place) | Self::Rate(_, _, place) => place.part(),
            Self::Said(_) => "",
        }
    }
}

/// One published figure.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedFigure {
    pub(super) id: String,
    /// Where in the thesis: tables, plots, drawings, or sections.
    pub(super) at: Vec<String>,
    pub(super) what: String,
    pub(super) published: String,
    pub(super) unit: String,
    /// What it was measured on, where not on that of the file.
    pub(super) machine: Option<String>,
    /// The first of them that is there is shown; one with a figure comes before one that is decided, and that before one that is open.
    #[serde(default)]
    pub(super) ours: Vec<RecordPlace>,
    /// What measures ours, where the parts of `ours` do not say it.
    pub(super) command: Option<String>,
    /// Why there is nothing of ours, where there is nothing.
    #[serde(default)]
    pub(super) otherwise: String,
    /// The row of the errata that says what is wrong with it.
    pub(super) erratum: Option<u32>,
    /// Whether nothing can be measured: there is nothing to run, or what it was about is no more.
    #[serde(default)]
    pub(super) is_by_nature: bool,
}

impl PublishedFigure {
    /// What measures ours: none where nothing does.
    pub(super) fn commands(&self) -> Vec<String> {
        if let Some(command) = &self.command {
            return vec![command.clone()];
        }
        let mut commands: Vec<String> = Vec::new();
        for place in &self.ours {
            place.each_part(&mut |part| {
                let command = part_command(part).unwrap_or_default();
                if !commands.contains(&command) {
                    commands.push(command);
                }
            });
        }
        commands
    }
}

/// The figures of one thesis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    pub(super) source: String,
    /// Its heading in the errata.
    pub(super) errata: String,
    /// What most of it was measured on.
    pub(super) machine: String,
    /// Every table, every figure that shows measured or computed values, and every other.
    pub(super) tables: Vec<String>,
    pub(super) plots: Vec<String>,
    pub(super) drawings: Vec<String>,
    #[serde(rename = "figure")]
    pub(super) figures: Vec<PublishedFigure>,
}

/// The files, by name.
const FILES: [(&str, &str); 5] = [
    ("klein.toml", include_str!("../../published/klein.toml")),
    (
        "zachmann.toml",
        include_str!("../../published/zachmann.toml"),
    ),
    ("weller.toml", include_str!("../../published/weller.toml")),
    ("mainzer.toml", include_str!("../../published/mainzer.toml")),
    ("hoa.toml", include_str!("../../published/hoa.toml")),
];

/// Before the number of a section, where a figure stands in the text alone.
const SECTION: &str = "section ";

impl Source {
    /// The figures in the text of a file.
    ///
    /// # Errors
    /// Text that is not such a file, an id twice, a figure without words, without a place in the thesis
    /// or without a command or a reason, and a table or plot of the thesis without a figure.
    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        let source: Self = toml::from_str(text)?;
        let exhibits = [&source.tables, &source.plots, &source.drawings];
        let known: BTreeSet<&String> = exhibits.into_iter().flatten().collect();
        let count: usize = exhibits.iter().map(|names| names.len()).sum();
        anyhow::ensure!(known.len() == count, "a table or figure is listed twice");
        let (mut ids, mut covered) = (BTreeSet::new(), BTreeSet::new());
        for figure in &source.figures {
            let id = &figure.id;
            anyhow::ensure!(ids.insert(id), "figure {id} is there twice");
            figure.check().with_context(|| format!("figure {id}"))?;
            for place in &figure.at {
                anyhow::ensure!(
                    known.contains(place) || place.starts_with(SECTION),
                    "figure {id}: {place:?} is not a table or figure of the thesis"
                );
                covered.insert(place);
            }
        }
        for exhibit in source.tables.iter().chain(&source.plots) {
            anyhow::ensure!(covered.contains(exhibit), "{exhibit} has no figure here");
        }
        Ok(source)
    }

    /// What a figure was measured on.
    pub(super) fn machine_of<'s>(&'s self, figure: &'s PublishedFigure) -> &'s str {
        figure.machine.as_ref().unwrap_or(&self.machine)
    }
}

impl PublishedFigure {
    /// Whether it says what, where, in what, and what measures ours or why nothing does.
    fn check(&self) -> anyhow::Result<()> {
        for (key, words) in [
            ("id", &self.id),
            ("what", &self.what),
            ("published", &self.published),
            ("unit", &self.unit),
        ] {
            anyhow::ensure!(!words.trim().is_empty(), "no `{key}`");
        }
        anyhow::ensure!(!self.at.is_empty(), "no `at`");
        anyhow::ensure!(
            !self.ours.is_empty() || !self.otherwise.trim().is_empty(),
            "neither `ours` nor `otherwise`"
        );
        anyhow::ensure!(
            !self.is_by_nature || self.ours.is_empty(),
            "what cannot be measured has no place in records"
        );
        let commands = self.commands();
        anyhow::ensure!(
            self.ours.is_empty() == commands.is_empty() || self.command.is_some(),
            "no command measures it"
        );
        anyhow::ensure!(
            commands.iter().all(|command| !command.is_empty()),
            "a part of the records is of no known command"
        );
        Ok(())
    }
}

/// All theses.
///
/// # Errors
/// A file that cannot be read, with its name.
pub(super) fn sources() -> anyhow::Result<Vec<Source>> {
    FILES
        .iter()
        .map(|(name, text)| {
            Source::read(text).with_context(|| format!("crates/bench/published/{name}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{RecordPlace, Source, sources};

    const HEAD: &str = "source = \"S\"\nerrata = \"S\"\nmachine = \"m\"\ntables = [\"Table 1\"]\nplots = []\ndrawings = [\"Figure 1\"]\n";

    fn read(figure: &str) -> anyhow::Result<Source> {
        Source::read(&format!("{HEAD}[[figure]]\n{figure}"))
    }

    const WORDS: &str = "id = \"1\"\nat = [\"Table 1\"]\nwhat = \"a\"\npublished = \"b\"\nunit = \"s\"\notherwise = \"c\"\n";

    #[test]
    fn every_file_is_read() {
        let sources = sources().unwrap();
        let counts: Vec<usize> = sources.iter().map(|s| s.figures.len()).collect();
        assert!(counts.iter().all(|count| *count >= 14), "{counts:?}");
        let names: Vec<&str> = sources.iter().map(|s| s.source.as_str()).collect();
        assert_eq!(names[0], "Klein 2005");
        assert_eq!(names[4], "Sjöberg and Ylinenpää 2009");
    }

    #[test]
    fn places_are_read_as_they_are_written() {
        let ours = "ours = [{ all = [{ part = \"volume\", row = [\"x\"] }, { said = \"none\" }] }, \
                    { under = \"w\", place = { part = \"volume\", line = [\"y\", \"z\"] } }, \
                    { rate = \"cloth\", triangles = 9, place = { part = \"volume\", bar = [] } }]";
        let source = read(&format!("{WORDS}{ours}")).unwrap();
        let row = RecordPlace::Row("volume".to_owned(), vec!["x".to_owned()]);
        let line = RecordPlace::Line("volume".to_owned(), vec!["y".to_owned(), "z".to_owned()]);
        let bar = RecordPlace::Bar("volume".to_owned(), Vec::new());
        assert_eq!(
            source.figures[0].ours,
            [
                RecordPlace::All(vec![row, RecordPlace::Said("none".to_owned())]),
                RecordPlace::Under("w".to_owned(), Box::new(line)),
                RecordPlace::Rate("cloth".to_owned(), 9.0, Box::new(bar)),
            ]
        );
        assert!(read(WORDS).unwrap().figures[0].ours.is_empty());
    }

    #[test]
    fn what_is_not_a_figure_is_refused() {
        for ours in [
            "{}",
            "{ part = \"p\" }",
            "{ bar = [\"x\"] }",
            "{ part = \"p\", bar = [\"x\"], row = [\"x\"] }",
            "{ part = \"p\", bar = [\"\"] }",
            "{ part = \"p\", bars = [\"x\"] }",
            "{ part = \"p\", said = \"x\" }",
            "{ under = \"x\" }",
            "{ rate = \"x\", place = { said = \"y\" } }",
            "{ rate = \"x\", triangles = 0, place = { said = \"y\" } }",
            "{ triangles = 1, said = \"y\" }",
            "{ place = { said = \"y\" } }",
        ] {
            assert!(read(&format!("{WORDS}ours = [{ours}]")).is_err(), "{ours}");
        }
        assert!(read(&WORDS.replace("\"c\"", "\" \"")).is_err());
        assert!(read(&format!("{WORDS}more = 1")).is_err());
        assert!(read(&format!("{WORDS}[[figure]]\n{WORDS}")).is_err());
        for wrong in [
            WORDS.replace("Table 1", "Table 2"),
            WORDS.replace("Table 1", "Figure 1"),
            WORDS.replace("\"s\"", "\"\""),
            WORDS.replace("otherwise = \"c\"\n", ""),
            format!("{WORDS}ours = [{{ part = \"nothing\", bar = [\"x\"] }}]"),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
        assert!(read(&WORDS.replace("\"Table 1\"", "\"Table 1\", \"section 2\"")).is_ok());
        let nature = "is_by_nature = true\nours = [{ said = \"x\" }]";
        assert!(read(&format!("{WORDS}{nature}")).is_err());
    }
}
