//! Which records a plot or a table is over, and how it names their engines.

use super::record::Record;
use crate::configurations::Kind;
use crate::engines::OURS;
use crate::sample_statistics::distinct;

/// Different values of a field, in order of appearance.
pub(super) fn names(records: &[Record], of: impl Fn(&Record) -> &String) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for record in records {
        if !names.contains(of(record)) {
            names.push(of(record).clone());
        }
    }
    names
}

pub(super) fn levels(records: &[&Record]) -> Vec<f64> {
    distinct(records.iter().map(|r| r.level))
}

pub(super) fn of_question<'r>(
    records: &'r [Record],
    question: &str,
    kind: Kind,
) -> Vec<&'r Record> {
    let is_it = |r: &&Record| r.is_of(kind) && r.question == question;
    records.iter().filter(is_it).collect()
}

/// Whether an engine was run on fewer configurations of a target than another.
pub(super) fn is_fewer(record: &Record, asked: &[&Record]) -> bool {
    asked.iter().any(|r| {
        r.pair == record.pair && r.level == record.level && r.configurations > record.configurations
    })
}

/// The name of a line, with words for one some points of which are over fewer configurations than those of others.
pub(super) fn line_name(engine: &str, asked: &[&Record]) -> String {
    let name = labelled(engine, asked);
    let is_of = |r: &&&Record| r.engine == engine && r.times.is_some();
    if asked.iter().filter(is_of).any(|r| is_fewer(r, asked)) {
        format!("{name}, fewer placements")
    } else {
        name
    }
}

/// The name of an engine, with a word for those that may be wrong.
pub(super) fn labelled(engine: &str, records: &[&Record]) -> String {
    let may_err = |r: &&Record| r.engine == engine && r.verdict == "approximate";
    if records.iter().any(may_err) {
        format!("{engine} (approximate)")
    } else {
        engine.to_owned()
    }
}

/// Ours first, then in order of appearance.
pub(super) fn engine_names(records: &[&Record]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for record in records {
        if !names.contains(&record.engine) {
            names.push(record.engine.clone());
        }
    }
    names.sort_by_key(|name| name != OURS);
    names
}

/// None of nothing; times are at least a nanosecond.
pub(super) fn geometric_mean(times: &[f64]) -> Option<f64> {
    let sum: f64 = times.iter().map(|t| t.max(1.0).ln()).sum();
    (!times.is_empty()).then(|| (sum / times.len() as f64).exp())
}
