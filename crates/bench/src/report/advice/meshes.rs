//! What to take for two meshes or convex shapes, and what their indexes cost.

use super::RecordAnswer;
use super::look_up::{
    RATIOS, bar, beside, beside_where, ms, prescribed, reached, row, rows, three, with,
};
use crate::average_case::MOST_PUBLISHED;
use crate::engines::OURS;
use crate::own_runners::DEFAULT;
use crate::report::collect_records::{Collection, ReportPart};
use crate::result_sheet::{Cell, Table};

pub(super) fn yes_or_no(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let hit = row(collection, "rigid", &[RATIOS, "any intersection, hit"])?;
    let apart = row(collection, "rigid", &[RATIOS, "any intersection, apart"]);
    Some(RecordAnswer {
        take: "`WideTree`, the default of `IntersectionQuery`".to_owned(),
        because: with(
            with(
                beside_where("where they meet", hit)?,
                apart.and_then(|row| beside_where("where nothing meets", row)),
            ),
            prescribed(collection, "do they intersect?"),
        ),
        part: hit.part,
    })
}

pub(super) fn distance(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let near = row(collection, "rigid", &[RATIOS, "distance, gap up to 1 %"])?;
    let far = row(collection, "rigid", &[RATIOS, "distance, larger gaps"]);
    Some(RecordAnswer {
        take: "`WideTree`, the default of `DistanceQuery`".to_owned(),
        because: with(
            with(
                beside_where("at gaps up to 1 % of the diagonal", near)?,
                far.and_then(|row| beside_where("at larger ones", row)),
            ),
            prescribed(collection, "how far apart are they?"),
        ),
        part: near.part,
    })
}

/// Times the fastest plain tree that the default takes, by class of models, and which that is.
pub(super) fn by_class(table: &Table) -> Vec<(&str, f64, &str)> {
    let columns = table.columns.iter().enumerate().skip(1);
    columns
        .filter_map(|(k, class)| {
            let of_row = |row: &'_ Vec<Cell>| match (row.first()?, row.get(k)?) {
                (Cell::Text(_), Cell::Number(x)) => Some(*x),
                _ => None,
            };
            let named = |row: &&Vec<Cell>, name: &str| matches!(row.first(), Some(Cell::Text(t)) if t == name);
            let own = table.rows.iter().find(|row| named(row, DEFAULT));
            let plain = table.rows.iter().filter(|row| !named(row, DEFAULT));
            let best = plain
                .filter(|row| of_row(row).is_some())
                .min_by(|p, q| of_row(p).unwrap_or(0.0).total_cmp(&of_row(q).unwrap_or(0.0)))?;
            match best.first()? {
                Cell::Text(name) => Some((class.as_str(), of_row(own?)?, name.as_str())),
                _ => None,
            }
        })
        .collect()
}

pub(super) fn all_pairs(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let part = collection.part("scenario-1")?;
    let classes = by_class(part.sheet.tables.first()?);
    let lost: Vec<_> = classes
        .iter()
        .filter(|(_, times, _)| *times > 1.0)
        .collect();
    let mut take = "`WideTree`".to_owned();
    for (class, _, tree) in &lost {
        take += &format!("; on {class} models `{tree}`");
    }
    let worst: Vec<String> = lost
        .iter()
        .map(|(class, times, tree)| {
            format!(
                "on {class} models `{tree}` is {} times as fast",
                three(*times)
            )
        })
        .collect();
    let won = format!(
        "faster than every plain tree on {} of {} classes of models",
        classes.len() - lost.len(),
        classes.len()
    );
    let others = row(collection, "rigid", &[RATIOS, "all face pairs"]).and_then(beside);
    Some(RecordAnswer {
        take,
        because: with(
            with(won, (!worst.is_empty()).then(|| worst.join(", "))),
            others,
        ),
        part,
    })
}

