//! What a benchmark printed, as a sheet.

use std::collections::BTreeSet;

use super::from_aligned::{aligned, listed, with_units};
use super::from_csv::{MOST_ROWS, cell};
use super::from_lines::{asked, shaped};
use super::table_plots::drawn;
use super::text_format::clipped;
use crate::result_sheet::{Claim, ResultSheet, Table};

/// A name as a heading: in words, where they are known.
fn title(name: &str) -> String {
    if let Some([_, words, ..]) = PIECES.iter().find(|[known, ..]| *known == name) {
        return (*words).to_owned();
    }
    let mut letters = name.replace('-', " ").chars().collect::<Vec<_>>();
    if let Some(first) = letters.first_mut() {
        *first = first.to_ascii_uppercase();
    }
    letters.into_iter().collect()
}

/// What a program printed about its bars: the claim, and the word at the end of its line.
fn printed(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    text.lines().filter_map(|line| {
        let (before, bar) = line.split_once("bar: ")?;
        let bar = bar.trim_end();
        let (claim, state) = bar.rsplit_once(|c: char| c.is_whitespace())?;
        let claim = claim.trim_end_matches([' ', ':', '…', ',']).trim();
        let before = before.split_whitespace().collect::<Vec<_>>().join(" ");
        let claim = match before.as_str() {
            "" => claim.to_owned(),
            before => format!("{before}: {claim}"),
        };
        Some((claim, state.to_lowercase()))
    })
}

/// The bars among what a program printed, each once.
pub(crate) fn bars(text: &str) -> Vec<Claim> {
    let mut seen = BTreeSet::new();
    printed(text)
        .filter_map(|(claim, state)| {
            let is_met = match state.as_str() {
                "met" => true,
                "missed" => false,
                _ => return None,
            };
            seen.insert(claim.clone()).then(|| Claim {
                claim,
                reached: String::new(),
                is_met,
            })
        })
        .collect()
}

/// The bars that a program printed and that nothing was measured for, each once.
pub(crate) fn open_bars(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    printed(text)
        .filter(|(claim, state)| state == "open" && seen.insert(claim.clone()))
        .map(|(claim, _)| claim)
        .collect()
}

/// Pieces of benchmarks, recorded alone: name, heading, question, command.
const PIECES: &[[&str; 4]] = &[
    [
        "configurations-check",
        "Configurations, checked by another engine",
        "Is every configuration where it should be?",
        "configurations check",
    ],
    [
        "configurations-generate",
        "Configurations, generated",
        "What does it cost to place two models at given distances and shared volumes?",
        "configurations generate",
    ],
    [
        "deform-claims",
        "Deforming scenes: clusters and axes",
        "What do clusters and a good axis save where faces move on their own?",
        "run deform --complete --parts claims",
    ],
    [
        "deform-cloth-on-ball",
        "Deforming scenes: a cloth falls on a ball",
        "How long does a frame of a falling cloth take, beside other libraries?",
        "run deform --parts peers --only cloth-on-ball",
    ],
    [
        "deform-peers",
        "Deforming scenes beside other libraries",
        "How long does a frame of a deforming scene take, and how much longer elsewhere?",
        "run deform --complete --parts peers",
    ],
    [
        "deform-truth",
        "Deforming scenes beside brute force",
        "Does any engine miss or invent a contact?",
        "run deform --complete --parts truth",
    ],
    [
        "exact-volume-path",
        "The exact overlap volume along a path",
        "Does the exact volume come in time for forces, step by step?",
        "exact-volume",
    ],
    [
        "volume-accuracy",
        "Inner sphere trees: accuracy of the overlap volume",
        "How far is the shared volume of balls from the exact one?",
        "run volume --only accuracy",
    ],
    [
        "volume-critical",
        "Inner sphere trees: time-critical queries",
        "Do 99.9 % of answers come within a millisecond of processor time, and what does the budget cost?",
        "run volume --only critical",
    ],
    [
        "volume-distance",
        "Inner sphere trees: distance",
        "How fast and how right is the distance of packed balls?",
        "run volume --only distance",
    ],
    [
        "volume-error",
        "Inner sphere trees: error of the overlap volume",
        "",
        "run volume --only accuracy",
    ],
    [
        "volume-feasible",
        "Sphere packing: feasibility",
        "Does every ball stay inside, and apart from all others?",
        "run volume --only feasible",
    ],
    [
        "volume-fill",
        "Sphere packing: fill ratio",
        "How many balls fill how much of a solid?",
        "run volume --only feasible",
    ],
    [
        "volume-forces",
        "Inner sphere trees: continuity of forces",
        "Do forces and torques jump?",
        "run volume --only forces",
    ],
    [
        "volume-growth",
        "Sphere packing: running time",
        "How does the time to pack grow with the balls?",
        "run volume --only growth",
    ],
    [
        "volume-trees",
        "Inner sphere trees: build and query times",
        "Which tree over the balls answers fastest?",
        "run volume --only trees",
    ],
    [
        "volume-truths",
        "Sphere packing: known packings",
        "Are packings found that are known?",
        "run volume --only truths",
    ],
];

