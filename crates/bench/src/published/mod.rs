//! `impinge-bench published`: the figures of four theses beside ours.
//!
//! **Question.** What did others publish, and what do our records say about the same thing?
//! **Idea.** A list of every published figure, each with the places in our records where its counterpart is: a bar, a row of a table, a
//! line that a benchmark printed. What has no counterpart says why.
//! **Limits.** Published times come from machines of 1994 to 2014 and often from lost models: ratios, errors and counts can be compared,
//! milliseconds cannot.

mod klein;
mod mainzer;
mod scaling;
mod weller;
mod zachmann;

use std::path::{Path, PathBuf};

use crate::Bar;
use crate::report::{Collection, Part, gather, newest};
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};
use scaling::{Fit, Measured};

/// Print the figures of four theses beside ours
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of records [default: the newest below records/]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Keep them as published.sheet.json in that folder
    #[arg(long)]
    save: bool,
}

/// Where the counterpart of a figure is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A bar of a part whose words are these, in whatever order.
    Bar(&'static str, &'static [&'static str]),
    /// A row of some table of a part, with these words in its cells or its table's title.
    Row(&'static str, &'static [&'static str]),
    /// A line that a benchmark printed, or a note it left.
    Line(&'static str, &'static [&'static str]),
}

/// One published figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) what: &'static str,
    pub(super) published: &'static str,
    pub(super) ours: &'static [Place],
    /// Why there is nothing of ours, where there is nothing.
    pub(super) otherwise: &'static str,
}

/// The shortest way to write one.
pub(super) const fn entry(
    id: &'static str,
    what: &'static str,
    published: &'static str,
    ours: &'static [Place],
    otherwise: &'static str,
) -> Entry {
    Entry {
        id,
        what,
        published,
        ours,
        otherwise,
    }
}

impl Place {
    /// The part of the records that it is in.
    fn part(self) -> &'static str {
        match self {
            Self::Bar(part, _) | Self::Row(part, _) | Self::Line(part, _) => part,
        }
    }
}

impl Entry {
    /// Why its counterpart is not in these records.
    fn missing(&self, collection: &Collection) -> String {
        let is_there = |place: &&Place| parts(collection, place.part()).next().is_some();
        let open = self.ours.iter().find_map(|place| {
            let Place::Bar(part, words) = *place else {
                return None;
            };
            let mut open = parts(collection, part).flat_map(|part| &part.sheet.open);
            open.find(|claim| holds(claim, words))
        });
        match self.ours.iter().find(is_there) {
            _ if self.ours.is_empty() => format!("no counterpart: {}", self.otherwise),
            Some(_) if open.is_some() => {
                format!("{} (open: not measured)", open.map_or("", String::as_str))
            }
            // A smaller run leaves out some of what a full one says.
            Some(place) => format!(
                "not in these records of `{}`, which may be of a smaller run",
                place.part()
            ),
            None => format!("not measured here: {}", self.otherwise),
        }
    }
}

const SOURCES: [(&str, &[Entry]); 4] = [
    ("Klein 2005", klein::FIGURES),
    ("Zachmann 1994", zachmann::FIGURES),
    ("Weller 2012", weller::FIGURES),
    ("Mainzer", mainzer::FIGURES),
];

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None => newest()?,
    };
    let sheet = sheet(&gather(&folder)?);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&sheet)?);
    } else {
        print(&sheet);
    }
    if args.save {
        println!("wrote {}", sheet.write(&folder)?.display());
    }
    Ok(Bar::Met)
}

/// Writes `published.sheet.json` beside the records of a folder.
pub(crate) fn write(folder: &Path) -> anyhow::Result<PathBuf> {
    sheet(&gather(folder)?).write(folder)
}