pub(super) fn impact(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let found = row(collection, "rigid", &[RATIOS, "time of impact"])?;
    let truth = bar(collection, "rigid", &["no first contact passed"]);
    Some(RecordAnswer {
        take: "`ImpactQuery`, over `WideTree`".to_owned(),
        because: with(beside(found)?, truth.map(|(_, claim)| reached(claim))),
        part: found.part,
    })
}

pub(super) fn likely(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let all = rows(collection, "average", &["errors and times", "average k"]);
    let first = all.first()?;
    let mut wins = Vec::new();
    for row in &all {
        let (times, error) = (row.number("times default")?, row.number("error %")?);
        if times > 1.0 {
            wins.push((times, error, row.text("model")?, row.text("engine")?));
        }
    }
    wins.sort_by(|p, q| q.0.total_cmp(&p.0));
    let best: Vec<String> = wins
        .iter()
        .take(3)
        .map(|(times, error, model, engine)| {
            format!(
                "{model}, {engine}: {} times as fast, {} % wrong",
                three(*times),
                three(*error)
            )
        })
        .collect();
    let (take, because) = if best.is_empty() {
        (
            "`WideTree`: exact, and faster".to_owned(),
            format!(
                "the exact default is faster in all {} rows of models and settings",
                all.len()
            ),
        )
    } else {
        (
            "`ProbabilisticQuery` where it was measured to win, else `WideTree`".to_owned(),
            format!(
                "it beats the exact default in {} of {} rows of models and settings: {}",
                wins.len(),
                all.len(),
                best.join("; ")
            ),
        )
    };
    // Bodies that are just apart are what it does worst, and the same records know by how much.
    let wrong = row(
        collection,
        "performance",
        &[
            "do they intersect",
            "over all pairs",
            "average (approximate)",
        ],
    );
    let wrong = wrong.and_then(|row| row.number("wrong answers (part of all)"));
    let warning = wrong.filter(|part| *part > 0.0).map(|part| {
        format!(
            "but of pairs of bodies at set distances up to 30 % of their size it judged {} % wrong: not for bodies that are nearly touching",
            three(100.0 * part)
        )
    });
    let chosen_on: Vec<&str> = all.iter().filter_map(|row| row.text("model")).collect();
    Some(RecordAnswer {
        take,
        because: with(with(because, warning), other_models(first.part, &chosen_on)),
        part: first.part,
    })
}

/// How often answers about other models than those were wrong that defaults were chosen on, from what was printed of the
/// confidence: none where that was not recorded.
fn other_models(part: &ReportPart, chosen_on: &[&str]) -> Option<String> {
    let wrong_of = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            kind @ ..,
            model,
            count,
            "answers,",
            uncertain,
            "uncertain:",
            "stated",
            _,
            "right",
            right,
        ] = words.as_slice()
        else {
            return None;
        };
        if kind.last() != Some(&"models") || chosen_on.contains(model) {
            return None;
        }
        let [count, uncertain, right]: [f64; 3] = [
            count.parse().ok()?,
            uncertain.parse().ok()?,
            right.parse().ok()?,
        ];
        // Certain answers have a bar of their own: none of them is wrong.
        (count > 0.0).then_some(100.0 * uncertain * (1.0 - right) / count)
    };
    let wrong: Vec<f64> = part.text.as_ref()?.lines().filter_map(wrong_of).collect();
    let most = wrong.iter().copied().max_by(f64::total_cmp)?;
    let above = wrong
        .iter()
        .filter(|wrong| **wrong > MOST_PUBLISHED)
        .count();
    Some(format!(
        "defaults were chosen on these models: of {} others {above} have more than {MOST_PUBLISHED} % wrong, up to {} %",
        wrong.len(),
        three(most)
    ))
}