/// Benchmarks that print and write no sheet: name, heading, question, command.
const PRINTED: &[[&str; 4]] = &[
    [
        "ablation-1994",
        "The ideas of 1994",
        "How much does each idea of a thesis of 1994 gain today?",
        "ablation-1994",
    ],
    [
        "auto-choice",
        "From which size a tree pays",
        "Does the automatic choice take the better engine?",
        "auto-choice",
    ],
    [
        "average",
        "Average-case trees",
        "How much time does a search save that may err, and how often does it err?",
        "run average-case",
    ],
    [
        "bodies",
        "Broad phases",
        "How long does it take to find all pairs of many moving boxes?",
        "run broad-phase",
    ],
    [
        "box-tree",
        "Box-trees",
        "What does each part of a tree of cut boxes gain?",
        "box-tree",
    ],
    [
        "ccd",
        "Exact continuous collision tests",
        "When do a moving vertex and face, or two edges, first meet, and is the answer ever wrong?",
        "ccd",
    ],
    [
        "cloud-brackets",
        "Interpolation search between two clouds",
        "How fast are the places found at which the surfaces of two clouds cross?",
        "cloud-brackets",
    ],
    [
        "cloud-graphs",
        "Proximity graphs of point clouds",
        "How do proximity graphs grow with the cloud, and what does an edit cost?",
        "cloud-graphs",
    ],
    [
        "cloud-pairs",
        "Clouds as shapes",
        "How far is a cloud from a mesh, a cloud and a cylinder, and what does the answer cost?",
        "cloud-pairs",
    ],
    [
        "cloud-surface",
        "Moving least squares surface of a cloud",
        "How good is the surface of a cloud, and what does an evaluation cost?",
        "cloud-surface",
    ],
    [
        "clouds",
        "Point clouds against each other",
        "Do the surfaces behind two clouds meet, how long does the answer take, and how often is it wrong?",
        "run clouds",
    ],
    [
        "clash-truth",
        "Clashes of assemblies",
        "Does every pair of parts clash as brute force says?",
        "clash-truth",
    ],
    [
        "convex-truth",
        "Convex hulls and exact axes",
        "Is any answer about two convex hulls wrong?",
        "convex-truth",
    ],
    [
        "mixed-pairs",
        "Convex shapes and meshes",
        "How long does a convex shape against a mesh take, beside other libraries?",
        "mixed-pairs",
    ],
    [
        "convex-speed",
        "Convex pairs",
        "How long do two convex shapes take, beside other libraries?",
        "convex-speed",
    ],
    [
        "deform",
        "Deforming scenes",
        "How long does a frame of a deforming scene take, and is any contact missed?",
        "run deform",
    ],
    [
        "gpu",
        "Deforming scenes on graphics cards",
        "Do graphics cards find what the processor finds, with how much work, and what would that take by their data sheets? No card was measured",
        "run gpu",
    ],
    [
        "exact-volume",
        "The exact overlap volume",
        "What does the exact volume of an overlap cost?",
        "exact-volume",
    ],
    [
        "half-edges",
        "Building half-edges",
        "Does building the topology of a mesh grow linearly?",
        "half-edges",
    ],
    [
        "haptics",
        "Haptic rendering",
        "Does every tick fit into its time, is no face passed, and does no wall give energy away?",
        "run haptics",
    ],
    [
        "kinetic",
        "Kinetic structures",
        "What do events save beside updating every frame?",
        "kinetic",
    ],
    [
        "planes",
        "Separating planes",
        "How often does a search for a separating plane give up in vain?",
        "planes",
    ],
    [
        "scan",
        "Robot links against depth-camera frames",
        "Do build and questions of a frame fit into its time?",
        "scan",
    ],
    [
        "volume",
        "Sphere packings and inner sphere trees",
        "How well and how fast do packed balls tell volume, distance and force?",
        "run volume",
    ],
    [
        "world",
        "A world on a thread of its own",
        "Does a world under stress ever give a wrong or late answer?",
        "world",
    ],
];

/// An empty sheet of a benchmark or of a piece of one, with its heading and, where they are known, its question and command.
pub(super) fn untold(name: &str, command: Option<&str>) -> ResultSheet {
    let mut all = PRINTED.iter().chain(PIECES);
    let known = all.find(|[known, ..]| *known == name);
    let heading = known.map_or_else(|| title(name), |[_, heading, ..]| (*heading).to_owned());
    let question = known.map_or("", |[_, _, question, _]| *question);
    let command = command.or(known.map(|[_, _, _, command]| *command));
    let command = command.map_or(String::new(), |command| {
        format!("cargo run --release -p impinge-bench -- {command}")
    });
    ResultSheet::new(name, &heading, question, &command)
}

