//! A published figure, and the places in records where its counterpart may be, read from the files
//! in `crates/bench/published`.
//!
//! A file holds the figures of one thesis: `source` is its name, and each `[[figure]]` has `id`,
//! `what`, `published`, `otherwise` and `ours`, a list of places. A place is a table with one of
//! these:
//!
//! | key | meaning |
//! |---|---|
//! | `part` and `bar` | a bar of a part of the records, by words in it, in whatever order; it says what was reached |
//! | `part` and `verdict` | a bar that says what was asked and whether it is met, and no figure |
//! | `part` and `row` | a row of a table, by words in its cells or in the table's title |
//! | `part` and `line` | a line that a benchmark printed, or a note it left |
//! | `all` | places that belong together: whatever is there is shown, in this order |
//! | `under` and `place` | words before what is at a place, where its own do not say what they are about |
//! | `said` | what no record has, said beside what some have |
//! | `rate`, `triangles` and `place` | triangles a second, where a place says milliseconds a frame |

use std::collections::BTreeSet;

use anyhow::Context;
use serde::Deserialize;

/// Where the counterpart of a figure is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "PlaceTable")]
pub(super) enum RecordPlace {
    /// A bar of a part whose words are these, in whatever order; it says what was reached.
    Bar(String, Vec<String>),
    /// A bar that says what was asked and whether it is met, and no figure: it stands beside figures, and is none.
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
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedFigure {
    pub(super) id: String,
    pub(super) what: String,
    pub(super) published: String,
    /// The first of them that is there is shown; one with a figure comes before one that is decided, and that before one that is open.
    #[serde(default)]
    pub(super) ours: Vec<RecordPlace>,
    /// Why there is nothing of ours, where there is nothing.
    pub(super) otherwise: String,
    /// Whether nothing can be measured: there is nothing to run, or what it was about is no more.
    #[serde(default)]
    pub(super) is_by_nature: bool,
}

/// The figures of one thesis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    pub(super) source: String,
    #[serde(rename = "figure")]
    pub(super) figures: Vec<PublishedFigure>,
}

/// The files, by name.
const FILES: [(&str, &str); 4] = [
    ("klein.toml", include_str!("../../published/klein.toml")),
    (
        "zachmann.toml",
        include_str!("../../published/zachmann.toml"),
    ),
    ("weller.toml", include_str!("../../published/weller.toml")),
    ("mainzer.toml", include_str!("../../published/mainzer.toml")),
];

impl Source {
    /// The figures in the text of a file.
    ///
    /// # Errors
    /// Text that is not such a file, an id twice, and a figure without words.
    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        let source: Self = toml::from_str(text)?;
        let mut ids = BTreeSet::new();
        for figure in &source.figures {
            let id = &figure.id;
            anyhow::ensure!(ids.insert(id), "figure {id} is there twice");
            for (key, words) in [
                ("id", id),
                ("what", &figure.what),
                ("published", &figure.published),
                ("otherwise", &figure.otherwise),
            ] {
                anyhow::ensure!(!words.trim().is_empty(), "figure {id}: no `{key}`");
            }
            anyhow::ensure!(
                !figure.is_by_nature || figure.ours.is_empty(),
                "figure {id}: what cannot be measured has no place in records"
            );
        }
        Ok(source)
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

    fn read(figure: &str) -> anyhow::Result<Source> {
        Source::read(&format!("source = \"S\"\n[[figure]]\n{figure}"))
    }

    const WORDS: &str = "id = \"1\"\nwhat = \"a\"\npublished = \"b\"\notherwise = \"c\"\n";

    #[test]
    fn every_file_is_read() {
        let sources = sources().unwrap();
        let counts: Vec<usize> = sources.iter().map(|s| s.figures.len()).collect();
        assert_eq!(counts, [36, 24, 18, 9]);
        assert_eq!(sources[0].source, "Klein 2005");
    }

    #[test]
    fn places_are_read_as_they_are_written() {
        let ours = "ours = [{ all = [{ part = \"p\", row = [\"x\"] }, { said = \"none\" }] }, \
                    { under = \"w\", place = { part = \"p\", line = [\"y\", \"z\"] } }, \
                    { rate = \"cloth\", triangles = 9, place = { part = \"p\", bar = [] } }]";
        let source = read(&format!("{WORDS}{ours}")).unwrap();
        let row = RecordPlace::Row("p".to_owned(), vec!["x".to_owned()]);
        let line = RecordPlace::Line("p".to_owned(), vec!["y".to_owned(), "z".to_owned()]);
        let bar = RecordPlace::Bar("p".to_owned(), Vec::new());
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
        let nature = "is_by_nature = true\nours = [{ said = \"x\" }]";
        assert!(read(&format!("{WORDS}{nature}")).is_err());
    }
}