fn sheet(collection: &Collection) -> Sheet {
    let mut sheet = Sheet::new(
        "published",
        "Published figures beside ours",
        "What did others publish, and what do these records say about the same thing?",
        "cargo run --release -p impinge-bench -- published",
    );
    sheet.notes.push(tally(collection));
    for (source, figures) in SOURCES {
        let rows = figures.iter().map(|figure| {
            let ours = Cell::Text(match find(collection, figure) {
                Some(found) => found,
                None => figure.missing(collection),
            });
            let text = |text: &str| Cell::Text(text.to_owned());
            vec![
                text(figure.id),
                text(figure.what),
                text(figure.published),
                ours,
            ]
        });
        sheet.tables.push(Table {
            title: source.to_owned(),
            columns: ["figure", "what", "published", "ours"]
                .map(str::to_owned)
                .to_vec(),
            rows: rows.collect(),
        });
    }
    for measured in scaling::measured(collection) {
        let fit = Fit::new(&measured);
        sheet.tables.push(speedups(&measured, &fit));
        sheet.plots.push(picture(&measured, &fit));
    }
    sheet.notes.extend([
        "Published times are of machines of their day and often of models that are lost: compare ratios, errors and counts.".to_owned(),
        "Amdahl's law holds the work fixed, Gustafson's the time; both are drawn for the parallel share that fits what was measured best. \
         With two cores measured, what they say of more cores is an extrapolation."
            .to_owned(),
    ]);
    sheet
}

/// How many figures have a counterpart, and where the others would be.
fn tally(collection: &Collection) -> String {
    let all: Vec<&Entry> = SOURCES.iter().flat_map(|(_, figures)| *figures).collect();
    let absent: Vec<&&Entry> = all
        .iter()
        .filter(|figure| find(collection, figure).is_none())
        .collect();
    let without = absent
        .iter()
        .filter(|figure| figure.ours.is_empty())
        .count();
    let mut runs: Vec<&str> = absent
        .iter()
        .filter_map(|figure| figure.ours.first())
        .map(|place| place.part())
        .collect();
    runs.sort_unstable();
    runs.dedup();
    let mut note = format!(
        "{} of {} published figures have a counterpart in these records; {without} have none by their nature, and say why.",
        all.len() - absent.len(),
        all.len()
    );
    if !runs.is_empty() {
        note += &format!(
            " {} more would be in records of {}.",
            absent.len() - without,
            runs.join(", ")
        );
    }
    note
}

/// The first counterpart that is there.
fn find(collection: &Collection, figure: &Entry) -> Option<String> {
    figure.ours.iter().find_map(|place| at(collection, *place))
}

/// The parts of a name: its own, and those of which it is the beginning, as `volume-trees` is of `volume`.
fn parts<'c>(collection: &'c Collection, name: &'static str) -> impl Iterator<Item = &'c Part> {
    let own = collection.part(name);
    let of_it = collection.parts.iter().filter(move |part| {
        let rest = part.sheet.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('-'))
    });
    own.into_iter().chain(of_it)
}

fn at(collection: &Collection, place: Place) -> Option<String> {
    parts(collection, place.part()).find_map(|part| in_part(part, place))
}

fn in_part(part: &Part, place: Place) -> Option<String> {
    match place {
        Place::Bar(_, words) => {
            let bars = &part.sheet.bars;
            let bar = bars
                .iter()
                .find(|bar| holds(&format!("{} {}", bar.claim, bar.reached), words))?;
            let state = if bar.is_met { "met" } else { "missed" };
            Some(if bar.reached.is_empty() {
                format!("{} ({state})", bar.claim)
            } else {
                format!("{}: {} ({state})", bar.claim, bar.reached)
            })
        }
        Place::Row(_, words) => {
            let tables = &part.sheet.tables;
            tables.iter().find_map(|table| {
                let row = table.rows.iter().find(|row| {
                    let line: Vec<String> = row.iter().map(cell_text).collect();
                    holds(&format!("{} {}", table.title, line.join(" ")), words)
                })?;
                let cells = table.columns.iter().zip(row);
                let words: Vec<String> = cells
                    .map(|(column, cell)| match cell {
                        Cell::Text(text) => text.clone(),
                        _ => format!("{column} {}", cell_text(cell)),
                    })
                    .collect();
                Some(words.join("; "))
            })
        }
        Place::Line(_, words) => {
            let printed = part.text.iter().flat_map(|text| text.lines());
            let noted = part.sheet.notes.iter().map(String::as_str);
            let line = printed.chain(noted).find(|line| holds(line, words))?;
            let line: Vec<&str> = line.split_whitespace().collect();
            Some(line.join(" "))
        }
    }
}