/// What a program printed, as a sheet: its bars, its tables, and pictures of those that are known.
pub(super) fn of_text(name: &str, text: &str) -> ResultSheet {
    // A part of a benchmark says in its first line how it was run.
    let told = text.lines().next().and_then(|line| {
        let command = line.strip_prefix("$ impinge-bench ")?;
        Some(command.trim())
    });
    let mut sheet = untold(name, told);
    if sheet.command.is_empty() {
        sheet.command = format!("cargo run --release -p impinge-bench -- {name}");
    }
    sheet.bars = bars(text);
    sheet.open = open_bars(text);
    sheet.tables = printed_tables(text);
    sheet.tables.extend(aligned(text));
    sheet.tables.extend(listed(text));
    sheet.tables.extend(shaped(name, text));
    for table in &mut sheet.tables {
        if table.title.is_empty() {
            table.title.clone_from(&sheet.title);
        }
        table.title = clipped(&table.title, LONGEST_TITLE);
    }
    let mut tables = sheet.tables.clone();
    tables.extend(asked(name, text));
    let drawn = drawn(name, &tables);
    sheet.plots = drawn.plots;
    sheet.notes = drawn.notes;
    sheet
}

/// Letters of a title that was printed as a sentence.
const LONGEST_TITLE: usize = 110;

/// The tables that a program printed with bars between their columns, each under the heading before it. What else it prints between the rows
/// does not end a table, a heading does.
fn printed_tables(text: &str) -> Vec<Table> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        Some(
            inner
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect(),
        )
    };
    let is_rule = |row: &[String]| {
        row.iter()
            .all(|cell| cell.len() > 2 && cell.chars().all(|c| c == '-'))
    };
    let mut tables: Vec<Table> = Vec::new();
    let (mut heading, mut is_open) = ("", false);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            (heading, is_open) = (title, false);
        }
        let Some(row) = cells(line) else { continue };
        let is_head = lines
            .peek()
            .and_then(|next| cells(next))
            .is_some_and(|next| next.len() == row.len() && is_rule(&next));
        if is_head {
            lines.next();
            is_open = true;
            tables.push(Table {
                title: heading.to_owned(),
                columns: row,
                rows: Vec::new(),
            });
        } else if let Some(table) = tables.last_mut()
            && is_open
            && table.columns.len() == row.len()
            && table.rows.len() < MOST_ROWS
        {
            table.rows.push(row.iter().map(|text| cell(text)).collect());
        }
    }
    tables.iter_mut().for_each(with_units);
    tables
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{PIECES, PRINTED, bars, open_bars, printed_tables};
    use crate::result_sheet::Cell;

    #[test]
    fn every_command_that_the_page_names_can_be_typed() {
        for [name, _, _, command] in PRINTED.iter().chain(PIECES) {
            let words = ["impinge-bench"].into_iter().chain(command.split(' '));
            let parsed = crate::Args::try_parse_from(words);
            assert!(parsed.is_ok(), "{name}: {:?}", parsed.err());
        }
    }

    #[test]
    fn printed_tables_are_read_with_whatever_stands_between_their_rows() {
        let text = "| no | head |\n## Trees over 9 balls\n| model | µs |\n|---|---|\n| ball | 4.5 |\n  a remark\n| knot | 3 % |\n| odd |\n\
                    ## Time\n| ball | 1 |\n| balls | s |\n|---|---|\n| 10 |  |\nbar: fast: met\n";
        let tables = printed_tables(text);
        let [trees, time] = tables.as_slice() else {
            panic!("{tables:?}")
        };
        assert_eq!(trees.title, "Trees over 9 balls");
        assert_eq!(trees.columns, ["model", "µs"]);
        let word = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(
            trees.rows,
            [
                vec![word("ball"), Cell::Number(4.5)],
                vec![word("knot"), word("3 %")]
            ]
        );
        assert_eq!((time.title.as_str(), time.rows.len()), ("Time", 1));
        assert!(matches!(time.rows[0][1], Cell::Void { .. }));
        assert_eq!(printed_tables("bar: none: met\n|"), []);
    }

    #[test]
    fn bars_are_read_in_every_form_they_are_printed_in() {
        let text = "bar: no peer: open\nbar: no peer: open\nbar: fast: met\nbar: slow MISSED\nscene a  3.2  bar: at most 1.2 … met\n\
                    bar: no verdict\nother\nbar: fast: met\n";
        assert_eq!(open_bars(text), ["no peer"]);
        let found: Vec<(String, bool)> = bars(text)
            .into_iter()
            .map(|bar| (bar.claim, bar.is_met))
            .collect();
        assert_eq!(
            found,
            [
                ("fast".to_owned(), true),
                ("slow".to_owned(), false),
                ("scene a 3.2: at most 1.2".to_owned(), true)
            ]
        );
    }
}
