//! What records say about a published figure: the search for its counterpart.

use super::published_figure::{PublishedFigure, RecordPlace};
use crate::report::{Collection, OPEN, ReportPart, significant};
use crate::result_sheet::Cell;

/// What was found of a figure: each piece, and the part that it is in.
#[derive(Clone, Debug, Default)]
pub(super) struct Counterpart<'c> {
    found: Vec<(String, &'c ReportPart)>,
    /// Whether all of it are bars that were neither met nor missed.
    pub(super) is_open: bool,
    /// Whether a figure of ours is among it, and not a verdict alone.
    pub(super) has_figure: bool,
}

impl<'c> Counterpart<'c> {
    fn one(found: (String, &'c ReportPart), is_open: bool, has_figure: bool) -> Self {
        Self {
            found: vec![found],
            is_open,
            has_figure,
        }
    }

    /// In words, with day and machine where records of several are shown.
    pub(super) fn words(&self, is_mixed: bool) -> String {
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

impl PublishedFigure {
    /// Why its counterpart is not in these records.
    pub(super) fn missing(&self, collection: &Collection) -> String {
        let is_there = |place: &&RecordPlace| !collection.parts_of(place.part()).is_empty();
        match self.ours.iter().find(is_there) {
            _ if self.is_by_nature => format!("no counterpart: {}", self.otherwise),
            _ if self.ours.is_empty() && self.erratum.is_some() => self.otherwise.clone(),
            _ if self.ours.is_empty() => format!("not measured: {}", self.otherwise),
            // A smaller run leaves out some of what a full one says.
            Some(place) => format!(
                "not in these records of `{}`, which may be of a smaller or an earlier run",
                place.part()
            ),
            None => format!("not measured here: {}", self.measured_by()),
        }
    }

    /// The commands that measure it, in words.
    fn measured_by(&self) -> String {
        let commands: Vec<String> = self.commands().iter().map(|c| format!("`{c}`")).collect();
        match commands.as_slice() {
            [one] => format!("{one} measures it"),
            several => format!("{} measure it", several.join(" and ")),
        }
    }

    /// What stands beside it: ours, and what is wrong with the published one.
    pub(super) fn beside(&self, collection: &Collection) -> String {
        let ours = match find(collection, self) {
            Some(found) => found.words(collection.is_mixed()),
            None => self.missing(collection),
        };
        match self.erratum {
            Some(row) => format!("wrong in the thesis, see row {row} of its errata: {ours}"),
            None => ours,
        }
    }
}

/// The first counterpart with a figure, else the first that is decided, else the first that is open.
pub(super) fn find<'c>(
    collection: &'c Collection,
    figure: &PublishedFigure,
) -> Option<Counterpart<'c>> {
    let all = || {
        let places = figure.ours.iter();
        places.filter_map(move |place| counterpart(collection, place))
    };
    all()
        .find(|found| found.has_figure)
        .or_else(|| all().find(|found| !found.is_open))
        .or_else(|| all().next())
}

/// What is at a place.
fn counterpart<'c>(collection: &'c Collection, place: &RecordPlace) -> Option<Counterpart<'c>> {
    if let RecordPlace::All(places) = place {
        let mut whole = Counterpart {
            is_open: true,
            ..Counterpart::default()
        };
        for place in places {
            if let RecordPlace::Said(words) = place {
                let beside = whole.found.last().map(|(_, part)| *part);
                whole.found.extend(beside.map(|part| (words.clone(), part)));
            } else if let Some(found) = counterpart(collection, place) {
                whole.is_open &= found.is_open;
                whole.has_figure |= found.has_figure;
                whole.found.extend(found.found);
            }
        }
        return (!whole.found.is_empty()).then_some(whole);
    }
    if let RecordPlace::Under(words, place) = place {
        let mut found = counterpart(collection, place)?;
        if let Some((text, _)) = found.found.first_mut() {
            *text = format!("{words}: {text}");
        }
        return Some(found);
    }
    if let RecordPlace::Rate(of, triangles, place) = place {
        let mut found = counterpart(collection, place)?;
        let (text, _) = found.found.first_mut()?;
        *text = rate(text, of, *triangles)?;
        return Some(found);
    }
    let has_figure = !matches!(place, RecordPlace::Verdict(..));
    let decided = at(collection, place, in_part);
    decided
        .map(|found| Counterpart::one(found, false, has_figure))
        .or_else(|| {
            Some(Counterpart::one(
                at(collection, place, open_in_part)?,
                true,
                false,
            ))
        })
}

