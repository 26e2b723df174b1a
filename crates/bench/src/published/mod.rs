//! `impinge-bench published`: the figures of four theses beside ours.
//!
//! **Question.** What did others publish, and what do our records say about the same thing?
//! **Idea.** A list of every published figure, each with the places in our records where its counterpart is: a bar, a row of a table, a
//! line that a benchmark printed, or several of these that belong together. What has no counterpart says why. Each part comes from the newest folder
//! of records that holds it, and its day and machine are said.
//! **Limits.** Published times come from machines of 1994 to 2014 and often from lost models: ratios, errors and counts can be compared,
//! milliseconds cannot.

mod klein;
mod mainzer;
mod scaling;
mod weller;
mod zachmann;

use std::path::{Path, PathBuf};

use crate::Bar;
use crate::report::{Collection, OPEN, Part, all_records, gather, gather_newest, newest_folder};
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};
use scaling::{Fit, Measured};

/// Print the figures of four theses beside ours
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of records [default: of each part the newest record below records/]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Keep them as published.sheet.json in that folder, or in the newest
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
    /// Places that belong together: whatever is there is shown, in this order.
    All(&'static [Place]),
    /// Words before what is at a place, where its own do not say what they are about.
    Under(&'static str, &'static Place),
    /// What no record has, said beside what some have.
    Said(&'static str),
}

/// One published figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) what: &'static str,
    pub(super) published: &'static str,
    /// The first of them that is there is shown; one that is decided comes before one that is open.
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
    /// The part of the records that it is in, or the first of those.
    fn part(self) -> &'static str {
        match self {
            Self::Bar(part, _) | Self::Row(part, _) | Self::Line(part, _) => part,
            Self::All(places) => places.first().map_or("", |place| place.part()),
            Self::Under(_, place) => place.part(),
            Self::Said(_) => "",
        }
    }
}

/// What was found of a figure: each piece, and the part that it is in.
#[derive(Clone, Debug, Default)]
struct Counterpart<'c> {
    found: Vec<(String, &'c Part)>,
    /// Whether all of it are bars that were neither met nor missed.
    is_open: bool,
}

