//! What to take for what moves: many boxes, cloth, faces between keys.

use super::RecordAnswer;
use super::look_up::{PartRow, bar, ms, reached, rows, three, with};
use crate::report::collect_records::Collection;

/// Of each number of boxes the fastest broad phase and the next.
pub(super) fn boxes(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let all = rows(collection, "bodies", &["a fifth overlapping"]);
    let own: Vec<PartRow> = all
        .into_iter()
        .filter(|row| row.number("bodies").is_some())
        .collect();
    let mut sizes: Vec<f64> = own.iter().filter_map(|row| row.number("bodies")).collect();
    sizes.dedup();
    let mut lines = Vec::new();
    let mut winners: Vec<&str> = Vec::new();
    for size in &sizes {
        let mut here: Vec<(&str, f64)> = own
            .iter()
            .filter(|row| row.number("bodies") == Some(*size))
            .filter_map(|row| Some((row.text("")?, row.number("frame ms")?)))
            .collect();
        here.sort_by(|p, q| p.1.total_cmp(&q.1));
        let (first, next) = (here.first()?, here.get(1)?);
        winners.push(first.0);
        lines.push(format!(
            "{} boxes: {} {}, then {} {}",
            size,
            first.0,
            ms(first.1),
            next.0,
            ms(next.1)
        ));
    }
    let name = |winner: &str| match winner {
        "tree" => "`broad::DynamicAabbTree`, the default of `World`".to_owned(),
        other => format!("{other} of `broad`"),
    };
    let part = own.first()?.part;
    let mut kinds = winners.clone();
    kinds.dedup();
    let take = match kinds.as_slice() {
        [winner] => name(winner),
        _ => winners
            .iter()
            .zip(&sizes)
            .map(|(winner, size)| format!("{} at {size}", name(winner)))
            .collect::<Vec<_>>()
            .join(", "),
    };
    let others = bar(collection, "bodies", &["frame", "the fastest other"]);
    // The largest sizes tell most.
    let last = lines.split_off(lines.len().saturating_sub(2));
    Some(RecordAnswer {
        take,
        because: with(
            format!("a frame of {}", last.join("; ")),
            others.map(|(_, claim)| reached(claim)),
        ),
        part,
    })
}

pub(super) fn cloth(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let ours = rows(collection, "deform", &["ours, for each frame"]);
    let first = ours.first()?;
    let told: Vec<String> = ours
        .iter()
        .filter_map(|row| {
            let scene = row.text("scene")?;
            let peers = rows(collection, "deform", &["other libraries", scene]);
            let peer = peers
                .iter()
                .filter(|row| row.text("scene") == Some(scene))
                .filter_map(|row| Some((row.text("engine")?, row.number("times ours")?)))
                .min_by(|p, q| p.1.total_cmp(&q.1));
            let peer = peer.map_or(String::new(), |(name, times)| {
                format!(", on one thread {} times as fast as {name}", three(times))
            });
            Some(format!(
                "{scene} {}{peer}",
                ms(row.number("all threads, ms")?)
            ))
        })
        .collect();
    Some(RecordAnswer {
        take: "`deform::Auto`".to_owned(),
        because: format!("a frame of {}", told.join("; ")),
        part: first.part,
    })
}

pub(super) fn moving_faces(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let all = rows(collection, "kinetic", &["events beside updates"]);
    let first = all.first()?;
    let (mut from, mut worst) = (f64::INFINITY, 0.0_f64);
    let mut below: f64 = 0.0;
    for row in &all {
        let between = row.number("in-between frames")?;
        let events = row.number("events, µs")?;
        let refit = row
            .number("refit, µs")?
            .min(row.number("vector refit, µs")?);
        worst = worst.max(row.number("chosen, µs")? / events.min(refit));
        if events < refit {
            from = from.min(between);
        } else {
            below = below.max(between);
        }
    }
    let crossing = if from.is_finite() {
        format!(
            "events beat refitting from {from} frames between two keys on and lost up to {below}"
        )
    } else {
        format!("events never beat refitting, up to {below} frames between two keys")
    };
    Some(RecordAnswer {
        take: "`kinetic::AutoMaintainedTree`".to_owned(),
        because: format!(
            "{crossing}; what it chose took at most {} times the better of both",
            three(worst)
        ),
        part: first.part,
    })
}