/// Triangles a second, from words that say milliseconds a frame.
fn rate(text: &str, of: &str, triangles: f64) -> Option<String> {
    let (before, _) = text.split_once(" ms a frame")?;
    let ms = before.split_whitespace().last()?;
    let a_second = triangles / (ms.parse::<f64>().ok()? / 1e3);
    a_second.is_finite().then(|| {
        format!(
            "{of}: {} million, {triangles} triangles in {ms} ms a frame",
            significant(a_second / 1e6, 3)
        )
    })
}

/// What a search finds of a place in the parts of its name.
fn at<'c>(
    collection: &'c Collection,
    place: &RecordPlace,
    search: fn(&ReportPart, &RecordPlace) -> Option<String>,
) -> Option<(String, &'c ReportPart)> {
    let parts = collection.parts_of(place.part());
    parts
        .into_iter()
        .find_map(|part| Some((search(part, place)?, part)))
}

/// A bar that is open.
fn open_in_part(part: &ReportPart, place: &RecordPlace) -> Option<String> {
    let (RecordPlace::Bar(_, words) | RecordPlace::Verdict(_, words)) = place else {
        return None;
    };
    let claim = part.sheet.open.iter().find(|claim| holds(claim, words))?;
    Some(format!("{claim} ({OPEN})"))
}