/// What the bars of a part state as geometric means; none where there are none.
fn geometric_means(part: &ReportPart) -> Option<String> {
    let bars = part.sheet.bars.iter();
    let means: Vec<&str> = bars
        .filter_map(|bar| Some(bar.claim.split_once(", geometric mean")?.0))
        .collect();
    (!means.is_empty()).then(|| format!("geometric means: {}", means.join(", ")))
}

pub(super) fn convex(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let part = collection.part("convex-speed")?;
    let means = geometric_means(part);
    let mut lost = Vec::new();
    for row in rows(collection, "convex-speed", &["nanoseconds a question"]) {
        let columns = row.table.columns.iter().zip(row.cells);
        let mut peer = "";
        for (column, cell) in columns {
            match cell {
                Cell::Number(x) if column == "times ours" && *x < 1.0 => lost.push(format!(
                    "{} of {}: {} takes {} of our time",
                    row.text("question")?,
                    row.text("shapes")?,
                    peer.trim_end_matches(", ns"),
                    three(*x)
                )),
                _ => peer = column,
            }
        }
    }
    let lost = (!lost.is_empty()).then(|| format!("but {}", lost.join(", ")));
    means.map(|means| RecordAnswer {
        take: "the shapes of `convex`, in any query of `pair`".to_owned(),
        because: with(means, lost),
        part,
    })
}

pub(super) fn mixed(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let part = collection.part("mixed-pairs")?;
    let means = geometric_means(part);
    means.map(|means| RecordAnswer {
        take: "any query of `pair`, over `WideTree`".to_owned(),
        because: means,
        part,
    })
}

pub(super) fn building(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let all = rows(collection, "rigid", &["building an index"]);
    let most = all
        .iter()
        .filter(|row| row.text("engine") == Some(OURS))
        .filter_map(|row| row.number("faces"))
        .max_by(f64::total_cmp)?;
    let mut here: Vec<(&str, f64)> = all
        .iter()
        .filter(|row| row.number("faces") == Some(most))
        .filter_map(|row| Some((row.text("engine")?, row.number("time, ms")?)))
        .filter(|(name, _)| !name.contains("(one thread)"))
        .collect();
    here.sort_by(|p, q| p.1.total_cmp(&q.1));
    let own = here.iter().position(|(name, _)| *name == OURS)?;
    let listed = |range: &[(&str, f64)]| {
        let words: Vec<String> = range
            .iter()
            .map(|(name, time)| format!("{name} {}", ms(*time)))
            .collect();
        words.join(", ")
    };
    let faster = match listed(&here[..own]) {
        none if none.is_empty() => "none is faster".to_owned(),
        some => format!("faster to build: {some}"),
    };
    Some(RecordAnswer {
        take: "`WideTree`; a plain box tree built fast where few questions follow".to_owned(),
        because: format!(
            "{} for {most} faces; {faster}; slower: {}",
            ms(here[own].1),
            listed(&here[own + 1..])
        ),
        part: all.first()?.part,
    })
}

pub(super) fn memory(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let all = rows(collection, "scenario-1", &["memory, building"]);
    let mut bytes: Vec<(&str, f64)> = all
        .iter()
        .filter_map(|row| Some((row.text("tree")?, row.number("bytes per face")?)))
        .collect();
    bytes.sort_by(|p, q| p.1.total_cmp(&q.1));
    let own = bytes.iter().find(|(name, _)| *name == DEFAULT)?;
    let least: Vec<String> = bytes
        .iter()
        .filter(|(name, _)| *name != DEFAULT)
        .take(3)
        .map(|(name, bytes)| format!("`{name}` {}", three(*bytes)))
        .collect();
    let smallest = bytes.first()?.0;
    Some(RecordAnswer {
        take: if smallest == DEFAULT {
            "`WideTree`".to_owned()
        } else {
            format!("`WideTree`, or `{smallest}` where every byte counts and time does not")
        },
        because: format!(
            "{} bytes for each face; the smallest others: {}",
            three(own.1),
            least.join(", ")
        ),
        part: all.first()?.part,
    })
}