impl<'c> Counterpart<'c> {
    fn one(found: (String, &'c Part), is_open: bool) -> Self {
        Self {
            found: vec![found],
            is_open,
        }
    }

    /// In words, with day and machine where records of several are shown.
    fn words(&self, is_mixed: bool) -> String {
        let mut words = String::new();
        for (k, (text, part)) in self.found.iter().enumerate() {
            if k > 0 {
                words += " | ";
            }
            words += text;
            let next = self.found.get(k + 1);
            let is_last = next.is_none_or(|(_, next)| next.origin != part.origin);
            if is_mixed && is_last {
                words += &format!(" [{}]", part.origin.words());
            }
        }
        words
    }
}

impl Entry {
    /// Why its counterpart is not in these records.
    fn missing(&self, collection: &Collection) -> String {
        let is_there = |place: &&Place| !collection.parts_of(place.part()).is_empty();
        match self.ours.iter().find(is_there) {
            _ if self.ours.is_empty() => format!("no counterpart: {}", self.otherwise),
            // A smaller run leaves out some of what a full one says.
            Some(place) => format!(
                "not in these records of `{}`, which may be of a smaller or an earlier run",
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
    let collection = match &args.records {
        Some(folder) => gather(folder)?,
        None => gather_newest(&all_records())?,
    };
    let sheet = sheet(&collection);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&sheet)?);
    } else {
        print(&sheet);
    }
    if args.save {
        let folder = match &args.records {
            Some(folder) => folder.clone(),
            None => newest_folder()?,
        };
        println!("wrote {}", sheet.write(&folder)?.display());
    }
    Ok(Bar::Met)
}

/// Writes `published.sheet.json` beside the records of a folder.
pub(crate) fn write(folder: &Path) -> anyhow::Result<PathBuf> {
    sheet(&gather(folder)?).write(folder)
}

/// All published figures beside what these records say.
pub(crate) fn sheet(collection: &Collection) -> Sheet {
    let is_mixed = collection.is_mixed();
    let mut sheet = Sheet::new(
        "published",
        "Published figures beside ours",
        "What did others publish, and what do these records say about the same thing?",
        "cargo run --release -p impinge-bench -- published",
    );
    sheet.notes.push(tally(collection));
    if is_mixed {
        let from: Vec<String> = collection
            .origins()
            .iter()
            .map(|origin| format!("records/{} ({})", origin.folder, origin.words()))
            .collect();
        sheet.notes.push(format!(
            "Each part is from the newest records that hold it, which are said at each figure of ours: {}.",
            from.join("; ")
        ));
    }
    for (source, figures) in SOURCES {
        let rows = figures.iter().map(|figure| {
            let ours = Cell::Text(match find(collection, figure) {
                Some(found) => found.words(is_mixed),
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
    let (mut open, mut absent) = (0, Vec::new());
    for figure in &all {
        match find(collection, figure) {
            Some(found) => open += usize::from(found.is_open),
            None => absent.push(figure),
        }
    }
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
        "{} of {} published figures have a counterpart in these records, {open} of them nothing but a bar that is open; {without} have none by their nature, and say why.",
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

/// The first counterpart that is decided, else the first that is open.
fn find<'c>(collection: &'c Collection, figure: &Entry) -> Option<Counterpart<'c>> {
    let all = || figure.ours.iter();
    all()
        .filter_map(|place| counterpart(collection, *place))
        .find(|found| !found.is_open)
        .or_else(|| all().find_map(|place| counterpart(collection, *place)))
}

/// What is at a place.
fn counterpart(collection: &Collection, place: Place) -> Option<Counterpart<'_>> {
    if let Place::All(places) = place {
        let mut whole = Counterpart {
            is_open: true,
            ..Counterpart::default()
        };
        for place in places {
            if let Place::Said(words) = place {
                let beside = whole.found.last().map(|(_, part)| *part);
                whole
                    .found
                    .extend(beside.map(|part| ((*words).to_owned(), part)));
            } else if let Some(found) = counterpart(collection, *place) {
                whole.is_open &= found.is_open;
                whole.found.extend(found.found);
            }
        }
        return (!whole.found.is_empty()).then_some(whole);
    }
    if let Place::Under(words, place) = place {
        let mut found = counterpart(collection, *place)?;
        if let Some((text, _)) = found.found.first_mut() {
            *text = format!("{words}: {text}");
        }
        return Some(found);
    }
    let decided = at(collection, place, in_part).map(|found| Counterpart::one(found, false));
    decided.or_else(|| Some(Counterpart::one(at(collection, place, open_in_part)?, true)))
}

/// What a search finds of a place in the parts of its name.
fn at(
    collection: &Collection,
    place: Place,
    search: fn(&Part, Place) -> Option<String>,
) -> Option<(String, &Part)> {
    let parts = collection.parts_of(place.part());
    parts
        .into_iter()
        .find_map(|part| Some((search(part, place)?, part)))
}

/// A bar that is open.
fn open_in_part(part: &Part, place: Place) -> Option<String> {
    let Place::Bar(_, words) = place else {
        return None;
    };
    let claim = part.sheet.open.iter().find(|claim| holds(claim, words))?;
    Some(format!("{claim} ({OPEN})"))
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
        Place::All(_) | Place::Under(..) | Place::Said(_) => None,
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
    for note in &sheet.notes {
        println!("{note}");
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
    use super::{Place, SOURCES, entry, find, sheet, tally};
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
                ..Part::default()
            }],
            ..Collection::default()
        }
    }

    /// The words at one place.
    fn at(records: &Collection, place: Place) -> Option<String> {
        super::counterpart(records, place).map(|found| found.words(records.is_mixed()))
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
    fn places_that_belong_together_are_all_shown_with_where_they_are_from() {
        const BOTH: Place = Place::All(&[
            Place::Row("average", &["car"]),
            Place::Line("model", &["power"]),
            Place::Line("average", &["nowhere"]),
            Place::Line("average", &["threads", "1.83"]),
        ]);
        let mut records = records();
        assert_eq!(
            at(&records, BOTH).as_deref(),
            Some("car; error, % 1.2 | two threads 1.83 times")
        );
        let measured = |part: &mut Part, day: &str| {
            part.origin.folder = format!("{day}-box");
            part.origin.machine.date = day.to_owned();
            part.origin.machine.processor = "box".to_owned();
        };
        let mut model = Part {
            sheet: Sheet::new("model", "Model", "", ""),
            ..Part::default()
        };
        model.sheet.notes.push("power 1.03".to_owned());
        measured(&mut model, "2026-03-04");
        measured(&mut records.parts[0], "2026-01-02");
        records.parts.push(model);
        assert_eq!(
            at(&records, BOTH).as_deref(),
            Some(
                "car; error, % 1.2 [box, 2026-01-02] | power 1.03 [box, 2026-03-04] | two threads 1.83 times [box, 2026-01-02]"
            )
        );
        assert!(sheet(&records).notes[1].contains("records/2026-03-04-box (box, 2026-03-04)"));
        assert_eq!(at(&records, Place::All(&[])), None);
    }

    #[test]
    fn words_stand_before_what_they_are_about_and_beside_nothing_they_are_not_said() {
        const TITLED: Place = Place::Under(
            "errors",
            &Place::All(&[
                Place::Row("average", &["car"]),
                Place::Said("of the lock nothing is known"),
            ]),
        );
        const ALONE: Place = Place::All(&[
            Place::Row("average", &["nowhere"]),
            Place::Said("of the lock nothing is known"),
        ]);
        let records = records();
        assert_eq!(
            at(&records, TITLED).as_deref(),
            Some("errors: car; error, % 1.2 | of the lock nothing is known")
        );
        assert_eq!(at(&records, ALONE), None);
        assert_eq!(at(&records, Place::Said("alone")), None);
        assert_eq!(TITLED.part(), "average");
    }

    #[test]
    fn of_two_pieces_the_newer_is_shown_whatever_their_names() {
        let piece = |name: &str, day: &str, ms: &str| {
            let mut sheet = Sheet::new(name, "", "", "");
            sheet.claim("cloth on ball a frame", ms, true);
            let mut part = Part {
                sheet,
                ..Part::default()
            };
            part.origin.folder = format!("{day}-box");
            part
        };
        let collection = |parts: Vec<Part>| Collection {
            parts,
            ..Collection::default()
        };
        let place = Place::Bar("deform", &["ball", "a frame"]);
        let found = |records: &Collection| {
            super::counterpart(records, place).map_or(String::new(), |found| found.words(false))
        };
        let old = piece("deform-cloth-on-ball", "2026-01-02", "8.74 ms");
        let new = piece("deform-peers", "2026-03-04", "6.10 ms");
        let both = collection(vec![old.clone(), new.clone()]);
        assert!(found(&both).contains("6.10 ms"), "{}", found(&both));
        // A whole that is older comes after, and of one day before.
        let whole = piece("deform", "2026-01-02", "9.99 ms");
        let both = collection(vec![whole, new.clone()]);
        assert!(found(&both).contains("6.10 ms"));
        let whole = piece("deform", "2026-03-04", "5.00 ms");
        assert!(found(&collection(vec![new, whole, old])).contains("5.00 ms"));
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
        open.parts[0].sheet.leave_open("beside nobody: 3 times");
        let beside = Place::Bar("average", &["nobody"]);
        let found = "beside nobody: 3 times (open: this run does not decide it)";
        assert_eq!(at(&open, beside).as_deref(), Some(found));
        // What is decided comes before what is open, wherever it is named.
        const BOTH: &[Place] = &[
            Place::Bar("average", &["nobody"]),
            Place::Bar("average", &["k_min"]),
        ];
        let both = find(&open, &figure(BOTH));
        assert!(both.is_some_and(|both| !both.is_open));
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
                assert!(find(&nothing, figure).is_none());
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
                 p_min 0.9, k_min 10   0.930 µs, error 1.13 %, 1.50 % at 1.2 to 2\n\
                 p_min 0.99, k_min 10   0.990 µs, error 1.03 %\n\
                 p_min 0.99, k_min 5   0.440 µs, error 1.33 %\n",
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
            (
                "ablation-1994.txt",
                "idea                   scene                published  by work  by time  by time        counted as work\n\
                 face collect           cage, 4200 pairs          0.92    37.47     2.59  differs: more  comparisons\n\
                 \x20   one pass over the faces\n\
                 two threads            2 tori of 132 faces       1.73     1.92     0.24  differs: less  both directions\n",
            ),
            (
                "planes.txt",
                "centres of boxes     15.00 % |  2.90 %    2.80 % |  0.71 %    0.37 % |  0.16 %\n",
            ),
            (
                "cloud-brackets.txt",
                "   ball   200 candidates:   0.214 % of 4666 balls\n  torus   200 candidates:   0.691 % of 6368 balls\n\
                 bar: 200 candidates miss at most 1 % of the collision balls on every model: 0.83 %: met\n",
            ),
            (
                "cloud-surface.txt",
                "  h/s 1.27: 18.35 defined 0.997\n  h/s 1.71: 34.98 defined 1.000\nball   0  4.40\n",
            ),
        ] {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let records = crate::report::gather(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(records.refused, []);
        let ours = |source: usize, id: &str| {
            let figure = SOURCES[source].1.iter().find(|f| f.id == id).unwrap();
            let found = find(&records, figure);
            found.map_or(String::new(), |found| found.words(false))
        };
        assert!(ours(0, "H1").contains("5.03 times"));
        // Errors of all distances do not pass for those of some.
        assert!(ours(0, "H6").contains("1.50 %") && !ours(0, "H6").contains("0.99,"));
        assert_eq!(ours(0, "H7"), "");
        assert!(ours(0, "H8").contains("0.990 µs") && ours(0, "H8").contains("0.440 µs"));
        assert!(ours(0, "H28").contains("127.8"));
        assert!(ours(3, "4.6b").contains("missed"));
        // Words before each number.
        assert_eq!(
            ours(1, "3.1b"),
            "face collect; cage, 4200 pairs; published 0.92; by work 37.47; by time 2.59; differs: more; comparisons"
        );
        assert!(ours(1, "3.11a").contains("by time 0.24; differs: less"));
        assert_eq!(
            ours(1, "3.4"),
            "centres of boxes; 10 updates, published % 15; ours % 2.9; 100 updates, published % 2.8; ours % 0.71; \
             1000 updates, published % 0.37; ours % 0.16"
        );
        assert!(
            ours(0, "H21")
                .contains("bandwidth, spacings 1.71; error, thousandths of the spacing 34.98")
        );
        assert!(
            ours(0, "H36").starts_with("collision balls missed, at most 3 % by the lemma: ball")
        );
        assert!(ours(0, "H36").contains("0.691") && !ours(0, "H36").contains("on every model"));
        assert!(ours(0, "H33").contains("on every model"));
        let command = &records.part("volume-trees").unwrap().sheet.command;
        assert!(command.ends_with("-- run volume --only trees"), "{command}");
    }
}