fn in_part(part: &ReportPart, place: &RecordPlace) -> Option<String> {
    match place {
        RecordPlace::Bar(_, words) | RecordPlace::Verdict(_, words) => {
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
        RecordPlace::Row(_, words) => {
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
        RecordPlace::Line(_, words) => {
            let printed = part.text.iter().flat_map(|text| text.lines());
            let noted = part.sheet.notes.iter().map(String::as_str);
            let line = printed.chain(noted).find(|line| holds(line, words))?;
            let line: Vec<&str> = line.split_whitespace().collect();
            Some(line.join(" "))
        }
        RecordPlace::All(_)
        | RecordPlace::Under(..)
        | RecordPlace::Said(_)
        | RecordPlace::Rate(..) => None,
    }
}

fn holds(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// A cell as words.
pub(super) fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Number(x) => significant(*x, 4),
        Cell::Text(text) => text.clone(),
        Cell::Void { reason } => format!("– ({reason})"),
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordPlace, counterpart, find};
    use crate::published::comparison_sheet::{sheet, tally};
    use crate::published::published_figure::{PublishedFigure, sources};
    use crate::report::{Collection, ReportPart};
    use crate::result_sheet::{Cell, ResultSheet, Table};

    fn records() -> Collection {
        let mut average = ResultSheet::new("average", "Average", "", "");
        average.claim("k_min 10 at least 3x the k-DOP tree", "4.1x", true);
        average.notes.push("Ten tables: 0.8 s.".to_owned());
        average.tables.push(Table {
            title: "Error".to_owned(),
            columns: vec!["model".to_owned(), "error, %".to_owned()],
            rows: vec![vec![Cell::Text("car".to_owned()), Cell::Number(1.2)]],
        });
        Collection {
            parts: vec![ReportPart {
                sheet: average,
                text: Some("two  threads   1.83 times\n".to_owned()),
                ..ReportPart::default()
            }],
            ..Collection::default()
        }
    }

    /// The words at one place.
    fn at(records: &Collection, place: &RecordPlace) -> Option<String> {
        counterpart(records, place).map(|found| found.words(records.is_mixed()))
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn bar(part: &str, of: &[&str]) -> RecordPlace {
        RecordPlace::Bar(part.to_owned(), words(of))
    }

    fn row(part: &str, of: &[&str]) -> RecordPlace {
        RecordPlace::Row(part.to_owned(), words(of))
    }

    fn line(part: &str, of: &[&str]) -> RecordPlace {
        RecordPlace::Line(part.to_owned(), words(of))
    }

    fn said(text: &str) -> RecordPlace {
        RecordPlace::Said(text.to_owned())
    }

    fn figure(ours: &[RecordPlace], is_by_nature: bool) -> PublishedFigure {
        PublishedFigure {
            id: "1".to_owned(),
            ours: ours.to_vec(),
            otherwise: "the reason".to_owned(),
            is_by_nature,
            ..PublishedFigure::default()
        }
    }

    #[test]
    fn counterparts_are_found_by_their_words() {
        let records = records();
        let found = at(&records, &bar("average", &["K-dop", "k_min 10"]));
        assert_eq!(
            found.as_deref(),
            Some("k_min 10 at least 3x the k-DOP tree: 4.1x (met)")
        );
        let place = row("average", &["error", "car"]);
        let found = at(&records, &place);
        assert_eq!(found.as_deref(), Some("car; error, % 1.2"));
        let printed = at(&records, &line("average", &["threads"]));
        assert_eq!(printed.as_deref(), Some("two threads 1.83 times"));
        assert_eq!(at(&records, &bar("model", &[])), None);
        // A part of a benchmark counts as it, and a word that begins alike does not.
        let mut of_it = records.clone();
        of_it.parts[0].sheet.name = "average-car".to_owned();
        assert_eq!(at(&of_it, &place), found);
        of_it.parts[0].sheet.name = "averages".to_owned();
        assert_eq!(at(&of_it, &place), None);
        let note = at(&records, &line("average", &["ten tables"]));
        assert_eq!(note.as_deref(), Some("Ten tables: 0.8 s."));
    }

    #[test]
    fn places_that_belong_together_are_all_shown_with_where_they_are_from() {
        let both = RecordPlace::All(vec![
            row("average", &["car"]),
            line("model", &["power"]),
            line("average", &["nowhere"]),
            line("average", &["threads", "1.83"]),
        ]);
        let mut records = records();
        assert_eq!(
            at(&records, &both).as_deref(),
            Some("car; error, % 1.2 | two threads 1.83 times")
        );
        let measured = |part: &mut ReportPart, day: &str| {
            part.origin.folder = format!("{day}-box");
            part.origin.machine.date = day.to_owned();
            part.origin.machine.processor = "box".to_owned();
        };
        let mut model = ReportPart {
            sheet: ResultSheet::new("model", "Model", "", ""),
            ..ReportPart::default()
        };
        model.sheet.notes.push("power 1.03".to_owned());
        measured(&mut model, "2026-03-04");
        measured(&mut records.parts[0], "2026-01-02");
        records.parts.push(model);
        assert_eq!(
            at(&records, &both).as_deref(),
            Some(
                "car; error, % 1.2 [box, 2026-01-02] | power 1.03 [box, 2026-03-04] | two threads 1.83 times [box, 2026-01-02]"
            )
        );
        assert!(
            sheet(&records).unwrap().notes[1].contains("records/2026-03-04-box (box, 2026-03-04)")
        );
        assert_eq!(at(&records, &RecordPlace::All(Vec::new())), None);
    }

    #[test]
    fn words_stand_before_what_they_are_about_and_beside_nothing_they_are_not_said() {
        let nothing_known = || said("of the lock nothing is known");
        let both = RecordPlace::All(vec![row("average", &["car"]), nothing_known()]);
        let titled = RecordPlace::Under("errors".to_owned(), Box::new(both));
        let alone = RecordPlace::All(vec![row("average", &["nowhere"]), nothing_known()]);
        let records = records();
        assert_eq!(
            at(&records, &titled).as_deref(),
            Some("errors: car; error, % 1.2 | of the lock nothing is known")
        );
        assert_eq!(at(&records, &alone), None);
        assert_eq!(at(&records, &said("alone")), None);
        assert_eq!(titled.part(), "average");
    }

    #[test]
    fn of_two_pieces_the_newer_is_shown_whatever_their_names() {
        let piece = |name: &str, day: &str, ms: &str| {
            let mut sheet = ResultSheet::new(name, "", "", "");
            sheet.claim("cloth on ball a frame", ms, true);
            let mut part = ReportPart {
                sheet,
                ..ReportPart::default()
            };
            part.origin.folder = format!("{day}-box");
            part
        };
        let collection = |parts: Vec<ReportPart>| Collection {
            parts,
            ..Collection::default()
        };
        let place = bar("deform", &["ball", "a frame"]);
        let found = |records: &Collection| {
            counterpart(records, &place).map_or(String::new(), |found| found.words(false))
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
    fn a_verdict_without_a_figure_is_no_counterpart() {
        let asked = RecordPlace::Verdict("average".to_owned(), words(&["10 s"]));
        let beside = RecordPlace::All(vec![asked.clone(), line("average", &["threads"])]);
        let mut records = records();
        records.parts[0].sheet.claim("100 balls in 10 s", "", true);
        let found = |ours: &[RecordPlace]| find(&records, &figure(ours, false));
        let alone = found(std::slice::from_ref(&asked)).unwrap();
        assert!(!alone.has_figure && !alone.is_open);
        assert_eq!(alone.words(false), "100 balls in 10 s (met)");
        let beside = found(&[beside]).unwrap();
        assert!(beside.has_figure);
        // A figure comes first, wherever it is named.
        let first = found(&[asked, row("average", &["car"])]).unwrap();
        assert_eq!(first.words(false), "car; error, % 1.2");
    }

    #[test]
    fn milliseconds_a_frame_are_shown_as_the_rate_that_was_published() {
        let rate_of = |words: &[&str]| {
            let place = Box::new(bar("average", words));
            RecordPlace::Rate("cloth".to_owned(), 92_500.0, place)
        };
        let mut records = records();
        let claim = "cloth: 6.25 ms a frame with threads, the thesis had 20.24 ms";
        records.parts[0].sheet.claim(claim, "", true);
        let rate = at(&records, &rate_of(&["a frame"]));
        let words = "cloth: 14.8 million, 92500 triangles in 6.25 ms a frame";
        assert_eq!(rate.as_deref(), Some(words));
        assert_eq!(at(&records, &rate_of(&["k_min"])), None);
    }

    #[test]
    fn what_is_missing_says_whether_it_can_be_had() {
        let records = records();
        let missing = |ours: &[RecordPlace]| figure(ours, false).missing(&records);
        assert_eq!(missing(&[]), "not measured: the reason");
        let never = figure(&[], true);
        assert_eq!(never.missing(&records), "no counterpart: the reason");
        assert_eq!(
            missing(&[bar("model", &["x"])]),
            "not measured here: `impinge-bench run cost-model` measures it"
        );
        assert!(missing(&[bar("average", &["x"])]).contains("records of `average`"));
        let wrong = PublishedFigure {
            erratum: Some(7),
            ..figure(&[], false)
        };
        assert_eq!(
            wrong.beside(&records),
            "wrong in the thesis, see row 7 of its errata: the reason"
        );
        let mut open = records.clone();
        open.parts[0].sheet.leave_open("beside nobody: 3 times");
        let beside = bar("average", &["nobody"]);
        let found = "beside nobody: 3 times (open: this run does not decide it)";
        assert_eq!(at(&open, &beside).as_deref(), Some(found));
        // What is decided comes before what is open, wherever it is named.
        let both = [bar("average", &["nobody"]), bar("average", &["k_min"])];
        let both = find(&open, &figure(&both, false));
        assert!(both.is_some_and(|both| !both.is_open));
        let sources = sources().unwrap();
        let count: usize = sources.iter().map(|source| source.figures.len()).sum();
        let tally = tally(&records, &sources);
        assert!(tally.contains(&format!(" of {count} ")), "{tally}");
    }
}
