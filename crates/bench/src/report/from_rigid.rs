//! The records of `run rigid` as a sheet.

use std::collections::BTreeSet;

use crate::engines::{FCL, JUDGE, OURS};
use crate::pair_measurement::quantile;
use crate::result_sheet::{Axis, Cell, Claim, Plot, ResultSheet, Series, Table};
use crate::rigid::{self, GROUPS, HotCold, Record, others, ratio};
use crate::sample_statistics::distinct;

/// Queries at every gap, as headings.
const QUESTIONS: [(&str, &str); 3] = [
    ("intersects", "Do they intersect?"),
    ("pairs", "Which faces intersect?"),
    ("distance", "How far apart are they?"),
];
/// What becomes of an answer.
const VERDICTS: [&str; 7] = [
    "right",
    "excused",
    "wrong",
    "timed-out",
    "died",
    "skipped",
    "unsupported",
];

pub(super) fn sheet(records: &[Record]) -> ResultSheet {
    let mut sheet = ResultSheet::new(
        "rigid",
        "Two rigid meshes",
        "How long does a question about two placed meshes take, and how much longer elsewhere?",
        "cargo xtask models && cargo xtask peers && cargo run --release -p impinge-bench -- run rigid",
    );
    let engines = engines(records);
    for (question, title) in QUESTIONS {
        let plot = over_gap(records, &engines, question, title);
        if plot.series.iter().any(|s| !s.points.is_empty()) {
            sheet.plots.push(plot);
        }
    }
    let growth = over_faces(records, &engines);
    if !growth.series.is_empty() {
        sheet.plots.push(growth);
    }
    sheet.tables = vec![ratios(records), answers(records, &engines), builds(records)];
    sheet.tables.retain(|table| !table.rows.is_empty());
    (sheet.bars, sheet.open) = claims(records);
    sheet.notes = vec![
        "A point is the median over all poses of all pairs of meshes at which the engine is right, the band reaches from the lower to the \
         upper quartile. An engine that ran out of its share of time has points from fewer pairs; the table of ratios compares \
         on the same poses only."
            .to_owned(),
        "Below 0 the meshes are pushed into each other by that part of the diagonal.".to_owned(),
        "What is unfair about this comparison is in the section on bias.".to_owned(),
    ];
    sheet
}

/// Engines that answer questions, ours first, in order of appearance.
fn engines(records: &[Record]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let mut engines: Vec<&str> = records
        .iter()
        .filter(|r| {
            QUESTIONS
                .iter()
                .any(|(question, _)| r.question == *question)
        })
        .map(|r| r.engine.as_str())
        .filter(|name| *name != JUDGE && seen.insert(*name))
        .collect();
    engines.sort_by_key(|name| *name != OURS);
    engines
}

/// Engines with their versions, each once.
pub(super) fn versions(records: &[Record]) -> Vec<(String, String)> {
    let mut versions: Vec<(String, String)> = records
        .iter()
        .filter(|r| !r.engine.contains('('))
        .map(|r| (r.engine.clone(), r.version.clone()))
        .collect();
    versions.sort();
    versions.dedup();
    versions
}

fn over_gap(records: &[Record], engines: &[&str], question: &str, title: &str) -> Plot {
    let asked = records.iter().filter(|r| r.question == question);
    let levels = distinct(asked.map(|r| r.level).filter(|level| level.is_finite()));
    let series = engines.iter().map(|engine| {
        let mut series = Series {
            name: (*engine).to_owned(),
            ..Series::default()
        };
        for level in &levels {
            let times: Vec<f64> = records
                .iter()
                .filter(|r| r.engine == *engine && r.question == question && r.level == *level)
                .filter_map(|r| r.hot_ns)
                .collect();
            let part = |q: f64| quantile(&times, q);
            if let (Some(low), Some(middle), Some(high)) = (part(0.25), part(0.5), part(0.75)) {
                series.points.push([100.0 * level, middle]);
                series.spread.push([low, high]);
            }
        }
        series
    });
    Plot {
        title: title.to_owned(),
        x: Axis {
            label: "gap".to_owned(),
            unit: "% of the diagonal".to_owned(),
            is_logarithmic: false,
        },
        y: Axis {
            label: "time of one answer".to_owned(),
            unit: "ns".to_owned(),
            is_logarithmic: true,
        },
        series: series.filter(|s| !s.points.is_empty()).collect(),
    }
}