fn holds(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Number(x) => crate::report::significant(*x, 4),
        Cell::Text(text) => text.clone(),
        Cell::Void { reason } => format!("– ({reason})"),
    }
}

/// The numbers of processors for which predictions are printed.
const PROCESSORS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

fn speedups(measured: &Measured, fit: &Fit) -> Table {
    let number = |x: Option<f64>| {
        x.map_or(
            Cell::Void {
                reason: "not measured".to_owned(),
            },
            Cell::Number,
        )
    };
    let rows = PROCESSORS.iter().map(|n| {
        let speedup = measured.speedup(*n);
        vec![
            Cell::Number(*n as f64),
            number(speedup),
            number(speedup.map(|s| s / *n as f64)),
            Cell::Number(fit.amdahl(*n as f64)),
            Cell::Number(fit.gustafson(*n as f64)),
        ]
    });
    Table {
        title: format!(
            "{}: parallel share {:.3}, at most {} by Amdahl",
            measured.name,
            fit.parallel_share,
            if fit.limit().is_finite() {
                format!("{:.1} times", fit.limit())
            } else {
                "without limit".to_owned()
            }
        ),
        columns: ["threads", "speed-up", "efficiency", "Amdahl", "Gustafson"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
    }
}

fn picture(measured: &Measured, fit: &Fit) -> Plot {
    let line = |name: &str, of: &dyn Fn(f64) -> f64| Series {
        name: name.to_owned(),
        points: PROCESSORS
            .iter()
            .map(|n| [*n as f64, of(*n as f64)])
            .collect(),
        ..Series::default()
    };
    let mut points: Vec<[f64; 2]> = Vec::new();
    for (n, _) in &measured.times {
        points.extend(measured.speedup(*n).map(|s| [*n as f64, s]));
    }
    Plot {
        title: format!("Speed-up by threads: {}", measured.name),
        x: Axis {
            label: "threads".to_owned(),
            unit: String::new(),
            is_logarithmic: true,
        },
        y: Axis {
            label: "speed-up over one thread".to_owned(),
            unit: "times".to_owned(),
            is_logarithmic: true,
        },
        series: vec![
            Series {
                name: "ours, measured".to_owned(),
                points,
                is_scatter: true,
                ..Series::default()
            },
            line("Amdahl", &|n| fit.amdahl(n)),
            line("Gustafson", &|n| fit.gustafson(n)),
            line("linear", &|n| n),
        ],
    }
}

fn print(sheet: &Sheet) {
    if let Some(tally) = sheet.notes.first() {
        println!("{tally}");
    }
    for table in &sheet.tables {
        println!("\n{}", table.title);
        if table.columns.first().is_some_and(|c| c == "figure") {
            for row in &table.rows {
                let words: Vec<String> = row.iter().map(cell_text).collect();
                if let [id, what, published, ours] = words.as_slice() {
                    println!(
                        "{id:<8} {what}\n         published: {published}\n         ours: {ours}"
                    );
                }
            }
        } else {
            println!("{}", table.columns.join("  "));
            for row in &table.rows {
                let words: Vec<String> = row.iter().map(cell_text).collect();
                println!("{}", words.join("  "));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, SOURCES, at, entry, find, sheet, tally};
    use crate::report::{Collection, Part};
    use crate::sheet::{Cell, Sheet, Table};

    fn records() -> Collection {
        let mut average = Sheet::new("average", "Average", "", "");
        average.claim("k_min 10 at least 3x the k-DOP tree", "4.1x", true);
        average.notes.push("Ten tables: 0.8 s.".to_owned());
        average.tables.push(Table {
            title: "Error".to_owned(),
            columns: vec!["model".to_owned(), "error, %".to_owned()],
            rows: vec![vec![Cell::Text("car".to_owned()), Cell::Number(1.2)]],
        });
        Collection {
            parts: vec![Part {
                sheet: average,
                text: Some("two  threads   1.83 times\n".to_owned()),
                files: Vec::new(),
            }],
            ..Collection::default()
        }
    }

    #[test]
    fn counterparts_are_found_by_their_words() {
        let records = records();
        let bar = at(&records, Place::Bar("average", &["K-dop", "k_min 10"]));
        assert_eq!(
            bar.as_deref(),
            Some("k_min 10 at least 3x the k-DOP tree: 4.1x (met)")
        );
        let row = at(&records, Place::Row("average", &["error", "car"]));
        assert_eq!(row.as_deref(), Some("car; error, % 1.2"));
        let line = at(&records, Place::Line("average", &["threads"]));
        assert_eq!(line.as_deref(), Some("two threads 1.83 times"));
        assert_eq!(at(&records, Place::Bar("model", &[])), None);
        // A part of a benchmark counts as it, and a word that begins alike does not.
        let mut of_it = records.clone();
        of_it.parts[0].sheet.name = "average-car".to_owned();
        assert_eq!(at(&of_it, Place::Row("average", &["error", "car"])), row);
        of_it.parts[0].sheet.name = "averages".to_owned();
        assert_eq!(at(&of_it, Place::Row("average", &["error", "car"])), None);
        let note = at(&records, Place::Line("average", &["ten tables"]));
        assert_eq!(note.as_deref(), Some("Ten tables: 0.8 s."));
    }

    #[test]
    fn what_is_missing_says_whether_it_can_be_had() {
        let records = records();
        let figure = |ours: &'static [Place]| entry("1", "", "", ours, "the reason");
        let missing = |ours| figure(ours).missing(&records);
        assert_eq!(missing(&[]), "no counterpart: the reason");
        assert_eq!(
            missing(&[Place::Bar("model", &["x"])]),
            "not measured here: the reason"
        );
        assert!(missing(&[Place::Bar("average", &["x"])]).contains("records of `average`"));
        let mut open = records.clone();
        open.parts[0].sheet.leave_open("beside nobody");
        let figure = figure(&[Place::Bar("average", &["nobody"])]);
        assert_eq!(figure.missing(&open), "beside nobody (open: not measured)");
        assert!(tally(&records).contains(" of 87 "), "{}", tally(&records));
    }

    #[test]
    fn every_figure_has_a_name_of_its_own_and_a_reason() {
        let nothing = Collection::default();
        for (source, figures) in SOURCES {
            let mut ids: Vec<&str> = figures.iter().map(|f| f.id).collect();
            ids.sort_unstable();
            let all = ids.len();
            ids.dedup();
            assert_eq!(ids.len(), all, "{source}");
            for figure in figures {
                assert!(!figure.otherwise.is_empty(), "{source} {}", figure.id);
                assert_eq!(find(&nothing, figure), None);
            }
        }
        assert_eq!(SOURCES[0].1.len(), 36);
        let sheet = sheet(&nothing);
        assert_eq!(sheet.tables.len(), 4);
    }

    #[test]
    fn what_single_runs_printed_is_found_in_a_folder_of_records() {
        let folder = std::env::temp_dir().join(format!("impinge-published-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in [
            (
                "run-average.txt",
                "bar: car average k 10 is 3 times as fast as our best k-DOP tree: 5.03 times: met\n\
                 p_min 0.9, k_min 10   0.930 µs, error 1.13 %\n",
            ),
            (
                "run-clouds.txt",
                "bar: blob: at most 150 bytes per node: 127.8: met\n",
            ),
            (
                "volume-trees.txt",
                "$ impinge-bench run volume --only trees\n\
                 bar: neural gas at least 4 times as fast as the extreme split missed\n",
            ),
        ] {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let records = crate::report::gather(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(records.refused, []);
        let ours = |source: usize, id: &str| {
            let figure = SOURCES[source].1.iter().find(|f| f.id == id).unwrap();
            find(&records, figure).unwrap_or_default()
        };
        assert!(ours(0, "H1").contains("5.03 times"));
        assert!(ours(0, "H6").contains("1.13 %"));
        assert!(ours(0, "H28").contains("127.8"));
        assert!(ours(3, "4.6b").contains("missed"));
        let command = &records.part("volume-trees").unwrap().sheet.command;
        assert!(command.ends_with("-- run volume --only trees"), "{command}");
    }
}
