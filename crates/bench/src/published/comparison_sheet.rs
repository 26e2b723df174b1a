//! All published figures next to those of records, as tables, plots and text.

use super::counterpart::{cell_text, find};
use super::published_figure::{PublishedFigure, Source, sources};
use super::scaling::{self, LawFit, picture, speedups};
use crate::report::Collection;
use crate::result_sheet::{Cell, ResultSheet, Table};

/// What is said of a figure.
const COLUMNS: [&str; 8] = [
    "figure",
    "in the thesis",
    "what",
    "published",
    "unit",
    "measured on",
    "ours",
    "command",
];

/// All published figures beside what these records say.
///
/// # Errors
/// A file of published figures that cannot be read.
pub(crate) fn sheet(collection: &Collection) -> anyhow::Result<ResultSheet> {
    let sources = sources()?;
    let is_mixed = collection.is_mixed();
    let mut sheet = ResultSheet::new(
        "published",
        "Published figures beside ours",
        "What did others publish, and what do these records say about the same thing?",
        "cargo run --release -p impinge-bench -- published",
    );
    sheet.notes.push(tally(collection, &sources));
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
    for source in &sources {
        let rows = source.figures.iter().map(|figure| {
            let commands = figure.commands();
            [
                figure.id.clone(),
                figure.at.join("; "),
                figure.what.clone(),
                figure.published.clone(),
                figure.unit.clone(),
                source.machine_of(figure).to_owned(),
                figure.beside(collection),
                if commands.is_empty() {
                    "none".to_owned()
                } else {
                    commands.join("; ")
                },
            ]
            .map(Cell::Text)
            .to_vec()
        });
        sheet.tables.push(Table {
            title: source.source.clone(),
            columns: COLUMNS.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        });
    }
    for measured in scaling::measured(collection) {
        let fit = LawFit::new(&measured);
        sheet.tables.push(speedups(&measured, &fit));
        sheet.plots.push(picture(&measured, &fit));
    }
    sheet.notes.extend([
        "Published times are of machines of their day and often of models that are lost: compare ratios, errors and counts.".to_owned(),
        "Amdahl's law holds the work fixed, Gustafson's the time; both are drawn for the parallel share that fits what was measured best. \
         With two cores measured, what they say of more cores is an extrapolation."
            .to_owned(),
    ]);
    Ok(sheet)
}

/// How many figures have one of ours beside them, and why the others have none.
pub(super) fn tally(collection: &Collection, sources: &[Source]) -> String {
    let all: Vec<&PublishedFigure> = sources.iter().flat_map(|source| &source.figures).collect();
    let (mut beside, mut bars, mut absent) = (0, 0, Vec::new());
    for figure in &all {
        match find(collection, figure) {
            Some(found) if found.has_figure => beside += 1,
            Some(_) => bars += 1,
            None => absent.push(figure),
        }
    }
    let by_nature = absent.iter().filter(|figure| figure.is_by_nature).count();
    let without = absent
        .iter()
        .filter(|figure| figure.ours.is_empty())
        .count();
    let wrong = all.iter().filter(|figure| figure.erratum.is_some()).count();
    let mut runs: Vec<&str> = absent
        .iter()
        .filter_map(|figure| figure.ours.first())
        .map(|place| place.part())
        .collect();
    runs.sort_unstable();
    runs.dedup();
    let mut note = format!(
        "{beside} of {} published figures have a figure of ours beside them in these records; {bars} have nothing but a bar without one; \
         {} are not measured by any benchmark, and {by_nature} cannot be: each says why. {wrong} are wrong in their thesis, see docs/errata.md.",
        all.len(),
        without - by_nature
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

/// Prints what a reader of a terminal wants to see of it.
pub(super) fn print(sheet: &ResultSheet) {
    for note in &sheet.notes {
        println!("{note}");
    }
    for table in &sheet.tables {
        println!("\n{}", table.title);
        if table.columns.first().is_some_and(|c| c == "figure") {
            for row in &table.rows {
                let words: Vec<String> = row.iter().map(cell_text).collect();
                if let [id, at, what, published, unit, machine, ours, command] = words.as_slice() {
                    println!(
                        "{id:<8} {what} ({at})\n         published: {published} [{unit}; measured on: {machine}]\n         \
                         ours: {ours}\n         command: {command}"
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
    use super::{find, sheet, sources, tally};
    use crate::report::Collection;

    #[test]
    fn without_records_no_figure_has_a_counterpart() {
        let nothing = Collection::default();
        for source in sources().unwrap() {
            for figure in &source.figures {
                assert!(
                    find(&nothing, figure).is_none(),
                    "{} {}",
                    source.source,
                    figure.id
                );
            }
        }
        let sheet = sheet(&nothing).unwrap();
        assert_eq!(sheet.tables.len(), 5);
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
                "half-edges.txt",
                "     edges   list search     counting     gain\n\
                 \x20     1200      1.152 ms     0.022 ms    51.4×\n\
                 \x20           published: 2800 ms, 40 ms, 70×\n\
                 \x20     9918     59.978 ms     0.146 ms   411.7×\n\
                 bar: gain over list search at 9918 edges 412× ≥ 70×: met\n",
            ),
            (
                "volume-growth.txt",
                "## Time, dragon with 871306 faces\n\
                 | balls | wall s | processor s |\n|---|---|---|\n\
                 | 10000 | 1.59 | 2.92 |\n| 100000 | 7.09 | 13.08 |\n\
                 bar: dragon: 100000 balls in 10 s of wall time: met\n\
                 | 1000000 | 45.51 | 77.47 |\n",
            ),
            (
                "volume-distance.txt",
                "bar: dragon: at least 50 times as fast as FCL's exact distance, on average: met\n",
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
        let sources = sources().unwrap();
        let ours = |source: usize, id: &str| {
            let figures = &sources[source].figures;
            let figure = figures.iter().find(|f| f.id == id).unwrap();
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
        // Like beside like: the row of the published size, with what it is less for; what was asked is no figure.
        let gain = ours(1, "3.7");
        assert!(
            gain.starts_with("at the published size: edges 1200;"),
            "{gain}"
        );
        assert!(gain.contains("51.4×") && gain.contains("less than published"));
        assert!(gain.contains("edges 9918") && !gain.contains("met"));
        assert!(
            ours(2, "3.2a").contains("wall s 7.09"),
            "{}",
            ours(2, "3.2a")
        );
        let has_figure = |id: &str| {
            let figures = &sources[2].figures;
            let figure = figures.iter().find(|f| f.id == id).unwrap();
            find(&records, figure).map(|found| found.has_figure)
        };
        assert_eq!(has_figure("3.2a"), Some(true));
        assert_eq!(has_figure("3.3a"), Some(false));
        assert!(
            tally(&records, &sources).contains("2 have nothing but a bar without one"),
            "{}",
            tally(&records, &sources)
        );
        let all = || sources.iter().flat_map(|source| &source.figures);
        let without = all().filter(|f| f.ours.is_empty()).count();
        let by_nature = all().filter(|f| f.is_by_nature).count();
        assert!(tally(&records, &sources).contains(&format!(
            "{} are not measured by any benchmark, and {by_nature} cannot be",
            without - by_nature
        )));
        let command = &records.part("volume-trees").unwrap().sheet.command;
        assert!(command.ends_with("-- run volume --only trees"), "{command}");
    }
}
