//! The records of `run scenario-1` as a sheet.

use crate::own_runners::DEFAULT;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};
use crate::scenario::TreeMeans;

/// Plain trees that are drawn beside the default; the table has them all.
const DRAWN: usize = 6;

pub(super) fn sheet(entries: &[TreeMeans]) -> ResultSheet {
    let mut sheet = ResultSheet::new(
        "scenario-1",
        "Which tree on which model",
        "Which tree wins on which class of models, and at which gap?",
        "cargo run --release -p impinge-bench -- run scenario-1",
    );
    let classes = distinct(entries, |e| &e.class);
    for class in &classes {
        sheet.plots.push(plot(entries, class));
    }
    sheet.tables = vec![factors(entries, &classes), memory(entries)];
    sheet.notes = vec![
        format!(
            "Two copies of a model; means over random orientations at each gap. Pictures show `{DEFAULT}` and the {DRAWN} plain trees that \
             are the fastest there, the table shows all."
        ),
        format!(
            "`{DEFAULT}` computes eight boxes at once with vector instructions; the plain trees do not. All run in one thread of this process."
        ),
    ];
    sheet
}

/// Values in order of appearance.
fn distinct<'a>(
    entries: &'a [TreeMeans],
    of: impl Fn(&'a TreeMeans) -> &'a String,
) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for value in entries.iter().map(of) {
        if !found.contains(&value.as_str()) {
            found.push(value);
        }
    }
    found
}

/// The geometric mean over the gaps of an engine's time.
pub(super) fn mean_ns(entries: &[TreeMeans], class: &str, engine: &str) -> Option<f64> {
    let logs: Vec<f64> = entries
        .iter()
        .filter(|e| e.class == class && e.engine == engine && e.time_ns > 0.0)
        .map(|e| e.time_ns.ln())
        .collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// Plain trees from the fastest to the slowest.
pub(super) fn ranked<'a>(entries: &'a [TreeMeans], class: &str) -> Vec<(&'a str, f64)> {
    let mut ranked: Vec<(&str, f64)> = distinct(entries, |e| &e.engine)
        .into_iter()
        .filter(|engine| *engine != DEFAULT)
        .filter_map(|engine| Some((engine, mean_ns(entries, class, engine)?)))
        .collect();
    ranked.sort_by(|x, y| x.1.total_cmp(&y.1));
    ranked
}

fn plot(entries: &[TreeMeans], class: &str) -> Plot {
    let mut engines = vec![DEFAULT];
    engines.extend(
        ranked(entries, class)
            .iter()
            .take(DRAWN)
            .map(|(name, _)| *name),
    );
    let series = engines.iter().map(|engine| {
        let mut points: Vec<[f64; 2]> = entries
            .iter()
            .filter(|e| e.class == class && e.engine == *engine)
            .map(|e| [100.0 * e.level, e.time_ns])
            .collect();
        points.sort_by(|p, q| p[0].total_cmp(&q[0]));
        Series {
            name: (*engine).to_owned(),
            points,
            ..Series::default()
        }
    });
    let model = entries.iter().find(|e| e.class == class);
    Plot {
        title: model.map_or(class.to_owned(), |e| {
            format!("{class}: {}, {} faces", e.model, e.faces)
        }),
        x: Axis {
            label: "gap".to_owned(),
            unit: "% of the diagonal".to_owned(),
            is_logarithmic: false,
        },
        y: Axis {
            label: "mean time until all pairs are known".to_owned(),
            unit: "ns".to_owned(),
            is_logarithmic: true,
        },
        series: series.filter(|s| !s.points.is_empty()).collect(),
    }
}

fn factors(entries: &[TreeMeans], classes: &[&str]) -> Table {
    let best: Vec<Option<f64>> = classes
        .iter()
        .map(|class| ranked(entries, class).first().map(|(_, ns)| *ns))
        .collect();
    let mut columns = vec!["tree".to_owned()];
    columns.extend(classes.iter().map(|class| (*class).to_owned()));
    let rows = distinct(entries, |e| &e.engine).into_iter().map(|engine| {
        let mut row = vec![Cell::Text(engine.to_owned())];
        for (class, best) in classes.iter().zip(&best) {
            row.push(match (mean_ns(entries, class, engine), best) {
                (Some(own), Some(best)) => Cell::Number(own / best),
                _ => Cell::Void {
                    reason: "not measured".to_owned(),
                },
            });
        }
        row
    });
    Table {
        title: "Times the fastest plain tree of each class, geometric mean over the gaps"
            .to_owned(),
        rows: rows.collect(),
        columns,
    }
}

fn memory(entries: &[TreeMeans]) -> Table {
    let mut rows = Vec::new();
    for engine in distinct(entries, |e| &e.engine) {
        let own: Vec<&TreeMeans> = entries
            .iter()
            .filter(|e| e.engine == engine && e.faces > 0)
            .collect();
        let mean = |of: &dyn Fn(&TreeMeans) -> f64| {
            own.iter().map(|e| of(e)).sum::<f64>() / own.len().max(1) as f64
        };
        rows.push(vec![
            Cell::Text(engine.to_owned()),
            Cell::Number(mean(&|e| e.bytes as f64 / e.faces as f64)),
            Cell::Number(mean(&|e| e.build_ns / e.faces as f64)),
            Cell::Number(mean(&TreeMeans::tests)),
        ]);
    }
    Table {
        title: "Memory, building, and work of a question, means over everything".to_owned(),
        columns: [
            "tree",
            "bytes per face",
            "build, ns per face",
            "tests of boxes and faces",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows,
    }
}