/// Work over n: the distance at small gaps, one dot per pair of meshes.
fn over_faces(records: &[Record], engines: &[&str]) -> Plot {
    let series = engines.iter().map(|engine| {
        let mut pairs: Vec<(&str, usize)> = records
            .iter()
            .filter(|r| r.question == "distance" && r.engine == *engine)
            .map(|r| (r.pair.as_str(), r.faces[0] + r.faces[1]))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut points: Vec<[f64; 2]> = pairs
            .iter()
            .filter_map(|(pair, faces)| {
                let times: Vec<f64> = records
                    .iter()
                    .filter(|r| {
                        r.engine == *engine
                            && r.question == "distance"
                            && r.pair == *pair
                            && !r.intersects
                    })
                    .filter_map(|r| r.hot_ns)
                    .collect();
                Some([*faces as f64, quantile(&times, 0.5)?])
            })
            .collect();
        points.sort_by(|p, q| p[0].total_cmp(&q[0]));
        Series {
            name: (*engine).to_owned(),
            points,
            is_scatter: true,
            ..Series::default()
        }
    });
    Plot {
        title: "Distance of separated meshes by their size".to_owned(),
        x: Axis {
            label: "faces of both meshes".to_owned(),
            unit: String::new(),
            is_logarithmic: true,
        },
        y: Axis {
            label: "median time of one answer".to_owned(),
            unit: "ns".to_owned(),
            is_logarithmic: true,
        },
        series: series.filter(|s| !s.points.is_empty()).collect(),
    }
}

fn ratios(records: &[Record]) -> Table {
    let peers: Vec<&str> = std::iter::once(FCL)
        .chain(others(records))
        .filter(|peer| *peer != "obvhs")
        .collect();
    let mut columns = vec!["times faster than".to_owned()];
    columns.extend(peers.iter().map(|peer| (*peer).to_owned()));
    let rows = GROUPS.iter().filter_map(|group| {
        let mut row = vec![Cell::Text(group.title.to_owned())];
        let mut is_known = false;
        for peer in &peers {
            row.push(match ratio(records, group, peer, HotCold::Hot) {
                Some(ratio) => {
                    is_known = true;
                    Cell::Number(ratio)
                }
                None => Cell::Void {
                    reason: "not asked, or never right where ours was measured".to_owned(),
                },
            });
        }
        is_known.then_some(row)
    });
    Table {
        title: "How many times faster ours answers than each peer".to_owned(),
        rows: rows.collect(),
        columns,
    }
}

fn answers(records: &[Record], engines: &[&str]) -> Table {
    let mut columns = vec!["engine".to_owned(), "version".to_owned()];
    columns.extend(VERDICTS.iter().map(|verdict| (*verdict).to_owned()));
    let rows = engines.iter().map(|engine| {
        let own: Vec<&Record> = records.iter().filter(|r| r.engine == *engine).collect();
        let version = own.first().map_or(String::new(), |r| r.version.clone());
        let mut row = vec![Cell::Text((*engine).to_owned()), Cell::Text(version)];
        row.extend(VERDICTS.iter().map(|verdict| {
            Cell::Number(own.iter().filter(|r| r.verdict == *verdict).count() as f64)
        }));
        row
    });
    Table {
        title: "Answers: a wrong one has no time".to_owned(),
        columns,
        rows: rows.collect(),
    }
}

fn builds(records: &[Record]) -> Table {
    let rows = records
        .iter()
        .filter(|r| r.question == "build")
        .filter_map(|r| {
            Some(vec![
                Cell::Text(r.engine.clone()),
                Cell::Text(r.pair.clone()),
                Cell::Number(r.faces[0] as f64),
                Cell::Number(r.hot_ns? / 1e6),
            ])
        });
    Table {
        title: "Building an index".to_owned(),
        columns: ["engine", "mesh", "faces", "time, ms"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
    }
}

/// The bars, as the run itself prints them, and those that nothing was measured for.
fn claims(records: &[Record]) -> (Vec<Claim>, Vec<String>) {
    let (mut claims, mut open) = (Vec::new(), Vec::new());
    for bar in rigid::bars(records) {
        let Some((claim, state)) = claim(&bar).zip(bar["state"].as_str()) else {
            continue;
        };
        match state {
            "met" | "MISSED" => claims.push(Claim {
                is_met: state == "met",
                ..claim
            }),
            // Not measured, or nobody to compare with.
            _ => open.push(claim.claim),
        }
    }
    (claims, open)
}

/// The target of a bar and what was reached.
fn claim(bar: &serde_json::Value) -> Option<Claim> {
    let times = |value: &serde_json::Value| {
        value
            .as_f64()
            .map(|x| format!("{}×", super::text_format::significant(x, 3)))
    };
    if let Some(claim) = bar["claim"].as_str() {
        return Some(Claim {
            claim: claim.to_owned(),
            reached: String::new(),
            is_met: false,
        });
    }
    let (least, than) = (times(&bar["bar"])?, bar["than"].as_str()?);
    Some(Claim {
        claim: format!(
            "{}: at least {least} {}",
            bar["question"].as_str()?,
            match than {
                "fastest other" => "the fastest other".to_owned(),
                name => name.to_uppercase(),
            }
        ),
        reached: times(&bar["times_faster"]).unwrap_or_default(),
        is_met: false,
    })
}
